"""A small web site on this machine, in a process of its own, for crawls to visit."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PAGES = 12


class SmallSite(BaseHTTPRequestHandler):
    """A few pages with links to each other."""

    def do_GET(self) -> None:
        name = self.path.strip("/") or "0"
        found = name.isdigit() and int(name) < PAGES
        links = "".join(f'<a href="/{(int(name) * 3 + n) % PAGES}">page {n}</a> ' for n in range(3)) if found else ""
        page = f"<html><title>Page {name}</title><p>polymer film {name}</p>{links}</html>".encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def small_site() -> Iterator[str]:
    """The address of the site, which is there as long as this lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SmallSite)
    child = os.fork()
    if child == 0:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    server.socket.close()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
