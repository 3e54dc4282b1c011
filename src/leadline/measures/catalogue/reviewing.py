"""What a review finds and what it costs, as CLEF's tar_eval computes them: areas, losses, costs, cumulative gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from leadline.measures.catalogue.effort import ShareOrPercent, as_fraction
from leadline.measures.definition import Effort, measure
from leadline.measures.hits import Array, Hits, Integers, ratio
from leadline.options import NotNegative


@measure("norm_area", aliases=("area",))
def norm_area(hits: Hits, rel: int = 1) -> Array:
    """Area under the curve of relevant documents found against documents read, over the largest possible area.

    Formula: norm_area = Σ (N - r + ½) / (n·N - n²/2) over the relevant documents found, at ranks r; N is the number of
    documents judged for the topic, or the length of the list if that is larger. The sum is the area under the curve by
    the trapezoid rule; the divisor is the sum for a list that starts with all n relevant documents.

    Paper: Kanoulas, Li, Azzopardi and Spijker, CLEF 2017 technologically assisted reviews in empirical medicine
    overview, CLEF 2017; as tar_eval computes it.

    Range: 0 to 1; about ½ for a random order.

    Unjudged: not relevant; they are candidates only as far as the list is longer than the judgements.

    Short list: the curve stays level after its end.

    Of 10 documents, the two relevant ones are read first and fourth: (9.5 + 6.5) / (20 - 2).

    >>> norm_area(Hits.of(ranks=[1, 4], relevant=2, retrieved=10)).round(4)
    array([0.8889])
    """
    candidates = hits.n_candidates()
    found = hits.only_relevant(rel)
    n = hits.n_relevant(rel)
    return ratio(found.total(candidates[found.row] - found.rank + 0.5), n * candidates - n * n / 2)


@measure("CG", at="effort", aliases=("cg_total", "total_cg"))
def cumulative_gain(hits: Hits, effort: int | None = None, rel: int = 1) -> Array:
    """Relevant documents among the first `effort`, or in the whole list.

    Formula: CG@N = m. tar_eval counts a gain of 1 for each relevant document; its cg_threshold is CG at the rank where
    the reviewer stops, and its cg_max is num_rel. For gain by grade use DCG.

    Paper: Kanoulas, Li, Azzopardi and Spijker, CLEF 2017; as tar_eval computes it.

    Range: 0 to n.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> cumulative_gain(Hits.of(ranks=[1, 4, 7], relevant=5), effort=5)
    array([2.])
    """
    return hits.found(rel, effort).astype(float)


@measure("NCG", at="share")
def normalised_cumulative_gain(hits: Hits, share: ShareOrPercent = 0.1, rel: int = 1) -> Array:
    """Recall when a share of the candidates has been read.

    Formula: NCG@s = recall after round(s·N) documents, rounding half to even, with N as in norm_area. A share above 1
    is a percentage: NCG@10. tar_eval prints it as recall@10.0%, and before 2018 as NCG@10.

    Paper: Kanoulas, Li, Azzopardi and Spijker, CLEF 2017; as tar_eval computes it.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    A quarter of 20 documents is 5, and one of the two relevant ones is among these.

    >>> normalised_cumulative_gain(Hits.of(ranks=[4, 9], relevant=2, retrieved=20), share=0.25)
    array([0.5])
    """
    depth = np.rint(as_fraction(share) * hits.n_candidates())
    found = hits.only_relevant(rel)
    return ratio(found.count(found.rank <= depth[found.row]), hits.n_relevant(rel))


def _effort_of_cost(options: Mapping[str, Any]) -> Effort | None:
    return "priced" if options["reading"] > 0 else None


@measure("cost", at="effort", better="lower", aliases=("total_cost",), effort=_effort_of_cost)
def cost(
    hits: Hits, effort: int | None = None, reading: NotNegative = 1.0, worth: NotNegative = 20.0, rel: int = 1
) -> Array:
    """What a review costs: the documents read, less what the relevant ones are worth, plus a penalty for those missed.

    Formula: cost@N = reading · (documents read) - worth · m + worth · (n - m), for the first N documents or the whole
    list. tar_eval of 2018 has reading = 1 and worth = 20. It charges a relevant document below the rank where the
    reviewer stops twice, if the run lists it; here each is charged once.

    Paper: Kanoulas, Li, Azzopardi and Spijker, CLEF 2018 technologically assisted reviews in empirical medicine
    overview, CLEF 2018; as tar_eval computes total_cost.

    Range: from -worth · n up; lower is better.

    Unjudged: not relevant; reading them costs the same.

    Short list: costs less to read, and more for the relevant documents it lacks.

    Ten documents read, two of three relevant ones found: 10 - 40 + 20.

    >>> cost(Hits.of(ranks=[1, 4], relevant=3, retrieved=10))
    array([-10.])
    """
    n, found = hits.n_relevant(rel), hits.found(rel, effort)
    return np.where(n > 0, reading * _read(hits, effort) + worth * (n - 2 * found), 0.0)


@measure("loss_r", at="effort", better="lower")
def recall_loss(hits: Hits, effort: int | None = None, rel: int = 1) -> Array:
    """The square of the share of the relevant documents that is missed.

    Formula: loss_r@N = (1 - R@N)², for the first N documents or the whole list.

    Paper: Cormack and Grossman, Engineering quality and reliability in technology-assisted review, SIGIR 2016; as
    tar_eval computes it.

    Range: 0 to 1; lower is better.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> recall_loss(Hits.of(ranks=[1], relevant=2))
    array([0.25])
    """
    n = hits.n_relevant(rel)
    return np.where(n > 0, (1 - ratio(hits.found(rel, effort), n)) ** 2, 0.0)


@measure("loss_e", at="effort", better="lower", effort="alone")
def effort_loss(hits: Hits, effort: int | None = None, base: NotNegative = 100.0, rel: int = 1) -> Array:
    """The square of the documents read, against what a review of this size may reasonably take.

    Formula: loss_e@N = (base / C)² · (read / (n + base))²: read is the number of documents read, C that of the
    candidates, as in norm_area. A reviewer is expected to read the n relevant documents and `base` more.

    Paper: Cormack and Grossman, Engineering quality and reliability in technology-assisted review, SIGIR 2016; as
    tar_eval computes it.

    Range: 0 to 1; lower is better.

    Unjudged: not relevant; reading them is effort.

    Short list: less effort.

    All 200 candidates are read, 100 of them relevant: (100 / 200)² · (200 / 200)².

    >>> effort_loss(Hits.of(ranks=list(range(1, 101)), relevant=100, retrieved=200))
    array([0.25])
    """
    n = hits.n_relevant(rel)
    share = ratio(base * _read(hits, effort), hits.n_candidates() * (n + base))
    return np.where(n > 0, share**2, 0.0)


@measure("loss_er", at="effort", better="lower")
def reliability_loss(hits: Hits, effort: int | None = None, base: NotNegative = 100.0, rel: int = 1) -> Array:
    """The loss of reliability: what is missed and what reading costs, each squared.

    Formula: loss_er@N = loss_r@N + loss_e@N.

    Paper: Cormack and Grossman, Engineering quality and reliability in technology-assisted review, SIGIR 2016; as
    tar_eval computes it.

    Range: 0 to 2; lower is better.

    Unjudged: not relevant; reading them is effort.

    Short list: less effort, more missed.

    Half of the two relevant documents after 51 of 100: (1 - ½)² + (100 / 100)² · (51 / 102)².

    >>> reliability_loss(Hits.of(ranks=[1, 70], relevant=2, retrieved=100), effort=51)
    array([0.5])
    """
    return recall_loss(hits, effort, rel) + effort_loss(hits, effort, base, rel)


def _read(hits: Hits, effort: int | None) -> Integers:
    return hits.retrieved if effort is None else np.minimum(hits.retrieved, effort)
