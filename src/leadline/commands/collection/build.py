"""Make a collection from files of patent offices, publishers and test collections.

docs/formats.md lists the formats: patents in XML, BEIR folders, TREC's <DOC> files, JSON lines, CSV and TSV.

Examples:
  leadline collection build xml/*.xml -o new
  leadline collection build documents.jsonl -o new
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from typing import Any

from leadline.collections.choices import READER_FORMS
from leadline.commands.shared.argument_kinds import INPUT_TREE, OutputFolder
from leadline.commands.shared.extras import add_cluster_option, chosen_cluster, registered
from leadline.commands.shared.options import (
    add_options,
    as_written,
    memory_budget,
)
from leadline.commands.shared.output import print_notes, progress_bar
from leadline.commands.shared.signature import public
from leadline.errors import visible
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("build_collection").add(
        parser,
        *("sources", "mapping", "keep", "processes"),
        sources={"type": INPUT_TREE, "nargs": "+", "metavar": "SOURCE"},
        mapping={"flags": ["--map"], "metavar": "TOML"},
        keep={"metavar": "FIELDS", "type": as_written(_check_rule)},
        processes={"default": None},
    )
    add_options(
        parser, "-o", type=OutputFolder("collections"), metavar="DIR", required=True, help="collection folder to write"
    )
    add_form_option(parser)
    add_cluster_option(parser)
    public("evaluate").add(parser, "memory")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.build import build

    start = time.monotonic()
    bar = progress_bar("reading", quiet=options.quiet, at_once=options.cluster is not None)
    with chosen_cluster(options) as spread, bar as progress:
        if progress is not None and spread is not None:  # the first part comes back only when a worker has started
            progress(0, 1)
        manifest = build(
            options.sources,
            options.output,
            keep=options.keep,
            form=options.form,
            mapping=options.mapping,
            processes=options.processes or os.cpu_count() or 1,
            progress=progress,
            spread=spread,
            memory=memory_budget(options),
            say=lambda note: print_notes([note], options),
        )
    counts, seconds = manifest["counts"], time.monotonic() - start
    families = "1 family" if counts["families"] == 1 else f"{counts['families']:,} families"
    print(
        f"{counted(counts['documents'], 'document')} in {families}, {counted(counts['citations'], 'citation')} "
        f"({counts['citations inside']:,} of them of documents in the collection), in {seconds:.1f} s"
    )
    print_notes(left_out(manifest, options.output), options)


def add_form_option(parser: argparse.ArgumentParser) -> None:
    form = {"choices": READER_FORMS, "type": registered(READER_FORMS, _readers)}
    public("build_collection").add(parser, "form", form=form)


def _readers() -> Mapping[str, Any]:
    from leadline.collections.documents.registry import READERS

    return READERS


def _check_rule(text: str) -> None:
    from leadline.collections.documents.document import checked_rule

    checked_rule(text)


def left_out(manifest: dict[str, Any], folder: str) -> list[str]:
    """What was left out, and why."""
    notes = []
    if manifest["dropped"]:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in manifest["dropped"].items())
        notes.append(f"dropped: {reasons} (--keep sets what a document must have)")
    if twice := manifest.get("twice", []):
        listed = ", ".join(map(visible, twice[:5])) + (" …" if len(twice) > 5 else "")
        notes.append(f"listed twice, only the first is kept: {listed}")
    if manifest["slips"]:
        notes.append(f"fields that are not kept, unreadable or unknown: {', '.join(manifest['slips'][:8])}")
    notes += [f"broken: {source} at byte {offset}: {reason}" for source, offset, reason in manifest["first_broken"][:3]]
    if manifest["broken"]:
        notes.append(f"{manifest['broken']:,} broken in total; {folder}/{manifest['folder']}/broken.tsv lists them")
    counts = manifest["counts"]
    if undated := counts["dated by filing"] + counts["dated by publication"]:
        notes.append(f"{counted(undated, 'document')} without a priority date: the filing or publication date is used")
    if counts["not dated"]:
        notes.append(f"{counted(counts['not dated'], 'document')} without a date")
    return notes
