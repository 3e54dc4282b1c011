"""In a review of which some documents are read twice, nobody who reads learns what another marked; one person leads."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import PageBrowser, until
from tests.show.serve.reviewing.conftest import NAMES, ReviewSite, ris

from leadline.judge.journal import People
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import PEOPLE, ReviewSettings
from leadline.show.serve.reviewing_pages import reviewing_app
from leadline.show.serve.security import Address

ONE_LINE = "This concerns all who read here: only the organiser or the expert may do it."
# Every address of the application: what is asked of it, or why nothing can be told there.
ASKED: dict[str, list[dict[str, Any]]] = {
    "/": [{}],
    "/read": [{"topic": "abstract"}, {"topic": "full-text"}, {"topic": "abstract", "document": "a8"}],
    "/certificate": [{}],
    "/certificate.pdf": [{}],
    "/api/topic": [{"topic": "abstract"}, {"topic": "full-text"}, {"topic": "audit"}],
    "/api/next": [
        {"topic": "abstract", "count": 10},
        {"topic": "full-text", "count": 10},
        {"topic": "abstract", "count": 10, "have": json.dumps([f"a{n}" for n in range(60)])},  # in the learner's order
    ],
    "/api/card": [{"topic": topic, "document": f"a{n}"} for topic in ("abstract", "full-text") for n in (8, 9, 16)],
    "/api/text": [{"topic": "abstract", "document": "a8", "field": "abstract"}],
    "/api/documents": [{"topic": "abstract"}, {"topic": "full-text"}, {"topic": "audit"}],
    "/api/certificate": [{}],
    "/api/audit": [{}],
    "/api/find": [{"words": "brake"}, {"words": "a8"}, {"words": "study"}],
}
NOTHING_TOLD = {
    "/in/{token}", "/out", "/assets/{name}", "/favicon.ico", "/api/health", "/api/csrf",  # know of no marks
    "/api/release", "/api/judgements", "/api/skips", "/api/notes", "/api/undo",  # answer with what was sent
    "/api/tags",  # answers with what was sent; the tags that are offered are one's own
    "/api/switch", "/api/stop", "/api/number", "/api/settings",  # not for those who read
    "/api/agree",  # answers with what was sent; of the others only their names are told
}  # fmt: skip

Served = Callable[..., ReviewSite]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Servers of reviews of the same documents."""
    (tmp_path / "search.ris").write_text(ris())
    sites: list[ReviewSite] = []

    def made(people: Any = NAMES, **settings: Any) -> ReviewSite:
        shutil.rmtree(tmp_path / "review", ignore_errors=True)
        about = ReviewSettings("Brakes", **{"stages": 2, **settings})
        project = begin_review(tmp_path / "review", [tmp_path / "search.ris"], about, known=["a0"])
        site = ReviewSite(project.folder)
        listed = People(project.folder / PEOPLE)
        site.tokens = {name: listed.add(name, role) for name, role in people}
        site.start()
        sites.append(site)
        return site

    yield made
    for site in sites:
        site.stop()


def test_every_address_was_considered(served: Served) -> None:
    site = served(double=1.0)
    app = reviewing_app(site.desk, Address.of("127.0.0.1", site.port), "Brakes")
    assert {getattr(route, "path", "") for route in app.routes} == {*ASKED, *NOTHING_TOLD}


def told(site: ReviewSite, name: str) -> dict[str, Any]:
    """Everything that a person can ask, and what they are told."""
    visit = site.client(name)
    visit.get("/api/next", count=1)  # the first request makes the order
    site.desk.proposer.learn()
    found = {}
    for path, asked in ASKED.items():
        for values in asked:
            answer = visit.get(path, **values)
            text = re.sub(r"\b[0-9a-f]{32}\b", "", answer.text.replace(visit.csrf, ""))  # without ids of one's marks
            found[f"{path} {values}"] = (answer.status_code, text)
    return found


@pytest.mark.parametrize("double", [1.0, 0.3])
def test_nothing_that_a_reader_can_ask_tells_what_another_marked(served: Served, double: float) -> None:
    """The answers to one reader are the same whatever another marked of what both are to read and she has not read."""
    answers = []
    for turned in (False, True):
        site = served(double=double)
        project = site.desk.project
        anna, ben = site.client("anna"), site.client("ben")
        hers = (1, 2, 16, 24)
        for n in hers:
            anna.mark(f"a{n}")
        for n in range(1, 34):
            relevant = n % 8 == 0
            twice = bool(project.read_twice[n]) and n not in hers
            ben.mark(f"a{n}", int(relevant != (turned and twice)))
            if n % 8 == 0:
                body = {"topic": "full-text", "document": f"a{n}", "grade": int(turned and twice)}
                assert ben.post("/api/judgements", **body).status_code == 200
        answers.append(told(site, "anna"))
        olga = told(site, "olga")
        assert olga["/api/certificate {}"][0] == olga["/certificate {}"][0] == 200
        site.stop()
    first, second = answers
    assert first.keys() == second.keys()
    assert [key for key in first if first[key] != second[key]] == []
    assert first["/certificate {}"][0] == first["/certificate.pdf {}"][0] == 403
    assert "relevant" not in first["/api/certificate {}"][1]


def test_organiser_and_expert_see_everything_and_the_reader_after_the_stop(served: Served) -> None:
    site = served(double=1.0)
    anna, eve, olga = (site.client(name) for name in ("anna", "eve", "olga"))
    anna.mark("a8")
    for visit in (eve, olga):
        assert visit.get("/api/certificate").json()["relevant"] == 2
        assert visit.get("/certificate").status_code == 200
    assert anna.get("/api/certificate").json()["own"] == {"read": 1, "kept": 1}
    assert "/certificate" not in anna.get("/read").text
    site.client("ben").mark("a8")
    eve.mark("a8")
    said = olga.get("/api/certificate").json()["sensitivity"]  # with what the expert confirmed of the second reader's
    assert (said["kept"], said["confirmed"]) == (1, 1)
    olga.post("/api/stop")
    assert anna.get("/api/certificate").json()["relevant"] == 2
    assert anna.get("/certificate").status_code == anna.get("/certificate.pdf").status_code == 200


def test_without_double_reading_everybody_sees_how_much_is_found(served: Served) -> None:
    anna = served().client("anna")
    assert anna.get("/api/certificate").json()["relevant"] == 1
    assert anna.get("/certificate").status_code == 200


@pytest.mark.parametrize("double", [0.0, 0.5])
def test_no_reviewer_decides_for_all(served: Served, double: float) -> None:
    site = served(double=double)
    for name in ("anna", "ben"):
        visit = site.client(name)
        for path, content in (("switch", {"to": "draws"}), ("switch", {"to": "learner"}), ("stop", {}),
                              ("stop", {"resume": True})):  # fmt: skip
            answer = visit.post(f"/api/{path}", **content)
            assert (answer.status_code, answer.json()["error"]) == (403, ONE_LINE)
        page = visit.get("/read").text
        assert 'id="stop"' not in page
        assert 'id="switch"' not in page
    assert site.desk.state.stopped is None
    olga = site.client("olga")
    assert 'id="stop"' in olga.get("/certificate").text
    assert olga.post("/api/switch", to="draws").json()["saved"]
    assert olga.post("/api/stop").json()["saved"]
    eve = site.client("eve")
    assert 'id="stop"' in eve.get("/read").text
    assert eve.post("/api/stop", resume=True).json()["saved"]
    assert eve.post("/api/switch", to="learner").json()["saved"]


THREE = [("anna", "assessor"), ("ben", "assessor"), ("carl", "assessor")]


@pytest.mark.parametrize("double", [0.0, 1.0])
def test_all_reviewers_together_stop_a_review_and_go_on(served: Served, double: float) -> None:
    site = served(THREE, double=double)
    anna, ben, carl = (site.client(name) for name, _ in THREE)
    anna.mark("a8")
    assert 'id="agree"' in anna.get("/read").text
    assert anna.post("/api/agree", to="stop").json()["stored"] == "new"
    assert ben.get("/api/certificate").json()["agreement"] == {
        "agreed": ["anna"], "waiting": ["ben", "carl"], "mine": False,
    }  # fmt: skip
    assert ben.post("/api/agree", to="stop").json()["saved"]
    assert ben.post("/api/agree", to="stop", agree=False).json()["saved"]
    assert carl.post("/api/agree", to="stop").json()["saved"]
    assert site.desk.state.stopped is None  # ben took it back
    site.stop()
    site.start()  # what was said is in the journal
    last = {"id": "the-last-of-them", "to": "stop"}
    for stored in ("new", "already"):
        assert ben.post("/api/agree", **last).json()["stored"] == stored
    assert site.desk.state.stopped_by == ("anna", "carl", "ben")
    kinds = [event.kind for event in site.desk.journal.events()][-5:]
    assert kinds == ["agree", "disagree", "agree", "agree", "stop"]
    assert "Stopped by all reviewers (anna, carl, ben)" in anna.get("/certificate").text
    assert anna.mark("a9").status_code == 409
    answer = anna.post("/api/agree", to="stop")
    assert (answer.status_code, answer.json()["error"]) == (409, "The review was stopped already.")
    for visit in (anna, ben, carl):
        assert site.desk.state.stopped is not None
        assert visit.post("/api/agree", to="resume").json()["saved"]
    assert site.desk.state.stopped is None
    assert site.desk.state.agreed == {}
    assert anna.mark("a9").status_code == 200


def test_who_leads_or_does_not_read_does_not_agree(served: Served) -> None:
    site = served(double=1.0)
    anna, ben = site.client("anna"), site.client("ben")
    for name in ("eve", "olga"):
        assert site.client(name).post("/api/agree", to="stop").status_code == 403
    assert anna.post("/api/agree", to="stop").json()["saved"]
    assert anna.post("/api/agree", to="nothing").status_code == 400
    assert anna.post("/api/agree", to="resume").status_code == 409
    people = People(site.folder / PEOPLE)
    site.tokens["dora"] = people.add("dora", "assessor")  # who comes later is asked as well
    assert ben.post("/api/agree", to="stop").json()["saved"]
    assert site.desk.state.stopped is None
    assert anna.get("/api/certificate").json()["agreement"]["waiting"] == ["dora"]
    people.revoke("dora")
    assert ben.post("/api/agree", to="stop").json()["saved"]  # said again: all who are left have
    assert site.desk.state.stopped_by == ("anna", "ben")


def test_one_reviewer_and_the_organiser_are_not_all(served: Served) -> None:
    site = served([("anna", "assessor"), ("olga", "organiser")], double=0.5)
    assert site.client("anna").post("/api/agree", to="stop").status_code == 403
    assert site.desk.state.stopped is None
    assert site.client("olga").post("/api/stop").json()["saved"]


def test_reviewers_stop_in_the_browser_when_all_agree(chromium: Any, served: Served) -> None:
    site = served(THREE[:2], double=0.5)
    browser = PageBrowser(chromium, site)
    try:
        anna, ben = browser.window("anna"), browser.window("ben")
        for page in (anna, ben):
            until(page, "document.getElementById('agree').textContent === 'Agree to stop'")
            page.click("#agree")
            page.wait_for_selector("#agreeing[open]")
            page.click("#agreeing button.main")
            name = "anna" if page is anna else "ben"
            if name == "anna":
                until(page, "/To stop: anna. Not yet: ben/.test(document.getElementById('agreed').textContent)")
                assert page.inner_text("#agree") == "No longer stop"
        until(ben, "document.getElementById('agree').textContent === 'Agree to go on'")
        assert "The review was stopped" in ben.inner_text("#mode")
        assert site.desk.state.stopped_by == ("anna", "ben")
    finally:
        browser.close()


def test_who_is_alone_leads_and_sees_everything(served: Served) -> None:
    site = served([("anna", "assessor")], double=0.5)
    anna = site.client("anna")
    anna.mark("a8")
    page = anna.get("/read").text
    assert 'id="stop"' in page
    assert 'id="switch"' in page
    assert anna.get("/api/certificate").json()["relevant"] == 2
    assert anna.get("/certificate").status_code == 200
    assert anna.post("/api/switch", to="draws").json()["saved"]
    assert anna.post("/api/stop").json()["saved"]
    assert anna.post("/api/stop", resume=True).json()["saved"]
    # Another comes, and she is one of two; the other is gone, and what they marked stays theirs.
    people = People(site.folder / PEOPLE)
    site.tokens["ben"] = people.add("ben", "assessor")
    assert anna.post("/api/stop").status_code == 403
    site.client("ben").mark("a16")
    assert "relevant" not in anna.get("/api/certificate").json()
    people.revoke("ben")
    assert "relevant" not in anna.get("/api/certificate").json()
    assert anna.post("/api/stop").status_code == 200


def test_the_organiser_draws_and_stops_in_the_report(chromium: Any, served: Served) -> None:
    site = served(double=0.5)
    browser = PageBrowser(chromium, site)
    try:
        olga, anna = browser.window("olga"), browser.window("anna")
        until(olga, "!document.getElementById('switch').hidden")
        olga.click("#switch")
        olga.wait_for_selector("#switching[open]")
        olga.click("#switching button.main")
        olga.wait_for_selector('#switch:has-text("Back to the learner\'s order")')  # in the page that is loaded again
        until(anna, "/read by all/.test(document.getElementById('mode').textContent)")
        assert "organiser and the expert" in anna.inner_text("#bound")
        assert anna.locator("#figure svg").count() == 0
        olga.click("#stop")
        olga.wait_for_selector("#stopping[open]")
        olga.click("#stopping button.main")
        olga.wait_for_selector("#stop:has-text('Go on with the review')")
        assert "Stopped by olga" in olga.inner_text("#main")
    finally:
        browser.close()
