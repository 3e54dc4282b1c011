"""The general part of the pages: signing in, forms and JSON, templates, errors, and desks with a journal."""

from __future__ import annotations

import hmac
import itertools
import json
import math
import re
import statistics
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple, get_args
from urllib.parse import parse_qs

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from leadline.errors import InputError, visible, without_places
from leadline.judge.choices import Role
from leadline.judge.journal import Event, JudgingJournal, Kind, People, Person, check_event
from leadline.judge.marks import JudgingState
from leadline.show.pages.environment import assets, environment
from leadline.show.serve.security import Address, WrongSignIns, csrf_of
from leadline.version import __version__

COOKIE = "leadline_session"
TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
NOT_SIGNED_IN = "You are not signed in: open your personal link."
_MISSING = "There is no such page."


@dataclass(frozen=True)
class Visitor:
    """Who makes a request."""

    person: Person
    csrf: str
    by_header: bool = False  # a program that sent its token, which no browser does by itself

    @property
    def name(self) -> str:
        return self.person.name


class Pages:
    """What the pages of one job need: the people, the templates and the answers."""

    def __init__(
        self,
        people: People,
        address: Address,
        title: str = "Leadline",
        *,
        cookie: str = COOKIE,
        constants: Mapping[str, Any] | None = None,
        prefix: str = "",
        roles: Sequence[str] = get_args(Role),
        public_title: str = "",
        called: Mapping[str, str] | None = None,
        first: Callable[[Person], str] | None = None,
    ) -> None:
        """`constants` are known to every template; `prefix` comes before every address, where the pages are part of
        others; only people with one of `roles` are let in; who is not signed in sees `public_title`, where it is given;
        `called` has the words for roles, where they are others; `first` the address to which a link leads a person.
        """
        self.people, self.address, self.title, self.cookie = people, address, title, cookie
        self._public_title = public_title or title
        self._called = called or {}
        self._first = first or (lambda person: f"{prefix}/")
        self.prefix, self._roles = prefix, roles
        self._wrong = WrongSignIns()
        self._templates = environment({"prefix": prefix, **(constants or {})})

    def visitor(self, request: Request) -> Visitor:
        """Who asks; HTTPException 401 for nobody we know."""
        token, by_header = self._token(request)
        person = self.person(request)
        if person is None:
            if token:
                self._count_wrong(request)
            raise HTTPException(401, NOT_SIGNED_IN)
        if person.role not in self._roles:
            raise self._not_for(self._roles)
        return Visitor(person, csrf_of(token), by_header)

    def person(self, request: Request) -> Person | None:
        """Who asks; None for nobody we know."""
        token, _ = self._token(request)
        self.people.refresh()
        return self.people.find(token) if token else None

    def _token(self, request: Request) -> tuple[str, bool]:
        """The token of a request, and whether a program sent it in a header."""
        scheme, _, sent = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return sent.strip(), True
        return request.cookies.get(self.cookie, ""), False

    def _count_wrong(self, request: Request) -> None:
        """Count a wrong token of an address; HTTPException 429 where there were too many."""
        if self._wrong.is_too_many(request.client.host if request.client else ""):
            raise HTTPException(429, "Too many wrong links from your address. Wait a minute.")

    def visitor_with_role(self, request: Request, *roles: str) -> Visitor:
        """Who asks, if they have one of these roles; HTTPException 403 if not."""
        found = self.visitor(request)
        if found.person.role not in roles:
            raise self._not_for(roles)
        return found

    def _not_for(self, roles: Sequence[str]) -> HTTPException:
        names = [self._called.get(role, role) for role in roles]
        return HTTPException(403, f"This is for the {' and the '.join(names)}.")

    def sender(self, request: Request, *roles: str) -> Visitor:
        """Who sends something from a page of ours, if they have one of these roles; HTTPException if not."""
        found = self.visitor_with_role(request, *roles)
        _check_csrf(found, request.headers.get("x-csrf-token", ""))
        return found

    async def written_json(self, request: Request) -> dict[str, Any]:
        """The JSON object that a page of ours sent; HTTPException for anything else."""
        found = self.visitor(request)
        _check_csrf(found, request.headers.get("x-csrf-token", ""))
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise HTTPException(400, "Expected JSON.")
        try:
            content = json.loads(await request.body())
            json.dumps(content, ensure_ascii=False).encode()  # half of a character, as in "\\ud800", cannot be stored
        except (ValueError, RecursionError):
            raise HTTPException(400, "This is not JSON.") from None
        if not isinstance(content, dict):
            raise HTTPException(400, "Expected a JSON object.")
        return content

    async def written_form(self, request: Request, *, most: int = 100) -> dict[str, str]:
        """The fields of a form of ours, `most` of them; HTTPException for anything else."""
        found = self.visitor(request)
        if request.headers.get("content-type", "").partition(";")[0].lower() != "application/x-www-form-urlencoded":
            raise HTTPException(400, "Expected a form.")
        try:
            written = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=most)
        except ValueError:
            raise HTTPException(400, "This is not a form.") from None
        fields = {name: values[0] for name, values in written.items()}
        _check_csrf(found, fields.get("csrf", ""))
        return fields

    async def written_parts(self, request: Request) -> dict[str, bytes]:
        """The fields and files of a form of ours that may have files; HTTPException for anything else."""
        fields: dict[str, bytes] = {}
        for part in await self._parts(request):
            fields.setdefault(part.field, part.content)
            if part.file is not None:
                fields.setdefault(f"{part.field}.filename", part.file)
        return fields

    async def written_files(self, request: Request) -> list[tuple[str, bytes]]:
        """The names and contents of all files in a form of ours; HTTPException for anything else."""
        parts = await self._parts(request)
        files = [(part.file.decode("utf-8", "replace").strip(), part.content) for part in parts if part.file]
        return [(name, content) for name, content in files if name]

    async def _parts(self, request: Request) -> list[FormPart]:
        found = self.visitor(request)
        try:
            parts = form_parts(await request.body(), request.headers.get("content-type", ""))
        except ValueError:
            raise HTTPException(400, "Expected a form.") from None
        except ClientDisconnect:
            raise HTTPException(408, "Not all of it came in time.") from None
        token = next((part.content for part in parts if part.field == "csrf"), b"")
        _check_csrf(found, token.decode("latin-1"))
        return parts

    def page(self, template: str, visitor: Visitor | None, status: int = 200, **content: Any) -> HTMLResponse:
        """A page of a template."""
        title = self._public_title if visitor is None else self.title
        shown = {"visitor": visitor, "title": title, **content}
        text = self._templates.get_template(template).render(shown)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def app(self) -> FastAPI:
        """An application that signs people in and serves the assets; the pages of the job are added to it."""
        # Newer versions send the paths of requests, tokens among them, to a collector that the environment names.
        silent: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
        app = FastAPI(
            title=self.title, version=__version__, docs_url=None, redoc_url=None, openapi_url=None, telemetry=silent
        )

        @app.get("/in/{token}", include_in_schema=False)
        def sign_in(token: str, request: Request) -> Response:
            self.people.refresh()
            person = self.people.find(token)
            if person is None:
                self._count_wrong(request)
                raise HTTPException(403, "This link is wrong, has expired or was revoked. Ask the organiser for one.")
            answer = RedirectResponse(self._first(person), 303)
            answer.set_cookie(
                self.cookie,
                token,
                httponly=True,
                samesite="strict",
                secure=self.address.secure,
                path="/",
                max_age=person.seconds_left,
            )
            return answer

        @app.post("/out", include_in_schema=False)
        async def sign_out(request: Request) -> Response:
            await self.written_form(request)
            answer = self.page("message.html", None, heading="Signed out", text="Open your personal link to go on.")
            answer.delete_cookie(self.cookie, path="/", httponly=True, samesite="strict")
            return answer

        @app.get("/assets/{name}", include_in_schema=False)
        def asset(name: str) -> Response:
            content, media = assets().get(name), TYPES.get(PurePath(name).suffix)
            if content is None or media is None:
                raise HTTPException(404, _MISSING)
            return Response(content, media_type=media, headers={"cache-control": "no-cache"})

        @app.get("/favicon.ico", include_in_schema=False)
        def icon() -> Response:
            return Response(assets()["buoy.svg"], media_type="image/svg+xml")

        @app.get("/api/health")
        def health() -> dict[str, bool]:
            return {"ok": True}

        @app.get("/api/csrf")
        def csrf(request: Request) -> dict[str, str]:
            found = self.visitor(request)
            return {"csrf": found.csrf, "person": found.name, "role": found.person.role}

        @app.exception_handler(404)
        @app.exception_handler(405)
        def missing(request: Request, error: Exception) -> Response:
            said = getattr(error, "detail", "")
            return self._refusal(request, 404, _MISSING if said in ("Not Found", "Method Not Allowed") else said)

        @app.exception_handler(HTTPException)
        def refused(request: Request, error: HTTPException) -> Response:
            return self._refusal(request, error.status_code, str(error.detail))

        @app.exception_handler(RequestValidationError)
        def wrong(request: Request, error: Exception) -> Response:
            return self._refusal(request, 400, _wrong_value(error))

        @app.exception_handler(InputError)
        def failed(request: Request, error: InputError) -> Response:
            return self._refusal(request, 503, without_places(visible(error.problem)))

        @app.exception_handler(Exception)
        def broken(request: Request, error: Exception) -> Response:
            return PlainTextResponse("The server failed. What you sent was not saved.\n", 500)

        return app

    def _refusal(self, request: Request, status: int, text: str) -> Response:
        """An error as JSON for a program, as a page for a person."""
        if request.url.path.removeprefix(self.prefix).startswith("/api/"):
            return JSONResponse({"saved": False, "error": text}, status)
        # A link in a message opens this page from another site, and then browsers hold a strict cookie back: once more
        # from here, and it is sent.
        again = status == 401 and request.method == "GET" and "again" not in request.query_params
        return self.page(
            "message.html", None, status, heading=_HEADINGS.get(status, "Not done"), text=text, again=again
        )


_HEADINGS = {401: "Not signed in", 403: "Not for you", 404: "No such page", 503: "Not now"}  # of pages that refuse


def _wrong_value(error: Exception) -> str:
    """What is wrong with a parameter of an address, in a sentence."""
    first: dict[str, Any] = next(iter(error.errors()), {}) if isinstance(error, RequestValidationError) else {}
    if not first or first.get("type") == "missing":
        return "The address is not complete."
    said = str(first["msg"]).removeprefix("Input should be ").partition(", unable")[0]
    return visible(f"{first['loc'][-1]} must be {said}, got {str(first.get('input'))[:80]!r}.")


def _check_csrf(visitor: Visitor, given: str) -> None:
    if not visitor.by_header and not hmac.compare_digest(visitor.csrf.encode(), given.encode("utf-8", "surrogatepass")):
        raise HTTPException(403, "This was not sent by a page of this server. Load the page again.")


# The parts of a form that has files (multipart/form-data, RFC 7578).


MOST_PARTS = 50
_BOUNDARY = re.compile(r'multipart/form-data;.*\bboundary="?([^";,\s]{1,200})"?', re.IGNORECASE)
_FILE = re.compile(rb'^content-disposition:[^\r\n]*?;\s*filename="([^"\r\n]*)"', re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(rb'^content-disposition:[^\r\n]*?;\s*name="([^"\r\n]*)"', re.IGNORECASE | re.MULTILINE)


class FormPart(NamedTuple):
    """One field or file of a form."""

    field: str
    file: bytes | None  # the name of a file
    content: bytes


def form_parts(body: bytes, content_type: str) -> list[FormPart]:
    """The fields and files of a form in their order; ValueError where it is not such a form.

    >>> form = b'--x\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\none\\r\\n--x--\\r\\n'
    >>> form_parts(form, "multipart/form-data; boundary=x")
    [FormPart(field='a', file=None, content=b'one')]
    """
    found = _BOUNDARY.match(content_type)
    if found is None:
        raise ValueError("is not a form with parts")
    border = b"\r\n--" + found[1].encode("latin-1", "replace")
    first, *parts = (b"\r\n" + body).split(border, MOST_PARTS + 1)
    if first.strip() or not parts or not parts[-1].startswith(b"--"):
        raise ValueError("is cut off, or has too many parts")
    found_parts: list[FormPart] = []
    for part in parts[:-1]:
        head, blank, content = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if not blank or name is None:
            raise ValueError("has a part without a name")
        file = _FILE.search(head)
        found_parts.append(FormPart(name[1].decode("utf-8", "replace"), file[1] if file else None, content))
    return found_parts


# What a desk does with a journal while people are at work: judging and reviewing share it.
#
# What people do is appended to the journal first; the state then follows from the journal, event by event, so that no
# request reads all of it again. What another process adds to the journal is noticed as well.


LONGEST_SECONDS = 86_400.0
GRADES = ("2", "1", "0", "-2")
_RECENT = 20  # marks that the pace is of
_OF_A_DOCUMENT = frozenset({"mark", "skip", "note", "passage", "undo", "tags"})


class Refused(HTTPException):
    """What a person may not do, with the status of the answer."""


class JournalDesk(ABC):
    """Stores what people do, and keeps the state up to date."""

    journal: JudgingJournal
    people: People
    lock: threading.RLock  # of the state; the journal has its own
    _seq: int = 0
    _latest: str = ""

    @property
    @abstractmethod
    def judging(self) -> JudgingState:
        """Who marked what."""

    @abstractmethod
    def take(self, event: Event) -> None:
        """Bring the state up to date with one more event."""

    @abstractmethod
    def take_all(self, events: Iterable[Event]) -> None:
        """Make the state anew."""

    @abstractmethod
    def check_topic(self, person: Person, topic: str) -> None:
        """Refuse a topic that is not the person's."""

    @abstractmethod
    def check_document(self, person: Person, topic: str, document: str) -> None:
        """Refuse a document that is not to be judged by the person."""

    @abstractmethod
    def check_open(self, topic: str) -> None:
        """Refuse a topic on which nobody may judge any more."""

    @abstractmethod
    def turn(self, topic: str, document: str) -> int:
        """The round in which a document is judged."""

    @property
    def seq(self) -> int:
        """The place of the last event that the state has."""
        return self._seq

    def refresh(self) -> None:
        """Take over what was appended to the journal, here or by another process."""
        with self.lock:
            new = self.journal.events_after(self._seq)
            for seq, event in new:
                if event.at < self._latest:  # of another machine, and from before: the order of time counts
                    self.take_all(self.journal.events())
                    self._seq, self._latest = new[-1][0], max(self._latest, *(each.at for _, each in new))
                    return
                self.take(event)
                self._seq, self._latest = seq, event.at

    def pace(self, person: str, topic: str) -> float:
        """The median seconds of a person's last marks on a topic; NaN where there are none."""
        done = (event for event in self.judging.undoable(person, topic) if event.kind == "mark")
        seconds = [event.seconds for event in itertools.islice(done, _RECENT) if event.seconds > 0]
        return statistics.median(seconds) if seconds else math.nan

    def write(self, person: Person, kind: Kind, content: Mapping[str, Any], value: str, target: str = "") -> bool:
        """Store what a person did; False if it was stored before. On the disk when this returns.

        Raises Refused where it may not be done, InputError where the journal cannot be written.
        """
        topic, document = text_of(content, "topic"), text_of(content, "document", needed=kind in _OF_A_DOCUMENT)
        uid = text_of(content, "id")
        said = (person.name, kind, topic, document, value)
        with self.lock:
            if self.is_stored(uid, said):
                return False
            if kind in _OF_A_DOCUMENT:
                self.check_document(person, topic, document)
                self.check_open(topic)
            current = self.turn(topic, document)
        seen = content.get("round")
        turn = min(seen, current) if type(seen) is int and seen > 0 else current
        event = Event(
            uid, person.name, person.role, kind, topic, document, value, target, turn, _seconds(content.get("seconds"))
        )
        try:
            check_event(event)
        except InputError as error:
            raise Refused(400, f"Not possible: {error.problem}.") from None
        new = self.journal.append(event)
        self.refresh()
        if not new:  # the same id came twice at once
            self.is_stored(uid, said)
        return new

    def is_stored(self, uid: str, said: tuple[str, ...]) -> bool:
        """Whether an event is stored; Refused where its id is that of another."""
        known = self.judging.event(uid)
        if known is not None and (known.person, known.kind, known.topic, known.document, known.value) != said:
            raise Refused(409, "This id was used for something else.")
        return known is not None

    def undo(self, person: Person, content: Mapping[str, Any]) -> tuple[bool, Event | None]:
        """Undo an event of a person, the last one of the topic if none is named; whether it is new, and what it was."""
        topic, target = text_of(content, "topic"), content.get("target")
        with self.lock:
            self.check_topic(person, topic)
            known = self.judging.event(text_of(content, "id"))
            if known is not None:
                target = known.target
            elif target is None:
                last = next(self.judging.undoable(person.name, topic), None)
                if last is None:
                    raise Refused(404, "There is nothing to undo.")
                target = last.uid
            done = self.judging.event(target) if isinstance(target, str) else None
            if done is None or done.person != person.name or done.topic != topic or not done.document:
                raise Refused(404, "There is nothing of yours to undo under that id.")
        about = {**content, "topic": done.topic, "document": done.document}
        return self.write(person, "undo", about, "", done.uid), done


def check_id(content: Mapping[str, Any]) -> str:
    """The id that a page gave to what it sends."""
    uid = text_of(content, "id")
    if not 8 <= len(uid) <= 64:
        raise Refused(400, "id must have 8 to 64 characters.")
    return uid


def text_of(content: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    """A text of what a page sent; Refused where it is missing or something else."""
    value = content.get(name, "")
    if not isinstance(value, str) or (needed and not value):
        raise Refused(400, f"{name} must be a text.")
    return value


def optional_text(content: Mapping[str, Any], name: str) -> str:
    """A text that may be missing or null."""
    value = content.get(name) or ""
    if not isinstance(value, str):
        raise Refused(400, f"{name} must be a text.")
    return value


def _seconds(value: Any) -> float:
    """How long something took, as far as that can be believed."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    if isinstance(value, float) and not math.isfinite(value):  # an int may be too large for a float
        return 0.0
    return float(min(max(value, 0.0), LONGEST_SECONDS))


# What pages send about a document, as JSON: marks, skips, notes, and taking them back.


JUDGES = ("assessor", "expert")
UNDOABLE = 50  # of the last things that a person did
Written = dict[str, Any]


def add_storing(app: FastAPI, pages: Pages, desk: JournalDesk) -> None:
    """Add the addresses that store what people do about documents."""
    written = Depends(pages.written_json)

    @app.post("/api/judgements")
    def judge(request: Request, content: Written = written) -> Written:
        person = pages.visitor_with_role(request, *JUDGES).person
        grade = content.get("grade")
        if isinstance(grade, bool) or str(grade) not in GRADES:
            raise Refused(400, f"grade must be one of {', '.join(GRADES)}.")
        reason, note = optional_text(content, "reason"), optional_text(content, "note")
        uid = check_id(content)  # before the note is stored
        if note:
            desk.write(person, "note", {**content, "id": f"{uid[:62]}-n"}, note)
        return stored(pages, desk, request, "mark", content, str(grade), reason)

    @app.post("/api/skips")
    def skip(request: Request, content: Written = written) -> Written:
        return stored(pages, desk, request, "skip", content, "")

    @app.post("/api/notes")
    def note(request: Request, content: Written = written) -> Written:
        return stored(pages, desk, request, "note", content, optional_text(content, "text"))

    @app.post("/api/undo")
    def undo(request: Request, content: Written = written) -> Written:
        person = pages.visitor_with_role(request, *JUDGES).person
        new, done = desk.undo(person, content)
        undone = {"kind": done.kind, "document": done.document, "id": done.uid} if done else None
        return {"saved": True, "id": content["id"], "stored": "new" if new else "already", "undone": undone}


def stored(
    pages: Pages, desk: JournalDesk, request: Request, kind: Kind, content: Written, value: str, target: str = ""
) -> Written:
    """Store an event, and the answer that says so."""
    person = pages.visitor_with_role(request, *JUDGES).person
    new = desk.write(person, kind, content, value, target)
    return {"saved": True, "id": content["id"], "stored": "new" if new else "already"}


def shown_undoable(events: Iterator[Event]) -> list[Written]:
    """The last things that a person can take back, of events from the last on, as a page gets them: the last last."""
    last = list(itertools.islice(events, UNDOABLE))
    return [
        {"id": event.uid, "kind": event.kind, "document": event.document, "value": event.value[:20]}
        for event in reversed(last)
    ]
