"""Find earlier documents that bear on the claims of a patent.

PATENT is a number in the collection, in any spelling, or a file: an office's XML or SGML, JSON, or plain text with the
claims after a line "Claims". Its own family and later documents are never shown. Each claim is shown with its
distinguishing part and the hits that bear on it: strongly with 71 % of the words of the claim and of those it depends
on, weakly with half of them and one of the distinguishing part. That is a place to begin reading, not a judgement: how
many such marks were right stands beside them, and docs/prior-art.md says how that was measured.

Examples:
  leadline prior-art patents.index EP 1 437 003 A1 -k 10
  leadline prior-art patents.index idea.txt --date 2001-05-01
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import FILE_OR_WORD
from leadline.commands.shared.extras import check_pipelines
from leadline.commands.shared.options import add_system_option, as_written, check_format
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.signature import public
from leadline.commands.shared.terminal_page import (
    INDENT,
    TerminalPage,
    add_result_options,
    display_width,
    hit_lines,
    shorten,
    snippet_length,
)
from leadline.errors import InputError, UsageError, visible
from leadline.records.result import decimals
from leadline.retrieval.choices import DEFAULT_SYSTEM
from leadline.text.days import parse_date
from leadline.text.files import json_text

if TYPE_CHECKING:
    from leadline.retrieval.bearing import ClaimBearing
    from leadline.retrieval.pipeline.context import Request, SearchContext
    from leadline.retrieval.prior_art import PriorArt

QUOTED = 3  # hits of a claim whose passages are printed; the others are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    patent = {"metavar": "PATENT", "type": FILE_OR_WORD, "nargs": "+"}
    public("prior_art").add(parser, "index", "patent", patent=patent)
    add_system_option(parser, None, f"{DEFAULT_SYSTEM}, with what the index has")
    date = "filing date of the patent, or the priority date that it claims: only earlier documents are shown"
    add("--date", metavar="DATE", type=as_written(parse_date), help=f"{date} (default: the date in its file)")
    add_result_options(parser, "prior_art")


def run(options: argparse.Namespace) -> None:
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.named_systems import system
    from leadline.retrieval.prior_art import hidden_note, prior_art, prior_art_record, search_notes, system_line
    from leadline.retrieval.word_search import changes, result_table

    check_format(options)
    pipeline = system(options.system or DEFAULT_SYSTEM)
    check_pipelines(options.system or DEFAULT_SYSTEM, [pipeline], options.index)
    context = SearchContext.open(options.index, options.collection)
    page = TerminalPage.for_output(options.output)
    topic = _topic(context, " ".join(options.patent), options.date)
    found = prior_art(context, topic, pipeline, options.k, snippet_length(page))
    used = system_line(context, topic, options.system)
    if options.format == "json":
        write(f"{json_text({**prior_art_record(found), 'system': used})}\n".encode(), options.output)
    elif options.format == "table":
        write(_result_page(page, found, used, context), options.output)
    else:
        claims = [
            " ".join(f"{number}:{share:.2f}" for number, share in found.claims_of(place).items())
            for place in range(len(found.hits))
        ]
        write_table(result_table(found.hits, found.snippets, {"claims": claims}), options)
    print_notes([*search_notes(found, options.system), *hidden_note(found), *changes(context, found.hits)], options)


def _topic(context: SearchContext, written: str, date: str | None) -> Request:
    """The patent as a topic, read from a file or found in the collection."""
    from leadline.retrieval.prior_art import read_patent

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


def _result_page(page: TerminalPage, found: PriorArt, used: str, context: SearchContext) -> str:
    from leadline.retrieval.prior_art import (
        bearing_rule,
        bears_words,
        claim_count,
        claim_numbers,
        prior_art_finding,
        topic_date,
    )

    topic = found.topic
    kind, date = topic_date(topic)
    facts = [topic.id, f"{kind} {date}".strip(), *(*topic.ipc, *topic.cpc)[:1], claim_count(topic.claims)]
    title = shorten(" ".join(topic.title.split()) or topic.id, page.width)
    lines = [page.strong(title), page.facts(facts, ""), page.rule(), *page.paragraph(prior_art_finding(found))]
    lines += [*page.paragraph(bearing_rule(found)), *page.paragraph(used)]
    places = decimals(hit.score for hit in found.hits)
    for place, (hit, snippet) in enumerate(zip(found.hits, found.snippets, strict=True)):
        lines += ["", *hit_lines(page, hit, snippet, places, [f"◌ {words}" for words in bears_words(found, place)])]
    if any(each.found for each in found.bearing):
        lines += ["", page.heading("Claim by claim", "distinguishing part, then hits and passages"), page.rule()]
        for each in found.bearing:
            lines += _claim_lines(page, each, context) if each.found else []
        free = [each.claim.number for each in found.bearing if not each.found]
        lines += ["", *page.paragraph(f"No hit shown bears on {claim_numbers(free)}.")] if free else []
    return "\n".join(lines) + "\n"


def _claim_lines(page: TerminalPage, each: ClaimBearing, context: SearchContext) -> list[str]:
    """A claim, its distinguishing part, and the hits that bear on it, the first with their passages."""
    from leadline.retrieval.bearing import ABSTRACT
    from leadline.retrieval.passages import Marker
    from leadline.retrieval.prior_art import fit_words

    beginning = shorten(visible(" ".join(each.claim.text.split())), page.width - len(INDENT))
    number = each.claim.number if each.claim.number != ABSTRACT else ""
    lines = [f"{number:>4}  {beginning}"]
    if each.part.text:
        part = shorten(visible(each.part.text), page.width - len(INDENT) - len(each.part.basis) - 4)
        lines.append(INDENT + page.dimmed(f"{each.part.basis}: {part}"))
    marker = Marker(context.index.analysis, dict.fromkeys(each.part.terms, 1.0))
    for one in each.found[:QUOTED]:
        place, fit = f"hit {one.hit + 1}, {one.passage.where}", fit_words(one)
        if display_width(f"{INDENT}{place}  {fit}") <= page.width:
            lines.append(f"{INDENT}{page.strong(place)}  {page.dimmed(fit)}")
        else:
            lines += [INDENT + page.strong(place), *map(page.dimmed, page.paragraph(fit, f"{INDENT}  "))]
        lines += page.snippet(marker.snippet(one.passage.text, snippet_length(page)), f"{INDENT}  ", 2)
    if more := [f"hit {one.hit + 1}, {one.passage.where}" for one in each.found[QUOTED:]]:
        lines += page.paragraph(f"also {'; '.join(more)}", INDENT)
    return lines
