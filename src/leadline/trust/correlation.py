"""Do two measures put the systems in the same order?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.alignment import listed
from leadline.measures.hits import Array, Integers
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.paired import settled
from leadline.trust.tau import above, has_ties, tau_ap, tau_ap_b, tau_b


@dataclass(frozen=True)
class Correlation:
    """How alike every two measures rank the systems."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: Array  # run, measure
    places: Integers  # run, measure: the rank, 1 for the best; runs with equal means share the better rank
    tau: Array  # measure, measure: Kendall's tau_b
    tau_ap: Array  # the row held true, the column the estimate; tau_AP,b where runs tie under either
    tau_ap_b: Array  # symmetric, whether there are ties or not
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """A row for every two measures; the first is the one `tau_ap` holds true."""
        rows = [
            [a, b, float(self.tau[i, j]), float(self.tau_ap[i, j])]
            for i, a in enumerate(self.measures)
            for j, b in enumerate(self.measures)
            if i < j
        ]
        return Table(["measure_a", "measure_b", "tau", "tau_ap"], rows)

    def ranks(self) -> Table:
        """The rank of every run under every measure, in the order of the first: what a bump chart draws."""
        order = sorted(range(len(self.runs)), key=lambda r: (*self.places[r].tolist(), self.runs[r]))
        return Table(["run", *self.measures], [[self.runs[r], *self.places[r].tolist()] for r in order])

    def __str__(self) -> str:
        return self.table().render("table")


def correlation(scores: Scores, measures: Sequence[str] | None = None) -> Correlation:
    """Rank the runs by their means under each measure, and compare the rankings of every two measures.

    Means that agree to 12 digits are equal: more digits only tell in which order they were added up.

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
    names = tuple(dict.fromkeys(scores.measures if measures is None else measures))
    if len(names) < 2:
        raise MismatchError(f"{len(names)} measure ({', '.join(names)}); a correlation needs two or more")
    for name in names:
        scores.of(name)  # refuses what is not there
    columns = [scores.measures.index(name) for name in names]
    means = scores.means()[:, columns]
    ranked = np.flatnonzero(~np.isnan(means).any(axis=1))
    notes = list(_notes(scores, names, columns, means))
    if len(ranked) < 2:
        raise MismatchError(f"{len(ranked)} of {len(scores.runs)} runs with a mean under every measure; two are needed")
    signs = np.array([-1.0 if scores.better[column] == "lower" else 1.0 for column in columns])
    goodness = np.stack([settled(column, float(np.abs(column).max())) for column in (means[ranked] * signs).T])
    ties = has_ties(goodness)
    allowing = tau_ap_b(goodness[:, None], goodness[None])
    directed = allowing.copy()
    plain = np.flatnonzero(~ties)
    directed[np.ix_(plain, plain)] = tau_ap(goodness[plain, None], goodness[None, plain])
    same = [name for name, column in zip(names, goodness, strict=True) if column.min() == column.max()]
    if same:
        notes.append(f"all runs have the same mean under {listed(same, 6)}, so nothing can be said about their order")
    if ties.any():
        tied = [name for name, there in zip(names, ties.tolist(), strict=True) if there]
        notes.append(f"some runs have the same mean under {listed(tied, 6)}: tau_ap is tau_AP,b there, made for ties")
    return Correlation(
        tuple(scores.runs[r] for r in ranked),
        names,
        means[ranked],
        (above(goodness).sum(axis=-1) + 1).T,
        tau_b(goodness[:, None], goodness[None]),
        directed,
        allowing,
        tuple(notes),
    )


def _notes(scores: Scores, names: Sequence[str], columns: Sequence[int], means: Array) -> Iterator[str]:
    """What the reader must know of runs left out, and of means over fewer topics than the others'."""
    missing = np.isnan(means)
    if missing.any():
        runs = [scores.runs[r] for r in np.flatnonzero(missing.any(axis=1)).tolist()]
        under = [names[m] for m in np.flatnonzero(missing.any(axis=0)).tolist()]
        yield f"left out, for want of a mean under {listed(under, 4)}: {listed(runs)}"
    for name, column, mean in zip(names, columns, means.T, strict=True):
        counts = (~np.isnan(scores.values[:, :, column])).sum(axis=1)[~np.isnan(mean)]
        if len(counts) and counts.min() < counts.max():
            fewer = int((counts < counts.max()).sum())
            yield (
                f"{name}: the mean of {fewer} run{'s' * (fewer != 1)} is over fewer topics than the others'"
                f" ({counts.min()} of {counts.max()} at the least)"
            )
        if scores.better[column] == "neither":
            yield f"{name} says neither good nor bad; runs are ranked by it from high to low"
