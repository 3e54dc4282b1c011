"""How results show themselves: one line, words, or a table that can be written in every format the commands offer."""

from __future__ import annotations

import io
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from leadline.errors import checked_choice, visible

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LONGEST = 180  # characters of a finding in a `repr`
MOST_ROWS = 20  # of a table in a notebook
MOST_COLUMNS = 20
MOST_NOTES = 3


class Result:
    """The base of everything that functions return: a subclass gives `_finding` and, if it has one, `_shown_table`.

    A dataclass that is a Result needs `repr=False`, or else its own `__repr__` hides this one.

    >>> class Count(Result):
    ...     def _finding(self) -> str:
    ...         return "2 < 3 topics"
    ...     def _shown_table(self) -> Table:
    ...         return Table(["topic", "AP"], [["7", 0.25], ["8", 0.5]])
    >>> Count()
    <Count 2 < 3 topics>
    >>> print(Count())
    topic      AP
    ─────────────
    7       0.250
    8       0.500
    >>> Count()._repr_html_()[:34]
    '<div><p>2 &lt; 3 topics</p><table>'
    """

    def _finding(self) -> str:
        """The names and the main finding, in a line."""
        raise NotImplementedError

    def _shown_table(self) -> Table | None:
        """The table that is printed and shown in a notebook."""
        return None

    def __repr__(self) -> str:
        finding = visible(" ".join(self._finding().split()))
        return f"<{type(self).__name__} {finding if len(finding) <= LONGEST else f'{finding[: LONGEST - 1]}…'}>"

    def __str__(self) -> str:
        table = self._shown_table()
        return self._finding() if table is None else table.render("table")

    def _repr_html_(self) -> str:
        from xml.etree import ElementTree  # nothing but a notebook asks for it

        table = self._shown_table()
        notes: tuple[str, ...] = tuple(getattr(self, "notes", ()))
        shown = ElementTree.Element("div")
        ElementTree.SubElement(shown, "p").text = visible(self._finding())
        if table is not None:
            _add_html_table(shown, table)
        for note in notes[:MOST_NOTES]:
            _add_small(shown, visible(note))
        if len(notes) > MOST_NOTES:
            _add_small(shown, f"… {len(notes) - MOST_NOTES} more notes, see .notes")
        return ElementTree.tostring(shown, encoding="unicode", method="html")


def _add_small(parent: Element, text: str) -> None:
    """Add a paragraph in small type to an element of HTML."""
    from xml.etree.ElementTree import SubElement

    SubElement(SubElement(parent, "p"), "small").text = text


def _add_html_table(parent: Element, table: Table) -> None:
    """Add a table to an element of HTML, cut at a number of rows and columns; a line under it counts what was cut."""
    from xml.etree.ElementTree import SubElement

    rows, columns = range(len(table.rows))[:MOST_ROWS], range(len(table.columns))[:MOST_COLUMNS]
    sides = ["right" if table.is_numeric(c) else "left" for c in columns]
    drawn = SubElement(parent, "table")
    head = SubElement(SubElement(drawn, "thead"), "tr")
    for c in columns:
        SubElement(head, "th", style=f"text-align:{sides[c]}").text = visible(str(table.columns[c]))
    body = SubElement(drawn, "tbody")
    for r in rows:
        row = SubElement(body, "tr")
        for c in columns:
            cell = SubElement(row, "td", style=f"text-align:{sides[c]};font-variant-numeric:tabular-nums")
            (SubElement(cell, "b") if (r, c) in table.best else cell).text = table.shown(r, c)
            if aside := table.asides.get((r, c), ""):
                SubElement(cell, "small", style="margin-left:0.3em").text = aside
    left_out = {"rows": len(table.rows) - len(rows), "columns": len(table.columns) - len(columns)}
    if any(left_out.values()):
        _add_small(parent, f"… {' and '.join(f'{count:,} more {what}' for what, count in left_out.items() if count)}")


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "topic"), counted(3000, "topic")
    ('1 topic', '3,000 topics')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def whole_percent(share: float) -> str:
    """A share as a whole number of per cent.

    >>> whole_percent(0.754)
    '75 %'
    """
    return f"{100 * share:.0f} %"


# How many digits a number is shown with: those that tell it from the other numbers of its column.

ROUNDING = 1e-12  # numbers nearer than this share of the largest differ by rounding errors; so is what is nearer to 0
LONG_COLUMN = 1000  # of more different numbers, nobody compares each with its neighbour:
MOST_DIGITS = 6  # so many significant digits are enough


def decimals(values: Iterable[float], least: int = 3, *, apart: bool = True) -> int:
    """Return how many decimals show the numbers of a column so that different ones look different.

    At least `least` significant digits of the largest number, or of all if all are 10 or more; never a 0 for what is
    not 0. Without `apart`, as for the ends of intervals, different numbers may look alike.

    >>> decimals([0.552, 0.527]), decimals([0.5521, 0.5519]), decimals([0.00213, 0.00207])
    (3, 4, 5)
    >>> decimals([0.25, 0.00004]), decimals([310.452, 480.12]), decimals([0.1 + 0.2, 0.3])
    (5, 0, 3)
    """
    different = _different(values)
    sizes = [abs(value) for value in different if value]
    if not sizes:
        return least
    places = least
    if max(sizes) < 1:
        places = least - 1 - math.floor(math.log10(max(sizes)))
    elif min(sizes) >= 10:
        places = max(0, least - 1 - math.floor(math.log10(min(sizes))))
    most = places + MOST_DIGITS - least if len(different) > LONG_COLUMN else math.inf
    while float(f"{min(sizes):.{places}f}") == 0:
        places += 1
    while apart and places < most and len({f"{value:.{places}f}" for value in different}) < len(different):
        places += 1
    return places


def _different(values: Iterable[float]) -> list[float]:
    """The finite numbers in order, each once, and 0; those that differ by rounding errors count as one."""
    numbers = sorted({0.0, *(value for value in values if math.isfinite(value))})
    near = ROUNDING * max(1.0, -numbers[0], numbers[-1])
    different: list[float] = []
    for value in numbers:
        if not different or value - different[-1] > near:
            different.append(value)
        elif value == 0:
            different[-1] = 0.0
    return different


def number(value: float, among: Iterable[float] = (), least: int = 3) -> str:
    """Return a number for people, with the digits that tell it from the numbers that it stands among.

    >>> number(0.5521), number(0.5521, [0.5519]), number(-0.00004), number(-1e-17)
    ('0.552', '0.5521', '-0.0000400', '0.000')
    """
    return human(value, decimals([value, *among], least))


# A table that can be written in every format the commands offer.
#
# Formats for people (table, markdown, latex) round numbers; formats for programs (tsv, csv, json, parquet) do not.


Format = Literal["table", "tsv", "csv", "json", "parquet", "latex", "markdown"]
LEVELS = frozenset({"p", "p_corrected"})
FORMATS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True)
class Table:
    """Rows under named columns. `best` holds the cells to highlight, as (row, column) places.

    Numbers are shown with at least `digits` digits, and with as many as tell the numbers of a column apart.

    >>> table = Table(["run", "AP"], [["a", 0.25], ["b", 0.5]], best={(1, 1)})
    >>> print(table.render("markdown"))
    | run | AP |
    |:---|---:|
    | a | 0.250 |
    | b | **0.500** |
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    best: frozenset[tuple[int, int]] | set[tuple[int, int]] = frozenset()
    digits: int = 3
    asides: Mapping[tuple[int, int], str] = field(default_factory=dict)  # text beside a number, in small type
    alike: Sequence[Collection[str]] = ()  # columns that are compared with each other: the same decimals
    levels: Collection[str] = LEVELS  # columns shown with two significant digits, since 0.000 says little

    def __str__(self) -> str:
        return self.render("table")

    def render(self, format: str) -> str:
        """The table as text."""
        return _WRITERS[checked_choice("format", format, FORMATS)](self)

    def parquet(self) -> bytes:
        import polars

        buffer = io.BytesIO()
        rows = [[_unicode(cell) for cell in row] for row in self.rows]
        frame = polars.DataFrame(rows, schema=list(self.columns), orient="row", strict=False)
        frame.write_parquet(buffer)
        return buffer.getvalue()

    def encoded(self, format: str, *, formulas: bool = False) -> bytes:
        """The table as bytes. In CSV, text that a spreadsheet would run as a formula gets a ' before it.

        `formulas` leaves such text as it is.
        """
        if format == "parquet":
            return self.parquet()
        text = _csv(self, formulas=formulas) if format == "csv" else self.render(format)
        return f"{text}\n".encode()

    def shown(self, row: int, column: int) -> str:
        value = self.rows[row][column]
        if self.columns[column] in self.levels and isinstance(value, float) and math.isfinite(value):
            return f"{value:.2g}"
        return human(value, self.places[column])

    @cached_property
    def places(self) -> Sequence[int]:
        """The decimals of each column."""
        found = []
        for c, name in enumerate(self.columns):
            with_it = next((group for group in self.alike if name in group), ())
            together = [c, *(k for k, other in enumerate(self.columns) if k != c and other in with_it)]
            values = (row[k] for row in self.rows for k in together if isinstance(row[k], float))
            found.append(decimals(values, self.digits))
        return found

    def is_numeric(self, column: int) -> bool:
        return any(isinstance(row[column], (int, float)) for row in self.rows)


def human(value: Any, digits: int) -> str:
    """Return a cell for people: few digits, a dash if undefined."""
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        text = f"{value:.{digits}f}"
        return text.removeprefix("-") if float(text) == 0 else text
    return "" if value is None else visible(str(value))


def exact(value: Any) -> str:
    """Return a cell for programs: 17 significant digits, which restore a double exactly."""
    return f"{value:.17g}" if isinstance(value, float) else "" if value is None else str(value)


def _unicode(cell: Any) -> Any:
    """A cell for Parquet, which holds no bytes that are not UTF-8."""
    try:
        return cell if not isinstance(cell, str) or cell.encode() else ""
    except UnicodeEncodeError:
        return visible(cell)


def without_formula(cell: str) -> str:
    """Return a cell that no spreadsheet runs as a formula: with a ' before it, if it could be one. Numbers stay.

    Text that begins like such a cell gets one too, so that it is read as it was.

    >>> [without_formula(cell) for cell in ("=1+1", "-0.5", "-x", "@sum", "a=b", "-")]
    ["'=1+1", '-0.5', "'-x", "'@sum", 'a=b', "'-"]
    """
    if cell.startswith("'") and cell.lstrip("'").startswith(("=", "+", "-", "@")):
        return f"'{cell}"
    if not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _table(table: Table) -> str:

    columns = range(len(table.columns))
    cells = [[table.shown(r, c) for c in columns] for r in range(len(table.rows))]
    heads, numeric = list(map(visible, table.columns)), [table.is_numeric(c) for c in columns]
    return terminal_table(ShownTable(heads, cells, numeric, table.best, table.asides))


def _tsv(table: Table) -> str:
    """Cells between tabs, with a backslash before a backslash or quote, and before the letter for a control code."""

    def cell(value: Any) -> str:
        return visible(exact(value).replace("\\", "\\\\").replace('"', '\\"'))

    return "\n".join("\t".join(map(cell, row)) for row in (table.columns, *table.rows))


def _csv(table: Table, *, formulas: bool = False) -> str:
    import csv

    def cell(value: Any) -> str:
        text = visible(exact(value), keep="\t\n")
        return text if formulas else without_formula(text)

    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(map(cell, row) for row in (table.columns, *table.rows))
    return buffer.getvalue().removesuffix("\n")


def _json(table: Table) -> str:
    from leadline.text.files import json_text

    return json_text([dict(zip(table.columns, row, strict=True)) for row in table.rows])


_MARKDOWN = str.maketrans({"|": "\\|", "<": "&lt;", "&": "&amp;"})


def _markdown(table: Table) -> str:
    def cell(r: int, c: int) -> str:
        text = table.shown(r, c).translate(_MARKDOWN)
        text = f"**{text}**" if (r, c) in table.best else text
        return f"{text} {table.asides[r, c]}" if (r, c) in table.asides else text

    lines = ["| " + " | ".join(visible(name).translate(_MARKDOWN) for name in table.columns) + " |"]
    lines.append("|" + "|".join("---:" if table.is_numeric(c) else ":---" for c in range(len(table.columns))) + "|")
    lines += ["| " + " | ".join(cell(r, c) for c in range(len(table.columns))) + " |" for r in range(len(table.rows))]
    return "\n".join(lines)


LATEX_LETTERS = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "±": r"$\pm$", "–": "--",
    }
)  # fmt: skip


def _latex(table: Table) -> str:
    def cell(r: int, c: int) -> str:
        text = table.shown(r, c).translate(LATEX_LETTERS)
        text = rf"\textbf{{{text}}}" if (r, c) in table.best else text
        return f"{text} {table.asides[r, c].translate(LATEX_LETTERS)}" if (r, c) in table.asides else text

    columns = range(len(table.columns))
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if table.is_numeric(c) else 'l' for c in columns)}}}",
        r"\toprule",
        " & ".join(visible(name).translate(LATEX_LETTERS) for name in table.columns) + r" \\",
        r"\midrule",
        *(" & ".join(cell(r, c) for c in columns) + r" \\" for r in range(len(table.rows))),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


_WRITERS: dict[str, Callable[[Table], str]] = {
    "table": _table,
    "tsv": _tsv,
    "csv": _csv,
    "json": _json,
    "latex": _latex,
    "markdown": _markdown,
    "parquet": lambda _table: "(Parquet is not text: name a file with -o)",
}


# A table as text for people: as wide as the terminal, folded into blocks of columns if it is wider.


FILE_WIDTH = 100  # columns, if the output is not a terminal and COLUMNS is not set
NARROWEST = 20  # columns that a text is wrapped to, however narrow the terminal
GAP = "   "  # between two columns


@dataclass(frozen=True)
class ShownTable:
    """The texts of a table: headers, cells by row, and which columns hold numbers."""

    heads: Sequence[str]
    cells: Sequence[Sequence[str]]
    numeric: Sequence[bool]
    best: Collection[tuple[int, int]] = ()  # (row, column) of the cells to highlight
    asides: Mapping[tuple[int, int], str] = field(default_factory=dict)  # text beside a number


@dataclass(frozen=True)
class _Column:
    """The cells of a column under its header, each of one or more lines, all padded to one width."""

    cells: Sequence[Sequence[str]]
    width: int


def terminal_table(table: ShownTable) -> str:
    """The table with a line under the header and the best in bold, no wider than the terminal.

    A table that is too wide loses its intervals first. If that is not enough, its longest column of text is wrapped, or
    else the table is folded: blocks of columns, each with the labels of the rows.
    """
    width = page_width()
    columns = [_column(table, c) for c in range(len(table.heads))]
    if _across(columns) <= width or len(columns) < 2:
        return _block(columns)
    if table.asides:
        return terminal_table(replace(table, asides={}))
    texts = [c for c in range(1, len(columns)) if not table.numeric[c]]
    longest = max(texts, key=lambda c: columns[c].width, default=0)
    spare = width - _across(columns) + columns[longest].width
    if longest and spare >= NARROWEST:
        columns[longest] = _column(table, longest, wrapped=spare)
        return _block(columns)
    labels = _labels(table, columns, width)
    room = max(width - _across(columns[:labels]) - len(GAP), NARROWEST)
    blocks: list[list[_Column]] = [[]]
    for c in range(labels, len(columns)):
        column = columns[c]
        if column.width > room and not table.numeric[c]:
            column = _column(table, c, wrapped=room)
        if blocks[-1] and _across([*blocks[-1], column]) > room:
            blocks.append([])
        blocks[-1].append(column)
    return "\n\n".join(_block([*columns[:labels], *block]) for block in blocks)


def page_width() -> int:
    """The columns of the terminal, or of COLUMNS; 100 if the output is a file or a pipe."""
    return shutil.get_terminal_size((FILE_WIDTH, 24)).columns


def is_terminal() -> bool:
    """Whether bold and dim text can be shown."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _labels(table: ShownTable, columns: Sequence[_Column], width: int) -> int:
    """How many columns at the left say what a row is: those of text, as long as they leave half of the width."""
    labels = 1
    while labels < len(columns) - 1 and not table.numeric[labels] and _across(columns[: labels + 1]) <= width // 2:
        labels += 1
    return labels


def _across(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


def _column(table: ShownTable, c: int, wrapped: int | None = None) -> _Column:
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if is_terminal() else ("", "", "")
    numeric, head = table.numeric[c], table.heads[c]
    texts = [row[c] for row in table.cells]
    lines = [[text] if wrapped is None else textwrap.wrap(text, wrapped) or [""] for text in texts]
    asides = [table.asides.get((r, c), "") for r in range(len(texts))]
    beside = max([len(aside) + 1 for aside in asides if aside], default=0)
    width = max([len(line) for cell in lines for line in cell] + [len(head) - beside])
    cells = [[f"{bold}{_aligned(head, width + beside, numeric)}{plain}"]]
    for r, aside in enumerate(asides):
        shown = [_aligned(line, width, numeric) for line in lines[r]]
        shown = [f"{bold}{line}{plain}" for line in shown] if (r, c) in table.best else shown
        cells.append([line + (f"{dim}{aside:>{beside}}{plain}" if beside else "") for line in shown])
    return _Column(cells, width + beside)


def _aligned(text: str, width: int, numeric: bool) -> str:
    return text.rjust(width) if numeric else text.ljust(width)


def _block(columns: Sequence[_Column]) -> str:
    """Columns beside each other, with a line under the header."""
    lines = []
    for cells in zip(*(column.cells for column in columns), strict=True):
        for k in range(max(map(len, cells))):
            row = [
                cell[k] if k < len(cell) else " " * column.width for cell, column in zip(cells, columns, strict=True)
            ]
            lines.append(GAP.join(row).rstrip())
    return "\n".join([lines[0], "─" * _across(columns), *lines[1:]])
