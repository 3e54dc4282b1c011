"""What the page embeds: data that cannot become markup, written once, in colours that the reader can switch."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.show.charts.style import BUOY, DEPTH, INK, PAPER
from leadline.show.figures.figure import DARK, ROWS, Figure, Row, Theme, config, shade, specification

_COLOURS = re.compile("|".join(f'"{colour}"' for colour in DARK), re.IGNORECASE)


def payload(figure: Figure) -> dict[str, Any]:
    """What the page draws a figure from. Rows that the chart is drawn from are written once, for it and the CSV."""
    spec = specification(figure.chart)
    for name in ("$schema", "title", "config"):
        spec.pop(name, None)
    rows = list(figure.rows)
    named = next((name for name, values in spec["datasets"].items() if name == ROWS or values == rows), None)
    if named is not None:
        del spec["datasets"][named]
    return {"spec": _recoloured(spec), "rows": columnar(rows), "named": named, "more": dict(figure.more)}


def columnar(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows as columns, in which a text that comes again is a number: a fifth of the size.

    >>> columnar([{"run": "a", "n": 1}, {"run": "a", "n": 2}])
    {'columns': [['run', {'of': ['a'], 'at': [0, 0]}], ['n', [1, 2]]], 'count': 2}
    """
    columns: list[list[Any]] = []
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        if any(isinstance(value, str) for value in values):
            known: dict[Any, int] = {}
            places = [known.setdefault(value, len(known)) for value in values]
            columns.append([name, {"of": list(known), "at": places}])
        else:
            columns.append([name, values])
    return {"columns": columns, "count": len(rows)}


def embedded(name: str, data: Any) -> str:
    """Data that the page reads. No `<` is left in it, so nothing in it can end the element or begin another."""
    text = json.dumps(_plain(data), ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _plain(data: Any) -> Any:
    """Data that JSON can hold: what is undefined is null, and NumPy's numbers are numbers."""
    if isinstance(data, dict):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if isinstance(data, np.generic):
        data = data.item()
    return None if isinstance(data, float) and not math.isfinite(data) else data


def _recoloured(spec: Any) -> Any:
    """Colours by name, so that a reader's choice of paper changes them without drawing anything again."""
    return json.loads(_COLOURS.sub(lambda found: f'"{variable(found[0][1:-1])}"', json.dumps(_plain(spec))))


def variable(colour: str) -> str:
    """The name under which the page knows a colour."""
    return f"var(--c-{colour.lower().lstrip('#')})"


def page_config() -> dict[str, Any]:
    """The configuration of every chart in the page; paper shows through, and the page itself says what a chart is."""
    return dict(_recoloured({**config(), "background": "transparent", "aria": False}))


def theme_colours() -> str:
    """The two themes as variables of CSS. Paper is always light in print."""
    light, dark = _theme("light"), _theme("dark")
    return (
        f":root{{color-scheme:light;{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}"
    )


def _theme(theme: Theme) -> str:
    ink = shade(INK, theme)
    named = {
        "paper": shade(PAPER, theme), "ink": ink, "buoy": shade(BUOY, theme), "deep": shade(DEPTH[4], theme),
        "on-deep": shade(PAPER, theme), "line": f"{ink}1f", "line-strong": f"{ink}59", "hatch": f"{ink}40",
        "wash": f"{shade(BUOY, theme)}1a",
    }  # fmt: skip
    swapped = {f"c-{colour.lower().lstrip('#')}": shade(colour, theme) for colour in DARK}
    return "".join(f"--{name}:{value};" for name, value in {**swapped, **named}.items())
