"""The chart of precision against recall of one topic: the raw curve and the interpolated one."""

from __future__ import annotations

from leadline.measures.curves import PrecisionRecall
from leadline.show.charts.labels import narrow
from leadline.show.charts.style import BUOY, GREY, altair
from leadline.show.figures.figure import HEIGHT, WIDTH, Figure, rows_data, with_rows

KINDS = ("raw", "interpolated")


def curves_chart(curve: PrecisionRecall, run: str, topic: str) -> Figure:
    """Both curves, down to the last relevant document that was found."""
    last = int((curve.recall < curve.recall[-1]).sum()) + 1
    rows = [
        {"curve": kind, "rank": rank, "recall": round(float(curve.recall[rank - 1]), 4), "precision": round(value, 4)}
        for kind, values in zip(KINDS, (curve.precision, curve.interpolated), strict=True)
        for rank, value in enumerate(values[:last].tolist(), start=1)
    ]
    alt = altair()
    x = alt.X("recall:Q", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("precision:Q", scale=alt.Scale(domain=[0, 1]))
    colour = alt.Color("curve:N", title=None, scale=alt.Scale(domain=list(KINDS), range=[GREY, BUOY]))
    colour = colour.legend(orient="top")
    base = alt.Chart(rows_data()).encode(
        x=x, y=y, color=colour, order="rank:Q", tooltip=["curve:N", "rank:Q", "recall:Q", "precision:Q"]
    )  # fmt: skip
    raw, interpolated = (base.transform_filter(alt.FieldEqualPredicate(kind, "curve")) for kind in KINDS)
    # Between two recalls that were reached, the interpolated precision is that of the second.
    layers = raw.mark_line(strokeWidth=1.5), interpolated.mark_line(strokeWidth=2, interpolate="step-before")
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT).add_params(narrow())
    title = f"Interpolating takes the teeth out of the curve of {run} on topic {topic}"
    return Figure(
        "web-2012-curves", title, "Grey: at every rank. Coloured: interpolated.", with_rows(chart, rows), rows
    )
