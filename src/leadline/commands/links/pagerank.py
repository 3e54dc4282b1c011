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
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import FILE_OR_WORD
from leadline.commands.shared.extras import add_cluster_option, check_memory, link_workers
from leadline.commands.shared.link_options import add_score_options, read_link_source, write_scores
from leadline.commands.shared.options import check_format
from leadline.commands.shared.signature import public

if TYPE_CHECKING:
    from leadline.collections.links.graph import LinkGraph


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_options(parser)
    words = "page to jump to in place of any page, or a file of pages, each perhaps with a weight"
    personal = {"metavar": "FILE|PAGE", "type": FILE_OR_WORD, "help": words}
    public("pagerank").add(parser, damping={"metavar": "D"}, personal=personal)
    add_cluster_option(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.collections.links.page_scores import pagerank_of

    check_format(options)
    check_memory(options)
    graph = read_link_source(options)
    personal = None if options.personal is None else _personal(options.personal, graph)
    with link_workers(options) as workers:
        scores = pagerank_of(graph, **public("pagerank").given(options, personal=personal, workers=workers))
    write_scores(scores, options)


def _personal(named: str, graph: LinkGraph) -> dict[str, float]:
    """The weights of pages: one page, or those in a file."""
    if named in graph.place_of or not os.path.isfile(named):
        graph.place(named, "--personal")
        return {named: 1.0}
    from leadline.collections.links.reading import read_page_weights

    weights = read_page_weights(named)
    for page in weights:
        graph.place(page, named)
    return weights
