"""Options: each is checked against its type, in Python and in a file alike; and the types of steps' options.

The annotation of an option says what it takes: int, float, bool, str, Literal, tuple, Mapping, a union of these, or
Annotated with Bounds. A wrong value is a ValueError with one line; the caller says which measure or step it is for.

>>> checked("k", 0, Annotated[int, Bounds(1)])
Traceback (most recent call last):
ValueError: k must be at least 1, got 0
>>> parsed("gain", "lin", Literal["linear", "exp"] | Mapping[int, float])
Traceback (most recent call last):
ValueError: gain must be linear, exp or a table such as {1: 3, 2: 9}, got 'lin'; did you mean linear?
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from leadline.errors import InputError, in_sentence, nearest

LARGEST = 10**12  # of a whole number: more documents than any collection has, and products of two still fit a float
MOST_SAMPLES = 100_000  # they take hours, and a thousand tell as much
SAMPLES = 100  # with half the judgements, wherever nobody asks for another number


@dataclass(frozen=True)
class Bounds:
    """The smallest and largest number an option takes. With `above` or `below` the bound itself is left out."""

    least: float = -math.inf
    most: float = math.inf
    above: bool = False
    below: bool = False

    def __contains__(self, value: float) -> bool:
        low = self.least < value if self.above else self.least <= value
        return low and (value < self.most if self.below else value <= self.most)

    def __str__(self) -> str:
        if not (self.above or self.below or math.isinf(self.most)):
            return f"between {self.least:g} and {self.most:g}"
        low = f"{'above' if self.above else 'at least'} {self.least:g}"
        return low if math.isinf(self.most) else f"{low} and {'below' if self.below else 'at most'} {self.most:g}"


Share = Annotated[float, Bounds(0, 1)]
NotNegative = Annotated[float, Bounds(0)]
Positive = Annotated[float, Bounds(0, above=True)]
Part = Annotated[float, Bounds(0, 1, above=True)]  # a share that is not nothing
Level = Annotated[float, Bounds(0, 1, above=True, below=True)]  # of significance, of confidence
Samples = Annotated[int, Bounds(1, MOST_SAMPLES)]
Draws = Annotated[int, Bounds(1, 10_000_000)]
Day: TypeAlias = str  # or a month or a year: 1998-08-12, 1998-08, 1998
Classes: TypeAlias = Sequence[str]  # of patents: C07D
Offices: TypeAlias = Sequence[str]  # of patents: EP
Workers = Annotated[int, Bounds(1, 1024)]  # threads or processes
Seed = Annotated[int, Bounds(0, 2**63 - 1)]

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text", NoneType: "empty"}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def checked(name: str, value: Any, hint: Any, convert: Callable[[Any], Any] | None = None) -> Any:
    """Return the value as its type wants it: a list as a tuple, a whole number as a float, one name as a tuple of it.

    `convert` makes a value of any type that is not listed above.

    >>> checked("fields", "title", tuple[str, ...]), checked("fields", {"title": 2}, Mapping[str, float] | None)
    (('title',), {'title': 2.0})
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        value = checked(name, value, arguments[0], convert)
        if value is not None and value not in arguments[1]:
            raise _wrong(name, str(arguments[1]), value)
        return value
    if origin in (Union, UnionType):
        choice = next((choice for choice in arguments if _fits(value, choice)), None)
        if choice is None:
            raise _wrong(name, described(hint), value, _choices(hint))
        return checked(name, value, choice, convert)
    if origin is tuple:
        return tuple(
            checked(name, each, arguments[0], convert)
            for each in (value if isinstance(value, (list, tuple)) else [value])
        )
    if not _fits(value, hint):
        raise _wrong(name, described(hint), value, _choices(hint))
    if _is_mapping(hint):
        return {checked(name, key, arguments[0]): checked(name, each, arguments[1]) for key, each in value.items()}
    if hint is int and abs(value) > LARGEST:
        raise _wrong(name, f"at most {LARGEST:,}", value)
    if hint is float:
        if not math.isfinite(value):
            raise _wrong(name, "a finite number", value)
        return float(value)
    return value if convert is None or origin is Literal or hint in _WORDS else convert(value)


def parsed(name: str, text: str, hint: Any) -> Any:
    """Return the value that a text spells, checked.

    >>> parsed("effort", "100", int | None), parsed("gain", "EXP", Literal["linear", "exp"])
    (100, 'exp')
    >>> parsed("gains", "1=3;2=9", Mapping[int, float] | None), parsed("gains", "{1: 3}", Mapping[int, float])
    ({1: 3.0, 2: 9.0}, {1: 3.0})
    """
    return checked(name, _spelt(text, hint), hint)


# One notation for everything that has options: `nDCG(gain=exp)`, `bm25(k1=0.9, variant=robertson)`, `cut(k=10)`.

_CALL = re.compile(r"\s*(?P<name>[^\s(]+)\s*(?:\((?P<options>.*)\))?\s*", re.DOTALL)
_OPTIONS = re.compile(r"(?:[^,({\[\"']|\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]|\"[^\"]*\"|'[^']*')+")


def options_in(text: str) -> list[tuple[str, str | None]]:
    """The options in a text with the texts of their values; None for a part that has no `=`.

    >>> options_in("gain=exp, gains={1: 3, 2: 9}, fields=[title, claims], 5")
    [('gain', 'exp'), ('gains', '{1: 3, 2: 9}'), ('fields', '[title, claims]'), ('5', None)]
    """
    parts = (part.partition("=") for part in _OPTIONS.findall(text) if part.strip())
    return [(name.strip(), value.strip().strip("\"'") if equals else None) for name, equals, value in parts]


def name_and_options(text: str, kind: str, example: str) -> tuple[str, dict[str, str]]:
    """A name with the texts of its options; an InputError for anything else, with an example of the kind.

    >>> name_and_options("bm25(k1=0.9, variant=robertson)", "model", "bm25(k1=0.9)")
    ('bm25', {'k1': '0.9', 'variant': 'robertson'})
    """
    match, given = _CALL.fullmatch(text), dict[str, str]()
    for name, value in options_in(match["options"] or "") if match else ():
        if value is None or not name.isidentifier():
            raise InputError(kind, f"{text!r} is not written like {example}")
        if name in given:
            raise InputError(kind, f"{text}: {name} is given twice")
        given[name] = value
    if match is None:
        raise InputError(kind, f"{text!r} is not written like {example}")
    return match["name"], given


def typed_options(where: str, given: Mapping[str, str], hints: Mapping[str, Any]) -> dict[str, Any]:
    """The values that the texts of options spell; one unknown or wrong is an InputError that names what there is.

    >>> typed_options("cut", {"depth": "5"}, {"k": int})
    Traceback (most recent call last):
    leadline.errors.InputError: cut: has no option 'depth' (it has: k)
    """
    values = {}
    for name, text in given.items():
        if name not in hints:
            known = ", ".join(hints) or "none"
            raise InputError(where, f"has no option {name!r}{nearest(name, hints)} (it has: {known})")
        try:
            values[name] = parsed(name, text, hints[name])
        except ValueError as error:
            raise InputError(where, str(error)) from None
    return values


def described(hint: Any) -> str:
    """Return a type in words.

    >>> described(tuple[str, ...] | Mapping[str, float] | None)
    'a list of names or a table of names, each with a number'
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return described(arguments[0])
    if origin is Literal:
        return in_sentence([str(choice) for choice in arguments], "or")
    if origin in (Union, UnionType):
        kinds = [kind for kind in arguments if kind is not NoneType]
        others = (described(kind) for kind in kinds if get_origin(kind) is not Literal)
        return in_sentence([*_choices(hint), *others], "or")
    if origin is tuple:
        return "a list of numbers" if arguments[0] is float else "a list of names"
    if _is_mapping(hint):
        table = "a table such as {1: 3, 2: 9}"
        return table if arguments[0] is int else f"a table of names, each with {described(arguments[1])}"
    return _WORDS.get(hint, f"a {getattr(hint, '__name__', str(hint)).lower()}")


def _spelt(text: str, hint: Any) -> Any:
    """The value that a text spells; the text itself where it spells none."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _spelt(text, arguments[0])
    if origin in (Union, UnionType):
        values = [(_spelt(text, kind), kind) for kind in arguments if kind is not NoneType]
        return next((value for value, kind in values if _fits(value, kind)), text)
    if origin is Literal:
        return next((choice for choice in arguments if str(choice).lower() == text.lower()), text)
    if origin is tuple:
        parts = [part.strip().strip("\"'") for part in text[1:-1].split(",")] if text.startswith("[") else [text]
        return tuple(_spelt(part, arguments[0]) for part in parts if part)
    try:
        if _is_mapping(hint):
            return {arguments[0](key): arguments[1](value) for key, value in _table(text).items()}
        if hint is bool:
            return _BOOLEANS.get(text.lower(), text)
        return hint(text) if hint in (int, float) else text
    except (ValueError, SyntaxError, TypeError):
        return text


def _table(text: str) -> Mapping[Any, Any]:
    """A table written as `{1: 3, 2: 9}` or, as trec_eval has it, `1=3;2=9`."""
    if text.startswith("{"):
        table = _braces(text)
    else:
        table = dict(pair.split("=" if "=" in pair else ":") for pair in re.split(r"[;\s]+", text) if pair)
    if not isinstance(table, dict) or not table:
        raise ValueError(text)
    return table


def _braces(text: str) -> Any:
    """A table in braces, whose names may stand without quotation marks."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pairs = (pair.split(":") for pair in text[1:-1].split(",") if pair.strip())
        return {name.strip().strip("\"'"): value for name, value in pairs}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type; whether it is within bounds is checked later."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _fits(value, arguments[0])
    if origin is Literal:
        return value in arguments
    if origin in (Union, UnionType):
        return any(_fits(value, choice) for choice in arguments)
    if origin is tuple:
        return isinstance(value, (str, list, tuple))
    if hint in (int, float):
        return isinstance(value, (int, float) if hint is float else int) and not isinstance(value, bool)
    if _is_mapping(hint):
        return isinstance(value, Mapping)
    return isinstance(value, hint) if hint in _WORDS else value is not None


def _is_mapping(hint: Any) -> bool:
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _choices(hint: Any) -> list[str]:
    """The words that a type lists."""
    if get_origin(hint) is Literal:
        return [str(choice) for choice in get_args(hint)]
    return [word for kind in get_args(hint) for word in _choices(kind)] if get_origin(hint) is not None else []


def _wrong(name: str, expected: str, value: Any, choices: list[str] | None = None) -> ValueError:
    got = f"{value:g}" if isinstance(value, float) else repr(value)
    return ValueError(f"{name} must be {expected}, got {got}{nearest(value, choices or [])}")


# The types of steps' options. Each option is checked when the step is made, in Python and in a file alike.


__all__ = ["Count", "Fields", "Names", "Share", "Weight", "checked_option"]

Count = Annotated[int, Bounds(1)]  # of documents or terms
Weight = Annotated[float, Bounds(0)]
Names = tuple[str, ...]
Fields = Mapping[str, Weight] | Names | None  # of documents, with or without weights; None: all that are not derived


def checked_option(step: str, name: str, value: Any, hint: Any) -> Any:
    """Return the value of a step's option, converted to its type; InputError where it does not fit.

    >>> checked_option("text", "fields", "title", Names), checked_option("search", "fields", {"title": 2}, Fields)
    (('title',), {'title': 2.0})
    """
    try:
        return checked(name, value, hint)
    except ValueError as error:
        raise InputError(step, str(error)) from None
