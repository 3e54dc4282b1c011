"""Qrels from files in each of the formats in use."""

from __future__ import annotations

import os
from typing import Any, get_args

import numpy as np

from leadline.errors import InputError, not_a_choice
from leadline.records.choices import Format
from leadline.records.dataset_handles import is_handle, rows_of
from leadline.records.qrels.qrels import Builder, Qrels
from leadline.text import frames
from leadline.text.fields import FieldTable, number_of, read_fields
from leadline.text.source import SourceText, read_text

MOST_GRADE = 999  # prels write -999 for no judgement; a larger number is that of a document
_COLUMNS = {
    "plain": "topic 0 document grade",
    "strata": "topic 0 document stratum grade",
    "subtopics": "topic subtopic document grade [weight]",
    "prels": "topic document grade method probability",
    "passages": "topic subtopic document passage grade",
}


def read_qrels(source: str | os.PathLike[str], *, format: str | None = None) -> Qrels:
    """Read judgements from a file, or from a handle of ir_datasets.

    `format` may be left out where only one reading is possible.
    """
    if is_handle(source):
        return Qrels.of(rows_of(os.fspath(source), "qrels"), os.fspath(source))
    return qrels_of_text(read_text(source), format=format)


def qrels_of_text(text: SourceText, *, format: str | None = None) -> Qrels:
    """Read judgements from a text in memory."""
    if format is not None and format not in get_args(Format):
        raise not_a_choice("qrels format", format, get_args(Format))
    kind = frames.named_kind(text.name, text.buffer[text.begin : text.begin + 4096].tobytes())
    if kind is not None:
        from leadline.records.objects import judgement_columns_of_frame

        return Qrels.from_columns(**judgement_columns_of_frame(frames.frame_of_text(text, kind), text.name)._asdict())
    fewest = 5 if format in ("strata", "prels", "passages") else 4
    table = read_fields(text, fewest, 6, lambda found: _wrong_count(found, format))
    if table.columns == 6:
        line = int(np.flatnonzero(table.ids[5].lengths)[0])
        raise table.error(line, _wrong_count(6, format))
    if table.columns == 5 and not table.ids[4].lengths.all():
        line = int(np.flatnonzero(table.ids[4].lengths == 0)[0])
        raise table.error(line, "4 fields, but other lines have 5")
    if format == "plain" and table.columns == 5:
        raise table.error(0, _wrong_count(5, format))
    return _READERS[format or _guess(table)](table)


def _wrong_count(found: int, format: str | None) -> str:
    expected = _COLUMNS[format or "plain"]
    count = "5" if format in ("strata", "prels", "passages") else "4 or 5" if format == "subtopics" else "4"
    problem = f"{found} field{'s' * (found != 1)}, expected {count} ({expected})"
    return problem + "; this looks like a run, which comes after the judgements" if found >= 6 else problem


def _guess(table: FieldTable) -> Format:
    """The format of a file, where only one reading is possible."""
    if table.columns == 4:
        labels = table.coded(1)
        if len(labels) == 1 or _once_a_topic(table, 2):
            return "plain"
        triples = table.coded(0).pair(table.coded(2)) * len(labels) + labels.codes
        # The same document twice with the same label is an error; `plain` has the better message for it.
        return "subtopics" if len(labels) > 1 and len(np.unique(triples)) == len(triples) else "plain"
    possible = [format for format, test in _FIVE_COLUMNS.items() if test(table)]
    if len(possible) == 1:
        return possible[0]
    raise InputError(
        table.text.name,
        "5 fields can be read in several ways; say which with --qrels-format "
        + ", ".join(f"{format} ({_COLUMNS[format]})" for format in (possible or _FIVE_COLUMNS)),
    )


def _numbers(table: FieldTable, column: int) -> list[float | None]:
    coded = table.coded(column)
    values = [number_of(name) for name in coded.names]
    return [values[code] for code in coded.codes.tolist()]


def _whole(table: FieldTable, column: int) -> bool:
    return all(name.lstrip(b"+-").isdigit() for name in table.coded(column).names)


def _grades(table: FieldTable, column: int) -> bool:
    """Whether a column may hold grades: whole numbers that are no document numbers."""
    return _whole(table, column) and all(abs(int(name)) <= MOST_GRADE for name in table.coded(column).names)


def _once_a_topic(table: FieldTable, column: int) -> bool:
    """Whether no value of a column occurs twice for a topic, as in a column of documents."""
    return len(np.unique(table.coded(0).pair(table.coded(column)))) == len(table)


def _can_be_strata(table: FieldTable) -> bool:
    return len(table.coded(1)) == 1 and _once_a_topic(table, 2) and _whole(table, 3) and _whole(table, 4)


def _can_be_weights(table: FieldTable) -> bool:
    labels, weights = table.coded(1), table.coded(4)
    if not _whole(table, 3) or not all((number_of(name) or -1) > 0 for name in weights.names):
        return False
    if len(labels) == 1 and _whole(table, 4):
        return False  # a weight that we write has a decimal point, also that of a single claim
    if _grades(table, 2) and _once_a_topic(table, 1):
        return False  # the second column names documents, the third their grades
    subtopics = table.coded(0).pair(labels)
    return len(np.unique(subtopics)) == len(np.unique(subtopics * len(weights) + weights.codes))


def _can_be_prels(table: FieldTable) -> bool:
    chances = [number_of(name) for name in table.coded(4).names if name.upper() != b"NA"]
    return (
        _once_a_topic(table, 1)
        and set(table.coded(3).names) <= {b"0", b"1", b"2"}
        and _grades(table, 2)
        and all(chance is not None and 0 <= chance <= 1 for chance in chances)
    )


def _can_be_passages(table: FieldTable) -> bool:
    return len(table.coded(1)) > 1 and _whole(table, 4)


_FIVE_COLUMNS: dict[Format, Any] = {
    "strata": _can_be_strata,
    "subtopics": _can_be_weights,
    "prels": _can_be_prels,
    "passages": _can_be_passages,
}


def _plain(table: FieldTable) -> Qrels:
    builder = Builder(table.text.name, table.coded(0), table.coded(2), table.integers(3, "grade"), table.line_number)
    if len(table.coded(1)) > 1:
        # No document is judged twice, so the second column may name subtopics; measures that need them can use it.
        plain = builder.plain()
        by_subtopic = builder.by_subtopic(table.coded(1))
        return Qrels(
            plain.name,
            plain.topics,
            plain.offsets,
            plain.documents,
            plain.grades,
            "plain",
            subtopics=by_subtopic.subtopics,
        )
    return builder.plain()


def _strata(table: FieldTable) -> Qrels:
    grades, strata = table.integers(4, "grade"), table.integers(3, "stratum")
    return Builder(table.text.name, table.coded(0), table.coded(2), grades, table.line_number).strata(strata)


def _subtopics(table: FieldTable) -> Qrels:
    if table.columns == 5 and not _can_be_weights(table) and _can_be_passages(table):
        return _passages(table)
    grades = table.integers(3, "grade")
    weights = table.floats(4, "weight") if table.columns == 5 else None
    builder = Builder(table.text.name, table.coded(0), table.coded(2), grades, table.line_number)
    return builder.by_subtopic(table.coded(1), weights)


def _passages(table: FieldTable) -> Qrels:
    grades = table.integers(4, "grade")
    builder = Builder(table.text.name, table.coded(0), table.coded(2), grades, table.line_number)
    return builder.by_subtopic(table.coded(1), passages=True)


def _prels(table: FieldTable) -> Qrels:
    """Sampled judgements with the probability each document had of being sampled.

    As Northeastern's program reads them: only documents of method 1 were sampled, all others have probability 1;
    lines without a judgement (-999) or without a usable probability are left out.
    """
    grades = table.integers(2, "grade")
    chances = np.array([np.nan if value is None else value for value in _numbers(table, 4)])
    method = table.integers(3, "method")
    usable = (grades != -999) & (chances >= 0) & (chances <= 1)
    chances = np.where(method == 1, chances, 1.0)
    usable &= chances > 0
    if not usable.any():
        raise InputError(table.text.name, "no line has a judgement and a probability")
    lines = np.flatnonzero(usable)
    builder = Builder(
        table.text.name,
        table.coded(0).at(lines),
        table.coded(1).at(lines),
        grades[lines],
        lambda line: table.line_number(int(lines[line])),
    )
    return builder.prels(chances[lines])


_READERS = {"plain": _plain, "strata": _strata, "subtopics": _subtopics, "prels": _prels, "passages": _passages}
