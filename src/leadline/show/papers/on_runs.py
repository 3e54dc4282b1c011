"""Figures of the papers drawn from the runs of a lab."""

from __future__ import annotations

from typing import Any

from leadline.errors import LeadlineError
from leadline.show.figures.formatting import sentence
from leadline.show.figures.registry import FIGURES
from leadline.show.papers.exhibit import Exhibit, needs_lab, renamed
from leadline.show.papers.inputs import PaperInputs


def on_runs(
    lab: PaperInputs,
    paper: str,
    name: str,
    about: str,
    figure: str,
    lacks: str,
    *,
    by_claim: bool = False,
    measure: str | None = None,
    **options: Any,
) -> Exhibit:
    """The registered figure of the same kind, drawn from a lab, under `measure` if that is given."""
    evidence = lab.by_claim if by_claim else lab.evidence if measure is None else lab.under(measure)
    if evidence is None:
        return needs_lab(name, about, lacks)
    try:
        made = FIGURES.named(figure).draw(evidence, **options)
    except LeadlineError as error:
        return needs_lab(name, about, f"the lab does not allow it ({error})")
    why = sentence(lacks)
    if made.chart is None:
        return Exhibit(name, about, "needs", f"{why} For the runs of {lab.name}: {made.reading}")
    said = f"{why} Here is the same for the runs of {lab.name}: {made.title}."
    return Exhibit(name, about, "other", said, (), (renamed(made, paper),))
