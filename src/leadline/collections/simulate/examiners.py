"""What examiners find: each search meets each true prior art with a chance of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.claims import SLOTS
from leadline.collections.simulate.classes_tree import ClassTree
from leadline.collections.simulate.concepts import Concepts, favourite
from leadline.collections.simulate.families import NEVER, Publications
from leadline.collections.simulate.inventions import Inventions
from leadline.collections.simulate.prior_art import Pairs
from leadline.collections.simulate.settings import AUTHORITIES, Settings
from leadline.collections.simulate.streams import Array, Integers, offsets, places_within, stream

READ = {"en": ("en",), "ja": ("ja", "en"), "de": ("de", "en")}  # an examiner whose office works in one reads these
_READ_AT_EP = ("en", "de")
_PIECE = 1 << 17  # pairs compared at a time


@dataclass(frozen=True)
class Searches:
    """Every pair of a searched application and a document family that is truly prior art to it."""

    application: Integers  # the application's number in Publications
    office: Integers
    pair: Integers  # the pair's place in Pairs
    chance: Array
    found: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.application)


@dataclass(frozen=True)
class Applications:
    """The applications whose search report is in the collection."""

    number: Integers  # as in Publications
    invention: Integers
    office: Integers


def searched(publications: Publications) -> Applications:
    """The applications that have a publication which carries a search report, in the order of their numbers."""
    on_grant = np.array([authority.reports_on == "grant" for authority in AUTHORITIES])
    carries = publications.granted | ~on_grant[publications.office]
    number, first = np.unique(publications.application[carries], return_index=True)
    at = np.flatnonzero(carries)[first]
    return Applications(number, publications.invention[at], publications.office[at])


def first_by_office(publications: Publications, inventions: int) -> NDArray[np.int64]:
    """For each invention and office the day of its first publication there."""
    days = np.full((inventions, len(AUTHORITIES)), NEVER)
    np.minimum.at(days, (publications.invention, publications.office), publications.published)
    return days


def search(
    settings: Settings,
    tree: ClassTree,
    concepts: Concepts,
    inventions: Inventions,
    publications: Publications,
    pairs: Pairs,
) -> Searches:
    """All searches of all examiners."""
    applications = searched(publications)
    begin = offsets(np.bincount(pairs.invention, minlength=len(inventions)))
    counts = np.diff(begin)[applications.invention]
    row = np.repeat(np.arange(len(counts)), counts)
    pair = begin[applications.invention][row] + places_within(counts)
    odds = _ease(settings, concepts, inventions, publications, pairs)[pair]
    odds += class_effects(settings, tree)[tree.class_of_subclass[inventions.subclass[pairs.invention[pair]]]]
    odds += np.array([authority.skill for authority in AUTHORITIES])[applications.office[row]]
    office = applications.office[row]
    first = first_by_office(publications, len(inventions))[pairs.earlier[pair]]
    known = first <= inventions.priority[pairs.invention[pair]][:, None]
    odds += settings.own_office * known[np.arange(len(row)), office]
    odds += settings.foreign_only * ~(known & readable()[office]).any(axis=1)
    chance = 1 / (1 + np.exp(-odds))
    found = stream(settings.seed, "examiners").random(len(chance)) < chance
    return Searches(applications.number[row], office, pair, chance, found)


def class_effects(settings: Settings, tree: ClassTree) -> Array:
    """How much easier, in log odds, the prior art of each class is to find."""
    return stream(settings.seed, "difficulty of classes").normal(0, settings.class_spread, len(tree.classes))


def readable() -> NDArray[np.bool_]:
    """Whether the examiners of one office read what another publishes."""
    reads = [_READ_AT_EP if authority.code == "EP" else READ[authority.language] for authority in AUTHORITIES]
    return np.array([[other.language in languages for other in AUTHORITIES] for languages in reads])


def _ease(
    settings: Settings, concepts: Concepts, inventions: Inventions, publications: Publications, pairs: Pairs
) -> Array:
    """The part of the log odds that is the same for every office: age, wording, and how much is disclosed."""
    decades = (inventions.priority[pairs.invention] - publications.first_published[pairs.earlier]) / 3652.5
    ease = settings.per_decade * decades + settings.anticipates * (pairs.grade == 2)
    for first in range(0, len(pairs), _PIECE):
        piece = slice(first, first + _PIECE)
        ease[piece] += settings.same_words * (same_names(settings, concepts, inventions, pairs, piece) - 0.5)
    return np.asarray(ease)


def same_names(
    settings: Settings, concepts: Concepts, inventions: Inventions, pairs: Pairs, piece: slice = slice(None)
) -> Array:
    """The share of the concepts in common that both applicants call by the same name."""
    new, old = pairs.invention[piece], pairs.earlier[piece]
    row, slot = np.nonzero((pairs.matched[piece, None] >> SLOTS.astype(np.uint16)) & 1)
    concept = inventions.claimable[new[row], slot].astype(np.int64)
    mine, theirs = (
        favourite(settings, concepts, inventions.applicant[of[row]], concept, inventions.years[of[row]])
        for of in (new, old)
    )
    return np.bincount(row, mine == theirs, len(new)) / np.maximum(np.bincount(row, minlength=len(new)), 1)
