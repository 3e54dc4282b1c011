"""A table as text for people: as wide as the terminal, folded into blocks of columns if it is wider."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
