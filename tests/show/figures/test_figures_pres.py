"""How PRES behaves: as an area, over recall and rank, and against the reciprocal rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.measures.catalogue.precision import recall
from leadline.measures.catalogue.pres import pres
from leadline.measures.hits import Hits
from leadline.show.figures import pres_area, pres_rr, pres_surface
from leadline.show.report.evidence import Evidence

lists = st.lists(st.integers(1, 60), unique=True, max_size=12)


@given(lists, st.integers(0, 10), st.integers(1, 50))
def test_area_is_pres(ranks: list[int], missed: int, effort: int) -> None:
    relevant = len(ranks) + missed
    if not relevant:
        return
    met = sorted(rank for rank in ranks if rank <= effort)
    rows = pres_area.curve(met, relevant, effort)
    area = sum(row["worst"] - row["met"] for row in rows) / sum(row["worst"] - row["best"] for row in rows)
    assert area == pytest.approx(float(pres(Hits.of(sorted(ranks), relevant), effort=effort)[0]))


@given(lists.filter(bool), st.integers(0, 10), st.integers(1, 50))
def test_pres_is_recall_times_earliness(ranks: list[int], missed: int, effort: int) -> None:
    hits = Hits.of(sorted(ranks), len(ranks) + missed)
    value, found = pres(hits, effort=effort), recall(hits, effort=effort)
    met = [rank for rank in ranks if rank <= effort]
    behind = (np.mean(met) - (len(met) + 1) / 2) / effort if met else 0.0
    assert pres_surface.lateness(value, found) == pytest.approx([behind], abs=1e-9)


def two_topics() -> Evidence:
    """Topic 1: both relevant documents first. Topic 2: one of two, at rank 4 of 4."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1, "d": 1}, "3": {"x": 0}}
    run = {"1": {"a": 9.0, "b": 8.0}, "2": {"x": 9.0, "y": 8.0, "z": 7.0, "c": 6.0}, "3": {"x": 1.0}}
    return Evidence.of(qrels, {"mine": run}, "PRES@4")


def test_area_of_one_topic() -> None:
    evidence = two_topics()
    found = pres_area.figure(evidence, topic="2")
    # Ranks 4 and, not found, 4 + 2: the band is 4 wide and 2 high, won is (5 - 4) + (6 - 6) of 8.
    assert [(row["best"], row["met"], row["worst"]) for row in found.rows] == [(1, 4, 5), (2, 6, 6)]
    assert found.title == "Topic 2: mine wins 12\u202f% of the area between worst and best (PRES 0.125)"
    assert found.reading.startswith("1 of 2 relevant documents found within 4 documents; the 1 other counts as found")
    with pytest.raises(InputError, match="no relevant document"):
        pres_area.figure(evidence, topic="3")


def test_surface_tells_missing_from_late() -> None:
    found = pres_surface.figure(two_topics())
    # Topic 1 loses nothing. Topic 2 misses a half, and the other half comes at rank 4: 0.5 · 3/4 lost.
    assert [(row["topic"], row["recall"], row["PRES"], row["lateness"]) for row in found.rows] == [
        ("1", 1.0, 1.0, 0.0), ("2", 0.5, 0.125, 0.75),
    ]  # fmt: skip
    assert found.title == "mine loses 0.250 of PRES by missing documents and 0.188 by finding some late"
    assert "less than half is found on 0 topics of 2, and the mean lateness is 0.38" in found.reading


def test_surface_of_a_perfect_run() -> None:
    qrels = {"1": {"a": 1}}
    found = pres_surface.figure(Evidence.of(qrels, {"1": {"a": 1}}, "PRES@4"))
    assert found.title == "run loses nothing: it finds all, and finds it first"


def test_one_relevant_document() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1, "c": 1}}
    run = {"1": {"x": 3.0, "y": 2.0, "a": 1.0}, "2": {"b": 3.0, "c": 2.0}}
    evidence = Evidence.of(qrels, {"mine": run}, "PRES@100")
    found = pres_rr.figure(evidence)
    assert found.title == "A single relevant document at rank 10 of 100 is worth PRES 0.91, RR 0.10"
    assert pres_rr.first_ranks(evidence).tolist() == [3, 1]
    assert found.reading.endswith("at rank 2 on the median topic; 1 topic of 2 has only one.")
    by_rank = {row["rank"]: row for row in found.rows}
    assert by_rank[1] == {"rank": 1, "PRES": 1.0, "RR": 1.0}
    assert by_rank[50]["PRES"] == 0.51
    assert by_rank[101]["PRES"] == 0.0


@pytest.mark.parametrize("effort", [1, 2, 7, 1000, 5000])
def test_ranks_reach_the_effort(effort: int) -> None:
    ranks = pres_rr.ranks(effort)
    assert ranks[0] == 1
    assert ranks[-2:] == [effort, effort + 1]
    assert len(ranks) <= 2 * pres_rr.POINTS + 1
