"""What two readers show about what reviewers overlook: the limit holds if they are independent, and says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from tests.judge.review.conftest import Mark, articles

from leadline.judge.journal import Event, new_uid
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.next_step import switch_events
from leadline.judge.review.project import STAGES, ReviewProject, ReviewSettings
from leadline.judge.review.report import certificate_sentences
from leadline.judge.review.review_state import ReadingQueue, ReviewState
from leadline.judge.review.stopping import sensitivity_limit
from leadline.text.store.events import ChainHead

ALPHA = 0.05


def simulated(
    rng: np.random.Generator,
    documents: int,
    relevant: int,
    drawn: int,
    double: float,
    wrongly: float,
    sensitivity: float,
) -> tuple[ReviewState, np.ndarray, np.ndarray, np.ndarray]:
    """A review by two readers who overlook independently; then by document: what the expert calls relevant, what the
    first reader would keep, and what the review would.
    """
    settings = ReviewSettings("Simulated", double=double, alpha=ALPHA, seed=int(rng.integers(2**31)))
    units = tuple((f"a{number}",) for number in range(documents))
    project = ReviewProject(Path(), settings, units=units)
    object.__setattr__(project, "rounds", (type("R", (), {"units": documents})(),))
    truth = np.zeros(documents, bool)
    truth[rng.permutation(documents)[:relevant]] = True
    keeps = rng.random((2, documents)) < np.where(truth, sensitivity, wrongly)
    state = ReviewState(project)

    def mark(person: str, role: str, row: int, grade: bool) -> None:
        state.add(Event(new_uid(), person, role, "mark", STAGES[0], f"a{row}", str(int(grade))))  # type: ignore[arg-type]

    def read(row: int) -> None:
        mark("anna", "assessor", row, keeps[0, row])
        if project.read_twice[row]:
            mark("ben", "assessor", row, keeps[1, row])
            if keeps[1, row]:
                mark("eve", "expert", row, truth[row])

    order = np.argsort(rng.random(documents) - 0.5 * truth)  # a learner that finds some of the relevant sooner
    for row in order[: documents // 4].tolist():
        read(row)
    head = ChainHead(0, f"{int(rng.integers(2**31)):x}")
    for event in switch_events(state, new_uid(), "olga", "organiser", head):
        state.add(event)
    for row in state.draws[1].order[:drawn].tolist():
        read(row)
    return state, truth, keeps[0], np.where(project.read_twice & keeps[1], truth, keeps[0])


@pytest.mark.soak
@pytest.mark.parametrize("sensitivity", [0.6, 0.7, 0.9])
@pytest.mark.parametrize(
    ("documents", "relevant", "drawn", "double", "wrongly"),
    [(900, 800, 675, 0.2, 0.0), (300, 40, 150, 1.0, 0.0), (300, 40, 200, 0.5, 0.1)],
)
def test_the_statement_holds_as_often_as_it_says(
    documents: int, relevant: int, drawn: int, double: float, wrongly: float, sensitivity: float, soak: bool
) -> None:
    """Of many reviews by independent readers, the limit is too high in no more than α, and that of readers in α/2."""
    rng, runs = np.random.default_rng(5), 500 if soak else 20
    too_high = too_sensitive = 0
    for _ in range(runs):
        state, truth, first, kept = simulated(rng, documents, relevant, drawn, double, wrongly, sensitivity)
        recall = state.relevant().sum() / (truth | kept).sum()
        too_high += bool(state.bound_with_sensitivity(1) > recall)
        readings = state.second_readings(1)
        limit = sensitivity_limit(readings.kept, readings.overlooked, ALPHA / 2)
        too_sensitive += bool(limit > (first & truth).sum() / truth.sum())
    assert too_high <= binom.ppf(0.999, runs, ALPHA)
    assert too_sensitive <= binom.ppf(0.999, runs, ALPHA / 2)


def twice(tmp_path: Path) -> ReviewProject:
    source = tmp_path / "twice.ris"
    source.write_text(articles(60))
    return begin_review(tmp_path / "twice", [source], ReviewSettings("Twice", double=1.0))


def said_of(state: ReviewState) -> str:
    return next((each for each in certificate_sentences(state) if "overlook" in each), "")


def test_what_is_missing_is_said_instead_of_a_number(tmp_path: Path, mark: Mark) -> None:
    project = twice(tmp_path)
    every = [f"a{number}" for number in range(60)]
    assert said_of(mark(of=project)) == ""  # nothing is certified yet
    state = mark(*every, of=project)
    assert "nothing has been read by two people" in said_of(state)
    state = mark("a1", person="ben", of=project)
    assert "of 1 document that two people read, the second kept none" in said_of(state)
    state = mark("a0", "a5", person="ben", of=project)
    assert "has confirmed none of 2 documents that a second reader kept; 2 wait for an expert" in said_of(state)
    assert np.isnan(state.bound_with_sensitivity(1))
    # The expert is asked for just these.
    queue = ReadingQueue(lambda: -np.arange(60.0), clock=lambda: 0.0)
    assert queue.next(state, "eve", "abstract", 2, expert=True) == [0, 5]
    state.add(Event(new_uid(), "eve", "expert", "mark", STAGES[0], "a0", "1"))
    assert 0 < state.bound_with_sensitivity(1) < 1
    assert "confirmed 1 of the documents that the second of two readers kept" in said_of(state)
    assert "independently of each other" in said_of(state)
    assert "1 waits for an expert" in said_of(state)


def test_only_what_the_second_kept_counts(tmp_path: Path, mark: Mark) -> None:
    project = twice(tmp_path)
    mark("a0", "a5", "a10", grade=1, of=project)
    mark("a15", "a20", "a25", grade=0, of=project)
    mark("a0", "a15", "a20", "a30", grade=1, person="ben", of=project)
    state = mark("a5", "a10", "a25", grade=0, person="ben", of=project)  # what the first alone kept tells nothing
    mark("a30", grade=0, of=project)
    found = state.second_readings(1)
    assert (found.both, found.second, found.confirmed, found.kept, found.overlooked) == (6, 3, 0, 0, 2)
    for document, grade in (("a0", 1), ("a15", 1), ("a20", 0)):
        state.add(Event(new_uid(), "eve", "expert", "mark", STAGES[0], document, str(grade)))
    found = state.second_readings(1)
    assert (found.confirmed, found.kept, found.overlooked) == (2, 1, 1)  # the expert rejected a20
    # A mark that is changed later does not make its reader the second.
    state.add(Event(new_uid(), "anna", "assessor", "mark", STAGES[0], "a0", "0", at="9999"))
    assert state.second_readings(1).overlooked == 2
