"""The gallery of the documentation site: every figure of the report, drawn from nine invented systems."""

from __future__ import annotations

import inspect
import tempfile
from pathlib import Path

import numpy as np

from leadline.show.report.drawing import FigureEntry, in_order
from leadline.show.report.evidence import Evidence

TOPICS, SYSTEMS, JUDGED, DOCUMENTS = 30, 9, 120, 200
Lists = dict[str, dict[str, float]]


def gallery_pages() -> dict[str, str]:
    """The page, and the pictures as SVG."""
    evidence = invented_evidence()
    pages: dict[str, str] = {}
    about = (
        "`leadline report` draws these from your own files. "
        f"Here they show {SYSTEMS} invented systems on {TOPICS} invented topics. A title states a finding of the data."
    )
    lines = ["# The report's figures", "", about, ""]
    section = ""
    for entry in in_order():
        if entry.section != section:
            section = entry.section
            lines += [f"## {section}", ""]
        drawn, picture = _draw(entry, evidence)
        lines += [f"### {entry.label[0].upper()}{entry.label[1:]} {{ #{entry.name} }}", ""]
        lines += [(inspect.getdoc(entry.function) or "").split("\n\n")[0], ""]
        if picture:
            pages[f"gallery/{entry.name}.svg"] = picture
            lines += [f"![{drawn}](gallery/{entry.name}.svg)", ""]
        else:
            lines += [f"Not drawn here. {drawn}", ""]
    return {"gallery.md": "\n".join(lines), **pages}


def _draw(entry: FigureEntry, evidence: Evidence) -> tuple[str, str]:
    """The title and the SVG of a figure; what it needs and nothing if these data do not allow it."""
    figure = entry.draw(evidence)
    if figure.chart is None:
        return figure.reading, ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        figure.save(path)
        return figure.title, path.read_text(encoding="utf-8")


def invented_evidence() -> Evidence:
    """Judgements and runs whose scores are the grade of a document, less for each further system, plus noise."""
    rng = np.random.default_rng(1)
    topics = [f"{number:02}" for number in range(1, TOPICS + 1)]
    relevant = {topic: int(rng.integers(6, 40)) for topic in topics}
    qrels = {
        topic: {f"{topic}-{at}": 1 + int(rng.random() < 0.3) if at < relevant[topic] else 0 for at in range(JUDGED)}
        for topic in topics
    }
    runs = {}
    for system in range(SYSTEMS):
        lists: Lists = {}
        for topic in topics:
            lift = (1.6 - 0.14 * system + rng.normal(0, 0.5)) * (np.arange(DOCUMENTS) < relevant[topic])
            scores = lift + rng.normal(size=DOCUMENTS)
            lists[topic] = {f"{topic}-{at}": float(score) for at, score in enumerate(scores) if score > 0.2}
        runs[f"system {chr(ord('A') + system)}"] = lists
    return Evidence.of(qrels, runs, "PRES@100", samples=20)
