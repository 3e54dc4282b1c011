"""Learn regression trees that correct a weighted sum of signals, by LambdaMART; needs the package lightgbm.

Burges, From RankNet to LambdaRank to LambdaMART, Microsoft Research, 2010; Ke and others, LightGBM, NeurIPS 2017.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.pipeline.forest import Forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TREES = 50
MOST = 10_000  # candidates of a topic that lightgbm takes
# Small trees and large leaves, because judged topics are few. No setting is chosen by a score, so that the score on
# topics held out is honest. A larger signal never lowers the score.
SETTINGS = {
    "objective": "lambdarank", "num_leaves": 8, "learning_rate": 0.1, "min_data_in_leaf": 50, "lambda_l2": 1.0,
    "lambdarank_truncation_level": 100, "feature_pre_filter": False, "deterministic": True, "force_row_wise": True,
    "num_threads": 1, "verbosity": -1,
}  # fmt: skip


def check_lightgbm() -> None:
    """Refuse to start where the package is missing."""
    if importlib.util.find_spec("lightgbm") is None:
        raise InputError("learner", 'lambdamart needs the package lightgbm: pip install "leadline[tune]"')


def learn_forest(
    features: Sequence[Floats], relevant: Sequence[NDArray[np.bool_]], weights: Floats, seed: int
) -> tuple[Forest, Floats]:
    """Trees to be added to the weighted sums of the signals, and each signal's share of what the trees gained.

    `features` has for each topic candidates × signals, `relevant` which of the candidates are.
    """
    booster = _trained(features, relevant, weights, seed)
    forest = Forest.of_trees([tree["tree_structure"] for tree in booster.dump_model()["tree_info"]])
    gains = np.asarray(booster.feature_importance("gain"), np.float64)
    return forest, gains / gains.sum() if gains.sum() > 0 else gains


def _trained(
    features: Sequence[Floats], relevant: Sequence[NDArray[np.bool_]], weights: Floats, seed: int
) -> Any:  # a lightgbm.Booster
    import lightgbm

    kept = [_kept(of_topic, hits, weights) for of_topic, hits in zip(features, relevant, strict=True)]
    whole = np.concatenate([of_topic[rows] for of_topic, rows in zip(features, kept, strict=True)])
    labels = np.concatenate([hits[rows] for hits, rows in zip(relevant, kept, strict=True)]).astype(np.int32)
    data = lightgbm.Dataset(
        whole, labels, group=[len(rows) for rows in kept], init_score=whole @ weights, free_raw_data=False
    )  # fmt: skip
    settings = SETTINGS | {"seed": seed, "monotone_constraints": [1] * whole.shape[1]}
    return lightgbm.train(settings, data, num_boost_round=TREES)


def _kept(features: Floats, relevant: NDArray[np.bool_], weights: Floats) -> NDArray[np.int64]:
    """The candidates to learn from: all, or the relevant ones and those with the largest sums."""
    if len(features) <= MOST:
        return np.arange(len(features))
    order = np.lexsort((-(features @ weights), ~relevant))
    return np.sort(order[:MOST])
