"""Draws that are fixed before they are shown, what they certify, and rounds that come later."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.judge.review.conftest import Mark, articles, is_relevant

from leadline.errors import InputError
from leadline.judge.journal import Event, JudgingJournal, new_uid
from leadline.judge.pools import Pool
from leadline.judge.review.exchange import (
    begin_review,
    decisions,
    extend_review,
    reading_table,
    review_pool,
    review_qrels,
    review_ris,
)
from leadline.judge.review.next_step import switch_events
from leadline.judge.review.project import STAGES, ReviewProject, ReviewSettings
from leadline.judge.review.report import ReviewReport, certificate_sentences, prisma_counts
from leadline.judge.review.review_state import ReviewState
from leadline.judge.review.stopping import Certificate, ReadingTable

BEFORE = [f"a{number}" for number in (5, 10, 15, 20, 25, 1, 2, 3)]


def switched(project: ReviewProject, uid: str = "switch-1") -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        state = ReviewState.of(project, journal.events())
        journal.append_all(switch_events(state, uid, "anna", "assessor", journal.head()))
        return ReviewState.of(project, journal.events())


def names(project: ReviewProject, rows: Any) -> list[str]:
    return [project.units[row][0] for row in rows.tolist()]


def test_the_whole_order_is_in_the_journal_before_the_first_draw(project: ReviewProject, mark: Mark) -> None:
    mark(*BEFORE)
    state = switched(project)
    draws = state.draws[1]
    assert len(draws.order) == 60 - 9
    assert draws.is_as_seeded(project.units)
    with contextlib.closing(project.journal()) as journal:
        kinds = [event.kind for event in journal.events()]
        stored = next(event for event in journal.events() if event.kind == "draws")
    assert kinds[-2:] == ["draws", "switch"]
    assert [int(word) for word in stored.value.split()] == draws.order.tolist()
    assert state.mode == "draws"


def test_nobody_can_draw_again(project: ReviewProject, mark: Mark) -> None:
    mark(*BEFORE)
    first = switched(project).draws[1]
    with contextlib.closing(project.journal()) as journal:
        # Another process that did not see the first switch stores an order of its own.
        fresh = ReviewState(project)
        journal.append_all(switch_events(fresh, "switch-2", "ben", "assessor", journal.head()))
        state = ReviewState.of(project, journal.events())
    assert state.draws[1].seed == first.seed
    assert np.array_equal(state.draws[1].order, first.order)
    assert state.ignored == 1
    assert any("ignored" in text for _, text in ReviewReport.of(state, []).hashes)


def test_a_draw_counts_when_all_before_it_are_read(project: ReviewProject, mark: Mark) -> None:
    mark(*BEFORE)
    order = names(project, switched(project).draws[1].order)
    state = mark(*order[:3], *order[4:9])
    found = state.round_certificate(1)
    assert (found.certificate.drawn, found.waiting) == (3, 5)
    later = sum(map(is_relevant, order[4:9]))
    assert found.certificate.elsewhere == later
    state = mark(order[3])
    assert state.round_certificate(1).certificate.drawn == 9
    assert state.round_certificate(1).certificate.elsewhere == 0


def test_the_certificate_is_that_of_the_table(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    mark(*BEFORE)
    order = names(project, switched(project).draws[1].order)
    state = mark(*order[:30])
    (tmp_path / "reading.csv").write_bytes(reading_table(state).encoded("csv"))
    table = ReadingTable.read(tmp_path / "reading.csv")
    looks = list(table.looks(60, 0.95, 0.05))
    found = state.round_certificate(1)
    assert found.certificate.recall == pytest.approx(looks[-1].recall)
    assert found.bounds[-31:] == pytest.approx([each.recall for each in looks])
    assert found.certificate.found == 6


def test_everything_read_is_certain(project: ReviewProject, mark: Mark) -> None:
    mark(*BEFORE)
    order = names(project, switched(project).draws[1].order)
    state = mark(*order)
    assert state.round_certificate(1).certificate.recall == 1.0
    assert state.recall_bound() == 1.0


def test_what_is_found_in_the_learners_order_after_the_switch_counts(project: ReviewProject, mark: Mark) -> None:
    mark(*BEFORE)
    order = names(project, switched(project).draws[1].order)
    before = mark(*order[:10]).round_certificate(1).certificate
    rest = [each for each in order[10:] if is_relevant(each)]
    after = mark(*rest).round_certificate(1).certificate
    assert after.missed_at_most == before.missed_at_most
    assert after.recall > before.recall
    assert after.draws_needed < before.draws_needed


def test_unsure_counts_as_relevant(project: ReviewProject, mark: Mark) -> None:
    mark(*BEFORE)
    order = names(project, switched(project).draws[1].order)
    sure = mark(*order[:5], grade=0).round_certificate(1).certificate
    unsure = mark(order[2], grade=-2).round_certificate(1).certificate
    assert unsure.hits == sure.hits + 1
    assert unsure.recall < sure.recall


def test_a_judgement_from_before_that_is_taken_back_counts_as_missing(project: ReviewProject, mark: Mark) -> None:
    mark(*BEFORE)
    switched(project)
    with contextlib.closing(project.journal()) as journal:
        last = next(event for event in journal.events() if event.document == "a3")
        journal.append(Event(new_uid(), "anna", "assessor", "undo", STAGES[0], "a3", target=last.uid))
        state = ReviewState.of(project, journal.events())
    found = state.round_certificate(1).certificate
    assert found.reopened == 1
    assert found.recall == pytest.approx(6 / (6 + 51 + 1))
    assert any("taken back" in sentence for sentence in certificate_sentences(state))


def test_a_refuted_limit_is_said_in_words(tmp_path: Path, mark: Mark) -> None:
    source = tmp_path / "many.ris"
    source.write_text(articles(400))
    project = begin_review(tmp_path / "many", [source], ReviewSettings("Many"))
    mark(*(f"a{number}" for number in range(0, 200, 5)), of=project)
    order = names(project, switched(project).draws[1].order)
    mark(*order[:300], grade=0, of=project)  # nothing for long, then everything
    state = mark(*order[300:345], grade=1, of=project)
    found = state.round_certificate(1)
    assert found.refuted or found.certificate.is_refuted
    assert any("refuted" in sentence for sentence in certificate_sentences(state))
    assert found.certificate.missed_at_most >= found.certificate.hits


def test_only_what_is_new_is_asked_about(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    mark(*BEFORE)
    order = names(project, switched(project).draws[1].order)
    mark(*order[:45])
    first = mark().round_certificate(1).certificate
    source = tmp_path / "newer.ris"
    source.write_text(articles(80))  # the sixty, and twenty more
    grown = extend_review(project, [source])
    assert [each.units for each in grown.rounds] == [60, 20]
    assert grown.rounds[1].removed == 60
    state = mark(of=grown)
    assert state.round_certificate(1).certificate == first  # what was certified stays
    assert not state.round_certificate(2).switched
    assert state.recall_bound() < first.recall  # the new ones may all be relevant
    said = " ".join(certificate_sentences(state))
    assert "Round 2 (20 documents" in said
    assert "Nothing has been drawn at random" in said
    assert "All 2 rounds together" in said
    state = mark(*(f"a{number}" for number in range(60, 80)), of=grown)
    assert state.recall_bound() > 0.5
    with pytest.raises(InputError, match="all 80 documents are in the review already: leave them out to continue it"):
        extend_review(grown, [source])
    assert not (grown.folder / "collection-3").exists()


def test_a_new_round_goes_on_with_a_stopped_review_in_the_learners_order(
    project: ReviewProject, mark: Mark, tmp_path: Path
) -> None:
    mark(*BEFORE)
    switched(project)
    with contextlib.closing(project.journal()) as journal:
        journal.append(Event(new_uid(), "anna", "assessor", "stop", STAGES[0]))
    state = mark()
    assert (state.mode, state.stopped is None) == ("draws", False)
    (tmp_path / "newer.ris").write_text(articles(80))
    state = mark(of=extend_review(project, [tmp_path / "newer.ris"]))
    assert (state.mode, state.stopped) == ("learner", None)


def test_the_flow_chart_counts(project: ReviewProject, mark: Mark) -> None:
    state = mark(*BEFORE)
    counts = prisma_counts(state)
    assert (counts.identified, counts.screened, counts.not_read) == (60, 9, 51)
    assert (counts.excluded, counts.included, counts.known) == (3, 6, 1)
    assert dict(counts.reasons) == {"no reason given": 3}


def test_exports(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    mark(*BEFORE)
    order = names(project, switched(project).draws[1].order)
    state = mark(*order[:20])
    qrels = review_qrels(state).to_dict()["Brakes"]
    assert len(qrels) == 29
    assert all(grade == is_relevant(name) for name, grade in qrels.items())
    pool, grades = review_pool(state)
    pool.write(tmp_path / "pool.txt")
    (tmp_path / "pool.txt").write_bytes(pool.lines(grades))
    again = Pool.read(tmp_path / "pool.txt")
    assert len(again.to_judge()) == 29
    strata = dict(again.documents.select("document", "stratum").iter_rows())
    assert {strata[name] for name in ("a0", *BEFORE)} == {1}
    assert {strata[name] for name in order} == {2}
    ris = review_ris(state).decode()
    assert ris.count("ASReview_relevant") == (decisions(state) == 1).sum()
    assert ris.count("ASReview_not_seen") == 31


def test_damage_and_moves_are_seen(project: ReviewProject, tmp_path: Path) -> None:
    path = project.folder / "candidates-1.tsv"
    text = path.read_text()
    path.write_text(text.replace("a3\n", ""))
    with pytest.raises(InputError, match="not what was recorded"):
        ReviewProject.open(project.folder)
    path.write_text(text)
    (project.folder / "journal").rename(tmp_path / "journal")
    with pytest.raises(InputError, match="journal: is missing"):
        ReviewProject.open(project.folder).journal()
    shutil.move(project.folder, tmp_path / "moved")
    assert len(ReviewProject.open(tmp_path / "moved").features()) == 60  # its collection moved along
    with pytest.raises(InputError, match="is not a review"):
        ReviewProject.open(tmp_path)


def test_an_order_of_many_is_cut_into_events(tmp_path: Path) -> None:
    source = tmp_path / "lines.jsonl"
    source.write_text("".join(json.dumps({"id": f"d{n}", "title": f"title {n % 50}"}) + "\n" for n in range(9000)))
    project = begin_review(tmp_path / "large", [source], ReviewSettings("Large"))
    state = switched(project)
    assert len(state.draws[1].order) == 9000
    assert state.draws[1].is_as_seeded(project.units)
    with contextlib.closing(JudgingJournal(project.folder / "journal")) as journal:
        assert sum(event.kind == "draws" for event in journal.events()) > 2


def test_elsewhere_must_be_possible() -> None:
    with pytest.raises(InputError, match="is not possible with 5 found elsewhere"):
        Certificate(10, 20, drawn=16, elsewhere=5)
