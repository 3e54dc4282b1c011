"""The types of steps' options. Each option is checked when the step is made, in Python and in a file alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from leadline.errors import InputError
from leadline.options import Bounds, Share, checked

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
