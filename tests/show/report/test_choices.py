"""What the reader chooses once for all figures; what can be taken away; print; and what assistive software reads."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair", reason="a page needs the package altair")
pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")

from leadline.show.report.evidence import Evidence
from leadline.show.report.page import report


@pytest.fixture(scope="module")
def written(golden: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six runs on 25 topics; one of them is the system used today."""
    folder = golden / "inputs" / "scores"
    runs = [folder / f"sys{n}.run" for n in range(6)]
    evidence = Evidence.of(folder / "sig.qrels", runs, "PRES@100", baseline="sys5", samples=20)
    path = tmp_path_factory.mktemp("choices") / "report.html"
    path.write_text(report(evidence), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    opened.said = []
    opened.on("console", lambda message: opened.said.append(message.text))
    opened.on("pageerror", lambda error: opened.said.append(str(error)))
    yield opened
    opened.close()


@pytest.fixture
def page(window: Any, written: Path) -> Iterator[Any]:
    """The page with nothing chosen: what other tests chose is in its address."""
    window.goto("about:blank")
    window.goto(written.as_uri())
    window.wait_for_selector("html[data-drawn=all]")
    window.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    yield window
    assert window.said == []


def labels(page: Any, figure: str) -> list[str]:
    """The texts of a chart that are bold."""
    script = """id => [...document.querySelectorAll(`#${id} svg text`)]
        .filter(one => one.getAttribute('font-weight') === 'bold').map(one => one.textContent)"""
    return [str(text) for text in page.evaluate(script, figure)]


def test_a_star_highlights_a_system_in_all_figures(page: Any, eventually: Callable[..., None]) -> None:
    page.locator("tr[data-run=sys3] button.pin").click()
    for figure in ("recall_effort", "told_apart", "bump", "spectrogram", "six_measures", "effort_curves"):
        eventually(page, lambda figure=figure: any("sys3" in text for text in labels(page, figure)))
    assert page.locator("table.sortable tbody tr").first.get_attribute("data-run") == "sys3"
    assert "chosen=sys3" in page.url
    page.locator(".choices .tag").click()
    assert page.locator(".choices .tag").count() == 0


def test_effort_and_minutes_are_chosen_once(page: Any) -> None:
    slider = page.locator(".choices [name=effort]")
    slider.focus()
    page.keyboard.press("Home")
    assert "Read 1 document:" in page.locator("#recall_effort .readout").inner_text()
    assert page.locator("#recall_effort output").inner_text() == "1"
    times = page.locator("[data-documents]")
    before = times.first.inner_text()
    page.locator(".choices [name=minutes]").fill("30")
    assert times.first.inner_text() != before
    documents = int(times.first.get_attribute("data-documents"))
    assert times.first.inner_text() == f"{documents * 30 / 60:g} hours"
    assert "at 30 minutes each" in page.locator("#recall_effort .readout").inner_text()
    assert page.locator("#recall_effort [data-param=minutes]").input_value() == "30"


def test_measure_and_topics_are_chosen_once(page: Any, eventually: Callable[..., None]) -> None:
    page.locator(".choices [name=measure]").select_option("RR")
    assert page.locator("#spectrogram [data-param=measure]").input_value() == "RR"
    cells = "document.querySelectorAll('#spectrogram svg .role-mark.mark-rect path').length"
    page.locator("#spectrogram").scroll_into_view_if_needed()  # a chart far from the window is drawn when it comes near
    eventually(page, lambda: page.evaluate(cells) == 6 * 25)  # systems and topics
    page.locator(".choices [name=slice]").select_option(index=1)
    eventually(page, lambda: 0 < page.evaluate(cells) < 6 * 25)
    assert re.match(r"Of \d+ figures, \d+ follow systems", page.locator(".choices .follow").inner_text())
    page.locator(".choices [name=slice]").select_option("")


def test_systems_are_found_by_a_part_of_their_name(page: Any) -> None:
    page.locator("[name=find-system]").fill("ys2")
    assert page.locator("table.sortable tbody tr:visible").count() == 1
    assert "1 of 6 shown" in page.locator(".systems-shown").inner_text()
    page.locator("[name=find-system]").fill("")


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_figure_is_taken_away_as_a_picture(page: Any, kind: str) -> None:
    with page.expect_download() as waiting:
        page.locator(f"#bump button.{kind}").click()
    assert waiting.value.suggested_filename == f"bump.{kind}"
    content = Path(waiting.value.path()).read_bytes()
    if kind == "png":
        assert content.startswith(b"\x89PNG")
        return
    text = content.decode()
    assert "Places under" in text.replace("</text>", " ")  # the title
    assert "var(--" not in text


def test_a_link_keeps_all_choices(browser: Any, written: Path) -> None:
    opened = browser.new_page()
    opened.goto(f"{written.as_uri()}#researchers?chosen=sys3&chosen=sys4&effort=10&minutes=6&measure=RR")
    opened.wait_for_selector("html[data-drawn=all]")
    assert opened.locator(".choices .tag").all_inner_texts() == ["sys3 ×", "sys4 ×"]
    assert "Read 10 documents: 1 hour a topic" in opened.locator("#recall_effort .readout").inner_text()
    assert opened.locator("#spectrogram [data-param=measure]").input_value() == "RR"
    opened.close()


def test_every_control_has_a_name_and_every_chart_a_text(page: Any) -> None:
    unnamed = """[...document.querySelectorAll('button, input, select, a[href], [role=img], [role=region], summary')]
        .filter(one => !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length))
        .map(one => one.outerHTML.slice(0, 90))"""
    assert page.evaluate(unnamed) == []
    lacking = """[...document.querySelectorAll('.chart')].filter(one =>
        !document.getElementById(one.getAttribute('aria-describedby'))?.textContent).length"""
    assert page.evaluate(lacking) == 0
    assert page.locator("main h1").count() == 1
    doubled = """(() => { const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
        return ids.filter((id, i) => ids.indexOf(id) !== i); })()"""
    assert page.evaluate(doubled) == []


def test_axe_finds_nothing_serious(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python")
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []


def test_every_figure_is_printed(written: Path, tmp_path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or shutil.which("pdftotext") is None:
        pytest.skip("needs chromium (make services) and pdftotext")
    pdf = tmp_path / "report.pdf"
    command = [chromium, "--headless", "--no-sandbox", f"--print-to-pdf={pdf}", written.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    text = subprocess.run(["pdftotext", str(pdf), "-"], check=True, capture_output=True, timeout=60).stdout.decode()
    words = " ".join(text.split())
    html = written.read_text(encoding="utf-8")
    for title, name in re.findall(r'<figure id="([^"]*)".*?aria-label="([^"]*)"', html):
        assert " ".join(name.split()) in words, title
    assert words.count("documents read") >= 3  # the axes of the charts, not only their titles
