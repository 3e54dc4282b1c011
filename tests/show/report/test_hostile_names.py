"""Names that mean something to JavaScript or HTML: every figure of the page draws them like any others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair", reason="a page needs the package altair")
pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")

from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import report

NAMES = (
    "constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "</script><b>", "a\\b'\"", "length",
    "PRES@20", "$& R@20 $1", "bell\x07\x1b[31m",
)  # fmt: skip
CHOSEN = {"measure": "R@20", "effort": 10, "slice": 0, "chosen": ["__proto__", "PRES@20"]}  # slice: the first one


def evidence(*, plain: bool = False) -> Evidence:
    """As many systems and topics as there are names; the same with plain names, to compare with."""
    named = {name: f"plain{place}" if plain else name for place, name in enumerate(NAMES)}
    topics, runs = list(named.values()), list(named.values())
    qrels = {t: {f"{t}-{n}": n % 3 for n in range(12)} | dict.fromkeys(named.values(), 1) for t in topics}

    def ranked(topic: str, shift: int) -> dict[str, float]:
        documents = list(qrels[topic])
        return {name: 100.0 - (place * (shift + 3)) % 19 for place, name in enumerate(documents[shift % 5 :])}

    lists = {run: {t: ranked(t, (r * 3 + k * k) % 7) for k, t in enumerate(topics)} for r, run in enumerate(runs)}
    attributes = {
        named["constructor"]: {t: topics[k % 2] for k, t in enumerate(topics)},
        "title": {t: f"pump {t}" for t in topics},
    }
    info = {named["toString"]: {run: runs[r % 3] for r, run in enumerate(runs)}}
    return Evidence.of(qrels, lists, "PRES@20", topics=attributes, runs_info=info, samples=5)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """The reports with plain names (True) and with hostile ones (False)."""
    folder = tmp_path_factory.mktemp("names")
    paths = {plain: folder / f"{plain}.html" for plain in (True, False)}
    for plain, path in paths.items():
        path.write_text(report(evidence(plain=plain), key="0" * 64, names=FIGURES.names()), encoding="utf-8")
    return paths


@pytest.fixture
def page(browser: Any) -> Any:
    opened = browser.new_page()
    yield opened
    opened.close()


def choose(page: Any, chosen: dict[str, Any]) -> list[str]:
    """Choose one after the other and draw every figure after each; returns the titles at the end."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for name, value in chosen.items():
        page.evaluate(
            """async ([name, value]) => {
                if (name === "slice") value = Leadline.read("data-choices").slices[value].name;
                Leadline.shared.set(name, value, "researchers");
                await new Promise(go => setTimeout(go, 400));
                for (const figure of Leadline.shared.figures.values()) await figure.draw();
            }""",
            [name, value],
        )
    return list(page.locator("figure h3").all_inner_texts())


def drawn(page: Any, path: Path) -> dict[str, bool]:
    """Which figures of a page are drawn; fails where the page complains."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn=all]", timeout=60_000)
    assert complaints == []
    figures = page.locator("figure").evaluate_all("all => all.map(one => [one.id, 'drawn' in one.dataset])")
    return {name: bool(done) for name, done in figures}


def test_every_figure_draws_names_of_javascript(page: Any, pages: dict[bool, Path]) -> None:
    found, bold = [], []
    for path in pages.values():
        found.append(drawn(page, path))
        bold.append(page.locator("b").count())
    assert found[1] == found[0]
    assert sum(found[1].values()) > 10
    for name in NAMES[:-1]:  # in the labels of the systems, and nowhere as markup; the last has control codes
        assert page.locator("svg text", has_text=name).count() > 0
    assert bold[1] == bold[0]


def test_the_reader_chooses_among_names_of_javascript(page: Any, pages: dict[bool, Path]) -> None:
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    found = {}
    for plain, path in pages.items():
        drawn(page, path)
        named = {name: f"plain{place}" if plain else name for place, name in enumerate(NAMES)}
        titles = choose(page, {**CHOSEN, "chosen": [named[run] for run in CHOSEN["chosen"]]})
        marks = "one => [one.id, one.querySelectorAll('svg .role-mark path, svg .role-mark text').length]"
        found[plain] = (len(titles), dict(page.locator("figure").evaluate_all(f"all => all.map({marks})")))
        assert said == []
        assert any("R@10" in title for title in titles)
    assert found[True] == found[False]
    for name in NAMES[:-1]:  # a browser draws control codes in its own way
        assert page.locator("svg text", has_text=name).count() > 0
    # A run with the name of a measure keeps it when the effort changes.
    assert page.locator("#told_apart svg text", has_text="PRES@10").count() == 0
