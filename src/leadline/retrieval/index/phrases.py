"""Terms that stand near each other, in an index that keeps positions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import Field

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SPAN = 1 << 32  # more places than a document has


def near(
    index: Index, field: str, terms: Sequence[bytes], within: int = 1, order: Literal["given", "any"] = "given"
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The documents in which each term stands at most `within` words from the one before it, and how often they do.

    `within=1` is a phrase. With `order="any"` the terms may also stand the other way round. What is counted are the
    places of the last term at which such a chain ends.

    >>> from tempfile import mkdtemp
    >>> texts = [{"id": "1", "body": "water in oil"}, {"id": "2", "body": "oil and water, oil"}]
    >>> index = Index.build(texts, mkdtemp(), fields=["body"], positions=True)
    >>> [near(index, "body", [b"water", b"oil"], within)[0].tolist() for within in (1, 2)]
    [[1], [0, 1]]
    """
    checked_choice("order", order, ["given", "any"])
    index.field(field)
    if not index.manifest["positions"]:
        raise InputError(str(index.folder), "keeps no positions, so no phrases can be found: build it with positions")
    if not terms or within < 1:
        raise InputError("phrase", "needs at least one term, and a distance of at least 1")
    documents, counts = [], []
    for segment, base in zip(index.segments, index.bases, strict=False):
        part = segment.field(field)
        ends = _places(part, terms[0], segment.path)
        for term in terms[1:]:
            ends = _reachable(ends, _places(part, term, segment.path), within, order)
        found, count = np.unique(ends // _SPAN, return_counts=True)
        documents.append((found + base).astype(np.int32))
        counts.append(count.astype(np.int32))
    return np.concatenate(documents), np.concatenate(counts)


def _places(field: Field, term: bytes, path: Path) -> NDArray[np.int64]:
    """Where a term stands in a segment, each place one number: its document and its position."""
    number = int(field.terms.find([term])[0])
    if number < 0:
        return np.empty(0, np.int64)
    postings = slice(int(field.starts[number]), int(field.starts[number + 1]))
    lengths = field.frequencies[postings].astype(np.int64)
    first, last = field.position_starts[number : number + 2].tolist()
    if int(lengths.sum()) != last - first:
        raise damaged(str(path), f"the frequencies of {term.decode()!r} do not fit its positions")
    return np.repeat(field.documents[postings].astype(np.int64), lengths) * _SPAN + field.positions[first:last]


def _reachable(
    ends: NDArray[np.int64], places: NDArray[np.int64], within: int, order: Literal["given", "any"]
) -> NDArray[np.int64]:
    """The places that have one of the ends at most so far before them, or behind them."""
    low = np.searchsorted(ends, places - within)
    before = low < np.searchsorted(ends, places)
    if order == "given":
        return places[before]
    return places[before | (np.searchsorted(ends, places, "right") < np.searchsorted(ends, places + within, "right"))]
