"""Make many runs from a table of choices: models, fields, queries, expansions, filters, feedback.

GRID names what there is to choose from; docs/grid.md and examples/grid.toml show how. DIR gets runs/NAME.run, and
runs.tsv with what each run chose. A grid that is stopped, or killed, goes on when it is asked for again: runs that are
finished stay, unless the grid, the index or the topics have changed.

example: leadline grid INDEX topics.tsv grid.toml -o DIR, then
  leadline evaluate qrels.txt DIR/runs --runs-info DIR/runs.tsv -m "PRES@100 AP" --best 1 --per model
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.output import emit, progress_bar, say
from leadline.errors import InputError
from leadline.records.topics.topic import Topics
from leadline.search.pipeline.context import SearchContext
from leadline.search.pipeline.grid_plan import read_grid
from leadline.search.pipeline.grid_runs import GridRuns, table


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("index", metavar="INDEX", help="the index, as `leadline index` makes it")
    add("topics", metavar="TOPICS", help="ids one a line, a table, or TREC's markup")
    add("grid", metavar="GRID", help="the table of choices, TOML")
    add("-o", "--output", metavar="DIR", required=True, help="the folder of the runs")
    add("-k", type=int, default=1000, help="documents for each topic, 1000 unless said")
    add("--collection", metavar="DIR", help="the collection, where it is no longer where the index was made from it")
    add("--plan", action="store_true", help="only print the runs and what each chooses")
    add("-q", "--quiet", action="store_true", help="print no notes and no progress")


def run(options: argparse.Namespace) -> None:
    if options.k < 1:
        raise InputError("-k", f"{options.k} is no number of documents to find")
    plan = read_grid(options.grid)
    if options.plan:
        emit(table(plan))
        return
    lab = SearchContext.open(options.index, options.collection)
    runs = GridRuns(Path(options.output), lab, Topics.read(options.topics), options.k)
    with progress_bar("searching", quiet=options.quiet) as progress:
        outcome = runs.make(plan, progress)
    if not options.quiet:
        before = f", {len(outcome.kept):,} were there already" if outcome.kept else ""
        made = f"{len(outcome.made):,} run{'s' * (len(outcome.made) != 1)} made in {options.output}{before}"
        say([made, *outcome.notes])
