"""A PRISMA 2020 flow chart of a review, drawn from its journal."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from leadline.judge.review.report import PrismaCounts

WIDTH = 640
_LINE, _PADDING = 17, 9
_LEFT, _RIGHT, _BOX = 4, 346, 290  # where the two columns begin, and how wide a box is
STYLE = """
.box { fill: none; stroke: #1b2a36; stroke-opacity: .45 } .arrow { stroke: #1b2a36; stroke-opacity: .6; fill: none }
.words { fill: #1b2a36; font: 13px sans-serif } .soft { fill: #4c5d6a } .strong { font-weight: 600 }
"""


@dataclass(frozen=True)
class _Step:
    left: tuple[str, ...]
    right: tuple[str, ...] = ()


def flow_chart(counts: PrismaCounts) -> tuple[str, int]:
    """An SVG drawing, with the colours of the page it is in, and its height."""
    steps = _steps(counts)
    parts, y = [], 4
    for place, step in enumerate(steps):
        high = max(len(step.left), len(step.right)) * _LINE + 2 * _PADDING
        parts.append(_box(_LEFT, y, step.left, high))
        if step.right:
            parts.append(_box(_RIGHT, y, step.right, high))
            middle = y + high / 2
            parts.append(_arrow(_LEFT + _BOX, middle, _RIGHT, middle))
        if place < len(steps) - 1:
            middle = _LEFT + _BOX / 2
            parts.append(_arrow(middle, y + high, middle, y + high + 24))
            y += 24
        y += high
    label = escape("; ".join(". ".join((*step.left, *step.right)) for step in steps), quote=True)
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 4}" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )
    return drawn, y + 4


def _steps(counts: PrismaCounts) -> list[_Step]:
    removed = (
        "Removed before screening:",
        f"duplicates or same family (n = {counts.duplicates:,})",
    )
    excluded = [f"Excluded (n = {counts.excluded:,})"]
    if not counts.sought:
        excluded += _reasons(counts)
    first = [f"Records screened (n = {counts.screened:,})"]
    if counts.known:
        first.append(f"of these known beforehand (n = {counts.known:,})")
    steps = [
        _Step((f"Records identified (n = {counts.identified:,})",), removed if counts.duplicates else ()),
        _Step((f"Records to screen (n = {counts.identified - counts.duplicates:,})",),
              (f"Not read (n = {counts.not_read:,})", "see the certificate") if counts.not_read else ()),
        _Step(tuple(first), tuple(excluded)),
    ]  # fmt: skip
    if counts.sought:
        steps.append(
            _Step(
                (f"Reports assessed for eligibility (n = {counts.sought:,})",),
                (f"Reports excluded (n = {counts.full_excluded:,})", *_reasons(counts)),
            )
        )
    last = [f"Included in the review (n = {counts.included:,})"]
    if counts.unsure:
        last.append(f"unsure (n = {counts.unsure:,})")
    if counts.full_waiting:
        last.append(f"full text not decided yet (n = {counts.full_waiting:,})")
    return [*steps, _Step(tuple(last))]


def _reasons(counts: PrismaCounts, most: int = 6) -> list[str]:
    shown = [f"{reason[:30]} (n = {number:,})" for reason, number in counts.reasons[:most]]
    rest = sum(number for _, number in counts.reasons[most:])
    return [*shown, f"other reasons (n = {rest:,})"] if rest else shown


def _box(x: float, y: float, lines: tuple[str, ...], high: float) -> str:
    parts = [f'<rect class="box" x="{x}" y="{y}" width="{_BOX}" height="{high}" rx="4"/>']
    top = y + (high - len(lines) * _LINE) / 2
    for place, line in enumerate(lines):
        kind = "words strong" if place == 0 else "words soft"
        parts.append(f'<text class="{kind}" x="{x + 10}" y="{top + place * _LINE + 13:.1f}">{escape(line)}</text>')
    return "".join(parts)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    head = (
        f"M {x2 - 6} {y2 - 4} L {x2} {y2} L {x2 - 6} {y2 + 4}"
        if y1 == y2
        else f"M {x2 - 4} {y2 - 6} L {x2} {y2} L {x2 + 4} {y2 - 6}"
    )
    return f'<path class="arrow" d="M {x1} {y1} L {x2} {y2} {head}"/>'
