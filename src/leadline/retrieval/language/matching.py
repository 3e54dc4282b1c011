"""What matches: phrases and words near each other, wildcards, and filters by metadata as masks.

*        any letters, at the beginning, inside or at the end of a word
?  #     one letter, inside a word
$        at most one letter inside a word; any letters at its end
$2       at most two letters, at the end
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from leadline.retrieval.index.analysis import parts, variants
from leadline.retrieval.index.segment import Field
from leadline.retrieval.index.terms import Terms, kept_occurrences
from leadline.retrieval.language.tree import FROM_LETTERS, LETTER_OF
from leadline.text.fields import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_TO_LETTERS = str.maketrans(LETTER_OF)
_SIGNS = re.compile(r"[*?$#]")
MANY = 5000  # words that are compared one by one: for more their bytes are copied at once
# A wildcard has a letter or digit beside it, and ? and # have one behind them: `film?` ends a question.
_WILDCARD = re.compile(
    r"(?<=\w)[?#]+(?=\w)|(?<=\w)\$(?=\w|$)|(?<=[\w*])\*(?=\W|$)|(?<![\w*])\*+(?=\w)|(?<=\w)\*+(?=\w)"
)


def as_letters(piece: str) -> str:
    """A piece of a query with letters in place of its wildcards.

    >>> as_written(as_letters("wom?n")), as_letters("film?"), as_letters("$5")
    ('wom?n', 'film?', '$5')
    """
    if not _SIGNS.search(piece):
        return piece
    return _WILDCARD.sub(lambda found: "" if _is_price(piece, found) else found[0].translate(_TO_LETTERS), piece)


def _is_price(piece: str, found: re.Match[str]) -> bool:
    return found[0] == "$" and piece[: found.start()].isdigit()


def as_written(word: str) -> str:
    return word.translate(FROM_LETTERS)


def has_wildcard(word: str) -> bool:
    return not word.isascii() and as_written(word) != word


@lru_cache(maxsize=4096)
def expression(pattern: str) -> re.Pattern[str]:
    """The regular expression of a pattern.

    >>> [bool(expression(p).fullmatch(w)) for p, w in (("wom?n", "women"), ("colo$r", "color"), ("film$2", "filming"))]
    [True, True, False]
    """
    ending = re.search(r"\$([1-9])$", pattern)
    inside = pattern[: ending.start()] if ending else pattern
    signs = {"*": ".*", "?": ".", "#": ".", "$": ".?"}
    written = re.sub(r"\*+", "*", inside)
    if written.endswith("$") and not ending:
        written = written[:-1] + "*"
    body = "".join(signs.get(letter) or re.escape(letter) for letter in written)
    return re.compile(body + (f".{{0,{ending[1]}}}" if ending else ""), re.DOTALL)


def matching(
    pattern: str, buffer: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The numbers of the words that match a pattern; word n is buffer[starts[n]:ends[n]]."""
    return _of_candidates(pattern, _candidates(pattern, buffer, starts, ends), buffer, starts, ends)


def _of_candidates(
    pattern: str,
    places: NDArray[np.int64],
    buffer: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Those of some words that match a pattern of which they have the beginning or the longest piece."""
    if re.fullmatch(r"[^*?$#]+\*", pattern):  # the beginning decides
        return places
    matches = expression(pattern).fullmatch
    whole = buffer.tobytes() if len(places) > MANY else None
    kept = []
    for place, start, end in zip(places.tolist(), starts[places].tolist(), ends[places].tolist(), strict=True):
        word = whole[start:end] if whole is not None else buffer[start:end].tobytes()
        if matches(word.decode()):
            kept.append(place)
    return np.array(kept, np.int64)


def _candidates(
    pattern: str, buffer: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The words that begin as the pattern does, or have its longest piece without wildcards."""
    beginning = re.split(r"[*?$#]", re.sub(r"\$[1-9]$", "$", pattern))
    first = beginning[0].encode()
    places = np.flatnonzero(ends - starts >= len(first))
    if first:
        for at, byte in enumerate(first):
            places = places[buffer[starts[places] + at] == byte]
        return places
    longest = max(beginning, key=len).encode()
    if not longest or not len(starts):
        return places
    found = np.array([match.start() for match in re.finditer(re.escape(longest), buffer.tobytes())], np.int64)
    word = np.searchsorted(starts, found, "right") - 1
    inside = (word >= 0) & (found + len(longest) <= ends[word])
    return distinct(word[inside])


def matching_terms(pattern: str, terms: Terms) -> NDArray[np.int64]:
    """The numbers of the terms that match a pattern, which are sorted: those that begin as it does are neighbours."""
    first = _beginning(pattern)
    if not first:
        return matching(pattern, terms.buffer, terms.offsets[:-1], terms.offsets[1:])
    run = terms.prefixed(first)
    begin, end = terms.offsets[run.start : run.stop], terms.offsets[run.start + 1 : run.stop + 1]
    return run.start + _of_candidates(pattern, np.arange(len(run)), terms.buffer, begin, end)


def _beginning(pattern: str) -> bytes:
    """What a pattern has before its first wildcard."""
    return _SIGNS.split(re.sub(r"\$[1-9]$", "$", pattern), maxsplit=1)[0].encode()


def _at_places(piece: bytes, places: NDArray[np.int64], buffer: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Those of some places of a buffer at which a piece is."""
    places = places[places + len(piece) <= len(buffer)]
    for at, byte in enumerate(piece):
        places = places[buffer[places + at] == byte]
    return places


def is_spelled(word: str, asked: str) -> bool:
    """Whether a word is another word in one of its spellings, or a name that has it as a part.

    >>> is_spelled("café", "cafe"), is_spelled("1,4-butanediol", "butanediol"), is_spelled("films", "film")
    (True, True, False)
    """
    return word == asked or asked in variants(word) or word in variants(asked) or asked in parts(word)


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


def matching_names(pattern: str, terms: Terms) -> NDArray[np.int64]:
    """The numbers of the terms that are names with a part that matches, as `butanedi*` matches in 1,4-butanediol."""
    pieces = re.split(r"[*?$#]", re.sub(r"\$[1-9]$", "$", pattern))
    longest = re.escape((pieces[0] or max(pieces, key=len)).encode())
    if not longest:
        return np.empty(0, np.int64)
    if pieces[0]:
        if not len(terms.after_joints):
            return np.empty(0, np.int64)
        found = _at_places(pieces[0].encode(), terms.after_joints, terms.buffer)
    else:
        found = np.array([match.start() for match in re.finditer(longest, terms.buffer.tobytes())], np.int64)
    places = distinct(np.searchsorted(terms.offsets, found, "right") - 1)
    matches = expression(pattern).fullmatch
    words = ((place, terms[place].decode()) for place in places.tolist())
    # A number in a name, as 4 in 1,4-butanediol, is no word that would be truncated.
    named = (place for place, word in words if any(matches(part) and _has_letter(part) for part in parts(word)))
    return np.fromiter(named, np.int64)


# Find phrases and words near each other by the positions of an index, whole lists at a time.
#
# A place is one number: the document times 2³² plus the position, so that lists of places are sorted across documents
# and a distance never crosses from one document to the next. In the field of claims it is the number of the claim times
# 2³² plus the position, so that no distance crosses from one claim to the next. Positions are only read of documents
# that have every part.


APART = 1 << 32  # more positions than a document has
MOST_PLACES = 1 << 21  # of words of a query that are in memory at a time, about 50 bytes each
BlockKind = Literal["sentence", "paragraph"]


class Spans(NamedTuple):
    """The first and the last place of each occurrence, in the order of the first."""

    starts: Places
    ends: Places


class Chosen(NamedTuple):
    """Terms of which all occurrences are chosen, and terms of which only some forms are."""

    whole: NDArray[np.int64]
    partly: tuple[tuple[int, NDArray[np.bool_]], ...]  # the number of a term, and which of its forms


@dataclass(frozen=True)
class FieldPlaces:
    """The postings of one field of a segment, and the number of its documents."""

    field: Field
    documents: int  # of the segment
    name: str = ""

    @cached_property
    def chosen(self) -> dict[QueryWord, Chosen]:
        """The terms of words, kept because each is looked up several times."""
        return {}

    def breaks(self, kind: BlockKind) -> Places:
        """Where sentences or paragraphs begin, but the first of each document, as document times 2³² plus position."""
        breaks, starts = self.field.breaks, self.field.break_starts
        places = np.repeat(np.arange(self.documents), np.diff(starts)) * APART + (breaks >> 1)
        return places if kind == "sentence" else places[breaks & 1 > 0]

    @cached_property
    def _claims(self) -> Places | None:
        return self.breaks("paragraph") if self.name == "claims" else None

    def block_of(self, places: Places, kind: BlockKind) -> Places:
        """The number of the sentence or paragraph of each place; the places are as `located` returns them."""
        return np.searchsorted(self.breaks(kind), places, "right") + places // APART

    def separated(self, places: Places) -> Places:
        """Places with the number of the claim in place of that of the document, in the field of claims."""
        if self._claims is None:
            return places
        claim = np.searchsorted(self._claims, places, "right") + places // APART
        return claim * APART + places % APART

    def located(self, places: Places) -> Places:
        """The document times 2³² plus the position, of places that `separated` made."""
        if self._claims is None:
            return places
        first = np.arange(self.documents) + np.searchsorted(self._claims, np.arange(self.documents) * APART)
        document = np.searchsorted(first, places // APART, "right") - 1
        return document * APART + places % APART


@dataclass(frozen=True)
class QueryWord:
    """One word: a term of the index, also in other spellings; or all words that match a pattern with wildcards."""

    term: bytes
    pattern: str = ""
    others: tuple[bytes, ...] = ()  # terms in other languages and spellings, of names with the word, and of compounds
    written: bytes = b""  # the word in the query, until its terms are looked up
    exact: bytes = b""  # only occurrences that are written so

    @property
    def is_one_term(self) -> bool:
        """Whether it is a whole word in one spelling."""
        return not (self.others or self.pattern or self.exact)

    def chosen(self, at: FieldPlaces) -> Chosen:
        """The terms of a field that the word means."""
        if self not in at.chosen:
            at.chosen[self] = self._by_pattern(at) if self.pattern else self._by_spelling(at)
        return at.chosen[self]

    def _by_spelling(self, at: FieldPlaces) -> Chosen:
        numbers = at.field.terms.find([self.term, *self.others])
        numbers = distinct(numbers[numbers >= 0])
        return self._as_written(at, numbers) if self.exact else Chosen(numbers, ())

    def _as_written(self, at: FieldPlaces, numbers: NDArray[np.int64]) -> Chosen:
        """The terms, and the forms of terms, that are written as the word is."""
        asked, forms = self.exact.decode(), at.field.forms
        whole, partly = [], []
        for term in numbers.tolist():
            if not forms.counts[term]:  # it is written as the term is
                whole += [term] if is_spelled(at.field.terms[term].decode(), asked) else []
                continue
            first, last = forms.starts[term : term + 2].tolist()
            chosen = np.array([is_spelled(forms.word(form).decode(), asked) for form in range(first, last)], np.bool_)
            if chosen.all():
                whole.append(term)
            elif chosen.any():
                partly.append((term, chosen))
        return Chosen(np.array(whole, np.int64), tuple(partly))

    def _by_pattern(self, at: FieldPlaces) -> Chosen:
        forms = at.field.forms
        terms = at.field.terms
        found = np.union1d(matching_terms(self.pattern, terms), matching_names(self.pattern, terms))
        whole = [found[forms.counts[found] == 0]]  # a term without forms is written as it is
        listed = matching(self.pattern, forms.keys.buffer, *forms.words()) if len(forms.keys) else found[:0]
        owners, counts = np.unique(forms.owners[listed], return_counts=True)
        all_forms = counts == forms.counts[owners]
        whole.append(owners[all_forms])
        partly = []
        for term in owners[~all_forms].tolist():
            of_term = np.zeros(int(forms.counts[term]), np.bool_)
            run = slice(*np.searchsorted(listed, (forms.starts[term], forms.starts[term + 1])))
            of_term[listed[run] - forms.starts[term]] = True
            partly.append((term, of_term))
        return Chosen(np.sort(np.concatenate(whole)), tuple(partly))

    def postings(self, at: FieldPlaces) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The documents with the word, ascending, and how often each has it."""
        chosen, field = self.chosen(at), at.field
        if len(chosen.whole) == 1 and not chosen.partly:
            run = slice(field.starts[chosen.whole[0]], field.starts[chosen.whole[0] + 1])
            return field.documents[run], field.frequencies[run]
        runs = _runs(chosen.whole, field.starts)
        documents = [field.documents[run] for run in runs]
        frequencies = [field.frequencies[run] for run in runs]
        for term, forms in chosen.partly:
            run = slice(field.starts[term], field.starts[term + 1])
            counts, _ = kept_occurrences(self._is_chosen(at, term, forms), field.frequencies[run])
            documents.append(field.documents[run][counts > 0])
            frequencies.append(counts[counts > 0].astype(np.int32))
        if not documents:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        total = np.bincount(np.concatenate(documents), np.concatenate(frequencies), at.documents).astype(np.int64)
        found = np.flatnonzero(total)
        return found.astype(np.int32), total[found].astype(np.int32)

    def places(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Places:
        """Every place of the word, ascending, in the documents that `among` allows."""
        chosen, field = self.chosen(at), at.field
        parts = [self._places_of(at, among, run) for run in _term_runs(chosen.whole)]
        for term, forms in chosen.partly:
            run = slice(field.starts[term], field.starts[term + 1])
            documents = np.repeat(field.documents[run], field.frequencies[run])
            in_documents, positions = field.places(range(term, term + 1), among)
            kept = self._is_chosen(at, term, forms)[among[documents]]
            parts.append(in_documents[kept] * APART + positions[kept])
        together = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return at.separated(together if len(parts) == 1 and len(chosen.whole) == 1 else np.sort(together))

    def _places_of(self, at: FieldPlaces, among: NDArray[np.bool_], run: range) -> Places:
        """The places of all occurrences of successive terms."""
        documents, positions = at.field.places(run, among)
        return documents * APART + positions

    def _is_chosen(self, at: FieldPlaces, term: int, forms: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each occurrence of a term is of one of the forms."""
        return forms[at.field.form_numbers(term)]


@dataclass(frozen=True)
class Phrase:
    """Consecutive words. None is a word that the index leaves out, but that has a position."""

    words: tuple[QueryWord | None, ...]
    slop: int = 0  # how far the words may be moved in all

    @property
    def plain_term(self) -> bytes:
        """The term of the index that it is; empty where it is more than one word or one spelling."""
        word = self.words[0] if len(self.words) == 1 else None
        return word.term if word is not None and word.is_one_term else b""

    @property
    def is_one_term(self) -> bool:
        """Whether it is a single whole word, whose documents are a posting list of the index."""
        return len(self.words) == 1 and not (self.words[0] and self.words[0].pattern)

    def candidates(self, at: FieldPlaces) -> NDArray[np.bool_]:
        """The documents of the segment that have every word."""
        return reduce(np.logical_and, (_mask(unit.postings(at)[0], at) for unit in dict.fromkeys(self.words) if unit))

    def spans(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Spans:
        lists = sorted((unit.postings(at)[0] for unit in dict.fromkeys(self.words) if unit is not None), key=len)
        rows = reduce(_in_both, lists)
        rows = rows[among[rows]]
        if not len(rows):  # as of most names of a thesaurus: no place is read
            return Spans(np.empty(0, np.int64), np.empty(0, np.int64))
        among = _mask(rows, at)
        found = {unit: unit.places(at, among) for unit in dict.fromkeys(self.words) if unit is not None}
        if self.slop:
            return self._sloppy(found)
        placed = [(found[unit], place) for place, unit in enumerate(self.words) if unit is not None]
        placed.sort(key=lambda each: len(each[0]))
        starts = placed[0][0] - placed[0][1]
        for places, place in placed[1:]:
            if not len(starts):
                break
            starts = _in_both(starts + place, places) - place
        return Spans(starts, starts + (len(self.words) - 1))

    def _sloppy(self, found: dict[QueryWord, Places]) -> Spans:
        """The windows in which every word is at most `slop` beyond its place in the phrase; a place serves one word."""
        asked = [(unit, place) for place, unit in enumerate(self.words) if unit is not None]
        # The earliest word of a window is at its own place: the windows to try begin where some word does.
        begins = distinct(np.concatenate([found[unit] - place for unit, place in asked]))
        lowest, highest = np.full(len(begins), np.iinfo(np.int64).max), np.full(len(begins), -1)
        used: dict[QueryWord, Places] = {}
        fits = np.ones(len(begins), np.bool_)
        for unit, place in asked:
            places, least = found[unit], begins + place
            if unit in used:
                least = np.maximum(least, used[unit] + 1)
            next_one = np.searchsorted(places, least)
            fits &= next_one < len(places)
            taken = places[np.minimum(next_one, len(places) - 1)] if len(places) else begins
            fits &= taken <= begins + place + self.slop
            used[unit] = taken
            lowest, highest = np.minimum(lowest, taken), np.maximum(highest, taken)
        spans = np.unique(np.stack([lowest[fits], highest[fits]], axis=1), axis=0)
        return Spans(spans[:, 0], spans[:, 1])


@dataclass(frozen=True)
class AnyOf:
    """Any one of several parts."""

    parts: tuple[Positional, ...]

    def candidates(self, at: FieldPlaces) -> NDArray[np.bool_]:
        return reduce(np.logical_or, (part.candidates(at) for part in dict.fromkeys(self.parts)))

    def spans(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Spans:
        found = [part.spans(at, among) for part in dict.fromkeys(self.parts)]
        starts, ends = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.lexsort((ends, starts))
        starts, ends = starts[order], ends[order]
        fresh = np.ones(len(starts), np.bool_)  # two parts may have the same span
        fresh[1:] = (np.diff(starts) != 0) | (np.diff(ends) != 0)
        return Spans(starts[fresh], ends[fresh])


@dataclass(frozen=True)
class NearBy:
    """Parts, each at most `within` words from the one before without overlap; after it, where `ordered`."""

    parts: tuple[Positional, ...]
    within: tuple[int, ...]
    ordered: tuple[bool, ...] = ()

    def candidates(self, at: FieldPlaces) -> NDArray[np.bool_]:
        return reduce(np.logical_and, (part.candidates(at) for part in dict.fromkeys(self.parts)))

    def spans(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Spans:
        """The places of the last part at which such a chain ends."""
        among = among & self.candidates(at)
        known = {part: part.spans(at, among) for part in dict.fromkeys(self.parts)}
        chain = known[self.parts[0]]
        ordered = self.ordered or (False,) * len(self.within)
        for part, within, in_order in zip(self.parts[1:], self.within, ordered, strict=True):
            if not len(chain.starts):
                break
            chain = _spans_near(chain, known[part], within, in_order)
        return chain


@dataclass(frozen=True)
class Together:
    """Parts that are all in the same sentence or paragraph."""

    parts: tuple[Positional, ...]
    kind: BlockKind

    def candidates(self, at: FieldPlaces) -> NDArray[np.bool_]:
        return reduce(np.logical_and, (part.candidates(at) for part in dict.fromkeys(self.parts)))

    def spans(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Spans:
        """The places of the last part in such sentences or paragraphs."""
        among = among & self.candidates(at)
        common = first = np.empty(0, np.int64)
        for place, part in enumerate(self.parts):
            spans = part.spans(at, among)
            first, last = (at.block_of(at.located(places), self.kind) for places in spans)
            inside = first == last
            spans, first = Spans(spans.starts[inside], spans.ends[inside]), first[inside]
            common = np.unique(first) if place == 0 else np.intersect1d(common, first)
        kept = np.isin(first, common)
        return Spans(spans.starts[kept], spans.ends[kept])


Positional = Phrase | AnyOf | NearBy | Together


def frequencies(part: Positional, at: FieldPlaces) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The documents of a segment that have a part, ascending, and its number of occurrences in each."""
    if isinstance(part, Phrase) and len(part.words) == 1 and part.words[0] is not None:
        return part.words[0].postings(at)  # one word needs no positions
    found = []
    for among in _some_documents(part, at):
        starts = at.located(part.spans(at, among).starts)
        of_each = np.sort(starts // APART)
        having = distinct(of_each)
        found.append((having, np.diff(np.searchsorted(of_each, having), append=len(of_each))))
    documents, counts = (np.concatenate(each) for each in zip(*found, strict=True))
    return documents.astype(np.int32), counts.astype(np.int32)


def _some_documents(part: Positional, at: FieldPlaces) -> Iterator[NDArray[np.bool_]]:
    """All documents, or some at a time where words are so frequent that all their places would take much memory."""
    chosen = [unit.chosen(at) for unit in dict.fromkeys(query_words(part))]
    terms = np.concatenate([np.append(each.whole, [term for term, _ in each.partly]) for each in chosen])
    places = int(at.field.totals[terms.astype(np.int64)].sum())
    if places <= MOST_PLACES:
        yield np.ones(at.documents, np.bool_)
        return
    candidates = np.flatnonzero(part.candidates(at))
    for rows in np.array_split(candidates, -(-places // MOST_PLACES)):
        yield _mask(rows, at)


def query_words(part: Positional) -> Sequence[QueryWord]:
    if isinstance(part, Phrase):
        return [unit for unit in part.words if unit is not None]
    return [unit for each in part.parts for unit in query_words(each)]


def _term_runs(numbers: NDArray[np.int64]) -> list[range]:
    """Ascending numbers as ranges of successive ones."""
    breaks = np.flatnonzero(np.diff(numbers) != 1) + 1
    firsts = numbers[np.concatenate([[0], breaks])] if len(numbers) else numbers
    lasts = numbers[np.concatenate([breaks - 1, [len(numbers) - 1]])] if len(numbers) else numbers
    return [range(first, last + 1) for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)]


def _runs(numbers: NDArray[np.int64], starts: NDArray[np.int64]) -> list[slice]:
    """The postings of terms, as slices."""
    return [slice(starts[run.start], starts[run.stop]) for run in _term_runs(numbers)]


def _mask(documents: NDArray[np.integer[Any]], at: FieldPlaces) -> NDArray[np.bool_]:
    mask = np.zeros(at.documents, np.bool_)
    mask[documents] = True
    return mask


def _in_both(few: NDArray[Any], many: NDArray[Any]) -> NDArray[Any]:
    """The numbers that are in both ascending lists."""
    if not len(many):
        return many
    found = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return few[many[found] == few]


def _spans_near(chain: Spans, spans: Spans, within: int, ordered: bool) -> Spans:
    """The spans that begin at most `within` after the end of a span of the chain, or end at most so far before one."""
    chain_ends = np.sort(chain.ends)
    reached = np.searchsorted(chain_ends, spans.starts - within) < np.searchsorted(chain_ends, spans.starts)
    if not ordered:
        starts = np.sort(chain.starts)
        right = np.searchsorted(starts, spans.ends, "right")
        reached |= right < np.searchsorted(starts, spans.ends + within, "right")
    return Spans(spans.starts[reached], spans.ends[reached])
