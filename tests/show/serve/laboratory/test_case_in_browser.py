"""A whole search in a real browser: from the number of a patent to a signed claim chart, by two people, by keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.show.lab.desks import nail_lab
from tests.show.serve.conftest import PageBrowser
from tests.show.serve.laboratory.sites import LabSite

from leadline.show.check import check
from leadline.show.lab.case import Cases
from leadline.show.lab.lab import Lab

PATENT = "EP0000009A1"
PAGES = ("/cases", "/case/EP0000009A1", "/case/EP0000009A1/chart", "/case/EP0000009A1/read",
         "/case/EP0000009A1/compare", "/search?case=EP0000009A1&q=nail",
         "/prior-art?patent=EP0000009A1&case=EP0000009A1")  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Iterator[LabSite]:
    made = LabSite(nail_lab(tmp_path).folder)
    made.start()
    yield made
    made.stop()


def test_from_a_patent_to_a_signed_chart(chromium: Any, site: LabSite, eventually: Any, soak: bool) -> None:
    browser = PageBrowser(chromium, site)
    page = browser.window("olga")
    page.goto(f"{site.url}/document/nails/{PATENT}")
    page.click("text=Begin a case of this")
    page.click("button >> text=Begin")
    page.wait_for_selector("h1 >> text=Bent nail")
    # A query of words, one from the page of search, and both together.
    page.fill("#query", "title:tin")
    page.press("#query", "Enter")
    page.wait_for_selector("#queries >> text=#1")
    page.click(".case-bar >> text=Search")
    page.fill("#q", "brass")
    page.press("#q", "Enter")
    page.wait_for_selector(".save-query button")
    page.wait_for_load_state()  # keys are heard once the scripts are there
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("q")
    page.wait_for_selector("#queries >> text=#2")
    page.fill("#query", "#1 AND #2")
    page.press("#query", "Enter")
    page.wait_for_selector("#queries tr >> nth=3")
    assert page.locator("#queries tbody tr").nth(2).locator("td.number").inner_text() == "1"
    # A hit is graded by a key, taken back by another, and graded again.
    page.goto(f"{site.url}/search?case={PATENT}&q=brass+tin")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.wait_for_selector(".hit .badge.decided >> text=X")
    eventually(page, lambda: page.evaluate("document.activeElement.closest('.hit') !== null"))
    page.keyboard.press("u")
    page.wait_for_selector(".badge.decided", state="detached")
    assert "/search" in page.url
    page.goto(f"{site.url}/case/{PATENT}/read?document=EP0000001A1")
    page.wait_for_selector(".sides mark")
    page.wait_for_load_state()  # keys are heard once the scripts are there
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("2")
    page.wait_for_selector("#reading .badge.decided >> text=X")
    # The other examiner sees what she did, and accepts what the machine suggests.
    other = browser.window("anna", viewport={"width": 390, "height": 800}, color_scheme="dark")
    other.goto(f"{site.url}/case/{PATENT}/chart")
    assert "olga" in other.inner_text("thead")
    assert "◎ strong 65 %" in other.inner_text("tbody")
    other.click("#f1 button >> text=accept")
    other.wait_for_selector("#f1 .badge.decided")
    assert "anna" in other.inner_text("#f1")
    for path in PAGES:
        other.goto(site.url + path)
        assert other.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, path
    _look(other, site, PAGES if soak else PAGES[2:4], ["color-contrast", "scrollable-region-focusable", "target-size"])
    _look(page, site, PAGES if soak else PAGES[1:4])
    page.goto(f"{site.url}/case/{PATENT}#sign")
    page.fill("#statement", "The search is complete.")
    page.click("button >> text=Sign as olga")
    page.wait_for_selector(".signature >> text=olga")
    page.goto(f"{site.url}/case/{PATENT}/chart")
    assert page.locator("button >> text=accept").count() == 0
    with page.expect_download() as got:
        page.goto(f"{site.url}/case/{PATENT}")
        page.click("text=the whole case as an archive")
    assert check(got.value.path()) == []
    browser.close()
    case = Cases(Lab.open(site.folder)).read(PATENT)
    assert set(case.people) == {"olga", "anna"}
    assert {tick.act.by for tick in case.ticks.values()} == {"anna"}
    assert case.documents["EP0000001A1"].read.keys() >= {"olga"}


def _look(page: Any, site: LabSite, paths: Sequence[str], rules: Sequence[str] = ()) -> None:
    """Nothing that axe finds on pages of a case; of a narrow and dark window only what that changes."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python")
    found = []
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    for path in paths:
        page.goto(site.url + path)
        for each in axe.Axe().run(page, options=options).response["violations"]:
            where = "; ".join(f"{node['target'][0]} {node['html'][:160]}" for node in each["nodes"][:4])
            found.append(f"{path}: {each['impact']} {each['id']}, {each['help']}: {where}")
    assert not found, "\n".join(found)
