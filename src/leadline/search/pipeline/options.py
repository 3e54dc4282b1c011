"""The options of a step: each is checked against its type when the step is made, in Python and in a file alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from leadline.errors import InputError, checked_choice


@dataclass(frozen=True)
class Bounds:
    """What a number must not be below, nor above."""

    least: float
    most: float = float("inf")

    def __str__(self) -> str:
        return f"from {self.least} up" if self.most == float("inf") else f"between {self.least} and {self.most}"


Count = Annotated[int, Bounds(1)]  # of documents or terms
Share = Annotated[float, Bounds(0, 1)]
Weight = Annotated[float, Bounds(0)]
Names = tuple[str, ...]
Fields = Mapping[str, Weight] | Names | None  # of documents, with weights or without; None means all their own

_WORDS = {int: "a whole number", float: "a number", str: "a word", NoneType: "nothing"}


def of_type(where: str, value: Any, hint: Any) -> Any:
    """A value as its type has it: lists become tuples, whole numbers do for numbers, one name for a list of names.

    >>> of_type("text: fields", "title", Names), of_type("search: fields", {"title": 2}, Fields)
    (('title',), {'title': 2.0})
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _within(where, of_type(where, value, arguments[0]), arguments[1])
    if origin is Literal:
        return checked_choice(where, value, arguments)
    if origin in (Union, UnionType):
        return _of_one(where, value, arguments)
    if origin is tuple:
        listed = value if isinstance(value, (list, tuple)) else [value]
        return tuple(of_type(where, each, arguments[0]) for each in listed)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise InputError(where, f"{value!r} is not {described(hint)}")
        return {of_type(where, key, str): of_type(where, each, arguments[1]) for key, each in value.items()}
    if isinstance(value, bool) or not isinstance(value, (int, float) if hint is float else hint):
        raise InputError(where, f"{value!r} is not {_WORDS[hint]}")
    return float(value) if hint is float else value


def _within(where: str, value: float, bounds: Bounds) -> float:
    if bounds.least <= value <= bounds.most:
        return value
    raise InputError(where, f"{value} is out of bounds: give a number {bounds}")


def _of_one(where: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """The value as the one of several types that it looks like."""
    for choice in choices:
        if _looks_like(value, choice):
            return of_type(where, value, choice)
    raise InputError(where, f"{value!r} is neither {' nor '.join(map(described, choices))}")


def _looks_like(value: Any, hint: Any) -> bool:
    kind = get_origin(hint) or hint
    if kind is Annotated:
        return _looks_like(value, get_args(hint)[0])
    if kind is tuple:
        return isinstance(value, (str, list, tuple))
    if kind is NoneType or value is None:
        return value is None and kind is NoneType
    return isinstance(value, kind) if kind in (int, str, float) or issubclass(kind, Mapping) else True


def described(hint: Any) -> str:
    """A type in words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return described(arguments[0])
    if origin is tuple:
        return "a list of names"
    if origin is not None and issubclass(origin, Mapping):
        return f"a table of names, each with {described(arguments[1])}"
    return _WORDS.get(hint, "a pipeline")
