"""`leadline qrels citations`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline import evaluate
from leadline.cli import main
from leadline.collections.documents.collection import Collection
from leadline.records.qrels import read_qrels
from leadline.trust.by_topic import read_attributes


def leadline(*words: object) -> None:
    main(list(map(str, words)))


def test_qrels_citations(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "topics.txt").write_text("EP1000000A1\nUS7000022B2\nEP9999999A1\n")
    output = tmp_path / "qrels.txt"
    leadline("qrels", "citations", patents.folder, tmp_path / "topics.txt", "-o", output, "--format", "tsv")
    out, err = capsys.readouterr()
    table = [line.split("\t") for line in out.splitlines()]
    assert table[0] == ["rule", "judgements", "applicant", "examiner", "opposition", "third party", "unknown"]
    assert table[-1][:2] == ["all", "16"]
    for said in (
        "1 of 3 topics have judgements",
        "1 topic not in the collection: EP9999999A1",
        "1 topic without judgements, because every cited document was left out: US7000022B2",
        "3 cited documents published after the topic's priority date",
        "1 cited document without publication date, but filed in time: kept",
    ):
        assert said in err
    assert len(read_qrels(output)) == 16
    few = tmp_path / "few.txt"
    leadline("qrels", "citations", "--from", f"{output}.why.tsv", "--origin", "opposition,third-party", "-o", few)
    assert set(read_qrels(few).judgements("EP1000000A1")) == {"US5000006A", "US5000007A", "WO1990000007A1"}
    assert json.loads((tmp_path / "qrels.txt.manifest.json").read_text())["dates"] == "priority"


def test_qrels_to_standard_output(
    patents: Collection, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "topics.txt").write_text("US7000021B2\n")
    leadline("qrels", "citations", patents.folder, tmp_path / "topics.txt", "-o", "-", "-q")
    assert capfdbinary.readouterr().out == b"US7000021B2 0 US5000013A 1\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["DIR", "TOPICS", "--from", "why.tsv"], "--from: cannot be combined with DIR TOPICS"),
        (["--from", "why.tsv", "--dates", "none"], "--dates: cannot be combined with --from"),
        ([], "DIR TOPICS: give both, or --from WHY"),
        (["DIR", "TOPICS", "--grades", "two"], "--grades: 'two' is not one of one, category"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        leadline("qrels", "citations", *arguments, "-o", "q")
    assert message in capsys.readouterr().err


@pytest.fixture
def topics(patents: Collection, tmp_path: Path) -> Path:
    path = tmp_path / "topics.tsv"
    leadline("topics", "sample", patents.folder, "-o", path, "--quiet")
    return path


def test_sampled_topics_judged_and_evaluated(patents: Collection, topics: Path, tmp_path: Path) -> None:
    """The files of one command are the inputs of the next, down to a score."""
    leadline("qrels", "citations", patents.folder, topics, "-o", tmp_path / "qrels.txt", "-q")
    qrels = read_qrels(tmp_path / "qrels.txt")
    (relevant,) = read_attributes(topics)["relevant"].values()
    assert len(qrels) == int(relevant)
    run = {qrels.topics[0]: {"US5000001A": 2.0, "US5000013A": 1.0}}
    scores = evaluate(tmp_path / "qrels.txt", run, ["R@10"], topics=topics)
    assert scores.values[0, 0, 0] == pytest.approx(2 / int(relevant))
