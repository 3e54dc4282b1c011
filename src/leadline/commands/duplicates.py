"""Find near-duplicates: groups of documents whose texts are nearly the same.

Texts are compared without case, punctuation and mark-up, by their shingles: all runs of 4 words. The resemblance of two
is the share of the shingles of either that both have, computed exactly; the column holds that to the kept copy.
docs/duplicates.md says more.

Examples:
  leadline duplicates patents
  leadline duplicates patents --resemblance 0.6 --keep longest -o duplicates.tsv --format tsv
  leadline duplicates documents.jsonl --by letters --shingle 9 --exact --format json
"""

from __future__ import annotations

import argparse
from typing import get_args

from leadline.collections.duplicates.find import WIDEST, Duplicates, Keep, duplicates
from leadline.collections.duplicates.sketches import PLACES
from leadline.collections.duplicates.texts import FIELDS
from leadline.collections.duplicates.tokens import By
from leadline.commands.shared.cluster_option import add_cluster_option, chosen_cluster
from leadline.commands.shared.options import (
    add_choice,
    add_number,
    add_options,
    check_format,
    choice,
    list_of,
    memory_budget,
    share,
    wrong_usage,
)
from leadline.commands.shared.output import print_notes, progress_bar, write, write_table
from leadline.errors import UsageError
from leadline.records.scores.table import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    source = "a collection; or a file or folder: JSON lines and other forms of `collection build`, and text files"
    add("source", metavar="DIR", help=source)
    add_number(parser, "--shingle", "tokens of a shingle", 4, most=WIDEST)
    words = "smallest resemblance of near-duplicates (default: %(default)s)"
    add("--resemblance", metavar="SHARE", type=share, default=0.8, help=words)
    add_choice(parser, "--by", get_args(By), "tokens", "words")
    add("--exact", action="store_true", help="miss no pair: slower, and holds all shingles in memory")
    within = "also group a document with one that contains this share of its shingles; implies --exact"
    add("--containment", metavar="SHARE", type=share, help=within)
    add_choice(parser, "--keep", get_args(Keep), "copy to keep of each group", "earliest")
    fields = f"fields to compare: {', '.join(FIELDS)} (default: all)"
    add("--fields", metavar="NAMES", type=list_of(choice(FIELDS)), default=FIELDS, help=fields)
    add_number(parser, "--places", "numbers in a sketch, a power of 2", PLACES)
    add_cluster_option(parser)
    add_options(parser, "--memory", "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    if options.memory is not None and (options.exact or options.containment):
        raise UsageError(
            "--memory", "cannot be combined with --exact or --containment, which hold all shingles in memory"
        )
    if not (options.exact or options.containment):
        from leadline.collections.duplicates.sketches import bands, check_places

        with wrong_usage():
            check_places(options.places)
            bands(options.resemblance, options.places)
    with chosen_cluster(options) as spread, progress_bar("duplicates", quiet=options.quiet) as progress:
        found = duplicates(
            options.source, shingle=options.shingle, resemblance=options.resemblance, by=options.by,
            exact=options.exact, containment=options.containment, keep=options.keep, fields=options.fields,
            places=options.places, progress=progress, memory=memory_budget(options), spread=spread,
        )  # fmt: skip
    if options.format == "table" and options.output is None and not options.quiet:
        write(f"{headline(found)}\n\n" if found.entries else f"{headline(found)}\n")
    if found.entries or options.format != "table":
        write_table(_for_people(found) if options.format in ("table", "latex", "markdown") else found.table(), options)
    print_notes(found.notes, options)


def headline(found: Duplicates) -> str:
    """What was found, in a sentence."""
    said = found._finding()
    return f"{said[0].upper()}{said[1:]}."


def _for_people(found: Duplicates) -> Table:
    """The table with a word for the kept copy."""
    rows = [[group, document, alike, "kept" if kept else ""] for group, document, alike, kept in found.entries]
    return Table(found.table().columns, rows)
