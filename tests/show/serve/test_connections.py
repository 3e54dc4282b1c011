"""Requests that are half sent, too slow or too large: whoever sends a whole request goes on being answered."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from leadline.show.serve import security
from leadline.show.serve.security import LARGEST_BODY, Address, Body, Guard


@contextlib.contextmanager
def half_sent(site: Any, count: int, head: bytes = b"GET /api/health HTTP/1.1\r\nHo") -> Iterator[list[socket.socket]]:
    """Connections that each began a request and say no more."""
    with contextlib.ExitStack() as held:
        opened = [
            held.enter_context(socket.create_connection(("127.0.0.1", site.port), timeout=20)) for _ in range(count)
        ]
        for each in opened:
            each.sendall(head)
        yield opened


def is_closed(connection: socket.socket, seconds: float) -> bool:
    """Whether the server closes a connection, after what it still sends, with pauses of at most some seconds."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def test_headers_have_a_deadline_also_where_they_drip(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "HEADER_SECONDS", 0.6)
    anna = site.client("anna")
    with half_sent(site, 2) as (first, dripping), half_sent(site, 1, b"") as (silent,):
        start = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() < start + 60:
                dripping.sendall(b"x")
                time.sleep(0.1)
                if is_closed(dripping, 0.05):
                    break
        assert time.monotonic() < start + 60  # without a deadline it would drip for ever
        assert is_closed(first, 60)
        assert is_closed(silent, 60)
    assert anna.get("/api/next").status_code == 200  # its connection is kept open between requests
    head = f"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n".encode()
    with half_sent(site, 1, head + b"GET /") as (second,):  # a whole request, and a half one behind it
        said = second.recv(65536)
        assert said.startswith(b"HTTP/1.1 200")
        second.sendall(b"a")
        assert is_closed(second, 60)


@pytest.mark.parametrize("path", ["GET /api/health HTTP/1.1\r\nHo", "", "POST /api/skips HTTP/1.1\r\n{}\r\n\r\nx"])
def test_half_sent_requests_never_keep_others_out(site: Any, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "MOST", 20)
    monkeypatch.setattr(security, "HEADER_SECONDS", 3600.0)  # nothing but room lets others in
    anna, ben = site.client("anna"), site.client("ben")
    assert anna.judge("D00", 1).status_code == 200
    head = path.format(f"Host: 127.0.0.1:{site.port}\r\nContent-Length: 1000")
    with half_sent(site, 60, head.encode()) as opened:
        for visit in (anna, ben, site.client("eve")):
            assert visit.judge("D01", 1).status_code == 200
        assert sum(is_closed(each, 0.001) for each in opened) >= 40  # the oldest made room


def test_an_address_has_its_share(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "MOST_OF_ONE", 5)
    with half_sent(site, 12) as opened:  # a proxy on this machine speaks for everybody
        assert not any(is_closed(each, 0.001) for each in opened)
    monkeypatch.setattr(security, "is_here", lambda address: False)
    with half_sent(site, 12) as opened:
        assert site.client("anna").get("/").status_code == 200
        assert sum(is_closed(each, 0.001) for each in opened) >= 7


class WithoutWaiting(asyncio.SelectorEventLoop):
    """A loop whose clock goes on only when all else is done, and then at once: a busy machine changes nothing."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0].when())
        super()._run_once()


def sender(parts: list[tuple[float, bytes]]) -> Any:
    """A sender of a body that sends each part after some seconds."""
    left = list(parts)

    async def receive() -> dict[str, Any]:
        seconds, part = left.pop(0)
        await asyncio.sleep(seconds)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    return receive


@pytest.mark.parametrize(
    ("parts", "is_late"),
    [
        ([(0.0, b"x" * 100)] * 3, False),
        ([(0.1, b"x")] * 40, True),  # dripping
        ([(0.1, b"x" * 300)] * 10, False),  # slow, and fast enough
        ([(0.0, b"x"), (5.0, b"x")], True),  # stuck
    ],
)
def test_a_body_has_a_least_rate(
    parts: list[tuple[float, bytes]], is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "SLOWEST_START", 0.5)
    monkeypatch.setattr(security, "LEAST_RATE", 1000)
    body = Body(sender(parts))
    with asyncio.Runner(loop_factory=WithoutWaiting) as runner:
        monkeypatch.setattr("leadline.show.serve.security.time.monotonic", runner.get_loop().time)
        message = runner.run(body.whole())
    assert body.is_late is is_late
    if not is_late:
        assert message["body"] == b"".join(part for _, part in parts)


@pytest.mark.parametrize("length", [LARGEST_BODY + 1, 24 << 20])
def test_what_is_too_large_is_answered_so_that_its_sender_sees_it(site: Any, length: int) -> None:
    head = f"POST /api/judgements HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nContent-Length: {length}\r\n\r\n"
    with half_sent(site, 1, head.encode()) as (opened,):
        opened.sendall(b"x" * length)  # all of it before the answer is looked at
        said = b""
        while part := opened.recv(65536):
            said += part
    assert said.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in said.lower()
    assert b"Larger than" in said


def test_what_is_discarded_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "MOST_DISCARDED", 1000)
    sent, seen = [], 0

    async def endless() -> dict[str, Any]:
        nonlocal seen
        seen += 100
        return {"type": "http.request", "body": b"x" * 100, "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    async def pages(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it is refused before")

    headers = [(b"host", b"127.0.0.1:1"), (b"content-length", b"99999999999")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    asyncio.run(Guard(pages, Address.of("127.0.0.1", 1))(scope, endless, send))
    assert [message.get("status") for message in sent] == [413, None, None]
    assert [message.get("more_body", False) for message in sent] == [False, True, False]
    assert seen == 1000
