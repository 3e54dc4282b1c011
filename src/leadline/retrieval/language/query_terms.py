"""Terms for the words of a query: terms of the index, and new ones for phrases, prefixes and words in one field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis, spans
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.index import Index, Lists
from leadline.retrieval.index.spellings import spelled, variants
from leadline.retrieval.index.terms import offsets_of
from leadline.retrieval.language.compounds import compounds
from leadline.retrieval.language.patterns import as_letters, as_written, has_wildcard
from leadline.retrieval.language.spans import FieldPlaces, Phrase, Positional, QueryWord, frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COMPOUNDS = 100  # words of a query whose German compounds are looked for
WORDS_KEPT = 100_000  # whose terms were looked up
POSTINGS_KEPT = 10_000_000  # of query terms, 8 bytes each, kept because a query reads each list twice


@dataclass(frozen=True)
class QueryTerm:
    """A phrase, prefix or NEAR of a query that no single term of the index covers, and the fields to search for it."""

    part: Positional
    fields: tuple[str, ...]

    @property
    def plain(self) -> bytes:
        """The term of the index that it is in its fields; empty where it is more than one word."""
        return self.part.plain_term if isinstance(self.part, Phrase) else b""


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
        self._meant: dict[QueryWord, QueryWord] = {}  # words with all terms that they mean

    def add_term(self, name: str, term: QueryTerm) -> str:
        """Add a query term, and return its name."""
        self._query_terms[name.encode("utf-8", "replace")] = term
        return name

    def are_stored(self, terms: Sequence[bytes]) -> bool:
        return self._query_terms.keys().isdisjoint(terms)

    def are_plain(self, names: Sequence[str], fields: Sequence[str]) -> bool:
        """Whether terms that are searched for in these fields are words of the documents, each in one spelling."""
        return self.are_stored([name.encode() for name in names]) and set(self.own).issuperset(fields)

    def lists(self, field: str, terms: Sequence[bytes]) -> Lists:
        asked, of_several = [], set()
        for place, term in enumerate(terms):
            query_term = self._query_terms.get(term)
            if query_term is None:
                asked.append(term)
            else:
                asked.append(query_term.plain if field in query_term.fields else b"")
                if field in query_term.fields and not query_term.plain:
                    of_several.add(place)
        plain = super().lists(field, asked)
        if not of_several:
            return plain
        parts = []
        occurrences = plain.occurrences.copy()
        for place, term in enumerate(terms):
            if place in of_several:
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
            found = self.segments[segment]
            self._places[segment, field] = FieldPlaces(found.field(field), len(found), field)
        return self._places[segment, field]

    @cached_property
    def languages(self) -> list[str]:
        """The languages of documents that were analysed by the rules of another language than that of the index."""
        given = {name.decode() for segment in self.segments for name in segment.coded("language").terms}
        return sorted(name for name in given if self.analysis.for_language(name) != self.analysis)

    def phrases(self, texts: Sequence[str]) -> list[Phrase | None]:
        """The words of each text, each with all terms of the index that it means."""
        found = phrases_of(self.analysis, texts, self.languages)
        words = {word: None for phrase in found if phrase for word in phrase.words if word and not word.pattern}
        if len(self._meant) > WORDS_KEPT:
            self._meant.clear()
        self._meant |= self._resolved([word for word in words if word not in self._meant])
        return [
            Phrase(tuple(self._meant.get(word, word) if word else None for word in phrase.words)) if phrase else None
            for phrase in found
        ]

    def _resolved(self, words: Sequence[QueryWord]) -> dict[QueryWord, QueryWord]:
        """Words with the terms of the index that have their spellings."""
        if not words:
            return {}
        asked = list(dict.fromkeys(spelling for word in words for spelling in (word.term, *word.others)))
        others = list(dict.fromkeys(spelling for word in words for spelling in word.others))
        more: dict[bytes, dict[bytes, None]] = {}
        there: set[bytes] = set()
        for segment in self.segments:
            for name in self.own:
                field = segment.field(name)
                if others:
                    places = field.terms.find(others).tolist()
                    there.update(each for each, at in zip(others, places, strict=True) if at >= 0)
                for spelling, found in spelled(field.spellings, asked).items() if len(field.spellings) else ():
                    more.setdefault(spelling, {}).update(dict.fromkeys(found))
        composed = "de" in (self.analysis.language, *self.languages) and len(words) <= MOST_COMPOUNDS
        resolved = {}
        for word in words:
            terms = dict.fromkeys(each for each in word.others if each in there)
            for spelling in (word.term, *word.others):
                terms.update(more.get(spelling, {}))
            if composed and word.written:
                terms |= dict.fromkeys(sorted(self._compounds(word.written.decode())))
            resolved[word] = QueryWord(word.term, others=tuple(each for each in terms if each != word.term))
        return resolved

    def _compounds(self, word: str) -> set[bytes]:
        fields = [segment.field(name) for segment in self.segments for name in self.own]
        return compounds(word, fields, self.analysis.for_language("de"))


def phrases_of(analysis: Analysis, texts: Sequence[str], languages: Sequence[str] = ()) -> list[Phrase | None]:
    """The words of each text in their places; None where all are left out. Wildcards make a pattern of a word.

    `languages` are those of documents that were analysed by the rules of another language.

    >>> phrases_of(Analysis(), ["water in oils", "Polymer*", "the"])
    [Phrase(words=(QueryWord(term=b'water', ...), None, QueryWord(term=b'oil', ...)), slop=0),
     Phrase(words=(QueryWord(term=b'', pattern='polymer*', ...),), slop=0), None]
    """
    pieces = [as_letters(text).split() for text in texts]
    analyses = list(dict.fromkeys([analysis, *map(analysis.for_language, languages)]))
    words_of = _words_of(analyses, list({piece: None for each in pieces for piece in each}))
    return [_phrase([word for piece in each for word in words_of[piece]]) for each in pieces]


def _phrase(words: Sequence[QueryWord | None]) -> Phrase | None:
    """The phrase of words, without leading and trailing words that the index leaves out; None without any other."""
    kept = [place for place, word in enumerate(words) if word is not None]
    return Phrase(tuple(words[kept[0] : kept[-1] + 1])) if kept else None


def _words_of(analyses: Sequence[Analysis], pieces: Sequence[str]) -> dict[str, list[QueryWord | None]]:
    """The words of each piece of text between two blanks, all pieces analysed at once."""
    words = _split(pieces, analyses[0])
    unique = list(dict.fromkeys(word for each in words for word in each))
    word_of = dict(zip(unique, _query_words(analyses, unique), strict=True))
    return {piece: [word_of[word] for word in each] for piece, each in zip(pieces, words, strict=True)}


def _split(pieces: Sequence[str], analysis: Analysis) -> list[list[bytes]]:
    """The words of each piece."""
    if all(piece.isascii() and piece.isalnum() for piece in pieces):  # quick: most pieces are one word
        return [[piece.lower().encode()] for piece in pieces]
    content, offsets = joined(pieces)
    starts, lengths, bounds = spans(content, offsets, analysis.words)
    whole = content.tobytes()
    words = [whole[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
    return [words[first:last] for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]


def _query_words(analyses: Sequence[Analysis], words: Sequence[bytes]) -> list[QueryWord | None]:
    """Each word as a term with its other spellings, in all languages; None for one that is left out."""
    terms = analyses[0].reduced(words)
    others: list[dict[bytes, None]] = [{} for _ in words]
    for analysis in analyses:
        if analysis is not analyses[0]:
            for known, term in zip(others, analysis.reduced(words), strict=True):
                known[term] = None
        odd = [place for place, word in enumerate(words) if not (word.isalnum() and word.isascii())]
        more = [(place, each) for place in odd for each in variants(words[place].decode(), analysis.language)]
        reduced = analysis.reduced([each.encode() for _, each in more])
        for (place, _), term in zip(more, reduced, strict=True):
            others[place][term] = None
    found: list[QueryWord | None] = []
    for word, term, known in zip(words, terms, others, strict=True):
        if not word.isascii() and has_wildcard(written := word.decode()):
            found.append(QueryWord(b"", as_written(written)))
        else:
            spellings = tuple(each for each in known if each and each != term)
            found.append(QueryWord(term, others=spellings, written=word) if term else None)
    return found
