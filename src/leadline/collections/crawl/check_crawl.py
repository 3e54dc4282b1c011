"""A check of a crawl in full: its frontier and tables, every page that is stored, and its collection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from leadline.collections.crawl.crawl_folder import FILES, FIX, FRONTIER, LINKS, PAGES, SETTINGS, VERSION, WHAT
from leadline.collections.crawl.frontier import Frontier
from leadline.collections.crawl.warc_store import WarcPlace, WarcStore, body_digest
from leadline.collections.documents.check import check_collection, check_file, check_identity, finding_of
from leadline.collections.documents.store import CRAWL_KIND, INSIDE_CRAWL
from leadline.errors import InputError
from leadline.text.checksums import Finding, read_sealed
from leadline.text.owned_folder import OwnedFolder

AGAIN = "crawl again with --again"


def check_crawl(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a crawl; nothing where it is as it was written."""
    yield from check_identity(folder)
    try:
        stored = read_sealed(folder / SETTINGS, WHAT, VERSION, FIX)
        if stored is None:
            yield Finding(str(folder / SETTINGS), "is missing", FIX)
        if not (folder / FRONTIER).exists():
            yield Finding(str(folder / FRONTIER), "is missing", FIX)
            return
        # A crawl that is under way, or was killed, has not written these yet.
        checksums = (stored or {}).get(FILES, {})
        damaged = list(check_file(folder / FRONTIER, checksums[FRONTIER], FIX)) if FRONTIER in checksums else []
        yield from damaged
        for name in (LINKS, PAGES):
            if name in checksums:
                yield from check_file(folder / name, checksums[name], "crawl again: the tables are written at the end")
        if not damaged:
            with contextlib.closing(Frontier(folder / FRONTIER)) as frontier, frontier.errors_reported():
                yield from _check_pages(folder, frontier)
    except InputError as error:
        yield finding_of(error, FIX)
    if (folder / INSIDE_CRAWL).is_dir():
        yield from check_collection(folder / INSIDE_CRAWL)


def _check_pages(folder: Path, frontier: Frontier) -> Iterator[Finding]:
    """Whether SQLite finds the frontier sound, and every page has the content that it came with."""
    found = str(frontier.do("pragma integrity_check").fetchone()[0])
    if found != "ok":
        yield Finding(str(frontier.path), f"is damaged: {found}", FIX)
    store = WarcStore(OwnedFolder.open(folder, CRAWL_KIND, VERSION), "")
    rows = frontier.do("select address, digest, warc, offset, length from pages where offset is not null")
    for address, digest, number, offset, length in rows.fetchall():
        try:
            if body_digest(store.read(WarcPlace(number, offset, length)).answer.body) != digest:
                yield Finding(str(store.path(number)), f"is damaged, the page {address} is not as it came", AGAIN)
        except InputError as error:
            yield finding_of(error, AGAIN)
