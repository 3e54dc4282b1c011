"""A review of two hundred articles, a server of it on a free port, and people who ask it."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import ServedSite, plain_client

from leadline.judge.journal import People
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import PEOPLE, ReviewProject, ReviewSettings
from leadline.show.serve.desks import ReviewDesk
from leadline.show.serve.reviewing_pages import reviewing_app
from leadline.show.serve.security import Address

NAMES = (("anna", "assessor"), ("ben", "assessor"), ("eve", "expert"), ("olga", "organiser"))
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def is_relevant(document: str) -> bool:
    return int(document.removeprefix("a")) % 8 == 0


def ris(count: int = 200) -> str:
    lines = []
    for number in range(count):
        subject = "brake disc friction lining" if number % 8 == 0 else "wing lift airflow turbine blade"
        title = HOSTILE if number == 3 else f"Study {number} of {subject}"
        abstract = "" if number == 7 else f"AB  - We test {subject} series{number % 9} in practice.\n"
        fields = f"ID  - a{number}\nTI  - {title}\n{abstract}AU  - Miller, A.\nPY  - 2020\n"
        lines.append(f"TY  - JOUR\n{fields}ER  - \n\n")
    return "".join(lines)


@dataclass
class ReviewSite(ServedSite):
    """A server of a review."""

    def app(self, address: Address) -> Any:
        self.desk = ReviewDesk(ReviewProject.open(self.folder))
        self.desk.proposer.start()
        return reviewing_app(self.desk, address, "Brakes")

    def close_desk(self) -> None:
        self.desk.close()

    def client(self, person: str) -> ReviewVisit:
        visit = ReviewVisit(plain_client(base_url=self.url, timeout=20))
        assert visit.http.get(f"/in/{self.tokens[person]}").status_code == 303
        visit.csrf = visit.http.get("/api/csrf").json()["csrf"]
        return visit


@dataclass
class ReviewVisit:
    """One person's requests."""

    http: Any
    csrf: str = ""

    def get(self, path: str, **values: Any) -> Any:
        return self.http.get(path, params=values)

    def post(self, path: str, **content: Any) -> Any:
        body = {"id": uuid.uuid4().hex, **content}
        return self.http.post(path, json=body, headers={"X-CSRF-Token": self.csrf})

    def mark(self, document: str, grade: int | None = None, **more: Any) -> Any:
        value = int(is_relevant(document)) if grade is None else grade
        return self.post("/api/judgements", topic="abstract", document=document, grade=value, seconds=2.0, **more)

    def next(self, count: int = 1, have: str = "[]", topic: str = "abstract") -> list[str]:
        answer = self.get("/api/next", topic=topic, count=count, have=have)
        return [card["document"] for card in answer.json()["cards"]]


@pytest.fixture(scope="session")
def begun_review(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The review as it begins, and the tokens of its people's links."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / "search.ris").write_text(ris())
    settings = ReviewSettings("Brakes", criteria="Include: tests of brakes.", double=0.2, stages=2, target=0.9)
    project = begin_review(folder / "review", [folder / "search.ris"], settings, known=["a0"])
    people = People(project.folder / PEOPLE)
    return project.folder, {name: people.add(name, role) for name, role in NAMES}  # type: ignore[arg-type]


@pytest.fixture
def review_site(begun_review: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[ReviewSite]:
    shutil.copytree(begun_review[0], tmp_path / "review")
    made = ReviewSite(tmp_path / "review", tokens=dict(begun_review[1]))
    made.start()
    yield made
    made.stop()
