"""The concepts that each claim names, and the claim it depends on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.inventions import CLAIMABLE, Inventions
from leadline.collections.simulate.randomness import Integers, generator, offsets
from leadline.collections.simulate.settings import Settings

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
