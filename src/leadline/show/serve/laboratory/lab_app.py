"""The application that serves a lab: its pages, who looks, and the desks."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, ClassVar, NamedTuple
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse

from leadline.collections.documents.collection import Collection
from leadline.errors import InputError, LeadlineError
from leadline.judge.choices import JUDGING_ROLES
from leadline.judge.journal import People, Person
from leadline.judge.pools import Pool
from leadline.judge.review.project import ReviewProject
from leadline.records.topics import Topics
from leadline.show.lab.boards import Boards
from leadline.show.lab.check_lab import journal_file, keep_journal
from leadline.show.lab.job_plans import Fields, no_fields
from leadline.show.lab.lab import Lab, LabEntry, Viewer, seen_by
from leadline.show.lab.lab_store import AuditLog
from leadline.show.lab.opened import LabDocuments, Needs
from leadline.show.lab.stored_results import StoredResults
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.desks import ReviewDesk, open_desk
from leadline.show.serve.judging_pages import judging_app
from leadline.show.serve.laboratory.comparison_pages import compare_view, topic_view
from leadline.show.serve.laboratory.job_pages import add_jobs
from leadline.show.serve.laboratory.leaderboard_pages import (
    add_figures,
    add_home,
    add_reports,
    leaderboard_view,
    run_view,
    trust_view,
)
from leadline.show.serve.laboratory.search_pages import LINKS, add_searching
from leadline.show.serve.laboratory.uploads import add_uploads
from leadline.show.serve.laboratory.views import ROLES, add_view, described, sentence
from leadline.show.serve.laboratory.work_pages import add_people, judge_view, review_view
from leadline.show.serve.reviewing_pages import reviewing_app
from leadline.show.serve.security import Address, App, Receive, Scope, Send


class MenuPage(NamedTuple):
    """A page of the menu: who may do something there, and of what kinds the lab must have something for that."""

    words: str
    kinds: tuple[str, ...] = ()
    roles: tuple[str, ...] = ROLES


MENU = {  # by address, in the order of the menu
    "/": MenuPage("Home"),
    "/search": MenuPage("Search", ("index",)),
    "/prior-art": MenuPage("Prior art", ("index",)),
    "/cases": MenuPage("Cases", ("index",)),
    "/collections": MenuPage("Collections", ("collection",)),
    "/leaderboard": MenuPage("Leaderboard", ("qrels", "run")),
    "/compare": MenuPage("Compare", ("qrels", "run")),
    "/trust": MenuPage("Trust", ("qrels", "run")),
    "/reports": MenuPage("Reports", ("report",)),
    "/judge": MenuPage("Judge", ("pool",), JUDGING_ROLES),
    "/review": MenuPage("Review", ("review",), JUDGING_ROLES),
    "/add": MenuPage("Add", (), ("runner", "organiser")),
    "/jobs": MenuPage("Jobs", (), ("runner", "organiser")),
    "/people": MenuPage("People", (), ("organiser",)),
}


def menu_of(lab: Lab) -> Callable[[Visitor], dict[str, str]]:
    """What the menu has for a person: address and words of the pages where they can do something now."""

    def menu(visitor: Visitor) -> dict[str, str]:
        there = {entry.kind for entry in lab.entries()}
        role = visitor.person.role
        return {path: page.words for path, page in MENU.items() if role in page.roles and there.issuperset(page.kinds)}

    return menu


def first_page(lab: Lab) -> Callable[[Person], str]:
    """Where the link of a person leads: those who judge to the next document, all others to the first page."""

    def first(person: Person) -> str:
        if person.role not in ("assessor", "expert"):
            return "/"
        desks = [(each.kind, each.name) for each in (*lab.entries("pool"), *lab.entries("review"))]
        if len(desks) != 1:
            return "/judge" if any(kind == "pool" for kind, _ in desks) else "/review" if desks else "/"
        kind, name = desks[0]
        return f"/judge/{quote(name)}/next" if kind == "pool" else f"/review/{quote(name)}/"

    return first


def lab_app(lab: Lab, people: People, address: Address, fields: Fields = no_fields) -> FastAPI:
    """The application of a lab; `fields` gives the options of commands, which its forms then have too."""
    cookie = f"leadline_lab_{lab.id[:8]}"  # cookies are shared by all ports of a host
    constants = {"menu": menu_of(lab), **LINKS}
    pages = Pages(people, address, lab.title, cookie=cookie, constants=constants, first=first_page(lab))
    app = pages.app()
    audit = AuditLog(lab.store)
    _add_scores(app, pages, lab, audit, fields)
    add_searching(app, pages, lab, audit)
    _add_people(app, pages, lab, people, audit, fields)

    @app.get("/api/openapi.json", include_in_schema=False)
    def description(request: Request) -> dict[str, object]:
        pages.visitor_with_role(request, *ROLES)
        return described(app)

    app.add_middleware(WhoLooks, pages=pages)
    return app


def _add_scores(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog, fields: Fields) -> None:
    """Add the pages that say which system finds more, and whether it can be believed."""
    boards, results, documents, needs = Boards(lab), StoredResults(lab), LabDocuments(lab), Needs(lab)
    app.state.prepare = partial(_prepare, boards)
    add_home(app, pages, boards, results, audit)
    add_view(app, pages, "/leaderboard", "leaderboard.html", leaderboard_view(boards, results))
    add_view(app, pages, "/run/{name}", "run.html", run_view(boards, needs))
    add_view(app, pages, "/compare", "compare.html", compare_view(boards, results, documents, needs))
    add_view(app, pages, "/topic/{id:path}", "topic.html", topic_view(boards, documents, needs))
    add_view(app, pages, "/trust", "trust.html", trust_view(boards, results))
    add_figures(app, pages, boards, results)
    add_uploads(app, pages, boards, audit, fields)
    add_reports(app, pages, lab)


def _prepare(boards: Boards) -> None:
    """Read the runs that the first page and the leaderboard show, so that who comes first does not wait for that."""
    with contextlib.suppress(LeadlineError):  # the pages say what is wrong or missing
        board = boards.board()
        if board.evidence is not None:
            _ = board.evidence.means, board.hashes


def _add_people(app: FastAPI, pages: Pages, lab: Lab, people: People, audit: AuditLog, fields: Fields) -> None:
    """Add the pages on which people work: judging, reviewing, jobs, and who may do what."""
    add_jobs(app, pages, lab, audit, fields)
    add_people(app, pages, lab, audit)
    judges = OwnerJudges(people.path) if isinstance(people, OwnerAlone) else people
    add_view(app, pages, "/judge", "judge_list.html", judge_view(lab), roles=JUDGING_ROLES)
    add_view(app, pages, "/review", "review_list.html", review_view(lab), roles=JUDGING_ROLES)
    app.mount("/judge", JudgingDesks(lab, judges, pages))
    app.mount("/review", ReviewingDesks(lab, judges, pages))


# The judging and reviewing pages inside the application: a desk for each pool and review, opened when asked for.
#
# /judge/POOL/...     the judging pages of a pool
# /review/REVIEW/...  the reviewing pages of a review


class Desks(ABC):
    """An application below an address that hands each request on to the desk it names."""

    path: ClassVar[str]

    def __init__(self, people: People, outer: Pages) -> None:
        self.people, self._outer = people, outer
        self._apps: dict[Path, App] = {}
        self._held: list[IO[bytes]] = []  # open as long as the server runs
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._outer.visitor_with_role(Request(scope), *JUDGING_ROLES)  # others are not told what there is
        name, slash, _ = scope["path"].removeprefix(f"{self.path}/").partition("/")
        try:
            entry = self.entry(name)
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
                    self.people,
                    outer.address,
                    outer.title,
                    cookie=outer.cookie,
                    prefix=prefix,
                    roles=JUDGING_ROLES,
                    constants={"home": "/"},
                )
                self._apps[entry.path] = self.opened(entry, pages)
            return self._apps[entry.path]

    @abstractmethod
    def entry(self, name: str) -> LabEntry:
        """What people work on under a name; InputError where there is none."""

    @abstractmethod
    def opened(self, entry: LabEntry, pages: Pages) -> FastAPI:
        """The application of one desk; InputError where it cannot be opened."""


class LabDesks(Desks):
    """The desks of what is in a lab."""

    kind: ClassVar[str]  # of what people work on

    def __init__(self, lab: Lab, people: People, outer: Pages) -> None:
        super().__init__(people, outer)
        self.lab = lab

    def entry(self, name: str) -> LabEntry:
        return self.lab.get(self.kind, name)


class JudgingDesks(LabDesks):
    """The judging of the lab's pools."""

    kind, path = "pool", "/judge"

    def opened(self, entry: LabEntry, pages: Pages) -> FastAPI:
        pool = Pool.read(entry.path)
        documents = documents_of(self.lab, pool, entry)
        topics = topics_of(self.lab, pool)
        desk = open_desk(entry.path, documents, journal_file(self.lab, entry), self.people.path, topics=topics)
        keep_journal(self.lab, entry)
        desk.people = self.people
        return judging_app(desk, pages.address, pages.title, pages)


class ReviewingDesks(LabDesks):
    """The lab's reviews."""

    kind, path = "review", "/review"

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


# Who looks at the lab, for the length of a request: whatever a page asks the lab, the lab knows for whom.


OWNER = "owner"  # who started the server
NOBODY = Viewer("", "nobody")


class OwnerAlone(People):
    """The people of a lab that is not served to a team: who started the server, and nobody else."""

    def find(self, token: str) -> Person | None:
        found = super().find(token)
        return found if found is not None and found.name == OWNER else None


class OwnerJudges(OwnerAlone):
    """The same in the judging and reviewing pages: there the owner reads and marks, as an assessor does."""

    def __iter__(self) -> Iterator[Person]:
        return (replace(person, role="assessor") for person in super().__iter__() if person.name == OWNER)

    def get(self, name: str) -> Person | None:
        return next((person for person in self if person.name == name), None)

    def find(self, token: str) -> Person | None:
        found = super().find(token)
        return None if found is None else replace(found, role="assessor")


class WhoLooks:
    """Around the application: sets the viewer of a request. Who is not signed in is nobody, who sees the least."""

    def __init__(self, app: App, pages: Pages) -> None:
        self._app, self._pages = app, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with seen_by(self._viewer(Request(scope))):
            await self._app(scope, receive, send)

    def _viewer(self, request: Request) -> Viewer:
        person = self._pages.person(request)
        return NOBODY if person is None else Viewer(person.name, person.role)
