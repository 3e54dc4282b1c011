"""Write the result of a review for other programs: judgements, pool, RIS or CSV.

The form follows the ending of FILE: .ris, .nbib and .csv are all documents with their labels, and with all that their
source said of them (journal, volume, pages, DOI, keywords ...); anything else is a file of
judgements, which `leadline evaluate` reads. `--as pool` adds the strata: what was read in the learner's order, and the
random sample of the rest, which xinfAP and infNDCG estimate from. `--as reading` is the table that `leadline review
stop` reads, `--as audit` that of the expert's decisions for `review stop --audit`. Unsure documents have no judgement.

Examples:
  leadline review export asthma -o asthma.qrels
  leadline review export asthma -o asthma.ris
  leadline review export asthma --as pool -o asthma-pool.txt
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OutputFile
from leadline.commands.shared.judging import add_review, open_review
from leadline.commands.shared.options import add_choice, add_options
from leadline.commands.shared.output import print_notes, write
from leadline.errors import UsageError
from leadline.judge.choices import STAGES
from leadline.records.result import counted
from leadline.text.owned_files import POOLS

FORMS = ("qrels", "pool", "ris", "nbib", "csv", "reading", "audit")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_review(parser)
    add_choice(parser, "--as", FORMS, "form of the output", None, "by the ending of FILE")
    add_choice(parser, "--stage", STAGES, "whose decisions count", None, "the last stage of the review")
    add_options(parser, "-o", type=OutputFile("qrels", POOLS, "exports"))
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.exchange import (
        audit_table,
        decisions,
        reading_table,
        review_nbib,
        review_pool,
        review_qrels,
        review_ris,
        review_table,
    )

    form = getattr(options, "as") or _form(options.output or "")
    state, _, _ = open_review(options)
    stage = options.stage or ""
    if form == "pool":
        if options.output in (None, "-"):
            raise UsageError("-o", "a pool has a record beside it: name a file")
        pool, grades = review_pool(state, stage)
        pool.write(options.output, grades)
    elif form == "qrels":
        write(review_qrels(state, stage).to_bytes(), options.output)
    elif form == "ris":
        write(review_ris(state, stage), options.output)
    elif form == "nbib":
        write(review_nbib(state, stage), options.output)
    else:
        tables = {"reading": reading_table, "audit": audit_table}
        table = tables[form](state) if form in tables else review_table(state, stage)
        write(table.encoded("csv"), options.output)
    print_notes(_notes(decisions(state, stage).tolist()), options)


def _form(output: str) -> str:
    ending = output.lower().rpartition(".")[2]
    return ending if ending in ("ris", "nbib", "csv") else "qrels"


def _notes(grades: list[int]) -> list[str]:
    from leadline.judge.marks import UNJUDGED, UNSURE

    said = f"{counted(grades.count(1), 'document')} relevant, {grades.count(0):,} not"
    unsure, unread = grades.count(UNSURE), grades.count(UNJUDGED)
    return [f"{said}, {unsure:,} unsure or not decided yet, {unread:,} not read (families count as one)"]
