"""The report as one HTML page: the verdict, the figures, all systems and all topics.

Names from files (runs, topics, documents) never become markup: HTML is escaped, data are JSON without `<`, and the
page's policy lets the browser run only its own two scripts.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError
from leadline.show.charts.style import OKABE_ITO
from leadline.show.figures.catalogue.slices import topic_slices
from leadline.show.figures.effort import MINUTES, efforts_of, first_effort
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.figure import Figure, needs
from leadline.show.figures.formatting import hours
from leadline.show.figures.registry import FIGURES, FigureEntry, in_order
from leadline.show.report.embedding import variable
from leadline.show.report.headline import CHIPS, headline
from leadline.show.report.html_page import figure_html, html_page
from leadline.show.report.scores_data import choosable, scores_data
from leadline.show.report.tables import systems_table, topics_data
from leadline.version import __version__

FIRST = ("recall_effort", "told_apart")  # the figures of the first screen

Step = Callable[[int, int, str], None]


def report(
    evidence: Evidence, *, key: str = "", names: Iterable[str] | None = None, progress: Step | None = None
) -> str:
    """The page with all registered figures, or those named; a figure that cannot be drawn says why."""
    wanted = [entry.name for entry in in_order()] if names is None else list(names)
    figures = []
    for done, name in enumerate(wanted):
        if progress is not None:
            progress(done, len(wanted), name)
        figures.append(figure_or_reason(name, evidence))
    return page(evidence, figures, key=key)


def figure_or_reason(name: str, evidence: Evidence) -> Figure:
    """A registered figure; if drawing it is an error, a figure without a chart that says why."""
    entry = FIGURES.named(name)
    try:
        return entry.draw(evidence)
    except LeadlineError as error:
        return needs(entry.name, entry.label.capitalize(), f"Not drawn: {error}.")


def page(evidence: Evidence, figures: Sequence[Figure], *, key: str = "", made: datetime.date | None = None) -> str:
    """The page as HTML: the verdict, two figures and the table for everybody, then the other figures for researchers.

    `key` is the hash of what the page was made from.
    """
    by_name = {figure.name: figure for figure in figures}
    shown = [entry for entry in in_order() if entry.name in by_name]
    drawn = [entry for entry in shown if by_name[entry.name].chart is not None]
    lacking = [by_name[entry.name] for entry in shown if by_name[entry.name].chart is None]
    first = [entry for entry in drawn if entry.name in FIRST]
    sections = {
        section: [entry for entry in drawn if entry.section == section and entry.name not in FIRST]
        for section in dict.fromkeys(entry.section for entry in drawn)
    }
    sections = {section: entries for section, entries in sections.items() if entries}
    body = [
        _top(evidence, made or datetime.date.today()),
        _verdict(evidence),
        '<h2 class="unseen">At first glance</h2>',
        f'<div class="figures first">{_in_rows([by_name[entry.name] for entry in first])}</div>',
        _systems(evidence),
        _topics(evidence),
        _researchers(sections, by_name),
        _not_drawn(lacking),
        _foot(evidence),
    ]
    title = f"{evidence.title} {evidence.leader}"
    data = {"topics": topics_data(evidence), "choices": choices_data(evidence), "scores": scores_data(evidence)}
    return html_page(title, body, figures, key=key, data=data)


def _top(evidence: Evidence, made: datetime.date) -> str:
    return (
        f'<header class="top"><h1>{escape(evidence.title)}</h1><span class="counted">{escape(evidence.counted())}'
        f' · {made.isoformat()} <button type="button" class="plain theme">dark paper</button></span></header>'
    )


def _verdict(evidence: Evidence) -> str:
    """The first screen: the outcome, the leader, what reading finds and misses, the present system, how sure."""
    said = headline(evidence)
    chips = "".join(
        f'<span><span class="chip {word}">{CHIPS[word]}</span> {escape(against)}</span>'
        for word, against in said.standing
    )
    leader = (
        f'<p class="leader">{escape(said.first_by)} <strong class="id">{escape(said.leader)}</strong> '
        f'<strong>{said.score}</strong> <span class="interval">{said.interval}</span> '
        f'<span class="chips">{chips}</span></p>'
    )
    outcome = f'<p class="lead"><strong>{escape(said.outcome)}</strong></p>' if said.outcome else ""
    reading = _with_times(escape(" ".join(filter(None, (said.effort, said.baseline)))), said.documents)
    reasons = "".join(f"<p>{escape(reason)}</p>" for reason in said.reasons)
    notes = list(dict.fromkeys((*evidence.study.notes, *(evidence.verdict.notes if evidence.verdict else ()))))
    notes = [note for note in notes if not re.fullmatch(r"(\d+) of \1 topics?", note)]  # nothing is missing
    listed = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return (
        f'<section class="verdict" aria-label="the verdict">{outcome}{leader}'
        + (f'<p class="finds">{reading}</p>' if reading else "")
        + f'<p class="aside">{escape(" ".join(said.sure))}</p>'
        + (f"<details><summary>Why: the closest rivals</summary>{reasons}</details>" if reasons else "")
        + (f"<details><summary>What was missing or left out</summary><ul>{listed}</ul></details>" if notes else "")
        + "</section>"
    )


def _with_times(text: str, documents: Iterable[int]) -> str:
    """The text with its reading times marked, so that they follow the minutes that the reader sets."""
    done = ""
    for number in documents:
        before, time, text = text.partition(hours(number * MINUTES))
        done += f'{before}<span data-documents="{number}">{time}</span>'
    return done + text


def _in_rows(figures: Sequence[Figure]) -> str:
    """Figures two in a row; wide ones, and one that would be beside nothing, have a row of their own."""
    html, waiting = [], list[Figure]()
    for figure in [*figures, None]:
        if figure is not None and not figure.more.get("wide"):
            waiting.append(figure)
            continue
        html += [figure_html(each, alone=at == len(waiting) - 1 and at % 2 == 0) for at, each in enumerate(waiting)]
        waiting = []
        if figure is not None:
            html.append(figure_html(figure))
    return "".join(html)


def _choices() -> str:
    """The selector for all figures; the page fills it from `choices_data`."""
    return (
        '<details class="choices" open><summary>Choose for all figures</summary><div class="tools">'
        '<label>highlight <select name="chosen"><option value="">a system…</option></select></label>'
        '<span class="tags"></span>'
        '<label class="slider">effort <input type="range" name="effort" min="0" step="1"><output></output></label>'
        '<label>measure <select name="measure"></select></label>'
        '<label>topics <select name="slice"><option value="">all</option></select></label>'
        '<label>minutes a document <input type="number" name="minutes" min="0" step="any"></label>'
        '<button type="button" class="plain reset" hidden>back to the report</button>'
        '<span class="follow"></span></div></details>'
    )


def choices_data(evidence: Evidence) -> dict[str, Any]:
    """What the reader can choose for all figures: systems with their colours, efforts, slices of the topics."""
    named = [variable(evidence.colour(run)) for run in evidence.named]
    return {
        "systems": [(run, variable(evidence.colour(run)) if run in evidence.named else "") for run in evidence.order],
        "free": [colour for colour in map(variable, OKABE_ITO) if colour not in named],
        "efforts": efforts_of(evidence),
        "effort": first_effort(evidence),
        "minutes": MINUTES,
        "slices": topic_slices(evidence),
        "measure": evidence.measure.text,
        "measures": [measure.text for measure in choosable(evidence)],
    }


def _researchers(sections: Mapping[str, Sequence[FigureEntry]], by_name: Mapping[str, Figure]) -> str:
    """The other figures, folded by section, each section with links to its figures."""
    folded = []
    for section, entries in sections.items():
        links = "".join(f'<li><a href="#{entry.name}">{escape(entry.label)}</a></li>' for entry in entries)
        group = _in_rows([by_name[entry.name] for entry in entries])
        folded.append(
            f'<details class="section"><summary><h3>{escape(section)}</h3></summary>'
            f'<div class="figures">{group}</div></details>'
            f'<nav aria-label="{escape(section)}"><ul>{links}</ul></nav>'
        )
    if not folded:
        return ""
    return f'<section id="researchers"><h2>For researchers</h2>{_choices()}{"".join(folded)}</section>'


def _not_drawn(lacking: Sequence[Figure]) -> str:
    """A line for each figure that cannot be drawn from these data."""
    lines = "".join(f"<li>{escape(figure.title)}: {escape(figure.reading)}</li>" for figure in lacking)
    return f'<section class="lacking"><h2>Not drawn</h2><ul>{lines}</ul></section>' if lines else ""


def _systems(evidence: Evidence) -> str:
    best = "" if len(evidence.runs) < 2 else (
        "The best of each measure is bold; those underlined are not significantly worse "
        "(randomisation test, Holm's correction, 5\u202f%). "
    )  # fmt: skip
    return (
        f'<h2 id="systems">All systems</h2><div class="stack"><p class="aside">{best}Click a heading to sort, '
        "a star to highlight a system in all figures and keep it on top.</p>"
        '<div class="tools"><label>find <input type="search" name="find-system" placeholder="part of a name">'
        '</label><span class="systems-shown" aria-live="polite"></span></div>'
        f"{systems_table(evidence)}</div>"
    )


def _topics(evidence: Evidence) -> str:
    chosen = (
        '<label>system <select name="a"></select></label><label>against <select name="b"></select></label>'
        '<label>show <select name="show"><option value="all">all topics</option>'
        '<option value="lost">where the second wins</option><option value="won">where the first wins</option>'
        '</select></label><label>find <input type="search" name="search" placeholder="topic or words"></label>'
    )
    return (
        '<section id="topics"><h2>Topic by topic</h2><div class="stack"><p class="found" aria-live="polite"></p>'
        f'<div class="tools">{chosen}</div>'
        '<div class="topics tall" tabindex="0" role="region" aria-label="topics"></div>'
        '<p class="tools"><button type="button" class="plain csv">data as CSV</button>'
        '<a class="link" href="#topics">link to this view</a>'
        "<span>Choose a topic to see its relevant documents.</span></p>"
        '<div class="detail stack" tabindex="-1" aria-live="polite"></div></div></section>'
    )


def _foot(evidence: Evidence) -> str:
    judged = escape(Path(evidence.qrels.name).name)
    drawn = f"seed {evidence.seed}, {evidence.samples} samples with half the judgements"
    return f'<footer class="foot">leadline {__version__} · judgements: {judged} · {drawn}</footer>'
