"""leadline estimate: sums of slopes, machines, and the tables of docs/growth.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.show.cost_model import KNOWN, SLOPES, Machine, Workload, estimate

PAGE = Path(__file__).parents[2] / "docs/growth.md"


def test_costs_grow_with_documents_and_words() -> None:
    small, large = (estimate(Workload(count, 1000)).jobs for count in (10**6, 10**8))
    for one, other in zip(small, large, strict=True):
        if "evaluation" not in one.job:
            assert other.seconds == pytest.approx(100 * one.seconds, rel=0.05)
    assert large[2].disk > large[1].disk  # with positions
    longer = estimate(Workload(10**6, 10_000)).jobs
    assert longer[1].disk > 5 * small[1].disk
    assert longer[3].disk == small[3].disk  # a vector a document


def test_machines_follow_from_time_memory_and_disk() -> None:
    work = Workload(10**8, 5000)
    one = {job.job: job for job in estimate(work).jobs}
    assert one["collection"].machines >= 1
    vectors = one["vectors"]
    assert vectors.because == "time"
    half = estimate(work, Machine(cores=32)).jobs[3]
    assert half.machines == pytest.approx(vectors.machines / 2, abs=1)
    searching = estimate(work, Machine(memory=8_000_000_000)).jobs[4]
    assert (searching.because, searching.machines > 1) == ("memory", True)
    indexing = estimate(work, Machine(memory=8_000_000_000)).jobs[1]  # whose last merge is done by one process
    assert (indexing.because, indexing.machines) == ("memory of one machine: too little", one["index"].machines)


@pytest.mark.parametrize("name", KNOWN)
def test_known_collections(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["estimate", name, "--format", "json"])
    shown = capsys.readouterr()
    rows = json.loads(shown.out)
    assert [row["job"].partition(",")[0] for row in rows] == [
        "collection", "index", "index with positions", "vectors", "search", "evaluation",
    ]  # fmt: skip
    assert all(row["seconds of one core"] > 0 and row["memory"] > 0 and row["machines"] >= 1 for row in rows)
    assert "are an assumption" in shown.err


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("estimate", "--documents: is needed, or the name of a collection: clef-ip, trec-chem, espacenet"),
        ("estimate clefip", "did you mean clef-ip?"),
        ("estimate clef-ip --cores 0", "--cores: must be at least 1, got 0"),
        ("estimate clef-ip --machine-memory 8", "--machine-memory: must be a size such as 2GB"),
    ],
)
def test_wrong_arguments_are_one_line(line: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(line.split())
    assert left.value.code == 2
    assert problem in capsys.readouterr().err


def test_the_document_has_the_slopes_of_the_source() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, slope in SLOPES.items():
        numbers = " | ".join(f"{number:.3g}" for number in (slope.fixed, slope.a_document, slope.a_word))
        assert f"| {name} | {numbers} |" in page
