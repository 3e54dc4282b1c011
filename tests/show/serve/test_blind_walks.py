"""Two histories that differ in one mark of a colleague: an assessor is answered the same, byte for byte, everywhere.

The documents are those that the server gives people to read, so that what one mark changes for its maker would show in
what others get, too. The addresses are those of the application itself: a new one is compared without being named here.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.show.serve.every_address import Answers, answers, differing, routes
from tests.show.serve.reviewing.conftest import is_relevant, ris

from leadline.judge.journal import People
from leadline.judge.review.draws import DrawSeed
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import KNOWN, PEOPLE, ReviewProject, ReviewSettings
from leadline.judge.review.review_state import Proposer
from leadline.show.lab.lab import Lab
from leadline.show.serve.desks import ReviewDesk, open_desk
from leadline.show.serve.judging_pages import judging_app
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.reviewing_pages import reviewing_app
from leadline.show.serve.security import Address, Guard

ADDRESS = Address.of("127.0.0.1", 8399)
ROLES = {"anna": "assessor", "ben": "assessor", "carl": "assessor", "eve": "expert", "olga": "organiser"}


@dataclass
class Team:
    """An application in this process, and what its people do."""

    app: Any
    tokens: dict[str, str]
    done: int = 0
    clients: dict[str, TestClient] = field(default_factory=dict)

    def client(self, name: str) -> TestClient:
        """A program of a person: its token comes in a header, and a browser's forms are taken from it too."""
        if name not in self.clients:
            guarded = Guard(self.app, ADDRESS)
            headers = {"authorization": f"Bearer {self.tokens[name]}"}
            self.clients[name] = TestClient(guarded, base_url=ADDRESS.url, headers=headers)
        return self.clients[name]

    def send(self, name: str, path: str, **content: Any) -> Any:
        self.done += 1
        answer = self.client(name).post(path, json={"id": f"event-{self.done:04}", **content})
        assert answer.status_code == 200, answer.text
        return answer


@dataclass
class ReviewTeam(Team):
    """A review, whose learner learns when it is told to."""

    desk: Any = None

    def next(self, name: str, topic: str = "abstract") -> list[str]:
        self.desk.proposer.learn()
        answer = self.client(name).get("/api/next", params={"topic": topic, "count": 3}).json()
        return [card["document"] for card in answer["cards"]]

    def mark(self, name: str, document: str, grade: int, topic: str = "abstract") -> None:
        about = {"topic": topic, "document": document, "grade": grade, "seconds": 2.0, "note": f"{name} was here"}
        self.send(name, "/api/judgements", **about)


Reviews = Callable[..., ReviewTeam]


@pytest.fixture
def reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reviews:
    """Begin the same review again and again."""
    # The order of draws follows from the hash of all events, marks among them, which tells nobody what they are.
    monkeypatch.setattr(DrawSeed, "hex", property(lambda seed: f"{7:064x}"))
    (tmp_path / "search.ris").write_text(ris(64))
    begun: dict[float, dict[str, str]] = {}

    def begin(double: float) -> ReviewTeam:
        kept, folder = tmp_path / f"begun-{double}", tmp_path / "review"
        if double not in begun:
            about = ReviewSettings("Brakes", double=double, stages=2)
            begin_review(kept, [tmp_path / "search.ris"], about, known=["a0"])
            people = People(kept / PEOPLE)
            begun[double] = {name: people.add(name, role) for name, role in ROLES.items()}  # type: ignore[arg-type]
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kept, folder)
        desk = ReviewDesk(ReviewProject.open(folder))
        return ReviewTeam(reviewing_app(desk, ADDRESS, "Brakes"), begun[double], desk=desk)

    return begin


def walk(team: ReviewTeam, place: int, *, turned: bool, readers: tuple[str, ...], draws: bool, full: bool) -> str:
    """Let people read what they are given. Of the documents that anna has not read, the `place`-th that ben reads and
    that is read twice is the one in question: it is turned, or its full text is, and anna never reads it. Returns it.
    """
    question, seen = "", 0
    for step in range(14):
        if draws and step == 7:
            team.send("olga", "/api/switch", to="draws")
        for name in readers:
            given = team.next(name)
            document = next((each for each in given if name == "ben" or each != question), None)
            if document is None:
                continue
            row, grade = team.desk.project.row_of[document], int(is_relevant(document))
            if name == "ben" and team.desk.project.read_twice[row] and not team.desk.state.marks_of(row, "abstract"):
                seen += 1
                if seen == place:
                    question = document
                    grade = 1 if full else int(bool(grade) != turned)
            team.mark(name, document, grade)
    assert question
    for document in team.next("ben", "full-text"):
        if full or document != question:
            team.mark("ben", document, int(turned and document == question), "full-text")
    if full:
        team.mark("ben", question, int(turned), "full-text")
    return question


def told(team: ReviewTeam, question: str) -> Answers:
    """What anna is told everywhere, also of the document in question, which she does not mark."""
    project = team.desk.project
    others = [unit[0] for unit in project.units if unit[0] not in (question, "a0")][:2]
    values = {
        "token": ["wrong"], "name": ["judge.js"], "topic": ["abstract", "full-text"], "document": [question, *others],
        "field": ["claims"], "words": ["brake", "study", question], "count": ["10"], "have": [f'["{others[0]}"]'],
    }  # fmt: skip
    content = {"id": "told-to-anna", "topic": "abstract", "document": others[0], "grade": 1, "text": "x", "to": "draws"}
    sent = [content, {**content, "resume": True, "to": "stop", "have": others}, {**content, "topic": "full-text"}]
    return answers(team.client("anna"), team.app, values, sent)


@pytest.mark.parametrize(
    ("double", "readers", "place", "draws", "full"),
    [
        (1.0, ("ben", "anna"), 1, False, False),
        (0.4, ("ben", "anna"), 1, False, False),
        (0.4, ("ben", "anna"), 3, False, False),
        (0.4, ("ben", "carl", "anna"), 2, True, False),
        (0.4, ("ben", "eve", "anna"), 2, True, False),
        (1.0, ("ben", "anna"), 2, False, True),
    ],
)
def test_a_reader_of_a_review_is_told_nothing_by_another_mark(
    reviews: Reviews, double: float, readers: tuple[str, ...], place: int, draws: bool, full: bool
) -> None:
    found, questions = [], set()
    for turned in (False, True):
        team = reviews(double)
        questions.add(walk(team, place, turned=turned, readers=readers, draws=draws, full=full))
        found.append(told(team, max(questions)))
        row = team.desk.project.row_of[max(questions)]
        assert "anna" not in team.desk.state.marks_of(row, "abstract")
        team.desk.close()
    assert len(questions) == 1
    assert differing(*found) == []
    assert len({path for path, _ in routes(team.app)}) > 15
    assert {status for status, _, _ in found[0].values()} >= {200, 303, 400, 403}


def test_a_paper_that_a_colleague_adds_as_known_is_read_by_the_others_as_any(reviews: Reviews) -> None:
    found = []
    for about in ({"grade": 0}, {"grade": 1, "reason": KNOWN}):
        team = reviews(1.0)
        question = team.next("ben")[0]
        team.send("ben", "/api/judgements", topic="abstract", document=question, seconds=2.0, **about)
        assert question in team.next("anna")
        found.append(told(team, question))
        team.desk.close()
    assert differing(*found) == []


def judge(team: Team, prefix: str, place: int, *, turned: bool, sent_back: bool) -> str:
    """Let three assessors judge what a pool gives them. The `place`-th document of ben is the one in question: its mark
    is turned, and anna never makes one. Returns it.
    """
    question = ""
    for step in range(6):
        if sent_back and step == 4:
            about = {"topic": "T1", "text": "Look again.", "which": "not agreed", "id": "sent-back"}
            assert team.client("olga").post(f"{prefix}/organise/send-back", data=about).status_code == 200
        for name in ("ben", "carl", "anna"):
            asked = {"topic": "T1", "count": 3}
            cards = team.client(name).get(f"{prefix}/api/next", params=asked).json()["cards"]
            document = next(card["document"] for card in cards if name == "ben" or card["document"] != question)
            if name == "ben" and step == place:
                question = document
            grade = int(turned) if name == "ben" and step == place else step % 2
            about = {"topic": "T1", "document": document, "grade": grade, "seconds": 2.0, "note": f"{name} was here"}
            team.send(name, f"{prefix}/api/judgements", **about)
    return question


def pool_values(question: str) -> dict[str, list[str]]:
    return {
        "token": ["wrong"], "name": ["judge.js", "pool", "documents", "one", "twice"], "topic": ["T1", "abstract"],
        "document": [question, "D00", "D01"], "field": ["claims"], "count": ["10"], "view": ["all", "relevant"],
        "after": [question], "brief": ["1"], "id": ["T1", question], "ending": ["csv"], "figure": ["ranks"],
        "offer": ["none"],
        "words": ["brake"],
    }  # fmt: skip


SENT = {"id": "told-to-anna", "topic": "T1", "document": "D00", "grade": 1, "text": "x", "claim": "1"}


@pytest.mark.parametrize("sent_back", [False, True])
def test_an_assessor_of_a_pool_is_told_nothing_by_another_mark(files: Path, tmp_path: Path, sent_back: bool) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(files, kept)
    people = People(kept / "pool.txt.people")
    tokens = {name: people.add(name, role) for name, role in ROLES.items()}  # type: ignore[arg-type]
    found, questions = [], set()
    for turned in (False, True):
        folder = tmp_path / "judged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kept, folder)
        pool, topics = folder / "pool.txt", folder / "topics.jsonl"
        desk = open_desk(pool, folder / "documents", f"{pool}.journal", f"{pool}.people", topics=topics)
        team = Team(judging_app(desk, ADDRESS, "Coatings"), tokens)
        question = judge(team, "", 2, turned=turned, sent_back=sent_back)
        questions.add(question)
        found.append(answers(team.client("anna"), team.app, pool_values(question), [SENT]))
        desk.journal.close()
    assert len(questions) == 1
    assert differing(*found) == []


@pytest.mark.parametrize("blind", [False, True])
def test_an_assessor_in_a_lab_is_told_nothing_by_another_mark(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blind: bool
) -> None:
    monkeypatch.setattr(Proposer, "start", lambda self: None)  # what is learned comes when it comes
    (tmp_path / "search.ris").write_text(ris(40))
    kept = Lab.create(tmp_path / "kept" / "lab", "Coatings")
    shutil.copytree(files / "documents", tmp_path / "kept" / "documents")
    about = ReviewSettings("Brakes", double=1.0)
    review = begin_review(tmp_path / "kept" / "twice", [tmp_path / "search.ris"], about, known=["a0"]).folder
    kept.add(tmp_path / "kept" / "documents")
    kept.add_all([files / "one.run", files / "topics.jsonl", files / "pool.txt", review])
    kept.set_blind(blind)
    people = People(kept.people_file())
    tokens = {name: people.add(name, role) for name, role in ROLES.items()}  # type: ignore[arg-type]
    found, questions = [], set()
    for turned in (False, True):
        folder = tmp_path / "served"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tmp_path / "kept", folder)
        lab = Lab.open(folder / "lab")
        team = Team(lab_app(lab, People(lab.people_file()), ADDRESS), tokens)
        question = judge(team, "/judge/pool", 2, turned=turned, sent_back=False)
        for name, document in (("anna", "a1"), ("ben", "a8"), ("ben", "a1")):
            grade = int(turned and document == "a8")
            mark = {"topic": "abstract", "document": document, "grade": grade, "seconds": 2.0}
            team.send(name, "/review/twice/api/judgements", **mark)
        questions.add(question)
        sent = [SENT, {**SENT, "topic": "abstract", "document": "a2", "to": "stop"}]
        found.append(answers(team.client("anna"), team.app, pool_values(question), sent))
    assert len(questions) == 1
    assert differing(*found) == []
    paths = {path for path, _ in routes(team.app)}
    assert {"/judge/pool/api/next", "/review/twice/api/next", "/people", "/document/{name}/{id:path}"} <= paths
