"""The score cube: run × topic × measure; with Student's t, and from a table of any usual form."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from leadline.errors import InputError, checked_choice, nearest
from leadline.records.other_packages import data_frames
from leadline.records.result import Result, Table, counted, decimals, number
from leadline.text.files import write_whole
from leadline.text.sheet import TOPIC, Sheet, read_sheet
from leadline.text.source import stem

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

    from leadline.records.other_packages import MeasureName

    Array = NDArray[np.float64]

Aggregate = Literal["mean", "sum", "geometric"]
Better = Literal["higher", "lower", "neither"]

SMALLEST = 1e-5  # used for 0 in a geometric mean, as trec_eval does
FEWEST_TOPICS = 5  # fewer give no useful interval


@dataclass(frozen=True, repr=False)
class Scores(Result):
    """The value of every run for every topic under every measure; NaN where it is undefined.

    It is used like a mapping from measures to the means of the runs, `scores["AP"]["bm25"]`.

    >>> scores = Scores(("a", "b"), ("1", "2"), ("AP",), np.array([[[0.2], [0.4]], [[0.5], [np.nan]]]))
    >>> scores
    <Scores 2 runs × 2 topics × 1 measure; best AP: b (0.500)>
    >>> {run: round(mean, 3) for run, mean in scores["AP"].items()}, list(scores), "AP" in scores, scores.leader()
    ({'a': 0.3, 'b': 0.5}, ['AP'], True, 'b')
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Array  # run, topic, measure
    aggregates: tuple[Aggregate, ...] = ()
    better: tuple[Better, ...] = ()
    lowest: Array | None = None  # what the order inside ties allows
    highest: Array | None = None
    sampling: Array | None = None  # the variance of each value that was estimated from few judgements; NaN for others
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of runs: team, task, ...
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.runs), len(self.topics), len(self.measures)):
            raise ValueError(f"values of shape {self.values.shape} do not fit the names")
        count = len(self.measures)
        object.__setattr__(self, "aggregates", self.aggregates or ("mean",) * count)
        object.__setattr__(self, "better", self.better or ("higher",) * count)

    def __getitem__(self, measure: MeasureName) -> dict[str, float]:
        """The mean of each run under one measure: {run: mean}."""
        return dict(zip(self.runs, self.mean_values()[:, self.place(measure)].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __contains__(self, measure: object) -> bool:
        return self._place(measure) is not None

    def keys(self) -> tuple[str, ...]:
        """The measures, so that `dict(scores)` is {measure: {run: mean}}."""
        return self.measures

    def means(self) -> dict[str, dict[str, float]]:
        """The mean of each run under each measure, {measure: {run: mean}}; the sum for counts."""
        columns = self.mean_values().T.tolist()
        return {name: dict(zip(self.runs, means, strict=True)) for name, means in zip(self, columns, strict=True)}

    def run(self, name: str) -> dict[str, float]:
        """The mean of one run under each measure: {measure: mean}."""
        return dict(zip(self.measures, self.mean_values()[self._run_place(name)].tolist(), strict=True))

    def by_topic(self, measure: MeasureName) -> dict[str, dict[str, float]]:
        """The values of each run on each topic under one measure, {run: {topic: value}}; NaN where undefined."""
        columns = self.values[:, :, self.place(measure)].tolist()
        return {run: dict(zip(self.topics, row, strict=True)) for run, row in zip(self.runs, columns, strict=True)}

    def leader(self, measure: MeasureName | None = None) -> str:
        """The name of the run with the best mean (default: by the first measure), over the topics that all runs have.

        It need not be significantly better than the next: `leadline.verdict` says whether it is.
        """
        return self.runs[self.leader_index(0 if measure is None else self.place(measure))]

    def place(self, measure: MeasureName) -> int:
        """The index of a measure, which may be named in capital or small letters."""
        found = self._place(measure)
        if found is None:
            name = _name_of(measure)
            raise InputError(
                "scores", f"no measure {name!r} among {', '.join(self.measures)}{nearest(name, self.measures)}"
            )
        return found

    def _place(self, measure: object) -> int | None:
        name = _name_of(measure)
        if name in self.measures:
            return self.measures.index(name)
        small = [each.lower() for each in self.measures]
        return small.index(name.lower()) if name.lower() in small else None

    def _run_place(self, name: str) -> int:
        if name not in self.runs:
            raise InputError("scores", f"no run {name!r} among {len(self.runs)} runs{nearest(name, self.runs)}")
        return self.runs.index(name)

    def mean_values(self, values: Array | None = None) -> Array:
        """The means as an array, run × measure: over the topics where a value is defined, or the sum of counts."""
        cube = self.values if values is None else values
        columns = [_AGGREGATES[kind](cube[:, :, m]) for m, kind in enumerate(self.aggregates)]
        return np.stack(columns, axis=1) if columns else np.empty((len(self.runs), 0))

    def shared_topics(self) -> NDArray[np.bool_]:
        """Topic × measure: the topics where every run has a value; runs without any value do not count.

        Runs are ordered by their means over these, so that no run gains by failing a topic.
        """
        defined = ~np.isnan(self.values)
        answers = np.asarray(defined.any(axis=1))  # run × measure: whether the run has any value
        return np.asarray((defined | ~answers[:, None, :]).all(axis=0) & defined.any(axis=0))

    def order_means(self) -> Array:
        """The means that order the runs: over the shared topics, or over each run's own if there are none."""
        shared = self.shared_topics()
        kept = shared | ~shared.any(axis=0)
        return self.mean_values() if kept.all() else self.mean_values(np.where(kept, self.values, np.nan))

    def ranking(self, measure: int = 0) -> list[int]:
        """The indices of the runs, best mean over the shared topics first; equal means by name.

        Without shared topics, runs with values for more topics come first.

        >>> effort = np.array([[[10.0], [np.nan]], [[9.0], [40.0]]])
        >>> Scores(("a", "b"), ("1", "2"), ("effort@0.9",), effort, better=("lower",)).ranking()
        [1, 0]
        """
        column = self.order_means()[:, measure] * (1 if self.better[measure] == "lower" else -1)
        keys = np.nan_to_num(column, nan=np.inf)
        lacking = np.isnan(self.values[:, :, measure]).sum(axis=1) * (not self.shared_topics()[:, measure].any())
        return sorted(range(len(self.runs)), key=lambda run: (lacking[run], keys[run], self.runs[run]))

    def half_widths(self) -> Array:
        """Half the 95 % confidence interval of each mean, by Student's t over topics; NaN for sums and few topics."""
        defined = ~np.isnan(self.values)
        n = defined.sum(axis=1)
        centred = np.where(defined, self.values - _mean(self.values, axis=1)[:, None, :], 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.sqrt((centred**2).sum(axis=1) / (n - 1))
            widths = t_quantile(n - 1) * deviation / np.sqrt(n)
        plain = np.array([kind == "mean" for kind in self.aggregates])
        return np.where((n >= FEWEST_TOPICS) & plain, widths, np.nan)

    def sampling_half_widths(self) -> Array:
        """Half the 95 % interval of each mean for these very topics, where few judgements leave it open; else NaN.

        Student's t, with as many degrees of freedom as the topics are worth that the variance comes from
        (Satterthwaite), at least 2: it is an estimate itself, and a few topics with rare finds are most of it.

        >>> values, all_alike, one_topic = np.zeros((1, 30, 2)), np.full(30, 0.09), np.eye(30)[0]
        >>> scores = Scores(("a",), tuple(map(str, range(30))), ("AP", "R"), values)
        >>> replace(scores, sampling=np.stack([all_alike, one_topic], axis=1)[None]).sampling_half_widths().round(4)
        array([[0.1119, 0.1434]])
        """
        if self.sampling is None:
            return np.full((len(self.runs), len(self.measures)), np.nan)
        known = np.where(np.isnan(self.sampling), 0.0, self.sampling)
        topics = (~np.isnan(self.sampling)).sum(axis=1)
        total, squares = known.sum(axis=1), (known**2).sum(axis=1)
        freedom = np.divide(total**2, squares, out=np.full(total.shape, 2.0), where=squares > 0)
        freedom = np.maximum(freedom, 2.0)
        # Between whole numbers of degrees of freedom the quantile is nearly straight in their reciprocal.
        below, above = np.floor(freedom), np.floor(freedom) + 1
        part = (1 / below - 1 / freedom) / (1 / below - 1 / above)
        quantile = (1 - part) * t_quantile(below) + part * t_quantile(above)
        widths = quantile * np.sqrt(total) / np.maximum(topics, 1)
        return np.where(topics >= FEWEST_TOPICS, widths, np.nan)

    def of(self, measure: str) -> Array:
        """The run × topic matrix of one measure."""
        return self.values[:, :, self.place(measure)]

    def leader_index(self, measure: int = 0) -> int:
        """The index of the run with the best mean over the topics where every run has a value."""
        return self.ranking(measure)[0]

    def select_runs(self, keep: Sequence[int]) -> Scores:
        """Only some of the runs, in the order given."""
        places = list(keep)
        return replace(
            self,
            runs=tuple(self.runs[r] for r in places),
            values=self.values[places],
            lowest=None if self.lowest is None else self.lowest[places],
            highest=None if self.highest is None else self.highest[places],
            sampling=None if self.sampling is None else self.sampling[places],
        )

    def select_measures(self, names: Sequence[str]) -> Scores:
        """Only some of the measures, by name, in the order given."""
        places = [self.place(name) for name in names]
        return replace(
            self,
            measures=tuple(self.measures[m] for m in places),
            values=self.values[:, :, places],
            aggregates=tuple(self.aggregates[m] for m in places),
            better=tuple(self.better[m] for m in places),
            lowest=None if self.lowest is None else self.lowest[:, :, places],
            highest=None if self.highest is None else self.highest[:, :, places],
            sampling=None if self.sampling is None else self.sampling[:, :, places],
        )

    def best_per(self, count: int, attribute: str | None = None) -> Scores:
        """The best `count` runs of each team (or other attribute), by the first measure, best first."""
        kept, seen = [], dict[str, int]()
        for r in self.ranking():
            group = self.attributes.get(self.runs[r], {}).get(attribute, self.runs[r]) if attribute else ""
            seen[group] = seen.get(group, 0) + 1
            if seen[group] <= count:
                kept.append(r)
        return self.select_runs(kept)

    def long(self, *, by_topic: bool = False, means: bool = True) -> Table:
        """A row for each run, topic and measure: `all` is the topic of means.

        Of an estimate from few judgements `low` and `high` are the ends of the 95 % interval for these very topics.
        """
        averages = self.mean_values()
        bounds = [self.mean_values(self.lowest), self.mean_values(self.highest)] if self.lowest is not None else []
        cubes = [cube for cube in (self.lowest, self.highest) if cube is not None]
        if self.sampling is not None:
            of_topics, of_means = t_quantile(np.array(1000)) * np.sqrt(self.sampling), self.sampling_half_widths()
            cubes, bounds = ([at - w, at + w] for at, w in ((self.values, of_topics), (averages, of_means)))
        rows: list[list[Any]] = []
        for r, run in enumerate(self.runs):
            if by_topic:
                rows += [
                    [run, topic, measure, *(float(cube[r, t, m]) for cube in [self.values, *cubes])]
                    for t, topic in enumerate(self.topics)
                    for m, measure in enumerate(self.measures)
                ]
            if means:
                rows += [
                    [run, "all", measure, *(float(column[r, m]) for column in [averages, *bounds])]
                    for m, measure in enumerate(self.measures)
                ]
        more = ["low", "high"] if self.sampling is not None else ["lowest", "highest"] if bounds else []
        return Table(["run", "topic", "measure", "value", *more], rows)

    def wide(self, *, by_topic: bool = False, intervals: bool = True, sort: bool = False) -> Table:
        """A row for each run (and topic), a column for each measure; the best mean of each is set off."""
        means, widths, inner = self.mean_values(), self.half_widths(), self.sampling_half_widths()
        order = self.ranking() if sort and self.measures else list(range(len(self.runs)))
        beside = [means, widths] if self.lowest is None or self.highest is None else [self.lowest, self.highest]
        places = [
            decimals((value for values in beside for value in values[..., m].flat), apart=False)
            for m in range(len(self.measures))
        ]
        best = self._best(self.order_means())
        extra = self._attribute_names()
        rows: list[list[Any]] = []
        set_off: set[tuple[int, int]] = set()
        asides: dict[tuple[int, int], str] = {}
        lead = 1 + len(extra) + by_topic
        for r in order:
            labels = [self.runs[r], *(self.attributes.get(self.runs[r], {}).get(name, "") for name in extra)]
            if by_topic:
                for t, topic in enumerate(self.topics):
                    asides |= self._tie_asides(len(rows), lead, places, self.lowest, self.highest, (r, t))
                    rows.append([*labels, topic, *self.values[r, t].tolist()])
            for m in range(len(self.measures)):
                if (r, m) in best:
                    set_off.add((len(rows), lead + m))
                if self.lowest is None and intervals and not np.isnan(widths[r, m]):
                    within = f" ±{inner[r, m]:.{places[m]}f}" * (not np.isnan(inner[r, m]))
                    asides[len(rows), lead + m] = f"±{widths[r, m]:.{places[m]}f}{within}"
            if self.lowest is not None and self.highest is not None:
                bounds = (self.mean_values(self.lowest), self.mean_values(self.highest))
                asides |= self._tie_asides(len(rows), lead, places, *bounds, (r,))
            rows.append([*labels, *(["all"] if by_topic else []), *means[r].tolist()])
        rows = [row[:lead] + [self._as_count(m, value) for m, value in enumerate(row[lead:])] for row in rows]
        columns = ["run", *extra, *(["topic"] if by_topic else []), *self.measures]
        return Table(columns, rows, best=set_off, asides=asides)

    def _as_count(self, m: int, value: float) -> float | int:
        return int(value) if self.aggregates[m] == "sum" and value.is_integer() else value

    @staticmethod
    def _tie_asides(
        row: int, lead: int, places: Sequence[int], low: Array | None, high: Array | None, place: tuple[int, ...]
    ) -> dict[tuple[int, int], str]:
        if low is None or high is None:
            return {}
        return {
            (row, lead + m): f"[{a:.{places[m]}f}, {b:.{places[m]}f}]"
            for m, (a, b) in enumerate(zip(low[place], high[place], strict=True))
            if not math.isnan(a)
        }

    def _best(self, means: Array) -> set[tuple[int, int]]:
        best = set()
        for m, better in enumerate(self.better):
            column = means[:, m]
            if better == "neither" or len(self.runs) < 2 or np.isnan(column).all():
                continue
            extreme = np.nanmin(column) if better == "lower" else np.nanmax(column)
            best |= {(int(r), m) for r in np.flatnonzero(column == extreme)}
        return best

    def _frame(self, by_topic: bool, wide: bool) -> tuple[list[str], list[list[Any]]]:
        """The columns and rows of a data frame: either topics or means, never both."""
        if not wide:
            table = self.long(by_topic=by_topic, means=not by_topic)
            kept = [c for c, name in enumerate(table.columns) if by_topic or name != "topic"]
            return [table.columns[c] for c in kept], [[row[c] for c in kept] for row in table.rows]
        extra, means = self._attribute_names(), self.mean_values()
        rows: list[list[Any]] = []
        for r, run in enumerate(self.runs):
            labels = [run, *(self.attributes.get(run, {}).get(name, "") for name in extra)]
            if by_topic:
                rows += [[*labels, topic, *self.values[r, t].tolist()] for t, topic in enumerate(self.topics)]
            else:
                rows.append([*labels, *means[r].tolist()])
        return ["run", *extra, *(["topic"] if by_topic else []), *self.measures], rows

    def _attribute_names(self) -> list[str]:
        """The attributes of the runs, in the order of their table."""
        return list(dict.fromkeys(name for run in self.runs for name in self.attributes.get(run, {})))

    def to_polars(self, *, by_topic: bool = True, wide: bool = False) -> polars.DataFrame:
        """The values by topic as a Polars data frame: run, topic, measure, value. Without `by_topic`, the means.

        `wide` gives each measure a column, in the order asked for, after the run, its attributes and the topic.
        """
        import polars

        columns, rows = self._frame(by_topic, wide)
        return polars.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)

    def to_pandas(self, *, by_topic: bool = True, wide: bool = False) -> pandas.DataFrame:
        """The same as a pandas data frame."""
        columns, rows = self._frame(by_topic, wide)
        frame: pandas.DataFrame = data_frames("to_pandas").DataFrame(rows, columns=columns)
        return frame

    def to_arrow(self, *, by_topic: bool = True, wide: bool = False) -> pyarrow.Table:
        """The same as an Arrow table."""
        data_frames("to_arrow", "pyarrow")
        return self.to_polars(by_topic=by_topic, wide=wide).to_arrow()

    def to_parquet(self, path: str | os.PathLike[str], *, by_topic: bool = True) -> None:
        """Write a Parquet file that `read_scores` reads: run, topic, measure, value; the means have the topic `all`."""
        write_whole(path, self.long(by_topic=by_topic).parquet())

    def to_latex(self) -> str:
        """The means as a booktabs table, the best of each measure in bold."""
        return self.wide(intervals=False).render("latex")

    def to_markdown(self) -> str:
        """The means as a Markdown table, the best of each measure in bold."""
        return self.wide(intervals=False).render("markdown")

    def _finding(self) -> str:
        counts = ((self.runs, "run"), (self.topics, "topic"), (self.measures, "measure"))
        size = " × ".join(counted(len(names), noun) for names, noun in counts)
        if not self.measures or not self.runs or self.better[0] == "neither":
            return size
        means = self.mean_values()[:, 0]
        if np.isnan(means).all():
            return size
        best = self.leader_index()
        word = "lowest" if self.better[0] == "lower" else "best"  # what is low may be an effort, by which none is best
        return f"{size}; {word} {self.measures[0]}: {self.runs[best]} ({number(means[best], means)})"

    def _shown_table(self) -> Table:
        return self.wide()


def _name_of(measure: object) -> str:
    """The name of a measure that is text, a Measure or a measure of ir_measures."""
    return str(getattr(measure, "text", measure))


def _mean(values: Array, axis: int) -> Array:
    defined = ~np.isnan(values)
    count = defined.sum(axis=axis)
    total: Array = np.where(defined, values, 0.0).sum(axis=axis)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def _sum(values: Array) -> Array:
    return np.asarray(np.where(np.isnan(values), 0.0, values).sum(axis=1), np.float64)


def _geometric(values: Array) -> Array:
    return np.exp(_mean(np.log(np.maximum(values, SMALLEST)), axis=1))


_AGGREGATES = {"mean": lambda values: _mean(values, axis=1), "sum": _sum, "geometric": _geometric}


def t_quantile(freedom: NDArray[Any]) -> Array:
    """Return the 97.5 % quantile of Student's t, as SciPy does, without the time to import it.

    >>> t_quantile(np.array([1, 4, 49])).round(6)
    array([12.706205,  2.776445,  2.009575])
    """
    freedoms = np.maximum(np.asarray(freedom, np.int64), 1)
    known, place = np.unique(freedoms, return_inverse=True)
    return np.array([_t_point(int(v)) for v in known])[place].reshape(freedoms.shape)


@cache
def _t_point(v: int) -> float:
    z = 1.959963984540054  # the quantile of the normal distribution
    if v > 200:  # Cornish and Fisher's expansion around the normal quantile
        first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / v + second / v**2 + third / v**3
    low, high = z, 13.0  # bisection
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if _t_within(middle, v) > 0.95 else (middle, high)
    return high


def _t_within(t: float, v: int) -> float:
    """The probability that Student's t lies within ±t: a finite sum for whole v (Abramowitz and Stegun 26.7)."""
    angle = math.atan(t / math.sqrt(v))
    cosine = math.cos(angle)
    term = cosine if v % 2 else 1.0
    total = 0.0 if v == 1 else term
    for k in range(3 if v % 2 else 2, v - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * total) if v % 2 else math.sin(angle) * total


# Scores from a table of any usual form, as the score cube.


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
        second, f"run {run}, topic {topic}, measure {measure} is given twice, first in {sheet.where(first)}"
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
