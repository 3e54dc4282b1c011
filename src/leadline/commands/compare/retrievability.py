"""Which documents a system can find at all, over many queries, and how unequally.

Retrievability r(d) is the number of topics for which document d is among the first --cutoff results; with --weight
gravity, each counts 1 / rank. `gini` is 0 when all documents are found as easily, and near 1 when a few are always
found. Judgements are not needed. Documents that are never found count when --collection or --size says how many there
are.

Examples:
  leadline compare retrievability runs/*.run --size 20000
  leadline compare retrievability runs/bm25.run --collection patents --by-document --format tsv
  leadline compare retrievability runs/*.run --cutoff 10 --lorenz
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.options import add_options, check_format, with_readable_runs
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError

if TYPE_CHECKING:
    from leadline.trust.retrievability import Retrievability


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("retrievability").add(parser)
    add_options(parser, "--collection", help="folder of the collection that was searched")
    parser.add_argument("--by-document", action="store_true", help="print every document that is found")
    parser.add_argument("--lorenz", action="store_true", help="print the Lorenz curves")
    add_options(parser, "--strict", "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    if options.by_document and options.lorenz:
        raise UsageError("--lorenz", "cannot be combined with --by-document")
    if options.size is not None and options.collection is not None:
        raise UsageError("--size", "cannot be combined with --collection, which is counted")
    found = with_readable_runs(options, options.runs, lambda paths: _found(options, paths))
    make = found.document_table if options.by_document else found.lorenz_table if options.lorenz else found.table
    write_table(make(), options)
    print_notes(found.notes, options)


def _found(options: argparse.Namespace, paths: list[str]) -> Retrievability:
    from leadline.records.runs import read_run, run_names
    from leadline.trust.retrievability import retrievability

    documents = None
    if options.collection is not None:
        from leadline.collections.documents.collection import Collection

        documents = Collection.open(options.collection).records["id"].to_list()
    runs = (read_run(path, name=name) for path, name in zip(paths, run_names(paths), strict=True))
    return retrievability(**public("retrievability").given(options, runs=runs, documents=documents))
