"""leadline estimate: sums of slopes, machines, and the tables of docs/growth.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.errors import InputError
from leadline.measures.evaluate import evaluate
from leadline.show.choices import KNOWN_COLLECTIONS, Machine, Workload
from leadline.show.cost_model import JUDGEMENT_BYTES, SLOPES, estimate

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
    assert (vectors.because, vectors.machines) == ("time of one machine: too little", 1)  # they are made on one
    collecting, half = (estimate(work, Machine(cores=cores, hours=1)).jobs[0] for cores in (4, 8))
    assert collecting.because == "time"
    assert half.machines == pytest.approx(collecting.machines / 2, abs=1)
    assert estimate(work, Machine(disk=10**11)).jobs[0].because == "disk"
    searching = estimate(work, Machine(memory=8_000_000_000)).jobs[4]
    assert (searching.because, searching.machines > 1) == ("memory", True)
    indexing = estimate(work, Machine(memory=8_000_000_000)).jobs[1]  # whose last merge is done by one process
    assert (indexing.because, indexing.machines) == ("memory of one machine: too little", one["index"].machines)


def test_evaluation_takes_the_memory_that_evaluate_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "plain")  # as for so small a run, whether machine code is loaded or not
    topics = 50_000
    (tmp_path / "q").write_text("".join(f"{n:05d} 0 document{n % 10} 1\n" for n in range(topics)))
    (tmp_path / "a.run").write_text("00000 Q0 document1 1 1 tag\n")
    assert (tmp_path / "q").stat().st_size == topics * JUDGEMENT_BYTES
    memory = estimate(Workload(10**6, 100, runs=1, topics=topics, depth=1, judged=1)).jobs[5].memory
    with pytest.raises(InputError, match=rf"the smallest that would do is {-(-memory // 10**6)}MB$"):
        evaluate(str(tmp_path / "q"), str(tmp_path / "a.run"), memory=memory - 10**6)
    more = estimate(Workload(10**6, 100, runs=1, topics=400_000, depth=5)).jobs[5].memory
    assert more > 5 * memory


def test_a_known_collection_of_another_size_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    main(["estimate", "clef-ip", "--documents", "5"])
    shown = capsys.readouterr()
    assert "clef-ip: 5 documents in place of its 1,000,000; 5,000 words a document are an assumption" in shown.err
    assert "1 million" not in shown.err
    assert "disk beside that: the sources, about " in shown.err
    assert "evaluation assumes 100 judgements a topic, of 20 bytes" in shown.err


@pytest.mark.parametrize("name", KNOWN_COLLECTIONS)
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
        ("estimate --documents 2147483648", "documents: an index has at most 2,147,483,647, got 2,147,483,648"),
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
