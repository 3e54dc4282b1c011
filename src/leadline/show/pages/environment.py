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
from leadline.show.pages.colours import colours
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
