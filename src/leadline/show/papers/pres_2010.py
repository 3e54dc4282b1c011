"""PRES: a score metric for evaluating recall-oriented information retrieval applications (SIGIR 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.measures.catalogue.average_precision import average_precision
from leadline.measures.catalogue.precision import recall
from leadline.measures.catalogue.pres import pres, pres_est
from leadline.measures.catalogue.rnorm import rnorm
from leadline.measures.catalogue.sets import f_measure, f_prime
from leadline.measures.hits import Array, Hits
from leadline.records.scores.table import Table
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.figure import Figure
from leadline.show.figures.formatting import count
from leadline.show.figures.registry import FIGURES
from leadline.show.papers import published
from leadline.show.papers.exhibit import Exhibit, Paper, renamed, same_to
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.on_runs import on_runs
from leadline.show.papers.pres_charts import places_chart, rnorm_chart, sorted_chart
from leadline.show.papers.shipped_lab import shipped_lab
from leadline.trust.tau import tau_a

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
            Exhibit("Figure 3", "PRES as an area between best and worst case", "shown",
                    "A sketch in the paper; drawn here from the ranks of a topic of table 3.", figures=(area,)),
            Exhibit("Figures 4(a), 4(b)", "PRES over recall and rank; PRES against RR with one relevant document",
                    "shown", "Drawn from the formula, with the topics of table 3.", figures=(surface, rr)),
            figures_5_and_6(),
            on_runs(lab, NAME, "Figure 7", "on how many pairs of runs the three scores agree", "agreement", AGREED),
            on_runs(lab, NAME, "Figure 8", "the three scores against the number of documents read", "effort_curves",
                    "the curves of three runs need their ranked lists, which are not published"),
            figure_9(),
        ),
        n_tables=4,
        n_figures=9,
    )  # fmt: skip


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
    rows: list[list[Any]] = []
    off = []
    for one in published.pres_worked_examples()[:4]:
        hits = Hits.of(ranks=_ranks(one), relevant=one["n_relevant"])
        values = [average_precision(hits, 100), recall(hits, 100), f_measure(hits, 100), f_prime(hits, 100)]
        values.append(f_prime(hits, 100, beta=4.0))
        printed = (one["AP"], one["recall"], *PRINTED_F[one["example"]])
        rows.append(
            [one["example"], *(number for pair in zip(printed, values, strict=True) for number in _pair(*pair))]
        )
        off += _off(one["example"], ("AP", "recall", "F1", "F′1", "F′4"), printed, values)
    columns = ["system", "AP", "ours", "recall", "ours", "F1", "ours", "F′1", "ours", "F′4", "ours"]
    return Exhibit(
        "Table 1", "AP, recall, F1, F′1 and F′4 of four systems on one topic", "differs" if off else "same",
        _slip(off, 5 * len(rows)), (Table(columns, rows, digits=4),),
    )  # fmt: skip


def table_2() -> Exhibit:
    """AP, recall and PRES of the four systems."""
    rows: list[list[Any]] = []
    off = []
    for one in published.pres_worked_examples()[:4]:
        hits = Hits.of(ranks=_ranks(one), relevant=one["n_relevant"])
        values = [average_precision(hits, 100), recall(hits, 100), pres(hits, 100)]
        printed = (one["AP"], one["recall"], one["PRES"])
        rows.append(
            [one["example"], *(number for pair in zip(printed, values, strict=True) for number in _pair(*pair))]
        )
        off += _off(one["example"], ("AP", "recall", "PRES"), printed, values)
    columns = ["system", "AP", "ours", "recall", "ours", "PRES", "ours"]
    return Exhibit(
        "Table 2", "AP, recall and PRES of the same four systems", "differs" if off else "same",
        _slip(off, 3 * len(rows)), (Table(columns, rows, digits=4),),
    )  # fmt: skip


def _pair(printed: float, value: Array) -> tuple[float, float]:
    return float(printed), float(value[0])


def _off(example: str, names: Sequence[str], printed: Sequence[float], values: Sequence[Array]) -> list[str]:
    """The numbers that differ from the printed ones by more than 1 in the last printed digit."""
    return [
        f"{name} of {example} is printed as {theirs} and computed as {float(value[0]):.4f}"
        for name, theirs, value in zip(names, printed, values, strict=True)
        if not same_to(theirs, float(value[0]), len(str(theirs).partition(".")[2]))
    ]


def _slip(off: Sequence[str], numbers: int) -> str:
    if not off:
        return f"All {numbers} numbers are as printed, except for rounding in the last digit."
    return (
        f"{numbers - len(off)} of {numbers} numbers are as printed; {'; '.join(off)}. The ranks of system 2 are "
        "printed as 50, 51, 53, 54, but its numbers are those of 50, 51, 52, 53."
    )


def table_3() -> Exhibit:
    """AP, recall and PRES of real topics."""
    table, off = worked_examples(published.pres_worked_examples()[4:])
    said = "Every recall, AP and PRES is as printed, except for rounding in the last digit."
    return Exhibit("Table 3", "AP, recall and PRES of topics of one run", "differs" if off else "same",
                   f"{off} numbers differ." if off else said, (table,))  # fmt: skip


def worked_examples(examples: Sequence[dict[str, Any]]) -> tuple[Table, int]:
    """Recall, AP and PRES of the printed ranks beside the printed numbers, and how many differ."""
    rows, off = [], 0
    for example in examples:
        effort = example["n_max"]
        hits = Hits.of(ranks=example["ranks"], relevant=example["n_relevant"])
        row = [example["example"], effort, len(example["ranks"]), example["n_relevant"]]
        for name, measure in (("recall", recall), ("AP", average_precision), ("PRES", pres)):
            value = float(measure(hits, effort)[0])
            printed = example[name] if isinstance(example[name], (int, float)) else None
            off += printed is not None and not same_to(printed, value, 3 if name != "recall" else 2)
            row += [printed, value]
        rows.append(row)
    columns = ["example", "read", "found", "relevant", "recall", "ours", "AP", "ours", "PRES", "ours"]
    return Table(columns, rows), off


def table_4() -> Exhibit:
    """The 48 runs: how similarly the scores rank them."""
    of = _means()
    rows: list[list[Any]] = [[f"{a} and {b}", tau, float(tau_a(of[a], of[b]))] for (a, b), tau in PRINTED_TAU.items()]
    off = [row for row in rows if not same_to(row[1], row[2], 2)]
    finding = (
        f"From the printed scores of 48 runs τ over all pairs is {rows[0][2]:.3f}, {rows[1][2]:.3f} and "
        f"{rows[2][2]:.3f}; the paper prints 0.56, 0.87 and 0.66, the same within 1 in the "
        "last digit. A pair that is tied under one score counts as neither agreeing nor disagreeing (τ_a). "
        "PRES is between MAP and recall, closer to recall."
    )
    return Exhibit("Table 4", "MAP, recall and PRES of 48 runs of CLEF-IP 2009", "differs" if off else "same", finding,
                   (Table(["τ of", "printed", "ours"], rows, digits=3),))  # fmt: skip


def _means() -> dict[str, Array]:
    scores = published.clef_ip_2009()
    return {name: scores.values[:, 0, place] for place, name in enumerate(scores.measures)}


def figures_5_and_6() -> Exhibit:
    """The scores and the places of the 48 runs."""
    of, runs = _means(), published.clef_ip_2009().runs
    means = np.stack([of[name] for name in ("MAP", "PRES", "recall")], axis=1)
    return Exhibit(
        "Figures 5, 6", "the 48 runs sorted by PRES, and their places under the three scores", "shown",
        "Drawn from table 4.", figures=(sorted_chart(runs, means, SOURCE), places_chart(runs, means, SOURCE)),
    )  # fmt: skip


def figures_1_and_2() -> Exhibit:
    """Rnorm of one list in a small and in a large collection."""
    found = Hits.of(ranks=LIST, relevant=len(LIST))
    values = [float(rnorm(found, size=size)[0]) for size in SIZES]
    return Exhibit(
        "Figures 1, 2", "normalised recall (Rnorm) in a small and in a large collection", "shown",
        f"Sketches in the paper. Drawn here for relevant documents at the ranks {', '.join(map(str, LIST))}: Rnorm is "
        f"{values[0]:.3f} in a collection of {count(SIZES[0])} documents and {values[1]:.3f} in one of "
        f"{count(SIZES[1])}, where the worst case is so far away that almost every list looks good.",
        figures=(rnorm_chart(LIST, SIZES, values),),
    )  # fmt: skip


def figure_9() -> Exhibit:
    """PRES when more is relevant than the searcher will read."""
    relevant, effort = 50, 20
    best = Hits.of(ranks=list(range(1, effort + 1)), relevant=relevant)
    value = float(pres(best, effort)[0])
    return Exhibit(
        "Figure 9", "PRES when more documents are relevant than are read", "shown",
        f"A sketch in the paper, and the formula agrees: with {relevant} relevant documents and {effort} read, "
        f"the best list has PRES {value:.2f}, the maximum N/n = {effort / relevant:.2f}; PRES_est (equation 5) divides "
        f"by that and gives {float(pres_est(best, effort)[0]):.2f}.",
        figures=(_more_than_read(relevant, effort),),
    )  # fmt: skip


def _more_than_read(relevant: int, effort: int) -> Figure:
    """PRES as an area for a list of which every second document is relevant."""
    qrels = {"example": {f"relevant{place}": 1 for place in range(relevant)}}
    run = {f"{'other' if rank % 2 else 'relevant'}{rank // 2}": -float(rank) for rank in range(effort)}
    evidence = Evidence.of(qrels, {"a list": {"example": run}}, f"PRES@{effort}")
    return renamed(FIGURES.named("pres_area").draw(evidence), f"{NAME}-more")
