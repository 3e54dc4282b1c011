"""Search an index with words, phrases, AND, OR, NOT, NEAR and fields.

A query is any text: polymer film, "thin film", polymer*, film NEAR/5 silver, title:film, class:C07D, before:1998,
+must, -not. docs/query-language.md describes the language. Only the best document of a family is shown.

Examples:
  leadline search patents.index 'title:coating AND (poly* OR "thin film") -metal' --before 2000
  leadline search patents.index coating --model 'bm25(k1=0.9, b=0.4)' --office EP,US --why
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.commands.shared.options import add_options, check_format, filter_values, split_list, wrong_usage
from leadline.commands.shared.output import count_of, print_notes, write, write_table
from leadline.commands.shared.result_list import add_result_options, hit_lines, hit_table, snippet_length
from leadline.commands.shared.terminal_page import TerminalPage
from leadline.errors import UsageError, checked_choice
from leadline.search.answers.passages import Passages
from leadline.search.answers.search_hits import Hit, has_texts, read_hits, snippets, weighed
from leadline.search.answers.snippets import Snippet
from leadline.search.index.index import Index
from leadline.search.language.language import Answer, Language
from leadline.search.language.meaning import published
from leadline.search.models.registry import MODELS
from leadline.search.models.searcher import parse_model
from leadline.search.pipeline.context import SearchContext

if TYPE_CHECKING:
    from numpy.typing import NDArray

Share = dict[str, Any]  # what a word adds to a score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_options(parser, "index")
    add("query", metavar="QUERY", nargs="+", help="words to search for; put -- before a query that begins with -")
    models = f"ranking model, such as 'bm25(k1=0.9, b=0.4)': {', '.join(MODELS)} (default: %(default)s)"
    add("--model", metavar="MODEL", default="bm25", help=models)
    add("--fields", metavar="NAMES", help="fields to search, with weights: title=2,abstract (default: all)")
    add_options(parser, "--before", "--after", "--class", "--office")
    add("--newest", action="store_true", help="sort by publication date, newest first")
    add("--why", action="store_true", help="show what each word adds to the score")
    add_result_options(parser, k=20)


def run(options: argparse.Namespace) -> None:
    check_format(options)
    text = " ".join(options.query)
    with wrong_usage("--model"):
        name, parameters = parse_model(options.model)
        MODELS.named(name).settled(parameters)
    lab = SearchContext.open(options.index, options.collection)
    language = Language(lab.index)
    how: dict[str, Any] = {
        "model": name, "fields": _fields(options.fields, lab.index), "mask": _filter(language.index, options),
        "order": "newest" if options.newest else None, **parameters,
    }  # fmt: skip
    answer, hits = _search_families(lab, language, text, options.k, how)
    page = TerminalPage.for_output(options.output)
    passages = Passages([hit.document for hit in hits if hit.document], lab.index.analysis)
    cut = snippets(lab, hits, passages, _snippet_terms(lab, answer, passages), snippet_length(page))
    why = [_why(language, answer, hit) for hit in hits] if options.why else []
    if options.format == "table":
        write(_result_page(page, text, answer, hits, cut, why), options.output)
    else:
        plain = why if options.format == "json" else list(map(_sum_text, why))
        write_table(hit_table(hits, cut, {"why": plain} if options.why else {}), options)
    moved = (
        [] if has_texts(lab) else ["no titles and texts: the collection was moved; name its folder with --collection"]
    )
    print_notes([*answer.notes, *moved], options)


def _search_families(
    lab: SearchContext, language: Language, text: str, k: int, how: dict[str, Any]
) -> tuple[Answer, list[Hit]]:
    """The best k families, from as many documents as that takes."""
    depth = 4 * k + 100
    while True:
        answer = language.search(text, k=depth, **how)
        if answer.is_empty:
            raise UsageError("QUERY", f"{text!r} has no word to search for" if text.strip() else "is empty")
        first = lab.one_a_family(answer.ranking, k)
        if len(first) == k or len(answer.ranking) < depth:
            return answer, read_hits(lab, first)
        depth *= 4


def _fields(written: str | None, index: Index) -> dict[str, float] | None:
    """The weights of fields, from title=2,abstract."""
    if written is None:
        return None
    fields = {}
    for part in split_list(written):
        name, sign, weight = part.partition("=")
        try:
            fields[checked_choice("--fields", name.strip(), index.fields)] = float(weight) if sign else 1.0
        except ValueError:
            raise UsageError("--fields", f"{part!r} is not a field with a weight, such as title=2") from None
    return fields


def _filter(index: Index, options: argparse.Namespace) -> NDArray[np.bool_] | None:
    """The documents that the options allow."""
    dates = [(when, getattr(options, when)) for when in ("before", "after")]
    masks = [published(index, when, date) for when, date in dates if date]
    for name, column, text in (("class", "classes", options.classes), ("office", "office", options.office)):
        if text:
            masks.append(index.having(column, filter_values(name, text)))
    return np.logical_and.reduce(masks) if masks else None


def _snippet_terms(lab: SearchContext, answer: Answer, passages: Passages) -> dict[str, float]:
    """The words that snippets show: those of the query, and all that begin like its truncated words."""
    terms = dict.fromkeys(unit.term.decode() for unit in answer.words if unit.term)
    prefixes = tuple(unit.prefix.decode() for unit in answer.words if unit.prefix)
    if prefixes:
        terms |= dict.fromkeys(sorted(term for term in passages.terms if term.startswith(prefixes)))
    return weighed(lab, list(terms))


def _why(language: Language, answer: Answer, hit: Hit) -> list[Share]:
    shares = sorted(language.why(answer, hit.row), key=lambda share: -share.score)
    return [{"term": share.term, "score": share.score} for share in shares]


def _sum_text(why: Sequence[Share]) -> str:
    return " + ".join(f"{share['term']} {share['score']:.3f}" for share in why)


def _result_page(
    page: TerminalPage,
    text: str,
    answer: Answer,
    hits: Sequence[Hit],
    cut: Sequence[Snippet],
    why: Sequence[Sequence[Share]],
) -> str:
    order = {"score": "", "newest": ", newest first", "oldest": ", oldest first"}[answer.order]
    count = count_of(answer.found, "document") + order
    lines = [page.heading(" ".join(text.split()), count), page.rule()]
    for place, (hit, snippet) in enumerate(zip(hits, cut, strict=True)):
        lines += ["", *hit_lines(page, hit, snippet, [_sum_text(why[place])] if why else [])]
    return "\n".join(lines if hits else [*lines, "", "  nothing found"]) + "\n"
