"""Pages of A4 as a PDF: texts, tables and drawings from top to bottom, and one file of all pages.

Pages are drawn as SVG, each is converted by the library that saves charts, and the pages are put into one file: the
same bytes each time. They have the letters of Liberation Sans, which the package vl-convert-python brings: on a machine
with another version of that font, or of the package, they may differ in their letters.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from leadline.errors import LeadlineError, visible
from leadline.records.result import Table
from leadline.show.charts import converter
from leadline.show.pages.drawing import SvgShape, drawing, line, words

PAGE_WIDE, PAGE_HIGH, MARGIN = 794, 1123, 56  # A4 in CSS pixels
ROOM = PAGE_WIDE - 2 * MARGIN
LETTER = 5.2  # pixels of a letter of a table, about
LINE = 13
PRINT_FONT = "Liberation Sans, sans-serif"  # which the converter brings where a machine has none
LONGEST_CELL = 40  # letters of a column in print
PAGE_STYLE = (
    ".h1{font:bold 24px sans-serif}.h2{font:bold 17px sans-serif}.p{font:13px sans-serif}.cell{font:9px sans-serif}"
    ".head,.strong{font:bold 9px sans-serif}.caption{font:bold 12px sans-serif}.soft{fill:#4c5d6a}"
    "text{fill:#1b2a36}.rule{stroke:#1b2a36;stroke-opacity:.35}"
)


class PrintedPages:
    """Pages that are filled from top to bottom."""

    def __init__(self) -> None:
        self.pages: list[list[SvgShape]] = [[]]
        self.y = float(MARGIN)

    def room(self, high: float) -> None:
        """Begin a new page if less than this is left."""
        if self.y + high > PAGE_HIGH - MARGIN and self.y > MARGIN:
            self.pages.append([])
            self.y = float(MARGIN)

    def text(self, text: str, kind: str, high: float, letters: int) -> None:
        for part in textwrap.wrap(visible(" ".join(text.split())), letters):
            self.room(high)
            self.y += high * 0.8
            self.pages[-1].append(words(MARGIN, self.y, part, kind))
            self.y += high * 0.2

    def rule(self) -> None:
        self.pages[-1].append(line(MARGIN, self.y, PAGE_WIDE - MARGIN, self.y, "rule"))

    def picture(self, shapes: Sequence[SvgShape], width: float, height: float) -> None:
        scale = min(1.0, ROOM / width, (PAGE_HIGH - 2 * MARGIN - 60) / height)
        self.room(height * scale + 10)
        place = {"transform": f"translate({MARGIN} {self.y:.0f}) scale({scale:.4f})"}
        self.pages[-1].append(SvgShape("g", place, inside=shapes))
        self.y += height * scale + 10

    def table(self, table: Table) -> None:
        """A table in small print; columns that do not fit are drawn below, with the first column again."""
        cells = [
            [table.shown(r, c) + _aside(table, r, c) for c in range(len(table.columns))] for r in range(len(table.rows))
        ]
        heads = [visible(str(name)) for name in table.columns]
        numeric = [table.is_numeric(c) for c in range(len(heads))]
        most = LONGEST_CELL if len(heads) > 1 else 120
        wide = [
            LETTER * min(max([len(heads[c]), *(len(row[c]) for row in cells)]), most) + 10 for c in range(len(heads))
        ]
        blocks: list[list[int]] = [[0]]
        for c in range(1, len(heads)):
            if sum(wide[k] for k in blocks[-1]) + wide[c] > ROOM:
                blocks.append([0])
            blocks[-1].append(c)
        for block in blocks:
            self._block(block, heads, cells, numeric, wide, table)

    def pdf(self, title: str, style: str = "") -> bytes:
        """The pages as one file; `style` is of the drawings in them."""
        total = len(self.pages)
        singles = [
            converted(page_svg(shapes, number, total, style)) for number, shapes in enumerate(self.pages, start=1)
        ]
        return joined_pdf(singles, title)

    def _block(
        self, block: Sequence[int], heads: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool],
        wide: Sequence[float], table: Table,
    ) -> None:  # fmt: skip
        def row(texts: Sequence[str], kind: str, place: int | None = None) -> None:
            self.y += LINE * 0.8
            x = float(MARGIN)
            for c in block:
                text = texts[c] if len(texts[c]) * LETTER <= wide[c] else f"{texts[c][: int(wide[c] / LETTER) - 2]}…"
                strong = "strong" if place is not None and (place, c) in table.best else kind
                if numeric[c]:
                    self.pages[-1].append(words(x + wide[c] - 10, self.y, text, strong, "end"))
                else:
                    self.pages[-1].append(words(x, self.y, text, strong))
                x += wide[c]
            self.y += LINE * 0.2

        self.room(4 * LINE)
        row(heads, "head")
        self.y += 2
        self.rule()
        for place, texts in enumerate(cells):
            if self.y + LINE > PAGE_HIGH - MARGIN:
                self.room(PAGE_HIGH)
                row(heads, "head")
                self.rule()
            row(texts, "cell", place)
        self.y += 8


def _aside(table: Table, row: int, column: int) -> str:
    aside = table.asides.get((row, column), "")
    return f" {aside}" if aside else ""


def page_svg(shapes: Sequence[SvgShape], number: int, total: int, style: str = "") -> str:
    whole = [
        SvgShape("style", text=PAGE_STYLE + style),
        SvgShape("rect", {"width": PAGE_WIDE, "height": PAGE_HIGH, "fill": "#ffffff"}),
        *shapes,
        words(PAGE_WIDE - MARGIN, PAGE_HIGH - 26, f"{number} of {total}", "cell soft", "end"),
    ]
    return str(drawing(PAGE_WIDE, PAGE_HIGH, whole, width=PAGE_WIDE, height=PAGE_HIGH))


def converted(svg: str) -> bytes:
    """A drawing as a PDF of one page, as the converter makes it."""
    return bytes(converter("a PDF").svg_to_pdf(svg.replace("sans-serif", PRINT_FONT)))


_OBJECT = re.compile(rb"(?:^|\n)(\d+) 0 obj\b")
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_RESOURCES = re.compile(rb"(?:^ */\w+ \d+ 0 R\n)+", re.MULTILINE)


def joined_pdf(files: Sequence[bytes], title: str) -> bytes:
    """One PDF with the pages of several, each of one page as the converter makes them: the same bytes each time.

    Objects are numbered anew; references stand in dictionaries and never inside a stream, which is left as it is. There
    is no date and no id in it.
    """
    content = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places: dict[int, int] = {}
    pages: list[int] = []
    free = 4  # 1 is the catalogue, 2 the tree of pages, 3 what is said of the file
    for file in files:
        objects = _objects(file)
        order = _from_the_page_on(objects)
        moved = {old: free + place for place, old in enumerate(order)}
        pages.append(free)
        free += len(moved)
        for old in order:
            head, stream = objects[old]
            head = re.sub(rb"/Parent \d+ 0 R", b"/Parent", head)
            head = _REFERENCE.sub(lambda found, moved=moved: b"%d 0 R" % moved[int(found[1])], head)  # type: ignore[misc]
            head = head.replace(b"/Parent", b"/Parent 2 0 R")
            places[moved[old]] = len(content)
            content += b"%d 0 obj\n%s%s\nendobj\n" % (moved[old], head, stream)
    kids = b" ".join(b"%d 0 R" % page for page in pages)
    name = b"<feff%s>" % title.encode("utf-16-be", "replace").hex().encode()
    for number, said in (
        (1, b"<< /Type /Catalog /Pages 2 0 R >>"),
        (2, b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids)),
        (3, b"<< /Producer (Leadline) /Title %s >>" % name),
    ):
        places[number] = len(content)
        content += b"%d 0 obj\n%s\nendobj\n" % (number, said)
    table = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f\r\n" % free
    for number in range(1, free):
        content += b"%010d 00000 n\r\n" % places[number]
    content += b"trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (free, table)
    return bytes(content)


def _from_the_page_on(objects: Mapping[int, tuple[bytes, bytes]]) -> list[int]:
    """The objects of a page in the order in which they are named, the page first: the converter's order varies."""
    page = next(number for number, (head, _) in sorted(objects.items()) if re.search(rb"/Type\s*/Page\b", head))
    order = [page]
    for number in order:  # grows on the way
        named = [int(found[1]) for found in _REFERENCE.finditer(re.sub(rb"/Parent \d+ 0 R", b"", objects[number][0]))]
        order += [each for each in dict.fromkeys(named) if each not in order]
    return order


def _objects(file: bytes) -> dict[int, tuple[bytes, bytes]]:
    """The objects of a PDF by their numbers: what stands before a stream, and the stream."""
    start = int(file[file.rindex(b"startxref") :].split()[1])
    lines = file[start:].split(b"trailer", 1)[0].split()
    if lines[0] != b"xref":
        raise LeadlineError("the converter of this version writes PDFs that cannot be joined; leave the PDF out")
    found: dict[int, tuple[bytes, bytes]] = {}
    for match in _OBJECT.finditer(file[:start]):
        number, begin = int(match[1]), match.end()
        if file[file.index(match[1], match.start()) :].startswith(match[1]) and _is_listed(lines, file, match):
            body = file[begin:]
            length = re.match(rb"\s*<<.*?/Length (\d+)\b(?! 0 R).*?>>\s*stream\r?\n", body, re.DOTALL)
            first_end = body.find(b"endobj")
            if length is not None and length.start() == 0 and b"endobj" not in length[0]:
                opening = length[0].rindex(b"stream")
                size = int(length[1])
                end = length.end() + size
                found[number] = body[:opening].strip(), b"\nstream\n" + body[length.end() : end] + b"\nendstream"
            else:
                found[number] = body[:first_end].strip(), b""
    return {number: (_RESOURCES.sub(_sorted_lines, head), stream) for number, (head, stream) in found.items()}


def _sorted_lines(found: re.Match[bytes]) -> bytes:
    return b"".join(sorted(found[0].splitlines(keepends=True)))


def _is_listed(lines: Sequence[bytes], file: bytes, match: re.Match[bytes]) -> bool:
    """Whether an object is where the file's own table says, and not by chance inside a stream."""
    at = match.start() + (file[match.start() : match.start() + 1] == b"\n")
    return b"%010d" % at in lines
