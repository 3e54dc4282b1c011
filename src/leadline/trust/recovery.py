"""Do incomplete judgements still put the systems in their true order?

Judgements made from citations contain only what people happened to find. Where the truth is known, as in a simulated
office, the systems can be ranked by both, and the two rankings compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.errors import InputError, MismatchError
from leadline.measures.hits import Array
from leadline.records.scores.table import Table
from leadline.trust.incomplete import full_ranking
from leadline.trust.order import above
from leadline.trust.paired import half_width
from leadline.trust.study import Study
from leadline.trust.tau import tau_ap_b, tau_b

COLUMNS = ("judged", "measure", "collections", "tau", "low", "high", "tau_ap", "low_ap", "high_ap")


@dataclass(frozen=True)
class Recovery:
    """How similar rankings by other judgements are to the true ranking of the systems, in one collection or several."""

    judged: tuple[str, ...]  # the kinds of judgements by which systems were ranked
    measures: tuple[str, ...]
    runs: tuple[str, ...]
    tau: Array  # collection, judged, measure: Kendall's tau_b against the same measure by the truth
    tau_ap: Array  # the same by tau_AP,b, which weighs the top more
    places: Array  # collection, measure, run: the true place minus the place by the first kind; above 0: flattered
    topics: tuple[int, ...] = ()  # number of topics of each collection

    @property
    def collections(self) -> int:
        """The number of collections."""
        return len(self.tau)

    def interval(self, of: Array) -> tuple[Array, Array, Array]:
        """Mean over collections and its 95 % interval by Student's t; the interval is NaN for one collection."""
        mean = of.mean(axis=0)
        width = half_width(of, axis=0) if len(of) > 1 else np.full_like(mean, np.nan)
        return mean, mean - width, mean + width

    def table(self) -> Table:
        """A row for each kind of judgements and measure."""
        parts = (*self.interval(self.tau), *self.interval(self.tau_ap))
        rows = [
            [judged, measure, self.collections, *(float(part[j, m]) for part in parts)]
            for j, judged in enumerate(self.judged)
            for m, measure in enumerate(self.measures)
        ]
        return Table(COLUMNS, rows)

    def rows(self) -> list[dict[str, Any]]:
        """The table as records."""
        return [dict(zip(COLUMNS, row, strict=True)) for row in self.table().rows]

    def lead(
        self, judged: str, measure: str, other: str, other_judged: str | None = None
    ) -> tuple[float, float, float]:
        """By how much one measure's tau exceeds another's in the same collection: mean and 95 % interval."""
        one = self.tau[:, self.judged.index(judged), self.measures.index(measure)]
        two = self.tau[:, self.judged.index(other_judged or judged), self.measures.index(other)]
        mean, low, high = self.interval((one - two)[:, None, None])
        return float(mean[0, 0]), float(low[0, 0]), float(high[0, 0])

    def flattered(self, measure: str) -> Table:
        """How many places each run gains by the first kind of judgements over its true place, largest gain first."""
        m = self.measures.index(measure)
        mean = self.places[:, m].mean(axis=0)
        worst, best = self.places[:, m].min(axis=0), self.places[:, m].max(axis=0)
        order = np.argsort(-mean, kind="stable")
        rows = [[self.runs[r], float(mean[r]), int(worst[r]), int(best[r])] for r in order.tolist()]
        return Table(["run", "places_gained", "least", "most"], rows, digits=1)

    def to_record(self) -> dict[str, Any]:
        """Everything as plain lists, for JSON."""
        named = {"judged": self.judged, "measures": self.measures, "runs": self.runs, "topics": self.topics}
        arrays = {"tau": self.tau, "tau_ap": self.tau_ap, "places": self.places}
        return {name: list(value) for name, value in named.items()} | {
            name: array.tolist() for name, array in arrays.items()
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Recovery:
        """The inverse of `to_record`."""
        judged, measures, runs, topics = (tuple(record[name]) for name in ("judged", "measures", "runs", "topics"))
        tau, tau_ap, places = (np.asarray(record[name], np.float64) for name in ("tau", "tau_ap", "places"))
        return cls(judged, measures, runs, tau, tau_ap, places, topics)


def recovery(truth: Sequence[Study], judged: Mapping[str, Sequence[Study]]) -> Recovery:
    """How well each kind of judgements recovers the true order of the systems.

    All studies have the same runs. `truth` may be several studies, such as one of whole documents and one by claim;
    each kind of judgements then has the same number of studies, in the same order and with the same measures.

    >>> from leadline.trust.study import open_study
    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"b": 9, "c": 8}}, "z": {"7": {"c": 9, "d": 8, "a": 7}}}
    >>> true = open_study({"7": {"a": 1, "b": 1}}, runs, "AP")
    >>> recovery([true], {"some": [open_study({"7": {"b": 1, "c": 1}}, runs, "AP")]}).tau.round(3)
    array([[[-0.333]]])
    """
    if not truth or not judged:
        raise InputError("recovery", "needs true judgements and at least one other kind to compare with them")
    runs = truth[0].runs
    for name, studies in judged.items():
        if len(studies) != len(truth) or any(study.runs != runs for study in (*truth, *studies)):
            raise MismatchError(f"{name}: its studies do not have the same runs as those of the truth")
    ranked = np.concatenate([full_ranking(study, study.values()) for study in truth])
    others = {
        name: np.concatenate([full_ranking(study, study.values()) for study in studies])
        for name, studies in judged.items()
    }
    # One collection × kind of judgements × measure: each measure's ranking against its own true ranking.
    tau, top = (
        np.array([[[how(a, b) for a, b in zip(ranked, other, strict=True)] for other in others.values()]], float)
        for how in (tau_b, tau_ap_b)
    )
    places = (_middle_places(ranked) - _middle_places(next(iter(others.values()))))[None]
    measures = tuple(measure.text for study in truth for measure in study.measures)
    return Recovery(tuple(others), measures, runs, tau, top, places, (len(truth[0].topics),))


def together(found: Sequence[Recovery]) -> Recovery:
    """Several collections as one Recovery."""
    one = found[0]
    if any((each.judged, each.measures, each.runs) != (one.judged, one.measures, one.runs) for each in found):
        raise MismatchError("recovery: the collections do not have the same runs, measures and kinds of judgements")
    tau, tau_ap, places = (
        np.concatenate([getattr(each, name) for each in found]) for name in ("tau", "tau_ap", "places")
    )
    topics = tuple(number for each in found for number in each.topics)
    return Recovery(one.judged, one.measures, one.runs, tau, tau_ap, places, topics)


def _middle_places(values: Array) -> Array:
    """The place of each system, 1 for the best; systems that tie share the mean of their places.

    >>> _middle_places(np.array([0.5, 0.9, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    equal = values[..., None, :] == values[..., :, None]
    return np.asarray(above(values).sum(axis=-1) + (equal.sum(axis=-1) + 1) / 2)
