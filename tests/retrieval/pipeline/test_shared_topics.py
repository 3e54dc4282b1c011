"""Topics of a run shared out to processes: the same run to the last bit, and errors of one line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline import shared_topics
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import pipeline_of
from leadline.retrieval.pipeline.shared_topics import Opened, TopicsInProcesses, share_topics
from leadline.text.processes import WorkerProcesses
from leadline.text.spread import spread_here

WORDS = ["film", "polymer", "metal", "oxide", "silver", "foil", "resin", "glass", "steel", "paper"]
SYSTEM = pipeline_of(["survey", "search"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shared")
    documents = (
        {"id": f"D{n:03}", "title": " ".join(WORDS[(n * 7 + i * i) % 10] for i in range(3 + n % 9))} for n in range(300)
    )
    Index.build(documents, place / "index", fields=["title"])
    lines = (f"t{n}\t{WORDS[n % 10]} {WORDS[n * 3 % 7]}\n" for n in range(40))
    (place / "topics.tsv").write_text("".join(["topic\ttitle\n", *lines]), encoding="utf-8")
    return place


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share out after two topics."""
    monkeypatch.setattr(shared_topics, "SAMPLED", 0.0)
    monkeypatch.setattr(shared_topics, "PAYS", 0.0)


@pytest.mark.usefixtures("at_once")
def test_a_run_of_several_processes_is_the_same(folder: Path) -> None:
    system = folder / "words.toml"
    system.write_text('steps = ["survey", "search"]\n', encoding="utf-8")
    runs = []
    for processes in (1, 2):
        path = folder / f"of-{processes}.run"
        asked = ["run", str(folder / "index"), str(folder / "topics.tsv"), "--system", str(system)]
        main([*asked, "-q", "--tag", "one", "--processes", str(processes), "-o", str(path)])
        record = json.loads(path.with_name(f"{path.name}.manifest.json").read_text(encoding="utf-8"))
        assert record["timing"]["at_once"] == processes
        runs.append(path.read_bytes())
    assert runs[0] == runs[1]
    one, two = (ll.make_run(folder / "index", folder / "topics.tsv", SYSTEM, processes=n) for n in (1, 2))
    assert one.to_bytes() == two.to_bytes()


def test_few_topics_stay_in_the_process(folder: Path) -> None:
    context = SearchContext.open(folder / "index")
    sharing = TopicsInProcesses(64)
    context.elsewhere = sharing
    assert len(SYSTEM.answer(context, [Topic(f"t{n}", title=word) for n, word in enumerate(WORDS)]).found) == 10
    assert sharing.at_once == 1


def test_an_index_that_has_changed_meanwhile_is_an_error_of_one_line(folder: Path) -> None:
    context = SearchContext.open(folder / "index")
    of_another = Opened(str(folder / "index"), None, ("something else",))
    requests = context.requests([Topic("t1", title="film")])
    with WorkerProcesses(1, "answers topics") as workers, pytest.raises(InputError, match="has changed"):
        list(workers(shared_topics._answered_there, [(requests,)], SYSTEM, of_another, 10, "dates"))
    assert len(list(share_topics(spread_here, 2, SYSTEM, context, requests, 10, "dates"))) == 1


def test_a_worker_that_was_ended_is_an_error_of_one_line() -> None:
    with (
        pytest.raises(MemoryError, match=r"a process that answers topics was ended.*--processes 1"),
        WorkerProcesses(1, "answers topics") as workers,
    ):
        list(workers(_end, [()]))


def _end() -> None:
    os._exit(1)


def test_results_come_in_the_order_of_pieces() -> None:
    with WorkerProcesses(2, "adds") as workers:
        assert list(workers(divmod, ((n,) for n in range(9)), 2)) == [divmod(n, 2) for n in range(9)]
