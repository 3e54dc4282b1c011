"""Options are checked against their types, with one line that says what is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest

from leadline.options import LARGEST, Bounds, Share, checked, parsed

Count = Annotated[int, Bounds(1)]
Gain = Literal["linear", "exp"]
Fields = Mapping[str, Annotated[float, Bounds(0)]] | tuple[str, ...] | None


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        (1, Count, 1),
        (LARGEST, Count, LARGEST),
        (-LARGEST, int, -LARGEST),
        (0.0, Share, 0.0),
        (1.0, Share, 1.0),
        (0, Annotated[float, Bounds(0, 1, below=True)], 0.0),
        (1, float, 1.0),
        (True, bool, True),
        ("exp", Gain, "exp"),
        (None, int | None, None),
        (None, Fields, None),
        (["title", "claims"], Fields, ("title", "claims")),
        ("title", Fields, ("title",)),
        ({"title": 2}, Fields, {"title": 2.0}),
        ([1, 2.5], tuple[float, ...], (1.0, 2.5)),
        ({1: 3}, dict[int, float] | None, {1: 3.0}),
    ],
)
def test_values_as_their_types_want_them(value: Any, hint: Any, expected: Any) -> None:
    found = checked("x", value, hint)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "hint", "problem"),
    [
        (0, Count, "x must be at least 1, got 0"),
        (1.5, Count, "x must be a whole number, got 1.5"),
        (True, Count, "x must be a whole number, got True"),
        ("3", Count, "x must be a whole number, got '3'"),
        (LARGEST + 1, Count, f"x must be at most 1,000,000,000,000, got {LARGEST + 1}"),
        (math.nan, float, "x must be a finite number, got nan"),
        (-math.inf, Share, "x must be a finite number, got -inf"),
        (1.01, Share, "x must be between 0 and 1, got 1.01"),
        (0, Annotated[float, Bounds(0, above=True)], "x must be above 0, got 0"),
        (1, Annotated[float, Bounds(0, 1, below=True)], "x must be at least 0 and below 1, got 1"),
        ("lin", Gain, "x must be linear or exp, got 'lin'; did you mean linear?"),
        ("lin", Gain | float, "x must be linear, exp or a number, got 'lin'; did you mean linear?"),
        (1, bool, "x must be true or false, got 1"),
        (None, str, "x must be text, got None"),
        ({"title": -1}, Fields, "x must be at least 0, got -1"),
        ({"title": "a"}, Fields, "x must be a number, got 'a'"),
        (3, Fields, "x must be a table of names, each with a number or a list of names, got 3"),
    ],
)
def test_wrong_values_are_one_clear_line(value: Any, hint: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        checked("x", value, hint)


@pytest.mark.parametrize(
    ("text", "hint", "expected"),
    [
        ("10", int | None, 10),
        ("1e3", float, 1000.0),
        ("YES", bool, True),
        ("Exp", Gain, "exp"),
        ("150", Literal["rank", "150"], "150"),
        ("{1: 3, 2: 9}", dict[int, float] | None, {1: 3.0, 2: 9.0}),
        ("1=3;2=9", dict[int, float] | None, {1: 3.0, 2: 9.0}),
        ("2", Gain | float, 2.0),
    ],
)
def test_texts(text: str, hint: Any, expected: Any) -> None:
    assert parsed("x", text, hint) == expected


@pytest.mark.parametrize("text", ["", "x", "{", "{}", "[1]", "1=", "{1: 'a'}", "__import__('os')"])
def test_texts_that_are_no_table(text: str) -> None:
    with pytest.raises(ValueError, match="x must be a table such as"):
        parsed("x", text, dict[int, float] | None)
