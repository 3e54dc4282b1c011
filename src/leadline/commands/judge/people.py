"""Make, list and revoke the personal links of those who judge a pool.

A link is shown once, when it is made: only its hash is kept, in POOL.people. Adding a person again gives a new link,
and the old one ends. A running server follows at once.

Examples:
  leadline judge people pool.txt add anna
  leadline judge people pool.txt add eve --role expert --days 14 --url https://judging.example.org
  leadline judge people pool.txt list
  leadline judge people pool.txt revoke anna
"""

from __future__ import annotations

import argparse
from typing import get_args

from leadline.commands.shared.judging import DEFAULT_URL, PEOPLE, add_pool
from leadline.commands.shared.options import add_choice, add_number, add_options, check_format, choice
from leadline.commands.shared.output import write, write_table
from leadline.errors import UsageError
from leadline.judge.assessors.journal import Role
from leadline.judge.assessors.people import DAYS, People
from leadline.judge.pools.pool import Pool
from leadline.records.scores.table import Table

ACTIONS = ("add", "list", "revoke")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    parser.add_argument("action", metavar="ACTION", type=choice(ACTIONS), help=f"one of {', '.join(ACTIONS)}")
    parser.add_argument("names", metavar="NAME", nargs="*", help="who it is about")
    add_choice(parser, "--role", get_args(Role), "role of the people added", "assessor")
    add_number(parser, "--days", "days until the links expire", DAYS, most=3650)
    parser.add_argument("--url", default=DEFAULT_URL, help="where the pages are, for the links (default: %(default)s)")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    Pool.read(options.pool)
    people = People(f"{options.pool}{PEOPLE}")
    if options.action == "list":
        if options.names:
            raise UsageError("list", f"takes no names, got {options.names[0]!r}")
        write_table(_listed(people), options)
        return
    if not options.names:
        raise UsageError(options.action, "name one person or more")
    if options.action == "revoke":
        for name in options.names:
            people.revoke(name)
            write(f"{name}: revoked\n")
        return
    url = options.url.rstrip("/")
    rows = [
        [name, options.role, f"{url}/in/{people.add(name, options.role, days=options.days)}"] for name in options.names
    ]
    write_table(Table(["person", "role", "link"], rows), options)


def _listed(people: People) -> Table:
    rows = []
    for person in people:
        state = "revoked" if person.revoked else "expired" if person.has_expired else "valid"
        rows.append([person.name, person.role, state, person.expires])
    return Table(["person", "role", "link", "expires"], rows)
