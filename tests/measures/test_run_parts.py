"""Runs read some topics at a time: the same hits, scores and errors as runs read whole."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.errors import InputError
from leadline.measures import run_source
from leadline.measures.definition import View
from leadline.measures.evaluate import hits_of_runs, open_sources
from leadline.measures.run_source import ReadingPlan
from leadline.records.other_packages import Order
from leadline.text import source

TOPICS, DEPTH = 12, 30


def lines_of_run(seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    lines = []
    for topic in range(TOPICS):
        documents = rng.sample(range(200), DEPTH)
        lines += [f"T{topic} Q0 d{n} {rank} {rng.randint(1, 9) / 4} tag" for rank, n in enumerate(documents, 1)]
    return lines


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    rng = random.Random(2)
    path = tmp_path / "qrels.txt"
    # T2 and T5 of the run are not judged, and the run lacks T90.
    topics = [f"T{topic}" for topic in (*range(TOPICS), 90) if topic not in (2, 5)]
    path.write_text("".join(f"{t} 0 d{n} {rng.randint(0, 2)}\n" for t in topics for n in rng.sample(range(200), 40)))
    return path


def scattered(lines: list[str]) -> list[str]:
    mixed = list(lines)
    random.Random(3).shuffle(mixed)
    return mixed


TEXTS = {
    "in order": "\n".join(lines_of_run()) + "\n",
    "without a last line feed": "\n".join(lines_of_run()),
    "scattered": "\n".join(scattered(lines_of_run())) + "\n",
    "with comments and blank lines": "# a run\n\n" + "\n# again\n\n".join(lines_of_run()) + "\n",
    "with a byte order mark": "\ufeff" + "\r\n".join(scattered(lines_of_run())) + "\r\n",
}


@pytest.mark.parametrize("part", [1000, 2500, 6000])
@pytest.mark.parametrize("order", ["score", "rank", "file"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("packed", [False, True])
def test_parts_give_the_hits_of_the_whole(
    tmp_path: Path, qrels: Path, text: str, order: Order, part: int, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_PIECE", 300)  # bytes read at a time
    path = tmp_path / ("a.run.gz" if packed else "a.run")
    path.write_bytes(gzip.compress(TEXTS[text].encode()) if packed else TEXTS[text].encode())
    judged, sources = ll.read_qrels(qrels), open_sources(str(path))
    plan = ReadingPlan(part, 1)
    assert plan.divides(sources[0]) or packed
    (whole,) = hits_of_runs(sources, judged, View(), order)
    (found,) = hits_of_runs(sources, judged, View(), order, plan=ReadingPlan(part, 1))
    for name in ("offsets", "rank", "document", "tie_first", "tie_last", "retrieved", "answered"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    assert (found.unjudged_topics, found.longer_lines) == (whole.unjudged_topics, whole.longer_lines)


@pytest.mark.parametrize("text", ["in order", "scattered"])
def test_scores_are_the_same_to_the_last_bit(
    tmp_path: Path, qrels: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.run").write_text(TEXTS[text])
    lengths = {f"d{n}": n + 1.0 for n in range(200)}
    copies = {f"d{n}": n // 2 for n in range(100)}
    monkeypatch.setattr(run_source, "SMALLEST_PART", 100)
    monkeypatch.setattr(run_source, "QRELS_BYTES_A_BYTE", 0)
    memory = run_source.BASE_BYTES + 60_000

    def scores(measures: str, limit: int | None, **more: object) -> np.ndarray:
        found = ll.evaluate(str(qrels), str(tmp_path / "a.run"), measures, memory=limit, **more)  # type: ignore[arg-type]
        return found.values

    for measures, more in (
        ("AP PRES@20 nDCG@10", {"ties": True}),
        ("TBG AP", {"lengths": lengths}),
        ("AP", {"duplicates": copies, "copies": "collapse"}),
        ("AP P@5", {"unjudged": "all"}),
    ):
        np.testing.assert_array_equal(scores(measures, memory, **more), scores(measures, None, **more))


@pytest.mark.parametrize("wrong", ["T3 Q0 d1", "T3 Q0 d1 1 x tag", "T3 Q0 d1 1 nan tag", "twice"])
@pytest.mark.parametrize("text", ["in order", "scattered"])
def test_an_error_names_the_same_line(tmp_path: Path, qrels: Path, wrong: str, text: str) -> None:
    lines = TEXTS[text].splitlines()
    lines.insert(200, "# a comment")
    lines.insert(300, lines[290] if wrong == "twice" else wrong)
    (tmp_path / "a.run").write_text("\n".join(lines))
    judged, sources = ll.read_qrels(qrels), open_sources(str(tmp_path / "a.run"))
    said = []
    for plan in (None, ReadingPlan(2500, 1)):
        with pytest.raises(InputError) as error:
            list(hits_of_runs(sources, judged, View(), "score", plan=plan))
        said.append(str(error.value))
    assert said[0] == said[1]
    assert ":301:" in said[0]


@pytest.mark.parametrize("text", ["in order", "scattered"])
def test_a_topic_larger_than_a_part_is_refused_with_what_would_do(tmp_path: Path, qrels: Path, text: str) -> None:
    lines = [*TEXTS["in order"].splitlines(), *(f"T4 Q0 e{n} 1 1 tag" for n in range(500)), "T77 Q0 e 1 1 tag"]
    (tmp_path / "a.run").write_text("\n".join(lines if text == "in order" else scattered(lines)))
    with pytest.raises(InputError, match=r"topic '?T4'? has .* of lines, .* the smallest --memory that would do is"):
        list(hits_of_runs(open_sources(str(tmp_path / "a.run")), ll.read_qrels(qrels), View(), "score",
                          plan=ReadingPlan(2500, 1)))  # fmt: skip


def test_temporary_files_are_gone(tmp_path: Path, qrels: Path) -> None:
    (tmp_path / "a.run").write_text(TEXTS["scattered"])
    folder = tmp_path / "scratch"
    folder.mkdir()
    plan = ReadingPlan(2500, 1, folder=str(folder))
    (hits,) = hits_of_runs(open_sources(str(tmp_path / "a.run")), ll.read_qrels(qrels), View(), "score", plan=plan)
    assert hits.answered.any()
    assert not list(folder.iterdir())
