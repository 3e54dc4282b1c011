"""Change a collection: add documents, replace those with the same id, delete some. Nothing else is read again.

The parts of the collection are kept as they are, and new ones are written behind them; the tables say which documents
of a part are live. The changed collection takes the place of the old one in one step, as a built one does. Where most
documents of the parts are dead, building the collection again from all sources makes it smaller.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.choices import DEFAULT_RULE
from leadline.collections.documents.build import (
    LEAST_DOCUMENT_BYTES,
    PART_BYTES,
    Options,
    Progress,
    named_sources,
    raw_parts,
    read_all,
)
from leadline.collections.documents.build_folder import Staging
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import ANY_TEXT, checked_rule
from leadline.collections.documents.fields.mapping import read_mapping
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import READERS
from leadline.collections.documents.sources import fingerprint
from leadline.collections.documents.tables import Replaced
from leadline.errors import InputError, LeadlineWarning, checked_choice, visible
from leadline.records.result import counted

NAMED = 5  # documents that a warning names


def update(
    folder: str | os.PathLike[str],
    sources: Iterable[str | os.PathLike[str]] = (),
    *,
    delete: Sequence[str] = (),
    form: str | None = None,
    mapping: str | os.PathLike[str] | None = None,
    processes: int = 1,
    part_bytes: int = PART_BYTES,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Add the documents of some sources to a collection and delete others; return its manifest.

    A document whose id is in the collection replaces it. `delete` are numbers in any spelling; one that was deleted
    before is left so, with a warning. What a document must have is as it was when the collection was built; documents
    that are in the collection stay. The same update again, perhaps since nobody saw it end, changes nothing.

    A collection that was built with a mapping needs it again, as `mapping`, for new documents and for the tables of
    citations and families that it names, which are read anew.
    """
    found = named_sources(sources)
    if form is not None:
        checked_choice("--form", form, list(READERS))
    if not found and not delete:
        raise InputError(os.fspath(folder), "nothing to add or delete was named")
    old = Collection.open(folder)
    origin = old.manifest["origin"]
    rules = None if mapping is None else read_mapping(mapping)
    if origin.get("mapping") is not None and rules is None:
        raise InputError(str(folder), "was built with --map: name the mapping again, with --map TOML")
    keep = origin.get("keep", [])  # one that no build made has all its documents
    places = old.records_at(np.arange(len(old)), ("claims", "part", "place"))
    has_claims = bool((places["claims"] > 0).any())
    usual = DEFAULT_RULE if has_claims else ANY_TEXT
    options = Options(usual if keep is None else checked_rule(keep), form, rules)
    made_by = None if mapping is None else fingerprint(Path(mapping))
    new_origin = {
        "update": old.manifest["hash"],
        "sources": [{"name": each.name, "bytes": each.size, "sha256": each.fingerprint()} for each in found],
        "delete": list(delete),
        "keep": keep,
        "form": form,
        "mapping": made_by,
        "part_bytes": part_bytes,
        "least_document_bytes": LEAST_DOCUMENT_BYTES,
    }
    deleted, gone = _ids(old, delete)
    if gone:
        named = ", ".join(map(visible, gone[:NAMED])) + ", …" * (len(gone) > NAMED)
        _say(old, f"{counted(len(gone), 'document')} already deleted: {named}")
    if not found and not deleted:
        return old.manifest
    if {**new_origin, "update": origin.get("update")} == origin:
        _say(old, "was updated with just this before: nothing is added twice")
        new_origin = origin  # which tidies up where the first was killed after its last step
    elif origin.get("mapping") not in (None, made_by):
        _say(old, f"{mapping} is not the mapping as it was: documents that stay are as they were read before")
    with Staging.open(old.folder, new_origin) as staging:
        if staging.finished is not None:
            return staging.finished
        count = staging.copy_parts(old.inside, old.manifest)
        total = sum(each.size for each in found)
        read_all(raw_parts(found, options, part_bytes, count), options, staging, total, processes, progress)
        new = sum(staging.done[number]["documents"] for number in staging.done if number >= count)
        if not new and len(set(deleted)) == len(old):
            raise InputError(str(folder), "no document would be left")
        tables: dict[str, Any] = {}
        if rules is not None and mapping is not None:
            beside = found[0].folder if found else Path(mapping).parent
            tables = rules.side_tables(beside)
            if tables:
                _say(old, f"its {' and '.join(tables)} are those of the tables beside {beside} as they are now")
        return staging.finish(
            tables.get("citations"),
            tables.get("families"),
            replaced=Replaced(count, places.select("part", "place"), deleted),
        )


def _say(collection: Collection, what: str) -> None:
    warnings.warn(f"{collection.folder}: {what}", LeadlineWarning, stacklevel=3)


def _ids(collection: Collection, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The ids of documents in any spelling, and the names of those that were deleted before.

    InputError names the first that never was there.
    """
    if not names:
        return [], []
    rows = collection.rows(names).tolist()
    gone = [name for name, row in zip(names, rows, strict=True) if row < 0]
    dead = _dead(collection) if gone else set()
    missing = [name for name in gone if dead.isdisjoint((name, normalise(name).id, normalise(name).key))]
    if missing:
        more = f", and {len(missing) - 1:,} more are not" if len(missing) > 1 else ""
        raise InputError(missing[0], f"is not in the collection {collection.folder}{more}: nothing was changed")
    ids = collection.records["id"]
    return [ids[row] for row in rows if row >= 0], gone


def _dead(collection: Collection) -> set[str]:
    """The ids and numbers of what the parts still have of documents that are not in the collection any more."""
    live = set(collection.records["id"])
    dead = {id for table in collection.parts() for id in table.read(["id"])["id"]} - live
    return dead | {normalise(id).key for id in dead}
