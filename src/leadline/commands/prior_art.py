"""Find earlier documents that bear on the claims of a patent.

PATENT is a number in the collection, in any spelling, or a file: an office's XML or SGML, JSON, or plain text with the
claims after a line "Claims". Its own family and later documents are never shown. Each claim is shown with its
distinguishing part and the hits that bear on it. A hit bears on a claim if a passage has a word of the distinguishing
part, and at most 5 % of the earlier documents of the same class fit the claim as well: a place to begin reading, not a
judgement. docs/prior-art.md has the measured rates.

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
from leadline.retrieval.answers.passages import BEARING
from leadline.retrieval.answers.patent_file import read_patent
from leadline.retrieval.answers.prior_art_search import (
    ABSTRACT,
    DEFAULT_SYSTEM,
    BearingPassage,
    ClaimBearing,
    PriorArt,
    evidence,
    prior_art,
)
from leadline.retrieval.answers.snippets import Marker
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline_files import system
from leadline.retrieval.pipeline.request import Request
from leadline.text.days import parse_date
from leadline.text.json_output import json_text

HALF = 0.5  # of a claim's words in one passage: the first sentence counts the claims that have such a hit
QUOTED = 3  # hits of a claim whose passages are printed; the others are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "index")
    add = parser.add_argument
    add("patent", metavar="PATENT", nargs="+", help="number of a patent in the collection, or a file")
    add_system_option(parser, None, f"{DEFAULT_SYSTEM}, with what the index has")
    date = "filing date of the patent, or the priority date that it claims: only earlier documents are shown"
    add("--date", metavar="DATE", type=as_written(parse_date), help=f"{date} (default: the date in its file)")
    add_result_options(parser, k=10)


def run(options: argparse.Namespace) -> None:
    check_format(options)
    pipeline = system(options.system or DEFAULT_SYSTEM)
    check_pipelines(options.system or DEFAULT_SYSTEM, [pipeline])
    context = SearchContext.open(options.index, options.collection)
    page = TerminalPage.for_output(options.output)
    topic = _topic(context, " ".join(options.patent), options.date)
    found = prior_art(context, topic, pipeline, options.k, snippet_length(page))
    used = _system_line(context, topic, options.system)
    if options.format == "json":
        write(f"{json_text({**_record(found), 'system': used})}\n".encode(), options.output)
    elif options.format == "table":
        write(_result_page(page, found, used, context), options.output)
    else:
        claims = [" ".join(f"{number}:{share:.2f}" for number, share in found.claims_of(place).items())
                  for place in range(len(found.hits))]  # fmt: skip
        write_table(hit_table(found.hits, found.snippets, {"claims": claims}), options)
    print_notes([*_notes(found, options.system), *_hidden(found)], options)


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


def _result_page(page: TerminalPage, found: PriorArt, used: str, context: SearchContext) -> str:
    topic = found.topic
    kind, date = _date(topic)
    facts = [topic.id, f"{kind} {date}".strip(), *(*topic.ipc, *topic.cpc)[:1], _claim_count(topic.claims)]
    title = shorten(" ".join(topic.title.split()) or topic.id, page.width)
    lines = [page.strong(title), page.facts(facts, ""), page.rule(), *page.paragraph(_finding(found))]
    lines += [*page.paragraph(_rule(found)), *page.paragraph(used)]
    for place, (hit, snippet) in enumerate(zip(found.hits, found.snippets, strict=True)):
        bears = list(found.claims_of(place))
        lines += ["", *hit_lines(page, hit, snippet, [f"bears on {_claim_numbers(bears)}"] if bears else [])]
    if any(each.found for each in found.bearing):
        lines += ["", page.heading("Claim by claim", "distinguishing part, then hits and passages"), page.rule()]
        for each in found.bearing:
            lines += _claim_lines(page, each, context) if each.found else []
        free = [each.claim.number for each in found.bearing if not each.found]
        lines += ["", *page.paragraph(f"No hit shown bears on {_claim_numbers(free)}.")] if free else []
    return "\n".join(lines) + "\n"


def _claim_lines(page: TerminalPage, each: ClaimBearing, context: SearchContext) -> list[str]:
    """A claim, its distinguishing part, and the hits that bear on it, the first with their passages."""
    beginning = shorten(visible(" ".join(each.claim.text.split())), page.width - len(INDENT))
    number = each.claim.number if each.claim.number != ABSTRACT else ""
    lines = [f"{number:>4}  {beginning}"]
    if each.part.text:
        part = shorten(visible(each.part.text), page.width - len(INDENT) - len(each.part.basis) - 4)
        lines.append(INDENT + page.dimmed(f"{each.part.basis}: {part}"))
    marker = Marker(context.index.analysis, dict.fromkeys(each.part.terms, 1.0))
    for one in each.found[:QUOTED]:
        lines.append(f"{INDENT}{page.strong(f'hit {one.hit + 1}, {one.passage.where}')}  {page.dimmed(_fit(one))}")
        lines += page.snippet(marker.snippet(one.passage.text, snippet_length(page)), f"{INDENT}  ", 2)
    if more := [f"hit {one.hit + 1}, {one.passage.where}" for one in each.found[QUOTED:]]:
        lines += page.paragraph(f"also {'; '.join(more)}", INDENT)
    return lines


def _fit(one: BearingPassage) -> str:
    """How well a hit fits a claim, in words."""
    fit = "" if np.isnan(one.level) else f"first {_percent(one.level)} · "
    return f"{fit}{_share(one.share)} of the words, {_share(one.distinguishing)} of the distinguishing ones"


def _rule(found: PriorArt) -> str:
    """What "bears on" means here, with its rate of false alarms."""
    if not found.bearing or not found.hits:
        return ""
    what = "a claim" if found.topic.claims else "the abstract"
    if np.isnan(found.false_alarms):
        return (
            f"A hit bears on {what} if a passage has {_share(BEARING)} of its words, a distinguishing one among them. "
            f"There are only {found.compared} "
            "to compare with, too few to know how often that is a false alarm."
        )
    return (
        f"A hit bears on {what} if a passage has a distinguishing word of it and at most "
        f"{_percent(found.false_alarms)} of {found.compared} fit it as well, so that {_percent(found.false_alarms)} of "
        "these would be false alarms."
    )


def _system_line(context: SearchContext, request: Request, named: str | None) -> str:
    """Which system searched, and why."""
    if named:
        return f"System: {named}, as asked."
    used, missing = evidence(context, request)
    lacking = f"; without {_listed(missing)}, which are missing" if missing else ""
    return f"System: {DEFAULT_SYSTEM}, by {_listed(used)}{lacking}."


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _finding(found: PriorArt) -> str:
    """The result in one sentence."""
    if not found.hits:
        return "Nothing was found."
    families = "The first family" if len(found.hits) == 1 else f"The first {len(found.hits)} families"
    verb = "bears" if len(found.hits) == 1 else "bear"
    if not found.bearing:
        return f"{families} found; the patent has neither claims nor an abstract to compare them with."
    counts = [len(found.claims_of(place)) for place in range(len(found.hits))]
    if not found.topic.claims:
        return f"{families} found, {sum(map(bool, counts))} of which bear on the abstract; the patent has no claims."
    reached = sum(bool(each.found) for each in found.bearing)
    if not reached:
        return f"{families} {verb} on none of its claims."
    most = int(np.argmax(counts))
    leader = f"; hit {most + 1}, {found.hits[most].name}, on {counts[most]}" if len(found.hits) > 1 else ""
    strong = sum(any(one.share >= HALF for one in each.found) for each in found.bearing)
    much = f"on {strong or 'none'} of them by a passage with half of the claim's words"
    return f"{families} {verb} on {reached} of its {_claim_count(found.topic.claims)}, {much}{leader}."


def _date(topic: Document) -> tuple[str, str]:
    """What the date of a topic is, and the date: its priority, or else its filing or publication."""
    dates = (("priority", topic.priority), ("filed", topic.application), ("published", topic.publication))
    return next(((kind, date) for kind, date in dates if date), ("undated", ""))


def _claim_count(claims: Sequence[Claim]) -> str:
    return counted(len(claims), "claim") if claims else "no claims"


def _claim_numbers(numbers: Sequence[int]) -> str:
    """The numbers of claims, three or more in a row as a range.

    >>> _claim_numbers([1, 2, 3, 7, 9, 10])
    'claims 1–3, 7, 9, 10'
    """
    if list(numbers) == [ABSTRACT]:
        return "the abstract"
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


def _percent(share: float) -> str:
    """A share as a percentage, of two digits.

    >>> _percent(0.05), _percent(0.0037), _percent(0.125)
    ('5 %', '0.37 %', '12 %')
    """
    return f"{100 * share:.2g} %"


def _notes(found: PriorArt, named: str | None) -> list[str]:
    """Notes of the pipeline as sentences; what the line about the default system says is not said again."""
    said = ("searched without the field", "without any class") if not named else ()
    notes = [note for note in found.notes if not note.startswith(said)] if said else list(found.notes)
    sentences = (note.removeprefix("searched ").replace(", for which", ", so that") for note in notes)
    return [f"{found.topic.id} was searched {note}" for note in sentences]


def _hidden(found: PriorArt) -> list[str]:
    """How many documents were hidden, and why."""
    reasons = {
        "itself": "the patent itself",
        "own family": f"{found.hidden['own family']:,} of its own family",
        "later": f"{found.hidden['later']:,} published after {_date(found.topic)[1]}",
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
            "claim": each.claim.number,
            "part": each.name,
            "text": each.claim.text,
            "distinguishing": {"text": each.part.text, "basis": each.part.basis},
            "hits": [
                {"rank": one.hit + 1, "document": found.hits[one.hit].name, "where": one.passage.where,
                 "share": one.share, "distinguishing": one.distinguishing, "level": _number(one.level),
                 "passage": one.passage.text}
                for one in each.found
            ],
        }
        for each in found.bearing
    ]  # fmt: skip
    kind, date = _date(found.topic)
    topic = {"document": found.topic.id, "title": found.topic.title, "priority": found.topic.priority, "date": date,
             "date_kind": kind}  # fmt: skip
    rule = {"false_alarms": _number(found.false_alarms), "class": found.compared.name,
            "compared_with": len(found.compared.rows)}  # fmt: skip
    return {"topic": topic, "hits": hits, "claims": claims, "rule": rule, "hidden": dict(found.hidden),
            "notes": _notes(found, None)}  # fmt: skip


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
