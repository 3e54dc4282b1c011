"""Simulate a patent office whose truth is known: documents, topics, judgements from citations, and the true ones.

Any setting that docs/simulated-office.md lists can be changed with --set.

example: leadline simulate office -o office --patents 20000 --seed 1 --set synonymy=0.5
"""

from __future__ import annotations

import argparse
import time

from leadline.commands.output import emit, progress_bar, say
from leadline.errors import InputError, checked_choice
from leadline.records.scores.table import FORMATS, Table


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-o", "--output", metavar="DIR", required=True, help="the folder to write")
    add("--patents", type=int, default=20_000, metavar="N", help="documents of all offices, 20000 unless said")
    add("--seed", type=int, default=1, help="the same seed gives the same files, 1 unless said")
    add("--topics", type=int, default=100, metavar="N", help="how many of them are topics, 100 unless said")
    add("--years", default="1980-2009", metavar="FROM-TO", help="first priority and last publication, 1980-2009")
    add("--words", type=int, default=400, metavar="N", help="of a description, the median, 400 unless said")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="another setting, such as synonymy=0.5")
    add("-f", "--format", default="table", metavar="FORMAT", help=f"of what is printed: {', '.join(FORMATS)}")
    add("-q", "--quiet", action="store_true", help="no bar and no notes")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.simulate.settings import Settings
    from leadline.judge.simulated_office import write_office

    checked_choice("--format", options.format, FORMATS)
    if options.format == "parquet":
        raise InputError("--format parquet", "is not text: the tables of the truth are Parquet already")
    first, last = _years(options.years)
    settings = Settings(
        patents=options.patents,
        seed=options.seed,
        topics=options.topics,
        first_year=first,
        last_year=last,
        words=options.words,
    ).changed(_changes(options.set))
    start = time.monotonic()
    with progress_bar("simulating", quiet=options.quiet) as step:
        written = write_office(settings, options.output, step)
    seconds = time.monotonic() - start
    figures = written.manifest["statistics"]
    emit(Table(["figure", "value"], [[name, value] for name, value in figures.items()]).encoded(options.format))
    if not options.quiet:
        say([f"{figures['documents']:,} documents in {options.output}, seed {settings.seed}, in {seconds:.1f} s"])


def _years(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if not (dash and first.strip().isdigit() and last.strip().isdigit()):
        raise InputError("--years", f"{text!r} is not two years such as 1980-2009")
    return int(first), int(last)


def _changes(pairs: list[str]) -> dict[str, str]:
    changes = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign:
            raise InputError("--set", f"{pair!r} is not NAME=VALUE, such as synonymy=0.5")
        changes[name.strip().replace("-", "_")] = value.strip()
    return changes
