"""Figures 1 to 3 and 7 to 10 of the TREC-CHEM 2009 overview, which need runs or documents, made from a lab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leadline.errors import LeadlineError
from leadline.measures.hits import Array
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.show.charts.labels import narrow
from leadline.show.charts.style import DEPTH, GREY, altair, measure_colours
from leadline.show.figures.figure import HEIGHT, WIDTH, Figure, rows_data, with_rows
from leadline.show.figures.formatting import count, sentence
from leadline.show.papers.exhibit import Exhibit, needs_lab
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.on_runs import on_runs
from leadline.trust.slices import slices

NAME = "chem-2009"
BY_TOPIC = "the track's runs are not published here, and the overview prints no prior-art score by topic"
# Figure 7: the overview names MAP and bpref of its four measures; the other two are ours.
FOUR = ("AP", "bpref", "P@30", "nDCG")
RELEVANT = "relevant documents"


def exhibits(lab: PaperInputs) -> tuple[Exhibit, ...]:
    """The figures of a lab."""
    return (
        on_runs(lab, NAME, "Figure 3", "p of every pair of runs under MAP, two tests", "triangle", BY_TOPIC,
                measure="AP"),
        figure_7(lab),
        by_class(lab, "Figure 8", "AP", "MAP"),
        by_class(lab, "Figure 9", "R@100", "recall_100"),
        figure_10(lab),
        on_runs(lab, NAME, "Figure 2", "citations of each topic", "relevant_distribution",
                "the judgements of the task are not published here"),
        figure_1(lab),
    )  # fmt: skip


def figure_1(lab: PaperInputs) -> Exhibit:
    """The documents of each class."""
    about = "documents of each class"
    if lab.classes is None:
        return needs_lab("Figure 1", about, "the collection is not published here, and the lab has none")
    rows = [{"class": name, "documents": documents} for name, documents in sorted(lab.classes.items())]
    alt = altair()
    x = alt.X("class:N", title="class", axis=alt.Axis(labelAngle=-60))
    tip = ["class:N", "documents:Q"]
    chart = alt.Chart(rows_data()).mark_bar(color=DEPTH[4]).encode(x=x, y="documents:Q", tooltip=tip)
    chart = chart.properties(width=WIDTH, height=HEIGHT).add_params(narrow())
    largest = max(lab.classes, key=lab.classes.__getitem__)
    classes, documents = count(len(rows), "class", "classes"), count(lab.classes[largest], "document")
    title = f"{classes}; the largest is {largest} with {documents}"
    reading = "A document with several classes counts in each."
    figure = Figure(f"{NAME}-classes", title, reading, with_rows(chart, rows), rows, "IPC, four characters")
    said = (
        f"The collection is not published here. {lab.name[0].upper()}{lab.name[1:]} has {title[0].lower()}{title[1:]}."
    )
    return Exhibit("Figure 1", about, "other", said, figures=(figure,))


def figure_7(lab: PaperInputs) -> Exhibit:
    """Four measures by the number of relevant documents, and whether MAP and bpref prefer opposite topics."""
    about = "four measures, by the number of relevant documents of a topic"
    scores = lab.evidence.scores(FOUR)
    relevant = {topic: int(n) for topic, n in zip(lab.evidence.topics, lab.evidence.relevant, strict=True)}
    found = _sliced(scores, relevant, RELEVANT)
    if found is None:
        return needs_lab("Figure 7", about, "the lab's topics have too similar numbers of relevant documents")
    names, _, means = found
    first, last = means[0], means[-1]
    ap, bpref = (last[FOUR.index(name)] - first[FOUR.index(name)] for name in ("AP", "bpref"))
    agrees = "as in the overview" if ap > 0 > bpref else "which contradicts the overview"
    finding = (
        f"{sentence(BY_TOPIC)} It says that MAP favours topics with many relevant documents and bpref those with few. "
        f"For the runs of {lab.name}, from topics with {names[0]} to those with {names[-1]} relevant documents, AP "
        f"changes by {ap:+.2f} and bpref by {bpref:+.2f}, {agrees}. "
        "Where no document is judged not relevant, bpref is the recall of the whole list."
    )
    return _drawn("Figure 7", about, finding, found, FOUR, "relevant documents of the topic")


def by_class(lab: PaperInputs, name: str, measure: str, theirs: str) -> Exhibit:
    """A measure by the class of the topic, averaged over the runs."""
    about = f"{theirs} by class of the topic"
    classes = lab.evidence.attributes.get("class")
    found = None if classes is None else _sliced(lab.evidence.scores([measure]), _three(classes), "class")
    if found is None:
        return needs_lab(name, about, "the lab's topics have no classes, or all the same")
    names, _, means = found
    best, worst = int(means[:, 0].argmax()), int(means[:, 0].argmin())
    chemical = [place for place, label in enumerate(names) if label in ("C07", "C08", "A61")]
    theirs_too = "" if chemical else " None of the classes C07, C08 and A61, of which the overview speaks, is here."
    if "C07" in names and "C08" in names:
        easier = means[names.index("C07"), 0] > means[names.index("C08"), 0]
        theirs_too = f" C07 is {'easier' if easier else 'harder'} than C08; the overview finds it easier."
    finding = (
        f"{sentence(BY_TOPIC)} For the runs of {lab.name} the mean {measure} goes from {means[worst, 0]:.2f} "
        f"({names[worst]}) to {means[best, 0]:.2f} ({names[best]}).{theirs_too}"
    )
    return _drawn(name, about, finding, found, (measure,), "class of the topic")


def figure_10(lab: PaperInputs) -> Exhibit:
    """nDCG by the words of the topic."""
    about = "nDCG by the size of the topic in words"
    words = lab.evidence.attributes.get("words")
    found = None if words is None else _sliced(lab.evidence.scores(["nDCG"]), _numbers(words), "words")
    if found is None:
        return needs_lab("Figure 10", about, "the lab has no words of its topics")
    means = found[2]
    spread = float(means[:, 0].max() - means[:, 0].min())
    finding = (
        f"{sentence(BY_TOPIC)} It finds that the size of a topic has no major effect. For the runs of {lab.name} the "
        f"mean nDCG differs by {spread:.2f} between the sizes."
    )
    return _drawn("Figure 10", about, finding, found, ("nDCG",), "words of the topic")


def _three(classes: Mapping[str, Any]) -> dict[str, str]:
    """The classes with three characters, C07, where these differ; with four, C07D, where all three are the same."""
    short = {topic: str(value)[:3] for topic, value in classes.items()}
    return short if len(set(short.values())) > 1 else {topic: str(value)[:4] for topic, value in classes.items()}


def _numbers(words: Mapping[str, Any]) -> dict[str, int]:
    return {topic: int(value) for topic, value in words.items()}


Found = tuple[list[str], list[int], Array]  # the names of the slices, their topics, and the means: slice, measure


def _sliced(scores: Scores, values: Mapping[str, Any], by: str) -> Found | None:
    """The mean over the runs of each measure in each slice of the topics; None where there are not two slices."""
    columns = []
    try:
        for measure in scores.measures:
            sliced = slices(scores, measure, values, by)
            columns.append(sliced.means.mean(axis=1))
    except LeadlineError:
        return None
    return None if len(sliced.names) < 2 else (list(sliced.names), sliced.counts.tolist(), np.stack(columns, axis=1))


def _drawn(name: str, about: str, finding: str, found: Found, measures: Sequence[str], label: str) -> Exhibit:
    """The exhibit with its table and a chart: a line for each measure, and the number of topics below."""
    names, topics, means = found
    rows = [
        {"slice": part, "measure": measure, "mean": round(float(means[s, m]), 4), "topics": topics[s]}
        for s, part in enumerate(names)
        for m, measure in enumerate(measures)
    ]
    alt = altair()
    x = alt.X("slice:N", sort=names, title=label, axis=alt.Axis(labelAngle=0))
    y = alt.Y("mean:Q", title="mean over topics and runs", scale=alt.Scale(domain=[0, 1]))
    colours = alt.Scale(domain=list(measures), range=measure_colours(measures))
    base = alt.Chart(rows_data()).encode(x=x, tooltip=["slice:N", "measure:N", "mean:Q", "topics:Q"])
    colour = alt.Color("measure:N", title=None, scale=colours, legend=alt.Legend(orient="top"))
    lines = base.mark_line(point=True).encode(y=y, color=colour)
    number = base.mark_text(dy=-4, color=GREY, baseline="bottom").encode(
        y=alt.value(HEIGHT - 4), text=alt.Text("topics:Q")
    )
    chart = alt.layer(lines, number).properties(width=WIDTH, height=HEIGHT).add_params(narrow())
    columns = ["topics with", "topics", *measures]
    table = Table(columns, [[part, topics[s], *means[s].tolist()] for s, part in enumerate(names)])
    slug = f"{NAME}-{name.lower().replace(' ', '-')}"
    title = f"{', '.join(measures)} by {label}"
    figure = Figure(slug, title, "Grey numbers: topics.", with_rows(chart, rows), rows, "Means over topics and runs")
    return Exhibit(name, about, "other", finding, (table,), (figure,))
