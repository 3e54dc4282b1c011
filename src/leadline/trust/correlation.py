"""Do two measures put the systems in the same order?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.errors import MismatchError, checked_choice
from leadline.measures.alignment import listed
from leadline.measures.hits import Array, Integers
from leadline.records.scores.result import Result, counted
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.order import places, sign
from leadline.trust.paired import without_rounding_errors
from leadline.trust.tau import has_ties, tau_a, tau_ap, tau_ap_b, tau_b

Tau = Literal["a", "b", "ap"]
TAUS: tuple[Tau, ...] = ("a", "b", "ap")


@dataclass(frozen=True, repr=False)
class Correlation(Result):
    """How alike every two measures rank the systems."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: Array  # run, measure
    places: Integers  # run, measure: the rank, 1 for the best; runs with equal means share the better rank
    tau: Array  # measure, measure: Kendall's tau_b, or what `tau` asked for
    tau_ap: Array  # the row is the truth, the column the estimate; tau_AP,b where runs tie under either
    tau_ap_b: Array  # symmetric, with or without ties
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """A row for every two measures; for `tau_ap` the first is the truth."""
        rows = [
            [a, b, float(self.tau[i, j]), float(self.tau_ap[i, j])]
            for i, a in enumerate(self.measures)
            for j, b in enumerate(self.measures)
            if i < j
        ]
        return Table(["measure_a", "measure_b", "tau", "tau_ap"], rows)

    def ranks(self) -> Table:
        """The rank of every run under every measure, in the order of the first measure (for a bump chart)."""
        order = sorted(range(len(self.runs)), key=lambda r: (*self.places[r].tolist(), self.runs[r]))
        return Table(["run", *self.measures], [[self.runs[r], *self.places[r].tolist()] for r in order])

    def _finding(self) -> str:
        pairs = [(i, j) for j in range(len(self.measures)) for i in range(j) if not np.isnan(self.tau[i, j])]
        size = f"{len(self.measures)} measures on {len(self.runs)} runs"
        if not pairs:
            return size
        least, most = (choose(pairs, key=lambda pair: self.tau[pair]) for choose in (min, max))
        ends = [f"{self.tau[pair]:.2f} ({self.measures[pair[0]]}, {self.measures[pair[1]]})" for pair in (least, most)]
        return f"{size}: τ {ends[0]}" if least == most else f"{size}: τ from {ends[0]} to {ends[1]}"

    def _shown_table(self) -> Table:
        return self.table()


def correlation(scores: Scores, measures: Sequence[str] | None = None, *, tau: Tau = "b") -> Correlation:
    """Rank the runs by their means under each measure, and compare the rankings of every two measures.

    `tau` is the coefficient in the column `tau`: "a" is tau_a, "b" is tau_b, which corrects for ties, "ap" is tau_AP.
    Means that agree to 12 digits count as equal: further digits depend on the order of summation.

    >>> values = np.array([[[0.5, 0.9]], [[0.4, 0.7]], [[0.3, 0.8]], [[0.2, 0.1]]])
    >>> found = correlation(Scores(("a", "b", "c", "d"), ("all",), ("AP", "R"), values))
    >>> print(found.table().render("tsv"))
    measure_a measure_b tau tau_ap
    AP R 0.66666666666666663 0.66666666666666674
    >>> print(found.ranks().render("tsv"))
    run AP R
    a 1 1
    b 2 3
    c 3 2
    d 4 4
    """
    checked_choice("tau", tau, TAUS)
    names = tuple(dict.fromkeys(scores.measures if measures is None else measures))
    if len(names) < 2:
        raise MismatchError(f"{len(names)} measure ({', '.join(names)}); a correlation needs two or more")
    for name in names:
        scores.of(name)  # an error for an unknown measure
    columns = [scores.measures.index(name) for name in names]
    means = scores.mean_values()[:, columns]
    ranked = np.flatnonzero(~np.isnan(means).any(axis=1))
    notes = list(_notes(scores, names, columns, means))
    if len(ranked) < 2:
        raise MismatchError(f"{len(ranked)} of {len(scores.runs)} runs with a mean under every measure; two are needed")
    signs = np.array([sign(scores.better[column]) for column in columns])
    goodness = np.stack(
        [without_rounding_errors(column, float(np.abs(column).max())) for column in (means[ranked] * signs).T]
    )
    ties = has_ties(goodness)
    allowing = tau_ap_b(goodness[:, None], goodness[None])
    directed = allowing.copy()
    plain = np.flatnonzero(~ties)
    directed[np.ix_(plain, plain)] = tau_ap(goodness[plain, None], goodness[None, plain])
    same = [name for name, column in zip(names, goodness, strict=True) if column.min() == column.max()]
    if same:
        notes.append(f"all runs have the same mean under {listed(same, 6)}, so it has no order to compare")
    if ties.any():
        tied = [name for name, there in zip(names, ties.tolist(), strict=True) if there]
        notes.append(
            f"some runs have the same mean under {listed(tied, 6)}: tau_ap is tau_AP,b there, which allows ties"
        )
    return Correlation(
        tuple(scores.runs[r] for r in ranked),
        names,
        means[ranked],
        places(goodness).T,
        directed if tau == "ap" else {"a": tau_a, "b": tau_b}[tau](goodness[:, None], goodness[None]),
        directed,
        allowing,
        tuple(notes),
    )


def _notes(scores: Scores, names: Sequence[str], columns: Sequence[int], means: Array) -> Iterator[str]:
    """Notes about runs left out, and about means over fewer topics than the others."""
    missing = np.isnan(means)
    if missing.any():
        runs = [scores.runs[r] for r in np.flatnonzero(missing.any(axis=1)).tolist()]
        under = [names[m] for m in np.flatnonzero(missing.any(axis=0)).tolist()]
        yield f"left out, because they have no mean under {listed(under, 4)}: {listed(runs)}"
    for name, column, mean in zip(names, columns, means.T, strict=True):
        counts = (~np.isnan(scores.values[:, :, column])).sum(axis=1)[~np.isnan(mean)]
        if len(counts) and counts.min() < counts.max():
            fewer = int((counts < counts.max()).sum())
            yield (
                f"{name}: the mean of {counted(fewer, 'run')} is over fewer topics than the others"
                f" (as few as {counts.min()} of {counts.max()})"
            )
        if scores.better[column] == "neither":
            yield f"{name} is neither better when high nor when low; runs are ranked by it from high to low"
