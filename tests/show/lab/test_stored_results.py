"""Stored results: computed once, answered from the disk afterwards, and never wrong."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from tests.mounting import read_only

from leadline.errors import MismatchError
from leadline.records.scores import Scores
from leadline.show.lab.check_lab import check_lab
from leadline.show.lab.lab import Lab
from leadline.show.lab.stored_results import (
    MOST_STORED,
    Report,
    ResultKey,
    ResultState,
    StoredData,
    StoredResults,
    read_standing,
    written_standing,
)
from leadline.trust.pairs import decide

KEY = ResultKey("verdict", {"qrels": "ab12", "run a": "cd34"}, {"measure": "AP"})


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab.create(tmp_path / "lab", "Results")


def counting(made: list[int], value: object = 1) -> StoredData:
    made.append(1)
    return {"value": value}


def stored(lab: Lab) -> int:
    with lab.results.view() as now:
        return len(now.records("results"))


def test_a_second_request_is_answered_from_the_stored_result(lab: Lab) -> None:
    made: list[int] = []
    results = StoredResults(lab)
    assert results.answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert results.answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert StoredResults(lab).answer(KEY, lambda _: counting(made)).result == {"value": 1}  # another process
    assert len(made) == 1
    assert not list(check_lab(lab.folder))


def test_a_damaged_result_is_computed_and_stored_again(lab: Lab) -> None:
    made: list[int] = []
    StoredResults(lab).answer(KEY, lambda _: counting(made))
    with contextlib.closing(sqlite3.connect(lab.results.path)) as raw, raw:
        raw.execute("update records set value = replace(value, '\"value\":1', '\"value\":7')")
    assert ["was changed" in each.problem for each in check_lab(lab.folder)] == [True]
    for _ in range(2):
        assert StoredResults(lab).answer(KEY, lambda _: counting(made, 2)).result == {"value": 2}
    assert len(made) == 2
    assert not list(check_lab(lab.folder))


def test_results_that_cannot_be_opened_are_told_and_computed(lab: Lab) -> None:
    made: list[int] = []
    lab.results.path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    for _ in range(2):
        assert StoredResults(lab).answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert "remove it: its results are computed again" in [finding.mend for finding in check_lab(lab.folder)]
    lab.results.path.unlink()
    for _ in range(2):
        assert StoredResults(lab).answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert len(made) == 3


def test_results_of_several_processes_are_all_kept(lab: Lab) -> None:
    code = (
        "import sys; from leadline.show.lab.lab import Lab;"
        "from leadline.show.lab.stored_results import ResultKey, StoredResults\n"
        "results = StoredResults(Lab.open(sys.argv[1]))\n"
        "for n in range(5): results.answer(ResultKey('v', {}, {'of': sys.argv[2], 'n': n}), lambda _: {'n': n})"
    )
    made = [subprocess.Popen([sys.executable, "-c", code, str(lab.folder), name]) for name in "abc"]
    assert [process.wait(60) for process in made] == [0] * 3
    for name in "abc":
        for n in range(5):
            key = ResultKey("v", {}, {"of": name, "n": n})
            assert StoredResults(lab).answer(key, lambda _: pytest.fail("computed again")).result == {"n": n}


def test_other_inputs_are_another_result() -> None:
    others = [
        ResultKey("verdict", {"qrels": "ab12", "run a": "cd35"}, {"measure": "AP"}),
        ResultKey("verdict", {"qrels": "ab12", "run b": "cd34"}, {"measure": "AP"}),
        ResultKey("verdict", {"qrels": "ab12", "run a": "cd34"}, {"measure": "R"}),
        ResultKey("pair", {"qrels": "ab12", "run a": "cd34"}, {"measure": "AP"}),
    ]
    assert len({KEY.name, *(key.name for key in others)}) == 5
    assert ResultKey("verdict", {"run a": "cd34", "qrels": "ab12"}, {"measure": "AP"}).name == KEY.name


def test_a_long_computation_says_how_far_it_is_and_runs_once(lab: Lab) -> None:
    go, made = threading.Event(), list[int]()

    def slow(report: Report) -> StoredData:
        report(3, 10)
        go.wait(20)
        return counting(made)

    results = StoredResults(lab)
    first = results.answer(KEY, slow, patience=0.05)
    assert first.is_working
    found: list[ResultState] = []
    askers = [threading.Thread(target=lambda: found.append(results.answer(KEY, slow, patience=20))) for _ in range(8)]
    for asker in askers:
        asker.start()
    assert results.answer(KEY, slow, patience=0.2).said() == "3 of 10 steps done"
    go.set()
    for asker in askers:
        asker.join(20)
    assert [each.result for each in found] == [{"value": 1}] * 8
    assert len(made) == 1


def test_errors_are_said_and_not_stored(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    def wrong(report: Report) -> StoredData:
        raise MismatchError("2 topics; a comparison needs more")

    def broken(report: Report) -> StoredData:
        raise ZeroDivisionError

    results = StoredResults(lab)
    assert results.answer(KEY, wrong).error == "2 topics; a comparison needs more"
    said = results.answer(ResultKey("pair", {}), broken).error
    assert said.startswith("The computation failed")
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert stored(lab) == 0


class PanicException(BaseException):
    """As Polars raises it where its threads find nothing to wait on."""


@pytest.mark.parametrize(
    ("short", "said"),
    [
        (MemoryError("335.5 MB are needed"), "not enough memory (335.5 MB are needed)"),
        (PanicException("Os { code: 24, message: 'Too many open files' }"), "too many open files"),
    ],
)
def test_what_was_short_is_one_line_and_the_next_who_asks_may_find_more(
    lab: Lab, capsys: pytest.CaptureFixture[str], short: BaseException, said: str
) -> None:
    def fail(_report: Report) -> StoredData:
        raise short

    results = StoredResults(lab)
    assert said in results.answer(KEY, fail, patience=None).error
    errors = capsys.readouterr().err
    assert errors.startswith(f"leadline: a result of the lab (verdict) was not computed: {said}")
    assert errors.count("\n") == 1
    assert results.answer(KEY, lambda _: {"value": 3}).result == {"value": 3}


def test_a_lab_that_may_not_be_written_keeps_results_in_memory(lab: Lab, tmp_path: Path) -> None:
    made: list[int] = []
    before = sorted(lab.folder.rglob("*"))
    with read_only(lab.folder, tmp_path / "mounted"):
        for kept in (contextlib.nullcontext(), Lab.open(tmp_path / "mounted").kept_open()):
            results = StoredResults(Lab.open(tmp_path / "mounted"))
            with kept:
                for _ in range(2):
                    assert results.answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert len(made) == 2
    assert sorted(lab.folder.rglob("*")) == before


def test_the_store_does_not_grow_without_end(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.show.lab.stored_results.MOST_STORED", 3)
    assert MOST_STORED > 3
    results = StoredResults(lab)
    for number in range(6):
        results.answer(ResultKey("verdict", {}, {"number": number}), lambda _: {})
    assert stored(lab) == 3


def test_a_result_is_stored_before_anybody_gets_it(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command ends as soon as it has the result, and the thread that stores it ends with it."""
    results, stored = StoredResults(lab), []
    write = results._write

    def slowly(key: ResultKey, result: StoredData, seconds: float) -> None:
        time.sleep(0.2)
        write(key, result, seconds)
        stored.append(key)

    monkeypatch.setattr(results, "_write", slowly)
    assert results.answer(KEY, lambda report: {"n": 1}, patience=None).result == {"n": 1}
    assert stored == [KEY]


def test_a_standing_is_read_as_it_was_written() -> None:
    rng = np.random.default_rng(3)
    values = np.clip(rng.normal(0.5, 0.2, (9, 14)) + np.linspace(0, 0.3, 9)[:, None], 0, 1)
    scores = Scores(tuple("abcdefghi"), tuple(map(str, range(14))), ("AP",), values[:, :, None])
    found = decide(scores, "AP")
    again = read_standing(json.loads(json.dumps(written_standing(found), allow_nan=False)), scores)
    for one, other in ((found, again), (found.pairs, again.pairs)):
        for each in dataclasses.fields(one):
            if each.name not in ("pairs", "verdicts", "scores"):
                np.testing.assert_array_equal(getattr(one, each.name), getattr(other, each.name))
    for one, other in zip(found.verdicts, again.verdicts, strict=True):
        np.testing.assert_equal(dataclasses.asdict(one), dataclasses.asdict(other))
    assert (again.headline(), again.letters, str(again)) == (found.headline(), found.letters, str(found))
