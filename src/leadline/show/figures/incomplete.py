"""Would fewer judgements give the same ranking of the systems? Kendall's tau against the share of them kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.definition import parse_measures
from leadline.measures.evaluate import Progress
from leadline.show.charts import HEIGHT, WIDTH, Figure, both, decimal, decimal_column, needs
from leadline.show.plots import caption, plain, rows
from leadline.show.report.drawing import BELIEVED, report_figure
from leadline.show.report.evidence import Evidence
from leadline.trust.incomplete import SHARES, Incomplete

NAME = "incomplete"
SOURCE = "Magdy and Jones, CLEF 2010: relevant documents left out at random, the systems ranked again"
FEWEST_RUNS = 3  # with two runs a curve would only show whether they swap
STABLE = 0.95  # the share of samples that must agree on which measure keeps the order better


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
        found = Incomplete.of(study, keep=keep, samples=samples, seed=evidence.seed, progress=progress)
    except MismatchError as error:
        return lack(f"Nothing to compare: {error}.")
    if np.isnan(found.mean[int(np.argmin(found.keep))]).any():
        return lack(f"With {min(found.keep):.3g} of the judgements, no sample ranks the runs.")
    drawn = plain(found).properties(width=WIDTH, height=HEIGHT)
    return Figure(NAME, title(found), reading(found), drawn, rows(found), SOURCE)


def title(found: Incomplete) -> str:
    """How well each measure keeps the order with the fewest judgements; "better" only if nearly all samples agree."""
    fewest = int(np.argmin(found.keep))
    mean, tau = found.mean[fewest], found.tau[fewest]
    share = f"{100 * found.known[fewest]:.3g} % of the relevant documents"
    best, worst = int(np.argmax(mean)), int(np.argmin(mean))
    if np.nanmean(tau[:, best] > tau[:, worst]) >= STABLE:
        return (
            f"With {share}, {found.measures[best]} keeps the order of systems better than {found.measures[worst]}: "
            f"τ {decimal(float(mean[best]), 2, mean)} against {decimal(float(mean[worst]), 2, mean)}"
        )
    shown = decimal_column(mean.tolist(), 2)
    taus = [f"{tau} by {name}" for name, tau in zip(found.measures, shown, strict=True)]
    return f"With {share}, the order of systems keeps a τ of {both(taus)}"


def reading(found: Incomplete) -> str:
    """The numbers behind the title, and what the lines are."""
    fewest = int(np.argmin(found.keep))
    low, means = found.lowest[fewest], decimal_column(found.mean[fewest].tolist(), 2)
    taus = [
        f"{name} {mean} (lowest {decimal(least, 2)})"
        for name, mean, least in zip(found.measures, means, low, strict=True)
    ]
    return f"With {100 * found.known[fewest]:.3g} % known, τ is on average {both(taus)}: {caption(found)}."
