"""The drawings of a review: certificate, PRISMA flow chart and discovery curve; and its report as a PDF."""

from __future__ import annotations

import importlib
import math
import re
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from leadline.errors import visible
from leadline.judge.review.audit import AuditState
from leadline.judge.review.discovery import Discovery
from leadline.judge.review.report import PrismaCounts, ReviewReport
from leadline.judge.review.stopping import RoundCertificate
from leadline.show.pages.drawing import SvgShape, box, drawing, line, words

CERTIFICATE_WIDTH, CERTIFICATE_HEIGHT = 640, 260
CERTIFICATE_NARROW, LOW = 318, 190  # beside the card
LEFT, RIGHT, TOP, BOTTOM = 46, 96, 26, 40
MOST_POINTS = 400
CERTIFICATE_STYLE = """
.axis { stroke: #1b2a36; stroke-opacity: .25 } .grid { stroke: #1b2a36; stroke-opacity: .12 }
.bound { stroke: #175a80; fill: none; stroke-width: 2.5 }
.estimate { stroke: #d9601a; fill: none; stroke-width: 1.5; stroke-dasharray: 5 4 }
.switch { stroke: #4c5d6a; stroke-dasharray: 2 3 }
.words { fill: #1b2a36; font: 13px sans-serif } .soft { fill: #4c5d6a }
.of-bound { fill: #175a80; font-weight: 600 } .of-estimate { fill: #a8440b }
"""


def certificate_figure(found: RoundCertificate, *, narrow: bool = False) -> Markup:
    """An SVG drawing, with the colours of the page it is in; a narrow one is for beside the card."""
    wide, high = (CERTIFICATE_NARROW, LOW) if narrow else (CERTIFICATE_WIDTH, CERTIFICATE_HEIGHT)
    shapes = _certificate_shapes(found, wide, high)
    return drawing(wide, high, shapes, role="img", aria_label=figurewords(found))


def _certificate_shapes(found: RoundCertificate, wide: int, high: int) -> list[SvgShape]:
    read = found.looks
    last = _nice(max(int(read[-1]), 20))
    inner_w, inner_h = wide - LEFT - RIGHT, high - TOP - BOTTOM

    def x(value: float) -> float:
        return LEFT + inner_w * value / last

    def y(value: float) -> float:
        return TOP + inner_h * (1 - value)

    parts = []
    for percent in (0, 25, 50, 75, 100):
        at = y(percent / 100)
        kind = "axis" if percent == 0 else "grid"
        parts.append(line(LEFT, at, LEFT + inner_w, at, kind))
        parts.append(words(LEFT - 6, at + 4, f"{percent} %", "words soft", "end"))
    parts += [
        words(x(last * share), TOP + inner_h + 17, f"{round(last * share):,}", "words soft", "middle")
        for share in (0, 0.5, 1)
    ]
    parts.append(words(LEFT + inner_w / 2, high - 6, found.certificate.documents, "words soft", "middle"))
    target = y(found.certificate.target)
    if found.switched:
        at = x(int(read[-1]) - found.certificate.drawn)
        parts.append(line(at, TOP - 6, at, TOP + inner_h, "switch"))
        parts.append(words(at, TOP - 10, "random draws", "words soft", "middle" if at > LEFT + 50 else "start"))
    parts.append(line(LEFT, target, LEFT + inner_w, target, "switch"))
    chosen = np.unique(np.linspace(0, len(read) - 1, min(len(read), MOST_POINTS)).round().astype(int))
    labels: list[tuple[float, list[str], str]] = []
    for name, values in (("bound", found.bounds), ("estimate", found.estimates)):
        known = [place for place in chosen.tolist() if math.isfinite(values[place])]
        if known:
            points = " ".join(f"{x(read[place]):.1f},{y(values[place]):.1f}" for place in known)
            parts.append(SvgShape("polyline", {"class": name, "points": points}))
            end = float(values[known[-1]])
            label = f"at least {math.floor(100 * end + 1e-9)} %" if name == "bound" else f"estimate {100 * end:.0f} %"
            lines = [label, "(no proof)"] if name == "estimate" and found.certificate.estimate_words else [label]
            labels.append((min(y(end) + 4, y(0) - 5), lines, f"words of-{name}"))  # above the axis
    lowest = -math.inf
    for height, lines, kind in sorted(labels):
        for text in lines:
            lowest = max(height, lowest + 16)  # two labels never stand on each other
            parts.append(words(x(int(read[-1])) + 6, lowest, text, kind))
    return parts


def figurewords(found: RoundCertificate) -> str:
    """What the figure shows, in a sentence."""
    bound = f"at least {math.floor(100 * found.bounds[-1] + 1e-9)} % of the relevant documents are found for certain"
    after = f"After {int(found.looks[-1]):,} {found.certificate.documents},"
    if not found.switched:
        return f"{after} {bound}; random draws have not begun."
    now = f"at least {math.floor(100 * found.bounds[-1] + 1e-9)} % of the relevant documents have been found"
    return f"{after} {found.certificate.drawn:,} of them random draws, {now}."


def _nice(value: int) -> int:
    """A round number at or above a value.

    >>> _nice(37), _nice(100), _nice(1830)
    (40, 100, 2000)
    """
    unit = 10 ** (len(str(value)) - 1)
    return next(math.ceil(step * unit) for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * unit >= value)


# A PRISMA 2020 flow chart of a review, drawn from its journal.


FLOW_WIDTH, FLOW_NARROW = 640, 340
_LINE, _PADDING, _LONGEST = 17, 9, 35  # pixels of a line and around the lines, characters of a line
_LEFT, _RIGHT, _BOX = 4, 334, 302  # where the two columns begin, and how wide a box is
_NO_BREAK = "\N{NO-BREAK SPACE}"
_INDENT = 28  # of what is left out, in the narrow chart
FLOW_STYLE = """
.box { fill: none; stroke: #1b2a36; stroke-opacity: .45 } .arrow { stroke: #1b2a36; stroke-opacity: .6; fill: none }
.words { fill: #1b2a36; font: 13px sans-serif } .soft { fill: #4c5d6a } .strong { font-weight: 600 }
"""


@dataclass(frozen=True)
class _Step:
    left: tuple[str, ...]
    right: tuple[str, ...] = ()


def flow_chart(counts: PrismaCounts, *, narrow: bool = False) -> tuple[Markup, int]:
    """An SVG drawing, with the colours of the page it is in, and its height; a narrow one is for a phone.

    What is left out stands beside its step, in the narrow one below it.
    """
    steps = _steps(counts)
    shapes, high = _flow_shapes(steps, narrow=narrow)
    label = "; ".join(". ".join((*step.left, *step.right)) for step in steps)
    return drawing(FLOW_NARROW if narrow else FLOW_WIDTH, high, shapes, role="img", aria_label=label), high


def _flow_shapes(steps: list[_Step], *, narrow: bool = False) -> tuple[list[SvgShape], int]:
    """What is drawn, and how high it is."""
    wide = FLOW_NARROW - 2 * _LEFT if narrow else _BOX
    down = _LEFT + (_INDENT / 2 if narrow else wide / 2)  # where the line from step to step is
    parts, y = list[SvgShape](), 4
    for place, step in enumerate(steps):
        left, right = _wrapped(step.left), _wrapped(step.right)
        high = _high(left) if narrow else max(_high(left), _high(right))
        end = y + high
        parts += _box(_LEFT, y, wide, left, high)
        if right and narrow:
            side, end = end + 10, end + 10 + _high(right)
            parts += _box(_LEFT + _INDENT, side, wide - _INDENT, right, end - side)
            parts.append(_arrow(down, (side + end) / 2, _LEFT + _INDENT, (side + end) / 2))
        elif right:
            parts += _box(_RIGHT, y, wide, right, high)
            parts.append(_arrow(_LEFT + wide, y + high / 2, _RIGHT, y + high / 2))
        if place < len(steps) - 1:
            parts.append(_arrow(down, y + high, down, end + 24))
            end += 24
        y = end
    return parts, y + 4


def _steps(counts: PrismaCounts) -> list[_Step]:
    removed = (
        "Removed before screening:",
        f"duplicates or same family (n = {counts.duplicates:,})",
        *((f"of these the same text (n = {counts.same_text:,})",) if counts.same_text else ()),
    )
    excluded = [f"Excluded (n = {counts.excluded:,})"]
    if not counts.sought:
        excluded += _reasons(counts)
    first = [f"Records screened (n = {counts.screened:,})"]
    if counts.known:
        first.append(f"of these known beforehand (n = {counts.known:,})")
    steps = [
        _Step((f"Records identified (n = {counts.identified:,})",), removed if counts.duplicates else ()),
        _Step(
            (f"Records to screen (n = {counts.identified - counts.duplicates:,})",),
            (f"Not read (n = {counts.not_read:,})", "see the certificate") if counts.not_read else (),
        ),
        _Step(tuple(first), tuple(excluded)),
    ]
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


def _box(x: float, y: float, wide: float, lines: list[tuple[str, str]], high: float) -> list[SvgShape]:
    top = y + (high - len(lines) * _LINE) / 2
    texts = [words(x + 10, top + at * _LINE + 13, text, kind) for at, (text, kind) in enumerate(lines)]
    return [box(x, y, wide, high, "box", 4), *texts]


def _arrow(x1: float, y1: float, x2: float, y2: float) -> SvgShape:
    head = (
        f"M {x2 - 6} {y2 - 4} L {x2} {y2} L {x2 - 6} {y2 + 4}"
        if y1 == y2
        else f"M {x2 - 4} {y2 - 6} L {x2} {y2} L {x2 + 4} {y2 - 6}"
    )
    return SvgShape("path", {"class": "arrow", "d": f"M {x1} {y1} L {x2} {y2} {head}"})


# The report of a review as a PDF: a page drawn as SVG, and converted by the library that saves charts.


WIDE, HIGH = 794, 1123  # A4 in CSS pixels
MARGIN = 64
AUDIT_HEADING = "By an expert's standard: the audit"
MACHINES_HEADING = "Machines: how good they are, and what they saved"
_TRAILER = re.compile(
    rb"trailer\s*<<\s*/Size (\d+)\s*/Root (\d+ \d+ R)\s*/Info (\d+) 0 R\s*>>\s*startxref\s*(\d+)\s*%%EOF\s*\Z"
)
PAGE_STYLE = """
.h1 { font: bold 24px sans-serif } .h2 { font: bold 15px sans-serif } .p { font: 13px sans-serif }
.soft { fill: #4c5d6a } .mono { font: 11px monospace } text { fill: #1b2a36 }
.rule { stroke: #1b2a36; stroke-opacity: .25 }
"""


def report_pdf(report: ReviewReport, found: RoundCertificate, audit: AuditState | None = None) -> bytes:
    """The PDF of a report: one page of A4, in smaller print where a review has much to say."""
    page = _Page()
    page.line(report.title, "h1", 34, 52)
    page.line(f"Report of a review, {report.begun} to {report.last}. {report.stopped}", "p soft", 24)
    page.heading("What is certified")
    for sentence in report.certificate:
        page.paragraph(sentence)
    page.drawing(_certificate_shapes(found, CERTIFICATE_WIDTH, CERTIFICATE_HEIGHT), CERTIFICATE_HEIGHT)
    page.heading(AUDIT_HEADING)
    for sentence in report.audit:
        page.paragraph(sentence)
    if audit is not None and audit.phase == "draws":
        page.drawing(_certificate_shapes(audit.found, CERTIFICATE_WIDTH, CERTIFICATE_HEIGHT), CERTIFICATE_HEIGHT)
    if report.machines:
        page.heading(MACHINES_HEADING)
    for sentence in report.machines:
        page.paragraph(sentence)
    page.heading("What was searched")
    for criterion in filter(str.strip, report.criteria.splitlines()):
        page.paragraph(criterion)
    for label, text in report.searched:
        page.paragraph(f"{label}: {text}")
    page.heading("By whom and when")
    for each in report.readers:
        full = f", {each.full_texts:,} full texts" if each.full_texts else ""
        full += f", {each.audited:,} in the audit" if each.audited else ""
        page.paragraph(f"{each.name} ({each.role}): {each.abstracts:,} abstracts{full}, {each.first} to {each.last}")
    page.heading("Flow chart (PRISMA 2020)")
    page.drawing(*_flow_shapes(_steps(report.prisma)))
    page.heading("Hashes")
    for label, text in report.hashes:
        page.paragraph(f"{label}: {text}", "mono", 96)
    convert: Any = importlib.import_module("vl_convert")
    about = {"Subject": str(report.head)} if report.head is not None else {}
    return _described(bytes(convert.svg_to_pdf(page.svg())), Title=report.title, **about)


def _described(pdf: bytes, **texts: str) -> bytes:
    """A PDF with texts about it, in which `leadline review check` finds the head of the journal's chain.

    They are added as the format provides for changes: a new version of the object, and a table of where it is. A
    file that ends otherwise, as of another version of the converter, gets them as comments behind its end.
    """
    trailer = _TRAILER.search(pdf)
    if trailer is None:
        return pdf + b"".join(b"\n%% %s" % f"{name}: {visible(text)}".encode() for name, text in texts.items()) + b"\n"
    size, root, info, before = trailer.groups()
    said = b" ".join(b"/%s %s" % (name.encode(), _pdf_text(visible(text))) for name, text in texts.items())
    added = b"\n%s 0 obj\n<< /Producer (Leadline) %s >>\nendobj\n" % (info, said)
    table = b"xref\n%s 1\n%010d 00000 n\r\n" % (info, len(pdf) + 1)
    links = b"trailer\n<< /Size %s /Root %s /Info %s 0 R /Prev %s >>\n" % (size, root, info, before)
    return b"%s%s%s%sstartxref\n%d\n%%%%EOF\n" % (pdf, added, table, links, len(pdf) + len(added))


def _pdf_text(text: str) -> bytes:
    """A text as a PDF has it: between brackets, or as UTF-16 where it is not ASCII."""
    if text.isascii():
        return b"(%s)" % re.sub(r"[\\()]", r"\\\g<0>", text).encode()
    return b"<feff%s>" % text.encode("utf-16-be", "replace").hex().encode()


class _Page:
    """A page that is filled from top to bottom."""

    def __init__(self) -> None:
        self._parts: list[SvgShape] = []
        self._y = float(MARGIN)

    def line(self, text: str, kind: str, high: float, width: int = 92) -> None:
        for part in textwrap.wrap(visible(text), width) or [""]:
            self._y += high * 0.8
            self._parts.append(words(MARGIN, round(self._y), part, kind))
            self._y += high * 0.2

    def paragraph(self, text: str, kind: str = "p", width: int = 98) -> None:
        self.line(" ".join(text.split()), kind, 18, width)
        self._y += 4

    def heading(self, text: str) -> None:
        self._y += 16
        self._parts.append(line(MARGIN, round(self._y), WIDE - MARGIN, round(self._y), "rule"))
        self._y += 6
        self.line(text, "h2", 24)

    def drawing(self, shapes: list[SvgShape], high: float) -> None:
        place = {"transform": f"translate({MARGIN} {self._y + 6:.0f})"}
        self._parts.append(SvgShape("g", place, inside=shapes))
        self._y += high + 12

    def svg(self) -> str:
        high = max(HIGH, round(self._y + MARGIN))
        wide = round(WIDE * high / HIGH)  # the same shape: what is longer than a page is drawn smaller
        style = PAGE_STYLE + FLOW_STYLE + CERTIFICATE_STYLE
        whole = [
            SvgShape("style", text=style),
            SvgShape("rect", {"width": wide, "height": high, "fill": "#ffffff"}),
            SvgShape("g", {"transform": f"translate({(wide - WIDE) // 2} 0)"}, inside=self._parts),
        ]
        return drawing(wide, high, whole, width=WIDE, height=HIGH)


DISCOVERY_WIDTH, DISCOVERY_HEIGHT = 640, 220
DISCOVERY_NARROW, DISCOVERY_LOW = 318, 150
DISCOVERY_RIGHT, DISCOVERY_TOP, DISCOVERY_BOTTOM = 20, 20, 38


def discovery_figure(found: Discovery, *, narrow: bool = False) -> Markup:
    """An SVG drawing, with the colours of the page it is in; a narrow one is for beside the card."""
    wide, high = (DISCOVERY_NARROW, DISCOVERY_LOW) if narrow else (DISCOVERY_WIDTH, DISCOVERY_HEIGHT)
    inner_w, inner_h = wide - LEFT - DISCOVERY_RIGHT, high - DISCOVERY_TOP - DISCOVERY_BOTTOM
    read, most = max(found.read, 1), max(int(found.found[-1]), 1)

    def x(value: float) -> float:
        return LEFT + inner_w * value / read

    def y(value: float) -> float:
        return DISCOVERY_TOP + inner_h * (1 - value / most)

    shapes: list[SvgShape] = []
    for value in dict.fromkeys((0, most // 2, most)):
        shapes.append(line(LEFT, y(value), LEFT + inner_w, y(value), "axis" if value == 0 else "grid"))
        shapes.append(words(LEFT - 6, y(value) + 4, f"{value:,}", "words soft", "end"))
    shapes += [
        words(x(value), DISCOVERY_TOP + inner_h + 16, f"{value:,}", "words soft", "middle" if value < read else "end")
        for value in dict.fromkeys((0, read // 2, read))
    ]
    shapes.append(words(LEFT + inner_w / 2, high - 5, "documents read", "words soft", "middle"))
    shapes.append(words(LEFT, DISCOVERY_TOP - 7, "relevant found", "words soft", "start"))
    if found.drawn:
        at = x(found.read - found.drawn)
        shapes.append(line(at, DISCOVERY_TOP, at, DISCOVERY_TOP + inner_h, "switch"))
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
