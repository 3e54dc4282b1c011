"""The Python face of comparisons: a seed in place of a generator, and files in place of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.trust.incomplete import SHARES, Incomplete
from leadline.trust.incomplete import incomplete as _incomplete
from leadline.trust.pairs import Pairs
from leadline.trust.pairs import compare as _compare
from leadline.trust.power import Power
from leadline.trust.power import power as _power
from leadline.trust.study import open_study
from leadline.trust.verdict import Verdicts
from leadline.trust.verdict import verdicts as _verdicts

if TYPE_CHECKING:
    from leadline.measures.measure import Measure
    from leadline.records.scores.scores import Scores


def incomplete(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    keep: Sequence[float] = SHARES,
    samples: int = 100,
    seed: int = 1,
    **reading: Any,
) -> Incomplete:
    """Would fewer judgements give the same ranking of the systems? What else is given goes to `open_study`.

    >>> qrels = {"7": {"a": 1, "b": 1, "c": 1, "d": 0}}
    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"d": 9, "c": 8}}, "z": {"7": {"d": 9}}}
    >>> incomplete(qrels, runs, "R", keep=[1], samples=2).mean
    array([[1.]])
    """
    study = open_study(qrels, runs, measures, **reading)
    return _incomplete(study, keep=keep, samples=samples, rng=np.random.default_rng(seed))


def compare(
    scores: Scores,
    measure: str,
    *,
    test: str = "randomisation",
    correction: str = "holm",
    draws: int = 100_000,
    seed: int = 1,
) -> Pairs:
    """Compare every pair of runs under one measure.

    >>> from leadline.show.papers.published import trec_chem_2009
    >>> compare(trec_chem_2009(), "xinfAP", test="t").test
    't'
    """
    rng = np.random.default_rng(seed)
    return _compare(scores, measure, test=test, correction=correction, rng=rng, draws=draws)


def power(
    scores: Scores,
    measures: Sequence[str] | None = None,
    *,
    test: str = "bootstrap",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 1,
) -> Power:
    """How well does each measure tell the systems apart?

    >>> from leadline.show.papers.published import trec_chem_2009
    >>> power(trec_chem_2009(), test="tukey", draws=500).table().columns[0]
    'measure'
    """
    wanted = scores.measures if measures is None else measures
    return _power(scores, wanted, test=test, alpha=alpha, draws=draws, rng=np.random.default_rng(seed))


def verdicts(
    qrels: Any,
    runs: Any,
    measure: str | Measure,
    *,
    samples: int = 100,
    alpha: float = 0.05,
    seed: int = 1,
    **reading: Any,
) -> Verdicts:
    """Is the leader really better than each other run? What else is given goes to `open_study`.

    >>> qrels = {str(t): {"a": 1, "b": 1, "x": 0} for t in range(20)}
    >>> runs = {"good": {t: {"a": 2, "b": 1} for t in qrels}, "poor": {t: {"x": 1} for t in qrels}}
    >>> verdicts(qrels, runs, "R@10", samples=10).headline().split(".")[0]
    'good leads with R@10 1'
    """
    study = open_study(qrels, runs, measure, **reading)
    name = study.measures[0].text
    return _verdicts(study.scores(), name, study=study, samples=samples, alpha=alpha, rng=np.random.default_rng(seed))
