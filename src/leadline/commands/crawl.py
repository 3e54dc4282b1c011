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
import contextlib
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILE, WORD, OutputFolder, Value
from leadline.commands.shared.extras import check_extras
from leadline.commands.shared.options import add_number, add_options, split_list, wrong_usage
from leadline.commands.shared.output import print_notes
from leadline.errors import InputError, UsageError, visible

if TYPE_CHECKING:
    from leadline.collections.crawl.crawler import CrawlProgress

PAUSE = 0.2  # seconds between two progress lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("seeds", type=WORD, nargs="*", metavar="URL", help="addresses to begin with")
    add(
        "--seeds", type=INPUT_FILE, dest="seed_file", metavar="FILE", help="file of addresses to begin with, one a line"
    )
    add_options(parser, "-o", type=OutputFolder(), metavar="DIR", required=True, help="folder of the crawl")
    add_number(parser, "--depth", "links from a seed that are followed (default: 20)", least=0)
    add_number(parser, "--pages", "pages asked for in all (default: 10,000)")
    add_number(parser, "--per-host", "pages asked of one host (default: no limit)", least=0)
    add(
        "--hosts",
        metavar="PATTERNS",
        type=WORD,
        help="hosts to crawl: example.org,*.example.com (default: those of the seeds)",
    )
    add(
        "--include", metavar="PATTERN", type=WORD, action="append", help="only addresses that match, such as '*/docs/*'"
    )
    add("--exclude", metavar="PATTERN", type=WORD, action="append", help="no addresses that match")
    delay = "seconds between two requests to a host; robots.txt may ask for more (default: 1)"
    add("--delay", metavar="SECONDS", type=Value(_seconds), help=delay)
    add("--timeout", metavar="SECONDS", type=Value(_seconds), help="seconds for a whole page (default: 60)")
    add_number(parser, "--max-size", "largest page in MiB; a longer one is cut (default: 10)", most=1024)
    add_number(parser, "--connections", "hosts asked at the same time (default: 16)", most=1024)
    add("--user-agent", metavar="TEXT", type=WORD, help="how the crawler names itself")
    chain = "pages in a row that only lead on to the next one (default: 300; 0: no limit)"
    add_number(parser, "--chain", chain, least=0)
    add(
        "--private",
        metavar="HOST",
        type=WORD,
        action="append",
        help="a name that may lead to a private address, as an intranet",
    )
    add("--no-sitemaps", dest="sitemaps", action="store_false", default=None, help="do not read sitemaps")
    add("--again", action="store_true", help="ask again for every page, and keep what changed")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    check_extras("crawl", {"web"})
    from leadline.collections.crawl.crawl_folder import crawl

    seeds = [*options.seeds, *(_read_seeds(options.seed_file) if options.seed_file else [])]
    if options.again and not Path(options.output).exists():
        raise UsageError("--again", f"{options.output} does not exist yet: leave --again out to begin a crawl")
    line = ProgressLine() if not options.quiet and sys.stderr.isatty() else None
    try:
        with contextlib.nullcontext() if Path(options.output).exists() else wrong_usage():
            outcome = crawl(
                seeds,
                options.output,
                depth=options.depth,
                pages=options.pages,
                per_host=options.per_host,
                hosts=options.hosts and split_list(options.hosts),
                include=options.include,
                exclude=options.exclude,
                delay=options.delay,
                timeout=options.timeout,
                max_size=options.max_size,
                chain=options.chain,
                connections=options.connections,
                user_agent=options.user_agent,
                private=options.private,
                sitemaps=options.sitemaps,
                again=options.again,
                progress=None if line is None else line.show,
            )
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


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number of seconds, got {text!r}") from None
    if not 0 <= number <= 86_400:
        raise argparse.ArgumentTypeError(f"must be between 0 and 86,400 seconds, got {text}")
    return number


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
