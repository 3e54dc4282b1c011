"""Scores of runs: judgements, runs and measures in; the score cube out; ranges over ties, and scores from a table."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from leadline.errors import InputError, MeasureError, checked_choice
from leadline.measures.definition import Measure, MeasuresLike, View, parse_measure, parse_measures
from leadline.measures.hits import Array, Hits, Integers, Judged
from leadline.measures.join import Alignment, RunHits, Summary, expects, length_table, listed, pays, together
from leadline.measures.run_source import ReadingPlan, RunReading, Source, held_bytes, judgement_bytes
from leadline.records.inputs import Path
from leadline.records.other_packages import Format, Grade, Like, Order, Unjudged
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, run_names, run_paths
from leadline.records.scores import Better, Columns, Scores
from leadline.records.scores import read_scores as read_table
from leadline.text.memory import ReusedArrays
from leadline.text.source import size_of
from leadline.text.spread import MemoryBudget, MemoryLike, Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.measures.run_source import Copies, ReadingLogs
    from leadline.records.inputs import DuplicatesLike, QrelsLike, RunLike, RunsLike
    from leadline.records.other_packages import OtherRun

BATCH = 250_000  # hits: a few megabytes, long enough for NumPy to be efficient
TREATMENTS: tuple[Unjudged, ...] = ("wrong", "condensed", "right")
Progress = Callable[[int, int], None]
FilePath = str | os.PathLike[str]

MAIN_MEASURE = "PRES@1000"  # decides where the user names none: recall matters, and how early it comes
_DEFAULTS = {
    "plain": f"{MAIN_MEASURE} R@1000 AP nDCG@10 P@10 judged@10",
    "strata": "xinfAP infNDCG",
    "subtopics": "CT@20 alpha_nDCG@20 ERR_IA@20 strec@20",
    "passages": "CT@20 alpha_nDCG@20 strec@20",
    "prels": "statAP",
    "drawn": f"{MAIN_MEASURE} R@1000 AP nDCG@10 P@10",
    "characters": "char_AP AiP char_F char_P char_R",
}


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    rel: Grade | None = None,
    ties: bool = False,
    like: Like | None = None,
    unjudged: Unjudged = "wrong",
    order: Order = "score",
    topics: FilePath | Iterable[str] | None = None,
    reads: FilePath | Mapping[str, FilePath] | None = None,
    lengths: FilePath | Mapping[str, float] | None = None,
    qrels_format: Format | None = None,
    runs_info: FilePath | Mapping[str, Mapping[str, str]] | None = None,
    duplicates: DuplicatesLike | None = None,
    copies: Copies = "not-relevant",
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    spread: Spread | None = None,
    memory: MemoryLike = None,
) -> Scores:
    """Score every run on every topic under every measure.

    qrels: judgements; - is standard input
    runs: files, patterns or folders of runs; - is standard input
    measures: names of measures, such as "PRES@100 AP nDCG@10"
    rel: smallest grade that is relevant (default: 1)
    ties: also the lowest and highest score that the order within ties allows
    like: count as this program does; with sample_eval, a run's means are over the topics that it answers, and those
        with nothing relevant score 0 (default: none)
    unjudged: how unjudged documents count (condensed: left out)
    order: order of a run (rank: its rank column)
    topics: only the topics that this file lists (default: all)
    reads: reading times for CT and TBG: topic document seconds
    lengths: document lengths for CT and TBG: document words
    qrels_format: format of the judgements (default: detected)
    runs_info: table of runs with a header: run, team, task, ...
    duplicates: groups of near-duplicates, made by `leadline duplicates -o FILE`
    copies: with `duplicates`, how a document counts of which a copy stands higher in the list (collapse: left out)
    memory: most memory to hold, such as 2GB or 500MB; larger work is done in parts (default: no limit)

    What is a file may also be what it holds: mappings, data frames, Run and Qrels, what ranx and ir_measures use for
    judgements, runs and measures; a list of topics; a mapping from documents to words or to groups; what `duplicates`
    returns; for `reads` the log of each run by its name. `spread` reads the runs elsewhere, large ones in pieces;
    `memory` is then held by each of those who read.

    >>> scores = evaluate({"1": {"d1": 1, "d2": 0}}, {"1": {"d1": 0.3, "d2": 0.5}}, "PRES@10 RR")
    >>> scores["PRES@10"], scores.run("run")
    ({'run': 0.9}, {'PRES@10': 0.9, 'RR': 0.5})
    """
    checked_choice("order", order, get_args(Order))
    checked_choice("unjudged", unjudged, get_args(Unjudged))
    if like is not None:
        checked_choice("like", like, get_args(Like))
    if ties and duplicates is not None:
        raise InputError("ties", "cannot be combined with duplicates")
    if ties and unjudged != "wrong":
        raise InputError("ties", "the range over ties takes unjudged documents as wrong; ask for one of the two")
    # What only some evaluations need is imported where it is needed: starting up is most of the time of a small one.
    if isinstance(topics, (str, os.PathLike)):
        from leadline.records.inputs import read_topics

        topics = read_topics(topics)
    if isinstance(lengths, (str, os.PathLike)):
        from leadline.records.inputs import read_lengths

        lengths = read_lengths(lengths)
    if isinstance(runs_info, (str, os.PathLike)):
        from leadline.records.inputs import read_runs_info

        runs_info = read_runs_info(runs_info)
    budget = MemoryBudget.of(memory)
    qrels_size = judgement_bytes(qrels, budget)
    judged = open_qrels(qrels, format=qrels_format, topics=topics)
    wanted = parse_measures(measures if measures is not None else _DEFAULTS[judged.kind], rel=rel)
    check_needs(wanted, judged)
    by_characters = [measure.text for measure in wanted if "characters" in measure.view.needs]
    if by_characters and (ties or unjudged != "wrong" or duplicates is not None):
        option = "ties" if ties else "unjudged" if unjudged != "wrong" else "duplicates"
        raise InputError(option, f"is of whole documents; {', '.join(by_characters)} counts characters")
    if reads is not None:
        _ = _logs(reads)  # a bad log is an error even where no measure uses it
        wanted = [timed_by_log(measure) for measure in wanted]
    sources = open_sources(runs)
    plan = None
    if budget is not None:
        columns = len(wanted) * (3 if unjudged == "all" or ties else 1)
        held = held_bytes(qrels_size, len(judged.topics), len(sources), columns)
        kernels, elsewhere = expects(_size(sources)), spread is not None
        plan = ReadingPlan.of(sources, budget, kernels=kernels, held=held, elsewhere=elsewhere)
    treatments = TREATMENTS if unjudged == "all" else (unjudged,)
    cube = np.empty((len(sources), len(judged.topics), len(wanted), len(treatments)))
    bounds = (cube[..., 0].copy(), cube[..., 0].copy()) if ties else None
    variances = cube[..., 0].copy() if judged.kind == "drawn" else None
    if variances is not None and (ties or unjudged != "wrong"):
        problem = "have no range over ties, and what is not judged is estimated already"
        raise InputError(judged.name, f"judgements drawn with known probabilities {problem}")
    everything, groups = Judged.of(judged), None
    if duplicates is not None:
        from leadline.measures.run_source import counted_once, open_groups, without_copies

        groups = open_groups(duplicates, copies, wanted, judged)
        everything = counted_once(judged, groups)
    report: Alignment | None = None
    by_view: dict[View, list[int]] = {}
    for m, measure in enumerate(wanted):
        by_view.setdefault(view_with_reads(measure, reads), []).append(m)
    for view, places in by_view.items():
        summaries = []
        stream = hits_of_runs(
            sources,
            judged,
            view,
            order,
            reads=reads,
            lengths=lengths,
            groups=groups,
            progress=progress,
            plan=plan,
            spread=spread,
        )
        for rows, parts in _batches(stream):
            summaries += [Summary.of(part) for part in parts]
            hits = together(parts, judged, judged=everything if groups is None else None, with_ties=ties)
            if groups is not None:
                hits = without_copies(hits, [ranks for part in parts for ranks in part.copies], everything, copies)
            for m in places:
                if variances is not None:
                    values_here, variance = estimated(wanted[m], hits)
                    cube[rows, :, m, 0] = values_here.reshape(len(parts), -1)
                    variances[rows, :, m] = variance.reshape(len(parts), -1)
                    continue
                for k, treatment in enumerate(treatments):
                    cube[rows, :, m, k] = treated(wanted[m], hits, treatment).reshape(len(parts), -1)
                if view.layout == "dynamic":  # that track's mean is over the topics a run answers
                    cube[rows, :, m][~np.stack([part.answered for part in parts])] = np.nan
                if bounds is not None:
                    extremes = tie_range(wanted[m], hits, rng or np.random.default_rng(1))
                    for bound, extreme in zip(bounds, extremes, strict=True):
                        bound[rows, :, m] = extreme.reshape(len(parts), -1)
        if report is None or "seconds" not in view.needs:
            missing = "left out" if view.layout == "dynamic" else "scored 0"
            report = Alignment([source.name for source in sources], judged, summaries, wanted, missing)
            report.check()
    assert report is not None
    values = cube.reshape(len(sources), len(judged.topics), -1)
    if like == "sample_eval":
        values = _as_sample_eval(values, report.answered)
    names = [source.name for source in sources]
    notes = [*report.notes(), *_undefined(values, names, wanted, everything)]
    if judged.kind in ("subtopics", "passages") and not all("subtopics" in measure.view.needs for measure in wanted):
        notes.append("judged by subtopic: measures without subtopics use a document's largest grade")
    if judged.extents is not None and not all("characters" in measure.view.needs for measure in wanted):
        notes.append("runs of passages: other measures take a document where its first passage stands")
    if variances is not None and np.isfinite(variances).any():
        notes.append(
            "of the two ± the first is for topics like these; the second, which is part of it, for these very topics: "
            "what the documents that were not judged leave open"
        )
    absent = [topic for topic in dict.fromkeys(map(str, topics or ())) if topic not in judged.topics]
    if absent:
        notes.append(f"asked for but not judged: {listed(absent)}")
    return Scores(
        tuple(names),
        judged.topics,
        tuple(_labelled(measure, treatment, unjudged) for measure in wanted for treatment in treatments),
        values,
        tuple(measure.definition.aggregate for measure in wanted for _ in treatments),
        tuple(measure.definition.better for measure in wanted for _ in treatments),
        lowest=None if bounds is None else bounds[0],
        highest=None if bounds is None else bounds[1],
        sampling=variances,
        attributes=runs_info or {},
        notes=tuple(notes),
    )


def _undefined(values: Array, names: Sequence[str], measures: Sequence[Measure], judged: Judged) -> Iterator[str]:
    """Notes on measures that are undefined on topics with relevant documents: their means are over fewer topics."""
    columns = values.shape[2] // len(measures)
    for m, measure in enumerate(measures):
        relevant = judged.count(judged.grades >= measure.level) > 0
        missing = np.isnan(values[:, relevant, m * columns]).sum(axis=1)
        if missing.any() and not measure.definition.counts and measure.view.layout == "trec":
            worst = int(missing.argmax())
            others = f", fewer for {int((missing > 0).sum()) - 1} more runs" if (missing > 0).sum() > 1 else ""
            yield (
                f"{measure.text} is undefined on {missing[worst]} topic{'s' * bool(missing[worst] != 1)} for "
                f"{names[worst]}{others}; its mean is over the rest"
            )


def _labelled(measure: Measure, treatment: str, unjudged: Unjudged) -> str:
    return f"{measure.text} {treatment}" if unjudged == "all" else measure.text


def open_qrels(qrels: QrelsLike, *, format: str | None = None, topics: Iterable[str] | None = None) -> Qrels:
    """Return judgements from a file or an object, restricted to `topics` if given."""
    judged = read_qrels(qrels, format=format) if isinstance(qrels, (str, os.PathLike)) else Qrels.of(qrels)
    if topics is None:
        return judged
    wanted = list(dict.fromkeys(str(topic) for topic in topics))
    kept = judged.restricted_to(wanted)
    if not kept.topics:
        raise InputError(judged.name, f"none of the topics asked for ({', '.join(wanted[:3])}) is judged here")
    return kept


def open_sources(runs: RunsLike) -> list[Source]:
    """Return the runs in a path, a pattern, an object, or a list or mapping of these."""
    if isinstance(runs, (str, os.PathLike)):
        runs = [runs]
    if isinstance(runs, Mapping) and not runs:
        raise InputError("runs", "no run was given")
    if isinstance(runs, Mapping) and _names_runs(runs):
        return [replace(open_sources(cast("RunLike", run))[0], name=str(name)) for name, run in runs.items()]
    if isinstance(runs, Sequence) and not isinstance(runs, (str, bytes)) and _lists_runs(runs):
        paths = [run for run in runs if isinstance(run, (str, os.PathLike))]
        found = run_paths(paths) if paths else []
        sources = [Source(name, path) for name, path in zip(run_names(found), found, strict=True)]
        objects = [run for run in runs if not isinstance(run, (str, os.PathLike))]
        for number, run in enumerate(objects, start=1):
            opened = Run.of(run, f"run{number}" if len(objects) > 1 else "run")
            sources.append(Source(opened.name, run=opened))
        return _with_distinct_names(sources)
    opened = Run.of(cast("Run | OtherRun", runs))
    return [Source(opened.name, run=opened)]


def _names_runs(runs: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds runs by name, rather than being a run: {topic: {document: score}}."""
    first = next(iter(runs.values()), None)
    return not isinstance(first, Mapping) or isinstance(next(iter(first.values()), None), Mapping)


def _lists_runs(runs: Sequence[Any]) -> bool:
    """Whether a list holds runs, rather than being one run's scored documents."""
    return not runs or not hasattr(runs[0], "query_id")


def _with_distinct_names(sources: list[Source]) -> list[Source]:
    seen: dict[str, int] = {}
    named = []
    for source in sources:
        seen[source.name] = seen.get(source.name, 0) + 1
        count = seen[source.name]
        named.append(source if count == 1 else replace(source, name=f"{source.name}-{count}"))
    if not named:
        raise InputError("runs", "no run was given")
    return named


def check_needs(measures: Sequence[Measure], qrels: Qrels) -> None:
    """Raise an error for a measure that needs other judgements, before any run is read."""
    if qrels.kind == "drawn":
        for measure in measures:
            measure.check_estimated(qrels.name)
    for measure in measures:
        for need, kinds in (("strata", "stratum"), ("prels", "sampling probability")):
            if need in measure.view.needs and qrels.kind != need:
                raise MeasureError(
                    f"{measure.text} needs judgements with a {kinds} for each document, and {qrels.name} has none"
                    f" (--qrels-format {need})"
                )
        if "characters" in measure.view.needs and qrels.extents is None:
            raise MeasureError(
                f"{measure.text} needs judgements of passages (topic 0 document offset:length ...), and {qrels.name} "
                "judges whole documents"
            )
        if "subtopics" in measure.view.needs and qrels.subtopics is None:
            raise MeasureError(
                f"{measure.text} needs judgements by subtopic (topic subtopic document grade), and {qrels.name} has "
                "the same second column on every line"
            )


def timed_by_log(measure: Measure) -> Measure:
    """Return a measure with reading times that takes them from the reading log, unless the user chose another time."""
    options = measure.options
    if "time" not in options or "time" in measure.written or options.get("variant", "paper") != "paper":
        return measure
    return replace(measure, options={**options, "time": "given"})


def view_with_reads(measure: Measure, reads: Any) -> View:
    """Return the view of a measure; with a reading log, measures that model time take order and times from it."""
    view = measure.view
    timed = measure.definition.family in ("cube_test", "search_speed", "tbg")
    if "seconds" in view.needs and reads is None:
        raise MeasureError(f"{measure.text} needs a reading log: give --reads FILE")
    if reads is not None and timed:
        # TBG needs no words where the log has the seconds. The Cube Test may still be asked to count words.
        modelled = {"words"} if measure.definition.family == "tbg" else set()
        return replace(view, order="file", needs=(view.needs - modelled) | {"seconds"})
    return view


def hits_of_runs(
    sources: Sequence[Source],
    qrels: Qrels,
    view: View,
    order: Order,
    *,
    reads: FilePath | Mapping[str, FilePath] | None = None,
    lengths: Mapping[str, float] | None = None,
    groups: Mapping[bytes, int] | None = None,
    progress: Progress | None = None,
    spread: Spread | None = None,
    plan: ReadingPlan | None = None,
) -> Iterator[RunHits]:
    """Yield the hits of each run. Runs are read in parallel, one per processor, and freed once joined.

    Those that `plan` divides (default: those that do not fit into memory) are read some topics at a time.
    """
    size = _size(sources)
    words = None if lengths is None else length_table(lengths)
    logs = _logs(reads) if reads is not None and "seconds" in view.needs else None
    reading = RunReading(qrels, view, order, size, words, logs, groups)
    if spread is not None:
        from leadline.measures.run_source import spread_hits

        yield from spread_hits(sources, reading, spread, plan, progress)
        return
    parts = _hits_here(sources, reading, plan, divided=logs is None and qrels.extents is None)
    yield from _with_progress(parts, len(sources), progress)


def _hits_here(
    sources: Sequence[Source], reading: RunReading, plan: ReadingPlan | None, *, divided: bool
) -> Iterator[RunHits]:
    """The hits of each run: one after the other in plain Python until there is machine code, then several at a time."""
    local, done = threading.local(), 0

    def read(source: Source, kernels: bool, plan: ReadingPlan) -> RunHits:
        if not hasattr(local, "memory"):
            local.memory = ReusedArrays()
        if divided and source.text is None and plan.divides(source):
            return plan.hits(
                source, reading.qrels, local.memory, lambda part: reading.hits(part, kernels, local.memory)
            )
        return reading.hits(source, kernels, local.memory)

    if not expects(reading.size):
        slow = plan or ReadingPlan.of(sources, None, kernels=False)
        while done < len(sources) and not pays(_size(sources[done : done + 1])):
            yield read(sources[done], False, slow)
            done += 1
    if done < len(sources):
        _ = reading.qrels.tables, reading.qrels.topic_table  # built once, before threads share them
        fast = plan or ReadingPlan.of(sources[done:], None, kernels=True)
        with ThreadPoolExecutor(max_workers=fast.workers) as pool:
            yield from pool.map(lambda source: read(source, True, fast), sources[done:])


def _with_progress(parts: Iterator[RunHits], total: int, progress: Progress | None) -> Iterator[RunHits]:
    for done, part in enumerate(parts, start=1):
        yield part
        if progress is not None:
            progress(done, total)


def _size(sources: Sequence[Source]) -> int:
    """The bytes of all runs, about."""
    paths = [source.path for source in sources if source.path is not None]
    lines = sum(len(source.run) for source in sources if source.run is not None)
    return sum(map(size_of, paths)) + 40 * lines


def _logs(reads: FilePath | Mapping[str, FilePath]) -> ReadingLogs:
    from leadline.measures.run_source import ReadingLogs

    return ReadingLogs.read(reads)


def _batches(parts: Iterable[RunHits]) -> Iterator[tuple[slice, list[RunHits]]]:
    """Runs in batches, so that memory does not grow with their number, and the rows of the cube they fill."""
    batch: list[RunHits] = []
    first = 0
    for part in parts:
        batch.append(part)
        if sum(len(other.rank) for other in batch) > BATCH:
            yield slice(first, first + len(batch)), batch
            first, batch = first + len(batch), []
    if batch:
        yield slice(first, first + len(batch)), batch


def estimated(measure: Measure, hits: Hits) -> tuple[Array, Array]:
    """The values of a measure by judgements drawn with known probabilities, and the variances of these estimates.

    A count of judged documents is no estimate, and its variance is NaN.
    """
    if measure.definition.estimated is None:
        values = measure(hits)
        return values, np.full(len(values), np.nan)
    values, variance = measure.definition.estimated(hits, **measure.options)
    undefined = hits.n_relevant(measure.level) == 0
    return np.where(undefined, np.nan, values), np.where(undefined, np.nan, variance)


def treated(measure: Measure, hits: Hits, unjudged: Unjudged) -> Array:
    """Return the measure's values with unjudged documents as wrong, left out (condensed) or right."""
    compute = measure.__call__
    if measure.view.layout == "dynamic":
        # That track counts every topic a run answers, grade 0 as relevant, and iterations instead of documents.
        compute = measure.raw
    if unjudged == "wrong":
        return compute(hits)
    from leadline.measures.hits import judged_only, unjudged_right

    if unjudged == "condensed":
        return compute(judged_only(hits))
    if measure.view.layout == "dynamic":
        return compute(unjudged_right(hits))
    defined = hits.n_relevant(measure.level) > 0
    return np.where(defined, compute(unjudged_right(hits, measure.cutoff)), np.nan)


def _as_sample_eval(cube: Array, answered: NDArray[np.bool_]) -> Array:
    """As NIST's sample_eval: the mean is over the topics the run answers; one without a relevant document scores 0."""
    return np.where(answered[:, :, None], np.nan_to_num(cube, nan=0.0), np.nan)


SHUFFLES = 200  # random orders for measures whose extremes no simple order reaches


def tie_range(measure: Measure, hits: Hits, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the lowest and highest value of each row over the orders inside ties.

    For measures of grades, sorting each tie by grade reaches the extremes. In a measure of subtopics the gain of a
    document depends on those before it, so random orders are tried as well; the true range may be wider.
    """
    if measure.view.needs & {"words", "seconds", "iterations"}:
        raise MeasureError(
            f"{measure.text}: a measure of reading time has no range over ties; use time=rank, or leave out --ties"
        )
    values = [measure(other) for other in _orders(hits, measure.level, rng, "subtopics" in measure.view.needs)]
    return np.minimum.reduce(values), np.maximum.reduce(values)


def _orders(hits: Hits, level: int, rng: np.random.Generator, shuffled: bool) -> Iterator[Hits]:
    yield hits
    if (hits.tie_first == hits.tie_last).all():
        return
    relevant = hits.relevant(level)
    # The sort key of each hit in its tie: negative before the unjudged documents, positive after them. The orders are:
    # relevant, unjudged, irrelevant; the reverse; relevant, irrelevant, unjudged; the reverse. Pooled documents that
    # nobody judged (grade below 0) stand between the irrelevant and the unjudged ones.
    gain = np.where(relevant, hits.grade, 0)
    wrong = np.where(hits.grade < 0, 0.5, 1.0)
    wrong_last = np.where(relevant, -gain - 1.0, wrong)
    yield reordered(hits, wrong_last)
    yield reordered(hits, -wrong_last)
    judged_first = np.where(relevant, -gain - 2.0, -wrong)
    yield reordered(hits, judged_first)
    yield reordered(hits, -judged_first)
    if shuffled:
        for _ in range(SHUFFLES):
            yield reordered(hits, _shuffled(hits, rng))


def _shuffled(hits: Hits, rng: np.random.Generator) -> Array:
    """Random sort keys that also mix judged with unjudged documents of a tie."""
    spread = np.maximum(hits.tie_last - hits.tie_first, 1)
    return rng.uniform(-1, 1, len(hits.rank)) * spread


def reordered(hits: Hits, place: Array) -> Hits:
    """Return the hits with every tie sorted by `place`, where unjudged documents have place 0.

    >>> hits = replace(Hits.of(ranks=[2], relevant=1, retrieved=4), tie_first=np.array([1]), tie_last=np.array([4]))
    >>> reordered(hits, np.array([1.0])).rank, reordered(hits, np.array([-1.0])).rank
    (array([4]), array([1]))
    """
    # Within each tie, hits get consecutive ranks in the order of `place`; those after 0 follow the unjudged documents.
    order = np.lexsort((place, hits.tie_first, hits.row))
    row, first, last = hits.row[order], hits.tie_first[order], hits.tie_last[order]
    starts = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]) | (first[1:] != first[:-1])][: len(order)])
    sizes = np.diff(np.r_[starts, len(order)])
    within: Integers = np.arange(len(order)) - np.repeat(starts, sizes)
    unjudged = last - first + 1 - np.repeat(sizes, sizes)
    rank = first + within + np.where(place[order] > 0, unjudged, 0)
    again = np.lexsort((rank, row))
    chosen = order[again]
    return replace(
        hits,
        rank=rank[again],
        grade=hits.grade[chosen],
        document=hits.document[chosen],
        tie_first=hits.tie_first[chosen],
        tie_last=hits.tie_last[chosen],
    )


# Scores from a table, with what our measures say of them: whether higher or lower values are better.


def read_scores(path: Path, *, columns: Columns | None = None, measure: str = "score") -> Scores:
    """Read scores from a table in CSV, TSV, JSON, JSON lines or Parquet.

    columns: what its columns are (default: detected)

    A row has a run, a topic and a measure, and a value or a column for each of what the rows do not name. The notes say
    what was detected. `measure` names the measure of a table that has none.
    """
    scores = read_table(path, columns=columns, measure=measure)
    return replace(scores, better=tuple(map(_better, scores.measures)))


def _better(measure: str) -> Better:
    """Which values are better, as the measure says if it is one of ours."""
    try:
        return parse_measure(measure).definition.better
    except MeasureError:
        return "higher"
