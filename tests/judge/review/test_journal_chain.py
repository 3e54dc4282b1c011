"""A report names the head of the journal's chain, and the journal can be compared with it later."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.judge.review.conftest import Mark

from leadline.cli import main
from leadline.errors import InputError
from leadline.judge.journal import JudgingJournal
from leadline.judge.review.project import ReviewProject, certified_events, check_review
from leadline.judge.review.report import ReviewReport
from leadline.judge.review.review_state import ReviewState
from leadline.show.check import examine
from leadline.show.serve.reviewing_figures import report_pdf
from leadline.text.store.events import ChainHead


def pdf_of(project: ReviewProject, to: Path, **changes: str) -> ChainHead:
    with contextlib.closing(project.journal()) as journal:
        events, head = journal.with_head()
    state = ReviewState.of(project, events)
    to.write_bytes(report_pdf(replace(ReviewReport.of(state, events, head), **changes), state.round_certificate(1)))
    return head


def test_a_judgement_that_was_deleted_is_found(project: ReviewProject, mark: Mark) -> None:
    mark("a1", "a2", "a3")
    assert not list(check_review(project.folder))
    with contextlib.closing(sqlite3.connect(project.folder / "journal")) as raw, raw:
        (seq,) = raw.execute("select seq from events where document = 'a2'").fetchone()
        raw.execute("delete from events where seq = ?", (seq,))
        raw.execute("delete from chain where seq = ?", (seq,))
    (finding,) = check_review(project.folder)
    assert "was changed or taken out" in finding.problem


def test_a_journal_is_compared_with_a_report(
    project: ReviewProject, mark: Mark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("vl_convert")
    mark("a1", "a2")
    head = pdf_of(project, tmp_path / "report.pdf", title="Bremsbeläge (2)")
    mark("a3")  # reading goes on
    review = str(project.folder)
    for certificate in (str(tmp_path / "report.pdf"), head.hash):
        main(["review", "check", review, certificate])
        said = capsys.readouterr()
        assert f"the journal still has the {head.events} events that {certificate} certified" in said.out
        assert f"Journal, {head.events + 1} events, head of its chain: " in said.err
    # Whoever writes the whole journal anew makes a sound chain; the report shows that it is another.
    with contextlib.closing(JudgingJournal(project.folder / "journal")) as journal:
        events = [each for each in journal.events() if each.document != "a2"]
    (project.folder / "journal").unlink()
    with contextlib.closing(JudgingJournal(project.folder / "journal", create=True)) as journal:
        journal.append_all(events)
    assert not list(check_review(project.folder))
    with pytest.raises(SystemExit, match="1"):
        main(["review", "check", review, str(tmp_path / "report.pdf")])
    assert "does NOT have the events that" in capsys.readouterr().out


def test_a_report_that_names_no_head(project: ReviewProject, tmp_path: Path) -> None:

    (tmp_path / "letter.txt").write_text("Dear reviewers,")
    with pytest.raises(InputError, match="names no head"):
        certified_events(project.folder, str(tmp_path / "letter.txt"))
    with pytest.raises(InputError, match="cannot be read"):
        certified_events(project.folder, str(tmp_path / "nothing.pdf"))
    (tmp_path / "page.html").write_text(f"<dt>{ChainHead(1, '0').label}</dt><dd>{'0f' * 32}</dd>")
    assert certified_events(project.folder, str(tmp_path / "page.html")) == ("0f" * 32, None)
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(InputError, match="cannot be read: it is a link, expected a file"):
        certified_events(project.folder, str(tmp_path / "circle"))


def test_the_pdf_can_be_read(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    pypdf = pytest.importorskip("pypdf")
    mark("a1")
    head = pdf_of(project, tmp_path / "report.pdf", title="Bremsbeläge (2)")
    read = pypdf.PdfReader(tmp_path / "report.pdf", strict=True)
    assert (read.metadata.title, read.metadata.subject) == ("Bremsbeläge (2)", str(head))
    assert len(read.pages) == 1


def test_a_journal_without_a_chain_is_mentioned(project: ReviewProject, mark: Mark) -> None:
    mark("a1")
    assert [note.split(" chain")[0] for note in examine(project.folder).notes] == ["Journal, 3 events, head of its"]
    with contextlib.closing(sqlite3.connect(project.folder / "journal")) as raw, raw:
        raw.executescript("drop table chain; drop table chain_head; pragma user_version = 1;")
    assert "has no chain yet" in examine(project.folder).notes[1]
    mark("a2")
    assert examine(project.folder).notes[1] == "the chain began after the first 3 events, which it covers"
