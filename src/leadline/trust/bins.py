"""Numbers in a few bins of about the same size, with round edges."""

from __future__ import annotations

import itertools
import math

import numpy as np

from leadline.measures.hits import Array, Mask

FEW = 5  # up to this many distinct values, each is a bin of its own
SLACK = 0.05  # how far, as a share of the values, an edge may be from a quartile to be rounder


def binned(values: Array) -> list[tuple[str, Mask]]:
    """Bins from low to high, each with its label and a mask of the values in it; no bin is empty.

    Five distinct values or fewer stay as they are. Otherwise the edges are near the quartiles of the values: the
    roundest number with 20 % to 30 % of the values below it, and so on. When many values are equal there may be fewer
    bins.

    >>> [(label, int(inside.sum())) for label, inside in binned(np.arange(1.0, 101.0))]
    [('1 to 29', 29), ('30 to 49', 20), ('50 to 79', 30), ('80 or more', 21)]
    >>> [label for label, _ in binned(np.array([2009.0, 2010.0, 2010.0]))]
    ['2009', '2010']
    """
    distinct = np.unique(values)
    if len(distinct) <= FEW:
        return [(shown(value), values == value) for value in distinct.tolist()]
    edges = _edges(values)
    bounds = [-math.inf, *edges, math.inf]
    whole = bool((values == np.round(values)).all())
    bins = []
    for low, high in itertools.pairwise(bounds):
        inside = np.asarray((values >= low) & (values < high))
        bins.append((_label(low, high, float(values[inside].min()), whole=whole), inside))
    return bins


def _edges(values: Array) -> list[float]:
    """The start of each new bin: near each quartile, the roundest number with about that share of values below it."""
    distinct, counts = np.unique(values, return_counts=True)
    below = (np.cumsum(counts) - counts) / len(values)  # share below each distinct value
    edges: list[tuple[float, float]] = [(0.0, -math.inf)]
    for quarter in (0.25, 0.5, 0.75):
        distance = np.abs(below[1:] - quarter)
        near = 1 + np.flatnonzero(distance <= max(SLACK, distance.min()))
        edge = roundest(float(distinct[near[0] - 1]), float(distinct[near[-1]]), float(distinct[1 + distance.argmin()]))
        share = float((values < edge).mean())
        if share > edges[-1][0]:
            edges.append((share, edge))
    return [edge for _, edge in edges[1:]]


def roundest(low: float, high: float, aim: float) -> float:
    """The number above `low` and at most `high` with the fewest digits; of several, the one nearest to `aim`.

    >>> roundest(18, 33, 24), roundest(0.231, 0.288, 0.26), roundest(6, 7, 7), roundest(-3, 5, 1)
    (20.0, 0.25, 7.0, 0.0)
    """
    if low < 0 <= high:
        return 0.0
    power = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for exponent in range(min(power, 307), max(power - 7, -324), -1):  # 10.0**-324 is 0, 5 * 10.0**308 infinite
        for step in (5, 2, 1):
            edges = [round(edge, max(0, 1 - exponent)) for edge in _multiples(low, high, step * 10.0**exponent)]
            inside = [edge for edge in edges if low < edge <= high]
            if inside:
                return min(inside, key=lambda edge: abs(edge - aim))
    return aim


def _multiples(low: float, high: float, step: float) -> list[float]:
    """Multiples of a step in a range. Larger steps are tried first, so there are never many."""
    return [step * place for place in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _label(low: float, high: float, smallest: float, *, whole: bool) -> str:
    if math.isinf(high):
        return f"{shown(low)} or more"
    if whole:
        first, last = (smallest if math.isinf(low) else low), high - 1
        return shown(first) if first == last else f"{shown(first)} to {shown(last)}"
    return f"below {shown(high)}" if math.isinf(low) else f"{shown(low)} to below {shown(high)}"


def shown(value: float) -> str:
    """A number without trailing zeros.

    >>> shown(2009.0), shown(0.25)
    ('2009', '0.25')
    """
    return str(int(value)) if value == round(value) else f"{value:.12g}"
