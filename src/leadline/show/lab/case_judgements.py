"""What a case gives the laboratory: its marks as judgements, its queries as a strategy, searches side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadline.errors import InputError, MismatchError, nearest
from leadline.measures.evaluate import evaluate
from leadline.records.qrels import Qrels
from leadline.records.result import Table, counted
from leadline.records.runs import Run, read_run
from leadline.retrieval.choices import DEFAULT_SYSTEM
from leadline.retrieval.language.tree import query_text
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.public import ranking_system
from leadline.retrieval.word_search import search_words
from leadline.show.lab.case import Case
from leadline.show.lab.case_search import read_queries, run_queries
from leadline.show.lab.opened import OpenedLab, clean

EFFORTS = (10, 20, 50, 100)
MEASURE = "PRES@100"
DEPTH = 100  # documents of our ranking
FEW = 10  # relevant documents, below which figures of one case say next to nothing
_IN_FIRST = tuple(f"relevant in {effort}" for effort in EFFORTS)
COLUMNS = ("topic", "document", "grade", "judgement", "person", "at", "tags", "notes")


def topic_name(case: Case, named: str = "") -> str:
    """The name of a case as a topic of judgements and runs: one word."""
    return "_".join((named or case.patent or case.name).split())


def judgement_table(case: Case, topic: str = "") -> Table:
    """A row for each document that has a grade: who gave it, and when; and what else was said of it."""
    rows = [
        [
            topic_name(case, topic),
            each.id,
            each.grade,
            case.value_of(each),
            each.graded.by if each.graded else "",
            each.graded.at if each.graded else "",
            ", ".join(sorted(each.tags)),
            clean(" · ".join(text for text, _ in each.notes)),
        ]
        for each in sorted(case.documents.values(), key=lambda each: (-case.value_of(each), each.id))
        if each.grade and case.grade(each.grade) is not None
    ]
    return Table(list(COLUMNS), rows)


def judgements_text(case: Case, topic: str = "") -> bytes:
    """The marks of a case as judgements that `leadline evaluate` reads."""
    rows = judgement_table(case, topic).rows
    if not rows:
        raise InputError(case.name, "has no graded document: there are no judgements yet")
    return "".join(f"{row[0]} 0 {row[1]} {row[3]}\n" for row in rows).encode("utf-8", "replace")


def strategy_text(case: Case) -> bytes:
    """The queries of a case as numbered lines in our own language, as `leadline strategy` reads them."""
    lines = [f"{line.number}. {query_text(read.tree)}\n" for line, read in read_queries(case) if read.tree is not None]
    if not lines:
        raise InputError(case.name, "has no query: there is no strategy yet")
    return "".join(lines).encode("utf-8", "replace")


# Systems beside each other, by the marks of one case.


@dataclass(frozen=True)
class Compared:
    """Searches beside each other, and how little one case says."""

    table: Table
    says: list[str]
    notes: list[str]
    run: str  # of the present system; empty: none


def compared(opened: OpenedLab, case: Case, run: str = "", topic: str = "") -> Compared:
    """The queries of a case, the present system and ours, by the documents that people graded.

    Families are counted, not their members: a document found is one that somebody else knows under another number.
    """
    context = opened.context(case.index)
    graded = {each.id: case.value_of(each) for each in case.documents.values() if case.value_of(each) >= 0}
    rows = context.rows(list(graded))
    values: dict[int, int] = {}
    for row, value in zip(rows.tolist(), graded.values(), strict=True):
        if row >= 0:
            family = int(context.family_or_self[row])
            values[family] = max(value, values.get(family, 0))
    relevant = sum(value > 0 for value in values.values())
    if not relevant:
        raise MismatchError("nobody graded a document of the index as relevant yet: grade some, then come back")
    searches, notes = _searches(opened, context, case, run, topic)
    table = Table(
        ["search", "documents", *_IN_FIRST, "relevant in all", "not judged in 10", MEASURE],
        [[name, *_figures(ranked, values)] for name, ranked in searches],
    )
    judged = f"{counted(len(values), 'document')} judged, {relevant:,} of them relevant"
    says = [
        f"{judged}, by {' and '.join(sorted({each.graded.by for each in case.documents.values() if each.graded}))}.",
        "One case is one topic: it can show what a system missed here, not which system is better.",
    ]
    if relevant < FEW:
        says.append(f"{relevant:,} relevant is very few: one document more or less changes every figure.")
    says.append(
        "A document that nobody judged counts as not relevant, and people judge what their own search showed them: "
        "so the figures favour the search that the marks came from. Look at what is not judged in the first 10."
    )
    if outside := len(graded) - int((rows >= 0).sum()):
        notes.append(f"{counted(outside, 'graded document')} not in the index: not counted")
    return Compared(table, says, notes, run)


def _searches(
    opened: OpenedLab, context: SearchContext, case: Case, run: str, topic: str
) -> tuple[list[tuple[str, list[int]]], list[str]]:
    """The families that each search lists, the first first."""
    notes: list[str] = []
    searches: list[tuple[str, list[int]]] = []
    found = run_queries(opened, case, order="bm25")
    if found is not None:
        of_last = context.rows(found.ids)
        searches.append((f"your search, line #{found.result_line}", _families(context, of_last)))
        notes.append(f"your search is line #{found.result_line}, its documents in the order of BM25 for its words")
        any_line = np.zeros(len(context.index), np.bool_)
        for line in found.lines:
            any_line |= line.matching if line.matching is not None else False
        rest = np.setdiff1d(np.flatnonzero(any_line), of_last)
        searches.append(("all your lines together", _families(context, [*of_last.tolist(), *rest.tolist()])))
    if run:
        ranking = read_run(opened.lab.get("run", run).path)
        known = ranking.to_dict()
        wanted = topic or next((each for each in (topic_name(case), case.patent, case.name) if each in known), "")
        if wanted not in known:
            raise InputError(run, f"has no topic {wanted or topic_name(case)}{nearest(topic_name(case), list(known))}")
        listed = sorted(known[wanted].items(), key=lambda each: -each[1])
        rows = context.rows([name for name, _ in listed])
        searches.append((f"your present system, {run}", _families(context, rows)))
        if strangers := int((rows < 0).sum()):
            notes.append(f"{run}: {counted(strangers, 'document')} not in the index: left out")
    entries = [opened.lab.get("index", case.index)]
    ours = opened.computed("our search for a case", entries, lambda: _ours(context, case), case.patent, case.question)
    searches.append((f"ours, {DEFAULT_SYSTEM}", _families(context, ours)))
    return searches, notes


def _ours(context: SearchContext, case: Case) -> list[int]:
    """The rows that our system finds for the patent or the question."""
    if case.patent:
        request = context.request(case.patent)
        done = system(DEFAULT_SYSTEM)(context, request)
        if done.ranking is None:
            return []
        hidden = context.dates.own_family(request) | context.dates.too_late(request)
        kept = done.filtered(~hidden).ranking
        return [] if kept is None else context.one_a_family(kept, DEPTH).rows.tolist()
    words = " ".join(_plain_words(case.question))
    hits = search_words(context, words, DEPTH, system=ranking_system(None, by_words=False)).hits
    return [hit.row for hit in hits]


def _plain_words(text: str) -> list[str]:
    """The words of a question, without anything that the language of queries would read as an operator."""
    found = "".join(letter if letter.isalnum() else " " for letter in text).split()
    return [word.lower() for word in found]


def _families(context: SearchContext, rows: Sequence[int] | np.ndarray) -> list[int]:
    """The families of rows of the index, each once; what is not in the index is left out."""
    return list(dict.fromkeys(int(context.family_or_self[row]) for row in rows if row >= 0))


def _figures(ranked: Sequence[int], values: dict[int, int]) -> list[object]:
    def found(documents: Sequence[int]) -> int:
        return sum(values.get(each, 0) > 0 for each in documents)

    qrels = Qrels.of({"case": {str(family): value for family, value in values.items()}})
    score = 0.0
    if ranked:
        run = Run.of({"case": {str(family): float(len(ranked) - at) for at, family in enumerate(ranked)}}, "search")
        score = float(evaluate(qrels, run, MEASURE).mean_values()[0, 0])
    unjudged = sum(each not in values for each in ranked[:10])
    return [len(ranked), *(found(ranked[:effort]) for effort in EFFORTS), found(ranked), unjudged, score]
