"""The public functions that compare systems.

They take scores, `compare(scores, "AP")`, or judgements and runs, `compare(qrels, runs, "AP")`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from leadline.errors import InputError
from leadline.measures.definition import MeasureLike, MeasuresLike, split_measures
from leadline.options import Count, Draws, Level, Part, Positive, Samples, Seed
from leadline.records.inputs import Path, QrelsLike, RunsLike
from leadline.records.other_packages import Order

if TYPE_CHECKING:
    from leadline.measures.catalogue.effort import ShareOrPercent
    from leadline.records.scores import Scores
    from leadline.trust.by_topic import Slices, Spectrogram
    from leadline.trust.effort_to_recall import EffortToRecall
    from leadline.trust.incomplete import Incomplete, LeftOut
    from leadline.trust.measure_comparison import Agreement, Correlation, Power, Tau
    from leadline.trust.pairs import Pairs, Standing
    from leadline.trust.planning import Plan
    from leadline.trust.rank_overlap import RankOverlap, Ties
    from leadline.trust.retrievability import Retrievability
    from leadline.trust.retrievability import Weight as RetrievabilityWeight
    from leadline.trust.study import Rounding, Study

Test = Literal["randomisation", "t", "wilcoxon", "bootstrap", "tukey", "anova", "tukey-hsd"]
Correction = Literal["holm", "bonferroni", "bh", "none"]


@overload
def compare(
    scores: Scores,
    /,
    measure: MeasureLike | None = ...,
    *,
    test: Test = ...,
    correction: Correction = ...,
    alpha: float = ...,
    draws: int | None = ...,
    seed: int = ...,
) -> Pairs: ...
@overload
def compare(
    qrels: QrelsLike,
    runs: RunsLike,
    /,
    measure: MeasureLike,
    *,
    test: Test = ...,
    correction: Correction = ...,
    alpha: float = ...,
    draws: int | None = ...,
    seed: int = ...,
) -> Pairs: ...
def compare(
    *inputs: Any,
    measure: MeasureLike | None = None,
    test: Test = "randomisation",
    correction: Correction = "holm",
    draws: Draws | None = None,
    alpha: Level = 0.05,
    seed: Seed = 1,
) -> Pairs:
    """Compare every pair of runs under one measure: difference, effect, interval and p.

    test: test of a pair
    correction: correction for the number of pairs
    draws: random draws of a test (default: 100000; none for randomisation, whose p is that of all flips)
    alpha: level of significance
    seed: random seed

    >>> qrels = {str(t): {"a": 1, "b": 1, "x": 0} for t in range(20)}
    >>> runs = {"good": {t: {"a": 2.0, "b": 1.0} for t in qrels}, "poor": {t: {"x": 1.0} for t in qrels}}
    >>> compare(qrels, runs, "R@10", test="t").letters()
    {'good': 'a', 'poor': 'b'}
    """
    from leadline.trust.pairs import compare as compare_scores

    scores, name = _scores_and_measure(inputs, measure)
    return compare_scores(scores, name, test=test, correction=correction, alpha=alpha, draws=draws, seed=seed)


@overload
def power(
    scores: Scores,
    /,
    measures: MeasuresLike | None = ...,
    *,
    test: Literal["bootstrap", "tukey"] = ...,
    alpha: float = ...,
    draws: int = ...,
    seed: int = ...,
) -> Power: ...
@overload
def power(
    qrels: QrelsLike,
    runs: RunsLike,
    /,
    measures: MeasuresLike,
    *,
    test: Literal["bootstrap", "tukey"] = ...,
    alpha: float = ...,
    draws: int = ...,
    seed: int = ...,
) -> Power: ...
def power(
    *inputs: Any,
    measures: MeasuresLike | None = None,
    test: Literal["bootstrap", "tukey"] = "bootstrap",
    alpha: Level = 0.05,
    draws: Draws = 10_000,
    seed: Seed = 1,
) -> Power:
    """How well each measure tells the systems apart: the share of pairs with a significant difference.

    test: test of a pair
    alpha: level of significance
    draws: random draws of a test
    seed: random seed
    """
    from leadline.trust.measure_comparison import power as power_of_scores

    scores, names = _scores_and_measures(inputs, measures)
    return power_of_scores(scores, names, test=test, alpha=alpha, draws=draws, seed=seed)


@overload
def correlation(scores: Scores, /, measures: MeasuresLike | None = ..., *, tau: Tau = ...) -> Correlation: ...
@overload
def correlation(qrels: QrelsLike, runs: RunsLike, /, measures: MeasuresLike, *, tau: Tau = ...) -> Correlation: ...
def correlation(*inputs: Any, measures: MeasuresLike | None = None, tau: Tau = "b") -> Correlation:
    """Whether measures rank the systems alike: Kendall's tau and tau_AP of every pair.

    tau: coefficient in the column tau: Kendall's tau_a, tau_b or tau_AP
    """
    from leadline.trust.measure_comparison import correlation as correlation_of_scores

    scores, names = _scores_and_measures(inputs, measures)
    return correlation_of_scores(scores, names, tau=tau)


@overload
def agreement(scores: Scores, /, measures: MeasuresLike | None = ...) -> Agreement: ...
@overload
def agreement(qrels: QrelsLike, runs: RunsLike, /, measures: MeasuresLike) -> Agreement: ...
def agreement(*inputs: Any, measures: MeasuresLike | None = None) -> Agreement:
    """How often three measures reach the same conclusion about a pair of systems."""
    from leadline.trust.measure_comparison import agreement as agreement_of_scores

    return agreement_of_scores(*_scores_and_measures(inputs, measures))


@overload
def slices(
    scores: Scores, /, measure: MeasureLike | None = ..., *, topics: Path | Mapping[str, Any], by: str
) -> Slices: ...
@overload
def slices(
    qrels: QrelsLike, runs: RunsLike, /, measure: MeasureLike, *, topics: Path | Mapping[str, Any], by: str
) -> Slices: ...
def slices(*inputs: Any, measure: MeasureLike | None = None, topics: Path | Mapping[str, Any], by: str) -> Slices:
    """Scores by an attribute of the topics.

    topics: table of topics with their attributes
    by: attribute, a column of that table

    In place of the table, `topics` may be the values of the attribute by topic.
    """
    from leadline.trust.by_topic import read_attributes
    from leadline.trust.by_topic import slices as slices_of_scores

    scores, name = _scores_and_measure(inputs, measure)
    if isinstance(topics, Mapping):
        return slices_of_scores(scores, name, topics, by)
    known = read_attributes(topics)
    if by not in known:
        raise InputError(str(topics), f"has no column {by!r}; it has {', '.join(known)}")
    return slices_of_scores(scores, name, known[by], by)


@overload
def spectrogram(scores: Scores, /, measure: MeasureLike | None = ...) -> Spectrogram: ...
@overload
def spectrogram(qrels: QrelsLike, runs: RunsLike, /, measure: MeasureLike) -> Spectrogram: ...
def spectrogram(*inputs: Any, measure: MeasureLike | None = None) -> Spectrogram:
    """Which system answers which topic: the scores of every run on every topic, both in order."""
    from leadline.trust.by_topic import spectrogram as spectrogram_of_scores

    scores, name = _scores_and_measure(inputs, measure)
    return spectrogram_of_scores(scores, name)


@overload
def verdict(
    scores: Scores, /, measure: MeasureLike | None = ..., *, alpha: float = ..., seed: int = ...
) -> Standing: ...
@overload
def verdict(
    qrels: QrelsLike,
    runs: RunsLike,
    /,
    measure: MeasureLike,
    *,
    samples: int = ...,
    alpha: float = ...,
    seed: int = ...,
) -> Standing: ...
def verdict(
    *inputs: Any, measure: MeasureLike | None = None, samples: Samples = 100, alpha: Level = 0.05, seed: Seed = 1
) -> Standing:
    """Whether the leader is better than each other run: firm, fragile or undecided, in plain words.

    samples: random samples of half the judgements
    alpha: level of significance
    seed: random seed

    Only with judgements and runs can it be tried with half the judgements; with scores alone, nothing is called firm.

    >>> qrels = {str(t): {"a": 1, "b": 1, "x": 0} for t in range(20)}
    >>> runs = {"good": {t: {"a": 2.0, "b": 1.0} for t in qrels}, "poor": {t: {"x": 1.0} for t in qrels}}
    >>> verdict(qrels, runs, "R@10", samples=10).verdicts[0].word
    'firm'
    """
    from leadline.trust.pairs import decide
    from leadline.trust.study import open_study

    if _is_scores(inputs):
        scores, name = _scores_and_measure(inputs, measure)
        return decide(scores, name, alpha=alpha, seed=seed)
    qrels, runs, wanted = _qrels_runs_measures(inputs, measure)
    study = open_study(qrels, runs, wanted)
    scores, name = _scores_and_measure((study.scores(),), None)
    return decide(scores, name, study=study, samples=samples, alpha=alpha, seed=seed)


@overload
def plan(
    *,
    measure: MeasureLike,
    difference: float,
    power: float = ...,
    alpha: float = ...,
    comparisons: int | None = ...,
    runs: int | None = ...,
    seed: int = ...,
) -> Plan: ...
@overload
def plan(
    scores: Scores,
    /,
    measure: MeasureLike | None = ...,
    *,
    difference: float | None = ...,
    power: float = ...,
    alpha: float = ...,
    comparisons: int | None = ...,
    runs: int | None = ...,
    seed: int = ...,
) -> Plan: ...
@overload
def plan(
    qrels: QrelsLike,
    pilot: RunsLike,
    /,
    measure: MeasureLike,
    *,
    difference: float | None = ...,
    power: float = ...,
    alpha: float = ...,
    comparisons: int | None = ...,
    runs: int | None = ...,
    samples: int = ...,
    seed: int = ...,
) -> Plan: ...
def plan(
    *inputs: Any,
    measure: MeasureLike | None = None,
    difference: Positive | None = None,
    power: Level = 0.8,
    alpha: Level = 0.05,
    comparisons: Count | None = None,
    runs: Count | None = None,
    samples: Samples = 100,
    seed: Seed = 1,
) -> Plan:
    """How many topics, judgements and runs a study needs to find a difference that matters.

    difference: difference that matters (default: those that the pilot shows between its first run and each other)
    power: probability with which it is found
    alpha: level of significance
    comparisons: comparisons to correct for (default: all pairs of the pilot's runs, as a verdict)
    runs: runs of the study, whose pairs are the comparisons
    samples: random samples of half the judgements
    seed: random seed

    Of a pilot's judgements and runs or its scores: topics are drawn from the pilot's, with replacement, and each such
    study is decided as a verdict is. With a measure and a difference alone, from how far two runs of TREC-COVID and of
    CLEF-IP differ from topic to topic.

    >>> [pair.topics for pair in plan(measure="AP", difference=0.1, runs=2).pairs]
    [11, 14, 19, 22, 36, 44]
    """
    from leadline.trust.planning import plan_before_data, plan_from_pilot
    from leadline.trust.study import open_study

    if not inputs:
        if measure is None or difference is None:
            raise InputError("plan", "give a pilot's scores or its judgements and runs, or a measure and a difference")
        return plan_before_data(
            measure, difference=difference, power=power, alpha=alpha, comparisons=comparisons, runs=runs, seed=seed
        )
    study = None
    if not _is_scores(inputs):
        study = open_study(*_qrels_runs_measures(inputs, measure))
        inputs, measure = (study.scores(),), None
    scores, name = _scores_and_measure(inputs, measure)
    return plan_from_pilot(
        scores,
        name,
        study=study,
        difference=difference,
        power=power,
        alpha=alpha,
        comparisons=comparisons,
        runs=runs,
        samples=samples,
        seed=seed,
    )


@overload
def effort_to_recall(
    study: Study,
    /,
    *,
    recall: Sequence[float] = ...,
    samples: int = ...,
    alpha: float = ...,
    seed: int = ...,
    progress: Callable[[int, int], None] | None = ...,
) -> EffortToRecall: ...
@overload
def effort_to_recall(
    qrels: QrelsLike,
    runs: RunsLike,
    /,
    *,
    recall: Sequence[float] = ...,
    samples: int = ...,
    alpha: float = ...,
    seed: int = ...,
    progress: Callable[[int, int], None] | None = ...,
) -> EffortToRecall: ...
def effort_to_recall(
    *inputs: Any,
    recall: Sequence[ShareOrPercent] = (0.5, 0.8, 0.9, 0.95),
    samples: Samples = 100,
    alpha: Level = 0.05,
    seed: Seed = 1,
    progress: Callable[[int, int], None] | None = None,
) -> EffortToRecall:
    """What each run makes a searcher read until a share of the relevant documents is found, and who needs less.

    recall: shares of the relevant documents to find, or percentages
    samples: random samples of half the judgements
    alpha: level of significance
    seed: random seed

    For each recall, the run that needs less than the others is compared with each of them, topic by topic. A run that
    never gets there counts as worse than any that does. In place of judgements and runs, a study keeps how these are
    read.

    >>> qrels = {str(t): {"a": 1, "b": 1} for t in range(12)}
    >>> runs = {"early": {t: {"a": 3.0, "b": 2.0} for t in qrels}, "late": {t: {"x": 2.0, "a": 1.0} for t in qrels}}
    >>> effort_to_recall(qrels, runs, recall=[0.5, 1], samples=10).sentence(0.5).split(" (firm")[0]
    'early reaches 50 % recall at 1 against 2 documents (median), less on 12 of 12 topics'
    """
    from leadline.trust.effort_to_recall import effort_to_recall as efforts_of_study
    from leadline.trust.study import Study, open_study

    if _is_scores(inputs):
        raise InputError("scores", "do not say what was read for each recall: give judgements and runs")
    if len(inputs) == 1 and isinstance(inputs[0], Study):
        study = inputs[0]
    elif len(inputs) == 2:
        study = open_study(inputs[0], inputs[1], "R")
    else:
        raise InputError("inputs", "give judgements and runs, or a study")
    return efforts_of_study(study, recall, samples=samples, alpha=alpha, seed=seed, progress=progress)


@overload
def incomplete(
    study: Study,
    /,
    *,
    keep: Sequence[float] = ...,
    samples: int = ...,
    rounding: Rounding = ...,
    seed: int = ...,
) -> Incomplete: ...
@overload
def incomplete(
    qrels: QrelsLike,
    runs: RunsLike,
    /,
    measures: MeasuresLike,
    *,
    keep: Sequence[float] = ...,
    samples: int = ...,
    rounding: Rounding = ...,
    seed: int = ...,
) -> Incomplete: ...
def incomplete(
    *inputs: Any,
    measures: MeasuresLike | None = None,
    keep: Sequence[Part] = (0.2, 0.4, 0.6, 0.8),
    samples: Samples = 100,
    rounding: Rounding = "random",
    seed: Seed = 1,
) -> Incomplete:
    """Whether fewer judgements would give the same ranking of the systems: Kendall's tau for each share kept.

    keep: shares of the relevant documents to keep
    samples: random samples per share
    seed: random seed

    With `rounding="random"` the shares are true on average, and a topic left without a relevant document drops out of
    that sample; with `"at-least-one"` it keeps one.

    >>> qrels = {"7": {"a": 1, "b": 1, "c": 1, "d": 0}}
    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"d": 9, "c": 8}}, "z": {"7": {"d": 9}}}
    >>> incomplete(qrels, runs, "R", keep=[1], samples=2).mean
    array([[1.]])
    """
    from leadline.trust.incomplete import Incomplete
    from leadline.trust.study import Study, open_study

    if _is_scores(inputs):
        raise InputError("scores", "cannot show what fewer judgements would do: give judgements, runs and measures")
    is_study = len(inputs) == 1 and isinstance(inputs[0], Study)
    study = inputs[0] if is_study else open_study(*_qrels_runs_measures(inputs, measures))
    return Incomplete.of(study, keep=keep, samples=samples, rounding=rounding, seed=seed)


def left_out(study: Study, *, depths: Iterable[Count] | None = None, teams: Mapping[str, str] | None = None) -> LeftOut:
    """How the ranking changes without the documents that one run, or one team, found alone, or with shallower pools.

    depths: keep the pool to these depths, such as 10,20,50

    `teams` gives the team of a run (default: each run by itself).
    """
    from leadline.trust import incomplete as studies
    from leadline.trust.study import Study

    if not isinstance(study, Study):
        raise InputError("study", "must be made by open_study(qrels, runs, measures)")
    others = studies.each_run(study, teams=teams) if depths is None else studies.each_depth(study, depths)
    return studies.left_out(study, others)


def retrievability(
    runs: RunsLike,
    *,
    cutoff: Count = 100,
    weight: RetrievabilityWeight = "cumulative",
    beta: float = 1.0,
    size: Count | None = None,
    documents: Iterable[str] | None = None,
) -> Retrievability:
    """Which documents each run can find at all, over its topics, and how unequally: r(d), Gini's G, Lorenz curves.

    runs: files, patterns or folders of runs
    cutoff: results that a searcher reads
    weight: what a result within the cutoff counts
    size: how many documents were searched (default: those that a run finds)

    A document counts 1 for each topic that has it within the cutoff, or 1 / rank^beta with `weight="gravity"`. In place
    of their number, `documents` may be the ids of those searched.

    >>> runs = {"x": {"7": {"a": 9, "b": 8}, "8": {"a": 9}}}
    >>> retrievability(runs, size=10).found.tolist()
    [0.2]
    """
    from leadline.measures.evaluate import open_sources
    from leadline.records.runs import read_run
    from leadline.trust.retrievability import retrievability as retrievability_of_runs

    opened = (
        replace(source.run, name=source.name)
        if source.run is not None
        else read_run(str(source.path), name=source.name)
        for source in open_sources(runs)
    )
    return retrievability_of_runs(opened, cutoff=cutoff, weight=weight, beta=beta, size=size, documents=documents)


def overlap(
    runs: RunsLike, *, p: Level = 0.9, depth: Count = 1000, ties: Ties = "a", order: Order = "score"
) -> RankOverlap:
    """How alike the rankings of every two runs are: rank-biased overlap, over topics.

    runs: files, patterns or folders of runs
    p: probability of going on to the next document; the mean depth is 1 / (1 - p)
    depth: documents of a ranking that are compared
    ties: what equal scores mean, any order (a, or b with 1 for identical rankings) or one rank (w)
    order: order of a run (rank: its rank column)

    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"a": 3, "b": 1}}}
    >>> overlap(runs).means.tolist()
    [1.0]
    """
    from leadline.measures.evaluate import open_sources
    from leadline.records.runs import read_run
    from leadline.trust.rank_overlap import overlap as overlap_of_runs

    opened = (
        replace(source.run, name=source.name)
        if source.run is not None
        else read_run(str(source.path), name=source.name, order=order)
        for source in open_sources(runs)
    )
    return overlap_of_runs(opened, p=p, depth=depth, ties=ties)


def _is_scores(inputs: tuple[Any, ...]) -> bool:
    from leadline.records.scores import Scores

    return bool(inputs) and isinstance(inputs[0], Scores)


def _scores_and_measures(inputs: tuple[Any, ...], measures: Any) -> tuple[Scores, tuple[str, ...]]:
    """The scores to compare and the names of their measures, from scores or from judgements and runs."""
    if not _is_scores(inputs):
        from leadline.measures.evaluate import evaluate

        scores = evaluate(*_qrels_runs_measures(inputs, measures))
        return scores, scores.measures
    scores = cast("Scores", inputs[0])
    given = [*inputs[1:], *([] if measures is None else [measures])]
    if len(given) > 1:
        raise InputError("scores", "with scores, give only the measures")
    return scores, _named_in(scores, given[0]) if given else scores.measures


def _named_in(scores: Scores, wanted: Any) -> tuple[str, ...]:
    """The names of measures that the scores have. A table of scores may hold measures that are not ours."""
    listed = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else list(wanted)
    names: list[MeasureLike] = []
    for each in listed:
        several = isinstance(each, str) and each not in scores
        names += split_measures(each) if several else [each]
    return tuple(scores.measures[scores.place(name)] for name in names)


def _scores_and_measure(inputs: tuple[Any, ...], measure: Any) -> tuple[Scores, str]:
    """The same for a comparison under one measure."""
    scores, names = _scores_and_measures(inputs, measure)
    if len(names) != 1:
        raise InputError("measure", f"give one measure to compare by, got {len(names)}: {', '.join(names)}")
    return scores, names[0]


def _qrels_runs_measures(inputs: tuple[Any, ...], measures: Any) -> tuple[Any, Any, Any]:
    given = inputs if measures is None else (*inputs, measures)
    if len(given) != 3:
        raise InputError("inputs", "give scores and measures, or judgements, runs and measures")
    return given
