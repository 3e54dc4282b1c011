"""Search an index with words, phrases, AND, OR, NOT, NEAR and fields.

A query is any text: polymer film, "thin film", polymer*, film NEAR/5 silver, title:film, class:C07D, before:1998,
+must, -not; put -- before one that begins with -. docs/query-language.md describes the language, and the operators of
other systems that it understands. Only the best document of a family is shown. With --history the queries are numbered
and kept; without QUERY they are listed.

Examples:
  leadline search patents.index 'title:coating AND (poly* OR "thin film") -metal' --before 2000
  leadline search patents.index coating --model 'bm25(k1=0.9, b=0.4)' --office EP,US --why
  leadline search patents.index coating --then 'pagerank(weight=0.3)' --why
  leadline search patents.index 'ti,ab=coating W/5 glaze' --explain-query
  leadline search patents.index '(film adj3 metal).ti,ab.' --syntax ovid
  leadline search patents.index '#1 AND #2 NOT title:metal' --history session.json
  leadline search patents.index coating -k 500 -f ris -o found.ris
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import WORD, UpdatedFile
from leadline.commands.shared.extras import add_cluster_option, check_memory, check_pipelines, index_sharded
from leadline.commands.shared.options import (
    add_system_option,
    check_format,
    filter_values,
    memory_budget,
    split_list,
    wrong_usage,
)
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.signature import public
from leadline.commands.shared.terminal_page import TerminalPage, add_result_options, hit_lines, snippet_length
from leadline.errors import UsageError, checked_choice
from leadline.options import NotNegative, checked
from leadline.records.result import Table, counted, decimals
from leadline.retrieval.choices import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.passages import Snippet
    from leadline.retrieval.pipeline.pipeline import Step
    from leadline.retrieval.word_search import SearchHistory, SearchResult

SEARCHED = (
    "index", "query", "model", "fields", "before", "after", "classes", "offices", "newest", "then", "duplicates",
    "history", "syntax",
)  # fmt: skip
EVIDENCE = ("anchor_text", "freshness", "hits", "indegree", "pagerank")
Share = dict[str, Any]  # what a word adds to a score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    public("search").add(
        parser,
        *SEARCHED,
        query={"metavar": "QUERY", "nargs": "*"},
        model={"metavar": "MODEL"},
        fields={"metavar": "NAMES", "type": WORD},
        then={"action": "append"},
        history={"type": UpdatedFile()},
    )
    add_system_option(parser, None, f"{DEFAULT_SYSTEM}, with what the index has; with --model the words alone")
    explain = "show how the query is understood, and the number of documents for each part of it"
    add("--explain-query", action="store_true", help=explain)
    add("--why", action="store_true", help="show what each word, and each step of --then, adds to the score")
    add_cluster_option(parser)
    public("evaluate").add(parser, "memory")
    add_result_options(parser, "search", "ris")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    if options.format == "ris" and (options.explain_query or options.why or not options.query):
        raise UsageError("--format ris", "has the documents that are found, and nothing about the query: leave it out")
    check_memory(options)
    from leadline.records.inputs import read_groups
    from leadline.retrieval.models.registry import MODELS
    from leadline.retrieval.models.searcher import parse_model
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.public import ranking_system
    from leadline.retrieval.word_search import SearchHistory, has_texts, keep_to, search_words, texts_of

    text = " ".join(options.query)
    if options.model:
        with wrong_usage("--model"):
            name, parameters = parse_model(options.model)
            MODELS.named(name).checked_parameters(parameters)
    history = SearchHistory.read(options.history) if options.history else None
    if not options.query:
        _list_queries(history, options)
        return
    then = _evidence(options)
    groups = read_groups(options.duplicates) if options.duplicates else None
    context = SearchContext.open(options.index, options.collection)
    keep_to(memory_budget(options), context.index)
    by_words = bool(options.model or options.fields or options.newest)
    with wrong_usage("--system"):
        system = ranking_system(options.system, by_words=by_words)
    if system is not None:
        check_pipelines(system[0], [system[1]], options.index)
    own = {
        "system": system,
        "fields": _fields(options.fields, context.index),
        "classes": filter_values("class", options.classes or ""),
        "offices": filter_values("office", options.offices or ""),
        "then": then,
        "duplicates": groups,
    }
    with index_sharded(options, context):
        with wrong_usage():
            how = public("search").given(options, "k", "model", "before", "after", "newest", "syntax", **own)
            found = search_words(context, text, earlier=None if history is None else history.earlier, **how)
        shares = [found.why(hit) for hit in found.hits if options.why]
    why = [[{"term": each.term, "score": each.score} for each in share] for share in shares]
    if options.explain_query:
        _explain(found, options)
        return
    if options.format == "ris":
        from leadline.collections.documents.readers.ris import reference

        write("".join(map(reference, texts_of(found.hits))).encode("utf-8", "replace"), options.output)
    else:
        _write_hits(found, why, options)
    moved = "no titles and texts: the collection was moved; name its folder with --collection"
    kept = []
    if history is not None:
        found = history.keep(found)
        kept = [f"#{found.number}: {counted(found.found, 'document')}, kept in {options.history}"]
    print_notes([*found.notes, *([] if has_texts(context) else [moved]), *kept], options)


def _write_hits(found: SearchResult, why: Sequence[Sequence[Share]], options: argparse.Namespace) -> None:
    """Write the hits as a page for the terminal, or as a table."""
    from leadline.retrieval.word_search import result_table

    page = TerminalPage.for_output(options.output)
    cut = found.snippets(snippet_length(page))
    if options.format == "table":
        write(_result_page(page, found, cut, why), options.output)
        return
    more: dict[str, list[Any]] = {}
    if options.why:
        more["why"] = list(why) if options.format == "json" else list(map(_sum_text, why))
    if options.format == "json":
        more["highlights"] = [[{"start": start, "end": end} for start, end in each.marks] for each in cut]
    write_table(result_table(found.hits, cut, more), options)


def _explain(found: SearchResult, options: argparse.Namespace) -> None:
    """Print a query as it was understood, and each of its parts, with their documents."""
    from leadline.retrieval.language.tree import days_meant
    from leadline.text.days import iso
    from leadline.text.files import json_text

    asked = [(name, iso(date)) for name, date in (("before", options.before), ("after", options.after)) if date]
    notes = [*found.notes, *found.dates_meant]
    notes += [days_meant(name, date) for name, date in asked if len(date) < len("1998-08-12")]
    if options.format == "json":
        parts = [{"part": part, "documents": count} for part, count in found.parts]
        facts = {"query": found.text, "understood": found.understood, "documents": found.found, "parts": parts}
        write(f"{json_text({**facts, 'notes': notes})}\n".encode(), options.output)
        return
    rows = [[found.understood, found.found], *found.parts]
    write_table(Table(["understood", "documents"], rows), options)
    print_notes(notes, options)


def _list_queries(history: SearchHistory | None, options: argparse.Namespace) -> None:
    """Print the queries of a session."""
    if history is None:
        raise UsageError("QUERY", "give words to search for, or --history FILE to list earlier queries")
    rows = [[f"#{n}", found, query] for n, (query, found) in enumerate(history.queries, start=1)]
    write_table(Table(["number", "found", "query"], rows), options)
    print_notes(history.notes() if rows else [f"{options.history} has no queries yet"], options)


def _evidence(options: argparse.Namespace) -> Step | None:
    """The steps of --then, in their order."""
    if not options.then:
        return None
    if options.newest:
        raise UsageError("--then", "orders by score, --newest by date: leave out one of them")
    from leadline.options import name_and_options
    from leadline.retrieval.pipeline.pipeline import pipeline_of

    with wrong_usage("--then"):
        steps = []
        for written in options.then:
            step = written.strip().replace(" ", "_", 1) if " text" in written else written
            checked_choice("--then", name_and_options(step, "step", "pagerank(weight=0.5)")[0], EVIDENCE)
            steps.append(step)
        return pipeline_of(steps, "--then")


def _fields(written: str | None, index: Index) -> dict[str, float] | None:
    """The weights of fields, from title=2,abstract."""
    if written is None:
        return None
    fields = {}
    for part in split_list(written):
        name, sign, weight = part.partition("=")
        with wrong_usage("--fields"):
            name = checked_choice("--fields", name.strip(), index.fields)
        try:
            fields[name] = checked("weight", float(weight) if sign else 1.0, NotNegative)
        except ValueError:
            problem = f"{part!r} is not a field with a weight of 0 or more, such as title=2"
            raise UsageError("--fields", problem) from None
    return fields


def _sum_text(why: Sequence[Share]) -> str:
    return " + ".join(f"{share['term']} {share['score']:.3f}" for share in why)


def _result_page(
    page: TerminalPage, found: SearchResult, cut: Sequence[Snippet], why: Sequence[Sequence[Share]]
) -> str:
    order = {"score": "", "newest": ", newest first", "oldest": ", oldest first"}[found.answer.order]
    lines = [page.heading(" ".join(found.text.split()), counted(found.found, "document") + order), page.rule()]
    places = decimals(hit.score for hit in found.hits)
    for place, (hit, snippet) in enumerate(zip(found.hits, cut, strict=True)):
        lines += ["", *hit_lines(page, hit, snippet, places, [_sum_text(why[place])] if why else [])]
    return "\n".join(lines if found.hits else [*lines, "", "  nothing found"]) + "\n"
