"""An HTML page with figures: works without network; the data it embeds, and the key that says what it was made from.

The page's policy lets the browser run only the scripts whose hashes it lists, so nothing from a file can become code.
Its template escapes every text.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from leadline.errors import InputError, system_reason
from leadline.show.charts import (
    DARK,
    ROWS,
    Figure,
    Row,
    config,
    converter,
    drawable_json,
    specification,
)
from leadline.show.pages.environment import page_asset, rendered, variable
from leadline.text.checksums import stored_bytes
from leadline.text.files import cache_directory, read_cached, write_cached
from leadline.version import __version__

SCRIPTS = ("figures.js", "tables.js", "scores.js", "follow.js", "follow_more.js", "choices.js", "start.js")
STYLES = ("colours.css", "shared.css", "page.css")
_EXPORTS = "window.vegaEmbed = vegaEmbed;"
NO_TOPICS = "Leadline.topics = () => () => {};"  # for pages without the table of topics


def html_page(
    template: str,
    title: str,
    figures: Sequence[Figure],
    *,
    key: str = "",
    data: Mapping[str, Any] | None = None,
    **content: Any,
) -> str:
    """The page of a template as HTML, with the data of its figures; the template places the figures themselves.

    `data` may have `topics`, the table of topics; `choices`, what the reader can choose for all figures; and `scores`,
    for figures that follow the choice. The template has the elements for them.
    """
    given = data or {}
    embeds = {figure.name: payload(figure) for figure in figures if figure.chart is not None}
    code = [page_asset(name) for name in SCRIPTS]
    if "topics" not in given:
        code.insert(-1, NO_TOPICS)
    scripts = [f"(function(){{{_vega()}}})();", "\n".join(code)]
    return assembled_page(template, title, {**embeds, "config": page_config(), **given}, scripts, key=key, **content)


def assembled_page(
    template: str,
    title: str,
    data: Mapping[str, Any],
    scripts: Sequence[str],
    *,
    styles: Sequence[str] = (),
    key: str = "",
    **content: Any,
) -> str:
    """The page of a template as HTML, with data that its scripts read; the browser may run only these."""
    page = rendered(
        template,
        title=title,
        key=key,
        styles=Markup("".join(map(page_asset, (*STYLES, *styles)))),
        data={name: embedded(each) for name, each in data.items()},
        scripts=[Markup(each) for each in scripts],
        **content,
    )
    return with_checksum(f"{page}\n")


def _vega() -> str:
    """Vega, Vega-Lite and vega-embed as one script: bundling them takes seconds, so the user's cache has the result."""
    convert = converter("a page of figures")
    cached = cache_directory() / f"vega-{convert.__version__}-{hashlib.sha256(_EXPORTS.encode()).hexdigest()[:8]}.js"
    content = read_cached(cached)
    if content is None:
        content = str(convert.javascript_bundle(_EXPORTS)).encode()
        write_cached(cached, content)  # a cache that cannot be written is not an error
    return content.decode().replace("</script", "<\\/script")


# The data that the page embeds: JSON that cannot become markup, without repetition, with colours as CSS variables.


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
    for name in dict.fromkeys(chain.from_iterable(rows)):
        values = [row.get(name) for row in rows]
        if any(issubclass(kind, str) for kind in set(map(type, values))):
            known: dict[Any, int] = {}
            places = [known.setdefault(value, len(known)) for value in values]
            columns.append([name, {"of": list(known), "at": places}])
        else:
            columns.append([name, values])
    return {"columns": columns, "count": len(rows)}


def embedded(data: Any) -> Markup:
    """Data as JSON for a script element. It contains no `<`, so the data cannot end the element.

    >>> print(embedded({"run": ["<b>", "constructor"], "mean": float("nan")}))
    {"run":["\\u003cb>","constructor\\u2060"],"mean":null}
    """
    text = drawable_json(_json(data, separators=(",", ":")))
    return Markup(text.replace("<", "\\u003c"))


def _json(data: Any, **options: Any) -> str:
    """Data as JSON, which has no NaN and no infinity: they become null. NumPy's scalars become Python's numbers."""
    try:
        return json.dumps(data, allow_nan=False, default=np.generic.item, **options)
    except ValueError:  # only few data have one, and to look for it takes ten times as long as to write
        return json.dumps(_finite(data), allow_nan=False, default=np.generic.item, **options)


def _finite(data: Any) -> Any:
    """Data with None for NaN and infinity."""
    if isinstance(data, dict):
        return {name: _finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    if isinstance(data, np.generic):
        data = data.item()
    return None if isinstance(data, float) and not math.isfinite(data) else data


def _recoloured(spec: Any) -> Any:
    """The specification with colours as CSS variables, so that the theme can change without drawing again."""
    return json.loads(_COLOURS.sub(lambda found: f'"{variable(found[0][1:-1])}"', _json(spec)))


def page_config() -> dict[str, Any]:
    """The configuration of every chart in the page: transparent, and without aria labels, which the page has itself."""
    return dict(_recoloured({**config(), "background": "transparent", "aria": False}))


# The key of a page: a hash of everything it was made from, so that the same request does not make it again.


HEAD = 400  # bytes at the start of a page that contain its key
_PACKAGES = ("altair", "vl-convert-python", "numpy", "scipy")
_CODE = (
    "measures",
    "records",
    "show/charts",
    "show/figures",
    "show/pages",
    "show/plots",
    "show/report",
    "show/vega_lite",
    "text",
    "trust",
)
_ENDINGS = (".py", ".html", ".js", ".css", ".json", ".csv")
_PLUGINS = ("leadline.figures", "leadline.measures")  # entry points of other packages that a page may use
_ENDING = "<!-- checksum ", " -->\n"  # the last line of a page
_KEY = re.compile(rb"<!-- leadline \S+ key ([0-9a-f]{64}) -->")


def key_of(inputs: Sequence[str], tables: Sequence[str], options: Iterable[str]) -> str:
    """A hash of the names and contents of the files, of the options, and of the versions and code that make a page.

    Names count because a run is called by its file's name. Empty if an input is not a file, such as standard input.
    """
    paths = [*inputs, *tables]
    if not all(Path(path).is_file() for path in paths):
        return ""
    made_by = [__version__, code_of(*_CODE), *map(_version, _PACKAGES), *map(_plugins, _PLUGINS)]
    whole = hashlib.sha256("\0".join([*made_by, *options]).encode())
    with ThreadPoolExecutor() as pool:
        for path, digest in zip(paths, pool.map(_digest, paths), strict=True):
            whole.update(os.fsencode(Path(path).name) + b"\0" + digest)
    return whole.hexdigest()


def with_checksum(page: str) -> str:
    """A page with the checksum of its content in the last line."""
    return f"{page}{_ENDING[0]}{hashlib.sha256(page.encode('utf-8', 'replace')).hexdigest()}{_ENDING[1]}"


def key_written_in(path: str | os.PathLike[str]) -> str:
    """The key in an existing page; empty if there is no page or no key, or the page is damaged."""
    try:
        page = stored_bytes(path)
    except OSError:
        return ""
    content, _, ending = page.rpartition(_ENDING[0].encode())
    found = _KEY.search(content[:HEAD])
    whole = ending == f"{hashlib.sha256(content).hexdigest()}{_ENDING[1]}".encode()
    return found[1].decode() if found and whole else ""


@cache
def code_of(*places: str) -> str:
    """A hash of the code and data in these folders, or modules, of the package.

    >>> code_of("trust") == code_of("trust"), code_of("trust") == code_of("show/report")
    (True, False)
    """
    whole = hashlib.sha256()
    home = Path(__file__).parents[2]
    for place in places:
        module = home / f"{place}.py"
        if not module.is_file() and not (home / place).is_dir():
            raise FileNotFoundError(home / place)
        files = [module] if module.is_file() else sorted((home / place).rglob("*"))
        for path in (path for path in files if path.suffix in _ENDINGS):
            whole.update(str(path.relative_to(home)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def _digest(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise InputError(path, f"cannot be read: {system_reason(error)}") from None


def _plugins(group: str) -> str:
    """The entry points of a group, with the versions of their packages."""
    found = metadata.entry_points(group=group)
    return " ".join(sorted(f"{entry.value}=={entry.dist.version if entry.dist else ''}" for entry in found))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
