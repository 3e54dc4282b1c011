"""Overview of the TREC 2009 Chemical IR Track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from leadline.records.result import Table
from leadline.show.charts import percent
from leadline.show.papers import chem_2009_exhibits, published
from leadline.show.papers.chem_2009_exhibits import Records, disagreement_chart, grades_chart, spectrogram_chart
from leadline.show.papers.exhibit import BESIDE, Cells, Exhibit, Paper, PaperInputs, shipped_lab

NAME = "chem-2009"
# Table 8: xinfAP and infNDCG
PRINTED_MEANS = {
    "DUT09TSRun6": (0.301352563, 0.535624287),
    "purdueTS09r1": (0.292944735, 0.535857751),
    "york09ca07": (0.290945835, 0.495564009),
    "SCAI09TSMAN": (0.275340089, 0.493232092),
    "york09ca08": (0.254126663, 0.478079741),
    "DUT09TSRun2": (0.24820495, 0.488650961),
    "SCAI09TSNP": (0.244157701, 0.446849598),
    "BiTeM09po": (0.179119822, 0.393264533),
    "BiTeM09": (0.157118933, 0.345235351),
    "msoe09TSx3": (0.068977164, 0.316426733),
    "msoe09TSx1": (0.066913758, 0.313434303),
}
PRINTED_TOTALS = {"documents": 5518, "strict": 1986, "conflict": 1083, "lenient": 903}
PRINTED_EXPERT = {
    "documents": 5518,
    "highly_relevant": 941,
    "relevant": 844,
    "irrelevant": 3694,
    "unsure": 37,
    "unjudged": 1,
}
PRINTED_STUDENTS = {
    "documents": 5518,
    "highly_relevant": 1309,
    "relevant": 1121,
    "irrelevant": 2990,
    "unsure": 9,
    "unjudged": 89,
}

ROUNDED = 0.0005  # the scores of every run on every topic are printed to three digits
PERCENTAGES = {"disagreement": 5, "student_judgements": 6, "expert_judgements": 7}  # the table of each
SLIPS = (
    "Those of TS-12 are shares of 283, to which its grades add up, and not of the 284 documents; the other two were "
    "cut off and not rounded."
)


def paper(lab: PaperInputs | None = None) -> Paper:
    """Its tables and figures."""
    return Paper(
        NAME,
        "TREC-CHEM 2009: eight groups search chemical patents",
        "Lupu, Piroi, Huang, Zhu and Tait, TREC 2009",
        (
            *chem_2009_exhibits.prior_art_exhibits(),
            *chem_2009_exhibits.lab_exhibits(lab or shipped_lab()),
            table_5(),
            table_6(),
            table_7(),
            percentages(),
            tables_8_14_15(),
            figures_11_and_12(),
            table_9(),
        ),
        n_tables=15,
        n_figures=12,
    )


def table_5() -> Exhibit:
    """How often two judges disagreed."""
    records = published.table("trec_chem_2009_ts_disagreement")
    totals = {name: sum(record[name] for record in records) for name in PRINTED_TOTALS}
    adds_up = all(record["strict"] == record["conflict"] + record["lenient"] for record in records)
    rows = [[name, PRINTED_TOTALS[name], total, total / totals["documents"]] for name, total in totals.items()]
    same = totals == PRINTED_TOTALS and adds_up
    worst = max(records, key=lambda record: record["strict"] / record["documents"])
    return Exhibit(
        "Table 5",
        "documents on which two students disagreed",
        "same" if same else "differs",
        f"The totals are {'as' if same else 'not as'} printed, and on every topic conflict and lenient "
        f"{'add up' if adds_up else 'do not add up'} to strict. Two students disagreed on "
        f"{percent(totals['strict'] / totals['documents'])} of the documents, and on {worst['topic']}, where one had "
        f"not finished, on {percent(worst['strict'] / worst['documents'])}.",
        (Table(["of 18 topics", "printed", "ours", "share of the documents"], rows, digits=3),),
        (disagreement_chart(records),),
    )


def table_6() -> Exhibit:
    """The grades of the students, merged."""
    records = published.table("trec_chem_2009_ts_student_judgements")
    rows, same, short = _totals(records, PRINTED_STUDENTS)
    return Exhibit(
        "Table 6",
        "documents by grade after the students, their judgements merged",
        "same" if same and not short else "differs",
        f"The totals are {'as' if same else 'not as'} printed. "
        + (f"The grades of {', '.join(short)} do not add up in the paper." if short else "All topics add up."),
        (Table(["of 18 topics", "printed", "ours"], rows),),
        (grades_chart(records, "students", "table 6"),),
    )


def _totals(records: Records, printed: Mapping[str, int]) -> tuple[list[list[Any]], bool, list[str]]:
    """Printed and computed totals, whether they are equal, and the topics whose grades do not add up."""
    totals = {name: sum(record[name] for record in records) for name in printed}
    kinds = [name for name in printed if name != "documents"]
    short = [
        f"{record['topic']} ({sum(record[kind] for kind in kinds)} of {record['documents']})"
        for record in records
        if sum(record[kind] for kind in kinds) != record["documents"]
    ]
    rows: list[list[Any]] = [[name.replace("_", " "), printed[name], totals[name]] for name in printed]
    return rows, totals == printed, short


def table_9() -> Exhibit:
    """The topics of the technology survey."""
    records = published.table("trec_chem_2009_ts_topics")
    lost = [record["topic"] for record in records if not record["title"]]
    rows = [
        [record["topic"].replace("-", "\u2011"), record["title"], record["category"], record["need"]]
        for record in records
    ]
    return Exhibit(
        "Table 9",
        f"the {len(records)} topics of the technology survey",
        "shown",
        "Titles and categories as printed, the needs in our own words. "
        f"{', '.join(lost)} is not in the available text.",
        (Table(["topic", "title", "category", "what is sought"], rows),),
    )


def table_7() -> Exhibit:
    """The grades after the experts' judgements."""
    records = published.table("trec_chem_2009_ts_expert_judgements")
    rows, same, short = _totals(records, PRINTED_EXPERT)
    return Exhibit(
        "Table 7",
        "documents by grade after the experts",
        "same" if same and not short else "differs",
        f"The totals are {'as' if same else 'not as'} printed. "
        + (f"The grades of {', '.join(short)} do not add up in the paper." if short else "All topics add up."),
        (Table(["of 18 topics", "printed", "ours"], rows),),
        (grades_chart(records, "experts", "table 7"),),
    )


def tables_8_14_15() -> Exhibit:
    """Means over topics of the printed scores by topic."""
    ours = {}
    for measure in ("xinfAP", "infNDCG"):
        scores = published.trec_chem_2009(measure)
        ours[measure] = dict(zip(scores.runs, scores.mean_values()[:, 0].tolist(), strict=True))
    rows: list[list[Any]] = []
    asides, cells = {}, Cells()
    for run, printed in PRINTED_MEANS.items():
        row: list[Any] = [run]
        for measure, theirs in zip(ours, printed, strict=True):
            value = ours[measure][run]
            ends = {"low": value - ROUNDED, "high": value + ROUNDED}
            asides[len(rows), len(row) + 1] = BESIDE[cells.compare(f"{measure} of {run}", theirs, value, 9, **ends)]
            row += [theirs, value]
        rows.append(row)
    for record in published.table("trec_chem_2009_ts_averages"):
        scores = published.trec_chem_2009(record["measure"])
        means = dict(zip(scores.topics, scores.of(record["measure"]).mean(axis=0).tolist(), strict=True))
        for topic, mean in means.items():
            ends = {"low": mean - ROUNDED, "high": mean + ROUNDED}
            cells.compare(f"{record['measure']} of {topic}", record[topic], mean, 3, **ends)
    return Exhibit(
        "Tables 8, 14, 15",
        "xinfAP and infNDCG of the best two runs of each group, technology survey",
        cells.state,
        "Means over topics (table 8, to nine digits) and over runs (the last lines of tables 14 and 15), computed from "
        f"the scores of every run on every topic, which are printed to three digits. {cells.finding()}",
        (
            Table(
                ["run", "xinfAP printed", "ours", "infNDCG printed", "ours"],
                rows,
                digits=4,
                asides=asides,
            ),
        ),
    )


def percentages() -> Exhibit:
    """The printed percentages of tables 5 to 7 beside those of the printed counts."""
    counts = {
        (name, record["topic"]): record
        for name in PERCENTAGES
        for record in published.table(f"trec_chem_2009_ts_{name}")
    }
    rows: list[list[Any]] = []
    cells = Cells()
    for printed in published.table("trec_chem_2009_ts_percentages"):
        record = counts[printed["table"], printed["topic"]]
        kind, number, documents = printed["column"], record[printed["column"]], record["documents"]
        theirs, ours = float(printed["percent"]), 100 * number / documents
        name = f"{kind.replace('_', ' ')} of {printed['topic']}"
        if cells.compare(name, theirs, ours, 2) == "differs":
            number_of = PERCENTAGES[printed["table"]]
            rows.append([number_of, printed["topic"], kind.replace("_", " "), number, documents, theirs, ours])
    return Exhibit(
        "Percentages",
        "the percentages of tables 5 to 7 against the counts printed beside them",
        cells.state,
        f"{cells.same} of {cells.same + len(cells.differ)} percentages are those of their own counts"
        + (f"; {len(cells.differ)} are not, all in table 7. {SLIPS}" if cells.differ else "."),
        (Table(["table", "topic", "grade", "documents", "of", "printed %", "% of the counts"], rows, digits=2),),
    )


def figures_11_and_12() -> Exhibit:
    """Every run on every topic."""
    charts = tuple(spectrogram_chart(published.trec_chem_2009(measure), measure) for measure in ("xinfAP", "infNDCG"))
    scores = published.trec_chem_2009("xinfAP")
    hard = scores.of("xinfAP")[:, scores.topics.index("TS-13")]
    order = np.argsort(-hard)
    best, second = (scores.runs[int(order[place])] for place in (0, 1))
    return Exhibit(
        "Figures 11, 12",
        "every run on every topic, technology survey",
        "shown",
        "Tables 14 and 15, drawn. The overview says that only SCAI09TSMAN, with manual queries, does fairly well on "
        f"TS-13: {best} is first with {hard[order[0]]:.3f}, {second} next with {hard[order[1]]:.3f}.",
        figures=charts,
    )
