"""Asking a server for one page, within limits and only where it is safe; robots.txt, and what a host allows."""

from __future__ import annotations

import asyncio
import email.utils
import gzip
import io
import math
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from leadline.collections.crawl.addresses import (
    AddressError,
    CrawlSettings,
    Lookup,
    RefusedConnectionError,
    SafeAddresses,
    origin_of,
    page_address,
    safe_resolver,
    system_lookup,
)
from leadline.collections.documents.fields.web_pages import (
    PAGE_TYPES,
    PDF_TYPE,
    ROBOT,
    HttpAnswer,
    LimitedBody,
    media_type,
    reads_pdf,
)
from leadline.collections.documents.registry import parse

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


# robots.txt and sitemaps: what a host allows, how fast, and which pages it names itself.


LARGEST_ROBOTS = 512 << 10  # bytes; RFC 9309 asks for at least 500 KiB
LARGEST_SITEMAP = 50 << 20  # bytes, as sitemaps.org has it
MOST_SITEMAPS = 50  # of one host
MOST_ADDRESSES = 50_000  # of one host's sitemaps
LONGEST_DELAY = 120.0  # seconds: a longer crawl-delay is cut to this
REDIRECTS = 5
FORBIDDEN, UNREACHABLE = "robots.txt", "robots.txt unreachable"  # reasons


@dataclass(frozen=True)
class HostRules:
    """What the robots.txt of an origin says."""

    content: str
    status: int  # of the answer; 0: no answer
    failure: str = ""  # why there is no answer

    @cached_property
    def _rules(self) -> Any:
        from protego import Protego

        return Protego.parse(self.content)

    @property
    def forbids_all(self) -> bool:
        """Whether the server could not say what it allows, which RFC 9309 takes for nothing."""
        return self.status == 0 or self.status >= 500 or self.status == 429

    @property
    def refusal(self) -> str:
        """Why a page that is not allowed is not asked for."""
        if self.failure == "private address":
            return self.failure
        if not self.forbids_all:
            return FORBIDDEN
        return f"{UNREACHABLE} ({self.failure or f'http {self.status}'})"

    def allows(self, address: str) -> bool:
        """Whether an address may be asked for."""
        return not self.forbids_all and bool(self._rules.can_fetch(address, ROBOT))

    @property
    def delay(self) -> float:
        """The seconds between two requests that it asks for, 0 if it does not."""
        wanted = self._rules.crawl_delay(ROBOT)
        rate = self._rules.request_rate(ROBOT)
        seconds = float(wanted or 0.0)
        if rate is not None and rate.requests:
            seconds = max(seconds, rate.seconds / rate.requests)
        return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_DELAY)

    @property
    def sitemaps(self) -> list[str]:
        """The addresses of the sitemaps that it names."""
        return list(dict.fromkeys(self._rules.sitemaps))[:MOST_SITEMAPS]


async def fetch_rules(fetcher: Fetcher, origin: str) -> HostRules:
    """Ask an origin for its robots.txt. Redirects are followed; none there means that all is allowed."""
    address = f"{origin}/robots.txt"
    body, status = b"", 404
    for _ in range(REDIRECTS + 1):
        found = await fetcher.fetch(address, any_type=True, limit=LARGEST_ROBOTS)
        if found.answer is None:
            return HostRules("", 0, found.failure)
        body, status = found.answer.body, found.answer.status
        target = found.answer.named.get("location", "")
        if not (300 <= status < 400 and target):
            break
        try:
            address = page_address(target, address).asked
        except AddressError:
            return HostRules("", 404)
    text = body.decode("utf-8", "replace").removeprefix("\ufeff") if 200 <= status < 300 else ""
    return HostRules(text.replace("\0", ""), status)


async def fetch_sitemaps(fetcher: Fetcher, rules: HostRules, origin: str) -> list[str]:
    """The pages of this origin that its sitemaps name, as far as these can be read."""
    waiting, seen, found = [(address, 0) for address in rules.sitemaps], set[str](), list[str]()
    while waiting and len(seen) < MOST_SITEMAPS and len(found) < MOST_ADDRESSES:
        written, level = waiting.pop(0)
        try:
            address = page_address(written, origin)
        except AddressError:
            continue
        if address.canonical in seen:
            continue
        seen.add(address.canonical)
        answer = await fetcher.fetch(address.asked, any_type=True, limit=LARGEST_SITEMAP)
        pages, nested = sitemap_addresses(_content(answer))
        found += [page for page in pages[: MOST_ADDRESSES - len(found)] if _is_of(page, origin)]
        if level < 2:
            waiting += [(each, level + 1) for each in nested]
    return list(dict.fromkeys(found))[:MOST_ADDRESSES]


def _content(found: Fetched) -> bytes:
    """The bytes of a sitemap, unpacked within the limit; empty where there is none."""
    if found.answer is None or found.answer.status != 200:
        return b""
    body = found.answer.body
    if body[:2] != b"\x1f\x8b":
        return body
    try:
        return gzip.GzipFile(fileobj=io.BytesIO(body)).read(LARGEST_SITEMAP)
    except (OSError, EOFError, zlib.error):
        return b""


def _is_of(page: str, origin: str) -> bool:
    """Whether a page is of an origin: a sitemap speaks for its own host only."""
    try:
        return origin_of(page_address(page).canonical) == origin
    except AddressError:
        return False


def sitemap_addresses(content: bytes) -> tuple[list[str], list[str]]:
    """The pages and the further sitemaps that a sitemap names, in XML or one a line.

    >>> sitemap_addresses(b"<urlset><url><loc> http://a.example/1 </loc></url></urlset>")
    (['http://a.example/1'], [])
    """
    if not content.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        lines = content.decode("utf-8", "replace").splitlines()
        return [line.strip() for line in lines if line.strip().startswith("http")], []
    try:
        root = parse(content.lstrip(b"\xef\xbb\xbf \r\n\t"))
    except ValueError:
        return [], []
    pages: list[str] = []
    nested: list[str] = []
    for element in root.iter("{*}loc"):
        if element.text and element.getparent() is not None:
            (nested if element.getparent().tag.endswith("sitemap") else pages).append(element.text.strip())
    return pages, nested
