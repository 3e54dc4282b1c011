"""The true prior art: earlier inventions that disclose the concepts of a claim. Examiners find only a part of it.

A claim is a set of concepts, and each concept weighs log2(inventions ÷ inventions that disclose it) bits. An earlier
invention that discloses the whole claim anticipates it (grade 2); one that discloses enough of its weight is relevant
to it (grade 1). For a whole patent, grade 2 means to anticipate an independent claim, grade 1 to be relevant to any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.claim_concepts import SLOTS, ClaimSets
from leadline.collections.simulate.inventions import CLAIMABLE, Inventions
from leadline.collections.simulate.randomness import Array, Integers, offsets, places_within

_BLOCK = 2048  # inventions compared at a time: limits the memory and does not change the result
_COMMON = 800  # a concept that more inventions disclose is common: its list is not searched
_ROUNDING = 1e-9


@dataclass(frozen=True)
class PriorArtPairs:
    """Pairs of an invention and an earlier one that is prior art to it, ordered by both."""

    invention: Integers
    earlier: Integers
    grade: NDArray[np.int8]
    matched: NDArray[np.uint16]  # which of the invention's claimable concepts the earlier one discloses, as bits

    def __len__(self) -> int:
        return len(self.invention)


class _Query(NamedTuple):
    """Inventions whose prior art is searched, and their claims as matrices of invention × claim number."""

    rows: Integers
    concepts: Integers  # invention × slot
    weights: Array  # invention × slot
    counts: Integers  # of claims
    parents: NDArray[np.int8]
    named: NDArray[np.uint16]  # the concepts of each claim as bits; 0 when there is no such claim
    needed: Array  # the weight of each claim


class PriorArtFinder:
    """Finds prior art through an inverted index from concepts to the inventions that disclose them."""

    def __init__(
        self, inventions: Inventions, claims: ClaimSets, published: Integers, concepts: int, enough: float
    ) -> None:
        self.inventions, self.claims, self.enough = inventions, claims, enough
        self.published = published  # the day of the first publication of each invention
        count = len(inventions)
        owner = np.repeat(np.arange(count), np.diff(inventions.starts))
        self.frequency = np.bincount(inventions.disclosed, minlength=concepts)
        self.information: Array = np.log2(count / np.maximum(self.frequency, 1))
        order = np.argsort(inventions.disclosed, kind="stable")  # keeps the order of time within a concept
        self.lists = owner[order]
        self.list_starts = offsets(self.frequency)
        self.keys = inventions.disclosed[order].astype(np.int64) * count + self.lists

    def pairs(self, progress: Callable[[int, int], None] | None = None) -> PriorArtPairs:
        """All prior art of all inventions. `progress` gets the number of inventions done and their total."""
        blocks = []
        for first in range(0, len(self.inventions), _BLOCK):
            if progress is not None:
                progress(first, len(self.inventions))
            query = self._query(np.arange(first, min(first + _BLOCK, len(self.inventions))))
            place, earlier, matched = self._candidates(query)
            grade = np.zeros(len(place), np.int8)
            for number, chosen, grades in self._by_claim(query, place, matched):
                dependent = query.parents[place[chosen], number - 1] > 0
                grade[chosen] = np.maximum(grade[chosen], np.where(dependent, np.minimum(grades, 1), grades))
            kept = grade > 0
            blocks.append((query.rows[place[kept]], earlier[kept], grade[kept], matched[kept]))
        return PriorArtPairs(*(np.concatenate(column) for column in zip(*blocks, strict=True)))

    def by_claim(self, rows: Integers) -> Iterator[tuple[int, Integers, Integers, NDArray[np.int8]]]:
        """For each claim number, all its pairs: the index into `rows`, the earlier invention, the grade."""
        query = self._query(rows)
        place, earlier, matched = self._candidates(query)
        for number, chosen, grades in self._by_claim(query, place, matched):
            kept = grades > 0
            yield number, place[chosen[kept]], earlier[chosen[kept]], grades[kept]

    def _query(self, rows: Integers) -> _Query:
        counts = self.claims.counts[rows]
        numbers = np.arange(int(counts.max(initial=0)))
        at = self.claims.starts[rows][:, None] + np.minimum(numbers, counts[:, None] - 1)
        named = np.where(numbers < counts[:, None], self.claims.concepts[at], 0).astype(np.uint16)
        concepts = self.inventions.claimable[rows].astype(np.int64)
        weights = np.where(concepts >= 0, self.information[np.maximum(concepts, 0)], 0.0)
        needed = np.einsum("rcs,rs->rc", _bit_array(named), weights)
        return _Query(rows, concepts, weights, counts, self.claims.parent[at], named, needed)

    def _by_claim(
        self, query: _Query, place: Integers, matched: NDArray[np.uint16]
    ) -> Iterator[tuple[int, Integers, NDArray[np.int8]]]:
        """For each claim number: the candidates of inventions that have this claim, and their grades."""
        found = _bit_array(matched) * query.weights[place]
        for number in range(1, query.named.shape[1] + 1):
            chosen = np.flatnonzero(query.counts[place] >= number)
            at = place[chosen]
            named = query.named[at, number - 1]
            held = (found[chosen] * _bit_array(named)).sum(axis=1)
            relevant = held >= self.enough * query.needed[at, number - 1] - _ROUNDING
            whole = (matched[chosen] & named) == named
            yield number, chosen, np.maximum(whole * 2, relevant).astype(np.int8)

    def _candidates(self, query: _Query) -> tuple[Integers, Integers, NDArray[np.uint16]]:
        """Earlier inventions that could be prior art: index in the query, the earlier one, the concepts in common.

        Lists of common concepts are long and weigh little. They are not searched when such concepts alone are not
        enough for any claim; whether a candidate has them is looked up afterwards.
        """
        count = len(self.inventions)
        common = self.frequency[np.maximum(query.concepts, 0)] > _COMMON
        held = np.einsum("rcs,rs->rc", _bit_array(query.named), query.weights * common)
        alone = (held >= self.enough * query.needed - _ROUNDING) & (query.needed > 0)
        searched = (query.concepts >= 0) & (~common | alone.any(axis=1)[:, None])
        place, slot = np.nonzero(searched)
        key = query.concepts[place, slot]
        begin = self.list_starts[key]
        before = np.searchsorted(self.keys, key * count + query.rows[place]) - begin  # lists are in the order of time
        earlier = self.lists[np.repeat(begin, before) + places_within(before)]
        known = self.published[earlier] <= np.repeat(self.inventions.priority[query.rows[place]], before)
        found = (np.repeat(place, before)[known] * count + earlier[known]) * CLAIMABLE + np.repeat(slot, before)[known]
        found.sort()
        pair, bit = found // CLAIMABLE, (1 << (found % CLAIMABLE)).astype(np.uint16)
        first = np.flatnonzero(np.diff(pair, prepend=-1))
        if not len(first):
            return first, first, bit
        held = np.add.reduceat(query.weights[pair // count, found % CLAIMABLE], first)
        least = self.enough * np.where(query.needed > 0, query.needed, np.inf).min(axis=1) - 2 * _ROUNDING
        unseen = (query.weights * ~searched).sum(axis=1)
        matched = np.bitwise_or.reduceat(bit, first)
        place, earlier = pair[first] // count, pair[first] % count
        kept = held + unseen[place] >= least[place]  # enough for the lightest claim
        return place[kept], earlier[kept], self._with_common(query, searched, place[kept], earlier[kept], matched[kept])

    def _with_common(
        self,
        query: _Query,
        searched: NDArray[np.bool_],
        place: Integers,
        earlier: Integers,
        matched: NDArray[np.uint16],
    ) -> NDArray[np.uint16]:
        """The concepts in common, with those whose lists were not searched."""
        for slot in range(CLAIMABLE):
            asked = np.flatnonzero((query.concepts[place, slot] >= 0) & ~searched[place, slot])
            key = query.concepts[place[asked], slot] * len(self.inventions) + earlier[asked]
            there = self.keys[np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)] == key
            matched[asked[there]] |= np.uint16(1 << slot)
        return matched


def _bit_array(bits: NDArray[np.uint16]) -> Array:
    """Bits as numbers 0 and 1 along a last axis."""
    return ((bits[..., None] >> SLOTS.astype(np.uint16)) & 1).astype(np.float64)
