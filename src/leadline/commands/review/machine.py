"""Let a machine read: a file of labels or probabilities, or a model that is asked over HTTP.

A machine has a name and a role: `witness` (it is only measured), `order` (it puts documents in order), `second` (what
people excluded and it would keep comes to the expert), `exclude` (what it excludes is read last). Its opinions are no
marks; the command says what each role means for the certificate. Without NAME it lists the machines of the review.

FILE is a table (CSV, TSV, JSON lines) with a column of ids and one of probabilities or labels, RIS with labels, or
judgements of TREC. A model is an address of the common form of chats. It is asked with titles and abstracts, never with
marks, and only when --allow-texts HOST has said so for this review; the journal keeps every answer, and the same
command goes on where it was stopped.

Examples:
  leadline review machine asthma
  leadline review machine asthma forest --labels forest.csv --role order
  leadline review machine asthma gpt --url https://models.example.org/v1/chat/completions --model m1 --key MODEL_KEY
  leadline review machine asthma gpt --role second
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILE, WORD
from leadline.commands.shared.judging import add_review
from leadline.commands.shared.options import add_choice, add_options, bounded_number, check_format, whole_number
from leadline.commands.shared.output import print_notes, progress_bar, write_table
from leadline.errors import InputError, UsageError
from leadline.judge.choices import MACHINE_ROLES
from leadline.options import Bounds
from leadline.records.result import Table, counted

if TYPE_CHECKING:
    from leadline.judge.journal import Event, JudgingJournal
    from leadline.judge.review.machine_readers import MachineReader
    from leadline.judge.review.project import ReviewProject
    from leadline.judge.review.review_state import ReviewState


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_review(parser)
    add = parser.add_argument
    money = bounded_number(Bounds(0, 1e9))
    add("name", metavar="NAME", type=WORD, nargs="?", help="name of the machine")
    add("--labels", metavar="FILE", type=INPUT_FILE, help="its opinions: a table, JSON lines, RIS or judgements")
    add("--column", metavar="NAME", type=WORD, help="column of FILE (default: probability, label or the like)")
    add_choice(parser, "--role", MACHINE_ROLES, "what it may do", None, "witness, or as before")
    add(
        "--threshold",
        metavar="P",
        type=bounded_number(Bounds(0, 1)),
        help="probability from which it calls a document relevant (default: 0.5)",
    )
    add("--url", type=WORD, help="address of a model, in the common form of chats")
    add("--model", type=WORD, help="name of the model")
    add("--key", metavar="VARIABLE", type=WORD, default="", help="environment variable with the key, never stored")
    add("--prompt", metavar="FILE", type=INPUT_FILE, help="what is asked; {title} and {criteria} are the review's")
    add("--allow-texts", metavar="HOST", type=WORD, help="titles and abstracts of this review may be sent to this host")
    add("--forbid-texts", metavar="HOST", type=WORD, help="they may not any more")
    add(
        "--per-second",
        metavar="N",
        type=bounded_number(Bounds(0.001, 1000)),
        default=1.0,
        help="questions in a second at most (default: 1)",
    )
    add("--most", metavar="N", type=whole_number(1), help="documents to ask about this time (default: all)")
    add("--price-in", metavar="PRICE", type=money, default=0.0, help="of a million tokens that are sent")
    add("--price-out", metavar="PRICE", type=money, default=0.0, help="of a million tokens that are answered")
    add("--most-cost", metavar="COST", type=money, help="stop before the machine has cost more than this")
    add(
        "--seconds",
        metavar="N",
        type=bounded_number(Bounds(0.01, 3600)),
        default=60.0,
        help="to wait for one answer (default: 60)",
    )
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from contextlib import closing

    from leadline.judge.review.machine_readers import machine_words
    from leadline.judge.review.project import ReviewProject

    check_format(options)
    if options.labels and options.url:
        raise UsageError("--url", "is of a model: a machine is a file (--labels) or a model")
    project = ReviewProject.open(options.review)
    if not project.rounds:
        raise InputError(options.review, "has no documents yet")
    notes: list[str] = []
    if options.name or options.allow_texts or options.forbid_texts:
        with closing(project.journal()) as journal:
            notes += _change(options, project, journal)
    state = _state(project)
    write_table(_machines(state), options)
    for name in state.machines.readers:
        if options.name in (None, name):
            notes.append(machine_words(state.machines, name))
    print_notes(notes, options)


def _state(project: ReviewProject) -> ReviewState:
    from contextlib import closing

    from leadline.judge.review.review_state import ReviewState

    with closing(project.journal(write=False)) as journal:
        return ReviewState.of(project, journal.events())


def _change(options: argparse.Namespace, project: ReviewProject, journal: JudgingJournal) -> list[str]:
    """Do what was typed; returns what to say of it."""
    from leadline.judge.journal import new_uid
    from leadline.judge.review.machine_readers import check_new, consent_event, machine_event
    from leadline.judge.review.review_state import ReviewState

    state, number, notes = ReviewState.of(project, journal.events()), project.current_round, list[str]()
    for host, allowed in ((options.allow_texts, True), (options.forbid_texts, False)):
        if host and (host in state.machines.hosts) != allowed:
            journal.append(consent_event(new_uid(), host, allowed=allowed, round=number))
            may = "may be sent" if allowed else "may not be sent"
            notes.append(f"titles and abstracts of this review {may} to {host}")
    if not options.name:
        return notes
    reader, opinions = _reader(options, state)
    check_new(state.machines, reader, set(state.judging.roles))
    events: list[Event] = []
    if state.machines.readers.get(reader.name) != reader:
        events.append(machine_event(new_uid(), reader, number))
    new = journal.append_all([*events, *opinions]) - len(events)
    if options.labels:
        notes.append(f"{counted(new, 'opinion')} added")
    if reader.is_asked and options.url:
        notes += _asked(options, project, journal, reader)
    return notes


def _reader(options: argparse.Namespace, state: ReviewState) -> tuple[MachineReader, list[Event]]:
    """The machine that was named, and the opinions of its file."""
    from dataclasses import replace
    from pathlib import Path

    from leadline.judge.review.labels import opinions_by_row, read_opinions
    from leadline.judge.review.machine_readers import MachineReader, opinion_event
    from leadline.text.checksums import file_sha256

    known, project = state.machines.readers.get(options.name), state.project
    role = options.role or (known.role if known else "witness")
    threshold = options.threshold if options.threshold is not None else known.threshold if known else 0.5
    if options.labels:
        found = opinions_by_row(read_opinions(options.labels, options.column), project.row_of, project.units)
        sha256 = file_sha256(Path(options.labels))
        reader = MachineReader(options.name, role, threshold, Path(options.labels).name, sha256)
        events = [
            opinion_event(reader, project.units[row][0], int(project.round_of[row]), p) for row, p in found.items()
        ]
        return reader, events
    if options.url:
        if not options.model:
            raise UsageError("--model", "name the model that is asked")
        return (
            MachineReader(
                options.name,
                role,
                threshold,
                options.url,
                model=options.model,
                prompt=_prompt(options, known),
                price_in=options.price_in,
                price_out=options.price_out,
            ),
            [],
        )
    if known is None:
        raise UsageError("--labels", f"{options.name} is new: name a file of its opinions, or --url of a model")
    return replace(known, role=role, threshold=threshold), []


def _prompt(options: argparse.Namespace, known: MachineReader | None) -> str:
    from leadline.judge.review.machine_model import DEFAULT_PROMPT
    from leadline.text.source import read_text

    if options.prompt:
        text = read_text(options.prompt).bytes().decode("utf-8", "replace").strip()
        if not text:
            raise InputError(options.prompt, "is empty: write what the model is asked")
        return text
    return known.prompt if known is not None and known.is_asked else DEFAULT_PROMPT.strip()


def _asked(
    options: argparse.Namespace, project: ReviewProject, journal: JudgingJournal, reader: MachineReader
) -> list[str]:
    """Ask the model; returns what came of it."""
    from leadline.judge.review.machine_model import AskingLimits, ask_model
    from leadline.judge.review.review_state import ReviewState

    limits = AskingLimits(options.per_second, options.most_cost, options.most, options.seconds)
    state = ReviewState.of(project, journal.events())
    with progress_bar(f"asking {reader.model}", quiet=options.quiet) as progress:
        done = ask_model(state, reader, journal, limits, key=options.key, progress=progress)
    said = [f"{counted(done.answered, 'answer')}, {done.unclear:,} of them not understood, {done.failed:,} missing"]
    if done.stopped:
        said.append(f"stopped: {done.stopped}; the same command goes on")
    return said


def _machines(state: ReviewState) -> Table:
    """A row for each machine."""
    import numpy as np

    columns = ["machine", "role", "source", "model", "threshold", "opinions", "relevant", "unclear", "cost", "seconds"]
    rows: list[list[object]] = []
    for name, reader in state.machines.readers.items():
        known = np.isfinite(state.machines.probabilities[name])
        opinions = int(known.sum())
        rows.append(
            [
                name,
                reader.role,
                reader.source,
                reader.model,
                reader.threshold,
                opinions,
                int((known & state.machines.keeps(name)).sum()),
                len(state.machines.answered[name]) - opinions,
                state.machines.spent.get(name, 0.0),
                state.machines.seconds.get(name, 0.0),
            ]
        )
    return Table(columns, rows)
