"""The directory as one HTML page: the tree, its documents, and a filter over titles; no network is used."""

from __future__ import annotations

import datetime
from html import escape
from importlib import resources
from typing import Any

from leadline.collections.directory.tree import Branch, Directory
from leadline.errors import visible
from leadline.records.scores.result import counted
from leadline.show.report.embedding import embedded
from leadline.show.report.html_page import assembled_page
from leadline.version import __version__

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
    body = [
        f'<header class="top"><h1>{escape(title)}</h1><span class="counted">'
        f"{counted(len(made.root.rows), 'document')} · {(day or datetime.date.today()).isoformat()} "
        '<button type="button" class="plain theme">dark paper</button></span></header>',
        '<form class="filter" role="search"><label for="words">Filter titles</label>'
        '<input id="words" type="search" autocomplete="off" placeholder="words of a title, an id or a class">'
        '<output for="words" aria-live="polite"></output></form>',
        '<div class="directory" role="tree" aria-label="classes"></div>',
        "".join(f'<p class="aside">{escape(visible(note))}</p>' for note in notes),
        '<p class="aside">A document is under each of its classes. Keys: ↑ ↓ move, → opens, ← closes, / filters.</p>',
        f'<footer class="foot">leadline {__version__} · search in a branch: <code class="line"></code></footer>',
    ]
    given = [
        embedded("data-tree", tree),
        embedded("data-documents", documents),
        embedded("data-index", index or "INDEX"),
    ]
    return assembled_page(title, body, given, [_asset("directory.js")], styles=_asset("directory.css"))


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


def _asset(name: str) -> str:
    return resources.files("leadline.show.directory").joinpath("assets", name).read_text(encoding="utf-8")
