"""Search by a query in words: the best documents, one of each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table
from leadline.records.topics.topic import Topic
from leadline.retrieval.answers.passages import Passages
from leadline.retrieval.answers.search_hits import Hit, changes, hits_table, read_hits, snippets, texts_of, weighed
from leadline.retrieval.answers.snippets import Snippet
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.filters import missing, notes_of, published
from leadline.retrieval.language.language import Answer, Language
from leadline.retrieval.language.patterns import expression
from leadline.retrieval.language.periods import no_day_between, partial_dates
from leadline.retrieval.language.reading import understand
from leadline.retrieval.language.tree import And, Node, Or, ResultOrder, Side, parts_of, query_text
from leadline.retrieval.models.searcher import Contribution, parse_model
from leadline.retrieval.pipeline.after.one_a_group import first_of_each
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.request import Query, Request

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.pipeline import Step

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

        Words are those of the query, as it writes them.
        """
        written = self.answer.written
        words = [
            Contribution(written.get(each.term, each.term), each.field, each.score)
            for each in sorted(self.language.why(self.answer, hit.row), key=lambda each: -each.score)
        ]
        if self.request is None or not self.request.parts:
            return words
        by_query, *gains = (part.score_of(hit.row) for part in self.request.parts)
        total = sum(each.score for each in words)
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
        return "\n".join([*lines, *(f"{hit.rank:>4}  {hit.score:.3f}  {hit.name}  {hit.title}" for hit in self.hits)])


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
) -> SearchResult:
    """The best k families for a query, after the first `start`; documents are searched until there are k families.

    `then` is a step that orders the first 1000 documents again. `duplicates` are documents with their groups of
    near-duplicates: the best of each group is found. `earlier` are earlier queries by number, for `#1 AND #2`.
    """
    if k < 1:
        raise InputError("k", f"must be at least 1, got {k}")
    name, parameters = parse_model(model)
    language = Language(context.index, earlier, context.searching)
    mask = _allowed(language, before, after, {"classes": classes, "office": offices})
    filters = {"before": before, "after": after, "class": classes, "office": offices}
    about = [note for name, value in filters.items() if value for note in _about(context.index, name)]
    dates = [(name, date) for name, date in (("after", after), ("before", before)) if date]
    about += filter(None, [no_day_between(dates)])
    order: ResultOrder | None = "newest" if newest else None
    last = start + k
    depth = 4 * last + 100 if then is None else max(4 * last + 100, REORDERED)
    while True:
        answer = language.search(text, k=depth, model=name, fields=fields, mask=mask, order=order, **parameters)
        if answer.is_empty:
            raise InputError("QUERY", f"{text!r} has no word to search for" if text.strip() else "is empty")
        request = None if then is None else then(context, _request(text, answer, mask))
        ranking = answer.ranking if request is None or request.ranking is None else request.ranking
        if duplicates is not None:
            ranking = first_of_each(context, ranking, duplicates)
        first = context.one_a_family(ranking, last)
        if len(first) == last or len(answer.ranking) < depth:
            hits = read_hits(context, first, start)
            return SearchResult(text, answer, hits, context, language, request=request, about_filters=about)
        depth *= 4


def _request(text: str, answer: Answer, mask: NDArray[np.bool_] | None) -> Request:
    """What a query found, as the steps of a pipeline take it."""
    return Request(Topic("query", text), queries=(Query(answer.terms),), mask=mask, ranking=answer.ranking)


def _about(index: Index, name: str) -> list[str]:
    """Notes on a filter: no document has a value, dates of filing are used, documents without a date are left out."""
    notes = notes_of(index, name, [])
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
