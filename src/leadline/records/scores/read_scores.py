"""Scores from a table of any usual form, as the score cube."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.scores.scores import Aggregate, Scores
from leadline.text.frames import TOPIC
from leadline.text.sheet import Sheet, read_sheet
from leadline.text.source import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.records.scores.scores import Array

Columns = Literal["topics", "measures", "runs"]
RUN = ("run", "system", "run_id", "runid", "system_id", "tag")
MEASURE = ("measure", "metric")
VALUE = ("value", "score")
LARGEST = 200_000_000  # cells of a cube, 1.6 GB; more than any real table has
MEAN = "all"  # the topic under which a table of scores gives means

# Names of measures in a header. Only these, and names with @ or (, are taken for measures although they have a digit.
_MEASURE = re.compile(
    r".*[@(].*|(P|R|relative_P|iprec_at_recall)_[\d.]+"
    r"|(MAP|AP|n?DCG|PRES|recall|precision|success|judged|ERR|RBP|MRR|F)(_?cut)?_?[\d.]+",
    re.IGNORECASE,
)


def read_scores(path: str | os.PathLike[str], *, columns: Columns | None = None, measure: str = "score") -> Scores:
    """Read the score cube from a table in CSV, TSV, JSON, JSON lines or Parquet, compressed or not.

    The columns `run` (or `system`), `topic` (or `query_id`, `qid`) and `measure` identify a row. With a column `value`
    each row is one score, as `leadline evaluate --format tsv` writes them. Without it every other column holds scores,
    and its name is the run, topic or measure that the rows lack:

    - `run, 501, 502, ...`    a row per run, a column per topic
    - `run, AP, PRES@100`     a row per run, a column per measure: means, under the single topic `all`
    - `topic, bm25, tfidf`    a row per topic, a column per run
    - `run, topic, AP, P@10`  a row per run and topic, a column per measure

    `columns` says what the columns are. Without it, if the rows name only runs, columns are topics when each name has a
    digit (501, TS-12) and they do not look like measures (P@10, ndcg_cut_20), else measures. If the rows name only
    topics, columns are runs, unless all look like measures: then the table is one run, named like the file. The notes
    say what was guessed.

    `measure` is the name of the measure where the table has none. The topic `all` is a mean, and dropped where there
    are other topics. An empty cell, NA or NaN is undefined.
    """
    if columns is not None:
        checked_choice("columns", columns, get_args(Columns))
    sheet = read_sheet(path)
    layout = _Layout.of(sheet, columns)
    across = [sheet.columns[c] for c in layout.data]
    runs, topics, measures = (
        _Axis.of(sheet, place, across if layout.across == kind else [alone])
        for kind, place, alone in (
            ("runs", layout.run, stem(path)),
            ("topics", layout.topic, MEAN),
            ("measures", layout.measure, measure),
        )
    )
    values = np.array([sheet.numbers(c) for c in layout.data]).T
    shape = (len(runs.names), len(topics.names), len(measures.names))
    if math.prod(shape) > LARGEST:
        raise InputError(
            sheet.name,
            f"{shape[0]} runs, {shape[1]} topics and {shape[2]} measures are too many: is a column misnamed?",
        )
    cells = np.ravel_multi_index(np.broadcast_arrays(runs.codes, topics.codes, measures.codes, values)[:3], shape)
    _refuse_twice(sheet, cells, (runs, topics, measures), shape)
    cube = np.full(shape, np.nan)
    cube.flat[cells] = values
    if np.isnan(cube).all():
        raise InputError(sheet.name, "holds no number")
    scores = Scores(tuple(runs.names), tuple(topics.names), tuple(measures.names), cube, notes=layout.notes)
    return _with_missing_counted(_without_means(scores))


@dataclass(frozen=True)
class _Layout:
    """Which columns name the run, topic and measure, which hold scores, and what the names of those are."""

    run: int | None
    topic: int | None
    measure: int | None
    data: list[int]
    across: Columns | None  # None in a long table
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, sheet: Sheet, columns: Columns | None) -> _Layout:
        run, topic, measure = sheet.find(RUN), sheet.find(TOPIC), sheet.find(MEASURE)
        value = sheet.find(VALUE)
        if value is not None and (topic is not None or measure is not None) and columns is None:
            return cls(run, topic, measure, [value], None)
        if run is None and topic is None and measure is None:
            run = 0
        named: dict[Columns, int | None] = {"runs": run, "topics": topic, "measures": measure}
        data = [c for c in range(len(sheet.columns)) if c not in named.values()]
        if not data:
            raise InputError(
                sheet.name,
                f"no column of scores beside {', '.join(sheet.columns)}; expected run, topic, measure, value",
            )
        if columns is not None:
            if named[columns] is not None:
                there = sheet.columns[named[columns] or 0]
                raise InputError(sheet.name, f"its rows already name the {columns}, in the column {there!r}")
            return cls(run, topic, measure, data, columns)
        names = [sheet.columns[c] for c in data if sheet.columns[c] != MEAN]
        across = _guess(names, [kind for kind, place in named.items() if place is None])
        row = " and ".join(kind.removesuffix("s") for kind, place in named.items() if place is not None)
        note = f"{sheet.name}: read as one row per {row}, one column per {across.removesuffix('s')}"
        return cls(run, topic, measure, data, across, (note,))


def _guess(names: Sequence[str], unnamed: Sequence[Columns]) -> Columns:
    """Guess what the columns of scores are, among the kinds that the rows do not name."""
    if len(unnamed) == 1:
        return unnamed[0]
    if "measures" not in unnamed:
        return "runs"
    like_measures = bool(names) and all(map(_MEASURE.fullmatch, names))
    if "runs" in unnamed:
        return "measures" if like_measures else "runs"
    numbered = all(re.search(r"\d", name) for name in names) and not any(re.search(r"[@(]", name) for name in names)
    return "topics" if numbered and not like_measures else "measures"


@dataclass(frozen=True)
class _Axis:
    """The names along one side of the cube, and which of them each score belongs to."""

    names: list[str]
    codes: NDArray[np.int64]  # one a row, one a column, or a single one, shaped to broadcast

    @classmethod
    def of(cls, sheet: Sheet, column: int | None, otherwise: list[str]) -> _Axis:
        if column is None:
            return cls(otherwise, np.arange(len(otherwise))[None, :])
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(name, len(numbers)) for name in sheet.labels(column)]
        return cls(list(numbers), np.array(codes, np.int64)[:, None])


def _refuse_twice(
    sheet: Sheet, cells: NDArray[np.int64], axes: tuple[_Axis, _Axis, _Axis], shape: tuple[int, int, int]
) -> None:
    """Raise an error where one cell of the cube has two values."""
    flat = cells.ravel()
    order = np.argsort(flat, kind="stable")
    again = np.flatnonzero(flat[order][1:] == flat[order][:-1]) + 1
    if not len(again):
        return
    place = again[order[again].argmin()]
    first, second = int(order[place - 1]) // cells.shape[1], int(order[place]) // cells.shape[1]
    run, topic, measure = (
        axis.names[int(code)] for axis, code in zip(axes, np.unravel_index(flat[order[place]], shape), strict=True)
    )
    raise sheet.error(
        second, f"run {run}, topic {topic}, measure {measure} is there twice, first in {sheet.where(first)}"
    )


def _without_means(scores: Scores) -> Scores:
    """Drop the topic of means where there are others; its values show how each measure is averaged."""
    if MEAN not in scores.topics or len(scores.topics) == 1:
        return scores
    place = scores.topics.index(MEAN)
    given = scores.values[:, place]
    kept = [t for t in range(len(scores.topics)) if t != place]
    by_topic = replace(scores, topics=tuple(scores.topics[t] for t in kept), values=scores.values[:, kept])
    with_topics = ~np.isnan(by_topic.values).all(axis=(1, 2))
    notes = list(scores.notes)
    if not with_topics.all():
        left_out = [scores.runs[r] for r in np.flatnonzero(~with_topics).tolist()]
        notes.append(f"only a mean and no topic is given for {', '.join(left_out)}: left out")
        given = given[with_topics]
        by_topic = by_topic.select_runs(np.flatnonzero(with_topics).tolist())
    kinds = get_args(Aggregate)
    agree = np.stack([_agrees(_averaged(by_topic, kind), given) for kind in kinds])  # kind, measure
    aggregates = tuple(kinds[int(column.argmax())] for column in agree.T)
    notes += [
        f"{scores.measures[m]}: the topic {MEAN} is not the mean of the topics given; their mean is taken"
        for m in np.flatnonzero(~agree.any(axis=0)).tolist()
    ]
    return replace(by_topic, aggregates=aggregates, notes=tuple(notes))


def _averaged(scores: Scores, kind: Aggregate) -> Array:
    return replace(scores, aggregates=(kind,) * len(scores.measures)).mean_values()


def _agrees(here: Array, given: Array) -> NDArray[np.bool_]:
    """Whether the means of all runs are as given, to about three digits."""
    near = np.isclose(here, given, rtol=1e-3, atol=1e-3) | np.isnan(given)
    return np.asarray(near.all(axis=0))


def _with_missing_counted(scores: Scores) -> Scores:
    missing = int(np.isnan(scores.values).sum())
    if not missing:
        return scores
    note = f"{missing} of {scores.values.size} scores are missing and taken as undefined"
    return replace(scores, notes=(*scores.notes, note))
