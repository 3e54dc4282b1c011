"""Who reads what next: nobody the same as another, unless both are asked, and skipped ones come last."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from tests.judge.review.conftest import Mark, articles

from leadline.judge.journal import Event, new_uid
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import ReviewProject, ReviewSettings
from leadline.judge.review.report import ReviewReport, certificate_sentences
from leadline.judge.review.review_state import HELD, Proposer, ReadingQueue, ReviewState


def ordered(count: int = 60) -> ReadingQueue:
    return ReadingQueue(lambda: -np.arange(count, dtype=float), clock=lambda: 0.0)


def test_two_people_get_different_documents(mark: Mark) -> None:
    state, queue = mark(), ordered()
    anna = queue.next(state, "anna", "abstract", 3)
    ben = queue.next(state, "ben", "abstract", 3)
    assert anna == [1, 2, 3]  # a0 was known
    assert ben == [4, 5, 6]
    assert queue.next(state, "anna", "abstract", 2, have=anna) == [7, 8]
    queue.release("abstract", 1)
    assert queue.next(state, "ben", "abstract", 1, have=ben) == [1]


def test_what_somebody_left_lying_is_given_to_another() -> None:
    now = [0.0]
    queue = ReadingQueue(lambda: -np.arange(60.0), clock=lambda: now[0])
    project = ReviewProject(Path(), ReviewSettings("x"), units=tuple((f"a{n}",) for n in range(60)))
    object.__setattr__(project, "rounds", (type("R", (), {"units": 60})(),))
    state = ReviewState(project)
    assert queue.next(state, "anna", "abstract", 1) == [0]
    assert queue.next(state, "ben", "abstract", 1) == [1]
    now[0] = HELD + 1
    assert queue.next(state, "ben", "abstract", 2) == [0, 1]


def test_a_share_is_read_twice(tmp_path: Path, mark: Mark) -> None:
    source = tmp_path / "twice.ris"
    source.write_text(articles(200))
    project = begin_review(tmp_path / "twice", [source], ReviewSettings("Twice", double=0.3))
    assert 35 < project.read_twice.sum() < 85
    chosen = np.flatnonzero(project.read_twice)[:3].tolist()
    others = np.flatnonzero(~project.read_twice)[:3].tolist()
    state = mark(*(project.units[row][0] for row in (*chosen, *others)), of=project)
    queue = ordered(200)
    assert queue.next(state, "ben", "abstract", 3) == chosen
    assert set(queue.next(state, "carl", "abstract", 3)).isdisjoint({*chosen, *others})
    assert set(queue.next(state, "anna", "abstract", 3)).isdisjoint({*chosen, *others})


def test_the_learner_puts_the_likely_first(project: ReviewProject, mark: Mark) -> None:
    state = mark("a5", "a1", "a2")
    rows = np.array(state.first_read)
    judged = [(rows, np.array([True, True, False, False]))]
    features = project.features()
    proposer = Proposer(features, "svm", lambda: judged[0])
    assert proposer.rounds == 1
    relevant = [row for row in range(60) if row % 5 == 0]
    assert set(np.argsort(-proposer.scores)[:12].tolist()) == set(relevant)
    # A judgement that is changed makes another model, as if it had always been so.
    changed = np.array([True, True, True, False])
    judged[0] = rows, changed
    proposer.learn()
    fresh = Proposer(features, "svm", lambda: (rows, changed))
    assert proposer.scores == pytest.approx(fresh.scores)
    before = proposer.rounds
    proposer.learn()
    assert proposer.rounds == before  # nothing new


def test_a_query_or_a_known_document_is_enough_to_begin(project: ReviewProject) -> None:
    features = project.features()
    nothing = np.zeros(0, np.int64), np.zeros(0, bool)
    by_query = Proposer(features, "svm", lambda: nothing, query="brake disc")
    assert np.argsort(-by_query.scores)[0] % 5 == 0
    by_known = Proposer(features, "svm", lambda: (np.array([0]), np.array([True])))
    assert all(row % 5 == 0 for row in np.argsort(-by_known.scores)[:12].tolist())


def test_the_learner_works_in_the_background(project: ReviewProject) -> None:
    judged = [(np.array([0, 1]), np.array([True, False]))]
    proposer = Proposer(project.features(), "svm", lambda: judged[0])
    proposer.start()
    judged[0] = np.array([0, 1, 5]), np.array([True, False, True])
    proposer.wake()
    for _ in range(500):
        if proposer.rounds == 2:
            break
        time.sleep(0.01)
    proposer.close()
    assert proposer.rounds == 2


def test_the_learner_goes_on_after_an_error_and_the_log_has_it(
    project: ReviewProject, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = [(np.array([0, 1]), np.array([True, False]))]
    prepared: list[int] = []

    def prepare() -> None:
        prepared.append(proposer.rounds)
        if len(prepared) == 1:
            raise OSError("the disk is full")

    proposer = Proposer(project.features(), "svm", lambda: judged[0], prepare=prepare)
    proposer.start()
    for row in (5, 10):
        known, relevant = judged[0]
        judged[0] = np.append(known, row), np.append(relevant, True)
        proposer.wake()
        for _ in range(500):
            if prepared and prepared[-1] == len(judged[0][0]) - 1:
                break
            time.sleep(0.01)
    proposer.close()
    assert prepared == [2, 3]
    assert "the disk is full" in capsys.readouterr().err


def test_an_expert_decides_where_two_reviewers_disagree(tmp_path: Path, mark: Mark) -> None:
    source = tmp_path / "twice.ris"
    source.write_text(articles(60))
    project = begin_review(tmp_path / "twice", [source], ReviewSettings("Twice", double=1.0))
    mark("a3", "a4", "a5", grade=1, of=project)
    state = mark("a3", "a5", grade=0, person="ben", of=project)
    queue = ordered()
    assert state.disputed == {3, 5}
    assert queue.next(state, "eve", "abstract", 3, expert=True) == [3, 5, 0]  # and is no second reader of a4
    assert queue.left(state, "eve", "abstract", expert=True) == 57 + 2
    assert queue.next(state, "ben", "abstract", 2) == [4, 1]
    said = " ".join(certificate_sentences(state))
    assert "Reviewers disagree on 2 documents, which no expert has decided" in said
    state.add(Event(new_uid(), "eve", "expert", "mark", "abstract", "a3", "0"))
    assert state.disputed == {5}
    searched = dict(ReviewReport.of(state, []).searched)
    assert searched["Read by two people"].endswith("2 so far, 2 of them marked differently, 1 of these decided")
