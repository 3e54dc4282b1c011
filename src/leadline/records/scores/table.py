"""A table that can be written in every format the commands offer.

Formats for people (table, markdown, latex) round numbers; formats for programs (tsv, csv, json, parquet) do not.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from leadline.errors import checked_choice, visible

Format = Literal["table", "tsv", "csv", "json", "parquet", "latex", "markdown"]
LEVELS = frozenset({"p", "p_corrected"})  # shown with two significant digits, since 0.000 says little
FORMATS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True)
class Table:
    """Rows under named columns. `best` holds the cells to highlight, as (row, column) places.

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
        if self.columns[column] in LEVELS and isinstance(value, float) and math.isfinite(value):
            return f"{value:.2g}"
        return human(value, self.digits)

    def is_numeric(self, column: int) -> bool:
        return any(isinstance(row[column], (int, float)) for row in self.rows)


def human(value: Any, digits: int) -> str:
    """Return a cell for people: few digits, a dash if undefined."""
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        return f"{value:.{digits}f}"
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
    from leadline.records.scores.terminal_table import ShownTable, terminal_table

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
    from leadline.text.json_output import json_text

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


_LATEX = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "±": r"$\pm$", "–": "--",
    }
)  # fmt: skip


def _latex(table: Table) -> str:
    def cell(r: int, c: int) -> str:
        text = table.shown(r, c).translate(_LATEX)
        text = rf"\textbf{{{text}}}" if (r, c) in table.best else text
        return f"{text} {table.asides[r, c].translate(_LATEX)}" if (r, c) in table.asides else text

    columns = range(len(table.columns))
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if table.is_numeric(c) else 'l' for c in columns)}}}",
        r"\toprule",
        " & ".join(visible(name).translate(_LATEX) for name in table.columns) + r" \\",
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
