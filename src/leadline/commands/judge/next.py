"""Draw the next round of a pool that is drawn in rounds, by the judgements so far.

The documents drawn are added to those to judge; judging pages that are served show them once they are started again.

Examples:
  leadline judge next rounds.txt
  leadline judge next rounds.txt --to 400
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.judging import add_pool, open_state, stage_grades
from leadline.commands.shared.options import add_number, add_options
from leadline.commands.shared.output import print_notes, write
from leadline.errors import InputError
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    add_number(parser, "--to", "judged a topic when the round ends (default: the next end that the pool was made with)")
    stages = "whose grades count: final (expert, else merged), merged, or the name of a person (default: %(default)s)"
    parser.add_argument("--stage", type=WORD, default="final", metavar="STAGE", help=stages)
    parser.add_argument("--unfinished", action="store_true", help="draw also where documents are left to judge")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.pools import Pool

    pool, state = Pool.read(options.pool), open_state(options)
    grades, notes = stage_grades(state, options.stage)
    left = len(pool.to_judge()) - sum(key in grades for key in pool.to_judge().select("topic", "document").rows())
    if left and not options.unfinished and pool.draws is not None:
        problem = f"{counted(left, 'document')} of the round are left to judge: judge them, or give --unfinished"
        raise InputError(options.pool, problem)
    drawn = pool.next_round(grades, to=options.to)
    assert pool.draws is not None
    drawn.write_round(options.pool)
    assert drawn.draws is not None
    number, new = drawn.draws.rounds, len(drawn.to_judge()) - len(pool.to_judge())
    if not options.quiet:
        end = f"which ends at {drawn.draws.ends[number - 1]} a topic"
        write(f"{options.pool}: {counted(new, 'document')} to judge in round {number}, {end}.\n")
    if left:
        notes.append(
            f"{counted(left, 'document')} of earlier rounds left to judge: what the model expects counts there"
        )
    print_notes([*notes, *pool.draws.machine_said(grades)], options)
