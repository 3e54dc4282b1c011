"""The directory of a collection: the public function, lines of text, and one HTML page with a filter over titles."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping
from typing import Any

from leadline.collections.directory import Branch, Directory, read_class_titles
from leadline.collections.directory import directory as directory_of
from leadline.collections.documents.collection import Collection
from leadline.errors import visible
from leadline.options import Count
from leadline.records.inputs import Path
from leadline.records.result import counted
from leadline.show.pages.environment import page_asset
from leadline.show.report.html_page import assembled_page
from leadline.text.files import write_whole


def directory(
    collection: Path | Collection,
    *,
    under: str = "",
    titles: Path | Mapping[str, str] | None = None,
    clusters: Count | None = None,
    output: Path | None = None,
    index: str = "INDEX",
) -> Directory:
    """A collection as a tree of its classes with counts, or what is under one of them.

    under: only what is under this class: C07
    titles: titles of classes, a line each: C07D,Heterocyclic compounds
    clusters: gather documents without a class in so many clusters (default: by how many there are)
    index: index folder to name in the line that searches in a branch

    Documents without a class are gathered in clusters, named by their words. `titles` are such a file or a
    mapping. With `output`, the tree is also written as one HTML page.
    """
    source = collection if isinstance(collection, Collection) else Collection.open(collection)
    named = read_class_titles(titles) if isinstance(titles, (str, os.PathLike)) else titles
    made = directory_of(source, under=under, titles=named, wanted=clusters)
    if output is not None:
        write_whole(output, directory_page(made, index=index).encode())
    return made


# The directory as one HTML page: the tree, its documents, and a filter over titles; no network is used.


MOST_LISTED = 30_000  # documents in the page: more make it slow to open


def directory_page(made: Directory, *, index: str = "", day: datetime.date | None = None) -> str:
    """The page of a directory. `index` is the folder that the line to search in a branch names."""
    records = made.collection.records
    listed = made.root.rows[:MOST_LISTED]
    place = {row: at for at, row in enumerate(listed.tolist())}
    titles = _titles(made, listed)
    some = records[listed]
    documents = {
        "id": [visible(name) for name in some["id"].to_list()],
        "title": [titles.get(row, "") for row in listed.tolist()],
        "date": [str(date or "") for date in some["publication"].to_list()],
    }

    def data(branch: Branch) -> dict[str, Any]:
        own = [place[row] for row in branch.rows.tolist() if row in place]
        below = [data(each) for each in branch.branches]
        found = {"code": branch.code, "title": branch.title, "level": branch.level, "count": len(branch.rows)}
        # Documents are listed under the lowest branches; those above find theirs through these.
        inside = {at for each in below for at in each["all"]}
        return {**found, "all": own, "own": [at for at in own if at not in inside], "under": below}

    tree = _without_all(data(made.root))
    name = f"{made.root.code} {made.root.title}".strip() if made.root.level != "all" else made.collection.folder.name
    title = f"Directory of {name}" if made.root.level == "all" else name
    left_out = len(made.root.rows) - len(listed)
    notes = [
        *made.notes,
        *([f"the page lists the first {MOST_LISTED:,} documents; {left_out:,} more are only counted"] * bool(left_out)),
    ]
    return assembled_page(
        "directory_page.html",
        title,
        {"tree": tree, "documents": documents, "index": index or "INDEX"},
        [page_asset("directory.js")],
        styles=["directory.css"],
        notes=[visible(note) for note in notes],
        counted=counted(len(made.root.rows), "document"),
        made=day or datetime.date.today(),
    )


def _without_all(tree: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: value for name, value in tree.items() if name != "all"},
        "under": [*map(_without_all, tree["under"])],
    }


def _titles(made: Directory, rows: Any) -> dict[int, str]:
    found: dict[int, str] = {}
    for part in made.collection.texts(["title"], rows):
        found |= {row: visible(" ".join((title or "").split())) for row, title in part.iter_rows()}
    return found


# The directory as lines of text.


BAR = 20  # columns of the longest bar


def tree_lines(made: Directory, depth: int, listed: int) -> Iterator[str]:
    """A line for each branch: its code, how many documents it has, and its title; titles where there is no branch."""
    root = made.root
    yield f"{f'{root.code} {root.title}'.strip()}  {len(root.rows):,}"
    shown = [(below, branch) for below, branch in root.walk(depth) if below]
    width = max((2 * below + len(branch.code) for below, branch in shown), default=0)
    most = max((len(branch.rows) for branch in root.branches), default=1)
    for below, branch in shown:
        code = f"{'  ' * below}{branch.code}".ljust(width)
        bar = "█" * max(1, round(BAR * len(branch.rows) / most)) if below == 1 else ""
        yield f"{code} {len(branch.rows):>9,}  {bar:<{BAR}}  {visible(branch.title)}".rstrip()
    if not root.branches:
        yield from _documents(made, root, listed)


def _documents(made: Directory, branch: Branch, listed: int) -> Iterator[str]:
    names = made.collection.records["id"]
    for part in made.collection.texts(["title"], branch.rows[:listed]):
        for row, title in part.iter_rows():
            yield visible(f"  {names[row]}  {' '.join((title or '').split())}")
    if len(branch.rows) > listed:
        yield f"  … {len(branch.rows) - listed:,} more"
