"""The score cube: run × topic × measure. Comparisons of systems read nothing else."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import InputError, nearest
from leadline.records.scores.result import Result, counted
from leadline.records.scores.students_t import t_quantile
from leadline.records.scores.table import Table
from leadline.text.files import write_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.records.others import MeasureName

    Array = NDArray[np.float64]
    import pandas
    import polars
    import pyarrow

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
        """A row for each run, topic and measure: `all` is the topic of means."""
        averages = self.mean_values()
        bounds = [self.mean_values(self.lowest), self.mean_values(self.highest)] if self.lowest is not None else []
        cubes = [cube for cube in (self.lowest, self.highest) if cube is not None]
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
        more = ["lowest", "highest"] if bounds else []
        return Table(["run", "topic", "measure", "value", *more], rows)

    def wide(self, *, by_topic: bool = False, intervals: bool = True, sort: bool = False) -> Table:
        """A row for each run (and topic), a column for each measure; the best mean of each is set off."""
        means, widths = self.mean_values(), self.half_widths()
        order = self.ranking() if sort and self.measures else list(range(len(self.runs)))
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
                    asides |= self._tie_asides(len(rows), lead, self.lowest, self.highest, (r, t))
                    rows.append([*labels, topic, *self.values[r, t].tolist()])
            for m in range(len(self.measures)):
                if (r, m) in best:
                    set_off.add((len(rows), lead + m))
                if self.lowest is None and intervals and not np.isnan(widths[r, m]):
                    asides[len(rows), lead + m] = f"±{widths[r, m]:.3f}"
            if self.lowest is not None and self.highest is not None:
                bounds = (self.mean_values(self.lowest), self.mean_values(self.highest))
                asides |= self._tie_asides(len(rows), lead, *bounds, (r,))
            rows.append([*labels, *(["all"] if by_topic else []), *means[r].tolist()])
        rows = [row[:lead] + [self._as_count(m, value) for m, value in enumerate(row[lead:])] for row in rows]
        columns = ["run", *extra, *(["topic"] if by_topic else []), *self.measures]
        return Table(columns, rows, best=set_off, asides=asides)

    def _as_count(self, m: int, value: float) -> float | int:
        return int(value) if self.aggregates[m] == "sum" and value.is_integer() else value

    @staticmethod
    def _tie_asides(
        row: int, lead: int, low: Array | None, high: Array | None, place: tuple[int, ...]
    ) -> dict[tuple[int, int], str]:
        if low is None or high is None:
            return {}
        return {
            (row, lead + m): f"[{a:.3f}, {b:.3f}]"
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
        import pandas

        columns, rows = self._frame(by_topic, wide)
        return pandas.DataFrame(rows, columns=columns)

    def to_arrow(self, *, by_topic: bool = True, wide: bool = False) -> pyarrow.Table:
        """The same as an Arrow table."""
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
        return f"{size}; best {self.measures[0]}: {self.runs[best]} ({means[best]:.3f})"

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
