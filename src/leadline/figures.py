"""The figures of the report, and how to add one: a function of Evidence with the decorator `report_figure`.

>>> from leadline.figures import names
>>> "recall_effort" in names()
True
"""

from leadline.show.charts import Figure
from leadline.show.report.drawing import FIGURES, report_figure
from leadline.show.report.evidence import Evidence

__all__ = ["Evidence", "Figure", "draw", "names", "report_figure"]


def names() -> list[str]:
    """The name of every figure."""
    return list(FIGURES)


def draw(name: str, evidence: Evidence) -> Figure:
    """One figure, with its title, chart and data. `Evidence.of(qrels, runs, measure)` makes the evidence."""
    return FIGURES.named(name).draw(evidence)
