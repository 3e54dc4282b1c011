"""Whether the order of the systems and the verdict depend on whose marks count."""

from __future__ import annotations

import numpy as np

import leadline as ll
from leadline.trust.incomplete import OutcomeByMarks, outcome_by_marks
from leadline.trust.pairs import decide
from leadline.trust.study import open_study

TOPICS, DOCUMENTS = 24, 40


def field(favoured: dict[str, str]) -> tuple[dict[str, ll.Qrels], dict[str, dict[str, dict[str, float]]]]:
    """Two systems that rank opposite halves of the documents first, and people who find one half relevant."""
    rng = np.random.default_rng(3)
    names = [f"d{n}" for n in range(DOCUMENTS)]
    runs = {
        system: {str(t): {name: sign * n + rng.random() for n, name in enumerate(names)} for t in range(TOPICS)}
        for system, sign in (("early", -1.0), ("late", 1.0))
    }
    halves = {"early": names[:20], "late": names[20:], "both": names[10:30]}
    marks = {}
    for person, system in favoured.items():
        grades = {
            str(t): {name: int(name in halves[system] and rng.random() < 0.7) for name in names} for t in range(TOPICS)
        }
        marks[person] = ll.Qrels.of(grades, person)
    return marks, runs


def compared(favoured: dict[str, str]) -> OutcomeByMarks:
    marks, runs = field(favoured)
    return outcome_by_marks(marks, runs, "AP", samples=20)


def test_the_verdict_stays_where_everyone_agrees() -> None:
    found = compared({"anna": "late", "ben": "late", "final": "late"})
    assert found.changed() == []
    assert found.sentence() == (
        "The verdict does not change: by all 3 sets of marks, late is firmly better than early."
    )
    assert found.tau("anna", "final") == 1


def test_the_verdict_changes_with_a_person_who_judges_otherwise() -> None:
    found = compared({"anna": "late", "ben": "early", "eve": "both", "final": "late"})
    assert found.changed() == ["ben", "eve"]
    said = found.sentence()
    assert said.startswith("The verdict does change: by the final marks, late is firmly better than early, but by")
    assert "the marks of ben, early is firmly better than late" in said
    assert "by the marks of eve, no firm winner" in said
    rows = {row[0]: row for row in found.table().rows}
    assert (rows["ben"][1], rows["final"][1]) == ("early", "late")
    assert found.table().columns[3:] == ["tau_to_final", "tau_to_anna", "tau_to_ben", "tau_to_eve", "verdict"]
    assert (rows["ben"][3], rows["anna"][3]) == (-1, 1)


def test_without_two_systems_nothing_is_claimed() -> None:
    judged = ll.Qrels.of({"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}})
    found = outcome_by_marks({"anna": judged, "final": judged}, {"x": {"1": {"a": 1.0}, "2": {"b": 1.0}}}, "AP")
    assert found.sentence().startswith("Whether the verdict changes cannot be said")
    assert found.table().rows[0][-1] == "no verdict"


def test_it_is_the_verdict_of_compare() -> None:
    marks, runs = field({"anna": "early", "final": "both"})
    judged = outcome_by_marks(marks, runs, "AP", samples=20).verdicts["final"]
    study = open_study(marks["final"], runs, "AP")
    assert judged == decide(study.scores(), "AP", study=study, samples=20)
