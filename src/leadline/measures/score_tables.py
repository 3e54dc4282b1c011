"""Scores from a table, with what our measures say of them: whether higher or lower values are better."""

from __future__ import annotations

from dataclasses import replace

from leadline.errors import MeasureError
from leadline.measures.notation import parse_measure
from leadline.records.inputs import Path
from leadline.records.scores.read_scores import Columns
from leadline.records.scores.read_scores import read_scores as read_table
from leadline.records.scores.scores import Better, Scores


def read_scores(path: Path, *, columns: Columns | None = None, measure: str = "score") -> Scores:
    """Read scores from a table in CSV, TSV, JSON, JSON lines or Parquet; `columns` says what its columns are.

    A row has a run, a topic and a measure, and a value or a column for each of what the rows do not name. Without
    `columns` this is guessed, and the notes say what was guessed. `measure` names the measure of a table that has none.
    """
    scores = read_table(path, columns=columns, measure=measure)
    return replace(scores, better=tuple(map(_better, scores.measures)))


def _better(measure: str) -> Better:
    """Which values are better, as the measure says if it is one of ours."""
    try:
        return parse_measure(measure).definition.better
    except MeasureError:
        return "higher"
