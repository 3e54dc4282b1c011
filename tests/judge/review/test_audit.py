"""The audit: by an expert's standard its limit holds at every look, whatever readers overlooked."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from tests.judge.review.conftest import Mark, articles, is_relevant

from leadline.errors import InputError
from leadline.judge.choices import AUDIT
from leadline.judge.journal import Event, new_uid
from leadline.judge.marks import UNJUDGED
from leadline.judge.review.audit import Audit, AuditCertificate, audit_prices, audit_state, rejected_order
from leadline.judge.review.draws import RandomDraws
from leadline.judge.review.exchange import audit_table, begin_review, decisions, extend_review
from leadline.judge.review.learners import TextFeatures
from leadline.judge.review.next_step import (
    audit_bound,
    audit_draw_events,
    audit_events,
    outlook,
    population,
    prices_of_audit,
    switch_events,
)
from leadline.judge.review.project import STAGES, ReviewProject, ReviewSettings
from leadline.judge.review.report import ReviewReport, audit_sentences, certificate_sentences, prisma_counts
from leadline.judge.review.review_state import ReadingQueue, ReviewState
from leadline.judge.review.stopping import ReadingTable

ALPHA = 0.05
OVERLOOKED = ("a20", "a35")  # relevant, and rejected by the reader


def begin(project: ReviewProject, *, sample: int = 0, again: bool = True, draws: bool = True) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        state = ReviewState.of(project, journal.events())
        about = (state, project.features(), "audit-begin", "eve", "expert", journal.head())
        journal.append_all(audit_events(*about, sample=sample, again=again))
        state = ReviewState.of(project, journal.events())
        if draws:
            journal.append_all(audit_draw_events(state, "audit-draws", "eve", "expert", journal.head()))
        return ReviewState.of(project, journal.events())


def decide(project: ReviewProject, *documents: str, grade: int | None = None) -> ReviewState:
    """The expert decides by the truth."""
    marked = [(each, str(int(is_relevant(each)) if grade is None else grade)) for each in documents]
    with contextlib.closing(project.journal()) as journal:
        journal.append_all([Event(new_uid(), "eve", "expert", "mark", AUDIT, *each) for each in marked])
        return ReviewState.of(project, journal.events())


def names(project: ReviewProject, rows: np.ndarray) -> list[str]:
    return [project.units[row][0] for row in rows.tolist()]


def read_all_but(mark: Mark, *left: str) -> ReviewState:
    """The reader reads, keeps what is relevant but for OVERLOOKED, and one document wrongly."""
    read = [f"a{number}" for number in range(1, 60) if f"a{number}" not in left]
    mark(*(each for each in read if each not in (*OVERLOOKED, "a1")))
    mark("a1", grade=1)
    return mark(*(each for each in OVERLOOKED if each not in left), grade=0)


def test_readers_do_not_see_it_and_their_certificate_stays(project: ReviewProject, mark: Mark) -> None:
    before = read_all_but(mark).round_certificate(1).certificate
    state = begin(project)
    assert state.round_audit(1).phase == "draws"
    relevant = {f"a{n}" for n in range(0, 60, 5)}
    assert set(names(project, state.audits[1].kept.order)) == relevant - {*OVERLOOKED} | {"a1"}
    state = decide(project, *names(project, state.audits[1].kept.order), *names(project, state.audits[1].draws.order))
    assert state.round_certificate(1).certificate == before
    found = state.round_audit(1)
    assert (found.certificate.found, found.certificate.hits, found.rejected) == (10, 2, 1)
    assert found.certificate.recall == 1
    assert "Assessor error and documents outside" not in " ".join(audit_sentences(state))
    assert "expert" not in " ".join(certificate_sentences(state))
    # In the end what the expert decided counts.
    grades = decisions(state)
    assert {project.units[row][0] for row in np.flatnonzero(grades == 1)} == relevant
    counts = prisma_counts(state)
    assert (counts.screened, counts.included) == (60, 12)
    assert [each.audited for each in ReviewReport.of(state, []).readers if each.name == "eve"] == [60]


def test_only_what_the_expert_confirmed_counts_as_found(project: ReviewProject, mark: Mark) -> None:
    read_all_but(mark, *(f"a{number}" for number in range(40, 60)))
    state = begin(project)
    assert state.round_audit(1).certificate.found == 0
    order, kept = names(project, state.audits[1].draws.order), names(project, state.audits[1].kept.order)
    state = decide(project, *kept[:4], *order[:3], *order[4:6])
    found = state.round_audit(1)
    assert found.certificate.found == sum(map(is_relevant, kept[:4]))
    assert (found.certificate.drawn, found.found.waiting) == (3, 2)
    assert found.certificate.elsewhere == sum(map(is_relevant, order[4:6]))
    assert "are not confirmed yet, and do not count as found until then" in " ".join(audit_sentences(state))
    queue = ReadingQueue(lambda: np.zeros(60), clock=lambda: 0.0)
    waiting = [project.units[row][0] for row in queue.next(state, "eve", AUDIT, 60)]
    assert waiting == [*kept[4:], order[3], *order[6:]]
    # A decision on a kept document that is taken back counts as not found; and as missing once readers reject it too.
    state = mark(next(each for each in kept[4:] if each != "a0"), grade=0)
    assert state.round_audit(1).certificate.reopened == 1


def test_reading_again_begins_with_the_likely_ones_and_ends_with_the_draws(project: ReviewProject, mark: Mark) -> None:
    read_all_but(mark, "a59")
    state = begin(project, draws=False)
    found = state.round_audit(1)
    assert found.phase == "kept"
    again = names(project, found.audit.again)
    assert set(again[:2]) == {*OVERLOOKED}  # scored by a learner that did not see their rejection
    assert len(population(state, 1)) == 49
    state = decide(project, *names(project, found.audit.kept.order), *again[:24])
    found = state.round_audit(1)
    assert (found.phase, found.again_read, found.again_hits, found.in_a_row) == ("again", 24, 2, 22)
    assert found.is_ready
    assert "certifies nothing before its random draws" in " ".join(audit_sentences(state))
    with contextlib.closing(project.journal()) as journal:
        journal.append_all(audit_draw_events(state, "audit-draws", "eve", "expert", journal.head()))
        state = ReviewState.of(project, journal.events())
    assert len(state.audits[1].draws.order) == 25
    state = decide(project, *names(project, state.audits[1].draws.order[:10]))
    found = state.round_audit(1)
    assert (found.again_read, found.again_hits) == (24, 2)
    assert (found.certificate.found, found.certificate.drawn) == (12, 10)
    reading = ReadingTable(*_labels(state))
    *_, last = reading.looks(60, 0.95, 0.05, AuditCertificate)
    assert (last.found, last.unread, last.drawn) == (12, 25, 10)


def _labels(state: ReviewState) -> tuple[np.ndarray, np.ndarray, int]:
    rows = audit_table(state).rows
    parts = [np.array([row[1] == 1 for row in rows if row[2] == drawn]) for drawn in (0, 1)]
    return parts[0], parts[1], 0


def test_an_audit_is_made_once(project: ReviewProject, mark: Mark) -> None:
    read_all_but(mark, "a59")
    state = begin(project)
    with contextlib.closing(project.journal()) as journal:
        about = (project.features(), "again-0001", "eve", "expert", journal.head())
        with pytest.raises(InputError, match="can be made once"):
            audit_events(state, *about)
        with pytest.raises(InputError, match="draws at random already"):
            audit_draw_events(state, "again-0001", "eve", "expert", journal.head())
        # Another process that did not see the first audit stores one: the first stands.
        fresh = ReviewState.of(project, (event for event in journal.events() if event.kind != "audit"))
        journal.append_all(audit_events(fresh, *about))
        again = ReviewState.of(project, journal.events())
    assert np.array_equal(again.audits[1].kept.order, state.audits[1].kept.order)
    assert again.ignored == 1


def test_a_new_round_has_an_audit_of_its_own(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    read_all_but(mark, "a59")
    state = begin(project)
    decide(project, *names(project, state.audits[1].kept.order), *names(project, state.audits[1].draws.order))
    (tmp_path / "newer.ris").write_text(articles(80))
    grown = extend_review(project, [tmp_path / "newer.ris"])
    state = mark(of=grown)
    assert state.round_audit(1).certificate.recall == 1
    assert state.round_audit(2) is None
    assert audit_bound(state) == pytest.approx(12 / 32)  # the new ones may all be relevant
    said = " ".join(audit_sentences(state))
    assert "Round 2 (20 documents" in said
    assert "No audit was made" in said
    assert "All 2 rounds together, by the expert's standard: at least 37 %" in said


def simulated(
    rng: np.random.Generator, *, kept: int, wrong: int, missing: int, others: int, sample: int, confirm: int
) -> tuple[bool, bool]:
    """An audit whose truth is known, looked at after every decision; whether its limit was ever too high, and whether
    a sample of the kept ever gave too many.
    """
    total = kept + others
    truth = np.zeros(total, np.bool_)
    truth[: kept - wrong] = True
    truth[kept : kept + missing] = True
    rows = np.arange(total)
    orders = [RandomDraws(0, rng.permutation(part), kept, "", "", "") for part in (rows[:kept], rows[kept:])]
    audit = Audit(1, orders[0], sample, np.zeros(0, np.int64), orders[1])
    decided = np.full(total, UNJUDGED, np.int8)
    was_kept, member = rows < kept, np.ones(total, np.bool_)
    steps = [*orders[0].order[:confirm].tolist(), *orders[1].order.tolist()]
    too_high = too_many = False
    for number, row in enumerate(steps):
        decided[row] = truth[row]
        if number % 4 == 0 or number < 8:
            found = audit_state(audit, decided, was_kept, member, target=0.9, alpha=ALPHA)
            recall = (truth & (was_kept | (decided > 0))).sum() / truth.sum()
            too_high |= found.certificate.recall > recall + 1e-9
            too_many |= found.certificate.found > kept - wrong
    return too_high, too_many


@pytest.mark.soak
@pytest.mark.parametrize(("sample", "confirm"), [(0, 60), (0, 20), (30, 30)])
@pytest.mark.parametrize("missing", [0, 2, 7])
def test_the_limit_holds_at_every_look(missing: int, sample: int, confirm: int, soak: bool) -> None:
    rng, runs = np.random.default_rng([missing, sample, confirm]), 400 if soak else 15
    results = [
        simulated(rng, kept=60, wrong=6, missing=missing, others=120, sample=sample, confirm=confirm)
        for _ in range(runs)
    ]
    assert sum(each for each, _ in results) <= binom.ppf(0.999, runs, ALPHA)
    assert sum(each for _, each in results) <= (binom.ppf(0.999, runs, ALPHA / 5) if sample else 0)


def test_prices_rise_with_what_was_overlooked(project: ReviewProject, mark: Mark) -> None:
    prices = audit_prices(300, 5000, (0.8, 0.95), 0.05)
    assert prices[0.95][0] < prices[0.95][1] < prices[0.95][2]
    # The table that was measured elsewhere: shares of what was not kept.
    assert np.array(prices[0.95]) / 5000 == pytest.approx([0.20, 0.36, 0.60], abs=0.03)
    assert np.array(prices[0.8]) / 5000 == pytest.approx([0.05, 0.06, 0.08], abs=0.01)
    state = read_all_but(mark, "a59")
    assert set(prices_of_audit(state, 1)) == {0.8, 0.9, 0.95}
    assert outlook(state, 1).needed == 20


def test_what_cannot_be_audited(tmp_path: Path) -> None:
    (tmp_path / "two.ris").write_text(articles(2))
    project = begin_review(tmp_path / "two", [tmp_path / "two.ris"], ReviewSettings("Two"), known=["a0", "a1"])
    with contextlib.closing(project.journal()) as journal:
        state, head = ReviewState.of(project, journal.events()), journal.head()
        with pytest.raises(InputError, match="nothing to audit"):
            audit_events(state, project.features(), "audit-0001", "eve", "expert", head)
        with pytest.raises(InputError, match="no audit of this round has begun"):
            audit_draw_events(state, "audit-0002", "eve", "expert", head)
        with pytest.raises(InputError, match="nothing to draw"):
            switch_events(state, "switch-0001", "eve", "expert", head)


def test_what_nothing_can_be_told_apart_in_is_read_as_it_is() -> None:
    features = TextFeatures.of(["a red nail", "a blue pin", "a red pin", "a blue nail"])
    rejected = np.array([3, 1])
    assert rejected_order(features, np.arange(4), np.zeros(4, bool), rejected).tolist() == [1, 3]


def test_words() -> None:
    certificate = AuditCertificate(980, 1830, 0.9, kept=1000, confirmed=1000, by="eve").draw(412, hits=2)
    assert certificate.words == (
        "Of the documents the expert eve would call relevant in this collection, at least 96 % have been found (95 % "
        "confidence, valid whenever you stop), whatever readers overlooked. Basis: the expert decided on all 1,000 "
        "documents that readers kept, and on 412 drawn at random from 1,830 they had rejected or not read; 2 of these "
        "are relevant. The expert's own error and documents outside the collection are not covered."
    )
    assert STAGES == ("abstract", "full-text")
