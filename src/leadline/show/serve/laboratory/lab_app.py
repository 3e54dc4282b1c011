"""The application that serves a lab: its pages, who looks, runs that are sent, and the desks."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from leadline.collections.documents.collection import Collection
from leadline.errors import InputError, LeadlineError
from leadline.judge.choices import JUDGING_ROLES
from leadline.judge.journal import People, Person
from leadline.judge.pools import Pool
from leadline.judge.review.project import ReviewProject
from leadline.records.topics import Topics
from leadline.show.lab.boards import (
    LARGEST_SENT,
    Boards,
    NameTakenError,
    check_run_name,
    receive_file,
    receive_run,
)
from leadline.show.lab.check_lab import journal_file, keep_journal
from leadline.show.lab.lab import Lab, LabEntry, Viewer, check_file_name, seen_by
from leadline.show.lab.lab_store import AuditLog
from leadline.show.lab.opened import LabDocuments, Needs
from leadline.show.lab.stored_results import StoredResults
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.desks import ReviewDesk, open_desk
from leadline.show.serve.judging_pages import judging_app
from leadline.show.serve.laboratory.comparison_pages import compare_view, topic_view
from leadline.show.serve.laboratory.leaderboard_pages import (
    add_figures,
    add_home,
    add_reports,
    leaderboard_view,
    run_view,
    trust_view,
)
from leadline.show.serve.laboratory.search_pages import LINKS, add_searching
from leadline.show.serve.laboratory.views import ROLES, Word, add_view, described, link, refused, sentence
from leadline.show.serve.laboratory.work_pages import add_jobs, add_people, judge_view, review_view
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


def lab_app(lab: Lab, people: People, address: Address) -> FastAPI:
    """The application of a lab."""
    cookie = f"leadline_lab_{lab.id[:8]}"  # cookies are shared by all ports of a host
    pages = Pages(people, address, lab.title, cookie=cookie, constants={"menu": menu_of(lab), **LINKS})
    app = pages.app()
    audit = AuditLog(lab.store)
    _add_scores(app, pages, lab, audit)
    add_searching(app, pages, lab, audit)
    _add_people(app, pages, lab, people, audit)

    @app.get("/api/openapi.json", include_in_schema=False)
    def description(request: Request) -> dict[str, object]:
        pages.visitor_with_role(request, *ROLES)
        return described(app)

    app.add_middleware(WhoLooks, pages=pages)
    return app


def _add_scores(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog) -> None:
    """Add the pages that say which system finds more, and whether it can be believed."""
    boards, results, documents, needs = Boards(lab), StoredResults(lab), LabDocuments(lab), Needs(lab)
    add_home(app, pages, boards, results, audit)
    add_view(app, pages, "/leaderboard", "leaderboard.html", leaderboard_view(boards, results))
    add_view(app, pages, "/run/{name}", "run.html", run_view(boards, needs))
    add_view(app, pages, "/compare", "compare.html", compare_view(boards, results, documents, needs))
    add_view(app, pages, "/topic/{id:path}", "topic.html", topic_view(boards, documents, needs))
    add_view(app, pages, "/trust", "trust.html", trust_view(boards, results))
    add_figures(app, pages, boards, results)
    add_uploads(app, pages, boards, audit)
    add_reports(app, pages, lab)


def _add_people(app: FastAPI, pages: Pages, lab: Lab, people: People, audit: AuditLog) -> None:
    """Add the pages on which people work: judging, reviewing, jobs, and who may do what."""
    add_jobs(app, pages, lab, audit)
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


# Runs sent to the leaderboard: streamed to a temporary file, checked, and stored only if they are right.


UPLOADERS = ("runner", "organiser")
PATH, FORM, ANY = "/api/runs", "/leaderboard", "/add"
LARGEST_FORM = 16 << 20  # bytes of a form, which is in memory as a whole
MOST_AT_ONCE, MOST_OF_ONE = 8, 2  # uploads, of all and of one person
FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class UploadPlaces:
    """The uploads that are under way: so many of all, and fewer of one person."""

    def __init__(self) -> None:
        self._under_way = Counter[str]()  # by person; changed by the event loop alone

    @contextlib.contextmanager
    def taken(self, sender: Visitor) -> Iterator[None]:
        """Take a place for an upload; HTTPException where there is none."""
        if self._under_way[sender.name] >= MOST_OF_ONE:
            raise HTTPException(503, f"{MOST_OF_ONE} uploads of yours are under way. Try again when one is done.")
        if self._under_way.total() >= MOST_AT_ONCE:
            raise HTTPException(503, "Others are uploading. Try again in a minute.")
        self._under_way[sender.name] += 1
        try:
            yield
        finally:
            self._under_way[sender.name] -= 1


def add_uploads(app: FastAPI, pages: Pages, boards: Boards, audit: AuditLog) -> None:
    """Add the addresses that runs are sent to."""
    large = {PATH: LARGEST_SENT, FORM: LARGEST_FORM, ANY: LARGEST_FORM}
    app.state.large_bodies = {**getattr(app.state, "large_bodies", {}), **large}
    places = UploadPlaces()

    async def placed(sender: Visitor, name: str, qrels: str, save: Callable[[Path], Awaitable[None]]) -> dict[str, Any]:
        """Add the run that `save` writes to a file, if it is right."""
        with refused():
            check_run_name(name)
            if qrels:
                boards.lab.get("qrels", qrels)
        with tempfile.TemporaryDirectory(prefix="leadline-upload-") as folder:
            path = Path(folder) / name
            await save(path)
            if not path.stat().st_size:
                raise HTTPException(400, "The file is empty.")
            received = await run_in_threadpool(_received, boards, path, sender.name, qrels)
        if received["stored"] == "new":
            did = f"added the run {received['run']}"
            await run_in_threadpool(audit.add, sender.name, sender.person.role, did)
        return received

    @app.post(
        PATH,
        tags=["uploads"],
        summary="Add a run: the body is its file, as text or compressed",
        status_code=201,
        openapi_extra=FILE,
        responses={200: {"description": "The run is there already"}},
    )
    async def upload(request: Request, name: Word, qrels: Word = "") -> JSONResponse:
        sender = pages.sender(request, *UPLOADERS)
        with places.taken(sender):
            received = await placed(sender, name, qrels, partial(save_body, request))
        return JSONResponse(received, 201 if received["stored"] == "new" else 200)

    @app.post(FORM, include_in_schema=False)
    async def upload_by_form(request: Request) -> Response:
        """The same for a browser without JavaScript: a page says what came of it."""
        sender = pages.visitor_with_role(request, *UPLOADERS)
        with places.taken(sender):
            parts = await pages.written_parts(request)
            written = {
                name: content.decode("utf-8", "replace").strip() for name, content in parts.items() if name != "file"
            }
            back = {name: written.get(name, "")[:300] for name in ("qrels", "measure")}
            name = written.get("name") or written.get("file.filename", "")

            async def save(path: Path) -> None:
                await run_in_threadpool(path.write_bytes, parts.get("file", b""))

            try:
                received = await placed(sender, name, back["qrels"], save)
            except HTTPException as error:
                said = {"text": str(error.detail), "back": f"{link(FORM, back)}#upload"}
                return pages.page("not_added.html", sender, error.status_code, **said)
        return RedirectResponse(link(FORM, back, new=received["run"]), 303)

    @app.post(ANY, include_in_schema=False)
    async def add_first(request: Request) -> Response:
        """The file that the first page asks for: judgements or topics by the organiser, a run by who may add runs."""
        sender = pages.visitor_with_role(request, *UPLOADERS)
        with places.taken(sender):
            parts = await pages.written_parts(request)
            name = parts.get("file.filename", b"").decode("utf-8", "replace").strip()
            try:
                entry = await run_in_threadpool(_added, boards, name, parts.get("file", b""), sender)
            except HTTPException as error:
                return pages.page("not_added.html", sender, error.status_code, text=str(error.detail), back="/")
            did = f"added the {entry.kind} {entry.name}"
            await run_in_threadpool(audit.add, sender.name, sender.person.role, did)
        return RedirectResponse("/", 303)


def _added(boards: Boards, name: str, content: bytes, sender: Visitor) -> LabEntry:
    """Add a file of judgements, topics or a run to the lab."""
    if not content:
        raise HTTPException(400, "The file is empty.")
    with refused(), tempfile.TemporaryDirectory(prefix="leadline-upload-") as folder:
        path = Path(folder) / check_file_name(name, "name")
        path.write_bytes(content)
        return receive_file(boards, path, sender.name, is_organiser=sender.person.role == "organiser")


def _received(boards: Boards, path: Path, sender: str, qrels: str) -> dict[str, Any]:
    try:
        found = receive_run(boards, path, sender, qrels)
    except LeadlineError as error:
        raise HTTPException(409 if isinstance(error, NameTakenError) else 400, sentence(error)) from None
    answer = {"saved": True, "stored": "new" if found.is_new else "already", "run": found.entry.name}
    board = boards.board(qrels) if qrels else None
    note = board.unscored_topics(found.entry.name) if board is not None and found.entry in board.runs else ""
    return {**answer, "note": note} if note else answer


async def save_body(request: Request, path: Path) -> None:
    """Write the body of a request to a new file."""
    try:
        with open(path, "xb") as file:
            async for piece in request.stream():
                file.write(piece)
    except ClientDisconnect:
        raise HTTPException(408, "Not all of it came in time. Nothing was stored.") from None
