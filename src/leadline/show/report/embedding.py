"""The data that the page embeds: JSON that cannot become markup, without repetition, with colours as CSS variables."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.show.charts.drawable import drawable
from leadline.show.charts.style import BUOY, DEPTH, INK, PAPER
from leadline.show.figures.figure import DARK, ROWS, Figure, Row, Theme, config, shade, specification

_COLOURS = re.compile("|".join(f'"{colour}"' for colour in DARK), re.IGNORECASE)


def payload(figure: Figure) -> dict[str, Any]:
    """The data of a figure for the page. Rows that the chart is drawn from are included once, for chart and CSV."""
    spec = specification(figure.chart)
    for name in ("$schema", "title", "config"):
        spec.pop(name, None)
    rows = list(figure.rows)
    named = next((name for name, values in spec["datasets"].items() if name == ROWS or values == rows), None)
    if named is not None:
        del spec["datasets"][named]
    return {"spec": _recoloured(spec), "rows": columnar(rows), "named": named, "more": dict(figure.more)}


def columnar(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows as columns, with repeated texts replaced by numbers: a fifth of the size.

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
    """A script element with JSON data. It contains no other `<`, so the data cannot end the element."""
    data = drawable(_plain(data))
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _plain(data: Any) -> Any:
    """Data as JSON allows it: NaN and infinity become None, NumPy scalars become Python numbers."""
    if isinstance(data, dict):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if isinstance(data, np.generic):
        data = data.item()
    return None if isinstance(data, float) and not math.isfinite(data) else data


def _recoloured(spec: Any) -> Any:
    """The specification with colours as CSS variables, so that the theme can change without drawing again."""
    return json.loads(_COLOURS.sub(lambda found: f'"{variable(found[0][1:-1])}"', json.dumps(_plain(spec))))


def variable(colour: str) -> str:
    """The CSS variable of a colour."""
    return f"var(--c-{colour.lower().lstrip('#')})"


def page_config() -> dict[str, Any]:
    """The configuration of every chart in the page: transparent, and without aria labels, which the page has itself."""
    return dict(_recoloured({**config(), "background": "transparent", "aria": False}))


def theme_colours() -> str:
    """The two themes as CSS variables. Print is always light."""
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
