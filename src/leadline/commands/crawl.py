"""Crawl pages of the web into a folder that is a collection.

Begins with the addresses given, follows their links breadth first, and keeps to robots.txt, one request at a time for
each host. Only public addresses are connected to, and private ones that you name yourself as a seed. The same command
again goes on where it was stopped or killed; --again asks for what changed since. `leadline index DIR` and every other
command that takes a collection take the folder. docs/web.md says what is kept, followed and refused.

Examples:
  leadline crawl http://localhost:8000/ -o site --depth 3 --pages 500 --delay 0
  leadline crawl http://localhost:8000/ -o site --include '*/docs/*' --exclude '*.pdf' --delay 0
  leadline crawl -o site --again
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILE, WORD, OutputFolder
from leadline.commands.shared.extras import check_extras
from leadline.commands.shared.options import add_options, wrong_usage
from leadline.commands.shared.output import print_notes
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError, visible

if TYPE_CHECKING:
    from leadline.collections.crawl.crawler import CrawlProgress

PAUSE = 0.2  # seconds between two progress lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    several = {"type": WORD, "action": "append"}
    public("crawl").add(
        parser,
        seeds={"metavar": "URL", "nargs": "*"},
        hosts={"metavar": "PATTERNS"},
        include={"metavar": "PATTERN", **several},
        exclude={"metavar": "PATTERN", **several},
        private={"metavar": "HOST", **several},
        user_agent={"metavar": "TEXT"},
        sitemaps={"action": argparse.BooleanOptionalAction},
    )
    file = "file of addresses to begin with, one a line"
    parser.add_argument("--seeds", type=INPUT_FILE, dest="seed_file", metavar="FILE", help=file)
    add_options(parser, "-o", type=OutputFolder(), metavar="DIR", required=True, help="folder of the crawl")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    check_extras("crawl", {"web"})
    from leadline.collections.crawl.crawl_folder import crawl

    seeds = [*options.seeds, *(_read_seeds(options.seed_file) if options.seed_file else [])]
    if options.again and not Path(options.output).exists():
        raise UsageError("--again", f"{options.output} does not exist yet: leave --again out to begin a crawl")
    begins = not Path(options.output).exists()
    line = ProgressLine() if not options.quiet and sys.stderr.isatty() else None
    try:
        own = {"seeds": seeds, "folder": options.output, "progress": None if line is None else line.show}
        outcome = crawl(**public("crawl").given(options, **own))
    except InputError as error:
        refused = isinstance(error.__context__, OSError)  # by the system, which leaves no folder behind
        if refused or not begins or Path(options.output).exists():
            raise
        with wrong_usage():  # options are checked before the folder is made
            raise
    finally:
        if line is not None:
            line.clear()
    print(outcome)
    print_notes(outcome.notes, options)
    if outcome.stopped:
        sys.exit(130)


class ProgressLine:
    """One line on the terminal, drawn again as the crawl goes on."""

    def __init__(self) -> None:
        self._drawn = 0.0

    def show(self, progress: CrawlProgress) -> None:
        now = time.monotonic()
        if now - self._drawn > PAUSE:
            self._drawn = now
            text = visible(progress.line())[: shutil.get_terminal_size().columns - 1]
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _read_seeds(path: str) -> list[str]:
    """The addresses in a file, one a line; blank lines and lines that begin with # are passed over."""
    from leadline.collections.crawl.addresses import AddressError, page_address
    from leadline.text.source import read_text

    found = []
    for number, line in enumerate(read_text(path).bytes().decode("utf-8", "replace").splitlines(), start=1):
        written = line.strip()
        if written and not written.startswith("#"):
            try:
                page_address(written)
            except AddressError as error:
                raise InputError(path, f"{written[:100]!r} {error}", line=number) from None
            found.append(written)
    if not found:
        raise InputError(path, "has no addresses")
    return found
