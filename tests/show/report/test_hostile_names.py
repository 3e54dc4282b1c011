"""Names that mean something to JavaScript or HTML: every figure of the page draws them like any others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair", reason="a page needs the package altair")
pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")

from leadline.show.figures.evidence import Evidence
from leadline.show.figures.registry import FIGURES
from leadline.show.report.page import report

NAMES = ("constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "</script><b>", "a\\b'\"", "length")


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


@pytest.fixture
def page(browser: Any) -> Any:
    opened = browser.new_page()
    yield opened
    opened.close()


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


def test_every_figure_draws_names_of_javascript(page: Any, tmp_path: Path) -> None:
    names = FIGURES.names()
    found, bold = [], []
    for plain in (True, False):
        path = tmp_path / f"{plain}.html"
        path.write_text(report(evidence(plain=plain), key="0" * 64, names=names), encoding="utf-8")
        found.append(drawn(page, path))
        bold.append(page.locator("b").count())
    assert found[1] == found[0]
    assert sum(found[1].values()) > 10
    for name in NAMES:  # in the labels of the systems, and nowhere as markup
        assert page.locator("svg text", has_text=name).count() > 0
    assert bold[1] == bold[0]
