"""The chart of retrievability: a Lorenz curve for each run."""

from __future__ import annotations

import textwrap
from typing import Any

from leadline.show.charts.style import OKABE_ITO, altair, styled
from leadline.trust.plots import plot
from leadline.trust.retrievability import Retrievability

SIDE = 380  # in pixels


@plot("retrievability")
def chart(found: Retrievability) -> Any:
    """The share of all retrievability that the documents hold, those found least first; even would be the diagonal."""
    alt = altair()
    shares, curve = found.lorenz()
    gini = found.gini
    names = [f"{run}  G = {gini[r]:.2f}" for r, run in enumerate(found.runs)]
    rows = [
        {"run": name, "documents": round(float(share), 4), "retrievability": round(float(value), 4)}
        for name, values in zip(names, curve, strict=True)
        for share, value in zip(shares, values, strict=True)
    ]
    colours = [OKABE_ITO[place % len(OKABE_ITO)] for place in range(len(names))]
    x = alt.X("documents:Q", title="share of the documents, those found least first", axis=alt.Axis(format="%"))
    y = alt.Y("retrievability:Q", title="share of all retrievability", axis=alt.Axis(format="%"))
    lines = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=x, y=y, color=alt.Color("run:N", title=None, sort=names, scale=alt.Scale(domain=names, range=colours)),
            tooltip=["run:N", "documents:Q", "retrievability:Q"],
        )
    )  # fmt: skip
    ends = [{"documents": 0, "retrievability": 0}, {"documents": 1, "retrievability": 1}]
    even = alt.Chart(alt.Data(values=ends)).mark_line(strokeDash=[2, 4], strokeWidth=1, opacity=0.6).encode(x=x, y=y)
    subtitle = f"within {found.cutoff} ranks; dotted: every document is found as easily"
    title = alt.TitleParams(textwrap.wrap(found.finding(), 90), subtitle=subtitle)
    return styled((even + lines).properties(width=SIDE, height=SIDE, title=title))
