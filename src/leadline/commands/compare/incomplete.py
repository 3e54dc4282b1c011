"""Whether fewer judgements would rank the systems in the same order.

By default a random share of the relevant documents is kept. With --unique, --sources or --depths the judgements that
one run, one source or a deeper pool contributed are left out instead.

Examples:
  leadline compare incomplete qrels.txt runs/*.run -m "AP R@100 PRES@100" --keep 0.2,0.4,0.6,0.8 --samples 20
  leadline compare incomplete qrels.txt runs/*.run -m AP --unique --runs-info runs.csv --per team
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import INPUT_FILE, WORD
from leadline.commands.shared.comparison import (
    add_comparison_options,
    check_comparison,
    load_study,
    load_study_with,
)
from leadline.commands.shared.extras import chosen_cluster
from leadline.commands.shared.options import read_run_table
from leadline.commands.shared.output import print_notes, progress_bar, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError

LINES = ("tsv", "csv")  # their columns are those that other programs know
MEASURES = "AP@100 R@100 PRES@100 AP@1000 R@1000 PRES@1000"  # those of the paper


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    public("incomplete").add(parser, "keep", "samples")
    words = "keep at least one relevant document a topic, rounding half up; the shares are then larger than named"
    add("--at-least-one", action="store_true", help=words)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--unique", action="store_true", help="leave out what only one run found, for each run")
    kind.add_argument(
        "--sources", metavar="FILE", type=INPUT_FILE, help="leave out what only one source found: topic document source"
    )
    public("left_out").add(kind, "depths", depths={"metavar": "DEPTHS"})
    public("evaluate").add(parser, "runs_info")
    add(
        "--per",
        metavar="COLUMN",
        type=WORD,
        help="with --unique: leave out the runs of a team, or of another column, together",
    )
    add_comparison_options(parser, scores=False)


def run(options: argparse.Namespace) -> None:
    check_comparison(options)
    if options.runs_info and options.per is None:
        raise UsageError("--runs-info", "needs --per COLUMN")
    teams = {name: attributes[options.per] for name, attributes in read_run_table(options).items()} or None
    if not (options.unique or options.sources or options.depths):
        _leave_out_at_random(options)
        return
    from leadline.trust.incomplete import each_depth, each_run, each_source, left_out
    from leadline.trust.study import read_sources

    study = load_study(options, MEASURES)
    if options.unique:
        write_table(left_out(study, each_run(study, teams=teams)).table(), options)
    elif options.sources:
        write_table(left_out(study, each_source(study, read_sources(options.sources))).table(), options)
    else:
        write_table(left_out(study, each_depth(study, options.depths)).table(), options)
    print_notes(study.notes, options)


def _leave_out_at_random(options: argparse.Namespace) -> None:
    from leadline.records.result import counted
    from leadline.trust.incomplete import Incomplete

    with chosen_cluster(options) as spread:
        study = load_study_with(options, MEASURES, spread)
        with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
            own = {"rounding": "at-least-one" if options.at_least_one else "random", "spread": spread}
            result = Incomplete.of(study, **public("incomplete").given(options, progress=progress, **own))
    if options.format == "table" and options.output is None:
        write(f"{result.finding()}. ({counted(options.samples, 'sample')} per share, seed {options.seed})\n\n")
    shown = result.paper_table() if options.format == "table" else result.table(realised=options.format not in LINES)
    write_table(shown, options)
    print_notes(result.notes, options)
