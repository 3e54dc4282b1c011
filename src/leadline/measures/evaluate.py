"""Scores of runs: judgements, runs and measures in; the score cube out, with notes on what was left out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from leadline.errors import InputError, MeasureError, checked_choice
from leadline.measures.alignment import Alignment, Summary, listed
from leadline.measures.definition import Measure, View
from leadline.measures.hits import Array, Hits, Judged
from leadline.measures.join import RunHits, length_table, pays, together
from leadline.measures.notation import MeasuresLike, parse_measures
from leadline.measures.run_source import ReadingPlan, RunReading, Source, held_bytes, judgement_bytes
from leadline.records.choices import Order
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.runs.read_runs import run_names, run_paths
from leadline.records.runs.run import Run
from leadline.records.scores.scores import Scores
from leadline.text.memory import ReusedArrays
from leadline.text.memory_budget import MemoryBudget, MemoryLike
from leadline.text.source import size_of
from leadline.text.spread import Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.measures.copies import Copies
    from leadline.records.inputs import DuplicatesLike, QrelsLike, RunLike, RunsLike
    from leadline.records.others import OtherRun

Unjudged = Literal["wrong", "condensed", "right", "all"]
Like = Literal["trec_eval", "sample_eval"]
BATCH = 250_000  # hits: a few megabytes, long enough for NumPy to be efficient
TREATMENTS: tuple[Unjudged, ...] = ("wrong", "condensed", "right")
Progress = Callable[[int, int], None]
Path = str | os.PathLike[str]

MAIN_MEASURE = "PRES@1000"  # decides where the user names none: recall matters, and how early it comes
_DEFAULTS = {
    "plain": f"{MAIN_MEASURE} R@1000 AP nDCG@10 P@10 judged@10",
    "strata": "xinfAP infNDCG",
    "subtopics": "CT@20 alpha_nDCG@20 ERR_IA@20 strec@20",
    "passages": "CT@20 alpha_nDCG@20 strec@20",
    "prels": "statAP",
}


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    rel: int | None = None,
    order: Order = "score",
    topics: Path | Iterable[str] | None = None,
    unjudged: Unjudged = "wrong",
    ties: bool = False,
    like: Like | None = None,
    reads: Path | None = None,
    lengths: Path | Mapping[str, float] | None = None,
    qrels_format: str | None = None,
    runs_info: Path | Mapping[str, Mapping[str, str]] | None = None,
    duplicates: DuplicatesLike | None = None,
    copies: Copies = "not-relevant",
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    spread: Spread | None = None,
    memory: MemoryLike = None,
) -> Scores:
    """Score every run on every topic under every measure.

    `qrels` and `runs` are files, patterns or objects: mappings, data frames, Run and Qrels, what ranx and
    ir_measures use. `measures` are written as `PRES@100` or `nDCG(gain=exp)@10`, or are measures of ir_measures.
    `topics` (a subset), `lengths` (document, words) and `runs_info` (run, team, ...) are files or what these hold;
    `reads` is a reading log. `duplicates` are groups of near-duplicates, as a file, a mapping from documents to groups,
    or what `duplicates` returns; `copies` says how a document counts of which a copy stands higher in the list.
    `spread` reads the runs elsewhere, large ones in pieces. `memory`, such as "2GB", is the most that is held at once,
    with `spread` by each of those who read: larger runs are read some topics at a time, with the same scores.

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
        from leadline.records.side_tables import read_topics

        topics = read_topics(topics)
    if isinstance(lengths, (str, os.PathLike)):
        from leadline.records.side_tables import read_lengths

        lengths = read_lengths(lengths)
    if isinstance(runs_info, (str, os.PathLike)):
        from leadline.records.side_tables import read_runs_info

        runs_info = read_runs_info(runs_info)
    budget = MemoryBudget.of(memory)
    qrels_size = judgement_bytes(qrels, budget)
    judged = open_qrels(qrels, format=qrels_format, topics=topics)
    wanted = parse_measures(measures if measures is not None else _DEFAULTS[judged.kind], rel=rel)
    check_needs(wanted, judged)
    if reads is not None:
        _ = _log(reads)  # a bad log is an error even where no measure uses it
        wanted = [timed_by_log(measure) for measure in wanted]
    sources = open_sources(runs)
    plan = None
    if budget is not None:
        columns = len(wanted) * (3 if unjudged == "all" or ties else 1)
        held = held_bytes(qrels_size, len(judged.topics), len(sources), columns)
        kernels, elsewhere = pays(_size(sources)), spread is not None
        plan = ReadingPlan.of(sources, budget, kernels=kernels, held=held, elsewhere=elsewhere)
    treatments = TREATMENTS if unjudged == "all" else (unjudged,)
    cube = np.empty((len(sources), len(judged.topics), len(wanted), len(treatments)))
    bounds = (cube[..., 0].copy(), cube[..., 0].copy()) if ties else None
    everything, groups = Judged.of(judged), None
    if duplicates is not None:
        from leadline.measures.copies import counted_once, open_groups, without_copies

        groups = open_groups(duplicates, copies, wanted, judged)
        everything = counted_once(judged, groups)
    report: Alignment | None = None
    by_view: dict[View, list[int]] = {}
    for m, measure in enumerate(wanted):
        by_view.setdefault(view_with_reads(measure, reads), []).append(m)
    for view, places in by_view.items():
        summaries = []
        stream = hits_of_runs(
            sources, judged, view, order, reads=reads, lengths=lengths, groups=groups, progress=progress, plan=plan,
            spread=spread,
        )  # fmt: skip
        for rows, parts in _batches(stream):
            summaries += [Summary.of(part) for part in parts]
            hits = together(parts, judged, judged=everything if groups is None else None, with_ties=ties)
            if groups is not None:
                hits = without_copies(hits, [ranks for part in parts for ranks in part.copies], everything, copies)
            for m in places:
                for k, treatment in enumerate(treatments):
                    cube[rows, :, m, k] = treated(wanted[m], hits, treatment).reshape(len(parts), -1)
                if view.layout == "dynamic":  # that track's mean is over the topics a run answers
                    cube[rows, :, m][~np.stack([part.answered for part in parts])] = np.nan
                if bounds is not None:
                    from leadline.measures.ties import tie_range

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
        raise InputError("runs", "none given")
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
        raise InputError("runs", "none given")
    return named


def check_needs(measures: Sequence[Measure], qrels: Qrels) -> None:
    """Raise an error for a measure that needs other judgements, before any run is read."""
    for measure in measures:
        for need, kinds in (("strata", "stratum"), ("prels", "sampling probability")):
            if need in measure.view.needs and qrels.kind != need:
                raise MeasureError(
                    f"{measure.text} needs judgements with a {kinds} for each document, and {qrels.name} has none"
                    f" (--qrels-format {need})"
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
    reads: Path | None = None,
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
    log = _log(reads) if reads is not None and "seconds" in view.needs else None
    reading = RunReading(qrels, view, order, size, words, log, groups)
    if spread is not None:
        from leadline.measures.spread_runs import spread_hits

        yield from spread_hits(sources, reading, spread, plan, progress)
        return
    kernels = pays(size)
    if kernels:
        _ = qrels.tables, qrels.topic_table  # built once, before threads share them
    plan = plan or ReadingPlan.of(sources, None, kernels=kernels)
    local = threading.local()

    def one(source: Source) -> RunHits:
        if not hasattr(local, "memory"):
            local.memory = ReusedArrays()
        if log is None and source.text is None and plan.divides(source):
            return plan.hits(source, qrels, local.memory, one)
        return reading.hits(source, kernels, local.memory)

    with ThreadPoolExecutor(max_workers=plan.workers) as pool:
        yield from _reported(pool.map(one, sources), len(sources), progress)


def _reported(parts: Iterator[RunHits], total: int, progress: Progress | None) -> Iterator[RunHits]:
    for done, part in enumerate(parts, start=1):
        yield part
        if progress is not None:
            progress(done, total)


def _size(sources: Sequence[Source]) -> int:
    """The bytes of all runs, about."""
    paths = [source.path for source in sources if source.path is not None]
    lines = sum(len(source.run) for source in sources if source.run is not None)
    return sum(map(size_of, paths)) + 40 * lines


def _log(reads: Path) -> tuple[Run, NDArray[np.float64]]:
    from leadline.measures.reading_log import read_reading_log

    return read_reading_log(reads)


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


def treated(measure: Measure, hits: Hits, unjudged: Unjudged) -> Array:
    """Return the measure's values with unjudged documents as wrong, left out (condensed) or right."""
    compute = measure.__call__
    if measure.view.layout == "dynamic":
        # That track counts every topic a run answers, grade 0 as relevant, and iterations instead of documents.
        compute = measure.raw
    if unjudged == "wrong":
        return compute(hits)
    from leadline.measures.unjudged import judged_only, unjudged_right

    if unjudged == "condensed":
        return compute(judged_only(hits))
    if measure.view.layout == "dynamic":
        return compute(unjudged_right(hits))
    defined = hits.n_relevant(measure.level) > 0
    return np.where(defined, compute(unjudged_right(hits, measure.cutoff)), np.nan)


def _as_sample_eval(cube: Array, answered: NDArray[np.bool_]) -> Array:
    """As NIST's sample_eval: the mean is over the topics the run answers; one without a relevant document scores 0."""
    return np.where(answered[:, :, None], np.nan_to_num(cube, nan=0.0), np.nan)
