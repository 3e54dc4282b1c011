"""Inventions with their applicants, dates and concepts, as compact arrays: millions fit into memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.class_tree import ClassTree
from leadline.collections.simulate.concepts import GENERAL, OF_GROUP, OF_SUBCLASS, Concepts
from leadline.collections.simulate.randomness import Integers, draw, draw_distinct, generator, offsets, zipf
from leadline.collections.simulate.settings import DE, EP, JP, US, Settings
from leadline.text.days import EPOCH

CLAIMABLE = 14  # concepts of one invention that its claims can name
# Chance that an invention has each concept of its line.
_CORE = np.array([0.80, 0.75, 0.70, 0.65, 0.60, 0.50, 0.45, 0.40])
_FOUNDER = 0.25  # share of a line's inventions that are made by the applicant who began it
_SUBGROUPS = 15  # of a group, independent of the lines
_USUAL_SUBGROUP = 0.6  # share of the inventions in the usual subgroup of their line
_ASIDE = 0.7  # chance of each concept of another line to be disclosed in passing
_HOMES = np.array([US, JP, DE, EP])  # where applicants file first; EP stands for the rest of Europe
_HOME_SHARES = np.array([0.42, 0.26, 0.17, 0.15])


@dataclass(frozen=True)
class Inventions:
    """All inventions in the order of their priority dates. Days are counted from 1970."""

    line: Integers  # the line of work it belongs to
    group: Integers
    subclass: Integers
    subgroup: Integers  # the two digits after the stroke
    priority: Integers
    applicant: Integers
    home: Integers  # the office of first filing, an index into AUTHORITIES
    parent: Integers  # the invention that it continues in part; -1 for most
    claimable: NDArray[np.int32]  # invention × slot: concepts that claims may name, broad ones first; else -1
    starts: Integers  # where the disclosed concepts of each invention begin
    disclosed: NDArray[np.int32]  # ascending within an invention

    def __len__(self) -> int:
        return len(self.line)

    @cached_property
    def years(self) -> Integers:
        """The year of priority."""
        return years_of(self.priority)


def years_of(days: Integers) -> Integers:
    """The calendar years of days.

    >>> years_of(np.array([0, 364, 365, 10957])).tolist()
    [1970, 1970, 1971, 2000]
    """
    return 1970 + (np.datetime64(EPOCH) + days).astype("datetime64[Y]").astype(np.int64)


def first_day(year: int) -> int:
    return int((np.datetime64(f"{year}-01-01") - np.datetime64(EPOCH)).astype(np.int64))


def make_inventions(settings: Settings, tree: ClassTree, concepts: Concepts, count: int) -> Inventions:
    """`count` inventions, made line by line and sorted by priority."""
    rng = generator(settings.seed, "inventions")
    line, priority = _lines(rng, settings, count)
    lines = int(line.max()) + 1
    group_of_line = draw(rng, rng.permutation(zipf(len(tree.groups), 0.6)), lines)
    order = np.argsort(priority, kind="stable")
    line, priority = line[order], priority[order]
    group = group_of_line[line]
    applicant, home_of_applicant = _applicants(rng, tree.subclass_of_group[group], len(tree.subclasses))
    founder = np.unique(line, return_index=True)[1]
    applicant = np.where(rng.random(count) < _FOUNDER, applicant[founder[line]], applicant)
    parent = _continued(rng, settings, line, priority)
    for child in np.flatnonzero(parent >= 0):  # in ascending order, so that a parent already has its final applicant
        applicant[child] = applicant[parent[child]]
    profile = _profiles(rng, tree, concepts, group_of_line)
    claimable = _claimable(rng, tree, concepts, line, group, profile)
    asides = _asides(rng, settings, group_of_line, group, profile)
    starts, disclosed = _disclosed(rng, tree, concepts, group, claimable, asides, parent)
    return Inventions(
        line=line,
        group=group,
        subclass=tree.subclass_of_group[group],
        subgroup=_subgroups(rng, line),
        priority=priority,
        applicant=applicant,
        home=home_of_applicant[applicant],
        parent=parent,
        claimable=claimable,
        starts=starts,
        disclosed=disclosed,
    )


def _lines(rng: np.random.Generator, settings: Settings, count: int) -> tuple[Integers, Integers]:
    """The line of work of each invention, and the priority dates.

    Lines start at random, later years more likely, and their inventions become rarer with time. Inventions outside the
    period are left out, as in any collection.
    """
    low, high = settings.first_year, settings.last_year - 1
    early = low - int(4 * settings.line_years)
    starts = np.arange(early, high)
    likely = np.exp(settings.growth * (starts - early))
    factor = 2
    while True:
        sizes = rng.geometric(1 / settings.line_size, factor * int(count / settings.line_size + 10))
        start = starts[draw(rng, likely, len(sizes))] + rng.random(len(sizes))
        line = np.repeat(np.arange(len(sizes)), sizes)
        year = start[line] + rng.exponential(settings.line_years, len(line))
        inside = np.flatnonzero((year >= low) & (year < high))[:count]
        if len(inside) == count:
            break
        factor *= 2
    days = np.floor(first_day(low) + (year[inside] - low) * 365.25).astype(np.int64)
    return np.unique(line[inside], return_inverse=True)[1], days


def _applicants(rng: np.random.Generator, subclass: Integers, subclasses: int) -> tuple[Integers, Integers]:
    """The applicant of each invention, and the home office of each applicant.

    A subclass has a few large applicants and many small ones. One in six inventions is that of a conglomerate;
    conglomerates have the first numbers and work in all subclasses.
    """
    sizes = np.bincount(subclass, minlength=subclasses)
    firms = np.maximum(3, sizes // 12)
    conglomerates = max(3, len(subclass) // 400)
    first = conglomerates + offsets(firms)[:-1]
    rank = (firms[subclass] + 1.0) ** rng.random(len(subclass)) - 1  # density 1 / (rank + 1): Zipf's law for any size
    applicant = first[subclass] + rank.astype(np.int64)
    large = rng.random(len(subclass)) < 1 / 6
    applicant[large] = draw(rng, zipf(conglomerates, 0.7), int(large.sum()))
    home = _HOMES[draw(rng, _HOME_SHARES, conglomerates + int(firms.sum()))]
    return applicant, home


def _subgroups(rng: np.random.Generator, line: Integers) -> Integers:
    """The two digits after the stroke: usually those of the line, since people do not always classify alike."""
    usual = rng.integers(0, _SUBGROUPS, int(line.max()) + 1)[line]
    return 2 + 2 * np.where(rng.random(len(line)) < _USUAL_SUBGROUP, usual, rng.integers(0, _SUBGROUPS, len(line)))


def _continued(rng: np.random.Generator, settings: Settings, line: Integers, priority: Integers) -> Integers:
    """The invention that each one continues, or -1: the one before it in its line, at most three years older."""
    order = np.lexsort((np.arange(len(line)), line))
    before = np.full(len(line), -1)
    same = line[order[1:]] == line[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    near = (before >= 0) & (priority - priority[before] < 3 * 365) & (priority - priority[before] > 30)
    chance = settings.continuations / max(near.mean(), settings.continuations)
    return np.where(near & (rng.random(len(line)) < chance), before, -1)


def _profiles(rng: np.random.Generator, tree: ClassTree, concepts: Concepts, group_of_line: Integers) -> Integers:
    """The concepts of each line of work: some of its group, some of its subclass, and a general one."""
    subclass, lines = tree.subclass_of_group[group_of_line], len(group_of_line)
    own = concepts.place(OF_GROUP, group_of_line, draw_distinct(rng, concepts.popularity(OF_GROUP), lines, 5))
    wider = concepts.place(OF_SUBCLASS, subclass, draw_distinct(rng, concepts.popularity(OF_SUBCLASS), lines, 2))
    anywhere = concepts.draw(rng, GENERAL, group_of_line, 1)
    return rng.permuted(np.concatenate([own, wider, anywhere], axis=1), axis=1)


def _asides(
    rng: np.random.Generator, settings: Settings, group_of_line: Integers, group: Integers, profile: Integers
) -> Integers:
    """Concepts that some inventions disclose in passing: most concepts of another line of their group.

    Such documents are prior art to that line, although their texts are mostly about something else.
    """
    order = np.argsort(group_of_line, kind="stable")
    begin = offsets(np.bincount(group_of_line, minlength=int(group.max()) + 1))
    other = order[begin[group] + (rng.random(len(group)) * np.diff(begin)[group]).astype(np.int64)]
    taken = rng.random((len(group), profile.shape[1])) < _ASIDE
    taken &= rng.random((len(group), 1)) < settings.asides
    return np.where(taken, profile[other], -1)


def _claimable(
    rng: np.random.Generator,
    tree: ClassTree,
    concepts: Concepts,
    line: Integers,
    group: Integers,
    profile: Integers,
) -> NDArray[np.int32]:
    """The concepts that claims may name: most of those of the line, then new ones, the broad ones first."""
    count = len(line)
    core = np.where(rng.random((count, len(_CORE))) < _CORE, profile[line], -1)
    new = [
        concepts.draw(rng, OF_GROUP, group, 3),
        concepts.draw(rng, OF_SUBCLASS, tree.subclass_of_group[group], 2),
        concepts.draw(rng, GENERAL, group, 1),
    ]
    wanted = rng.integers(1, 7, count)
    fresh = rng.permuted(np.concatenate(new, axis=1), axis=1)
    fresh = np.where(np.arange(6) < wanted[:, None], fresh, -1)
    found = _without_repeats(np.concatenate([core, fresh], axis=1))
    keys = rng.random(found.shape) + 0.35 * (np.arange(found.shape[1]) >= len(_CORE)) + 9 * (found < 0)
    return np.asarray(np.take_along_axis(found, np.argsort(keys, axis=1), axis=1)[:, :CLAIMABLE], np.int32)


def _without_repeats(rows: Integers) -> Integers:
    """The rows with repeated numbers replaced by -1.

    >>> _without_repeats(np.array([[3, 5, 3, -1, 5]])).tolist()
    [[3, 5, -1, -1, -1]]
    """
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    ordered[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = -1
    kept = np.empty_like(rows)
    np.put_along_axis(kept, order, ordered, axis=1)
    return kept


def _disclosed(
    rng: np.random.Generator,
    tree: ClassTree,
    concepts: Concepts,
    group: Integers,
    claimable: NDArray[np.int32],
    asides: Integers,
    parent: Integers,
) -> tuple[Integers, NDArray[np.int32]]:
    """All concepts that a description discloses: claimable ones, others, and those that its parent could claim."""
    count = len(group)
    elsewhere = rng.integers(0, len(tree.groups), count)  # one concept is from another field
    besides = np.concatenate(
        [
            concepts.draw(rng, OF_GROUP, group, 5),
            concepts.draw(rng, OF_SUBCLASS, tree.subclass_of_group[group], 3),
            concepts.draw(rng, OF_GROUP, elsewhere, 1),
            concepts.draw(rng, GENERAL, group, 2),
        ],
        axis=1,
    )
    besides = rng.permuted(besides, axis=1)
    besides[np.arange(besides.shape[1]) >= rng.integers(3, besides.shape[1] + 1, count)[:, None]] = -1
    inherited = np.where(parent[:, None] >= 0, claimable[parent], -1)
    rows = np.sort(np.concatenate([claimable, besides, asides, inherited], axis=1).astype(np.int32), axis=1)
    fresh = np.ones(rows.shape, bool)
    fresh[:, 1:] = rows[:, 1:] != rows[:, :-1]
    kept = fresh & (rows >= 0)
    return offsets(kept.sum(axis=1)), rows[kept]
