"""The pages of a campaign, asked as a team, a student, the expert, the organiser and nobody."""

from __future__ import annotations

import datetime
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.judge.journal import People
from leadline.show.campaign import live_campaign as live_module
from leadline.show.campaign.judging import assign, draw_campaign_pool, release
from leadline.show.campaign.live_campaign import LiveCampaign
from leadline.show.campaign.submission import CheckedRun, Description
from leadline.show.serve.campaign_pages import campaign_app
from leadline.show.serve.laboratory.uploads import MOST_OF_ONE
from leadline.show.serve.security import Address

NOON = datetime.datetime(2027, 3, 1, 12, tzinfo=datetime.UTC)
FORM = {"task": "ts", "kind": "automatic", "fields": "title", "resources": "none", "text": "Words of the title."}
DOCUMENTS = [Document(f"US{7000000 + n}B2", title=f"Nail {n}", abstract="A nail.") for n in range(20)]


def run_text(tag: str, first: int = 0) -> str:
    """A run of two topics."""
    names = [document.id for document in DOCUMENTS[first : first + 4]]
    return "".join(f"{t} Q0 {name} {r} {9 - r} {tag}\n" for t in ("1", "2") for r, name in enumerate(names, start=1))


class Served:
    """A campaign, its application, and who asks it."""

    def __init__(self, folder: Path, collection: Path) -> None:
        self.now = NOON - datetime.timedelta(days=2)
        (topics := folder.with_suffix(".tsv")).write_text("topic\ttitle\n1\tNails\n2\tScrews\n")
        self.live = LiveCampaign.create(folder, "Nails", collection=str(collection), clock=lambda: self.now)
        self.live.set_task("ts", "survey", topics=str(topics), deadline="2027-03-01 12:00 UTC", strata="2:1", double=0)
        roles = {"york": "team", "iowa": "team", "anna": "student", "eve": "expert", "olga": "organiser"}
        self.tokens = {name: self.live.invite(name, role) for name, role in roles.items()}
        people = People(self.live.people_path)
        self.app = campaign_app(self.live, people, Address.of("127.0.0.1", 80))

    def client(self, name: str) -> TestClient:
        """Who asks, signed in by the link; an empty name is nobody."""
        client = TestClient(self.app, base_url="http://127.0.0.1:80")
        if name:
            assert client.get(f"/in/{self.tokens[name]}").status_code == 200
        return client

    def page(self, name: str, path: str = "/") -> str:
        """A page without what is random in it: the token of its forms."""
        return re.sub(r'name="csrf" value="[^"]*"', "", self.client(name).get(path).text)

    def send(self, name: str, text: str, **changed: str) -> str:
        client = self.client(name)
        csrf = client.get("/api/csrf").json()["csrf"]
        said = {**FORM, "priority": "1", "csrf": csrf, **changed}
        return client.post("/send", data=said, files={"file": ("a.run", text.encode())}).text


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("track") / "collection"
    write_collection(iter(DOCUMENTS), folder, {})
    return folder


def test_nothing_tells_a_team_of_the_others_before_the_release(tmp_path: Path, collection: Path) -> None:
    """Two campaigns that differ only in what the other team sent answer byte for byte the same."""
    served = [Served(tmp_path / name, collection) for name in ("quiet", "busy")]
    served[1].send("york", run_text("one"))
    served[1].send("york", run_text("two", 5), priority="2")
    paths = (
        "/",
        "/topics/ts",
        "/documents.txt",
        "/runs/york-one",
        "/receipt/york-one",
        "/qrels/ts",
        "/analysis/ts",
        "/judge/ts/",
    )

    def answers(each: Served, name: str) -> list[str]:
        sent = [each.send(name, run_text("one")), each.send(name, "wrong\n")] if name == "iowa" else []
        said = [*sent, *(each.page(name, path) for path in paths)]
        return [re.sub(r'csrf" value="[^"]*"', "", text) for text in said]

    for name in ("iowa", "anna", ""):
        assert answers(served[0], name) == answers(served[1], name), name
    assert "Nails" not in served[1].page("")
    assert served[1].client("").get("/").status_code == 401


def test_a_run_is_sent_by_a_form_and_its_receipt_fetched(tmp_path: Path, collection: Path) -> None:
    served = Served(tmp_path / "c", collection)
    assert "US999B2 is not a document of the collection" in served.send(
        "york", run_text("one") + "1 Q0 US999B2 9 0 one\n"
    )
    assert "york-one" in served.send("york", run_text("one"))
    receipt = served.client("york").get("/receipt/york-one").json()
    assert receipt["receipt"] == served.live.facts.runs[0].receipt
    assert served.client("york").get("/runs/york-one").text == run_text("one")
    for other in ("iowa", "anna", "eve"):
        assert served.client(other).get("/runs/york-one").status_code == 404
    program = TestClient(
        served.app, base_url="http://127.0.0.1:80", headers={"Authorization": f"Bearer {served.tokens['york']}"}
    )
    asked = {**FORM, "name": "b.run", "priority": "2"}
    assert program.post("/api/runs", params=asked, content=run_text("two", 4).encode()).json()["name"] == "york-two"
    assert (
        program.post("/api/runs", params=asked, content=b"no run\n")
        .json()["problems"][0]
        .startswith("b.run:1: 2 fields")
    )


def test_the_organiser_is_led_through_and_the_release_opens_it(tmp_path: Path, collection: Path) -> None:
    served = Served(tmp_path / "c", collection)
    assert "Teams are sending" in served.page("olga")
    served.send("york", run_text("one"))
    served.send("iowa", run_text("one", 2))
    served.now = NOON + datetime.timedelta(hours=1)
    client = served.client("olga")

    def press(action: str) -> str:
        csrf = client.get("/api/csrf").json()["csrf"]
        return client.post(f"/organise/{action}", data={"csrf": csrf, "task": "ts"}).text

    assert "Next: pool the runs" in served.page("olga")
    assert "Next: assign the topics" in press("pool")
    assert "People are judging" in press("assign")
    assert "that nobody judged" in press("release")
    student = served.page("anna")
    assert "Judge your 2 topics" in student
    assert "york" not in student + served.page("anna", "/judge/ts/")
    release(served.live, served.live.facts.task(), incomplete=True)
    assert "york-one" in served.page("iowa")
    assert served.client("iowa").get("/runs/york-one").text == run_text("one")
    public = served.client("").get("/")
    assert (public.status_code, "york-one" in public.text) == (200, True)
    assert served.client("").get("/qrels/ts").text.count("\n") == 8


def test_the_expert_sees_what_waits(tmp_path: Path, collection: Path) -> None:
    served = Served(tmp_path / "c", collection)
    served.live.invite("ben", "student")
    path = tmp_path / "a.run"
    path.write_text(run_text("one"))
    task = served.live.facts.task()
    served.live.submit("york", task, path, Description("automatic", ("title",), "none", "Words of the title.", 1))
    served.now = NOON + datetime.timedelta(hours=1)
    draw_campaign_pool(served.live, task)
    assign(served.live, task, double=1.0)
    assert "Nothing waits for you" in served.page("eve")
    assert served.client("iowa").get("/judge/ts/").status_code == 403
    for name, status in (("", 401), ("iowa", 403)):
        there, missing = (served.client(name).get(f"/judge/{task}/") for task in ("ts", "zz"))
        assert (there.status_code, there.text) == (status, missing.text), "nobody learns what is judged"
    assert "Nails" not in served.page("", "/judge/ts/")
    assert "This is for the students and seniors" in served.page("iowa", "/judge/ts/")


def test_a_team_sees_the_rules_before_it_sends(tmp_path: Path, collection: Path) -> None:
    served = Served(tmp_path / "c", collection)
    served.live.set_task("sets", "survey", topics=str(tmp_path / "c.tsv"), takes=["boolean"], length=50, most_runs=2)
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", served.page("york")))
    assert "Runs are taken until 2027-03-01 12:00 UTC. You have sent 0 of 8." in page
    assert "A run at most 50 documents a topic, boolean" in page
    assert "A line topic Q0 document rank score tag, of which rank and score are not read" in page
    assert "Measured by set_F, set_P, set_recall" in page


def test_no_team_takes_all_places_for_uploads(
    tmp_path: Path, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A form of up to 64 MiB is in memory as a whole."""
    served, begun, go_on = Served(tmp_path / "c", collection), threading.Semaphore(0), threading.Event()
    check_run = live_module.check_run

    def slow(*args: Any, **more: Any) -> CheckedRun:
        begun.release()
        assert go_on.wait(30)
        return check_run(*args, **more)

    monkeypatch.setattr(live_module, "check_run", slow)
    with ThreadPoolExecutor(3) as threads:
        first = [threads.submit(served.send, "york", run_text(f"r{n}")) for n in range(MOST_OF_ONE)]
        for _ in first:
            assert begun.acquire(timeout=30)
        assert "uploads of yours are under way" in served.send("york", run_text("more"))
        other = threads.submit(served.send, "iowa", run_text("other"))
        assert begun.acquire(timeout=30)
        go_on.set()
        assert all("uploads of yours" not in each.result() for each in (*first, other))
    assert "uploads of yours" not in served.send("york", run_text("more"))  # the places are free again


def test_a_damaged_run_is_told_without_its_place(tmp_path: Path, collection: Path) -> None:
    served = Served(tmp_path / "c", collection)
    served.send("york", run_text("one"))
    path = served.live.folder / served.live.facts.runs[0].file
    path.write_bytes(path.read_bytes() + b"1 Q0 US7000009B2 9 0 one\n")
    answer = served.client("york").get("/runs/york-one")
    assert (answer.status_code, "is damaged, its checksum does not fit" in answer.text) == (503, True)
    assert str(tmp_path) not in answer.text
