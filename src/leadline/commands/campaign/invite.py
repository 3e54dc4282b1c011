"""Invite teams and judges to a campaign with personal links, or end a link.

Who is invited is of a team, a student, a senior, the expert, or another organiser.

A team sends runs and sees its own until the release. Students and seniors judge the topics that are assigned to them;
the expert decides where they disagree. A link is shown once, when it is made; the same command makes a new one.

Examples:
  leadline campaign invite chem2027 dutir iowa york
  leadline campaign invite chem2027 mei --team dutir
  leadline campaign invite chem2027 anna ben --role student --url https://track.example.org
  leadline campaign invite chem2027 anna --revoke
  leadline campaign invite chem2027
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.campaign import ORGANISER, add_campaign, open_campaign
from leadline.commands.shared.judging import DEFAULT_HOST, DEFAULT_PORT, DEFAULT_URL
from leadline.commands.shared.options import add_choice, add_number, add_options, check_format
from leadline.commands.shared.output import write, write_table
from leadline.judge.choices import LINK_DAYS
from leadline.records.result import Table
from leadline.show.choices import INVITED_ROLES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_campaign(parser)
    add(
        "names",
        metavar="NAME",
        type=WORD,
        nargs="*",
        help="who is invited; without names, those who are there are listed",
    )
    add_choice(parser, "--role", INVITED_ROLES, "what they do", "team")
    add("--team", metavar="TEAM", type=WORD, default="", help="team of these people (default: each is a team)")
    add_number(parser, "--days", "days until the links expire", LINK_DAYS, most=3650)
    add("--url", type=WORD, default=DEFAULT_URL, help="where the pages are, for the links (default: %(default)s)")
    add("--revoke", action="store_true", help="end their links instead")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.serve.security import Address

    check_format(options)
    live = open_campaign(options)
    if options.revoke:
        for name in options.names:
            live.revoke(name, ORGANISER)
            write(f"{name}: revoked\n")
        return
    if not options.names:
        rows = [
            [each.name, each.role, each.team, "revoked" if each.revoked else "invited"] for each in live.facts.people
        ]
        write_table(Table(["person", "role", "team", "link"], rows), options)
        return
    url = Address.of(DEFAULT_HOST, DEFAULT_PORT, options.url).url
    links = []
    for name in options.names:
        token = live.invite(name, options.role, team=options.team, days=options.days, person=ORGANISER)
        links.append([name, options.role, f"{url}/in/{token}"])
    write_table(Table(["person", "role", "link"], links), options)
