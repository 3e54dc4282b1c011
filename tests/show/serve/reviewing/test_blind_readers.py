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

ONE_LINE = "This concerns all who read here: only the organiser may do it."
# Every address of the application: what is asked of it, or why nothing can be told there.
ASKED: dict[str, list[dict[str, Any]]] = {
    "/": [{}],
    "/read": [{"topic": "abstract"}, {"topic": "full-text"}, {"topic": "abstract", "document": "a8"}],
    "/certificate": [{}],
    "/certificate.pdf": [{}],
    "/api/topic": [{"topic": "abstract"}, {"topic": "full-text"}],
    "/api/next": [
        {"topic": "abstract", "count": 10},
        {"topic": "full-text", "count": 10},
        {"topic": "abstract", "count": 10, "have": json.dumps([f"a{n}" for n in range(60)])},  # in the learner's order
    ],
    "/api/card": [{"topic": topic, "document": f"a{n}"} for topic in ("abstract", "full-text") for n in (8, 9, 16)],
    "/api/text": [{"topic": "abstract", "document": "a8", "field": "abstract"}],
    "/api/documents": [{"topic": "abstract"}, {"topic": "full-text"}],
    "/api/certificate": [{}],
    "/api/find": [{"words": "brake"}, {"words": "a8"}, {"words": "study"}],
}
NOTHING_TOLD = {
    "/in/{token}", "/out", "/assets/{name}", "/favicon.ico", "/api/health", "/api/csrf",  # know of no marks
    "/api/release", "/api/judgements", "/api/skips", "/api/notes", "/api/undo",  # answer with what was sent
    "/api/switch", "/api/stop",  # not for those who read
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
    for each in (site.desk.proposer, *site.desk._own.values()):
        each.learn()
    found = {}
    for path, asked in ASKED.items():
        for values in asked:
            answer = visit.get(path, **values)
            text = re.sub(r"\b[0-9a-f]{32}\b", "", answer.text.replace(visit.csrf, ""))  # without ids of one's marks
            found[f"{path} {values}"] = (answer.status_code, text)
    return found


@pytest.mark.parametrize("double", [1.0, 0.3])
def test_nothing_that_a_reader_can_ask_tells_what_another_marked(served: Served, double: float) -> None:
    """The answers to one reader are the same whatever another marked of the documents that both read."""
    answers = []
    for turned in (False, True):
        site = served(double=double)
        project = site.desk.project
        anna, ben = site.client("anna"), site.client("ben")
        for n in (1, 2, 16, 24):
            anna.mark(f"a{n}")
        for n in range(1, 60):
            relevant = n % 8 == 0
            twice = bool(project.read_twice[n])
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
    olga.post("/api/stop")
    assert anna.get("/api/certificate").json()["relevant"] == 2
    assert anna.get("/certificate").status_code == anna.get("/certificate.pdf").status_code == 200


def test_without_double_reading_everybody_sees_how_much_is_found(served: Served) -> None:
    anna = served().client("anna")
    assert anna.get("/api/certificate").json()["relevant"] == 1
    assert anna.get("/certificate").status_code == 200


@pytest.mark.parametrize("double", [0.0, 0.5])
def test_only_the_organiser_decides_for_all(served: Served, double: float) -> None:
    site = served(double=double)
    for name in ("anna", "ben", "eve"):
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
