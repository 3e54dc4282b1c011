"""Search in the query language, by any model or by date: what matches, and the terms that rank it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.result import counted
from leadline.retrieval.index import derived
from leadline.retrieval.index.analysis import in_several_words, prepared
from leadline.retrieval.index.index import Index, rows_with_all
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.language.headings import names_of, possible
from leadline.retrieval.language.kinds_of_text import refuse_strategy
from leadline.retrieval.language.matching import (
    DATED,
    AnyOf,
    BlockKind,
    NearBy,
    Phrase,
    Positional,
    QueryWord,
    Together,
    as_letters,
    missing,
    notes_of,
    passing,
    query_words,
)
from leadline.retrieval.language.query_terms import MissingWord, QueryTerm, WiderIndex, has_left_out, missing_words
from leadline.retrieval.language.reading import understand
from leadline.retrieval.language.tree import (
    FILTERS,
    ORDERS,
    And,
    Boosted,
    Heading,
    Near,
    Node,
    Or,
    ResultOrder,
    Same,
    Saved,
    Side,
    Understood,
    Within,
    WordOrPhrase,
    filter_value,
    is_filter,
    nodes_of,
    parts_of,
    query_text,
    ranking_numbers,
)
from leadline.retrieval.models.searcher import EMPTY_RANKING, Combine, Contribution, FieldsInput, Ranking, Searcher

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
        from leadline.records.runs import tie_order

        return rows[tie_order(keys, self.index.ranks[rows])[:k]].astype(np.int32)

    def _public_days(self) -> NDArray[np.int32]:
        from leadline.collections.documents.families import public_days

        return public_days(self.index.column("publication"), self.index.column("known"))


def _fields_in(node: Node) -> set[str]:
    """The fields of documents that a query names."""
    named = (each.fields for each in nodes_of(node) if isinstance(each, Within) and each.field not in FILTERS)
    return {name for names in named for name in names}


# Parts of a query as text: in the terms of the index, and as the query writes them.


def part_name(part: Positional) -> str:
    """A part as a query would write it, in the terms of the index."""
    if isinstance(part, Phrase):
        words = [_word(unit) if unit is not None else "_" for unit in part.words]
        slop = f"~{part.slop}" if part.slop else ""
        return words[0] if len(words) == 1 else f'"{" ".join(words)}"{slop}'
    if isinstance(part, AnyOf):
        return f"({' OR '.join(map(part_name, part.parts))})"
    if isinstance(part, Together):
        return f"({f' SAME {part.kind.upper()} '.join(map(part_name, part.parts))})"
    names = map(part_name, part.parts)
    ordered = part.ordered or (False,) * len(part.within)
    return next(names) + "".join(
        f" {'PRE' if in_order else 'NEAR'}/{within} {name}"
        for within, in_order, name in zip(part.within, ordered, names, strict=True)
    )


def _word(unit: QueryWord) -> str:
    return unit.pattern or (f"={unit.exact.decode()}" if unit.exact else unit.term.decode())


def as_typed(name: str, node: Node, fields: Sequence[str], known: str = "") -> str:
    """A part as the query writes it, with the fields that its name has; added to other words of the same term.

    >>> from leadline.retrieval.language.tree import WordOrPhrase
    >>> as_typed("title:film", WordOrPhrase("Films"), ["title"]), as_typed("film", WordOrPhrase("film"), [], "Films")
    ('title:Films', 'Films, film')
    """
    prefix = f"{','.join(fields)}:"
    shown = (prefix if name.startswith(prefix) else "") + query_text(node)
    return f"{known}, {shown}" if known and shown not in known.split(", ") else known or shown


# Evaluate a query: the documents that match it, and the terms that rank them.


MOST_PLACED = 10_000  # words of one query in phrases, beside NEAR and truncated: the positions of each are read
MOST_NOTES = 50
MOST_READ = 20_000  # documents whose texts are read for the common words of a phrase
AT_ONCE = 200  # words whose documents are looked up together


@dataclass
class Meaning:
    """Evaluates a query on an index. A part whose words are all stop words is ignored.

    `terms` are the terms that rank, with their weights: those of all parts that are not excluded.
    """

    index: WiderIndex
    fields: tuple[str, ...]  # searched for words that name no field
    scored: tuple[str, ...]  # these fields, and those that the query names
    terms: dict[str, float] = field(default_factory=dict)
    words: list[QueryWord] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)  # each once, in order
    written: dict[str, str] = field(default_factory=dict)  # the terms as the query writes them
    saved: Mapping[int, Node] = field(default_factory=dict)  # earlier queries, by their numbers
    undated_pass: bool = False  # whether documents without a date pass filters by date
    has_undated: bool = False  # whether there are such documents, and filters by date
    phrases: dict[str, Phrase | None] = field(default_factory=dict)  # by the text of a word or phrase
    exact_phrases: dict[str, Phrase | None] = field(default_factory=dict)  # of words without their other forms
    found: dict[int, Mask | None] = field(default_factory=dict)  # what earlier queries found
    texts: Texts | None = None  # reads documents by their rows

    def matching(self, node: Node) -> Mask | None:
        """The documents that match; None where the query has no word to search for and no filter."""
        self._prepare(node)
        return self._matching(node, self.fields, 1.0, quiet=True)

    def required_terms(self, node: Node) -> list[str] | None:
        """The terms that a document needs to match, where the query is nothing but words joined by AND; else None."""
        parts = node.parts if isinstance(node, And) else (node,)
        words = [part for part in parts if isinstance(part, WordOrPhrase)]
        if len(words) < len(parts):
            return None
        self._prepare(node)
        if any(map(self._has_left_out_words, words)):
            return None
        names: list[str] = []
        for word, count in Counter(words).items():
            names += self._words(word, self.fields, float(count), quiet=len(parts) == 1) or ()
        return names

    def having(self, names: Sequence[str], among: Mask | None = None) -> Mask:
        """The documents that have all terms, among those of a mask."""
        found = self._having_all(names, self.fields)
        return found if among is None else found & among

    def _prepare(self, node: Node) -> None:
        """Look up the words of a query, and find what the earlier queries that it names found."""
        nodes = list(nodes_of(node))
        named: set[int] = set()
        for each in nodes:  # the list grows: earlier queries may name earlier ones
            if isinstance(each, Saved) and each.number not in named and each.number not in self.found:
                named.add(each.number)
                nodes += nodes_of(self.saved[each.number])
        for exact in (False, True):
            texts = list({each.text: None for each in nodes if isinstance(each, WordOrPhrase) and each.exact == exact})
            if not exact:
                texts += [each.name for each in nodes if isinstance(each, Heading)]  # in case no thesaurus has it
            known = self.exact_phrases if exact else self.phrases
            known.update(zip(texts, self.index.phrases(texts, exact=exact), strict=True))
        self._check_size(nodes)
        ranking = set(ranking_numbers(node)) if named else set()
        for number in sorted(named, reverse=True):
            ranking.update(ranking_numbers(self.saved[number]) if number in ranking else ())
        for number in sorted(named):  # a query names only earlier ones
            weight = float(number in ranking)
            self.found[number] = self._matching(self.saved[number], self.fields, weight, quiet=True)

    def _check_size(self, nodes: Iterable[Node]) -> None:
        """Raise InputError for a query with so many words in phrases and beside NEAR that it would take minutes."""
        asked = (*self.phrases.values(), *self.exact_phrases.values())
        placed = sum(len(phrase.words) for phrase in asked if phrase and not phrase.is_one_term)
        placed += sum(len(each.parts) for each in nodes if isinstance(each, (Near, Same)))
        if placed > MOST_PLACED:
            problem = f"has {placed:,} words in phrases, beside NEAR or cut off by *"
            raise InputError("query", f"{problem}; at most {MOST_PLACED:,} are searched for: split it into several")

    def _matching(self, node: Node, fields: Sequence[str], weight: float, *, quiet: bool = False) -> Mask | None:
        """The documents that match a part; `weight` is that of its words in the ranking, 0 if they are excluded."""
        if isinstance(node, WordOrPhrase):
            names = self._words(node, fields, weight, quiet)
            if names is None:
                return None
            found = self._having_all(names, fields)
            return self._with_left_out_words(node, fields, found) if self._has_left_out_words(node) else found
        return _MEANINGS[type(node)](self, node, fields, weight)

    # Words, phrases, words near each other

    def _has_left_out_words(self, node: WordOrPhrase) -> bool:
        """Whether a phrase has words that are not in the index, so that the texts are read to find them."""
        if self.texts is None or " " not in node.text or node.slop or not self.index.manifest["positions"]:
            return False
        phrase = (self.exact_phrases if node.exact else self.phrases).get(node.text)
        return phrase is not None and len(phrase.words) > 0 and has_left_out(self.index.analysis, node.text)

    def _with_left_out_words(self, node: WordOrPhrase, fields: Sequence[str], found: Mask) -> Mask:
        """The documents of a mask that have the phrase word for word: "water in oil" is not "water and oil"."""
        rows = np.flatnonzero(found)
        if len(rows) > MOST_READ:
            self._note(
                f"{query_text(node)[:60]}: any word may stand where it has a common one: {len(rows):,} documents"
            )
            return found
        phrase = self.index.worded(node.text, exact=node.exact)
        assert self.texts is not None
        kept = found.copy()
        for row, (language, texts) in self.texts(rows, [name for name in fields if name in self.index.own]).items():
            kept[row] = phrase.is_in(texts, language)
        return kept

    def _words(self, node: WordOrPhrase, fields: Sequence[str], weight: float, quiet: bool) -> list[str] | None:
        """The terms that a document must have to match a word or phrase; None where it is left out."""
        names = self._names(node, fields, weight, quiet)
        if names is not None and len(names) == 1:
            self.written[names[0]] = as_typed(names[0], node, fields, self.written.get(names[0], ""))
        return names

    def _names(self, node: WordOrPhrase, fields: Sequence[str], weight: float, quiet: bool) -> list[str] | None:
        if self.index.derived and set(fields) <= set(self.index.derived) and as_letters(node.text) == node.text:
            return self._derived(node, fields, weight)
        phrase = self._phrase(node, quiet)
        if phrase is None:
            return None
        if len(phrase.words) == 1 and (separate := self._in_several_words(node, phrase)) is not None:
            return [self._term(AnyOf((phrase, separate)), fields, weight)]
        if len(phrase.words) == 1 or self.index.manifest["positions"]:
            return [self._term(phrase, fields, weight)]
        self._lacks_positions(query_text(node))
        return [self._term(Phrase((unit,)), fields, weight) for unit in dict.fromkeys(query_words(phrase))]

    def _derived(self, node: WordOrPhrase, fields: Sequence[str], weight: float) -> list[str] | None:
        """The terms of a word or phrase in derived fields; None where there are none."""
        analysis = self.index.analysis
        terms = dict.fromkeys(term for name in fields for term in derived.terms(name, [node.text], analysis))
        if not terms:
            self._note(f"{node.text[:40]} is left out: it has no term in {' and '.join(fields)}")
            return None
        return [self._term(Phrase((QueryWord(term.encode()),)), fields, weight) for term in terms]

    def _phrase(self, node: WordOrPhrase, quiet: bool = False) -> Phrase | None:
        phrase = (self.exact_phrases if node.exact else self.phrases)[node.text]
        if phrase is None and not quiet:
            self._note(f"{node.text[:40]} is left out: too common to be in the index")
        return replace(phrase, slop=node.slop) if phrase and node.slop and len(phrase.words) > 1 else phrase

    def _in_several_words(self, node: WordOrPhrase, phrase: Phrase) -> Phrase | None:
        """The phrase as which documents may write a number or a name: 1 000 for 1000, COVID 19 for COVID-19."""
        if len(phrase.words) > 1 or not self.index.manifest["positions"] or phrase.words[0].pattern:  # type: ignore[union-attr]
            return None
        separate = in_several_words(prepared(node.text).decode(), self.index.analysis.language)
        (found,) = self.index.phrases([separate]) if separate else [None]
        if found is None or None in found.words:
            return None
        terms = [word.term for word in query_words(found)]
        if not any(self.index.has_terms(name, terms).all() for name in self.index.own):
            return None
        return Phrase(tuple(QueryWord(term) for term in terms))  # these words only, not names that have them as parts

    def _term(self, part: Positional, fields: Sequence[str], weight: float, name: str = "") -> str:
        """The name of a part's term; unless the part is excluded, the term is added to those that rank."""
        if weight:
            self.words += query_words(part)
        name = name or part_name(part)
        everywhere = fields == self.scored or set(fields) == set(self.scored)
        if not (everywhere and isinstance(part, Phrase) and part.plain_term):
            name = name if everywhere else f"{','.join(fields)}:{name}"
            self.index.add_term(name, QueryTerm(part, tuple(self.index.fields) if everywhere else tuple(fields)))
        if weight:
            self.terms[name] = self.terms.get(name, 0.0) + weight
        return name

    def _having_any(self, names: Sequence[str], fields: Sequence[str]) -> Mask:
        mask = np.zeros(len(self.index), np.bool_)
        for first in range(0, len(names), AT_ONCE):
            terms = [name.encode() for name in names[first : first + AT_ONCE]]
            for each in fields:
                mask[self.index.lists(each, terms).documents] = True
        return mask

    def _having_all(self, names: Sequence[str], fields: Sequence[str]) -> Mask:
        terms = [name.encode() for name in names]
        if len(fields) == 1 and self.index.are_stored(terms):
            mask = np.zeros(len(self.index), np.bool_)
            mask[rows_with_all(self.index, fields[0], terms)] = True
            return mask
        return reduce(np.logical_and, [self._having_any([name], fields) for name in names])

    def _near(self, node: Near | Same, fields: Sequence[str], weight: float) -> Mask | None:
        if not self.index.manifest["positions"]:
            self._lacks_positions(query_text(node))
            return self._and(And(node.parts), fields, weight)
        near = self._positional(node)
        if near is None:
            name = "NEAR" if isinstance(node, Near) else "SAME"
            self._note(f"{name} joins words, phrases and choices of them in one field: elsewhere it was taken as AND")
            return self._and(And(node.parts), fields, weight)
        part, named = near
        within = named or fields
        if named:
            self._check_words(named)
        if part is None:
            return None
        name = self._term(part, within, weight)
        self.written[name] = as_typed(name, node, within)
        return self._having_any([name], within)

    def _positional(self, node: Node) -> tuple[Positional | None, tuple[str, ...]] | None:
        """A part that has places in a text, and the field it names; None for a part without places."""
        if isinstance(node, WordOrPhrase):
            phrase = self._phrase(node)
            separate = self._in_several_words(node, phrase) if phrase else None
            return (phrase if phrase is None or separate is None else AnyOf((phrase, separate))), ()
        if isinstance(node, Heading):
            names = self._names_of(node)
            if names is None:
                return self._positional(WordOrPhrase(node.name, quoted=True))
            return (AnyOf(tuple(names)) if names else None), ()
        if isinstance(node, Within) and node.field not in FILTERS:
            inside = self._positional(node.part)
            return inside and (inside[0], inside[1] or node.fields)
        if isinstance(node, Boosted):  # a weight within NEAR is ignored
            return self._positional(node.part)
        if isinstance(node, (And, Saved)) or (isinstance(node, Side) and any(mark for mark, _ in node.parts)):
            return None
        found = [self._positional(part) for part in parts_of(node)]
        fields = {each[1] for each in found if each is not None and each[1]}
        if isinstance(node, Same) and node.unit == "claim":
            fields.add(("claims",))
            if "claims" not in self.index.fields:
                self._note("SAME CLAIM needs an index with the field claims: taken as AND")
                return None
        if None in found or len(fields) > 1 or (fields and not isinstance(node, (Near, Same))):
            return None
        field = fields.pop() if fields else ()
        if isinstance(node, Same):
            together = tuple(each[0] for each in found if each and each[0])
            kind: BlockKind = "sentence" if node.unit == "sentence" else "paragraph"
            return (Together(together, kind) if len(together) > 1 else together[0] if together else None), field
        if isinstance(node, Near):
            return self._chain(node, [each[0] for each in found if each]), field
        parts = tuple(each[0] for each in found if each and each[0])
        return (AnyOf(parts) if len(parts) > 1 else parts[0] if parts else None), field

    def _chain(self, node: Near, parts: Sequence[Positional | None]) -> Positional | None:
        links = zip(parts, (0, *node.within), (False, *node.is_ordered), strict=True)
        kept = [(part, within, ordered) for part, within, ordered in links if part is not None]
        if len(kept) < 2:
            return kept[0][0] if kept else None
        chained, within, ordered = zip(*kept, strict=True)
        return NearBy(chained, within[1:], ordered[1:] if any(ordered) else ())

    def _lacks_positions(self, part: str) -> None:
        self._note(
            f"{part[:60]} was taken as all of its words: the index keeps no positions; "
            "`leadline index --positions` makes one that does"
        )

    # Headings of the thesaurus

    def _heading(self, node: Heading, fields: Sequence[str], weight: float) -> Mask | None:
        """The documents that have a name of a heading, or of a narrower one, in their texts."""
        phrases = self._names_of(node)
        if phrases is None:
            return self._matching(WordOrPhrase(node.name, quoted=" " in node.name), fields, weight)
        if not phrases:
            return np.zeros(len(self.index), np.bool_)
        if not self.index.manifest["positions"] and any(len(phrase.words) > 1 for phrase in phrases):
            self._lacks_positions(f"each name of {query_text(node)}")
            names = [[self._term(Phrase((unit,)), fields, weight) for unit in query_words(each)] for each in phrases]
            return np.logical_or.reduce([self._having_all(list(dict.fromkeys(each)), fields) for each in names])
        part = AnyOf(tuple(phrases)) if len(phrases) > 1 else phrases[0]
        name = self._term(part, fields, weight, query_text(node))
        self.written[name] = as_typed(name, node, fields)
        return self._having_any([name], fields)

    def _names_of(self, node: Heading) -> list[Phrase] | None:
        """The names of a heading that may be in some document, as phrases; None where there is no such heading."""
        names, notes = names_of(self.index, node)
        for note in notes:
            self._note(note)
        return None if names is None else possible(self.index, names)

    # Parts together

    def _and(self, node: And, fields: Sequence[str], weight: float) -> Mask | None:
        names: list[str] = []
        found: list[Mask | None] = []
        for part, count in Counter(node.parts).items():
            if isinstance(part, WordOrPhrase) and not self._has_left_out_words(part):  # words are looked up together
                names += self._words(part, fields, weight * count, quiet=False) or ()
            else:
                found.append(self._matching(part, fields, weight * count))
        if names:
            found.append(self._having_all(names, fields))
        return _together(np.logical_and, found)

    def _or(self, node: Or, fields: Sequence[str], weight: float) -> Mask | None:
        alternatives = _Alternatives(self, fields)
        for part, count in Counter(node.parts).items():
            alternatives.add(part, weight * count)
        return alternatives.mask()

    def _side(self, node: Side, fields: Sequence[str], weight: float) -> Mask | None:
        """Required parts and filters hold, excluded ones do not; where no word is required, at least one is there."""
        words, excluded = _Alternatives(self, fields), _Alternatives(self, fields)
        required: Mask | None = None
        has_required = False
        for (mark, part), count in Counter(node.parts).items():
            if mark == "-":
                excluded.add(part, 0.0)
            elif mark == "+" or is_filter(part):
                found = self._matching(part, fields, weight * count, quiet=not mark)
                has_required |= found is not None and not is_filter(part)
                required = _together(np.logical_and, (required, found))
            else:
                words.add(part, weight * count, quiet=True)
        without = excluded.mask()
        asked = None if has_required else words.mask()
        return _together(np.logical_and, (required, asked, None if without is None else ~without))

    def _within(self, node: Within, fields: Sequence[str], weight: float) -> Mask | None:
        if node.field in FILTERS:
            return self._filtered(node.field, [filter_value(node)])
        self._check_words(node.fields)
        return self._matching(node.part, node.fields, weight)

    def _filtered(self, name: str, values: Sequence[str]) -> Mask:
        """The documents that a filter lets pass."""
        for note in notes_of(self.index, name, values):
            self._note(note)
        mask = passing(self.index, name, values)
        if name in DATED:
            undated = missing(self.index, name)
            self.has_undated |= bool(undated.any())
            if self.undated_pass:
                return mask | undated
        return mask

    def _check_words(self, names: Sequence[str]) -> None:
        if not any(len(segment.field(name).documents) for segment in self.index.segments for name in names):
            self._note(f"{','.join(names)}: finds nothing: no document of this index has {' or '.join(names)}")

    def _earlier(self, node: Saved, fields: Sequence[str], weight: float) -> Mask | None:
        """What an earlier query found; its words rank once, however often it is named."""
        return self.found[node.number]

    def _boosted(self, node: Boosted, fields: Sequence[str], weight: float) -> Mask | None:
        return self._matching(node.part, fields, weight * node.factor)

    def _note(self, note: str) -> None:
        if len(self.notes) <= MOST_NOTES:
            self.notes[note if len(self.notes) < MOST_NOTES else "there are more parts like these"] = None


class _Alternatives:
    """The documents that have any of several parts. Words are looked up together, which is many times faster."""

    def __init__(self, meaning: Meaning, fields: Sequence[str]) -> None:
        self.meaning, self.fields = meaning, fields
        self.names: dict[tuple[str, ...], dict[str, None]] = {}  # by fields, of terms each of which is enough
        self.values: dict[str, list[str]] = {}  # of filters
        self.others: Mask | None = None

    def add(self, node: Node, weight: float, *, quiet: bool = False) -> None:
        """Add a part; `weight` and `quiet` are as in `Meaning._words`."""
        fields = self.fields
        if isinstance(node, Within) and node.field not in FILTERS and isinstance(node.part, WordOrPhrase):
            self.meaning._check_words(node.fields)
            fields, node, quiet = node.fields, node.part, False
        found: Mask | None
        if isinstance(node, WordOrPhrase):
            names = self.meaning._words(node, fields, weight, quiet)
            if names is None:
                return
            reads = self.meaning._has_left_out_words(node)
            if len(names) == 1 and not reads:
                self.names.setdefault(tuple(fields), {})[names[0]] = None
                return
            found = self.meaning._having_all(names, fields)
            found = self.meaning._with_left_out_words(node, fields, found) if reads else found
        elif isinstance(node, Within) and node.field in FILTERS:
            self.values.setdefault(node.field, []).append(filter_value(node))
            return
        else:
            found = self.meaning._matching(node, self.fields, weight)
        self.others = _together(np.logical_or, (self.others, found))

    def mask(self) -> Mask | None:
        """The documents; None where no part has a word to search for or a filter."""
        words = (self.meaning._having_any(list(names), fields) for fields, names in self.names.items())
        filters = (self.meaning._filtered(name, values) for name, values in self.values.items())
        return _together(np.logical_or, (self.others, *words, *filters))


_MEANINGS: dict[type, Callable[[Meaning, Any, Sequence[str], float], Any]] = {
    Near: Meaning._near,
    Same: Meaning._near,
    Saved: Meaning._earlier,
    Heading: Meaning._heading,
    And: Meaning._and,
    Or: Meaning._or,
    Side: Meaning._side,
    Within: Meaning._within,
    Boosted: Meaning._boosted,
}


def _together(join: Callable[[Mask, Mask], Mask], parts: Iterable[Mask | None]) -> Mask | None:
    known = (part for part in parts if part is not None)
    first = next(known, None)
    return None if first is None else reduce(join, known, first)
