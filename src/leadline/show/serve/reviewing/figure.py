"""The certificate as a figure: the lower limit of recall over the documents read, and the estimate beside it."""

from __future__ import annotations

import math

import numpy as np

from leadline.judge.review.review_state import RoundCertificate

WIDTH, HEIGHT = 640, 260
NARROW, LOW = 318, 190  # beside the card
LEFT, RIGHT, TOP, BOTTOM = 46, 96, 26, 40
MOST_POINTS = 400
STYLE = """
.axis { stroke: #1b2a36; stroke-opacity: .25 } .grid { stroke: #1b2a36; stroke-opacity: .12 }
.bound { stroke: #175a80; fill: none; stroke-width: 2.5 }
.estimate { stroke: #d9601a; fill: none; stroke-width: 1.5; stroke-dasharray: 5 4 }
.switch { stroke: #4c5d6a; stroke-dasharray: 2 3 }
.words { fill: #1b2a36; font: 13px sans-serif } .soft { fill: #4c5d6a }
.of-bound { fill: #175a80; font-weight: 600 } .of-estimate { fill: #a8440b }
"""


def certificate_figure(found: RoundCertificate, *, narrow: bool = False) -> str:
    """An SVG drawing, with the colours of the page it is in; a narrow one is for beside the card."""
    read = found.looks
    last = _nice(max(int(read[-1]), 20))
    wide, high = (NARROW, LOW) if narrow else (WIDTH, HEIGHT)
    inner_w, inner_h = wide - LEFT - RIGHT, high - TOP - BOTTOM

    def x(value: float) -> float:
        return LEFT + inner_w * value / last

    def y(value: float) -> float:
        return TOP + inner_h * (1 - value)

    parts = []
    for percent in (0, 25, 50, 75, 100):
        at = y(percent / 100)
        kind = "axis" if percent == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{LEFT}" x2="{LEFT + inner_w}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(_words(LEFT - 6, at + 4, f"{percent} %", "words soft", "end"))
    parts += [
        _words(x(last * share), TOP + inner_h + 17, f"{round(last * share):,}", "words soft", "middle")
        for share in (0, 0.5, 1)
    ]
    parts.append(_words(LEFT + inner_w / 2, high - 6, "documents read", "words soft", "middle"))
    target = y(found.certificate.target)
    if found.switched:
        at = x(int(read[-1]) - found.certificate.drawn)
        parts.append(f'<line class="switch" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 6}" y2="{TOP + inner_h}"/>')
        parts.append(_words(at, TOP - 10, "random draws", "words soft", "middle" if at > LEFT + 50 else "start"))
    parts.append(f'<line class="switch" x1="{LEFT}" x2="{LEFT + inner_w}" y1="{target:.1f}" y2="{target:.1f}"/>')
    chosen = np.unique(np.linspace(0, len(read) - 1, min(len(read), MOST_POINTS)).round().astype(int))
    labels: list[tuple[float, list[str], str]] = []
    for name, values in (("bound", found.bounds), ("estimate", found.estimates)):
        known = [place for place in chosen.tolist() if math.isfinite(values[place])]
        if known:
            points = " ".join(f"{x(read[place]):.1f},{y(values[place]):.1f}" for place in known)
            parts.append(f'<polyline class="{name}" points="{points}"/>')
            end = float(values[known[-1]])
            label = f"at least {math.floor(100 * end + 1e-9)} %" if name == "bound" else f"estimate {100 * end:.0f} %"
            lines = [label, "(no proof)"] if name == "estimate" and found.certificate.estimate_words else [label]
            labels.append((min(y(end) + 4, y(0) - 5), lines, f"words of-{name}"))  # above the axis
    lowest = -math.inf
    for height, lines, kind in sorted(labels):
        for line in lines:
            lowest = max(height, lowest + 16)  # two labels never stand on each other
            parts.append(_words(x(int(read[-1])) + 6, lowest, line, kind))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" '
        f'aria-label="{figure_words(found)}">{"".join(parts)}</svg>'
    )


def figure_words(found: RoundCertificate) -> str:
    """What the figure shows, in a sentence."""
    bound = f"at least {math.floor(100 * found.bounds[-1] + 1e-9)} % of the relevant documents are found for certain"
    if not found.switched:
        return f"After {int(found.looks[-1]):,} documents read, {bound}; random draws have not begun."
    now = f"at least {math.floor(100 * found.bounds[-1] + 1e-9)} % of the relevant documents have been found"
    return f"After {int(found.looks[-1]):,} documents read, {found.certificate.drawn:,} of them random draws, {now}."


def _words(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _nice(value: int) -> int:
    """A round number at or above a value.

    >>> _nice(37), _nice(100), _nice(1830)
    (40, 100, 2000)
    """
    unit = 10 ** (len(str(value)) - 1)
    return next(math.ceil(step * unit) for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * unit >= value)
