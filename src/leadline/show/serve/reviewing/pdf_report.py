"""The report of a review as a PDF: a page drawn as SVG, and converted by the library that saves charts."""

from __future__ import annotations

import importlib
import re
import textwrap
from html import escape
from typing import Any

from leadline.errors import visible
from leadline.judge.review.report import ReviewReport
from leadline.judge.review.review_state import RoundCertificate
from leadline.show.serve.reviewing import figure, flow_chart

WIDE, HIGH = 794, 1123  # A4 in CSS pixels
MARGIN = 64
_TRAILER = re.compile(
    rb"trailer\s*<<\s*/Size (\d+)\s*/Root (\d+ \d+ R)\s*/Info (\d+) 0 R\s*>>\s*startxref\s*(\d+)\s*%%EOF\s*\Z"
)
STYLE = """
.h1 { font: bold 24px sans-serif } .h2 { font: bold 15px sans-serif } .p { font: 13px sans-serif }
.soft { fill: #4c5d6a } .mono { font: 11px monospace } text { fill: #1b2a36 }
.rule { stroke: #1b2a36; stroke-opacity: .25 }
"""


def report_pdf(report: ReviewReport, found: RoundCertificate) -> bytes:
    """The PDF of a report: one page of A4, in smaller print where a review has much to say."""
    page = _Page()
    page.line(report.title, "h1", 34, 52)
    page.line(f"Report of a review, {report.begun} to {report.last}. {report.stopped}", "p soft", 24)
    page.heading("What is certified")
    for sentence in report.certificate:
        page.paragraph(sentence)
    page.drawing(figure.certificate_figure(found), figure.HEIGHT)
    page.heading("What was searched")
    for line in filter(str.strip, report.criteria.splitlines()):
        page.paragraph(line)
    for label, text in report.searched:
        page.paragraph(f"{label}: {text}")
    page.heading("By whom and when")
    for each in report.readers:
        full = f", {each.full_texts:,} full texts" if each.full_texts else ""
        page.paragraph(f"{each.name} ({each.role}): {each.abstracts:,} abstracts{full}, {each.first} to {each.last}")
    page.heading("Flow chart (PRISMA 2020)")
    chart, high = flow_chart.flow_chart(report.prisma)
    page.drawing(chart, high)
    page.heading("Hashes")
    for label, text in report.hashes:
        page.paragraph(f"{label}: {text}", "mono", 96)
    convert: Any = importlib.import_module("vl_convert")
    about = {"Subject": str(report.head)} if report.head is not None else {}
    return _described(bytes(convert.svg_to_pdf(page.svg())), Title=report.title, **about)


def _described(pdf: bytes, **texts: str) -> bytes:
    """A PDF with texts about it, in which `leadline review check` finds the head of the journal's chain.

    They are added as the format provides for changes: a new version of the object, and a table of where it is.
    """
    trailer = _TRAILER.search(pdf)
    if trailer is None:  # of another version of the converter: the head is on the page as well
        return pdf
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
        self._parts: list[str] = []
        self._y = float(MARGIN)

    def line(self, text: str, kind: str, high: float, width: int = 92) -> None:
        for part in textwrap.wrap(visible(text), width) or [""]:
            self._y += high * 0.8
            self._parts.append(f'<text class="{kind}" x="{MARGIN}" y="{self._y:.0f}">{escape(part)}</text>')
            self._y += high * 0.2

    def paragraph(self, text: str, kind: str = "p", width: int = 98) -> None:
        self.line(" ".join(text.split()), kind, 18, width)
        self._y += 4

    def heading(self, text: str) -> None:
        self._y += 16
        self._parts.append(
            f'<line class="rule" x1="{MARGIN}" x2="{WIDE - MARGIN}" y1="{self._y:.0f}" y2="{self._y:.0f}"/>'
        )
        self._y += 6
        self.line(text, "h2", 24)

    def drawing(self, svg: str, high: float) -> None:
        inner = re.sub(r"^<svg[^>]*>|</svg>$", "", svg)
        self._parts.append(f'<g transform="translate({MARGIN} {self._y + 6:.0f})">{inner}</g>')
        self._y += high + 12

    def svg(self) -> str:
        high = max(HIGH, round(self._y + MARGIN))
        wide = round(WIDE * high / HIGH)  # the same shape: what is longer than a page is drawn smaller
        style = STYLE + flow_chart.STYLE + figure.STYLE
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {wide} {high}">'
            f'<style>{style}</style><rect width="{wide}" height="{high}" fill="#ffffff"/>'
            f'<g transform="translate({(wide - WIDE) // 2} 0)">{"".join(self._parts)}</g></svg>'
        )
