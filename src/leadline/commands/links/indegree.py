"""Rank pages by the number of pages that link to them.

Several links from one page to another count once.

Examples:
  leadline links indegree edges.tsv
  leadline links indegree patents -k 10 --format markdown
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.link_options import add_score_options, read_link_source, write_scores
from leadline.commands.shared.options import check_format


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.collections.links.page_scores import in_degrees_of

    check_format(options)
    write_scores(in_degrees_of(read_link_source(options)), options)
