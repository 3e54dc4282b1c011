"""Search by a query in words: the best documents, one of each family, for display; and the history of a session."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.records.result import Result, Table, counted, decimals, number
from leadline.records.topics import Topic
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.inverting import claims_text, content_sums
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.language.filters import missing, notes_of, published
from leadline.retrieval.language.language import Answer, Language
from leadline.retrieval.language.matching import expression
from leadline.retrieval.language.reading import understand
from leadline.retrieval.language.syntax import syntax_named
from leadline.retrieval.language.tree import (
    And,
    Node,
    Or,
    ResultOrder,
    Side,
    no_day_between,
    partial_dates,
    parts_of,
    query_text,
    ranking_words,
)
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.models.searcher import Contribution, parse_model
from leadline.retrieval.passages import Marker, Passages, Snippet, rarity
from leadline.retrieval.pipeline.after.one_a_group import first_of_each
from leadline.retrieval.pipeline.context import BooleanTopic, Query, Request, SearchContext
from leadline.retrieval.strategy.headings import understood_line
from leadline.text.checksums import read_sealed
from leadline.text.files import readable_size
from leadline.text.owned_files import OURS
from leadline.text.store.kind import StoreKind
from leadline.text.store.store import Store, StoreView

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.pipeline import Step
    from leadline.text.spread import MemoryBudget

REORDERED = 1000  # documents that steps after the search order again


@dataclass(frozen=True, repr=False)
class SearchResult(Result):
    """What a query found: the best document of each family, and how the query was understood."""

    text: str
    answer: Answer
    hits: Sequence[Hit]
    context: SearchContext
    language: Language
    number: int | None = None  # of the query in its session
    request: Request | None = None  # after the steps that followed the search, where there are any
    about_filters: Sequence[str] = ()  # notes on filters that are not part of the query
    about_session: Sequence[str] = ()  # notes on the session that it is kept in
    system: str = ""  # what ranked the documents; empty: a model, by the words

    @property
    def understood(self) -> str:
        """The query as it was understood, in the operators of our own language."""
        return self.answer.query

    @property
    def parts(self) -> list[tuple[str, int]]:
        """The parts that the query joins, as they were understood, and the number of documents that each finds."""
        tree = self._tree
        texts = [query_text(part) for part in parts_of(tree)] if isinstance(tree, (And, Or, Side)) else []
        return [(text, self.language.count(text)) for text in texts]

    @property
    def _tree(self) -> Node | None:
        return understand(self.understood, self.language.index.fields, list(self.language.saved or ())).tree

    @property
    def found(self) -> int:
        """The number of documents that match."""
        return self.answer.found

    @property
    def notes(self) -> Sequence[str]:
        """Notes about parts of the query that were ignored or understood in another way."""
        after = self.request.notes if self.request else ()
        said = (*self.answer.notes, *self.about_filters, *self.about_session, *after)
        return (*said, *changes(self.context, self.hits))

    @property
    def dates_meant(self) -> list[str]:
        """What before: and after: with a month or a year mean, as days."""
        return list(dict.fromkeys(partial_dates(self._tree)))

    def why(self, hit: Hit) -> list[Contribution]:
        """What each word adds to the score of a hit, the most first; then what each step adds that followed.

        Words are those of the query, as it writes them. The score of a system is divided among them as BM25 would, and
        is the system's alone where a hit has none of them.
        """
        written = self.answer.written
        words = [
            Contribution(written.get(each.term, each.term), each.field, each.score)
            for each in sorted(self.language.why(self.answer, hit.row), key=lambda each: -each.score)
        ]
        total = sum(each.score for each in words)
        parts = () if self.request is None else self.request.parts
        if self.system and not parts:
            alone = [Contribution(self.system, "", hit.score)]
            return [each._replace(score=hit.score * each.score / total) for each in words] if total > 0 else alone
        if self.request is None or not parts:
            return words
        by_query, *gains = (part.score_of(hit.row) for part in parts)
        shared = [Contribution(each.term, each.field, each.score * by_query / total) for each in words if total > 0]
        names = [part.name for part in self.request.parts[1:]]
        return [*shared, *(Contribution(name, "", gain) for name, gain in zip(names, gains, strict=True) if gain)]

    def snippets(self, length: int = 200) -> list[Snippet]:
        """For each hit the piece of its text with most of the query's words."""
        cut: dict[int, Snippet] = {}
        for analysis, places in self._by_analysis.items():
            hits = [self.hits[place] for place in places]
            passages = Passages(texts_of(hits), analysis)
            found = snippets(self.context, hits, passages, self._snippet_terms(passages), length, analysis)
            cut |= dict(zip(places, found, strict=True))
        return [cut[place] for place in range(len(self.hits))]

    @cached_property
    def _by_analysis(self) -> dict[Analysis, list[int]]:
        """The places of the hits by the rules of their documents' languages, by which they were indexed."""
        groups: dict[Analysis, list[int]] = {}
        for place, hit in enumerate(self.hits):
            language = hit.document.language if hit.document else ""
            groups.setdefault(self.context.index.analysis.for_language(language), []).append(place)
        return groups

    def _snippet_terms(self, passages: Passages) -> dict[str, float]:
        """The words that snippets show: those of the query, and all that match its truncated words."""
        meant = (term for word in self.answer.words for term in (word.term, *word.others) if term)
        terms = dict.fromkeys(term.decode() for term in meant)
        patterns = [expression(word.pattern) for word in self.answer.words if word.pattern]
        if patterns:
            written = passages.term_of_word.items()
            matches = {term for word, term in written if any(each.fullmatch(word) for each in patterns)}
            terms |= dict.fromkeys(sorted(matches))
        return weighed(self.context, list(terms))

    def __len__(self) -> int:
        return len(self.hits)

    def _finding(self) -> str:
        first = f"; first: {self.hits[0].label}" if self.hits else ""
        return f"{self.found:,} documents for {self.text}{first}"

    def _shown_table(self) -> Table:
        return hits_table(self.hits)

    def __str__(self) -> str:
        lines = [f"{self.found:,} documents for {self.text}"]
        places = decimals(hit.score for hit in self.hits)
        hits = (f"{hit.rank:>4}  {hit.score:.{places}f}  {hit.name}  {hit.title}" for hit in self.hits)
        return "\n".join([*lines, *hits])


def search_words(
    context: SearchContext,
    text: str,
    k: int = 20,
    *,
    start: int = 0,
    model: str = "bm25",
    fields: Sequence[str] | Mapping[str, float] | None = None,
    before: str | None = None,
    after: str | None = None,
    classes: Sequence[str] = (),
    offices: Sequence[str] = (),
    newest: bool = False,
    then: Step | None = None,
    duplicates: Mapping[str, str] | None = None,
    earlier: Mapping[int, str] | None = None,
    syntax: str | None = None,
    system: tuple[str, Step] | None = None,
) -> SearchResult:
    """The best k families for a query, after the first `start`; documents are searched until there are k families.

    `system` is the name of a pipeline and the pipeline, which orders what the query finds instead of a model.

    `then` is a step that orders the first 1000 documents again. `duplicates` are documents with their groups of
    near-duplicates: the best of each group is found. `earlier` are earlier queries by number, for `#1 AND #2`. `syntax`
    is that of another search system in which the query is written.
    """
    if k < 1:
        raise InputError("k", f"must be at least 1, got {k}")
    name, parameters = parse_model(model)
    texts = context.texts if context.has_collection else None
    language = Language(context.index, earlier, context.searching, texts)
    table = None if syntax is None else syntax_named(syntax)
    if table is not None and earlier is not None:
        raise InputError("syntax", "cannot be combined with a history, which is in our own: `leadline strategy run`")
    asked = None if table is None else understood_line(text, table, context.index)
    mask = _allowed(language, before, after, {"classes": classes, "office": offices})
    filters = {"before": before, "after": after, "class": classes, "office": offices}
    about = [note for name, value in filters.items() if value for note in _about(context.index, name, value)]
    dates = [(name, date) for name, date in (("after", after), ("before", before)) if date]
    about += filter(None, [no_day_between(dates)])
    order: ResultOrder | None = "newest" if newest else None
    last = start + k
    depth = 4 * last + 100 if then is None else max(4 * last + 100, REORDERED)
    while True:
        answer = language.search(
            text, k=depth, model=name, fields=fields, mask=mask, order=order, asked=asked, **parameters
        )
        if answer.is_empty:
            raise InputError("QUERY", f"{text!r} has no word to search for" if text.strip() else "is empty")
        request = None if system is None else _ranked(context, text, answer, language, mask, system)
        if request is not None and request.ranking is not None:
            request = replace(request, ranking=_then_the_rest(request.ranking, answer.ranking))
        if then is not None:
            request = then(context, request or _request(text, answer, mask))
        ranking = answer.ranking if request is None or request.ranking is None else request.ranking
        if duplicates is not None:
            ranking = first_of_each(context, ranking, duplicates)
        first = context.one_a_family(ranking, last)
        if len(first) == last or len(answer.ranking) < depth:
            hits = read_hits(context, first, start)
            named = system[0] if system is not None and answer.terms and answer.order == "score" else ""
            return SearchResult(
                text, answer, hits, context, language, request=request, about_filters=about, system=named
            )
        depth *= 4


def _ranked(
    context: SearchContext,
    text: str,
    answer: Answer,
    language: Language,
    mask: NDArray[np.bool_] | None,
    system: tuple[str, Step],
) -> Request | None:
    """What a query finds in the order of a system; None where it has no words to rank by, or asks for another order.

    The query decides what is found, the system only the order: a document without any of its words is not added, as an
    expansion of the query or vectors would.
    """
    name, pipeline = system
    if answer.order != "score" or not answer.terms:
        return None
    if pipeline.wants_patent:
        raise InputError("--system", f"{name} searches for patents, and a query is in words: `leadline prior-art`")
    tree = understand(answer.query, language.index.fields, list(language.saved or ())).tree
    words = "" if tree is None else " ".join(ranking_words(tree))
    topic = Topic("query", words or text)
    matching = answer.matching if mask is None else answer.matching & mask
    done = pipeline(context, Request(topic, boolean=BooleanTopic("title", answer, language)).only(matching))
    if done.ranking is None:
        raise InputError("--system", f"{name} finds no documents: add a search step")
    return done


def _then_the_rest(first: Ranking, others: Ranking) -> Ranking:
    """A ranking, and behind it the documents that only another has, in their order, with its lowest score."""
    rest = others.rows[~np.isin(others.rows, first.rows)]
    lowest = min(0.0, float(first.scores[-1])) if len(first) else 0.0
    return Ranking(np.concatenate([first.rows, rest]), np.concatenate([first.scores, np.full(len(rest), lowest)]))


def _request(text: str, answer: Answer, mask: NDArray[np.bool_] | None) -> Request:
    """What a query found, as the steps of a pipeline take it."""
    return Request(Topic("query", text), queries=(Query(answer.terms),), mask=mask, ranking=answer.ranking)


def _about(index: Index, name: str, value: str | Sequence[str]) -> list[str]:
    """Notes on a filter: no document has a value, dates of filing are used, documents without a date are left out."""
    notes = notes_of(index, name, [value] if isinstance(value, str) else value)
    undated = int(missing(index, name).sum()) if name in ("before", "after") else 0
    left_out = [f"{counted(undated, 'document')} without a date left out"] if undated else []
    return [*notes, *left_out]


def _allowed(
    language: Language, before: str | None, after: str | None, having: Mapping[str, Sequence[str]]
) -> NDArray[np.bool_] | None:
    """The documents that the filters allow."""
    index = language.index
    masks = [published(index, when, date) for when, date in (("before", before), ("after", after)) if date]
    masks += [index.having(column, values) for column, values in having.items() if values]
    return np.logical_and.reduce(masks) if masks else None


# Search results prepared for display: one hit per family, with its facts and a snippet.


RESULT_COLUMNS = ("rank", "document", "score", "title", "published", "class", "members", "snippet")


@dataclass(frozen=True, repr=False)
class Hit(Result):
    """One result: the best document of its family."""

    rank: int
    row: int  # in the index
    name: str
    score: float
    members: int  # of its family, including itself
    document: Document | None  # None if the collection is missing
    published: str
    changed: bool = False  # whether its text in the collection is another than the one that was indexed

    def _finding(self) -> str:
        return f"{self.rank}: {self.label} ({number(self.score)})"

    @property
    def label(self) -> str:
        """The name with the title, where there is one."""
        return f"{self.name} {self.title}".strip()

    @property
    def title(self) -> str:
        return " ".join(self.document.title.split()) if self.document else ""

    @property
    def symbol(self) -> str:
        classes = (*self.document.ipc, *self.document.cpc) if self.document else ()
        return classes[0] if classes else ""

    @property
    def facts(self) -> list[str]:
        """The facts under the title of a hit."""
        family = f"{self.members} in the family" if self.members > 1 else ""
        changed = "changed since it was indexed" if self.changed else ""
        return [self.name if self.title else "", self.published or "undated", self.symbol, family, changed]


def hits_table(hits: Sequence[Hit]) -> Table:
    """A row for each hit."""
    rows = [[hit.rank, hit.name, hit.score, hit.published, hit.title] for hit in hits]
    return Table(["rank", "document", "score", "published", "title"], rows)


def result_table(hits: Sequence[Hit], snippets: Sequence[Snippet], more: Mapping[str, Sequence[Any]]) -> Table:
    """A row for each hit with its snippet and what else is given, for programs."""
    rows = [
        [
            hit.rank,
            hit.name,
            hit.score,
            hit.title,
            hit.published,
            hit.symbol,
            hit.members,
            snippet.text,
            *(values[place] for values in more.values()),
        ]
        for place, (hit, snippet) in enumerate(zip(hits, snippets, strict=True))
    ]
    return Table([*RESULT_COLUMNS, *more], rows)


def read_hits(context: SearchContext, ranking: Ranking, start: int = 0) -> list[Hit]:
    """The hits of a ranking after the first `start`; only their texts are read."""
    ranking = Ranking(ranking.rows[start:], ranking.scores[start:])
    names = context.names(ranking.rows)
    documents: list[Document | None] = [None] * len(names)
    if has_texts(context):
        documents = context.documents(ranking.rows)
    rows = ranking.rows.tolist()
    sums = context.index.column("content")[ranking.rows].tolist()
    members = _members(context, ranking.rows)
    days = context.index.column("publication")[ranking.rows].astype("datetime64[D]")
    found = zip(names, rows, ranking.scores.tolist(), members, documents, days, sums, strict=True)
    return [
        Hit(rank, row, name, score, count, document, _published(document, day), _is_changed(context, document, content))
        for rank, (name, row, score, count, document, day, content) in enumerate(found, start=start + 1)
    ]


def _is_changed(context: SearchContext, document: Document | None, content: int) -> bool:
    """Whether a document's text differs from the text that was indexed; unknown for an index of families."""
    if document is None or context.index.unit == "family":
        return False
    texts = [
        claims_text(c.text for c in document.claims) if name == "claims" else getattr(document, name, "")
        for name in context.index.own
    ]
    return int(content_sums([[text] for text in texts])[0]) != content


def texts_of(hits: Sequence[Hit]) -> list[Document]:
    """The documents of hits, empty ones where the collection no longer has them."""
    return [hit.document or Document(hit.name) for hit in hits]


def changes(context: SearchContext, hits: Sequence[Hit]) -> list[str]:
    """A line where the collection differs from the index, as far as these hits and the state of the collection show."""
    if not has_texts(context):
        return []
    gone, changed = sum(hit.document is None for hit in hits), sum(hit.changed for hit in hits)
    seen = [f"{count:,} {what}" for count, what in ((gone, "deleted"), (changed, "changed")) if count]
    if not seen:
        return [context.outdated] if context.outdated else []
    of_hits = f"of the documents shown {' and '.join(seen)}"
    return [f"{context.location} has changed since it was indexed, {of_hits}: {context.up_to_date}"]


def has_texts(context: SearchContext) -> bool:
    try:
        return context.collection is not None
    except InputError:
        return False


def _published(document: Document | None, day: np.datetime64) -> str:
    if document is not None:
        return document.publication
    return "" if day == MISSING.astype("datetime64[D]") else str(day)


def _members(context: SearchContext, rows: NDArray[np.int32]) -> list[int]:
    """The number of documents in the family of each row."""
    families = context.family
    if context.index.unit == "family" and has_texts(context):  # a row is a family: count documents of the collection
        families = context.collection.records["family"].to_numpy()
    return [int(np.count_nonzero(families == family)) if family >= 0 else 1 for family in context.family[rows].tolist()]


def weighed(context: SearchContext, terms: Sequence[str]) -> dict[str, float]:
    """Terms with their weights, by rarity in the index."""
    frequencies = context.document_frequencies(terms, context.fields)
    return dict(zip(terms, rarity(frequencies, len(context.index)).tolist(), strict=True))


def snippets(
    context: SearchContext,
    hits: Sequence[Hit],
    passages: Passages,
    terms: Mapping[str, float],
    width: int,
    analysis: Analysis | None = None,
) -> list[Snippet]:
    """For each hit the piece of its text with the largest share of the weighted terms.

    `analysis` is that of the hits' language (default: that of the index).
    """
    best, marker = passages.best(terms), Marker(analysis or context.index.analysis, terms)
    texts = [best[place].passage.text if place in best else "" for place in range(len(hits))]
    return [marker.snippet(text, width) for text in texts]


# A session: the queries of a searcher, numbered, with the number of documents that each found.


_FIX = "name another file"
MOST_QUERIES = 100_000
_ASKED = {"kind": "text", "query": "text", "found": "integer", "folder": "text"}
HISTORY = StoreKind(OURS["LHST"], "LHST", columns=_ASKED, repair=_FIX)
OLDER_HISTORY, _OLDER_FORMAT = "a leadline search history", 1  # of the JSON file that earlier versions wrote


@dataclass(frozen=True)
class SearchHistory:
    """Queries by their numbers, from 1 on, each with the number of documents it found when it was asked."""

    path: Path
    queries: tuple[tuple[str, int], ...] = ()
    indexes: tuple[str, ...] = ()  # the folder of the index that each query was asked in; empty where it is unknown

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SearchHistory:
        """The session in a file; empty where there is no such file yet."""
        with Store.open(path, HISTORY, older=_older(Path(path))) as store, store.view() as now:
            return cls._of(Path(path), now)

    @classmethod
    def _of(cls, path: Path, now: StoreView) -> SearchHistory:
        asked = [event.said for event in now.events.all()]
        return cls(path, tuple((one["query"], one["found"]) for one in asked), tuple(one["folder"] for one in asked))

    @classmethod
    def check(cls, path: str | os.PathLike[str]) -> str:
        """What is damaged in the file of a session; empty if it is sound."""
        with Store.open(path, HISTORY, older=_older(Path(path))) as store:
            return store.check()

    @property
    def earlier(self) -> dict[int, str]:
        """The queries by their numbers."""
        return {number: query for number, (query, _) in enumerate(self.queries, start=1)}

    def notes(self, index: Path | None = None) -> list[str]:
        """A note where counts are of another index than this, or without one, of more than one index."""
        here = "" if index is None else str(index.resolve())
        others = dict.fromkeys(folder for folder in self.indexes if folder and folder != here)
        if index is None:
            return [f"{self.path} has counts of {len(others)} indexes: {', '.join(others)}"] if len(others) > 1 else []
        return [
            f"{self.path}: {self._numbers(folder)} {'were' if self.indexes.count(folder) > 1 else 'was'} asked in "
            f"{folder}: counts differ here; name another file with --history"
            for folder in others
        ]

    def _numbers(self, folder: str) -> str:
        """The numbers of the queries that were asked in an index."""
        numbers = [f"#{number}" for number, each in enumerate(self.indexes, start=1) if each == folder]
        return ", ".join(numbers if len(numbers) <= 4 else [*numbers[:3], f"… {numbers[-1]}"])

    def keep(self, found: SearchResult) -> SearchResult:
        """Write a query to the file; return what it found, with its number.

        It is added to what the file says by now: others may have searched meanwhile.
        """
        folder = found.context.index.folder
        with (
            Store.open(self.path, HISTORY, write=True, create=True, older=_older(self.path)) as store,
            store.change() as now,
        ):
            before = SearchHistory._of(self.path, now)
            if len(before.queries) >= MOST_QUERIES:
                raise InputError(str(self.path), f"has {MOST_QUERIES:,} queries, the most that are kept: {_FIX}")
            now.events.append("query", query=found.text, found=found.found, folder=str(folder.resolve()))
        return replace(found, number=len(before.queries) + 1, about_session=before.notes(folder))


def _older(path: Path) -> Callable[[StoreView], None]:
    """What puts the queries of an earlier version's file in a store."""

    def take_over(now: StoreView) -> None:
        content = read_sealed(path, OLDER_HISTORY, _OLDER_FORMAT, _FIX, number="version")
        queries = [] if content is None else content.get("queries")
        if not isinstance(queries, list) or not all(map(_is_query, queries)):
            raise InputError(str(path), f"is damaged, its queries are not as they should be: {_FIX}")
        for each in queries:
            now.events.append("query", query=each["query"], found=each["found"], folder=each.get("index", ""))

    return take_over


def _is_query(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("index", ""), str):
        return False
    return isinstance(value.get("query"), str) and type(value.get("found")) is int


# The memory of a search: an index is mapped, so that only scores and what a query's words need are held.


# Measured with benchmarks/memory.py: the memory of the libraries, and of each document.
BASE_BYTES, BYTES_A_DOCUMENT = 100_000_000, 250


def least_memory(documents: int) -> int:
    """The smallest budget for searching so many documents."""
    return BASE_BYTES + BYTES_A_DOCUMENT * documents


def keep_to(budget: MemoryBudget | None, index: Index) -> None:
    """Refuse a budget that is too small for an index, before the search; state what is held."""
    if budget is None:
        return
    budget.require(least_memory(len(index)), f"an index of {counted(len(index), 'document')}")
    size = sum(file.stat().st_size for file in index.folder.glob("*.arrays"))
    budget.state(f"the index of {readable_size(size)} is mapped, and only what a query needs is read")
