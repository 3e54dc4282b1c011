"""`topics sample`, `qrels citations` and `qrels claims` as a user types them, one after the other."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path

import pytest

from leadline import evaluate
from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.measures.aspects import weights
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.side_tables import read_topics
from leadline.records.topics.topic import Subtopic, Topics
from leadline.trust.slices import read_attributes


def leadline(command: str, *arguments: object) -> None:
    module = importlib.import_module(f"leadline.commands.{command.replace(' ', '_')}")
    parser = argparse.ArgumentParser(prog=f"leadline {command}", allow_abbrev=False)
    module.define(parser)
    module.run(parser.parse_intermixed_args(list(map(str, arguments))))


@pytest.fixture
def topics(patents: Collection, tmp_path: Path) -> Path:
    path = tmp_path / "topics.tsv"
    leadline("topics sample", patents.folder, "-o", path, "--quiet")
    return path


def test_topics_sample(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "topics.tsv"
    leadline("topics sample", patents.folder, "-o", path, "--fewest", 2, "--seed", 3)
    out, err = capsys.readouterr()
    assert "9 to 16" in out
    assert "seed 3" in err
    assert "fewer than 2 relevant documents" in err
    # The topic and its family member both could be; one is drawn.
    assert "1 topic drawn from 1 that could be" in err
    (only,) = read_topics(path)
    assert only in {"EP1000000A1", "US6100000B1"}
    described = {"title", "office", "class", "priority", "relevant", "cited_examiner", "claims"}
    assert described <= set(read_attributes(path))
    manifest = json.loads((tmp_path / "topics.tsv.manifest.json").read_text())
    assert (manifest["seed"], manifest["topics"]) == (3, 1)
    assert manifest["collection"]["hash"] == patents.manifest["hash"]


def test_topics_with_claims(patents: Collection, tmp_path: Path) -> None:
    leadline("topics sample", patents.folder, "-o", tmp_path / "topics.xml", "--office", "EP", "--claims", "-q")
    (topic,) = Topics.read(tmp_path / "topics.xml")
    assert [(claim.name, claim.weight) for claim in topic.subtopics] == [("1", 1.0), ("2", 0.5)]
    assert topic.subtopics[0] == Subtopic("1", "An ink comprising hyperbranched polyesteramide and pigment.")
    assert topic.attributes["class"] == "C09D"
    with pytest.raises(InputError, match=r"name the output topics\.xml"):
        leadline("topics sample", patents.folder, "-o", tmp_path / "topics.tsv", "--claims")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--origin", "examiners"), "did you mean examiner"),
        (("--rules", "1,4"), "is not some of 1,2,3"),
        (("--dates", "filing"), "none of priority, none"),
        (("--number", "0"), "--number: give 1 or more"),
        (("--after", "soon"), "'soon' is no date"),
    ],
)
def test_wrong_options(patents: Collection, tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    with pytest.raises(InputError) as error:
        leadline("topics sample", patents.folder, "-o", tmp_path / "topics.tsv", *arguments)
    assert problem in str(error.value)
    assert not (tmp_path / "topics.tsv").exists()


def test_dates_and_classes_select_topics(patents: Collection, tmp_path: Path) -> None:
    path = tmp_path / "topics.tsv"
    for arguments in (("--class", "C09"), ("--after", "2000-05-31"), ("--before", "2000-06-02")):
        leadline("topics sample", patents.folder, "-o", path, "-q", *arguments)
        assert len(read_topics(path)) == 1
    for arguments in (("--class", "A61"), ("--after", "2000-06-01"), ("--before", "2000-06-01")):
        with pytest.raises(Exception, match="no patent can be a topic"):
            leadline("topics sample", patents.folder, "-o", path, "-q", *arguments)


def test_qrels_citations(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "topics.txt").write_text("EP1000000A1\nUS7000022B2\nEP9999999A1\n")
    output = tmp_path / "qrels.txt"
    leadline("qrels citations", patents.folder, tmp_path / "topics.txt", "-o", output, "--format", "tsv")
    out, err = capsys.readouterr()
    table = [line.split("\t") for line in out.splitlines()]
    assert table[0] == ["rule", "judgements", "applicant", "examiner", "opposition", "third party", "unknown"]
    assert table[-1][:2] == ["all", "16"]
    for said in (
        "1 of 3 topics have judgements",
        "1 topic not in the collection: EP9999999A1",
        "1 topic of which every judgement fell away: US7000022B2",
        "3 cited documents published after the topic's priority date",
        "1 cited document without publication date, but filed in time: kept",
    ):
        assert said in err
    assert len(read_qrels(output)) == 16
    few = tmp_path / "few.txt"
    leadline("qrels citations", "--from", f"{output}.why.tsv", "--origin", "opposition,third-party", "-o", few)
    assert set(read_qrels(few).judgements("EP1000000A1")) == {"US5000006A", "US5000007A", "WO1990000007A1"}
    assert json.loads((tmp_path / "qrels.txt.manifest.json").read_text())["dates"] == "priority"


def test_qrels_to_standard_output(
    patents: Collection, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "topics.txt").write_text("US7000021B2\n")
    leadline("qrels citations", patents.folder, tmp_path / "topics.txt", "-o", "-", "-q")
    assert capfdbinary.readouterr().out == b"US7000021B2 0 US5000013A 1\n"


def test_collection_and_provenance_exclude_each_other(patents: Collection, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one or the other"):
        leadline("qrels citations", patents.folder, "topics", "--from", "why.tsv", "-o", tmp_path / "q")
    with pytest.raises(InputError, match="give DIR and TOPICS"):
        leadline("qrels citations", "-o", tmp_path / "q")


def test_sampled_topics_judged_and_evaluated(patents: Collection, topics: Path, tmp_path: Path) -> None:
    """The files of one command are the inputs of the next, down to a score."""
    leadline("qrels citations", patents.folder, topics, "-o", tmp_path / "qrels.txt", "-q")
    qrels = read_qrels(tmp_path / "qrels.txt")
    (relevant,) = read_attributes(topics)["relevant"].values()
    assert len(qrels) == int(relevant)
    run = {qrels.topics[0]: {"US5000001A": 2.0, "US5000013A": 1.0}}
    scores = evaluate(tmp_path / "qrels.txt", run, ["R@10"], topics=topics)
    assert scores.values[0, 0, 0] == pytest.approx(2 / int(relevant))


def test_qrels_claims_estimated(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "topics.txt").write_text("EP1000000A1\nUS7000023B2\nEP9999999A1\n")
    output = tmp_path / "claims.qrels"
    leadline("qrels claims", patents.folder, tmp_path / "topics.txt", "-o", output)
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
    leadline("qrels claims", patents.folder, tmp_path / "topics.txt", "-o", output, "--passages", judged)
    assert "ESTIMATED" not in capsys.readouterr().err
    assert output.read_text().splitlines() == [
        "EP1000000A1 1 US5000001A 4 1.0",
        "EP1000000A1 2 US5000001A 0 0.5",
        "EP1000000A1 1 US5000013A 0 1.0",
        "EP1000000A1 2 US5000013A 1 0.5",
    ]
    qrels = read_qrels(output, format="subtopics")
    assert weights(qrels, "claims") == pytest.approx([2 / 3, 1 / 3])
    run = {"EP1000000A1": {"US5000001A": 2.0, "US5000013A": 1.0}}
    scores = evaluate(output, run, ["CT(theta=claims)@1", "CT(theta=claims)@10"], qrels_format="subtopics")
    # The first document fills the first claim: 2/3 in one unit of time; the second adds a quarter of 1/3.
    assert scores.values[0, 0].tolist() == pytest.approx([2 / 3, (2 / 3 + 1 / 12) / 2])


def test_relevant_documents_from_a_file(patents: Collection, tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text("EP1000000A1\n")
    (tmp_path / "qrels.txt").write_text("EP1000000A1 0 US5000001A 1\nEP1000000A1 0 US5000013A 0\n")
    output = tmp_path / "claims.qrels"
    leadline(
        "qrels claims", patents.folder, tmp_path / "topics.txt", "-o", output, "--qrels", tmp_path / "qrels.txt", "-q",
        "--share", 0.1,
    )  # fmt: skip
    assert {line.split()[2] for line in output.read_text().splitlines()} == {"US5000001A"}
