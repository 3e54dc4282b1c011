"""Copy the journal of a pool, also while people judge.

Examples:
  leadline judge backup pool.txt -o monday.journal
"""

from __future__ import annotations

import argparse
import contextlib

from leadline.commands.shared.argument_kinds import OutputFile
from leadline.commands.shared.judging import add_pool
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes
from leadline.records.result import counted
from leadline.text.owned_files import JOURNAL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    add_options(parser, "-o", type=OutputFile("exports"), required=True, help="file to write; it must not exist")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.journal import JudgingJournal

    with contextlib.closing(JudgingJournal(f"{options.pool}{JOURNAL}", write=False)) as journal:
        journal.backup(options.output)
    with contextlib.closing(JudgingJournal(options.output, write=False)) as copy:
        print_notes([f"{counted(len(copy), 'event')} copied"], options)
