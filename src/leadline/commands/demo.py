"""Everything on a simulated patent office: an index, sixteen systems, two kinds of judgements, the report.

Takes about a minute. What is made stays in a folder; the same demo again uses what is there. The report is opened where
there is a screen.

example: leadline demo
         leadline demo -o small --patents 500
"""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.collections.simulate.settings import Settings
from leadline.commands.output import emit, progress_bar
from leadline.errors import InputError
from leadline.show.demo.build import Stage
from leadline.show.demo.demo import SAMPLES, demo

FEWEST = 500
FEWEST_PER_TOPIC = 20  # patents of the office for each topic: a small office has few with prior art


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-o", "--output", metavar="DIR", default="leadline-demo", help="the folder, leadline-demo unless said")
    add("--patents", type=int, default=6000, metavar="N", help="documents of the office, 6000 unless said")
    add("--topics", type=int, metavar="N", help="patents whose prior art is sought, 100 unless said")
    add("--seed", type=int, default=1, help="another seed is another office, 1 unless said")
    add("--samples", type=int, default=SAMPLES, metavar="N", help=f"with fewer judgements, {SAMPLES} unless said")
    add("--no-open", action="store_true", help="do not open the report in a browser")
    add("-q", "--quiet", action="store_true", help="print nothing but the story")


def run(options: argparse.Namespace) -> None:
    if options.patents < FEWEST:
        raise InputError("--patents", f"{options.patents} are too few to search in; give {FEWEST} or more")
    if options.samples < 1:
        raise InputError("--samples", f"{options.samples} samples say nothing; give 1 or more")
    topics = options.topics or min(100, options.patents // FEWEST_PER_TOPIC)
    settings = Settings(patents=options.patents, topics=topics, seed=options.seed)
    start = time.monotonic()
    shown = demo(Path(options.output), settings, _stages(quiet=options.quiet), options.samples)
    lines = [textwrap.fill(line, 110, subsequent_indent="  ") for line in shown.story]
    report = shown.report.resolve()
    pages = f"By citations: {report}\nIn truth:     {shown.true_report.resolve()}"
    emit("\n".join([*lines, "", pages, ""]).encode("utf-8", "surrogateescape"))
    if not options.quiet:
        print(f"  made in {time.monotonic() - start:.0f} s", file=sys.stderr)
    if not options.no_open and _has_screen():
        import webbrowser

        webbrowser.open(report.as_uri())


def _stages(*, quiet: bool) -> Stage:
    """Each piece of work says its name and how long it took; on a terminal a bar shows how far it is."""

    @contextmanager
    def stage(name: str) -> Iterator[Callable[..., None] | None]:
        start = time.monotonic()
        with progress_bar(name, quiet=quiet) as step:
            yield step
        if not quiet:
            print(f"  {name}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)

    return stage


def _has_screen() -> bool:
    """Whether somebody sits there: never where a program runs the command."""
    if os.environ.get("CI") or not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
