"""An audit as the organiser, the expert and a reviewer meet it, by what pages send and in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import PageBrowser, press_key, saved, until
from tests.show.serve.reviewing.conftest import NAMES, ReviewSite, is_relevant, ris

from leadline.judge.journal import People
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import PEOPLE, ReviewSettings, check_review

OVERLOOKED = {"a16", "a40"}
SOME = 60  # documents of these reviews


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ReviewSite]:
    """A review of sixty articles that anna has read but for ten; two relevant ones she rejected."""
    (tmp_path / "search.ris").write_text(ris(SOME))
    settings = ReviewSettings("Brakes", criteria="Include: tests of brakes.", target=0.9)
    project = begin_review(tmp_path / "review", [tmp_path / "search.ris"], settings, known=["a0"])
    made = ReviewSite(project.folder)
    people = People(project.folder / PEOPLE)
    made.tokens = {name: people.add(name, role) for name, role in NAMES}  # type: ignore[arg-type]
    made.start()
    anna = made.client("anna")
    for number in range(1, SOME - 10):
        document = f"a{number}"
        assert anna.mark(document, int(is_relevant(document) and document not in OVERLOOKED)).status_code == 200
    yield made
    made.stop()


@pytest.fixture
def browser(chromium: Any, site: ReviewSite) -> Iterator[PageBrowser]:
    made = PageBrowser(chromium, site)
    yield made
    made.close()


def decide(visit: Any, count: int = SOME) -> list[str]:
    """The expert decides on what comes next, by the truth."""
    seen = []
    for _ in range(count):
        cards = visit.next(topic="audit")
        if not cards:
            break
        grade = int(is_relevant(cards[0]))
        body = {"topic": "audit", "document": cards[0], "grade": grade}
        assert visit.post("/api/judgements", **body).status_code == 200
        seen.append(cards[0])
    return seen


def test_from_the_price_to_a_certificate_by_the_experts_standard(site: ReviewSite) -> None:
    anna, eve, olga = (site.client(name) for name in ("anna", "eve", "olga"))
    before = olga.get("/api/audit").json()
    assert (before["begun"], before["phase"], before["overlooked"]) == (False, "none", [0.0, 0.02, 0.05])
    assert [each["target"] for each in before["prices"]] == [0.8, 0.9, 0.95]
    assert all(first <= last for each in before["prices"] for first, last in [(each["draws"][0], each["draws"][-1])])
    assert "if 0, 2 or 5 % were overlooked" in before["price"] or len({*before["prices"][1]["draws"]}) == 1
    assert "No audit was made" in olga.get("/certificate").text
    # Nobody reads in it before it begins, and only who leads may begin it.
    assert eve.get("/api/next", topic="audit").status_code == 404
    assert anna.post("/api/audit", to="begin").status_code == 403
    assert olga.post("/api/audit", to="elsewhere").status_code == 400
    assert olga.post("/api/audit", to="begin", sample=-1).status_code == 400
    assert olga.post("/api/audit", to="draws").json()["error"] == "Not possible: no audit of this round has begun."
    begun = {"id": "begin-0001", "to": "begin"}
    assert olga.post("/api/audit", **begun).json()["stored"] == "new"
    assert olga.post("/api/audit", **begun).json()["stored"] == "already"
    assert "can be made once" in olga.post("/api/audit", to="begin").json()["error"]
    assert anna.get("/api/next", topic="audit").status_code == 404
    assert anna.get("/read", topic="audit").status_code == 404
    assert "topic=audit" not in anna.get("/read").text
    assert "topic=audit" in eve.get("/read").text

    kept = decide(eve, eve.get("/api/audit").json()["waiting_kept"])
    assert {*kept} == {f"a{n}" for n in range(0, 50, 8)} - OVERLOOKED
    now = eve.get("/api/audit").json()
    assert (now["phase"], now["again_read"]) == ("again", 0)
    assert {*decide(eve, 2)} == OVERLOOKED
    card = eve.get("/api/card", topic="audit", document="a3").json()
    assert (card["grade"], card["marks"]) == (None, [])  # she is not told what anna marked
    assert olga.post("/api/audit", to="draws").json()["stored"] == "new"
    assert "draws at random already" in olga.post("/api/audit", to="draws").json()["error"]
    reading = olga.get("/api/certificate").json()["sentences"]
    decide(eve, 25)
    now = eve.get("/api/audit").json()
    assert (now["phase"], now["drawn"], now["unread"]) == ("draws", 25, SOME - 7)
    assert 0 < now["bound"] < 1
    assert len(eve.get("/api/documents", topic="audit").json()["documents"]) == 32
    assert olga.get("/api/certificate").json()["sentences"] == reading  # the readers' certificate is what it was
    decide(eve)
    assert eve.get("/api/audit").json()["bound"] == 1
    page = olga.get("/certificate").text
    assert "Of the documents the expert eve would call relevant in this collection, at least 100 % have been" in page
    assert olga.get("/certificate.pdf").content.startswith(b"%PDF")
    assert olga.post("/api/stop").status_code == 200
    assert "whatever readers overlooked" in site.desk.state.stopped.value
    assert "whatever readers overlooked" in olga.get("/api/certificate").json()["audited"][0]
    assert not list(check_review(site.folder))


def test_an_audit_needs_an_expert_and_a_review_that_goes_on(site: ReviewSite) -> None:
    olga = site.client("olga")
    olga.post("/api/stop")
    assert olga.post("/api/audit", to="begin").status_code == 409
    olga.post("/api/stop", resume=True)
    People(site.folder / PEOPLE).revoke("eve")
    assert "An audit needs an expert" in olga.post("/api/audit", to="begin").json()["error"]
    assert olga.get("/api/audit").json()["expert"] is False


def test_a_public_number_is_named_and_then_asked_for(site: ReviewSite) -> None:
    anna, olga = site.client("anna"), site.client("olga")
    assert anna.post("/api/number", words="the lottery").status_code == 403
    assert olga.post("/api/number", words=" ").status_code == 400
    assert olga.post("/api/number", words="the lottery of 5 December").json()["saved"]
    assert olga.get("/api/certificate").json()["named"] == "the lottery of 5 December"
    assert "give the public number" in olga.post("/api/switch", to="draws").json()["error"]
    assert olga.post("/api/switch", to="draws", number="7 8 9").json()["saved"]
    assert olga.get("/api/certificate").json()["named"] == ""
    assert "and the public number 7 8 9" in olga.get("/certificate").text


def test_in_a_browser(browser: PageBrowser, site: ReviewSite) -> None:
    olga = browser.window("olga")
    until(olga, "!document.getElementById('audit-begin').hidden")
    assert "to certify 90 %" in olga.inner_text("#audit-prices")
    assert olga.inner_text("#audit-prices tr:first-child").split("\t")[1:] == ["0\u00a0%", "2\u00a0%", "5\u00a0%"]
    olga.click("#audit-begin")
    olga.wait_for_selector("#auditing[open]")
    olga.fill("#auditing-sample", "3")
    olga.click("#auditing button.main")
    olga.wait_for_selector("#audit-draw:not([hidden])")  # on the page that was loaded again
    assert site.desk.state.audits[1].sample == 3

    eve = browser.window("eve")
    eve.click("nav >> text=Audit")
    until(eve, "!document.getElementById('card').hidden")
    says = "words => document.getElementById('audit-words').textContent.includes(words)"
    until(eve, says, "3 of what readers kept are not confirmed yet")

    def read(count: int) -> None:
        for _ in range(count):
            until(eve, "!document.getElementById('card').hidden")
            press_key(eve, "1" if is_relevant(eve.inner_text("#card-id")) else "0")
        saved(eve)

    read(5)
    until(eve, says, "rejected ones read again, 2 of them relevant")
    eve.click("#audit-draw")
    eve.wait_for_selector("#audit-drawing[open]")
    eve.click("#audit-drawing button.main")
    until(eve, says, "Random draws: 0 of 53")
    read(20)
    until(eve, "document.querySelector('#audit-figure svg .bound') !== null")
    olga.reload()
    assert "By an expert's standard: the audit" in olga.inner_text("#main")
    assert "3 were chosen at random for the expert" in olga.inner_text("#main")
    assert olga.locator("section[aria-labelledby=audited] .drawing.wide svg .bound").count() == 1


def test_on_a_phone(browser: PageBrowser, site: ReviewSite) -> None:
    site.client("olga").post("/api/audit", to="begin")
    decide(site.client("eve"), 6)
    site.client("olga").post("/api/audit", to="draws")
    decide(site.client("eve"), 10)
    eve = browser.window("eve", is_mobile=True, has_touch=True, viewport={"width": 360, "height": 740})
    for path in ("/read?topic=audit", "/certificate"):
        eve.goto(f"{site.url}{path}")
        if "read" in path:
            eve.tap("#audit-part summary")
            eve.wait_for_selector("#audit-figure svg")
        assert eve.evaluate("document.documentElement.scrollWidth") == 360
