"""Play a whole track on a simulated office, and say how far it was right.

Twelve teams send runs of our systems, some broken or late; four students with known error, a senior and an expert
judge; then the truth is put beside the ranking, the pool and the people. DIR is a campaign like any other afterwards.
What was stopped goes on where it was.

Examples:
  leadline campaign simulate rehearsal --patents 300 --topics 8
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import OutputFolder
from leadline.commands.shared.options import add_choice, add_number, add_options, check_format
from leadline.commands.shared.output import print_notes, progress_bar, write, write_table
from leadline.commands.shared.signature import public
from leadline.records.result import counted

COLUMNS = {  # what the columns of each table say, in words
    "ranking": (
        "tau_with_truth: how alike the order of the runs by the judgements is to the true one (Kendall's tau);",
        "1 is the same order, 0 no relation, -1 the reverse. first, first_in_truth: the best run by each.",
    ),
    "pool": (
        "truly_relevant: documents that are relevant in truth; share_in_pool: how many of these were judged.",
        "judged_relevant: documents that were called relevant; share_right: how many of these truly are.",
    ),
    "people": (
        "error_set: the share of marks that each was made to get wrong; error_found: the share that is wrong.",
        "merged: the marks of the assessors together; after the expert: what was released.",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("campaign", metavar="DIR", type=OutputFolder(), help="folder to make, or to go on with")
    add_number(parser, "--patents", "documents of the office", 600, least=200)
    add_number(parser, "--topics", "topics of the task of prior art; the survey has half as many", 20, least=4)
    public("compare").add(parser, "seed")
    words = "folder for the overview of the track, as `leadline campaign overview` writes it"
    parser.add_argument("--overview", metavar="FOLDER", type=OutputFolder("reports"), help=words)
    add_choice(parser, "--by", ("ranking", "pool", "people"), "which table to print with --format", "ranking")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.simulated_track import simulate_track

    check_format(options)
    done = simulate_track(
        Path(options.campaign),
        patents=options.patents,
        topics=options.topics,
        seed=options.seed,
        stage=lambda what: progress_bar(what, quiet=options.quiet, at_once=True),
    )
    if options.overview:
        from leadline.show.campaign.overview import overview
        from leadline.show.campaign.overview_files import write_overview

        with progress_bar("the overview", quiet=options.quiet, at_once=True):
            write_overview(overview(done.campaign), options.overview, pdf=False)
    tables = {"ranking": done.ranking, "pool": done.pool, "people": done.assessors}
    if options.format != "table" or options.output:
        write_table(tables[options.by], options)
        print_notes(COLUMNS[options.by], options)
        return
    facts = done.campaign
    refused, late = len(facts.refused), sum(run.late for run in facts.runs)
    said = f"{counted(len(facts.teams), 'team')}, {counted(len(facts.runs), 'run')}, {refused} refused, {late} late"
    write(f"{facts.title}, in {options.campaign}: {said}\n")
    headings = {
        "ranking": "The ranking of the runs, by the judgements and in truth",
        "pool": "What was judged, of what is truly relevant",
        "people": "How often people were wrong: as it was set, and as their marks show",
    }
    for name, table in tables.items():
        write(f"\n{headings[name]}\n\n{table.render('table')}\n\n")
        write("".join(f"  {line}\n" for line in COLUMNS[name]))
    if not options.quiet:
        write(f"\nOpen it with `leadline serve {options.campaign} --team`\n")
