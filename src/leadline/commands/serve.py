"""Open a lab in the browser: search, leaderboard, comparisons, topics and judging.

LAB is a folder that `leadline lab init` made, or that of a demo. The pages are served on this machine only, to whoever
has the link that is printed; the link is new each time. With --team, others have links of their own, each with a role.

Examples:
  leadline serve brakes
  leadline serve brakes --team --host 0.0.0.0 --url https://lab.example.org
  leadline serve leadline-demo --port 9000 --no-open
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OUR_FOLDER
from leadline.commands.shared.judging import add_address, public_address
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import write
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    parser.add_argument("--team", action="store_true", help="let people in who have links of `leadline lab people`")
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")
    add_address(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    import webbrowser

    from leadline.judge.journal import People
    from leadline.show.demo import open_lab
    from leadline.show.lab.jobs import Jobs
    from leadline.show.serve.laboratory.lab_app import OWNER, OwnerAlone, lab_app
    from leadline.show.serve.security import Address, listen, serve

    Address.of(options.host, options.port, options.url)  # refuses a wrong --url before any work
    lab = open_lab(options.lab)
    opened = listen(options.host, options.port)
    address = public_address(options, opened)
    people = (People if options.team else OwnerAlone)(lab.people_file())
    link = address.link(people.add(OWNER, "organiser"))
    others = sum(each.name != OWNER for each in people)
    said = f"{lab.title}: {counted(len(lab.entries()), 'thing')}"
    if options.team and not others:
        said += f"; make links for others with `leadline lab people {options.lab} add NAME --role ROLE`"
    elif others and not options.team:
        said += f"; links of others are not valid without --team ({others:,} of them)"
    write(f"{said}\nOpen {link}\nStop with Ctrl-C\n")
    if not options.no_open:
        webbrowser.open(link)
    with lab.kept_open(), Jobs(lab).attended():
        serve(lab_app(lab, people, address), opened, address, quiet=options.quiet)
