"""robots.txt and sitemaps: what a host allows, how fast, and which pages it names itself."""

from __future__ import annotations

import gzip
import io
import math
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leadline.collections.crawl.addresses import AddressError, origin_of, page_address
from leadline.collections.crawl.fetching import Fetched, Fetcher
from leadline.collections.documents.markup.html import ROBOT
from leadline.collections.documents.markup.xml import parse

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
