"""Which documents can be found at all? Retrievability over many queries, and how unequally it is spread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from leadline.errors import InputError, LeadlineError, checked_choice
from leadline.measures.hits import Array
from leadline.records.result import Result, Table, counted, number, whole_percent
from leadline.records.runs import Run
from leadline.trust.study import PLOTS

Weight = Literal["cumulative", "gravity"]
POINTS = 21  # of a Lorenz curve that is printed: steps of 5 %


@dataclass(frozen=True, repr=False)
class Retrievability(Result):
    """How easily each run finds each document, over all its topics."""

    runs: tuple[str, ...]
    topics: tuple[int, ...]  # of each run, how many queries it answers
    documents: tuple[str, ...]  # those that a run finds, in the order of the collection if one was given
    values: Array  # run, document: r(d)
    size: int  # all documents, those that no run finds included
    cutoff: int
    weight: Weight = "cumulative"
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> Array:
        """The share of all documents that each run finds for at least one topic."""
        return np.asarray((self.values > 0).sum(axis=1) / self.size)

    @property
    def gini(self) -> Array:
        """The Gini coefficient of each run: 0 when every document is found as easily, near 1 when one has it all."""
        ascending = np.sort(self.values, axis=1)
        place = np.arange(self.size - len(self.documents) + 1, self.size + 1)  # documents never found come first
        return np.asarray((ascending * (2 * place - self.size - 1)).sum(axis=1) / (self.size * ascending.sum(axis=1)))

    def lorenz(self, points: int = 101) -> tuple[Array, Array]:
        """Return shares of the documents, those found least first, and their share of all retrievability (run, point).

        >>> shown = retrievability([Run.of({"7": {"a": 2, "b": 1}, "8": {"a": 1}})], size=4)
        >>> shown.lorenz(5)[1].round(3).tolist()
        [[0.0, 0.0, 0.0, 0.333, 1.0]]
        """
        if points < 2:
            raise InputError("points", f"must be at least 2, got {points}")
        shares = np.linspace(0.0, 1.0, points)
        ascending = np.sort(self.values, axis=1)
        never = self.size - len(self.documents)
        corner = np.concatenate([[0.0], np.arange(never, self.size + 1) / self.size])
        sums = np.concatenate([np.zeros((len(self.runs), 2)), np.cumsum(ascending, axis=1)], axis=1)
        curve = np.stack([np.interp(shares, corner, row / row[-1]) for row in sums])
        return shares, curve

    def table(self) -> Table:
        """A row for each run: topics, all documents, those found and their share, mean and largest r(d), Gini's G."""
        found = (self.values > 0).sum(axis=1)
        rows = [
            [
                run,
                self.topics[r],
                self.size,
                int(found[r]),
                float(self.found[r]),
                float(self.values[r].sum() / self.size),
                float(self.values[r].max()),
                float(self.gini[r]),
            ]
            for r, run in enumerate(self.runs)
        ]
        return Table(["run", "topics", "documents", "found", "share", "mean", "largest", "gini"], rows)

    def document_table(self) -> Table:
        """A row for each run and document that it finds: r(d), largest first."""
        rows: list[list[Any]] = []
        for r, run in enumerate(self.runs):
            order = np.argsort(-self.values[r], kind="stable")
            order = order[self.values[r, order] > 0]
            rows += [[run, self.documents[d], float(self.values[r, d])] for d in order.tolist()]
        return Table(["run", "document", "retrievability"], rows)

    def lorenz_table(self, points: int = POINTS) -> Table:
        """A row for each run and point of its Lorenz curve."""
        shares, curve = self.lorenz(points)
        rows = [
            [run, float(share), float(value)]
            for run, values in zip(self.runs, curve, strict=True)
            for share, value in zip(shares, values, strict=True)
        ]
        return Table(["run", "documents", "retrievability"], rows)

    def plot(self) -> Any:
        """The Lorenz curves as an Altair chart."""
        return PLOTS["retrievability"](self)

    def finding(self) -> str:
        """Which run spreads its results most evenly, in a sentence."""
        fairest, worst = int(self.gini.argmin()), int(self.gini.argmax())
        best, most = (number(self.gini[place], self.gini, 2) for place in (fairest, worst))
        said = f"{self.runs[fairest]} finds {whole_percent(self.found[fairest])} of {counted(self.size, 'document')}"
        if len(self.runs) == 1:
            return f"{said} within {self.cutoff} ranks of {counted(self.topics[0], 'topic')}: G = {best}"
        least = f"{self.runs[worst]} least (G = {most})"
        return f"{said}, most evenly (G = {best}); {least}"

    def _finding(self) -> str:
        return self.finding()

    def _shown_table(self) -> Table:
        return self.table()


def retrievability(
    runs: Iterable[Run],
    *,
    cutoff: int = 100,
    weight: Weight = "cumulative",
    beta: float = 1.0,
    size: int | None = None,
    documents: Iterable[str] | None = None,
) -> Retrievability:
    """Return how easily each run finds each document: r(d) = Σ f(rank of d) over all topics.

    f is 1 within the cutoff (`weight="cumulative"`) or 1 / rank^beta there (`"gravity"`), and 0 beyond it; every topic
    counts the same (Azzopardi and Vinay, CIKM 2008). Documents that are never found have r(d) = 0: name all with
    `documents`, or give their number as `size` (default: only those that some run finds are counted).

    >>> found = retrievability([Run.of({"7": {"a": 2, "b": 1}, "8": {"a": 1, "c": 3}})], size=4)
    >>> found
    <Retrievability run finds 75 % of 4 documents within 100 ranks of 2 topics: G = 0.38>
    >>> dict(zip(found.documents, found.values[0].tolist()))
    {'a': 2.0, 'b': 1.0, 'c': 1.0}
    """
    checked_choice("weight", weight, get_args(Weight))
    if cutoff < 1:
        raise InputError("cutoff", f"must be at least 1, got {cutoff}")
    if not beta > 0:
        raise InputError("beta", f"must be above 0, got {beta}")
    if size is not None and (not isinstance(size, int) or isinstance(size, bool)):
        raise InputError("size", f"must be a whole number, got {type(size).__name__} {str(size)[:40]!r}")
    if size is not None and documents is not None:
        raise InputError("size", "cannot be combined with documents, which are counted")
    opened = list(runs)
    if not opened:
        raise InputError("runs", "none given")
    known: dict[str, int] = {}
    allowed = None if documents is None else {document: place for place, document in enumerate(documents)}
    sums = []
    for run in opened:
        rank = np.arange(len(run.order)) - np.repeat(run.offsets[:-1], np.diff(run.offsets)) + 1
        near = rank <= cutoff
        worth = np.ones(int(near.sum())) if weight == "cumulative" else rank[near] ** -float(beta)
        names = run.documents.take(run.order[near]).names()
        places = np.fromiter((known.setdefault(name, len(known)) for name in names), np.int64, len(names))
        sums.append(np.bincount(places, weights=worth))
    if not known:
        raise LeadlineError("the runs hold no document")
    values = np.zeros((len(opened), len(known)))
    for row, added in zip(values, sums, strict=True):
        row[: len(added)] = added
    order, total = _collection_order(known, allowed, size)
    listed = list(known)
    return Retrievability(
        tuple(run.name for run in opened),
        tuple(len(run.topics) for run in opened),
        tuple(listed[place] for place in order),
        values[:, order],
        total,
        cutoff,
        weight,
        _notes(opened, size is None and allowed is None),
    )


def _collection_order(known: dict[str, int], allowed: dict[str, int] | None, size: int | None) -> tuple[list[int], int]:
    """The places of the found documents in the order to show them, and the number of all documents."""
    if allowed is None:
        if size is not None and size < len(known):
            raise InputError("size", f"must be at least {len(known)}, the documents that the runs find; got {size}")
        return list(known.values()), size if size is not None else len(known)
    strange = [name for name in known if name not in allowed]
    if strange:
        raise InputError(
            "runs",
            f"{counted(len(strange), 'document')} not in the collection, the first {strange[0]!r}: give the "
            "collection that was searched",
        )
    return [known[name] for name in sorted(known, key=allowed.__getitem__)], len(allowed)


def _notes(runs: list[Run], only_found: bool) -> tuple[str, ...]:
    notes = []
    if only_found:
        notes.append("documents that no run finds are not counted: give the collection or its size")
    if len({frozenset(run.topics) for run in runs}) > 1:
        notes.append("the runs answer different topics, so their values cannot be compared")
    return tuple(notes)
