"""PRES: a score metric for evaluating recall-oriented information retrieval applications (SIGIR 2010)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from leadline.measures.catalogue.average_precision import average_precision
from leadline.measures.catalogue.precision import recall
from leadline.measures.catalogue.pres import pres, pres_est
from leadline.measures.catalogue.rnorm import rnorm
from leadline.measures.catalogue.sets import f_measure, f_prime
from leadline.measures.hits import Array, Hits, Integers
from leadline.records.result import Table
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    GREY,
    HEIGHT,
    OKABE_ITO,
    WIDTH,
    Figure,
    beside,
    count,
    measure_colours,
    narrow,
    rows_data,
    with_rows,
)
from leadline.show.papers import published
from leadline.show.papers.exhibit import (
    BESIDE,
    Cells,
    Exhibit,
    Paper,
    PaperInputs,
    on_runs,
    renamed,
    shipped_lab,
)
from leadline.show.report.drawing import FIGURES, haloed
from leadline.show.report.evidence import Evidence
from leadline.trust.rankings import places as places_of
from leadline.trust.rankings import tau_a

NAME = "pres-2010"
SOURCE = "Magdy and Jones, SIGIR 2010, table 4"
PRINTED_TAU = {("MAP", "recall"): 0.56, ("PRES", "recall"): 0.87, ("PRES", "MAP"): 0.66}
# Table 1: F1, F'1 and F'4 of the four systems at 100 documents
PRINTED_F = {
    "system1": (0.0192, 0.25, 0.25),
    "system2": (0.0769, 0.0917, 0.462),
    "system3": (0.0769, 1.0, 1.0),
    "system4": (0.0769, 0.429, 0.864),
}
PRINTED_RANKS = {"system2": [50, 51, 53, 54]}  # the data have 50 to 53, to which the printed numbers belong
LIST, SIZES = [2, 5, 6, 9, 12], (20, 1000)  # ranks, and sizes of collections, for the sketches of Rnorm
AGREED = "the chart needs every run's score on every topic, and the paper prints means"


def paper(lab: PaperInputs | None = None) -> Paper:
    """Its four tables and nine figures."""
    lab = lab or shipped_lab()
    examples = _examples()
    area, surface, rr = (
        renamed(FIGURES.named(name).draw(examples), NAME) for name in ("pres_area", "pres_surface", "pres_rr")
    )
    return Paper(
        NAME,
        "PRES: a score for searches that must find everything",
        "Magdy and Jones, SIGIR 2010",
        (
            table_1(),
            table_2(),
            table_3(),
            table_4(),
            figures_1_and_2(),
            Exhibit(
                "Figure 3",
                "PRES as an area between best and worst case",
                "shown",
                "A sketch in the paper; drawn here from the ranks of a topic of table 3.",
                figures=(area,),
            ),
            Exhibit(
                "Figures 4(a), 4(b)",
                "PRES over recall and rank; PRES against RR with one relevant document",
                "shown",
                "Drawn from the formula, with the topics of table 3.",
                figures=(surface, rr),
            ),
            figures_5_and_6(),
            on_runs(lab, NAME, "Figure 7", "on how many pairs of runs the three scores agree", "agreement", AGREED),
            on_runs(
                lab,
                NAME,
                "Figure 8",
                "the three scores against the number of documents read",
                "effort_curves",
                "the curves of three runs need their ranked lists, which are not published",
            ),
            figure_9(),
        ),
        n_tables=4,
        n_figures=9,
    )


def _examples() -> Evidence:
    """The topics of table 3 as evidence: one run of CLEF-IP 2009 on topics a to h."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for one in published.pres_worked_examples():
        kind, _, topic = one["example"].partition("_")
        if kind != "topic" or one["n_max"] != 1000:
            continue
        found = {rank: place for place, rank in enumerate(one["ranks"])}
        listed = (f"relevant{found[rank]}" if rank in found else f"other{rank}" for rank in range(1, 1001))
        qrels[topic] = {f"relevant{place}": 1 for place in range(one["n_relevant"])}
        run[topic] = {document: -float(place) for place, document in enumerate(listed)}
    return Evidence.of(qrels, {"CLEF-IP 2009 run": run}, "PRES@1000")


def _ranks(example: dict[str, Any]) -> list[int]:
    """The ranks as the paper prints them."""
    return PRINTED_RANKS.get(example["example"], list(example["ranks"]))


def table_1() -> Exhibit:
    """AP, recall, F1, F'1 and F'4 of the four systems."""
    return _systems(
        "Table 1",
        "AP, recall, F1, F′1 and F′4 of four systems on one topic",
        {
            "AP": lambda hits: average_precision(hits, 100),
            "recall": lambda hits: recall(hits, 100),
            "F1": lambda hits: f_measure(hits, 100),
            "F′1": lambda hits: f_prime(hits, 100),
            "F′4": lambda hits: f_prime(hits, 100, beta=4.0),
        },
        lambda one: (one["AP"], one["recall"], *PRINTED_F[one["example"]]),
    )


def table_2() -> Exhibit:
    """AP, recall and PRES of the four systems."""
    return _systems(
        "Table 2",
        "AP, recall and PRES of the same four systems",
        {
            "AP": lambda hits: average_precision(hits, 100),
            "recall": lambda hits: recall(hits, 100),
            "PRES": lambda hits: pres(hits, 100),
        },
        lambda one: (one["AP"], one["recall"], one["PRES"]),
    )


def _systems(
    name: str,
    about: str,
    measures: Mapping[str, Callable[[Hits], Array]],
    printed: Callable[[dict[str, Any]], Sequence[float]],
) -> Exhibit:
    """The four systems by some measures, beside what is printed."""
    rows: list[list[Any]] = []
    asides, cells = {}, Cells()
    for one in published.pres_worked_examples()[:4]:
        hits = Hits.of(ranks=_ranks(one), relevant=one["n_relevant"])
        row: list[Any] = [one["example"]]
        for (measure, function), theirs in zip(measures.items(), printed(one), strict=True):
            ours = float(function(hits)[0])
            digits = len(str(theirs).partition(".")[2])
            asides[len(rows), len(row) + 1] = BESIDE[
                cells.compare(f"{measure} of {one['example']}", theirs, ours, digits)
            ]
            row += [float(theirs), ours]
        rows.append(row)
    finding = cells.finding()
    if cells.differ:
        finding += " The ranks of system 2 are printed as 50, 51, 53, 54; its numbers are those of 50, 51, 52, 53."
    columns = ["system", *(text for measure in measures for text in (measure, "ours"))]
    return Exhibit(name, about, cells.state, finding, (Table(columns, rows, digits=4, asides=asides),))


def table_3() -> Exhibit:
    """AP, recall and PRES of real topics."""
    table, cells = worked_examples(published.pres_worked_examples()[4:])
    return Exhibit("Table 3", "AP, recall and PRES of topics of one run", cells.state, cells.finding(), (table,))


def worked_examples(examples: Sequence[dict[str, Any]]) -> tuple[Table, Cells]:
    """Recall, AP and PRES of the printed ranks beside the printed numbers, and how they compare."""
    rows: list[list[Any]] = []
    asides, cells = {}, Cells()
    for example in examples:
        effort = example["n_max"]
        hits = Hits.of(ranks=example["ranks"], relevant=example["n_relevant"])
        row = [example["example"], effort, len(example["ranks"]), example["n_relevant"]]
        for name, measure in (("recall", recall), ("AP", average_precision), ("PRES", pres)):
            value = float(measure(hits, effort)[0])
            printed = example[name] if isinstance(example[name], (int, float)) else None
            if printed is not None:
                found = cells.compare(f"{name} of {example['example']}", printed, value, 3 if name != "recall" else 2)
                asides[len(rows), len(row) + 1] = BESIDE[found]
            row += [printed, value]
        rows.append(row)
    columns = ["example", "read", "found", "relevant", "recall", "ours", "AP", "ours", "PRES", "ours"]
    return Table(columns, rows, asides=asides), cells


def table_4() -> Exhibit:
    """The 48 runs: how similarly the scores rank them."""
    of, cells = _means(), Cells()
    rows: list[list[Any]] = []
    asides = {}
    for (a, b), printed in PRINTED_TAU.items():
        tau, width = float(tau_a(of[a], of[b])), tied_share(of[a], of[b])
        found = cells.compare(f"τ of {a} and {b}", printed, tau, 2, low=tau - width, high=tau + width)
        asides[len(rows), 2] = BESIDE[found]
        rows.append([f"{a} and {b}", printed, tau, tau - width, tau + width])
    finding = (
        f"From the printed scores of 48 runs, τ over all pairs of runs. {cells.finding()} Runs that are tied to "
        "the three printed digits count as neither agreeing nor disagreeing (τ_a); unrounded they may be in either "
        "order, which gives the lowest and the highest τ. PRES is between MAP and recall, closer to recall."
    )
    columns = ["τ of", "printed", "ours", "lowest", "highest"]
    table = Table(columns, rows, digits=3, asides=asides)
    return Exhibit("Table 4", "MAP, recall and PRES of 48 runs of CLEF-IP 2009", cells.state, finding, (table,))


def tied_share(x: Array, y: Array) -> float:
    """The share of the pairs that tie in either ranking: so much may τ change when rounded scores are not.

    Each tied group may have the order of the other ranking, or its reverse, so both ends can be reached.

    >>> tied_share(np.array([0.1, 0.1, 0.3]), np.array([0.5, 0.4, 0.3])) * 3
    1.0
    """
    tied = (x[:, None] == x) | (y[:, None] == y)
    return float((tied.sum() - len(x)) / (len(x) * (len(x) - 1)))


def _means() -> dict[str, Array]:
    scores = published.clef_ip_2009()
    return {name: scores.values[:, 0, place] for place, name in enumerate(scores.measures)}


def figures_5_and_6() -> Exhibit:
    """The scores and the places of the 48 runs."""
    of, runs = _means(), published.clef_ip_2009().runs
    means = np.stack([of[name] for name in ("MAP", "PRES", "recall")], axis=1)
    return Exhibit(
        "Figures 5, 6",
        "the 48 runs sorted by PRES, and their places under the three scores",
        "shown",
        "Drawn from table 4.",
        figures=(sorted_chart(runs, means, SOURCE), places_chart(runs, means, SOURCE)),
    )


def figures_1_and_2() -> Exhibit:
    """Rnorm of one list in a small and in a large collection."""
    found = Hits.of(ranks=LIST, relevant=len(LIST))
    values = [float(rnorm(found, size=size)[0]) for size in SIZES]
    return Exhibit(
        "Figures 1, 2",
        "normalised recall (Rnorm) in a small and in a large collection",
        "shown",
        f"Sketches in the paper. Drawn here for relevant documents at the ranks {', '.join(map(str, LIST))}: Rnorm is "
        f"{values[0]:.3f} in a collection of {count(SIZES[0])} documents and {values[1]:.3f} in one of "
        f"{count(SIZES[1])}, where the worst case is so far away that almost every list looks good.",
        figures=(rnorm_chart(LIST, SIZES, values),),
    )


def figure_9() -> Exhibit:
    """PRES when more is relevant than the searcher will read."""
    relevant, effort = 50, 20
    best = Hits.of(ranks=list(range(1, effort + 1)), relevant=relevant)
    value = float(pres(best, effort)[0])
    return Exhibit(
        "Figure 9",
        "PRES when more documents are relevant than are read",
        "shown",
        f"A sketch in the paper, and the formula agrees: with {relevant} relevant documents and {effort} read, "
        f"the best list has PRES {value:.2f}, the maximum N/n = {effort / relevant:.2f}; PRES_est (equation 5) divides "
        f"by that and gives {float(pres_est(best, effort)[0]):.2f}.",
        figures=(_more_than_read(relevant, effort),),
    )


def _more_than_read(relevant: int, effort: int) -> Figure:
    """PRES as an area for a list of which every second document is relevant."""
    qrels = {"example": {f"relevant{place}": 1 for place in range(relevant)}}
    run = {f"{'other' if rank % 2 else 'relevant'}{rank // 2}": -float(rank) for rank in range(effort)}
    evidence = Evidence.of(qrels, {"a list": {"example": run}}, f"PRES@{effort}")
    return renamed(FIGURES.named("pres_area").draw(evidence), f"{NAME}-more")


# The charts of the 48 runs of CLEF-IP 2009: the runs sorted by PRES, and their places under the three scores.


MEASURES = ("MAP", "PRES", "recall")
SHAPES = ("square", "circle", "triangle-up")
MOVED = 3  # runs whose lines are coloured
TICKS = (1, 12, 24, 36, 48)


def sorted_chart(runs: Sequence[str], means: Array, source: str) -> Figure:
    """MAP, PRES and recall of every run, the runs sorted by PRES; `means` has a column for each."""
    order = np.argsort(-means[:, 1], kind="stable")
    rows = [
        {"run": runs[r], "place": place, "measure": name, "mean": float(means[r, m])}
        for place, r in enumerate(order.tolist(), start=1)
        for m, name in enumerate(MEASURES)
    ]
    names, last = list(MEASURES), len(runs)
    x = alt.X(
        "place:Q",
        title="place of the run by PRES",
        scale=alt.Scale(domain=[1, last], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1, tickCount=8),
    )
    y = alt.Y("mean:Q", title="mean over topics", scale=alt.Scale(domain=[0, 0.7]), axis=alt.Axis(tickCount=7))
    colour = alt.Color("measure:N", legend=None, scale=alt.Scale(domain=names, range=measure_colours(names)))
    shape = alt.Shape("measure:N", legend=None, scale=alt.Scale(domain=names, range=list(SHAPES)))
    base = alt.Chart.of(rows_data()).encode(x=x, y=y, color=colour)
    dots = base.mark_point(filled=True, size=36, opacity=0.9)
    dots = dots.encode(shape=shape, tooltip=["run:N", "measure:N", "mean:Q", "place:Q"])
    words = [{"x": 2, "y": float(means[order[:6], m].max()), "text": name} for m, name in enumerate(MEASURES)]
    labels = haloed(words, align="left", dy=-14, fontWeight="bold")
    chart = alt.layer(base.mark_line(strokeWidth=1, opacity=0.5), dots, labels).add_params(narrow())
    with_map, with_recall = (float(tau_a(means[:, 1], means[:, m])) for m in (0, 2))
    return Figure(
        "pres-2010-sorted",
        f"PRES orders the {last} runs like recall (τ {with_recall:.2f}) rather than like MAP (τ {with_map:.2f})",
        "Where a mark jumps away from its line, that score would order the runs differently.",
        with_rows(chart.properties(width=WIDTH, height=HEIGHT), rows),
        rows,
        f"{source}; figure 5 there",
    )


def places_chart(runs: Sequence[str], means: Array, source: str) -> Figure:
    """The place of every run under MAP, PRES and recall, with lines between."""
    places = places_of(means.T).T
    moved = np.argsort(-np.abs(places[:, 0] - places[:, 2]), kind="stable")[:MOVED].tolist()
    rows = [
        {"run": runs[r], "measure": name, "place": int(places[r, m]), "moved": r in moved}
        for r in range(len(runs))
        for m, name in enumerate(MEASURES)
    ]
    far = moved[0]
    by_map, by_pres, by_recall = places[far].tolist()
    title = f"{runs[far]} is {by_map} of {len(runs)} by MAP, {by_pres} by PRES and {by_recall} by recall"
    reading = f"Coloured are the {MOVED} runs that MAP and recall place furthest apart; PRES puts them in between."
    chart = _lines(runs, places, moved, rows)
    return Figure("pres-2010-places", title, reading, chart, rows, f"{source}; figure 6 there")


def _lines(runs: Sequence[str], places: Integers, moved: Sequence[int], rows: Sequence[dict[str, Any]]) -> Any:
    top = len(runs) + 1  # heights count from the last place up, as the labels beside the chart need
    colours = dict(zip((runs[r] for r in moved), (BUOY, OKABE_ITO[0], OKABE_ITO[2]), strict=True))
    x = alt.X(
        "measure:N",
        sort=list(MEASURES),
        title=None,
        scale=alt.Scale(padding=0),
        axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False),
    )
    axis = alt.Axis(values=[top - place for place in TICKS], labelExpr=f"{top} - datum.value", grid=False, domain=False)
    heights = alt.Scale(domain=[0, top], nice=False)
    y = alt.Y("height:Q", title="place (1 is the best)", scale=heights, axis=axis)
    base = alt.Chart.of(rows_data()).transform_calculate(height=f"{top} - datum.place")
    base = base.encode(x=x, y=y, detail="run:N", tooltip=["run:N", "measure:N", "place:Q"])
    grey = base.transform_filter("!datum.moved").mark_line(strokeWidth=1, opacity=0.45, color=GREY)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    bright = base.transform_filter("datum.moved").mark_line(strokeWidth=2.5)
    bright = bright.encode(color=alt.Color("run:N", legend=None, scale=scale))
    labels = {runs[r]: (float(top - places[r, 2]), runs[r]) for r in moved}
    chart = alt.layer(grey, bright, beside(labels, colours, (0.0, float(top)), HEIGHT)).add_params(narrow())
    return with_rows(chart.properties(width=WIDTH, height=HEIGHT), rows)


def rnorm_chart(ranks: Sequence[int], sizes: Sequence[int], values: Sequence[float]) -> Figure:
    """Recall against the share of the collection read: the best case, a list, and the worst case, for each size."""
    n = len(ranks)
    rows = [
        {"collection": f"{size} documents", "case": case, "read": place / size, "recall": found / n}
        for size in sizes
        for case, at in (
            ("best", list(range(1, n + 1))),
            ("the list", list(ranks)),
            ("worst", list(range(size - n + 1, size + 1))),
        )
        for place, found in ((0, 0), *zip(at, range(1, n + 1), strict=True), (size, n))
    ]
    cases = ["best", "the list", "worst"]
    x = alt.X("read:Q", title="share of the collection read", axis=alt.Axis(format="%", tickCount=5))
    y = alt.Y("recall:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5))
    colour = alt.Color("case:N", title=None, scale=alt.Scale(domain=cases, range=[OKABE_ITO[2], BUOY, GREY]))
    colour = colour.legend(orient="top")
    dash = alt.StrokeDash("collection:N", title=None, sort=[f"{size} documents" for size in sizes])
    dash = dash.legend(orient="top")
    chart = (
        alt.Chart.of(rows_data())
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=["collection:N", "case:N", "read:Q", "recall:Q"])
    )
    said = " and ".join(f"{value:.3f} among {size} documents" for value, size in zip(values, sizes, strict=True))
    return Figure(
        "pres-2010-rnorm",
        f"The same list has Rnorm {said}",
        "Rnorm is the area between the worst case and the list, as a share of that between the worst and the best.",
        with_rows(chart.properties(width=WIDTH, height=HEIGHT).add_params(narrow()), rows),
        rows,
        "Magdy and Jones, SIGIR 2010, figures 1 and 2",
    )
