"""Would fewer judgements give the same ranking of the systems? Kendall's tau against the share of them kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.evaluate import Progress
from leadline.measures.notation import parse_measures
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.figure import HEIGHT, WIDTH, Figure, needs
from leadline.show.figures.formatting import both, decimal
from leadline.show.figures.registry import BELIEVED, report_figure
from leadline.show.plots.incomplete import caption, plain, rows
from leadline.trust.incomplete import SHARES, Incomplete

NAME = "incomplete"
SOURCE = "Magdy and Jones, CLEF 2010: relevant documents left out at random, the systems ranked again"
FEWEST_RUNS = 3  # with two runs a curve would only show whether they swap
SAME = 0.9  # from this tau up, two rankings usually count as the same


@report_figure(NAME, section=BELIEVED, label="with fewer judgements", place=30)
def figure(
    evidence: Evidence,
    measures: str | Sequence[str] | None = None,
    *,
    keep: Sequence[float] = SHARES,
    samples: int = 100,
    progress: Progress | None = None,
) -> Figure:
    """How well each measure keeps its ranking when judgements are missing. Default: those of `evidence.trio`."""
    lack = partial(needs, NAME, "Would fewer judgements give the same ranking?", source=SOURCE)
    if len(evidence.runs) < FEWEST_RUNS:
        return lack(f"Needs {FEWEST_RUNS} runs or more, to rank them again with fewer judgements.")
    study = replace(evidence.study, measures=tuple(parse_measures(evidence.trio if measures is None else measures)))
    try:
        found = Incomplete.of(study, keep=keep, samples=samples, seed=evidence.rng(NAME), progress=progress)
    except MismatchError as error:
        return lack(f"Nothing to compare: {error}.")
    if np.isnan(found.mean[int(np.argmin(found.keep))]).any():
        return lack(f"With {min(found.keep):.3g} of the judgements, no sample ranks the runs.")
    drawn = plain(found).properties(width=WIDTH, height=HEIGHT)
    return Figure(NAME, title(found), reading(found), drawn, rows(found), SOURCE)


def title(found: Incomplete) -> str:
    """Which measures keep the order with the fewest judgements, and which do not."""
    fewest = int(np.argmin(found.keep))
    mean = found.mean[fewest].tolist()
    share = f"{100 * found.keep[fewest]:.3g} % of the relevant documents"
    firm = [name for name, tau in zip(found.measures, mean, strict=True) if round(tau, 2) >= SAME]
    lost = [name for name in found.measures if name not in firm]
    if firm and lost:
        verb = "does" if len(lost) == 1 else "do"
        return f"{both(firm)} {_keep(firm)} the order of systems with {share}; {both(lost)} {verb} not"
    if firm:
        return f"{both(firm)} {_keep(firm)} the order of systems with only {share}"
    return f"No measure keeps the order of systems with {share}"


def reading(found: Incomplete) -> str:
    """The numbers behind the title, and what the lines are."""
    fewest = int(np.argmin(found.keep))
    low = found.lowest[fewest]
    taus = [
        f"{name} {decimal(mean, 2)} (lowest {decimal(least, 2)})"
        for name, mean, least in zip(found.measures, found.mean[fewest], low, strict=True)
    ]
    return f"With {100 * found.keep[fewest]:.3g} % known, τ is on average {both(taus)}: {caption(found)}."


def _keep(names: Sequence[str]) -> str:
    return "keeps" if len(names) == 1 else "keep"
