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

POSTINGS_KEPT = 10_000_000  # of query terms, 8 bytes each: a query asks for each term twice


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
        self._postings = 0  # of all that is known

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
        known = self._known.get((field, name))
        if known is None:
            if self._postings + len(self._known) > POSTINGS_KEPT:
                self._known.clear()
                self._postings = 0
            found = [frequencies(term.part, self._at(number, field)) for number in range(len(self.segments))]
            documents = [part + np.int32(base) for (part, _), base in zip(found, self.bases, strict=False)]
            known = self._known[field, name] = np.concatenate(documents), np.concatenate([each for _, each in found])
            self._postings += len(known[0])
        return known

    def _at(self, segment: int, field: str) -> FieldPlaces:
        if (segment, field) not in self._places:
            self._places[segment, field] = FieldPlaces(self.segments[segment].field(field), len(self.segments[segment]))
        return self._places[segment, field]


def phrases_of(analysis: Analysis, texts: Sequence[str]) -> list[Phrase | None]:
    """The words of each text in their places; None where all are left out. A star behind a word cuts it off.

    >>> phrases_of(Analysis(), ["water in oils", "Polymer*", "the"])
    [Phrase(words=(QueryWord(term=b'water', prefix=b''), None, QueryWord(term=b'oil', prefix=b''))),
     Phrase(words=(QueryWord(term=b'polym', prefix=b'polymer'),)), None]
    """
    pieces = [text.split() for text in texts]
    known = _words_of(analysis, list({piece: None for each in pieces for piece in each}))
    return [_phrase([word for piece in each for word in known[piece]]) for each in pieces]


def _phrase(words: Sequence[QueryWord | None]) -> Phrase | None:
    """The words without those at both ends that the index leaves out."""
    kept = [place for place, word in enumerate(words) if word is not None]
    return Phrase(tuple(words[kept[0] : kept[-1] + 1])) if kept else None


def _words_of(analysis: Analysis, pieces: Sequence[str]) -> dict[str, list[QueryWord | None]]:
    """The words of each piece of text between two blanks, all pieces analysed at once."""
    if not pieces:
        return {}
    content, offsets = joined(pieces)
    starts, lengths, bounds = spans(content, offsets, analysis.words)
    whole = content.tobytes()
    words = [whole[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
    found = [QueryWord(term) if term else None for term in analysis.reduced(words)]
    known = {}
    for piece, first, last in zip(pieces, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        known[piece] = own = found[first:last]
        if own and piece.endswith("*"):
            # Even a stop word may be the beginning of other words.
            own[-1] = QueryWord(own[-1].term if own[-1] else b"", words[last - 1])
    return known
