"""Marks of two assessors: the merged grade of all 25 pairs, the kinds of disagreement, the published counts."""

from __future__ import annotations

import csv
import itertools
from importlib import resources

import pytest

from leadline.judge.judging_quality import agreement_by
from leadline.judge.marks import ORDER, JudgingState, Mark, disagreement, disagreements, merge, merged, shifts

PAIRS = list(itertools.product(ORDER, ORDER))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_stronger_mark_stands(first: int, second: int) -> None:
    stronger = {-1: 0, -2: 1, 0: 2, 1: 3, 2: 4}
    expected = first if stronger[first] >= stronger[second] else second
    assert merged(first, second) == merged(second, first) == expected


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_pair_is_of_one_kind(first: int, second: int) -> None:
    kind = disagreement(first, second)
    assert kind == disagreement(second, first)
    known = [mark for mark in (first, second) if mark >= 0]
    if len(known) == 1:
        assert kind == "lenient"
    elif len(known) == 0 or first == second:
        assert kind == "agreed"
    else:
        assert kind == ("one_against_two" if {first, second} == {1, 2} else "conflict")


def test_the_published_disagreements_come_out() -> None:
    """Marks made to match the 18 topics of TREC-CHEM 2009 give the counts that the overview prints."""
    path = resources.files("leadline.show.papers.published").joinpath("trec_chem_2009_ts_disagreement.csv")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    first, second = {}, {}
    for row in rows:
        kinds = [(2, 0)] * int(row["conflict"]) + [(1, -2)] * int(row["lenient"])
        kinds += [(0, 0)] * (int(row["documents"]) - len(kinds))
        for number, (one, two) in enumerate(kinds):
            first[row["topic"], str(number)], second[row["topic"], str(number)] = one, two
    found = {each.topic: each for each in disagreements(first, second)}
    for row in rows:
        each = found[row["topic"]]
        assert (each.documents, each.strict, each.conflict, each.lenient) == tuple(
            int(row[name]) for name in ("documents", "strict", "conflict", "lenient")
        )
    total = found["all"]
    assert total.documents == sum(int(row["documents"]) for row in rows)
    assert total.strict == sum(int(row["strict"]) for row in rows)


def test_shifts_are_shown() -> None:
    first = {("1", "a"): 1, ("1", "b"): 0}
    second = {("1", "a"): 2, ("1", "c"): -2}
    both = merge(first, second)
    assert both == {("1", "a"): 2, ("1", "b"): 0, ("1", "c"): -2}
    moved = {row[0]: list(row[1:]) for row in shifts(both, {("1", "c"): 1}).rows}
    assert moved[-2] == [0, 0, 0, 1, 0]
    assert moved[2] == [0, 0, 0, 0, 1]


def judged(marks: dict[str, dict[tuple[str, str], int]]) -> JudgingState:
    """Where judging stands: the marks of assessors, and of `expert`."""
    state = JudgingState()
    for person, each in marks.items():
        state.roles[person] = "expert" if person == "expert" else "assessor"
        for (topic, document), grade in each.items():
            state.marks[person, topic, document] = Mark(grade, "", "", "", 1, 0.0)
    return state


def test_tables_6_and_7_of_the_overview_come_out() -> None:
    """Marks with the counts that the overview of TREC-CHEM 2009 prints, before and after the expert."""
    names = ("highly_relevant", "relevant", "irrelevant", "unsure", "unjudged")
    folder = resources.files("leadline.show.papers.published")
    tables = {}
    for kind in ("student", "expert"):
        text = folder.joinpath(f"trec_chem_2009_ts_{kind}_judgements.csv").read_text(encoding="utf-8")
        tables[kind] = list(csv.DictReader(text.splitlines()))
    marks: dict[str, dict[tuple[str, str], int]] = {"anna": {}, "expert": {}}
    for person, rows in zip(marks, tables.values(), strict=True):
        for row in rows:
            grades = [
                grade for grade, name in zip((2, 1, 0, -2, -1), names, strict=True) for _ in range(int(row[name]))
            ]
            marks[person] |= {(row["topic"], str(number)): grade for number, grade in enumerate(grades)}
    table, notes = agreement_by(judged(marks | {"ben": {}}), list(marks["anna"]), "stage")
    found = {(row[0], row[1]): [*row[3:8]] for row in table.rows}
    for stage, rows in zip(("assessors", "expert"), tables.values(), strict=True):
        for row in rows:
            if sum(int(row[name]) for name in names) == int(row["documents"]):
                assert found[stage, row["topic"]] == [int(row[name]) for name in names]
    assert notes[0].startswith("a merged grade is the larger")


def test_unsure_against_not_judged_counts_as_the_guidelines_say() -> None:
    marks = {"anna": {("1", "a"): -2, ("1", "b"): 2, ("1", "d"): 1}, "ben": {("1", "b"): 0, ("1", "d"): 1}}
    asked = [("1", each) for each in "abcd"]
    for neither, lenient in (("agreed", 0), ("lenient", 1)):
        table, notes = agreement_by(judged(marks), asked, "topic", neither)  # type: ignore[arg-type]
        row = dict(zip(table.columns, table.rows[0], strict=True))
        assert [row[name] for name in ("documents", "conflict", "lenient", "strict")] == [4, 1, lenient, 1 + lenient]
        assert "unsure (-2) against not judged (-1), 1 document, is " in notes[0]
    rows = agreement_by(judged(marks | {"expert": {("1", "b"): 1}}), asked, "grade")[0].rows
    assert ["merged, expert", 2, 1, 0, 1, 0, 0, 0, 0.0] in [list(row) for row in rows]
    assert agreement_by(judged(marks), asked, "shift")[0].rows == [["anna, ben", -2, 1, 0.5], ["anna, ben", 0, 1, 0.5]]
