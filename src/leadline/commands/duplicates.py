"""Find near-duplicates: groups of documents whose texts are nearly the same.

Texts are compared without case, punctuation and mark-up, by their shingles: all runs of 4 words. The resemblance of two
is the share of the shingles of either that both have, computed exactly; the column holds that to the kept copy.
With --by vectors DIR is an index with vectors, and texts are compared by what they say, also in other words: the column
then holds the cosine. docs/duplicates.md says more.

Examples:
  leadline duplicates patents
  leadline duplicates patents --resemblance 0.6 --keep longest -o duplicates.tsv --format tsv
  leadline duplicates documents.jsonl --by letters --shingle 9 --exact --format json
  leadline duplicates patents.index --by vectors --cosine 0.97
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, get_args

from leadline.collections.choices import COMPARED_FIELDS, By
from leadline.commands.shared.argument_kinds import INPUT_TREE, OutputFile
from leadline.commands.shared.extras import add_cluster_option, chosen_cluster
from leadline.commands.shared.options import (
    add_options,
    check_format,
    choice,
    list_of,
    memory_budget,
    wrong_usage,
)
from leadline.commands.shared.output import print_notes, progress_bar, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError
from leadline.records.result import Table

if TYPE_CHECKING:
    from leadline.collections.duplicates.find import Duplicates

VECTORS = "vectors"  # compared instead of shingles


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source = {"metavar": "DIR", "type": INPUT_TREE}
    by = {"choices": (*get_args(By), VECTORS)}
    public("duplicates").add(parser, source=source, fields={"type": list_of(choice(COMPARED_FIELDS))}, by=by)
    public("vector_duplicates").add(parser, "cosine", cosine={"default": None})
    add_cluster_option(parser)
    add_options(parser, "-f")
    add_options(parser, "-o", type=OutputFile("duplicates"))
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    if options.by == VECTORS:
        found = _by_vectors(options)
    else:
        if options.cosine is not None:
            raise UsageError("--cosine", "is of vectors: say --by vectors")
        found = _by_shingles(options)
    if options.format == "table" and options.output is None and not options.quiet:
        write(f"{headline(found)}\n\n" if found.entries else f"{headline(found)}\n")
    if found.entries or options.format != "table":
        write_table(_for_people(found) if options.format in ("table", "latex", "markdown") else found.table(), options)
    print_notes(found.notes, options)


def _by_vectors(options: argparse.Namespace) -> Duplicates:
    from leadline.retrieval.dense.near_duplicates import vector_duplicates

    for name, option in public("duplicates").options.items():
        if name not in ("source", "by", "keep") and getattr(options, name) != option.default:
            raise UsageError(f"--{name}", "is of shingles, and --by vectors compares vectors")
    if options.cluster is not None:
        raise UsageError("--cluster", "is of shingles, and --by vectors compares vectors here")
    cosine = {} if options.cosine is None else {"cosine": options.cosine}
    with progress_bar("duplicates", quiet=options.quiet) as progress:
        return vector_duplicates(options.source, keep=options.keep, progress=progress, **cosine)


def _by_shingles(options: argparse.Namespace) -> Duplicates:
    from leadline.collections.duplicates.find import duplicates

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
        own = {"memory": memory_budget(options), "progress": progress, "spread": spread}
        return duplicates(**public("duplicates").given(options, **own))


def headline(found: Duplicates) -> str:
    """What was found, in a sentence."""
    said = found._finding()
    return f"{said[0].upper()}{said[1:]}."


def _for_people(found: Duplicates) -> Table:
    """The table with a word for the kept copy."""
    rows = [[group, document, alike, "kept" if kept else ""] for group, document, alike, kept in found.entries]
    return Table(found.table().columns, rows)
