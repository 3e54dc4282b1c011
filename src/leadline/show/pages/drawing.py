"""A drawing as SVG: code says which shapes there are and where, a template writes and escapes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from leadline.show.pages.environment import rendered


@dataclass(frozen=True)
class SvgShape:
    """An element of a drawing: its attributes, and the text or the shapes inside it."""

    tag: str
    attributes: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    inside: Sequence[SvgShape] = ()


def drawing(width: float, height: float, shapes: Sequence[SvgShape], /, **attributes: object) -> Markup:
    """A drawing of this size in its own units; an underscore in the name of an attribute stands for a hyphen.

    >>> print(drawing(20, 10, [words(1, 9, "a < b", "soft")], role="img", aria_label="Order"))
    <svg ... viewBox="0 0 20 10" role="img" aria-label="Order"><text class="soft" x="1" y="9">a &lt; b</text></svg>
    """
    size = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}"}
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    return rendered("drawing.html", drawn=SvgShape("svg", {**size, **named}, inside=shapes))


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> SvgShape:
    """A straight line."""
    places = {"x1": x1, "x2": x2, "y1": y1, "y2": y2}
    return SvgShape("line", {"class": kind, **{name: _short(value) for name, value in places.items()}})


def words(x: float, y: float, text: str, kind: str, anchor: str | None = None) -> SvgShape:
    """A line of text."""
    return SvgShape("text", {"class": kind, "x": _short(x), "y": _short(y), "text-anchor": anchor}, text)


def box(x: float, y: float, width: float, height: float, kind: str, radius: float | None = None) -> SvgShape:
    """A rectangle."""
    places = {"x": x, "y": y, "width": width, "height": height}
    return SvgShape("rect", {"class": kind, **{name: _short(value) for name, value in places.items()}, "rx": radius})


def _short(value: float) -> str:
    """A length with at most two decimals.

    >>> _short(12), _short(3.14159), _short(2.50)
    ('12', '3.14', '2.5')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")
