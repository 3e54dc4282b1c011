"""The overview of a campaign as files: a page, Markdown, LaTeX, PDF, and every table and figure by itself.

    OVERVIEW/overview.html      one file, no network
    OVERVIEW/overview.md        with the figures beside it
    OVERVIEW/overview.tex       with the figures as PDF beside it
    OVERVIEW/overview.pdf       pages of A4
    OVERVIEW/tables/NAME.csv    the numbers of every table and figure
    OVERVIEW/figures/NAME.svg

All of it is the same bytes each time. The PDFs have the letters of Liberation Sans, which the package vl-convert-python
brings: on a machine with another version of that font, or of the package, they may differ in their letters.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from leadline.errors import InputError, LeadlineError, visible
from leadline.records.result import LATEX_LETTERS, Table, counted
from leadline.show.campaign.overview import Overview, OverviewItem
from leadline.show.campaign.overview_figures import STYLE, WIDE
from leadline.show.charts import converter
from leadline.show.pages.drawing import SvgShape, drawing, line, words
from leadline.show.report.html_page import assembled_page
from leadline.text.files import write_whole

PRINTED = 12  # rows and columns of a long table that print


def write_overview(made: Overview, folder: str | os.PathLike[str], *, pdf: bool = True) -> list[Path]:
    """Write the overview into a folder, which is made if need be, and say which files."""
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise InputError(str(place), "is a file: name a folder")
    contents = dict(_files(made, pdf=pdf))
    for each in sorted({place / Path(name).parent for name in contents}):
        each.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_whole(place / name, content)
    return [place / name for name in contents]


def _files(made: Overview, *, pdf: bool) -> Iterator[tuple[str, bytes]]:
    yield "overview.html", overview_page(made).encode()
    yield "overview.md", markdown(made).encode()
    yield "overview.tex", latex(made).encode()
    if pdf:
        yield "overview.pdf", printed(made)
    for each in made.exhibits:
        yield f"tables/{each.name}.csv", each.table.encoded("csv")
        if each.picture is not None:
            yield f"figures/{each.name}.svg", each.picture.svg().encode()
            if pdf:
                yield f"figures/{each.name}.pdf", joined_pdf([_converted(each.picture.svg())], each.title)


def overview_page(made: Overview) -> str:
    """The overview as one HTML file."""
    pictures = {each.name: Markup(each.picture.svg(styled=False)) for each in made.exhibits if each.picture}
    numeric = {each.name: [each.table.is_numeric(c) for c in range(len(each.table.columns))] for each in made.exhibits}
    return assembled_page(
        "overview.html",
        made.title,
        {},
        [],
        styles=["overview.css"],
        made=made,
        pictures=pictures,
        numeric=numeric,
        anchors=_anchors(made),
    )


def _anchors(made: Overview) -> list[str]:
    """An address for each section, from its heading."""
    found: list[str] = []
    for section in made.sections:
        name = re.sub(r"[^a-z0-9]+", "-", section.heading.lower()).strip("-") or "section"
        found.append(name if name not in found else f"{name}-{len(found)}")
    return found


def _shown(table: Table, each: OverviewItem) -> tuple[Table, str]:
    """What prints of a table, and what is said of the rest."""
    if not each.is_long:
        return table, ""
    kept = Table(
        table.columns[:PRINTED],
        [row[:PRINTED] for row in table.rows[:PRINTED]],
        best={cell for cell in table.best if max(cell) < PRINTED},
        digits=table.digits,
        asides={cell: text for cell, text in table.asides.items() if max(cell) < PRINTED},
        alike=table.alike,
        levels=table.levels,
    )
    size = f"{counted(len(table.rows), 'line')} and {counted(len(table.columns), 'column')}"
    return kept, f"The beginning of {size}; all are in tables/{each.name}.csv."


def markdown(made: Overview) -> str:
    """The overview in Markdown."""
    parts = [f"# {_plain(made.title)}", *([_plain(made.by)] if made.by else []), *map(_plain, made.abstract)]
    for section in made.sections:
        parts += [f"{'#' * section.level} {_plain(section.heading)}", *map(_plain, section.paragraphs)]
        for each in section.exhibits:
            name = f"**{made.numbers[each.name]}: {_plain(each.title)}.** {_plain(each.reading)}".rstrip()
            if each.picture is not None:
                parts += [f"![{_plain(each.picture.says)}](figures/{each.name}.svg)", name]
                continue
            table, rest = _shown(each.table, each)
            parts += [
                name,
                table.render("markdown"),
                f"[tables/{each.name}.csv](tables/{each.name}.csv) {rest}".rstrip(),
            ]
    if made.licence:
        parts.append(f"Licence: {_plain(made.licence)}")
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    """A text in which nothing is taken for Markdown or HTML."""
    return re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", " ".join(visible(text).split()))


def latex(made: Overview) -> str:
    """The overview in LaTeX, with packages that every distribution has."""
    head = [
        r"\documentclass[a4paper,10pt]{article}",
        r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage[margin=20mm]{geometry}",
        r"\usepackage{booktabs,graphicx,adjustbox}",
        rf"\title{{{_tex(made.title)}}}\author{{{_tex(made.by)}}}\date{{}}",
        r"\begin{document}\maketitle",
        r"\begin{abstract}",
        *(f"{_tex(each)}\n" for each in made.abstract),
        r"\end{abstract}",
    ]
    body: list[str] = []
    for section in made.sections:
        body += [rf"\section{{{_tex(section.heading)}}}", *(f"{_tex(each)}\n" for each in section.paragraphs)]
        for each in section.exhibits:
            table, rest = _shown(each.table, each)
            caption = _tex(f"{each.title}. {each.reading} {rest}".strip())
            kind = "table" if each.picture is None else "figure"
            inner = rf"\includegraphics[width=\textwidth]{{{{figures/{each.name}}}.pdf}}"
            if each.picture is None:
                size = r"{max width=\textwidth,max totalheight=.9\textheight}"
                inner = rf"\begin{{adjustbox}}{size}{table.render('latex')}\end{{adjustbox}}"
            body.append(
                rf"\begin{{{kind}}}[htbp]\centering\caption{{{caption}}}\label{{{each.name}}}{inner}\end{{{kind}}}"
            )
        body.append(r"\clearpage")
    if made.licence:
        body.append(_tex(f"Licence: {made.licence}"))
    return "\n".join([*head, *body, r"\end{document}", ""])


def _tex(text: str) -> str:
    return visible(text).translate(LATEX_LETTERS)


# The PDF: pages drawn as SVG, each converted by the library that saves charts, and put into one file.

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


class _Pages:
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


def _is_cut(table: Table) -> bool:
    """Whether a text of the table is too long for its column in print."""
    cells = (table.shown(r, c) for r in range(len(table.rows)) for c in range(len(table.columns)))
    return len(table.columns) > 1 and any(len(cell) > LONGEST_CELL for cell in cells)


def _aside(table: Table, row: int, column: int) -> str:
    aside = table.asides.get((row, column), "")
    return f" {aside}" if aside else ""


def printed(made: Overview) -> bytes:
    """The overview as pages of A4."""
    pages = _Pages()
    pages.text(made.title, "h1", 32, 46)
    if made.by:
        pages.text(made.by, "p soft", 20, 98)
    pages.y += 8
    for sentence in made.abstract:
        pages.text(sentence, "p", 18, 104)
    for section in made.sections:
        pages.room(110)
        pages.y += 20
        pages.rule()
        pages.y += 6
        pages.text(section.heading, "h2", 26, 66)
        for sentence in section.paragraphs:
            pages.text(sentence, "p", 18, 104)
        for each in section.exhibits:
            pages.y += 12
            pages.room(90 if each.picture is None else min(each.picture.height * ROOM / WIDE + 60, 500))
            pages.text(f"{made.numbers[each.name]}: {each.title}", "caption", 17, 100)
            table, rest = _shown(each.table, each)
            cut = (
                f"What ends in … is whole in tables/{each.name}.csv." if each.picture is None and _is_cut(table) else ""
            )
            said = " ".join(filter(None, (each.reading, rest if each.picture is None else "", cut)))
            pages.text(said, "cell soft", 13, 145)
            pages.y += 4
            if each.picture is None:
                pages.table(table)
            else:
                pages.picture(each.picture.shapes, each.picture.width, each.picture.height)
    if made.licence:
        pages.y += 16
        pages.text(f"Licence: {made.licence}", "p soft", 18, 104)
    singles = [
        _converted(_page_svg(shapes, number, len(pages.pages))) for number, shapes in enumerate(pages.pages, start=1)
    ]
    return joined_pdf(singles, made.title)


def _page_svg(shapes: Sequence[SvgShape], number: int, total: int) -> str:
    whole = [
        SvgShape("style", text=PAGE_STYLE + STYLE),
        SvgShape("rect", {"width": PAGE_WIDE, "height": PAGE_HIGH, "fill": "#ffffff"}),
        *shapes,
        words(PAGE_WIDE - MARGIN, PAGE_HIGH - 26, f"{number} of {total}", "cell soft", "end"),
    ]
    return str(drawing(PAGE_WIDE, PAGE_HIGH, whole, width=PAGE_WIDE, height=PAGE_HIGH))


def _converted(svg: str) -> bytes:
    return bytes(converter("an overview as PDF").svg_to_pdf(svg.replace("sans-serif", PRINT_FONT)))


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
