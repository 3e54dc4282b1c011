"""The score cube: run × topic × measure. Comparisons of systems read nothing else."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import InputError
from leadline.records.scores.table import Table
from leadline.text.files import write_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    import pandas
    import polars
    import pyarrow

Aggregate = Literal["mean", "sum", "geometric"]
Better = Literal["higher", "lower", "neither"]

SMALLEST = 1e-5  # used for 0 in a geometric mean, as trec_eval does
FEWEST_TOPICS = 5  # fewer give no useful interval


@dataclass(frozen=True)
class Scores:
    """The value of every run for every topic under every measure; NaN where it is undefined.

    >>> scores = Scores(("a", "b"), ("1", "2"), ("AP",), np.array([[[0.2], [0.4]], [[0.5], [np.nan]]]))
    >>> scores.means()
    array([[0.3],
           [0.5]])
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

    def means(self, values: Array | None = None) -> Array:
        """One value for each run and measure: the mean over the topics where it is defined, or the sum of counts."""
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
        return self.means() if kept.all() else self.means(np.where(kept, self.values, np.nan))

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
        if measure not in self.measures:
            raise InputError("scores", f"no measure {measure!r} among {', '.join(self.measures)}")
        return self.values[:, :, self.measures.index(measure)]

    def leader(self, measure: int = 0) -> int:
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
        by_name = {name.lower(): place for place, name in enumerate(self.measures)}
        missing = [name for name in names if name.lower() not in by_name]
        if missing:
            raise InputError("scores", f"no measure {missing[0]!r} among {', '.join(self.measures)}")
        places = [by_name[name.lower()] for name in names]
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

    def long(self, *, by_topic: bool = False) -> Table:
        """A row for each run, topic and measure: `all` is the topic of means."""
        means = self.means()
        bounds = [self.means(self.lowest), self.means(self.highest)] if self.lowest is not None else []
        cubes = [cube for cube in (self.lowest, self.highest) if cube is not None]
        rows: list[list[Any]] = []
        for r, run in enumerate(self.runs):
            if by_topic:
                rows += [
                    [run, topic, measure, *(float(cube[r, t, m]) for cube in [self.values, *cubes])]
                    for t, topic in enumerate(self.topics)
                    for m, measure in enumerate(self.measures)
                ]
            rows += [
                [run, "all", measure, *(float(column[r, m]) for column in [means, *bounds])]
                for m, measure in enumerate(self.measures)
            ]
        more = ["lowest", "highest"] if bounds else []
        return Table(["run", "topic", "measure", "value", *more], rows)

    def wide(self, *, by_topic: bool = False, intervals: bool = True, sort: bool = False) -> Table:
        """A row for each run (and topic), a column for each measure; the best mean of each is set off."""
        means, widths = self.means(), self.half_widths()
        order = self.ranking() if sort and self.measures else list(range(len(self.runs)))
        best = self._best(self.order_means())
        extra = sorted({name for run in self.runs for name in self.attributes.get(run, {})})
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
                bounds = (self.means(self.lowest), self.means(self.highest))
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

    def to_polars(self, *, by_topic: bool = True) -> polars.DataFrame:
        """The long table as a Polars data frame."""
        import polars

        table = self.long(by_topic=by_topic)
        return polars.DataFrame([list(row) for row in table.rows], schema=list(table.columns), orient="row")

    def to_pandas(self, *, by_topic: bool = True) -> pandas.DataFrame:
        """The long table as a pandas data frame."""
        import pandas

        table = self.long(by_topic=by_topic)
        return pandas.DataFrame([list(row) for row in table.rows], columns=list(table.columns))

    def to_arrow(self, *, by_topic: bool = True) -> pyarrow.Table:
        """The long table as an Arrow table."""
        return self.to_polars(by_topic=by_topic).to_arrow()

    def to_parquet(self, path: str | os.PathLike[str], *, by_topic: bool = True) -> None:
        """Write the long table to a Parquet file."""
        write_whole(path, self.long(by_topic=by_topic).parquet())

    def to_latex(self) -> str:
        """The means as a booktabs table, the best of each measure in bold."""
        return self.wide(intervals=False).render("latex")

    def to_markdown(self) -> str:
        """The means as a Markdown table, the best of each measure in bold."""
        return self.wide(intervals=False).render("markdown")

    def __str__(self) -> str:
        return self.wide().render("table")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        table = self.wide()
        head = "".join(f"<th>{html.escape(str(name))}</th>" for name in table.columns)
        body = []
        for r in range(len(table.rows)):
            cells = []
            for c in range(len(table.columns)):
                text = html.escape(table.shown(r, c))
                text = f"<b>{text}</b>" if (r, c) in table.best else text
                aside = html.escape(table.asides.get((r, c), ""))
                align = "right" if table.is_numeric(c) else "left"
                cells.append(
                    f'<td style="text-align:{align};font-variant-numeric:tabular-nums">{text}'
                    f"{f' <small>{aside}</small>' if aside else ''}</td>"
                )
            body.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


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
