"""Records with the same text under other ids are one unit, and are counted."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path

import pytest

from leadline.errors import LeadlineWarning
from leadline.judge.review.exchange import begin_review, extend_review, review_qrels
from leadline.judge.review.project import ReviewProject, ReviewSettings, check_review
from leadline.judge.review.report import prisma_counts
from leadline.judge.review.review_state import ReviewState

SETTINGS = ReviewSettings("Brakes")
ABSTRACT = " ".join(f"word{n} of the abstract" for n in range(40))


def record(name: str, title: str = "Brake discs and their linings", abstract: str = ABSTRACT, **more: str) -> str:
    fields = {"TY": "JOUR", "ID": name, "TI": title, "AB": abstract, "PY": "2020", **more}
    return "".join(f"{tag}  - {text}\n" for tag, text in fields.items() if text) + "ER  - \n\n"


def begin(folder: Path, *records: str, **more: bool) -> ReviewProject:
    (folder / "search.ris").write_text("".join(records), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeadlineWarning)
        return begin_review(folder / "review", [folder / "search.ris"], SETTINGS, **more)


def state_of(project: ReviewProject) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def test_the_same_text_is_read_once(tmp_path: Path) -> None:
    copyright = f"{ABSTRACT} Copyright 2020 The Publisher."
    project = begin(
        tmp_path,
        record("a"),
        record("b", "Brake discs, and their LININGS.", copyright),
        record("c", "Other discs"),
    )
    assert project.units == (("a", "b"), ("c",))
    counts = prisma_counts(state_of(project))
    assert (counts.identified, counts.duplicates, counts.same_text, counts.not_read) == (3, 1, 1, 2)
    assert not list(check_review(project.folder))
    again = ReviewProject.open(project.folder)
    assert again.rounds == project.rounds
    assert again.rounds[0].folded == 1


def test_what_is_known_of_one_is_known_of_both(tmp_path: Path) -> None:
    (tmp_path / "search.ris").write_text(record("a") + record("b"))
    with pytest.warns(LeadlineWarning, match="1 record with the text of another under another id"):
        project = begin_review(tmp_path / "review", [tmp_path / "search.ris"], SETTINGS, known=["b"])
    assert review_qrels(state_of(project)).to_dict() == {"Brakes": {"a": 1, "b": 1}}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (record("a", DO="10.1000/a"), record("b", DO="10.1000/b")),  # an edition of its own
        (record("a"), record("b", abstract=" ".join(f"another{n}" for n in range(60)))),
        (record("a"), record("b", abstract="")),
        (record("a", "Reply", ""), record("b", "Reply", "")),
        (record("a", abstract=""), record("b", abstract="", PY="2021")),
        (record("a", abstract="", PY=""), record("b", abstract="", PY="")),
    ],
)
def test_what_may_be_another_is_read(tmp_path: Path, first: str, second: str) -> None:
    assert len(begin(tmp_path, first, second).units) == 2


def test_a_title_alone(tmp_path: Path) -> None:
    assert begin(tmp_path, record("a", abstract=""), record("b", abstract="")).units == (("a", "b"),)


def test_nothing_is_folded_where_that_is_wanted(tmp_path: Path) -> None:
    assert len(begin(tmp_path, record("a"), record("b"), fold_same=False).units) == 2


def test_what_an_earlier_round_has_is_not_read_again(tmp_path: Path) -> None:
    project = begin(tmp_path, record("a"))
    (tmp_path / "new.ris").write_text(record("b") + record("c", "Other discs"))
    with pytest.warns(LeadlineWarning, match="1 with a text that is in the review already, left out"):
        grown = extend_review(project, [tmp_path / "new.ris"])
    assert grown.units == (("a",), ("c",))
    assert (grown.rounds[1].records, grown.rounds[1].removed, grown.rounds[1].folded) == (1, 1, 0)
    assert prisma_counts(state_of(grown)).identified == 3
