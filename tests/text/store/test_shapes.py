"""The shapes of a store: events, records and queues are what was put into them."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.text.store import events, queue
from leadline.text.store.kind import StoreKind
from leadline.text.store.store import Store

KIND = StoreKind("a store of tests", "TEST", longest=100_000)
TYPED = StoreKind("a store of numbers", "NUMB", columns={"kind": "text", "round": "integer", "seconds": "real"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s", KIND, write=True, create=True) as opened:
        yield opened


@given(st.lists(st.tuples(st.sampled_from(["put", "remove", "append", "work", "fail"]), KEYS, JSON), max_size=25))
def test_a_store_has_what_was_put_into_it(steps: list[tuple[str, str, Any]]) -> None:
    """Against a dictionary and lists; with changes that fail, and read by a second opening."""
    records: dict[str, Any] = {}
    said: list[Any] = []
    work: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s"
        with Store.open(path, KIND, write=True, create=True) as store:
            for step, key, value in steps:
                if step == "fail":
                    with pytest.raises(ZeroDivisionError), store.change() as now:  # noqa: PT012
                        now.records("things").put(key, value)
                        now.events.append("said", what=value)
                        now.queue("jobs").put(value)
                        raise ZeroDivisionError
                    continue
                with store.change() as now:
                    if step == "put":
                        now.records("things").put(key, value)
                        records[key] = value
                    elif step == "remove":
                        assert now.records("things").remove(key) == (key in records)
                        records.pop(key, None)
                    elif step == "append":
                        now.events.append("said", what=value)
                        said.append(value)
                    else:
                        now.queue("jobs").put(value)
                        work.append(value)
            assert store.check() == ""
        with Store.open(path, KIND) as again, again.view() as now:
            assert dict(now.records("things").items()) == records
            assert now.records("things").keys() == sorted(records, key=lambda key: key.encode())
            assert [each.said["what"] for each in now.events.all()] == said
            assert [value for _, value, held in now.queue("jobs").all() if not held] == work
            assert now.events.head().events == len(said) == len(now.events)
            assert len(now.records("others")) == 0


def test_records_of_two_names_are_made_in_one_change(store: Store) -> None:
    with store.change() as now:
        people, places = now.records("people"), now.records("places")
        people.put("anna", 1)
        places.put("ulm", 2)
    with store.view() as now:
        assert (now.records("people").get("anna"), now.records("places").get("ulm")) == (1, 2)


def test_an_event_is_stored_once(store: Store) -> None:
    with store.change() as now:
        assert now.events.append("mark", uid="the-one-id", grade=1) == 1
        assert now.events.append("mark", uid="the-one-id", grade=2) is None
        assert now.events.append("mark", uid="another-id") is not None
        assert [each.said for each in now.events.all()] == [
            {"kind": "mark", "person": "", "grade": 1}, {"kind": "mark", "person": ""},
        ]  # fmt: skip


def test_a_clock_that_goes_back_changes_no_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(["2030-01-01T10:00:00.000000Z", "2020-01-01T10:00:00.000000Z", "2020-01-01T10:00:00.000000Z"])
    monkeypatch.setattr(events, "now", lambda: next(times))
    for _ in range(2):
        with store.change() as now:
            now.events.append("mark")
    with Store.open(store.path, KIND, write=True) as another, another.change() as now:
        now.events.append("mark")
        assert {each.at for each in now.events.all()} == {"2030-01-01T10:00:00.000000Z"}


def test_the_head_of_any_place(store: Store) -> None:
    heads = []
    for number in range(4):
        with store.view() as now:
            heads.append(now.events.head())
        with store.change() as now:
            now.events.append("mark", number=number)
    with store.view() as now:
        assert [now.events.head(until=number) for number in range(4)] == heads
        assert [now.events.count_at(head.hash) for head in heads] == [0, 1, 2, 3]
        assert now.events.count_at("0f" * 32) is None
        assert [row[0] for row in now.events.rows(after=1, until=3)] == [2, 3]


@pytest.mark.parametrize(
    ("write", "problem"),
    [
        (lambda now: now.events.append("x", what=math.nan), "cannot be stored as JSON"),
        (lambda now: now.events.append("x", what=object()), "cannot be stored as JSON"),
        (lambda now: now.events.append("x", what="y" * 100_001), "the most is 100,000"),
        (lambda now: now.events.append("x" * 100_001), "the most is 100,000"),
        (lambda now: now.events.append("x", uid="short"), "an id of 8 to 64"),
        (lambda now: now.events.append("x", at="yesterday"), "is not a moment"),
        (lambda now: now.events.append("x", person=7), "person must be a str"),
        (lambda now: now.events.append("\ud800"), "half a character"),
        (lambda now: now.records("r").put("", 1), "must not be empty"),
        (lambda now: now.records("r").put("k" * 501, 1), "the most is 500"),
        (lambda now: now.records("r").put("\udcff", 1), "half a character"),
        (lambda now: now.records("r").put("k", [10**5000]), "cannot be stored as JSON"),
        (lambda now: now.records("R; drop table").put("k", 1), "must be lower-case letters"),
        (lambda now: now.queue("../q").put(1), "must be lower-case letters"),
        (lambda now: now.queue("q").put({1, 2}), "cannot be stored as JSON"),
    ],
)
def test_what_cannot_be_stored_is_refused(store: Store, write: Callable[[Any], object], problem: str) -> None:
    with pytest.raises(InputError, match=problem), store.change() as now:
        write(now)
    with store.view() as now:
        assert (len(now.events), len(now.records("r")), len(now.queue("q"))) == (0, 0, 0)


@pytest.mark.parametrize(
    "said", [{"round": "1"}, {"round": 2**63}, {"round": True}, {"seconds": math.inf}, {"other": 1}]
)
def test_a_column_has_its_type(tmp_path: Path, said: dict[str, Any]) -> None:
    with Store.open(tmp_path / "s", TYPED, write=True, create=True) as store:
        with pytest.raises(InputError, match="event"), store.change() as now:
            now.events.append("mark", **said)
        with store.change() as now:
            now.events.append("mark", round=3, seconds=2)
    with Store.open(tmp_path / "s", TYPED) as store, store.view() as now:
        assert [each.said for each in now.events.all()] == [{"kind": "mark", "round": 3, "seconds": 2.0}]


def test_nothing_is_written_outside_a_change(store: Store, tmp_path: Path) -> None:
    with store.view() as now:
        for write in (
            lambda: now.events.append("mark"), lambda: now.records("r").put("k", 1), lambda: now.queue("q").put(1)
        ):  # fmt: skip
            with pytest.raises(InputError, match="is only read here"):
                write()
    with Store.open(tmp_path / "s", KIND) as reader, pytest.raises(InputError, match="read only"), reader.change():
        pass


def test_a_change_within_a_change_is_a_mistake(store: Store) -> None:
    with pytest.raises(RuntimeError, match="already"), store.change() as now:  # noqa: PT012
        now.records("r").put("k", 1)
        with store.change():
            pass
    with store.view() as now:
        assert "k" not in now.records("r")


def test_work_is_taken_once_and_in_its_order(store: Store) -> None:
    with store.change() as now:
        jobs = now.queue("jobs")
        ids = [jobs.put({"number": number}) for number in range(3)]
        taken = [jobs.take(seconds=60) for _ in range(4)]
        assert [None if lease is None else lease.id for lease in taken] == [*ids, None]
        assert [held for _, _, held in jobs.all()] == [True] * 3
        first, second, _, _ = taken
        assert first is not None
        assert second is not None
        assert jobs.finish(second)
        assert not jobs.finish(second)
        assert not jobs.extend(second, seconds=60)
        assert jobs.extend(first, seconds=60)
        assert jobs.remove(ids[2])
        assert [id for id, _, _ in jobs.all()] == ids[:1]


def test_the_work_of_a_dead_worker_comes_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [time.time()]
    monkeypatch.setattr(queue.time, "time", lambda: clock[0])
    with store.change() as now:
        jobs = now.queue("jobs")
        jobs.put("a")
        jobs.put("b")
        dead, alive = jobs.take(seconds=60), jobs.take(seconds=60)
        assert dead is not None
        assert alive is not None
        clock[0] += 50
        assert jobs.extend(alive, seconds=60)
        clock[0] += 20
        back = jobs.take(seconds=60)
        assert back is not None
        assert (back.value, back.taken) == ("a", 2)
        assert jobs.take(seconds=60) is None  # the other goes on
        assert not jobs.extend(dead, seconds=60)  # it was not dead after all: now it learns that another has the work
        assert not jobs.finish(dead)
        assert jobs.finish(back)
        clock[0] -= 10 * queue.LONGEST_LEASE  # somebody sets the clock right
        once_more = jobs.take(seconds=60)
        assert once_more is not None
        assert once_more.value == "b"
    for seconds in (0, -1, queue.LONGEST_LEASE * 2, math.nan):
        with pytest.raises(InputError, match="lease"), store.change() as now:  # noqa: PT012
            now.queue("jobs").put("c")
            now.queue("jobs").take(seconds=seconds)
