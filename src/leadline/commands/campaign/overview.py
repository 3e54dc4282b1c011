"""Write the overview of a campaign: the tables and figures of an overview paper.

OVERVIEW gets overview.html, overview.md, overview.tex, overview.pdf, every table as CSV and every figure as SVG. A
campaign and its archive give the same. The results of a task are in it once its judgements are released. With --team,
the analysis of one team's runs is printed instead: against the median and the best of all runs by topic.

Examples:
  leadline campaign overview chem2027 -o overview
  leadline campaign overview chem2027 -o overview --no-pdf
  leadline campaign overview chem2027 --team dutir --task ts --format csv
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD, OutputFolder
from leadline.commands.shared.campaign import add_campaign
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.errors import InputError, UsageError, nearest
from leadline.records.result import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_campaign(parser)
    add("--team", type=WORD, default="", metavar="TEAM", help="print the analysis of this team's runs")
    add("--task", type=WORD, default="", metavar="TASK", help="of --team: the task (default: the only one)")
    add("--no-pdf", action="store_true", help="leave the PDFs out, which take most of the time")
    add_options(parser, "-f")
    add_options(parser, "-o", type=OutputFolder("reports"), help="folder for the overview")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.campaign import Campaign

    check_format(options)
    campaign = Campaign.open(options.campaign)
    if options.team:
        _of_team(campaign, options)
        return
    if options.task:
        raise UsageError("--task", "is of --team: the overview has all tasks")
    if options.output is None:
        raise UsageError("-o", "name a folder for the overview")
    from leadline.show.campaign.overview import overview
    from leadline.show.campaign.overview_files import write_overview

    made = overview(campaign)
    files = write_overview(made, options.output, pdf=not options.no_pdf)
    if not options.quiet:
        write(f"{made._finding()}, in {len(files)} files of {options.output}\n")


def _of_team(campaign: object, options: argparse.Namespace) -> None:
    from leadline.show.campaign.campaign import Campaign
    from leadline.show.campaign.team_analysis import team_analysis

    assert isinstance(campaign, Campaign)
    task = campaign.task(options.task)
    if options.team not in campaign.teams:
        names = list(campaign.teams)
        raise InputError("--team", f"no team {options.team!r}{nearest(options.team, names)}")
    found = team_analysis(campaign, task, options.team)
    if not found["released"]:
        write_table(found["own"], options)
        print_notes(["the judgements are not released: what the runs hold is all there is to say"], options)
        return
    columns = ["run", "topic", "score", "median", "best", "over_median"]
    rows = [[run["name"], *row] for run in found["runs"] for row in run["table"].rows]
    write_table(Table(columns, rows, alike=[columns[2:5]]), options)
    print_notes(
        [f"{run['name']}, place {run['place']} of {run['of']}: {run['said']}" for run in found["runs"]], options
    )
