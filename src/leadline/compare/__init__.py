"""Can we believe it? Systems compared with each other, over the score cube.

The room can be called: `leadline.compare(scores, "AP")` compares every pair of systems.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leadline.compare.pairs import Pairs
    from leadline.scores.scores import Scores


class _Room(ModuleType):
    """A package named like the verb that its users know it by; without this, one name would hide the other."""

    def __call__(
        self,
        scores: Scores,
        measure: str,
        *,
        test: str = "randomisation",
        correction: str = "holm",
        draws: int = 100_000,
        seed: int = 1,
    ) -> Pairs:
        """Compare every pair of runs under one measure."""
        import numpy as np

        from leadline.compare.pairs import compare

        rng = np.random.default_rng(seed)
        return compare(scores, measure, test=test, correction=correction, rng=rng, draws=draws)


sys.modules[__name__].__class__ = _Room
