"""Another learner or target in a review that goes on, and what that does to the certificate."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from tests.judge.review.conftest import Mark

from leadline.errors import InputError
from leadline.judge.journal import new_uid
from leadline.judge.review.exchange import change_settings
from leadline.judge.review.learners import TextFeatures
from leadline.judge.review.next_step import switch_events
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.report import ReviewReport
from leadline.judge.review.review_state import Proposer, ReviewState
from leadline.text.store.events import ChainHead


def state_of(project: ReviewProject) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def switch(project: ReviewProject) -> None:
    state = state_of(project)
    with contextlib.closing(project.journal()) as journal:
        journal.append_all(switch_events(state, new_uid(), "anna", "assessor", ChainHead(0, "5")))


def test_the_journal_has_the_settings_that_count(project: ReviewProject) -> None:
    change_settings(project, {"learner": "naive-bayes"})
    change_settings(project, {"target": 0.8})
    found = state_of(project).project.settings
    assert (found.learner, found.target) == ("naive-bayes", 0.8)
    assert ReviewProject.open(project.folder).settings.learner == "svm"  # as the review began
    assert state_of(project).project.row_of is project.row_of
    report = ReviewReport.of(state_of(project), [])
    assert [text for label, text in report.searched if label.startswith("Changed")] == [
        "learner naive-bayes, by start",
        "target 0.8, by start",
    ]


@pytest.mark.parametrize("changed", [{}, {"learner": "oracle"}, {"target": 1.0}, {"target": 0.0}])
def test_what_cannot_be_is_refused(project: ReviewProject, changed: dict[str, float]) -> None:
    with pytest.raises(InputError):
        change_settings(project, changed)
    assert state_of(project).project.settings == project.settings


def test_the_bound_stays_that_of_the_target_at_the_switch(project: ReviewProject, mark: Mark) -> None:
    mark(*(f"a{n}" for n in range(1, 31)))
    switch(project)
    order = state_of(project).draws[1].order[:10]
    state = mark(*(project.units[row][0] for row in order.tolist()))
    before = state.round_certificate(1).certificate
    change_settings(project, {"target": 0.8})
    after = state_of(project)
    assert after.round_certificate(1).certificate == before
    assert after.prices(1)[0.8] <= after.prices(1)[0.95]


def test_before_the_switch_the_new_target_counts(project: ReviewProject, mark: Mark) -> None:
    mark(*(f"a{n}" for n in range(1, 31)))
    change_settings(project, {"target": 0.8})
    switch(project)
    change_settings(project, {"target": 0.9})
    assert state_of(project).round_certificate(1).certificate.target == 0.8


def test_a_proposer_goes_on_with_another_learner(project: ReviewProject, mark: Mark) -> None:
    state = mark(*(f"a{n}" for n in range(1, 31)))
    rows = np.array(state.first_read)
    proposer = Proposer(project.features(), "svm", lambda: (rows, state.relevant()[rows]))
    svm = proposer.scores
    proposer.use("naive-bayes")
    proposer.learn()
    assert not np.array_equal(proposer.scores, svm)
    again = Proposer(project.features(), "naive-bayes", lambda: (rows, state.relevant()[rows]))
    assert np.array_equal(proposer.scores, again.scores)
    proposer.use("svm")
    proposer.learn()
    assert np.allclose(proposer.scores, svm)


def test_features_may_come_late(project: ReviewProject, mark: Mark) -> None:
    state = mark(*(f"a{n}" for n in range(1, 31)))
    rows = np.array(state.first_read)
    made: list[int] = []

    def features() -> TextFeatures:
        made.append(1)
        return project.features()

    late = Proposer(features, "svm", lambda: (rows, state.relevant()[rows]), units=len(project.units), seed=1)
    assert len(late.scores) == len(project.units)  # cards can be given out before a word was weighed
    assert not made
    late.learn()
    late.learn()
    at_once = Proposer(project.features(), "svm", lambda: (rows, state.relevant()[rows]), seed=1)
    assert np.array_equal(late.scores, at_once.scores)
    assert made == [1]
