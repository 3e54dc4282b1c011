"""Say where a campaign stands: tasks, teams, runs, refusals, judging.

Examples:
  leadline campaign status chem2027
  leadline campaign status chem2027 --by run --format csv
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.campaign import add_campaign
from leadline.commands.shared.options import add_choice, add_options, check_format
from leadline.commands.shared.output import write_table
from leadline.records.result import Table

TABLES = ("task", "team", "run", "refused", "person")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_campaign(parser)
    add_choice(parser, "--by", TABLES, "which table", "task")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.campaign import Campaign

    check_format(options)
    write_table(_table(Campaign.open(options.campaign), options.by), options)


def _table(campaign: object, by: str) -> Table:
    from leadline.show.campaign.campaign import Campaign
    from leadline.show.campaign.judging import load_table
    from leadline.show.campaign.status import refused_table, run_table, task_table, team_table

    assert isinstance(campaign, Campaign)
    if by == "person":
        parts = [(task.name, load_table(campaign, task)) for task in campaign.tasks if task.by_people]
        columns = parts[0][1].columns if parts else ["person"]
        return Table(["task", *columns], [[name, *row] for name, table in parts for row in table.rows])
    tables = {"task": task_table, "team": team_table, "run": run_table, "refused": refused_table}
    return tables[by](campaign)
