"""A PRISMA 2020 flow chart of a review, drawn from its journal."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

from leadline.judge.review.report import PrismaCounts

WIDTH, NARROW = 640, 340
_LINE, _PADDING, _LONGEST = 17, 9, 35  # pixels of a line and around the lines, characters of a line
_LEFT, _RIGHT, _BOX = 4, 334, 302  # where the two columns begin, and how wide a box is
_NO_BREAK = "\N{NO-BREAK SPACE}"
_INDENT = 28  # of what is left out, in the narrow chart
STYLE = """
.box { fill: none; stroke: #1b2a36; stroke-opacity: .45 } .arrow { stroke: #1b2a36; stroke-opacity: .6; fill: none }
.words { fill: #1b2a36; font: 13px sans-serif } .soft { fill: #4c5d6a } .strong { font-weight: 600 }
"""


@dataclass(frozen=True)
class _Step:
    left: tuple[str, ...]
    right: tuple[str, ...] = ()


def flow_chart(counts: PrismaCounts, *, narrow: bool = False) -> tuple[str, int]:
    """An SVG drawing, with the colours of the page it is in, and its height; a narrow one is for a phone.

    What is left out stands beside its step, in the narrow one below it.
    """
    steps = _steps(counts)
    wide, box = (NARROW, NARROW - 2 * _LEFT) if narrow else (WIDTH, _BOX)
    down = _LEFT + (_INDENT / 2 if narrow else box / 2)  # where the line from step to step is
    parts, y = [], 4
    for place, step in enumerate(steps):
        left, right = _wrapped(step.left), _wrapped(step.right)
        high = _high(left) if narrow else max(_high(left), _high(right))
        end = y + high
        parts.append(_box(_LEFT, y, box, left, high))
        if right and narrow:
            side, end = end + 10, end + 10 + _high(right)
            parts.append(_box(_LEFT + _INDENT, side, box - _INDENT, right, end - side))
            parts.append(_arrow(down, (side + end) / 2, _LEFT + _INDENT, (side + end) / 2))
        elif right:
            parts.append(_box(_RIGHT, y, box, right, high))
            parts.append(_arrow(_LEFT + box, y + high / 2, _RIGHT, y + high / 2))
        if place < len(steps) - 1:
            parts.append(_arrow(down, y + high, down, end + 24))
            end += 24
        y = end
    label = escape("; ".join(". ".join((*step.left, *step.right)) for step in steps), quote=True)
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {y + 4}" role="img" aria-label="{label}">'
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


def _wrapped(lines: tuple[str, ...]) -> list[tuple[str, str]]:
    """Lines that fit into a box, each with its kind: the first words are strong."""
    kinds = ("words strong", *("words soft",) * (len(lines) - 1))
    return [
        (part.replace(_NO_BREAK, " "), kind)
        for line, kind in zip(lines, kinds, strict=False)
        for part in textwrap.wrap(line.replace("n = ", f"n{_NO_BREAK}={_NO_BREAK}"), _LONGEST)
    ]


def _high(lines: list[tuple[str, str]]) -> int:
    return len(lines) * _LINE + 2 * _PADDING


def _box(x: float, y: float, wide: float, lines: list[tuple[str, str]], high: float) -> str:
    parts = [f'<rect class="box" x="{x}" y="{y}" width="{wide}" height="{high}" rx="4"/>']
    top = y + (high - len(lines) * _LINE) / 2
    for place, (line, kind) in enumerate(lines):
        parts.append(f'<text class="{kind}" x="{x + 10}" y="{top + place * _LINE + 13:.1f}">{escape(line)}</text>')
    return "".join(parts)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    head = (
        f"M {x2 - 6} {y2 - 4} L {x2} {y2} L {x2 - 6} {y2 + 4}"
        if y1 == y2
        else f"M {x2 - 4} {y2 - 6} L {x2} {y2} L {x2 + 4} {y2 - 6}"
    )
    return f'<path class="arrow" d="M {x1} {y1} L {x2} {y2} {head}"/>'
