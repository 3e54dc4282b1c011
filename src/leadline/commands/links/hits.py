"""Score pages as authorities and hubs (HITS).

With --query and --index, the graph is the query's own: the best pages for the query, the pages they link to, and pages
that link to them. Both scores sum to 1.

Examples:
  leadline links hits edges.tsv
  leadline links hits patents --query coating --index patents.index --format tsv -o hits.tsv
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OUR_FOLDER
from leadline.commands.shared.extras import add_cluster_option, check_memory, link_workers
from leadline.commands.shared.link_options import add_score_options, read_link_source, write_scores
from leadline.commands.shared.options import check_format
from leadline.commands.shared.signature import public
from leadline.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_options(parser)
    public("hits").add(parser, query={"metavar": "TEXT"}, index={"metavar": "INDEX", "type": OUR_FOLDER})
    add_cluster_option(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.retrieval.public import hits

    check_format(options)
    check_memory(options)
    if (options.query is None) != (options.index is None):
        missing, given = ("--index", "--query") if options.index is None else ("--query", "--index")
        raise UsageError(given, f"needs {missing} as well")
    graph = read_link_source(options)
    with link_workers(options) as workers:
        scores = hits(graph, **public("hits").given(options, workers=workers))
    write_scores(scores, options)
