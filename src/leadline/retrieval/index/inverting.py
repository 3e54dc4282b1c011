"""Invert a batch of documents: find its words, reduce them to terms, and group the postings by term."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.batches import DocumentBatch, coded
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.derived import field_function
from leadline.retrieval.index.forms import counted_forms, forms_of, packed_forms, word_ranks
from leadline.retrieval.index.kernels.arguments import BatchWords, PositionLists, PostingLists, TermCounts
from leadline.retrieval.index.occurrences import Occurrences, WordSpans
from leadline.retrieval.index.packing import ascending, gaps, packed
from leadline.retrieval.index.segment import (
    stored_breaks,
    stored_codes,
    stored_forms,
    stored_terms,
    stored_wide,
)
from leadline.retrieval.index.terms import Terms, offsets_of
from leadline.retrieval.index.text_breaks import text_breaks
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray


def inverted(batch: DocumentBatch, analysis: Analysis, positions: bool) -> dict[str, NDArray[Any]]:
    """The arrays of a segment with the documents of a batch."""
    ids = Terms.of([name.encode() for name in batch.ids])
    content = stored_terms(ids, "ids", "id_lengths")
    for name, found in _occurrences(batch, analysis):
        content |= {f"{name}/{array}": values for array, values in _field(found, positions).items()}
    for name, numbers in {**batch.numbers, "content": content_sums(list(batch.texts.values()))}.items():
        content |= stored_wide(numbers, f"columns/{name}")
    for name, words in batch.codes.items():
        content |= {f"columns/{name}/{array}": values for array, values in stored_codes(coded(words)).items()}
    return content


def _occurrences(batch: DocumentBatch, analysis: Analysis) -> Iterator[tuple[str, Occurrences]]:
    """The terms of each field, first those of the documents, then derived ones; one field is in memory at a time."""
    languages = [given[0] if given else "" for given in batch.codes["language"]]
    for name, texts in batch.texts.items():
        yield name, WordSpans.of(*joined(texts), analysis.words).terms(analysis, languages)
    if batch.derived:
        whole = ["\n".join(texts) for texts in zip(*batch.texts.values(), strict=True)]
        for name in batch.derived:
            yield name, field_function(name)(whole, analysis)


def _field(occurrences: Occurrences, positions: bool) -> dict[str, NDArray[Any]]:
    """The arrays of one field of a segment."""
    names = sorted({term for term in occurrences.terms if term})
    number = {name: code for code, name in enumerate(names)}
    term_of = np.array([number.get(term, -1) for term in occurrences.terms], np.int32)
    offsets, codes = occurrences.offsets, occurrences.codes
    words = BatchWords(len(offsets) - 1, offsets, codes, term_of, len(names))
    size = _BYTES_A_WORD * len(codes)
    counts, lengths = _counted.choose(size)(words)
    starts = offsets_of(counts.texts)
    documents, frequencies, places = _filled.choose(size)(words, counts, starts, positions)
    terms = Terms.of(names)
    listed = occurrences.words or [b""] * len(occurrences.terms)  # a field without words has no forms
    keys, owners, form_of = forms_of(listed, occurrences.terms if occurrences.words else listed, term_of, len(names))
    forms = counted_forms(keys, owners, form_of, words, counts.occurrences)
    codes_of_forms = packed_forms.choose(size)(words, word_ranks(words, form_of, forms), forms)
    breaks = text_breaks(occurrences) if positions else (np.empty(0, np.int32), np.zeros_like(offsets))
    first = np.cumsum(frequencies, dtype=np.int64) - frequencies
    return {
        **stored_terms(terms, "terms", "term_lengths"), "document_counts": packed(counts.texts),
        **stored_wide(counts.occurrences - counts.texts, "repetitions"),
        "documents": packed(documents, ascending(words.texts)), "frequencies": packed(frequencies - 1),
        "positions": packed(gaps(places, first) if positions else places), "lengths": packed(lengths),
        **stored_forms(forms, terms), "form_codes": codes_of_forms,
        **stored_terms(Terms.of(sorted(set(occurrences.spellings))), "spellings", "spelling_lengths"),
        **stored_breaks(*breaks),
    }  # fmt: skip


def content_sums(fields: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """A checksum of the texts of each document, by which a changed document is recognised."""
    texts = zip(*fields, strict=True)
    return np.array([crc32("\n\n".join(each).encode("utf-8", "replace")) for each in texts], np.int64)


_BYTES_A_WORD = 2  # NumPy sorts a word into its list in the time in which plain Python reads so many bytes of text


def _occurring(words: BatchWords) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The term of every word that is not left out, its text, and its position there."""
    text = np.repeat(np.arange(words.texts), np.diff(words.offsets))
    term = words.term_of[words.codes].astype(np.int64)
    here = np.flatnonzero(term >= 0)
    return term[here], text[here], here - words.offsets[text[here]]


def _counted_plain(words: BatchWords) -> tuple[TermCounts, NDArray[np.int32]]:
    term, text, _ = _occurring(words)
    once = np.unique(term * words.texts + text)
    counts = TermCounts(
        texts=np.bincount(once // max(words.texts, 1), minlength=words.terms),
        occurrences=np.bincount(term, minlength=words.terms),
    )
    return counts, np.bincount(text, minlength=words.texts).astype(np.int32)


@compiled_job("leadline.retrieval.index.kernels.inverting.count_terms", plain=_counted_plain)
def _counted(kernel: Kernel, words: BatchWords) -> tuple[TermCounts, NDArray[np.int32]]:
    """The number of texts that have each term, its occurrences, and the number of terms of each text."""
    counts = TermCounts(np.empty(words.terms, np.int64), np.empty(words.terms, np.int64))
    lengths = np.empty(words.texts, np.int32)
    kernel(words, np.empty(words.terms, np.int32), counts, lengths)
    return counts, lengths


_Filled = tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.int32]"]


def _filled_plain(words: BatchWords, counts: TermCounts, starts: NDArray[np.int64], positions: bool) -> _Filled:
    term, text, position = _occurring(words)
    key = term * words.texts + text
    order = np.argsort(key, kind="stable")
    once, frequencies = np.unique(key, return_counts=True)
    places = position[order] if positions else np.empty(0, np.int64)
    documents = once % max(words.texts, 1)
    return documents.astype(np.int32), frequencies.astype(np.int32), places.astype(np.int32)


@compiled_job("leadline.retrieval.index.kernels.inverting.fill_postings", plain=_filled_plain)
def _filled(
    kernel: Kernel, words: BatchWords, counts: TermCounts, starts: NDArray[np.int64], positions: bool
) -> _Filled:
    """The documents of each term, its frequency in each, and its positions there (empty without `positions`)."""
    postings = int(starts[-1])
    lists = PostingLists(starts[:-1].copy(), np.empty(postings, np.int32), np.empty(postings, np.int32))
    ends = offsets_of(counts.occurrences)
    places = PositionLists(positions, ends[:-1].copy(), np.empty(int(ends[-1]) if positions else 0, np.int32))
    kernel(words, np.empty(words.terms, np.int32), lists, places)
    return lists.documents, lists.frequencies, places.positions
