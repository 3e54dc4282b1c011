"""Filters by metadata, as masks over the documents of an index."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError
from leadline.retrieval.index.analysis import prepared, without_accents
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import MISSING, CodedColumn
from leadline.retrieval.index.trees import class_range, is_subgroup
from leadline.retrieval.joined.asking import FEW_SHARE
from leadline.retrieval.language.matching import as_letters, as_written, expression
from leadline.retrieval.language.tree import CLASS_FILTERS, DATE_FILTERS
from leadline.text.days import day_number, parse_date
from leadline.text.fields import encode_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Mask = NDArray[np.bool_]


KEPT_BYTES = 64 << 20  # of the documents that filters let pass, a byte each
DATED = ("before", "after", *DATE_FILTERS)
_lock = Lock()
_COLUMN = {"class": "classes", "published": "publication", "filed": "application", "cited-by": "cites"}
_WORD = re.compile(r"[^\W_]+")
_PERIODS = ("published", "filed", "priority")


class Passing(NamedTuple):
    """The documents that a filter lets pass."""

    mask: Mask
    rows: NDArray[np.int32] | None  # where they are few


def passing(index: Index, name: str, values: Sequence[str]) -> Mask:
    """The documents that a filter with any of these values lets pass."""
    return _kept(index, (name, *values), lambda: _FILTERS[name](index, values)).mask


def few_passing(index: Index, filters: Sequence[tuple[str, str]]) -> NDArray[np.int32] | None:
    """The rows of the documents that all filters let pass, where one of them lets only a few pass; else None."""
    others = [(name, value) for name, value in filters if name in _PERIODS]  # compared for the rows that are left
    found = [
        _kept(index, (name, value), partial(_FILTERS[name], index, [value]))
        for name, value in filters
        if name not in _PERIODS
    ]
    few = min((each.rows for each in found if each.rows is not None), key=len, default=None)
    if few is None:
        return None
    for each in found:
        if each.rows is not few:
            few = few[each.mask[few]]
    for name, value in others:
        few = few[_are_within(_days(index, name)[few], [value])]
    return few


def missing(index: Index, name: str) -> Mask:
    """The documents without any value that a filter could compare."""
    return _kept(index, ("missing", name), lambda: _missing(index, name)).mask


def _kept(index: Index, key: tuple[str, ...], made: Callable[[], Mask]) -> Passing:
    """What a filter lets pass, kept for other queries, in KEPT_BYTES; what was asked for least recently goes first."""
    if index.origin is not None and key[0] == "family":
        return _passing(made())  # families change with the collection
    masks: dict[tuple[str, ...], Passing] = index.kept.setdefault("masks", {})
    found = masks.get(key)
    if found is None:
        found = _passing(made())
    with _lock:
        masks.pop(key, None)
        masks[key] = found
        while len(masks) * len(index) > KEPT_BYTES and len(masks) > 1:
            masks.pop(next(iter(masks)))
    return found


def _passing(mask: Mask) -> Passing:
    mask.flags.writeable = False
    is_few = int(np.count_nonzero(mask)) * FEW_SHARE <= len(mask)
    return Passing(mask, np.flatnonzero(mask).astype(np.int32) if is_few else None)


def _missing(index: Index, name: str) -> Mask:
    if name in ("number", "family"):
        return np.zeros(len(index), np.bool_)
    if name in DATED:
        return _days(index, name) == MISSING
    column = _COLUMN.get(name, name)
    return np.concatenate([np.diff(segment.coded(column).offsets) == 0 for segment in index.segments])


def dated_by_filing(index: Index, name: str) -> int:
    """The number of documents whose filing date a filter by publication uses, because no other is known."""
    if name not in ("before", "after", "published"):
        return 0
    return int(((index.column("publication") == MISSING) & (index.column("application") != MISSING)).sum())


def notes_of(index: Index, name: str, values: Sequence[str]) -> list[str]:
    """What to say about a filter: that no document has a value, or that other dates or documents were used."""
    if name in ("number", "family", "cited-by"):
        absent = [value for value in values if not len(rows_of_number(index, value))]
        return [f"{name}:{value[:40]}: there is no such document in the index" for value in absent]
    if name in CLASS_FILTERS and (said := _about_subgroups(index, name, values)):
        return said
    if _lacks_all(index, name):
        return [f"{name}: finds nothing: no document of this index has {_VALUES.get(name, name)}"]
    filed = _known(index, ("filed", name), lambda: dated_by_filing(index, name))
    return [f"{name}: {filed:,} documents without a publication date: by their filing date"] if filed else []


def _known(index: Index, key: tuple[str, str], counted: Callable[[], int]) -> int:
    """A number that is kept for other queries."""
    known: dict[tuple[str, str], int] = index.kept.setdefault("numbers", {})
    if key not in known:
        known[key] = counted()
    return known[key]


def count_missing(index: Index, name: str) -> int:
    """How many documents have no value that a filter could compare."""
    return _known(index, ("missing", name), lambda: int(np.count_nonzero(missing(index, name))))


def _lacks_all(index: Index, name: str) -> bool:
    return count_missing(index, name) == len(index)


def _about_subgroups(index: Index, name: str, values: Sequence[str]) -> list[str]:
    """A note on groups of which it is not known what is under them."""
    if _lacks_all(index, name):
        return []
    asked = [last for value in values if is_subgroup(last := (class_range(value) or (value,))[-1])]
    if index.scheme is not None:
        absent = [value for value in asked if not index.scheme.has(value)]
        return [f"{name}:{value} is not in {index.scheme.source}: classes that begin so" for value in absent]
    how = "what is under it by dots says a scheme: `leadline index` keeps one with --update --scheme FILE"
    return [f"{name}:{value} finds classes that begin so; {how}" for value in asked[:1]]


_VALUES = {
    "class": "classes",
    "ipc": "IPC classes",
    "cpc": "CPC classes",
    "cites": "citations",
    "applicant": "applicants",
    "inventor": "inventors",
    "office": "an office",
    "kind": "a kind",
    "language": "a language",
    "filed": "a filing date",
    "priority": "a priority date",
    "before": "a date",
    "after": "a date",
    "published": "a date",
}


def published(index: Index, when: str, date: str) -> Mask:
    """The documents published before the first day of a date or after its last; those without a date are neither."""
    try:
        than = day_number(parse_date(date, late=when == "after"))
    except InputError:
        raise InputError(f"--{when}", f"{date!r} is not a date; write 1998-08-12") from None
    days = _days(index, when)
    return (days < than) & (days != MISSING) if when == "before" else days > than


def _days(index: Index, name: str) -> NDArray[np.int32]:
    """The days that a filter compares: those of filing where the publication is unknown."""
    if name in ("filed", "priority"):
        return index.column(_COLUMN.get(name, name))
    found: NDArray[np.int32] | None = index.kept.get("days")
    if found is None:
        days = index.column("publication")
        unknown = days == MISSING
        found = index.kept["days"] = np.where(unknown, index.column("application"), days) if unknown.any() else days
    return found


def _within(index: Index, name: str, values: Sequence[str]) -> Mask:
    """The documents whose date is within any of several periods."""
    return _are_within(_days(index, name), values)


def _are_within(days: NDArray[np.int32], values: Sequence[str]) -> Mask:
    mask = np.zeros(len(days), np.bool_)
    for value in values:
        first, last = _ends_of(value)
        inside = days != MISSING if first is None else days >= first
        if last is not None:
            inside &= days <= last
        mask |= inside
    return mask


@lru_cache(maxsize=4096)
def _ends_of(period: str) -> tuple[int | None, int | None]:
    """The first and the last day of a period; None where it has no end."""
    low, _, high = period.partition("..")
    return day_number(low) if low else None, day_number(high, late=True) if high else None


def _of_terms(index: Index, column: str, chosen: Callable[[CodedColumn], Mask]) -> Mask:
    """The documents that have one of the words of a column that a function chooses."""
    return np.concatenate([segment.coded(column).having(chosen(segment.coded(column))) for segment in index.segments])


def _rows_with_name(index: Index, column: str, values: Sequence[str]) -> Mask:
    """The documents with a name that has the words of a value one after the other."""
    asked = [_name_expression(value) for value in values]

    def chosen(names: CodedColumn) -> Mask:
        spelled = (_spellings(name.decode()) for name in names.terms)
        return np.array([any(each.search(name) for each in asked) for name in spelled] + [False], np.bool_)

    return _of_terms(index, column, chosen)


@lru_cache(maxsize=1 << 16)
def _spellings(name: str) -> str:
    """A name in small letters without accents, blanks around each word; after a line feed with ue for ü.

    >>> _spellings("Anna Müller")
    ' anna muller \\n anna mueller '
    """
    small = prepared(name).decode()
    return "\n".join(f" {' '.join(_WORD.findall(plain))} " for plain in without_accents(small) or [small])


def _name_expression(value: str) -> re.Pattern[str]:
    """The expression of the words of a name, perhaps with wildcards.

    >>> bool(_name_expression("siem* ag").search(" siemens ag "))
    True
    """
    spellings = [_WORD.findall(each) for each in _spellings(as_letters(value)).split("\n")]
    patterns = (
        " ".join(expression(as_written(word)).pattern.replace(".", "[^ ]") for word in words) for words in spellings
    )
    return re.compile(" (?:" + "|".join(patterns) + ") ")


def _kinds(index: Index, values: Sequence[str]) -> Mask:
    """Documents of a kind; a letter alone means all kinds that begin with it."""
    return _of_terms(
        index,
        "kind",
        lambda column: _mask_of_terms(
            column,
            lambda kind: any(
                kind.upper() == value or (len(value) == 1 and kind.upper().startswith(value)) for value in values
            ),
        ),
    )


def _mask_of_terms(column: CodedColumn, test: Callable[[str], bool]) -> Mask:
    return np.array([*(test(term.decode()) for term in column.terms), False], np.bool_)


def _exactly(index: Index, column: str, values: Sequence[str]) -> Mask:
    def chosen(names: CodedColumn) -> Mask:
        mask = np.zeros(len(names.terms) + 1, np.bool_)
        found = names.terms.find([encode_id(value) for value in values])
        mask[found[found >= 0]] = True
        return mask

    return _of_terms(index, column, chosen)


def rows_of_number(index: Index, value: str) -> NDArray[np.int64]:
    """The rows of the publications that a number means, in any spelling; without a kind, those of all kinds."""
    if value.endswith("*"):
        return _rows_that_begin(index, value)
    number = normalise(value)
    mask = _exactly(index, "number", [value, number.key])
    if value.isdigit() and not mask.any() and not index.has(value):  # without an office: of any
        serial = value.lstrip("0")
        of_any = partial(_mask_of_terms, test=lambda term: term[2:].lstrip("0") == serial)
        return np.flatnonzero(_of_terms(index, "number", of_any))
    rows = np.flatnonzero(mask)
    if number.kind:
        rows = np.array([row for row in rows.tolist() if normalise(index.id_of(row)).id == number.id], np.int64)
    same = [index.row(value)] if index.has(value) else []
    return np.unique(np.concatenate([rows, same])).astype(np.int64)


def _rows_that_begin(index: Index, value: str) -> NDArray[np.int64]:
    """The rows of the publications whose numbers, with their kinds, begin as a truncated one does."""
    begins = "".join(filter(str.isalnum, value)).upper()

    def may_begin(term: str) -> bool:  # the terms are without kinds
        return term.startswith(begins) or begins.startswith(term)

    rows = np.flatnonzero(_of_terms(index, "number", partial(_mask_of_terms, test=may_begin))).tolist()
    return np.array([row for row in rows if normalise(index.id_of(row)).id.startswith(begins)], np.int64)


def _numbers(index: Index, values: Sequence[str]) -> Mask:
    mask = np.zeros(len(index), np.bool_)
    for value in values:
        mask[rows_of_number(index, value)] = True
    return mask


def _families(index: Index, values: Sequence[str]) -> Mask:
    """The families of these documents, which are themselves among them."""
    mask = _numbers(index, values)
    families = index.column("family")
    own = np.unique(families[mask])
    return mask | np.isin(families, own[own >= 0])


def _cited_by(index: Index, values: Sequence[str]) -> Mask:
    """The documents that these documents cite."""
    cited: set[str] = set()
    for row in np.flatnonzero(_numbers(index, values)).tolist():
        cited.update(index.words_of("cites", row))
    return _exactly(index, "number", sorted(cited)) if cited else np.zeros(len(index), np.bool_)


_FILTERS: dict[str, Callable[[Index, Sequence[str]], Mask]] = {
    "class": lambda index, values: index.having("classes", values),
    "ipc": lambda index, values: index.having("ipc", values),
    "cpc": lambda index, values: index.having("cpc", values),
    "office": lambda index, values: index.having("office", values),
    "before": lambda index, values: published(index, "before", max(values)),  # ISO dates
    "after": lambda index, values: published(index, "after", min(values, key=lambda each: parse_date(each, late=True))),
    "published": lambda index, values: _within(index, "published", values),
    "filed": lambda index, values: _within(index, "filed", values),
    "priority": lambda index, values: _within(index, "priority", values),
    "applicant": lambda index, values: _rows_with_name(index, "applicant", values),
    "inventor": lambda index, values: _rows_with_name(index, "inventor", values),
    "kind": _kinds,
    "language": lambda index, values: _exactly(index, "language", values),
    "number": _numbers,
    "family": _families,
    "cites": lambda index, values: _exactly(
        index, "cites", [spelling for value in values for spelling in (value, normalise(value).key)]
    ),
    "cited-by": _cited_by,
}
