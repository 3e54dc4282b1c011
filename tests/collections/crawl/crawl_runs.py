"""A crawl of a test's own server, and what it kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from leadline.collections.crawl.crawl_folder import CrawlOutcome
from leadline.collections.crawl.crawl_folder import crawl_into as crawl
from leadline.collections.documents.collection import Collection


def run(folder: Path, *seeds: str, **more: Any) -> CrawlOutcome:
    """Crawl without waiting."""
    return crawl(folder, seeds, **{"delay": 0.0, "backoff": 0.01, **more})


def pages(folder: Path) -> dict[str, tuple[str, str]]:
    """The state and reason of every path."""
    found = pl.read_parquet(folder / "pages.parquet")
    return {"/" + row[0].split("/", 3)[3]: row[1:3] for row in found.iter_rows()}


def documents(folder: Path) -> list[str]:
    """The paths of the documents, sorted."""
    return sorted("/" + document.id.split("/", 3)[3] for document in Collection.open(folder).documents())
