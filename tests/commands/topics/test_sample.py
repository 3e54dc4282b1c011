"""`leadline topics sample`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.collections.documents.collection import Collection
from leadline.records.inputs import read_topics
from leadline.records.topics import Subtopic, Topics
from leadline.trust.by_topic import read_attributes


def leadline(*words: object) -> None:
    main(list(map(str, words)))


def test_topics_sample(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "topics.tsv"
    leadline("topics", "sample", patents.folder, "-o", path, "--fewest", 2, "--seed", 3)
    out, err = capsys.readouterr()
    assert "9 to 16" in out
    assert "seed 3" in err
    assert "fewer than 2 relevant documents" in err
    # The topic and its family member both could be; one is drawn.
    assert "1 topic drawn from 1 candidates" in err
    (only,) = read_topics(path)
    assert only in {"EP1000000A1", "US6100000B1"}
    described = {"title", "office", "class", "priority", "relevant", "cited_examiner", "claims"}
    assert described <= set(read_attributes(path))
    manifest = json.loads((tmp_path / "topics.tsv.manifest.json").read_text())
    assert (manifest["seed"], manifest["topics"]) == (3, 1)
    assert manifest["collection"]["hash"] == patents.manifest["hash"]


def test_topics_with_claims(patents: Collection, tmp_path: Path) -> None:
    leadline("topics", "sample", patents.folder, "-o", tmp_path / "topics.xml", "--office", "EP", "--claims", "-q")
    (topic,) = Topics.read(tmp_path / "topics.xml")
    assert [(claim.name, claim.weight) for claim in topic.subtopics] == [("1", 1.0), ("2", 0.5)]
    assert topic.subtopics[0] == Subtopic("1", "An ink comprising hyperbranched polyesteramide and pigment.")
    assert topic.attributes["class"] == "C09D"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--origin", "examiners"), "did you mean examiner"),
        (("--rules", "1,4"), "--rules: '4' is not one of 1, 2, 3"),
        (("--dates", "filing"), "--dates: 'filing' is not one of priority, none"),
        (("--number", "0"), "--number: must be at least 1, got 0"),
        (("--after", "soon"), "--after: 'soon' is "),
        (("--class", "chemistry"), "--class: 'chemistry' is not a valid class"),
        (("--seed", "-1"), "--seed: must be at least 0, got -1"),
        (("--format", "parquet"), "--format: 'parquet' is not one of table"),
        (("--claims",), "name the output topics.xml"),
        (("--quota", "EP=77"), "--quota: 'EP=77' is not an office with a number of topics; write EP:77,US:923"),
        (("--quota", "EP:0"), "--quota: 'EP:0' is not an office with a number of topics"),
        (("--quota", "EP:1,ep:2"), "--quota: EP is named twice"),
        (("--quota", ","), "--quota: must name at least one office"),
        (("--quota", "EP:1", "--number", "5"), "--quota: cannot be combined with --number"),
        (("--quota", "EP:1", "--office", "EP"), "--quota: cannot be combined with --office"),
    ],
)
def test_wrong_usage(
    patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        leadline("topics", "sample", patents.folder, "-o", tmp_path / "topics.tsv", *arguments)
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "topics.tsv").exists()


def test_dates_and_classes_select_topics(
    patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "topics.tsv"
    for arguments in (("--class", "C09"), ("--after", "2000-05-31"), ("--before", "2000-06-02")):
        leadline("topics", "sample", patents.folder, "-o", path, "-q", *arguments)
        assert len(read_topics(path)) == 1
    for arguments in (("--class", "A61"), ("--after", "2000-06-01"), ("--before", "2000-06-01")):
        with pytest.raises(SystemExit, match="1"):
            leadline("topics", "sample", patents.folder, "-o", path, "-q", *arguments)
        assert "no patent can be a topic" in capsys.readouterr().err


def test_a_quota_by_office(patents: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "topics.tsv"
    leadline("topics", "sample", patents.folder, "-o", path, "--fewest", 2, "--quota", "EP:1")
    assert read_topics(path) == ["EP1000000A1"]
    manifest = json.loads((tmp_path / "topics.tsv.manifest.json").read_text())
    assert (manifest["quota"], manifest["number"]) == ({"EP": 1}, 1)
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        leadline("topics", "sample", patents.folder, "-o", path, "--fewest", 2, "--quota", "EP:1,US:1")
    assert stopped.value.code == 1
    assert capsys.readouterr().err.strip() == (
        "leadline: 1 topic of US wanted, but only 0 can be drawn: lower its quota or the fewest relevant documents"
    )
