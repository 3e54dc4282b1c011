"""Show documents whole: their texts, claims as a tree, family, and citations both ways.

DIR is a collection, a crawl, or an index whose collection is in its place. ID is a number in any spelling, also in
several words; several documents are shown one after the other, on a terminal in a pager: $PAGER, or less.

Examples:
  leadline show patents EP 1 437 003 A1
  leadline show patents EP1437003A1 --format json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import write, write_table
from leadline.commands.shared.terminal_page import TerminalPage, shorten, write_paged
from leadline.records.result import Table, counted
from leadline.text.files import json_text
from leadline.text.owned_folder import identity_of, wrong_folder

if TYPE_CHECKING:
    from leadline.collections.documents.collection import Collection, Neighbour, Surroundings
    from leadline.collections.documents.document import Document

INDENT = "  "
MOST_WORDS = 8  # of one number: WO 2 004 012 345 A1
DEEPEST = 6  # levels of claims that are indented: deeper ones would leave no room for their text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "collection", help="collection, crawl or index")
    parser.add_argument("document", metavar="ID", type=WORD, nargs="+", help="numbers of documents, in any spelling")
    add_options(parser, "-f", "-o")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import surroundings

    check_format(options)
    collection = _collection(options.collection)
    found = [surroundings(collection, name) for name in _names(collection, options.document)]
    if options.format == "json":
        records = list(map(_record, found))
        write(f"{json_text(records[0] if len(records) == 1 else records)}\n".encode(), options.output)
    elif options.format == "table":
        page = TerminalPage.for_output(options.output)
        write_paged(f"\n{page.rule()}\n\n".join(_page(page, each) for each in found), options.output)
    elif len(found) == 1:
        write_table(Table(["part", "name", "text"], _rows(found[0])), options)
    else:
        rows = [[each.document.id, *row] for each in found for row in _rows(each)]
        write_table(Table(["document", "part", "name", "text"], rows), options)


def _names(collection: Collection, words: Sequence[str]) -> list[str]:
    """The names among the words of a command line: at each place the longest that is in the collection.

    Where none is, the word there is a name, or all of them if there is no other; it is then refused.
    """
    names: list[str] = []
    at = 0
    while at < len(words):
        lengths = range(min(MOST_WORDS, len(words) - at), 0, -1)
        there = collection.documents_there([" ".join(words[at : at + length]) for length in lengths])
        known = (length for length, found in zip(lengths, there, strict=True) if found)
        length = next(known, 1 if names else len(words))
        names.append(" ".join(words[at : at + length]))
        at += length
    return names


def _collection(folder: str) -> Collection:
    from leadline.collections.documents.collection import Collection
    from leadline.retrieval.pipeline.context import SearchContext

    place = Path(folder)
    if not place.is_dir():
        raise wrong_folder(place, "collection or index", "`leadline collection build` and `leadline index` make them")
    owned = identity_of(place)
    return SearchContext.open(folder).collection if owned and owned.kind == "index" else Collection.open(folder)


# For people


def _page(page: TerminalPage, found: Surroundings) -> str:
    from leadline.collections.documents.collection import claim_tree

    document = found.document
    lines = [*map(page.strong, page.paragraph(" ".join(document.title.split()) or document.id))]
    lines += [page.facts(_facts(document), ""), page.rule()]
    for name, values in _lists(document).items():
        lines += page.paragraph(f"{name}: {', '.join(values)}") if values else []
    lines += _text(page, "Abstract", document.abstract)
    if document.claims:
        lines += ["", page.heading("Claims", _claim_counts(document))]
        for depth, claim in claim_tree(document.claims):
            indent = INDENT * min(depth, DEEPEST)
            first, *rest = page.paragraph(f"{claim.number}. {' '.join(claim.text.split())}", f"{indent}   ")
            lines += [f"{indent}{first.strip()}", *rest]
    lines += _text(page, "Description", document.description)
    lines += _neighbour_lines(page, "Family", found.family)
    lines += _neighbour_lines(page, "Cites", found.cites)
    if found.literature:
        lines += ["", page.heading("Literature cited", counted(len(found.literature), "reference"))]
        lines += [line for text in found.literature for line in page.paragraph(" ".join(text.split()), INDENT)]
    lines += _neighbour_lines(page, "Cited by", found.cited_by)
    return "\n".join(lines) + "\n"


def _facts(document: Document) -> list[str]:
    dates = {"priority": document.priority, "filed": document.application, "published": document.publication}
    told = [f"{name} {date}" for name, date in dates.items() if date]
    return [document.id, *told, document.language]


def _lists(document: Document) -> dict[str, Sequence[str]]:
    return {
        "Applicants": document.applicants,
        "Inventors": document.inventors,
        "IPC": document.ipc,
        "CPC": document.cpc,
        "National classes": document.national,
        "Priorities": [f"{each.number} {each.date}".strip() for each in document.priorities],
    }


def _claim_counts(document: Document) -> str:
    independent = sum(claim.independent for claim in document.claims)
    return f"{counted(len(document.claims), 'claim')}, {independent} independent"


def _text(page: TerminalPage, name: str, text: str) -> list[str]:
    """A part of the text under its name, paragraph by paragraph; nothing if it is empty."""
    paragraphs = [" ".join(each.split()) for each in text.splitlines() if each.strip()]
    if not paragraphs:
        return []
    return ["", page.strong(name), *(line for each in paragraphs for line in page.paragraph(each))]


def _neighbour_lines(page: TerminalPage, name: str, neighbours: Sequence[Neighbour]) -> list[str]:
    if not neighbours:
        return []
    inside = sum(each.inside for each in neighbours)
    lines = ["", page.heading(name, f"{counted(len(neighbours), 'document')}, {inside} in the collection")]
    width = max(len(each.number) for each in neighbours)
    for each in neighbours:
        why = " ".join(filter(None, (each.origin, each.category)))
        words = " · ".join(filter(None, (each.published, why, " ".join(each.title.split()))))
        lines.append(f"{INDENT}{each.number:<{width}}  {shorten(words, page.width - width - 4)}".rstrip())
    return lines


# For programs


def _rows(found: Surroundings) -> list[list[str]]:
    document = found.document
    rows = [[name, "", getattr(document, name)] for name in ("id", "title", "abstract", "description", "language")]
    rows += [[name, "", getattr(document, name)] for name in ("priority", "application", "publication")]
    rows += [[name.lower(), "", value] for name, values in _lists(document).items() for value in values]
    rows += [["claim", f"{claim.number}", claim.text] for claim in document.claims]
    for part, neighbours in (("family", found.family), ("cites", found.cites), ("cited by", found.cited_by)):
        rows += [[part, each.number, each.title] for each in neighbours]
    return [row for row in rows if row[1] or row[2]] + [["literature", "", text] for text in found.literature]


def _record(found: Surroundings) -> dict[str, Any]:
    """The whole document as one JSON object, with the depth of each claim."""
    from leadline.collections.documents.collection import claim_tree

    record = asdict(found.document)
    depths = {claim.number: depth for depth, claim in claim_tree(found.document.claims)}
    for claim in record["claims"]:
        claim["depth"] = depths[claim["number"]]
    for name in ("relatives", "citers", "citations", "family"):
        record.pop(name)
    around = {"family": found.family, "cites": found.cites, "cited_by": found.cited_by}
    return record | {name: list(map(asdict, each)) for name, each in around.items()} | {"literature": found.literature}
