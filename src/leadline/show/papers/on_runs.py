"""A figure of a paper on the runs of a lab."""

from __future__ import annotations

from typing import Any

from leadline.errors import LeadlineError
from leadline.show.figures.catalogue import maker
from leadline.show.figures.evidence import Evidence
from leadline.show.papers.exhibit import Exhibit, needs_lab, renamed
from leadline.show.papers.lab import Lab


def on_runs(
    lab: Lab | None,
    paper: str,
    name: str,
    about: str,
    figure: str,
    lacks: str,
    *,
    by_claim: bool = False,
    **options: Any,
) -> Exhibit:
    """The report's figure of the same kind, drawn from a lab; without one, what is lacking."""
    evidence = _evidence(lab, by_claim=by_claim)
    if evidence is None:
        return needs_lab(name, about, lacks)
    try:
        made = maker(figure)(evidence, **options)
    except LeadlineError as error:
        return needs_lab(name, about, f"the lab does not allow it ({error})")
    why = f"{lacks[:1].upper()}{lacks[1:]}"
    if made.chart is None:
        return Exhibit(name, about, "needs", f"{why}. Of the lab's runs: {made.reading}")
    return Exhibit(name, about, "own", f"{why}. Here is the same of the lab's own runs.", (), (renamed(made, paper),))


def _evidence(lab: Lab | None, *, by_claim: bool) -> Evidence | None:
    if lab is None:
        return None
    return lab.by_claim if by_claim else lab.evidence
