"""One file a figure: `figure(evidence)` gives its finding, a sentence of reading, an Altair chart and its data."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from leadline.errors import checked_choice

if TYPE_CHECKING:
    from leadline.show.figures.evidence import Evidence
    from leadline.show.figures.figure import Figure

# The questions of the page in its order; for each the figures that answer it, and what the contents call them.
SECTIONS: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "Who finds more?",
        {
            "recall_effort": "recall against effort",
            "bump": "who leads under which measure",
            "sorted_scores": "all systems by score",
            "effort_curves": "measures against effort",
        },
    ),
    (
        "Can it be believed?",
        {
            "triangle": "p of every pair",
            "agreement": "do the measures agree",
            "incomplete": "with fewer judgements",
            "power": "what a measure tells apart",
        },
    ),
    (
        "Where, and on what?",
        {
            "spectrogram": "every run on every topic",
            "precision_recall": "precision and recall",
            "six_measures": "six measures side by side",
            "slices": "by kind of topic",
            "relevant_distribution": "relevant documents per topic",
            "pool_map": "who found what",
            "claims_cube": "claims filling up",
            "gamma": "breadth or depth",
        },
    ),
    (
        "How do the measures behave?",
        {
            "pres_area": "PRES as an area",
            "pres_surface": "PRES over recall and rank",
            "pres_rr": "PRES against RR",
        },
    ),
)
FIGURES = tuple(name for _, names in SECTIONS for name in names)


def maker(name: str) -> Callable[[Evidence], Figure]:
    """The function that makes a figure, imported when it is asked for."""
    checked_choice("figure", name, FIGURES)
    return importlib.import_module(f"leadline.show.figures.catalogue.{name}").figure
