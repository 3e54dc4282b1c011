"""The best documents of a query in one foreign call, with the results of the search by lists to the last bit.

That is for formulas of which the search computes the weights (`Saturation`), over one field or several as one text, and
for queries without terms of their own: all others are searched by lists, and so is everything without machine code.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.retrieval.mapped.kernel_arguments import Plans
from leadline.retrieval.mapped.plans import QueryPlan, WeighedList, plan_of, words_for
from leadline.retrieval.models.ranking import CountedRanking, Ranking
from leadline.retrieval.models.weights import Recipe, Weights
from leadline.retrieval.one_call.kernel_arguments import (
    ABSENT,
    COLD,
    COUNTED_ONLY,
    KEEP_FIRST,
    MATCHES,
    MISSING,
    MOST_SAID,
    NO_FACTOR,
    NOT_COUNTED,
    SAID_FROM,
    TERMS_PRUNED_IN_ONE_CALL,
    WANTED,
)
from leadline.retrieval.one_call.workspace import Workspace, workspace
from leadline.text.engine import Kernel, compiled_job, prepared
from leadline.text.fields import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    ByLists = Callable[[Sequence[Mapping[str, float]]], list[Ranking]]

Recipes = tuple[tuple[Recipe, str, float], ...]  # one, or one for each field with the field's name and weight

PLANS_KEPT = 8  # each has two numbers for every document
BYTES_A_DOCUMENT = 0.65  # NumPy adds up a posting in the time in which plain Python reads so many bytes of text
POSTINGS_KEPT = 20_000_000  # of long lists that are asked for again: 12 bytes each, so 240 MB in all
# Above so many documents the search by lists takes less time: it leaves out terms that cannot lift a document among the
# best, which one call does for short queries alone. Measured at 20 000 and at 200 000, where three words take 505 µs in
# one call and 526 by lists over the first 120 queries of a process, and 280 and 398 over the next 120.
MOST_DOCUMENTS = 60_000
MOST_DOCUMENTS_OF_SHORT = 400_000
TIMES_COLD = 8  # so many times more postings must be read anew before other lists may take their place
TRIES = 3  # a query with more terms than factors are asked for at a time is asked again


class Wanted(NamedTuple):
    """What is wanted for the terms of queries."""

    recipes: Recipes  # that are added up
    k: int
    mask: NDArray[np.bool_] | None = None  # of the documents that may be found
    counted: bool = False  # whether the documents that have a term are counted, too


class PlannedQuery(NamedTuple):
    """The plans of a query, and the factor of each."""

    plans: Sequence[QueryPlan]
    addresses: Plans
    factors: Sequence[float]
    stride: int
    room: int  # documents


class OneCall:
    """Ranks documents of an index in one foreign call a query."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._lock = Lock()
        self._plans: dict[Recipe, QueryPlan | None] = {}
        self._known: dict[Recipes, PlannedQuery | None] = {}
        self._latest: tuple[Recipes, PlannedQuery | None] = (), None  # mostly the next query is for the same recipes
        self._kept = self._read = 0  # postings that are kept, and that were read anew since they were as many as may be

    def best(self, queries: Sequence[Mapping[str, float]], wanted: Wanted, by_lists: ByLists) -> list[CountedRanking]:
        """The best documents of each query; `by_lists` finds them where this does not.

        If they are counted, the number is that of the documents that have a term and that the mask allows.
        """
        documents = len(self.weights.index)
        if documents > MOST_DOCUMENTS:
            is_short = all(len(terms) <= TERMS_PRUNED_IN_ONE_CALL for terms in queries)
            if documents > MOST_DOCUMENTS_OF_SHORT or not is_short:
                return _ranked_by_lists(self, queries, wanted, by_lists)
        size = 0
        if _ranked.engine.kernels is None:  # otherwise the size does not matter
            size = int(BYTES_A_DOCUMENT * documents) * sum(map(len, queries))
        return _ranked.choose(size)(self, queries, wanted, by_lists)

    def prepared(self, recipes: Recipes) -> PlannedQuery | None:
        """What queries with these recipes need; None where one of them is for lists."""
        latest, known = self._latest
        if latest is recipes:
            return known
        with self._lock:
            if recipes not in self._known:
                if len(self._plans) + len(recipes) > PLANS_KEPT:
                    self._forget()
                self._known[recipes] = self._made(recipes)
            self._latest = recipes, self._known[recipes]
            return self._latest[1]

    def _forget(self) -> None:
        """Begin anew. Searches that are under way hold what they use."""
        self._plans, self._known, self._latest, self._kept, self._read = {}, {}, ((), None), 0, 0

    @property
    def has_room(self) -> bool:
        """Whether more lists may be kept."""
        return self._kept < POSTINGS_KEPT

    def keep_lists(self, known: PlannedQuery, terms: Sequence[str], work: Workspace) -> None:
        """Keep lists that a query said are worth it, within POSTINGS_KEPT."""
        said, stride = work.said, known.stride
        wanted = said[SAID_FROM + MOST_SAID : SAID_FROM + MOST_SAID + int(said[WANTED])].tolist()
        cold, asked = int(said[COLD]), []
        for entry in wanted:
            numbers = work.found_numbers[entry * stride : (entry + 1) * stride].tolist()
            plan = known.plans[entry % len(known.plans)]
            record = next(place for place in range(plan.records) if numbers[place] >= 0)
            asked.append((plan, terms[entry // len(known.plans)], record, numbers[record]))
        for plan, term, record, number in asked:
            if not self.has_room:
                break
            weighed = _weighed.choose(0)(self.weights, plan, term)
            with self._lock:
                if not plan.kept_lists[record][number]:
                    self._kept += plan.keep(record, number, weighed)
        if not self.has_room:
            with self._lock:
                self._read += cold
                if self._read > TIMES_COLD * POSTINGS_KEPT:
                    self._forget()

    def _made(self, recipes: Recipes) -> PlannedQuery | None:
        plans = []
        for recipe, _, _ in recipes:
            if recipe not in self._plans:
                self._plans[recipe] = plan_of(self.weights, recipe)
            plan = self._plans[recipe]
            if plan is None:
                return None
            plans.append(plan)
        return PlannedQuery(
            plans,
            prepared(Plans(len(plans), np.array([plan.address for plan in plans], np.int64))),
            [factor for _, _, factor in recipes],
            stride=max(plan.records for plan in plans),
            room=max(plan.room for plan in plans),
        )


def _ranked_by_lists(
    one_call: OneCall, queries: Sequence[Mapping[str, float]], wanted: Wanted, by_lists: ByLists
) -> list[CountedRanking]:
    return [CountedRanking(each, None) for each in by_lists(queries)]


@compiled_job("leadline.retrieval.one_call.kernels.rank_query", plain=_ranked_by_lists)
def _ranked(
    kernel: Kernel, one_call: OneCall, queries: Sequence[Mapping[str, float]], wanted: Wanted, by_lists: ByLists
) -> list[CountedRanking]:
    known = one_call.prepared(wanted.recipes)
    if known is None:
        return _ranked_by_lists(one_call, queries, wanted, by_lists)
    counted = int(wanted.counted)
    found: list[CountedRanking] = []
    for terms in queries:
        best = _query_ranked(kernel, one_call, known, terms, wanted, counted)
        found.append(CountedRanking(by_lists([terms])[0], None) if best is None else best)
    return found


def _query_ranked(
    kernel: Kernel, one_call: OneCall, known: PlannedQuery, terms: Mapping[str, float], wanted: Wanted, counted: int
) -> CountedRanking | None:
    """The best documents of a query, and what the kernel counted; None where it is one for lists."""
    index, mask = one_call.weights.index, wanted.mask
    k, address = min(wanted.k, len(index)), 0 if mask is None else mask.ctypes.data
    try:
        content = "\0".join(terms).encode()
    except UnicodeEncodeError:
        return None
    if not index.are_stored(content.split(b"\0")):
        return None
    plans, count, size = len(known.plans), len(terms), len(content) + 1
    work = workspace(known.room, count * plans * known.stride, size)
    work.text[:size] = content + b"\0"
    # A multiplier of -0.0 would make totals of documents that lack its term.
    multipliers = [weight + 0.0 for weight in terms.values()]
    if plans > 1 or known.factors[0] != 1.0:
        multipliers = [weight * factor for weight in multipliers for factor in known.factors]
    struct.pack_into(f"{count * plans}d", work.multipliers, 0, *multipliers)
    uses = KEEP_FIRST if one_call.has_room else COUNTED_ONLY
    for _ in range(TRIES):
        found = kernel(known.addresses, work.addresses, count, size, known.stride, k, address, counted, uses)
        if found == KEEP_FIRST:
            one_call.keep_lists(known, list(terms), work)
            work.text[:size] = content + b"\0"  # lists are made in the same arrays
            struct.pack_into(f"{count * plans}d", work.multipliers, 0, *multipliers)
            uses = NOT_COUNTED
            found = kernel(known.addresses, work.addresses, count, size, known.stride, k, address, counted, uses)
        if found >= 0:
            best = Ranking(work.rows[:found].copy(), work.scores[:found].copy())
            answer = CountedRanking(best, work.told[MATCHES] if counted else None, not work.told[ABSENT])
            if work.told[WANTED]:
                one_call.keep_lists(known, list(terms), work)
            return answer
        if found != NO_FACTOR:
            work.clear()
            break
        missing = distinct(work.said[SAID_FROM : SAID_FROM + int(work.said[MISSING])])
        for plan in known.plans:
            plan.add_factors(missing)
    return None


def _weighed_plain(weights: Weights, plan: QueryPlan, term: str) -> WeighedList:
    (numbers,) = weights.numbers([plan.recipe], [term])
    documents, values = weights.postings(numbers[term])
    return WeighedList.of(documents.astype(np.int32), values, len(weights.index))


@compiled_job("leadline.retrieval.one_call.kernels.weigh_list", plain=_weighed_plain)
def _weighed(kernel: Kernel, weights: Weights, plan: QueryPlan, term: str) -> WeighedList:
    """The documents that have a term, in arrays of this thread that the next query uses again."""
    content = term.encode() + b"\0"
    work = workspace(plan.room, plan.records, len(content))
    work.text[: len(content)] = content
    addresses = Plans(1, np.array([plan.address], np.int64))
    count = kernel(addresses, work.addresses, len(content), plan.records, work.list_bits, work.list_before)
    if count < 0:
        work.clear()
        return _weighed_plain(weights, plan, term)
    words = words_for(count, len(weights.index))
    return WeighedList(work.rows[:count], work.scores[:count], work.list_bits[:words], work.list_before[:words])
