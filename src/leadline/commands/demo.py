"""Simulate a patent office, run sixteen systems on it, and open the report.

This takes about a minute. The files stay in a folder, and the next demo uses them again.

Examples:
  leadline demo
  leadline demo -o small --patents 500 --no-open
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.collections.simulate.settings import Settings
from leadline.commands.shared.options import add_number, add_options, wrong_usage
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.show.demo.build import Stage
from leadline.show.demo.demo import SAMPLES, demo

FEWEST = 500  # patents
PATENTS_PER_TOPIC = 20  # few patents of a small office have prior art


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "-o", metavar="DIR", default="leadline-demo", help="folder to write (default: %(default)s)")
    add_number(parser, "--patents", "number of documents", 6000, least=FEWEST)
    add_number(parser, "--topics", f"number of topics (default: 100, at most one per {PATENTS_PER_TOPIC} documents)")
    add_options(parser, "--seed")
    add_options(parser, "--samples", default=SAMPLES)
    parser.add_argument("--no-open", action="store_true", help="do not open the report in a browser")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    topics = options.topics or min(100, options.patents // PATENTS_PER_TOPIC)
    with wrong_usage():
        settings = Settings(patents=options.patents, topics=topics, seed=options.seed)
    start = time.monotonic()
    shown = demo(Path(options.output), settings, _stages(quiet=options.quiet), options.samples)
    lines = [textwrap.fill(line, 110, subsequent_indent="  ") for line in shown.story]
    report = shown.report.resolve()
    pages = f"By citations: {report}\nIn truth:     {shown.true_report.resolve()}"
    write("\n".join([*lines, "", pages, "", "To go on with these files:", *next_commands(options.output), ""]))
    print_notes([f"made in {time.monotonic() - start:.0f} s"], options)
    if not options.no_open and _has_screen():
        import webbrowser

        webbrowser.open(report.as_uri())


def next_commands(folder: str) -> list[str]:
    """The lines that tell how to go on with the files of the demo."""
    place = shlex.quote(folder.rstrip("/"))
    inputs, program = f"{place}/qrels.citations.txt {place}/runs", command_of_leadline()
    return [
        f'  {program} evaluate {inputs} -m "PRES@100 R@100 AP"',
        f"  {program} compare verdict {inputs} -m PRES@100",
        f"  {program} report {inputs} --topics {place}/topics.tsv --title 'Mine' -o mine.html",
        f"  {program} search {place}/index 'title:method oxide'",
        f"  {program} serve {place}",
    ]


def command_of_leadline() -> str:
    """How to call leadline from here: by its name if the shell finds the one that runs now, else by its path."""
    script = Path(sys.executable).parent / ("leadline.exe" if os.name == "nt" else "leadline")
    found = shutil.which("leadline")
    if found is not None and os.path.realpath(found) == os.path.realpath(script):
        return "leadline"
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m leadline.cli"
    inside = script.is_relative_to(Path.cwd())
    return shlex.quote(str(script.relative_to(Path.cwd()) if inside else script))


def _stages(*, quiet: bool) -> Stage:
    """Print the name and time of each stage, with a progress bar on a terminal."""

    @contextmanager
    def stage(name: str) -> Iterator[Callable[..., None] | None]:
        start = time.monotonic()
        with progress_bar(name, quiet=quiet) as step:
            yield step
        if not quiet:
            print(f"  {name}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)

    return stage


def _has_screen() -> bool:
    """Whether a user is at a screen, not a program that runs the command."""
    if os.environ.get("CI") or not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
