"""Tests for what titles say: a title claims a difference only if a test supports it."""

from __future__ import annotations

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.trust.corrections import holm
from leadline.trust.randomisation import flip_test

ALPHA, DRAWS = 0.05, 20_000


def tested_signs(differences: list[Array], rng: np.random.Generator) -> Integers:
    """For each set of differences by topic: 1 or −1 if its mean is significantly above or below 0, else 0.

    Randomisation tests with Holm's correction over all sets.

    >>> rng = np.random.default_rng(1)
    >>> tested_signs([np.full(20, 0.1), np.array([0.1, -0.1] * 10), np.full(20, -0.2)], rng)
    array([ 1,  0, -1])
    """
    defined = [each[np.isfinite(each)] for each in differences]
    p = [float(flip_test(each[None, :], rng, DRAWS)[0]) if len(each) > 1 and each.any() else 1.0 for each in defined]
    means = [float(each.mean()) if len(each) else 0.0 for each in defined]
    return np.where(holm(np.array(p)) < ALPHA, np.sign(means), 0).astype(np.int64)
