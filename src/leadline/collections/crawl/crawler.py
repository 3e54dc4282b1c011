"""The crawl itself: one polite queue a host, breadth first, every step noted before the next.

A page is noted as asked for before its request is sent. Its answer is stored, then noted with its links in one step. A
killed crawl finds on its next start the pages that were noted as asked for and have no answer: if their answers were
stored, they are read from there; only those whose answers had not come are asked again. They are at most one a host.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from leadline.collections.crawl.addresses import AddressError, page_address
from leadline.collections.crawl.crawl_settings import CrawlSettings
from leadline.collections.crawl.fetching import Fetcher
from leadline.collections.crawl.frontier import Frontier, QueuedPage
from leadline.collections.crawl.recording import Recorder
from leadline.collections.crawl.robots import HostRules, fetch_rules, fetch_sitemaps
from leadline.collections.crawl.safe_addresses import Lookup, SafeAddresses, system_lookup
from leadline.collections.crawl.warc_store import WarcStore

GRACE = 10.0  # seconds that requests on their way get after Ctrl-C
RULES_KEPT = 86_400.0  # seconds for which a robots.txt counts
RULES_RETRIES = 2


@dataclass
class CrawlProgress:
    """How far a crawl is."""

    fetched: int = 0  # answers in this process
    queued: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    start: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Pages in a second."""
        return self.fetched / max(time.monotonic() - self.start, 1e-3)

    def line(self) -> str:
        """The progress in one line.

        >>> CrawlProgress(fetched=0, queued=7, errors=Counter({"timeout": 2})).line()
        '0 pages, 7 queued, 0.0/s, errors: 2 timeout'
        """
        errors = ", ".join(f"{count} {kind}" for kind, count in self.errors.most_common(4))
        line = f"{self.fetched:,} pages, {self.queued:,} queued, {self.rate:,.1f}/s"
        return f"{line}, errors: {errors}" if errors else line


class Crawler:
    """One run of a crawl over an open folder."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: Frontier,
        store: WarcStore,
        *,
        lookup: Lookup = system_lookup,
        report: Callable[[CrawlProgress], None] | None = None,
    ) -> None:
        self.settings, self.frontier = settings, frontier
        seeds = [page_address(seed) for seed in settings.seeds]
        self.rule = SafeAddresses((seed.canonical for seed in seeds), settings.private_hosts)
        self.progress = CrawlProgress()
        self.recorder = Recorder(settings, frontier, store, self.rule, self.progress.errors)
        self.store = store
        self.stopping = False
        self._lookup, self._report = lookup, report
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(settings.connections)
        self._asked = frontier.asked()
        self._seeds = seeds

    def stop(self) -> None:
        """Send no more requests; those on their way get some seconds."""
        self.stopping = True

    async def run(self) -> None:
        """Crawl until nothing is left to ask, a limit is reached, or `stop` is called."""
        for seed in self._seeds:
            self.recorder.add(seed, 0, seed=True)
        async with Fetcher(self.settings, self.rule, self._lookup) as fetcher:
            self._fetcher = fetcher
            while True:
                for origin in [] if self.stopping else self.frontier.waiting_origins():
                    if origin not in self._workers and self._has_room(origin):
                        self._workers[origin] = asyncio.create_task(self._crawl_host(origin))
                if not self._workers:
                    break
                done, _ = await asyncio.wait(self._workers.values(), timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
                self._finish(done)
                self._show()
                if self.stopping:
                    await self._end()
                    break
        self.frontier.flush(now=True)

    def _finish(self, done: set[asyncio.Task[None]]) -> None:
        for origin in [origin for origin, task in self._workers.items() if task in done]:
            self._workers.pop(origin).result()  # raises what went wrong

    async def _end(self) -> None:
        """Wait for the requests on their way, then give up the rest; they are asked again by the next run."""
        if not self._workers:
            return
        done, late = await asyncio.wait(self._workers.values(), timeout=GRACE)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        self._finish(done)

    def _has_room(self, origin: str) -> bool:
        """Whether the limits allow another page of an origin."""
        if self._asked >= self.settings.pages:
            return False
        return not self.settings.per_host or self.frontier.asked(origin) < self.settings.per_host

    def _show(self) -> None:
        self.progress.queued = self.frontier.states().get("queued", 0)
        if self._report is not None:
            self._report(self.progress)

    async def _crawl_host(self, origin: str) -> None:
        """The queue of one origin: ask for its pages one after another, as long as there are any."""
        async with self._slots:
            rules, last = await self._rules(origin)
        delay = max(self.settings.delay, rules.delay)
        while not self.stopping and self._has_room(origin):
            page = self.frontier.next_page(origin)
            if page is None:
                until = self.frontier.waits_until(origin)
                if until is None:
                    return
                await self._sleep(until - time.time())
                continue
            if not rules.allows(page.asked):
                self.frontier.update(page.id, state="refused", reason=rules.refusal, offset=None)
                continue
            await self._sleep(last + delay - time.monotonic())
            if self.stopping:
                return
            async with self._slots:
                last = time.monotonic()
                await self._ask(page)

    async def _sleep(self, seconds: float) -> None:
        """Wait, but not longer than until the crawl is stopped."""
        end = time.monotonic() + seconds
        while not self.stopping and (left := end - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 0.1))

    async def _ask(self, page: QueuedPage) -> None:
        """Ask for one page and note what came."""
        if not page.attempts:
            self._asked += 1
        self.frontier.update(page.id, state="asked", attempts=page.attempts + 1)
        headers = {}
        if page.offset is not None:  # only what changed
            headers = {"If-None-Match": page.etag} if page.etag else {}
            if page.modified:
                headers["If-Modified-Since"] = page.modified
        found = await self._fetcher.fetch(page.asked, headers=headers)
        self.recorder.record(page, found)
        self.progress.fetched += 1
        if self.frontier.flush():
            self.store.flush()

    async def _rules(self, origin: str) -> tuple[HostRules, float]:
        """The rules of an origin, stored or asked for, and when it was asked last."""
        row = self.frontier.do(
            "select robots, status from origins where origin = ? and at > ?", (origin, time.time() - RULES_KEPT)
        ).fetchone()
        if row is not None:
            return HostRules((row[0] or b"").decode("utf-8", "replace"), row[1]), 0.0
        rules = await fetch_rules(self._fetcher, origin)
        for attempt in range(RULES_RETRIES):
            if not rules.forbids_all or rules.failure == "private address" or self.stopping:
                break
            await self._sleep(self.settings.backoff * 2**attempt)
            rules = await fetch_rules(self._fetcher, origin)
        if rules.forbids_all:
            self.progress.errors[rules.refusal] += 1
        named = await fetch_sitemaps(self._fetcher, rules, origin) if self.settings.sitemaps else []
        with self.frontier.change():
            for written in named:
                with contextlib.suppress(AddressError):
                    self.recorder.add(page_address(written), 1)
            if rules.forbids_all:  # asked again by the next run
                return rules, time.monotonic()
            self.frontier.do(
                "insert or replace into origins values (?, ?, ?, ?, ?)",
                (origin, rules.content.encode("utf-8", "replace"), rules.status, time.time(), rules.delay),
            )
        return rules, time.monotonic()
