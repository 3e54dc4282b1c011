"""The judging and reviewing pages inside the application: a desk for each pool and review, opened when asked for.

/judge/POOL/...     the judging pages of a pool
/review/REVIEW/...  the reviewing pages of a review
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO, ClassVar
from urllib.parse import quote

from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.judge.assessors.journal import JUDGING_ROLES
from leadline.judge.assessors.people import People
from leadline.judge.pools.pool import Pool
from leadline.judge.review.project import ReviewProject
from leadline.records.topics.topic import Topics
from leadline.show.lab.lab import Lab, LabEntry
from leadline.show.serve.app import Pages
from leadline.show.serve.judging.opening import open_desk
from leadline.show.serve.judging.pages import PACKAGE as JUDGING
from leadline.show.serve.judging.pages import judging_app
from leadline.show.serve.laboratory.views import sentence
from leadline.show.serve.reviewing.desk import ReviewDesk
from leadline.show.serve.reviewing.pages import PACKAGES as REVIEWING
from leadline.show.serve.reviewing.pages import reviewing_app
from leadline.show.serve.security import App, Receive, Scope, Send


class Desks(ABC):
    """An application below an address that hands each request on to the desk it names."""

    kind: ClassVar[str]  # of what people work on
    path: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]

    def __init__(self, lab: Lab, people: People, outer: Pages) -> None:
        self.lab, self.people, self._outer = lab, people, outer
        self._apps: dict[Path, App] = {}
        self._held: list[IO[bytes]] = []  # open as long as the server runs
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name, slash, _ = scope["path"].removeprefix(f"{self.path}/").partition("/")
        try:
            entry = self.lab.get(self.kind, name)
        except InputError as error:
            raise HTTPException(404, sentence(error)) from None
        prefix = f"{self.path}/{quote(name)}"
        if not slash:
            await RedirectResponse(f"{prefix}/", 307)(scope, receive, send)
            return
        try:
            app = await run_in_threadpool(self._app, entry, prefix)
        except InputError as error:
            raise HTTPException(409, sentence(error)) from None
        await app({**scope, "root_path": f"{self.path}/{name}"}, receive, send)

    def _app(self, entry: LabEntry, prefix: str) -> App:
        with self._lock:
            if entry.path not in self._apps:
                outer = self._outer
                pages = Pages(
                    self.people, outer.address, self.packages, outer.title, cookie=outer.cookie, prefix=prefix,
                    roles=JUDGING_ROLES, constants={"home": "/"},
                )  # fmt: skip
                self._apps[entry.path] = self.opened(entry, pages)
            return self._apps[entry.path]

    @abstractmethod
    def opened(self, entry: LabEntry, pages: Pages) -> FastAPI:
        """The application of one desk; InputError where it cannot be opened."""


class JudgingDesks(Desks):
    """The judging of the lab's pools."""

    kind, path, packages = "pool", "/judge", (JUDGING,)

    def opened(self, entry: LabEntry, pages: Pages) -> FastAPI:
        pool = Pool.read(entry.path)
        documents = documents_of(self.lab, pool, entry)
        topics = topics_of(self.lab, pool)
        desk = open_desk(entry.path, documents, f"{entry.path}.journal", self.people.path, topics=topics)
        desk.people = self.people
        return judging_app(desk, pages.address, pages.title, pages)


class ReviewingDesks(Desks):
    """The lab's reviews."""

    kind, path, packages = "review", "/review", REVIEWING

    def opened(self, entry: LabEntry, pages: Pages) -> FastAPI:
        project = ReviewProject.open(entry.path)
        if not project.rounds:
            raise InputError(entry.name, "has no documents yet: begin it with `leadline review serve`")
        held = project.hold()
        desk = ReviewDesk(project)
        self._held.append(held)
        desk.people = self.people
        desk.proposer.start()
        return reviewing_app(desk, pages.address, pages.title, pages)


def documents_of(lab: Lab, pool: Pool, entry: LabEntry) -> Path:
    """The collection that has the most documents of a pool."""
    names = pool.to_judge()["document"].unique().to_list()
    found = [(int((Collection.open(each.path).rows(names) >= 0).sum()), each) for each in lab.entries("collection")]
    count, best = max(found, key=lambda each: each[0], default=(0, None))
    if best is None or not count:
        raise InputError(entry.name, "no collection of the lab has its documents: add it with `leadline lab add`")
    return best.path


def topics_of(lab: Lab, pool: Pool) -> Path | None:
    """The topics that have the most topics of a pool; None where none has any."""
    wanted = set(pool.topics)
    found = [
        (len(wanted & {topic.id for topic in Topics.read(each.path)}), each.path) for each in lab.entries("topics")
    ]
    count, best = max(found, key=lambda each: each[0], default=(0, None))
    return best if count else None
