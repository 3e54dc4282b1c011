"""The concepts that inventions consist of: general ones, those of one subclass, and mostly those of one group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.class_tree import CHEMICAL, ClassTree
from leadline.collections.simulate.randomness import Array, Integers, draw, hashed_uniform, zipf
from leadline.collections.simulate.settings import Settings

GENERAL, OF_SUBCLASS, OF_GROUP = range(3)
MAX_FORMS = 4
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
    return np.asarray(np.where(settings.synonymy > 0, (place + (year < turn - span / 4)) % forms, 0))
