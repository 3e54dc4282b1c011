"""The pages that search, in a real browser: wide and narrow, light and dark, by keys; no error, no other server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import PageBrowser, ServedSite

from leadline.judge.journal import People
from leadline.show.lab.lab import Lab
from leadline.show.serve.security import Address

PAGES = (
    "/search", "/search?q=method+system", "/search?q=method&after=1999-12-31", "/prior-art", "/collections",
    "/collection/office", "/directory/office",
)  # fmt: skip


@dataclass
class LabSite(ServedSite):
    """A server of a lab."""

    def app(self, address: Address) -> Any:
        from leadline.show.serve.laboratory.lab_app import lab_app

        return lab_app(Lab.open(self.folder), People(self.folder.parent / "people-browser"), address)

    def close_desk(self) -> None:
        pass


@pytest.fixture(scope="module")
def lab_site(small_lab: Path) -> Iterator[LabSite]:
    pytest.importorskip("fastapi", reason="needs fastapi")
    made = LabSite(small_lab)
    made.tokens = {"olga": People(small_lab.parent / "people-browser").add("olga", "organiser")}
    made.start()
    yield made
    made.stop()


@pytest.fixture
def browser(chromium: Any, lab_site: LabSite) -> Iterator[PageBrowser]:
    made = PageBrowser(chromium, lab_site)
    yield made
    made.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1200, "light")])
def test_pages_fit_their_window(browser: PageBrowser, lab_site: LabSite, width: int, scheme: str) -> None:
    page = browser.window("olga", viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(f"{lab_site.url}/search?q=method+system")
    document = page.get_attribute(".hit-title a", "href")
    page.goto(f"{lab_site.url}/directory/office")
    branch = page.get_attribute(".counted a", "href")
    for path in (*PAGES, document, branch, f"/prior-art?patent={document.rpartition('/')[2]}"):
        page.goto(lab_site.url + path)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, path
        assert page.locator("h1").count() == 1, path
        assert page.locator("[style], script:not([src])").count() == 0, path


def test_from_a_query_to_the_claims_it_bears_on(browser: PageBrowser, lab_site: LabSite) -> None:
    page = browser.window("olga")
    page.goto(f"{lab_site.url}/search")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("method system")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit mark")
    page.wait_for_load_state("load")
    # The keys: to the first hit, to the second, back to the query.
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('.hit').id") == "hit2"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    # Why this hit: folded, opened by a click, its words add up.
    page.click("#hit1 summary >> text=Why")
    assert page.locator("#hit1 details[open] tbody tr").count() >= 1
    # Narrow by the first period, and take the filter away again.
    count = page.inner_text(".result-line strong")
    page.click(".facet a >> nth=0")
    page.wait_for_selector(".chip")
    assert page.inner_text(".result-line strong") != count
    for _ in range(page.locator(".chip").count()):
        page.click(".chip >> nth=0")
        page.wait_for_selector(".result-line")
    assert page.inner_text(".result-line strong") == count
    # A document, and from it the prior art; a tick opens the passage.
    page.click("#hit1 .hit-title a")
    page.wait_for_selector(".claims")
    page.click("text=Background")
    assert page.locator("#description[open]").count() == 1
    page.click("text=Find prior art for this")
    page.wait_for_selector("h1 >> nth=0")
    ticks = page.locator(".ticks td a")
    if ticks.count():
        ticks.last.click()
        place = page.evaluate("location.hash")
        assert page.locator(f"{place}").is_visible()


def test_a_patent_is_pasted_and_uploaded(browser: PageBrowser, lab_site: LabSite, tmp_path: Path) -> None:
    page = browser.window("olga")
    page.goto(f"{lab_site.url}/prior-art")
    page.fill("#text", "A method\n\nDevices.\n\nClaims\n1. A method with a system.\n2. The method of claim 1.")
    page.click(".paste button")
    page.wait_for_selector(".finding")
    assert "pasted=" in page.url
    assert "2 claims" in page.inner_text("#main")
    (tmp_path / "idea.txt").write_text(
        "Idea <script>alert(1)</script> of a method\n\nOf a system.\n\nClaims\n1. A device."
    )
    page.goto(f"{lab_site.url}/prior-art")
    page.set_input_files("input[type=file]", str(tmp_path / "idea.txt"))
    page.click(".paste button")
    page.wait_for_selector("h1")
    assert page.locator("h1").count() == 1
