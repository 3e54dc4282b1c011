"""Write the judgements of a pool as a file that evaluate reads.

Examples:
  leadline judge export pool.txt -o qrels.txt
  leadline judge export pool.txt --stage merged --until 2026-11-15T18:00:00Z -o merged.txt
  leadline judge export pool.txt --passages -o passages.tsv
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import WORD, OutputFile
from leadline.commands.shared.judging import add_pool, open_state, stage_grades
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write
from leadline.records.result import counted
from leadline.text.owned_files import MANIFEST


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    stages = "final (expert, else merged), merged, or the name of a person (default: %(default)s)"
    parser.add_argument("--stage", type=WORD, default="final", metavar="STAGE", help=stages)
    words = "the passages marked for claims instead, a table for `leadline qrels claims --passages`"
    parser.add_argument("--passages", action="store_true", help=words)
    parser.add_argument("--until", type=WORD, default="", metavar="MOMENT", help="as it was at this moment, in UTC")
    add_options(parser, "-o", type=OutputFile("qrels", beside=(MANIFEST,)))
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.marks import UNSURE
    from leadline.judge.pools import Pool

    pool = Pool.read(options.pool)
    state = open_state(options)
    if options.passages:
        write(state.passage_table().encoded("tsv"), options.output)
        print_notes([counted(len(state.passages), "passage")], options)
        return
    grades, notes = stage_grades(state, options.stage)
    write(pool.lines(grades), options.output)
    left = len(pool.to_judge()) - sum(key in grades for key in pool.to_judge().select("topic", "document").rows())
    unsure = sum(grade == UNSURE for grade in grades.values())
    done = counted(len(grades) - unsure, "document")
    saved = [] if pool.draws is None else pool.draws.machine_said(grades)
    if pool.draws is not None and options.output != "-":
        _write_manifest(options, saved)
    said = [f"{done} judged, {unsure:,} unsure and {left:,} left (both -2 in the file)", *notes, *saved]
    print_notes(said, options)


def _write_manifest(options: argparse.Namespace, saved: list[str]) -> None:
    """Write beside judgements of a pool what they were made from, and what a machine saved, for reports."""
    from leadline.records.manifest import write_manifest
    from leadline.version import __version__

    facts = {"what": "judgements", "leadline": __version__, "pool": Path(options.pool).name, "stage": options.stage}
    write_manifest(options.output, {**facts, "saved": "".join(f"{each}." for each in saved)})
