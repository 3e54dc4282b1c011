"""What pages show of a collection and of a document: counts, texts, citations, family, marks."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadline.collections.choices import VIEWS
from leadline.collections.documents.collection import Collection, counts, summary
from leadline.collections.documents.document import OTHER_KINDS, Claim, Document
from leadline.errors import InputError, nearest, visible, without_places
from leadline.judge.citations import Provenance
from leadline.judge.journal import JudgingJournal
from leadline.judge.marks import JudgingState
from leadline.records.result import Table
from leadline.show.collection_chart import collection_finding
from leadline.show.lab.lab import Lab, viewer
from leadline.show.lab.opened import OpenedLab, clean
from leadline.text.owned_files import JOURNAL

DEEPEST = 6  # levels of claims that are indented
MOST_CITATIONS = 500  # citations of each direction on the page
MOST_CLAIMS = 1000
LONGEST = 2_000_000  # characters of a description on the page
_HEADING = 80  # characters of the longest line that is taken as a heading


def document_facts(opened: OpenedLab, collection: str, name: str) -> dict[str, Any]:
    """Everything that the page of a document shows; InputError with the nearest id where there is none."""
    source = opened.collection(collection)
    row = int(source.rows([name])[0])
    if row < 0:
        close = nearest(name, _ids_near(source, name))
        raise InputError(visible(name), f"is not in the collection {collection}{close}")
    document = source.document(name)
    parts, paragraphs = _sections(document.description[:LONGEST])
    return {
        "collection": collection,
        "document": document.id,
        "document_title": clean(document.title),
        "abstract": clean(document.abstract),
        "facts": _facts_of_document(document, source, row),
        "claims": _claims(document.claims[:MOST_CLAIMS]),
        "claim_count": len(document.claims),
        "independent": sum(claim.independent for claim in document.claims),
        "sections": parts,
        "paragraphs": paragraphs,
        "description_length": len(document.description),
        "cites": _cites(source, row),
        "cited_by": _cited_by(source, row),
        "literature": [clean(it.text) for it in document.citations if not it.number and it.text][:MOST_CITATIONS],
        "family": _family(source, row),
        "duplicates": _duplicates(opened, source, document.id),
        "indexes": opened.indexes_of(collection),
    }


def judgements_of(opened: OpenedLab, document: str, topic: str) -> Table:
    """What every set of judgements in the lab says of a document for a topic, and why where that is known."""
    rows = []
    for entry in opened.lab.entries("qrels"):
        try:
            qrels = opened.qrels(entry.name)
        except InputError:
            continue
        if topic not in qrels.topics:
            continue
        grade = qrels.judgements(topic).get(document)
        words = "not judged" if grade is None else grade_words(grade)
        rows.append([entry.name, grade, words, _reasons(opened, entry.name, topic, document)])
    return Table(["judgements", "grade", "means", "why"], rows)


def grade_words(grade: int) -> str:
    """What a grade means.

    >>> grade_words(2), grade_words(0), grade_words(-1)
    ('relevant', 'not relevant', 'in the pool, not judged')
    """
    return "relevant" if grade > 0 else "not relevant" if grade == 0 else "in the pool, not judged"


def _reasons(opened: OpenedLab, qrels: str, topic: str, document: str) -> str:
    """The citations behind a judgement, where they were written beside the judgements."""
    entry = opened.lab.get("qrels", qrels)
    path = Path(f"{entry.path}.why.tsv")
    with contextlib.suppress(InputError, OSError):
        if path.is_file():
            kept = opened.computed("reasons", [entry], lambda: Provenance.read(path))
            of_pair = (pl.col("topic") == topic) & (pl.col("document") == document)
            ways = kept.ways.filter(of_pair).head(5).iter_rows(named=True)
            said = [
                f"cited by {way['citing']} ({' '.join(filter(None, (way['origin'], way['category'])))})" for way in ways
            ]
            return clean("; ".join(said))
    return ""


def _ids_near(collection: Collection, name: str) -> list[str]:
    """Ids that begin like a name, among which the nearest is looked for."""
    ids = collection.records["id"]
    begin = name.strip()[:4]
    some = ids.filter(ids.str.starts_with(begin))
    return (some if len(some) else ids).head(2000).to_list()


def _facts_of_document(document: Document, collection: Collection, row: int) -> list[list[Any]]:
    """The bibliographic data, those that are known."""
    is_patent = bool(document.office or document.claims)
    pairs: list[tuple[str, str, Sequence[str]]] = [
        ("office", "Office", [document.office]),
        ("kind", "Kind", [document.kind]),
        ("published", "Published", [document.publication]),
        ("filed", "Filed", [" ".join(filter(None, (document.application, document.application_number)))]),
        ("priorities", "Priority", [" ".join(filter(None, (each.date, each.number))) for each in document.priorities]),
        ("applicants", "Applicant", document.applicants),
        ("inventors", "Inventor" if is_patent else "Author", document.inventors),
        ("ipc", "IPC", document.ipc),
        ("cpc", "CPC", document.cpc),
        ("national", "National class", document.national),
        ("language", "Language", [document.language]),
    ]
    return [[key, words, [clean(value) for value in values if value]] for key, words, values in pairs if any(values)]


def _claims(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    """Claims in the order of their tree, each after the first claim it refers to, with how deep it is.

    >>> found = _claims([Claim(1, "A nail."), Claim(2, "A nut."), Claim(3, "The nail of claim 1, bent.", (1,))])
    >>> [(each["number"], each["depth"]) for each in found]
    [(1, 0), (3, 1), (2, 0)]
    """
    numbers = {claim.number for claim in claims}
    below: dict[int | None, list[Claim]] = {}
    for claim in claims:
        # A claim that refers to a later one, or to none that is there, is at the top: so there is no circle.
        parent = next((number for number in claim.parents if number in numbers and number < claim.number), None)
        below.setdefault(parent, []).append(claim)
    found: list[dict[str, Any]] = []
    waiting = [(claim, 0) for claim in reversed(below.get(None, []))]
    while waiting:
        claim, depth = waiting.pop()
        found.append(
            {
                "number": claim.number,
                "text": clean(claim.text),
                "parents": list(claim.parents),
                "depth": min(depth, DEEPEST),
            }
        )
        waiting += [(each, depth + 1) for each in reversed(below.get(claim.number, []))]
    return found


def _sections(description: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The headings of a description with the number of their first paragraph, and its paragraphs.

    >>> headings, paragraphs = _sections("BACKGROUND\\n\\nNails bend.\\n\\nSUMMARY\\n\\nOurs do not.")
    >>> [each["title"] for each in headings], [each["text"] for each in paragraphs if not each["heading"]]
    (['BACKGROUND', 'SUMMARY'], ['Nails bend.', 'Ours do not.'])
    """
    headings: list[dict[str, Any]] = []
    paragraphs: list[dict[str, Any]] = []
    count = 0
    for line in description.split("\n"):
        text = line.strip()
        if not text:
            continue
        count += 1  # as passages number them
        heading = _is_heading(text)
        paragraphs.append({"number": count, "text": clean(text), "heading": heading})
        if heading:
            headings.append({"title": clean(text), "number": count})
    return headings, paragraphs


def _is_heading(text: str) -> bool:
    """Whether a line is a heading: short, in capitals, and not the end of a sentence."""
    letters = [character for character in text if character.isalpha()]
    return (
        len(text) <= _HEADING and len(letters) >= 4 and all(map(str.isupper, letters)) and not text.endswith((".", ";"))
    )


def _listed(collection: Collection, rows: np.ndarray) -> list[dict[str, Any]]:
    """The id, title and date of documents of a collection."""
    some = collection.records.select("id", "title", "publication")[rows]
    return [
        {"document": name, "title": clean(" ".join((title or "").split())), "published": str(day or "")}
        for name, title, day in some.iter_rows()
    ]


_COLUMNS = ("number", "title", "published", "origin", "category", "document")


def _cites(collection: Collection, row: int) -> Table:
    """What a document cites; `document` is empty for what is not in the collection."""
    found = collection.citations.filter(pl.col("citing") == row).head(MOST_CITATIONS)
    return _citations(collection, found, "cited", "number")


def _cited_by(collection: Collection, row: int) -> Table:
    """What cites a document."""
    found = collection.citations.filter(pl.col("cited") == row).head(MOST_CITATIONS)
    return _citations(collection, found, "citing", "citing_number")


def _citations(collection: Collection, found: pl.DataFrame, column: str, number: str) -> Table:
    numbers = found[number].to_list() if number in found.columns else [""] * len(found)
    rows = found[column].to_list()
    inside = [row for row in rows if row is not None]
    known = dict(zip(inside, _listed(collection, np.array(inside, np.int64)), strict=True))
    lines = []
    for row, written, origin, category, date in zip(
        rows, numbers, found["origin"].to_list(), found["category"].to_list(), found["date"].to_list(), strict=True
    ):
        there = known.get(row) if row is not None else None
        name = there["document"] if there else ""
        shown = clean(written) or name
        published = there["published"] if there else (date or "" if column == "cited" else "")
        lines.append([shown, there["title"] if there else "", published, origin, category, name])
    return Table(_COLUMNS, lines)


def _family(collection: Collection, row: int) -> Table:
    """The other members of a document's family."""
    families = collection.records["family"]
    rows = np.setdiff1d((families == families[row]).arg_true().to_numpy(), [row])[:MOST_CITATIONS]
    return Table(["document", "title", "published"], [list(each.values()) for each in _listed(collection, rows)])


def _duplicates(opened: OpenedLab, collection: Collection, name: str) -> Table:
    """The near-duplicates of a document, from what `leadline duplicates` found."""
    near: list[str] = []
    for entry in opened.lab.entries("duplicates"):
        with contextlib.suppress(InputError):
            groups = opened.duplicates(entry.name)
            group = groups.get(name)
            near += [other for other, its in groups.items() if group is not None and its == group and other != name]
    rows = collection.rows(list(dict.fromkeys(near)))
    found = _listed(collection, rows[rows >= 0][:MOST_CITATIONS])
    return Table(["document", "title", "published"], [list(each.values()) for each in found])


# What a page shows of a collection: its counts, what is missing, what it was made from, and its indexes.


COUNTED = {view: f"by_{view.replace(' ', '_')}" for view in VIEWS}  # the name of the table of each view


def collection_facts(opened: OpenedLab, name: str) -> dict[str, Any]:
    """Everything that the page of a collection shows."""
    entry = opened.lab.get("collection", name)
    collection = opened.collection(name)
    found = opened.computed("collection facts", [entry], lambda: _facts_of_collection(collection))
    return {
        "name": name,
        **found,
        "state": entry.state,
        "added": entry.added,
        "origin": without_places(entry.origin),
        "added_by": entry.leadline,
        "indexes": _indexes(opened, name),
    }


def _facts_of_collection(collection: Collection) -> dict[str, Any]:
    views = {
        table: Table([view, "count"], [[clean(str(value)), count] for value, count in counts(collection, view).rows()])
        for view, table in COUNTED.items()
    }
    return {
        "finding": collection_finding(collection),
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
    said = _flat(without_places(origin)) if origin is not None else []
    settings = [[clean(key), clean(_setting_text(value))] for key, value in said]
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
            ["source", "byte", "reason"],
            [[clean(str(part)) for part in without_places(each)] for each in manifest["first_broken"]],
        ),
    }


def _flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """The settings in a manifest, however deep, by their names."""
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in _flat(inner, f"{name} {key}".strip())]
    return [(name or "from", value)]


def _setting_text(value: Any) -> str:
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


# What each assessor said of a document: the marks in the journals of the lab's pools, for those who may see them.


COLUMNS = ("pool", "person", "grade", "reason", "note", "at")


def marks_of(lab: Lab, document: str, topic: str) -> Table:
    """The marks of all assessors on a document for a topic, with their reasons.

    The organiser sees all of them. Others see their own, and those of the others only once the topic is closed, so
    that people judge independently, and never in a blind lab.
    """
    who = viewer()
    sees_all = who is None or who.sees_everything
    rows = []
    for entry in lab.entries("pool"):
        path = Path(f"{entry.path}{JOURNAL}")
        if not path.exists():
            continue
        with contextlib.suppress(InputError), contextlib.closing(JudgingJournal(path, write=False)) as journal:
            state = JudgingState.of(journal.events())
            is_open = sees_all or (topic in state.closed and not lab.is_blind)
            for (person, of_topic, of_document), mark in state.marks.items():
                if (of_topic, of_document) != (topic, document) or not (is_open or (who and who.name == person)):
                    continue
                note = state.notes.get((person, topic, document), "")
                rows.append([entry.name, person, mark.grade, clean(mark.reason), clean(note), mark.at[:19]])
    return Table(COLUMNS, sorted(rows, key=lambda row: (row[0], row[5], row[1])))
