"""Examining the robustness of evaluation metrics for patent retrieval with incomplete relevance judgements (2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from leadline.errors import LeadlineError
from leadline.measures.definition import parse_measures
from leadline.measures.hits import Array
from leadline.records.result import Table
from leadline.show.charts import HEIGHT, WIDTH, Figure
from leadline.show.figures.incomplete import reading, title
from leadline.show.papers import published
from leadline.show.papers.exhibit import (
    BESIDE,
    Cells,
    Exhibit,
    Paper,
    PaperInputs,
    ShippedLab,
    needs_lab,
    on_runs,
    shipped_lab,
)
from leadline.show.plots import plain, rows
from leadline.trust.incomplete import SHARES, Incomplete

NAME = "robustness-2010"
SOURCE = "Magdy and Jones, CLEF 2010, table 1"
EFFORTS = (100, 1000)
ROUNDED = 0.005  # the samples are printed to two digits
MEASURES = ("MAP", "recall", "PRES")
OURS = ("AP", "R", "PRES")  # the names of the same measures here
SAMPLES = 100


def paper(lab: PaperInputs | None = None) -> Paper:
    lab = lab or shipped_lab()
    return Paper(
        NAME,
        "Which score survives when judgements are missing?",
        "Magdy and Jones, CLEF 2010",
        (
            table_1(),
            figures_3_and_4(),
            on_lab(lab),
            on_runs(
                lab,
                NAME,
                "Figure 2",
                "relevant documents of each topic",
                "relevant_distribution",
                "the judgements of CLEF-IP 2009 are not published here",
            ),
            Exhibit(
                "Figure 1",
                "PRES as an area between best and worst case",
                "shown",
                "A sketch, the same as figure 3 of the paper above, where it is drawn.",
            ),
        ),
        n_tables=1,
        n_figures=4,
    )


def printed_samples(effort: int) -> Incomplete:
    """The printed correlations of one effort, as an Incomplete."""
    table = [row for row in published.table("clef_ip_2009_robustness") if row["sample"] in (1, 2, 3)]
    tau = np.array(
        [
            [
                [row[f"{name}@{effort}"] for name in MEASURES]
                for row in table
                if row["percent_kept"] == round(100 * share)
            ]
            for share in SHARES
        ],
        float,
    )
    return Incomplete(tuple(f"{name}@{effort}" for name in MEASURES), SHARES, tau, 48)


def printed_averages() -> dict[tuple[float, str], float]:
    """The printed averages by share and column."""
    table = [row for row in published.table("clef_ip_2009_robustness") if row["sample"] == "avg."]
    columns = [f"{name}@{effort}" for effort in EFFORTS for name in MEASURES]
    return {(row["percent_kept"] / 100, column): row[column] for row in table for column in columns}


def table_1() -> Exhibit:
    """The averages computed from the printed samples."""
    printed = printed_averages()
    body: list[list[Any]] = []
    asides, cells = {}, Cells()
    for effort in EFFORTS:
        found = printed_samples(effort)
        for k, share in enumerate(SHARES):
            for m, column in enumerate(found.measures):
                mean, lowest = float(found.mean[k, m]), float(found.lowest[k, m])
                name = f"{column} with {100 * share:.0f} %"
                ends = {"low": mean - ROUNDED, "high": mean + ROUNDED}  # each of the samples is rounded
                asides[len(body), 3] = BESIDE[cells.compare(name, printed[share, column], mean, 2, **ends)]
                body.append([column, round(100 * share), printed[share, column], mean, lowest])
    finding = f"The averages of the printed samples. {cells.finding()}"
    if cells.inputs:
        finding += " The paper averaged before rounding."
    columns = ["score", "% known", "avg. printed", "avg. of the samples", "lowest"]
    return Exhibit(
        "Table 1",
        "τ with the full ranking when a share of the relevant documents is known",
        cells.state,
        finding,
        (Table(columns, body, digits=2, asides=asides),),
    )


def figures_3_and_4() -> Exhibit:
    """The lowest τ of the printed samples, as the paper draws it, with the mean beside it."""
    return Exhibit(
        "Figures 3, 4",
        "the lowest τ of three samples, at 100 and at 1000 documents",
        "shown",
        "Drawn from table 1: the lowest value as in the paper, and the mean.",
        figures=tuple(_tau_figure(printed_samples(effort), f"{NAME}-{effort}", SOURCE) for effort in EFFORTS),
    )


def _tau_figure(found: Incomplete, name: str, source: str) -> Figure:
    chart = plain(found).properties(width=WIDTH, height=HEIGHT)
    return Figure(name, title(found), reading(found), chart, rows(found), source)


def on_lab(lab: PaperInputs) -> Exhibit:
    """The same study on the lab's runs, beside the printed averages."""
    about = "many samples instead of three"
    efforts = EFFORTS[:1] if isinstance(lab, ShippedLab) else EFFORTS  # its lists end at 100
    names = [f"{name}@{effort}" for effort in efforts for name in OURS]
    study = replace(lab.evidence.study, measures=tuple(parse_measures(names)))
    try:
        found = Incomplete.of(study, keep=SHARES, samples=SAMPLES, seed=lab.evidence.rng(NAME))
    except LeadlineError as error:
        return needs_lab("The same study on other runs", about, f"the lab does not allow it ({error})")
    printed = printed_averages()
    body: list[list[Any]] = []
    for m, measure in enumerate(found.measures):
        column = f"{MEASURES[m % 3]}@{EFFORTS[m // 3]}"
        for k, share in enumerate(SHARES):
            mean, lowest = float(found.mean[k, m]), float(found.lowest[k, m])
            body.append([measure, round(100 * share), printed[share, column], mean, lowest])
    columns = ["score", "% known", "printed (48 runs)", f"ours ({len(study.runs)} runs)", "lowest"]
    return Exhibit(
        "The same study on other runs",
        about,
        "other",
        f"{lab.counted()}; {SAMPLES} samples per share. With 20 % of the relevant documents "
        f"{_order(found.mean[0], efforts)}. "
        "In the paper PRES is first, then recall, then MAP far behind.",
        (Table(columns, body, digits=2),),
        (_tau_figure(found, f"{NAME}-lab", SOURCE),),
    )


def _order(mean: Array, efforts: Sequence[int]) -> str:
    """The measures by how well they keep the ranking, at each effort."""
    parts = []
    for place, effort in enumerate(efforts):
        values = mean[3 * place : 3 * place + 3]
        order = np.argsort(-values, kind="stable")
        listed = ", ".join(f"{OURS[m]} {values[m]:.2f}" for m in order.tolist())
        parts.append(f"the order kept at {effort} documents is {listed}")
    return " and ".join(parts)
