"""The one door to link graphs: a crawl, any other collection with its citations, or an edge list."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from leadline.collections.documents.column_sums import ColumnSums, damage_reported, sums_path
from leadline.collections.documents.store import Collection
from leadline.collections.links.edge_list import graph_of_columns, graph_of_edges, read_edges
from leadline.collections.links.graph import LinkGraph, SelfLinks
from leadline.errors import InputError, checked_choice
from leadline.records.scores.result import counted
from leadline.text.checksums import parsed_object
from leadline.text.memory_budget import MemoryLike
from leadline.text.stored import stored_bytes

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

LINKS, PAGES, CRAWL = "links.parquet", "pages.parquet", "crawl.json"  # of a crawl
Nofollow = Literal["drop", "count"]
Kept = Literal["fetched", "all"]
LinkSource: TypeAlias = "str | os.PathLike[str] | Collection | LinkGraph | Sequence[Sequence[Any]]"


def read_links(
    source: LinkSource,
    *,
    self_links: SelfLinks = "count",
    nofollow: Nofollow = "drop",
    pages: Kept = "fetched",
    memory: MemoryLike = None,
) -> LinkGraph:
    """The link graph of a crawl, of a collection's citations, of an edge list, or of (source, target) pairs.

    Of a crawl, links marked nofollow do not count unless `nofollow="count"`, and pages that were not fetched are no
    pages of the graph unless `pages="all"`. With `memory`, such as "2GB", the links of an edge list are kept in
    temporary files; those of collections are held in memory.

    >>> read_links([("a", "b"), ("b", "a"), ("b", "c")])
    <LinkGraph 3 pages, 3 links>
    """
    checked_choice("self_links", self_links, ("count", "drop"))
    checked_choice("nofollow", nofollow, ("drop", "count"))
    checked_choice("pages", pages, ("fetched", "all"))
    source = opened(source)
    if isinstance(source, LinkGraph):
        return source
    if memory is not None and not isinstance(source, (str, os.PathLike)):
        raise InputError("--memory", "the links of a collection are held in memory: write them as an edge list first")
    if isinstance(source, (str, os.PathLike)):
        return read_edges(os.fspath(source), self_links=self_links, memory=memory)
    if not isinstance(source, Collection):
        return graph_of_edges(source, self_links=self_links)
    links = crawl_table(source, LINKS)
    if links is None:
        return _of_citations(source, self_links)
    return _of_crawl(source, links, self_links, nofollow, pages)


def opened(source: LinkSource) -> LinkSource:
    """The collection in a folder; any other source as it is."""
    return Collection.open(source) if isinstance(source, (str, os.PathLike)) and os.path.isdir(source) else source


def crawl_table(collection: Collection, name: str) -> pl.DataFrame | None:
    """A table of a crawl by the name of its file, compared with its sums; None where the collection is not a crawl."""
    import polars as pl

    # The collection of a crawl is a folder in that of the crawl, where the tables are.
    path = next(
        (place / name for place in (collection.folder, collection.folder.parent) if (place / name).exists()), None
    )
    if path is None or (path.parent != collection.folder and not (path.parent / CRAWL).exists()):
        return None
    with damage_reported(path):
        content, sums = stored_bytes(path), sums_path(path)
        if _recorded_checksum(path) not in (None, hashlib.sha256(content).hexdigest()):
            raise InputError(str(path), "is damaged, its checksum does not fit: crawl again")
        frame = pl.read_parquet(io.BytesIO(content))
        if (
            sums.exists()
            and ColumnSums.of(content, frame.columns, None).sums != ColumnSums.decoded(stored_bytes(sums)).sums
        ):
            raise InputError(str(path), "is damaged, its checksum does not fit: crawl again")
        return frame


def _recorded_checksum(path: Path) -> object:
    """The SHA-256 of a table that the last run of a crawl noted; None where there is no such note."""
    settings = path.parent / CRAWL
    if not settings.exists():
        return None
    files = parsed_object(stored_bytes(settings), str(settings), "crawl into a new folder").get("files")
    return files.get(path.name) if isinstance(files, dict) else None


def collection_links(collection: Collection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The links of a crawl that count, or the citations, between documents: the rows of both ends."""
    links = crawl_table(collection, LINKS)
    if links is None:
        inside = collection.citations.select("citing", "cited").drop_nulls()
        return inside["citing"].to_numpy().astype(np.int64), inside["cited"].to_numpy().astype(np.int64)
    followed = links.filter(~links["nofollow"])
    row_of = {name: row for row, name in enumerate(collection.records["id"].to_list())}
    ends = [
        np.array([row_of.get(name, -1) for name in followed[end].to_list()], np.int64) for end in ("source", "target")
    ]
    inside_both = (ends[0] >= 0) & (ends[1] >= 0)
    return ends[0][inside_both], ends[1][inside_both]


def _of_citations(collection: Collection, self_links: SelfLinks) -> LinkGraph:
    sources, targets = collection_links(collection)
    names = collection.records["id"].to_list()
    outside = len(collection.citations) - len(sources)
    notes = (f"{counted(outside, 'citation')} of documents outside the collection left out",) if outside else ()
    if not len(sources):
        raise InputError(str(collection.folder), "has no citations between its documents, and it is not a crawl")
    return LinkGraph.of_arrays(sources, targets, names, self_links=self_links, notes=notes)


def _of_crawl(
    collection: Collection, links: pl.DataFrame, self_links: SelfLinks, nofollow: Nofollow, pages: Kept
) -> LinkGraph:
    import polars as pl

    fetched = collection.records["id"].to_list()
    notes = []
    unfollowed = int(links["nofollow"].sum())
    if nofollow == "drop" and unfollowed:
        links = links.filter(~pl.col("nofollow"))
        notes.append(f"{counted(unfollowed, 'link')} marked nofollow left out")
    if pages == "fetched":
        inside = links.filter(pl.col("source").is_in(fetched), pl.col("target").is_in(fetched))
        if len(inside) < len(links):
            notes.append(f"{counted(len(links) - len(inside), 'link')} to pages that were not fetched left out")
        links = inside
    columns = [links[name].to_list() for name in ("source", "target", "anchor")]
    return graph_of_columns(LINKS, columns[0], columns[1], None, columns[2], fetched, self_links).with_notes(*notes)
