"""A server on loopback that answers as models do, right and wrong."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["ChatHandler", str], Any]


class ChatService:
    """Calls a text relevant if it has the word brake; `reply` may answer in its place."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.reply: Answer = lambda _, text: chat('{"probability": %s}' % (0.9 if "brake" in text else 0.1))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), ChatHandler)
        self.server.daemon_threads = True
        self.server.service = self  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1/chat/completions"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def chat(text: Any, *, usage: bool = True, **more: Any) -> dict[str, Any]:
    """An answer in the common form of chats."""
    found: dict[str, Any] = {
        "model": "m1-2026",
        "choices": [{"message": {"role": "assistant", "content": text}}],
        **more,
    }
    if usage:
        found["usage"] = {"prompt_tokens": 200, "completion_tokens": 10}
    return found


class ChatHandler(BaseHTTPRequestHandler):
    """Keeps what is asked, and answers."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        service: ChatService = self.server.service  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][0]["content"]
        service.bodies.append(body)
        service.questions.append(text)
        service.headers.append(dict(self.headers))
        found = service.reply(self, text)
        if found is not None:
            self.send(200, json.dumps(found).encode())

    def send(self, status: int, content: bytes, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def drip(self, seconds: float) -> None:
        """Begin an answer, and never end it."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until:
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.02)
        except OSError:
            pass

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
