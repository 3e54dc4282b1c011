"""Would fewer or other judgements give the same ranking? Samples, left out, the truth, whose marks count."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

import numpy as np

from leadline.errors import InputError, MismatchError
from leadline.measures.evaluate import Progress
from leadline.measures.hits import Array, Integers, Mask
from leadline.measures.join import listed
from leadline.measures.samples import Samples
from leadline.records.inputs import RunsLike
from leadline.records.qrels import Qrels
from leadline.records.result import Result, Table, counted, number
from leadline.records.scores import Scores
from leadline.text.spread import Spread, spread_here
from leadline.trust.no_verdict import notes_on_effort
from leadline.trust.paired_tests import SAME_DIGITS, half_width
from leadline.trust.pairs import Standing, decide
from leadline.trust.rankings import above, places, sign, tau_ap_b, tau_b
from leadline.trust.study import (
    PLOTS,
    Drawn,
    Rounding,
    Sources,
    Study,
    checked_samples,
    checked_share,
    dropped_topics,
    open_study,
)

SHARES = (0.2, 0.4, 0.6, 0.8)
AT_ONCE, VALUES_AT_ONCE = 128, 4_000_000  # samples scored at once, and at most this many scores or judgements of them


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
        drawn = (study.drawn(shares[k], rng, of=of, rounding=rounding) for k, _ in places)
        at_once = min(AT_ONCE, max(1, VALUES_AT_ONCE // max(values.size, len(study.qrels), 1)))
        pieces = ((np.stack(masks),) for _ in range(0, len(places), at_once) if (masks := [*islice(drawn, at_once)]))
        done = 0
        for piece in (spread or spread_here)(_ranked_samples, pieces, study):
            for one in zip(*piece, strict=True):
                place = places[done]
                means[place], realised[place], topics_lost[place] = one
                done += 1
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
            tau = number(mean[best], least=2)
            return f"{self.measures[best]} ranks the systems at τ {tau} of the full ranking {with_share}"
        return (
            f"{self.measures[best]} keeps the order best {with_share} (τ {number(mean[best], mean, 2)}), "
            f"{self.measures[worst]} least (τ {number(mean[worst], mean, 2)})"
        )

    def plot(self) -> Any:
        """An Altair chart: tau against the share of the judgements kept, one line per measure."""
        return PLOTS["incomplete"](self)

    def _finding(self) -> str:
        return self.finding()

    def _shown_table(self) -> Table:
        return self.paper_table()


def _ranked_samples(kept: Mask, study: Study) -> tuple[Array, Array, Integers]:
    """For each sample of the judgements, a row of `kept`: the ranking by it, the share of the relevant documents that
    it keeps, and how many topics it leaves with none."""
    plain = study.qrels.kind != "drawn"  # there what is left out changes what the others count
    summed = [
        m
        for m, measure in enumerate(study.measures)
        if plain and measure.definition.sums_alone and not measure.condensed
    ]
    others = [m for m in range(len(study.measures)) if m not in summed]
    values = np.empty((len(kept), len(study.runs), len(study.topics), len(study.measures)))
    if summed:
        samples = Samples.of(study.hits, kept)
        for m in summed:
            values[..., m] = study.measures[m].of_samples(samples).T.reshape(values.shape[:-1])
    if others:
        other = replace(study, measures=tuple(study.measures[m] for m in others))
        for into, mask in zip(values, kept, strict=True):
            into[..., others] = other.values(mask)
    judged = study.qrels.topic_of_document + len(study.topics) * np.arange(len(kept))[:, None]
    relevant = np.asarray(kept & (study.qrels.grades >= study.level))
    after = np.bincount(judged[relevant], minlength=len(kept) * len(study.topics)).reshape(len(kept), -1)
    before = np.bincount(judged[0][study.qrels.grades >= study.level], minlength=len(study.topics))
    lost = (before > 0) & (after == 0)
    values[np.broadcast_to(lost[:, None], values.shape[:-1])] = np.nan
    rankings = np.stack([ranking(study, each) for each in values])
    return rankings, after.sum(axis=1) / max(before.sum(), 1), lost.sum(axis=1)


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
    for measure, why in _rank_nothing(study, full).items():
        raise MismatchError(f"{measure}: {why}, so it ranks nothing")
    return full


def _rank_nothing(study: Study, full: Array) -> dict[str, str]:
    """The measures that give no ranking by all the judgements, and why."""
    found = {}
    for measure, means in zip(study.measures, full, strict=True):
        if np.isnan(means).any():
            found[measure.text] = "no topic on which every run has a value"
        elif (means == means[0]).all():
            found[measure.text] = "all runs have the same mean"
    return found


def that_rank(studies: Sequence[Study]) -> set[str]:
    """The measures that give a ranking in each study that has them.

    >>> from leadline.trust.study import open_study
    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"b": 9, "a": 8}}}
    >>> that_rank([open_study({"7": {"a": 1}}, runs, "AP R@2")])
    {'AP'}
    """
    every = {measure.text for study in studies for measure in study.measures}
    return every.difference(*(_rank_nothing(study, ranking(study, study.values())) for study in studies))


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
    """A note for each measure that calls no run better, and that is undefined for some runs on some topics."""
    yield from notes_on_effort(measure.text for measure in study.measures)
    nowhere: Mask = np.asarray(np.isnan(values).all(axis=0))
    partly = _partly(values)[0] & ~nowhere
    for m, measure in enumerate(study.measures):
        if partly[:, m].any():
            topics = [study.topics[t] for t in np.flatnonzero(partly[:, m])]
            yield f"{measure.text}: undefined for some runs and left out for all: {listed(topics)}"


# Whose judgements does the ranking depend on? Rank again without them.


@dataclass(frozen=True, repr=False)
class LeftOut(Result):
    """How the ranking changes when some judgements are missing."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    names: tuple[str, ...]  # what is left out, one case each
    relevant: Integers  # relevant documents lost in each case
    tau: Array  # case, measure: Kendall's tau_b against the full ranking
    places: Integers  # measure, run: the rank by all the judgements, 1 for the best
    places_without: Integers  # case, measure, run

    def table(self) -> Table:
        """A row for each measure and case: how many relevant documents are lost, and which run moves most."""
        rows = []
        for m, measure in enumerate(self.measures):
            moved = np.abs(self.places_without[:, m] - self.places[m])
            for k, name in enumerate(self.names):
                r = int(moved[k].argmax())
                mover = [self.runs[r], int(self.places[m, r]), int(self.places_without[k, m, r])]
                none_moves = moved[k, r] == 0 or np.isnan(self.tau[k, m])
                change = [None, None, None] if none_moves else mover
                rows.append([measure, name, int(self.relevant[k]), float(self.tau[k, m]), *change])
        columns = ["measure", "without", "relevant_lost", "tau", "moves_most", "rank", "rank_without"]
        return Table(columns, rows)

    def _finding(self) -> str:
        cases = f"{counted(len(self.names), 'case')} under {counted(len(self.measures), 'measure')}"
        if not self.tau.size or np.isnan(self.tau).all():
            return cases
        k, m = np.unravel_index(int(np.nanargmin(self.tau)), self.tau.shape)
        return f"{cases}: lowest τ {number(self.tau[k, m], least=2)} ({self.measures[m]} without {self.names[k]})"

    def _shown_table(self) -> Table:
        return self.table()


def left_out(study: Study, others: Iterable[tuple[str, Study]]) -> LeftOut:
    """Compare the full ranking with the rankings of named studies in which judgements are missing.

    >>> from leadline.trust.study import open_study
    >>> qrels = {"7": {"a": 1, "b": 1, "c": 1, "d": 1}}
    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"c": 8, "a": 7, "d": 6}}, "z": {"7": {"c": 9}}}
    >>> study = open_study(qrels, runs, "R")
    >>> left_out(study, each_run(study)).tau[:, 0].round(3)
    array([0.816, 0.816, 1.   ])
    """
    full = full_ranking(study, study.values())
    names, lost, means = [], [], []
    for name, other in others:
        names.append(name)
        lost.append(study.relevant - other.relevant)
        means.append(ranking(other, other.values()))
    stacked = np.stack(means) if means else np.empty((0, *full.shape))
    return LeftOut(
        study.runs,
        tuple(measure.text for measure in study.measures),
        tuple(names),
        np.array(lost, np.int64),
        tau_of(full, stacked),
        places(full),
        places(stacked),
    )


def each_run(
    study: Study, *, depth: int | None = None, teams: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Study]]:
    """For each run (or team of runs), the study without the relevant documents that only it found."""
    together: dict[str, list[str]] = {}
    for run in study.runs:
        together.setdefault((teams or {}).get(run, run), []).append(run)
    for name, runs in together.items():
        yield name, study.without_unique_of(*runs, depth=depth)


def each_source(study: Study, sources: Sources) -> Iterator[tuple[str, Study]]:
    """For each source of citations, the study without the documents that only it found."""
    for source in sorted({name for names in sources.values() for name in names}):
        yield source, study.without_source(sources, source)


def each_depth(study: Study, depths: Iterable[int]) -> Iterator[tuple[str, Study]]:
    """For each depth, the study with only the judgements of a pool of that depth."""
    for depth in depths:
        yield f"deeper than {depth}", study.to_depth(depth)


# Do incomplete judgements still put the systems in their true order?
#
# Judgements made from citations contain only what people happened to find. Where the truth is known, as in a simulated
# office, the systems can be ranked by both, and the two rankings compared.


COLUMNS = ("judged", "measure", "collections", "tau", "low", "high", "tau_ap", "low_ap", "high_ap")


@dataclass(frozen=True)
class Recovery:
    """How similar rankings by other judgements are to the true ranking of the systems, in one collection or several."""

    judged: tuple[str, ...]  # the kinds of judgements by which systems were ranked
    measures: tuple[str, ...]
    runs: tuple[str, ...]
    tau: Array  # collection, judged, measure: Kendall's tau_b against the same measure by the truth
    tau_ap: Array  # the same by tau_AP,b, which weighs the top more
    places: Array  # collection, measure, run: the true place minus the place by the first kind; above 0: flattered
    topics: tuple[int, ...] = ()  # number of topics of each collection

    @property
    def collections(self) -> int:
        """The number of collections."""
        return len(self.tau)

    def interval(self, of: Array) -> tuple[Array, Array, Array]:
        """Mean over collections and its 95 % interval by Student's t; the interval is NaN for one collection."""
        mean = of.mean(axis=0)
        width = half_width(of, axis=0) if len(of) > 1 else np.full_like(mean, np.nan)
        return mean, mean - width, mean + width

    def table(self) -> Table:
        """A row for each kind of judgements and measure."""
        parts = (*self.interval(self.tau), *self.interval(self.tau_ap))
        rows = [
            [judged, measure, self.collections, *(float(part[j, m]) for part in parts)]
            for j, judged in enumerate(self.judged)
            for m, measure in enumerate(self.measures)
        ]
        return Table(COLUMNS, rows)

    def rows(self) -> list[dict[str, Any]]:
        """The table as records."""
        return [dict(zip(COLUMNS, row, strict=True)) for row in self.table().rows]

    def lead(
        self, judged: str, measure: str, other: str, other_judged: str | None = None
    ) -> tuple[float, float, float]:
        """By how much one measure's tau exceeds another's in the same collection: mean and 95 % interval."""
        one = self.tau[:, self.judged.index(judged), self.measures.index(measure)]
        two = self.tau[:, self.judged.index(other_judged or judged), self.measures.index(other)]
        mean, low, high = self.interval((one - two)[:, None, None])
        return float(mean[0, 0]), float(low[0, 0]), float(high[0, 0])

    def flattered(self, measure: str) -> Table:
        """How many places each run gains by the first kind of judgements over its true place, largest gain first."""
        m = self.measures.index(measure)
        mean = self.places[:, m].mean(axis=0)
        worst, best = self.places[:, m].min(axis=0), self.places[:, m].max(axis=0)
        order = np.argsort(-mean, kind="stable")
        rows = [[self.runs[r], float(mean[r]), int(worst[r]), int(best[r])] for r in order.tolist()]
        return Table(["run", "places_gained", "least", "most"], rows, digits=1)

    def to_record(self) -> dict[str, Any]:
        """Everything as plain lists, for JSON."""
        named = {"judged": self.judged, "measures": self.measures, "runs": self.runs, "topics": self.topics}
        arrays = {"tau": self.tau, "tau_ap": self.tau_ap, "places": self.places}
        return {name: list(value) for name, value in named.items()} | {
            name: array.tolist() for name, array in arrays.items()
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Recovery:
        """The inverse of `to_record`."""
        judged, measures, runs, topics = (tuple(record[name]) for name in ("judged", "measures", "runs", "topics"))
        tau, tau_ap, places = (np.asarray(record[name], np.float64) for name in ("tau", "tau_ap", "places"))
        return cls(judged, measures, runs, tau, tau_ap, places, topics)


def recovery(truth: Sequence[Study], judged: Mapping[str, Sequence[Study]]) -> Recovery:
    """How well each kind of judgements recovers the true order of the systems.

    All studies have the same runs. `truth` may be several studies, such as one of whole documents and one by claim;
    each kind of judgements then has the same number of studies, in the same order and with the same measures.

    >>> from leadline.trust.study import open_study
    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"b": 9, "c": 8}}, "z": {"7": {"c": 9, "d": 8, "a": 7}}}
    >>> true = open_study({"7": {"a": 1, "b": 1}}, runs, "AP")
    >>> recovery([true], {"some": [open_study({"7": {"b": 1, "c": 1}}, runs, "AP")]}).tau.round(3)
    array([[[-0.333]]])
    """
    if not truth or not judged:
        raise InputError("recovery", "needs true judgements and at least one other kind to compare with them")
    runs = truth[0].runs
    for name, studies in judged.items():
        if len(studies) != len(truth) or any(study.runs != runs for study in (*truth, *studies)):
            raise MismatchError(f"{name}: its studies do not have the same runs as those of the truth")
    ranked = np.concatenate([full_ranking(study, study.values()) for study in truth])
    others = {
        name: np.concatenate([full_ranking(study, study.values()) for study in studies])
        for name, studies in judged.items()
    }
    # One collection × kind of judgements × measure: each measure's ranking against its own true ranking.
    tau, top = (
        np.array([[[how(a, b) for a, b in zip(ranked, other, strict=True)] for other in others.values()]], float)
        for how in (tau_b, tau_ap_b)
    )
    places = (_middle_places(ranked) - _middle_places(next(iter(others.values()))))[None]
    measures = tuple(measure.text for study in truth for measure in study.measures)
    return Recovery(tuple(others), measures, runs, tau, top, places, (len(truth[0].topics),))


def together(found: Sequence[Recovery]) -> Recovery:
    """Several collections as one Recovery."""
    one = found[0]
    if any((each.judged, each.measures, each.runs) != (one.judged, one.measures, one.runs) for each in found):
        raise MismatchError("recovery: the collections do not have the same runs, measures and kinds of judgements")
    tau, tau_ap, places = (
        np.concatenate([getattr(each, name) for each in found]) for name in ("tau", "tau_ap", "places")
    )
    topics = tuple(number for each in found for number in each.topics)
    return Recovery(one.judged, one.measures, one.runs, tau, tau_ap, places, topics)


def _middle_places(values: Array) -> Array:
    """The place of each system, 1 for the best; systems that tie share the mean of their places.

    >>> _middle_places(np.array([0.5, 0.9, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    equal = values[..., None, :] == values[..., :, None]
    return np.asarray(above(values).sum(axis=-1) + (equal.sum(axis=-1) + 1) / 2)


# Does the outcome depend on whose marks count? Rank and compare the systems by the marks of each person and stage.
#
# The order of the systems, Kendall's tau between the orders, and the verdict that `leadline compare verdict` would
# give.


NONE = "no verdict"  # fewer than two systems, or too few topics that are judged


@dataclass(frozen=True)
class OutcomeByMarks:
    """The scores and the verdict by each set of marks; the last set is the one that counts."""

    measure: str
    scores: Mapping[str, Scores]
    verdicts: Mapping[str, Standing | None]  # None where the marks allow none

    @property
    def final(self) -> str:
        return list(self.scores)[-1]

    def tau(self, one: str, other: str) -> float:
        """Kendall's tau between the orders of the systems by two sets of marks."""
        first, second = (self._means(name) for name in (one, other))
        return float(tau_b(first, second)) if len(first) > 1 else float("nan")

    def changed(self) -> list[str]:
        """The sets of marks whose verdict is another than the final one: another winner, or none where there is one."""
        wanted = _decision(self.verdicts[self.final])
        return [name for name, found in self.verdicts.items() if found is not None and _decision(found) != wanted]

    def sentence(self) -> str:
        """Whether the verdict changes with whose marks count."""
        known = [name for name, found in self.verdicts.items() if found is not None]
        if self.final not in known or len(known) < 2:
            needed = "it needs two systems, and judged topics in two sets of marks"
            return f"Whether the verdict changes cannot be said: {needed}."
        final, changed = _within(self._outcome_by(self.final)), self.changed()
        if not changed:
            others = f"all {len(known)} sets of marks" if len(known) > 2 else "both sets of marks"
            return f"The verdict does not change: by {others}, {final}.{self._other_leaders(known)}"
        by = "; ".join(f"by {_whose(name)}, {_within(self._outcome_by(name))}" for name in changed)
        return f"The verdict does change: by {_whose(self.final)}, {final}, but {by}."

    def table(self) -> Table:
        """A row for each set of marks: the first system, its score, tau to every other order, and the verdict."""
        names = list(self.scores)
        compared = [self.final, *(name for name in names if name != self.final)]
        rows = [
            [
                name,
                found.runs[found.ranking()[0]],
                float(self._means(name)[found.ranking()[0]]),
                *(self.tau(name, other) for other in compared),
                self._outcome_by(name),
            ]
            for name, found in self.scores.items()
        ]
        columns = ["marks_of", "first_system", self.measure, *(f"tau_to_{name}" for name in compared), "verdict"]
        return Table(columns, rows)

    def _means(self, name: str) -> Array:
        return np.asarray(self.scores[name].order_means()[:, 0])

    def _outcome_by(self, name: str) -> str:
        found = self.verdicts[name]
        return NONE if found is None else found.outcome()

    def _other_leaders(self, known: list[str]) -> str:
        """Who else is first, where nobody wins firmly."""
        leaders = {name: found.leader for name in known if (found := self.verdicts[name]) is not None}
        others = {name: leader for name, leader in leaders.items() if leader != leaders[self.final]}
        if not others:
            return ""
        said = ", ".join(f"{leader} by {_whose(name)}" for name, leader in others.items())
        return f" The first is not always the same: {leaders[self.final]} by {_whose(self.final)}, {said}."


def outcome_by_marks(
    marks: Mapping[str, Qrels],
    runs: RunsLike,
    measure: str,
    *,
    samples: int = 100,
    alpha: float = 0.05,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> OutcomeByMarks:
    """Evaluate and compare the runs by each set of marks; the last set is the one that counts."""
    scores: dict[str, Scores] = {}
    verdicts: dict[str, Standing | None] = {}
    for done, (name, qrels) in enumerate(marks.items(), start=1):
        study = open_study(qrels, runs, measure)
        scores[name] = study.scores()
        text = study.measures[0].text
        try:
            verdicts[name] = decide(scores[name], text, study=study, samples=samples, alpha=alpha, seed=seed)
        except MismatchError:  # one system, or no topic that all systems have a score for
            verdicts[name] = None
        if progress is not None:
            progress(done, len(marks))
    return OutcomeByMarks(text, scores, verdicts)


def _decision(found: Standing | None) -> tuple[str, str]:
    """What a buyer would take from a verdict: its word against the nearest rival, and the leader unless undecided."""
    if found is None:
        return NONE, ""
    word = "undecided" if found.count("undecided") else "firm" if found.winner else "fragile"
    return word, "" if word == "undecided" else found.leader


def _whose(name: str) -> str:
    """Whose marks they are, in words."""
    return f"the {name} marks" if name in ("merged", "final") else f"the marks of {name}"


def _within(said: str) -> str:
    """An outcome in the middle of a sentence."""
    return said.replace("No firm winner", "no firm winner", 1)
