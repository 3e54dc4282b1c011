"""Marks of two assessors: the merged grade of all 25 pairs, the kinds of disagreement, the published counts."""

from __future__ import annotations

import csv
import itertools
from importlib import resources

import pytest

from leadline.judge.marks import ORDER, disagreement, disagreements, grade_counts, merge, merged, shifts

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


def test_grades_are_counted_and_shifts_shown() -> None:
    first = {("1", "a"): 1, ("1", "b"): 0}
    second = {("1", "a"): 2, ("1", "c"): -2}
    both = merge(first, second)
    assert both == {("1", "a"): 2, ("1", "b"): 0, ("1", "c"): -2}
    assert list(grade_counts(both).rows[-1]) == ["all", 3, 1, 0, 1, 1, 0]
    moved = {row[0]: list(row[1:]) for row in shifts(both, {("1", "c"): 1}).rows}
    assert moved[-2] == [0, 0, 0, 1, 0]
    assert moved[2] == [0, 0, 0, 0, 1]
