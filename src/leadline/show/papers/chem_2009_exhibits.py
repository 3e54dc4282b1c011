"""The tables and figures of TREC-CHEM 2009: the prior-art task, its charts, and what needs runs, made from a lab."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leadline.errors import LeadlineError, in_sentence
from leadline.measures.hits import Array
from leadline.records.result import Table
from leadline.records.scores import Scores
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    DEPTH,
    GREY,
    HEIGHT,
    WIDTH,
    Figure,
    count,
    depth_scale,
    measure_colours,
    narrow,
    rows_data,
    sentence,
    with_rows,
)
from leadline.show.papers.exhibit import Exhibit, PaperInputs, needs_lab, on_runs
from leadline.show.papers.published import ChemScores, prior_art
from leadline.trust.by_topic import slices, spectrogram
from leadline.trust.rankings import tau_b

TOPICS, OF_EPO, SHORT = 1000, 77, 100  # of the full task, those of them from the EPO, and of the short task
TEAMS = ("BiTeM", "CMU", "DUTIR", "SCAI", "UIowa", "msoe", "purdue", "york")  # how the names of their runs begin
ROUNDED = 0.0001  # a mean over all topics from two rounded means
ROUNDED_EP = 0.0013  # a mean over the 77 European topics from two rounded means
OTHER_SOURCES = ("table 1", "table 2", "EP and US", "full and US")  # notes of cells that were not read in their table
SLIP = ("SCAI09PAf1e_sm", "MRR")  # of table 1


def prior_art_exhibits() -> tuple[Exhibit, ...]:
    """The tables and figures that are made from printed scores."""
    return (
        table_1(),
        table_2(),
        tables_3_and_4(),
        table_10(),
        figure_4(),
        table_11(),
        figure_5(),
        tables_12_and_13(),
        figure_6(),
    )


def best_two(table: ChemScores) -> list[str]:
    """The best two runs of each team by MAP, the best first."""
    scores = table.values[:, table.measures.index("MAP")]
    order = [table.runs[place] for place in np.argsort(-scores, kind="stable") if not math.isnan(scores[place])]
    return [run for run in order if run in [other for other in order if _team(other) == _team(run)][:2]]


def _team(run: str) -> str:
    return next(team for team in TEAMS if run.startswith(team))


def selection(best: ChemScores, whole: ChemScores) -> tuple[bool, int, list[str]]:
    """Whether a table of best runs lists those of the whole table, how many cells are in both, and which differ."""
    differ, cells = [], 0
    for run in best.runs:
        for measure in best.measures:
            theirs, ours = best.at(run, measure), whole.at(run, measure)
            if whole.note(run, measure) in OTHER_SOURCES or math.isnan(ours):
                continue
            cells += 1
            if theirs != ours:
                differ.append(f"{measure} of {run} is {theirs:.4f} here and {ours:.4f} there")
    return set(best_two(whole)) == set(best.runs), cells, differ


def _selection_words(best: ChemScores, whole: ChemScores, number: int) -> tuple[bool, str]:
    same, cells, differ = selection(best, whole)
    who = "are those printed" if same else "are not those printed"
    text = f"The best two runs of each team by MAP, chosen from table {number}, {who}"
    text += f"; {cells - len(differ)} of {cells} scores that are legible in both are equal"
    return same and not differ, text + (f", but {'; '.join(differ)}." if differ else ".")


def _table(table: ChemScores) -> Table:
    """All scores, with the notes of the mended ones beside them and a dash for those that are not legible."""
    rows: list[list[Any]] = [
        [run, *(None if math.isnan(value) else value for value in values.tolist())]
        for run, values in zip(table.runs, table.values, strict=True)
    ]
    asides = {
        (place, m + 1): table.notes[place][measure]
        for place in range(len(rows))
        for m, measure in enumerate(table.measures)
        if measure in table.notes[place]
    }
    return Table(["run", *table.measures], rows, digits=4, asides=asides)


def table_1() -> Exhibit:
    """The short task: the best two runs of each team."""
    best, whole = prior_art("best_short"), prior_art("pa_short")
    same, text = _selection_words(best, whole, 10)
    run, measure = SLIP
    mean = prior_art("pa_ep").at(run.removesuffix("_sm"), measure)
    least = OF_EPO * mean / SHORT
    if best.at(run, measure) < least:
        text += (
            f" The {measure} of {run} cannot be {best.at(run, measure):.4f}: the mean over the {OF_EPO} European "
            f"topics is {mean:.4f} (table 12), and these are among the {SHORT}, so it is at least {least:.4f}."
        )
    return Exhibit(
        "Table 1",
        "best two runs of each team, short prior-art task",
        "same" if same else "differs",
        text,
        (_table(best),),
    )


def table_2() -> Exhibit:
    """The full task: the best two runs of each team, and how similarly the measures order them."""
    best = prior_art("best_full")
    same, text = _selection_words(best, prior_art("pa_full"), 11)
    tau = tau_b(best.values.T[:, None], best.values.T[None]).tolist()
    rows = [[name, *row] for name, row in zip(best.measures, tau, strict=True)]
    lowest = min((float(row[b + 1]), str(row[0]), best.measures[b]) for row in rows for b in range(len(rows)))
    text += (
        f" The measures order these {len(best.runs)} runs alike, except {lowest[1]} and {lowest[2]} "
        f"(τ {lowest[0]:.2f}): no document is judged not relevant here, so bpref equals the recall of the whole list."
    )
    return Exhibit(
        "Table 2",
        "best two runs of each team, full prior-art task",
        "same" if same else "differs",
        text,
        (_table(best), Table(["τ of", *best.measures], rows, digits=2)),
    )


def tables_3_and_4() -> Exhibit:
    """European and American topics: the best runs, and the European means computed from the others."""
    best = prior_art("best_ep")
    same_ep, text_ep = _selection_words(best, prior_art("pa_ep"), 12)
    same_us, text_us = _selection_words(prior_art("best_us"), prior_art("pa_us"), 13)
    full, american = prior_art("pa_full"), prior_art("pa_us")
    rows: list[list[Any]] = []
    off = cells = 0
    for run in best.runs:
        row: list[Any] = [run]
        for measure in best.measures:
            ours = european(full.at(run, measure), american.at(run, measure))
            cells += 1
            off += abs(ours - best.at(run, measure)) > ROUNDED_EP
            row += [best.at(run, measure), ours]
        rows.append(row)
    columns = ["run", *(text for measure in best.measures for text in (f"{measure}, EP", "ours"))]
    return Exhibit(
        "Tables 3, 4",
        "best two runs of each team on topics of the EPO and of the USPTO",
        "same" if same_ep and same_us and not off else "differs",
        f"Table 3: {text_ep} Table 4: {text_us} The European means also follow from tables 11 and 13: {cells - off} of "
        f"{cells} computed like this are as printed, within what rounding allows (±{ROUNDED_EP}).",
        (Table(columns, rows, digits=4),),
    )


def european(full: float, american: float) -> float:
    """The mean over European topics, from the means over all and over American ones."""
    return (TOPICS * full - (TOPICS - OF_EPO) * american) / OF_EPO


def table_10() -> Exhibit:
    """The short task, all runs."""
    table = prior_art("pa_short")
    return Exhibit(
        "Table 10", f"{len(table.runs)} runs of the short prior-art task", "shown", _legible(table), (_table(table),)
    )


def _legible(table: ChemScores) -> str:
    """How many cells are as read, mended and missing."""
    cells = table.values.size
    missing = int(np.isnan(table.values).sum())
    noted = sum(map(len, table.notes))
    return (
        f"The available text is damaged here. Of {count(cells)} scores, {count(cells - noted)} are as read, "
        f"{noted - missing} are mended or doubtful, with the source beside them, and {missing} are not legible."
    )


def table_11() -> Exhibit:
    """All topics, computed from European and American ones, beside the printed means."""
    full, ep, us = (prior_art(name) for name in ("pa_full", "pa_ep", "pa_us"))
    cells, differ = 0, []
    for run in full.runs:
        for measure in full.measures:
            if full.note(run, measure) not in ("", "doubtful") or ep.note(run, measure):
                continue
            cells += 1
            theirs = full.at(run, measure)
            ours = (OF_EPO * ep.at(run, measure) + (TOPICS - OF_EPO) * us.at(run, measure)) / TOPICS
            if abs(ours - theirs) > ROUNDED + 1e-9:
                differ.append(f"{measure} of {run} is printed as {theirs:.4f} and computed as {ours:.4f}")
    return Exhibit(
        "Table 11",
        f"{len(full.runs)} runs of the full prior-art task",
        "differs" if differ else "same",
        f"The means over all {count(TOPICS)} topics follow from those over {OF_EPO} European and {TOPICS - OF_EPO} "
        f"American ones. Of {cells} scores that are legible in all three tables, {cells - len(differ)} are as printed"
        + (f"; {'; '.join(differ)}. " if differ else ". ")
        + _legible(full),
        (_table(full),),
    )


def tables_12_and_13() -> Exhibit:
    """European and American topics, all runs."""
    ep, us = prior_art("pa_ep"), prior_art("pa_us")
    return Exhibit(
        "Tables 12, 13",
        f"the same {len(ep.runs)} runs on European and on American topics",
        "shown",
        f"{_legible(ep)} Table 13 is not damaged. A score of table 12 computed from tables 11 and 13 is only good "
        f"to ±{ROUNDED_EP}.",
        (_table(ep), _table(us)),
    )


def figure_4() -> Exhibit:
    """Six measures of all runs of the short task."""
    return _six("Figure 4", "pa_short", "short", "table 10 and figure 4")


def figure_5() -> Exhibit:
    """Six measures of all runs of the full task."""
    return _six("Figure 5", "pa_full", "full", "table 11 and figure 5")


def _six(name: str, source: str, task: str, where: str) -> Exhibit:
    table = prior_art(source)
    order = np.argsort(-np.nan_to_num(table.values[:, table.measures.index("MAP")]), kind="stable")
    runs = [table.runs[place] for place in order]
    chart = measures_chart(f"six-{task}", runs, table.measures, table.values[order], where)
    return Exhibit(
        name,
        f"six measures of {len(runs)} runs, {task} prior-art task",
        "shown",
        "The printed scores, drawn; the best run by MAP at the top.",
        figures=(chart,),
    )


def figure_6() -> Exhibit:
    """American against European topics, for every run and measure."""
    ep, us = prior_art("pa_ep"), prior_art("pa_us")
    higher = (us.values > ep.values).sum(axis=0).tolist()
    runs = len(ep.runs)
    least = min(range(len(higher)), key=lambda m: higher[m])
    counted = ", ".join(f"{higher[m]} {'do ' * (m == 0)}by {measure}" for m, measure in enumerate(ep.measures))
    york = us.values[us.runs.index("york09caPA01")] / ep.values[ep.runs.index("york09caPA01")]
    text = f"The overview says that most runs score higher on American topics. Of {runs} runs, {counted}. "
    if 2 * higher[least] < runs:
        against = in_sentence([name for m, name in enumerate(ep.measures) if 2 * higher[m] < runs])
        text += f"By {against} it is the other way round, which contradicts the overview. "
    text += (
        f"It also says that york09caPA01 does much better on American topics by every measure: by {york.min():.1f} to "
        f"{york.max():.1f} times. Whether that is more than chance cannot be said without scores by topic."
    )
    return Exhibit(
        "Figure 6", "topics of the EPO against topics of the USPTO", "shown", text, figures=(offices_chart(ep, us),)
    )


# Figures 1 to 3 and 7 to 10 of the TREC-CHEM 2009 overview, which need runs or documents, made from a lab.


NAME = "chem-2009"
BY_TOPIC = "the track's runs are not published here, and the overview prints no prior-art score by topic"
# Figure 7: the overview names MAP and bpref of its four measures; the other two are ours.
FOUR = ("AP", "bpref", "P@30", "nDCG")
RELEVANT = "relevant documents"


def lab_exhibits(lab: PaperInputs) -> tuple[Exhibit, ...]:
    """The figures of a lab."""
    return (
        on_runs(
            lab, NAME, "Figure 3", "p of every pair of runs under MAP, two tests", "triangle", BY_TOPIC, measure="AP"
        ),
        figure_7(lab),
        by_class(lab, "Figure 8", "AP", "MAP"),
        by_class(lab, "Figure 9", "R@100", "recall_100"),
        figure_10(lab),
        on_runs(
            lab,
            NAME,
            "Figure 2",
            "citations of each topic",
            "relevant_distribution",
            "the judgements of the task are not published here",
        ),
        figure_1(lab),
    )


def figure_1(lab: PaperInputs) -> Exhibit:
    """The documents of each class."""
    about = "documents of each class"
    if lab.classes is None:
        return needs_lab("Figure 1", about, "the collection is not published here, and the lab has none")
    rows = [{"class": name, "documents": documents} for name, documents in sorted(lab.classes.items())]
    x = alt.X("class:N", title="class", axis=alt.Axis(labelAngle=-60))
    tip = ["class:N", "documents:Q"]
    chart = alt.Chart.of(rows_data()).mark_bar(color=DEPTH[4]).encode(x=x, y="documents:Q", tooltip=tip)
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
    return _line_exhibit("Figure 7", about, finding, found, FOUR, "relevant documents of the topic")


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
    return _line_exhibit(name, about, finding, found, (measure,), "class of the topic")


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
    return _line_exhibit("Figure 10", about, finding, found, ("nDCG",), "words of the topic")


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


def _line_exhibit(name: str, about: str, finding: str, found: Found, measures: Sequence[str], label: str) -> Exhibit:
    """The exhibit with its table and a chart: a line for each measure, and the number of topics below."""
    names, topics, means = found
    rows = [
        {"slice": part, "measure": measure, "mean": round(float(means[s, m]), 4), "topics": topics[s]}
        for s, part in enumerate(names)
        for m, measure in enumerate(measures)
    ]
    x = alt.X("slice:N", sort=names, title=label, axis=alt.Axis(labelAngle=0))
    y = alt.Y("mean:Q", title="mean over topics and runs", scale=alt.Scale(domain=[0, 1]))
    colours = alt.Scale(domain=list(measures), range=measure_colours(measures))
    base = alt.Chart.of(rows_data()).encode(x=x, tooltip=["slice:N", "measure:N", "mean:Q", "topics:Q"])
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


# The charts of TREC-CHEM 2009, from its printed tables.


SOURCE = "Lupu, Piroi, Huang, Zhu and Tait, Overview of the TREC 2009 Chemical IR Track"
ROW = 17  # pixels of a line of cells or a bar
Records = Sequence[Mapping[str, Any]]


def spectrogram_chart(scores: Scores, measure: str) -> Figure:
    """A heat map of run × topic: the best run at the top, the topic with the best mean on the left."""
    found = spectrogram(scores, measure)
    rows = [
        {"run": run, "topic": topic, measure: float(found.values[r, t])}
        for r, run in enumerate(found.runs)
        for t, topic in enumerate(found.topics)
    ]
    x = alt.X(
        "topic:N",
        sort=list(found.topics),
        title="topic, the one answered best first",
        axis=alt.Axis(labelAngle=-60, ticks=False, domain=False),
    )
    y = alt.Y("run:N", sort=list(found.runs), title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=130))
    colour = alt.Color(f"{measure}:Q", scale=depth_scale(0, 1))
    colour = colour.legend(title=measure, orient="top", direction="horizontal", format=".2f", gradientLength=220)
    tip = ["run:N", "topic:N", f"{measure}:Q"]
    chart = alt.Chart.of(rows_data()).mark_rect().encode(x=x, y=y, color=colour, tooltip=tip)
    who = found.answered_by()
    alone = [topic for topic, by in zip(found.topics, who, strict=True) if by == "one"]
    nobody = [topic for topic, by in zip(found.topics, who, strict=True) if by == "nobody"]
    title = f"{measure}: {found.topics[0]} is answered best, {found.topics[-1]} worst, of {len(found.topics)} topics"
    reading = (
        f"A run answers a topic from {found.fair:.2f} up, half the best mean. "
        + (f"Only one run answers {', '.join(alone)}. " if alone else "")
        + (f"No run answers {', '.join(nobody)}." if nobody else "Every topic is answered by some run.")
    )
    chart = chart.properties(width=WIDTH, height=ROW * len(found.runs)).add_params(narrow())
    source = f"{SOURCE}, figure {'11' if measure == 'xinfAP' else '12'}"
    return Figure(f"chem-2009-{measure.lower()}", title, reading, with_rows(chart, rows), rows, source)


def disagreement_chart(records: Records) -> Figure:
    """For each topic, the share of documents on which two judges conflict, and the share that one judge left open."""
    kinds = {"conflict": "one says relevant, one not", "lenient": "one is unsure or did not judge"}
    share = sum(record["strict"] for record in records) / sum(record["documents"] for record in records)
    shares = [record["strict"] / record["documents"] for record in records]
    span = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % by topic"
    title = f"Two judges disagree on {100 * share:.0f} % of the documents: {span}"
    return _bars(records, kinds, [BUOY, DEPTH[1]], "chem-2009-disagreement", title, "table 5")


def grades_chart(records: Records, who: str, where: str) -> Figure:
    """For each topic, the share of documents that are relevant according to the students or the experts."""
    kinds = {"highly_relevant": "highly relevant", "relevant": "relevant"}
    shares = [(record["highly_relevant"] + record["relevant"]) / record["documents"] for record in records]
    span = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"
    title = f"The share of a topic's documents that the {who} call relevant varies widely: {span}"
    return _bars(records, kinds, [DEPTH[4], DEPTH[2]], f"chem-2009-{who}", title, where)


def _bars(
    records: Records, kinds: Mapping[str, str], colours: Sequence[str], name: str, title: str, where: str
) -> Figure:
    """A bar for each topic, in parts, the longest first."""
    total = {record["topic"]: sum(record[kind] for kind in kinds) / record["documents"] for record in records}
    order = sorted(total, key=lambda topic: -total[topic])
    rows = [
        {
            "topic": record["topic"],
            "kind": words,
            "documents": record[kind],
            "share": round(record[kind] / record["documents"], 4),
        }
        for record in records
        for kind, words in kinds.items()
    ]
    x = alt.X(
        "sum(share):Q",
        title="share of the topic's documents",
        axis=alt.Axis(format="%", tickCount=5),
        scale=alt.Scale(domain=[0, 1]),
    )
    y = alt.Y("topic:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=list(kinds.values()), range=list(colours)),
        legend=alt.Legend(orient="top", columns=1, labelLimit=300),
    )
    chart = (
        alt.Chart.of(rows_data())
        .mark_bar()
        .encode(
            x=x,
            y=y,
            color=colour,
            order=alt.Order("kind:N", sort="ascending"),
            tooltip=["topic:N", "kind:N", "documents:Q", alt.Tooltip("share:Q", format=".0%")],
        )
    )
    chart = chart.properties(width=WIDTH, height=ROW * len(order)).add_params(narrow())
    first, last = (f"{topic} with {100 * total[topic]:.0f} %" for topic in (order[0], order[-1]))
    reading = f"First is {first}, last is {last}."
    return Figure(name, title, reading, with_rows(chart, rows), rows, f"{SOURCE}, {where}")


def measures_chart(name: str, runs: Sequence[str], measures: Sequence[str], values: Array, where: str) -> Figure:
    """Six measures side by side: a dot for each run, as a share of the best. NaN is left out."""
    shares = values / np.nanmax(values, axis=0)
    rows = [
        {"run": run, "measure": measure, "value": float(values[r, m]), "of the best": float(shares[r, m])}
        for r, run in enumerate(runs)
        for m, measure in enumerate(measures)
        if not np.isnan(values[r, m])
    ]
    x = alt.X(
        "of the best:Q",
        title="as a share of the best run",
        axis=alt.Axis(format="%", tickCount=5),
        scale=alt.Scale(domain=[0, 1]),
    )
    y = alt.Y("run:N", sort=list(runs), title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=130))
    shape = alt.Shape("measure:N", sort=list(measures), legend=alt.Legend(title=None, orient="top", columns=3))
    dots = (
        alt.Chart.of(rows_data())
        .mark_point(size=44, strokeWidth=1.6, color=DEPTH[4])
        .encode(x=x, y=y, shape=shape, tooltip=["run:N", "measure:N", "value:Q"])
    )
    lines = (
        alt.Chart.of(rows_data())
        .mark_rule(color=GREY, opacity=0.5)
        .encode(x=alt.X("min(of the best):Q"), x2="max(of the best):Q", y=y)
    )
    widest = int(np.argmax(np.nanmax(shares, axis=1) - np.nanmin(shares, axis=1)))
    least, most = int(np.nanargmin(shares[widest])), int(np.nanargmax(shares[widest]))
    low, high = (f"{100 * shares[widest, m]:.0f} % of the best {measures[m]}" for m in (least, most))
    title = f"{runs[widest]} has {high} and {low}"
    chart = alt.layer(lines, dots).properties(width=WIDTH, height=ROW * len(runs)).add_params(narrow())
    reading = "Short line: the measures agree about the run. Long line: they measure different things."
    return Figure(f"chem-2009-{name}", title, reading, with_rows(chart, rows), rows, f"{SOURCE}, {where}")


def offices_chart(ep: ChemScores, us: ChemScores) -> Figure:
    """For each measure, a mark for every run at the quotient of its score on American and on European topics."""
    quotients = us.values / ep.values
    rows = [
        {
            "run": run,
            "measure": measure,
            "EP": float(ep.values[r, m]),
            "US": float(us.values[r, m]),
            "quotient": float(quotients[r, m]),
        }
        for r, run in enumerate(ep.runs)
        for m, measure in enumerate(ep.measures)
    ]
    scale = alt.Scale(type="log", domain=[0.9 * float(quotients.min()), 1.1 * float(quotients.max())], nice=False)
    x = alt.X(
        "quotient:Q",
        title="score on US topics / score on EP topics",
        scale=scale,
        axis=alt.Axis(values=[0.5, 1, 2, 4, 8, 16], format="~g", grid=False),
    )
    y = alt.Y("measure:N", sort=list(ep.measures), title=None, axis=alt.Axis(ticks=False, domain=False))
    colour = alt.condition("indexof(datum.run, 'york') == 0", alt.value(BUOY), alt.value(DEPTH[4]))
    marks = (
        alt.Chart.of(rows_data())
        .mark_tick(thickness=2, opacity=0.6, height=22)
        .encode(
            x=x,
            y=y,
            color=colour,
            tooltip=["run:N", "measure:N", "EP:Q", "US:Q", alt.Tooltip("quotient:Q", format=".2f")],
        )
    )
    one = alt.Chart.of(alt.values([{"quotient": 1}])).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x=x)
    higher = (us.values > ep.values).sum(axis=0).tolist()
    first, last = (order(range(len(higher)), key=lambda m: higher[m]) for order in (max, min))
    title = (
        f"On American topics {higher[first]} of {len(ep.runs)} runs score higher by {ep.measures[first]}, "
        f"but only {higher[last]} by {ep.measures[last]}"
    )
    reading = "Right of the line: better on American topics. Coloured: the two runs of York."
    chart = alt.layer(one, marks).properties(width=WIDTH, height=44 * len(ep.measures)).add_params(narrow())
    source = f"{SOURCE}, tables 12 and 13, figure 6"
    return Figure("chem-2009-offices", title, reading, with_rows(chart, rows), rows, source)
