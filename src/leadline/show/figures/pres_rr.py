"""What is a single relevant document worth at each rank, by PRES and by the reciprocal rank?"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.catalogue.precision import reciprocal_rank
from leadline.measures.catalogue.pres import pres
from leadline.measures.hits import Hits
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    HEIGHT,
    WIDTH,
    Figure,
    count,
    decimal,
    measure_colours,
    rows_data,
    tips,
    with_rows,
)
from leadline.show.report.drawing import BEHAVE, haloed, report_figure
from leadline.show.report.evidence import Evidence

NAME = "pres_rr"
SOURCE = "Magdy and Jones, SIGIR 2010, figure 4b: one relevant document, PRES falls evenly and RR at once"
POINTS = 60  # ranks drawn, more of them at the top


@report_figure(NAME, section=BEHAVE, label="PRES against RR", place=30)
def figure(evidence: Evidence) -> Figure:
    """PRES and RR of a single relevant document against its rank, for the effort of this report."""
    effort = evidence.effort
    rows = [{"rank": rank, "PRES": worth(rank, effort)[0], "RR": worth(rank, effort)[1]} for rank in ranks(effort)]
    example = min(effort, max(2, effort // 10))  # at rank 1 both are 1
    first, second = worth(example, effort)
    title = (
        f"A single relevant document at rank {count(example)} of {count(effort)} is worth PRES {decimal(first, 2)}, "
    )
    title += f"RR {decimal(second, 2)}"
    return Figure(NAME, title, reading(evidence), _chart(rows, effort, example), rows, SOURCE)


def worth(rank: int, effort: int) -> tuple[float, float]:
    """PRES and RR of a list whose only relevant document is at this rank.

    >>> worth(10, 100), worth(1, 100), worth(101, 100)
    ((0.91, 0.1), (1.0, 1.0), (0.0, 0.0099))
    """
    hits = Hits.of(ranks=[rank], relevant=1)
    return round(float(pres(hits, effort=effort)[0]), 4), round(float(reciprocal_rank(hits)[0]), 4)


def ranks(effort: int) -> list[int]:
    """The ranks drawn, dense at the top, up to one beyond the effort.

    >>> ranks(4)
    [1, 2, 3, 4, 5]
    """
    grid = np.unique(np.geomspace(1, effort, POINTS).round().astype(np.int64)).tolist()
    straight = np.linspace(1, effort, min(POINTS, effort)).round().astype(np.int64).tolist()
    return sorted({*grid, *straight, effort + 1})


def reading(evidence: Evidence) -> str:
    """The rank of the leader's first relevant document, and how many topics have only one."""
    at = first_ranks(evidence)
    half = max(1, evidence.effort // 2)
    text = f"At rank {count(half)}, half of the effort, PRES is still {decimal(worth(half, evidence.effort)[0], 2)}"
    if len(at):
        text += f"; {evidence.leader} lists its first relevant document at rank {np.median(at):g} on the median topic"
    single = int((evidence.relevant == 1).sum())
    return f"{text}; {count(single, 'topic')} of {len(evidence.topics)} {'has' if single == 1 else 'have'} only one."


def first_ranks(evidence: Evidence) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The rank of the leader's first relevant document on each topic where it finds one."""
    ranks_found = evidence.ranks[evidence.place(evidence.leader)]
    topic = evidence.qrels.topic_of_document[evidence.relevant_documents]
    found = ranks_found > 0
    best = np.full(len(evidence.topics), np.iinfo(np.int64).max)
    np.minimum.at(best, topic[found], ranks_found[found])
    return best[best < np.iinfo(np.int64).max]


def _chart(rows: list[dict[str, Any]], effort: int, example: int) -> Any:
    names = ("PRES", "RR")
    colours = dict(zip(names, measure_colours(names), strict=True))
    x = alt.X(
        "rank:Q",
        title="rank of the only relevant document",
        scale=alt.Scale(domain=[1, effort + 1], nice=False),
        axis=alt.Axis(grid=False, tickCount=6, format="d"),
    )
    base = alt.Chart.of(rows_data())
    lines = [
        base.mark_line(strokeWidth=2.5, color=colours[name], strokeDash=[1, 0] if name == "PRES" else [6, 3]).encode(
            x=x,
            y=alt.Y(f"{name}:Q", title="value of the measure", scale=alt.Scale(domain=[0, 1])),
            tooltip=tips("rank:Q", "PRES:Q", "RR:Q"),
        )
        for name in names
    ]
    first, second = worth(example, effort)
    marked = [
        {"x": example, "y": first, "text": f"PRES {decimal(first, 2)}"},
        {"x": example, "y": second, "text": f"RR {decimal(second, 2)}"},
    ]
    dots = alt.Chart.of(alt.values(marked)).mark_point(filled=True, size=60, opacity=1, color=BUOY)
    dots = dots.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    return with_rows(
        alt.layer(*lines, dots, haloed(marked, align="left", dx=9, dy=-8)).properties(width=WIDTH, height=HEIGHT), rows
    )
