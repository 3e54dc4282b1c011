"""A review that was begun elsewhere: what each of its readers decided, from columns or from Rayyan's notes."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from collections.abc import Mapping, Sequence

from leadline.collections.documents.fields.references import about
from leadline.errors import InputError, LeadlineWarning, visible
from leadline.judge.journal import Event, check_name
from leadline.judge.marks import UNSURE
from leadline.judge.review.project import STARTER, ReviewProject, known_events
from leadline.records.result import counted

RAYYAN = "rayyan"  # the word that takes the place of columns
_INCLUSION = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}")
_DECISION = re.compile(r'"([^"]+)"\s*=>\s*"(Included|Excluded|Maybe)"')
_GRADES = {"Included": 1, "Excluded": 0, "Maybe": UNSURE}
Decisions = dict[str, dict[str, int]]  # by person and document


def columns_by_person(texts: Sequence[str]) -> dict[str, str]:
    """What `anna=label_anna` says, by person; InputError for anything else, and for a name that nobody can have.

    >>> columns_by_person(["anna=label 1", "ben=label 2"])
    {'anna': 'label 1', 'ben': 'label 2'}
    """
    found: dict[str, str] = {}
    for text in texts:
        person, sign, column = (part.strip() for part in text.partition("="))
        if not sign or not column or person in found:
            raise InputError("--marks", f"{visible(text[:60])!r} is not NAME=COLUMN, each name once, or {RAYYAN}")
        _check_reader(person)
        found[person] = column
    return found


def decisions_in_columns(sources: Sequence[str | os.PathLike[str]], columns: Mapping[str, str]) -> Decisions:
    """What each person decided, from a column for each in tables."""
    from leadline.judge.review.exchange import read_labels

    found: Decisions = {}
    for person, column in columns.items():
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r".* without a label, left out$", LeadlineWarning)  # they are to be read
            labels = read_labels(sources, column=column)
        found[person] = {name: grade for grades in labels.to_dict().values() for name, grade in grades.items()}
    return found


def decisions_of_rayyan(project: ReviewProject) -> Decisions:
    """What each person decided, from the notes that Rayyan writes into RIS and CSV."""
    found: Decisions = {}
    for collection in project.collections():
        for document in collection.documents():
            for note in about(document, "notes"):
                for inside in _INCLUSION.findall(note):
                    for person, decision in _DECISION.findall(inside):
                        found.setdefault(person, {})[document.id] = _GRADES[decision]
    if not found:
        raise InputError("--marks", f"no note of the documents has decisions as {RAYYAN.capitalize()} writes them")
    for person in found:
        _check_reader(person)
    return found


def add_decisions(project: ReviewProject, found: Decisions) -> int:
    """Store what readers decided before, each under their name; returns how many marks are new."""
    events: list[Event] = []
    left_out = 0
    for person, decisions in found.items():
        inside = {name: grade for name, grade in decisions.items() if name in project.row_of}
        left_out += len(decisions) - len(inside)
        by_unit: dict[str, int] = {}
        for name, grade in inside.items():  # of records with the same text, the one that is kept
            unit = project.units[project.row_of[name]][0]
            by_unit[unit] = max(grade, by_unit.get(unit, grade), key=(0, UNSURE, 1).index)
        events += known_events(project, by_unit, person, "--marks")
    if left_out:
        said = f"{counted(left_out, 'decision')} on documents that are not in this review, left out"
        warnings.warn(said, LeadlineWarning, stacklevel=2)
    with contextlib.closing(project.journal()) as journal:
        return journal.append_all(events)


def _check_reader(person: str) -> None:
    check_name(person)
    if person == STARTER:
        raise InputError("--marks", f"{STARTER} stands for what was known at the start: choose another name")
