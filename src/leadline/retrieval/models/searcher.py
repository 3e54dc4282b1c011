"""Search an index with any model: the best documents, by machine code or by NumPy, and the score of one explained."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.options import name_and_options, typed_options
from leadline.records.ties import tie_order
from leadline.retrieval.index.index import Index
from leadline.retrieval.joined.asking import JoinedCall
from leadline.retrieval.models.kernel_arguments import (
    BINS,
    BLOCK,
    GROUP,
    BestDocuments,
    Candidates,
    DocumentFilter,
    QueryBounds,
    QueryLists,
    RunningTotals,
)
from leadline.retrieval.models.ranking import CountedRanking, Ranking
from leadline.retrieval.models.registry import MODELS, Model
from leadline.retrieval.models.weights import LengthShare, Recipe, Weights
from leadline.retrieval.one_call.ranking import OneCall, Recipes, Wanted
from leadline.text.engine import Kernel, compiled_job, prepared

if TYPE_CHECKING:
    from numpy.typing import NDArray

QueryInput = str | Mapping[str, float] | Sequence[str]
FieldsInput = str | Sequence[str] | Mapping[str, float] | None
Combine = Literal["text", "scores"]
RECIPES_KEPT = 256
LENGTH = "(length of the document)"  # in place of a term


class Contribution(NamedTuple):
    """What one term of the query adds to a document's score; `field` is empty where fields are searched as one text."""

    term: str
    field: str
    score: float


class How(NamedTuple):
    """How documents are ranked, as it was asked for."""

    model: str
    fields: FieldsInput
    combine: Combine
    parameters: Mapping[str, Any]


class Searcher:
    """Searches an index. Weights of terms are computed once and kept.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> texts = [{"id": "EP1", "title": "Polymer film"}, {"id": "EP2", "title": "Metal film on a film of metal"}]
    >>> searcher = Searcher(Index.build(texts, folder.name, fields=["title"]))
    >>> found = searcher.search("metal films", model="bm25", k=10)
    >>> [searcher.index.id_of(row) for row in found.rows], found.scores.round(3).tolist()
    (['EP2', 'EP1'], [0.5, 0.096])
    >>> [(each.term, round(each.score, 3)) for each in searcher.why("metal films", "EP2")]
    [('metal', 0.396), ('film', 0.104)]
    >>> folder.cleanup()

    A query is a text, which the index's analysis cuts into terms, or any number of terms of the index with weights.
    Fields may have weights: `fields={"title": 2, "abstract": 1}`. With `combine="text"` they are searched as one text,
    in which a word of the title counts twice; with `combine="scores"` each is searched separately and the scores are
    added. Only documents that the mask allows are found.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.weights = Weights(index)
        self.one_call: OneCall | None = OneCall(self.weights)  # None where only lists will do
        self.joined = JoinedCall(self.one_call)
        self._lock = Lock()
        self._known: dict[Any, Recipes] = {}  # recipes by what was asked for
        self._usual: dict[str, Recipes] = {}  # those of a model with all its defaults, by its name as it was written

    def search(self, query: QueryInput, model: str = "bm25", k: int = 1000, **how: Any) -> Ranking:
        """The k best documents of a query; `how` are the other parameters of `search_many`."""
        asked, wanted = self._asked(model, k, **how)
        return self._best([self._terms(query)], asked, wanted)[0]

    def search_many(
        self, queries: Sequence[QueryInput], model: str = "bm25", k: int = 1000, *, threads: int = 1, **how: Any
    ) -> list[Ranking]:
        """The k best documents of each query. Scores do not depend on the number of threads.

        `how` may have `fields`, `combine`, a `mask` of the documents that may be found, and the model's parameters.
        """
        asked, wanted = self._asked(model, k, **how)
        return self._best([self._terms(query) for query in queries], asked, wanted, threads)

    def search_and_count(
        self,
        terms: Mapping[str, float],
        model: str = "bm25",
        k: int = 1000,
        *,
        rows: NDArray[np.int32] | None = None,
        **how: Any,
    ) -> CountedRanking:
        """The k best documents, and how many have a term and are allowed: those of `rows`, if given, or of a mask."""
        asked, wanted = self._asked(model, k, **how)
        if self.one_call is None:
            return CountedRanking(
                self._best([terms], asked, wanted._replace(mask=self._mask(rows, wanted.mask)))[0], None
            )
        wanted = wanted._replace(counted=True)
        one_call = self.one_call

        def among_all() -> CountedRanking:
            allowed = wanted._replace(mask=self._mask(rows, wanted.mask))
            return one_call.best([terms], allowed, lambda queries: self._best_by_lists(queries, allowed))[0]

        if rows is None and wanted.mask is None:
            return among_all()
        return self.joined.best_among(terms, wanted, rows, among_all)

    def _mask(self, rows: NDArray[np.int32] | None, mask: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        if rows is None:
            return mask
        allowed = np.zeros(len(self.index), np.bool_)
        allowed[rows] = True
        return allowed

    def search_having_all(
        self, terms: Mapping[str, float], model: str = "bm25", k: int = 1000, **how: Any
    ) -> tuple[Ranking, int] | None:
        """The k best of the documents that have every term in some field, and how many such documents there are.

        None where a score is more than the sum over the lists of the terms: then `search` with a mask finds them.
        """
        _, wanted = self._asked(model, k, **how)
        if len(wanted.recipes) > 1 or wanted.recipes[0][0].model.lacking is not None:
            return None

        def by_lists() -> tuple[Ranking, int]:
            (vector,), weights = self._vectors([terms], wanted.recipes)
            return rank_having_all(weights, vector, k, wanted.mask)

        ((_, _, factor),) = wanted.recipes
        if self.one_call is None or factor != 1.0:
            return by_lists()
        return self.joined.best_having_all(terms, wanted, by_lists)

    def _asked(
        self,
        model: str,
        k: int,
        fields: FieldsInput = None,
        combine: Combine = "text",
        mask: NDArray[np.bool_] | None = None,
        **parameters: Any,
    ) -> tuple[How, Wanted]:
        """How documents are ranked, and what is wanted for the terms of a query."""
        if k < 1:
            raise InputError("k", f"must be at least 1, got {k}")
        how = How(model, fields, combine, parameters)
        return how, Wanted(self._recipes(how), k, None if mask is None else self._checked(mask))

    def _best(
        self, queries: Sequence[Mapping[str, float]], how: How, wanted: Wanted, threads: int = 1
    ) -> list[Ranking]:
        """The best documents of queries that were checked; `wanted` has the recipes of `how`."""
        if threads == 1 or len(queries) < 2:
            return self._best_of(queries, wanted)
        step = -(-len(queries) // threads)
        parts = [queries[start : start + step] for start in range(0, len(queries), step)]
        with ThreadPoolExecutor(threads) as pool:
            return list(chain.from_iterable(pool.map(lambda part: self._best_of(part, wanted), parts)))

    def _best_of(self, queries: Sequence[Mapping[str, float]], wanted: Wanted) -> list[Ranking]:
        """The best documents of queries, by one foreign call for each where that can be."""
        if self.one_call is None:
            return self._best_by_lists(queries, wanted)
        found = self.one_call.best(queries, wanted, lambda queries: self._best_by_lists(queries, wanted))
        return [each.best for each in found]

    def _best_by_lists(self, queries: Sequence[Mapping[str, float]], wanted: Wanted) -> list[Ranking]:
        vectors, weights = self._vectors(queries, wanted.recipes)
        return rank(weights, vectors, wanted.k, wanted.mask, self._length_share(wanted.recipes))

    def why(
        self,
        query: QueryInput,
        document: str | int,
        model: str = "bm25",
        *,
        fields: FieldsInput = None,
        combine: Combine = "text",
        **parameters: Any,
    ) -> list[Contribution]:
        """What each term of a query adds to the score of a document, given by id or row. Their sum is the score."""
        row = self.index.row(document) if isinstance(document, str) else document
        how = How(model, fields, combine, parameters)
        recipes = self._recipes(how)
        return self._contributions(self._terms(query), row, how, recipes)

    def _contributions(self, terms: Mapping[str, float], row: int, how: How, recipes: Recipes) -> list[Contribution]:
        """What terms add to the score of a document; `recipes` are those of `how`."""
        (vector,), weights = self._vectors([terms], recipes)
        named = [(term, field) for term in terms for _, field, _ in recipes]
        found = []
        for (term, field), number, multiplier in zip(named, vector.lists, vector.multipliers, strict=True):
            weight = weights.weight(number, row)
            if weight is not None:
                found.append(Contribution(term, field, float(multiplier * weight)))
        if found and (length := self._length_share(recipes)) is not None:
            found.append(Contribution(LENGTH, "", float(vector.terms * (length.above[row] + length.lowest))))
        return found

    def _length_share(self, recipes: Recipes) -> LengthShare | None:
        if all(recipe.model.lacking is None for recipe, _, _ in recipes):
            return None
        with self._lock:
            return self.weights.length_share([(recipe, weight) for recipe, _, weight in recipes])

    def _terms(self, query: QueryInput) -> Mapping[str, float]:
        """A query as weighted terms: a word that is written twice counts twice."""
        terms: Mapping[str, float]
        if isinstance(query, str):
            listed = self.index.analysis.terms(query)
            terms = dict.fromkeys(listed, 1)
            if len(terms) < len(listed):
                terms = Counter(listed)
        else:
            terms = query if isinstance(query, Mapping) else Counter(query)
        if not terms:
            raise InputError("query", "has no term to search for" + (f": {query!r}" if query else ""))
        return terms

    def _recipes(self, how: How) -> Recipes:
        """The recipes for the weights of terms."""
        model, fields, combine, parameters = how
        wanted = MODELS.named(model)
        if fields is None and not parameters and combine == "text":  # as mostly
            usual = self._usual.get(model)
            if usual is None or usual[0][0].model is not wanted:
                usual = self._usual[model] = self._new_recipes(wanted, fields, combine, parameters)
            return usual
        given = tuple(fields.items()) if isinstance(fields, Mapping) else fields if fields is None else tuple(fields)
        key = wanted, fields if isinstance(fields, str) else given, combine, tuple(parameters.items())
        try:
            found = self._known.get(key)
        except TypeError:  # a parameter is a mapping
            return self._new_recipes(wanted, fields, combine, parameters)
        if found is None:
            if len(self._known) >= RECIPES_KEPT:
                self._known = {}
            found = self._known[key] = self._new_recipes(wanted, fields, combine, parameters)
        return found

    def _new_recipes(
        self, model: Model, fields: FieldsInput, combine: Combine, parameters: Mapping[str, Any]
    ) -> Recipes:
        checked_choice("combine", combine, ["text", "scores"])
        weighted = self._weighted(fields)
        if combine == "text":
            return ((Recipe.of(model, parameters, weighted), "", 1.0),)
        return tuple((Recipe.of(model, parameters, {name: 1.0}), name, weight) for name, weight in weighted.items())

    def _weighted(self, fields: FieldsInput) -> dict[str, float]:
        if fields is None:
            fields = self.index.own
        elif isinstance(fields, str):
            fields = [fields]
        named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields, 1.0)
        weighted = {self.index.field(name): float(weight) for name, weight in named.items() if weight}
        if not weighted or min(weighted.values()) < 0:
            raise InputError("fields", "at least one field needs a weight above 0, and no weight may be negative")
        return weighted

    def _vectors(self, queries: Sequence[Mapping[str, float]], recipes: Recipes) -> tuple[list[Vector], Weights]:
        """Queries as numbers of lists, and the lists; missing lists are computed together.

        The lists are a snapshot: another thread may add more, or clear all, before the search ends.
        """
        terms_of_all = list({term: None for terms in queries for term in terms})
        with self._lock:
            numbers = self.weights.numbers([recipe for recipe, _, _ in recipes], terms_of_all)
            weights = self.weights.snapshot()
        factors = [factor for _, _, factor in recipes]
        vectors = []
        for terms in queries:
            lists = [number_of[term] for term in terms for number_of in numbers]
            multipliers = [weight * factor for weight in terms.values() for factor in factors]
            vectors.append(
                Vector(np.array(lists, np.int64), np.array(multipliers, np.float64), float(sum(terms.values())))
            )
        return vectors, weights

    def _checked(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if mask.dtype != np.bool_ or mask.shape != (len(self.index),):
            problem = f"must be {len(self.index)} Boolean values, one per document, got {mask.dtype} {mask.shape}"
            raise InputError("mask", problem)
        return np.ascontiguousarray(mask)


@lru_cache(maxsize=256)
def parse_model(written: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a model written like `bm25(k1=0.9, b=0.4)`.

    >>> parse_model("bm25(k1=0.9, b=0.4)"), parse_model("dph")
    (('bm25', {'k1': 0.9, 'b': 0.4}), ('dph', {}))
    """
    name, given = name_and_options(written, "model", "bm25(k1=0.9, b=0.4)")
    if not given:
        return name, {}
    model = MODELS.named(name)
    return name, typed_options(model.name, given, {option: model.types[option] for option in model.parameters})


# The best documents of queries, by machine code or by NumPy, with results equal to the last bit.
#
# The order is that of `tie_order` in `records/ties.py`: higher score first, equal scores by document id, higher first.
# Every document that has a term of the query is ranked, even with a score of 0 or less.


BYTES_A_POSTING = 0.65  # NumPy adds up a posting in the time in which plain Python reads so many bytes of text
AT_ONCE = 256  # queries whose results share one array


@dataclass(frozen=True)
class Vector:
    """A query as numbers of lists of weights, and the multiplier of each list."""

    lists: NDArray[np.int64]
    multipliers: NDArray[np.float64]
    terms: float = 0.0  # the sum of the weights of the query's terms


EVERY_DOCUMENT = prepared(DocumentFilter(False, np.empty(0, np.uint8), np.empty(0)))
_memory = threading.local()


def rank(
    weights: Weights,
    queries: Sequence[Vector],
    k: int,
    mask: NDArray[np.bool_] | None,
    length: LengthShare | None = None,
) -> list[Ranking]:
    """The k best documents of each query among those the mask allows; `length` is added for each term of the query."""
    size = 0
    if _ranked.engine.kernels is None:  # otherwise the size does not matter
        postings = sum(int(weights.sizes[query.lists].sum()) for query in queries)
        size = int(BYTES_A_POSTING * (postings + len(queries) * len(weights.index)))
    found = _ranked.choose(size)(weights, queries, min(k, len(weights.index)), mask, length)
    if length is None:
        return found
    return [
        Ranking(each.rows, each.scores + query.terms * length.lowest)
        for each, query in zip(found, queries, strict=True)
    ]


def _ranked_plain(
    weights: Weights, queries: Sequence[Vector], k: int, mask: NDArray[np.bool_] | None, length: LengthShare | None
) -> list[Ranking]:
    return [_query_ranked_plain(weights, query, k, mask, length) for query in queries]


def _query_ranked_plain(
    weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None, length: LengthShare | None
) -> Ranking:
    totals = np.full(len(weights.index), -0.0)
    for number, multiplier in zip(query.lists.tolist(), query.multipliers.tolist(), strict=True):
        documents, values = weights.postings(number)
        totals[documents] += multiplier * values + 0.0
    touched = (totals != 0) | ~np.signbit(totals)  # a document without any term still has -0.0
    if length is not None:
        totals[touched] += query.terms * length.above[touched]
    if mask is not None:
        touched &= mask
    rows = np.flatnonzero(touched)
    best = rows[tie_order(totals[rows], weights.index.ranks[rows])[:k]]
    return Ranking(best.astype(np.int32), totals[best])


@compiled_job("leadline.retrieval.models.kernels.rank_documents", plain=_ranked_plain)
def _ranked(
    kernel: Kernel,
    weights: Weights,
    queries: Sequence[Vector],
    k: int,
    mask: NDArray[np.bool_] | None,
    length: LengthShare | None,
) -> list[Ranking]:
    found: list[Ranking] = []
    for start in range(0, len(queries), AT_ONCE):
        found += _batch_ranked(kernel, weights, queries[start : start + AT_ONCE], k, mask, length)
    return found


class _Workspace(NamedTuple):
    """Arrays that the kernel works in, and what they have room for."""

    documents: int
    queries: int
    terms: int  # of all queries
    results: int
    asked: QueryLists
    running: RunningTotals
    bounds: QueryBounds
    candidates: Candidates
    best: BestDocuments


def _workspace(documents: int, queries: int, terms: int, results: int) -> _Workspace:
    """The arrays of this thread, which are used again."""
    known: _Workspace | None = getattr(_memory, "known", None)
    if (
        known is None
        or known.documents < documents
        or known.queries < queries
        or known.terms < terms
        or known.results < results
    ):
        documents, queries, terms, results = (
            max(64, each + each // 4) for each in (documents, queries, terms, results)
        )
        known = _memory.known = _Workspace(
            documents,
            queries,
            terms,
            results,
            asked=prepared(
                QueryLists(
                    offsets=np.zeros(queries + 1, np.int64),
                    lists=np.empty(terms, np.int64),
                    multipliers=np.empty(terms),
                    length_most=np.empty(queries),
                    terms=np.empty(queries),
                )
            ),
            running=prepared(RunningTotals(np.empty(BLOCK + GROUP), np.empty(BINS, np.int32))),
            bounds=prepared(QueryBounds(np.empty(terms), np.empty(terms, np.int64), np.empty(terms, np.uint8))),
            candidates=prepared(
                Candidates(
                    rows=np.empty(documents, np.int32),
                    keys=np.empty(documents, np.uint64),
                    spare_rows=np.empty(documents, np.int32),
                    spare_keys=np.empty(documents, np.uint64),
                )
            ),
            best=prepared(BestDocuments(np.empty(results, np.int32), np.empty(results), np.empty(queries, np.int32))),
        )
    return known


def _batch_ranked(
    kernel: Kernel,
    weights: Weights,
    queries: Sequence[Vector],
    k: int,
    mask: NDArray[np.bool_] | None,
    length: LengthShare | None,
) -> list[Ranking]:
    documents, count = len(weights.index), len(queries)
    work = _workspace(documents + GROUP, count, sum(len(query.lists) for query in queries), count * k)
    asked, best, start = work.asked, work.best, 0
    for number, query in enumerate(queries):
        stop = start + len(query.lists)
        asked.lists[start:stop], asked.multipliers[start:stop] = query.lists, query.multipliers
        asked.offsets[number + 1] = start = stop
        asked.terms[number] = 0.0 if length is None else query.terms
    asked.length_most[:count] = 0.0
    only = EVERY_DOCUMENT
    if length is not None:
        asked.length_most[:count] = np.maximum(0.0, asked.terms[:count] * length.above.max(initial=0.0))
    if mask is not None or length is not None:
        allowed = EVERY_DOCUMENT.allowed if mask is None else mask.view(np.uint8)
        only = DocumentFilter(mask is not None, allowed, only.length if length is None else length.above)
    is_due = kernel(
        count, asked, weights.arrays(), documents, k, only, work.running, work.bounds, work.candidates, best
    )
    if is_due:
        weights.has_spent.set()
    return [
        Ranking(best.rows[q * k : q * k + n].copy(), best.scores[q * k : q * k + n].copy())
        for q, n in enumerate(best.found[:count].tolist())
    ]


def rank_having_all(weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None) -> tuple[Ranking, int]:
    """The k best of the documents that have every term of a query and that the mask allows, and how many they are."""
    size = int(BYTES_A_POSTING * int(weights.sizes[query.lists].sum())) if _ranked_all.engine.kernels is None else 0
    return _ranked_all.choose(size)(weights, query, min(k, len(weights.index)), mask)


def _ranked_all_plain(weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None) -> tuple[Ranking, int]:
    lists = [weights.postings(number) for number in query.lists.tolist()]
    rows = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), (each for each, _ in lists))
    if mask is not None:
        rows = rows[mask[rows]]
    totals = np.full(len(rows), -0.0)
    for (documents, values), multiplier in zip(lists, query.multipliers.tolist(), strict=True):
        totals += multiplier * values[np.searchsorted(documents, rows)] + 0.0
    best = tie_order(totals, weights.index.ranks[rows])[:k]
    return Ranking(rows[best].astype(np.int32), totals[best]), len(rows)


@compiled_job("leadline.retrieval.models.kernels.rank_having_all", plain=_ranked_all_plain)
def _ranked_all(
    kernel: Kernel, weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None
) -> tuple[Ranking, int]:
    documents, terms = len(weights.index), len(query.lists)
    work = _workspace(documents + GROUP, 1, terms, k)
    asked, best = work.asked, work.best
    asked.lists[:terms], asked.multipliers[:terms], asked.offsets[1] = query.lists, query.multipliers, terms
    only = EVERY_DOCUMENT if mask is None else DocumentFilter(True, mask.view(np.uint8), EVERY_DOCUMENT.length)
    found = kernel(asked, weights.arrays(), documents, k, only, work.running, work.bounds, work.candidates, best)
    if found % 2:
        weights.has_spent.set()
    count = int(best.found[0])
    return Ranking(best.rows[:count].copy(), best.scores[:count].copy()), found // 2
