"""What a page shows of a collection: its counts, what is missing, what it was made from, and its indexes."""

from __future__ import annotations

import datetime
from typing import Any

from leadline.collections.documents.counts import VIEWS, counts, summary
from leadline.collections.documents.document import OTHER_KINDS
from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.records.scores.table import Table
from leadline.show.charts.collection_counts import finding
from leadline.show.lab.marked_text import clean
from leadline.show.lab.opened import OpenedLab

COUNTED = {view: f"by_{view.replace(' ', '_')}" for view in VIEWS}  # the name of the table of each view


def collection_facts(opened: OpenedLab, name: str) -> dict[str, Any]:
    """Everything that the page of a collection shows."""
    entry = opened.lab.get("collection", name)
    collection = opened.collection(name)
    found = opened.computed("collection facts", [entry], lambda: _facts(collection))
    return {
        "name": name, **found,
        "state": entry.state, "added": entry.added, "origin": entry.origin, "added_by": entry.leadline,
        "indexes": _indexes(opened, name),
    }  # fmt: skip


def _facts(collection: Collection) -> dict[str, Any]:
    views = {
        table: Table([view, "count"], [[clean(str(value)), count] for value, count in counts(collection, view).rows()])
        for view, table in COUNTED.items()
    }
    return {
        "finding": finding(collection),
        "summary": Table(["what", "value"], [[name.strip(), value] for name, value in summary(collection)]),
        "missing": _missing(collection),
        **views,
        **_made_from(collection),
    }


def _missing(collection: Collection) -> Table:
    """How many documents lack something that a search or a measure may need."""
    records = collection.records
    patents = ~records["kind"].is_in(OTHER_KINDS)
    lacking = {
        "publication date": records["publication"].is_null(),
        "any date": records["known"].is_null(),
        "claims (patents)": (records["claims"] == 0) & patents,
        "title": records["title"].fill_null("") == "",
        "text": records["words"] == 0,
        "class": (records["ipc"].list.len() == 0) & (records["cpc"].list.len() == 0),
        "language": records["language"] == "",
        "office (patents)": (records["office"] == "") & patents,
    }
    rows = [[what, int(mask.fill_null(value=True).sum())] for what, mask in lacking.items()]
    inside, cited = (collection.manifest["counts"][key] for key in ("citations inside", "citations"))
    rows.append(["cited patents that are not in the collection", cited - inside])
    return Table(["without", "documents"], rows)


def _made_from(collection: Collection) -> dict[str, Any]:
    """The manifest: what the collection was made from, and the checksums of its files."""
    manifest = collection.manifest
    origin = manifest.get("origin")
    settings = [[clean(key), clean(_shown(value))] for key, value in _flat(origin)] if origin is not None else []
    forms = [[clean(str(form)), count] for form, count in manifest.get("forms", {}).items()]
    files = [[part["file"], part["documents"], part["sha256"]] for part in manifest["parts"]]
    files += [[file, None, sha256] for file, sha256 in manifest["tables"].items()]
    return {
        "hash": manifest["hash"],
        "format": manifest["version"],
        "made_with": Table(["setting", "value"], settings),
        "forms": Table(["form", "documents"], forms),
        "files": Table(["file", "documents", "sha256"], files),
        "broken": Table(
            ["source", "byte", "reason"], [[clean(str(part)) for part in each] for each in manifest["first_broken"]]
        ),
    }


def _flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """The settings in a manifest, however deep, by their names."""
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in _flat(inner, f"{name} {key}".strip())]
    return [(name or "from", value)]


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _indexes(opened: OpenedLab, name: str) -> Table:
    """The indexes in the lab that were made of a collection."""
    rows = []
    for index in opened.indexes_of(name):
        try:
            found = opened.index(index)
        except InputError:
            continue
        entry = opened.lab.get("index", index)
        made = datetime.datetime.fromtimestamp(entry.path.stat().st_mtime, datetime.UTC).date().isoformat()
        words = f"{found.analysis.language}, stemming {found.analysis.stemming}"
        rows.append([index, len(found), found.unit, ", ".join(found.fields), words, entry.added[:10] or made])
    return Table(["index", "rows", "unit", "fields", "words", "added"], rows)
