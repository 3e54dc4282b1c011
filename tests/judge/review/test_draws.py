"""The order of draws follows from the journal: nobody chooses it, copies get the same, and a second one is noticed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.judge.review.conftest import Mark

from leadline.cli import main
from leadline.errors import InputError
from leadline.judge.journal import Event, JudgingJournal
from leadline.judge.review.draws import shuffled_rows
from leadline.judge.review.next_step import audit_draw_events, audit_events, switch_events
from leadline.judge.review.project import (
    STAGES,
    ReviewProject,
    back_up_review,
    bring_back_review,
    check_review,
    compared_draws,
    draws_of,
)
from leadline.judge.review.report import ReviewReport
from leadline.judge.review.review_state import ReviewState

READ = [f"a{number}" for number in (5, 10, 1, 2)]


@contextlib.contextmanager
def opened(project: ReviewProject) -> Iterator[tuple[JudgingJournal, ReviewState]]:
    with contextlib.closing(project.journal()) as journal:
        yield journal, ReviewState.of(project, journal.events())


def switch(project: ReviewProject, number: str = "", uid: str = "switch-0001") -> ReviewState:
    with opened(project) as (journal, state):
        head = journal.head()
        assert journal.append_all(switch_events(state, uid, "olga", "organiser", head, number), after=head) > 0
        return ReviewState.of(project, journal.events())


def copy_of(project: ReviewProject, place: Path) -> ReviewProject:
    shutil.copytree(project.folder, place)
    return ReviewProject.open(place)


def test_the_seed_is_the_hash_of_the_four_lines(project: ReviewProject, mark: Mark) -> None:
    """By hand, as anybody can compute it from the report."""
    mark(*READ)
    with opened(project) as (journal, _):
        head = journal.head()
    draws = switch(project).draws[1]
    ids = sorted(project.units[row][0] for row in draws.order.tolist())
    population = hashlib.sha256("".join(f"{each}\n" for each in ids).encode()).hexdigest()
    seed = hashlib.sha256(f"{head.hash}\n{population}\ndraws\n".encode()).hexdigest()
    assert f"{draws.seed:064x}" == seed
    numbers = np.random.PCG64(int(seed, 16)).random_raw(len(ids)).tolist()
    for last in range(len(ids) - 1, 0, -1):
        other = numbers[last] * (last + 1) >> 64
        ids[last], ids[other] = ids[other], ids[last]
    assert ids == [project.units[row][0] for row in draws.order.tolist()]


def test_shuffles_are_fair() -> None:
    units = [(str(number),) for number in range(4)]
    first = np.array([shuffled_rows(np.arange(4), units, seed) for seed in range(6000)])
    counts = np.array([(first[:, place] == row).sum() for place in range(4) for row in range(4)])
    assert abs(counts - 1500).max() < 5 * (6000 * 3 / 16) ** 0.5
    assert len({tuple(each) for each in first.tolist()}) == 24


def test_a_copy_gets_the_same_order_and_changes_give_another(
    project: ReviewProject, mark: Mark, tmp_path: Path
) -> None:
    mark(*READ)
    same, other = copy_of(project, tmp_path / "same"), copy_of(project, tmp_path / "other")
    with opened(other) as (journal, _):
        journal.append(Event("note-0001", "olga", "organiser", "note", STAGES[0], "a30", "to have another order"))
    orders = [switch(each).draws[1].order.tolist() for each in (project, same, other)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])
    assert compared_draws(project.folder, same.folder) == (
        [f"the random draws of round 1 are the same in {same.folder}"],
        True,
    )
    said, agree = compared_draws(project.folder, other.folder)
    assert not agree
    assert "were drawn TWICE" in said[0]


def test_a_second_order_is_found_when_copies_are_merged(
    project: ReviewProject, mark: Mark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark(*READ)
    other = copy_of(project, tmp_path / "other")
    with opened(other) as (journal, _):
        journal.append(Event("note-0001", "olga", "organiser", "note", STAGES[0], "a30", "to have another order"))
    first = switch(project).draws[1].order
    switch(other, uid="switch-0002")
    back_up_review(other, tmp_path / "other.zip")
    assert not list(check_review(project.folder))
    with pytest.raises(SystemExit):
        main(["review", "check", str(project.folder), str(tmp_path / "other.zip")])
    assert "were drawn TWICE" in capsys.readouterr().out
    bring_back_review(tmp_path / "other.zip", project.folder)
    with opened(project) as (_, state):
        assert np.array_equal(state.draws[1].order, first)
        assert state.ignored == 1
    (finding,) = check_review(project.folder)
    assert "the random draws of round 1 were drawn twice, in other orders" in finding.problem
    with pytest.raises(SystemExit):
        main(["check", str(project.folder)])
    assert "were drawn twice" in capsys.readouterr().out
    # The same order from a copy is no second one.
    same = copy_of(other, tmp_path / "same")
    bring_back_review(tmp_path / "other.zip", same.folder)
    assert not list(check_review(same.folder))


def test_an_order_that_was_chosen_is_found(project: ReviewProject, mark: Mark) -> None:
    mark(*READ)
    with opened(project) as (journal, state):
        events = switch_events(state, "switch-0001", "olga", "organiser", journal.head())
        value = " ".join(sorted(events[0].value.split(), key=int))
        events[0] = Event(**{**vars(events[0]), "value": value})
        journal.append_all(events)
        after = ReviewState.of(project, journal.events())
    assert not after.draws[1].is_as_seeded(project.units)
    (finding,) = check_review(project.folder)
    assert "do not follow from their seed: the order was chosen" in finding.problem
    assert any("do NOT follow" in text for _, text in ReviewReport.of(after, []).hashes)


def test_an_order_from_an_earlier_head_is_found(project: ReviewProject, mark: Mark) -> None:
    """Whoever draws from any head that there was could choose among them."""
    with opened(project) as (journal, _):
        early = journal.head()
    mark(*READ)
    with opened(project) as (journal, state):
        events = switch_events(state, "switch-0001", "olga", "organiser", early)
        assert journal.append_all(events, after=early) == -1  # our own pages cannot
        journal.append_all(events)
    (finding,) = check_review(project.folder)
    assert "were drawn from an earlier state of the journal" in finding.problem


def test_a_public_number_counts_only_if_it_was_named_before(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    mark(*READ)
    with pytest.raises(InputError, match="no public number was named before"):
        switch(project, "7 8 9")
    with opened(project) as (journal, _):
        journal.append(Event("number-0001", "olga", "organiser", "number", STAGES[0], "", "the lottery of 5 December"))
    with pytest.raises(InputError, match="that was named before: the lottery of 5 December"):
        switch(project)
    other = copy_of(project, tmp_path / "other")
    orders = [switch(project, "7 8 9").draws[1], switch(other, "7 8 10").draws[1]]
    assert orders[0].order.tolist() != orders[1].order.tolist()
    assert not list(check_review(project.folder))
    with opened(project) as (_, state):
        assert state.number_named == ""  # it was used
        assert any("the public number 7 8 9" in text for _, text in ReviewReport.of(state, []).hashes)


def test_orders_of_earlier_versions_stay(project: ReviewProject, mark: Mark) -> None:
    """Its seed was drawn at random, and the generator was another."""
    mark(*READ)
    with opened(project) as (journal, state):
        unread = np.flatnonzero(~state.is_read)
        order = np.random.default_rng(77).permutation(unread)
        said = {"to": "draws", "seed": 77, "unread": len(order), "found": 3, "sha256": "0" * 64}
        about = ("olga", "organiser")
        text = " ".join(map(str, order.tolist()))
        journal.append(Event("switch-0001-0", *about, "draws", STAGES[0], "", text, "switch-0001"))
        journal.append(Event("switch-0001", *about, "switch", STAGES[0], "", json.dumps(said)))
        after = ReviewState.of(project, journal.events())
    assert np.array_equal(after.draws[1].order, order)
    assert after.draws[1].is_as_seeded(project.units)
    assert not list(check_review(project.folder))
    assert any("77; the stored order follows from it" in text for _, text in ReviewReport.of(after, []).hashes)
    assert draws_of(project.folder) == {(1, "draws"): order.tolist()}


def test_orders_that_cannot_be_read_are_a_finding(project: ReviewProject) -> None:
    with opened(project) as (journal, _):
        journal.append(Event("switch-0001-0", "olga", "organiser", "draws", STAGES[0], "", "1 2 many", "switch-0001"))
        journal.append(Event("switch-0001", "olga", "organiser", "switch", STAGES[0], "", json.dumps({"to": "draws"})))
    (finding,) = check_review(project.folder)
    assert "has an order of draws that cannot be read" in finding.problem


def test_an_audit_has_two_orders_of_its_own(project: ReviewProject, mark: Mark) -> None:
    mark(*READ)
    switch(project)
    with opened(project) as (journal, state):
        head = journal.head()
        journal.append_all(audit_events(state, project.features(), "audit-0001", "eve", "expert", head), after=head)
        begun, head = ReviewState.of(project, journal.events()), journal.head()
        journal.append_all(audit_draw_events(begun, "audit-0002", "eve", "expert", head), after=head)
    assert set(draws_of(project.folder)) == {(1, "draws"), (1, "kept"), (1, "audit")}
    assert not list(check_review(project.folder))
