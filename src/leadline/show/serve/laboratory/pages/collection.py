"""Collections: what each holds, what is missing, what it was made from, and its directory of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import HTTPException, Query

from leadline.collections.directory.tree import Branch
from leadline.errors import InputError, nearest, visible
from leadline.records.scores.table import Table
from leadline.retrieval.language.field_names import filter_values
from leadline.show.lab.collection_facts import collection_facts
from leadline.show.lab.marked_text import clean
from leadline.show.lab.opened import OpenedLab
from leadline.show.serve.laboratory.views import Shown

LISTED = 50  # documents on a page of the directory


def collections_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of the list of collections."""

    def collections() -> Shown:
        """The collections of the lab with their counts, and their indexes."""
        rows = []
        for entry in opened.lab.entries("collection"):
            try:
                counts = opened.collection(entry.name).manifest["counts"]
                rows.append([entry.name, counts["documents"], counts["families"], counts["citations"],
                             ", ".join(opened.indexes_of(entry.name)), ""])  # fmt: skip
            except InputError as error:
                rows.append([entry.name, None, None, None, "", visible(error.problem)])
        table = Table(["collection", "documents", "families", "citations", "indexes", "problem"], rows)
        return {"collections": table, "folder": str(opened.lab.folder)}

    return collections


def collection_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of one collection."""

    def collection(name: str) -> Shown:
        """What a collection holds: counts by date, office, class, family and citation, and what is missing."""
        check_name(opened, "collection", name)
        return {**collection_facts(opened, name), "folder": str(opened.lab.folder)}

    return collection


def directory_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of the directory of a collection."""

    def directory(
        name: str,
        under: Annotated[str, Query(alias="class", description="a class: C, C07, C07D or C07D401")] = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Shown:
        """The classes of a collection with the number of documents under each, and the documents of one."""
        check_name(opened, "collection", name)
        made = opened.directory(name)
        branch, way = _branch(made.root, under)
        first = (page - 1) * LISTED
        records = made.collection.records.select("id", "title", "publication")[branch.rows[first : first + LISTED]]
        documents = [
            [each, clean(" ".join((title or "").split())), str(day or "")] for each, title, day in records.iter_rows()
        ]
        most = max((len(each.rows) for each in branch.branches), default=1)
        below = [[each.code, clean(each.title), each.level, len(each.rows)] for each in branch.branches]
        return {
            "name": name, "code": branch.code, "heading": clean(branch.title), "count": len(branch.rows), "page": page,
            "way": [{"code": each.code, "title": clean(each.title)} for each in way],
            "branches": Table(["class", "title", "level", "documents"], below), "most": most,
            "documents": Table(["document", "title", "published"], documents),
            "more": first + LISTED < len(branch.rows), "first": first,
            "indexes": opened.indexes_of(name), "notes": [note for note in made.notes if "--titles" not in note],
            "is_class": branch.level not in ("all", "cluster"),
        }  # fmt: skip

    return directory


def _branch(root: Branch, code: str) -> tuple[Branch, list[Branch]]:
    """The branch of a class or cluster, and those above it; InputError with the nearest where there is none."""
    if not code:
        return root, []
    if not code.startswith(("cluster", "none")):
        code = filter_values("class", [code], "class")[0].partition("/")[0]
    waiting: list[tuple[Branch, list[Branch]]] = [(root, [])]
    known: list[str] = []
    while waiting:
        branch, above = waiting.pop()
        if branch.code == code:
            return branch, above
        known.append(branch.code)
        waiting += [(each, [*above, branch]) for each in branch.branches]
    raise InputError("class", f"no document has the class {visible(code)}{nearest(code, filter(None, known))}")


def check_name(opened: OpenedLab, kind: str, name: str) -> Any:
    """The entry of the lab; HTTPException 404 where there is none of this name."""
    try:
        return opened.lab.get(kind, name)
    except InputError as error:
        raise HTTPException(404, str(error)) from None
