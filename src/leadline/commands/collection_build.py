"""Make a collection from patents and articles, in whatever form offices publish them.

example: leadline collection build ipg240102.zip more/*.xml -o patents
"""

from __future__ import annotations

import argparse
import os
import time

from leadline.commands.output import progress_bar, say
from leadline.errors import InputError


def define(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="files, folders, patterns; compressed, zip or tar")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="the collection's folder")
    parser.add_argument("--map", metavar="TOML", help="where the fields are in JSON lines or CSV of another's shape")
    parser.add_argument("--keep", metavar="FIELDS", help='"claims,description|abstract" unless said, or "all"')
    parser.add_argument("--form", metavar="FORM", help="greenbook, json or csv, where the beginning does not tell")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="as many as cores")
    parser.add_argument("--quiet", action="store_true", help="no bar and no notes")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.build import build

    if options.processes < 1:
        raise InputError("--processes", f"{options.processes} is no number of processes")
    start = time.monotonic()
    with progress_bar("reading", quiet=options.quiet) as step:
        manifest = build(
            options.sources,
            options.output,
            keep=options.keep,
            form=options.form,
            mapping=options.map,
            processes=options.processes,
            progress=step,
        )
    counts, seconds = manifest["counts"], time.monotonic() - start
    print(
        f"{counts['documents']:,} documents in {counts['families']:,} families, {counts['citations']:,} citations "
        f"({counts['citations inside']:,} of them of documents in the collection), in {seconds:.1f} s"
    )
    if not options.quiet:
        say(notes(manifest, options.output))


def notes(manifest: dict[str, object], folder: str) -> list[str]:
    """What was left out, and why."""
    told = []
    dropped: dict[str, int] = manifest["dropped"]  # type: ignore[assignment]
    if dropped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())
        told.append(f"dropped: {reasons} (--keep says what a document must have)")
    slips: list[str] = manifest["slips"]  # type: ignore[assignment]
    if slips:
        told.append(f"not understood, in none of the first records, or unknown: {', '.join(slips[:8])}")
    first: list[tuple[str, int, str]] = manifest["first_broken"]  # type: ignore[assignment]
    for source, offset, reason in first[:3]:
        told.append(f"broken: {source} at byte {offset}: {reason}")
    if manifest["broken"]:
        told.append(f"{manifest['broken']} broken in all; {folder}/{manifest['folder']}/broken.tsv lists them")
    counts: dict[str, int] = manifest["counts"]  # type: ignore[assignment]
    if fallen := counts["dated by filing"] + counts["dated by publication"]:
        told.append(f"{fallen:,} have no priority date: filing or publication stands in for it")
    if counts["not dated"]:
        told.append(f"{counts['not dated']:,} have no date at all")
    return told
