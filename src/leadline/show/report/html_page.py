"""An HTML page with figures: works without network, in light and dark, in print and on a phone.

The page's policy lets the browser run only the scripts whose hashes it lists, so nothing from a file can become code.
The caller must escape all text from files in `body`.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from leadline.errors import LeadlineError
from leadline.show.figures.figure import Figure
from leadline.show.report.embedding import embedded, page_config, payload, theme_colours
from leadline.show.report.page_key import with_checksum
from leadline.text.cache import cache_directory, read_cached, write_cached
from leadline.version import __version__

SCRIPTS = ("figures.js", "tables.js", "scores.js", "follow.js", "follow_more.js", "choices.js", "start.js")
_EXPORTS = "window.vegaEmbed = vegaEmbed;"
NO_TOPICS = "Leadline.topics = () => () => {};"  # for pages without the table of topics


def html_page(
    title: str,
    body: Iterable[str],
    figures: Sequence[Figure],
    *,
    key: str = "",
    data: Mapping[str, Any] | None = None,
) -> str:
    """The page as HTML: a body with the elements of `figure_html`, and the data of these figures.

    `data` may have `topics`, the table of topics; `choices`, what the reader can choose for all figures; and `scores`,
    for figures that follow the choice. The body has the elements for them.
    """
    given = data or {}
    embeds = [embedded(f"data-{figure.name}", payload(figure)) for figure in figures if figure.chart is not None]
    embeds.append(embedded("data-config", page_config()))
    embeds += [embedded(f"data-{name}", each) for name, each in given.items()]
    code = [page_asset(name) for name in SCRIPTS]
    if "topics" not in given:
        code.insert(-1, NO_TOPICS)
    return assembled_page(title, body, embeds, [f"(function(){{{_vega()}}})();", "\n".join(code)], key=key)


def assembled_page(
    title: str, body: Iterable[str], data: Iterable[str], scripts: Sequence[str], *, styles: str = "", key: str = ""
) -> str:
    """The page as HTML, from a body, elements with data, and the only scripts that the browser may run."""
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {' '.join(map(_hash, scripts))}; base-uri 'none'"
    )
    parts = [
        f"<!doctype html>\n<!-- leadline {__version__} key {key} -->",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{theme_colours()}\n{page_asset('page.css')}{styles}</style></head>",
        f'<body><main class="page">{"".join(body)}</main>',
        *data,
        *(f"<script>{script}</script>" for script in scripts),
        "</body></html>\n",
    ]
    return with_checksum("\n".join(parts))


def figure_html(figure: Figure, *, alone: bool = False) -> str:
    """The HTML element of a figure: title, reading, chart and links; or why it has no chart.

    A figure that is `alone` in its row is in the middle of the page.
    """
    title = f"<h3>{escape(figure.title)}</h3>"
    if figure.chart is None:
        return f'<figure>{title}<p class="reading">{escape(figure.reading)}</p></figure>'
    kind = ' class="wide"' if figure.more.get("wide") else ' class="alone"' if alone else ""
    readout = '<div class="readout" aria-live="polite"></div>' if figure.more.get("readout") else ""
    return (
        f'<figure id="{figure.name}"{kind}>{title}'
        f'<p class="reading" id="{figure.name}-reading">{escape(figure.reading)}</p>'
        f'<div class="controls"></div><div class="chart" role="img" aria-label="{escape(figure.title)}" '
        f'aria-describedby="{figure.name}-reading"></div>'
        f'{readout}<footer><button type="button" class="plain csv">data as CSV</button>'
        '<button type="button" class="plain svg">SVG</button><button type="button" class="plain png">PNG</button>'
        f'<a class="link" href="#{figure.name}">link to this view</a>'
        f'<span class="source">{escape(figure.source)}</span></footer></figure>'
    )


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def page_asset(name: str) -> str:
    """A file of the folder `assets`."""
    return resources.files("leadline.show.report").joinpath("assets", name).read_text(encoding="utf-8")


def _vega() -> str:
    """Vega, Vega-Lite and vega-embed as one script: bundling them takes seconds, so the user's cache has the result."""
    try:
        convert: Any = importlib.import_module("vl_convert")
    except ImportError:
        raise LeadlineError(
            "a page of figures needs the package vl-convert-python: pip install vl-convert-python"
        ) from None
    cached = cache_directory() / f"vega-{convert.__version__}-{hashlib.sha256(_EXPORTS.encode()).hexdigest()[:8]}.js"
    content = read_cached(cached)
    if content is None:
        content = str(convert.javascript_bundle(_EXPORTS)).encode()
        write_cached(cached, content)  # a cache that cannot be written is not an error
    return content.decode().replace("</script", "<\\/script")
