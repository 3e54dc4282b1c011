"""A small pool to judge, a server of it on a free port, and people who ask it."""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Claim, Document
from leadline.judge.journal import People
from leadline.show.serve.desks import open_desk
from leadline.show.serve.judging_pages import judging_app
from leadline.show.serve.security import Address, listen, server

TOPICS = """\
{"topic": "T1", "title": "Acetone in coatings", "category": "coating", "narrative": "Any acetone counts.", \
"subtopics": [{"name": "1", "text": "A coating with acetone."}, {"name": "2", "text": "The coating, dried."}]}
{"topic": "T2", "title": "Drying ovens", "narrative": "Ovens that dry coatings."}
"""
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m\u202e javascript:alert(3)"
PEOPLE = (("anna", "assessor"), ("ben", "assessor"), ("eve", "expert"), ("olga", "organiser"))


def documents() -> Iterator[Document]:
    for n in range(14):
        words = (
            f"A coating with acetone, number {n}. Propanone is added." if n % 2 else f"An oven that dries, number {n}."
        )
        claims = tuple(Claim(c, f"{words} Claim {c}.", () if c == 1 else (1,)) for c in range(1, 4))
        title = HOSTILE if n == 3 else f"Document {n} on {'coatings' if n % 2 else 'ovens'}"
        yield Document(f"D{n:02}", title=title, abstract=words, description=f"{words}\n{HOSTILE}\n" * 3, claims=claims)
    many = tuple(Claim(c, f"Claim {c} with acetone. " * 8, () if c == 1 else (1,)) for c in range(1, 501))
    yield Document(
        "HUGE", title="Large", abstract="Acetone.", description="Acetone dries well. " * 100_000, claims=many
    )


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection, topics, two runs and a pool of twelve documents of one topic and five of another."""
    folder = tmp_path_factory.mktemp("judging")
    write_collection(documents(), folder / "documents", {"what": "test"})
    (folder / "topics.jsonl").write_text(TOPICS)
    for name, turn in (("one", 0), ("two", 3)):
        ranked = {"T1": [f"D{(n + turn) % 12:02}" for n in range(12)], "T2": ["HUGE", "D12", "D13", "D00", "D01"]}
        lines = [
            f"{topic} Q0 {document} {rank} {100 - rank} {name}\n"
            for topic, listed in ranked.items() for rank, document in enumerate(listed, 1)
        ]  # fmt: skip
        (folder / f"{name}.run").write_text("".join(lines))
    main(
        [
            "pool",
            str(folder / "one.run"),
            str(folder / "two.run"),
            "-o",
            str(folder / "pool.txt"),
            "--depth",
            "12",
            "-q",
        ]
    )
    return folder


def plain_client(**options: Any) -> httpx.Client:
    """A client of pages without TLS: to load the certificates of authorities takes longer than most tests here."""
    return httpx.Client(verify=False, **options)


@dataclass
class ServedSite:
    """A server of pages, which can be stopped and started again on the same port."""

    folder: Path
    port: int = 0
    tokens: dict[str, str] = field(default_factory=dict)
    desk: Any = None
    _server: Any = None
    _thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def app(self, address: Address) -> Any:
        """Open the desk, and return the application of its pages."""
        raise NotImplementedError

    def close_desk(self) -> None:
        raise NotImplementedError

    def start(self) -> None:
        opened = listen("127.0.0.1", self.port)
        self.port = opened.getsockname()[1]
        address = Address.of("127.0.0.1", self.port)
        self._server = server(self.app(address), address)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [opened]}, daemon=True)
        self._thread.start()
        end = time.monotonic() + 20
        while not self._server.started and time.monotonic() < end:
            time.sleep(0.02)

    def stop(self) -> None:
        if self._server is not None:
            self._server.should_exit = self._server.force_exit = True
            assert self._thread is not None
            self._thread.join(10)
            self.close_desk()
            self._server = None


class PageBrowser:
    """Windows of people, and what went wrong in any of them."""

    expected = ("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "status of 503")  # a lost connection is one

    def __init__(self, opened: Any, site: ServedSite) -> None:
        self.opened, self.site = opened, site
        self.problems: list[str] = []
        self.elsewhere: list[str] = []

    def window(self, person: str, **options: Any) -> Any:
        page = self.opened.new_context(**{"viewport": {"width": 1200, "height": 800}, **options}).new_page()
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        own = self.site.url
        page.on("request", lambda asked: None if asked.url.startswith(own) else self.elsewhere.append(asked.url))
        page.goto(f"{own}/in/{self.site.tokens[person]}")
        return page

    def close(self) -> None:
        """Close all windows; nothing may have gone wrong in them, and nothing been asked elsewhere."""
        for context in self.opened.contexts:
            context.close()
        assert not [each for each in self.problems if not any(known in each for known in self.expected)]
        assert not self.elsewhere


def until(page: Any, expression: str, argument: Any = None) -> None:
    """Wait until something is true in a page, without the evaluation of text that its policy forbids."""
    end = time.monotonic() + 60
    while not page.evaluate(expression, argument):
        assert time.monotonic() < end, (
            f"{expression}: {page.inner_text('#status')!r}, {page.inner_text('#main')[:300]!r}"
        )
        page.wait_for_timeout(20)


def saved(page: Any) -> None:
    until(page, "/^(Saved|Undone)/.test(document.getElementById('status').textContent)")


def press_key(page: Any, key: str) -> None:
    """Judge the card that is shown, and wait for the next."""
    until(page, "!document.getElementById('card').hidden")
    shown = page.inner_text("#card-id")
    page.keyboard.press(key)
    until(page, "shown => document.getElementById('card').hidden || "
                "document.getElementById('card-id').textContent !== shown", shown)  # fmt: skip


@dataclass
class Site(ServedSite):
    """A server of the pool."""

    @property
    def pool(self) -> Path:
        return self.folder / "pool.txt"

    @property
    def people(self) -> People:
        return People(f"{self.pool}.people")

    def app(self, address: Address) -> Any:
        self.desk = open_desk(
            self.pool, self.folder / "documents", f"{self.pool}.journal", f"{self.pool}.people",
            topics=self.folder / "topics.jsonl",
        )  # fmt: skip
        return judging_app(self.desk, address, "Leadline judging")

    def close_desk(self) -> None:
        self.desk.journal.close()

    def client(self, person: str = "") -> Visit:
        visit = Visit(self, plain_client(base_url=self.url, timeout=20))
        if person:
            assert visit.http.get(f"/in/{self.tokens[person]}").status_code == 303
            visit.csrf = visit.http.get("/api/csrf").json()["csrf"]
        return visit


@dataclass
class Visit:
    """One person's requests."""

    site: Site
    http: Any
    csrf: str = ""

    def get(self, path: str, **values: Any) -> Any:
        return self.http.get(path, params=values)

    def post(self, path: str, content: dict[str, Any], **headers: str) -> Any:
        return self.http.post(path, json=content, headers={"X-CSRF-Token": self.csrf, **headers})

    def form(self, path: str, **fields: str) -> Any:
        return self.http.post(path, data={"csrf": self.csrf, **fields})

    def judge(self, document: str, grade: int, topic: str = "T1", **more: Any) -> Any:
        content = {"id": uuid.uuid4().hex, "topic": topic, "document": document, "grade": grade, "seconds": 2.5, **more}
        return self.post("/api/judgements", content)


@pytest.fixture(scope="session")
def invited(files: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The files, with the people of the pool, and the tokens of their links."""
    folder = tmp_path_factory.mktemp("invited") / "site"
    shutil.copytree(files, folder)
    people = Site(folder).people
    return folder, {name: people.add(name, role) for name, role in PEOPLE}  # type: ignore[arg-type]


@pytest.fixture
def site(invited: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Site]:
    shutil.copytree(invited[0], tmp_path / "site")
    made = Site(tmp_path / "site", tokens=dict(invited[1]))
    made.start()
    yield made
    made.stop()
