"""Search in the query language, by any model or by date: what matches, and the terms that rank it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.result import counted
from leadline.records.ties import tie_order
from leadline.retrieval.index.analysis import in_several_words
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.language.filters import DATED, count_missing, few_passing, notes_of, passing
from leadline.retrieval.language.kinds_of_text import refuse_strategy
from leadline.retrieval.language.matching import Phrase, QueryWord
from leadline.retrieval.language.meaning import Meaning
from leadline.retrieval.language.query_terms import WORDS_KEPT, MissingWord, QueryTerm, WiderIndex, missing_words
from leadline.retrieval.language.reading import understand
from leadline.retrieval.language.tree import (
    FILTERS,
    ORDERS,
    Node,
    ResultOrder,
    Understood,
    Within,
    filter_value,
    nodes_of,
    query_text,
)
from leadline.retrieval.models.ranking import EMPTY_RANKING, Ranking
from leadline.retrieval.models.searcher import Combine, Contribution, FieldsInput, Searcher

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Texts = Callable[[NDArray[np.integer[Any]], Sequence[str]], Mapping[int, tuple[str, Sequence[str]]]]


_HANGUL = re.compile("[가-힣]")
WHOLE_WORDS = (
    "this index was made in an older format, in which a Korean word is found only as a whole: `leadline index` makes "
    "one that finds it in longer words"
)


@dataclass(frozen=True)
class Answer:
    """What a query found, and how it was understood."""

    ranking: Ranking  # the first k
    found: int  # number of all documents that match
    query: str  # the query as it was understood
    order: ResultOrder
    terms: Mapping[str, float]  # the terms that rank, with their weights
    words: tuple[QueryWord, ...]  # the single words of these, to mark them in texts
    notes: tuple[str, ...]
    written: Mapping[str, str]  # terms as the query writes them
    is_empty: bool  # whether the text had no word to search for, and no filter
    missing: tuple[MissingWord, ...]  # words that are in no document
    _how: Mapping[str, Any]
    _find_matching: Callable[[], NDArray[np.bool_]]

    @property
    def fields(self) -> Mapping[str, float]:
        """The fields that are searched, with their weights."""
        return self._how["fields"]

    @cached_property
    def matching(self) -> NDArray[np.bool_]:
        """Which documents match, by row."""
        return self._find_matching()


class Language:
    """The query language over an index.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> texts = [{"id": "EP1", "title": "Polymer film"}, {"id": "EP2", "title": "Film of metal, polymerised"}]
    >>> language = Language(Index.build(texts, folder.name, fields=["title"], positions=True))
    >>> [language.search(query).found for query in ("polym* AND film", '"polymer film"', "metal NEAR/2 film", "-metal")]
    [2, 1, 1, 1]
    >>> folder.cleanup()
    """

    def __init__(
        self,
        index: Index,
        saved: Mapping[int, str] | None = None,
        searching: Callable[[Index], Searcher] = Searcher,
        texts: Texts | None = None,
    ) -> None:
        """`saved` are earlier queries, which a query may name: `#1 AND #2`; `searching` makes what ranks documents.

        `texts` reads documents by their rows: which word stands where a phrase has one that is not in the index.
        """
        self.index = WiderIndex(index)
        self.searcher = searching(self.index)
        self.texts = texts if index.unit == "document" else None
        self.saved = None if saved is None else self._trees(saved)

    def _trees(self, saved: Mapping[int, str]) -> dict[int, Node]:
        """The trees of earlier queries; one that can no longer be asked leaves the others usable."""
        trees: dict[int, Node] = {}
        for number in sorted(saved):
            try:
                tree = understand(saved[number], self.index.fields, list(trees)).tree
            except InputError:
                continue
            if tree is not None:
                trees[number] = tree
        return trees

    def search(
        self,
        text: str,
        model: str = "bm25",
        k: int = 1000,
        *,
        fields: FieldsInput = None,
        combine: Combine = "text",
        mask: NDArray[np.bool_] | None = None,
        order: ResultOrder | None = None,
        asked: Understood | None = None,
        **parameters: Any,
    ) -> Answer:
        """The first k documents that match a query; none where it has no word to search for and no filter.

        `fields` are searched for words that name no field (default: the documents' own fields); `order` applies where
        the query itself has no `sort:`; `asked` is the query as it was read in the syntax of another system.
        """
        if order is not None:
            checked_choice("order", order, ORDERS)
        if asked is None:
            if order in (None, "score") and (plain := plain_query(text, in_session=self.saved is not None)):
                how = {"model": model, "fields": fields, "combine": combine, **parameters}
                answer = self._plainly(plain, k, mask, how)
                if answer is not None:
                    return answer
            refuse_strategy(text, in_session=self.saved is not None)
        asked, weighted, meaning = self._understood(text, fields, asked)
        how = {"model": model, "fields": weighted, "combine": combine, **parameters}
        first = asked.order or order or "score"
        is_empty = is_unranked = False
        left_out: list[str] = []
        required = meaning.required_terms(asked.tree) if asked.tree is not None and first == "score" else None
        ranked = self._ranked_having_all(meaning, k, mask, how) if required else None
        if required and ranked is not None:
            ranking, found = ranked
            find_matching = partial(meaning.having, required, mask)
        elif any_of := self._terms_enough(asked.tree, meaning, required) if first == "score" else None:
            ranking, count, _ = self.searcher.search_and_count(meaning.terms, k=k, mask=mask, **how)
            find_matching = partial(meaning.having_any, any_of, mask)
            found = int(np.count_nonzero(find_matching())) if count is None else count
        else:
            matching = self._matching(asked.tree, meaning, required)
            is_empty = matching is None
            if matching is None:
                matching = np.zeros(len(self.index), np.bool_)
            elif meaning.has_undated:
                left_out = self._undated_left_out(asked.tree, meaning, matching)
            matching = matching if mask is None else matching & mask
            is_unranked = first == "score" and not meaning.terms and bool(matching.any())
            first = "newest" if is_unranked else first
            ranking = self._ranked(matching, meaning.terms, min(k, len(self.index)), first, how)
            found, find_matching = int(np.count_nonzero(matching)), partial(np.asarray, matching)
        # Where some document has every word, none is missing.
        has_all = found > 0 and required is not None and self.index.are_plain(required, meaning.fields)
        missing = [] if has_all else missing_words(self.index, asked.tree, meaning.exact_phrases | meaning.phrases)
        notes = [*asked.notes, *meaning.notes, *left_out, *map(str, missing)]
        notes += ["there is no word to search for"] if is_empty else []
        notes += [WHOLE_WORDS] if self.index.analysis.syllables == "whole" and _HANGUL.search(text) else []
        notes += ["there is no word to rank by: the newest come first"] if is_unranked else []
        return Answer(
            ranking,
            found,
            asked.query,
            first,
            meaning.terms,
            tuple(dict.fromkeys(meaning.words)),
            tuple(dict.fromkeys(notes)),
            meaning.written,
            is_empty,
            tuple(missing),
            how,
            find_matching,
        )

    # A plain query: quickly read and found, with the same answer.

    def _plainly(self, plain: PlainQuery, k: int, mask: Mask | None, how: dict[str, Any]) -> Answer | None:
        """What a plain query finds; None where it has words that are not plain in this index."""
        weighted = self._usual if how["fields"] is None else self.searcher._weighted(how["fields"])
        if weighted is None or not self._is_plain(weighted):
            return None
        asked, how = how, how | {"fields": weighted}  # the searcher knows its own fields best where none are named
        unknown = [word for word in plain.words if word not in self._terms]
        if unknown:
            self._look_up(unknown)
        terms: dict[str, float] = {}
        words: dict[QueryWord, None] = {}
        written: dict[str, str] = {}
        for unit in plain.units:
            meant = self._meant(unit)
            if meant is None:
                return None
            name, of_unit = meant
            words.update(of_unit)
            before = written.get(name)
            if before is None:
                terms[name], written[name] = 1.0, unit
            else:
                terms[name] += 1.0
                written[name] = before if unit in before.split(", ") else f"{before}, {unit}"
        notes: dict[str, None] = {}
        for name, value in plain.filters:
            if name in DATED and count_missing(self.index, name):
                return None
            notes.update(dict.fromkeys(notes_of(self.index, name, [value])))
        rows = few_passing(self.index, plain.filters) if plain.filters and mask is None and not plain.is_and else None
        if rows is None:
            for name, value in plain.filters:
                passed = passing(self.index, name, [value])
                mask = passed if mask is None else mask & passed
        usual, names = tuple(weighted), list(terms)
        count: int | None
        if plain.is_and or (len(plain.units) == 1 and not plain.filters):
            ranked = self.searcher.search_having_all(terms, k=k, mask=mask, **asked)
            if ranked is None:
                return None
            ranking, count = ranked
            if not count and not self._are_there(list(words)):
                return None
            find_matching = partial(self._matching_plainly, Meaning.having, usual, names, mask)
        else:
            ranking, count, has_every_term = self.searcher.search_and_count(terms, k=k, mask=mask, rows=rows, **asked)
            if not has_every_term and not self._are_there(list(words)):
                return None
            find_matching = partial(self._matching_plainly, Meaning.having_any, usual, names, mask, rows)
            if count is None:
                count = int(np.count_nonzero(find_matching()))
        said = plain.query, "score", terms, tuple(words), tuple(notes), written, False, (), how, find_matching
        return Answer(ranking, count, *said)  # type: ignore[arg-type]

    def _meant(self, unit: str) -> tuple[str, dict[QueryWord, None]] | None:
        """The name of the term of a unit of a plain query, and its words; None where its words are not plain."""
        if unit[0] == '"':
            if not self.index.manifest["positions"]:
                return None
            known = [self._terms.get(word) for word in unit[1:-1].split(" ")]
            words = [each[1] for each in known if each is not None]
            if len(words) < len(known):
                return None
            name = f'"{" ".join([word.term.decode() for word in words])}"'
        elif unit[-1] == "*":
            name, words = unit, [QueryWord(b"", unit)]
        else:
            found = self._terms.get(unit)
            return None if found is None else (found[0], {found[1]: None})
        self.index.add_term(name, QueryTerm(Phrase(tuple(words)), tuple(self.index.fields)))
        return name, dict.fromkeys(words)

    def _matching_plainly(
        self,
        having: Callable[[Meaning, Sequence[str], Mask | None], Mask],
        fields: tuple[str, ...],
        names: Sequence[str],
        mask: Mask | None,
        rows: NDArray[np.int32] | None = None,
    ) -> Mask:
        return having(self._meaning(fields, fields), names, self.searcher._mask(rows, mask))

    @cached_property
    def _usual(self) -> dict[str, float] | None:
        """The weights of the fields that are searched for words that name no field."""
        return self.searcher._weighted(self.index.own) if self.index.own else None

    @cached_property
    def _is_simple(self) -> bool:
        """Whether each word means one term: there are no documents in other languages, and no compounds."""
        return bool(len(self.index)) and not self.index.languages and not self.index._compounding

    @cached_property
    def _has_spellings(self) -> bool:
        """Whether a word may mean other terms, of which it is a part or a spelling."""
        return any(len(segment.field(name).spellings) for segment in self.index.segments for name in self.index.own)

    def _is_plain(self, weighted: Mapping[str, float]) -> bool:
        derived = self.index.derived
        return self._is_simple and not (derived and not set(derived).isdisjoint(weighted))

    @cached_property
    def _terms(self) -> dict[str, tuple[str, QueryWord] | None]:
        """Words with their terms; None for one that is left out or has other spellings."""
        return {}

    def _look_up(self, words: Sequence[str]) -> None:
        """Look up words of a plain query."""
        if len(self._terms) + len(words) > WORDS_KEPT:
            self._terms.clear()
            self._there.clear()
        analysis = self.index.analysis
        terms = analysis.reduced([word.encode() for word in words])
        others = self.index.phrases(words) if self._has_spellings else None
        for place, (word, term) in enumerate(zip(words, terms, strict=True)):
            meant = None if not term or in_several_words(word, analysis.language) else QueryWord(term)
            if meant is not None and others is not None:
                only = others[place]
                meant = meant if only is not None and only.words == (meant,) else None
            self._terms[word] = None if meant is None else (term.decode(), meant)

    def _are_there(self, words: Sequence[QueryWord]) -> bool:
        """Whether each word of a plain query is in some document; those that are, are remembered."""
        unknown = [word.term for word in words if word.term and word.term not in self._there]
        if unknown:
            found = np.logical_or.reduce([self.index.has_terms(name, unknown) for name in self.index.own])
            self._there.update(term for term, is_there in zip(unknown, found.tolist(), strict=True) if is_there)
            return bool(found.all())
        return True

    @cached_property
    def _there(self) -> set[bytes]:
        return set()

    def _terms_enough(self, tree: Node | None, meaning: Meaning, required: list[str] | None) -> list[str] | None:
        """The terms that rank, where each of them is enough for a document to match; else None."""
        if tree is None or required is not None or meaning.fields != meaning.scored or not len(self.index):
            return None
        return meaning.enough_terms(tree)

    def _ranked_having_all(
        self, meaning: Meaning, k: int, mask: NDArray[np.bool_] | None, how: Mapping[str, Any]
    ) -> tuple[Ranking, int] | None:
        """The k best documents for words joined by AND, and the number of all; None where the lists do not say."""
        if meaning.fields != meaning.scored or not len(self.index):
            return None
        return self.searcher.search_having_all(meaning.terms, k=k, mask=mask, **how)

    def _matching(self, tree: Node | None, meaning: Meaning, required: list[str] | None) -> NDArray[np.bool_] | None:
        """The documents that match; None where there is no word to search for and no filter."""
        if required is not None:
            return meaning.having(required) if required else None
        return meaning.matching(tree) if tree is not None else None

    def _undated_left_out(self, tree: Node | None, meaning: Meaning, matching: NDArray[np.bool_]) -> list[str]:
        """A note on the documents that a filter by date leaves out because they have no date."""
        undated = Meaning(self.index, meaning.fields, meaning.scored, saved=self.saved or {}, undated_pass=True)
        would_match = undated.matching(tree) if tree is not None else None
        left_out = int(np.count_nonzero(would_match & ~matching)) if would_match is not None else 0
        return [f"{counted(left_out, 'document')} without a date left out"] if left_out else []

    def count(self, text: str) -> int:
        """The number of documents that match a query, which are not ranked."""
        asked, _, meaning = self._understood(text, None)
        matching = meaning.matching(asked.tree) if asked.tree is not None else None
        return 0 if matching is None else int(np.count_nonzero(matching))

    def _understood(
        self, text: str, fields: FieldsInput, asked: Understood | None = None
    ) -> tuple[Understood, dict[str, float], Meaning]:
        """How a query is read, the weights of the fields that it is searched in, and what finds its documents."""
        asked = asked or understand(text, self.index.fields, None if self.saved is None else list(self.saved))
        weighted = self.searcher._weighted(self.index.own if fields is None else fields)
        usual = tuple(weighted)
        if asked.tree is not None:
            named = _fields_in(asked.tree).union(*map(_fields_in, (self.saved or {}).values()))
            weighted |= dict.fromkeys(sorted(named - weighted.keys()), 1.0)
        return asked, weighted, self._meaning(usual, tuple(weighted))

    def _meaning(self, fields: tuple[str, ...], scored: tuple[str, ...]) -> Meaning:
        return Meaning(self.index, fields, scored, saved=self.saved or {}, texts=self.texts)

    def documents_of(self, tree: Node, found: Mapping[int, Mask | None]) -> tuple[Mask | None, list[str]]:
        """The documents that a tree matches, and notes; `found` is what the earlier queries that it names found."""
        fields = tuple(dict.fromkeys((*self.index.own, *sorted(_fields_in(tree)))))
        meaning = self._meaning(tuple(self.index.own), fields)
        meaning.found.update(found)
        matching = meaning.matching(tree)
        missing = [] if matching is None or matching.any() else missing_words(self.index, tree)
        return matching, list(dict.fromkeys([*meaning.notes, *map(str, missing)]))

    def ranked(self, tree: Node, matching: Mask, order: ResultOrder, model: str, **parameters: Any) -> Ranking:
        """The documents of a mask in the order of a model for the words of a tree, or by date."""
        fields = dict.fromkeys((*self.index.own, *sorted(_fields_in(tree))), 1.0)
        meaning = self._meaning(tuple(self.index.own), tuple(fields))
        meaning.matching(tree)
        how = {"model": model, "fields": fields, "combine": "text", **parameters}
        return self._ranked(matching, meaning.terms, len(self.index), order, how)

    def why(self, answer: Answer, document: str | int) -> list[Contribution]:
        """What each word or phrase of the query adds to the score of a document."""
        return self.searcher.why(answer.terms, document, **answer._how) if answer.terms else []

    def _ranked(
        self,
        matching: NDArray[np.bool_],
        terms: Mapping[str, float],
        k: int,
        order: ResultOrder,
        how: Mapping[str, Any],
    ) -> Ranking:
        if order == "score":
            ranked = terms and matching.any()
            best = self.searcher.search(terms, k=k, mask=matching, **how) if ranked else EMPTY_RANKING
            return self.completed(best, matching, k)
        matched = np.flatnonzero(matching)
        days = self._public_days()[matched].astype(np.int64)
        # A document without a date comes last in both orders: its day is the lowest number.
        rows = self._first(matched, days if order == "newest" else np.where(days == MISSING, days, -days), k)
        scores = np.zeros(len(self.index))
        if terms and len(rows):
            only = np.zeros(len(self.index), np.bool_)
            only[rows] = True
            scored = self.searcher.search(terms, k=len(rows), mask=only, **how)
            scores[scored.rows] = scored.scores
        return Ranking(rows, scores[rows])

    def completed(self, best: Ranking, matching: NDArray[np.bool_], k: int) -> Ranking:
        """Add the documents that match without any ranking word, as some of `film OR NOT metal` do, at the end."""
        if len(best) == k or len(best) == np.count_nonzero(matching):
            return best
        others = matching.copy()
        others[best.rows] = False
        unranked = np.flatnonzero(others)
        rows = self._first(unranked, np.zeros(len(unranked)), k - len(best))
        lowest = min(0.0, float(best.scores[-1])) if len(best) else 0.0
        return Ranking(np.concatenate([best.rows, rows]), np.concatenate([best.scores, np.full(len(rows), lowest)]))

    def _first(self, rows: NDArray[np.integer], keys: NDArray[Any], k: int) -> NDArray[np.int32]:
        """The k rows with the highest keys; equal keys in the order of ties."""
        return rows[tie_order(keys, self.index.ranks[rows])[:k]].astype(np.int32)

    def _public_days(self) -> NDArray[np.int32]:
        from leadline.collections.documents.families import public_days

        return public_days(self.index.column("publication"), self.index.column("known"))


# Plain queries: words, truncated words and phrases in small letters, joined by AND or by nothing, and filters.
#
# They are most of what is typed, and reading them as all others are takes several times as long as finding them.


class PlainQuery(NamedTuple):
    """A query that was read quickly."""

    units: list[str]  # words, phrases in quotes, and truncated words, as they are written
    words: list[str]  # of all units but truncated words
    is_and: bool  # whether a document needs all units
    filters: list[tuple[str, str]]
    query: str  # as it was understood


LONGEST_PLAIN = 2000  # characters
_WORD = "[a-z0-9]+"
_PLAIN = re.compile(
    rf'(?:{_WORD}|[a-z]+\*|"{_WORD}(?: {_WORD})+")(?: (?:AND )?(?:{_WORD}|[a-z]+\*|"{_WORD}(?: {_WORD})+"))*'
    r"((?: (?:AND )?(?:class|ipc|cpc|office|published|before|after):[A-Za-z0-9.-]+(?:/[0-9]+)?)*)"
)
_UNIT = re.compile(r'"[^"]*"|[^ "]+')
# Words that are operators, or are noted because they may be meant as operators or as earlier queries.
_NO_PLAIN_WORDS = frozenset({"and", "or", "not", "near", "adj", "same"})
_NO_PLAIN_WORD = re.compile("[sl][0-9]+|(?:o?near|pre|adj|within)[0-9]+")


def plain_query(text: str, *, in_session: bool) -> PlainQuery | None:
    """A plain query; None where it is another, or is in a session, in which words may name earlier queries.

    >>> plain_query("film AND polym*", in_session=False)
    PlainQuery(units=['film', 'polym*'], words=['film'], is_and=True, filters=[], query='film AND polym*')
    >>> plain_query("film -metal", in_session=False), plain_query("salt and pepper", in_session=False)
    (None, None)
    """
    match = None if in_session or len(text) > LONGEST_PLAIN else _PLAIN.fullmatch(text)
    if match is None:
        return None
    content = text[: match.start(1)] if match[1] else text
    units = _UNIT.findall(content) if '"' in content else content.split(" ")
    joined = units.count("AND")
    if joined:
        if joined != len(units) // 2 or len(units) % 2 == 0:
            return None
        units = units[::2]
    is_and, filters = joined > 0, []
    if match[1]:
        behind = match[1].split()
        joined = behind.count("AND")
        if joined and (joined != len(behind) // 2 or (len(units) > 1 and not is_and)):
            return None
        if not joined and is_and:
            return None
        for each in behind:
            if each != "AND":
                found = _filter_of(each)
                if found is None:
                    return None
                filters.append(found)
        if sum(name in DATED for name, _ in filters) > 1 or len(set(filters)) < len(filters):
            return None
        is_and = joined > 0
    words: list[str] = []
    for unit in units:
        if unit[0] == '"':
            words += unit[1:-1].split(" ")
        elif unit[-1] != "*":
            if unit in _NO_PLAIN_WORDS or (not unit.isalpha() and _NO_PLAIN_WORD.fullmatch(unit)):
                return None
            words.append(unit)
    joint = " AND " if is_and else " "
    return PlainQuery(
        units, words, is_and, filters, joint.join([*units, *(f"{name}:{value}" for name, value in filters)])
    )


# Filters of which there is nothing to say, and which mean what is written: a subclass or a group, and years.
_PLAIN_CLASS = re.compile("(class|ipc|cpc):([A-H][0-9]{2}[A-Z](?:[1-9][0-9]{0,3}/[0-9]{2,6})?)")
_PLAIN_YEARS = re.compile(r"(published|filed|priority):((?:19|20)[0-9]{2})\.\.((?:19|20)[0-9]{2})")


@lru_cache(maxsize=4096)
def _filter_of(written: str) -> tuple[str, str] | None:
    """The filter that a word with a colon is; None where there is something to say about it."""
    if match := _PLAIN_CLASS.fullmatch(written):
        return match[1], match[2]
    if (match := _PLAIN_YEARS.fullmatch(written)) and match[2] <= match[3]:
        return match[1], f"{match[2]}..{match[3]}"
    return _read_filter(written)


def _read_filter(written: str) -> tuple[str, str] | None:
    """The same for any filter, read as all queries are."""
    found = understand(written, [])
    node = found.tree
    is_plain = isinstance(node, Within) and not found.notes and query_text(node) == f"{node.field}:{filter_value(node)}"
    return (node.field, filter_value(node)) if is_plain else None  # type: ignore[union-attr, arg-type]


def _fields_in(node: Node) -> set[str]:
    """The fields of documents that a query names."""
    named = (each.fields for each in nodes_of(node) if isinstance(each, Within) and each.field not in FILTERS)
    return {name for names in named for name in names}
