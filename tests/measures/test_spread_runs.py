"""Runs read elsewhere in pieces: cut between topics, with the hits and errors of runs read whole."""

from __future__ import annotations

import gzip
import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leadline as ll
from leadline.errors import InputError
from leadline.measures import run_source
from leadline.measures.definition import View
from leadline.measures.evaluate import hits_of_runs, open_sources
from leadline.measures.run_source import ReadingPlan
from leadline.records import large_runs
from leadline.records.large_runs import cuts
from leadline.records.other_packages import Order
from leadline.text.memory import NEW_ARRAYS
from leadline.text.spread import spread_here

TOPICS, DEPTH = 12, 30


def lines_of_run() -> list[str]:
    rng = random.Random(1)
    return [
        f"T{topic} Q0 d{n} {rank} {rng.randint(1, 9) / 4} tag"
        for topic in range(TOPICS)
        for rank, n in enumerate(rng.sample(range(200), DEPTH), start=1)
    ]


def scattered() -> list[str]:
    mixed = lines_of_run()
    random.Random(3).shuffle(mixed)
    return mixed


TEXTS = {
    "in order": "\n".join(lines_of_run()) + "\n",
    "without a last line feed": "\n".join(lines_of_run()),
    "with comments and blank lines": "# a run\n\n" + "\n# again\n\n".join(lines_of_run()) + "\n",
    "with a byte order mark": "\ufeff" + "\r\n".join(lines_of_run()) + "\r\n",
    "a topic that comes back": "\n".join([*lines_of_run(), "T1 Q0 e1 1 0.1 tag"]),
    "a topic that is not judged comes back": "\n".join([*lines_of_run(), "T2 Q0 e1 1 0.1 tag"]),
    "scattered": "\n".join(scattered()),
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_source, "PIECE_BYTES", 1500)
    monkeypatch.setattr(large_runs, "NEAR", 100)


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    rng = random.Random(2)
    path = tmp_path / "qrels.txt"
    # T2 and T5 of the run are not judged, and the run lacks T90.
    topics = [f"T{topic}" for topic in (*range(TOPICS), 90) if topic not in (2, 5)]
    path.write_text("".join(f"{t} 0 d{n} {rng.randint(0, 2)}\n" for t in topics for n in rng.sample(range(200), 40)))
    return path


class Counted:
    """Does the work here and counts the pieces."""

    def __init__(self) -> None:
        self.pieces: list[Any] = []

    def __call__(self, function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]], *shared: Any) -> Iterator[Any]:
        for piece in pieces:
            self.pieces.append(piece)
            yield function(*piece, *shared)


@pytest.mark.parametrize("length", [200, 1500, 3000])
@pytest.mark.parametrize("text", TEXTS)
def test_cuts_are_between_topics_and_lose_nothing(tmp_path: Path, text: str, length: int) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(TEXTS[text].encode())
    found = cuts(str(path), length)
    assert len(found) > 1
    content = path.read_bytes()
    texts = [cut.text(NEW_ARRAYS).bytes() for cut in found]
    assert b"".join(texts) == content.removeprefix(b"\xef\xbb\xbf")
    topics = [[line.split()[0] for line in each.split(b"\n") if line.strip() and line[:1] != b"#"] for each in texts]
    assert all(first[-1] != second[0] for first, second in itertools.pairwise(topics))
    if text == "in order":  # no piece is longer than needed: without its last topic it would be too short
        assert all(len(each) - 1200 <= length for each in texts[:-1])


@pytest.mark.parametrize("order", ["score", "rank", "file"])
@pytest.mark.parametrize("text", TEXTS)
def test_pieces_give_the_hits_of_the_whole(tmp_path: Path, qrels: Path, text: str, order: Order) -> None:
    (tmp_path / "a.run").write_bytes(TEXTS[text].encode())
    (tmp_path / "b.run").write_bytes(TEXTS["in order"].encode())
    judged, sources = ll.read_qrels(qrels), open_sources([str(tmp_path / "a.run"), str(tmp_path / "b.run")])
    work, steps = Counted(), list[tuple[int, int]]()
    here = list(hits_of_runs(sources, judged, View(), order))
    there = list(
        hits_of_runs(sources, judged, View(), order, spread=work, progress=lambda *step: steps.append(step))
    )  # fmt: skip
    for whole, found in zip(here, there, strict=True):
        for name in ("offsets", "rank", "document", "tie_first", "tie_last", "retrieved", "answered"):
            np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
        assert (found.unjudged_topics, found.longer_lines) == (whole.unjudged_topics, whole.longer_lines)
    assert len(work.pieces) > 6
    comes_back = text in ("scattered", "a topic that comes back", "a topic that is not judged comes back")
    assert any(len(piece) == 1 for piece in work.pieces) == comes_back  # read again, whole
    assert steps == sorted(set(steps))
    assert steps[-1][0] == steps[-1][1] >= len(work.pieces) - comes_back


@pytest.mark.parametrize("text", ["in order", "scattered"])
def test_scores_are_the_same_to_the_last_bit(
    tmp_path: Path, qrels: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.run").write_text(TEXTS[text])
    monkeypatch.setattr(run_source, "SMALLEST_PART", 100)
    monkeypatch.setattr(run_source, "QRELS_BYTES_A_BYTE", 0)
    memory = run_source.BASE_BYTES + 60_000

    def scores(measures: str, **more: Any) -> np.ndarray:
        return ll.evaluate(str(qrels), str(tmp_path / "a.run"), measures, **more).values

    for measures, more in (
        ("AP PRES@20 nDCG@10", {"ties": True}),
        ("TBG AP", {"lengths": {f"d{n}": n + 1.0 for n in range(200)}}),
        ("AP", {"duplicates": {f"d{n}": n // 2 for n in range(100)}, "copies": "collapse"}),
    ):
        here = scores(measures, **more)
        np.testing.assert_array_equal(scores(measures, **more, spread=spread_here), here)
        np.testing.assert_array_equal(scores(measures, **more, spread=spread_here, memory=memory), here)


@pytest.mark.parametrize("wrong", ["T3 Q0 d1", "T3 Q0 d1 1 x tag", "T3 Q0 d1 1 nan tag", "twice", "twice, then x"])
@pytest.mark.parametrize("text", ["in order", "scattered"])
def test_an_error_is_that_of_the_whole(tmp_path: Path, qrels: Path, wrong: str, text: str) -> None:
    lines = TEXTS[text].splitlines()
    lines.insert(150, "# a comment")
    lines.insert(201, lines[190] if wrong.startswith("twice") else wrong)
    if wrong == "twice, then x":  # a line that cannot be read is said first, as where the run is read whole
        lines.insert(300, "T3 Q0 d1 1 x tag")
    (tmp_path / "a.run").write_text("\n".join(lines))
    judged, sources = ll.read_qrels(qrels), open_sources(str(tmp_path / "a.run"))
    said = []
    for spread in (None, spread_here):
        with pytest.raises(InputError) as error:
            list(hits_of_runs(sources, judged, View(), "score", spread=spread))
        said.append(str(error.value))
    assert said[0] == said[1]
    assert (":301:" if wrong == "twice, then x" else ":202:") in said[0]


def test_a_topic_that_a_worker_may_not_hold_is_refused(tmp_path: Path, qrels: Path) -> None:
    lines = [*lines_of_run(), *(f"T4 Q0 e{n} 1 1 tag" for n in range(500)), "T77 Q0 e 1 1 tag"]
    (tmp_path / "a.run").write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"topic '?T4'? has .* of lines, .* the smallest --memory that would do is"):
        list(hits_of_runs(open_sources(str(tmp_path / "a.run")), ll.read_qrels(qrels), View(), "score",
                          plan=ReadingPlan(2500, 1), spread=spread_here))  # fmt: skip


def test_what_cannot_be_cut_is_read_whole(tmp_path: Path) -> None:
    content = TEXTS["in order"].encode()
    (tmp_path / "a.run").write_bytes(gzip.compress(content))  # compressed, whatever its name
    (tmp_path / "b.csv").write_bytes(content)
    (tmp_path / "one-topic.run").write_text("".join(f"T1 Q0 d{n} {n} 1 tag\n" for n in range(300)))
    assert cuts(str(tmp_path / "a.run"), 500) == []
    assert cuts(str(tmp_path / "b.csv"), 500) == []
    assert cuts(str(tmp_path / "missing.run"), 500) == []
    assert [cut.end for cut in cuts(str(tmp_path / "one-topic.run"), 500)] == [
        (tmp_path / "one-topic.run").stat().st_size
    ]


def test_a_run_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXTS["in order"])
    cut = cuts(str(path), 1500)[1]
    with path.open("a") as file:
        file.write("T99 Q0 d1 1 1 tag\n")
    with pytest.raises(InputError, match="has changed since the command began"):
        cut.text(NEW_ARRAYS)
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        cut.text(NEW_ARRAYS)
