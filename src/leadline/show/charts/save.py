"""Save a chart; the format depends on the ending of the file name."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

from leadline.errors import InputError, LeadlineError
from leadline.show.charts.drawable import drawable
from leadline.text.files import write_whole

ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")
SCALE = 2  # of PNG, for screens with a high resolution
SVG_PADDING = {"left": 5, "top": 5, "right": 20, "bottom": 5}  # the reader's letters may be wider than those measured


def save(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write an Altair chart as SVG, PNG, PDF, HTML that needs no network, or Vega-Lite JSON."""
    ending = check_ending(path)
    if ending == ".json":
        write_whole(path, json.dumps(chart.to_dict()).encode())
        return
    try:
        convert: Any = importlib.import_module("vl_convert")
    except ImportError:
        raise LeadlineError(
            f"a figure as {ending} needs the package vl-convert-python: pip install vl-convert-python"
        ) from None
    specification = drawable(chart.to_dict())
    if ending == ".svg":
        content = convert.vegalite_to_svg({"padding": SVG_PADDING, **specification}).encode()
    elif ending == ".png":
        content = convert.vegalite_to_png(specification, scale=SCALE)
    elif ending == ".pdf":
        content = convert.vegalite_to_pdf(specification)
    else:
        content = convert.vegalite_to_html(specification, bundle=True).encode()
    write_whole(path, content)


def check_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a figure's file name; an error for an unknown format.

    >>> check_ending("tau.svg")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(os.fspath(path), f"the name of a figure must end in one of {', '.join(ENDINGS)}")
    return ending
