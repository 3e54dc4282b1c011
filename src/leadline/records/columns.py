"""Columns of runs and judgements, from the objects of other packages and into them.

Mappings as pytrec_eval has them, data frames of Polars, pandas and Arrow, objects of ranx, rows of ir_measures and
ir_datasets. None of these packages is imported to recognise its objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError, visible
from leadline.records.other_packages import LARGEST_GRADE
from leadline.text import sheet

if TYPE_CHECKING:
    import polars

PROBABILITY, EXPECTED = ("probability",), ("expected",)


class RunColumns(NamedTuple):
    """The columns of a run, and its name."""

    topics: Sequence[str]
    documents: Sequence[str]
    scores: Any
    name: str


class JudgementColumns(NamedTuple):
    """The columns of judgements, and their name."""

    topics: Sequence[str]
    documents: Sequence[str]
    grades: Any
    name: str
    subtopics: Sequence[str] | None = None
    weights: Sequence[float] | None = None
    strata: Sequence[str] | None = None
    probabilities: Sequence[float] | None = None
    expected: Sequence[float] | None = None


def run_columns(thing: Any, name: str) -> RunColumns:
    """The columns of whatever holds a run. `name` is used where the object has none of its own."""
    if isinstance(thing, Mapping):
        return RunColumns(*sheet.columns_of_mapping(thing, name, "score"), name)
    if sheet.is_frame(thing):
        return run_columns_of_frame(thing, name)
    if hasattr(thing, "run") and hasattr(thing, "keys") and hasattr(thing, "to_dict"):  # ranx
        return run_columns(thing.to_dict(), getattr(thing, "name", None) or name)
    rows = _rows(thing, "scoreddocs_iter", "score")
    if rows is None:
        raise InputError(name, f"{type(thing).__name__} is not a run: give a mapping or a data frame{_read(thing)}")
    return RunColumns([row.query_id for row in rows], [row.doc_id for row in rows], [row.score for row in rows], name)


def run_columns_of_frame(frame: Any, name: str, where: str | None = None) -> RunColumns:
    """The columns topic, document and score of a data frame, or other packages' names for them."""
    where = where or name
    table = sheet.as_polars(frame)
    topics = sheet.strings(table, sheet.pick(table, sheet.TOPIC, where), where)
    documents = sheet.strings(table, sheet.pick(table, sheet.DOCUMENT, where), where)
    scores = sheet.numbers(table, sheet.pick(table, sheet.SCORE, where), where)
    return RunColumns(topics, documents, np.array(scores), name)


def judgement_columns(given: Any, name: str) -> JudgementColumns:
    """The columns of whatever holds judgements. `name` is used where the object has none of its own."""
    if isinstance(given, Mapping):
        return JudgementColumns(*sheet.columns_of_mapping(given, name, "grade"), name)
    if sheet.is_frame(given):
        return judgement_columns_of_frame(given, name)
    if hasattr(given, "qrels") and hasattr(given, "to_dict"):  # ranx
        return judgement_columns(given.to_dict(), getattr(given, "name", None) or name)
    rows = _rows(given, "qrels_iter", "relevance")
    if rows is None:
        problem = f"{type(given).__name__} is not judgements: give a mapping or a data frame{_read(given)}"
        raise InputError(name, problem)
    labels = [str(getattr(row, "subtopic_id", getattr(row, "iteration", "0"))) for row in rows]
    pairs = {(row.query_id, row.doc_id) for row in rows}
    return JudgementColumns(
        [row.query_id for row in rows],
        [row.doc_id for row in rows],
        [row.relevance for row in rows],
        name,
        labels if len(pairs) < len(rows) else None,
    )


def judgement_columns_of_frame(frame: Any, where: str) -> JudgementColumns:
    """The columns topic, document and grade of a data frame, and those of judgements of other kinds if there."""
    table = sheet.as_polars(frame)
    topics = sheet.strings(table, sheet.pick(table, sheet.TOPIC, where), where)
    documents = sheet.strings(table, sheet.pick(table, sheet.DOCUMENT, where), where)
    grades = np.array(sheet.numbers(table, sheet.pick(table, sheet.GRADE, where), where))
    wrong = (grades != np.floor(grades)) | (np.abs(grades) > LARGEST_GRADE)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(where, f"row {row + 1}: grade {grades[row]:g} is not a whole number of at most nine digits")
    names = sheet.STRATUM, sheet.SUBTOPIC, sheet.WEIGHT, PROBABILITY, EXPECTED
    strata, subtopic, weight, probability, expected = (sheet.find_column(table, each) for each in names)
    labels = sheet.strings(table, subtopic, where) if subtopic else None
    if labels is not None and len(set(labels)) == 1:
        labels = None
    return JudgementColumns(
        topics,
        documents,
        grades.astype(np.int32),
        where,
        subtopics=labels,
        weights=list(sheet.numbers(table, weight, where)) if weight and labels is not None else None,
        strata=sheet.strings(table, strata, where) if strata else None,
        probabilities=list(sheet.numbers(table, probability, where)) if probability else None,
        expected=list(sheet.numbers(table, expected, where)) if probability and expected else None,
    )


def polars_frame(columns: Mapping[str, Any], name: str) -> polars.DataFrame:
    """Columns as a Polars data frame, which holds no text that is not UTF-8."""
    import polars

    for title, values in columns.items():
        if values and isinstance(values[0], str):
            for value in values:
                if not value.isascii() and visible(value) != value and not _is_unicode(value):
                    raise InputError(name, f"{title} {visible(value)} is not UTF-8, which a data frame cannot hold")
    return polars.DataFrame(dict(columns))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _rows(thing: Any, method: str, value: str) -> list[Any] | None:
    """The rows of ir_measures or of a dataset of ir_datasets; None where these are none."""
    if hasattr(thing, method):
        thing = getattr(thing, method)()
    if not isinstance(thing, Iterable) or isinstance(thing, (str, bytes)):
        return None
    rows = list(thing)
    return rows if rows and all(hasattr(row, "query_id") and hasattr(row, value) for row in rows) else None


def _read(thing: Any) -> str:
    """How to read a file, for an error about a path."""
    return "; a file is read by read_run or read_qrels" if isinstance(thing, (str, bytes)) else ""
