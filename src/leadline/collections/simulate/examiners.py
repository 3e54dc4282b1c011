"""Simulated searches of examiners, who find each true prior art with its own probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.claim_concepts import SLOTS
from leadline.collections.simulate.class_tree import ClassTree
from leadline.collections.simulate.concepts import Concepts, preferred_form
from leadline.collections.simulate.families import NEVER, Publications
from leadline.collections.simulate.inventions import Inventions
from leadline.collections.simulate.randomness import Array, Integers, generator, offsets, places_within
from leadline.collections.simulate.settings import AUTHORITIES, Settings
from leadline.collections.simulate.true_prior_art import PriorArtPairs

READ = {"en": ("en",), "ja": ("ja", "en"), "de": ("de", "en")}  # languages that examiners read, by that of their office
_READ_AT_EP = ("en", "de")
_PIECE = 1 << 17  # pairs compared at a time


@dataclass(frozen=True)
class Searches:
    """Every pair of a searched application and a document family that is true prior art to it."""

    application: Integers  # the application's number in Publications
    office: Integers
    pair: Integers  # an index into PriorArtPairs
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
    """The applications with a publication that carries a search report, in the order of their numbers."""
    on_grant = np.array([authority.reports_on == "grant" for authority in AUTHORITIES])
    carries = publications.granted | ~on_grant[publications.office]
    number, first = np.unique(publications.application[carries], return_index=True)
    at = np.flatnonzero(carries)[first]
    return Applications(number, publications.invention[at], publications.office[at])


def first_by_office(publications: Publications, inventions: int) -> NDArray[np.int64]:
    """The day of the first publication of each invention at each office."""
    days = np.full((inventions, len(AUTHORITIES)), NEVER)
    np.minimum.at(days, (publications.invention, publications.office), publications.published)
    return days


def simulate_searches(
    settings: Settings,
    tree: ClassTree,
    concepts: Concepts,
    inventions: Inventions,
    publications: Publications,
    pairs: PriorArtPairs,
) -> Searches:
    """The searches of all examiners."""
    applications = searched(publications)
    begin = offsets(np.bincount(pairs.invention, minlength=len(inventions)))
    counts = np.diff(begin)[applications.invention]
    row = np.repeat(np.arange(len(counts)), counts)
    pair = begin[applications.invention][row] + places_within(counts)
    odds = _common_log_odds(settings, concepts, inventions, publications, pairs)[pair]
    odds += class_effects(settings, tree)[tree.class_of_subclass[inventions.subclass[pairs.invention[pair]]]]
    odds += np.array([authority.skill for authority in AUTHORITIES])[applications.office[row]]
    office = applications.office[row]
    first = first_by_office(publications, len(inventions))[pairs.earlier[pair]]
    known = first <= inventions.priority[pairs.invention[pair]][:, None]
    odds += settings.own_office * known[np.arange(len(row)), office]
    odds += settings.foreign_only * ~(known & readable()[office]).any(axis=1)
    chance = 1 / (1 + np.exp(-odds))
    found = generator(settings.seed, "examiners").random(len(chance)) < chance
    return Searches(applications.number[row], office, pair, chance, found)


def class_effects(settings: Settings, tree: ClassTree) -> Array:
    """How much easier, in log odds, the prior art of each class is to find."""
    return generator(settings.seed, "difficulty of classes").normal(0, settings.class_spread, len(tree.classes))


def readable() -> NDArray[np.bool_]:
    """Whether the examiners of one office read what another publishes."""
    reads = [_READ_AT_EP if authority.code == "EP" else READ[authority.language] for authority in AUTHORITIES]
    return np.array([[other.language in languages for other in AUTHORITIES] for languages in reads])


def _common_log_odds(
    settings: Settings, concepts: Concepts, inventions: Inventions, publications: Publications, pairs: PriorArtPairs
) -> Array:
    """The part of the log odds that is the same for all offices: age, names of concepts, and whether it anticipates."""
    decades = (inventions.priority[pairs.invention] - publications.first_published[pairs.earlier]) / 3652.5
    odds = settings.per_decade * decades + settings.anticipates * (pairs.grade == 2)
    for first in range(0, len(pairs), _PIECE):
        piece = slice(first, first + _PIECE)
        odds[piece] += settings.same_words * (same_names(settings, concepts, inventions, pairs, piece) - 0.5)
    return np.asarray(odds)


def same_names(
    settings: Settings, concepts: Concepts, inventions: Inventions, pairs: PriorArtPairs, piece: slice = slice(None)
) -> Array:
    """The share of the common concepts for which both applicants use the same name."""
    new, old = pairs.invention[piece], pairs.earlier[piece]
    row, slot = np.nonzero((pairs.matched[piece, None] >> SLOTS.astype(np.uint16)) & 1)
    concept = inventions.claimable[new[row], slot].astype(np.int64)
    mine, theirs = (
        preferred_form(settings, concepts, inventions.applicant[of[row]], concept, inventions.years[of[row]])
        for of in (new, old)
    )
    return np.bincount(row, mine == theirs, len(new)) / np.maximum(np.bincount(row, minlength=len(new)), 1)
