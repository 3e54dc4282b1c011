"""Confidence intervals inside the range of their measure: Student's interval of a few topics can leave it."""

from __future__ import annotations

import inspect
import math
import re
from functools import cache

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import Measure
from leadline.measures.hits import Array
from leadline.measures.notation import parse_measure


@cache
def bounds(measure: str) -> tuple[float, float]:
    """The smallest and the largest value of a measure, as its documentation states them; infinite if it states none.

    A name that is not in the register, as a table of scores may have, has no bounds.

    >>> bounds("PRES@100"), bounds("DCG@10"), bounds("our own")
    ((0.0, 1.0), (0.0, inf), (-inf, inf))
    """
    try:
        text = inspect.getdoc(parse_measure(measure).definition.function) or ""
    except MeasureError:
        return -math.inf, math.inf
    stated = re.search(r"^Range: (.*)$", text, re.MULTILINE)
    if stated is None:
        return -math.inf, math.inf
    from_zero = r"(?:0|n R²/N)"  # PRES goes from n R²/N, where R is recall, to R
    to_one = r"(?:1(?=\.|$|;(?! slightly above))|R\b|min\(1,)"
    low = 0.0 if re.match(rf"{from_zero}\s", stated[1]) else -math.inf
    high = 1.0 if re.match(rf"{from_zero} (?:to|or) {to_one}", stated[1]) else math.inf
    return low, high


def interval(measure: str | Measure, mean: float, width: float) -> tuple[float, float]:
    """The ends of an interval, from its middle and half its width; never outside the range of the measure.

    >>> interval("AP", 0.9, 0.25), interval("AP", 0.1, 0.25)
    ((0.65, 1.0), (0.0, 0.35))
    """
    low, high = inside(measure, np.array([mean - width, mean + width])).tolist()
    return low, high


def inside(measure: str | Measure, values: Array) -> Array:
    """The ends of intervals, those outside the range of the measure moved to its bounds."""
    low, high = bounds(measure if isinstance(measure, str) else measure.text)
    return np.clip(values, low, high)
