"""Results of long computations, kept in the lab: verdicts, letters, and whether a board can be believed.

    LAB/results.store    by their keys: what each was computed from (hashes, parameters, version), and the result

A key has the hashes of all inputs, the parameters and the version of leadline, so a result is never out of date. What
is not stored yet is computed by one thread of this process, in the order of the requests; who asks meanwhile learns how
far it is. This is the only place that starts such computations.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import re
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from leadline.errors import InputError, LeadlineError
from leadline.show.charts import DARK, Theme, config, drawable, specification
from leadline.show.lab.boards import SAMPLES, Board
from leadline.show.lab.lab import Lab
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
from leadline.text.background import Background
from leadline.text.store.events import now as moment
from leadline.trust.incomplete import each_run, left_out
from leadline.trust.pairs import compare
from leadline.trust.verdict import Verdict, Verdicts
from leadline.version import __version__

FORMAT_VERSION = 1
RESULTS, STORED = "results", "stored"  # the records of results, and of the moments when they were stored
MOST_STORED, MOST_WAITING, MOST_IN_MEMORY = 500, 30, 100
PATIENCE = 1.5  # seconds that a request waits for a new result before it is told that it is being computed

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
        parts = {"inputs": dict(self.inputs), "parameters": dict(self.parameters), "leadline": __version__}
        text = json.dumps([self.kind, FORMAT_VERSION, parts], sort_keys=True)
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

        Without patience (None), until it is there.
        """
        job = self._job(key, compute)
        if job is None:
            return ResultState(error="Too much is being computed already. Try again in a minute.")
        with contextlib.suppress(NotYet):
            return job.future.result(timeout=patience)
        return ResultState(done=job.done, total=job.total)

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
            job.future.set_result(ResultState(error=str(error)))
        except Exception:
            traceback.print_exc()  # a mistake of ours: the page says that there is one, the log says which
            job.future.set_result(ResultState(error="The computation failed; the log of the server says why."))
        else:
            self._write(key, result, time.monotonic() - began)  # first: who got the result may end the process
            job.future.set_result(ResultState(result))

    def _read(self, name: str) -> StoredData | None:
        try:
            with self._store.view() as now:
                content = now.records(RESULTS).get(name)
        except (InputError, OSError):  # damaged: it is computed again, and `leadline check` tells
            return None
        result = content.get("result") if isinstance(content, dict) else None
        return result if isinstance(result, dict) else None

    def _write(self, key: ResultKey, result: StoredData, seconds: float) -> None:
        content = {
            "leadline": __version__,
            "kind": key.kind,
            "inputs": dict(key.inputs),
            "parameters": dict(key.parameters),
            "seconds": round(seconds, 3),
            "result": result,
        }
        # A lab that may not be written to, or whose disk is full, has the results in memory.
        with contextlib.suppress(InputError, OSError), self._store.change() as now:
            now.records(RESULTS).put(key.name, content)
            now.records(STORED).put(key.name, moment())
            by_age = sorted(now.records(STORED).items(), key=lambda each: str(each[1]))
            for name, _ in by_age[: max(0, len(by_age) - MOST_STORED)]:
                now.records(RESULTS).remove(name)
                now.records(STORED).remove(name)


class _Job:
    """A computation: what it gives, and how far it is."""

    def __init__(self) -> None:
        self.future: Future[ResultState] = Future()
        self.done = self.total = 0

    def report(self, done: int, total: int) -> None:
        self.done, self.total = done, total


# Who leads and how sure that is: verdicts and letters of a board, computed once and stored.


def standing_of(board: Board, results: StoredResults, **options: Any) -> ResultState:
    """The verdicts on the leader and the letters of all runs; empty where there is nothing to compare."""
    evidence = board.evidence
    if evidence is None or evidence.no_verdict:
        return ResultState({"verdicts": None, "letters": {}})
    key = ResultKey(
        "standing", board.hashes, {"measure": board.measure.text, "samples": SAMPLES, "seed": evidence.seed}
    )
    return results.answer(key, lambda report: _standing(evidence, report), **options)


def pair_verdict(board: Board, first: str, second: str, results: StoredResults) -> ResultState:
    """The verdict on two runs alone, without correction for other comparisons."""
    evidence = board.pair(*sorted((first, second)))
    if evidence.no_verdict:
        return ResultState({"verdicts": None, "why": evidence.no_verdict})
    names = ("qrels", *(f"run {run}" for run in evidence.runs))
    key = ResultKey(
        "pair",
        {name: board.hashes[name] for name in names},
        {"measure": board.measure.text, "samples": SAMPLES, "seed": evidence.seed},
    )
    return results.answer(key, lambda report: {"verdicts": _written(evidence.decide(report))})


def verdicts_of(answer: ResultState) -> Verdicts | None:
    """The verdicts in a result."""
    written = (answer.result or {}).get("verdicts")
    if written is None:
        return None
    each = tuple(Verdict(**{**one, "reasons": tuple(one["reasons"])}) for one in written["verdicts"])
    return Verdicts(**{**written, "verdicts": each, "notes": tuple(written["notes"])})


def _standing(evidence: Evidence, report: Report) -> StoredData:
    letters = compare(evidence.main, evidence.measure.text).letters()
    return {"letters": letters, "verdicts": _written(evidence.decide(report))}


def _written(found: Verdicts | None) -> StoredData | None:
    return None if found is None else dataclasses.asdict(found)


# Whether a board can be believed: power, missing judgements, and the judgements that only one run gave.


STUDIES = ("incomplete", "leftout", "power")  # the quickest first
WIDE, NARROW = 640, 290  # pixels of a chart
THEMES: tuple[Theme, ...] = ("light", "dark")
DRAWINGS = tuple((theme, width) for theme in THEMES for width in ("wide", "narrow"))
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def study_of(board: Board, name: str, results: StoredResults, *, patience: float) -> ResultState:
    """A study of a board by name, stored or being computed."""
    evidence = board.evidence
    assert evidence is not None
    studied = {} if name == "leftout" else {"measures": studied_measures(evidence)}
    key = ResultKey(name, board.hashes, {"measure": board.measure.text, "seed": evidence.seed, **studied})
    compute = _left_out if name == "leftout" else lambda each, report: _figure(each, name, report)
    return results.answer(key, lambda report: compute(evidence, report), patience=patience)


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


def _figure(evidence: Evidence, name: str, report: Report) -> StoredData:
    """A figure of the report, drawn for light and dark pages, wide and narrow ones."""
    options: dict[str, Any] = {"measures": studied_measures(evidence)}
    if name == "incomplete":
        options["progress"] = report
    figure = FIGURES[name].draw(evidence, **options)
    drawn = {}
    if figure.chart is not None:
        import vl_convert

        chart = specification(figure.chart)
        for theme, width in DRAWINGS:
            drawn[f"{theme}-{width}"] = vl_convert.vegalite_to_svg(drawable(_themed(chart, theme, width)))
    return {
        "title": figure.title,
        "reading": figure.reading,
        "source": figure.source,
        "drawn": drawn,
        "rows": [dict(row) for row in figure.rows],
    }


def _themed(chart: dict[str, Any], theme: Theme, width: str) -> dict[str, Any]:
    """A chart's specification with the colours of a theme, at a width."""
    import json

    text = json.dumps(chart)
    if theme == "dark":
        text = _COLOUR.sub(lambda found: DARK.get(found[0], found[0]), text)
    themed: dict[str, Any] = json.loads(text)
    if width == "narrow":
        themed["width"] = NARROW
        for each in themed.get("params", []):
            if each.get("name") == "narrow":
                each["value"] = True
    return {**themed, "config": config(theme)}
