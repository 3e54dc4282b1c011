"""Make, list and revoke the personal links of those who judge a pool.

A link is shown once, when it is made: only its hash is kept, in POOL.people. Adding a person again gives a new link,
and the old one ends. A running server follows at once.

Examples:
  leadline judge people pool.txt add anna
  leadline judge people pool.txt add eve --role expert --days 14 --url https://judging.example.org
  leadline judge people pool.txt list
  leadline judge people pool.txt revoke anna
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.judging import add_people_arguments, add_pool, change_people
from leadline.commands.shared.options import check_format
from leadline.text.owned_files import PEOPLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    add_people_arguments(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.judge.pools import Pool

    check_format(options)
    Pool.read(options.pool)
    change_people(Path(f"{options.pool}{PEOPLE}"), options)
