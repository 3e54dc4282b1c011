"""Terms for the words of a query: terms of the index, and new ones for phrases, prefixes and words in one field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis, spans
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.index import Index, Lists
from leadline.retrieval.index.terms import offsets_of
from leadline.retrieval.language.spans import FieldPlaces, Phrase, Positional, QueryWord, frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray

POSTINGS_KEPT = 10_000_000  # of query terms, 8 bytes each, kept because a query reads each list twice


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
        self._lists: dict[tuple[str, bytes], tuple[NDArray[np.int32], NDArray[np.int32]]] = {}
        self._postings = 0  # of all lists

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
        offsets = offsets_of([len(documents) for documents, _ in parts])
        documents, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Lists(offsets, documents, counts, occurrences)

    def _found(self, field: str, name: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The documents of a query term in a field, and its frequency in each."""
        term = self._query_terms[name]
        if field not in term.fields:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        postings = self._lists.get((field, name))
        if postings is None:
            if self._postings + len(self._lists) > POSTINGS_KEPT:
                self._lists.clear()
                self._postings = 0
            parts = [frequencies(term.part, self._at(number, field)) for number in range(len(self.segments))]
            documents = [part + np.int32(base) for (part, _), base in zip(parts, self.bases, strict=False)]
            postings = np.concatenate(documents), np.concatenate([counts for _, counts in parts])
            self._lists[field, name] = postings
            self._postings += len(postings[0])
        return postings

    def _at(self, segment: int, field: str) -> FieldPlaces:
        if (segment, field) not in self._places:
            self._places[segment, field] = FieldPlaces(self.segments[segment].field(field), len(self.segments[segment]))
        return self._places[segment, field]


def phrases_of(analysis: Analysis, texts: Sequence[str]) -> list[Phrase | None]:
    """The words of each text in their places; None where all are left out. A star after a word truncates it.

    >>> phrases_of(Analysis(), ["water in oils", "Polymer*", "the"])
    [Phrase(words=(QueryWord(term=b'water', prefix=b''), None, QueryWord(term=b'oil', prefix=b''))),
     Phrase(words=(QueryWord(term=b'polym', prefix=b'polymer'),)), None]
    """
    pieces = [text.split() for text in texts]
    words_of = _words_of(analysis, list({piece: None for each in pieces for piece in each}))
    return [_phrase([word for piece in each for word in words_of[piece]]) for each in pieces]


def _phrase(words: Sequence[QueryWord | None]) -> Phrase | None:
    """The phrase of words, without leading and trailing words that the index leaves out; None without any other."""
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
    query_words = [QueryWord(term) if term else None for term in analysis.reduced(words)]
    words_of = {}
    for piece, first, last in zip(pieces, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        words_of[piece] = within = query_words[first:last]
        if within and piece.endswith("*"):
            # Even a stop word may be the beginning of other words.
            within[-1] = QueryWord(within[-1].term if within[-1] else b"", words[last - 1])
    return words_of
