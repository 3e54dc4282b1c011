"""The water filling model and the Cube Test: multi-dimensional evaluation for professional search (CIKM 2013)."""

from __future__ import annotations

from typing import Any

from leadline.errors import LeadlineError
from leadline.measures.evaluate import evaluate
from leadline.measures.ideal import ideal_run
from leadline.records.qrels.qrels import Qrels
from leadline.records.scores.table import Table
from leadline.show.figures.catalogue import gamma
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import percent, sentence
from leadline.show.figures.registry import FIGURES
from leadline.show.papers.exhibit import Exhibit, Paper, needs_lab, not_here, renamed
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.on_runs import on_runs
from leadline.trust.power import power

NAME = "cube-2013"
# CT of the two ideal runs of the example below at 4 documents, calculated by hand, for two values of γ
EXPECTED = {0.1: (0.06875, 0.04861), 0.9: (0.11875, 0.15046)}
DOCUMENTS, FULL = 4, 4  # documents of each subtopic; the grade that fills one, so that grade 1 fills a quarter
VARIANTS = (  # table 2: the subscripts of CT
    ("l", "weights of the claims fall by a decay function", "theta=decay"),
    ("p", "a dependent claim weighs half an independent one", "theta=claims"),
    ("t", "the first ten documents are read, always", "time=top"),
    ("a", "documents are read from the top, one unit of time each", "time=rank"),
    ("g", "time from the words of each document", "time=words"),
    ("c", "the cube has a lid", "lid=relevance; without it lid=off"),
)
POWER = ("R@10", "AP@10", "PRES@10", "nDCG@10")
POWER_BY_CLAIM = ("alpha_nDCG@10", "I_rec@10", "D_nDCG@10", "CT(theta=given)@10", "CT(theta=decay)@10")


def paper(lab: PaperInputs | None = None) -> Paper:
    return Paper(
        NAME,
        "The Cube Test: claims filling up as a searcher reads",
        "Luo, Wing, Yang and Hearst, CIKM 2013",
        (
            figures_5_and_6(lab),
            figures_1_to_4(lab),
            table_3(lab),
            table_2(),
            not_here("Table 1", "what each score takes into account", "Words; not in the available text."),
        ),
        n_tables=3,
        n_figures=6,
    )  # fmt: skip


def example() -> Qrels:
    """Two claims of weight 0.7 and 0.3, with four documents each of which fills a quarter of its claim."""
    rows = [(claim, f"{claim}{place}") for claim in "ab" for place in range(DOCUMENTS)]
    return Qrels.from_columns(
        ["1"] * len(rows), [document for _, document in rows], [1] * len(rows), "example",
        subtopics=[claim for claim, _ in rows], weights=[{"a": 0.7, "b": 0.3}[claim] for claim, _ in rows],
    )  # fmt: skip


def figures_5_and_6(lab: PaperInputs | None = None) -> Exhibit:
    """CT of the two ideal runs against gamma, on an example small enough to calculate by hand, and on the lab."""
    qrels = example()
    runs = {kind: ideal_run(qrels, kind, "given") for kind in ("coverage", "single")}
    rows: list[list[Any]] = []
    for worth, expected in EXPECTED.items():
        scores = evaluate(qrels, runs, f"CT(gamma={worth},theta=given,max_grade={FULL})@{DOCUMENTS}")
        ours = scores.mean_values()[:, 0].tolist()
        rows.append([worth, expected[0], ours[0], expected[1], ours[1]])
    drawn = gamma.figure(Evidence.of(qrels, runs, "PRES@10"), effort=DOCUMENTS, theta="given")
    figures = [renamed(drawn, f"{NAME}-example")]
    finding = (
        "The paper's data are not published. It says that a small γ favours breadth and a large one depth, in its "
        f"variant with the lid. An example of two claims with four documents each: {_against(drawn.title)}"
    )
    if lab is not None and lab.by_claim is not None:
        try:
            ours_drawn = gamma.figure(lab.by_claim)
        except LeadlineError as error:
            finding += f" The lab does not allow it ({error})."
        else:
            finding += f" The lab's judgements: {_against(ours_drawn.title)}"
            figures.append(renamed(ours_drawn, NAME))
    columns = ["γ", "breadth, by formula", "ours", "depth, by formula", "ours"]
    return Exhibit(
        "Figures 5, 6", "CT of the ideal runs for breadth and for depth, against γ", "other", finding,
        (Table(columns, rows, digits=5),), tuple(figures),
    )  # fmt: skip


def _against(title: str) -> str:
    """What a figure of gamma shows, and whether that contradicts the paper, which had the lid."""
    agrees = title.startswith("With the lid, breadth wins up to")
    return f"{title[0].lower()}{title[1:]}{'' if agrees else ', which contradicts the paper'}."


def figures_1_to_4(lab: PaperInputs | None) -> Exhibit:
    """The cube of a run: the lab's, or the example's."""
    about = "the cube, empty and filled"
    if lab is not None and lab.by_claim is not None:
        return on_runs(lab, NAME, "Figures 1 to 4", about, "claims_cube", "sketches in the paper", by_claim=True)
    rows = [("a", 1), ("a", 1), ("a", 1), ("a", 1), ("b", 1), ("b", 1), ("c", FULL)]  # claim and grade of a document
    names = [f"{claim}{place}" for place, (claim, _) in enumerate(rows)]
    qrels = Qrels.from_columns(["1"] * len(rows), names, [grade for _, grade in rows], "example",
                               subtopics=[claim for claim, _ in rows])  # fmt: skip
    runs = {"breadth": ideal_run(qrels, "coverage", "equal"), "depth": ideal_run(qrels, "single", "equal")}
    drawn = FIGURES.named("claims_cube").draw(Evidence.of(qrels, runs, "PRES@10"), effort=FULL)
    return Exhibit(
        "Figures 1 to 4", about, "other",
        "Sketches in the paper; drawn here for an example of three claims: four documents fill a quarter each of the "
        "first, two a quarter each of the second, and one fills the third.", figures=(renamed(drawn, NAME),),
    )  # fmt: skip


def table_2() -> Exhibit:
    """The variants of CT as options of the measure here."""
    return Exhibit(
        "Table 2", "the variants of CT", "shown",
        "The subscripts of the paper, and the options of `leadline explain CT` for them; nothing is computed.",
        (Table(["subscript", "what it sets", "option"], [list(row) for row in VARIANTS]),),
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
        "Table 3", about, "other",
        f"{sentence(lacks)} Of the lab's {len(lab.evidence.runs)} runs, {best[0]} tells "
        f"{percent(best[1])} of the pairs apart and {worst[0]} {percent(worst[1])} (paired bootstrap, without "
        "correction). The paper finds CT with claim weights the best on CLEF-IP 2012, and recall and I-rec on "
        "American office actions.",
        (Table(["measure", "power", "difference needed"], rows),),
    )  # fmt: skip
