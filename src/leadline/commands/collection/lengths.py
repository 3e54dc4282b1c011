"""Write the number of words of every document, for measures of reading time.

The file has two columns, document and words, as --lengths reads them. All texts of a document count: title, abstract,
description and claims.

Examples:
  leadline collection lengths patents -o words.tsv
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write
from leadline.records.result import Table, counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "collection", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import Collection

    records = Collection.open(options.collection).records
    write(Table(["document", "words"], records.select("id", "words").rows()).encoded("tsv"), options.output)
    words = round(int(records["words"].sum()) / max(len(records), 1))
    print_notes([f"{counted(len(records), 'document')} of {counted(words, 'word')} on average"], options)
