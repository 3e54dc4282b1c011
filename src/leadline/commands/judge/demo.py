"""Try the judging pages with a pool of a simulated office.

It prints links for two assessors, an expert and the organiser. The files stay in a folder, and the next demo
goes on with them.

Examples:
  leadline judge demo
  leadline judge demo -o trial --port 8400
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import OutputFolder
from leadline.commands.shared.judging import DEFAULT_HOST, DEFAULT_PORT, serve_pool
from leadline.commands.shared.options import add_number, add_options
from leadline.commands.shared.output import write
from leadline.commands.shared.signature import public
from leadline.text.owned_files import PEOPLE

PEOPLE_OF_DEMO = (("anna", "assessor"), ("ben", "assessor"), ("eve", "expert"), ("olga", "organiser"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(
        parser,
        "-o",
        type=OutputFolder(),
        metavar="DIR",
        default="judging-demo",
        help="folder to write (default: %(default)s)",
    )
    add_number(parser, "--port", "port to listen on", DEFAULT_PORT, least=0, most=65535)
    public("compare").add(parser, "seed")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.journal import People
    from leadline.show.demo import build_judging_demo
    from leadline.show.serve.security import Address, listen

    opened = listen(DEFAULT_HOST, options.port)
    made = build_judging_demo(Path(options.output), options.seed)
    people = People(f"{made.pool}{PEOPLE}")
    address = Address.of(DEFAULT_HOST, opened.getsockname()[1])
    lines = [f"  {name:<6} {role:<10} {address.link(people.add(name, role))}" for name, role in PEOPLE_OF_DEMO]  # type: ignore[arg-type]
    write("\n".join(["Open a link each in a browser of its own (or a private window):", *lines, ""]))
    known = {"pool": str(made.pool), "documents": str(made.documents), "topics": str(made.topics), "host": DEFAULT_HOST}
    rest = {
        "port": options.port,
        "url": "",
        "instructions": None,
        "reasons": None,
        "people": None,
        "quiet": options.quiet,
    }
    serve_pool(argparse.Namespace(**known, **rest), opened)
