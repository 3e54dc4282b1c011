"""Inventions with their dates, classes and concepts, also by claim; and repeatable random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leadline.collections.simulate.settings import DE, EP, JP, US, Settings
from leadline.text.days import EPOCH

# Repeatable random numbers: generators by name, and hashes of keys. Also helpers for runs of consecutive items.


Integers = NDArray[np.int64]
Array = NDArray[np.float64]


def generator(seed: int, *path: str | int) -> np.random.Generator:
    """A random generator for one purpose and block, so that no part of the office depends on another's draws.

    >>> int(generator(1, "texts", 7).integers(1000)) == int(generator(1, "texts", 7).integers(1000))
    True
    """
    key = tuple(crc32(step.encode()) if isinstance(step, str) else step for step in path)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def hashed(*keys: ArrayLike) -> NDArray[np.uint64]:
    """A well-mixed 64-bit number for each combination of keys (Steele, Lea and Flood's SplitMix, chained).

    It gives random properties to millions of pairs, such as an applicant's name for a concept, without storing them.
    """
    with np.errstate(over="ignore"):
        state: NDArray[np.uint64] = np.full((), 0x9E3779B97F4A7C15, np.uint64)
        for key in keys:
            state = state ^ np.asarray(key).astype(np.uint64)
            state = state + np.uint64(0x9E3779B97F4A7C15)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state = state ^ (state >> np.uint64(31))
    return np.asarray(state)


def hashed_uniform(*keys: ArrayLike) -> Array:
    """A uniform number from [0, 1) for each combination of keys.

    >>> bool((hashed_uniform(1, np.arange(1000)) < 0.5).mean().round(1) == 0.5)
    True
    """
    return (hashed(*keys) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def zipf(count: int, exponent: float = 1.0) -> Array:
    """Probabilities proportional to rank ** -exponent."""
    weights = np.arange(1, count + 1) ** -exponent
    return np.asarray(weights / weights.sum())


def draw(rng: np.random.Generator, probabilities: Array, size: Any) -> Integers:
    """Random indices with these probabilities; faster than `rng.choice`."""
    cumulative = np.cumsum(probabilities)
    found = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.minimum(found, len(probabilities) - 1)


def draw_distinct(rng: np.random.Generator, probabilities: Array, rows: int, count: int) -> Integers:
    """For each row `count` different indices, drawn without replacement with these probabilities (Gumbel's trick).

    >>> draw_distinct(generator(1), zipf(9), 1000, 3).shape
    (1000, 3)
    """
    keys = np.log(probabilities) + rng.gumbel(size=(rows, len(probabilities)))
    return np.argsort(-keys, axis=1)[:, :count]


def places_within(counts: NDArray[Any]) -> Integers:
    """0, 1, ... within each of consecutive runs of these lengths.

    >>> places_within(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    counts = np.asarray(counts, np.int64)
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def offsets(counts: NDArray[Any]) -> Integers:
    """The start of each of consecutive runs with these lengths, and the end of the last."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


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
    found = np.concatenate([claimable, besides, asides, inherited], axis=1)
    with_parts = concepts.implied(found)
    found = found if with_parts is None else np.concatenate([found, with_parts], axis=1)
    rows = np.sort(found.astype(np.int32), axis=1)
    fresh = np.ones(rows.shape, bool)
    fresh[:, 1:] = rows[:, 1:] != rows[:, :-1]
    kept = fresh & (rows >= 0)
    return offsets(kept.sum(axis=1)), rows[kept]


# The classification of the simulated office: sections, classes, subclasses and main groups in the style of the IPC.


SECTIONS = "ABCDEFGH"
CHEMICAL = (0.35, 0.10, 0.80, 0.30, 0.05, 0.05, 0.15, 0.10)  # share of the concepts that are substances, by section


@dataclass(frozen=True)
class ClassTree:
    """The tree as arrays: each level points at the one above."""

    section_of_class: Integers
    class_of_subclass: Integers
    subclass_of_group: Integers
    classes: tuple[str, ...]  # "C07"
    subclasses: tuple[str, ...]  # "C07D"
    groups: tuple[str, ...]  # "C07D401"

    @property
    def section_of_subclass(self) -> Integers:
        return self.section_of_class[self.class_of_subclass]

    def symbol(self, group: int, subgroup: int) -> str:
        """A whole symbol, such as C07D401/04."""
        return f"{self.groups[group]}/{subgroup:02d}"


def make_class_tree(seed: int, groups: int) -> ClassTree:
    """A tree with this many main groups. Subclasses grow slower than groups.

    >>> tree = make_class_tree(seed=1, groups=1000)
    >>> len(tree.groups), len(tree.subclasses), len(tree.classes)
    (1000, 501, 145)
    """
    rng = generator(seed, "classes")
    subclasses = max(1, round(groups**0.9))
    classes = max(1, round(subclasses**0.8))
    sections = np.sort([SECTIONS.index(letter) for letter in "CAGHBFDE"[:classes]])  # a small office keeps chemistry
    section_of_class = sections[np.sort(_spread(rng, classes, len(sections), 0.3))]
    class_of_subclass = np.sort(_spread(rng, subclasses, classes, 0.5))
    subclass_of_group = np.sort(_spread(rng, groups, subclasses, 0.7))
    class_names = _child_names(rng, section_of_class, list(SECTIONS), [f"{n:02d}" for n in range(1, 100)])
    subclass_names = _child_names(rng, class_of_subclass, class_names, list("BCDEFGHJKLMNPQRSTVWXYZ"))
    group_names = _child_names(rng, subclass_of_group, subclass_names, [str(n) for n in range(1, 1000, 2)])
    names = tuple(class_names), tuple(subclass_names), tuple(group_names)
    return ClassTree(section_of_class, class_of_subclass, subclass_of_group, *names)


def _spread(rng: np.random.Generator, count: int, parents: int, exponent: float) -> Integers:
    """A parent for each of `count` children: one child for every parent, the others by Zipf's law in random order."""
    parents = min(parents, count)
    rest = draw(rng, rng.permutation(zipf(parents, exponent)), count - parents)
    return np.concatenate([np.arange(parents), rest])


def _child_names(rng: np.random.Generator, parent: Integers, above: list[str], marks: list[str]) -> list[str]:
    """Names of children: the parent's name and a mark. Marks ascend with gaps, as in a real classification."""
    sizes = np.bincount(parent, minlength=len(above))
    names = []
    for size, place in zip(sizes[parent], places_within(sizes[sizes > 0]), strict=True):
        if place == 0:
            chosen = np.sort(rng.permutation(max(min(2 * size, len(marks)), 1))[:size])
        names.append(str(marks[chosen[place]] if size <= len(marks) else f"{place + 1}"))
    return [above[p] + name for p, name in zip(parent, names, strict=True)]


# The concepts that inventions consist of: general ones, those of one subclass, and mostly those of one group.


GENERAL, OF_SUBCLASS, OF_GROUP = range(3)
MAX_FORMS = 6
_POPULARITY = 0.6  # Zipf's exponent within a pool: the most popular concept is in one of ten inventions


@dataclass(frozen=True)
class Concepts:
    """All concepts, numbered pool by pool: the general ones, those of each subclass, those of each group."""

    level: NDArray[np.int8]
    owner: Integers  # the subclass or group it belongs to; -1 for a general one
    section: Integers  # -1 for a general one
    substance: NDArray[np.bool_]  # whether it is a chemical, which has a registry number
    forms: Integers  # how many names it has
    sizes: tuple[int, int, int]  # of a pool, by level
    starts: tuple[int, int, int]  # where the pools of each level begin

    def __len__(self) -> int:
        return len(self.level)

    def draw(self, rng: np.random.Generator, level: int, owners: Integers, count: int) -> Integers:
        """`count` random concepts from the pool of each owner, popular ones more often; repeats are possible."""
        places = draw(rng, self.popularity(level), (len(owners), count))
        return self.place(level, owners, places)

    def place(self, level: int, owners: Integers, places: Integers) -> Integers:
        """The concepts at these places of the owners' pools."""
        first = self.starts[level] + (0 if level == GENERAL else owners * self.sizes[level])
        return np.asarray(places + np.reshape(first, (-1, 1)))

    def implied(self, disclosed: Integers) -> Integers | None:
        """What whoever discloses these concepts discloses with them; -1 where that is nothing more."""
        return None

    def styled(self, settings: Settings, applicant: Integers, concept: Integers, form: Integers) -> Integers:
        """The form that an applicant uses, where it has a style beside its preference for each concept."""
        return form

    def popularity(self, level: int) -> Array:
        return zipf(self.sizes[level], _POPULARITY)


def make_concepts(settings: Settings, tree: ClassTree) -> Concepts:
    """All concepts of an office with this classification."""
    sizes = (settings.general_concepts, settings.subclass_concepts, settings.group_concepts)
    pools = (1, len(tree.subclasses), len(tree.groups))
    counts = [size * pool for size, pool in zip(sizes, pools, strict=True)]
    level = np.repeat(np.arange(3, dtype=np.int8), counts)
    owner = np.concatenate([np.repeat(np.arange(pool), size) for size, pool in zip(sizes, pools, strict=True)])
    owner[level == GENERAL] = -1
    subclass = np.where(level == OF_GROUP, tree.subclass_of_group[owner * (level == OF_GROUP)], owner)
    section = np.where(level == GENERAL, -1, tree.section_of_subclass[np.maximum(subclass, 0)])
    number = np.arange(len(level))
    likely = np.where(section < 0, 0.1, np.array(CHEMICAL)[section])
    forms = 2 + np.searchsorted([0.2, 0.6], hashed_uniform(settings.seed, 11, number))  # two to four names
    starts = (0, counts[0], counts[0] + counts[1])
    return Concepts(level, owner, section, hashed_uniform(settings.seed, 12, number) < likely, forms, sizes, starts)


def preferred_form(
    settings: Settings, concepts: Concepts, applicant: Integers, concept: Integers, year: Integers
) -> Integers:
    """The form that an applicant uses for a concept, which depends on house style and on the year.

    A concept's names differ in popularity, and for half of the concepts the order changes in some year: older documents
    use other names.
    """
    weights = settings.synonymy ** np.arange(MAX_FORMS)
    cumulative = np.cumsum(weights)
    forms = concepts.forms[concept]
    drawn = hashed_uniform(settings.seed, 13, applicant, concept) * cumulative[forms - 1]
    place = np.searchsorted(cumulative, drawn, side="right")
    span = settings.last_year - settings.first_year
    turn = (
        settings.first_year + hashed_uniform(settings.seed, 14, concept) * 2 * span
    )  # half of the concepts never turn
    form = np.asarray(np.where(settings.synonymy > 0, (place + (year < turn - span / 4)) % forms, 0))
    return concepts.styled(settings, applicant, concept, form) if settings.synonymy > 0 else form


# The concepts that each claim names, and the claim it depends on.


MAX_CLAIMS = 30
_MEDIAN, _SPREAD = 12.0, 0.5  # of the number of claims, which is log-normal
_INDEPENDENT = 0.12  # chance that a claim after the first is independent
_FROM_ROOT = 0.65  # chance that a dependent claim refers to the last independent one, and not to the claim before it
_BROAD = np.array([0.25, 0.45, 0.30])  # chances that an independent claim names 3, 4 or 5 concepts
SLOTS = np.arange(CLAIMABLE)


@dataclass(frozen=True)
class ClaimSets:
    """The claims of all inventions, in their order. A claim's concepts are bits over the invention's slots.

    A dependent claim has all the concepts of the claim it depends on, and usually one more.
    """

    starts: Integers  # where the claims of each invention begin
    parent: NDArray[np.int8]  # the number of the claim it depends on; 0 for an independent one
    concepts: NDArray[np.uint16]

    @property
    def counts(self) -> Integers:
        return np.diff(self.starts)


def make_claims(settings: Settings, inventions: Inventions) -> ClaimSets:
    """Claims for every invention. Claim 1 is made for all inventions at once, then claim 2, and so on."""
    rng = generator(settings.seed, "claims")
    count = len(inventions)
    claims = np.clip(np.exp(rng.normal(np.log(_MEDIAN), _SPREAD, count)), 1, MAX_CLAIMS).astype(np.int64)
    available = (inventions.claimable >= 0).sum(axis=1)
    concepts = np.zeros((count, MAX_CLAIMS), np.uint16)
    parents = np.zeros((count, MAX_CLAIMS), np.int8)
    root = np.ones(count, np.int64)
    used = np.zeros(count, np.uint16)
    rows = np.arange(count)
    for place in range(int(claims.max())):
        independent = rng.random(count) < _INDEPENDENT if place else np.ones(count, bool)
        root = np.where(independent, place + 1, root)
        parent = np.where(rng.random(count) < _FROM_ROOT, root, np.maximum(place, root))
        parents[:, place] = np.where(independent, 0, parent)
        broad = _broad(rng, available, ordered=place == 0)
        narrow = concepts[rows, parent - 1]
        concepts[:, place] = np.where(independent, broad, narrow | _one_more(rng, narrow, used, available))
        used = np.where(independent, broad, used | concepts[:, place])
    written = np.arange(MAX_CLAIMS) < claims[:, None]
    return ClaimSets(offsets(claims), parents[written], concepts[written])


def _broad(rng: np.random.Generator, available: Integers, *, ordered: bool) -> NDArray[np.uint16]:
    """The concepts of an independent claim: the first one and two to four others, for the first claim in order."""
    wanted = 3 + np.searchsorted(np.cumsum(_BROAD), rng.random(len(available)), side="right")
    keys = np.broadcast_to(SLOTS, (len(available), CLAIMABLE)) if ordered else rng.random((len(available), CLAIMABLE))
    keys = np.where(available[:, None] > SLOTS, keys, np.inf)
    keys[:, 0] = -1  # the invention's first concept is in every independent claim
    place = np.argsort(np.argsort(keys, axis=1), axis=1)
    chosen = (place < wanted[:, None]) & np.isfinite(keys)
    return _bits(chosen)


def _one_more(
    rng: np.random.Generator, present: NDArray[np.uint16], used: NDArray[np.uint16], available: Integers
) -> NDArray[np.uint16]:
    """A concept that the claim lacks, preferably one that no claim since the last independent one has used.

    No bit is set when the claim has all concepts: it then limits only a number.
    """
    absent = (present[:, None] >> SLOTS) & 1 == 0
    fresh = (used[:, None] >> SLOTS) & 1 == 0
    keys = np.where(absent & (available[:, None] > SLOTS), rng.random(absent.shape) + fresh, -1.0)
    best = keys.argmax(axis=1)
    return np.where(keys[np.arange(len(best)), best] >= 0, 1 << best, 0).astype(np.uint16)


def _bits(chosen: NDArray[np.bool_]) -> NDArray[np.uint16]:
    return np.asarray((chosen * (1 << SLOTS)).sum(axis=1), np.uint16)
