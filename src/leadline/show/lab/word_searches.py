"""Searching an index of a lab: hits by family with snippets, reasons and judgements, and counts to narrow by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.records.scores.table import Table
from leadline.retrieval.answers.search_hits import Hit, has_texts, result_table
from leadline.retrieval.answers.snippets import Snippet
from leadline.retrieval.answers.word_search import SearchResult, search_words
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.language.field_names import filter_values
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import Contribution, parse_model
from leadline.retrieval.pipeline.context import SearchContext
from leadline.show.lab.facets import facets
from leadline.show.lab.marked_text import clean, pieces
from leadline.show.lab.opened import OpenedLab

DEEPEST = 1000  # families that can be reached by turning pages
MOST_K = 100  # hits of a page
MOST_MEMBERS = 20  # of a family that are listed
SNIPPET = 260  # characters
LONGEST = 20_000  # characters of a query in an address


@dataclass(frozen=True)
class WordSearch:
    """What is asked: the query, how it is ranked, what it is narrowed to, and which page of the hits is wanted."""

    index: str
    q: str
    model: str = "bm25"
    before: str = ""
    after: str = ""
    classes: str = ""  # divided by commas
    office: str = ""
    newest: bool = False
    k: int = 10
    page: int = 1
    duplicates: str = ""
    qrels: str = ""
    topic: str = ""


def find_words(opened: OpenedLab, asked: WordSearch) -> dict[str, Any]:
    """What a query finds; InputError where it is wrong, with the line that the command prints."""
    if not 1 <= asked.k <= MOST_K:
        raise InputError("k", f"must be 1 to {MOST_K}, got {asked.k}")
    if not 1 <= asked.page <= max(1, DEEPEST // asked.k):
        raise InputError(
            "page", f"must be 1 to {max(1, DEEPEST // asked.k)} with {asked.k} hits a page, got {asked.page}"
        )
    if len(asked.q) > LONGEST:
        raise InputError("q", f"has {len(asked.q):,} characters, at most {LONGEST:,}: search with the patent instead")
    name, parameters = parse_model(asked.model)
    MODELS.named(name).checked_parameters(parameters)
    classes = filter_values("class", _listed(asked.classes), "class")
    offices = filter_values("office", _listed(asked.office), "office")
    grades = judged(opened, asked.qrels, asked.topic)
    groups = opened.duplicates(asked.duplicates) if asked.duplicates else None
    context = opened.context(asked.index)
    found = search_words(
        context, asked.q, asked.k, start=(asked.page - 1) * asked.k, model=asked.model, before=asked.before or None,
        after=asked.after or None, classes=classes, offices=offices, newest=asked.newest, duplicates=groups,
    )  # fmt: skip
    cut = found.snippets(SNIPPET)
    why = [found.why(hit) for hit in found.hits]
    cards = [
        _card(context, hit, snippet, shares, grades, place)
        for place, (hit, snippet, shares) in enumerate(zip(found.hits, cut, why, strict=True))
    ]
    moved = [] if has_texts(context) else ["no titles and texts: add the collection of this index to the lab"]
    more: dict[str, list[Any]] = {"why": [" + ".join(f"{each.term} {each.score:.3f}" for each in one) for one in why]}
    if grades is not None:
        more["judged"] = [grades.get(hit.name) for hit in found.hits]
    return {
        "found": found.found,
        "hits": result_table(found.hits, cut, more),
        "understood": clean(found.understood),
        "parts": Table(["part", "documents"], [[clean(part), count] for part, count in found.parts]),
        "notes": [clean(note) for note in (*_notes(found), *moved)],
        "suggested": _suggested(found),
        "order": found.answer.order,
        "cards": cards,
        "facets": facets(context, found.answer.matching, classes[0] if len(classes) == 1 else ""),
        "more": len(found.hits) == asked.k and (asked.page + 1) * asked.k <= DEEPEST,
        "collection": opened.collection_of(asked.index),
    }


def judged(opened: OpenedLab, qrels: str, topic: str) -> dict[str, int] | None:
    """The grade of each judged document of a topic; None where no judgements or no topic are named."""
    return opened.qrels(qrels).judgements(topic) if qrels and topic else None


def _card(
    context: SearchContext,
    hit: Hit,
    snippet: Snippet,
    why: list[Contribution],
    grades: dict[str, int] | None,
    place: int,
) -> dict[str, Any]:
    """What a page shows of a hit."""
    total = max((abs(each.score) for each in why), default=1.0) or 1.0
    return {
        "rank": hit.rank, "document": hit.name, "title": clean(hit.title), "score": hit.score,
        "published": hit.published, "class": hit.symbol, "members": hit.members, "changed": hit.changed,
        "family": _members(context, hit), "snippet": pieces(snippet),
        "why": [
            {"word": clean(each.term), "field": each.field, "score": each.score, "share": abs(each.score) / total}
            for each in why
        ],
        "judged": grades is not None, "grade": None if grades is None else grades.get(hit.name),
    }  # fmt: skip


def _members(context: SearchContext, hit: Hit) -> list[dict[str, str]]:
    """The other members of a hit's family, of an index of documents."""
    if hit.members < 2 or context.index.unit == "family":
        return []
    _, rows = context.family_members.of_rows(np.array([hit.row]))
    rows = rows[rows != hit.row][:MOST_MEMBERS]
    days = context.index.column("publication")[rows]
    return [
        {"document": name, "published": "" if day == MISSING else str(day.astype("datetime64[D]"))}
        for name, day in zip(context.names(rows), days, strict=True)
    ]


def _notes(found: SearchResult) -> list[str]:
    """The notes of a search; what was suggested stands beside them."""
    missing = {str(each): str(each._replace(near="")) for each in found.answer.missing}
    return [missing.get(note, note) for note in found.notes]


def _suggested(found: SearchResult) -> str:
    """The query with the nearest words in place of those that are in no document; empty where there is none."""
    text = found.text
    for each in found.answer.missing:
        if each.near:
            text = re.sub(rf"(?i)(?<!\w){re.escape(each.word)}(?!\w)", each.near.replace("\\", r"\\"), text)
    return text if text != found.text else ""


def _listed(written: str) -> list[str]:
    return [part.strip() for part in written.split(",") if part.strip()]
