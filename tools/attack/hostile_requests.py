"""Requests made to harm the judging or reviewing pages: forged, misshapen, in another's name, random, and raw bytes.

A server of a small pool or review runs as a process of its own. Whatever it is asked, it answers (no 5xx), tells
nothing of files or of other people's work, stores only what it says is saved, and prints neither a traceback nor a
token. A review keeps its first order of random draws, and that follows from its seed.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from harness import COMMAND, SECRET, attempt, forked, run

ROLES = {"anna": "assessor", "ben": "assessor", "olga": "organiser"}
NOTE = "a-note-of-ben"  # which anna must not see
ASKED = ("/", "/api/topic", "/api/next", "/api/card", "/api/text", "/api/documents", "/api/csrf")
WRITE = ("judgements", "skips", "notes", "passages", "undo")  # for those who judge, and not for the organiser
FORMS = ("assign", "send-back", "close")
PATHS = (
    "/assets/../../../outside/secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/assets//etc/passwd",
    "/assets/..\\app.py", "/in/", "/in/" + "a" * 5000, "/in/%00", "/in/../judge", "//in//x", "/judge;x=1", "/%",
    "/%zz", "/\xff", "/api/next/../..", "/openapi.json", "/docs", "/redoc", "*", "http://evil.example/",
    "/" + "a/" * 3000, "/?" + "a=b&" * 5000,
)  # fmt: skip
TEXTS = (
    "", "T", "../../outside/secret.txt", "<script>alert(1)</script>", "\x00", "\u202e", "' or 1=1 --", "%s%n",
    "a" * 30_000, "{{7*7}}", "-1", "1e999", "\ud800", "__proto__", "constructor",
)  # fmt: skip
VALUES = (*TEXTS, None, True, [], {}, [[]] * 20, 0, -1, 1 << 70, 1.5, float("nan"), float("inf"))
HEADERS = (
    "Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Host: evil.example", "Host:",
    "Cookie: a", "X-Forwarded-Host: evil.example", "X-Forwarded-For: 127.0.0.1", "X-HTTP-Method-Override: DELETE",
    "Expect: 100-continue", "Transfer-Encoding: chunked", "Transfer-Encoding: identity, chunked",
    "Content-Length: -1", "Content-Length: 9" * 2, "Range: bytes=0-", "Upgrade: websocket", "A: " + "b" * 70_000,
    "Accept-Encoding: " + "gzip," * 900, "\x00: x", "no colon", " folded: x", "Cookie: leadline_session=guess",
    "Cookie: leadline_session=" + "a" * 9000, "If-None-Match: *",
)  # fmt: skip

POOL = ("pool", "a.run", "b.run", "--depth", "5", "-o", "pool.txt", "-q")


@dataclass(frozen=True)
class AttackedPages:
    """Which pages are attacked, and where they keep what is stored."""

    name: str
    read: tuple[str, ...]
    write: tuple[str, ...]
    forms: tuple[str, ...]
    people: tuple[str, ...]  # the command that adds one
    serve: tuple[str, ...]
    journal: str
    before: tuple[tuple[str, ...], ...] = (POOL,)  # commands that make what is served
    roles: Mapping[str, str] = field(default_factory=lambda: ROLES)


JUDGING = AttackedPages(
    "judging", (*ASKED, "/judge", "/organise"), WRITE, FORMS, ("judge", "people", "pool.txt"),
    ("judge", "serve", "pool.txt", "--documents", "larger"), "pool.txt.journal",
)  # fmt: skip
REVIEWING = AttackedPages(
    "reviewing", (*ASKED, "/read", "/certificate", "/certificate.pdf", "/api/certificate", "/api/find"),
    (*WRITE, "switch", "stop"), (), ("review", "people", "review"),
    ("review", "serve", "review", "--documents", "larger", "--query", "a"), "review/journal",
)  # fmt: skip


@dataclass
class AttackedServer:
    """A running server of the pages, and what is known of it."""

    pages: AttackedPages
    work: Path
    port: int
    tokens: dict[str, str] = field(default_factory=dict)
    csrf: dict[str, str] = field(default_factory=dict)
    documents: list[tuple[str, str]] = field(default_factory=list)  # topics and documents
    cookie: str = "leadline_session"
    process: int = 0

    def raw(self, request: bytes, wait: float = 20.0) -> tuple[int, bytes]:
        """Status and answer of any bytes; status 0 where the connection was closed, or left open, without an answer."""
        answer = b""
        there = ("127.0.0.1", self.port)
        with contextlib.suppress(OSError), socket.create_connection(there, timeout=wait) as connection:
            connection.sendall(request)
            while part := connection.recv(1 << 16):
                answer += part
        found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
        return int(found[1]) if found else 0, answer

    def ask(self, method: str, path: str, person: str = "", body: bytes = b"", *headers: str) -> tuple[int, bytes]:
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Connection: close", *headers]
        if person:
            lines.append(f"Cookie: {self.cookie}={self.tokens[person]}")
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return self.raw("\r\n".join([*lines, "", ""]).encode("utf-8", "surrogatepass") + body)

    def sign_in(self) -> None:
        """Add the people, and learn what their pages send with every form."""
        for name, role in self.pages.roles.items():
            made = forked([*self.pages.people, "add", name, "--role", role, "-f", "json", "-q"], self.work)
            self.tokens[name] = re.findall(rb"/in/([\w-]+)", made.output)[0].decode()
            _, answer = self.ask("GET", f"/in/{self.tokens[name]}")
            self.cookie = re.findall(rb"(?i)set-cookie: (\w+)=", answer)[0].decode()
            _, answer = self.ask("GET", "/api/csrf", name)
            self.csrf[name] = json.loads(answer.partition(b"\r\n\r\n")[2])["csrf"]

    def prepare(self) -> None:
        """What is done before the attacks: ben judges, with a note."""
        self.sign_in()
        if self.pages is REVIEWING:
            lines = (self.work / "review" / "candidates-1.tsv").read_text().splitlines()
            self.documents = [("abstract", line.split("\t")[0]) for line in lines]
        else:
            pool = (self.work / "pool.txt").read_text().splitlines()
            self.documents = [(line.split()[0], line.split()[2]) for line in pool if not line.startswith("#")]
        topic, document = self.documents[0]
        content = {"id": "b" * 20, "topic": topic, "document": document, "grade": 1, "note": NOTE}
        status, answer = post_json(self, "/api/judgements", "ben", content)
        if status != 200:
            raise RuntimeError(f"ben cannot judge: {answer[-300:]!r}")

    def stored(self) -> int:
        """Number of events in the journal."""
        with contextlib.closing(sqlite3.connect(f"file:{self.work / self.pages.journal}?mode=ro", uri=True)) as journal:
            return int(journal.execute("select count(*) from events").fetchone()[0])


class Done(NamedTuple):
    """A request, and what came of it."""

    what: str
    person: str
    status: int
    answer: bytes
    forged: bool = False  # it must be refused
    may_store: bool = False

    def fault(self, stored: int) -> str:
        """What is wrong with the answer, if so many events were stored; empty if nothing."""
        if self.status >= 500:
            return f"status {self.status}"
        if self.forged and self.status == 200:
            return "accepted"
        if SECRET.encode() in self.answer or (self.person == "anna" and NOTE.encode() in self.answer):
            return "told what it must not"
        if stored and not self.may_store:
            return f"stored {stored} without leave"
        return "stored, and did not say so" if stored and b'"saved":true' not in self.answer.replace(b" ", b"") else ""


@contextlib.contextmanager
def attacked_server(
    base: Path, pages: AttackedPages, kind: type[AttackedServer] = AttackedServer
) -> Iterator[tuple[AttackedServer, Path]]:
    """A server with its people, prepared for the attacks; and the file of what it printed."""
    with attempt(base) as there:
        work = there.work
        for command in pages.before:
            made = forked(command, work)
            if made.status:
                raise RuntimeError(f"leadline {' '.join(command)}: {made.errors.decode(errors='replace')}")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        printed = work / "printed.txt"
        with printed.open("wb") as out:
            arguments = [*pages.serve, "--port", str(port)]
            child = subprocess.Popen([*COMMAND, *arguments], cwd=work, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        try:
            made_server = kind(pages, work, port, process=child.pid)
            end = time.monotonic() + 120
            while made_server.ask("GET", "/api/health")[0] != 200:
                if time.monotonic() > end or child.poll() is not None:
                    raise RuntimeError(f"the server does not start: {printed.read_text(errors='replace')[-500:]}")
                time.sleep(0.1)
            made_server.prepare()
            yield made_server, printed
            if child.poll() is not None:
                raise RuntimeError("the server has ended")
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()


def post_json(server: AttackedServer, path: str, person: str, content: object, *headers: str) -> tuple[int, bytes]:
    token = [f"X-CSRF-Token: {server.csrf[person]}"] if person else []
    body = json.dumps(content).encode()
    return server.ask("POST", path, person, body, "Content-Type: application/json", *token, *headers)


def attack_requests(base: Path, count: int, seed: int, pages: AttackedPages = JUDGING) -> Iterator[tuple[str, str]]:
    """Twenty times `count` requests of four kinds; then whether the server still answers, and what it printed."""
    chosen = random.Random(seed)
    with attacked_server(base, pages) as (server, printed):
        before = server.stored()
        for number in range(20 * count):
            make = (_read, _forged, _wild_content, _raw)[number % 4]
            done = make(server, chosen)
            after = server.stored()
            yield f"request {number} of seed {seed}: {done.what[:160]!r}", done.fault(after - before)
            before = after
        yield from after_all(server, printed)
        if pages is REVIEWING:
            yield from _after_review(server)


def after_all(server: AttackedServer, printed: Path) -> Iterator[tuple[str, str]]:
    """Whether the server still answers, and what it printed."""
    status, _ = server.ask("GET", "/api/health")
    yield "the server after all requests", "" if status == 200 else f"status {status}"
    said = printed.read_bytes()
    _, traceback, rest = said.partition(b"Traceback")
    yield "what the server printed", f"a traceback: {rest[:4000].decode(errors='replace')}" if traceback else ""
    shown = [name for name, token in server.tokens.items() if token.encode() in said]
    yield "the tokens in what the server printed", f"shown: {shown}" if shown else ""


def _after_review(server: AttackedServer) -> Iterator[tuple[str, str]]:
    """Whether the random draws can be drawn again or chosen, and what a check finds."""
    events = {"resume": {"resume": True}, "first": {"to": "draws"}, "again": {"to": "draws", "seed": 1, "order": [0]}}
    for name, content in events.items():
        path = "/api/stop" if name == "resume" else "/api/switch"
        post_json(server, path, "olga", {"id": f"{name}-{'x' * 20}", **content})
    with contextlib.closing(sqlite3.connect(f"file:{server.work / server.pages.journal}?mode=ro", uri=True)) as journal:
        (orders,) = journal.execute("select count(distinct target) from events where kind = 'draws'").fetchone()
    yield "drawing again", "" if orders == 1 else f"{orders} orders of draws"
    _, answer = server.ask("GET", "/certificate", "olga")
    fits = b"it and the stored order follow from the head of the chain" in answer
    yield "an order of one's own", "" if fits else "the order does not follow from its seed"
    checked = run(["check", "review"], server.work)
    yield "a check of the review", "" if checked.status == 0 else checked.output.decode(errors="replace")[-200:]


def _read(server: AttackedServer, chosen: random.Random) -> Done:
    """An address that is read, by anyone, with wild parameters."""
    person, method = (
        chosen.choice(["", *ROLES]),
        chosen.choice(["GET", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "BREW"]),
    )
    path = chosen.choice([*server.pages.read, *PATHS])
    if chosen.random() < 0.7:
        names = ("topic", "document", "field", "view", "after", "count", "brief", "words", "have")
        known = [each for pair in server.documents[:5] for each in pair]
        values = (quoted(chosen.choice([*TEXTS, *known, "claims", "relevant", "99999999999999999999"])) for _ in names)
        path += "?" + "&".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
    status, answer = server.ask(method, path, person)
    return Done(f"{method} {path} by {person}", person, status, answer)


def quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"))


def _forged(server: AttackedServer, chosen: random.Random) -> Done:
    """A judgement or a form that another site, or another role, sends: nothing is stored."""
    topic, document = chosen.choice(server.documents)
    content = {"id": f"{chosen.getrandbits(80):020x}", "topic": topic, "document": document, "grade": 2, "text": "x"}
    way = chosen.choice(["no token", "another's token", "another site", "no person", "another role"])
    if way == "another role":
        if chosen.random() < 0.5 or not server.pages.forms:
            path, person = f"/api/{chosen.choice(WRITE)}", "olga"
            status, answer = post_json(server, path, person, content)
        else:
            path, person = f"/organise/{chosen.choice(server.pages.forms)}", "anna"
            body = f"csrf={server.csrf[person]}&topic={topic}&person=anna&text=x".encode()
            status, answer = server.ask("POST", path, person, body, "Content-Type: application/x-www-form-urlencoded")
    else:
        path, person = f"/api/{chosen.choice(server.pages.write)}", "" if way == "no person" else "anna"
        headers = [] if way in ("no token", "no person") else [f"X-CSRF-Token: {server.csrf['ben']}"]
        if way == "another site":
            headers = [f"X-CSRF-Token: {server.csrf['anna']}", chosen.choice(HEADERS[:4])]
        body = json.dumps(content).encode()
        status, answer = server.ask("POST", path, person, body, "Content-Type: application/json", *headers)
    return Done(f"{way}: POST {path} {content}", person, status, answer, forged=True)


def _wild_content(server: AttackedServer, chosen: random.Random) -> Done:
    """Content of any shape from a person who may write: what is stored is said."""
    topic, document = chosen.choice(server.documents)
    content: object = {
        "id": f"{chosen.getrandbits(80):020x}", "topic": topic, "document": document, "grade": chosen.choice([0, 1, 2]),
        "seconds": 1.0, "text": "x", "claim": "1", "reason": "", "target": "",
        "resume": chosen.random() < 0.8, "to": chosen.choice(["draws", "learner"]),
    }  # fmt: skip
    assert isinstance(content, dict)
    for _ in range(chosen.randint(1, 3)):
        content[chosen.choice([*content, "more"])] = chosen.choice(VALUES)
    if chosen.random() < 0.1:
        content = chosen.choice(VALUES)
    path = f"/api/{chosen.choice(server.pages.write)}"
    status, answer = post_json(server, path, "anna", content)
    return Done(f"POST {path} {content!r}", "anna", status, answer, may_store=True)


def _raw(server: AttackedServer, chosen: random.Random) -> Done:
    """A request whose bytes are damaged, or with headers that no browser sends."""
    content = json.dumps({"id": "x" * 20, "topic": "T"}).encode()
    headers = [f"Host: 127.0.0.1:{server.port}", "Connection: close", *chosen.sample(HEADERS, chosen.randint(1, 4))]
    path = chosen.choice([*server.pages.read, *PATHS, "/api/judgements"])
    head = f"{chosen.choice(['GET', 'POST'])} {path} HTTP/1.1"
    request = bytearray("\r\n".join([head, *headers, "", ""]).encode("utf-8", "surrogatepass") + content)
    for _ in range(chosen.choice([0, 0, 1, 5, 40])):
        request[chosen.randrange(len(request))] = chosen.randrange(256)
    if chosen.random() < 0.2:
        del request[chosen.randrange(len(request)) :]
    status, answer = server.raw(bytes(request), wait=0.5)
    return Done(repr(bytes(request)), "", status, answer)
