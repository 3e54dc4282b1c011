"""Make, list and revoke personal links: what `judge people`, `review people` and `lab people` do."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from leadline.commands.shared.judging import DEFAULT_HOST, DEFAULT_PORT, DEFAULT_URL
from leadline.commands.shared.options import add_choice, add_number, add_options, choice
from leadline.commands.shared.output import write, write_table
from leadline.errors import UsageError
from leadline.judge.assessors.journal import JUDGING_ROLES
from leadline.judge.assessors.people import DAYS, People
from leadline.records.scores.table import Table
from leadline.show.serve.security import Address

ACTIONS = ("add", "list", "revoke")


def add_people_arguments(
    parser: argparse.ArgumentParser, roles: Sequence[str] = JUDGING_ROLES, default: str = "assessor"
) -> None:
    parser.add_argument("action", metavar="ACTION", type=choice(ACTIONS), help=f"one of {', '.join(ACTIONS)}")
    parser.add_argument("names", metavar="NAME", nargs="*", help="who it is about")
    add_choice(parser, "--role", roles, "role of the people added", default)
    add_number(parser, "--days", "days until the links expire", DAYS, most=3650)
    parser.add_argument("--url", default=DEFAULT_URL, help="where the pages are, for the links (default: %(default)s)")
    add_options(parser, "-f", "-o", "-q")


def change_people(path: Path, options: argparse.Namespace) -> None:
    """Do what was typed with a file of people."""
    people = People(path)
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
    url = Address.of(DEFAULT_HOST, DEFAULT_PORT, options.url).url
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
