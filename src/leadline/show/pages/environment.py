"""The one environment of templates: every text is escaped, and a name that a template does not know is an error."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from leadline.records.result import decimals
from leadline.show.charts import BUOY, DARK, DEPTH, INK, PAPER, Theme, shade
from leadline.version import __version__

HERE = "leadline.show.pages"


def environment(constants: Mapping[str, Any] | None = None) -> Environment:
    """The templates, with names that all of them know."""
    made = Environment(
        loader=PackageLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"sha256": _sha256, "decimals": decimals}
    made.globals.update({"version": __version__, **(constants or {})})
    return made


def _sha256(script: str) -> str:
    """The hash of a script as a page's policy names it."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def _plain() -> Environment:
    return environment()


def rendered(template: str, **content: Any) -> Markup:
    """A template as markup, which other templates do not escape again."""
    return Markup(_plain().get_template(template).render(content))


def page_asset(name: str) -> str:
    """The text of a style sheet or script of the folder `assets`."""
    return assets()[name].decode()


@cache
def assets() -> Mapping[str, bytes]:
    """The colours, and all files of the folder `assets`, read once: no request names a file."""
    read = {each.name: each.read_bytes() for each in (files(HERE) / "assets").iterdir()}
    return {"colours.css": colours().encode(), **read}


# The colours of every page, as variables of its style sheets: those of the charts, and what is derived from them.


def variable(colour: str) -> str:
    """The CSS variable of a colour."""
    return f"var(--c-{colour.lower().lstrip('#')})"


def colours() -> str:
    """The two themes as a style sheet. A page may set `data-theme` to leave the reader's usual one; print is light."""
    light, dark = _theme("light"), _theme("dark")
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n"
    )


def _theme(theme: Theme) -> str:
    is_dark = theme == "dark"
    ink, buoy = shade(INK, theme), shade(BUOY, theme)
    named = {
        "paper": shade(PAPER, theme),
        "ink": ink,
        "buoy": buoy,
        "deep": shade(DEPTH[4], theme),
        "on-deep": shade(PAPER, theme),
        "soft": "#a9bac6" if is_dark else "#4c5d6a",  # text of less weight
        "raised": "#14232f" if is_dark else "#ffffff",  # what one types in or presses
        "shallow": "#1d4058" if is_dark else DEPTH[0],  # behind words that were looked for
        "buoy-text": "#f5a06b" if is_dark else "#a8440b",  # the accent, legible as text
        "line": f"{ink}1f",
        "line-strong": f"{ink}59",
        "edge": f"{ink}73",
        "hatch": f"{ink}40",
        "wash": f"{buoy}1a",
    }
    charted = {f"c-{colour.lower().lstrip('#')}": shade(colour, theme) for colour in DARK}
    return "".join(f"--{name}:{value};" for name, value in {**charted, **named}.items())
