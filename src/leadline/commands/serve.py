"""Open a lab or a campaign in the browser: search, leaderboard, comparisons, judging.

LAB is a folder that `leadline lab init` or `leadline campaign new` made, or that of a demo. The pages are served on
this machine only, to whoever has the link that is printed; the link is new each time. With --team, others have links
of their own, each with a role.

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

    from leadline.commands.shared.forms import command_fields
    from leadline.judge.journal import People
    from leadline.show.demo import open_lab
    from leadline.show.lab.jobs import Jobs
    from leadline.show.serve.laboratory.lab_app import OWNER, OwnerAlone, lab_app
    from leadline.show.serve.security import Address, listen, serve
    from leadline.text.background import Background

    Address.of(options.host, options.port, options.url)  # refuses a wrong --url before any work
    if _is_campaign(options.lab):
        _serve_campaign(options)
        return
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
    app = lab_app(lab, people, address, command_fields)
    with lab.kept_open(), Jobs(lab).attended(), Background(app.state.prepare, "first page") as first:
        first.wake()
        serve(app, opened, address, quiet=options.quiet)


def _is_campaign(folder: str) -> bool:
    """Whether a folder is a campaign, by its identity file."""
    from pathlib import Path

    from leadline.text.owned_folder import identity_of

    found = identity_of(Path(folder)) if Path(folder).is_dir() else None
    return found is not None and found.kind == "campaign"


def _serve_campaign(options: argparse.Namespace) -> None:
    import webbrowser

    from leadline.judge.journal import People
    from leadline.show.campaign.live_campaign import LiveCampaign
    from leadline.show.serve.campaign_pages import campaign_app
    from leadline.show.serve.laboratory.lab_app import OWNER, OwnerAlone
    from leadline.show.serve.security import listen, serve

    live = LiveCampaign.open(options.lab)
    opened = listen(options.host, options.port)
    address = public_address(options, opened)
    people = (People if options.team else OwnerAlone)(live.people_path)
    link = address.link(people.add(OWNER, "organiser"))
    facts = live.facts
    said = f"{facts.title}: {counted(len(facts.tasks), 'task')}, {counted(len(facts.teams), 'team')}"
    if not options.team:
        said += "; links of others are not valid without --team"
    write(f"{said}\nOpen {link}\nStop with Ctrl-C\n")
    if not options.no_open:
        webbrowser.open(link)
    with live.kept_open():
        serve(campaign_app(live, people, address), opened, address, quiet=options.quiet)
