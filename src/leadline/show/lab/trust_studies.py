"""Whether a board can be believed: power, missing judgements, and the judgements that only one run gave."""

from __future__ import annotations

import re
from typing import Any

from leadline.show.charts.drawable import drawable
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.figure import DARK, Theme, config, specification
from leadline.show.figures.registry import FIGURES
from leadline.show.lab.boards import Board
from leadline.show.lab.stored_results import Report, ResultKey, ResultState, StoredData, StoredResults
from leadline.trust.left_out import each_run, left_out

STUDIES = ("incomplete", "leftout", "power")  # the quickest first
WIDE, NARROW = 640, 290  # pixels of a chart
THEMES: tuple[Theme, ...] = ("light", "dark")
DRAWINGS = tuple((theme, width) for theme in THEMES for width in ("wide", "narrow"))
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def study_of(board: Board, name: str, results: StoredResults, *, patience: float) -> ResultState:
    """A study of a board by name, stored or being computed."""
    evidence = board.evidence
    assert evidence is not None
    studied = {} if name == "leftout" else {"measures": studied_measures(evidence)}
    key = ResultKey(name, board.hashes, {"measure": board.measure.text, "seed": evidence.seed, **studied})
    compute = _left_out if name == "leftout" else lambda each, report: _figure(each, name, report)
    return results.answer(key, lambda report: compute(evidence, report), patience=patience)


def studied_measures(evidence: Evidence) -> list[str]:
    """The three measures that figures compare, and the chosen one if it is another.

    >>> qrels, runs = {"1": {"a": 1}}, {"only": {"1": {"a": 9}}}
    >>> studied_measures(Evidence.of(qrels, runs, "nDCG@10")), studied_measures(Evidence.of(qrels, runs, "R@10"))
    (['nDCG@10', 'AP', 'PRES@10', 'R@10'], ['AP', 'PRES@10', 'R@10'])
    """
    chosen = evidence.measure.text
    return [*([] if chosen in evidence.trio else [chosen]), *evidence.trio]


def _left_out(evidence: Evidence, report: Report) -> StoredData:
    """The rankings without the relevant documents that only one run found."""
    studies = []
    for number, each in enumerate(each_run(evidence.study), start=1):
        studies.append(each)
        report(number, len(evidence.runs))
    table = left_out(evidence.study, studies).table()
    return {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}


def _figure(evidence: Evidence, name: str, report: Report) -> StoredData:
    """A figure of the report, drawn for light and dark pages, wide and narrow ones."""
    options: dict[str, Any] = {"measures": studied_measures(evidence)}
    if name == "incomplete":
        options["progress"] = report
    figure = FIGURES[name].draw(evidence, **options)
    drawn = {}
    if figure.chart is not None:
        import vl_convert

        chart = specification(figure.chart)
        for theme, width in DRAWINGS:
            drawn[f"{theme}-{width}"] = vl_convert.vegalite_to_svg(drawable(_themed(chart, theme, width)))
    return {"title": figure.title, "reading": figure.reading, "source": figure.source, "drawn": drawn,
            "rows": [dict(row) for row in figure.rows]}  # fmt: skip


def _themed(chart: dict[str, Any], theme: Theme, width: str) -> dict[str, Any]:
    """A chart's specification with the colours of a theme, at a width."""
    import json

    text = json.dumps(chart)
    if theme == "dark":
        text = _COLOUR.sub(lambda found: DARK.get(found[0], found[0]), text)
    themed: dict[str, Any] = json.loads(text)
    if width == "narrow":
        themed["width"] = NARROW
        for each in themed.get("params", []):
            if each.get("name") == "narrow":
                each["value"] = True
    return {**themed, "config": config(theme)}
