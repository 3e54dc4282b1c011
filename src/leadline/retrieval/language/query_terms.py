"""Terms for the words of a query: of the index, new ones for phrases and compounds, and the nearest word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.retrieval.choices import COMMON
from leadline.retrieval.index.analysis import Analysis, joined, prepared, spans, spelled, variants
from leadline.retrieval.index.index import AnyTerm, Index, Lists, Part, Words
from leadline.retrieval.index.segment import Field
from leadline.retrieval.index.terms import TERM_END as BETWEEN
from leadline.retrieval.index.terms import offsets_of
from leadline.retrieval.index.tombstones import stored_numbers
from leadline.retrieval.joined.asking import postings as listed
from leadline.retrieval.language.matching import (
    FieldPlaces,
    Phrase,
    Positional,
    QueryWord,
    as_letters,
    as_written,
    expression,
    frequencies,
    has_wildcard,
    is_spelled,
    matching,
)
from leadline.retrieval.language.tree import FILTERS, Node, Within, WordOrPhrase, parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COMPOUNDS = 100  # words of a query whose compounds in German and Dutch are looked for
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
                documents, counts = self._documents_of(field, term)
                occurrences[place] = counts.sum()
            else:
                run = slice(plain.offsets[place], plain.offsets[place + 1])
                documents, counts = plain.documents[run], plain.frequencies[run]
            parts.append((documents, counts))
        offsets = offsets_of([len(documents) for documents, _ in parts])
        documents, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Lists(offsets, documents, counts, occurrences)

    def _documents_of(self, field: str, name: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The documents of a query term in a field, and its frequency in each."""
        term = self._query_terms[name]
        if field not in term.fields:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        postings = self._lists.get((field, name))
        if postings is None:
            if self._postings + len(self._lists) > POSTINGS_KEPT:
                self._lists.clear()
                self._postings = 0
            part = self._described(term, field)
            read = partial(self._read, term.part, field)
            postings = read() if part is None else listed(self, field, part, read)
            self._lists[field, name] = postings
            self._postings += len(postings[0])
        return postings

    def _read(self, part: Positional, field: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The documents of a part in a field, and its frequency in each, segment by segment."""
        parts = [frequencies(part, self._at(number, field)) for number in range(len(self.segments))]
        documents = [part + np.int32(base) for (part, _), base in zip(parts, self.bases, strict=False)]
        return np.concatenate(documents), np.concatenate([counts for _, counts in parts])

    def part_of(self, term: bytes, field: str) -> Part | None:
        known = self._query_terms.get(term)
        return Words((term,)) if known is None else self._described(known, field)

    def _described(self, term: QueryTerm, field: str) -> Part | None:
        """What a query term is in a field, if it is a phrase of whole words, or one word of several terms."""
        part = term.part
        if field not in term.fields or not isinstance(part, Phrase) or part.slop:
            return None
        if len(part.words) == 1:
            return Words((part.plain_term,)) if part.plain_term else self._any_term(part.words[0], field)
        if field == "claims" or not all(word is None or word.is_one_term for word in part.words):
            return None
        return Words(tuple(None if word is None else word.term for word in part.words))

    def _any_term(self, word: QueryWord | None, field: str) -> AnyTerm | None:
        """The terms that a word means; None where it means some of a term's forms."""
        if word is None:
            return None
        chosen = [word.chosen(self._at(number, field)) for number in range(len(self.segments))]
        if any(each.partly for each in chosen):
            return None
        numbers = [
            stored_numbers(segment.field(field), each.whole)
            for segment, each in zip(self.segments, chosen, strict=True)
        ]
        return AnyTerm(np.concatenate(numbers), offsets_of([len(each) for each in numbers])[1:])

    def _at(self, segment: int, field: str) -> FieldPlaces:
        if (segment, field) not in self._places:
            found = self.segments[segment]
            self._places[segment, field] = FieldPlaces(found.field(field), len(found), field)
        return self._places[segment, field]

    def worded(self, text: str, *, exact: bool) -> WordedPhrase:
        """A phrase with each of its words, also those that are not in the index."""
        words = words_in(self.analysis, text)
        found = self.phrases([word.decode() for word in words], exact=exact)
        return WordedPhrase(self.analysis, words, tuple(each.words[0] if each else None for each in found))

    @cached_property
    def languages(self) -> list[str]:
        """The languages of documents that were analysed by the rules of another language than that of the index."""
        given = {name.decode() for segment in self.segments for name in segment.coded("language").terms}
        return sorted(name for name in given if self.analysis.for_language(name) != self.analysis)

    def phrases(self, texts: Sequence[str], *, exact: bool = False) -> list[Phrase | None]:
        """The words of each text, each with all terms of the index that it means; if `exact`, only as it is written."""
        if not texts:
            return []
        found = phrases_of(self.analysis, texts, self.languages)
        words = {word: None for phrase in found if phrase for word in phrase.words if word and not word.pattern}
        if len(self._meant) > WORDS_KEPT:
            self._meant.clear()
        self._meant |= self._resolved([word for word in words if word not in self._meant])
        exact = exact and self.analysis.stemming != "none"

        def meant(word: QueryWord | None) -> QueryWord | None:
            known = self._meant.get(word, word) if word else None
            return replace(known, exact=word.written) if exact and known and word and not word.pattern else known

        return [Phrase(tuple(map(meant, phrase.words))) if phrase else None for phrase in found]

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
        composed = self._compounding if len(words) <= MOST_COMPOUNDS else {}
        resolved = {}
        for word in words:
            terms = dict.fromkeys(each for each in word.others if each in there)
            for spelling in (word.term, *word.others):
                terms.update(more.get(spelling, {}))
            if composed and word.written:
                terms |= dict.fromkeys(sorted(self._compounds(word.written.decode(), composed)))
            resolved[word] = QueryWord(word.term, others=tuple(each for each in terms if each != word.term))
        return resolved

    @cached_property
    def _compounding(self) -> dict[str, list[NDArray[np.bool_]]]:
        """For each language that writes compounds as one word, its documents in every segment, where it has any."""
        found: dict[str, list[NDArray[np.bool_]]] = {}
        for language in COMPOUNDING:
            masks = []
            for segment in self.segments:
                given = segment.coded("language")
                masks.append(given.having(np.array([*(name.decode() == language for name in given.terms), False])))
                if self.analysis.language == language:  # also that of documents that do not say
                    masks[-1] |= np.diff(given.offsets) == 0
            if any(mask.any() for mask in masks):
                found[language] = masks
        return found

    def _compounds(self, word: str, among: Mapping[str, Sequence[NDArray[np.bool_]]]) -> set[bytes]:
        """The terms of compounds with a word, in the documents of each language."""
        found: set[bytes] = set()
        for language, masks in among.items():
            fields = [
                (segment.field(name), mask)
                for segment, mask in zip(self.segments, masks, strict=True)
                for name in self.own
            ]
            found |= compounds(word, fields, self.analysis.for_language(language), language)
        return found


def words_in(analysis: Analysis, text: str) -> tuple[bytes, ...]:
    """The words of a phrase, also those that are not in the index."""
    return tuple(word for each in _split(as_letters(text).split(), analysis) for word in each)


def has_left_out(analysis: Analysis, text: str) -> bool:
    """Whether a phrase has words that are not in the index, and others.

    >>> [has_left_out(Analysis(), text) for text in ("water in oil", "thin film", "in the")]
    [True, False, False]
    """
    terms = analysis.reduced(words_in(analysis, text))
    return not all(terms) and any(terms)


@dataclass(frozen=True)
class WordedPhrase:
    """A phrase word for word; a unit of None is a word that is not in the index."""

    analysis: Analysis
    words: tuple[bytes, ...]
    units: tuple[QueryWord | None, ...]

    def is_in(self, texts: Sequence[str], language: str) -> bool:
        """Whether one of these texts has the phrase."""
        analysis = self.analysis.for_language(language)
        return any(self._is_in_words(words, analysis) for words in _split([each for each in texts if each], analysis))

    def _is_in_words(self, words: Sequence[bytes], analysis: Analysis) -> bool:
        common = next(place for place, unit in enumerate(self.units) if unit is None)
        last = len(words) - len(self.words)
        starts = (at - common for at, word in enumerate(words) if word == self.words[common])
        return any(
            0 <= start <= last
            and all(self._is_word(place, words[start + place], analysis) for place in range(len(self.words)))
            for start in starts
        )

    def _is_word(self, place: int, word: bytes, analysis: Analysis) -> bool:
        unit = self.units[place]
        if unit is None:
            return word == self.words[place]
        if unit.pattern:
            return bool(expression(unit.pattern).fullmatch(word.decode()))
        if unit.exact:
            return is_spelled(word.decode(), unit.exact.decode())
        (term,) = analysis.reduced([word])
        return term == unit.term or term in unit.others


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
    starts, lengths, bounds = spans(content, offsets, analysis.words, analysis.syllables)
    whole = content.tobytes()
    words = [whole[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
    cut = [words[first:last] for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]
    return [
        [prepared(piece)] if analysis.syllables == "pairs" and _ONE_CUT_OFF.fullmatch(piece) else _without_signs(each)
        for piece, each in zip(pieces, cut, strict=True)
    ]


_ONE_CUT_OFF = re.compile("[가-힣]" + as_letters("a*")[1])


def _without_signs(words: list[bytes]) -> list[bytes]:
    """Words without wildcards that stand alone: characters that are words find longer words without them."""
    return words if len(words) < 2 else [word for word in words if as_written(word.decode()).strip("*?$#")]


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


# Compounds of German and Dutch: words of a collection that are composed of a word and other words of the collection.
#
# A word of the collection is a compound with a word if what is before and behind that word is empty, or is made of
# words of the collection with at least three letters, perhaps with a linking s, es, n, en, er or e after each. So
# *Rahmen* is in *Fahrradrahmen* where *Fahrrad* is a word of the collection, and not in *umrahmen*. A final e may be
# lost in German: *Sprache* is in *Sprachausgabe*. All of it is found when a query asks, by all words that the index has
# then: postings and lengths are as without it, and a word and its compounds are counted together only where it is
# asked for. Only words of documents in the language are taken.


COMPOUNDING = ("de", "nl")
SHORTEST_PART = 3  # letters of each part of a compound
SHORTEST = 4  # letters of a word that may lose its e
# Beginnings and endings that make one word of another, and little words: in real texts some stand alone, where a line
# was broken.
_NO_PARTS = {
    "de": "ver ent zer emp miss hin her dar los weg ung ion gen heit keit lich isch schaft bar sam ier iert",
    "nl": """ver ont her toe mee weg aan bij uit van het een met der den des die dat als nog per tot wel zij hij wij ook
        dan dus niet voor door over onder tegen naar heid lijk baar ing ion gen iseer""",
}
_LINKS = ("", "s", "es", "n", "en", "er", "e")
_MOST_PARTS = 4


def compounds(
    word: str, fields: Sequence[tuple[Field, NDArray[np.bool_]]], analysis: Analysis, language: str = "de"
) -> set[bytes]:
    """The terms that are compounds with a word in a language.

    The words of all fields are the vocabulary; with each field are the documents whose words may be compounds.
    """
    (term,) = analysis.reduced([word.encode()])
    own = {word}
    for field, _ in fields:
        number = int(field.terms.find([term])[0]) if term else -1
        if number >= 0:
            first, last = field.forms.starts[number : number + 2].tolist()
            own |= {field.forms.word(form).decode() for form in range(first, last)}
    own = {form for form in own if len(form) >= SHORTEST_PART and form.isalpha()}
    known = dict.fromkeys((*_NO_PARTS[language].split(), *(word.decode() for word in COMMON.get(language, ()))), False)

    def is_word(part: str) -> bool:
        if part not in known:
            written = [part, f"{part}e"] if language == "de" and len(part) >= SHORTEST else [part]
            known[part] = len(part) >= SHORTEST_PART and any(
                _is_written(each, stem, field)
                for each, stem in zip(written, analysis.reduced([each.encode() for each in written]), strict=True)
                for field, _ in fields
            )
        return known[part]

    shortened = {form[:-1] for form in own if language == "de" and form.endswith("e") and len(form) > SHORTEST} - own
    found: set[bytes] = set()
    for field, among in fields:
        for buffer, starts, ends, terms in _vocabulary(field) if among.any() else ():
            for form in own | shortened:
                for place in matching(f"*{form}*", buffer, starts, ends).tolist():
                    whole, number = buffer[starts[place] : ends[place]].tobytes().decode(), int(terms[place])
                    if (
                        whole in own
                        or not whole.isalpha()
                        or not _is_compound(whole, form, is_word, inside=form in shortened)
                    ):
                        continue
                    if among[field.documents[field.starts[number] : field.starts[number + 1]]].any():
                        found.add(field.terms[number])
    return found - {term}


def _is_written(word: str, stem: bytes, field: Field) -> bool:
    """Whether a field has a word as it is written, which has this stem."""
    if len(field.forms.keys):
        return bool(stem) and bool(field.forms.keys.find([stem + BETWEEN + word.encode()])[0] >= 0)
    return bool(field.terms.find([word.encode()])[0] >= 0)


def _is_compound(whole: str, part: str, is_word: Callable[[str], bool], *, inside: bool = False) -> bool:
    """Whether a word is composed of a part and of other words; with `inside` one follows the part without a link.

    >>> words = {"fahrrad", "arbeit"}
    >>> [_is_compound(w, "rahmen", words.__contains__) for w in ("fahrradrahmen", "rahmenarbeit", "umrahmen")]
    [True, True, False]
    """
    at = whole.find(part)
    while at >= 0:
        before, behind = whole[:at], whole[at + len(part) :]
        links = [link for link in _links(part) if behind.startswith(link)] if not inside else [""] if behind else []
        if _is_made(before, is_word, _MOST_PARTS) and any(
            _is_made(behind[len(link) :], is_word, _MOST_PARTS) for link in links
        ):
            return True
        at = whole.find(part, at + 1)
    return False


def _links(part: str) -> tuple[str, ...]:
    """What may stand behind a part of a compound: Dutch doubles a consonant, as in pan, pannenkoek."""
    return (*_LINKS, f"{part[-1]}e", f"{part[-1]}en")


def _is_made(text: str, is_word: Callable[[str], bool], parts: int) -> bool:
    """Whether a text is empty or made of words with links after them."""
    if not text:
        return True
    if parts == 0:
        return False
    return any(
        is_word(text[:end])
        and any(
            text[end:].startswith(link) and _is_made(text[end + len(link) :], is_word, parts - 1)
            for link in _links(text[:end])
        )
        for end in range(SHORTEST_PART, len(text) + 1)
    )


MOST_WORDS = 100  # of a query: a longer one is a text, not a list of words
MOST_NOTES = 5
_SHORT = 5  # letters: in a word up to this long one letter may differ, in a longer one two
_PENALTY = 4.0  # of a letter that differs, against the logarithm of a word's frequency


class MissingWord(NamedTuple):
    """A word of a query that is in no document, and the nearest word that is in some; empty where none is near."""

    word: str
    near: str

    def __str__(self) -> str:
        return f"{self.word[:40]} is in no document" + (f"; did you mean {self.near}?" if self.near else "")


def missing_words(
    index: WiderIndex, tree: Node | None, known: Mapping[str, Phrase | None] | None = None
) -> list[MissingWord]:
    """The words of a query that are in no document; `known` are words and phrases whose terms were looked up."""
    words = list(dict.fromkeys(word for node in _texts(tree) for word in node.text.split())) if tree else []
    if not words or len(words) > MOST_WORDS:
        return []
    known = known or {}
    others = [word for word in words if word not in known]
    phrases = {**known, **dict(zip(others, index.phrases(others), strict=True))}
    asked: dict[str, QueryWord] = {}
    for word in words:
        phrase = phrases[word]
        meant = phrase.words[0] if phrase is not None and len(phrase.words) == 1 else None
        if meant is not None and not meant.pattern and any(map(str.isalpha, word)):
            asked[word] = meant
    there = _terms_there(index, [term for meant in asked.values() for term in (meant.term, *meant.others)])
    found: list[MissingWord] = []
    for word, meant in asked.items():
        if not there.isdisjoint((meant.term, *meant.others)):
            continue
        near = nearest_word(index, word) if sum(map(str.isalpha, word)) >= len(word) / 2 else ""
        found.append(MissingWord(word, near))
        if len(found) == MOST_NOTES:
            break
    return found


def _texts(node: Node | None) -> Iterator[WordOrPhrase]:
    """The words and phrases of a query that are searched for in texts."""
    if isinstance(node, WordOrPhrase):
        yield node
    elif node is not None and not (isinstance(node, Within) and node.field in FILTERS):
        for part in parts_of(node):
            yield from _texts(part)


def _terms_there(index: WiderIndex, terms: Sequence[bytes]) -> set[bytes]:
    """Those of the terms that are in some document."""
    there: set[bytes] = set()
    for name in index.fields:
        wanted = [term for term in terms if term not in there]
        if wanted:
            found = index.has_terms(name, wanted).tolist()
            there.update(term for term, is_there in zip(wanted, found, strict=True) if is_there)
    return there


def nearest_word(index: WiderIndex, word: str) -> str:
    """The word of the documents that differs from another in the fewest letters, frequent ones preferred; or empty."""
    asked = np.frombuffer(prepared(word), np.uint8)
    most = 1 if len(asked) <= _SHORT else 2
    if len(asked) < SHORTEST:
        return ""
    found: dict[bytes, list[float]] = {}  # each near word with its distance and the occurrences of its terms
    for name in index.own:
        near: dict[tuple[bytes, bytes], int] = {}  # words and their terms: all segments count for each
        for segment in index.segments:
            field = segment.field(name)
            for buffer, starts, ends, terms in _vocabulary(field):
                for place, distance in _near(asked, buffer, starts, ends, most):
                    near[buffer[starts[place] : ends[place]].tobytes(), field.terms[int(terms[place])]] = distance
        for (written, term), distance in near.items():
            numbers = [
                (segment.field(name), int(segment.field(name).terms.find([term])[0])) for segment in index.segments
            ]
            total = sum(int(field.totals[number]) for field, number in numbers if number >= 0)
            found.setdefault(written, [distance, 0.0])[1] += float(total)
    best = max(found.items(), key=lambda each: (np.log1p(each[1][1]) - _PENALTY * each[1][0], each[0]), default=None)
    return best[0].decode() if best else ""


def _vocabulary(
    field: Field,
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.integer]]]:
    """The words of a field as they are written: begins and ends in a buffer, and their terms."""
    forms, terms = field.forms, field.terms
    if len(forms.keys):
        yield forms.keys.buffer, *forms.words(), forms.owners
    own = np.flatnonzero(forms.counts == 0)  # terms that are written as they are
    yield terms.buffer, terms.offsets[:-1][own], terms.offsets[1:][own], own


def _near(
    asked: NDArray[np.uint8],
    buffer: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    most: int,
) -> list[tuple[int, int]]:
    """The words at most some letters away from another, with the number of letters, all words at once."""
    lengths = ends - starts
    places = np.flatnonzero(np.abs(lengths - len(asked)) <= most)
    if not len(places):
        return []
    width = len(asked) + most
    columns = np.arange(width)
    inside = columns < lengths[places, None]
    letters = np.where(inside, buffer[np.minimum(starts[places, None] + columns, len(buffer) - 1)], 0)
    # Which letters a word has, as bits: each edit changes at most two of them.
    bits = np.where(inside, np.left_shift(np.uint64(1), (letters & 63).astype(np.uint64)), np.uint64(0))
    own = np.bitwise_or.reduce(np.left_shift(np.uint64(1), (asked & 63).astype(np.uint64)))
    differing = np.bitwise_or.reduce(bits, axis=1) ^ own
    few = np.unpackbits(differing.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1) <= 2 * most
    places, letters = places[few], letters[few]
    distances = _distances(asked, letters)[np.arange(len(places)), lengths[places]]
    near = np.flatnonzero(distances <= most)
    return list(zip(places[near].tolist(), distances[near].tolist(), strict=True))


def _distances(asked: NDArray[np.uint8], letters: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The edits from a word to every beginning of each of some others; two letters exchanged are one edit."""
    count, width = letters.shape
    before = np.zeros((count, width + 1), np.int64)
    last = np.tile(np.arange(width + 1), (count, 1))
    for row, letter in enumerate(asked.tolist(), start=1):
        this = np.empty_like(last)
        this[:, 0] = row
        for column in range(1, width + 1):
            here = letters[:, column - 1]
            cost = last[:, column - 1] + (here != letter)
            this[:, column] = np.minimum(np.minimum(this[:, column - 1], last[:, column]) + 1, cost)
            if row > 1 and column > 1:
                exchanged = (here == asked[row - 2]) & (letters[:, column - 2] == letter)
                swapped = np.where(exchanged, before[:, column - 2] + 1, this[:, column])
                this[:, column] = np.minimum(this[:, column], swapped)
        before, last = last, this
    return last
