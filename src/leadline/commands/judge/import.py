"""Add marks to the journal of a pool: from another machine's journal, or from a table.

A table has the columns topic, document and grade (2, 1, 0, or -2 for unsure); its marks are those of --person. Where a
table lists all that is relevant, such as the truth of a simulated office, --rest 0 marks the others of its topics.

Examples:
  leadline judge import pool.txt laptop/pool.txt.journal
  leadline judge import pool.txt anna.tsv --person anna
  leadline judge import pool.txt expert.tsv --person eve --role expert
  leadline judge import pool.txt qrels.txt --person truth --rest 0
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILES, WORD, Value
from leadline.commands.shared.judging import add_pool
from leadline.commands.shared.options import add_choice
from leadline.commands.shared.output import write
from leadline.errors import InputError, UsageError, system_reason
from leadline.judge.choices import JUDGING_ROLES
from leadline.records.result import counted
from leadline.text.owned_files import JOURNAL

if TYPE_CHECKING:
    from leadline.judge.journal import JudgingJournal

_SQLITE = b"SQLite format 3\x00"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    parser.add_argument("marks", metavar="FILE", type=INPUT_FILES, nargs="+", help="journals, or tables of marks")
    parser.add_argument("--person", metavar="NAME", type=WORD, help="who made the marks of a table")
    add_choice(parser, "--role", JUDGING_ROLES, "in which role", "assessor")
    rest = "grade of the documents to judge that a table does not list, of the topics it has"
    parser.add_argument("--rest", type=Value(int), choices=(0, 1, 2), help=rest)


def run(options: argparse.Namespace) -> None:
    from leadline.judge.journal import JudgingJournal
    from leadline.judge.pools import Pool

    pool = Pool.read(options.pool)
    known = set(pool.to_judge().select("topic", "document").rows())
    with contextlib.closing(JudgingJournal(f"{options.pool}{JOURNAL}", create=True)) as journal:
        for path in options.marks:
            new = journal.merge_from(path) if _is_journal(path) else _add_table(journal, path, options, known)
            write(f"{path}: {counted(new, 'event')} added\n")


def _is_journal(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise InputError(path, f"cannot be read: {system_reason(error)}") from None


def _add_table(journal: JudgingJournal, path: str, options: argparse.Namespace, known: set[tuple[str, str]]) -> int:
    """Append the marks of a table, all or none; one that was added before is not added again."""
    from leadline.judge.journal import Event
    from leadline.records.qrels import read_qrels

    if not options.person:
        raise UsageError("--person", f"say who made the marks of {path}")
    marks = read_qrels(path)
    strangers, events = 0, []
    for topic in marks.topics:
        unlisted = {} if options.rest is None else {each: options.rest for of, each in known if of == topic}
        for document, grade in (unlisted | marks.judgements(topic)).items():
            if (topic, document) not in known:
                strangers += 1
                continue
            if grade == -1:
                continue
            text = f"{options.person}\t{topic}\t{document}\t{grade}\t{path}"
            uid = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
            events.append(Event(uid, options.person, options.role, "mark", topic, document, str(grade)))
    new = journal.append_all(events)
    if strangers:
        write(f"{path}: {counted(strangers, 'document')} not to be judged in this pool, left out\n")
    return new
