"""Show how far judging has come, and how many relevant documents are still missing.

Examples:
  leadline judge status pool.txt
  leadline judge status pool.txt --drift
  leadline judge status pool.txt --found
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.judging import add_pool, open_state
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import write, write_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    parser.add_argument("--drift", action="store_true", help="each person's marks over time, in four parts")
    parser.add_argument("--missing", action="store_true", help="estimates of the relevant documents not found")
    parser.add_argument("--found", action="store_true", help="relevant documents found against documents read")
    parser.add_argument("--until", type=WORD, default="", metavar="MOMENT", help="as it was at this moment, in UTC")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.judging_quality import estimate_missing, missing_table
    from leadline.judge.marks import drift, found_against_read, progress
    from leadline.judge.pools import Pool

    check_format(options)
    pool, state = Pool.read(options.pool), open_state(options)
    missing = missing_table(estimate_missing(pool.qrels(state.final()[0])))
    if options.missing or options.drift or options.found:
        made = missing if options.missing else drift(state) if options.drift else found_against_read(state)
        write_table(made, options)
        return
    write_table(progress(pool, state), options)
    if options.format == "table" and options.output is None and not options.quiet:
        write(f"\nHow much is still missing (estimated from the sample, 95 % interval):\n\n{missing.render('table')}\n")
