"""A small search service on loopback, with the faults that services have."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from leadline.cli import main

DOCUMENTS = {f"D{number:03}": f"film number {number} of metal" for number in range(1, 41)}


def leadline(*words: str) -> int:
    """The exit status of a command; one word may hold several."""
    try:
        main(" ".join(words).split())
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


class SearchService:
    """Finds the documents that have the first word of a query; `fault` may answer in its place."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.fault: Callable[[Handler, str, int], bool] | None = None  # whether it answered
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self.server = _QuietServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.service = self  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Say nothing of clients that went away."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        self._search(asked["q"], int(asked.get("k", 1000)), int(asked.get("from", 0)))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._service.bodies.append(body)
        self._search(body["query"]["match"]["text"], body["size"], body.get("from", 0))

    @property
    def _service(self) -> SearchService:
        found: SearchService = self.server.service  # type: ignore[attr-defined]
        return found

    def _search(self, query: str, size: int, start: int) -> None:
        service = self._service
        with service.lock:
            service.asked[query] += 1
            service.headers.append(dict(self.headers))
            service.at_once += 1
            service.most_at_once = max(service.most_at_once, service.at_once)
            tries = service.asked[query]
        try:
            if service.fault is not None and service.fault(self, query, tries):
                return
            found = [name for name, text in DOCUMENTS.items() if query.split(maxsplit=1)[0] in text]
            hits = [{"_id": name, "_score": 40.0 - int(name[1:])} for name in found[start : start + size]]
            self.answer({"hits": {"total": {"value": len(found)}, "hits": hits}})
        finally:
            with service.lock:
                service.at_once -= 1

    def answer(self, content: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def break_off(self) -> None:
        """Announce more than is sent, and close the connection."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"hits": ')
        self.close_connection = True

    def be_slow(self, seconds: float) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(int(seconds / 0.05)):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)
