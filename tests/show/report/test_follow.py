"""What a figure becomes when the reader chooses: the page computes what the report of that choice would show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("altair", reason="a page needs the package altair")
pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")

from leadline.records.qrels import read_qrels
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import choices_data, report
from leadline.trust.randomisation import flip_p

EFFORT = 20
FOLLOW = (
    "recall_effort", "told_apart", "bump", "sorted_scores", "effort_curves", "triangle", "precision_recall",
    "six_measures", "pool_map", "pres_area", "pres_surface", "pres_rr",
)  # fmt: skip
TESTED = {"verdict", "note"}  # words that need samples of the judgements, which the page does not have


@pytest.fixture(scope="module")
def evidence(golden: Path) -> Evidence:
    folder = golden / "inputs" / "scores"
    return Evidence.of(folder / "sig.qrels", [folder / f"sys{n}.run" for n in range(6)], "PRES@100", samples=5)


@pytest.fixture(scope="module")
def page(browser: Any, evidence: Evidence, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("follow") / "report.html"
    path.write_text(report(evidence), encoding="utf-8")
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    opened.said = []
    opened.on("console", lambda message: opened.said.append(message.text))
    opened.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.goto(path.as_uri())
    opened.wait_for_selector("html[data-drawn=all]")
    opened.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    yield opened
    assert opened.said == []
    opened.close()


def choose(page: Any, **chosen: Any) -> None:
    page.evaluate("document.querySelector('.reset').click()")
    for name, value in chosen.items():
        page.evaluate("([name, value]) => Leadline.shared.set(name, value, 'researchers')", [name, value])


def rows_of(page: Any, figure: str) -> list[dict[str, Any]]:
    return list(page.evaluate("name => Leadline.shared.figures.get(name).rows()", figure))


def report_of_choice(golden: Path, measure: str, topics: Sequence[str]) -> Evidence:
    """The evidence of the choice itself: these topics, this measure."""
    folder = golden / "inputs" / "scores"
    qrels = read_qrels(folder / "sig.qrels")
    judged: dict[str, dict[str, int]] = {topic: {} for topic in topics}
    for t, document, grade in zip(qrels.topic_of_document, qrels.documents, qrels.grades, strict=True):
        if qrels.topics[t] in judged:
            judged[qrels.topics[t]][document] = int(grade)
    return Evidence.of(judged, [folder / f"sys{n}.run" for n in range(6)], measure, samples=5)


def assert_same(ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]], figure: str) -> None:
    key = ["run", "row", "column", "measure", "effort", "by", "slice", "topic", "rank", "document"]

    def place(row: Mapping[str, Any]) -> tuple[str, ...]:
        level = float(row["recall"]) if figure == "precision_recall" else ""
        return (*(str(row.get(name)) for name in key), f"{level}")

    found = {place(row): row for row in ours}
    assert found.keys() == {place(row) for row in theirs}
    for row in theirs:
        mine = found[place(row)]
        for name, value in row.items():
            if name in TESTED or (figure == "triangle" and name in ("level", "written")):
                continue
            near = 1e-3 if name == "p" else 2e-4
            expected = pytest.approx(value, abs=near) if isinstance(value, float) else value
            assert mine[name] == expected, (figure, name, dict(row), dict(mine))


@pytest.mark.parametrize("figure", FOLLOW)
def test_topics_and_effort_give_the_report_of_that_choice(
    page: Any, golden: Path, evidence: Evidence, figure: str
) -> None:
    slice_of = choices_data(evidence)["slices"][-1]
    choose(page, effort=EFFORT, slice=slice_of["name"])
    other = report_of_choice(golden, f"PRES@{EFFORT}", slice_of["topics"])
    theirs = [dict(row) for row in FIGURES.named(figure).draw(other).rows]
    ours = rows_of(page, figure)
    if other.leader != evidence.leader and figure in ("pres_area", "pres_surface"):
        pytest.skip("the page shows the first system of the report")
    if figure == "recall_effort":  # the random line is the first system's, and the grid has the report's effort
        efforts = {row["effort"] for row in ours}
        theirs = [row for row in theirs if row["effort"] in efforts and row["run"] != "random order"]
        kept = {row["effort"] for row in theirs}
        ours = [row for row in ours if row["effort"] in kept and row["run"] != "random order"]
    if figure == "effort_curves":
        kept = {row["effort"] for row in theirs} & {row["effort"] for row in ours}
        ours, theirs = ([row for row in rows if row["effort"] in kept] for rows in (ours, theirs))
    assert_same(ours, theirs, figure)


@pytest.mark.parametrize("figure", ["told_apart", "triangle", "six_measures", "slices", "spectrogram"])
def test_a_measure_gives_the_report_by_that_measure(
    page: Any, golden: Path, evidence: Evidence, figure: str, eventually: Callable[..., None]
) -> None:
    choose(page, measure="AP")
    other = report_of_choice(golden, "AP", evidence.topics)
    theirs = [dict(row) for row in FIGURES.named(figure).draw(other).rows]
    ours = rows_of(page, figure)
    if figure in ("six_measures", "spectrogram"):  # the report by AP has other cutoffs
        theirs = [
            {name: value for name, value in row.items() if name in ("run", "topic", "place", "AP")}
            for row in theirs
            if row.get("measure", "AP") == "AP"
        ]
        ours = [row for row in ours if row.get("measure", "AP") == "AP"]
        theirs = [{**row, **({"measure": "AP"} if "place" in row else {})} for row in theirs]
        ours = [{name: value for name, value in row.items() if name in theirs[0]} for row in ours]
    assert_same([{**row} for row in ours], theirs, figure)
    eventually(page, lambda: "AP" in page.locator(f"#{figure} h3").inner_text())


def test_flips_are_those_of_the_report(page: Any) -> None:
    """The p of the page and of the package, for few and many topics, coarse scores, zeros, and signs that agree."""
    rng = np.random.default_rng(1)
    rows = [
        *(rng.normal(shift, 1, topics) for topics in (5, 12, 20, 21, 30, 100) for shift in (0.0, 0.3, 1.0)),
        *(rng.integers(-2, 4, 40) / 10 for _ in range(5)), rng.choice([-1.0, 1.0, 1.0], 60), np.zeros(30),
        np.full(30, 0.2), np.tile([0.5, -0.5], 20), np.concatenate([rng.normal(0.2, 1, 15), np.zeros(40)]),
    ]  # fmt: skip
    ours = page.evaluate("rows => Leadline.scores.randomP(rows)", [row.tolist() for row in rows])
    theirs = [float(flip_p(row[None])[0]) for row in rows]
    assert ours == pytest.approx(theirs, rel=1e-6)


def test_a_highlighted_system_is_the_one_of_the_figures_of_one_system(
    page: Any, eventually: Callable[..., None]
) -> None:
    choose(page, chosen=["sys3"])
    eventually(page, lambda: page.locator("#pres_surface h3").inner_text().startswith("sys3"))
    eventually(page, lambda: "sys3" in page.locator("#pres_area h3").inner_text())
    choose(page, chosen=[])


def test_fixed_figures_say_so_and_a_button_leads_back(page: Any, eventually: Callable[..., None]) -> None:
    def title() -> str:
        return str(page.locator("#told_apart h3").inner_text())

    choose(page)
    eventually(page, lambda: f"PRES@{EFFORT}" not in title() and "AP" not in title())
    before = title()
    choose(page, effort=EFFORT, measure="AP")
    fixed = page.evaluate("[...document.querySelectorAll('figure.fixed')].map(one => one.id)")
    assert sorted(fixed) == ["agreement", "effort_at_recall", "incomplete", "power"]
    eventually(page, lambda: "AP" in title())
    page.locator(".choices .reset").click()
    assert page.locator(".choices .reset").is_hidden()
    eventually(page, lambda: title() == before)
    assert page.locator("figure.fixed").count() == 0
