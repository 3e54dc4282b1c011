"""A table that can be written in every format the commands offer.

Formats for people (table, markdown, latex) round; formats for programs (tsv, csv, json, parquet) do not.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from leadline.errors import checked_choice

Format = Literal["table", "tsv", "csv", "json", "parquet", "latex", "markdown"]
FORMATS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True)
class Table:
    """Rows under named columns. `best` holds the cells to set off, as (row, column) places.

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
    asides: Mapping[tuple[int, int], str] = field(default_factory=dict)  # what stands beside a number, in small type

    def render(self, format: str) -> str:
        """The table as text."""
        return _WRITERS[checked_choice("format", format, FORMATS)](self)

    def parquet(self) -> bytes:
        import polars

        buffer = io.BytesIO()
        rows = [list(row) for row in self.rows]
        frame = polars.DataFrame(rows, schema=list(self.columns), orient="row", strict=False)
        frame.write_parquet(buffer)
        return buffer.getvalue()

    def encoded(self, format: str) -> bytes:
        return self.parquet() if format == "parquet" else (self.render(format) + "\n").encode()

    def shown(self, row: int, column: int) -> str:
        return human(self.rows[row][column], self.digits)

    def is_numeric(self, column: int) -> bool:
        return any(isinstance(row[column], (int, float)) for row in self.rows)


def human(value: Any, digits: int) -> str:
    """A cell as people read it: few digits, a dash for what is undefined."""
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        return f"{value:.{digits}f}"
    return "" if value is None else str(value)


def exact(value: Any) -> str:
    """A cell as programs read it: 17 significant digits give a double back exactly."""
    return f"{value:.17g}" if isinstance(value, float) else "" if value is None else str(value)


def _table(table: Table) -> str:
    import shutil

    import rich.box
    import rich.table
    from rich.console import Console
    from rich.text import Text

    grid = rich.table.Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for place, name in enumerate(table.columns):
        grid.add_column(Text(name), justify="right" if table.is_numeric(place) else "left", no_wrap=True)
    for r in range(len(table.rows)):
        cells = []
        for c in range(len(table.columns)):
            cell = Text(table.shown(r, c), style="bold" if (r, c) in table.best else "")
            if (r, c) in table.asides:
                cell.append(f" {table.asides[r, c]}", style="dim")
            cells.append(cell)
        grid.add_row(*cells)
    buffer = io.StringIO()
    coloured = _is_terminal()
    width = shutil.get_terminal_size().columns if coloured else 10_000
    console = Console(file=buffer, width=max(width, 40), force_terminal=coloured, highlight=False)
    console.print(grid)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def _is_terminal() -> bool:
    import sys

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _separated(table: Table, separator: str) -> str:
    buffer = io.StringIO()
    if separator == ",":
        writer = csv.writer(buffer, lineterminator="\n")
    else:
        writer = csv.writer(buffer, delimiter=separator, quoting=csv.QUOTE_NONE, escapechar="\\", lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([exact(cell) for cell in row] for row in table.rows)
    return buffer.getvalue().removesuffix("\n")


def _json(table: Table) -> str:
    def plain(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    rows = [{name: plain(cell) for name, cell in zip(table.columns, row, strict=True)} for row in table.rows]
    return json.dumps(rows, ensure_ascii=False, indent=1)


def _markdown(table: Table) -> str:
    def cell(r: int, c: int) -> str:
        text = table.shown(r, c).replace("|", "\\|")
        text = f"**{text}**" if (r, c) in table.best else text
        return f"{text} {table.asides[r, c]}" if (r, c) in table.asides else text

    lines = ["| " + " | ".join(str(name).replace("|", "\\|") for name in table.columns) + " |"]
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
        " & ".join(str(name).translate(_LATEX) for name in table.columns) + r" \\",
        r"\midrule",
        *(" & ".join(cell(r, c) for c in columns) + r" \\" for r in range(len(table.rows))),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


_WRITERS: dict[str, Callable[[Table], str]] = {
    "table": _table,
    "tsv": lambda table: _separated(table, "\t"),
    "csv": lambda table: _separated(table, ","),
    "json": _json,
    "latex": _latex,
    "markdown": _markdown,
    "parquet": lambda _table: "(Parquet is not text: name a file with -o)",
}
