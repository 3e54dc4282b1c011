"""The crawl itself: one polite queue a host, breadth first, every step noted, and what each answer means.

A page is noted as asked for before its request is sent. Its answer is stored, then noted with its links in one step. A
killed crawl finds on its next start the pages that were noted as asked for and have no answer: if their answers were
stored, they are read from there; only those whose answers had not come are asked again. They are at most one a host.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from leadline.collections.crawl.addresses import (
    CHAIN,
    AddressError,
    CrawlSettings,
    Lookup,
    PageAddress,
    SafeAddresses,
    folder_shape,
    host_of,
    page_address,
    shapes,
    system_lookup,
    trap_in,
)
from leadline.collections.crawl.fetching import Fetched, Fetcher, HostRules, fetch_rules, fetch_sitemaps
from leadline.collections.crawl.frontier import (
    Frontier,
    KnownAddresses,
    QueuedPage,
    StoredAnswer,
    WarcPlace,
    WarcStore,
    body_digest,
)
from leadline.collections.documents.fields.web_pages import (
    HTML_TYPES,
    MAX_LINKS,
    PAGE_TYPES,
    HtmlPage,
    HttpAnswer,
    decoded_page,
    media_type,
    read_page,
    robots_header,
    server_date,
)

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


# What an answer means: which links are followed, which pages are kept, what is tried again and what is refused.


GONE = frozenset({404, 410})
OTHER_HOST, OTHER_PATTERN, TOO_DEEP, OTHER_SCHEME = "other host", "pattern", "depth", "not http or https"


class Recorder:
    """Notes answers in the frontier, and adds the addresses that they name."""

    def __init__(
        self, settings: CrawlSettings, frontier: Frontier, store: WarcStore, rule: SafeAddresses, errors: Counter[str]
    ) -> None:
        self.settings, self.frontier, self.store, self.rule, self.errors = settings, frontier, store, rule, errors
        self._known = KnownAddresses(frontier)
        self._seed_hosts = set(filter(None, frontier.fact("seed hosts").split()))  # where seeds redirected to

    def add(
        self,
        page: PageAddress,
        depth: int,
        *,
        hops: int = 0,
        found_on: int | None = None,
        seed: bool = False,
    ) -> str:
        """Put an address into the queue; returns why not, empty if it is there now or was before."""
        if page.canonical in self._known:
            return ""
        host = host_of(page.canonical)
        if self.rule.refusal(page.canonical):
            self._refuse(page, depth, "private address", found_on)
            return "private address"
        reason = ""
        if not seed and not self.settings.has_host(host) and host not in self._seed_hosts:
            reason = OTHER_HOST
        elif not seed and not self.settings.has_page(page.canonical):
            reason = OTHER_PATTERN
        elif depth > self.settings.depth:
            reason = TOO_DEEP
        if reason:
            self.frontier.count(reason)
            return reason
        trap = "" if seed else trap_in(page.canonical) or self._trap_among_many(page.canonical)
        if not trap and not seed and self._leads_on(page.canonical, depth):
            trap = CHAIN
        if trap:
            self._refuse(page, depth, f"trap: {trap}", found_on)
            return trap
        self._known.add(page.canonical)
        self.frontier.add(page, depth, hops=hops, found_on=found_on)
        return ""

    def _trap_among_many(self, address: str) -> str:
        for shape, most, name in shapes(address):
            if self.frontier.shape_count(shape) >= most:
                return name
        return ""

    def _leads_on(self, address: str, depth: int) -> bool:
        """Whether the pages of a folder have led to ever new ones of the same folder for too long."""
        length = self.frontier.chain_length(folder_shape(address), depth)
        return 0 < self.settings.chain < length

    def _refuse(self, page: PageAddress, depth: int, reason: str, found_on: int | None) -> None:
        self._known.add(page.canonical)
        self.frontier.refuse(page, depth, reason, found_on)

    def record(self, page: QueuedPage, found: Fetched) -> None:
        """Note what came of a request. A page is stored before it is noted."""
        answer, at = found.answer, found.at.strftime("%Y-%m-%dT%H:%M:%SZ")
        if answer is None or found.try_again:
            self._failed(page, found, at)
            return
        if answer.status == 304 or (answer.status == 200 and page.digest and body_digest(answer.body) == page.digest):
            self._unchanged(page, answer, found.at)
        elif 300 <= answer.status < 400:
            with self.frontier.change():
                self._redirected(page, answer, at)
        elif 200 <= answer.status < 300 and not found.unread:
            place = self.store.add(page.asked, answer, found.reason, at=found.at, ip=found.ip)
            self.keep(page, answer, place, at)
        else:
            kind = (
                f"type {media_type(answer.named.get('content-type', ''))}" if found.unread else f"http {answer.status}"
            )
            self.errors[kind] += 1
            with self.frontier.change():
                self.frontier.update(
                    page.id, state="failed", reason=kind, status=answer.status, fetched=at, offset=None, digest=""
                )
                self.frontier.set_links(page.id, ())
                outcome = "gone" if answer.status in GONE and page.offset is not None else kind
                self.frontier.note(page.id, outcome, at, answer.status)

    def _failed(self, page: QueuedPage, found: Fetched, at: str) -> None:
        """Try again later, or give up. A page that was there before keeps what it had."""
        kind = found.failure or f"http {found.answer.status if found.answer is not None else 0}"
        self.errors[kind] += 1
        status = found.answer.status if found.answer is not None else None
        with self.frontier.change():
            self.frontier.note(page.id, f"{kind}: {found.detail}" if found.detail else kind, at, status)
            if kind == "private address":
                self.frontier.update(page.id, state="refused", reason=kind, offset=None)
            elif found.try_again and page.attempts < self.settings.retries:
                wait = max(found.wait(), self.settings.backoff * 2**page.attempts)
                self.frontier.update(page.id, state="queued", reason=kind, not_before=time.time() + wait)
            else:
                self.frontier.update(page.id, state="failed", reason=kind, status=status, fetched=at)

    def _unchanged(self, page: QueuedPage, answer: HttpAnswer, moment: datetime) -> None:
        at = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        place = self.store.add_unchanged(page.asked, page.digest, at=moment, status=answer.status)
        with self.frontier.change():
            self.frontier.update(page.id, state="done", reason="", status=200, fetched=at)
            self.frontier.note(page.id, "unchanged", at, answer.status, page.digest, place)

    def _redirected(self, page: QueuedPage, answer: HttpAnswer, at: str) -> None:
        """Follow a redirect by adding its target; it is refused as any other address is."""
        written = answer.named.get("location", "")
        target, reason = "", ""
        try:
            if not written:
                raise AddressError("a redirect without an address")
            to = page_address(written, page.asked)
            target = to.canonical
            if page.hops >= self.settings.redirects:
                reason = "too many redirects"
            elif to.canonical == page.address:
                if to.asked == page.asked:
                    reason = "redirect to itself"
                else:  # another spelling of the same page
                    self.frontier.update(page.id, state="queued", asked=to.asked, hops=page.hops + 1)
                    self.frontier.note(page.id, "redirect", at, answer.status)
                    return
            else:
                if page.depth == 0 and not self.settings.hosts and not self.rule.refusal(target):
                    self._seed_hosts.add(host_of(target))  # a seed says where its pages are
                    self.frontier.set_fact("seed hosts", " ".join(sorted(self._seed_hosts)))
                refused = self.add(to, page.depth, hops=page.hops + 1, found_on=page.id)
                refused = refused or self.frontier.refusal(target)
                reason = f"redirect to {refused}" if refused else ""
        except AddressError as error:
            reason = "redirect to an address that is not crawled"
            self.frontier.note(page.id, f"{reason}: {error}", at, answer.status)
        state = "failed" if reason else "redirect"
        if reason:
            self.errors[reason] += 1
        self.frontier.update(
            page.id, state=state, reason=reason, target=target, status=answer.status, fetched=at, offset=None, digest=""
        )
        self.frontier.set_links(page.id, ())
        self.frontier.note(page.id, reason or "redirect", at, answer.status)

    def keep(self, page: QueuedPage, answer: HttpAnswer, place: WarcPlace, at: str) -> None:
        """Note a page that is stored, and add what it links to."""
        named = answer.named
        media = media_type(named.get("content-type", "text/html"))
        noindex, nofollow = robots_header(answer.all("x-robots-tag"))
        read: HtmlPage | None = None
        if media in HTML_TYPES or not media:
            read = read_page(decoded_page(answer.body, named.get("content-type", "")), texts=False)
            noindex, nofollow = noindex or read.noindex, nofollow or read.nofollow
        digest = body_digest(answer.body)
        canonical = ""
        with self.frontier.change():
            if read is not None:
                base = _joined(read.base, page.asked)
                own = _address(read.canonical, base)
                if own is not None and own.canonical != page.address:
                    canonical = own.canonical
                    self.add(own, page.depth, found_on=page.id)
                self.frontier.set_links(page.id, self._follow(page, read, base, nofollow))
            kept = media in PAGE_TYPES and answer.status == 200
            self.frontier.update(
                page.id,
                state="done",
                reason="" if kept else f"http {answer.status}",
                status=answer.status,
                type=media,
                etag=named.get("etag", "")[:500],
                modified=named.get("last-modified", "")[:100],
                digest=digest,
                date=server_date(named),
                fetched=at,
                canonical=canonical,
                noindex=int(noindex),
                warc=place.file,
                offset=place.offset,
                length=place.length,
            )
            outcome = "new" if page.offset is None else "changed"
            self.frontier.note(page.id, outcome, at, answer.status, digest, place)

    def _follow(self, page: QueuedPage, read: HtmlPage, base: str, nofollow: bool) -> list[tuple[str, str, bool]]:
        """The links of a page with their canonical targets; those that may be followed are added."""
        found = []
        if len(read.links) >= MAX_LINKS:
            self.frontier.count(f"rest of a page with {MAX_LINKS:,} links or more")
        folder = f"{base.partition('?')[0].rpartition('/')[0]}/"
        for link in read.links:
            try:
                target = page_address(link.href, base) if link.href[:1] in "?#" else _linked(link.href, folder)
            except AddressError as error:
                self.frontier.count(OTHER_SCHEME if "only http" in str(error) else "not an address")
                continue
            held_back = nofollow or link.nofollow
            found.append((target.canonical, link.anchor, held_back))
            if not held_back:
                self.add(target, page.depth + 1, found_on=page.id)
        return found

    def recover(self, stored: Iterable[tuple[WarcPlace, StoredAnswer]], page_of: dict[str, QueuedPage]) -> int:
        """Note the answers that a killed process had stored and not noted; returns how many."""
        count = 0
        for place, each in stored:
            page = page_of.pop(each.address, None)
            if page is not None:
                self.keep(page, each.answer, place, each.at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
                count += 1
        return count


@lru_cache(maxsize=1 << 16)
def _linked(written: str, folder: str) -> PageAddress:
    """The address of a link in a folder: most pages of a site link to the same others."""
    return page_address(written, folder)


def _address(written: str, base: str) -> PageAddress | None:
    try:
        return page_address(written, base) if written else None
    except AddressError:
        return None


def _joined(written: str, address: str) -> str:
    """What the links of a page are relative to."""
    base = _address(written, address)
    return address if base is None else base.asked
