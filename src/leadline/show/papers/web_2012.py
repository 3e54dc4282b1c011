"""Information retrieval on the web and its evaluation."""

from __future__ import annotations

import numpy as np

from leadline.collections.choices import DAMPING
from leadline.collections.duplicates.sketches import shingles
from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.page_scores import page_ranks
from leadline.measures.catalogue.precision import precision, recall
from leadline.measures.explain import PrecisionRecall, topic_curve
from leadline.measures.gains import gains_of
from leadline.measures.hits import Array, Hits
from leadline.records.result import Table
from leadline.show import vega_lite as alt
from leadline.show.charts import BUOY, GREY, HEIGHT, WIDTH, Figure, narrow, rows_data, with_rows
from leadline.show.papers.exhibit import Exhibit, Paper, PaperInputs, shipped_lab

NAME = "web-2012"
RELEVANT = 162  # documents known to be relevant in the paper's example
LEVELS = (0.0, 0.1, 0.2)  # recall at which figure 4 interpolates
FIRST = [1, 2, 3, 4, 5, 6, 9, 10]  # of ten, those at ranks 7 and 8 are not relevant

PAGES, LINKS = ("A", "B", "C"), ((0, 1), (0, 2), (1, 2), (2, 0))  # a small web: A links to B and C, B to C, C to A
PRINTED = ("internet scaled data storage", "scaled data storage and", "data storage and analysis")


def paper(lab: PaperInputs | None = None) -> Paper:
    return Paper(
        NAME,
        "Searching the web, and measuring it",
        "Garg and Sharma, International Journal of Computer Applications 2012",
        (example(), figures_3_and_4(lab or shipped_lab()), page_rank(), shingling(), gains()),
        n_figures=4,
    )


def example() -> Exhibit:
    """Precision and recall after 10 and 50 documents."""
    ten, fifty = Hits.of(ranks=FIRST, relevant=RELEVANT), Hits.of(ranks=list(range(1, 21)), relevant=RELEVANT)
    rows = [
        ["10 read, 8 relevant", 0.8, float(precision(ten, 10)[0]), 0.05, float(recall(ten, 10)[0])],
        ["50 read, 20 relevant", 0.4, float(precision(fifty, 50)[0]), 0.05, float(recall(fifty, 50)[0])],
    ]
    return Exhibit(
        "Section 5.4.1",
        "precision and recall of one list, 162 documents being relevant",
        "differs",
        f"The recall after 50 documents is printed as 20/162 ≈ 0.05; it is {rows[1][4]:.2f}. The other three numbers "
        "are as printed.",
        (Table(["list", "precision printed", "ours", "recall printed", "ours"], rows),),
    )


def figures_3_and_4(lab: PaperInputs) -> Exhibit:
    """The raw and the interpolated curve of one topic, with the interpolated precision at recall 0, 0.1 and 0.2."""
    evidence = lab.evidence
    topic = evidence.topics[int(evidence.relevant.argmax())]
    relevant = int(evidence.relevant.max())
    curve = topic_curve(evidence.qrels, lab.runs[evidence.leader], topic)
    points = [[recall, float(curve.precision[curve.recall >= recall - 1e-9].max(initial=0.0))] for recall in LEVELS]
    return Exhibit(
        "Figures 3, 4",
        "precision against recall at every rank, and the interpolated curve",
        "other",
        "The ranked list behind the paper's curve is not given; with its 162 relevant documents each one adds "
        f"1/{RELEVANT} = {1 / RELEVANT:.3f} to recall, as printed (0.006). The curves of a topic with {relevant} "
        f"relevant documents from the runs of {lab.name}: the raw one rises with each relevant document and falls "
        "between them, and the interpolated one is the largest precision at that recall or beyond.",
        (Table(["recall", "interpolated precision"], points),),
        (curves_chart(curve, evidence.leader, topic),),
    )


def gains() -> Exhibit:
    """The gains of three and of five grades."""
    linear = gains_of(np.arange(3)).tolist()
    exponential = gains_of(np.arange(5), "exp").tolist()
    printed = ([0, 1, 2], [0, 1, 3, 7, 15])
    rows = [
        [kind, ", ".join(map(str, theirs)), ", ".join(f"{gain:g}" for gain in ours)]
        for kind, theirs, ours in zip(("linear", "exponential"), printed, (linear, exponential), strict=True)
    ]
    same = [linear, exponential] == [list(map(float, theirs)) for theirs in printed]
    return Exhibit(
        "Section 5.4.2",
        "DCG with linear or exponential gain",
        "same" if same else "differs",
        "The gains of three and of five grades are as printed. `leadline explain DCG` has the formula with both.",
        (Table(["gain", "printed", "ours"], rows),),
    )


def page_rank() -> Exhibit:
    """PageRank by the printed formula and by the one that sums to one, on three pages."""
    sources, targets = (np.array(ends) for ends in zip(*LINKS, strict=True))
    ranks, _ = page_ranks(LinkGraph.of_arrays(sources, targets, PAGES))
    by_print: Array = np.ones(len(PAGES))
    out = np.bincount(sources, minlength=len(PAGES))
    for _ in range(200):
        by_print[:] = (1 - DAMPING) + DAMPING * np.bincount(targets, by_print[sources] / out[sources], len(PAGES))
    rows = [[page, float(a), float(b)] for page, a, b in zip(PAGES, by_print, ranks, strict=True)]
    rows.append(["sum", float(by_print.sum()), float(ranks.sum())])
    return Exhibit(
        "Figures 1, 2",
        "links between pages, and PageRank",
        "differs",
        "The formula that the paper prints, (1−d) + d·Σ PR/C, sums to the number of pages and not to one as it says; "
        "with (1−d)/N it does, and the ranks are the same divided by N. Here for A → B, A → C, B → C, C → A "
        "and d = 0.85.",
        (Table(["page", "printed formula", "with (1−d)/N"], rows, digits=4),),
    )


def shingling() -> Exhibit:
    """The paper's example of the shingles of a text."""
    ours = {" ".join(each) for each in shingles("internet, scaled, data, storage, and, analysis", 4)}
    rows = [[text, "yes" if text in ours else "no"] for text in PRINTED]
    return Exhibit(
        "Near-duplicates",
        "the 4-shingling of (internet, scaled, data, storage, and, analysis)",
        "same" if ours == set(PRINTED) else "differs",
        "The three shingles are as printed, and there is no other.",
        (Table(["shingle printed", "found"], rows),),
    )


# The chart of precision against recall of one topic: the raw curve and the interpolated one.


KINDS = ("raw", "interpolated")


def curves_chart(curve: PrecisionRecall, run: str, topic: str) -> Figure:
    """Both curves, down to the last relevant document that was found."""
    last = int((curve.recall < curve.recall[-1]).sum()) + 1
    rows = [
        {"curve": kind, "rank": rank, "recall": round(float(curve.recall[rank - 1]), 4), "precision": round(value, 4)}
        for kind, values in zip(KINDS, (curve.precision, curve.interpolated), strict=True)
        for rank, value in enumerate(values[:last].tolist(), start=1)
    ]
    x = alt.X("recall:Q", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("precision:Q", scale=alt.Scale(domain=[0, 1]))
    colour = alt.Color("curve:N", title=None, scale=alt.Scale(domain=list(KINDS), range=[GREY, BUOY]))
    colour = colour.legend(orient="top")
    base = alt.Chart.of(rows_data()).encode(
        x=x, y=y, color=colour, order="rank:Q", tooltip=["curve:N", "rank:Q", "recall:Q", "precision:Q"]
    )
    raw, interpolated = (base.transform_filter(alt.equals(kind, "curve")) for kind in KINDS)
    # Between two recalls that were reached, the interpolated precision is that of the second.
    layers = raw.mark_line(strokeWidth=1.5), interpolated.mark_line(strokeWidth=2, interpolate="step-before")
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT).add_params(narrow())
    title = f"Interpolating takes the teeth out of the curve of {run} on topic {topic}"
    return Figure(
        "web-2012-curves", title, "Grey: at every rank. Coloured: interpolated.", with_rows(chart, rows), rows
    )
