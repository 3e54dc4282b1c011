"""Measure each line of a strategy: what it finds, and what is lost without it.

For each line: its documents and those judged relevant among them, recall and precision; and the result without it,
where the result uses it. Notes name the lines that could be dropped, and those that lose relevant documents.

Examples:
  leadline strategy measure patents.index coatings.txt coatings.qrels
  leadline strategy measure patents.index coatings.txt coatings.qrels --topic coatings --format tsv -o lines.tsv
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("run_strategy").add(parser, "index", "strategy")
    public("measure_strategy").add(parser, "qrels")
    public("run_strategy").add(parser, "syntax", "line")
    public("measure_strategy").add(parser, "topic", "rel", topic={"metavar": "NAME"})
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    from leadline.retrieval.public import measure_strategy

    how = public("run_strategy").given(options, "index", "syntax", "line", strategy=Path(options.strategy))
    found = measure_strategy(**how, **public("measure_strategy").given(options, "qrels", "topic", "rel"))
    write_table(found.table, options)
    print_notes([*found.notes, found._finding()], options)
