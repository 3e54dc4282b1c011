"""The table of systems sets off the best, and those that are not significantly worse after correction."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("altair", reason="a page needs the package altair")

from leadline.retrieval.engines.engine import QueryTiming
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import headline, systems_table


def kinds(runs: dict[str, dict[str, dict[str, float]]], topics: int, measure: str = "RR") -> dict[str, str]:
    """How the first score of every run is set off: best, near or not at all."""
    qrels = {str(t): {"right": 1, "wrong": 0} for t in range(topics)}
    table = systems_table(Evidence.of(qrels, runs, measure, samples=2))
    found = re.findall(r'<tr data-run="([^"]*)"><th.*?</th><td class="num( best| near)?"', table)
    assert found[0][0] == "first"
    return {name: kind.strip() for name, kind in found}


def run(topics: int, place: int, spread: int) -> dict[str, dict[str, float]]:
    """The right document at a rank that differs from topic to topic."""
    return {str(t): {"right": 0.0} | {f"x{n}": 9.0 - n for n in range(place + (t * spread) % 5)} for t in range(topics)}


def test_a_lead_that_correction_takes_away_is_near() -> None:
    """Ahead on all of six topics p is 2/64; for one rival that is significant, for three after Holm it is not."""
    first = {"first": run(6, 0, 0)}
    rivals = {f"rival{spread}": run(6, 2, spread) for spread in (1, 2, 3)}
    assert kinds(first | {"rival1": rivals["rival1"]}, 6) == {"first": "best", "rival1": ""}
    assert kinds(first | rivals, 6) == {"first": "best"} | dict.fromkeys(rivals, "near")


def test_equal_runs_are_both_best() -> None:
    """Ahead on all of seven topics p is 2/128, which is significant among three pairs, as 2/64 would not be."""
    assert kinds({"first": run(7, 0, 0), "second": run(7, 0, 0), "third": run(7, 5, 1)}, 7) == {
        "first": "best",
        "second": "best",
        "third": "",
    }


def test_times_and_costs_have_columns_where_a_run_has_them() -> None:
    qrels, runs = {"1": {"a": 1}}, {"first": {"1": {"a": 1.0}}, "second": {"1": {"b": 2.0, "a": 1.0}}}

    def columns(timings: dict[str, QueryTiming]) -> tuple[list[str], list[str]]:
        table = systems_table(Evidence.of(qrels, runs, "RR", timings=timings))
        heads, cells = (
            re.findall(r"<th scope=\"col\"[^>]*>([^<]*)<", table),
            re.findall(r"<td [^>]*>([^<]*)</td>", table),
        )
        place = heads.index("a query, median") if timings else len(heads)
        return heads[place:], cells[place - 1 : len(heads) - 1]

    assert columns({}) == ([], [])
    assert columns({"first": QueryTiming(0.25), "second": QueryTiming(2.0)})[0] == ["a query, median"]
    heads, cells = columns({"first": QueryTiming(0.25, 0.5, 1234.5, 0.0), "second": QueryTiming(2.0)})
    assert heads == ["a query, median", "99th percentile", "queries a second", "cost of a query"]
    assert cells == ["250 ms", "500 ms", "1,234", "0"]
    beside = {"first": QueryTiming(0.25, at_once=4), "second": QueryTiming(2.0, at_once=1)}
    table = systems_table(Evidence.of(qrels, runs, "RR", timings=beside))
    assert '<th scope="col" class="num wrap">a query, median</th>' in table  # so that the columns fit a screen
    assert headline(Evidence.of(qrels, runs, "RR", timings=beside)).sure[-1] == (
        "With first, a query took 0.25 s (median), with 4 asked at the same time."
    )
    assert "Times are not comparable: first with 4 queries at the same time, second with 1." in table
