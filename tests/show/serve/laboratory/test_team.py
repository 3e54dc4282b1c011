"""A lab for a team: who may do what, blind labs, judging inside the lab, reports in their sandbox, and the client."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.show.serve.laboratory.boards import example_lab
from tests.show.serve.reviewing.conftest import ris

import leadline as ll
from leadline.errors import InputError
from leadline.judge.journal import People
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import ReviewSettings
from leadline.show.lab.boards import LARGEST_SENT
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import AuditLog
from leadline.show.serve.laboratory.lab_app import OWNER, OwnerAlone, lab_app
from leadline.show.serve.security import Address, Guard, listen, server

ROLES = ("reader", "runner", "assessor", "expert", "organiser")
PAGES = (
    "/", "/leaderboard", "/compare", "/trust", "/search", "/prior-art", "/collections", "/reports", "/jobs", "/judge",
    "/review", "/people",
)  # fmt: skip


@pytest.fixture(scope="module")
def lab(example_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return example_lab(example_files, tmp_path_factory.mktemp("team"))


@dataclass
class Team:
    """The application of a lab, and a client of each person."""

    lab: Lab
    people: People
    clients: dict[str, TestClient] = field(default_factory=dict)

    def csrf(self, person: str) -> str:
        return str(self.clients[person].get("/api/csrf").json()["csrf"])

    def post(self, who: str, path: str, **fields: str) -> Any:
        data = {"csrf": self.csrf(who), **fields}
        return self.clients[who].post(path, data=data, follow_redirects=False)


@pytest.fixture(scope="module")
def team(lab: Lab) -> Team:
    people = People(lab.people_file())
    address = Address.of("127.0.0.1", 8399)
    app = Guard(lab_app(lab, people, address), address)
    made = Team(lab, people)
    for role in ROLES:
        client = TestClient(app, base_url=address.url)
        assert client.get(f"/in/{people.add(role, role)}").status_code == 200  # type: ignore[arg-type]
        made.clients[role] = client
    made.clients["nobody"] = TestClient(app, base_url=address.url)
    return made


@pytest.mark.parametrize("path", PAGES)
def test_every_page_opens_for_its_roles_and_for_nobody_else(team: Team, path: str) -> None:
    allowed = {"/people": {"organiser"}, "/judge": {"assessor", "expert", "organiser"}}
    allowed["/review"] = allowed["/judge"]
    for person, client in team.clients.items():
        wanted = 401 if person == "nobody" else 200 if person in allowed.get(path, ROLES) else 403
        api = f"/api{path}" if path != "/" else "/api/home"
        for address in (path, api):
            answer = client.get(address)
            assert answer.status_code == wanted, (person, address, answer.text[-400:])
        assert "<script>alert(1)" not in client.get(path).text


def menu_of(page: str) -> list[str]:
    return re.findall(r'<a href="(/[a-z-]*)"', page.partition('<nav class="menu"')[2].partition("</nav>")[0])


def test_the_menu_has_what_a_person_can_do_and_what_the_lab_has(team: Team) -> None:
    menus = {role: menu_of(team.clients[role].get("/").text) for role in ROLES}
    assert not {"/judge", "/add", "/jobs", "/people"} & set(menus["reader"])
    assert {"/add", "/jobs"} == set(menus["runner"]) - set(menus["reader"])
    assert menus["assessor"] == menus["expert"] == [*menus["reader"], "/judge", "/review"]
    assert menus["organiser"] == [*menus["expert"], "/add", "/jobs", "/people"]
    assert all("/leaderboard" in menu for menu in menus.values())


@pytest.mark.parametrize(
    ("path", "fields", "allowed"),
    [
        ("/jobs", {"kind": "nothing"}, {"runner", "organiser"}),
        ("/job/0123456789abcdef/cancel", {"sure": "yes"}, {"runner", "organiser"}),
        ("/people/blind", {"blind": "perhaps"}, {"organiser"}),
        ("/people/revoke", {"person": "nobody here"}, {"organiser"}),
        ("/organise/close", {"topic": "1"}, set()),
        ("/judge/pool/organise/assign", {"person": "nobody here"}, {"organiser"}),
    ],
)
def test_every_form_is_refused_to_other_roles_and_to_forgers(
    team: Team, path: str, fields: dict[str, str], allowed: set[str]
) -> None:
    for person in ROLES:
        status = team.post(person, path, **fields).status_code
        assert status in ((400, 404) if person in allowed else (403, 404)), (person, status)
    forged = team.clients["organiser"].post(path, data=fields, follow_redirects=False)
    assert forged.status_code in (403, 404)
    assert team.clients["nobody"].post(path, data=fields).status_code in (401, 404)
    other = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    data = {**fields, "csrf": team.csrf("organiser")}
    assert team.clients["organiser"].post(path, data=data, headers=other).status_code == 403


def test_a_blind_lab_shows_participants_their_own_runs_alone(team: Team, example_files: Path) -> None:
    lab = team.lab
    lab.add(example_files / "runs" / "title.run", name="secret", owner="somebody")
    lab.add(example_files / "late.run", name="mine", owner="runner", replaced=True)
    assert team.post("organiser", "/people/blind", blind="yes").status_code == 303
    try:
        for path in ("/", "/leaderboard", "/compare", "/jobs", "/reports", "/run/secret", "/run/dph", "/trust"):
            for address in (path, f"/api{path}" if path != "/" else "/api/home"):
                answer = team.clients["runner"].get(address)
                assert answer.status_code in (200, 400, 404), (address, answer.text)
                if answer.status_code == 200:
                    assert "secret" not in answer.text, address
                    assert "dph" not in answer.text, address
        assert "mine" in team.clients["runner"].get("/api/run/mine").text
        assert team.clients["runner"].get("/report/first.html").status_code == 404
        assert team.clients["organiser"].get("/api/run/secret").status_code == 200
        assert team.clients["organiser"].get("/report/first.html").status_code == 200
    finally:
        assert team.post("organiser", "/people/blind", blind="no").status_code == 303
    assert team.clients["runner"].get("/api/run/secret").status_code == 200
    done = [line["did"] for line in team.clients["organiser"].get("/api/people").json()["audit"]]
    assert done[:2] == ["opened the results", "hid the results from participants"]


@pytest.mark.parametrize(
    "id", ["a" * 300, "\u00e4", "a..b", "0123456789abcdef"], ids=["long", "letter", "dots", "none"]
)
def test_a_job_that_is_not_there(team: Team, id: str) -> None:
    for path in (f"/job/{id}", f"/api/job/{id}"):
        assert team.clients["reader"].get(path).status_code == 404
    assert team.post("organiser", f"/job/{id}/cancel").status_code == 404


def test_a_report_runs_in_a_sandbox(team: Team) -> None:
    policy = team.clients["reader"].get("/report/first.html").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy


def test_people_judge_inside_the_lab(team: Team) -> None:
    client = team.clients["assessor"]
    page = client.get("/judge/pool/").text
    addresses = re.findall(r'(?:href|src|action)="([^"#]*)"', page)
    assert addresses
    assert all(each == "/" or each.startswith("/judge/pool/") for each in addresses)
    topic = re.search(r"/judge/pool/judge\?topic=([^\"&]+)", page)
    assert topic is not None
    card = client.get(f"/judge/pool/api/next?topic={topic[1]}").json()
    document = card["cards"][0]["document"]
    body = {"id": "a" * 32, "topic": topic[1], "document": document, "grade": 1, "seconds": 2}
    headers = {"x-csrf-token": team.csrf("assessor")}
    answer = client.post("/judge/pool/api/judgements", json=body, headers=headers)
    assert answer.json()["saved"], answer.text
    rows = client.get("/api/judge").json()["pools"]
    assert rows[0]["judged"] >= 1
    assert team.clients["reader"].get("/judge/pool/").status_code == 403
    assert team.clients["assessor"].get("/judge/nothing/").status_code == 404


def test_marks_are_on_the_page_of_a_document_for_those_who_may_see_them(team: Team) -> None:
    page = team.clients["expert"].get("/judge/pool/").text
    topic = re.findall(r"/judge/pool/judge\?topic=([^\"&]+)", page)[-1]
    document = team.clients["expert"].get(f"/judge/pool/api/next?topic={topic}").json()["cards"][0]["document"]
    body = {"id": "e" * 32, "topic": topic, "document": document, "grade": 1, "seconds": 2, "note": "<b>mine</b>"}
    headers = {"x-csrf-token": team.csrf("expert")}
    assert team.clients["expert"].post("/judge/pool/api/judgements", json=body, headers=headers).json()["saved"]
    address = f"/document/patents/{document}?topic={topic}"

    def marks(person: str) -> list[dict[str, Any]]:
        return list(team.clients[person].get(f"/api{address}").json()["marks"])

    all_marks = marks("organiser")
    (mark,) = (each for each in all_marks if each["person"] == "expert")
    assert (mark["pool"], mark["person"], mark["grade"], mark["note"]) == ("pool", "expert", 1, "<b>mine</b>")
    assert len(mark["at"]) == 19
    assert marks("expert") == [mark]
    assert mark not in marks("assessor")  # people judge independently
    assert [marks(person) for person in ("reader", "runner")] == [[], []]
    shown = team.clients["organiser"].get(address).text
    assert "&lt;b&gt;mine&lt;/b&gt;" in shown
    assert "<b>mine" not in shown
    assert team.post("organiser", "/judge/pool/organise/close", topic=topic).status_code == 303
    assert marks("reader") == all_marks  # nobody judges it any more
    team.lab.set_blind(True)
    try:
        assert [marks(person) for person in ("organiser", "expert", "reader")] == [all_marks, [mark], []]
    finally:
        team.lab.set_blind(False)


def test_a_review_is_read_inside_the_lab(team: Team) -> None:
    page = team.clients["assessor"].get("/review/asthma/")
    assert page.status_code == 200, page.text
    assert 'data-prefix="/review/asthma"' in page.text
    assert team.clients["organiser"].get("/review/asthma/").status_code == 200  # the certificate
    assert team.clients["runner"].get("/review/asthma/").status_code == 403


def test_a_review_with_two_readers_hides_what_others_marked_in_the_lab_too(team: Team, tmp_path: Path) -> None:
    (tmp_path / "search.ris").write_text(ris(40))
    twice = ReviewSettings("Twice", double=1.0)
    team.lab.add(begin_review(tmp_path / "twice", [tmp_path / "search.ris"], twice, known=["a0"]).folder)
    try:
        assessor, organiser = team.clients["assessor"], team.clients["organiser"]
        for client, shown in ((assessor, [None, None]), (organiser, [1, 1 / 40])):
            (row,) = [each for each in client.get("/api/review").json()["reviews"] if each["review"] == "twice"]
            assert [row["relevant"], row["recall_at_least"]] == shown
        assert assessor.get("/review/twice/api/certificate").json()["hidden"] is True
        assert assessor.get("/review/twice/certificate").status_code == 403
        assert organiser.get("/review/twice/api/certificate").json()["relevant"] == 1
        headers = {"x-csrf-token": team.csrf("assessor")}
        stop = assessor.post("/review/twice/api/stop", json={"id": "stop-by-one"}, headers=headers)
        assert stop.status_code == 403
        headers = {"x-csrf-token": team.csrf("organiser")}
        assert organiser.post("/review/twice/api/stop", json={"id": "stop-by-all"}, headers=headers).json()["saved"]
    finally:
        team.lab.remove("review", "twice")


def test_the_owner_alone_leads_a_review(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "search.ris").write_text(ris(40))
    lab.add(begin_review(tmp_path / "mine", [tmp_path / "search.ris"], ReviewSettings("Mine", double=0.5)).folder)
    people = OwnerAlone(lab.people_file())
    address = Address.of("127.0.0.1", 8399)
    client = TestClient(Guard(lab_app(lab, people, address), address), base_url=address.url)
    assert client.get(f"/in/{people.add(OWNER, 'organiser')}").status_code == 200
    assert 'id="stop"' in client.get("/review/mine/").text
    assert client.get("/review/mine/api/certificate").json()["relevant"] == 0
    lab.remove("review", "mine")


def test_the_owner_alone_is_let_in_and_judges(lab: Lab) -> None:
    people = OwnerAlone(lab.people_file())
    other, token = people.add("guest", "reader"), people.add(OWNER, "organiser")
    address = Address.of("127.0.0.1", 8398)
    client = TestClient(lab_app(lab, people, address), base_url=address.url)
    assert client.get(f"/in/{other}").status_code == 403
    assert client.get(f"/in/{token}").status_code == 200
    assert client.get("/people").status_code == 200
    assert "/judge/pool/judge?topic=" in client.get("/judge/pool/").text  # topics to judge, not the overview


def test_the_client_sees_and_does_what_the_pages_do(lab: Lab, example_files: Path, tmp_path: Path) -> None:
    people = People(lab.people_file())
    opened = listen("127.0.0.1", 0)
    address = Address.of("127.0.0.1", opened.getsockname()[1])
    running = server(lab_app(lab, people, address), address, quiet=True)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not running.started and time.monotonic() < end:
        time.sleep(0.02)
    try:
        served = ll.connect(address.link(people.add("petra", "runner")))
        assert served.get("home")["counts"]["qrels"] == 1
        assert "bm25" in served.table("leaderboard", "runs", measure="AP")["run"].to_list()
        sent = tmp_path / "sent.run"
        sent.write_text((example_files / "runs" / "bm25.run").read_text().replace(" baseline", " <b>sent</b>"))
        assert served.add_run(sent, qrels="qrels") == "sent"
        assert lab.get("run", "sent").owner == "petra"
        assert [line.did for line in AuditLog(lab.store).lines() if line.person == "petra"] == ["added the run sent"]
        with pytest.raises(InputError, match=r"nofile\.run: no such file"):
            served.add_run(tmp_path / "nofile.run")
        huge = tmp_path / "huge.run"
        with huge.open("wb") as file:
            file.truncate(LARGEST_SENT + 1)
        with pytest.raises(InputError, match=r"is larger than .* compress it"):
            served.add_run(huge)
        job = served.start("pool", depth=3, name="by-client")
        assert served.wait(job)["state"] == "done"
        with pytest.raises(InputError, match="did you mean baseline"):
            served.start("run", index="patents.index", topics="topics", system="basline")
        with pytest.raises(InputError, match="organiser"):
            served.get("people")
        with pytest.raises(InputError, match="not signed in"):
            ll.connect(address.link("x" * 43))
    finally:
        running.should_exit = True
        thread.join(10)
    with pytest.raises(InputError, match="cannot be reached: connection refused; is `leadline serve` running"):
        served.get("home")
    for wrong in ("127.0.0.1:8377", "http://[/in/x", "http://127.0.0.1:8377/", "file:///in/x", ""):
        with pytest.raises(InputError, match="link"):
            ll.connect(wrong)
