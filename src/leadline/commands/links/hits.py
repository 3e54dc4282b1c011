"""Score pages as authorities and hubs (HITS).

With --query and --index, the graph is the query's own: the best pages for the query, the pages they link to, and pages
that link to them. Both scores sum to 1.

Examples:
  leadline links hits edges.tsv
  leadline links hits patents --query coating --index patents.index --format tsv -o hits.tsv
"""

from __future__ import annotations

import argparse

from leadline.collections.links.hits import IN_LINKS, ROOTS
from leadline.commands.shared.cluster_option import add_cluster_option, check_memory, link_workers
from leadline.commands.shared.link_options import add_score_options, read_link_source, write_scores
from leadline.commands.shared.options import add_number, check_format
from leadline.errors import UsageError
from leadline.retrieval.link_analysis import hits


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_options(parser)
    parser.add_argument("--query", metavar="TEXT", help="score the graph of this query (default: the whole graph)")
    parser.add_argument("--index", metavar="INDEX", help="index in which to search for the query")
    add_number(parser, "--roots", "best pages for the query, to which linked pages are added", ROOTS)
    add_number(parser, "--in-links", "pages added that link to one of these", IN_LINKS, least=0)
    add_cluster_option(parser)
    add_number(parser, "--rounds", "rounds to compute (default: until scores are within 1e-10 of their limit)")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    check_memory(options)
    if (options.query is None) != (options.index is None):
        missing, given = ("--index", "--query") if options.index is None else ("--query", "--index")
        raise UsageError(given, f"needs {missing} as well")
    graph = read_link_source(options)
    with link_workers(options) as workers:
        scores = hits(
            graph, query=options.query, index=options.index, roots=options.roots, in_links=options.in_links,
            rounds=options.rounds, workers=workers,
        )  # fmt: skip
    write_scores(scores, options)
