"""What a crawl was asked to do: its seeds, limits and manners, kept in its folder."""

from __future__ import annotations

import dataclasses
import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leadline.collections.crawl.addresses import AddressError, canonical_host, host_of, page_address
from leadline.errors import InputError
from leadline.version import __version__

WEB_PACKAGES = ("aiohttp", "protego", "selectolax", "warcio")  # of the extra `web`
USER_AGENT = f"leadline/{__version__} (crawler of the search evaluation program Leadline)"


@dataclass(frozen=True)
class CrawlSettings:
    """The settings of a crawl."""

    seeds: tuple[str, ...] = ()  # as written; each is asked first
    depth: int = 20  # links from a seed
    pages: int = 10_000  # asked in all
    per_host: int = 0  # asked of one host; 0: no limit of its own
    hosts: tuple[str, ...] = ()  # patterns of hosts; empty: those of the seeds
    include: tuple[str, ...] = ()  # patterns of addresses, of which a page must match one
    exclude: tuple[str, ...] = ()  # patterns of addresses that are not asked for
    delay: float = 1.0  # seconds between two requests to a host; robots.txt may ask for more
    user_agent: str = USER_AGENT
    private_hosts: tuple[str, ...] = ()  # names that may lead to private addresses
    sitemaps: bool = True
    chain: int = 300  # pages in a row that only lead on to the next; 0: no limit
    max_bytes: int = 10 << 20  # of a page, after unpacking
    timeout: float = 60.0  # seconds for a whole page
    connections: int = 16  # hosts asked at the same time; of one host only one page at a time
    redirects: int = 5  # in a row
    retries: int = 3  # after the first attempt
    backoff: float = 1.0  # seconds before the first retry; doubled for each next

    def __post_init__(self) -> None:
        for name in ("depth", "per_host", "retries", "redirects", "chain"):
            if getattr(self, name) < 0:
                raise InputError(name, f"must be at least 0, got {getattr(self, name)}")
        for name in ("pages", "max_bytes", "connections"):
            if getattr(self, name) < 1:
                raise InputError(name, f"must be at least 1, got {getattr(self, name)}")
        for name in ("delay", "timeout", "backoff"):
            if not 0 <= getattr(self, name) <= 86_400:
                raise InputError(name, f"must be between 0 and 86,400 seconds, got {getattr(self, name)}")
        if not self.user_agent.isprintable() or not self.user_agent.isascii() or not self.user_agent.strip():
            raise InputError("user agent", f"must be printable ASCII text, got {self.user_agent!r}")
        for host in self.private_hosts:
            try:
                canonical_host(host)
            except AddressError as error:
                raise InputError("--private", str(error)) from None
        _ = self.seed_hosts

    @cached_property
    def seed_hosts(self) -> frozenset[str]:
        """The hosts of the seeds."""
        found = set()
        for seed in self.seeds:
            try:
                found.add(host_of(page_address(seed).canonical))
            except AddressError as error:
                raise InputError(seed, str(error)) from None
        return frozenset(found)

    @cached_property
    def _host_patterns(self) -> re.Pattern[str] | None:
        return _patterns([host.lower() for host in self.hosts])

    @cached_property
    def _includes(self) -> re.Pattern[str] | None:
        return _patterns(self.include)

    @cached_property
    def _excludes(self) -> re.Pattern[str] | None:
        return _patterns(self.exclude)

    def has_host(self, host: str) -> bool:
        """Whether pages of a host are crawled."""
        if self._host_patterns is None:
            return host in self.seed_hosts
        return self._host_patterns.match(host) is not None

    def has_page(self, address: str) -> bool:
        """Whether the patterns let an address in."""
        if self._includes is not None and not self._includes.match(address):
            return False
        return self._excludes is None or not self._excludes.match(address)

    def plain(self) -> dict[str, Any]:
        """The settings as they are stored."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, stored: dict[str, Any]) -> CrawlSettings:
        """The settings from what was stored."""
        names = {field.name for field in dataclasses.fields(cls)}
        known: dict[str, Any] = {
            name: tuple(each) if isinstance(each, list) else each for name, each in stored.items() if name in names
        }
        return cls(**known)


def _patterns(written: Sequence[str]) -> re.Pattern[str] | None:
    """Patterns with * and ? as one regular expression; None where there are none."""
    if not written:
        return None
    return re.compile("|".join(f"(?:{fnmatch.translate(each)})" for each in written))
