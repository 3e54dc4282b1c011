"""A document with its family and its citations as a small drawing, in which each document is a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from leadline.collections.documents.collection import Neighbour, Surroundings
from leadline.show.pages.drawing import SvgShape, box, drawing, line, words

MOST = 7  # documents of each side
WIDE, HIGH, WIDTH, STEP, TOP = 720, 22, 176, 28, 26
LEFT, MIDDLE, RIGHT = 4, (WIDE - WIDTH) // 2, WIDE - WIDTH - 4


def document_map(
    around: Surroundings, marks: Mapping[str, str], address: Callable[[str], str], searched: str = ""
) -> Markup:
    """What a document cites on the left, what cites it on the right, its family below; each with its grade."""
    rows = max(len(around.cites[:MOST]), len(around.cited_by[:MOST]), 1)
    middle = TOP + (rows - 1) * STEP / 2
    shapes: list[SvgShape] = []

    def side(found: Sequence[Neighbour], x: float, heading: str, join: tuple[float, float]) -> None:
        left = f", first {MOST}" if len(found) > MOST else ""
        shapes.append(words(x, 14, f"{heading} {len(found)}{left}", "words soft"))
        for place, each in enumerate(found[:MOST]):
            y = TOP + place * STEP
            shapes.append(line(join[0], y + HIGH / 2, join[1], middle + HIGH / 2, "grid"))
            shapes.append(_node(each.number, x, y, marks, address, searched, inside=each.inside, more=each.category))

    side(around.cites, LEFT, "Cites", (LEFT + WIDTH, MIDDLE))
    side(around.cited_by, RIGHT, "Cited by", (RIGHT, MIDDLE + WIDTH))
    shapes.append(_node(around.document.id, MIDDLE, middle, marks, address, searched, inside=True, kind="map-self"))
    bottom = TOP + rows * STEP + 8
    family = around.family[: 2 * MOST]
    if family:
        shapes.append(words(LEFT, bottom + 12, f"Family {len(around.family)}", "words soft"))
        across = WIDE // (WIDTH + 6)
        for place, each in enumerate(family):
            x, y = LEFT + place % across * (WIDTH + 6), bottom + 20 + place // across * STEP
            shapes.append(_node(each.number, x, y, marks, address, searched, inside=each.inside))
        bottom += 20 + (len(family) + across - 1) // across * STEP
    says = f"{len(around.cites)} cited, {len(around.cited_by)} citing, {len(around.family)} in the family"
    return drawing(WIDE, bottom, shapes, class_="document-map", role="group", aria_label=says)


def _node(
    number: str,
    x: float,
    y: float,
    marks: Mapping[str, str],
    address: Callable[[str], str],
    searched: str,
    *,
    inside: bool,
    more: str = "",
    kind: str = "",
) -> SvgShape:
    grade = marks.get(number, "")
    style = kind or ("map-graded" if grade else "map-searched" if number == searched else "map-node")
    said = " ".join(filter(None, (number[:18], f"[{more}]" if more else "", grade)))
    parts = (box(x, y, WIDTH, HIGH, style, 4), words(x + 8, y + 15, said, f"words {style}-words"))
    if not inside:
        return SvgShape("g", {"class": "map-outside"}, inside=parts)
    return SvgShape("a", {"href": address(number)}, inside=parts)
