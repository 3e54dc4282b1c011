"""Overview of the TREC 2009 Chemical IR Track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from leadline.records.result import Table
from leadline.show.charts import percent
from leadline.show.papers import chem_2009_exhibits, published
from leadline.show.papers.chem_2009_exhibits import Records, disagreement_chart, grades_chart, spectrogram_chart
from leadline.show.papers.exhibit import Exhibit, Paper, PaperInputs, same_to, shipped_lab

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
    off = []
    for run, printed in PRINTED_MEANS.items():
        row: list[Any] = [run]
        for measure, theirs in zip(ours, printed, strict=True):
            value = ours[measure].get(run)
            row += [theirs, value]
            if value is None or not same_to(theirs, value, 3):
                off.append(f"{measure} of {run}")
        rows.append(row)
    numbers = 2 * len(rows)
    for record in published.table("trec_chem_2009_ts_averages"):
        measure = record["measure"]
        scores = published.trec_chem_2009(measure)
        means = dict(zip(scores.topics, scores.of(measure).mean(axis=0).tolist(), strict=True))
        numbers += len(means)
        off += [f"{measure} of {topic}" for topic, mean in means.items() if not same_to(record[topic], mean, 3)]
    finding = (
        f"{numbers - len(off)} of {numbers} means over topics (table 8) and over runs (the last lines of tables 14 and "
        "15), computed from the scores of every run on every topic, are as printed"
    )
    finding += ", to the three digits that these scores have." if not off else f"; not {', '.join(off)}."
    return Exhibit(
        "Tables 8, 14, 15",
        "xinfAP and infNDCG of the best two runs of each group, technology survey",
        "differs" if off else "same",
        finding,
        (Table(["run", "xinfAP printed", "ours", "infNDCG printed", "ours"], rows, digits=4),),
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
