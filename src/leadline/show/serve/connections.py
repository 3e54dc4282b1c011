"""Connections: how many there may be, and how long the headers of a request may take.

uvicorn waits for the rest of a request's headers for as long as it takes, and with too many connections it answers
everybody with 503. Here headers have a deadline, and where there are too many connections, one that waits for a request
is closed: first those that have not sent any, the oldest first. So whoever sends a whole request is always answered.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS = 10.0  # seconds in which the headers of a request must come, from its first byte or that of the connection
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
        self._deadline = self.loop.call_later(HEADERS, self._drop)

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
