"""The words of texts besides concepts: general ones, and technical nouns of each section, class and subclass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.class_tree import ClassTree
from leadline.collections.simulate.coined_words import LONG, SHORT, adjective, noun, plural, stem
from leadline.collections.simulate.randomness import Integers, zipf

Words = NDArray[np.object_]

NOUNS = """
device system method portion surface member material process unit element part end side component layer apparatus body
structure means value step position amount section area region temperature signal form rate base direction pressure line
assembly point time section frame control level plate range edge support chamber flow wall opening axis mixture product
housing tube shaft source circuit solution film container operation connection arrangement mechanism module user
interface length width distance condition function group set series quality effect result property size shape weight
output input power speed force load channel path zone tool sheet panel cover fluid gas liquid water air heat light
particle fibre agent sample mass volume ratio angle cycle phase state mode stage period class type pattern image
object target station machine vehicle valve spring screw bolt ring disc wheel belt arm handle lever joint seal
"""  # the head of Zipf's law, in English; the tail is invented
ADJECTIVES = """
first second upper lower inner outer different predetermined suitable respective adjacent external
internal similar further preferred desired corresponding conventional typical single common specific relative high low
large small long short thin thick solid liquid hollow flat central lateral vertical horizontal circular rigid flexible
stable uniform continuous additional optional alternative effective sufficient substantial
"""
VERBS = """
connect mount attach form position heat treat press insert extend control select adjust contact coat direct support
collect convert deposit detect display drain filter lift load mix monitor obtain pass perform present print process
protect transfer transmit
"""
_WITH_E = """
reduc releas remov rotat separat stor prepar receiv generat dispos provid includ defin
"""
_DOUBLED = frozenset({"control", "transfer", "transmit"})


@dataclass(frozen=True)
class Vocabulary:
    """All words, each list in the order of frequency. Nouns have the rows singular and plural.

    Verbs have the rows stem, -s, -ed and -ing.
    """

    nouns: Words
    adjectives: Words
    verbs: Words
    technical: Words  # nouns of the sections, then of the classes, then of the subclasses, `size` of each
    size: int
    tree: ClassTree

    @cached_property
    def starts(self) -> Integers:
        """For each subclass, the first index of the technical nouns of its section, its class and itself."""
        classes = len(self.tree.section_of_class)
        section = self.tree.section_of_subclass
        own_class = len(_SECTION_ROWS) + self.tree.class_of_subclass
        own = len(_SECTION_ROWS) + classes + np.arange(len(self.tree.subclasses))
        return self.size * np.stack([section, own_class, own], axis=1)


_SECTION_ROWS = range(8)
LEVELS = np.array([0.15, 0.25, 0.60])  # shares of the technical nouns from section, class and subclass


def make_vocabulary(seed: int, tree: ClassTree, *, general: int = 4000, technical: int = 600) -> Vocabulary:
    """The vocabulary for a classification: about 6000 general words, and 600 technical nouns for each node."""
    nodes = len(_SECTION_ROWS) + len(tree.classes) + len(tree.subclasses)
    own = [_unused(number) for number in range(general * 2, general * 2 + nodes * technical)]
    nouns = [*NOUNS.split(), *(noun(number, seed) for number in range(general))]
    adjectives = [*ADJECTIVES.split(), *(adjective(general + number, seed) for number in range(general // 4))]
    coined_numbers = range(general + general // 4, general + general // 2)
    verbs = [*VERBS.split(), *_WITH_E.split(), *(stem(number, seed) for number in coined_numbers)]
    return Vocabulary(
        _in_rows([[word, plural(word)] for word in nouns]),
        np.array(adjectives, object),
        _in_rows([_inflected(verb) for verb in verbs]),
        _in_rows([[word, plural(word)] for number in own for word in [noun(number, seed)]]),
        technical,
        tree,
    )


def _unused(number: int) -> int:
    """The number of a stem that no concept has: a short one, or a very long one when short ones are used up."""
    return number if number < SHORT else LONG + 100_000_000 + number


def _inflected(verb: str) -> list[str]:
    """The forms of a regular verb: stem, -s, -ed, -ing.

    >>> _inflected("remov"), _inflected("control"), _inflected("mix")[1]
    (['remove', 'removes', 'removed', 'removing'], ['control', 'controls', 'controlled', 'controlling'], 'mixes')
    """
    if verb in _WITH_E.split():
        return [f"{verb}e", f"{verb}es", f"{verb}ed", f"{verb}ing"]
    long = verb + verb[-1] if verb in _DOUBLED else verb
    return [verb, plural(verb), f"{long}ed", f"{long}ing"]


def _in_rows(forms: list[list[str]]) -> Words:
    return np.array(forms, object).T.copy()


class ZipfTable:
    """A lookup table for random indices by Zipf's law: a million draws take milliseconds.

    >>> table = ZipfTable(1000, 1.0)
    >>> places = table.places(np.array([0.0, 0.5, 0.9999]))
    >>> bool((np.diff(places) > 0).all())
    True
    """

    def __init__(self, count: int, exponent: float) -> None:
        cumulative = np.cumsum(zipf(count, exponent))
        self._places = np.searchsorted(cumulative, (np.arange(_TABLE_SIZE) + 0.5) / _TABLE_SIZE).astype(np.int32)

    def places(self, chances: NDArray[Any]) -> Integers:
        """The index for each random number from [0, 1)."""
        return np.asarray(self._places[(chances * _TABLE_SIZE).astype(np.int64)], np.int64)


_TABLE_SIZE = 1 << 17
