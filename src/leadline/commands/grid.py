"""Make many runs from a table of choices: models, fields, queries, filters, feedback.

docs/grid.md describes the table. DIR gets runs/NAME.run, and runs.tsv with the choices of each run. The same command
continues an interrupted grid: finished runs stay, unless the grid, the index or the topics have changed.

Examples:
  leadline grid patents.index topics.tsv grid.toml -o grid
  leadline evaluate qrels.txt grid/runs --runs-info grid/runs.tsv -m "PRES@100 AP" --best 1 --per model
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import INPUT_FILE, OutputFolder
from leadline.commands.shared.extras import add_cluster_option, check_pipelines, topics_spread
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.commands.shared.signature import public
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("make_run").add(parser, "index", "topics")
    parser.add_argument("grid", metavar="GRID", type=INPUT_FILE, help="table of choices, a TOML file")
    add_options(parser, "-o", type=OutputFolder(), metavar="DIR", required=True, help="folder to write the runs to")
    add_cluster_option(parser)
    public("make_run").add(parser, "k", k={"flags": ["-k"]})
    add_options(parser, "--collection")
    parser.add_argument("--plan", action="store_true", help="only print the runs and the choices of each")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.records.topics import Topics
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.grid import GridRuns, read_grid, table

    plan = read_grid(options.grid)
    if options.plan:
        write(table(plan))
        return
    check_pipelines(options.grid, [one.pipeline for one in plan], options.index)
    context = SearchContext.open(options.index, options.collection)
    runs = GridRuns(Path(options.output), context, Topics.read(options.topics), options.k)
    with topics_spread(options, context), progress_bar("searching", quiet=options.quiet) as progress:
        outcome = runs.make(plan, progress)
    kept = f", {len(outcome.kept):,} already there" if outcome.kept else ""
    made = f"{counted(len(outcome.made), 'run')} made in {options.output}{kept}"
    print_notes([made, *filter(None, [context.outdated]), *outcome.notes], options)
