"""`leadline qrels rejections`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.records.qrels import read_qrels


def test_judgements_that_are_read_back(example_files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "rejected.qrels"
    names = [str(example_files / name) for name in ("patents", "topics.tsv", "actions.json")]
    main(["qrels", "rejections", *names, "-o", str(output)])
    out, err = capsys.readouterr()
    assert "X" in out
    assert "1 of " in err
    assert "without a rejection" in err
    qrels = read_qrels(output)
    assert qrels.kind == "subtopics"
    cited = json.loads((example_files / "actions.json").read_text(encoding="utf-8"))[0]["citedDocumentIdentifier"]
    assert [qrels.judgements(topic) for topic in qrels.topics] == [{cited: 2}]
    why = (tmp_path / "rejected.qrels.why.tsv").read_text().splitlines()
    assert len(why) == 1 + 2
    assert why[0].split("\t")[:5] == ["topic", "claim", "document", "grade", "statute"]


def test_a_file_of_another_kind_is_one_line(
    example_files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[1]")
    names = [str(example_files / "patents"), str(example_files / "topics.tsv"), str(wrong)]
    with pytest.raises(SystemExit) as stopped:
        main(["qrels", "rejections", *names, "-o", str(tmp_path / "q")])
    assert stopped.value.code == 1
    assert capsys.readouterr().err == f"leadline: {wrong}: record 1 is not a JSON object but int\n"
    assert not (tmp_path / "q").exists()
