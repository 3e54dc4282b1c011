"""How alike the rankings of runs are, by rank-biased overlap (RBO), over topics.

A reader who goes on to the next document with the probability -p meets this share of the two rankings in common; lists
of uneven length are extrapolated. Judgements are not needed. Documents of equal score tie: with --ties a their order is
not known, so the mean over all orders counts; b also gives identical rankings with ties 1; w lets them share a rank.

Examples:
  leadline compare overlap runs/*.run
  leadline compare overlap runs/bm25.run runs/dph.run -p 0.98 --by-topic --format tsv
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.options import add_options, check_format, with_readable_runs
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.signature import public

if TYPE_CHECKING:
    from leadline.trust.rank_overlap import RankOverlap


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("overlap").add(parser, p={"flags": ["-p"]})
    parser.add_argument("--by-topic", action="store_true", help="print every topic")
    add_options(parser, "--strict", "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    found = with_readable_runs(options, options.runs, lambda paths: _found(options, paths))
    if options.format == "table" and options.output is None and not options.quiet:
        write(f"{found.finding()}\n\n")
    write_table(found.topic_table() if options.by_topic else found.table(), options)
    print_notes(found.notes, options)


def _found(options: argparse.Namespace, paths: list[str]) -> RankOverlap:
    from leadline.records.runs import read_run, run_names
    from leadline.trust.rank_overlap import overlap

    runs = [read_run(path, name=name, order=options.order) for path, name in zip(paths, run_names(paths), strict=True)]
    return overlap(runs, **public("overlap").given(options, "p", "depth", "ties"))
