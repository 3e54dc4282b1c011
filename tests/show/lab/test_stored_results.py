"""Stored results: computed once, answered from the disk afterwards, and never wrong."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import MismatchError
from leadline.records.scores import Scores
from leadline.show.lab.check_lab import check_lab
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import LabStore
from leadline.show.lab.stored_results import (
    MOST_STORED,
    RECORDS,
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


def test_a_second_request_is_answered_from_the_stored_result(lab: Lab) -> None:
    made: list[int] = []
    results = StoredResults(lab)
    assert results.answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert results.answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert StoredResults(lab).answer(KEY, lambda _: counting(made)).result == {"value": 1}  # another process
    assert len(made) == 1
    assert not list(check_lab(lab.folder))


def test_a_damaged_result_is_said_and_computed_again(lab: Lab) -> None:
    made: list[int] = []
    StoredResults(lab).answer(KEY, lambda _: counting(made))
    lab.close()
    content = bytearray(lab.results.path.read_bytes())
    place = content.index(b'"value":1')
    content[place : place + 9] = b'"value":7'
    lab.results.path.write_bytes(content)
    assert [Path(each.path).name for each in check_lab(lab.folder)] == ["results.store"]
    again = Lab.open(lab.folder)
    assert StoredResults(again).answer(KEY, lambda _: counting(made, 2)).result == {"value": 2}
    assert len(made) == 2
    again.close()
    assert not list(check_lab(lab.folder))


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
    assert not stored(lab)


def stored(lab: Lab) -> list[str]:
    with lab.results.view() as now:
        return now.records(RECORDS).keys()


def test_a_lab_that_may_not_be_written_keeps_results_in_memory(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr(LabStore, "_made", lambda self: (_ for _ in ()).throw(PermissionError()))
    results = StoredResults(lab)
    for _ in range(2):
        assert results.answer(KEY, lambda _: counting(made)).result == {"value": 1}
    assert len(made) == 1
    assert not lab.results.path.exists()


def test_the_store_does_not_grow_without_end(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.show.lab.stored_results.MOST_STORED", 3)
    assert MOST_STORED > 3
    results = StoredResults(lab)
    keys = [ResultKey("verdict", {}, {"number": number}) for number in range(6)]
    for key in keys:
        results.answer(key, lambda _: {}, patience=None)
    assert stored(lab) == sorted(key.name for key in keys[3:])


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
