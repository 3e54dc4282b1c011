"""Asking a server for one page: within limits of time and size, and only at addresses that are safe."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from leadline.collections.crawl.crawl_settings import CrawlSettings
from leadline.collections.crawl.safe_addresses import (
    Lookup,
    RefusedConnectionError,
    SafeAddresses,
    safe_resolver,
    system_lookup,
)
from leadline.collections.documents.fields.web_page import PAGE_TYPES, PDF_TYPE, media_type
from leadline.collections.documents.markup.http_message import HttpAnswer, LimitedBody
from leadline.collections.documents.markup.pdf import reads_pdf

if TYPE_CHECKING:
    import aiohttp

ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.8,application/pdf;q=0.5,*/*;q=0.1"
CONNECT_TIMEOUT = 15.0  # seconds
SILENCE = 20.0  # seconds without a byte
LONGEST_WAIT = 600.0  # seconds that Retry-After may ask for
TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of a request: an answer, or the kind of failure."""

    answer: HttpAnswer | None
    at: datetime
    failure: str = ""  # the kind: timeout, connection, name, private address, body, size ...
    detail: str = ""
    ip: str = ""
    reason: str = ""  # the words behind the status
    unread: bool = False  # the body was not read, since its type is not

    @property
    def try_again(self) -> bool:
        """Whether the same request may succeed later."""
        if self.answer is not None:
            return self.answer.status in TRY_AGAIN
        return self.failure in ("timeout", "connection", "name", "body")

    def wait(self) -> float:
        """The seconds that the server asks to wait, 0 if it does not."""
        value = self.answer.named.get("retry-after", "") if self.answer is not None else ""
        if value.strip().isdigit():
            return min(float(value), LONGEST_WAIT)
        try:
            until = email.utils.parsedate_to_datetime(value).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            return 0.0
        return min(max(until - time.time(), 0.0), LONGEST_WAIT)


class Fetcher:
    """Sends the requests of a crawl."""

    def __init__(self, settings: CrawlSettings, rule: SafeAddresses, lookup: Lookup = system_lookup) -> None:
        self._settings, self._rule, self._lookup = settings, rule, lookup
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Fetcher:
        import aiohttp

        settings = self._settings
        # No cache of names: each connection is checked anew, and an open one stays with its checked address.
        connector = aiohttp.TCPConnector(
            resolver=safe_resolver(self._rule, self._lookup), use_dns_cache=False, limit=settings.connections
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,  # a proxy would connect in our place, unchecked
            timeout=aiohttp.ClientTimeout(total=settings.timeout, sock_connect=CONNECT_TIMEOUT, sock_read=SILENCE),
            headers={"User-Agent": settings.user_agent, "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"},
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def fetch(
        self,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        any_type: bool = False,
        limit: int | None = None,
    ) -> Fetched:
        """Ask for an address, without following redirects. `any_type` also reads bodies that are no pages."""
        import aiohttp
        from yarl import URL

        assert self._session is not None
        if problem := self._rule.refusal(address):
            return Fetched(None, datetime.now(UTC), "private address", problem)
        try:
            async with self._session.get(
                URL(address, encoded=True), headers=headers, allow_redirects=False, max_line_size=1 << 14
            ) as response:
                return await self._read(response, any_type, limit or self._settings.max_bytes)
        except aiohttp.ClientConnectorError as error:
            return Fetched(None, datetime.now(UTC), *_connection_failure(error))
        except TimeoutError:
            return Fetched(None, datetime.now(UTC), "timeout")
        except aiohttp.ClientPayloadError as error:
            return Fetched(None, datetime.now(UTC), "body", str(error)[:200])
        except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError) as error:
            return Fetched(None, datetime.now(UTC), "connection", str(error)[:200])
        except ValueError as error:  # damaged compression, or an address that the library refuses
            return Fetched(None, datetime.now(UTC), "content", str(error)[:200])

    async def _read(self, response: aiohttp.ClientResponse, any_type: bool, limit: int) -> Fetched:
        headers = tuple((_plain(name).lower(), _plain(value)) for name, value in response.headers.items())
        named = dict(reversed(headers))
        ip, reason = _peer(response), _plain(response.reason or "").encode("ascii", "replace").decode()
        media = media_type(named.get("content-type", ""))
        is_page = media in PAGE_TYPES and (media != PDF_TYPE or reads_pdf())
        if response.status == 304 or 300 <= response.status < 400 or not (any_type or is_page or not media):
            response.close()  # without the body
            answer = HttpAnswer(response.status, headers, b"")
            return Fetched(answer, datetime.now(UTC), ip=ip, reason=reason, unread=response.status < 300)
        body = LimitedBody(named.get("content-encoding", ""), limit)
        async for piece in response.content.iter_chunked(1 << 16):
            if not body.add(piece):
                response.close()
                break
        answer = HttpAnswer(response.status, headers, body.content(), body.cut)
        return Fetched(answer, datetime.now(UTC), ip=ip, reason=reason)


def _plain(text: str) -> str:
    """A header as text that can be stored: bytes that are not UTF-8, which the library marks, are read as Latin-1."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "surrogateescape").decode("latin-1")
    return "".join(each if each.isprintable() else " " for each in text)


def _peer(response: Any) -> str:
    connection = response.connection
    name = connection.transport.get_extra_info("peername") if connection is not None and connection.transport else None
    return str(name[0]) if name else ""


def _connection_failure(error: Any) -> tuple[str, str]:
    """The kind of a failed connection, and the details."""
    import aiohttp

    inner = getattr(error, "os_error", None)
    if isinstance(inner, RefusedConnectionError):
        return "private address", str(inner)
    if isinstance(error, (aiohttp.ClientConnectorSSLError, aiohttp.ClientConnectorCertificateError)):
        return "certificate", str(error)[:200]
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "name", str(error)[:200]
    return "connection", str(error)[:200]
