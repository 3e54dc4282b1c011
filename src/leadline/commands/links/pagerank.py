"""Rank pages by PageRank.

Ranks sum to 1: (1 - d)/N + d Σ PR/C, with d = 0.85; pages without links share their rank with all pages. The formula as
printed in the paper of Garg and Sharma has 1 - d in place of (1 - d)/N: --form paper gives those ranks, which sum to N.

Examples:
  leadline links pagerank edges.tsv
  leadline links pagerank edges.tsv --personal A --format tsv -o ranks.tsv
  leadline links pagerank patents --damping 0.5 --form paper
"""

from __future__ import annotations

import argparse
import os

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.page_scores import pagerank_of
from leadline.collections.links.pagerank import DAMPING
from leadline.commands.shared.cluster_option import add_cluster_option, check_memory, link_workers
from leadline.commands.shared.link_options import add_score_options, read_link_source, write_scores
from leadline.commands.shared.options import add_choice, check_format


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_options(parser)
    parser.add_argument(
        "--damping", metavar="D", type=_damping, default=DAMPING,
        help="probability of following a link, from 0 to below 1 (default: %(default)s)",
    )  # fmt: skip
    personal = "page to jump to in place of any page, or a file of pages, each perhaps with a weight"
    parser.add_argument("--personal", metavar="FILE|PAGE", help=personal)
    add_cluster_option(parser)
    add_choice(parser, "--form", ("sum", "paper"), "ranks that sum to 1, or the paper's, which sum to N", "sum")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    check_memory(options)
    graph = read_link_source(options)
    personal = None if options.personal is None else _personal(options.personal, graph)
    with link_workers(options) as workers:
        how = {"damping": options.damping, "form": options.form, "workers": workers}
        scores = pagerank_of(graph, personal=personal, **how)
    write_scores(scores, options)


def _damping(text: str) -> float:
    try:
        damping = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not 0 <= damping < 1:
        raise argparse.ArgumentTypeError(f"must be at least 0 and below 1, got {text}")
    return damping


def _personal(named: str, graph: LinkGraph) -> dict[str, float]:
    """The weights of pages: one page, or those in a file."""
    if named in graph.place_of or not os.path.isfile(named):
        graph.place(named, "--personal")
        return {named: 1.0}
    from leadline.collections.links.edge_list import read_page_weights

    weights = read_page_weights(named)
    for page in weights:
        graph.place(page, named)
    return weights
