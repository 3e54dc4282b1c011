"""The texts that vectors are made of: all that a document says, in passages of about what a model reads at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.inverting import joined_claims

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

FIELDS = ("title", "abstract")  # of which the first passage is made
STAND_INS = ("description", "claims")  # read behind them; the first that there is stands in for an abstract
WINDOW = 1000  # characters: about the 256 tokens that the packaged model reads
WIDE = 4  # characters that one of Chinese, Japanese or Korean counts as: nearly every one is a token
MOST = 8  # passages of a document
_FIRST_WIDE = "\u2e80"


def passages_of(first: str, others: Sequence[str] = ()) -> list[str]:
    """The passages of a document: what comes first, then its other texts, cut where sentences or words end.

    A document that fits into one passage is one, and so is one without text.

    >>> passages_of("Film\\nA polymer film.", ["As drawn.", ""])
    ['Film\\nA polymer film.\\nAs drawn.']
    >>> [len(each) for each in passages_of("A film. " * 100, ["A foil. " * 200])]
    [799, 999, 599]
    """
    rest = "\n".join(text for text in others if text.strip())
    whole = f"{first}\n{rest}" if rest else first
    if _length(whole) <= WINDOW:
        return [whole if whole.strip() else ""]
    found = [*cut(first), *cut(rest)] if rest else cut(first)
    return found[:MOST] or [""]


def cut(text: str) -> list[str]:
    """A text in pieces of up to `WINDOW` characters, which end where a sentence does, or else a word.

    >>> [len(each) for each in cut("word " * 500)]
    [999, 999, 499]
    """
    text = text[: MOST * WINDOW]
    window = WINDOW // WIDE if _length(text) > 2 * len(text) else WINDOW
    pieces, at = [], 0
    while at < len(text):
        end = at + window
        if end < len(text):
            half = at + window // 2
            ends = max(text.rfind(". ", half, end) + 1, text.rfind("\n", half, end), text.rfind("。", half, end) + 1)
            end = ends or text.rfind(" ", half, end) + 1 or end
        if piece := text[at:end].strip():
            pieces.append(piece)
        at = end
    return pieces


def _length(text: str) -> int:
    """The characters of a text up to what matters, wide ones counted several times."""
    if text.isascii() or len(text) > MOST * WINDOW * WIDE:
        return len(text)
    return len(text) + (WIDE - 1) * sum(letter >= _FIRST_WIDE for letter in text)


def collection_order(context: SearchContext) -> NDArray[np.int64]:
    """The rows of the index in the order of the collection."""
    inside = context.collection.rows(context.index.ids)  # the row in the collection of each row of the index
    if (inside < 0).any():
        raise InputError(
            context.index.ids[int(np.argmin(inside))], f"is not in the collection {context.collection.folder}"
        )
    return np.argsort(inside, kind="stable")


def read_passages(
    context: SearchContext, fields: Sequence[str], order: NDArray[np.int64], done: int, at_once: int
) -> Iterator[tuple[int, NDArray[np.int64], list[list[str]]]]:
    """Documents in the order of the collection, after the first `done`, up to `at_once` together.

    Each is the place of its first document in this order, the rows in the index, and the passages of each. Where a row
    of the index is a family, its text is that of the document with the family's id.
    """
    import polars as pl

    inside = context.collection.rows(context.index.ids)
    others = [name for name in STAND_INS if name not in fields] if tuple(fields) == FIELDS else []
    start = done
    for part in context.collection.texts([*fields, *others], inside[order[done:]]):
        joined = joined_claims(part, [*fields, *others])
        begun = joined.with_columns(pl.col(name).str.slice(0, MOST * WINDOW) for name in (*fields, *others))
        for first in range(0, len(begun), at_once):
            rows = begun.slice(first, at_once).select(*fields, *others).iter_rows()
            found = [document_passages(row[: len(fields)], row[len(fields) :]) for row in rows]
            yield start, order[start : start + len(found)], found
            start += len(found)


def document_passages(texts: Sequence[str | None], others: Sequence[str | None] = ()) -> list[str]:
    """The passages of a document, from its fields and, where these are title and abstract, its other texts.

    Without an abstract, the first of the others takes its place.

    >>> document_passages(["Film", ""], ["A foil.", "1. A film."])
    ['Film\\nA foil.\\n1. A film.']
    """
    first = list(texts)
    behind = [text or "" for text in others]
    if others and not (first[-1] or "").strip():
        first[-1] = next((text for text in behind if text.strip()), "")
        behind = [text for text in behind if text is not first[-1]]
    return passages_of("\n".join(text for text in first if text is not None), behind)
