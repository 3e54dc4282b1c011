"""Would fewer judgements give the same ranking of the systems?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from leadline.errors import InputError, MismatchError
from leadline.measures.alignment import listed
from leadline.measures.evaluate import Progress
from leadline.measures.hits import Array, Mask
from leadline.records.scores.result import Result
from leadline.records.scores.table import Table
from leadline.text.spread import Spread, spread_here
from leadline.trust.order import sign
from leadline.trust.paired import SAME_DIGITS
from leadline.trust.plots import PLOTS
from leadline.trust.study import Study, checked_samples, checked_share, dropped_topics
from leadline.trust.tau import tau_b
from leadline.trust.thinning import Drawn, Rounding

SHARES = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, repr=False)
class Incomplete(Result):
    """How well the ranking of the systems by each measure is kept when judgements are missing.

    Kendall's tau_b between the ranking by a sample of the judgements and the ranking by all; 1 is the same ranking.
    """

    measures: tuple[str, ...]
    keep: tuple[float, ...]
    tau: Array  # share kept, sample, measure; NaN where all runs tie in the sample
    runs: int
    notes: tuple[str, ...] = ()
    realised: Array | None = None  # share kept, sample: the share that was really kept; None where it is not known

    @classmethod
    def of(
        cls,
        study: Study,
        *,
        keep: Sequence[float] = SHARES,
        samples: int = 100,
        of: Drawn = "relevant",
        rounding: Rounding = "random",
        seed: int | np.random.Generator = 1,
        progress: Progress | None = None,
        spread: Spread | None = None,
    ) -> Incomplete:
        """Leave out relevant documents at random, rank the systems again, and compare with the full ranking.

        Magdy and Jones, CLEF 2010. For each share, `samples` random samples of each topic's relevant documents are
        kept; the others become unjudged. With `of="judged"` judgements of documents that are not relevant are left out
        as well. Numbers of documents are rounded at random, so that the shares are true on average; a topic left with
        none drops out of the sample. With `rounding="at-least-one"` every topic keeps one, and the realised share is
        larger where topics have few. All measures see the same samples. To study a measure at two efforts, list it
        twice: AP@100 AP@1000. `spread` scores the samples elsewhere.

        >>> from leadline.trust.study import open_study
        >>> qrels = {"7": {"a": 1, "b": 1, "c": 1, "d": 0}}
        >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"d": 9, "c": 8}}, "z": {"7": {"d": 9}}}
        >>> found = Incomplete.of(open_study(qrels, runs, "R AP"), keep=[0.7, 1], samples=20)
        >>> list(found.table().columns)
        ['measure', 'keep', 'realised', 'samples', 'mean', 'lowest', 'low', 'high']
        >>> found.mean[1]
        array([1., 1.])
        """
        shares = tuple(checked_share(share) for share in keep)
        checked_samples(samples)
        if not shares:
            raise InputError("keep", "is empty; give at least one share")
        rng = np.random.default_rng(seed)
        values = study.values()
        full = full_ranking(study, values)
        means = np.empty((len(shares), samples, *full.shape))
        realised, topics_lost = np.empty((2, len(shares), samples))
        places = list(product(range(len(shares)), range(samples)))
        drawn = ((study.drawn(shares[k], rng, of=of, rounding=rounding),) for k, _ in places)
        found = (spread or spread_here)(_ranked_sample, drawn, study)
        for done, (place, one) in enumerate(zip(places, found, strict=True), start=1):
            means[place], realised[place], topics_lost[place] = one
            if progress is not None:
                progress(done, len(places))
        names = tuple(measure.text for measure in study.measures)
        notes = (*study.notes, *_notes(study, values), *dropped_topics(study, shares, realised, topics_lost))
        return cls(names, shares, tau_of(full, means), len(study.runs), notes, realised)

    @property
    def known(self) -> Array:
        """The share of the relevant documents that was known on average, for each share kept."""
        return np.array(self.keep) if self.realised is None else self.realised.mean(axis=1)

    @property
    def mean(self) -> Array:
        """The mean tau over the samples: share × measure."""
        return _of_samples(np.nanmean, self.tau)

    @property
    def lowest(self) -> Array:
        """The lowest tau of the samples: share × measure."""
        return _of_samples(np.nanmin, self.tau)

    @property
    def interval(self) -> Array:
        """The range of the middle 95 % of the samples: (low, high) × share × measure."""
        return _of_samples(np.nanpercentile, self.tau, [2.5, 97.5])

    def table(self, *, realised: bool = True) -> Table:
        """A row for each measure and share: mean and lowest tau, and the range of the middle 95 % of the samples.

        The column `realised` is the share of the relevant documents that was really kept, on average.
        """
        counts = (~np.isnan(self.tau)).sum(axis=1)
        columns = (self.mean, self.lowest, *self.interval)
        shares = [[None if self.realised is None else float(known)] if realised else [] for known in self.known]
        rows = [
            [measure, share, *shares[k], int(counts[k, m]), *(float(column[k, m]) for column in columns)]
            for m, measure in enumerate(self.measures)
            for k, share in enumerate(self.keep)
        ]
        return Table(
            ["measure", "keep", *(["realised"] if realised else []), "samples", "mean", "lowest", "low", "high"], rows
        )

    def paper_table(self, samples: int = 3) -> Table:
        """The table as Magdy and Jones print it: the first samples one by one, then the average of all samples."""
        shown = min(samples, self.tau.shape[1])
        average = "avg." if shown == self.tau.shape[1] else f"avg. of {self.tau.shape[1]}"
        rows: list[list[Any]] = []
        for k, share in enumerate(self.keep):
            percent = round(100 * share, 6)
            percent = int(percent) if percent.is_integer() else percent
            kept = [] if self.realised is None else [[f"{100 * share:.1f}"] for share in self.realised[k]]
            rows += [[percent, str(s + 1), *(kept[s] if kept else ()), *self.tau[k, s].tolist()] for s in range(shown)]
            mean = [f"{100 * self.known[k]:.1f}"] if kept else []
            rows.append([percent, average, *mean, *self.mean[k].tolist()])
        names = ["percent_kept", "sample", *(() if self.realised is None else ("realised",))]
        rows.append([100, "NA", *(() if self.realised is None else ("100.0",)), *(1.0 for _ in self.measures)])
        averages = {(r, c) for r, row in enumerate(rows) if row[1] == average for c in range(len(names), len(row))}
        return Table([*names, *self.measures], rows, best=averages, digits=2)

    def finding(self) -> str:
        """The study in a sentence."""
        k = int(np.argmin(self.keep))
        mean = self.mean[k]
        best, worst = int(np.nanargmax(mean)), int(np.nanargmin(mean))
        with_share = f"with {100 * self.known[k]:.3g} % of the relevant documents known"
        if best == worst:
            return f"{self.measures[best]} ranks the systems at τ {mean[best]:.2f} of the full ranking {with_share}"
        return (
            f"{self.measures[best]} keeps the order best {with_share} (τ {mean[best]:.2f}), "
            f"{self.measures[worst]} least (τ {mean[worst]:.2f})"
        )

    def plot(self) -> Any:
        """An Altair chart: tau against the share of the judgements kept, one line per measure."""
        return PLOTS["incomplete"](self)

    def _finding(self) -> str:
        return self.finding()

    def _shown_table(self) -> Table:
        return self.paper_table()


def _ranked_sample(kept: Mask, study: Study) -> tuple[Array, float, int]:
    """The ranking by a sample of the judgements, the share that it keeps, and how many topics it leaves with none."""
    sample = study.sampled(kept)
    return ranking(study, sample[0]), sample[1], sample[2]


def ranking(study: Study, values: Array) -> Array:
    """The values that each measure ranks the runs by: measure × run; NaN if no topic has a value for every run.

    These are the means divided by the largest, rounded so that equal means tie. A topic that is undefined for some runs
    is left out for all.
    """
    scores = study.scores(np.where(_partly(values), np.nan, values))
    means = scores.mean_values().T * np.array([[sign(better)] for better in scores.better])
    largest = np.abs(means).max(axis=1, keepdims=True)
    return np.round(means / np.where(largest > 0, largest, 1), SAME_DIGITS)


def full_ranking(study: Study, values: Array) -> Array:
    """The same by all the judgements; an error when a measure gives no ranking."""
    if len(study.runs) < 2:
        raise MismatchError(f"{len(study.runs)} run; a ranking needs two or more")
    full = ranking(study, values)
    for measure, means in zip(study.measures, full, strict=True):
        if np.isnan(means).any():
            raise MismatchError(f"{measure.text}: no topic on which every run has a value, so it ranks nothing")
        if (means == means[0]).all():
            raise MismatchError(f"{measure.text}: all runs have the same mean, so it ranks nothing")
    return full


def tau_of(full: Array, means: Array) -> Array:
    """Kendall's tau_b of each measure's rankings against its full one; NaN where a sample gives no ranking."""
    defined = np.asarray(~np.isnan(means).any(axis=-1))
    tau = np.full(defined.shape, np.nan)
    for m, ranked in enumerate(full):
        tau[..., m][defined[..., m]] = tau_b(ranked, means[..., m, :][defined[..., m]])
    return tau


def _of_samples(statistic: Callable[..., Any], tau: Array, *more: Any) -> Array:
    """A statistic over the samples; NaN, without NumPy's warning, where no sample gives a ranking."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(statistic(tau, *more, axis=1))


def _partly(values: Array) -> Mask:
    """Topics, by measure, for which some run has no value."""
    return np.asarray(np.isnan(values).any(axis=0, keepdims=True))


def _notes(study: Study, values: Array) -> Iterator[str]:
    """A note for each measure that is undefined for some runs on some topics."""
    nowhere: Mask = np.asarray(np.isnan(values).all(axis=0))
    partly = _partly(values)[0] & ~nowhere
    for m, measure in enumerate(study.measures):
        if partly[:, m].any():
            topics = [study.topics[t] for t in np.flatnonzero(partly[:, m])]
            yield f"{measure.text}: undefined for some runs and left out for all: {listed(topics)}"
