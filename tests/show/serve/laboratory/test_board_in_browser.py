"""The pages of runs in a real browser, and what a server refuses before a page sees it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import PageBrowser
from tests.show.serve.laboratory.boards import HOSTILE, copied_lab, run_text, until_computed
from tests.show.serve.laboratory.sites import LabSite

from leadline.records.qrels import read_qrels
from leadline.show.lab.boards import LARGEST_SENT
from leadline.show.lab.lab import Lab
from leadline.show.serve import security


@pytest.fixture(scope="module")
def site(small_lab: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabSite]:
    made = LabSite(copied_lab(small_lab, tmp_path_factory.mktemp("board")))
    made.start()
    for page in ("leaderboard", "compare", "trust"):
        until_computed(made.client(), f"/api/{page}")
    yield made
    made.stop()


@pytest.fixture
def browser(chromium: Any, site: LabSite) -> Iterator[PageBrowser]:
    made = PageBrowser(chromium, site)
    yield made
    made.close()


def test_who_leads_why_and_what_was_missed_in_three_clicks(browser: PageBrowser, site: LabSite) -> None:
    found = site.client().get("/api/leaderboard").json()
    page = browser.window("olga")
    assert found["outcome"] in page.inner_text(".verdict")  # who leads: without a click
    page.click("text=runs, with their letters")
    page.wait_for_selector("table.board")
    assert page.locator("table.board tbody th").first.inner_text() == found["leader"]

    page.goto(site.url)
    page.click("a:has-text('Why: ')")
    page.wait_for_url("**/compare?**")
    assert page.inner_text("h1") == f"{found['leader']} against {found['rival']}"
    page.click("#rankings a")  # the topic on which they differ most
    page.wait_for_selector("table.ranks")
    assert page.locator("td.missed").first.inner_text() == "missed"

    page.goto(site.url)
    page.click("text=A relevant document that one system missed")
    miss = found["miss"]
    chosen = page.locator("table.ranks tr.chosen")
    assert miss["document"] in chosen.inner_text()
    assert "missed" in chosen.inner_text()
    said = page.inner_text("#main .callout")
    assert said.startswith(f"{miss['document']} is relevant and missed by ")
    assert miss["misser"] in said
    page.click("table.ranks tr.chosen a")  # the document itself, and that it is relevant
    page.wait_for_selector(".judged .badge.relevant")
    assert miss["document"] in page.inner_text(".way")


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_the_screen(browser: PageBrowser, site: LabSite, width: int, scheme: str) -> None:
    page = browser.window("olga", viewport={"width": width, "height": 760}, color_scheme=scheme)
    topic = site.client().get("/api/compare").json()["topic"]
    for path in ("/", "/leaderboard", "/compare", "/trust", f"/topic/{topic}", "/run/system1"):
        page.goto(site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        sizes = page.evaluate(
            "[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && [...e.childNodes]"
            ".some(n => n.nodeType === 3 && n.textContent.trim())).map(e => parseFloat(getComputedStyle(e).fontSize))"
        )
        assert min(sizes) >= 12, path
        unnamed = page.evaluate("[...document.querySelectorAll('input, select')].filter(e => !e.labels?.length "
                                "&& e.type !== 'hidden').length")  # fmt: skip
        assert unnamed == 0, path


def test_figures_are_drawn_in_the_colours_of_the_page(browser: PageBrowser, site: LabSite) -> None:
    page = browser.window("olga", color_scheme="dark")
    page.goto(f"{site.url}/trust")
    loaded = page.evaluate("Promise.all([...document.images].map(i => i.decode().then(() => i.naturalWidth)))")
    assert len(loaded) == 2
    assert min(loaded) > 300
    assert "theme=dark" in page.evaluate("document.images[0].currentSrc")


def test_choices_and_sorting_by_keyboard(browser: PageBrowser, site: LabSite) -> None:
    page = browser.window("olga")
    page.goto(f"{site.url}/leaderboard")
    page.select_option("select[name=measure]", "nDCG")
    page.wait_for_url("**measure=nDCG**")
    assert "nDCG@20" in page.inner_text("table.board thead")
    page.focus("table.board thead th:nth-child(2) button")
    page.keyboard.press("Enter")
    names = page.locator("table.board tbody th").all_inner_texts()
    assert names == sorted(names)
    assert page.get_attribute("table.board thead th:nth-child(2)", "aria-sort") == "ascending"


def test_an_upload_shows_its_error_and_then_its_place(browser: PageBrowser, site: LabSite, tmp_path: Path) -> None:
    browser.expected = (*browser.expected, "status of 400")
    qrels = read_qrels(next((site.folder / "qrels").glob("qrels.citations.txt")))
    good = run_text(list(qrels.topics), [qrels.documents[place] for place in range(0, 20, 2)], HOSTILE)
    (tmp_path / "wrong.run").write_bytes(good + b"7 Q0 d1\n")
    (tmp_path / "mine.run").write_bytes(good)
    page = browser.window("olga")
    page.goto(f"{site.url}/leaderboard")
    page.set_input_files("input[type=file]", tmp_path / "wrong.run")
    page.click("#upload button")
    page.wait_for_selector("[data-said].wrong")
    assert f"line {len(good.splitlines()) + 1}" in page.inner_text("[data-said]")
    page.set_input_files("input[type=file]", tmp_path / "mine.run")
    page.click("#upload button")
    page.wait_for_selector("tr.new")
    assert "mine" in page.inner_text("tr.new")
    page.set_input_files("input[type=file]", tmp_path / "mine.run")
    page.click("#upload button")
    page.locator("[data-said]", has_text="there already").wait_for()
    Lab.open(site.folder).remove("run", "mine")


def test_what_is_too_large_or_too_slow_is_refused(site: LabSite, monkeypatch: pytest.MonkeyPatch) -> None:
    client = site.client()
    csrf = client.get("/api/csrf").json()["csrf"]
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    before = {path.name for path in (site.folder / "runs").iterdir()}

    def answer(length: int, body: bytes) -> str:
        with socket.create_connection(("127.0.0.1", site.port), timeout=20) as opened:
            head = (
                f"POST /api/runs?name=slow.run HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nCookie: {cookie}\r\n"
                f"X-CSRF-Token: {csrf}\r\nContent-Length: {length}\r\n\r\n"
            )
            opened.sendall(head.encode() + body)
            return opened.recv(4096).decode()

    monkeypatch.setattr(security, "SLOWEST_START", 0.5)
    assert answer(1000, b"1 Q0 d1 1 1.0 t\n").startswith("HTTP/1.1 408")
    assert answer(LARGEST_SENT + 1, b"").startswith(("HTTP/1.1 413", "HTTP/1.1 408"))
    assert client.post("/api/judge", content=b"x" * 300_000).status_code == 413  # other addresses take less
    assert {path.name for path in (site.folder / "runs").iterdir()} == before
