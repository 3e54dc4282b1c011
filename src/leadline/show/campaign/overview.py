"""The overview of a campaign: what its organisers would print, as sections of tables and figures.

Everything is made from a `Campaign`, live or archived, and from nothing else: no clock, no folder. The results of a
task are in it once its judgements are released. `overview_files.py` writes it as files.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from leadline.errors import MismatchError
from leadline.judge.judging_quality import agreement_by, agreement_table, estimate_missing, missing_table
from leadline.judge.marks import JudgingState, Key
from leadline.judge.pools import Pool
from leadline.measures.hits import Array
from leadline.records.qrels import read_qrels
from leadline.records.result import Result, Table, counted, number, whole_percent
from leadline.records.scores import Scores
from leadline.show.campaign.campaign import Campaign, SentRun, Task
from leadline.show.campaign.judging import unique_by_team
from leadline.show.campaign.overview_figures import (
    Picture,
    counts_picture,
    grades_picture,
    interval_picture,
    spectrogram_picture,
    support_picture,
)
from leadline.show.campaign.run_forms import measures_of
from leadline.show.campaign.task_evidence import task_evidence, topic_attributes, topic_sizes
from leadline.show.report.evidence import Evidence
from leadline.trust.by_topic import Slices, slices
from leadline.trust.incomplete import left_out
from leadline.trust.measure_comparison import correlation
from leadline.trust.pairs import Standing
from leadline.trust.study import Study
from leadline.trust.verdict import placed

BEST_OF_TEAM = 2  # runs of each team in the short table, as overviews print them
LEADERS = 3  # runs, or measures, in figures by class
PRINTED_BY_TOPIC = 2  # measures of which every run on every topic is printed
DEPTH = 10  # documents of each list whose judgements are counted
MOST_CLASSES = 20  # in the figure of documents by class
LONG_TABLE, MOST_COLUMNS = 60, 16  # rows and columns of a table that prints in full


@dataclass(frozen=True)
class OverviewItem:
    """A table or a figure, with the sentence to read it by; a figure has its numbers as a table."""

    name: str  # of its files
    title: str
    reading: str
    table: Table
    picture: Picture | None = None

    @property
    def is_long(self) -> bool:
        """Whether its table is too long for print: then the first lines are printed, and the file has all."""
        return len(self.table.rows) > LONG_TABLE or len(self.table.columns) > MOST_COLUMNS


@dataclass(frozen=True)
class OverviewSection:
    """A part of the overview."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    exhibits: tuple[OverviewItem, ...] = ()
    level: int = 2


@dataclass(frozen=True, repr=False)
class Overview(Result):
    """What a campaign found, in sections."""

    title: str
    by: str  # the organiser
    abstract: tuple[str, ...]
    sections: tuple[OverviewSection, ...]
    licence: str = ""

    def _finding(self) -> str:
        tables = sum(each.picture is None for each in self.exhibits)
        figures = counted(len(self.exhibits) - tables, "figure")
        return f"{self.title}: {counted(tables, 'table')} and {figures}"

    @cached_property
    def exhibits(self) -> tuple[OverviewItem, ...]:
        """All tables and figures in their order."""
        return tuple(each for section in self.sections for each in section.exhibits)

    @cached_property
    def numbers(self) -> dict[str, str]:
        """`Table 3` or `Figure 1`, by the name of an exhibit."""
        counts, found = Counter[str](), dict[str, str]()
        for each in self.exhibits:
            kind = "Table" if each.picture is None else "Figure"
            counts[kind] += 1
            found[each.name] = f"{kind} {counts[kind]}"
        return found


def overview(campaign: Campaign) -> Overview:
    """Everything that an overview of the campaign prints."""
    released = [task for task in campaign.tasks if campaign.release(task.name) is not None]
    sections = [_participation(campaign)]
    for task in campaign.tasks:
        sections += _task_sections(campaign, task)
    teams = len({run.team for run in campaign.runs})
    tasks = f"{counted(len(campaign.tasks), 'task')} ({', '.join(each.heading for each in campaign.tasks)})"
    size = f" over {counted(campaign.documents, 'document')}" if campaign.documents else ""
    abstract = [
        f"{counted(len(campaign.teams), 'team')} registered, and {teams} sent {counted(len(campaign.runs), 'run')} for "
        f"{tasks}{size}."
    ]
    waiting = [each.heading for each in campaign.tasks if each not in released]
    if waiting:
        abstract.append(f"Not released yet, and so without results here: {', '.join(waiting)}.")
    return Overview(
        f"Overview of {campaign.title}", campaign.organiser, tuple(abstract), tuple(sections), campaign.licence
    )


def _participation(campaign: Campaign) -> OverviewSection:
    names = [task.name for task in campaign.tasks]
    rows: list[list[Any]] = []
    for team in campaign.teams:
        counts = [len(campaign.runs_of(name, team)) for name in names]
        refused = sum(each.team == team for each in campaign.refused)
        late = sum(run.late for run in campaign.runs_of(team=team))
        rows.append([team, *counts, sum(counts), late, refused])
    totals = [sum(row[c] for row in rows) for c in range(1, len(names) + 4)] if rows else []
    teams = Table(["team", *names, "runs", "late", "refused"], [*rows, ["all", *totals]] if rows else [])
    kinds = sorted({run.kind for run in campaign.runs})
    by_kind = [[kind, *(sum(run.kind == kind for run in campaign.runs_of(name)) for name in names)] for kind in kinds]
    runs = [
        [
            run.name,
            run.task,
            run.kind,
            ", ".join(run.fields),
            run.resources,
            run.text,
            run.priority,
            "yes" if run.late else "",
        ]
        for run in sorted(campaign.runs, key=lambda run: (run.task, run.name))
    ]
    columns = ["run", "task", "kind", "fields", "resources", "description", "priority", "late"]
    exhibits = [
        OverviewItem("teams", "Teams and the runs they sent", "Late runs are scored and not pooled.", teams),
        OverviewItem("kinds", "Runs by kind", "As the teams described them.", Table(["kind", *names], by_kind)),
        OverviewItem("runs", "How the runs were made", "In the words of the teams.", Table(columns, runs)),
    ]
    tasks = [
        f"{each.heading}: {each.kind}, {counted(len(each.topic_ids), 'topic')}; a team sends {each.takes_words}."
        for each in campaign.tasks
    ]
    if campaign.classes:
        largest = sorted(campaign.classes.items(), key=lambda each: (-each[1], each[0]))[:MOST_CLASSES]
        table = Table(["class", "documents"], [[name, size] for name, size in largest])
        reading = f"The largest {len(largest)} of {len(campaign.classes):,}."
        exhibits.append(
            OverviewItem("classes", "Documents by class", reading, table, counts_picture(largest, "documents"))
        )
    return OverviewSection("Participation", tuple(tasks), tuple(each for each in exhibits if each.table.rows))


class _Parts(NamedTuple):
    """What the sections of a task are made from."""

    campaign: Campaign
    task: Task
    runs: Mapping[str, SentRun]
    pool: Pool | None
    state: JudgingState | None
    evidence: Evidence | None


def _task_sections(campaign: Campaign, task: Task) -> list[OverviewSection]:
    prefix = "" if len(campaign.tasks) == 1 else f"{task.heading}: "
    pool = campaign.pool(task) if task.by_people else None
    state = campaign.judging(task) if pool is not None else None
    evidence, notes = task_evidence(campaign, task)
    parts = _Parts(campaign, task, {run.name: run for run in campaign.runs_of(task.name)}, pool, state, evidence)
    sections = [_topics(parts)]
    if state is not None:
        sections += [_pool(parts), _judgements(parts)]
    if evidence is not None:
        sections += [_effectiveness(parts, notes), _by_topic(parts), _trust(parts), _incompleteness(parts)]
    elif notes:
        sections.append(OverviewSection("Effectiveness", notes))
    return [
        OverviewSection(f"{prefix}{each.heading}", each.paragraphs, tuple(_named(each.exhibits, task, campaign)))
        for each in sections
        if each.paragraphs or each.exhibits
    ]


def _named(exhibits: Sequence[OverviewItem], task: Task, campaign: Campaign) -> Iterator[OverviewItem]:
    """The exhibits that have something to show, with names that no other task has."""
    for each in exhibits:
        if each.table.rows:
            name = each.name if len(campaign.tasks) == 1 else f"{task.name}.{each.name}"
            yield OverviewItem(name, each.title, each.reading, each.table, each.picture)


def _topics(parts: _Parts) -> OverviewSection:
    campaign, task = parts.campaign, parts.task
    about = topic_attributes(task)
    rows: list[list[Any]] = []
    relevant = {}
    if parts.evidence is not None:
        relevant = dict(zip(parts.evidence.topics, parts.evidence.relevant.tolist(), strict=True))
    for topic in campaign.topics(task):
        known = [about[name].get(topic.id, "") for name in about]
        rows.append([topic.id, topic.title or topic.patent, *known, *([relevant.get(topic.id, 0)] if relevant else [])])
    columns = ["topic", "title", *about, *(["relevant"] if relevant else [])]
    counts = [
        [name, value, size]
        for name, values in about.items()
        for value, size in sorted(Counter(_short(name, each) for each in values.values()).items())
    ]
    exhibits = [
        OverviewItem("topics", "The topics", "As the teams had them.", Table(columns, rows)),
        OverviewItem(
            "topics.kinds",
            "Topics by kind",
            "Classes are cut to the subclass.",
            Table(["by", "value", "topics"], counts),
        ),
    ]
    said = [f"{counted(len(task.topic_ids), 'topic')}."]
    if relevant:
        sizes = sorted(relevant.values())
        said[0] = (
            f"{counted(len(task.topic_ids), 'topic')}, {sum(sizes):,} relevant documents: "
            f"{sizes[0]} to {sizes[-1]} a topic, half of the topics at most {sizes[len(sizes) // 2]}."
        )
    return OverviewSection("Topics", tuple(said), tuple(exhibits))


def _short(name: str, value: str) -> str:
    return value[:4] if name == "class" else value


def _pool(parts: _Parts) -> OverviewSection:
    campaign, task, state, pool = parts.campaign, parts.task, parts.state, parts.pool
    assert pool is not None
    grades = state.final()[0] if state is not None and campaign.release(task.name) is not None else None
    pooled, chosen = len(pool.documents), len(pool.to_judge())
    said = f"{counted(len(pool.runs), 'run')} were pooled: {pooled:,} documents, of which {chosen:,} were to be judged."
    teams = unique_by_team(campaign, task, pool, grades)
    exhibits = [
        OverviewItem("pool", "What was pooled and what was judged, by topic", "", pool.sizes()),
        OverviewItem(
            "unique", "What each team brought into the pool", "Found only by a team: by no run of another.", teams
        ),
    ]
    return OverviewSection("The pool", (said,), tuple(exhibits))


def _judgements(parts: _Parts) -> OverviewSection:
    campaign, task, state, pool = parts.campaign, parts.task, parts.state, parts.pool
    assert state is not None
    assert pool is not None
    asked: list[Key] = pool.to_judge().select("topic", "document").rows()
    exhibits, said = list[OverviewItem](), list[str]()
    people = state.people("assessor")
    if not state.marks:
        return OverviewSection("Judgements", ("Nothing was judged yet.",))
    stages, notes = agreement_by(state, asked, "stage")
    said += [f"{note[0].upper()}{note[1:]}." for note in notes]
    for stage, what in (("assessors", "after the assessors, their judgements merged"), ("expert", "after the expert")):
        rows = [list(row[1:]) for row in stages.rows if row[0] == stage]
        names = [name.replace("share ", "share of ") for name in stages.columns[1:]]
        if rows:
            table = Table(names, rows)
            exhibits.append(OverviewItem(f"grades.{stage}", f"Documents by grade {what}", GRADES, table))
            exhibits.append(
                OverviewItem(
                    f"grades.{stage}.figure", f"Documents by grade {what}", SHADES, table, grades_picture(rows)
                )
            )
    if len(people) > 1:
        conflicts, notes = agreement_by(state, asked, "topic", task.neither)
        said += [f"{note}." for note in notes]
        table = _less(conflicts, ("one_against_two", "conflict_share", "lenient_share"))
        reading = f"{CONFLICTS} {NEITHER[task.neither]}"
        exhibits.append(OverviewItem("conflicts", "How assessors differ, by topic", reading, table))
        reading = "With 95 % intervals by drawing documents again; unsure marks are left out."
        exhibits.append(
            OverviewItem("agreement", "How far assessors agree beyond chance", reading, agreement_table(state))
        )
        for by, title in (
            ("grade", "What the second gave for each grade of the first"),
            ("shift", "By how much two marks differ"),
        ):
            table = agreement_by(state, asked, by)[0]  # type: ignore[arg-type]
            exhibits.append(OverviewItem(f"agreement.{by}", title, "", table))
    cost = _cost(campaign, state)
    total = sum(row[3] for row in cost.rows)
    said.append(f"Judging took {number(total, least=2)} hours, as far as the pages counted time.")
    exhibits.append(OverviewItem("cost", "What judging cost", "Seconds are medians; hours leave out pauses.", cost))
    release = campaign.qrels(task)
    if release is not None:
        missing = missing_table(estimate_missing(read_qrels(str(release))))
        if any(row[1] > row[2] for row in missing.rows):
            exhibits.append(
                OverviewItem(
                    "missing", "How many relevant documents the pool has, estimated", "With 95 % intervals.", missing
                )
            )
    return OverviewSection("Judgements", tuple(said), tuple(exhibits))


GRADES = "2 highly relevant, 1 relevant, 0 not relevant, -2 unsure, -1 not judged; shares of the topic's documents."
SHADES = "Dark: highly relevant; middle: relevant; pale: not relevant; grey: unsure or not judged."
CONFLICTS = (
    "Conflict: relevant against not relevant. Lenient: one unsure or not judged, the other not. Strict: both together."
)
NEITHER = {
    "agreed": "Unsure (-2) against not judged (-1) counts as agreement, since neither says anything of the document.",
    "lenient": "Unsure (-2) against not judged (-1) counts as lenient, as the guidelines of the task say.",
}
PAUSE = 600.0  # seconds: a mark that took longer was interrupted


def _cost(campaign: Campaign, state: JudgingState) -> Table:
    """Marks, time and pace of everybody who judged."""
    by_person: dict[str, list[float]] = {}
    for (person, _, _), mark in state.marks.items():
        by_person.setdefault(person, []).append(mark.seconds)
    rows: list[list[Any]] = []
    for person, seconds in sorted(by_person.items()):
        role = campaign.level_of(person) or state.roles.get(person, "")
        timed = [min(each, PAUSE) for each in seconds]
        rows.append([person, role, len(seconds), sum(timed) / 3600, float(np.median(timed))])
    return Table(["person", "role", "marks", "hours", "median_seconds"], rows)


def _less(table: Table, names: Sequence[str]) -> Table:
    """A table without some of its columns."""
    kept = [c for c, name in enumerate(table.columns) if name not in names]
    return Table([table.columns[c] for c in kept], [[row[c] for c in kept] for row in table.rows], digits=table.digits)


# Results, once the judgements of a task are released.


def _effectiveness(parts: _Parts, notes: tuple[str, ...]) -> OverviewSection:
    evidence = parts.evidence
    assert evidence is not None
    measures = tuple(dict.fromkeys(parts.task.measures))
    wanted = measures_of(parts.task.form, measures)
    scores = evidence.scores(wanted)
    means = scores.mean_values()
    standing = _standing(evidence)
    letters = standing.letters if standing is not None and not standing.no_verdict else {}
    rows: list[list[Any]] = []
    asides = {}
    pairs = standing.pairs if standing is not None else None
    for place, name in enumerate(evidence.order):
        run, at = parts.runs[name], evidence.place(name)
        if pairs is not None and not math.isnan(float(pairs.low_means[at])):
            asides[place, 3] = f"[{pairs.low_means[at]:.3f}, {pairs.high_means[at]:.3f}]"
        rows.append([name, run.team, run.kind, *(float(value) for value in means[at]), letters.get(name, "")])
    best = {(int(np.nanargmax([row[c] for row in rows])), c) for c in range(3, 3 + len(measures)) if _has(rows, c)}
    columns = ["run", "team", "kind", *measures, "letters"]
    table = Table(columns, rows, best=best, asides=asides)
    chosen, seen = [], Counter[str]()
    for place, row in enumerate(rows):
        seen[row[1]] += 1
        if seen[row[1]] <= BEST_OF_TEAM:
            chosen.append(place)
    short = Table(columns, [rows[place] for place in chosen])
    reading = (
        f"By {measures[0]}, best first. Runs that share a letter cannot be told apart; in bold the highest mean of "
        "each measure."
    )
    exhibits = [
        OverviewItem("best", f"The best {BEST_OF_TEAM} runs of each team by {measures[0]}", reading, short),
        OverviewItem("scores", "All runs", reading, table),
    ]
    said = list(notes)
    if standing is not None:
        said.append(standing.finding() if standing.verdicts else f"{standing.no_verdict}")
        said += [standing.doubt] if standing.doubt else []
        picture = interval_picture(_intervals(evidence, standing), measures[0])
        title = standing.ladder_title() if standing.verdicts else f"The runs by {measures[0]}"
        exhibits.insert(1, OverviewItem("scores.figure", title, INTERVALS, _less(table, measures[1:]), picture))
    if len(measures) > 1 and len(evidence.runs) > 2:
        found = correlation(scores, [each.text for each in wanted])
        exhibits.append(
            OverviewItem(
                "measures",
                "How far measures agree on the order of the runs",
                "Kendall's τ, 1: the same order.",
                found.table(),
            )
        )
    return OverviewSection("Effectiveness", tuple(each for each in said if each), tuple(exhibits))


INTERVALS = (
    "Means with 95 % intervals. Orange: the first; open circles cannot be told from it; filled ones are behind. The "
    "tests compare topic by topic, so a run may be behind where intervals overlap."
)


def _has(rows: Sequence[Sequence[Any]], column: int) -> bool:
    return any(isinstance(row[column], float) and math.isfinite(row[column]) for row in rows)


def _standing(evidence: Evidence) -> Standing | None:
    """Where all runs stand; None where there is one run, or no two topics."""
    return evidence.standing if evidence.comparable else None


def _intervals(evidence: Evidence, standing: Standing) -> list[tuple[str, float, float, float, str]]:
    found: list[tuple[str, float, float, float, str]] = []
    for name in evidence.order:
        at = evidence.place(name)
        word = "first" if name == standing.leader else standing.words.get(name, "undecided")
        pairs = standing.pairs
        found.append((name, float(pairs.means[at]), float(pairs.low_means[at]), float(pairs.high_means[at]), word))
    return found


def _by_topic(parts: _Parts) -> OverviewSection:
    evidence = parts.evidence
    assert evidence is not None
    measure, main = evidence.measure.text, evidence.main
    values = main.of(measure)
    order = [evidence.place(name) for name in evidence.order]
    rows: list[list[Any]] = [[evidence.runs[r], *map(float, values[r])] for r in order]
    rows.append(["average", *map(float, _averages(values))])
    table = Table(["run", *evidence.topics], rows)
    exhibits = [
        OverviewItem(
            "topics.scores",
            f"{measure} of every run on every topic",
            "The last line is the average of the runs.",
            table,
        ),
        OverviewItem(
            "topics.figure",
            f"{measure} of every run on every topic",
            "Dark is high. Topics and runs are in the order of their means.",
            table,
            _spectrogram(evidence, values),
        ),
    ]
    every = measures_of(parts.task.form, tuple(dict.fromkeys(parts.task.measures)))
    scores = evidence.scores(every)
    for place, other in enumerate(every[1:PRINTED_BY_TOPIC], start=2):
        exhibits += _second_measure(evidence, scores, other.text, place)
    exhibits += _offices(parts, scores)
    about: dict[str, Mapping[str, Any]] = dict(evidence.attributes)
    counts = dict(zip(evidence.topics, evidence.relevant.tolist(), strict=True))
    about["relevant documents"] = {topic: size for topic, size in counts.items() if size}
    about |= {"words of the topic": sizes} if (sizes := topic_sizes(parts.task)) else {}
    said = list[str]()
    for name, topic_values in about.items():
        try:
            sliced = slices(main, measure, topic_values, name)
        except MismatchError:
            continue
        if len(sliced.names) < 2:
            continue
        leaders = [run for run in evidence.order[:LEADERS] if run in sliced.runs]
        file = name.replace(" ", "_")
        exhibits.append(
            OverviewItem(
                f"slices.{file}",
                f"{measure} by {name}",
                "Intervals where a slice has five topics or more.",
                sliced.table(),
            )
        )
        rows = [
            [slice_name, int(sliced.counts[s]), *(float(sliced.means[s, sliced.runs.index(run)]) for run in leaders)]
            for s, slice_name in enumerate(sliced.names)
        ]
        drawn = Table([name, "topics", *leaders], rows)
        picture = support_picture([(str(row[0]), row[1], row[2:]) for row in rows], leaders, measure)
        by_measure = _slices_by_measure(sliced, scores)
        drawn_measures = [(str(row[0]), row[1], row[2 : 2 + LEADERS]) for row in by_measure.rows]
        exhibits.append(
            OverviewItem(
                f"slices.{file}.figure",
                f"{measure} by {name}, of the first {counted(len(leaders), 'run')}",
                "Grey bars: how many topics a mean rests on. No difference between slices is tested.",
                drawn,
                picture,
            )
        )
        more = f" The first {LEADERS} measures are drawn." if len(by_measure.columns) > 2 + LEADERS else ""
        exhibits.append(
            OverviewItem(
                f"slices.{file}.measures",
                f"Each measure by {name}, averaged over all runs",
                f"Grey bars: how many topics a mean rests on. No difference between slices is tested.{more}",
                by_measure,
                support_picture(drawn_measures, by_measure.columns[2 : 2 + LEADERS], "mean of all runs"),
            )
        )
        said += [f"By {name}: {note.removeprefix(f'{name}: ')}." for note in sliced.notes]
    return OverviewSection("By topic", tuple(said), tuple(exhibits))


def _second_measure(evidence: Evidence, scores: Scores, measure: str, place: int) -> list[OverviewItem]:
    """Every run on every topic by another measure, in the order of the first."""
    values = scores.of(measure)
    rows: list[list[Any]] = [[name, *map(float, values[evidence.place(name)])] for name in evidence.order]
    rows.append(["average", *map(float, _averages(values))])
    table = Table(["run", *evidence.topics], rows)
    title = f"{measure} of every run on every topic"
    shades = "Dark is high. Topics are in the order of their means, runs in that of the first measure."
    return [
        OverviewItem(f"topics.scores.{place}", title, "The last line is the average of the runs.", table),
        OverviewItem(f"topics.figure.{place}", title, shades, table, _spectrogram(evidence, values)),
    ]


def _averages(values: Array) -> Array:
    """The average of the runs on each topic, of those that have a value."""
    known = np.isfinite(values)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))


def _offices(parts: _Parts, scores: Scores) -> list[OverviewItem]:
    """All runs by all measures, for the topics of each office."""
    evidence = parts.evidence
    assert evidence is not None
    office = evidence.attributes.get("office", {})
    found = []
    for name in sorted({str(value) for value in office.values()}) if len(set(office.values())) > 1 else ():
        places = [t for t, topic in enumerate(evidence.topics) if office.get(topic) == name]
        means = np.stack([_averages(scores.values[r][places]) for r in range(len(evidence.runs))])
        rows = [[run, *map(float, means[evidence.place(run)])] for run in evidence.order]
        title = f"All runs on the {counted(len(places), 'topic')} of the office {name}"
        reading = "In the order of all topics. No difference between offices is tested."
        found.append(OverviewItem(f"scores.office.{name}", title, reading, Table(["run", *scores.measures], rows)))
    return found


def _slices_by_measure(sliced: Slices, scores: Scores) -> Table:
    """The mean of each measure over all runs and the topics of each slice, and how many topics these are."""
    places = [scores.topics.index(topic) for topic in sliced.topics]
    rows: list[list[Any]] = []
    for s, name in enumerate(sliced.names):
        inside = [places[t] for t in np.flatnonzero(sliced.members[s]).tolist()]
        values = [scores.values[:, inside, m].ravel() for m in range(len(scores.measures))]
        rows.append([name, int(sliced.counts[s]), *(float(_averages(each[:, None])[0]) for each in values)])
    return Table([sliced.by, "topics", *scores.measures], rows)


MOST_ROWS = 40  # runs in the figure of every topic


def _spectrogram(evidence: Evidence, values: Array) -> Picture:
    shown = [evidence.place(name) for name in evidence.order[:MOST_ROWS]]
    with np.errstate(all="ignore"):
        means = np.where(np.isfinite(values).any(axis=0), np.nan_to_num(values).mean(axis=0), -1.0)
    topics = sorted(range(len(evidence.topics)), key=lambda t: (-means[t], evidence.topics[t]))
    names = [evidence.runs[r] for r in shown]
    return spectrogram_picture(names, [evidence.topics[t] for t in topics], values[np.ix_(shown, topics)])


def _trust(parts: _Parts) -> OverviewSection:
    evidence = parts.evidence
    assert evidence is not None
    standing = _standing(evidence)
    if standing is None or standing.no_verdict:
        return OverviewSection("Significance", ())
    pairs = standing.pairs
    rows = [
        [name, evidence_word(standing, name), *_against(standing, name)]
        for name in evidence.order
        if name != standing.leader
    ]
    table = Table(
        ["run", "verdict", "lead", "low", "high", "p", "p_corrected", "half_the_judgements"],
        rows,
        alike=(("lead", "low", "high"),),
    )
    said = (f"{pairs.sentence()}.",)
    exhibits = [
        OverviewItem(
            "verdicts",
            f"{standing.leader} against every other run",
            "Firm: significant after correction for all pairs, and again with half the judgements.",
            table,
        ),
        OverviewItem(
            "pairs", "Every pair of runs", "By flips of signs, corrected by Holm for all pairs.", pairs.table()
        ),
    ]
    return OverviewSection("Significance", said, tuple(exhibits))


def evidence_word(standing: Standing, name: str) -> str:
    """Where a run stands against the first, in words."""
    return placed(standing.words.get(name))


def _against(standing: Standing, name: str) -> list[Any]:
    verdict = standing.against(name)
    if verdict is None:
        return [math.nan] * 6
    return [abs(verdict.difference), verdict.low, verdict.high, verdict.p, verdict.p_corrected, verdict.significant_in]


def _without_each_team(evidence: Evidence, teams: Mapping[str, Sequence[str]]) -> Table:
    """How the ranking changes without the relevant documents that only one team found; MismatchError without one."""
    full = evidence.means
    best = {team: max(names, key=lambda name: (full[evidence.place(name)], name)) for team, names in teams.items()}
    after: dict[str, float] = {}

    def without() -> Iterator[tuple[str, Study]]:
        """One study after the other: of many teams they would fill the memory."""
        for team, names in sorted(teams.items()):
            other = evidence.study.without_unique_of(*names)
            with np.errstate(all="ignore"):
                after[team] = float(np.nanmean(other.values()[evidence.place(best[team]), :, 0]))
            yield team, other

    table = _less(left_out(evidence.study, without()).table(), ("measure",))
    rows = [
        [*row, best[team], float(full[evidence.place(best[team])]), after[team]]
        for (team, _), row in zip(sorted(teams.items()), table.rows, strict=True)
    ]
    return Table([*table.columns, "best_run", "score", "score_without"], rows, alike=(("score", "score_without"),))


def _incompleteness(parts: _Parts) -> OverviewSection:
    evidence = parts.evidence
    assert evidence is not None
    study = evidence.study
    hits, topics = study.hits, len(study.topics)
    rows: list[list[Any]] = []
    depth = DEPTH if parts.task.form.is_ordered else int(hits.retrieved.max(initial=1))
    judged = hits.count((hits.rank <= depth) & (hits.grade >= 0)).reshape(len(study.runs), topics)
    read = np.minimum(hits.retrieved, depth).reshape(len(study.runs), topics)
    for name in evidence.order:
        r = evidence.place(name)
        total = int(read[r].sum())
        rows.append([name, total, int(judged[r].sum()), float(judged[r].sum() / total) if total else math.nan])
    what = f"the first {DEPTH} documents" if parts.task.form.is_ordered else "each set"
    known = Table(["run", f"documents of {what.removesuffix(' documents')}", "judged", "share"], rows)
    exhibits = [OverviewItem("judged", f"How much of {what} was judged", "", known)]
    said: list[str] = []
    teams: dict[str, list[str]] = {}
    for name in study.runs:
        teams.setdefault(parts.runs[name].team, []).append(name)
    if study.qrels.kind != "drawn" and len(teams) > 1:
        try:
            table = _without_each_team(evidence, teams)
        except MismatchError as error:
            said.append(f"The order of the runs is not compared with that without a team: {error}.")
        else:
            reading = "As if a team had not taken part: without the relevant documents that only its runs retrieve."
            title = "The ranking without each team's contribution"
            exhibits.append(OverviewItem("teams.left_out", title, reading, table))
            lowest = min((row[2] for row in table.rows if not math.isnan(row[2])), default=math.nan)
            if not math.isnan(lowest):
                said.append(
                    "Without the contribution of any one team the order of the runs keeps a τ of at least "
                    f"{number(lowest, least=2)}."
                )
    standing = _standing(evidence)
    if standing is not None and standing.verdicts and standing.samples:
        kept = [each.significant_in for each in standing.verdicts if each.word != "undecided"]
        if kept:
            said.append(
                f"With half the judgements the leads that are significant stay so in {whole_percent(min(kept))} to "
                f"{whole_percent(max(kept))} of {standing.samples} samples."
            )
    return OverviewSection("Incomplete judgements", tuple(said), tuple(exhibits))
