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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import OutputFolder
from leadline.commands.shared.options import add_number, add_options, wrong_usage
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.commands.shared.signature import public

if TYPE_CHECKING:
    from leadline.show.demo import Stage
    from leadline.trust.pairs import Standing

FEWEST = 500  # patents
PATENTS_PER_TOPIC = 20  # few patents of a small office have prior art


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(
        parser,
        "-o",
        type=OutputFolder(),
        metavar="DIR",
        default="leadline-demo",
        help="folder to write (default: %(default)s)",
    )
    add_number(parser, "--patents", "number of documents", 6000, least=FEWEST)
    add_number(parser, "--topics", f"number of topics (default: 100, at most one per {PATENTS_PER_TOPIC} documents)")
    public("compare").add(parser, "seed")
    public("verdict").add(parser, "samples")
    parser.add_argument("--no-open", action="store_true", help="do not open the report in a browser")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.simulate.settings import Settings
    from leadline.show.demo import demo

    topics = options.topics or min(100, options.patents // PATENTS_PER_TOPIC)
    with wrong_usage():
        settings = Settings(patents=options.patents, topics=topics, seed=options.seed)
    start = time.monotonic()
    stages = _stages(quiet=options.quiet)
    shown = demo(Path(options.output), settings, stages, options.samples)
    fill_lab(Path(options.output), shown.standings, options.samples, stages)
    lines = [textwrap.fill(line, 110, subsequent_indent="  ") for line in shown.story]
    report = shown.report.resolve()
    pages = f"By citations: {report}\nIn truth:     {shown.true_report.resolve()}"
    write("\n".join([*lines, "", pages, "", "To go on with these files:", *next_commands(options.output), ""]))
    print_notes([f"made in {time.monotonic() - start:.0f} s"], options)
    if not options.no_open and _has_screen():
        import webbrowser

        webbrowser.open(report.as_uri())


def fill_lab(folder: Path, standings: Mapping[str, Standing], samples: int, stage: Stage) -> None:
    """Put the demo into its lab, with what was computed: the lab's first pages are there at once."""
    from leadline.show.demo import CITED, TRUE, open_lab
    from leadline.show.lab.boards import Boards
    from leadline.show.lab.stored_results import StoredResults, keep_standing, prepare

    lab = open_lab(folder)
    with stage("its lab") as step, lab.kept_open():
        lab.set_samples(samples)
        boards, results = Boards(lab), StoredResults(lab)
        for number, name in enumerate((CITED, TRUE[0]), start=1):
            board = boards.board(name)
            if name in standings:
                keep_standing(board, standings[name], results)
            prepare(board, results)
            if step is not None:
                step(number, 2)


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
