"""Parts of an index (shards) and of a link graph as actors on a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.cluster.work import Cluster, Crew
from leadline.collections.links.graph import ADDING_BYTES, Each, add_links, some_blocks
from leadline.collections.links.kernel_arguments import LinkBlocks, Surfers
from leadline.collections.links.page_scores import TOLERANCE, surf
from leadline.records.ties import tie_order
from leadline.retrieval.index.index import Index, Lists, united
from leadline.retrieval.index.terms import offsets_of
from leadline.retrieval.language.query_terms import QueryTerm, WiderIndex
from leadline.retrieval.models.ranking import EMPTY_RANKING, Ranking
from leadline.retrieval.models.searcher import Contribution, How, Searcher
from leadline.retrieval.models.weights import Fields, Norms, Recipe, TermUse, Totals, Weights
from leadline.retrieval.one_call.ranking import Recipes, Wanted
from leadline.retrieval.pipeline.context import Request, SearchContext
from leadline.retrieval.pipeline.pipeline import Narratives, System, TopicResult
from leadline.retrieval.pipeline.shared_topics import Opened, share_topics

if TYPE_CHECKING:
    from numpy.typing import NDArray

# An index as shards, whose actors rank rows by the statistics of the whole; and runs with their topics shared out.
#
# A shard counts in its own rows; the counts of all shards are added up before anyone ranks. So a document's score is
# made of the same numbers as on one machine, and the best of all shards, in the order of the whole index, are the same
# as its best. Counts are whole numbers. Lengths of documents are too, unless fields have weights such as 0.3: then the
# caller adds up the lengths themselves, in the order of rows, since sums of such numbers depend on their order.


@dataclass
class WholeIndex:
    """What a shard must know of the whole index to rank its documents for a query."""

    counts: dict[tuple[Fields, str], tuple[int, list[int], list[int]]] = field(default_factory=dict)
    lengths: dict[Fields, Totals] = field(default_factory=dict)
    lowest: float | None = None  # share of a document's length; None for models without one
    query_terms: dict[str, QueryTerm] = field(default_factory=dict)


class IndexRows(WiderIndex):
    """Some rows of an index, numbered from 0; only the segments that have them are read."""

    def __init__(self, index: Index, first: int, last: int) -> None:
        super().__init__(index)
        own = [n for n in range(len(index.segments)) if index.bases[n] < last and index.bases[n + 1] > first]
        self.segments = [index.segments[number] for number in own]
        self.bases = offsets_of([len(segment) for segment in self.segments])
        self._first = first - int(index.bases[own[0]])
        self._count = last - first
        self.ranks = np.ascontiguousarray(index.ranks[first:last])

    def __len__(self) -> int:
        return self._count

    def lengths(self, field: str) -> NDArray[np.int32]:
        return np.ascontiguousarray(super().lengths(field)[self._first : self._first + self._count])

    def lists(self, field: str, terms: Sequence[bytes]) -> Lists:
        """The postings of terms in these rows, and how often each occurs in them."""
        whole = super().lists(field, terms)
        inside = (whole.documents >= self._first) & (whole.documents < self._first + self._count)
        before = np.concatenate([[0], np.cumsum(inside)])
        occurring = np.concatenate([[0], np.cumsum(np.where(inside, whole.frequencies, 0), dtype=np.int64)])
        return Lists(
            before[whole.offsets].astype(np.int64),
            (whole.documents[inside] - self._first).astype(np.int32),
            whole.frequencies[inside],
            np.diff(occurring[whole.offsets]),
        )


class ShardWeights(Weights):
    """The weights of terms in a shard, by the counts of the whole index."""

    def __init__(self, index: IndexRows, whole: WholeIndex) -> None:
        self.whole = whole
        super().__init__(index)

    def local_counts(self, names: Sequence[str], terms: Sequence[str]) -> TermUse:
        """How often terms occur in the shard."""
        lists = [self.index.lists(name, [term.encode() for term in terms]) for name in names]
        return TermUse.of(united(lists, len(self.index))[0], lists)

    def _norms_of(self, recipe: Recipe) -> Norms | None:
        return None  # weights are computed before the search, which gives the same bits

    def _totals_of(self, fields: Fields) -> Totals:
        return self.whole.lengths[fields]

    def _lowest_length_value(self, values: NDArray[np.float64]) -> float:
        assert self.whole.lowest is not None
        return self.whole.lowest

    def _counts(
        self, fields: Fields, terms: Sequence[str], offsets: NDArray[np.int64], lists: Sequence[Lists]
    ) -> TermUse:
        known = [self.whole.counts[fields, term] for term in terms]
        documents = np.array([each[0] for each in known], np.int64)
        by_field = [np.array([each[1][place] for each in known], np.int64) for place in range(len(fields))]
        occurrences = [np.array([each[2][place] for each in known], np.int64) for place in range(len(fields))]
        return TermUse(documents, by_field, occurrences)


class Shard(Searcher):
    """The documents of some rows of an index. It is asked for its counts, then told those of all, then searched."""

    def __init__(self, opened: Opened, first: int, last: int) -> None:
        rows, self.whole = IndexRows(opened.open().index, first, last), WholeIndex()
        super().__init__(rows)
        self.rows, self.first = rows, first
        self.weights: ShardWeights = ShardWeights(rows, self.whole)
        self.one_call = None  # its lists are those of some rows, and its counts those of all

    def _take_statistics(self, whole: WholeIndex) -> None:
        """Take over what is known of the whole index."""
        self.whole.counts |= whole.counts
        self.whole.lengths |= whole.lengths
        self.whole.lowest = whole.lowest
        self._add_terms(whole.query_terms)

    def _add_terms(self, query_terms: Mapping[str, QueryTerm]) -> None:
        for name, term in query_terms.items():
            self.rows.add_term(name, term)

    def count_terms(self, names: Sequence[str], terms: Sequence[str], own: Mapping[str, QueryTerm]) -> TermUse:
        """How often terms occur in the shard; `own` are those that the query has made."""
        self._add_terms(own)
        return self.weights.local_counts(names, terms)

    def count_lengths(self, fields: Fields) -> tuple[int, NDArray[np.float64]]:
        """The documents that are not empty, and the lengths to add up: one sum, where it is exact in any order."""
        lengths = self.weights.document_lengths(fields)
        exact = all(float(weight).is_integer() for _, weight in fields)
        return int(np.count_nonzero(lengths)), lengths.sum(keepdims=True) if exact else lengths

    def lowest(self, how: How) -> float | None:
        """The least that the length of a document of the shard adds for a term; None for models without that."""
        values = self.weights.length_values([(recipe, weight) for recipe, _, weight in self._recipes(how)])
        return None if values is None else float(values.min(initial=0.0))

    def best(
        self,
        queries: Sequence[Mapping[str, float]],
        k: int,
        mask: NDArray[np.bool_] | None,
        how: How,
        whole: WholeIndex,
    ) -> list[Ranking]:
        """The best documents of the shard for each query, by their rows in the whole index."""
        self._take_statistics(whole)
        found = self._best(queries, how, Wanted(self._recipes(how), k, mask))
        return [Ranking((each.rows + self.first).astype(np.int32), each.scores) for each in found]

    def explain(self, query: Mapping[str, float], row: int, how: How, whole: WholeIndex) -> list[Contribution]:
        """What each term adds to the score of a document, given by its row in the whole index."""
        self._take_statistics(whole)
        return self._contributions(query, row - self.first, how, self._recipes(how))


class IndexOnCluster:
    """The shards of an index on a cluster."""

    def __init__(self, cluster: Cluster, opened: Opened, documents: int, shards: int | None = None) -> None:
        count = max(1, min(shards or cluster.processors, documents))
        self.bounds = [documents * number // count for number in range(count + 1)]
        self.crew = Crew(cluster, Shard, [(opened, first, last) for first, last in pairwise(self.bounds)])

    def searcher(self, index: Index) -> ShardedSearcher:
        """What searches the shards; `index` is the whole, perhaps with terms of a query."""
        return ShardedSearcher(index, self)


class ShardedSearcher(Searcher):
    """Searches the shards of an index, with the results and scores of a `Searcher` over all of it."""

    def __init__(self, index: Index, shards: IndexOnCluster) -> None:
        super().__init__(index)
        self.one_call = None  # the shards rank
        self.crew, self.bounds = shards.crew, shards.bounds
        self.whole = WholeIndex()

    def _best(
        self,
        queries: Sequence[Mapping[str, float]],
        how: How,
        wanted: Wanted,
        threads: int = 1,
    ) -> list[Ranking]:
        """The best documents of all shards, merged; each shard has a processor of its own."""
        terms_of_all = list({term: None for terms in queries for term in terms})
        whole, (_, k, mask, _) = self._exchange_statistics(how, wanted.recipes, terms_of_all), wanted
        parts = [
            (queries, k, None if mask is None else mask[first:last], how, whole)
            for first, last in pairwise(self.bounds)
        ]
        found = self.crew.ask("best", parts)
        return [self._merged([part[place] for part in found], k) for place in range(len(queries))]

    def search_having_all(self, terms: Mapping[str, float], *_: Any, **__: Any) -> None:
        """None: what has every term is found first, and the shards rank it."""

    def _merged(self, parts: Sequence[Ranking], k: int) -> Ranking:
        rows, scores = np.concatenate([each.rows for each in parts]), np.concatenate([each.scores for each in parts])
        if not len(rows):
            return EMPTY_RANKING
        best = tie_order(scores, self.index.ranks[rows])[:k]
        return Ranking(rows[best], scores[best])

    def _contributions(self, terms: Mapping[str, float], row: int, how: How, recipes: Recipes) -> list[Contribution]:
        """What terms add to the score of a document, which its shard knows."""
        shard = int(np.searchsorted(self.bounds, row, "right")) - 1
        return self.crew.ask_one(
            shard, "explain", terms, row, how, self._exchange_statistics(how, recipes, list(terms))
        )

    def _exchange_statistics(self, how: How, recipes: Recipes, terms: Sequence[str]) -> WholeIndex:
        """The statistics of the whole index that these terms need, added up over the shards."""
        known = getattr(self.index, "_query_terms", {})
        own = {term: known[name] for term in terms if (name := term.encode("utf-8", "replace")) in known}
        used = WholeIndex(query_terms=own)
        for recipe, _, _ in recipes:
            for fields in (recipe.fields, *(((name, 1.0),) for name, _ in recipe.fields if recipe.model.by_field)):
                used.lengths[fields] = self._lengths_of(fields)
            self._count(recipe.fields, [term for term in terms if (recipe.fields, term) not in self.whole.counts], own)
            used.counts |= {(recipe.fields, term): self.whole.counts[recipe.fields, term] for term in terms}
        if any(recipe.model.lacking for recipe, _, _ in recipes):
            used.lowest = min(self.crew.ask_all("lowest", how))
        return used

    def _lengths_of(self, fields: Fields) -> Totals:
        if fields not in self.whole.lengths:
            parts = self.crew.ask_all("count_lengths", fields)
            total = float(np.concatenate([lengths for _, lengths in parts]).sum())
            self.whole.lengths[fields] = Totals(sum(having for having, _ in parts), total)
        return self.whole.lengths[fields]

    def _count(self, fields: Fields, terms: Sequence[str], query_terms: Mapping[str, QueryTerm]) -> None:
        if not terms:
            return
        parts = self.crew.ask_all("count_terms", [name for name, _ in fields], terms, query_terms)
        documents = np.sum([part.documents for part in parts], axis=0).tolist()
        by_field = np.sum([part.by_field for part in parts], axis=0).T.tolist()
        occurrences = np.sum([part.occurrences for part in parts], axis=0).T.tolist()
        for place, term in enumerate(terms):
            self.whole.counts[fields, term] = documents[place], by_field[place], occurrences[place]


# Runs on a cluster: the topics are shared out, and every worker opens the index from the shared folder.


@dataclass(frozen=True)
class TopicsOnCluster:
    """Answers requests on a cluster, in their order; `SearchContext.elsewhere` takes it."""

    cluster: Cluster

    def __call__(
        self, system: System, context: SearchContext, requests: Sequence[Request], k: int, narratives: Narratives
    ) -> Iterator[TopicResult]:
        return share_topics(self.cluster, self.cluster.processors, system, context, requests, k, narratives)


# PageRank and HITS on a cluster: every actor holds the links into some blocks of pages, and sums over them.
#
# The sums of a block are added in the order of one machine, since the blocks are the same; the sums over blocks are
# added by the caller. A round sends what every page passes on to all, and gets back what each actor's pages have.

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Progress = Callable[[int, int, str], None]
ROUNDS = 100  # of which machine code is expected to be worth loading


class LinkPart:
    """Some blocks of pages with the links into them, in each layout; and what PageRank needs of these pages."""

    def __init__(self, layouts: Sequence[LinkBlocks], shares: Floats | None, jumps: Floats | None) -> None:
        self.layouts, self.shares, self.jumps = layouts, shares, jumps

    def surf(self, passed_on: Floats, ranks: Floats, settings: Floats) -> tuple[Floats, Floats, Floats]:
        """One round of PageRank: the ranks of these pages, what they pass on, and the sums of the blocks."""
        into = self.layouts[0]
        assert self.shares is not None
        assert self.jumps is not None
        sums = np.zeros(2 * (len(into.starts) - 1))
        state = Surfers(ranks.copy(), passed_on, np.zeros(into.pages), self.shares, self.jumps, settings, sums)
        surf.choose(ADDING_BYTES * (len(into.sources) + into.pages) * ROUNDS)(into, state, _all_blocks)
        return state.ranks, state.passing, sums

    def add(self, layout: int, values: Floats) -> Floats:
        """The sum of the values of the pages that link to each of these pages."""
        blocks = self.layouts[layout]
        totals = np.empty(blocks.pages)
        add_links.choose(ADDING_BYTES * len(blocks.sources) * ROUNDS)(blocks, values, totals, _all_blocks)
        return totals


def _all_blocks(function: Callable[[int, int], object]) -> None:
    function(0, 1)


class LinksOnCluster:
    """Parts of a graph's links on a cluster; the functions for PageRank and HITS take it as `workers`."""

    def __init__(self, cluster: Cluster, progress: Progress | None = None, rounds: int | None = None) -> None:
        """`progress` is told of every round; of HITS the total is known where `rounds` are asked for."""
        self.cluster, self.progress, self.rounds = cluster, progress, rounds
        self.done = 0

    def surfing(self, into: LinkBlocks, state: Surfers) -> Callable[[LinkBlocks, Surfers, Each], None]:
        """What computes a round of PageRank."""
        bounds, pages = self._bounds(into)
        both = zip(bounds, pages, strict=True)
        given = [((some_blocks(into, *each),), state.shares[at], state.jumps[at]) for each, at in both]
        crew = Crew(self.cluster, LinkPart, given)

        def surf_round(_into: LinkBlocks, now: Surfers, _each: Each) -> None:
            shared = self.cluster.held(now.passed_on)
            parts = crew.ask("surf", [(shared, now.ranks[at], now.settings) for at in pages])
            for (first, last), at, (ranks, passing, sums) in zip(bounds, pages, parts, strict=True):
                now.ranks[at], now.passing[at], now.sums[2 * first : 2 * last] = ranks, passing, sums
            self._report(rounds_left(float(now.sums[0::2].sum()), float(now.settings[0])))

        return surf_round

    def adding(self, *layouts: LinkBlocks) -> Callable[[LinkBlocks, Floats, Floats, Each], None]:
        """What sums over the links of one of these layouts."""
        bounds, pages = self._bounds(layouts[0])
        given = [(tuple(some_blocks(layout, *each) for layout in layouts), None, None) for each in bounds]
        crew = Crew(self.cluster, LinkPart, given)

        def add(blocks: LinkBlocks, values: Floats, totals: Floats, _each: Each) -> None:
            number = next(place for place, layout in enumerate(layouts) if layout is blocks)
            shared = self.cluster.held(values)
            for at, part in zip(pages, crew.ask("add", [(number, shared)] * len(pages)), strict=True):
                totals[at] = part
            if number == 0:  # authorities, then hubs: one round
                self._report(None if self.rounds is None else self.rounds - self.done - 1)

        return add

    def _report(self, left: int | None) -> None:
        """Tell that a round is done, and how many are left; None: it is not known."""
        self.done += 1
        if self.progress is not None:
            done, total = (0, 1) if left is None else (self.done, self.done + max(left, 0))
            self.progress(done, total, f"round {self.done}")

    def _bounds(self, blocks: LinkBlocks) -> tuple[list[tuple[int, int]], list[slice]]:
        """The blocks of each actor, about as many links for each, and the pages of these blocks."""
        count = len(blocks.starts) - 1
        parts = min(self.cluster.processors, count)
        wanted = np.linspace(0, float(blocks.starts[-1]), parts + 1)[1:-1]
        inner = np.searchsorted(blocks.starts, wanted).tolist()
        edges = sorted({0, count, *(place for place in inner if 0 < place < count)})
        bounds = list(pairwise(edges))
        pages = [slice(first * blocks.size, min(last * blocks.size, blocks.pages)) for first, last in bounds]
        return bounds, pages


def rounds_left(moved: float, damping: float) -> int:
    """The most rounds of PageRank that are left when the last one has moved so much: each moves less by `damping`.

    >>> rounds_left(1.0, 0.85), rounds_left(1e-12, 0.85)
    (153, 0)
    """
    limit = TOLERANCE * (1 - damping)
    if damping == 0 or moved * damping <= limit:
        return 0
    return math.ceil(math.log(limit / (moved * damping)) / math.log(damping))
