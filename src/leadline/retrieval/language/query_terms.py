"""Terms for the words of a query: terms of the index, and new ones for phrases, prefixes and words in one field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis, spans
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.index import Index, Lists
from leadline.retrieval.language.spans import FieldPlaces, Phrase, Positional, QueryWord, frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT = 1000  # lists of query terms: enough for one query that asks for a term twice


@dataclass(frozen=True)
class QueryTerm:
    """A phrase, prefix or NEAR of a query that no single term of the index covers, and the fields to search for it."""

    part: Positional
    fields: tuple[str, ...]


class WiderIndex(Index):
    """An index that has the query's own terms too, so that every model scores and explains a phrase as it does a word.

    A query term is named as the query writes it, `"water in oil"` or `title:film*`: no index term looks like that.
    """

    def __init__(self, index: Index) -> None:
        vars(self).update(vars(index))
        self._query_terms: dict[bytes, QueryTerm] = {}
        self._places: dict[tuple[int, str], FieldPlaces] = {}
        self._known: dict[tuple[str, bytes], tuple[NDArray[np.int32], NDArray[np.int32]]] = {}

    def add_term(self, name: str, term: QueryTerm) -> str:
        """Add a query term, and return its name."""
        self._query_terms[name.encode("utf-8", "replace")] = term
        return name

    def lists(self, field: str, terms: Sequence[bytes]) -> Lists:
        plain = super().lists(field, [b"" if term in self._query_terms else term for term in terms])
        if not any(term in self._query_terms for term in terms):
            return plain
        parts = []
        occurrences = plain.occurrences.copy()
        for place, term in enumerate(terms):
            if term in self._query_terms:
                documents, counts = self._found(field, term)
                occurrences[place] = counts.sum()
            else:
                run = slice(plain.offsets[place], plain.offsets[place + 1])
                documents, counts = plain.documents[run], plain.frequencies[run]
            parts.append((documents, counts))
        offsets = np.concatenate([[0], np.cumsum([len(documents) for documents, _ in parts])]).astype(np.int64)
        documents, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Lists(offsets, documents, counts, occurrences)

    def _found(self, field: str, name: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The documents of a query term in a field, and its frequency in each."""
        term = self._query_terms[name]
        if field not in term.fields:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        if (field, name) not in self._known:
            if len(self._known) >= KEPT:
                self._known.clear()
            found = [frequencies(term.part, self._at(number, field)) for number in range(len(self.segments))]
            documents = [part + np.int32(base) for (part, _), base in zip(found, self.bases, strict=False)]
            self._known[field, name] = np.concatenate(documents), np.concatenate([counts for _, counts in found])
        return self._known[field, name]

    def _at(self, segment: int, field: str) -> FieldPlaces:
        if (segment, field) not in self._places:
            self._places[segment, field] = FieldPlaces(self.segments[segment].field(field), len(self.segments[segment]))
        return self._places[segment, field]


def phrase_of(analysis: Analysis, text: str) -> Phrase | None:
    """The words of a text in their places; None where all are left out. A star behind a word cuts it off.

    >>> phrase_of(Analysis(), "water in oils")
    Phrase(words=(QueryWord(term=b'water', prefix=b''), None, QueryWord(term=b'oil', prefix=b'')))
    >>> phrase_of(Analysis(), "Polymer*")
    Phrase(words=(QueryWord(term=b'polym', prefix=b'polymer'),))
    """
    found: list[QueryWord | None] = []
    for piece in text.split():
        words = _words(analysis, piece)
        found += [QueryWord(term) if term else None for term in analysis.reduced(words)]
        if words and piece.endswith("*"):
            # Even a stop word may be the beginning of other words.
            found[-1] = QueryWord(found[-1].term if found[-1] else b"", words[-1])
    while found and found[0] is None:
        found.pop(0)
    while found and found[-1] is None:
        found.pop()
    return Phrase(tuple(found)) if found else None


def _words(analysis: Analysis, text: str) -> list[bytes]:
    """The words of a text before any is left out or stemmed."""
    content, offsets = joined([text])
    starts, lengths, _ = spans(content, offsets, analysis.words)
    whole = content.tobytes()
    return [whole[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
