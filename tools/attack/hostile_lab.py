"""Requests to a lab that a team shares: bad uploads, forged forms, other roles' addresses, and a blind lab that leaks.

Whatever is refused must leave the lab's files as they are, byte for byte; what a participant may not see must not be in
any answer, nor may an answer show that it is there.
"""

from __future__ import annotations

import json
import random
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from bad_runs import LINE, bad_runs
from harness import contents
from hostile_requests import (
    HEADERS,
    NOTE,
    PATHS,
    POOL,
    TEXTS,
    AttackedPages,
    AttackedServer,
    Done,
    after_all,
    attacked_server,
    quoted,
)

from leadline.text.files import LOCK_FILE
from leadline.text.owned_files import IDENTITY

HIDDEN = NOTE  # ben's run, of which nobody else may learn while the lab is blind
ABSENT = NOTE.replace("ben", "bex")  # a run that is not there
PEOPLE = {"ben": "runner", "rune": "runner", "rita": "reader", "anna": "assessor", "olga": "organiser"}
PARTICIPANTS = ("rune", "rita", "anna")
KNOWING = ("ben", "olga", "")  # who may see HIDDEN, and who sees nothing at all
ADDRESSES = (
    "home", "leaderboard", "run/{run}", "compare", "topic/{topic}", "trust", "reports", "search", "prior-art",
    "collections", "collection/collection", "directory/collection", "document/collection/{document}", "jobs",
    "job/{run}", "people", "judge", "review", "openapi.json", "csrf",
)  # fmt: skip
NAMES = ("run", "qrels", "measure", "effort", "a", "b", "topic", "document", "q", "model", "k", "page", "class", "new",
         "before", "patent", "pasted", "depth", "systems", "system", "table", "index", "figure", "marks")  # fmt: skip
ENDINGS = ("csv", "tsv", "json", "parquet", "tex", "md", "exe")
LAB = AttackedPages(
    "lab", tuple(f"/api/{each}" for each in ADDRESSES), (), (), ("lab", "people", "lab"),
    ("serve", "lab", "--team", "--no-open"), "lab/lab.json",
    (POOL, ("lab", "init", "lab", "-q"),
     ("lab", "add", "lab", "collection", "index", "qrels.txt", "a.run", "pool.txt", "-q"),
     ("lab", "add", "lab", "topics.tsv", "--as", "topics", "-q")), PEOPLE,
)  # fmt: skip
MOST_MEMORY = 768 << 20  # bytes that a server of a small lab may have used at any time


@dataclass
class AttackedLab(AttackedServer):
    """A running server of a blind lab to which ben sent a run."""

    changes: int = 0
    seen: dict[str, str] = field(default_factory=dict)

    def prepare(self) -> None:
        """Ben sends a run, and the organiser hides the results."""
        self.sign_in()
        self.documents = [("EP1000031B1", "EP1000003B1"), ("EP1000032B1", "EP1000006B1")]
        text = (self.work / "b.run").read_bytes()
        status, answer = self.send("ben", text, f"{HIDDEN}.run")
        if status != 201:
            raise RuntimeError(f"ben cannot send a run: {answer[-300:]!r}")
        self.blind("yes")
        self.ask("GET", "/judge/pool/", "olga")  # the first visit makes the journal of the pool

    def blind(self, word: str) -> None:
        status, answer = self.form("olga", "/people/blind", f"csrf={self.csrf['olga']}&blind={word}")
        if status != 303:
            raise RuntimeError(f"the results cannot be hidden: {answer[-300:]!r}")

    def form(self, person: str, path: str, body: str, *headers: str) -> tuple[int, bytes]:
        return self.ask(
            "POST", path, person, body.encode(), "Content-Type: application/x-www-form-urlencoded", *headers
        )

    def send(self, person: str, content: bytes, name: str, *headers: str, qrels: str = "qrels") -> tuple[int, bytes]:
        """Send a run, as the page does; without its token where `headers` are given."""
        said = headers or (f"X-CSRF-Token: {self.csrf[person]}",)
        return self.ask("POST", f"/api/runs?name={quoted(name)}&qrels={qrels}", person, content, *said)

    def stored(self) -> int:
        """How often the files of the lab have changed.

        Results that are computed once are no change, in their files or as names in the lab's identity (behind a blank
        line), with the lock and the unfinished file of who writes them; nor is where readers of a store are, which
        SQLite keeps in -shm.
        """
        files = contents(self.work / "lab").items()
        passing = ("results", LOCK_FILE, ".leadline-")
        found = {name: hash for name, hash in files if not name.startswith(passing) and not name.endswith("-shm")}
        lines = (self.work / "lab" / IDENTITY).read_text().splitlines()
        found[IDENTITY] = "\n".join(line for line in lines if line and '"name": "results' not in line)
        self.changes += found != self.seen
        self.seen = found
        return self.changes

    def peak_memory(self) -> int:
        """Bytes that the server has had in memory at most."""
        about = Path(f"/proc/{self.process}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+) kB", about)[0]) << 10


def attack_lab(base: Path, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Every bad upload and every leak, `count` times twelve random requests, and what the server is like afterwards."""
    chosen = random.Random(seed)
    with attacked_server(base, LAB, AttackedLab) as (server, printed):
        assert isinstance(server, AttackedLab)
        before = server.stored()
        cases = (_uploads(server), _broken_bodies(server), _other_roles(server), _wild(server, chosen, 12 * count))
        for done in (each for kind in cases for each in kind):
            after = server.stored()
            yield done.what[:200], done.fault(after - before) or _leak(done)
            before = after
        yield from _leaks(server, thorough=count >= 20)
        yield from _scripts(server)
        used = server.peak_memory()
        yield "memory of the server", "" if used < MOST_MEMORY else f"{used:,} bytes"
        yield from after_all(server, printed)


def slow_uploads(base: Path, seconds: float = 120.0) -> Iterator[tuple[str, str]]:
    """Uploads that never go on: others are answered meanwhile, these are ended, and nothing is stored."""
    with attacked_server(base, LAB, AttackedLab) as (server, _):
        assert isinstance(server, AttackedLab)
        before, waiting = server.stored(), []
        for number in range(40):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=seconds)
            one.sendall(_head(server, f"slow{number}.run", "Content-Length: 1000") + LINE)
            waiting.append(one)
        status, _ = server.ask("GET", "/api/home", "rune")
        yield "a page while 40 uploads hang", "" if status == 200 else f"status {status}"
        answers = [_received(one) for one in waiting]
        wrong = [answer[:40] for answer in answers if not answer.startswith((b"HTTP/1.1 408", b"HTTP/1.1 503"))]
        yield "40 uploads that hang", f"answered {wrong[:3]}" if wrong else ""
        yield "what they stored", "" if server.stored() == before else "something"


def _received(connection: socket.socket) -> bytes:
    with connection:
        try:
            return connection.recv(4096)
        except OSError as error:
            return f"nothing: {error}".encode()


def _uploads(server: AttackedLab) -> Iterator[Done]:
    """Files that are not a run of this lab, and names that are not a file's: each is refused with a reason."""
    for what, name, content in bad_runs():
        status, answer = server.send("rune", content, name)
        yield _refused(f"an upload: {what}", "rune", status, answer)
    for name in (
        "", ".", "..", "../x.run", "a/x.run", "/etc/passwd", "..\\x.run", "x\0.run", ".hidden", "\u202ex.run",
        "<b>.run", "a" * 201, "a.run.manifest.json", "x.csv", "x.parquet", "x.run ", "x\n.run", "%2e%2e%2fx.run",
        "leadline.jsonl/x", "\ud800.run",
    ):  # fmt: skip
        status, answer = server.send("rune", LINE, name)
        yield _refused(f"an upload named {name[:40]!r}", "rune", status, answer)
    status, answer = server.send("rune", LINE, "other.run", qrels="qrel")
    yield _refused("an upload for judgements that are hidden", "rune", status, answer)
    for name in (f"{HIDDEN}.run", f"{HIDDEN}.txt", "a.run"):
        status, answer = server.send("rune", LINE, name, qrels="")
        yield _refused(f"an upload under another's name {name}", "rune", status, answer)
    status, answer = server.send("rune", (server.work / "b.run").read_bytes(), f"{HIDDEN}.run", qrels="")
    yield _refused(f"another's run once more, as {HIDDEN}", "rune", status, answer)


def _refused(what: str, person: str, status: int, answer: bytes) -> Done:
    """A request that must be refused, with a reason."""
    done = Done(what, person, status, answer, forged=True)
    head, _, body = answer.partition(b"\r\n\r\n")
    says = len(body.strip()) > 10 and b"internal server error" not in body.lower()
    return done if 400 <= status < 500 and says else replace_status(done, f"{what}: {head[:60]!r} {body[:100]!r}")


def replace_status(done: Done, what: str) -> Done:
    """The same with a status that counts as a fault: it was not refused, or without a reason."""
    return done._replace(what=what, status=done.status if done.status >= 500 or done.status == 200 else 599)


def _head(server: AttackedLab, name: str, *headers: str) -> bytes:
    """The head of an upload by rune."""
    lines = (
        f"POST /api/runs?name={name} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Connection: close",
        f"Cookie: {server.cookie}={server.tokens['rune']}", f"X-CSRF-Token: {server.csrf['rune']}", *headers, "", "",
    )  # fmt: skip
    return "\r\n".join(lines).encode()


def _broken_bodies(server: AttackedLab) -> Iterator[Done]:
    """Bodies that are longer or shorter than was said, or of which no length is said."""
    for what, headers, body in (
        ("too large", ("Content-Length: 99999999999",), LINE),
        ("a negative length", ("Content-Length: -1",), LINE),
        ("no length", (), LINE),
        ("two lengths", ("Content-Length: 35", "Content-Length: 36"), LINE),
        ("pieces without a length", ("Transfer-Encoding: chunked",), b"23\r\n" + LINE + b"\r\n0\r\n\r\n"),
        ("pieces and a length", ("Transfer-Encoding: chunked", "Content-Length: 35"), b"zz\r\n" + LINE),
        ("a length of letters", ("Content-Length: many",), LINE),
        ("cut", ("Content-Length: 1000",), LINE * 3),
    ):
        answer = _sent_and_closed(server, _head(server, "broken.run", *headers) + body)
        found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
        # An answer to who has hung up need not come.
        yield Done(f"a body, {what}", "rune", int(found[1]) if found else 0, answer, forged=True)


def _sent_and_closed(server: AttackedLab, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while part := connection.recv(1 << 16):
                answer += part
        except OSError:
            pass
    return answer


def _other_roles(server: AttackedLab) -> Iterator[Done]:
    """Forms that others forge or that are for another role: refused, nothing stored."""
    forms = {
        "/people/blind": "blind=no", "/people/revoke": "person=ben", "/jobs": "kind=pool&depth=3&name=x",
        "/job/0123456789abcdef/cancel": "", "/judge/pool/organise/close": "topic=1", "/out": "",
    }  # fmt: skip
    allowed = {"/jobs": ("rune", "ben", "olga"), "/job/0123456789abcdef/cancel": ("rune", "ben", "olga"),
               "/out": tuple(PEOPLE)}  # fmt: skip
    for path, fields in forms.items():
        for person in ("", *PEOPLE):
            own = server.csrf.get(person, "")
            ways = {"no token": "", "another's token": server.csrf["ben" if person != "ben" else "rune"]}
            if person not in allowed.get(path, ("olga",)):
                ways["another role"] = own
            for way, token in ways.items():
                status, answer = server.form(person, path, f"csrf={token}&{fields}")
                yield _refused(f"{way}: {path} by {person or 'nobody'}", person, status, answer)
        status, answer = server.form("olga", path, f"csrf={server.csrf['olga']}&{fields}", HEADERS[0])
        yield _refused(f"another site: {path}", "olga", status, answer)
    for person in ("", *PEOPLE):
        other = f"X-CSRF-Token: {server.csrf['ben' if person != 'ben' else 'rune']}"
        mine = f"X-CSRF-Token: {server.csrf[person]}" if person else other
        ways = {"no token": "X-Nothing: 1", "another's token": other}
        if PEOPLE.get(person) not in ("runner", "organiser"):
            ways["another role"] = mine
        for way, header in ways.items():
            status, answer = server.send(person, LINE, "forged.run", header)
            yield _refused(f"an upload, {way}, by {person or 'nobody'}", person, status, answer)
            body = _parts({"csrf": header.partition(": ")[2], "name": "forged.run"}, LINE)
            status, answer = server.ask("POST", "/leaderboard", person, body, PARTS)
            yield _refused(f"a form with a file, {way}, by {person or 'nobody'}", person, status, answer)
            status, answer = server.ask("POST", "/api/jobs", person, b'{"kind": "pool"}', JSON, header)
            yield _refused(f"a job, {way}, by {person or 'nobody'}", person, status, answer)
    for person in ("rita", "rune", "anna", ""):
        for path in ("/people", "/api/people", "/people.csv", "/people.csv?table=audit"):
            yield _refused(f"{path} by {person}", person, *server.ask("GET", path, person))
    for person in ("rita", "rune", ""):
        for path in ("/judge", "/api/judge", "/judge/pool/", "/judge/pool/api/next?topic=1", "/review", "/api/review"):
            yield _refused(f"{path} by {person}", person, *server.ask("GET", path, person))


JSON, PARTS = "Content-Type: application/json", "Content-Type: multipart/form-data; boundary=xxx"


def _parts(fields: dict[str, str], content: bytes, name: str = "forged.run") -> bytes:
    """A form with a file, as a browser sends it."""
    lines = [
        f'--xxx\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items()
    ]
    lines.append(f'--xxx\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n')
    return "".join(lines).encode("utf-8", "surrogatepass") + content + b"\r\n--xxx--\r\n"


def _wild(server: AttackedLab, chosen: random.Random, count: int) -> Iterator[Done]:
    """Pages, JSON and downloads with any parameters; forms and JSON of any shape. None of them is a server error."""
    known = {"run": "a", "topic": server.documents[0][0], "document": server.documents[0][1]}
    for number in range(count):
        person = chosen.choice(["", *PEOPLE])
        some = {key: quoted(chosen.choice([value, *TEXTS])) for key, value in known.items()}
        address = chosen.choice(ADDRESSES).format(**some)
        way = chosen.choice(["page", "api", "download", "form", "parts"])
        path = {"page": f"/{address}", "api": f"/api/{address}"}.get(way, f"/{address}.{chosen.choice(ENDINGS)}")
        path = chosen.choice([path, path, path, chosen.choice(PATHS)])
        values = [*TEXTS[:8], *TEXTS[9:], *known.values(), "qrels", "bm25", "PRES@10", "3", "9" * 5000, "runs", "all"]
        asked = "&".join(f"{name}={quoted(chosen.choice(values))}" for name in chosen.sample(NAMES, 4))
        if way == "form":
            path = chosen.choice(["/jobs", "/people/revoke", "/out", "/leaderboard", "/prior-art"])
            fields = {"kind": "pool", "depth": "0", "person": "nobody", "index": "index"}
            fields |= dict.fromkeys(chosen.sample([*fields, "name"], 2), chosen.choice(values))
            fields["csrf"] = chosen.choice([server.csrf.get(person, ""), "x"]) if path != "/out" else "x"
            status, answer = server.form(person, path, "&".join(f"{k}={quoted(v)}" for k, v in fields.items()))
            path += f" {fields}"
        elif way == "parts":
            path = chosen.choice(["/leaderboard", "/prior-art"])
            fields = {"csrf": server.csrf.get(person, ""), "k": chosen.choice(values), "name": chosen.choice(values)}
            body = _parts({**fields, "index": "index", "date": chosen.choice(values)}, chosen.randbytes(50) + b"\xff")
            body = body[: chosen.choice([len(body), len(body), chosen.randrange(len(body))])]
            status, answer = server.ask("POST", path, person, body, PARTS)
        else:
            status, answer = server.ask("GET", f"{path}?{asked}", person)
        done = Done(
            f"wild {number}: {way} {path}?{asked} by {person}", person, status, answer, may_store=path[:5] == "/jobs"
        )
        if way == "api" and status != 0 and path.startswith("/api/") and status < 500:
            done = replace_status(done, f"not JSON: {done.what}") if not _is_json(answer) else done
        yield done


def _is_json(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"application/json" not in head.lower():
        return b"text/plain" in head.lower()  # refused before the lab looks at it
    try:
        json.loads(_whole(head, body))
    except ValueError:
        return False
    return True


def _whole(head: bytes, body: bytes) -> bytes:
    """The body of an answer, put together if it came in pieces."""
    if b"chunked" not in head.lower():
        return body
    found = b""
    while (size := int(body.partition(b"\r\n")[0] or b"0", 16)) > 0:
        body = body.partition(b"\r\n")[2]
        found, body = found + body[:size], body[size + 2 :]
    return found


def _leak(done: Done) -> str:
    """Whether an answer names the hidden run to who may not know of it, and did not."""
    named = HIDDEN.encode() in done.answer and HIDDEN not in done.what
    return "tells of a hidden run" if named and done.person not in KNOWING else ""


def _leaks(server: AttackedLab, thorough: bool) -> Iterator[tuple[str, str]]:
    """A run that is hidden, asked for by page, JSON, download and comparison: as if it were not there."""
    (server.work / "lab" / "reports" / "found.html").write_text(f"<p>{HIDDEN}</p>")
    topic = server.documents[0][0]
    ways = (
        "run/{0}", "run/{0}?qrels=qrels", "run/{0}/table.csv", "compare?a={0}&b=a", "compare?a=a&b={0}",
        "compare.csv?a={0}&b=a&table=topics", "leaderboard?new={0}", "leaderboard.csv?table=runs&new={0}",
        "leaderboard.json?qrels=qrels&x={0}", "report/{0}", "reports.csv?x={0}", "report/found.html?x={0}",
        "job/{0}", "jobs.csv?x={0}", "home.csv?x={0}", "trust?x={0}", "trust/figure.svg?figure=power&x={0}",
        "search?q=film&qrels=qrels&topic={0}", f"topic/{topic}?document={{0}}", f"topic/{topic}/table.csv?x={{0}}",
        f"document/collection/EP1000003B1?topic={topic}&x={{0}}",
    )  # fmt: skip
    for number, (start, way) in enumerate(product(("/", "/api/"), ways)):
        for person in PARTICIPANTS if thorough else (PARTICIPANTS[number % 3],):
            path = start + way
            status, there = server.ask("GET", path.format(HIDDEN), person)
            other, absent = server.ask("GET", path.format(ABSENT), person)
            same = status == other and _undated(there).replace(HIDDEN.encode(), ABSENT.encode()) == _undated(absent)
            fault = "" if same else f"status {status}, and {other} for a run that is not there"
            if HIDDEN.encode() in server.ask("GET", path.format("nothing"), person)[1]:
                fault = "tells of a hidden run"
            yield f"{path} by {person} in a blind lab", fault
    for person in ("ben", "olga"):
        status, _ = server.ask("GET", f"/api/run/{HIDDEN}", person)
        yield f"a hidden run by {person}", "" if status == 200 else f"status {status}"


def _undated(answer: bytes) -> bytes:
    return re.sub(rb"\r\ndate: [^\r]*", b"", answer, count=1)


def _scripts(server: AttackedLab) -> Iterator[tuple[str, str]]:
    """A run whose tag and topics are a script is stored, and shown as text."""
    script = b"<script>alert(1)</script>"
    status, answer = server.send("rune", LINE.replace(b" t\n", b" " + script + b"\n"), "script.run", qrels="")
    yield "a script as a tag", "" if status == 201 else f"status {status}: {answer[-200:]!r}"
    status, answer = server.send("rune", LINE.replace(b"EP1000003B1", script), "script2.run", qrels="")
    yield "a script as a document", "" if status == 201 else f"status {status}: {answer[-200:]!r}"
    server.blind("no")
    for path in ("/", "/leaderboard", "/run/script", "/run/script2", "/compare?a=script&b=a", "/topic/EP1000031B1"):
        status, answer = server.ask("GET", path, "rune")
        fault = "the script is in the page" if script in answer else "" if status == 200 else f"status {status}"
        yield f"{path} with a script in a run", fault
