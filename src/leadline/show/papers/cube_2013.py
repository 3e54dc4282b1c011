"""The water filling model and the Cube Test: multi-dimensional evaluation for professional search (CIKM 2013)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leadline.errors import LeadlineError
from leadline.measures.evaluate import evaluate
from leadline.measures.subtopics import ideal_run
from leadline.records.qrels import Qrels
from leadline.records.result import Table
from leadline.show.charts import count, percent
from leadline.show.figures import gamma
from leadline.show.papers.exhibit import (
    Exhibit,
    Paper,
    PaperInputs,
    ShippedLab,
    needs_lab,
    on_runs,
    renamed,
    shipped_lab,
)
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
from leadline.trust.measure_comparison import power

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
# Table 3: the measures that the paper compares, at ten documents. TBG and the time by words need document lengths.
PLAIN = ("R@10", "AP@10", "PRES@10", "TBG", "nDCG@10")
BY_CLAIM = ("alpha_nDCG@10", "I_rec@10", "nERR_IA@10", "D_nDCG@10")
CUBES = ("CT_lgc", "CT_pgc", "CT_lac", "CT_ltc")  # each with its lid and without
WITH_LENGTHS = ("TBG", "CT_lgc", "CT_pgc")
DRAWS = 1000
OFF = "(lid=off)"


def paper(lab: PaperInputs | None = None) -> Paper:
    lab = lab or shipped_lab()
    return Paper(
        NAME,
        "The Cube Test: claims filling up as a searcher reads",
        "Luo, Wing, Yang and Hearst, CIKM 2013",
        (figures_5_and_6(lab), figures_1_to_4(lab), table_3(lab), table_2(), table_1()),
        n_tables=3,
        n_figures=6,
    )


def example() -> Qrels:
    """Two claims of weight 0.7 and 0.3, with four documents each of which fills a quarter of its claim."""
    rows = [(claim, f"{claim}{place}") for claim in "ab" for place in range(DOCUMENTS)]
    return Qrels.from_columns(
        ["1"] * len(rows),
        [document for _, document in rows],
        [1] * len(rows),
        "example",
        subtopics=[claim for claim, _ in rows],
        weights=[{"a": 0.7, "b": 0.3}[claim] for claim, _ in rows],
    )


def figures_5_and_6(lab: PaperInputs) -> Exhibit:
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
    if lab.by_claim is not None:
        try:
            ours_drawn = gamma.figure(lab.by_claim)
        except LeadlineError as error:
            finding += f" The lab does not allow it ({error})."
        else:
            finding += f" The judgements by claim of {lab.name}: {_against(ours_drawn.title)}"
            figures.append(renamed(ours_drawn, NAME))
    columns = ["γ", "breadth, by formula", "ours", "depth, by formula", "ours"]
    return Exhibit(
        "Figures 5, 6",
        "CT of the ideal runs for breadth and for depth, against γ",
        "other",
        finding,
        (Table(columns, rows, digits=5),),
        tuple(figures),
    )


def _against(title: str) -> str:
    """What a figure of gamma shows, and whether that contradicts the paper, which had the lid."""
    agrees = title.startswith("With the lid, breadth wins up to")
    return f"{title[0].lower()}{title[1:]}{'' if agrees else ', which contradicts the paper'}."


def figures_1_to_4(lab: PaperInputs) -> Exhibit:
    """The cube of a run: the lab's, or the example's."""
    about = "the cube, empty and filled"
    if lab.by_claim is not None and not isinstance(lab, ShippedLab):
        return on_runs(lab, NAME, "Figures 1 to 4", about, "claims_cube", "sketches in the paper", by_claim=True)
    rows = [("a", 1), ("a", 1), ("a", 1), ("a", 1), ("b", 1), ("b", 1), ("c", FULL)]  # claim and grade of a document
    names = [f"{claim}{place}" for place, (claim, _) in enumerate(rows)]
    qrels = Qrels.from_columns(
        ["1"] * len(rows), names, [grade for _, grade in rows], "example", subtopics=[claim for claim, _ in rows]
    )
    runs = {"breadth": ideal_run(qrels, "coverage", "equal"), "depth": ideal_run(qrels, "single", "equal")}
    drawn = FIGURES.named("claims_cube").draw(Evidence.of(qrels, runs, "PRES@10"), effort=FULL)
    return Exhibit(
        "Figures 1 to 4",
        about,
        "other",
        "Sketches in the paper; drawn here for an example of three claims: four documents fill a quarter each of the "
        "first, two a quarter each of the second, and one fills the third.",
        figures=(renamed(drawn, NAME),),
    )


def table_2() -> Exhibit:
    """The variants of CT as options of the measure here."""
    return Exhibit(
        "Table 2",
        "the variants of CT",
        "shown",
        "The subscripts of the paper, and the options of `leadline explain CT` for them; nothing is computed.",
        (Table(["subscript", "what it sets", "option"], [list(row) for row in VARIANTS]),),
    )


def table_3(lab: PaperInputs) -> Exhibit:
    """Discriminative power of the paper's measures, on the lab's runs, and what the lid does to it."""
    about = "share of the pairs of runs that each measure tells apart at 0.05"
    lacks = "Neither the runs nor the numbers of the table are in the available text."
    found = {**_power(lab.evidence, lab, PLAIN)}
    if lab.by_claim is not None:
        found |= _power(lab.by_claim, lab, (*BY_CLAIM, *(f"{name}{lid}@10" for name in CUBES for lid in ("", OFF))))
    if not found:
        return needs_lab("Table 3", about, "the lab has too few runs or topics to test pairs")
    order = sorted(found, key=lambda name: -found[name][0])
    rows: list[list[Any]] = [[name, *found[name]] for name in order]
    best, worst = order[0], order[-1]
    return Exhibit(
        "Table 3",
        about,
        "other",
        f"{lacks} Of {count(len(lab.evidence.runs), 'run')} of {lab.name}, {best} tells "
        f"{percent(found[best][0])} of the pairs apart and {worst} {percent(found[worst][0])} (paired bootstrap, "
        f"without correction). {_lid(found)} The paper finds CT with claim weights the best on CLEF-IP 2012, and "
        "recall and I-rec on American office actions.",
        (Table(["measure", "power", "difference needed"], rows),),
    )


def _power(evidence: Evidence, lab: PaperInputs, measures: Sequence[str]) -> dict[str, tuple[float, float]]:
    """The share of pairs that each measure tells apart, and the difference it needs; empty where none can be tested."""
    wanted = [name for name in measures if lab.lengths is not None or not name.startswith(WITH_LENGTHS)]
    try:
        scores = evaluate(evidence.qrels, lab.runs, wanted, lengths=lab.lengths)
        tested = power(scores, wanted, draws=DRAWS, seed=evidence.rng(NAME))
    except LeadlineError:
        return {}
    needed = (one.difference_needed for one in tested.found)
    return dict(zip(wanted, zip(tested.power.tolist(), needed, strict=True), strict=True))


def _lid(found: Mapping[str, tuple[float, float]]) -> str:
    """Whether the lid helps to tell the runs apart, as the paper says."""
    pairs = [(found[f"{name}@10"][0], found[f"{name}{OFF}@10"][0]) for name in CUBES if f"{name}{OFF}@10" in found]
    if not pairs:
        return "The lab has no judgements by claim."
    with_lid, without = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    helped = sum(one > other for one, other in pairs)
    words = f"With the lid CT tells {percent(with_lid)} apart on average, without it {percent(without)}"
    if with_lid > without:
        return f"{words}: the lid helps {helped} of {len(pairs)} variants, as in the paper."
    return f"{words}: the lid does not help here, which contradicts the paper."


def table_1() -> Exhibit:
    """What each measure of the paper takes into account; the paper's own table is lost."""
    rows = [
        [name, *("yes" if taken else "" for taken in takes)]
        for name, takes in {
            "R, I_rec": (0, 1, 0, 0),
            "AP, PRES": (1, 0, 0, 0),
            "nDCG": (1, 0, 0, 1),
            "TBG": (1, 0, 1, 0),
            "alpha_nDCG": (1, 1, 0, 0),
            "nERR_IA, D_nDCG": (1, 1, 0, 1),
            "CT": (1, 1, 1, 1),
        }.items()
    ]
    rows[0][2] = "I_rec only"
    return Exhibit(
        "Table 1",
        "what each score takes into account",
        "shown",
        "The table is not in the available text; this one is from the formulas here. Nothing is computed.",
        (Table(["measure", "early documents", "subtopics", "reading time", "grades"], rows),),
    )
