"""A batch of documents as a segment: words are found, numbered, reduced to terms, and sorted by term."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.search.index.analysis import Analysis
from leadline.search.index.batches import Batch, coded
from leadline.search.index.characters import joined
from leadline.search.index.derived import deriving
from leadline.search.index.machine import KERNELS
from leadline.search.index.occurrences import Found, Occurrences
from leadline.search.index.terms import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray


def inverted(batch: Batch, analysis: Analysis, positions: bool) -> dict[str, NDArray[Any]]:
    """The arrays of the segment that a batch makes."""
    ids = Terms.of([name.encode() for name in batch.ids])
    content: dict[str, NDArray[Any]] = {"ids": ids.buffer, "id_offsets": ids.offsets}
    for name, found in _occurrences(batch, analysis):
        content |= {f"{name}/{array}": values for array, values in _field(found, positions).items()}
    for name, numbers in batch.numbers.items():
        content[f"columns/{name}"] = numbers
    for name, words in batch.codes.items():
        content |= {f"columns/{name}/{array}": values for array, values in coded(words).items()}
    return content


def _occurrences(batch: Batch, analysis: Analysis) -> Iterator[tuple[str, Occurrences]]:
    """The terms of each field, one field at a time in memory: the documents' own, then those made of them."""
    for name, texts in batch.texts.items():
        yield name, Found.of(*joined(texts), analysis.words).terms(analysis)
    if batch.derived:
        whole = ["\n".join(texts) for texts in zip(*batch.texts.values(), strict=True)]
        for name in batch.derived:
            yield name, deriving(name)(whole, analysis)


def _field(found: Occurrences, positions: bool) -> dict[str, NDArray[Any]]:
    reduced, codes, word_offsets = found.terms, found.codes, found.offsets
    texts = len(word_offsets) - 1
    names = sorted({term for term in reduced if term})
    number = {name: code for code, name in enumerate(names)}
    term_of = np.array([number.get(term, -1) for term in reduced], np.int32)

    latest = np.empty(len(names), np.int32)
    frequency, totals = np.empty(len(names), np.int64), np.empty(len(names), np.int64)
    document_lengths = np.empty(texts, np.int32)
    postings = KERNELS.kernel("count_terms")(
        texts, word_offsets, codes, term_of, len(names), latest, frequency, totals, document_lengths
    )
    list_starts = np.zeros(len(names) + 1, np.int64)
    np.cumsum(frequency, out=list_starts[1:])
    documents, frequencies = np.empty(postings, np.int32), np.empty(postings, np.int32)
    places = np.empty(int(totals.sum()) if positions else 0, np.int32)
    KERNELS.kernel("fill_postings")(
        texts, word_offsets, codes, term_of, len(names), latest, list_starts[:-1].copy(), documents, frequencies,
        positions, np.concatenate([[0], np.cumsum(totals)[:-1]]).astype(np.int64), places,
    )  # fmt: skip
    terms = Terms.of(names)
    return {
        "terms": terms.buffer, "term_offsets": terms.offsets, "starts": list_starts, "totals": totals,
        "documents": documents, "frequencies": frequencies, "lengths": document_lengths, "positions": places,
    }  # fmt: skip
