"""The folder of a crawl: begin it, continue it after a stop or a kill, look for changes, and make a collection of it.

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
import io
import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.collections.crawl.crawl_outcome import CrawlOutcome
from leadline.collections.crawl.crawl_settings import CrawlSettings
from leadline.collections.crawl.crawler import Crawler, CrawlProgress
from leadline.collections.crawl.frontier import PAGE_COLUMNS, Frontier, QueuedPage
from leadline.collections.crawl.robots import UNREACHABLE
from leadline.collections.crawl.safe_addresses import Lookup, system_lookup
from leadline.collections.crawl.traps import CHAIN
from leadline.collections.crawl.warc_store import WarcPlace, WarcStore
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.web_page import packed_page, page_document
from leadline.collections.documents.store import CRAWL_KIND, INSIDE_CRAWL
from leadline.errors import InputError
from leadline.text.checksums import file_sha256, read_sealed, sealed
from leadline.text.files import write_stored
from leadline.text.owned_folder import OwnedFolder

if TYPE_CHECKING:
    import polars as pl

VERSION = 1
WHAT = "a leadline crawl"
SETTINGS, FRONTIER, LINKS, PAGES = "crawl.json", "frontier.sqlite", "links.parquet", "pages.parquet"
FILES = "files"  # in crawl.json, after a run: the checksums of the frontier and the tables
FIX = "crawl into a new folder"


def crawl(
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
        stored = read_sealed(owned.path / SETTINGS, WHAT, VERSION, FIX)
        before = CrawlSettings() if stored is None else CrawlSettings.of(stored["settings"])
        settings = checked_settings(before, given, changes)
        _check_frontier(owned.path / FRONTIER, stored or {})
        owned.reserve(SETTINGS, FRONTIER, f"{FRONTIER}-wal", f"{FRONTIER}-shm", LINKS, PAGES, INSIDE_CRAWL)
        content = {"what": WHAT, "format": VERSION, "settings": settings.plain()}
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
    return {name: file_sha256(folder / name) for name in names}


def _check_frontier(path: Path, stored: dict[str, Any]) -> None:
    """Refuse a frontier that is not as the last run left it."""
    checksum = stored.get(FILES, {}).get(FRONTIER)
    if checksum is not None and path.is_file() and file_sha256(path) != checksum:
        raise InputError(str(path), f"is damaged, its checksum does not fit: {FIX}")


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
