"""Find earlier documents that bear on the claims of a patent.

PATENT is a number in the collection, in any spelling, or a file: an office's XML or SGML, JSON, or plain text with the
claims after a line "Claims". Its own family and later documents are never shown. A hit bears on a claim if one of its
passages holds a quarter of the claim's words, weighted by rarity: a place to begin reading, not a judgement.

Examples:
  leadline prior-art patents.index EP 1 437 003 A1 -k 10
  leadline prior-art patents.index idea.txt --date 2001-05-01
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.document import Claim, Document
from leadline.commands.shared.extras import check_pipelines
from leadline.commands.shared.options import add_options, add_system_option, as_written, check_format
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.result_list import INDENT, add_result_options, hit_lines, hit_table, snippet_length
from leadline.commands.shared.terminal_page import TerminalPage, shorten
from leadline.errors import InputError, UsageError, visible
from leadline.records.scores.result import counted
from leadline.retrieval.answers.passages import BestPassage
from leadline.retrieval.answers.patent_file import read_patent
from leadline.retrieval.answers.prior_art_search import DEFAULT_SYSTEM, PriorArt, prior_art
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline_files import system
from leadline.retrieval.pipeline.request import Request
from leadline.text.days import parse_date
from leadline.text.json_output import json_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "index")
    add = parser.add_argument
    add("patent", metavar="PATENT", nargs="+", help="number of a patent in the collection, or a file")
    add_system_option(parser, None, "the 30 best terms of each field, with BM25")
    add("--date", metavar="DATE", type=as_written(parse_date), help="priority date of the patent, if its file has none")
    add_result_options(parser, k=10)


def run(options: argparse.Namespace) -> None:
    check_format(options)
    pipeline = system(options.system) if options.system else DEFAULT_SYSTEM
    check_pipelines(options.system, [pipeline])
    context = SearchContext.open(options.index, options.collection)
    page = TerminalPage.for_output(options.output)
    topic = _topic(context, " ".join(options.patent), options.date)
    found = prior_art(context, topic, pipeline, options.k, snippet_length(page))
    if options.format == "json":
        write(f"{json_text(_record(found))}\n".encode(), options.output)
    elif options.format == "table":
        write(_result_page(page, found), options.output)
    else:
        claims = [" ".join(f"{number}:{share:.2f}" for number, share in found.claims_of(place).items())
                  for place in range(len(found.hits))]  # fmt: skip
        write_table(hit_table(found.hits, found.snippets, {"claims": claims}), options)
    print_notes([*(f"{found.topic.id}, {note}" for note in found.notes), *_hidden(found)], options)


def _topic(context: SearchContext, written: str, date: str | None) -> Request:
    """The patent as a topic, read from a file or found in the collection."""
    if not Path(written).is_file():
        if date:
            raise UsageError("--date", "can only be used with a file: the collection has the dates of its patents")
        request = context.request(written)
        if not request.is_patent:
            raise InputError(written, f"is neither a patent in {context.collection.folder} nor a file")
        return request
    document = read_patent(written)
    if date:
        document = replace(document, application=parse_date(date).isoformat(), priorities=())
    return context.request(document)


# For people


def _result_page(page: TerminalPage, found: PriorArt) -> str:
    topic = found.topic
    dated = f"priority {_priority(topic)}" if _priority(topic) else "undated"
    facts = [topic.id, dated, *(*topic.ipc, *topic.cpc)[:1], _claim_count(topic.claims)]
    title = shorten(" ".join(topic.title.split()) or topic.id, page.width)
    lines = [page.strong(title), page.facts(facts, ""), page.rule(), *page.paragraph(_finding(found))]
    for place, (hit, snippet) in enumerate(zip(found.hits, found.snippets, strict=True)):
        bears = list(found.claims_of(place))
        lines += ["", *hit_lines(page, hit, snippet, [f"bears on {_claim_numbers(bears)}"] if bears else [])]
    if any(best for _, best in found.bearing):
        lines += ["", page.heading("Claim by claim", "hit, passage, share of the claim's words"), page.rule()]
        for claim, best in found.bearing:
            lines += _claim_lines(page, claim, best) if best else []
        free = [claim.number for claim, best in found.bearing if not best]
        lines += ["", *page.paragraph(f"No hit shown bears on {_claim_numbers(free)}.")] if free else []
    return "\n".join(lines) + "\n"


def _claim_lines(page: TerminalPage, claim: Claim, found: Sequence[BestPassage]) -> list[str]:
    """A claim, and the hits that bear on it with their best passages; lines break between hits."""
    beginning = shorten(visible(" ".join(claim.text.split())), page.width - len(INDENT))
    hits = [f"hit {best.passage.document + 1} {best.passage.where} {_share(best.share)}" for best in found]
    lines = [""]
    for hit in hits:
        if lines[-1] and len(lines[-1]) + 3 + len(hit) > page.width - len(INDENT):
            lines.append("")
        lines[-1] += f"   {hit}" if lines[-1] else hit
    return [f"{claim.number:>4}  {beginning}", *(INDENT + page.dimmed(line) for line in lines)]


def _finding(found: PriorArt) -> str:
    """The result in one sentence."""
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
    return f"{families} {verb} on {reached} of its {_claim_count(found.topic.claims)}{leader}."


def _priority(topic: Document) -> str:
    return topic.priority or topic.application or topic.publication


def _claim_count(claims: Sequence[Claim]) -> str:
    return counted(len(claims), "claim") if claims else "no claims"


def _claim_numbers(numbers: Sequence[int]) -> str:
    """The numbers of claims, three or more in a row as a range.

    >>> _claim_numbers([1, 2, 3, 7, 9, 10])
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
    """How many documents were hidden, and why."""
    reasons = {
        "itself": "the patent itself",
        "own family": f"{found.hidden['own family']:,} of its own family",
        "later": f"{found.hidden['later']:,} published after {_priority(found.topic)}",
    }
    hidden = [words for reason, words in reasons.items() if found.hidden[reason]]
    return [f"hidden: {', '.join(hidden)}"] if hidden else []


# For programs


def _record(found: PriorArt) -> dict[str, Any]:
    """The whole result as one JSON object."""
    rows = hit_table(found.hits, found.snippets, {})
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
