"""Add documents to a collection, replace those with the same id, and delete some.

The rest of the collection is not read again. `leadline index --update` then brings its indexes up to date.

Examples:
  leadline collection update patents documents.jsonl
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from leadline.commands.collection.build import add_form_option, left_out
from leadline.commands.shared.argument_kinds import INPUT_TREE, InputPath
from leadline.commands.shared.options import add_options, split_list
from leadline.commands.shared.output import print_notes, progress_bar
from leadline.commands.shared.signature import public
from leadline.errors import UsageError
from leadline.records.result import counted

if TYPE_CHECKING:
    import polars as pl

    from leadline.collections.documents.collection import Collection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_options(parser, "collection")
    sources = {"type": INPUT_TREE, "nargs": "*", "metavar": "SOURCE"}
    public("build_collection").add(parser, "sources", sources=sources)
    add(
        "--delete",
        metavar="IDS",
        type=InputPath(or_word=True, is_path=lambda text: text.startswith("@")),
        help="numbers of documents to delete, separated by commas; or @FILE, one a line",
    )
    add_form_option(parser)
    public("build_collection").add(
        parser,
        *("mapping", "processes"),
        mapping={"flags": ["--map"], "metavar": "TOML"},
        processes={"default": None},
    )
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import Collection
    from leadline.collections.documents.update import update

    delete = _ids_to_delete(options.delete)
    if not options.sources and not delete:
        raise UsageError("SOURCE", "name documents to add, or --delete IDS")
    before = _ids_in(Collection.open(options.collection))
    with progress_bar("reading", quiet=options.quiet) as progress:
        manifest = update(
            options.collection,
            options.sources,
            delete=delete,
            form=options.form,
            mapping=options.mapping,
            processes=options.processes or os.cpu_count() or 1,
            progress=progress,
        )
    after = _ids_in(Collection.open(options.collection))
    stayed = len(after.join(before, on="id", how="semi"))
    changes = f"{len(after) - stayed:,} added, {len(before) - stayed:,} deleted"
    print(f"{counted(manifest['counts']['documents'], 'document')}, {len(before):,} before: {changes}")
    print_notes(left_out(manifest, options.collection), options)


def _ids_in(collection: Collection) -> pl.DataFrame:
    """The ids of its documents, each once."""
    import numpy as np

    return collection.records_at(np.arange(len(collection)), ("id",))


def _ids_to_delete(written: str | None) -> list[str]:
    from leadline.text.source import read_text

    if written is None:
        return []
    if written.startswith("@"):
        lines = read_text(written[1:]).bytes().decode("utf-8", "replace").splitlines()
        return [line.strip() for line in lines if line.strip()]
    return split_list(written)
