"""All papers on one HTML page: the printed numbers beside ours, or why there are none."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from html import escape

from leadline.records.scores.table import Table
from leadline.show.papers import beyond, chem_2009, cube_2013, pres_2010, robustness_2010, web_2012
from leadline.show.papers.exhibit import STATES, Exhibit, Paper, State
from leadline.show.papers.inputs import PaperInputs
from leadline.show.report.html_page import figure_html, html_page
from leadline.version import __version__

PAPERS: tuple[Callable[[PaperInputs | None], Paper], ...] = (
    pres_2010.paper, robustness_2010.paper, chem_2009.paper, cube_2013.paper, web_2012.paper, beyond.paper,
)  # fmt: skip
KINDS: dict[State, str] = {
    "same": "firm", "other": "firm", "new": "firm", "differs": "fragile", "shown": "shown", "needs": "undecided",
    "not here": "undecided",
}  # fmt: skip
LONG = 14  # a table with more rows scrolls
Step = Callable[[int, int, str], None]


def papers(lab: PaperInputs | None = None, progress: Step | None = None) -> list[Paper]:
    """Every paper with its tables and figures reproduced."""
    made = []
    for done, paper in enumerate(PAPERS):
        if progress is not None:
            progress(done, len(PAPERS), paper.__module__.rpartition(".")[2].replace("_", " "))
        made.append(paper(lab))
    return made


def page(
    made: Sequence[Paper], lab: PaperInputs | None = None, *, key: str = "", day: datetime.date | None = None
) -> str:
    """The page as HTML."""
    figures = [figure for paper in made for figure in paper.figures()]
    body = [_top(lab, day or datetime.date.today()), _verdict(made, lab), _contents(made)]
    for paper in made:
        body.append(f'<h2 id="{paper.name}">{escape(paper.title)}</h2><p class="aside">{escape(paper.citation)}</p>')
        body.extend(_exhibit(exhibit) for exhibit in paper.exhibits)
    foot = f"leadline {__version__} · `leadline reproduce LAB` shows what was not published for runs of your own"
    body.append(f'<footer class="foot">{escape(foot)}</footer>')
    return html_page("The papers, redone", body, figures, key=key)


def _top(lab: PaperInputs | None, day: datetime.date) -> str:
    counted = "from published figures" if lab is None else f"from published figures and a lab: {lab.counted()}"
    return (
        f'<header class="top"><h1>The papers, redone</h1><span class="counted">{escape(counted)} · {day.isoformat()} '
        '<button type="button" class="plain theme">dark paper</button></span></header>'
    )


def _verdict(made: Sequence[Paper], lab: PaperInputs | None) -> str:
    counts = {state: sum(paper.count(state) for paper in made) for state in STATES}
    chips = "".join(
        f'<span><span class="chip {KINDS[state]}">{words}</span> {counts[state]}</span>'
        for state, (words, _) in STATES.items()
        if counts[state]
    )
    meanings = "".join(f"<li>{escape(words)}: {escape(meaning)}</li>" for words, meaning in STATES.values())
    differ = "".join(
        f'<li><a href="#{paper.name}">{escape(paper.citation)}</a>, {escape(exhibit.name)}: '
        f"{escape(exhibit.finding)}</li>"
        for paper in made
        for exhibit in paper.exhibits
        if exhibit.state == "differs"
    )
    said = f"<ul>{differ}</ul>" if differ else "<p>Nothing that is computed again differs from what was printed.</p>"
    hint = "" if lab is not None else "<p>Give a folder of runs and judgements to see the other analyses on them.</p>"
    whole = counts["same"] + counts["differs"]
    others = sum(not exhibit.parts for paper in made for exhibit in paper.exhibits)
    lead = (
        f"Of {sum(paper.n_tables + paper.n_figures for paper in made)} tables and figures and {others} other results, "
        f"{whole} print numbers that can be computed again: {counts['same']} are the same, {counts['differs']} differ."
    )
    return (
        f'<section class="verdict" aria-label="the result"><p class="lead">{lead} <span class="chips">{chips}</span>'
        f"</p>{said}{hint}<details><summary>What the words mean</summary><ul>{meanings}</ul></details>"
        "</section>"
    )


def _contents(made: Sequence[Paper]) -> str:
    links = "".join(f'<li><a href="#{paper.name}">{escape(paper.citation)}</a></li>' for paper in made)
    return f'<nav aria-label="contents"><ul>{links}</ul></nav>'


def _exhibit(exhibit: Exhibit) -> str:
    words, _ = STATES[exhibit.state]
    parts = [
        f'<section class="stack" style="margin:32px 0"><h3>{escape(exhibit.name)}: {escape(exhibit.about)} '
        f'<span class="chip {KINDS[exhibit.state]}">{words}</span></h3><p class="aside">{escape(exhibit.finding)}</p>'
    ]
    tables, figures = [*map(_table, exhibit.tables)], [*map(figure_html, exhibit.figures)]
    if len(tables) == len(figures) == 1:
        tables, figures = [], tables + figures  # side by side, where there is room
    parts += [*tables, f'<div class="figures">{"".join(figures)}</div>' if figures else ""]
    return "".join([*parts, "</section>"])


def _table(table: Table) -> str:
    """A table that is sorted by clicking its headings; a long one scrolls."""
    numeric = [table.is_numeric(column) for column in range(len(table.columns))]
    heads = "".join(
        f'<th scope="col"{" class=num" if number else ""}>{escape(name)}</th>'
        for name, number in zip(table.columns, numeric, strict=True)
    )
    rows = "".join(f"<tr>{''.join(_cells(table, row, numeric))}</tr>" for row in range(len(table.rows)))
    kind = "tall" if len(table.rows) > LONG else "scroll"
    return (
        f'<div class="{kind}"><table class="sortable fit"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def _cells(table: Table, row: int, numeric: Sequence[bool]) -> Iterator[str]:
    for column, number in enumerate(numeric):
        shown, aside = escape(table.shown(row, column)), table.asides.get((row, column), "")
        beside = f' <span class="interval">{escape(aside)}</span>' if aside else ""
        value = table.rows[row][column]
        key = f' data-v="{value}"' if isinstance(value, (int, float)) else ' data-v=""' if number else ""
        yield f"<td{' class=num' if number else ''}{key}>{shown}{beside}</td>"
