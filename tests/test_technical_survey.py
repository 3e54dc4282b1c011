"""Every command of docs/technical-survey.md works as printed, in order; what it shows is what is printed."""

from __future__ import annotations

import glob
import re
import shlex
from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main

PAGE = (Path(__file__).parents[1] / "docs/technical-survey.md").read_text(encoding="utf-8")


def commands() -> list[tuple[str, str]]:
    """Every command of the console blocks, and the output shown under it."""
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(line, shown) for line, _, shown in (part.partition("\n") for part in parts)]


def test_a_survey_from_topics_to_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line, shown in commands():
        words = [path for word in shlex.split(line) for path in (sorted(glob.glob(word)) if "*" in word else [word])]
        if words[0] == "mkdir":
            Path(words[-1]).mkdir()
            continue
        assert words[0] == "leadline"
        capsys.readouterr()
        main(words[1:])  # ends the process if a command fails
        out, err = capsys.readouterr()
        assert not shown or shown.split() == (out + err).split(), line
    topics = (tmp_path / "office/surveys.xml").read_text(encoding="utf-8")
    for shown in re.findall(r"^<(?:number|title|category)>.*$", PAGE, re.MULTILINE):
        assert shown in topics
    # Patents and articles are relevant, and both are found.
    truth, run = ll.read_qrels("office/qrels.surveys.txt"), ll.read_run("runs/baseline.run")
    relevant = {document for topic in truth.topics for document in truth.judgements(topic)}
    found = {document for topic in run.topics for document, _ in run.ranking(topic)}
    for documents in (relevant, found):
        assert {document.startswith("article-") for document in documents} == {True, False}
    # xinfAP estimates AP from the sample, so the two are near each other.
    sampled = ll.evaluate(ll.read_qrels("judged.txt", format="strata"), "runs/*.run", ["xinfAP"])["xinfAP"]
    true = ll.evaluate("office/qrels.surveys.txt", "runs/*.run", ["AP"])["AP"]
    assert len(true) == 9
    assert all(abs(sampled[run] - true[run]) < 0.05 for run in true)
