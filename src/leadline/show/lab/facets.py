"""Facets: how many of the documents that a query found are of each period, class and office."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.directory.class_titles import SECTIONS
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.document_classes import LEVELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 12  # values of a facet
_LENGTHS = (1, 3, 4)  # of the codes of sections, classes and subclasses
_STEPS = (1, 2, 5, 10, 20, 50)  # years of a period


def facets(context: SearchContext, matching: NDArray[np.bool_], under: str = "") -> dict[str, list[dict[str, Any]]]:
    """The counts of documents that match, by period, class and office.

    `under` is the class that is chosen: the classes below it are counted.
    """
    return {
        "periods": _periods(context, matching),
        "classes": _classes(context, matching, under),
        "offices": _offices(context, matching),
    }


def _periods(context: SearchContext, matching: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """The documents by the years of their publication; `after` and `before` are the days around a period."""
    days = context.index.column("publication")[matching]
    days = days[days != MISSING]
    if not len(days):
        return []
    years = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    first, last = int(years.min()), int(years.max())
    step = next((each for each in _STEPS if (last // each - first // each) < MOST), 100)
    found = []
    for start in range(last // step * step, first // step * step - 1, -step):
        count = int(((years >= start) & (years < start + step)).sum())
        if count:
            words = str(start) if step == 1 else f"{start}–{start + step - 1}"
            found.append(
                {
                    "words": words,
                    "title": "",
                    "count": count,
                    "after": f"{start - 1:04}-12-31",
                    "before": f"{start + step:04}-01-01",
                }
            )
    return found


def _classes(context: SearchContext, matching: NDArray[np.bool_], under: str) -> list[dict[str, Any]]:
    """The documents by class, at the first level below `under` that tells them apart."""
    classes = context.classes
    above = len(under) if "/" not in under else len(under) + 1
    found: list[dict[str, Any]] = []
    for place, level in enumerate(LEVELS):
        if under and place < len(_LENGTHS) and _LENGTHS[place] <= above:
            continue
        at = classes.at(level)
        of_document = np.repeat(matching, np.diff(at.offsets))
        counts = np.bincount(at.codes[of_document], minlength=len(at.numbers))
        group = under + "/" if len(under) > 4 and "/" not in under else under
        here: list[dict[str, Any]] = [
            {"words": name, "title": SECTIONS.get(name, ""), "count": int(counts[number])}
            for name, number in at.numbers.items()
            if counts[number] and name.startswith(group) and name != under
        ]
        if here:
            found = sorted(here, key=lambda each: (-each["count"], each["words"]))[:MOST]
        if len(here) > 1:
            break
    return found


def _offices(context: SearchContext, matching: NDArray[np.bool_]) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    for segment, base in zip(context.index.segments, context.index.bases.tolist(), strict=False):
        column = segment.coded("office")
        inside = np.repeat(matching[base : base + len(segment)], np.diff(column.offsets))
        for number, count in enumerate(np.bincount(column.codes[inside], minlength=len(column.terms)).tolist()):
            if count:
                name = column.terms[number].decode()
                counts[name] = counts.get(name, 0) + count
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [{"words": name, "title": "", "count": count} for name, count in ordered if name][:MOST]
