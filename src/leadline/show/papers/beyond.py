"""Beyond the papers: do citations put the systems in their true order?"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from leadline.errors import InputError
from leadline.measures.hits import Array
from leadline.records.result import Table
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    DEPTH,
    WIDTH,
    Figure,
    both,
    count,
    narrow,
    rounded,
    rows_data,
    with_rows,
)
from leadline.show.papers.exhibit import Exhibit, Paper, PaperInputs, renamed
from leadline.text.checksums import check_seal, parsed_object, stored_bytes
from leadline.trust.incomplete import Recovery

NAME = "citations-truth"
STORED = "citations-truth.json"  # the study of a lab whose truth is known
SHIPPED = "citations_truth.json"  # the study that comes with the package, made by benchmarks/citations_truth.py


def paper(lab: PaperInputs | None = None) -> Paper:
    """The study of several offices that comes with the package, and the lab's own study if it has one."""
    exhibits = [_exhibit(shipped(), "Simulated offices", NAME)]
    if lab is not None and (lab.folder / STORED).is_file():
        exhibits.append(_exhibit(read_stored(lab.folder / STORED), "The lab's own office", f"{NAME}-lab"))
    return Paper(
        NAME,
        "Beyond the papers: do citations put the systems in their true order?",
        "A study of simulated offices, docs/citations-and-truth.md",
        tuple(exhibits),
    )


def read_stored(path: Path) -> Recovery:
    """The study that a lab has stored; InputError where it is missing or damaged."""
    fix = f"delete it, and run the demo again in {path.parent}"
    try:
        record = parsed_object(stored_bytes(path), str(path), fix)
        check_seal(record, str(path), fix)
        return Recovery.of_record(record)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (KeyError, ValueError, TypeError):
        raise InputError(str(path), f"is damaged, it is not a study: {fix}") from None


def shipped() -> Recovery:
    """The study of several offices that comes with the package."""
    text = resources.files("leadline.show.papers").joinpath(SHIPPED).read_text(encoding="utf-8")
    return Recovery.of_record(json.loads(text))


def _exhibit(found: Recovery, name: str, address: str) -> Exhibit:
    drawn = recovery_figure(found)
    about = f"{len(found.runs)} systems in {count(found.collections, 'office')}, ranked by citations and by the truth"
    finding = f"{drawn.title}. Real offices differ: docs/simulated-office.md lists what is not modelled."
    return Exhibit(name, about, "new", finding, summaries(found), (renamed(drawn, address),))


def summaries(found: Recovery) -> tuple[Table, Table]:
    """Tau and tau_AP of each measure by each kind of judgements, with half the width of the interval over offices."""
    return _summary(found, "τ", found.tau), _summary(found, "τ_AP", found.tau_ap)


def _summary(found: Recovery, name: str, of: Array) -> Table:
    mean, low, high = found.interval(of)
    rows = [[without_options(measure), *mean[:, m].tolist()] for m, measure in enumerate(found.measures)]
    asides = {
        (m, j + 1): f"±{(high[j, m] - low[j, m]) / 2:.2f}"
        for m in range(len(found.measures))
        for j in range(len(found.judged))
        if found.collections > 1
    }
    return Table([name, *found.judged], rows, digits=2, asides=asides)


# The figure of a Recovery: for each measure, how similar its ranking by citations is to its true ranking.


CHART_NAME = "citations_truth"
SOURCE = "Simulated offices, in which every relevant document is known; intervals over offices by Student's t (95 %)"
# Lines at conventional values of τ: from 0.9 up rankings count as the same, below 0.8 as different.
GUIDES = ((0.9, "the same", "left", 4), (0.8, "another", "right", -4))
COLOURS, SHAPES = (DEPTH[4], BUOY, DEPTH[2], DEPTH[1]), ("circle", "diamond", "square", "triangle-up")
ROW = 30  # pixels of a measure


def recovery_figure(found: Recovery, shown: Sequence[str] | None = None) -> Figure:
    """Kendall's tau between the true ranking and others; `shown` defaults to the first and last kind of judgements."""
    names = list(dict.fromkeys((found.judged[0], found.judged[-1])) if shown is None else shown)
    rows = [
        {name: rounded(value) if isinstance(value, float) else value for name, value in row.items()}
        | {"shown": without_options(row["measure"])}
        for row in found.rows()
        if row["judged"] in names
    ]
    return Figure(CHART_NAME, title(found), reading(found), _chart(names, rows), rows, SOURCE)


def without_options(measure: str) -> str:
    """The name of a measure without its options.

    >>> without_options("CT(theta=given)@20")
    'CT@20'
    """
    head, _, tail = measure.partition("(")
    return head + tail.partition(")")[2] if tail else measure


def title(found: Recovery) -> str:
    """Which measures keep the true order best and worst by the first kind of judgements."""
    mean = found.interval(found.tau)[0][0]
    best, worst = int(mean.argmax()), int(mean.argmin())
    return (
        f"{without_options(found.measures[best])} from citations recovers the true order of systems best "
        f"(τ {mean[best]:.2f}), {without_options(found.measures[worst])} least (τ {mean[worst]:.2f})"
    )


def reading(found: Recovery) -> str:
    """Which measures reach 0.9, usually taken for the same ranking, and what the study consists of."""
    mean = found.interval(found.tau)[0][0]
    firm = [without_options(name) for name, tau in zip(found.measures, mean, strict=True) if round(tau, 2) >= 0.9]
    said = f"{both(firm)} reach{'es' if len(firm) == 1 else ''} 0.9" if firm else "No measure reaches 0.9"
    offices = count(found.collections, "simulated office")
    drawn = "dots are means, lines their 95 % intervals" if found.collections > 1 else "dots are that office's τ"
    return f"{said} by {found.judged[0]}. {len(found.runs)} systems in {offices}; {drawn}."


def _chart(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> Any:
    order = list(dict.fromkeys(row["shown"] for row in rows))
    lowest = min(row["low"] if row["low"] is not None else row["tau"] for row in rows)
    floor = max(-1.0, min(0.7, math.floor(10 * lowest) / 10))
    across = alt.Scale(domain=[floor, 1], nice=False, clamp=True)
    x = alt.X(
        "tau:Q",
        title=f"likeness to the true order (τ, from {floor:.1f})",
        scale=across,
        axis=alt.Axis(format=".1f", tickCount=4, tickMinStep=0.1),
    )
    bare = alt.Axis(ticks=False, domain=False)
    y = alt.Y("shown:N", sort=order, title=None, scale=alt.Scale(paddingOuter=0.7), axis=bare)
    offset = alt.YOffset("judged:N", sort=list(names), scale=alt.Scale(paddingOuter=0.3))
    legend = alt.Legend(title=None, orient="top", direction="horizontal", labelLimit=300)
    colours = alt.Scale(domain=list(names), range=[*COLOURS[: len(names)]])
    shapes = alt.Scale(domain=list(names), range=[*SHAPES[: len(names)]])
    colour = alt.Color("judged:N", scale=colours, legend=legend)
    shape = alt.Shape("judged:N", scale=shapes, legend=legend)
    base = alt.Chart.of(rows_data()).encode(y=y, yOffset=offset, color=colour)
    tip = ["judged:N", "measure:N", "tau:Q", "low:Q", "high:Q", "tau_ap:Q"]
    lines = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.8, opacity=0.7, clip=True)
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(x=x, shape=shape, tooltip=tip)
    guides = [_guide(across, *guide) for guide in GUIDES]
    spans = lines.encode(x=alt.X("low:Q", scale=across), x2="high:Q")
    chart = alt.layer(*guides, spans, dots)
    return with_rows(chart.add_params(narrow()).properties(width=WIDTH, height=ROW * len(order)), rows)


def _guide(across: Any, at: float, text: str, align: str, aside: int) -> Any:
    """A line at a value of tau, with its meaning above the first measure."""
    base = alt.Chart.of(alt.values([{"x": at, "text": text}])).encode(x=alt.X("x:Q", scale=across))
    words = base.encode(y=alt.value(2), text="text:N").mark_text(align=align, dx=aside, baseline="top", fontSize=12)
    return base.mark_rule(strokeDash=[2, 4], opacity=0.6) + words
