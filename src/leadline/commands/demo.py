"""What the package can show without any data of yours: the papers' figures, and ours beside them.

example: leadline demo
"""

from __future__ import annotations

import argparse

from leadline.demo import published_tables


def define(parser: argparse.ArgumentParser) -> None:
    """It takes nothing."""


def run(_options: argparse.Namespace) -> None:
    for text in published_tables():
        print(text)
