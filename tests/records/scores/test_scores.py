"""The score cube: means over what is defined, intervals, the best runs, and tables in every format."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from scipy import stats

import leadline as ll
from leadline.records.result import Table

NAN = math.nan


def scores(values: list[list[float]], **more: object) -> ll.Scores:
    cube = np.array(values)[:, :, None]
    runs = tuple("abcdefgh"[: len(values)])
    return ll.Scores(runs, tuple(map(str, range(len(values[0])))), ("AP",), cube, **more)  # type: ignore[arg-type]


def test_undefined_topics_are_left_out_of_means() -> None:
    assert scores([[0.2, 0.4, NAN], [NAN, NAN, 0.9], [NAN, NAN, NAN]]).mean_values()[:, 0] == pytest.approx(
        [0.3, 0.9, NAN], nan_ok=True
    )


def test_sums_and_geometric_means() -> None:
    values = [[0.1, 0.0, NAN, 0.4]]
    assert scores(values, aggregates=("sum",)).mean_values()[0, 0] == pytest.approx(0.5)
    geometric = scores(values, aggregates=("geometric",)).mean_values()[0, 0]
    assert geometric == pytest.approx((0.1 * 1e-5 * 0.4) ** (1 / 3))


def test_intervals_are_those_of_students_t() -> None:
    values = np.random.default_rng(2).random(12)
    low, high = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    with_gap = [*values.tolist(), NAN]
    assert scores([with_gap]).half_widths()[0, 0] == pytest.approx((high - low) / 2, rel=1e-9)


def test_few_topics_and_sums_have_no_interval() -> None:
    assert np.isnan(scores([[0.1, 0.2, 0.3, 0.4, NAN]]).half_widths()).all()
    assert not np.isnan(scores([[0.1, 0.2, 0.3, 0.4, 0.5]]).half_widths()).any()
    assert np.isnan(scores([[0.1, 0.2, 0.3, 0.4, 0.5]], aggregates=("sum",)).half_widths()).all()


@pytest.mark.parametrize(("better", "leader"), [("higher", 1), ("lower", 2)])
def test_the_leader_is_the_best(better: str, leader: int) -> None:
    found = scores([[NAN], [0.9], [0.1], [0.5]], better=(better,))
    assert found.leader_index() == leader
    assert found.wide(sort=True).rows[0][0] == "abc"[leader]
    assert found.wide().best == {(leader, 1)}


def test_scores_are_used_by_name() -> None:
    cube = np.array([[[0.2, 3.0], [0.4, 1.0]], [[0.5, 9.0], [0.7, 5.0]]])
    info = {"a": {"team": "x", "area": "y"}, "b": {"team": "z"}}
    found = ll.Scores(("a", "b"), ("1", "2"), ("R@5", "effort"), cube, better=("higher", "lower"), attributes=info)
    assert found["r@5"] == pytest.approx({"a": 0.3, "b": 0.6})
    assert found.run("b") == pytest.approx({"R@5": 0.6, "effort": 7.0})
    assert found.means() == dict(found)
    assert (list(found), len(found), "effort" in found, "AP" in found) == (["R@5", "effort"], 2, True, False)
    assert (found.leader(), found.leader("effort")) == ("b", "a")
    assert found.by_topic("effort")["a"] == {"1": 3.0, "2": 1.0}
    assert found.wide().columns == ["run", "team", "area", "R@5", "effort"]
    assert found.to_polars(wide=True).columns == ["run", "team", "area", "topic", "R@5", "effort"]
    with pytest.raises(ll.InputError, match=r"no measure 'efort' among R@5, effort; did you mean effort\?"):
        found["efort"]
    with pytest.raises(ll.InputError, match="no run 'c' among 2 runs"):
        found.run("c")


def test_the_best_of_each_team() -> None:
    teams = {run: {"team": team} for run, team in zip("abcde", "xxxyy", strict=True)}
    found = scores([[0.1], [0.9], [0.5], [0.2], [0.3]], attributes=teams)
    assert found.best_per(2).runs == ("b", "c")
    assert found.best_per(1, "team").runs == ("b", "e")
    assert found.best_per(2, "team").runs == ("b", "c", "e", "d")
    assert found.best_per(9).runs == ("b", "c", "e", "d", "a")
    lower = scores([[0.1], [0.9], [NAN]], better=("lower",))
    assert lower.best_per(1).runs == ("a",)
    assert lower.best_per(3).runs == ("a", "b", "c")


def test_choosing_runs_and_measures_keeps_cells_together() -> None:
    cube = np.arange(12.0).reshape(2, 3, 2)
    both = ll.Scores(("a", "b"), ("1", "2", "3"), ("AP", "P@5"), cube, better=("higher", "lower"), lowest=cube - 1)
    turned = both.select_runs([1, 0]).select_measures(["p@5", "ap"])
    assert (turned.runs, turned.measures, turned.better) == (("b", "a"), ("P@5", "AP"), ("lower", "higher"))
    np.testing.assert_array_equal(turned.values, cube[::-1, :, ::-1])
    np.testing.assert_array_equal(turned.lowest, cube[::-1, :, ::-1] - 1)
    with pytest.raises(ll.InputError, match="no measure 'RR'"):
        both.select_measures(["RR"])


NUMBERS = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123456789]


@pytest.mark.parametrize("form", ["tsv", "csv", "json"])
def test_tables_for_programs_give_numbers_back_to_the_last_bit(form: str) -> None:
    text = Table(["name", "value"], [[f"r{place}", number] for place, number in enumerate(NUMBERS)]).render(form)
    if form == "json":
        read = [row["value"] for row in json.loads(text)]
    else:
        read = [float(row["value"]) for row in csv.DictReader(io.StringIO(text), delimiter="\t,"[form == "csv"])]
    assert list(map(repr, read)) == list(map(repr, NUMBERS))


def test_undefined_cells() -> None:
    table = Table(["a", "b", "c"], [[NAN, None, math.inf]])
    assert table.render("tsv").split("\n")[1] == "nan\t\tinf"
    assert json.loads(table.render("json")) == [{"a": None, "b": None, "c": None}]
    assert table.render("markdown").split("\n")[2] == "| – |  | ∞ |"


def test_names_cannot_break_a_table() -> None:
    name = "a|b&c_d%\te\n\\f$"
    table = Table(["run|x_y", "v"], [[name, 0.5]], best={(0, 0)})
    markdown = table.render("markdown").split("\n")
    assert len(markdown) == 3
    assert all(line.replace("\\|", "").count("|") == 3 for line in markdown)
    latex = table.render("latex")
    assert r"\textbf{a|b\&c\_d\%" in latex
    assert r"\textbackslash{}f\$}" in latex
    assert r"run|x\_y & v \\" in latex
    assert list(csv.reader(io.StringIO(table.render("csv"))))[1][0] == name
    tsv = csv.reader(io.StringIO(table.render("tsv")), delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\")
    assert next(row for row in list(tsv)[1:])[1] == "0.5"
    html = ll.Scores(("<b>&",), ("1",), ("AP",), np.array([[[0.5]]]))._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert "<b>&" not in html


def test_no_run_gains_by_failing_a_topic() -> None:
    """Runs are ordered by the topics where each has a value; where there is none, by how many they have."""
    nan = np.nan
    values = np.array([[10.0, 5.0, nan], [9.0, 6.0, 90.0], [nan, nan, nan]])[:, :, None]
    found = ll.Scores(("fails", "steady", "silent"), ("1", "2", "3"), ("effort@0.9",), values, better=("lower",))
    assert found.shared_topics()[:, 0].tolist() == [True, True, False]
    assert [found.runs[r] for r in found.ranking()] == ["fails", "steady", "silent"]
    assert found.order_means()[:2, 0].tolist() == [7.5, 7.5]  # level, so by name
    values = np.array([[1.0, nan, nan], [nan, 50.0, 60.0]])[:, :, None]
    apart = ll.Scores(("a", "b"), ("1", "2", "3"), ("effort@0.9",), values, better=("lower",))
    assert [apart.runs[r] for r in apart.ranking()] == ["b", "a"]
    assert found.runs[found.ranking()[0]] == found.leader()
