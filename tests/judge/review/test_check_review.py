"""A damaged review is recognised, file by file."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.mounting import read_only

from leadline.cli import main
from leadline.judge.journal import Event
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import ReviewProject, ReviewSettings, back_up_review, bring_back_review, check_review
from leadline.show.check import check, examine
from leadline.text.checksums import sealed

RIS = "".join(f"TY  - JOUR\nID  - a{n}\nTI  - Study {n} of brakes\nER  - \n\n" for n in range(12))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checked")
    (folder / "search.ris").write_text(RIS)
    return begin_review(folder / "review", [folder / "search.ris"], ReviewSettings("Brakes"), known=["a0"]).folder


@pytest.fixture
def review(made: Path) -> Path:
    """The review at the place where it was made, put back after each test: its documents are known by their place."""
    kept = made.parent / "kept"
    shutil.copytree(made, kept)
    yield made
    shutil.rmtree(made)
    kept.rename(made)


def test_a_sound_review(review: Path, tmp_path: Path) -> None:
    """All that is in its folder is its own, also while its journal is open, and after it was brought back."""
    project = ReviewProject.open(review)
    back_up_review(project, tmp_path / "review.zip")
    bring_back_review(tmp_path / "review.zip", tmp_path / "again")
    for folder in (review, tmp_path / "again"):
        with contextlib.closing(ReviewProject.open(folder).journal()) as journal:
            journal.append(Event("event-0001", "anna", "assessor", "mark", "abstract", "a1", "1"))
            assert (folder / "journal-wal").exists()
            found = examine(folder)
        assert (found.kind, found.findings, found.strangers) == ("review", [], [])
        assert found.bytes > sum(path.stat().st_size for path in (folder / "collection-1").rglob("*.parquet"))
    (review / "letter.txt").write_text("mine")
    assert examine(review).strangers == [review / "letter.txt"]
    assert not check(review)


@pytest.mark.parametrize("name", ["review.json", "candidates-1.tsv", "journal"])
def test_damaged_and_missing_files(review: Path, name: str) -> None:
    path = review / name
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert str(path) in {finding.path for finding in check_review(review)}
    path.unlink()
    assert [finding for finding in check_review(review) if str(path) in finding.path or "missing" in finding.problem]


@pytest.mark.parametrize(
    "change",
    [{"settings": 5}, {"settings": {}}, {"rounds": [5]}, {"rounds": 7}, {"settings": {"title": "x", "reasons": 5}}],
)
def test_settings_of_another_shape(review: Path, change: dict[str, object]) -> None:
    content = json.loads((review / "review.json").read_text())
    content.pop("checksum", None)
    (review / "review.json").write_bytes(sealed({**content, **change}))
    (finding,) = check_review(review)
    assert finding.problem == "is damaged"


def test_documents_that_changed(review: Path) -> None:
    part = next((review / "collection-1").rglob("*.parquet"))
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    assert any(str(review / "collection-1") in finding.path for finding in check_review(review))


def test_an_archived_review_is_read_and_checked(review: Path, tmp_path: Path) -> None:
    """On a disk that nobody can write to, as it was put away, with the log of a server that was killed."""
    code = """
        import os, sys
        from leadline.judge.journal import Event, JudgingJournal
        journal = JudgingJournal(sys.argv[1])
        journal.append(Event("event-0001", "anna", "assessor", "mark", "abstract", "a1", "1"))
        os.kill(os.getpid(), 9)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), review / "journal"], check=False)
    assert (review / "journal-wal").stat().st_size
    with read_only(review, tmp_path / "archive"):
        found = examine(tmp_path / "archive")
        assert (found.findings, found.strangers) == ([], [])
        assert "Journal, 3 events" in found.notes[0]
        main(["review", "export", str(tmp_path / "archive"), "-o", str(tmp_path / "marks.csv"), "-q"])
    assert "a1" in (tmp_path / "marks.csv").read_text()
