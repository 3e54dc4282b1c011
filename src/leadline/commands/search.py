"""Search an index in words: AND, OR, NOT, NEAR/5, "phrases", title:word, class:C07D, before:1998, polymer*, +must -not.

Any text is a query, ranked by a model or the newest first; docs/query-language.md tells all. Of a family the best
document is shown.

example: leadline search patents.index 'title:film AND (polymer* OR "water in oil") -metal' --class C08J --before 2000
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.commands.hits import check_hits, define_hits, room, shown, table
from leadline.commands.output import emit, emit_table, say
from leadline.commands.page import Page
from leadline.errors import InputError, checked_choice
from leadline.search.answers.passages import Passages
from leadline.search.answers.search_hits import Hit, has_texts, read_hits, snippets, weighed
from leadline.search.answers.snippets import Snippet
from leadline.search.index.index import Index
from leadline.search.language.language import Answer, Language
from leadline.search.language.meaning import published
from leadline.search.language.reading import filter_value
from leadline.search.models.registry import MODELS
from leadline.search.models.searcher import parse_model
from leadline.search.pipeline.context import SearchContext

if TYPE_CHECKING:
    from numpy.typing import NDArray


Share = dict[str, Any]  # what a word adds to a score


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("index", metavar="INDEX", help="an index, as `leadline index` makes it")
    add("query", metavar="QUERY", nargs="+", help="what is sought; one that begins with - goes behind --")
    add("--model", default="bm25", help=f"{', '.join(MODELS)}; parameters as in 'bm25(k1=0.9, b=0.4)'")
    add("--fields", metavar="NAMES", help="where words without a field are sought, with weights: title=2,abstract")
    add("--before", metavar="DATE", help="only what was published before this day")
    add("--after", metavar="DATE", help="only what was published after this day")
    add("--class", dest="classes", metavar="CODES", help="only these classes: C07D,A61K31")
    add("--office", metavar="CODES", help="only these offices: EP,US")
    add("--newest", action="store_true", help="the newest first, not the best")
    add("--why", action="store_true", help="what each word adds to the score")
    define_hits(parser, k=20)


def run(options: argparse.Namespace) -> None:
    check_hits(options)
    text = " ".join(options.query)
    name, parameters = parse_model(options.model)
    MODELS.named(name).settled(parameters)
    lab = SearchContext.open(options.index, options.collection)
    language = Language(lab.index)
    how: dict[str, Any] = {
        "model": name, "fields": _fields(options.fields, lab.index), "mask": _mask(language.index, options),
        "order": "newest" if options.newest else None, **parameters,
    }  # fmt: skip
    answer, hits = _found(lab, language, text, options.k, how)
    page = Page.here(options.output)
    passages = Passages([hit.document for hit in hits if hit.document], lab.index.analysis)
    cut = snippets(lab, hits, passages, _sought(lab, answer, passages), room(page))
    why = [_why(language, answer, hit) for hit in hits] if options.why else []
    if options.format == "table":
        emit(_page(page, text, answer, hits, cut, why), options.output)
    else:
        plain = why if options.format == "json" else list(map(_sum, why))
        emit_table(table(hits, cut, {"why": plain} if options.why else {}), options)
    if not options.quiet:
        say(answer.notes)
        if not has_texts(lab):
            say(["no titles and texts are shown: the collection is not where it was (--collection says where it is)"])


def _found(lab: SearchContext, language: Language, text: str, k: int, how: dict[str, Any]) -> tuple[Answer, list[Hit]]:
    """The first k families: as many documents are asked for as that takes."""
    deep = 4 * k + 100
    while True:
        answer = language.search(text, k=deep, **how)
        if answer.is_empty:
            raise InputError("query", f"{text!r} has no word to search for" if text.strip() else "is empty")
        first = lab.one_a_family(answer.ranking, k)
        if len(first) == k or len(answer.ranking) < deep:
            return answer, read_hits(lab, first)
        deep *= 4


def _fields(written: str | None, index: Index) -> dict[str, float] | None:
    """Fields with weights as they were written: title=2,abstract."""
    if written is None:
        return None
    fields = {}
    for part in filter(None, (part.strip() for part in written.split(","))):
        name, sign, weight = part.partition("=")
        try:
            fields[checked_choice("--fields", name.strip(), index.fields)] = float(weight) if sign else 1.0
        except ValueError:
            raise InputError("--fields", f"{part!r} is not a field with a weight, such as title=2") from None
    return fields


def _mask(index: Index, options: argparse.Namespace) -> NDArray[np.bool_] | None:
    """What the options allow; a value that is none is refused, for here nobody means it as a word."""
    dates = [(when, getattr(options, when)) for when in ("before", "after")]
    masks = [published(index, when, date) for when, date in dates if date]
    for option, name, column in (("classes", "class", "classes"), ("office", "office", "office")):
        if getattr(options, option):
            given = [word for word in getattr(options, option).split(",") if word.strip()]
            values = [filter_value(name, word) for word in given]
            if not all(values):
                wrong = given[values.index("")]
                like = "C07, C07D or C07D401/04" if name == "class" else "EP"
                raise InputError(f"--{name}", f"{wrong!r} is none; write one like {like}")
            masks.append(index.having(column, values))
    return np.logical_and.reduce(masks) if masks else None


def _sought(lab: SearchContext, answer: Answer, passages: Passages) -> dict[str, float]:
    """The words that the snippets are to show: those of the query, and for one cut off every word that begins so."""
    terms = dict.fromkeys(unit.term.decode() for unit in answer.words if unit.term)
    stumps = tuple(unit.prefix.decode() for unit in answer.words if unit.prefix)
    if stumps:
        terms |= dict.fromkeys(sorted(term for term in passages.terms if term.startswith(stumps)))
    return weighed(lab, list(terms))


def _why(language: Language, answer: Answer, hit: Hit) -> list[Share]:
    shares = sorted(language.why(answer, hit.row), key=lambda share: -share.score)
    return [{"term": share.term, "score": share.score} for share in shares]


def _sum(why: Sequence[Share]) -> str:
    return " + ".join(f"{share['term']} {share['score']:.3f}" for share in why)


def _page(
    page: Page, text: str, answer: Answer, hits: Sequence[Hit], cut: Sequence[Snippet], why: Sequence[Sequence[Share]]
) -> bytes:
    first = {"score": "", "newest": ", the newest first", "oldest": ", the oldest first"}[answer.order]
    count = f"{answer.found:,} document{'s' * (answer.found != 1)}{first}"
    lines = [page.across(" ".join(text.split()), count), page.rule()]
    for place, (hit, snippet) in enumerate(zip(hits, cut, strict=True)):
        lines += ["", *shown(page, hit, snippet, [_sum(why[place])] if why else [])]
    return ("\n".join(lines if hits else [*lines, "", "  nothing found"]) + "\n").encode("utf-8", "replace")
