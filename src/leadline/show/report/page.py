"""The report as one HTML page: the verdict in words, the figures, all systems and all topics.

Names from files (runs, topics, documents) never become markup: the template escapes every text, data are JSON without
`<`, and the page's policy lets the browser run only its own two scripts.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from leadline.errors import LeadlineError
from leadline.measures.definition import Measure, bounds, parse_measures
from leadline.measures.hits import Array, Mask
from leadline.retrieval.engines.engine import QueryTiming, asked_at_once, rate_in_words
from leadline.retrieval.engines.engine import in_words as timing_in_words
from leadline.show.charts import (
    OKABE_ITO,
    Figure,
    count,
    decimal,
    decimal_column,
    drawable,
    hours,
    in_time,
    in_words,
    needs,
    percent,
    rounded,
)
from leadline.show.figures import spectrogram, told_apart
from leadline.show.figures.six_measures import six
from leadline.show.figures.slices import topic_slices
from leadline.show.pages.environment import rendered, variable
from leadline.show.report.drawing import (
    FIGURES,
    MINUTES,
    efforts_of,
    first_effort,
    in_order,
    recall_after_each,
)
from leadline.show.report.evidence import Evidence, measure_at
from leadline.show.report.html_page import html_page
from leadline.trust.pairs import Standing, why_not_compared
from leadline.trust.rankings import sign
from leadline.trust.verdict import WORDS, Word

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
    sections = [
        {"name": section, "entries": entries, "figures": _in_rows([by_name[entry.name] for entry in entries])}
        for section in dict.fromkeys(entry.section for entry in drawn)
        if (entries := [entry for entry in drawn if entry.section == section and entry.name not in FIRST])
    ]
    said = headline(evidence)
    notes = list(dict.fromkeys((*evidence.study.notes, *evidence.standing.notes)))
    return html_page(
        "report.html",
        f"{evidence.title} {evidence.leader}",
        figures,
        key=key,
        data={"topics": topics_data(evidence), "choices": choices_data(evidence), "scores": scores_data(evidence)},
        heading=evidence.title,
        counted=f"{evidence.counted()}, judged by {Path(evidence.qrels.name).name}",
        made=made or datetime.date.today(),
        said=said,
        reading=with_times(said),
        notes=[note for note in notes if not re.fullmatch(r"(\d+) of \1 topics?", note)],  # nothing is missing
        first=_in_rows([by_name[entry.name] for entry in first]),
        several=len(evidence.runs) > 1,
        systems=systems_table(evidence),
        sections=sections,
        lacking=lacking,
        judgements=Path(evidence.qrels.name).name,
        seed=evidence.seed,
        samples=evidence.samples,
    )


def with_times(said: Headline) -> list[tuple[str, int | None]]:
    """What reading gives, in pieces: times with their numbers of documents, which follow the reader's minutes."""
    text = " ".join(filter(None, (said.effort, said.baseline)))
    pieces: list[tuple[str, int | None]] = []
    for number in said.documents:
        before, time, text = text.partition(hours(number * MINUTES))
        pieces += [(before, None), (time, number)]
    return [*pieces, (text, None)] if pieces or text else []


def _in_rows(figures: Sequence[Figure]) -> list[tuple[Figure, bool]]:
    """Figures two in a row, each with whether it is alone: wide ones have a row of their own."""
    placed, waiting = list[tuple[Figure, bool]](), list[Figure]()
    for figure in [*figures, None]:
        if figure is not None and not figure.more.get("wide"):
            waiting.append(figure)
            continue
        placed += [(each, at == len(waiting) - 1 and at % 2 == 0) for at, each in enumerate(waiting)]
        waiting = []
        if figure is not None:
            placed.append((figure, False))
    return placed


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


# The first screen in words: is there a winner, what does it find and miss, against what we use today, how sure.


USUAL = 100  # documents that one reads for a topic in an afternoon


@dataclass(frozen=True)
class Headline:
    """The first screen: the outcome, the leader with its score, what reading gives, and how sure all that is."""

    outcome: str  # "No firm winner: 10 systems cannot be told apart."
    first_by: str  # "First by PRES@1000 (recall weighted by how early it comes):"
    leader: str
    score: str
    interval: str
    standing: tuple[tuple[Word, str], ...]  # undecided: against 9
    effort: str  # "Reading 100 documents (3.3 hours) finds 41 % and misses 59 %."
    baseline: str
    sure: tuple[str, ...]  # the definitions of the words, what makes the scores uncertain, and what a query took
    reasons: tuple[str, ...] = ()
    documents: tuple[int, ...] = ()  # whose reading times the texts name, in order: for a page that changes them


def headline(evidence: Evidence) -> Headline:
    """What the first screen says, also when there is nothing to compare with."""
    found, measure = evidence.standing, in_words(evidence.measure)
    (effort, read), (baseline, saved) = _effort(evidence), _baseline(evidence)
    if not found.verdicts:
        return Headline(
            "",
            f"{measure}:",
            evidence.leader,
            *found.written_mean(evidence.leader),
            (),
            effort,
            baseline,
            tuple(filter(None, (found.no_verdict, evidence.machine_saved, *_took(evidence)))),
            (),
            (*read, *saved),
        )
    first = f"Level by {measure}:" if found.level else f"First by {measure}:"
    level = f" and {found.level[0] if len(found.level) == 1 else count(len(found.level), 'other')}" * bool(found.level)
    return Headline(
        f"{found.outcome()}.",
        first,
        f"{found.leader}{level}",
        *found.written_mean(found.leader),
        _standing(found),
        effort,
        baseline,
        tuple(filter(None, (found.definitions(), found.doubt, evidence.machine_saved, *_took(evidence)))),
        tuple(found.closest_reasons()),
        (*read, *saved),
    )


def _took(evidence: Evidence) -> tuple[str, ...]:
    """What a query of the leader took and cost, where a record says so."""
    told = timing_in_words(evidence.timings.get(evidence.leader))
    return (f"With {evidence.leader}, {told}.",) if told else ()


def _standing(found: Standing) -> tuple[tuple[Word, str], ...]:
    if len(found.verdicts) == 1:
        return ((found.verdicts[0].word, f"against {found.verdicts[0].other}"),)
    return tuple((word, f"against {found.count(word)}") for word in WORDS if found.count(word))


def _effort(evidence: Evidence) -> tuple[str, tuple[int, ...]]:
    """What a searcher finds and misses who reads what one reads in an afternoon, and one who reads all of it.

    With the numbers of documents whose reading times are in the text.
    """
    after = recall_after_each(evidence, evidence.leader)
    if not len(after):
        return "", ()
    much = min(evidence.effort, len(after))
    some = min(USUAL, much)
    known = "of what is relevant by the estimate" if evidence.estimated else "of what is known"
    found = f"finds {percent(after[some - 1])} {known} and misses {percent(1 - after[some - 1])}"
    more = f"; reading {count(much)} finds {percent(after[much - 1])}" if much > some else ""
    return f"Reading {count(some, 'document')} ({hours(some * MINUTES)}) {found}{more}.", (some,)


def _baseline(evidence: Evidence) -> tuple[str, tuple[int, ...]]:
    """What the leader gains over the present system: in documents found, and in hours for finding as many.

    With the numbers of documents whose reading times are in the text.
    """
    if not evidence.baseline:
        return "", ()
    if evidence.baseline == evidence.leader:
        return f"It is the present system (baseline) itself: none of the others comes before {evidence.baseline}.", ()
    ours, theirs = (recall_after_each(evidence, run) for run in (evidence.leader, evidence.baseline))
    if not len(ours):
        return "", ()
    much = min(USUAL, evidence.effort, len(ours))
    share, gain = float(theirs[much - 1]), float(ours[much - 1] - theirs[much - 1])
    text = f"The present system (baseline), {evidence.baseline}, finds {percent(share)} in {count(much)}"
    needed = _reached(ours, share)
    documents: tuple[int, ...] = ()
    if gain > 0 and needed < much:
        saved = hours((much - needed) * MINUTES)
        documents = (much - needed,)
        text += f"; the first finds as much in {count(needed, 'document')}, which saves {saved} a topic"
    word = evidence.standing.words.get(evidence.baseline)
    return f"{text}.{f' The lead over it is {word}.' * bool(word)}", documents


def _reached(after: Array, share: float) -> int:
    """How many documents must be read until recall is at least a share."""
    return int(np.argmax(after >= share - 1e-12)) + 1


# The tables of the page: every system with its scores, and every topic with its relevant documents.


MOST_RANKS = 1_500_000  # in a page: run × relevant document, a few bytes each
FEW = 20  # runs whose ranks are in the page if there are more ranks than that
COLUMNS, LETTERS = 3, 160  # the most attribute columns of a table, and letters of a text in them


@dataclass(frozen=True)
class _Cell:
    text: str
    key: str  # by which the column is sorted
    kind: str = ""


@dataclass(frozen=True)
class _SystemRow:
    run: str
    colour: str  # empty for a system that no figure names
    scores: Sequence[_Cell]
    word: Word | None  # against the leader
    info: Sequence[str]
    spent: Sequence[_Cell]

    @property
    def drawn(self) -> str:
        """The name as the page's data have it."""
        return str(drawable(self.run))


def systems_table(evidence: Evidence) -> Markup:
    """Every run with its means, best first: the best of each measure bold, those not significantly worse underlined."""
    names = list(dict.fromkeys((evidence.measure.text, *evidence.trio, f"judged@{min(20, evidence.effort)}")))
    means, found = evidence.scores(names).mean_values().copy(), evidence.standing
    means[:, 0] = found.pairs.means
    spans = np.stack([found.pairs.low_means, found.pairs.high_means], axis=1).tolist()
    shown = [decimal_column(column) for column in means.T.tolist()]
    near = [_near_best(evidence, name) for name in names]
    info = list(dict.fromkeys(name for run in evidence.runs for name in evidence.runs_info.get(run, {})))[:COLUMNS]
    heads = [("system", ""), (names[0], "num"), ("95\u202f% interval", "num"), *((name, "num") for name in names[1:])]
    heads += [*([("against the leader", "wrap")] if found.verdicts else []), *((name, "") for name in info)]
    spent = _spent(evidence)
    heads += [(name, "num wrap") for name in spent]
    rows = []
    for run in evidence.order:
        r = evidence.place(run)
        cells = []
        for m in range(len(names)):
            kind = " best" if near[m][1][r] else " near" if near[m][0][r] else ""
            value = float(means[r, m])
            cells.append(_Cell(shown[m][r], _key(value), kind))
            if m == 0:
                low, high = spans[r]
                text = "–" if np.isnan(low) else f"{decimal(low)} to {decimal(high)}"
                cells.append(_Cell(text, _key(low)))
        took = []
        for values, written in spent.values():
            value = values.get(run, float("nan"))
            took.append(_Cell("–" if np.isnan(value) else written(value), _key(value)))
        colour = variable(evidence.colour(run)) if run in evidence.named else ""
        known = evidence.runs_info.get(run, {})
        rows.append(_SystemRow(run, colour, cells, found.words.get(run), [known.get(name, "") for name in info], took))
    asked = asked_at_once(_timed(evidence))
    return rendered("report_systems.html", heads=heads, rows=rows, compared=bool(found.verdicts), asked=asked)


def _timed(evidence: Evidence) -> dict[str, QueryTiming]:
    """The recorded times, in the order of the table."""
    return {run: evidence.timings[run] for run in evidence.order if run in evidence.timings}


def _spent(evidence: Evidence) -> dict[str, tuple[Mapping[str, float], Callable[[float], str]]]:
    """What queries took and cost: columns of which some run has a value, and how a value is written."""
    columns: dict[str, tuple[str, Callable[[float], str]]] = {
        "a query, median": ("median", in_time),
        "99th percentile": ("p99", in_time),
        "queries a second": ("per_second", rate_in_words),
        "cost of a query": ("cost", "{:g}".format),
    }
    known = {
        name: (
            {run: value for run, each in evidence.timings.items() if (value := getattr(each, of)) is not None},
            write,
        )
        for name, (of, write) in columns.items()
    }
    return {name: (values, write) for name, (values, write) in known.items() if values}


def _near_best(evidence: Evidence, name: str) -> tuple[Mask, Mask]:
    """The runs that are not significantly worse than the best under a measure, and the best ones.

    None is either by a measure of effort alone.
    """
    scores = evidence.scores(name)
    none = np.zeros(len(evidence.runs), np.bool_)
    if scores.better[0] == "neither" or why_not_compared(scores, name):
        return none, none
    pairs = evidence.pairs(name)
    means = sign(scores.better[0]) * pairs.means
    best = np.asarray(means == means.max())
    return pairs.not_worse(int(means.argmax())) & ~best, best


def _key(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.9g}"


def topics_data(evidence: Evidence) -> dict[str, Any]:
    """The data to compare any two systems on every topic, with the rank of each relevant document."""
    documents = evidence.relevant_documents
    ranked = [evidence.place(run) for run in evidence.order]
    if len(ranked) * len(documents) > MOST_RANKS:
        ranked = ranked[:FEW]
    counts = np.concatenate([[0], np.cumsum(evidence.relevant)])
    return {
        "measure": evidence.measure.text,
        "better": evidence.measure.definition.better,
        "effort": evidence.effort,
        "runs": list(evidence.runs),
        "order": list(evidence.order),
        "a": evidence.leader,
        "b": evidence.challenger or "",
        "topics": list(evidence.topics),
        "columns": _topic_columns(evidence),
        "relevant": evidence.relevant.tolist(),
        "values": [[rounded(value) for value in row] for row in evidence.main.values[:, :, 0].tolist()],
        "offsets": counts.tolist(),
        "documents": [evidence.qrels.documents[place] for place in documents.tolist()],
        "grades": evidence.qrels.grades[documents].tolist(),
        "ranked": ranked,
        "ranks": evidence.ranks[ranked].tolist(),
    }


def _topic_columns(evidence: Evidence) -> list[dict[str, Any]]:
    """The first attributes of the topics, as short texts."""
    columns = []
    for name, values in list(evidence.attributes.items())[:COLUMNS]:
        texts = ["" if values.get(topic) is None else str(values.get(topic)) for topic in evidence.topics]
        columns.append({"name": name, "values": [t if len(t) <= LETTERS else f"{t[:LETTERS]}…" for t in texts]})
    return columns


# The scores that the page computes figures from when the reader chooses another measure, effort or set of topics.


UNIT = 1e-5  # of the values in the page, which are whole numbers
MOST_VALUES = 600_000  # in a page: measure × run × topic; beyond that only the deciding measure
MOVING = ("PRES", "R", "P", "AP")  # the page computes these at any effort from the ranks of the relevant documents


def choosable(evidence: Evidence) -> list[Measure]:
    """The measures a reader can choose: the deciding one, those of `evidence.trio`, and those of the first page."""
    more = () if evidence.estimated else spectrogram.MORE
    found = parse_measures(list(dict.fromkeys((evidence.measure.text, *six(evidence), *more))))
    few = len(found) * len(evidence.runs) * len(evidence.topics) <= MOST_VALUES
    return [measure for measure in found if measure.definition.better != "neither"][: None if few else 1]


def scores_data(evidence: Evidence) -> dict[str, Any]:
    """The values of each measure on every run and topic, and what else the page needs to draw figures from them."""
    first = evidence.place(evidence.leader) * len(evidence.topics)
    return {
        "measures": [_values(evidence, measure) for measure in choosable(evidence)],
        "unit": UNIT,
        "trio": list(evidence.trio),
        "shown": told_apart.MOST,
        "baseline": evidence.baseline,
        "listed": evidence.hits.retrieved[first : first + len(evidence.topics)].tolist(),  # by the leader
    }


def _values(evidence: Evidence, measure: Measure) -> dict[str, Any]:
    """A measure with its range and its values; `family` if the page can compute it at another effort."""
    low, high = bounds(measure.text)
    moving = () if evidence.estimated else MOVING  # the page knows the ranks of the judged documents alone
    same = [name for name in moving if measure.text == measure_at(name, evidence.effort, evidence.level).text]
    values = evidence.scores(measure).values[:, :, 0].tolist()
    return {
        "name": measure.text,
        "family": "".join(same),
        "better": measure.definition.better,
        **({"low": low} if math.isfinite(low) else {}),
        **({"high": high} if math.isfinite(high) else {}),
        "values": [[None if math.isnan(value) else round(value / UNIT) for value in row] for row in values],
    }
