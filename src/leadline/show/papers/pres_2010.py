"""PRES: a score metric for evaluating recall-oriented information retrieval applications (SIGIR 2010)."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.catalogue.average_precision import average_precision
from leadline.measures.catalogue.precision import recall
from leadline.measures.catalogue.pres import pres, pres_est
from leadline.measures.catalogue.sets import f_measure, f_prime
from leadline.measures.hits import Hits
from leadline.records.scores.table import Table
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.registry import FIGURES
from leadline.show.papers import published
from leadline.show.papers.exhibit import Exhibit, Paper, not_here, renamed, same_to
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.on_runs import on_runs
from leadline.show.papers.pres_charts import places_chart, sorted_chart
from leadline.trust.tau import tau_b

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
AGREED = "the chart needs every run's score on every topic, and the paper prints means"


def paper(lab: PaperInputs | None = None) -> Paper:
    """Its four tables and nine figures."""
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
            table_2_and_3(),
            Exhibit("Figure 3", "PRES as an area between best and worst case", "same",
                    "Drawn from the ranks of a topic of table 3.", figures=(area,)),
            Exhibit("Figures 4(a), 4(b)", "PRES over recall and rank; PRES against RR with one relevant document",
                    "same", "Drawn from the formula, with the topics of table 3.", figures=(surface, rr)),
            table_4(),
            on_runs(lab, NAME, "Figure 7", "on how many pairs of runs the three scores agree", "agreement", AGREED),
            on_runs(lab, NAME, "Figure 8", "the three scores against the number of documents read", "effort_curves",
                    "the curves of three runs need their ranked lists, which are not published"),
            not_here("Figures 1, 2", "normalised recall, sketches",
                     "They show no data. The measure is Rnorm; `leadline explain Rnorm` has its formula."),
            figure_9(),
        ),
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


def table_1() -> Exhibit:
    """F1, F'1 and F'4 of the four systems, which do not separate them as PRES does."""
    rows: list[list[Any]] = []
    agree = True
    for one in published.pres_worked_examples()[:4]:
        hits = Hits.of(ranks=one["ranks"], relevant=one["n_relevant"])
        ours = [f_measure(hits, 100), f_prime(hits, 100), f_prime(hits, 100, beta=4.0)]
        row: list[Any] = [one["example"]]
        for printed, value in zip(PRINTED_F[one["example"]], ours, strict=True):
            row += [printed, float(value[0])]
            agree &= same_to(printed, float(value[0]), 3)
        rows.append(row)
    columns = ["system", "F1", "ours", "F'1", "ours", "F'4", "ours"]
    return Exhibit(
        "Table 1", "F1, F′1 and F′4 of four systems on one topic", "same" if agree else "differs",
        "All twelve numbers are as printed, except for rounding in the last digit."
        if agree
        else "Some number is not as printed.",
        (Table(columns, rows, digits=4),),
    )  # fmt: skip


def table_2_and_3() -> Exhibit:
    """PRES of the worked examples."""
    table, off = worked_examples()
    said = (
        "Every recall, AP and PRES is as printed, except for rounding in the last digit. "
        "System 2 is printed with the ranks 50, 51, 53, 54; its "
        "numbers belong to 50, 51, 52, 53, which are used here."
    )
    return Exhibit("Tables 2, 3", "AP, recall and PRES of worked examples", "differs" if off else "same",
                   f"{off} numbers differ." if off else said, (table,))  # fmt: skip


def worked_examples() -> tuple[Table, int]:
    """Recall, AP and PRES of the printed ranks beside the printed numbers, and how many differ."""
    rows, off = [], 0
    for example in published.pres_worked_examples():
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
    """The 48 runs: how similarly the scores rank them, and the two figures drawn from them."""
    scores = published.clef_ip_2009()
    of = {name: scores.values[:, 0, place] for place, name in enumerate(scores.measures)}
    rows: list[list[Any]] = [[f"{a} and {b}", tau, float(tau_b(of[a], of[b]))] for (a, b), tau in PRINTED_TAU.items()]
    off = [row for row in rows if not same_to(row[1], round(row[2], 2), 2)]
    finding = (
        f"From the printed scores of 48 runs τ is {rows[0][2]:.2f}, {rows[1][2]:.2f} and {rows[2][2]:.2f}; "
        "the paper prints 0.56, 0.87 and 0.66, from scores with more digits. PRES is between MAP and recall, "
        "closer to recall."
    )
    means = np.stack([of[name] for name in ("MAP", "PRES", "recall")], axis=1)
    return Exhibit(
        "Table 4, figures 5 and 6", "MAP, recall and PRES of 48 runs of CLEF-IP 2009",
        "differs" if off else "same", finding,
        (Table(["τ of", "printed", "ours"], rows, digits=2),),
        (sorted_chart(scores.runs, means, SOURCE), places_chart(scores.runs, means, SOURCE)),
    )  # fmt: skip


def figure_9() -> Exhibit:
    """PRES when more is relevant than the searcher will read."""
    relevant, effort = 50, 20
    best = Hits.of(ranks=list(range(1, effort + 1)), relevant=relevant)
    value = float(pres(best, effort)[0])
    return Exhibit(
        "Figure 9", "PRES when more documents are relevant than are read", "same",
        f"A sketch in the paper, and the formula agrees: with {relevant} relevant documents and {effort} read, "
        f"the best list has PRES {value:.2f}, the maximum N/n = {effort / relevant:.2f}; PRES_est divides by that and "
        f"gives {float(pres_est(best, effort)[0]):.2f}.",
    )  # fmt: skip
