"""Filters by date that leave no day between them: `after:2010 before:2000`."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from leadline.retrieval.language.tree import DATE_FILTERS, And, Node, Side, Within, WordOrPhrase, parts_of
from leadline.text.days import EPOCH, day_number, parse_date

_PUBLISHED = ("before", "after", "published")  # all three compare the day of publication


def empty_periods(tree: Node) -> Iterator[str]:
    """A note for each part of a query whose filters by date exclude each other."""
    if isinstance(tree, (And, Side)):
        filters = [each for each in _required(tree) if isinstance(each.part, WordOrPhrase)]
        if len(filters) < 2:
            return
        for names in (_PUBLISHED, *((name,) for name in DATE_FILTERS if name != "published")):
            dated = [(each.field, each.part.text) for each in filters if each.field in names]  # type: ignore[union-attr]
            if len(dated) > 1 and (note := no_day_between(dated)):
                yield note
        return
    for part in parts_of(tree):
        yield from empty_periods(part)


def no_day_between(filters: list[tuple[str, str]]) -> str:
    """A note where no day passes all of these filters; empty where one does.

    >>> no_day_between([("after", "2010"), ("before", "2000")])
    'after:2010 before:2000: no day is in both: nothing matches; did you mean after:2000 before:2010?'
    """
    if _has_day(filters):
        return ""
    note = f"{' '.join(f'{name}:{value}' for name, value in filters)}: no day is in both: nothing matches"
    named = dict(filters)
    if len(filters) == 2 and named.keys() == {"before", "after"}:
        exchanged = [("after", named["before"]), ("before", named["after"])]
        if _has_day(exchanged):
            return f"{note}; did you mean {' '.join(f'{name}:{value}' for name, value in exchanged)}?"
        return "; ".join([note, *(days_meant(name, value) for name, value in filters)])
    return note


def _has_day(filters: list[tuple[str, str]]) -> bool:
    """Whether some day passes all filters."""
    bounds = [_bounds(name, value) for name, value in filters]
    low = max((first for first, _ in bounds if first is not None), default=None)
    high = min((last for _, last in bounds if last is not None), default=None)
    return low is None or high is None or low <= high


def partial_dates(tree: Node | None) -> Iterator[str]:
    """For each before: and after: with a month or a year, the days that pass it."""
    is_date = isinstance(tree, Within) and tree.field in ("before", "after") and isinstance(tree.part, WordOrPhrase)
    if is_date and len(tree.part.text) < len("1998-08-12"):  # type: ignore[union-attr]
        yield days_meant(tree.field, tree.part.text)  # type: ignore[union-attr]
    for part in parts_of(tree) if tree is not None else ():
        yield from partial_dates(part)


def days_meant(name: str, value: str) -> str:
    """What before: or after: means, as days.

    >>> days_meant("after", "2015"), days_meant("before", "2015-03")
    ('after:2015 means from 2016-01-01 on', 'before:2015-03 means up to 2015-02-28')
    """
    first, last = _bounds(name, value)
    if first is not None:
        return f"{name}:{value} means from {EPOCH + datetime.timedelta(first)} on"
    return f"{name}:{value} means up to {EPOCH + datetime.timedelta(last or 0)}"


def _required(node: Node) -> Iterator[Within]:
    """The filters that every document must pass."""
    if isinstance(node, Within):
        yield node
    elif isinstance(node, And):
        for part in node.parts:
            yield from _required(part)
    elif isinstance(node, Side):
        for mark, part in node.parts:
            if mark != "-":
                yield from _required(part)


def _bounds(name: str, value: str) -> tuple[int | None, int | None]:
    """The first and the last day that pass a filter, in days since 1970."""
    if name == "before":
        return None, day_number(parse_date(value)) - 1
    if name == "after":
        return day_number(parse_date(value, late=True)) + 1, None
    low, _, high = value.partition("..")
    return day_number(low) if low else None, day_number(high, late=True) if high else None
