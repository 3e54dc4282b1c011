"""Files that describe a search service, from strangers, and services that answer with malice."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from harness import Attempt, attempt, forked

RUN = ["run", "--engine", "e.toml", "words.tsv", "-k", "20", "-o", "out.run"]
LIMITS = "\n[limits]\nretries = 0\nseconds = 3\n"
MEMORY = 3 << 30  # address space
VARIABLE, TOKEN = "LEADLINE_ATTACK_TOKEN", "Zq7-value-that-none-may-see"


def _hits(*names: Any) -> bytes:
    return json.dumps({"hits": [{"id": name, "score": 1.0} for name in names]}).encode()


def _forever(handler: _Handler, chunk: bytes, pause: float = 0.0) -> None:
    for _ in range(1 << 20):
        handler.wfile.write(chunk)
        time.sleep(pause)


def _endless_headers(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    _forever(handler, b"X: y\r\n")


def _endless_interim(handler: _Handler) -> None:
    _forever(handler, b"HTTP/1.1 100 Continue\r\n\r\n", 0.05)


def _endless_body(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    _forever(handler, b"a" * (1 << 20))


def _dripping_body(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
    _forever(handler, b" ", 0.05)


def _wrong_length(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n{")
    handler.close_connection = True


def _repeats_secret(status: int) -> Callable[[_Handler], None]:
    return lambda handler: handler.answer(f"no: {handler.headers['Authorization']}".encode(), status)


def _content(body: bytes, status: int = 200, **headers: str) -> Callable[[_Handler], None]:
    return lambda handler: handler.answer(body, status, **headers)


ANSWERS: dict[str, Callable[[_Handler], None]] = {
    "the secret in an error": _repeats_secret(401),
    "the secret in a failure that may pass": _repeats_secret(503),
    "the secret as a key": lambda handler: handler.answer(json.dumps({handler.headers["Authorization"]: 1}).encode()),
    "a redirect to a file": _content(b"", 302, Location="file:///etc/passwd"),
    "a redirect to another host": _content(b"", 307, Location="http://127.0.0.1:9/"),
    "endless headers": _endless_headers,
    "endless interim answers": _endless_interim,
    "an endless body": _endless_body,
    "a dripping body": _dripping_body,
    "a body that ends early": _wrong_length,
    "a packed body that grows": lambda handler: handler.answer(gzip.compress(b"a" * (64 << 20)), Encoding="gzip"),
    "nested lists": _content(b"[" * 1_000_000),
    "no JSON": _content(b"\xff\xfe<html>"),
    "a number of many digits": _content(b'{"hits": [{"id": "a", "score": 1' + b"0" * 400 + b"}]}"),
    "an id of many digits": _content(b'{"hits": [{"id": ' + b"9" * 6000 + b', "score": 1}]}'),
    "scores that are no numbers": _content(b'{"hits": [{"id": "a", "score": NaN}, {"id": "b", "score": -Infinity}]}'),
    "ids with control codes": _content(_hits("a\x1b[2J", "b\x9b31m", "\u202ec", "d\ne Q0 f 1 1 x", "\ud800", "\x00")),
    "ids that are no texts": _content(_hits({}, [], None, True)),
    "a status with control codes": _content(b"\x1b[2J\x9b31m\r\n\x00", 500),
    "a key with control codes": _content(b'{"\\u001b[2J": 1}'),
    "always the same page": _content(_hits(*(f"d{n}" for n in range(5)))),
    "a long wait": _content(b"", 429, Retry_After="9" * 400),
}


class _Handler(BaseHTTPRequestHandler):
    """Answers as the last part of the address says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        with contextlib.suppress(OSError):
            list(ANSWERS.values())[int(self.path[1:].partition("?")[0])](self)

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _judged(there: Attempt, text: str, *, answers: bool = True) -> str:
    """Run an engine file; why the outcome is not clear: a bad end, something planted, or a secret that is told."""
    (there.work / "e.toml").write_text(text)
    (there.work / "words.tsv").write_text("topic\ttitle\n1\tpolymer film\n2\tmetal\n")
    before = {path.name for path in there.work.iterdir()}
    done = forked(RUN, there.work, before=lambda: os.environ.update({VARIABLE: TOKEN}), seconds=60, memory=MEMORY)
    left = {path.name for path in there.work.iterdir()} - before
    kept = [path.read_bytes() for path in there.work.glob("out.run*")]
    if fault := done.fault(answers=answers) or there.touched(done.output):
        return fault
    if planted := sorted(name for name in left if not name.startswith("out.run")):
        return f"wrote {planted}"
    if any(TOKEN[:8].encode() in content for content in [done.errors, *kept]):
        return "told a secret"
    if any(control in content for content in kept for control in (b"\x1b", b"\xc2\x9b", b"\xe2\x80\xae", b"\x00")):
        return "stored control codes"
    return ""


def attack_answers(base: Path) -> Iterator[tuple[str, str]]:
    """Answers of a service over HTTP, to one page and to pages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for number, name in enumerate(ANSWERS):
            for paging in ("", 'page_size = 5\nparameters = {from = "{offset}"}\n'):
                text = f'kind = "http"\nurl = "http://127.0.0.1:{server.server_port}/{number}?q={{query}}"\n'
                text += f'hits = "hits"\nscore = "score"\nheaders = {{Authorization = "Bearer ${{{VARIABLE}}}"}}\n'
                text += f"{paging}{LIMITS}"
                with attempt(base) as there:
                    yield f"a service answers with {name}{', in pages' if paging else ''}", _judged(there, text)
    finally:
        server.shutdown()
        server.server_close()


def _database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, text)")
        database.execute("INSERT INTO documents VALUES ('d1', 'polymer film of metal')")
        database.commit()


def files(outside: Path) -> Iterator[tuple[str, str]]:
    """Engine files that must be refused, or fail, and touch nothing."""
    for kind, option in {"command": "command = ['touch', 'planted']", "python": "function = 'os:getcwd'"}.items():
        yield f"code without --run-code: {kind}", f'kind = "{kind}"\n{option}\n'
    yield "code without --run-code: pyterrier", 'kind = "pyterrier"\npipeline = "os:getcwd"\n'
    service = 'kind = "http"\nhits = "hits"\n'
    for url in (
        f"file://{outside}/secret.txt?q={{query}}",
        "ftp://127.0.0.1/{query}",
        "http://[::1/?q={query}",
        "http://127.0.0.1:99999/?q={query}",
        "http://127.0.0.1:9/\\r\\nX: y?q={query}",
        "http://127.0.0.1:9/ü\\u0000?q={query}",
        f"http://127.0.0.1:9/?q={{query}}&key=${{{VARIABLE}}}",
        "//127.0.0.1/{query}",
    ):
        yield f"url = {url}", f'{service}url = "{url}"\n{LIMITS}'
    local = f'{service}url = "http://127.0.0.1:9/?q={{query}}"\n'
    for headers in ('{A = "a\\r\\nB: 1"}', '{"A\\r\\nB" = "1"}', '{"" = "1"}', '{A = "\\u0000"}', '{A = "ü€"}'):
        yield f"headers = {headers}", f"{local}headers = {headers}\n{LIMITS}"
    yield "a header with a variable that is not set", f'{local}headers = {{A = "${{NO_SUCH_VARIABLE_}}"}}\n'
    yield "a method with a line break", f'{local}method = "GET / HTTP/1.1\\r\\nX: y"\n'
    for statement in (
        f"VACUUM INTO '{outside}/planted' || :query || :k",
        f"ATTACH 'file:{outside}/planted?mode=rwc&x=' || :query || :k AS x",
        "DELETE FROM documents WHERE :query = :query AND :k = :k",
        "CREATE TABLE planted AS SELECT :query, :k",
        "SELECT 1, :query, :k; DROP TABLE documents",
        "SELECT load_extension(:query), :k",
        "SELECT hex(zeroblob(900000000)), 1 WHERE :query = :query AND :k = :k",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x), :k FROM c WHERE :query <> ''",
    ):
        yield f"sql = {statement}", f'kind = "sql"\ndatabase = "d.db"\nsql = "{statement}"\n{LIMITS}'
    for database in ("file:planted?mode=rwc", ":memory:", "planted.db", "/dev/zero", f"{outside}/secret.txt"):
        statement = "SELECT name, :k FROM sqlite_master WHERE :query <> name"
        yield f"database = {database}", f'kind = "sql"\ndatabase = "{database}"\nsql = "{statement}"\n{LIMITS}'


def attack_files(base: Path) -> Iterator[tuple[str, str]]:
    """Engine files from strangers, read without --run-code."""
    with attempt(base) as first:
        count = len(list(files(first.outside)))
    for number in range(count):
        with attempt(base) as there:
            _database(there.work / "d.db")
            before = (there.work / "d.db").read_bytes()
            what, text = list(files(there.outside))[number]
            fault = _judged(there, text, answers=False)
            if not fault and (there.work / "d.db").read_bytes() != before:
                fault = "changed the database"
            yield f"an engine file with {what.replace(os.fspath(there.outside), 'OUTSIDE')}", fault


CLASSES = {"engine files and answers of services": (attack_files, attack_answers)}
