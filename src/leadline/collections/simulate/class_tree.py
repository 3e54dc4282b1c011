"""The classification of the simulated office: sections, classes, subclasses and main groups in the style of the IPC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.collections.simulate.randomness import Integers, draw, generator, places_within, zipf

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
    class_names = _named(rng, section_of_class, list(SECTIONS), [f"{n:02d}" for n in range(1, 100)])
    subclass_names = _named(rng, class_of_subclass, class_names, list("BCDEFGHJKLMNPQRSTVWXYZ"))
    group_names = _named(rng, subclass_of_group, subclass_names, [str(n) for n in range(1, 1000, 2)])
    names = tuple(class_names), tuple(subclass_names), tuple(group_names)
    return ClassTree(section_of_class, class_of_subclass, subclass_of_group, *names)


def _spread(rng: np.random.Generator, count: int, parents: int, exponent: float) -> Integers:
    """A parent for each of `count` children: one child for every parent, the others by Zipf's law in random order."""
    parents = min(parents, count)
    rest = draw(rng, rng.permutation(zipf(parents, exponent)), count - parents)
    return np.concatenate([np.arange(parents), rest])


def _named(rng: np.random.Generator, parent: Integers, above: list[str], marks: list[str]) -> list[str]:
    """Names of children: the parent's name and a mark. Marks ascend with gaps, as in a real classification."""
    sizes = np.bincount(parent, minlength=len(above))
    names = []
    for size, place in zip(sizes[parent], places_within(sizes[sizes > 0]), strict=True):
        if place == 0:
            chosen = np.sort(rng.permutation(max(min(2 * size, len(marks)), 1))[:size])
        names.append(str(marks[chosen[place]] if size <= len(marks) else f"{place + 1}"))
    return [above[p] + name for p, name in zip(parent, names, strict=True)]
