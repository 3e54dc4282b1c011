"""The discovery curve of a review as a drawing: relevant documents found against documents read."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from leadline.judge.review.discovery import Discovery
from leadline.show.pages.drawing import SvgShape, drawing, line, words

WIDTH, HEIGHT, NARROW, LOW = 640, 220, 318, 150
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 20, 38
MOST_POINTS = 400


def discovery_figure(found: Discovery, *, narrow: bool = False) -> Markup:
    """An SVG drawing, with the colours of the page it is in; a narrow one is for beside the card."""
    wide, high = (NARROW, LOW) if narrow else (WIDTH, HEIGHT)
    inner_w, inner_h = wide - LEFT - RIGHT, high - TOP - BOTTOM
    read, most = max(found.read, 1), max(int(found.found[-1]), 1)

    def x(value: float) -> float:
        return LEFT + inner_w * value / read

    def y(value: float) -> float:
        return TOP + inner_h * (1 - value / most)

    shapes: list[SvgShape] = []
    for value in dict.fromkeys((0, most // 2, most)):
        shapes.append(line(LEFT, y(value), LEFT + inner_w, y(value), "axis" if value == 0 else "grid"))
        shapes.append(words(LEFT - 6, y(value) + 4, f"{value:,}", "words soft", "end"))
    shapes += [
        words(x(value), TOP + inner_h + 16, f"{value:,}", "words soft", "middle" if value < read else "end")
        for value in dict.fromkeys((0, read // 2, read))
    ]
    shapes.append(words(LEFT + inner_w / 2, high - 5, "documents read", "words soft", "middle"))
    shapes.append(words(LEFT, TOP - 7, "relevant found", "words soft", "start"))
    if found.drawn:
        at = x(found.read - found.drawn)
        shapes.append(line(at, TOP, at, TOP + inner_h, "switch"))
    chosen = np.unique(np.linspace(0, found.read, min(found.read + 1, MOST_POINTS)).round().astype(int)).tolist()
    # A step at each relevant document: between two of them nothing was found.
    corners = [(x(chosen[0]), y(int(found.found[chosen[0]])))]
    for place in chosen[1:]:
        corners += [(x(place), corners[-1][1]), (x(place), y(int(found.found[place])))]
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in corners)
    shapes.append(SvgShape("polyline", {"class": "found", "points": points}))
    return drawing(
        wide, high, shapes, role="img", aria_label=f"Relevant documents found, by documents read: {found.words}"
    )
