"""The folder of a crawl: begin it, continue it, make a collection of it, say what was done, and check it.

DIR/crawl.json           seeds and limits; after a run, the checksums of the frontier and the tables
DIR/frontier.sqlite      every address, what became of it, links and history
DIR/warc/                the pages as they came
DIR/collection/          the pages as documents; commands that take a collection take DIR as well
DIR/links.parquet        source, target, anchor, nofollow
DIR/pages.parquet        every address with its state, depth, type, dates
DIR/leadline.jsonl       says that this is a crawl, and lists all that we made
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hashlib
import importlib.util
import io
import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from leadline.collections.crawl.addresses import CHAIN, WEB_PACKAGES, CrawlSettings, Lookup, Seconds, system_lookup
from leadline.collections.crawl.crawler import Crawler, CrawlProgress
from leadline.collections.crawl.fetching import UNREACHABLE
from leadline.collections.crawl.frontier import FOLDER as WARC
from leadline.collections.crawl.frontier import PAGE_COLUMNS, Frontier, QueuedPage, WarcPlace, WarcStore, body_digest
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import (
    CRAWL_KIND,
    INSIDE_CRAWL,
    check_collection,
)
from leadline.collections.documents.collection_files import MANIFEST
from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.web_pages import PDF_TYPE, packed_page, page_document, reads_pdf
from leadline.errors import InputError
from leadline.options import Bounds, Count
from leadline.records.result import Result, counted
from leadline.text.checksums import Finding, check_file, file_sha256, finding_of, findings, read_sealed, sealed
from leadline.text.files import write_stored
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed

if TYPE_CHECKING:
    import polars as pl

VERSION = 1
KIND_NAME = "a leadline crawl"
SETTINGS, FRONTIER, LINKS, PAGES = "crawl.json", "frontier.sqlite", "links.parquet", "pages.parquet"
FILES = "files"  # in crawl.json, after a run: the checksums of the frontier and the tables
MADE = f"{INSIDE_CRAWL}/{MANIFEST}"  # of the collection
REPAIR = "crawl into a new folder"


def crawl_into(
    folder: str | os.PathLike[str],
    seeds: Iterable[str] = (),
    *,
    again: bool = False,
    lookup: Lookup = system_lookup,
    report: Callable[[CrawlProgress], None] | None = None,
    **changes: Any,
) -> CrawlOutcome:
    """Crawl into a folder, or go on where an earlier run stopped; `again` asks for what changed since.

    `changes` are fields of CrawlSettings; those of the earlier run hold otherwise.
    """
    given = tuple(seeds)
    if not (Path(folder) / SETTINGS).exists():
        checked_settings(CrawlSettings(), given, changes)  # before the folder is made
    with OwnedFolder.locked(folder, CRAWL_KIND, VERSION) as owned:
        stored = read_sealed(owned.path / SETTINGS, KIND_NAME, VERSION, REPAIR)
        before = CrawlSettings() if stored is None else CrawlSettings.of(stored["settings"])
        settings = checked_settings(before, given, changes)
        _check_frontier(owned.path / FRONTIER, stored or {})
        owned.reserve(SETTINGS, FRONTIER, f"{FRONTIER}-wal", f"{FRONTIER}-shm", LINKS, PAGES, INSIDE_CRAWL)
        content = {"what": KIND_NAME, "format": VERSION, "settings": settings.plain()}
        write_stored(owned.path / SETTINGS, sealed(content))
        with contextlib.closing(Frontier(owned.path / FRONTIER)) as frontier, frontier.errors_reported():
            store = WarcStore(owned, settings.user_agent)
            with contextlib.closing(store):
                if again and frontier.states():
                    frontier.begin_again()
                crawler = Crawler(settings, frontier, store, lookup=lookup, report=report)
                outcome = CrawlOutcome(owned.path, private=crawler.rule.exceptions)
                _resume(crawler, outcome)
                _run(crawler)
                outcome.stopped = crawler.stopping
                outcome.asked, outcome.rate = crawler.progress.fetched, crawler.progress.rate
            _finish(owned, frontier, store, outcome)
        write_stored(owned.path / SETTINGS, sealed({**content, FILES: _checksums(owned.path)}))
        return outcome


def _checksums(folder: Path) -> dict[str, str]:
    """The checksums of what a run leaves; without that of a frontier whose log another process still reads."""
    log = folder / f"{FRONTIER}-wal"
    names = [LINKS, PAGES] if log.exists() and log.stat().st_size else [FRONTIER, LINKS, PAGES]
    return {name: file_sha256(folder / name) for name in (*names, MADE) if (folder / name).exists()}


def _check_frontier(path: Path, stored: dict[str, Any]) -> None:
    """Refuse a frontier that is not as the last run left it."""
    checksum = stored.get(FILES, {}).get(FRONTIER)
    if checksum is not None and path.is_file() and file_sha256(path) != checksum:
        raise InputError(str(path), f"is damaged, its checksum does not fit: {REPAIR}")


def checked_settings(before: CrawlSettings, seeds: tuple[str, ...], changes: dict[str, Any]) -> CrawlSettings:
    """The settings of an earlier run with what is new; InputError where they do not make a crawl."""
    together = tuple(dict.fromkeys((*before.seeds, *seeds)))
    if not together:
        raise InputError("crawl", "needs the address of a page to begin with, such as https://example.org/")
    return dataclasses.replace(before, seeds=together, **changes)


def _resume(crawler: Crawler, outcome: CrawlOutcome) -> None:
    """Bring the frontier of a killed run in order, without asking for a page whose answer is stored."""
    frontier, store = crawler.frontier, crawler.store
    rows = frontier.do(f"select {PAGE_COLUMNS} from pages where state = 'asked'").fetchall()
    pages = {page.asked: page for page in (QueuedPage(*row) for row in rows)}
    ends = dict(frontier.do("select warc, max(offset + length) from history where warc is not null group by warc"))
    for number in store.numbers():
        stored = list(store.behind(number, ends.get(number, 0)))
        outcome.recovered += crawler.recorder.recover(stored, pages)
        for lost in frontier.do(
            f"select {PAGE_COLUMNS} from pages where warc = ? and offset + length > ?",
            (number, store.path(number).stat().st_size),
        ).fetchall():  # of a disk that lost what it had taken
            page = QueuedPage(*lost)
            frontier.update(page.id, state="queued", offset=None, digest="", etag="", modified="")
    outcome.asked_again = sorted(page.address for page in pages.values())
    with frontier.change():
        for page in pages.values():
            frontier.update(page.id, state="queued", attempts=max(page.attempts - 1, 0))
        frontier.queue_refused(UNREACHABLE)
        before, longest = int(frontier.fact("chain", "0")), crawler.settings.chain
        if longest == 0 or longest > before:  # longer chains are allowed now
            frontier.queue_refused(f"trap: {CHAIN}")
        frontier.set_fact("chain", str(longest))


def _run(crawler: Crawler) -> None:
    """Run the crawl in an event loop of its own; Ctrl-C stops it cleanly, a second one at once."""

    async def run() -> None:
        loop = asyncio.get_running_loop()

        def stop() -> None:
            crawler.stop()
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.remove_signal_handler(signal.SIGINT)

        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):  # Windows, or another thread
            loop.add_signal_handler(signal.SIGINT, stop)
        await crawler.run()

    asyncio.run(run())


def _finish(owned: OwnedFolder, frontier: Frontier, store: WarcStore, outcome: CrawlOutcome) -> None:
    """Make the collection and the tables, and say what there is."""
    states = frontier.states()
    outcome.states, outcome.failed, outcome.refused = states, frontier.reasons("failed"), frontier.reasons("refused")
    outcome.passed_over = frontier.counted()
    outcome.finished = not states.get("queued", 0) and not outcome.stopped
    if frontier.generation:
        found = frontier.do(
            "select outcome, count(distinct page) from history where generation = ? and outcome in"
            " ('new', 'changed', 'unchanged', 'gone') group by outcome",
            (frontier.generation,),
        )
        outcome.changes = dict(found.fetchall())
    tables = {LINKS: _links(frontier), PAGES: _pages(frontier)}
    for name, table in tables.items():
        content = io.BytesIO()
        table.write_parquet(content)
        write_stored(owned.path / name, content.getvalue())
    outcome.links = len(tables[LINKS])
    rows = document_rows(frontier)
    documents = _documents(rows, store)
    first = next(documents, None)
    if first is not None:
        key = hashlib.sha256(json.dumps([row[:2] for row in rows]).encode()).hexdigest()
        origin = {"crawl": owned.id, "pages": key}
        written = write_collection(chain([first], documents), owned.path / INSIDE_CRAWL, origin, part=2000)
        outcome.documents = written["counts"]["documents"]
    outcome.unreadable = len(rows) - outcome.documents


DocumentRow = tuple[str, str, str, int, int, int]


def document_rows(frontier: Frontier) -> list[DocumentRow]:
    """The pages that are documents: kept, allowed in an index, and not a copy that names another as the original."""
    return frontier.do(
        "select address, digest, date, warc, offset, length from pages as page where offset is not null and noindex = 0"
        " and status = 200 and type != '' and state in ('done', 'failed', 'queued', 'asked') and not exists ("
        "select 1 from pages as original where original.address = page.canonical and original.offset is not null"
        " and original.noindex = 0 and original.canonical in ('', original.address)) order by id"
    ).fetchall()


def _documents(rows: Iterable[DocumentRow], store: WarcStore) -> Iterator[Document]:
    for address, _, date, number, offset, length in rows:
        answer = store.read(WarcPlace(number, offset, length)).answer
        with contextlib.suppress(ValueError):  # a PDF file that cannot be read
            yield page_document(packed_page(address, answer.named.get("content-type", "text/html"), answer.body, date))


def _links(frontier: Frontier) -> pl.DataFrame:
    """Every link between pages, with redirects and copies replaced by the page that they stand for."""
    import polars as pl

    found = frontier.do(
        "select pages.address, links.target, links.anchor, links.nofollow from links"
        " join pages on pages.id = links.source order by links.source, links.rowid"
    ).fetchall()
    stands_for = dict(
        frontier.do(
            "select address, case when state = 'redirect' then target else canonical end from pages"
            " where (state = 'redirect' and target != '') or (canonical != '' and canonical in"
            " (select address from pages where offset is not null))"
        ).fetchall()
    )
    final: dict[str, str] = {}

    def resolved(address: str) -> str:
        if address not in final:
            seen, at = {address}, address
            while (following := stands_for.get(at)) is not None and following not in seen:
                seen.add(following)
                at = following
            final[address] = at
        return final[address]

    columns = list(zip(*found, strict=True)) if found else [(), (), (), ()]
    return pl.DataFrame(
        {
            "source": [resolved(each) for each in columns[0]],
            "target": [resolved(each) for each in columns[1]],
            "anchor": list(columns[2]),
            "nofollow": [bool(each) for each in columns[3]],
        },
        schema={"source": pl.String, "target": pl.String, "anchor": pl.String, "nofollow": pl.Boolean},
    )


def _pages(frontier: Frontier) -> pl.DataFrame:
    """Every address with what became of it."""
    import polars as pl

    names = ("address", "state", "reason", "status", "type", "depth", "published", "fetched", "digest")
    found = frontier.do(
        "select address, state, reason, status, type, depth, date, fetched, digest from pages order by id"
    ).fetchall()
    kinds = {name: pl.Int64 if name in ("status", "depth") else pl.String for name in names}
    columns = list(zip(*found, strict=True)) if found else [()] * len(names)
    return pl.DataFrame({name: list(values) for name, values in zip(names, columns, strict=True)}, schema=kinds)


# What a run of a crawl did, in a sentence and notes.


@dataclass(repr=False)
class CrawlOutcome(Result):
    """What a run of a crawl did."""

    folder: Path
    asked: int = 0  # requests for pages in this run
    rate: float = 0.0
    documents: int = 0
    unreadable: int = 0  # pages without a document: damaged PDF files
    links: int = 0
    states: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)  # by kind
    refused: dict[str, int] = field(default_factory=dict)  # by reason
    passed_over: dict[str, int] = field(default_factory=dict)  # links that were not followed, by reason
    changes: dict[str, int] = field(default_factory=dict)  # of a crawl that looked for changes
    asked_again: list[str] = field(default_factory=list)  # pages on their way when the last run was killed
    recovered: int = 0  # pages that a killed run had stored and not noted
    stopped: bool = False
    finished: bool = False  # nothing is left to ask
    private: list[str] = field(default_factory=list)  # private hosts that were allowed

    def _finding(self) -> str:
        done = f"{counted(self.asked, 'page')} asked for, {self.rate:,.1f} a second"
        if not self.asked and self.finished:
            done = "nothing is left to ask for"
        return f"{done}; {counted(self.documents, 'document')} and {counted(self.links, 'link')} in {self.folder}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was refused, what failed, and how to go on."""
        notes = []
        if self.private:
            notes.append(f"private addresses that were allowed, since a seed names them: {', '.join(self.private)}")
        if self.recovered:
            stored = counted(self.recovered, "page")
            notes.append(f"{stored} had been stored when the last run was killed, and not asked for again")
        if self.asked_again:
            named = ", ".join(self.asked_again[:3]) + ", …" * (len(self.asked_again) > 3)
            pages = counted(len(self.asked_again), "page")
            notes.append(f"{pages} on the way when the last run was killed; asked for again: {named}")
        if self.changes:
            notes.append(f"since the last time: {_counts(self.changes)}")
        if self.failed:
            notes.append(f"failed: {_counts(self.failed)}")
        if f"type {PDF_TYPE}" in self.failed and not reads_pdf():
            notes.append('text of PDF files needs the package pypdf: pip install "leadline[web]", then --again')
        if self.unreadable:
            notes.append(f"{counted(self.unreadable, 'page')} without a text that can be read: damaged PDF files")
        if self.refused:
            notes.append(f"refused: {_counts(self.refused)}")
        if f"trap: {CHAIN}" in self.refused:
            notes.append("pages in a row that only lead on to the next were given up; --chain 0 follows them on")
        if self.passed_over:
            notes.append(f"links not followed: {_counts(self.passed_over)}")
        waiting = self.states.get("queued", 0)
        again = f"`leadline crawl -o {self.folder}` goes on"
        if self.stopped:
            notes.append(f"stopped with {counted(waiting, 'page')} queued; {again}")
        elif waiting:
            notes.append(f"a limit was reached with {counted(waiting, 'page')} queued; {again} with a larger --pages")
        elif not self.asked:
            missing = ", but what failed or was refused is missing" if self.failed or self.refused else ""
            notes.append(f"the crawl is complete{missing}; --again asks for what changed since")
        return tuple(notes)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())


# A check of a crawl in full: its frontier and tables, every page that is stored, and its collection.


AGAIN = "crawl again with --again"


def check_crawl(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a crawl; nothing where it is as it was written."""
    yield from check_identity(folder)
    pages = (f"{WARC}/{path.name}" for path in (folder / WARC).glob("*.warc.gz"))
    yield from check_listed(folder, [SETTINGS, FRONTIER, LINKS, PAGES, INSIDE_CRAWL, WARC, *pages])
    checksums: dict[str, str] = {}
    try:
        stored = read_sealed(folder / SETTINGS, KIND_NAME, VERSION, REPAIR)
        if stored is None:
            yield Finding(str(folder / SETTINGS), "is missing", REPAIR)
        if not (folder / FRONTIER).exists():
            yield Finding(str(folder / FRONTIER), "is missing", REPAIR)
            return
        # A crawl that is under way, or was killed, has not written these yet.
        checksums = (stored or {}).get(FILES, {})
        is_finished = bool(checksums)
        damaged = list(check_file(folder / FRONTIER, checksums[FRONTIER], REPAIR)) if FRONTIER in checksums else []
        yield from damaged
        for name in (LINKS, PAGES):
            if name in checksums:
                yield from check_file(folder / name, checksums[name], "crawl again: the tables are written at the end")
        if not damaged:
            with contextlib.closing(Frontier(folder / FRONTIER, write=False)) as frontier, frontier.errors_reported():
                yield from _check_pages(folder, frontier, is_finished=is_finished)
    except InputError as error:
        yield finding_of(error, REPAIR)
    if (folder / INSIDE_CRAWL).is_dir():
        yield from check_collection(folder / INSIDE_CRAWL)
    if MADE in checksums:
        yield from check_file(folder / MADE, checksums[MADE], "crawl again: the collection is made at the end")


def _check_pages(folder: Path, frontier: Frontier, *, is_finished: bool) -> Iterator[Finding]:
    """Whether SQLite finds the frontier sound, and every page has the content that it came with."""
    found = str(frontier.do("pragma integrity_check").fetchone()[0])
    if found != "ok":
        yield Finding(str(frontier.path), f"is damaged: {found}", REPAIR)
    owned = OwnedFolder.open(folder, CRAWL_KIND, VERSION)
    store, wrong = WarcStore(owned, "", write=False), set()
    if is_finished:  # of a run that was killed, the last record may be cut
        for name in sorted(name for name in owned.names if name.startswith(f"{WARC}/")):
            if not (folder / name).exists():
                yield Finding(str(folder / name), "is missing", AGAIN)
        for number in store.numbers():
            for finding in findings(partial(store.check, number), AGAIN):
                wrong.add(number)
                yield finding
    rows = frontier.do("select address, digest, warc, offset, length from pages where offset is not null")
    for address, digest, number, offset, length in rows.fetchall():
        if number in wrong or not store.path(number).exists():
            continue  # which is said once
        try:
            if body_digest(store.read(WarcPlace(number, offset, length)).answer.body) != digest:
                yield Finding(str(store.path(number)), f"is damaged, the page {address} is not as it came", AGAIN)
        except InputError as error:
            yield finding_of(error, AGAIN)


# The public function that crawls.


def crawl(
    seeds: str | Sequence[str],
    folder: str | os.PathLike[str],
    *,
    depth: Annotated[int, Bounds(0)] | None = None,
    pages: Count | None = None,
    per_host: Annotated[int, Bounds(0)] | None = None,
    hosts: Sequence[str] | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    delay: Seconds | None = None,
    timeout: Seconds | None = None,
    max_size: Annotated[int, Bounds(1, 1024)] | None = None,
    chain: Annotated[int, Bounds(0)] | None = None,
    connections: Annotated[int, Bounds(1, 1024)] | None = None,
    user_agent: str | None = None,
    private: Sequence[str] | None = None,
    sitemaps: bool | None = None,
    again: bool = False,
    progress: Callable[[CrawlProgress], None] | None = None,
) -> CrawlOutcome:
    """Crawl pages of the web into a folder that is a collection.

    seeds: addresses to begin with
    depth: links from a seed that are followed (default: 20)
    pages: pages asked for in all (default: 10,000)
    per_host: pages asked of one host (default: no limit)
    hosts: hosts to crawl: example.org,*.example.com (default: those of the seeds)
    include: only addresses that match, such as '*/docs/*'
    exclude: no addresses that match
    delay: seconds between two requests to a host; robots.txt may ask for more (default: 1)
    timeout: seconds for a whole page (default: 60)
    max_size: largest page in MiB; a longer one is cut (default: 10)
    chain: pages in a row that only lead on to the next one (default: 300; 0: no limit)
    connections: hosts asked at the same time (default: 16)
    user_agent: how the crawler names itself
    private: a name that may lead to a private address, as an intranet
    sitemaps: read sitemaps (default: yes)
    again: ask again for every page, and keep what changed

    The same folder again goes on where an earlier crawl stopped, with its seeds and options where these are not given.
    `progress` is called with how far the crawl is.
    """
    missing = [name for name in WEB_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        words = f"needs the package{'s' * (len(missing) > 1)} {', '.join(missing)}"
        raise InputError("crawl", f'{words}: pip install "leadline[web]"')
    given: dict[str, Any] = {
        "depth": depth,
        "pages": pages,
        "per_host": per_host,
        "delay": delay,
        "timeout": timeout,
        "chain": chain,
        "connections": connections,
        "user_agent": user_agent,
        "sitemaps": sitemaps,
        "max_bytes": None if max_size is None else max_size << 20,
    }
    lists = {"hosts": hosts, "include": include, "exclude": exclude, "private_hosts": private}
    for name, values in lists.items():
        if isinstance(values, str):
            raise InputError(name.removesuffix("_hosts"), f"must be a list, got {values!r}; write [{values!r}]")
        given[name] = None if values is None else tuple(values)
    return crawl_into(
        folder,
        [seeds] if isinstance(seeds, str) else seeds,
        again=again,
        report=progress,
        **{name: value for name, value in given.items() if value is not None},
    )
