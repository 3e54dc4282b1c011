"""`leadline qrels claims`."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline import evaluate
from leadline.cli import main
from leadline.collections.documents.collection import Collection
from leadline.measures.subtopics import weights
from leadline.records.qrels import read_qrels


def leadline(*words: object) -> None:
    main(list(map(str, words)))


def test_qrels_claims_estimated(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "topics.txt").write_text("EP1000000A1\nUS7000023B2\nEP9999999A1\n")
    output = tmp_path / "claims.qrels"
    leadline("qrels", "claims", patents.folder, tmp_path / "topics.txt", "-o", output)
    _, err = capsys.readouterr()
    assert "ESTIMATED" in err
    assert "1 topic without a relevant document: US7000023B2" in err
    why = (tmp_path / "claims.qrels.why.tsv").read_text().splitlines()
    assert why[0].split("\t") == ["topic", "claim", "document", "passages", "grade", "weight", "source"]
    assert {line.split("\t")[-1] for line in why[1:]} == {"estimated"}
    assert len(why) == 1 + 2 * 16


def test_qrels_claims_judged(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "topics.txt").write_text("EP1000000A1\n")
    (tmp_path / "passages.tsv").write_text(
        "topic\tclaim\tdocument\tpassage\n"
        + "".join(f"EP1000000A1\t1\tUS5000001A\t{p}\n" for p in range(4))
        + "EP1000000A1\t2\tUS5000013A\t0\n"
    )
    output = tmp_path / "claims.qrels"
    judged = tmp_path / "passages.tsv"
    leadline("qrels", "claims", patents.folder, tmp_path / "topics.txt", "-o", output, "--passages", judged)
    assert "ESTIMATED" not in capsys.readouterr().err
    assert output.read_text().splitlines() == [
        "EP1000000A1 1 US5000001A 4 1.0",
        "EP1000000A1 2 US5000001A 0 0.5",
        "EP1000000A1 1 US5000013A 0 1.0",
        "EP1000000A1 2 US5000013A 1 0.5",
    ]
    qrels = read_qrels(output)  # the format need not be named
    assert weights(qrels, "claims") == pytest.approx([2 / 3, 1 / 3])
    run = {"EP1000000A1": {"US5000001A": 2.0, "US5000013A": 1.0}}
    scores = evaluate(output, run, ["CT(theta=claims)@1", "CT(theta=claims)@10"])
    # The first document fills the first claim: 2/3 in one unit of time; the second adds a quarter of 1/3.
    assert scores.values[0, 0].tolist() == pytest.approx([2 / 3, (2 / 3 + 1 / 12) / 2])


def test_relevant_documents_from_a_file(patents: Collection, tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text("EP1000000A1\n")
    (tmp_path / "qrels.txt").write_text("EP1000000A1 0 US5000001A 1\nEP1000000A1 0 US5000013A 0\n")
    output = tmp_path / "claims.qrels"
    leadline(
        "qrels", "claims", patents.folder, tmp_path / "topics.txt", "-o", output, "--qrels", tmp_path / "qrels.txt",
        "--share", 0.1, "-q",
    )  # fmt: skip
    assert {line.split()[2] for line in output.read_text().splitlines()} == {"US5000001A"}
