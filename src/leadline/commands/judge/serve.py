"""Serve the judging pages of a pool: for assessors, the expert and the organiser.

People sign in by a personal link, which `leadline judge people` makes. What they do is appended to POOL.journal.

Examples:
  leadline judge serve pool.txt --documents patents --topics topics.tsv
  leadline judge serve pool.txt --documents patents --host 0.0.0.0 --url https://judging.example.org
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import INPUT_FILE, OUR_FOLDER
from leadline.commands.shared.judging import add_address, add_pool, serve_pool
from leadline.commands.shared.options import add_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_pool(parser)
    add("--documents", metavar="DIR", type=OUR_FOLDER, required=True, help="collection that has the documents")
    add(
        "--topics",
        metavar="FILE",
        type=INPUT_FILE,
        help="topics: titles, narratives, claims (default: the patents of the ids)",
    )
    add("--instructions", metavar="FILE", type=INPUT_FILE, help="text that every assessor sees all the time")
    add("--reasons", metavar="FILE", type=INPUT_FILE, help="reasons for a grade to choose from, one per line")
    add("--people", metavar="FILE", type=INPUT_FILE, help="the people and their links (default: POOL.people)")
    add_address(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    serve_pool(options)
