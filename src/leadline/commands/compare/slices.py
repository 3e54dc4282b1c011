"""Scores by an attribute of the topics: office, class, number of relevant documents.

Examples:
  leadline compare slices qrels.txt runs/*.run -m PRES@100 --topics topics.csv --by office
  leadline compare slices qrels.txt runs/*.run -m PRES@100 --by relevant
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.comparison import add_comparison_options, check_comparison, load_scores, one_measure
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError, nearest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    topics = "table of topics with their attributes (--only restricts the topics)"
    by = "attribute, a column of --topics; `relevant` is the number of relevant documents"
    public("slices").add(parser, topics={"required": False, "help": topics}, by={"metavar": "COLUMN", "help": by})
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.trust.by_topic import read_attributes, slices

    check_comparison(options)
    attributes = read_attributes(options.topics) if options.topics else {}
    if options.by == "relevant" and options.by not in attributes and options.inputs:
        attributes["relevant"] = _count_relevant(options)
    if options.by not in attributes:
        if not options.topics:
            raise UsageError("--by", f"{options.by!r} needs --topics FILE")
        known = f"; it has {', '.join(attributes) or 'none'}{nearest(options.by, attributes)}"
        raise UsageError("--by", f"{options.topics} has no column {options.by!r}{known}")
    scores = load_scores(options)
    result = slices(scores, one_measure(scores), attributes[options.by], options.by)
    write_table(result.table(), options)
    print_notes((*scores.notes, *result.notes), options)


def _count_relevant(options: argparse.Namespace) -> dict[str, int]:
    """The number of relevant documents of each topic."""
    import numpy as np

    from leadline.records.qrels import read_qrels

    qrels = read_qrels(options.inputs[0], format=options.qrels_format)
    relevant = qrels.topic_of_document[qrels.grades >= (1 if options.rel is None else options.rel)]
    counts = np.bincount(relevant, minlength=len(qrels.topics))
    return dict(zip(qrels.topics, counts.tolist(), strict=True))
