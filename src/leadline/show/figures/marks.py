"""What several figures share: the colours of systems, their names in little room, text over lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leadline.show.charts.style import DASHES, PAPER, altair
from leadline.show.figures.evidence import Evidence

SHORT = 24  # letters of a name in a chart; tags may be as long as a file's name


def short(name: str, most: int = SHORT) -> str:
    """A name cut to what a label has room for; its end is what tells similar tags apart.

    >>> short("covidex.r1.t5.colbert.long.rerank")
    'covidex.r1.t…long.rerank'
    """
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - (most - most // 2 - 1) :]}"


def system_colour(evidence: Evidence, field: str = "run:N") -> Any:
    """Each named run in its colour; it has no legend, for lines are labelled at their end."""
    alt = altair()
    domain = list(evidence.named)
    return alt.Color(field, legend=None, scale=alt.Scale(domain=domain, range=[evidence.colour(run) for run in domain]))


def system_dash(evidence: Evidence, field: str = "run:N") -> Any:
    """Each named run in its dash: colour is never alone."""
    alt = altair()
    domain = list(evidence.named)
    dashes = [DASHES[place % len(DASHES)] for place in range(len(domain))]
    return alt.StrokeDash(field, legend=None, scale=alt.Scale(domain=domain, range=dashes))


def haloed(rows: Sequence[Mapping[str, Any]], x: str = "x:Q", y: str = "y:Q", **mark: Any) -> Any:
    """Text that can be read over lines: its letters stand on a rim of paper."""
    base = altair().Chart(altair().Data(values=list(rows))).encode(x=x, y=y, text="text:N")
    return base.mark_text(stroke=PAPER, strokeWidth=4, **mark) + base.mark_text(**mark)
