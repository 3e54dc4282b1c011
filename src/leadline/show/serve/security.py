"""What every request passes: limits of connections, hosts, origins, sizes, headers, the log; and serving until stopped.

Written for the interface below the web framework (ASGI), so that nothing that a page does can leave it out.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import hmac
import ipaddress
import re
import socket
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from uvicorn.protocols.http.h11_impl import H11Protocol

from leadline.errors import InputError, system_reason, visible

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # a personal link must not travel; with no-referrer, forms have no origin
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
LARGEST_BODY = 262_144  # bytes of a request
SLOWEST_START, LEAST_RATE = 10.0, 16_384  # a body has so many seconds, and one more for each so many bytes that came
LONGEST_BODY = 600.0  # seconds that any may take
MOST_DISCARDED, LONGEST_DISCARD = 268_435_456, 30.0  # bytes and seconds that are read of what was refused
SIGN_IN = "/in/"  # what follows it is secret
_SECRETS = re.compile(r"(?i)(?<=/in/).*|[\w-]{32,}", re.DOTALL)  # in a path: what follows /in/, and what may be a token
WRONG_SIGN_INS, WITHIN = 30, 60.0  # from one address, in seconds
_ADDRESSES = 10_000  # remembered at once

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Log = Callable[[str], None]


@dataclass(frozen=True)
class Address:
    """Where the pages are: what browsers may name as host and origin."""

    hosts: frozenset[str]
    url: str  # the one that links begin with
    secure: bool  # reached by https

    @classmethod
    def of(cls, host: str, port: int, url: str = "") -> Address:
        """The address of a server on a host and port; `url` is what people open if it is another.

        >>> address = Address.of("127.0.0.1", 8377)
        >>> address.url, "localhost:8377" in address.hosts, "evil.example" in address.hosts
        ('http://127.0.0.1:8377', True, False)
        """
        hosts = {_with_port(name, port) for name in _names(host)}
        if not url:
            return cls(frozenset(hosts), f"http://{_with_port(_reachable_name(host), port)}", secure=False)
        parts = urlsplit(url.rstrip("/"))
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
            raise InputError("--url", f"must be like https://judging.example.org, got {url!r}")
        return cls(frozenset({*hosts, parts.netloc.lower()}), url.rstrip("/"), parts.scheme == "https")

    def link(self, token: str) -> str:
        return f"{self.url}{SIGN_IN}{token}"

    def is_ours(self, origin: str) -> bool:
        """Whether a page of this server has this origin."""
        try:
            parts = urlsplit(origin)
        except ValueError:  # such as http://[
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() in self.hosts


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _names(host: str) -> set[str]:
    """The names under which a server that listens on a host is called."""
    local = {"127.0.0.1", "localhost", "::1"}
    if is_loopback(host):
        return local | {host}
    if not _is_any(host):
        return {host.lower()}
    own = {socket.gethostname().lower(), socket.getfqdn().lower()}
    with contextlib.suppress(OSError):
        own |= {str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)}
    return local | own


def _reachable_name(host: str) -> str:
    """The name by which others reach a host: that of this machine where it listens on all addresses."""
    return socket.gethostname() if _is_any(host) else host


def _with_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def csrf_of(token: str) -> str:
    """What a page must send with every write: known to whoever holds the token, and of no other use."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), b"leadline csrf", hashlib.sha256).hexdigest()


class WrongSignIns:
    """How often an address gave a wrong token of late."""

    def __init__(self, most: int = WRONG_SIGN_INS, within: float = WITHIN) -> None:
        self._most, self._within = most, within
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def is_too_many(self, address: str) -> bool:
        """Count one more; whether there were more than allowed."""
        now = time.monotonic()
        with self._lock:
            times = self._times.setdefault(address, deque(maxlen=self._most + 1))
            self._times.move_to_end(address)
            while len(self._times) > _ADDRESSES:
                self._times.popitem(last=False)
            times.append(now)
            return len(times) > self._most and now - times[0] < self._within


class Body:
    """What a request sends, as an application receives it: who sends too slowly counts as gone."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._seen, self._waited = receive, 0, 0.0
        self.is_late = False
        self.is_over = False  # nothing of it is still to come

    async def __call__(self) -> Message:
        if self.is_late:
            return {"type": "http.disconnect"}
        if self.is_over:
            return await self._receive()
        begin, allowed = time.monotonic(), min(SLOWEST_START + self._seen / LEAST_RATE, LONGEST_BODY)
        try:
            async with asyncio.timeout(allowed - self._waited):
                message = await self._receive()
        except TimeoutError:
            self.is_late = True
            return {"type": "http.disconnect"}
        self._waited += time.monotonic() - begin  # what the application does in between is not the sender's
        self._seen += len(message.get("body", b""))
        self.is_over = not message.get("more_body", False)
        return message

    async def whole(self) -> Message:
        """All of it as one message, or that it ended before."""
        parts: list[bytes] = []
        while not self.is_over:
            message = await self()
            if message["type"] != "http.request":
                return message
            parts.append(message.get("body", b""))
        return {"type": "http.request", "body": b"".join(parts), "more_body": False}

    async def discard(self) -> None:
        """Read what is left: who is still sending would see a broken connection, and not the answer."""
        end = self._seen + MOST_DISCARDED
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_DISCARD):
                while not (self.is_over or self.is_late) and self._seen < end:
                    await self()


class Guard:
    """Around the pages: refuses what is not ours or too large, adds the headers, and writes the log."""

    def __init__(
        self, app: App, address: Address, log: Log | None = None, large: Mapping[str, int] | None = None
    ) -> None:
        """`large` has the paths that take more bytes than `LARGEST_BODY`, and read them piece by piece."""
        self._app, self._address, self._log, self._large = app, address, log, large or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        from h11 import LocalProtocolError

        start, status, not_sent = time.monotonic(), 0, ""
        body = Body(receive)
        body.is_over = scope["method"] != "POST"

        async def send_with_headers(message: Message) -> None:
            nonlocal status, not_sent
            if not_sent:
                return
            if message["type"] == "http.response.start":
                status = message["status"]
                known = {name.lower() for name, _ in message["headers"]}
                fixed = dict(HEADERS) | {"cache-control": "no-store"}
                if not body.is_over:
                    fixed["connection"] = "close"
                added = [(k.encode(), v.encode()) for k, v in fixed.items() if k.encode() not in known]
                message = {**message, "headers": [*message["headers"], *added]}
            try:
                if message["type"] == "http.response.body" and not message.get("more_body", False) and not body.is_over:
                    await send({**message, "more_body": True})
                    await body.discard()
                    message = {"type": "http.response.body"}
                await send(message)
            except LocalProtocolError as error:
                # The bytes behind the request were not HTTP: the server has answered that, and closed the connection.
                not_sent = f", not sent: {error}"

        refused = self._refusal(scope)
        heard: Receive = body
        if refused is None and not body.is_over and scope["path"] not in self._large:
            heard = _again(await body.whole(), body)
            if body.is_late:
                refused = 408, "Not all of it came in time"
        if refused is not None:
            await _answer(send_with_headers, *refused)
        else:
            await self._app(scope, heard, send_with_headers)
        if self._log is not None:
            path = _SECRETS.sub("*", scope["path"])
            took = (time.monotonic() - start) * 1000
            self._log(visible(f"{scope['method']} {path} {status} {took:.0f} ms{not_sent}"))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not looked at."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host", "").lower() not in self._address.hosts:
            return 400, "This server is not known by that name: start it with --url"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "Only GET and POST"
        if scope["method"] == "POST":
            origin = headers.get("origin")
            if origin is not None and not self._address.is_ours(origin):
                return 403, "Sent from another site"
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return 403, "Sent from another site"
            length = headers.get("content-length", "")
            if not (length.isascii() and length.isdigit()):
                return 411, "The length of what is sent must be given"
            most = self._large.get(scope["path"], LARGEST_BODY)
            if int(length) > most:
                return 413, f"Larger than {most:,} bytes"
        return None


def _again(message: Message, receive: Receive) -> Receive:
    """`receive`, with a message that was read from it before the others."""
    waiting = [message]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


async def _answer(send: Send, status: int, text: str) -> None:
    body = f"{text}.\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# Serve an application until it is stopped: on a port that is free, without secrets in the log.


def listen(host: str, port: int) -> socket.socket:
    """A socket on a host and port; InputError where it is taken or is not ours."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(128)  # who comes before the first answer waits
    except OSError as error:
        wrong = "--host" if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL else "--port"
        problem = f"cannot be listened on: {system_reason(error)}; choose another {wrong}"
        raise InputError(f"{host}:{port}", problem) from None
    return opened


def serve(app: App, opened: socket.socket, address: Address, *, quiet: bool = False) -> None:
    """Answer requests until Ctrl-C. Requests that are being answered are finished."""
    server(app, address, quiet=quiet).run(sockets=[opened])


def server(app: App, address: Address, *, quiet: bool = False) -> Any:
    """A uvicorn server of an application, guarded. `app.state.large_bodies` has the paths that files are sent to."""
    import uvicorn

    log: Callable[[str], None] | None = None if quiet else _log
    large = getattr(getattr(app, "state", None), "large_bodies", None)
    config = uvicorn.Config(
        Guard(app, address, log, large),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=ClientConnection,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
        ws="none",
        lifespan="off",
    )
    return uvicorn.Server(config)


def _log(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


HEADER_SECONDS = (
    10.0  # seconds in which the headers of a request must come, from its first byte or that of the connection
)
MOST = 1000  # connections, or half the files that the process may open if these are fewer
MOST_OF_ONE = 200  # from one address; a proxy on this machine speaks for everybody


class ClientConnection(H11Protocol):
    """One connection of a client."""

    _begun = 0.0  # when it began to wait for a request
    _is_new = True  # no request of it was read whole
    _is_dropped = False
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        if self._waits and self._deadline is None:
            self._wait()
        super().data_received(data)
        if not self._waits:
            self._is_new = False
            self._cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._waits and self._deadline is None and self.conn.trailing_data[0]:  # the begin of a next request
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        """Whether the headers of the next request are still to come."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _turn(self) -> tuple[int, float] | None:
        """The place among those that make room: the new, the idle, those that are sending; none for who is answered."""
        if self._waits:
            return 0 if self._is_new else 1, self._begun
        return (2, self._begun) if self.cycle.more_body else None

    def _wait(self) -> None:
        self._begun = self.loop.time()
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._drop)

    def _cancel(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _drop(self) -> None:
        self._is_dropped = True
        self.transport.abort()  # closing would wait until the client has read what was sent before

    def _make_room(self) -> None:
        """Drop a connection where there are too many of this address, or too many at all; this one if all are busy."""
        known = (each for each in self.connections if isinstance(each, ClientConnection))
        others = [each for each in known if each is not self and not each._is_dropped]
        same = [each for each in others if each.client and self.client and each.client[0] == self.client[0]]
        if len(same) >= MOST_OF_ONE and self.client and not is_here(self.client[0]):
            others = same
        elif len(others) < most_connections():
            return
        turns = [(turn, place) for place, each in enumerate(others) if (turn := each._turn) is not None]
        (others[min(turns)[1]] if turns else self)._drop()


def is_here(address: str) -> bool:
    """Whether a client is on this machine, as a proxy is.

    >>> is_here("127.0.0.1"), is_here("::ffff:127.0.0.1"), is_here("10.0.0.7")
    (True, True, False)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def most_connections() -> int:
    """How many connections there may be: files must be left for what is served."""
    if sys.platform == "win32":
        return MOST
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else min(MOST, files // 2)
