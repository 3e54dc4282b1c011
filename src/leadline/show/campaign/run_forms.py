"""The forms in which teams send runs: ranked documents, sets, sessions and passages.

    ranked     automatic and manual runs    topic Q0 document rank score tag
    sets       Boolean runs                 the same lines; ranks and scores are not read
    sessions   what a searcher read         topic document seconds, in the order of reading
    passages   parts of documents           topic Q0 document rank score tag offset length, as at INEX,
                                            or topic document rank score offset length tag, as at Genomics

A task takes runs of one form, so that its measures compare them. Here is how each is read: to be checked line by line,
to be pooled, and to be scored.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leadline.errors import InputError, in_sentence
from leadline.measures.definition import Measure, parse_measures
from leadline.measures.evaluate import timed_by_log
from leadline.measures.hits import AGAIN
from leadline.measures.run_source import read_reading_log
from leadline.records.passages import is_passage_run, passages_of_text
from leadline.records.runs import Run, read_run, run_of_text
from leadline.show.choices import RUN_KINDS
from leadline.text.fields import FieldTable, Ids, read_fields
from leadline.text.source import SourceText, read_text

TREC_LINE = "topic Q0 document rank score tag"
INEX_LINE = f"{TREC_LINE} offset length"
TIMED = ("cube_test", "search_speed", "tbg")  # families of measures that know how long reading took
LONGEST_READING = 86_400.0  # seconds of one document


@dataclass(frozen=True)
class RunForm:
    """A form of runs: of which kinds, how a line of it is written, what a line is, and the measures that fit."""

    name: str
    kinds: tuple[str, ...]
    line: str
    unit: str
    measures: tuple[str, ...]

    @property
    def is_ordered(self) -> bool:
        return self.name != "sets"


RANKED = RunForm("ranked", ("automatic", "manual"), TREC_LINE, "document", ("PRES@100", "R@100", "AP"))
SETS = RunForm(
    "sets", ("boolean",), f"{TREC_LINE}, of which rank and score are not read", "document",
    ("set_F", "set_P", "set_recall"),
)  # fmt: skip
SESSIONS = RunForm("sessions", ("session",), "topic document seconds", "document", ("search_speed@20", "TBG"))
PASSAGES = RunForm(
    "passages",
    ("passages",),
    f"{INEX_LINE}, or topic document rank score offset length tag",
    "passage",
    ("char_AP", "AiP", "char_F"),
)
FORMS = (RANKED, SETS, SESSIONS, PASSAGES)


def form_of(kinds: Sequence[str]) -> RunForm:
    """The form of the runs of these kinds; runs of any kind may be ranked documents.

    >>> form_of(["boolean"]).name, form_of([]).name, form_of(["manual", "automatic"]).name
    ('sets', 'ranked', 'ranked')
    """
    return next((form for form in FORMS if kinds and kinds[0] in form.kinds), RANKED)


def checked_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Kinds of runs that one task can take, in the order in which they are listed; InputError where it cannot."""
    found = tuple(kind for kind in RUN_KINDS if kind in set(kinds))
    forms = {form_of([kind]).name: kind for kind in found}
    if len(forms) > 1:
        named = in_sentence([f"{kind} runs are {form}" for form, kind in forms.items()])
        raise InputError("takes", f"is of kinds that no measure compares, {named}: add a task for each")
    return found


def check_measures(form: RunForm, measures: Sequence[str]) -> None:
    """Raise InputError for a measure that means nothing for runs of a form."""
    fitting = " ".join(form.measures)
    parsed = parse_measures(" ".join(measures))
    for measure in parsed:
        definition, needs = measure.definition, measure.view.needs
        if form is SETS and not _is_of_sets(measure):
            raise InputError(measure.text, f"needs an order, and sets have none: use {fitting}")
        if form is not PASSAGES and "characters" in needs:
            raise InputError(measure.text, f"needs passages: say --takes passages, or use {fitting}")
        if form is not SESSIONS and ("seconds" in needs or definition.family == "search_speed"):
            raise InputError(measure.text, f"needs the time of a reading log: say --takes session, or use {fitting}")
    if form is SESSIONS and parsed[0].definition.family not in TIMED:
        raise InputError(parsed[0].text, f"knows no time: name first one that does, {fitting} or CT@20")


def _is_of_sets(measure: Measure) -> bool:
    in_order = measure.cutoff is not None or measure.definition.name == "Fprime"
    return measure.definition.family in ("sets", "document_counts") and not in_order


@dataclass(frozen=True)
class SentLines:
    """A run that was sent: its fields line by line, and its documents in their order."""

    table: FieldTable
    run: Run
    document: int  # the column of the document
    rank: int | None = None
    tag: int | None = None  # None: the run has the name of its file
    second: int | None = None  # a column that says Q0
    order: str = ""  # a hash of what it lists: the same for runs that differ in name and scores alone

    @property
    def documents(self) -> Ids:
        return self.table.ids[self.document]


def lines_of_text(form: RunForm, text: SourceText) -> SentLines:
    """Read what a team sent; InputError for the first line that cannot be read."""
    passages = is_passage_run(text)
    if passages and form is not PASSAGES:
        raise InputError(
            text.name, f"lists passages, and documents are judged: give each document one line, {form.line}"
        )
    if not passages and form is PASSAGES:
        raise InputError(text.name, f"lists documents, and this task takes passages: lines of {form.line}")
    if form is SESSIONS:
        return _session(text)
    return _passages(text) if form is PASSAGES else _documents(text, form)


def _documents(text: SourceText, form: RunForm) -> SentLines:
    run = run_of_text(text, "run", order="score" if form.is_ordered else "file")
    table = read_fields(text, 6, 6, lambda found: f"{found} fields, expected 6 ({TREC_LINE})")
    lists = (
        (topic, run.documents.take(run.order[run.offsets[t] : run.offsets[t + 1]]).as_bytes())
        for t, topic in enumerate(run.topics)
    )
    if not form.is_ordered:
        lists = ((topic, sorted(names)) for topic, names in lists)
    return SentLines(table, run, 2, 3 if form.is_ordered else None, 5, 1, _hash(lists))


def _session(text: SourceText) -> SentLines:
    """A reading log. A document that is opened again is read again, and counted once."""
    expected = SESSIONS.line
    table = read_fields(text, 3, 4, lambda found: f"{found} fields, expected 3 ({expected})")
    if table.columns > 3:
        line = next(n for n, rest in enumerate(table.ids[3].as_bytes()) if rest)
        raise table.error(line, f"more than 3 fields, expected {expected}")
    seconds = table.floats(2, "seconds")
    wrong = np.flatnonzero(~((seconds >= 0) & (seconds <= LONGEST_READING)))
    if len(wrong):
        line = int(wrong[0])
        raise table.error(
            line, f"seconds {table.show(line, 2)} are not from 0 to {LONGEST_READING:,.0f}, which is a day"
        )
    topics, documents = table.ids[0].names(), table.ids[1].names()
    read: dict[str, list[bytes]] = {}
    for topic, name, spent in zip(topics, table.ids[1].as_bytes(), seconds.tolist(), strict=True):
        read.setdefault(topic, []).append(b"%s %r" % (name, spent))
    return SentLines(table, _as_first_read(topics, documents, "run"), 1, order=_hash(read.items()))


def _passages(text: SourceText) -> SentLines:
    found = passages_of_text(text, "run")
    fields = len(next(line for line in text.bytes().split(b"\n") if line.strip() and not line.startswith(b"#")).split())
    inex = fields == 8
    table = read_fields(text, fields, fields, lambda n: f"{n} fields, expected {fields} as on the first line")
    lists: list[tuple[str, list[bytes]]] = []
    for t, topic in enumerate(found.run.topics):
        span = slice(int(found.offsets[t]), int(found.offsets[t + 1]))
        ends = zip(found.documents[span], found.start[span].tolist(), found.end[span].tolist(), strict=True)
        lists.append((topic, [b"%s %d %d" % each for each in ends]))
    return SentLines(
        table, found.run, 2 if inex else 1, None, 5 if inex else 6, 1 if inex else None, _hash(lists)
    )  # fmt: skip


def _hash(lists: Iterable[tuple[str, Iterable[bytes]]]) -> str:
    """A hash of lists, topic by topic, without scores and name."""
    whole = hashlib.sha256()
    for topic, names in sorted(lists, key=lambda each: each[0]):
        whole.update(f"{topic}\n".encode("utf-8", "surrogateescape"))
        whole.update(b"\n".join(names) + b"\n\n")
    return whole.hexdigest()


# To be pooled: every form as ranked documents.


def ranked_documents(form: RunForm, path: str | os.PathLike[str], name: str) -> Run:
    """The documents of a run in the order in which they are pooled.

    Those of a session as they were read, those of passages where the first passage of each stands. Of a set they are
    drawn by lot, by a lot that is the same for all runs of a topic, so that what runs share is judged once.
    """
    if form is SESSIONS:
        read, _ = read_reading_log(path)
        return _as_first_read(*_lines(read), name)
    if form is PASSAGES:
        return passages_of_text(read_text(path), name).run
    if form is SETS:
        topics, documents = _lines(run_of_text(read_text(path), name, order="file"))
        return Run.from_columns(topics, documents, [_lot(*each) for each in zip(topics, documents, strict=True)], name)
    return read_run(path, name=name)


def _lines(run: Run) -> tuple[list[str], list[str]]:
    """Topic and document of every line, in the order of the run."""
    names = run.documents.take(run.order).names()
    counts = np.diff(run.offsets).tolist()
    return [topic for topic, count in zip(run.topics, counts, strict=True) for _ in range(count)], names


def _as_first_read(topics: Sequence[str], documents: Sequence[str], name: str) -> Run:
    """Documents in the order in which each was first read."""
    first = list(dict.fromkeys((t, d.partition(AGAIN)[0]) for t, d in zip(topics, documents, strict=True)))
    places = [-float(place) for place in range(len(first))]
    return Run.from_columns([t for t, _ in first], [d for _, d in first], places, name)


def _lot(topic: str, document: str) -> float:
    said = f"{topic}\n{document}".encode("utf-8", "surrogateescape")
    return float(int.from_bytes(hashlib.sha256(said).digest()[:6]))


# To be scored.


def scored_as(form: RunForm, files: Mapping[str, Path], *, by_passages: bool) -> dict[str, Any]:
    """How runs of a form are given to an evaluation: the arguments `runs` and, of sessions, `reads`."""
    paths = {name: str(path) for name, path in files.items()}
    if form is SESSIONS:
        return {"runs": paths, "reads": paths}
    if form is PASSAGES and not by_passages:  # whole documents were judged
        return {"runs": {name: ranked_documents(form, path, name) for name, path in files.items()}}
    return {"runs": paths}


def measures_of(form: RunForm, measures: Sequence[str]) -> list[Measure]:
    """The measures of a task; those of a session take their times from its log."""
    parsed = parse_measures(" ".join(measures))
    return [timed_by_log(measure) for measure in parsed] if form is SESSIONS else list(parsed)
