"""Overview of the TREC 2009 Chemical IR Track."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.records.scores.table import Table
from leadline.show.figures.formatting import percent
from leadline.show.papers import published
from leadline.show.papers.chem_charts import disagreement_chart, expert_chart, measures_chart, spectrogram_chart
from leadline.show.papers.exhibit import Exhibit, Paper, not_here, same_to
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.on_runs import on_runs
from leadline.trust.tau import tau_b

NAME = "chem-2009"
TOPICS, OF_EPO = 1000, 77  # of the full prior-art task
# Table 3, topics of the European Patent Office: MAP and recall at 100 documents
PRINTED_EP = {
    "BiTeM09PAcba": (0.1404, 0.4075),
    "BiTeM09PAqe": (0.1396, 0.4043),
    "CMU09Chmtcdd": (0.0845, 0.2612),
    "UIowaS09PA1": (0.0468, 0.1960),
    "CMU09Chmtcd": (0.0426, 0.1521),
    "york09caPA03": (0.0082, 0.0287),
    "SCAI09PAf1e": (0.0062, 0.0143),
    "york09caPA01": (0.0042, 0.0216),
}
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
    "documents": 5518, "highly_relevant": 941, "relevant": 844, "irrelevant": 3694, "unsure": 37, "unjudged": 1,
}  # fmt: skip
BY_TOPIC = "the track's runs are not published here, and the overview prints no prior-art score by topic"


def paper(lab: PaperInputs | None = None) -> Paper:
    """Its tables and figures."""
    return Paper(
        NAME,
        "TREC-CHEM 2009: eight groups search chemical patents",
        "Lupu, Piroi, Huang, Zhu and Tait, TREC 2009",
        (
            table_2(),
            table_3(),
            table_5(),
            table_7(),
            table_8(),
            figures_11_and_12(),
            on_runs(lab, NAME, "Figure 3", "p of every pair of runs, two tests", "triangle", BY_TOPIC),
            on_runs(lab, NAME, "Figure 4", "six measures of every run, short task", "six_measures", BY_TOPIC),
            on_runs(lab, NAME, "Figures 7 to 10", "measures by number of relevant documents, class and size",
                    "slices", BY_TOPIC),
            on_runs(lab, NAME, "Figure 2", "citations of each topic", "relevant_distribution",
                    "the judgements of the task are not published here"),
            not_here("Tables 1, 6, 10, 11, 12", "other prior-art scores, and the merged judgements of the students",
                     "Printed, but the available text is not legible enough to use as data. Runs that are also in "
                     "tables 2 and 13 are shown above."),
            not_here("Figure 1", "documents of each class", "The collection is not published here; `leadline "
                     "collection info` counts and draws the same for any collection."),
            not_here("Table 9", "the topics", "Texts; nothing is computed from them."),
        ),
    )  # fmt: skip


def table_2() -> Exhibit:
    """The full prior-art task: how similarly six measures rank the runs."""
    records = published.table("trec_chem_2009_pa_full")
    names = [name for name in records[0] if name != "run"]
    values = np.array([[record[name] for name in names] for record in records], float)
    tau = tau_b(values.T[:, None], values.T[None]).tolist()
    rows = [[name, *row] for name, row in zip(names, tau, strict=True)]
    lowest = min((float(row[b + 1]), str(row[0]), names[b]) for row in rows for b in range(len(names)))
    return Exhibit(
        "Table 2, figure 5", "six measures of the best two runs of each group, prior-art task", "same",
        f"As printed; there is nothing to compute again. The measures order the {len(records)} runs alike, except "
        f"{lowest[1]} and {lowest[2]} (τ {lowest[0]:.2f}): no document is judged not relevant here, so "
        "bpref equals the recall of the whole list.",
        (Table(["τ of", *names], rows, digits=2),),
        (measures_chart([record["run"] for record in records], names, values),),
    )  # fmt: skip


def table_3() -> Exhibit:
    """Scores on European topics, computed from those on all and on American topics, beside the printed ones."""
    full = {record["run"]: record for record in published.table("trec_chem_2009_pa_full")}
    american = {record["run"]: record for record in published.table("trec_chem_2009_pa_us")}
    rows: list[list[Any]] = []
    off = 0
    for run, printed in PRINTED_EP.items():
        if run not in full or run not in american:
            continue
        row: list[Any] = [run]
        for name, theirs in zip(("MAP", "recall_100"), printed, strict=True):
            ours = (TOPICS * full[run][name] - (TOPICS - OF_EPO) * american[run][name]) / OF_EPO
            off += abs(ours - theirs) > 0.0015  # the effect of rounding a mean of 1000 topics on a mean of 77
            row += [american[run][name], theirs, ours]
        rows.append(row)
    said = "all of them" if not off else f"all but {off} of them"
    columns = ["run", "MAP, US topics", "EP, printed", "EP, ours", "recall@100, US topics", "EP, printed", "EP, ours"]
    better = sum(row[1] > row[3] for row in rows)
    return Exhibit(
        "Tables 3, 4, 13, figure 6", "topics of the EPO against topics of the USPTO", "differs" if off else "same",
        f"The means on {OF_EPO} European topics follow from those on all {TOPICS} and on the American ones; computed "
        f"like this, {said} are as printed, within rounding. {better} of {len(rows)} runs have the higher "
        "MAP on American topics. Whether that is more than chance cannot be said without scores by topic.",
        (Table(columns, rows, digits=4),),
    )  # fmt: skip


def table_5() -> Exhibit:
    """How often two judges disagreed."""
    records = published.table("trec_chem_2009_ts_disagreement")
    totals = {name: sum(record[name] for record in records) for name in PRINTED_TOTALS}
    adds_up = all(record["strict"] == record["conflict"] + record["lenient"] for record in records)
    rows = [[name, PRINTED_TOTALS[name], total, total / totals["documents"]] for name, total in totals.items()]
    same = totals == PRINTED_TOTALS and adds_up
    worst = max(records, key=lambda record: record["strict"] / record["documents"])
    return Exhibit(
        "Table 5", "documents on which two students disagreed", "same" if same else "differs",
        f"The totals are {'as' if same else 'not as'} printed, and on every topic conflict and lenient "
        f"{'add up' if adds_up else 'do not add up'} to strict. Two students disagreed on "
        f"{percent(totals['strict'] / totals['documents'])} of the documents, and on {worst['topic']}, where one had "
        f"not finished, on {percent(worst['strict'] / worst['documents'])}.",
        (Table(["of 18 topics", "printed", "ours", "share of the documents"], rows, digits=3),),
        (disagreement_chart(records),),
    )  # fmt: skip


def table_7() -> Exhibit:
    """The grades after the experts' judgements."""
    records = published.table("trec_chem_2009_ts_expert_judgements")
    totals = {name: sum(record[name] for record in records) for name in PRINTED_EXPERT}
    kinds = [name for name in PRINTED_EXPERT if name != "documents"]
    short = [
        f"{record['topic']} ({sum(record[kind] for kind in kinds)} of {record['documents']})"
        for record in records
        if sum(record[kind] for kind in kinds) != record["documents"]
    ]
    rows = [[name.replace("_", " "), PRINTED_EXPERT[name], totals[name]] for name in PRINTED_EXPERT]
    same = totals == PRINTED_EXPERT
    return Exhibit(
        "Table 7", "documents by grade after the experts", "same" if same else "differs",
        f"The totals are {'as' if same else 'not as'} printed. "
        + (f"The grades of {', '.join(short)} do not add up in the paper." if short else "All topics add up."),
        (Table(["of 18 topics", "printed", "ours"], rows),),
        (expert_chart(records),),
    )  # fmt: skip


def table_8() -> Exhibit:
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
    finding = f"{numbers - len(off)} of {numbers} means of the scores by topic (tables 14, 15) are as printed"
    finding += ", to the three digits that these tables have." if not off else f"; not {', '.join(off)}."
    return Exhibit(
        "Tables 8, 14, 15", "xinfAP and infNDCG of the best two runs of each group, technology survey",
        "differs" if off else "same", finding,
        (Table(["run", "xinfAP printed", "ours", "infNDCG printed", "ours"], rows, digits=4),),
    )  # fmt: skip


def figures_11_and_12() -> Exhibit:
    """Every run on every topic."""
    charts = tuple(spectrogram_chart(published.trec_chem_2009(measure), measure) for measure in ("xinfAP", "infNDCG"))
    scores = published.trec_chem_2009("xinfAP")
    hard = scores.of("xinfAP")[:, scores.topics.index("TS-13")]
    order = np.argsort(-hard)
    best, second = (scores.runs[int(order[place])] for place in (0, 1))
    held = best == "SCAI09TSMAN" and hard[order[0]] > 2 * hard[order[1]]
    return Exhibit(
        "Figures 11, 12", "every run on every topic, technology survey", "same" if held else "differs",
        f"The overview says that only SCAI09TSMAN, with manual queries, does fairly well on TS-13: it has "
        f"{hard[order[0]]:.3f}, the next ({second}) {hard[order[1]]:.3f}.",
        figures=charts,
    )  # fmt: skip
