"""How results show themselves: one line as `repr`, words or a table as `str`, a table in a notebook."""

from __future__ import annotations

from html import escape

from leadline.errors import visible
from leadline.records.scores.table import Table

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
        table = self._shown_table()
        notes: tuple[str, ...] = tuple(getattr(self, "notes", ()))
        said = [f"<p>{escape(visible(self._finding()))}</p>"]
        if table is not None:
            said.append(html_table(table))
        said += [f"<p><small>{escape(visible(note))}</small></p>" for note in notes[:MOST_NOTES]]
        if len(notes) > MOST_NOTES:
            said.append(f"<p><small>… {len(notes) - MOST_NOTES} more notes, see .notes</small></p>")
        return f"<div>{''.join(said)}</div>"


def html_table(table: Table, rows: int = MOST_ROWS, columns: int = MOST_COLUMNS) -> str:
    """A table as HTML, cut at a number of rows and columns; a line under it counts what was cut."""
    shown_rows, shown_columns = range(len(table.rows))[:rows], range(len(table.columns))[:columns]
    sides = ["right" if table.is_numeric(c) else "left" for c in shown_columns]
    head = "".join(
        f'<th style="text-align:{sides[c]}">{escape(visible(str(table.columns[c])))}</th>' for c in shown_columns
    )
    body = []
    for r in shown_rows:
        cells = []
        for c in shown_columns:
            text = escape(table.shown(r, c))
            text = f"<b>{text}</b>" if (r, c) in table.best else text
            aside = escape(table.asides.get((r, c), ""))
            beside = f" <small>{aside}</small>" if aside else ""
            cells.append(f'<td style="text-align:{sides[c]};font-variant-numeric:tabular-nums">{text}{beside}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    cut = [
        f"{count - len(shown):,} more {what}"
        for count, shown, what in (
            (len(table.rows), shown_rows, "rows"),
            (len(table.columns), shown_columns, "columns"),
        )
        if count > len(shown)
    ]
    more = f"<p><small>… {' and '.join(cut)}</small></p>" if cut else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{more}"


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
