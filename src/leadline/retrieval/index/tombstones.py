"""Tombstones: which documents of a segment are dead, because the collection has changed or deleted them.

A segment is never changed. Beside one with dead documents is a file that names them and says how much they count in the
statistics of the segment, so that a reader subtracts them without reading all postings:

    dead                    the rows of the dead documents, ascending
    FIELD/terms             the terms that dead documents have, ascending
    FIELD/documents         in how many dead documents each occurs
    FIELD/occurrences       and how often
    FIELD/forms             the forms of words that dead documents have, ascending
    FIELD/form_occurrences  and how often each occurs there
    FIELD/spellings         the keys of the dictionary of spellings that only dead documents have
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index import arrays
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.forms import BETWEEN
from leadline.retrieval.index.segment import Field, Segment
from leadline.retrieval.index.spellings import spelling_keys
from leadline.retrieval.index.terms import offsets_of
from leadline.text.ids import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLAB = 1 << 22  # postings that are read together
ROWS = "dead"


@dataclass(frozen=True)
class DeadWords:
    """What the dead documents of a segment count in one field."""

    terms: NDArray[np.integer[Any]]
    documents: NDArray[np.integer[Any]]
    occurrences: NDArray[np.int64]
    forms: NDArray[np.integer[Any]]
    form_occurrences: NDArray[np.int64]
    spellings: NDArray[np.integer[Any]]


_TYPES: dict[str, Any] = {
    each.name: np.int64 if "occurrences" in each.name else np.int32 for each in fields(DeadWords)
}  # fmt: skip


class Tombstones:
    """The dead documents of a segment with `documents` documents."""

    def __init__(self, path: Path, documents: int) -> None:
        self.path, self.file = path, arrays.read(path)
        self.rows: NDArray[np.int32] = self.file.whole(ROWS, np.int32)
        if not (0 < len(self.rows) < documents and _is_ascending(self.rows, documents)):
            raise self.damaged("its rows are not those of documents")
        self.live = np.ones(documents, np.bool_)
        self.live[self.rows] = False

    def words(self, name: str, field: Field) -> DeadWords:
        """What the dead documents count in a field of the segment."""
        dead = DeadWords(**{kind: self.file.whole(f"{name}/{kind}", dtype) for kind, dtype in _TYPES.items()})
        counts = np.diff(field.starts)
        if not (
            _is_ascending(dead.terms, len(counts)) and len(dead.terms) == len(dead.documents) == len(dead.occurrences)
            and (dead.documents > 0).all() and (dead.documents <= counts[dead.terms]).all()
            and (dead.occurrences >= dead.documents).all() and (dead.occurrences <= field.totals[dead.terms]).all()
        ):  # fmt: skip
            raise self.damaged(f'its counts do not fit the terms of "{name}"')
        return dead

    def check_forms(self, name: str, field: Field, dead: DeadWords) -> None:
        """Raise InputError if the forms of dead words do not fit those of the segment."""
        if not (
            _is_ascending(dead.forms, len(field.forms.keys)) and len(dead.forms) == len(dead.form_occurrences)
            and (dead.form_occurrences > 0).all()
            and (dead.form_occurrences <= field.forms.occurrences[dead.forms]).all()
        ):  # fmt: skip
            raise self.damaged(f'its counts do not fit the forms of words of "{name}"')

    def check_spellings(self, name: str, field: Field, dead: DeadWords) -> None:
        """Raise InputError if there are no such spellings in the segment."""
        if not _is_ascending(dead.spellings, len(field.spellings)):
            raise self.damaged(f'its numbers do not fit the spellings of "{name}"')

    def damaged(self, problem: str) -> InputError:
        return damaged(str(self.path), problem)


def _is_ascending(numbers: NDArray[np.integer[Any]], below: int) -> bool:
    return not len(numbers) or bool(numbers[0] >= 0 and numbers[-1] < below and (np.diff(numbers) > 0).all())


def write_tombstones(
    path: Path, segment: Segment, rows: NDArray[np.int64], names: Sequence[str], analysis: Analysis
) -> None:
    """Write the tombstones of these rows of a segment; `segment` is the stored one, with all its documents."""
    dead = np.zeros(len(segment), np.bool_)
    dead[rows] = True
    content: dict[str, NDArray[Any]] = {ROWS: np.flatnonzero(dead).astype(np.int32)}
    for name in names:
        words = _dead_words(segment, name, dead, analysis)
        content |= {f"{name}/{kind}": getattr(words, kind).astype(dtype) for kind, dtype in _TYPES.items()}
    arrays.write(path, content)


def _dead_words(segment: Segment, name: str, dead: NDArray[np.bool_], analysis: Analysis) -> DeadWords:
    field = segment.field(name)
    postings = _dead_postings(field, dead)
    terms, of_term, documents = np.unique(postings.terms, return_inverse=True, return_counts=True)
    occurrences = np.bincount(of_term, postings.frequencies, len(terms)).astype(np.int64)
    forms, form_occurrences = _dead_forms(field, postings)
    spellings = _dead_spellings(segment, field, dead, terms, analysis)
    return DeadWords(terms, documents, occurrences, forms, form_occurrences, spellings)


class _Postings(NamedTuple):
    """Some postings of a field: the term and the frequency of each, and how many occurrences are before it."""

    terms: NDArray[np.int64]
    frequencies: NDArray[np.int64]
    before: NDArray[np.int64]


def _dead_postings(field: Field, dead: NDArray[np.bool_]) -> _Postings:
    """The postings of dead documents."""
    found = [(np.empty(0, np.int64),) * 3]
    first, before = 0, 0
    while first < len(field.terms):
        last = max(first + 1, int(np.searchsorted(field.starts, field.starts[first] + _SLAB, "right")) - 1)
        part = slice(int(field.starts[first]), int(field.starts[last]))
        here = np.flatnonzero(dead[field.documents[part]])
        frequencies = field.frequencies[part]
        ends = np.cumsum(frequencies, dtype=np.int64)
        counts = frequencies[here].astype(np.int64)
        found.append(
            (np.searchsorted(field.starts, here + part.start, "right") - 1, counts, before + ends[here] - counts)
        )
        first, before = last, before + int(ends[-1])
    return _Postings(*map(np.concatenate, zip(*found, strict=True)))


def _dead_forms(field: Field, postings: _Postings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The forms of words that dead documents have, and how often each occurs there."""
    counts = field.forms.counts[postings.terms]
    alone = counts == 1  # all occurrences are of the only form
    only = field.forms.starts[postings.terms[alone]]
    several = _Postings(*(each[counts > 1] for each in postings))
    terms = np.repeat(several.terms, several.frequencies)
    numbers = np.concatenate([only, field.forms.starts[terms] + _some_forms(field, several, terms)])
    each = np.concatenate([postings.frequencies[alone], np.ones(len(terms), np.int64)])
    forms, of_form = np.unique(numbers, return_inverse=True)
    return forms, np.bincount(of_form, each, len(forms)).astype(np.int64)


def _some_forms(field: Field, postings: _Postings, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The form of every occurrence in some postings of terms with several forms; `terms` are those of occurrences.

    The n-th occurrence ends with the n-th bit that is set. Bits are counted by bytes, which is many times faster than
    to unpack them all.
    """
    forms, codes = field.forms, field.form_codes[:]
    set_before = np.concatenate([[0], np.cumsum(_BITS[codes], dtype=np.int64)])  # bits before each byte
    in_codes = offsets_of(np.where(forms.counts > 1, field.totals, 0))  # occurrences of earlier terms in the codes
    if set_before[-1] != in_codes[-1]:
        raise field.damaged("forms of words")
    number = ranges(postings.before - field.position_starts[postings.terms], postings.frequencies)  # within the term
    last = _place_of_bit(codes, set_before, in_codes[terms] + number)
    begin = forms.begins[terms] * 8 - 1
    previous = np.where(
        number > 0, _place_of_bit(codes, set_before, in_codes[terms] + np.maximum(number - 1, 0)), begin
    )
    ranks = np.clip(last - previous - 1, 0, forms.counts[terms] - 1)
    return forms.by_rank[forms.starts[terms] + ranks].astype(np.int64)


# For each byte, the number of its bits that are set, and their places.
_BITS = np.array([byte.bit_count() for byte in range(256)], np.uint8)
_SET_BITS = np.array([sorted(range(8), key=lambda bit: (not byte >> bit & 1, bit)) for byte in range(256)])


def _place_of_bit(
    codes: NDArray[np.uint8], set_before: NDArray[np.int64], numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The places of bits that are set, by their numbers among all of these."""
    byte = np.searchsorted(set_before, numbers, "right") - 1
    return byte * 8 + _SET_BITS[codes[byte], numbers - set_before[byte]]


def _dead_spellings(
    segment: Segment, field: Field, dead: NDArray[np.bool_], terms: NDArray[np.int64], analysis: Analysis
) -> NDArray[np.int64]:
    """The keys of spellings that no live document has.

    A key comes from a word, its term and the language of its document, so the keys of each term of the dead documents
    are made again from what is live.
    """
    keys = list(field.spellings)
    if not keys:
        return np.empty(0, np.int64)
    number_of = {field.terms[term]: term for term in terms.tolist()}
    pairs = [key.partition(BETWEEN)[::2] for key in keys]
    asked = sorted({number_of[term] for _, term in pairs if term in number_of})
    living = _living_keys(segment, field, ~dead, np.array(asked, np.int64), analysis)
    gone = [bool(term) and term in number_of and key not in living for key, (_, term) in zip(keys, pairs, strict=True)]
    # The key of a spelling alone is dead with the last of its terms.
    left = {spelling for (spelling, term), is_gone in zip(pairs, gone, strict=True) if term and not is_gone}
    dead_keys = [
        is_gone if term else spelling not in left for (spelling, term), is_gone in zip(pairs, gone, strict=True)
    ]
    return np.flatnonzero(dead_keys)


def _living_keys(
    segment: Segment, field: Field, live: NDArray[np.bool_], terms: NDArray[np.int64], analysis: Analysis
) -> set[bytes]:
    """The keys of spellings that live documents give these terms."""
    languages = segment.coded("language")
    given = np.full(len(segment), len(languages.terms))  # the language of each document; the last means none
    has_one = np.diff(languages.offsets) > 0
    given[has_one] = languages.codes[languages.offsets[:-1][has_one]]
    analyses = [analysis.for_language(name.decode()) for name in (*languages.terms, b"")]
    words: dict[Analysis, set[tuple[bytes, bytes]]] = {each: set() for each in analyses}
    for term in terms.tolist():
        run = slice(int(field.starts[term]), int(field.starts[term + 1]))
        documents = np.repeat(field.documents[run], field.frequencies[run])
        numbers = field.form_numbers(term)
        # Each pair of a language and a form, once, in live documents.
        used = np.unique(np.stack([given[documents], numbers])[:, live[documents]], axis=1)
        for language, number in used.T.tolist():
            listed = int(field.forms.counts[term]) > 0
            word = field.forms.word(int(field.forms.starts[term]) + number) if listed else field.terms[term]
            words[analyses[language]].add((word, field.terms[term]))
    keys: set[bytes] = set()
    for each, pairs in words.items():
        ordered = sorted(pairs)
        keys.update(spelling_keys([word for word, _ in ordered], [term for _, term in ordered], each))
    return keys


# The occurrences of terms, with which the dead ones are told from the live


def slabs_of_terms(field: Field, terms: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Terms in pieces whose occurrences fit the memory."""
    slab = np.cumsum(field.totals[terms]) // _SLAB
    return np.split(terms, np.flatnonzero(np.diff(slab)) + 1) if len(terms) else []


def unpacked_forms(field: Field, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The form of every occurrence of terms with several forms, counted from the first form of its term."""
    begins = field.forms.begins
    codes = field.form_codes[ranges(begins[terms], np.diff(begins)[terms])]
    found = field.forms.unpacked_all(codes, terms)
    if found is None:
        raise field.damaged("forms of words")
    return found


def documents_of_occurrences(field: Field, terms: NDArray[np.int64]) -> NDArray[np.int32]:
    """The document of every occurrence of terms."""
    starts, stops = field.starts[terms], field.starts[terms + 1]
    return np.repeat(field.documents.ranges(starts, stops), field.frequencies.ranges(starts, stops))
