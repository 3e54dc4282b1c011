"""The overview of a campaign as files: a page, Markdown, LaTeX, PDF, and every table and figure by itself.

    OVERVIEW/overview.html      one file, no network
    OVERVIEW/overview.md        with the figures beside it
    OVERVIEW/overview.tex       with the figures as PDF beside it
    OVERVIEW/overview.pdf       pages of A4
    OVERVIEW/tables/NAME.csv    the numbers of every table and figure
    OVERVIEW/figures/NAME.svg

All of it is the same bytes each time (see `pages/printing.py` for the letters of the PDFs).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from leadline.errors import InputError, visible
from leadline.records.result import LATEX_LETTERS, Table, counted
from leadline.show.campaign.overview import Overview, OverviewItem
from leadline.show.campaign.overview_figures import STYLE, WIDE
from leadline.show.pages.printing import LONGEST_CELL, ROOM, PrintedPages, converted, joined_pdf
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
                yield f"figures/{each.name}.pdf", joined_pdf([converted(each.picture.svg())], each.title)


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


# The PDF.


def _is_cut(table: Table) -> bool:
    """Whether a text of the table is too long for its column in print."""
    cells = (table.shown(r, c) for r in range(len(table.rows)) for c in range(len(table.columns)))
    return len(table.columns) > 1 and any(len(cell) > LONGEST_CELL for cell in cells)


def printed(made: Overview) -> bytes:
    """The overview as pages of A4."""
    pages = PrintedPages()
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
    return pages.pdf(made.title, STYLE)
