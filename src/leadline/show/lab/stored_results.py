"""Results of long computations, kept in the lab's store of results: where runs stand, and whether it can be believed.

A key has the hashes of all inputs, the parameters, the version of leadline and its code, so a result is never out of
date. What is not stored yet is computed by one thread of this process, in the order of the requests; who asks meanwhile
learns how far it is. This is the only place that starts such computations.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import json
import math
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from leadline.errors import InputError, LeadlineError, shortage_reason, without_places
from leadline.measures.hits import Array
from leadline.records.scores import Scores
from leadline.show.charts import DARK, SVG_PADDING, Theme, config, drawable, has_room_to_draw, specification
from leadline.show.lab.boards import Board
from leadline.show.lab.lab import Lab
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
from leadline.show.report.html_page import code_of
from leadline.text.background import Background
from leadline.text.store.events import now as moment
from leadline.trust.incomplete import each_run, left_out
from leadline.trust.paired_tests import all_pairs
from leadline.trust.pairs import Pairs, Standing
from leadline.trust.verdict import Verdict
from leadline.version import __version__

RESULTS, STORED = "results", "stored"  # the records of results, and of the moments when they were stored
FORMAT = 2  # of what is stored
MOST_STORED, MOST_WAITING, MOST_IN_MEMORY = 200, 30, 100
PATIENCE = 0.2  # seconds that a request waits for a new result before it is told that it is being computed
CODE = ("trust", "measures", "records", "show/figures", "show/report", "show/charts")

StoredData = dict[str, Any]  # as JSON has it
Report = Callable[[int, int], None]  # done, of how many
Compute = Callable[[Report], StoredData]


@dataclass(frozen=True)
class ResultKey:
    """What a result is computed from; equal keys have equal results."""

    kind: str  # lower-case letters
    inputs: Mapping[str, str]  # SHA-256 by name
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        made_by = {"leadline": __version__, "code": code_of(*CODE), "format": FORMAT}
        text = json.dumps([self.kind, dict(self.inputs), dict(self.parameters), made_by], sort_keys=True)
        return f"{self.kind}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


@dataclass(frozen=True)
class ResultState:
    """A result, or how far its computation is, or why it failed."""

    result: StoredData | None = None
    done: int = 0
    total: int = 0
    error: str = ""

    @property
    def is_working(self) -> bool:
        return self.result is None and not self.error

    def said(self) -> str:
        """How far the computation is.

        >>> ResultState(done=40, total=100).said(), ResultState().said()
        ('40 of 100 steps done', 'just begun, or waiting for another computation')
        """
        if self.error:
            return self.error
        return (
            f"{self.done} of {self.total} steps done"
            if self.total
            else ("just begun, or waiting for another computation")
        )


class StoredResults:
    """The results of a lab."""

    def __init__(self, lab: Lab) -> None:
        self._store = lab.results
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._waiting: SimpleQueue[tuple[ResultKey, Compute, _Job]] = SimpleQueue()
        self._worker: Background | None = None

    def answer(self, key: ResultKey, compute: Compute, *, patience: float | None = PATIENCE) -> ResultState:
        """The stored result of a key; what is not there is computed, and waited for no longer than `patience`.

        Without patience (None), until it is there and stored.
        """
        job = self._job(key, compute)
        if job is None:
            return ResultState(error="Too much is being computed already. Try again in a minute.")
        with contextlib.suppress(NotYet):
            return job.future.result(timeout=patience)
        return ResultState(done=job.done, total=job.total)

    def keep(self, key: ResultKey, result: StoredData) -> None:
        """Store a result that was computed elsewhere."""
        with self._lock:
            job = self._jobs[key.name] = _Job()
        self._write(key, result, 0.0)
        job.future.set_result(ResultState(result))

    def _job(self, key: ResultKey, compute: Compute) -> _Job | None:
        name = key.name
        with self._lock:
            if (job := self._jobs.get(name)) is not None:
                self._jobs[name] = self._jobs.pop(name)  # the last one asked for is the last to be forgotten
                return job
            finished = [each for each, one in self._jobs.items() if one.future.done()]
            for each in finished[: max(0, len(self._jobs) - MOST_IN_MEMORY)]:
                del self._jobs[each]
            job = self._jobs[name] = _Job()
            if (stored := self._read(name)) is not None:
                job.future.set_result(ResultState(stored))
                return job
            if sum(not one.future.done() for one in self._jobs.values()) > MOST_WAITING:
                del self._jobs[name]
                return None
            if self._worker is None:
                # A daemon: a server that is stopped does not wait for it. Files are written whole or not at all.
                self._worker = Background(self._work, "results")
                self._worker.start()
            self._waiting.put((key, compute, job))
            self._worker.wake()
        return job

    def _work(self) -> None:
        """Compute what waits, the first first."""
        with contextlib.suppress(Empty):
            while True:
                self._run(*self._waiting.get_nowait())

    def _run(self, key: ResultKey, compute: Compute, job: _Job) -> None:
        began = time.monotonic()
        try:
            result = compute(job.report)
        except LeadlineError as error:
            job.future.set_result(ResultState(error=without_places(str(error))))
        except BaseException as error:  # panics of libraries are no Exceptions
            if short := shortage_reason(error):  # the next who asks may find more
                with self._lock:
                    self._jobs.pop(key.name, None)
                print(f"leadline: a result of the lab ({key.kind}) was not computed: {short}", file=sys.stderr)
                job.future.set_result(ResultState(error=f"This was not computed: {short}."))
                return
            traceback.print_exc()  # a mistake of ours: the page says that there is one, the log says which
            job.future.set_result(ResultState(error="The computation failed; the log of the server says why."))
        else:
            self._write(key, result, time.monotonic() - began)  # first: who got the result may end the process
            job.future.set_result(ResultState(result))

    def _read(self, name: str) -> StoredData | None:
        try:
            with self._store.view() as now:
                content = now.records(RESULTS).get(name)
        except (InputError, OSError):  # damaged, or not to be read: it is computed again
            return None
        return content["result"] if isinstance(content, dict) else None

    def _write(self, key: ResultKey, result: StoredData, seconds: float) -> None:
        content = {
            "leadline": __version__,
            "kind": key.kind,
            "inputs": dict(key.inputs),
            "parameters": dict(key.parameters),
            "seconds": round(seconds, 3),
            "result": result,
        }
        # A lab that may not be written to, a full disk, a damaged store: memory has the result.
        with contextlib.suppress(InputError, OSError), self._store.change() as now:
            order, records = now.records(STORED), now.records(RESULTS)
            records.put(key.name, content)
            order.put(key.name, moment())
            oldest = sorted(order.items(), key=lambda each: str(each[1]))
            for name, _ in oldest[: max(0, len(oldest) - MOST_STORED)]:
                records.remove(name)
                order.remove(name)


class _Job:
    """A computation: what it gives, and how far it is."""

    def __init__(self) -> None:
        self.future: Future[ResultState] = Future()
        self.done = self.total = 0

    def report(self, done: int, total: int) -> None:
        self.done, self.total = done, total


# Where the runs of a board stand: computed once, and stored.


def standing_of(
    board: Board, results: StoredResults, *, patience: float | None = PATIENCE
) -> tuple[Standing | None, ResultState]:
    """Where the runs of a board stand, None while that is computed; and how far it is."""
    evidence = board.evidence
    if evidence is None:
        return None, ResultState({})
    if evidence.no_verdict:
        return evidence.standing, ResultState({})

    def compute(report: Report) -> StoredData:
        return written_standing(evidence.decide(report))

    answer = results.answer(_key_of_standing(board), compute, patience=patience)
    if answer.result is None:
        return None, answer
    if not evidence.is_decided:
        evidence.take(read_standing(answer.result, evidence.main))
    return evidence.standing, answer


def keep_standing(board: Board, found: Standing, results: StoredResults) -> bool:
    """Store where the runs of a board stand, if that was computed from the same scores with as many samples."""
    evidence = board.evidence
    same = (
        evidence is not None
        and not evidence.no_verdict
        and found.samples == evidence.samples
        and found.pairs.scores is not None
        and found.pairs.runs == evidence.runs
        and np.array_equal(found.pairs.scores.of(found.measure), evidence.main.of(board.measure.text), equal_nan=True)
    )
    if same and evidence is not None:
        evidence.take(found)
        results.keep(_key_of_standing(board), written_standing(found))
    return same


def prepare(board: Board, results: StoredResults, progress: Callable[[int, int], None] | None = None) -> None:
    """Compute what the first page asks for, where it is not stored yet: the standing, and the figures beside it."""
    standing, _ = standing_of(board, results, patience=None)
    names = FIRST if standing is not None and has_room_to_draw() else ()
    for done, name in enumerate(names, start=1):
        if progress is not None:
            progress(done, len(names) + 1)
        study_of(board, name, results, patience=None)


def _key_of_standing(board: Board) -> ResultKey:
    evidence = board.evidence
    assert evidence is not None
    how = {"samples": evidence.samples, "seed": evidence.seed, "complete": evidence.complete}
    return ResultKey("standing", board.hashes, {"measure": board.measure.text, **how})


def pair_verdict(
    board: Board, standing: Standing, first: str, second: str, results: StoredResults
) -> tuple[Verdict | None, ResultState]:
    """The verdict on any two runs of a board, as part of where all of them stand; None while it is computed."""
    evidence = board.evidence
    assert evidence is not None
    if standing.leader in (first, second):
        other = second if standing.leader == first else first
        return standing.against(other), ResultState({})
    one, other = sorted((first, second))
    whole = _key_of_standing(board)
    key = ResultKey("pair", whole.inputs, {**whole.parameters, "pair": [one, other]})

    def compute(report: Report) -> StoredData:
        return _finite(dataclasses.asdict(standing.verdict_on(one, other, evidence.study, evidence.seed, report)))

    answer = results.answer(key, compute)
    return None if answer.result is None else _verdict(answer.result), answer


PACKED = ("difference", "effect", "p", "p_corrected")  # arrays over pairs, to the last bit
COUNTED = ("wins", "ties", "losses")
OF_RUNS = ("means", "low_means", "high_means")


def written_standing(found: Standing) -> StoredData:
    """A standing as JSON has it; without the scores, which the runs give."""
    pairs = found.pairs
    return {
        "measure": pairs.measure,
        "runs": list(pairs.runs),
        "topics": list(pairs.topics),
        "better": pairs.better,
        "alpha": pairs.alpha,
        "notes_of_pairs": list(pairs.notes),
        **{name: _packed(getattr(pairs, name)) for name in (*PACKED, *COUNTED, *OF_RUNS)},
        "verdicts": [_finite(dataclasses.asdict(each)) for each in found.verdicts],
        "samples": found.samples,
        "unjudged": _finite(found.unjudged),
        "doubt": found.doubt,
        "notes": list(found.notes),
    }


def read_standing(stored: StoredData, scores: Scores) -> Standing:
    """The standing that was written, with the scores of its runs."""
    first, second = all_pairs(len(stored["runs"]))
    arrays: dict[str, Any] = {name: _unpacked(stored[name]) for name in (*PACKED, *OF_RUNS)}
    arrays |= {name: _unpacked(stored[name]).astype(np.int64) for name in COUNTED}
    pairs = Pairs(
        measure=stored["measure"],
        test="randomisation",
        correction="holm",
        runs=tuple(stored["runs"]),
        topics=tuple(stored["topics"]),
        better=stored["better"],
        first=first,
        second=second,
        notes=tuple(stored["notes_of_pairs"]),
        alpha=stored["alpha"],
        scores=scores,
        **arrays,
    )
    return Standing(
        pairs,
        tuple(map(_verdict, stored["verdicts"])),
        stored["samples"],
        math.nan if stored["unjudged"] is None else stored["unjudged"],
        stored["doubt"],
        tuple(stored["notes"]),
    )


def _verdict(stored: StoredData) -> Verdict:
    absent = {name: math.nan for name, value in stored.items() if value is None and name != "topics_needed"}
    return Verdict(**{**stored, **absent, "reasons": tuple(stored["reasons"])})


def _packed(values: Array) -> str:
    return base64.b64encode(np.asarray(values, "<f8").tobytes()).decode()


def _unpacked(text: str) -> Array:
    return np.frombuffer(base64.b64decode(text), "<f8").astype(np.float64)


def _finite(value: Any) -> Any:
    """A value as the store takes it: what is not a number is null."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Whether a board can be believed: power, missing judgements, and the judgements that only one run gave.


STUDIES = ("incomplete", "leftout", "power")  # the quickest first
FIRST = ("recall_effort", "told_apart")  # the figures of the first page, which follow from the standing
NARROW = 290  # pixels of a chart on a phone
NARROWER = {"told_apart": 130}  # of one with words on both sides
HALF = {"recall_effort": 350, "told_apart": 250}  # of those that stand side by side where there is room
THEMES: tuple[Theme, ...] = ("light", "dark")
DRAWINGS = tuple((theme, width) for theme in THEMES for width in ("wide", "narrow"))
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def study_of(board: Board, name: str, results: StoredResults, *, patience: float | None) -> ResultState:
    """A study or a figure of a board by name, stored or being computed."""
    evidence = board.evidence
    assert evidence is not None
    studied = {"measures": studied_measures(evidence)} if name in ("incomplete", "power") else {}
    how = {"seed": evidence.seed, "samples": evidence.samples, "baseline": evidence.baseline}
    key = ResultKey(name.replace("_", ""), board.hashes, {"measure": board.measure.text, **how, **studied})
    compute = _left_out if name == "leftout" else lambda each, report: _figure(each, name, studied, report)
    return results.answer(key, lambda report: _finite(compute(evidence, report)), patience=patience)


def studied_measures(evidence: Evidence) -> list[str]:
    """The three measures that figures compare, and the chosen one if it is another.

    >>> qrels, runs = {"1": {"a": 1}}, {"only": {"1": {"a": 9}}}
    >>> studied_measures(Evidence.of(qrels, runs, "nDCG@10")), studied_measures(Evidence.of(qrels, runs, "R@10"))
    (['nDCG@10', 'AP', 'PRES@10', 'R@10'], ['AP', 'PRES@10', 'R@10'])
    """
    chosen = evidence.measure.text
    return [*([] if chosen in evidence.trio else [chosen]), *evidence.trio]


def _left_out(evidence: Evidence, report: Report) -> StoredData:
    """The rankings without the relevant documents that only one run found."""
    studies = []
    for number, each in enumerate(each_run(evidence.study), start=1):
        studies.append(each)
        report(number, len(evidence.runs))
    table = left_out(evidence.study, studies).table()
    return {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}


def _figure(evidence: Evidence, name: str, studied: Mapping[str, Any], report: Report) -> StoredData:
    """A figure of the report, drawn for light and dark pages, wide and narrow ones."""
    options: dict[str, Any] = dict(studied)
    if name == "incomplete":
        options["progress"] = report
    figure = FIGURES[name].draw(evidence, **options)
    drawn = {}
    if figure.chart is not None and has_room_to_draw():
        import vl_convert

        chart = specification(figure.chart)
        for theme, width in DRAWINGS:
            pixels = NARROWER.get(name, NARROW) if width == "narrow" else HALF.get(name, 0)
            themed = _themed(chart, theme, pixels, narrow=width == "narrow")
            drawn[f"{theme}-{width}"] = vl_convert.vegalite_to_svg({"padding": SVG_PADDING, **drawable(themed)})
    return {
        "title": figure.title,
        "reading": still(figure.reading),
        "source": figure.source,
        "drawn": drawn,
        "rows": [dict(row) for row in figure.rows],
    }


def still(reading: str) -> str:
    """What a figure says, less what only a report lets one do: drag, highlight, point at.

    >>> still("Half within 21 documents; drag the line. Grey: 14 others; point at one to see its name. The end.")
    'Half within 21 documents. The end.'
    """
    clauses = re.split(r"(?<=[.;]) ", reading)
    kept = [each for each in clauses if not re.search(r"\b(drag|highlight(ed)?|point at)\b", each)]
    kept = [each for each in kept if not (each.startswith("Grey: ") and each.endswith(";"))]
    return re.sub(r"; ?(?=[A-Z]|$)", ". ", " ".join(kept)).strip()


def _themed(chart: dict[str, Any], theme: Theme, pixels: int, *, narrow: bool) -> dict[str, Any]:
    """A chart's specification with the colours of a theme, this wide (0: as wide as it is in a report)."""
    import json

    text = json.dumps(chart)
    if theme == "dark":
        text = _COLOUR.sub(lambda found: DARK.get(found[0], found[0]), text)
    themed: dict[str, Any] = json.loads(text)
    if pixels:
        themed["width"] = pixels
    if narrow:
        for each in themed.get("params", []):
            if each.get("name") == "narrow":
                each["value"] = True
    return {**themed, "config": config(theme)}
