"""Prior art for a patent: what was published before it and bears on its claims.

The patent is a number of the collection in any spelling, or a file: XML or SGML of an office, JSON, or plain text with
the claims behind a line "Claims". Its own family and later documents are never shown. A hit bears on a claim when a
passage holds a quarter of the claim's words, weighed by rarity: a place to begin reading, not a judgement.

example: leadline prior-art patents.index EP 0 049 154 B1 -k 10
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.document import Claim, Document
from leadline.commands.hits import INDENT, check_hits, define_hits, room, shown, table
from leadline.commands.output import emit, emit_table, say
from leadline.commands.page import Page, fitted
from leadline.errors import InputError, printable
from leadline.search.answers.passages import BestPassage
from leadline.search.answers.patent_file import read_patent
from leadline.search.answers.prior_art_search import PriorArt, prior_art
from leadline.search.pipeline.context import SearchContext
from leadline.search.pipeline.pipeline_files import system, systems
from leadline.search.pipeline.request import Request
from leadline.search.pipeline.steps import BestTerms, Search
from leadline.text.days import parse_date

USUAL = BestTerms() >> Search()  # on a simulated office it finds what the whole text does, in a third of the time


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("index", metavar="INDEX", help="an index, as `leadline index` makes it")
    add("patent", metavar="PATENT", nargs="+", help="a number in the collection, in any spelling, or a file")
    add("--system", metavar="NAME", help=f"a pipeline in a file .toml, or {', '.join(systems())}; "
        "unless said the 30 best terms of each field, with BM25")  # fmt: skip
    add("--date", metavar="DATE", help="the patent's priority, where its file tells none")
    define_hits(parser, k=10)


def run(options: argparse.Namespace) -> None:
    check_hits(options)
    pipeline = system(options.system) if options.system else USUAL
    lab = SearchContext.open(options.index, options.collection)
    page = Page.here(options.output)
    topic = _topic(lab, " ".join(options.patent), options.date)
    found = prior_art(lab, topic, pipeline, options.k, room(page))
    if options.format == "json":
        emit(f"{json.dumps(_record(found), indent=1, ensure_ascii=False)}\n".encode("utf-8", "replace"), options.output)
    elif options.format == "table":
        emit(_page(page, found), options.output)
    else:
        claims = [" ".join(f"{number}:{share:.2f}" for number, share in found.claims_of(place).items())
                  for place in range(len(found.hits))]  # fmt: skip
        emit_table(table(found.hits, found.snippets, {"claims": claims}), options)
    if not options.quiet:
        say([*(f"{found.topic.id}, {note}" for note in found.notes), *_hidden(found)])


def _topic(lab: SearchContext, written: str, date: str | None) -> Request:
    """The patent as a topic: from a file, or of the collection."""
    if not Path(written).is_file():
        if date:
            raise InputError("--date", "goes with a file: the collection knows the dates of its patents")
        request = lab.request(written)
        if not request.is_patent:
            raise InputError(written, f"is neither a patent of {lab.collection.folder} nor a file")
        return request
    document = read_patent(written)
    if date:
        document = replace(document, application=parse_date(date).isoformat(), priorities=())
    return lab.request(document)


# For people


def _page(page: Page, found: PriorArt) -> bytes:
    topic = found.topic
    dated = f"priority {_priority(topic)}" if _priority(topic) else "undated"
    facts = [topic.id, dated, *(*topic.ipc, *topic.cpc)[:1], _count(topic.claims)]
    title = fitted(" ".join(topic.title.split()) or topic.id, page.width)
    lines = [page.strong(title), page.joined(facts, ""), page.rule(), *page.paragraph(_verdict(found))]
    for place, (hit, snippet) in enumerate(zip(found.hits, found.snippets, strict=True)):
        bears = list(found.claims_of(place))
        lines += ["", *shown(page, hit, snippet, [f"bears on {_listed(bears)}"] if bears else [])]
    if any(best for _, best in found.bearing):
        lines += ["", page.across("Claim by claim", "hit, passage, share of the claim's words"), page.rule()]
        for claim, best in found.bearing:
            lines += _claim(page, claim, best) if best else []
        free = [claim.number for claim, best in found.bearing if not best]
        lines += ["", *page.paragraph(f"No hit shown bears on {_listed(free)}.")] if free else []
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _claim(page: Page, claim: Claim, found: Sequence[BestPassage]) -> list[str]:
    """A claim, and the hits that bear on it with the passage to begin with, no hit cut in two by the end of a line."""
    beginning = fitted(printable(" ".join(claim.text.split())), page.width - len(INDENT))
    hits = [f"hit {best.passage.document + 1} {best.passage.where} {_share(best.share)}" for best in found]
    lines = [""]
    for hit in hits:
        if lines[-1] and len(lines[-1]) + 3 + len(hit) > page.width - len(INDENT):
            lines.append("")
        lines[-1] += f"   {hit}" if lines[-1] else hit
    return [f"{claim.number:>4}  {beginning}", *(INDENT + page.quiet(line) for line in lines)]


def _verdict(found: PriorArt) -> str:
    """What the page says, in a sentence."""
    if not found.hits:
        return "Nothing was found."
    families = "The first family" if len(found.hits) == 1 else f"The first {len(found.hits)} families"
    verb = "bears" if len(found.hits) == 1 else "bear"
    if not found.bearing:
        return f"{families} found; the patent has no claims to compare them with."
    reached = sum(bool(best) for _, best in found.bearing)
    if not reached:
        return f"{families} {verb} on none of its claims."
    counts = [len(found.claims_of(place)) for place in range(len(found.hits))]
    most = int(np.argmax(counts))
    leader = f"; hit {most + 1}, {found.hits[most].name}, on {counts[most]}" if len(found.hits) > 1 else ""
    return f"{families} {verb} on {reached} of its {_count(found.topic.claims)}{leader}."


def _priority(topic: Document) -> str:
    return topic.priority or topic.application or topic.publication


def _count(claims: Sequence[Claim]) -> str:
    return f"{len(claims)} claim{'s' * (len(claims) != 1)}" if claims else "no claims"


def _listed(numbers: Sequence[int]) -> str:
    """Claims in short: those in a row as a range.

    >>> _listed([1, 2, 3, 7, 9, 10])
    'claims 1–3, 7, 9, 10'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"claim{'s' * (len(numbers) > 1)} {', '.join(parts)}"


def _share(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")


def _hidden(found: PriorArt) -> list[str]:
    """How many documents were not to be seen, and why."""
    reasons = {
        "itself": "the patent itself",
        "own family": f"{found.hidden['own family']:,} of its own family",
        "later": f"{found.hidden['later']:,} published after {_priority(found.topic)}",
    }
    told = [words for reason, words in reasons.items() if found.hidden[reason]]
    return [f"hidden: {', '.join(told)}"] if told else []


# For programs


def _record(found: PriorArt) -> dict[str, Any]:
    """Everything as one object."""
    rows = table(found.hits, found.snippets, {})
    hits = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows]
    for place, hit in enumerate(hits):
        hit["claims"] = [{"claim": number, "share": share} for number, share in found.claims_of(place).items()]
    claims = [
        {
            "claim": claim.number,
            "text": claim.text,
            "hits": [
                {"rank": best.passage.document + 1, "document": found.hits[best.passage.document].name,
                 "where": best.passage.where, "share": best.share, "passage": best.passage.text}
                for best in bearing
            ],
        }
        for claim, bearing in found.bearing
    ]  # fmt: skip
    topic = {"document": found.topic.id, "title": found.topic.title, "priority": _priority(found.topic)}
    return {"topic": topic, "hits": hits, "claims": claims, "hidden": dict(found.hidden), "notes": list(found.notes)}
