"""All papers on one HTML page: the printed numbers beside ours, or why there are none."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence

from leadline.records.result import Table
from leadline.show.papers import beyond, chem_2009, cube_2013, pres_2010, robustness_2010, web_2012
from leadline.show.papers.exhibit import STATES, Paper, PaperInputs, State
from leadline.show.report.html_page import html_page

PAPERS: tuple[Callable[[PaperInputs | None], Paper], ...] = (
    pres_2010.paper,
    robustness_2010.paper,
    chem_2009.paper,
    cube_2013.paper,
    web_2012.paper,
    beyond.paper,
)
KINDS: dict[State, str] = {
    "same": "firm",
    "other": "firm",
    "new": "firm",
    "differs": "fragile",
    "shown": "shown",
    "needs": "undecided",
}
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
    exhibits = [(paper, exhibit) for paper in made for exhibit in paper.exhibits]
    counts = {state: sum(paper.count(state) for paper in made) for state in STATES}
    lead = (
        f"Of {sum(paper.n_tables + paper.n_figures for paper in made)} tables and figures and "
        f"{sum(not exhibit.parts for _, exhibit in exhibits)} other results, {counts['same'] + counts['differs']} "
        f"print numbers that can be computed again: {counts['same']} are the same, {counts['differs']} differ."
    )
    return html_page(
        "papers.html",
        "The papers, redone",
        figures,
        key=key,
        lead=lead,
        papers=made,
        lab=lab,
        states=STATES,
        kinds=KINDS,
        counts=counts,
        numeric=_numeric,
        made=day or datetime.date.today(),
        differ=[(paper, exhibit) for paper, exhibit in exhibits if exhibit.state == "differs"],
        counted="from published figures" + (f" and a lab: {lab.counted()}" if lab is not None else ""),
    )


def _numeric(table: Table) -> list[bool]:
    return [table.is_numeric(column) for column in range(len(table.columns))]
