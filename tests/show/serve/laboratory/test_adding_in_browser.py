"""In a browser: files are dropped, confirmed and there; a review and an invitation are begun; runs are picked out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import PageBrowser
from tests.show.serve.laboratory.boards import copied_lab, until_computed
from tests.show.serve.laboratory.sites import LabSite
from tests.show.serve.laboratory.test_adding import RIS, RUN

from leadline.show.lab.jobs import Jobs, work
from leadline.show.lab.lab import Lab

DROP = """files => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture(scope="module")
def site(small_lab: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabSite]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "start_worker", lambda self: None)  # the test works on them
        made = LabSite(copied_lab(small_lab, tmp_path_factory.mktemp("adding")))
        made.start()
        until_computed(made.client(), "/api/leaderboard")
        yield made
        made.stop()


@pytest.fixture
def browser(chromium: Any, site: LabSite) -> Iterator[PageBrowser]:
    made = PageBrowser(chromium, site)
    yield made
    made.close()


def test_files_are_dropped_confirmed_and_there_and_a_review_is_begun(browser: PageBrowser, site: LabSite) -> None:
    page, lab = browser.window("olga", viewport={"width": 390, "height": 800}), Lab.open(site.folder)
    page.goto(f"{site.url}/collections")
    page.evaluate(DROP, [["dropped.run", RUN], ["bad.run", "1 Q0 d1 1 x t\n"], ["nails.ris", RIS]])
    page.wait_for_url("**/add/**")
    assert page.inner_text("h1") == "2 files to add, 1 refused"
    assert "line 1: score 'x' is not a number" in page.inner_text("#main")
    assert "listed again" in page.inner_text(".counted") or "with the text of another" in page.inner_text(".counted")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not lab.is_taken("run", "dropped")
    assert page.is_checked("input[value=review]")
    page.fill("input[name=title]", "Nails")
    page.click("text=Add them")
    page.wait_for_selector(".outcomes")
    assert lab.is_taken("run", "dropped")
    page.click("text=how far it is")
    work(site.folder)
    page.reload()
    assert page.inner_text(".state") == "done"
    assert "leadline review begin reviews/nails" in page.inner_text("#command")
    page.click("text=Read")
    page.wait_for_url("**/review/nails/**")
    lab.remove("run", "dropped")


def test_a_form_without_javascript_does_the_same(browser: PageBrowser, site: LabSite, tmp_path: Path) -> None:
    (tmp_path / "plain.run").write_text(RUN)
    page, lab = browser.window("olga", java_script_enabled=False), Lab.open(site.folder)
    page.goto(f"{site.url}/add")
    page.set_input_files("input[type=file]", tmp_path / "plain.run")
    page.click("text=Look at them")
    page.click("text=Add it")
    assert "plain.run added as a run: plain" in " ".join(page.inner_text(".outcomes").split())
    lab.remove("run", "plain")


def test_somebody_is_invited_and_the_link_opens_the_lab(browser: PageBrowser, site: LabSite) -> None:
    page = browser.window("olga")
    page.click("nav >> text=People")
    page.fill("input[name=person]", "ben")
    page.select_option("select[name=role]", "runner")
    page.click("text=Invite")
    link = page.inner_text("#link")
    other = browser.opened.new_context().new_page()
    other.goto(link)
    assert "ben runner" in " ".join(other.inner_text("header").split())
    assert other.locator("nav >> text=Add").count() == 1
    assert other.locator("nav >> text=People").count() == 0


def test_runs_are_found_by_name_pinned_and_scored_by_several_measures(browser: PageBrowser, site: LabSite) -> None:
    page = browser.window("olga")
    page.goto(f"{site.url}/leaderboard?also=AP+nDCG@10")
    heads = page.locator("table.board thead th").all_inner_texts()
    assert heads[3:5] == ["AP", "nDCG@10"]
    page.locator("tr:has-text('system0') >> text=pin").first.click()
    page.wait_for_selector("tbody.pins")
    assert "system0" in page.inner_text("tbody.pins")
    page.goto(f"{page.url}&find=system2")
    rows = [each.split()[0] for each in page.locator("table.board tbody th").all_inner_texts()]
    assert rows == ["system0", "system2"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
