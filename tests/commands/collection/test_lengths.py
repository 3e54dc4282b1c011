"""`leadline collection lengths`, and the measures of time that read what it writes, in evaluate, compare and report."""

from __future__ import annotations

import csv
import io
import shlex
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.collections.documents.collection import Collection

TBG = "qrels.txt runs/*.run -m TBG --lengths words.tsv -f tsv -q"


@pytest.fixture
def folder(example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("qrels.txt", "runs", "patents"):
        (tmp_path / name).symlink_to(example_files / name)
    monkeypatch.chdir(tmp_path)
    main(shlex.split("collection lengths patents -o words.tsv -q"))
    return tmp_path


def rows(line: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    capsys.readouterr()
    main(shlex.split(line))
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out), delimiter="\t"))


def test_lengths_are_the_words_of_every_document(folder: Path) -> None:
    written = [line.split("\t") for line in Path("words.tsv").read_text().splitlines()]
    records = Collection.open("patents").records
    assert written[0] == ["document", "words"]
    assert written[1:] == [[name, str(words)] for name, words in records.select("id", "words").rows()]


def test_compare_takes_lengths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = {row["run"]: row["value"] for row in rows(f"evaluate {TBG}", capsys)}
    assert len(scores) == 3
    for pair in rows(f"compare pairs {TBG} --draws 100", capsys):
        assert (pair["mean_a"], pair["mean_b"]) == (scores[pair["run_a"]], scores[pair["run_b"]])
    # The study of missing judgements keeps the words too: the verdict tries half of the judgements.
    for verdict in rows(f"compare verdict {TBG} --samples 5", capsys):
        assert 0 <= float(verdict["significant_in"]) <= 5
    assert len(rows(f"compare incomplete {TBG} --samples 2 --keep 0.5", capsys)) == 1


def test_measures_of_time_without_lengths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="1"):
        main(shlex.split("compare verdict qrels.txt runs/*.run -m TBG"))
    assert "give --lengths FILE" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(shlex.split("compare pairs --scores s.tsv --lengths words.tsv"))


def test_compare_takes_a_reading_log(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = [line.split() for line in Path("runs/bm25.run").read_text().splitlines()]
    Path("log.txt").write_text("".join(f"{topic} {document} 20\n" for topic, _, document, *_ in read))
    (score,) = {row["value"] for row in rows("evaluate qrels.txt runs/*.run -m TBG --reads log.txt -f tsv -q", capsys)}
    main(shlex.split("compare verdict qrels.txt runs/*.run -m TBG --reads log.txt --samples 2 -f tsv"))
    out, err = capsys.readouterr()
    assert float(score) > 0
    assert "\tundecided\t" in out
    assert "the log replaces the order of every run" in err
    with pytest.raises(SystemExit, match="1"):
        main(shlex.split("compare incomplete qrels.txt runs/*.run -m 'AP TBG' --reads log.txt"))
    assert "name only" in capsys.readouterr().err
