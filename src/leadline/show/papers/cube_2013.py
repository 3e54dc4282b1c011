"""The water filling model and the Cube Test: multi-dimensional evaluation for professional search (CIKM 2013)."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.errors import LeadlineError
from leadline.measures.evaluate import evaluate
from leadline.measures.ideal import ideal_run
from leadline.records.qrels.qrels import Qrels
from leadline.records.scores.table import Table
from leadline.show.figures.catalogue import gamma
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import percent, sentence
from leadline.show.papers.exhibit import Exhibit, Paper, needs_lab, not_here, renamed
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.on_runs import on_runs
from leadline.trust.power import power

NAME = "cube-2013"
# CT of the two ideal runs of the example below at 4 documents, calculated by hand, for two values of γ
EXPECTED = {0.1: (0.06875, 0.04861), 0.9: (0.11875, 0.15046)}
DOCUMENTS, FULL = 4, 4  # documents of each subtopic; the grade that fills one, so that grade 1 fills a quarter
POWER = ("R@10", "AP@10", "PRES@10", "nDCG@10")
POWER_BY_CLAIM = ("alpha_nDCG@10", "I_rec@10", "D_nDCG@10", "CT(theta=given)@10", "CT(theta=decay)@10")


def paper(lab: PaperInputs | None = None) -> Paper:
    return Paper(
        NAME,
        "The Cube Test: claims filling up as a searcher reads",
        "Luo, Wing, Yang and Hearst, CIKM 2013",
        (
            figures_5_and_6(),
            on_runs(lab, NAME, "Figures 5, 6, other judgements", "CT against γ for the two ideal runs and the systems",
                    "gamma", "the judgements by claim of the paper are not published here", by_claim=True),
            on_runs(lab, NAME, "Figures 1 to 4", "the cube, empty and filled", "claims_cube",
                    "sketches in the paper", by_claim=True),
            table_3(lab),
            not_here("Table 2", "the variants of CT", "Names, nothing to compute. All are options here: `leadline "
                     "explain CT` lists theta, time and lid, which the paper's subscripts stand for."),
            not_here("Table 1", "what each score takes into account", "Words; not in the available text."),
        ),
    )  # fmt: skip


def example() -> Qrels:
    """Two claims of weight 0.7 and 0.3, with four documents each of which fills a quarter of its claim."""
    rows = [(claim, f"{claim}{place}") for claim in "ab" for place in range(DOCUMENTS)]
    return Qrels.from_columns(
        ["1"] * len(rows), [document for _, document in rows], [1] * len(rows), "example",
        subtopics=[claim for claim, _ in rows], weights=[{"a": 0.7, "b": 0.3}[claim] for claim, _ in rows],
    )  # fmt: skip


def figures_5_and_6() -> Exhibit:
    """CT of the two ideal runs against gamma, on an example small enough to calculate by hand."""
    qrels = example()
    runs = {kind: ideal_run(qrels, kind, "given") for kind in ("coverage", "single")}
    rows: list[list[Any]] = []
    agree = True
    for worth, expected in EXPECTED.items():
        scores = evaluate(qrels, runs, f"CT(gamma={worth},theta=given,max_grade={FULL})@{DOCUMENTS}")
        ours = scores.mean_values()[:, 0].tolist()
        agree &= bool(np.allclose(ours, expected, atol=5e-6))
        rows.append([worth, expected[0], ours[0], expected[1], ours[1]])
    drawn = gamma.figure(Evidence.of(qrels, runs, "PRES@10"), effort=DOCUMENTS, theta="given")
    columns = ["γ", "breadth, by hand", "ours", "depth, by hand", "ours"]
    return Exhibit(
        "Figures 5, 6", "CT of the ideal runs for breadth and for depth, against γ", "same" if agree else "differs",
        "The paper's data are not published, so an example calculated by hand is used instead: two claims, four "
        f"documents each. The paper says that a small γ favours breadth and a large one depth: {drawn.title}.",
        (Table(columns, rows, digits=5),),
        (renamed(drawn, f"{NAME}-example"),),
    )  # fmt: skip


def table_3(lab: PaperInputs | None) -> Exhibit:
    """Discriminative power of many measures, on the lab's runs."""
    about = "share of the pairs of runs that each measure tells apart at 0.05"
    lacks = "neither the runs nor the numbers of the table are in the available text"
    if lab is None:
        return needs_lab("Table 3", about, lacks)
    found: list[tuple[str, float, float]] = []
    for evidence, measures in ((lab.evidence, POWER), (lab.by_claim, POWER_BY_CLAIM)):
        if evidence is None:
            continue
        try:
            tested = power(evidence.scores(measures), measures, draws=1000, seed=evidence.rng(NAME))
        except LeadlineError:
            continue
        needed = [one.difference_needed for one in tested.found]
        found += zip(measures, tested.power.tolist(), needed, strict=True)
    if not found:
        return needs_lab("Table 3", about, "the lab has too few runs or topics to test pairs")
    found.sort(key=lambda one: -one[1])
    rows = [[name, share, needed] for name, share, needed in found]
    best, worst = found[0], found[-1]
    return Exhibit(
        "Table 3", about, "own",
        f"{sentence(lacks)} Of the lab's {len(lab.evidence.runs)} runs, {best[0]} tells "
        f"{percent(best[1])} of the pairs apart and {worst[0]} {percent(worst[1])} (paired bootstrap, without "
        "correction). The paper finds CT with claim weights the best on CLEF-IP 2012, and recall and I-rec on "
        "American office actions.",
        (Table(["measure", "power", "difference needed"], rows),),
    )  # fmt: skip
