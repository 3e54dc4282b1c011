"""The middle of a campaign: runs are pooled, topics assigned, documents judged, and the judgements released."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError, MeasureError
from leadline.judge.assignment import assign_topics
from leadline.judge.citations import from_citations
from leadline.judge.draws import Draws, parse_ends
from leadline.judge.journal import Event, JudgingJournal, new_uid
from leadline.judge.marks import JudgingState, Key, disagreement, left_to_judge
from leadline.judge.pools import Pool, draw_pool, pool_of_draws
from leadline.measures.evaluate import check_needs
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import Table, counted
from leadline.records.runs import Run
from leadline.show.campaign.campaign import RELEASES, Campaign, Release, Task
from leadline.show.campaign.live_campaign import LiveCampaign, moment_of
from leadline.show.campaign.run_forms import measures_of, ranked_documents
from leadline.text.files import write_stored
from leadline.text.owned_files import JOURNAL, LOGS, RECORD

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Pooled:
    """A pool that was drawn, of which runs, and which were left out."""

    pool: Pool
    runs: tuple[str, ...]
    left_out: tuple[str, ...]  # late


def runs_read(campaign: Campaign, task: Task, *, late: bool = True) -> list[Run]:
    """The runs of a task, under their names in the campaign, as ranked documents."""
    sent = [run for run in campaign.runs_of(task.name) if late or not run.late]
    return [ranked_documents(task.form, campaign.run_file(run), run.name) for run in sent]


def draw_campaign_pool(
    live: LiveCampaign,
    task: Task,
    *,
    strata: str = "",
    budget: int | None = None,
    rounds: str = "",
    most_priority: int | None = None,
    families: bool = False,
    early: bool = False,
    seed: int = 1,
    person: str = "",
) -> Pooled:
    """Pool the runs of a task and write what is to be judged; a pool that nobody judged is drawn again."""
    facts, now = live.facts, live.clock()
    if not task.by_people:
        raise InputError(task.name, "is judged by citations, and needs no pool: release it")
    if task.moment is not None and not task.is_over(now) and not early:
        problem = f"takes runs until {task.deadline_words}: pool then, or now with --early"
        raise InputError(task.name, problem)
    sent = facts.runs_of(task.name)
    pooled = [run for run in sent if not run.late and (most_priority is None or run.priority <= most_priority)]
    if not pooled:
        raise InputError(
            task.name, f"has no runs to pool: {counted(len(sent), 'run')} sent, none in time with that priority"
        )
    if live.facts.events(task):
        raise InputError(task.pool_file, "is assigned or judged already, so it stays as it was drawn")
    in_order = sorted(pooled, key=lambda run: run.name)
    runs = (ranked_documents(task.form, facts.run_file(run), run.name) for run in in_order)
    if rounds:
        pool = pool_of_draws(Draws.first(list(runs), parse_ends(rounds), depth=task.length, seed=seed))
    else:
        pool = draw_pool(
            runs,
            strata=strata or task.strata,
            budget=budget,
            seed=seed,
            topics=task.topic_ids,
            families=_families(facts) if families else None,
        )
    path = live.folder / task.pool_file
    ends = ("", RECORD, JOURNAL, *(f"{JOURNAL}{end}" for end in LOGS))
    with live.locked() as owned:
        owned.reserve(*(f"{task.pool_file}{end}" for end in ends))
        write_stored(path, pool.lines())
        write_stored(f"{path}{RECORD}", pool.record())
        with live.changed(
            "pooled", person, task=task.name, runs=len(in_order), documents=len(pool.to_judge()), seed=seed
        ):
            pass
    return Pooled(pool, pool.runs, tuple(run.name for run in sent if run not in pooled))


def _families(facts: Campaign) -> dict[str, str]:
    from leadline.collections.documents.collection import Collection

    if not facts.collection:
        raise InputError("families", "are known of a collection, and the campaign has a list of ids")
    records = Collection.open(facts.collection).records
    return dict(zip(records["id"].to_list(), map(str, records["family"].to_list()), strict=True))


def unique_by_team(campaign: Campaign, task: Task, pool: Pool, grades: Mapping[Key, int] | None = None) -> Table:
    """What each team brought into the pool: documents, those that no other team found, and how many are relevant."""
    import polars as pl

    team_of = {run.name: run.team for run in campaign.runs_of(task.name)}
    runs = pl.DataFrame({"run": list(pool.runs), "team": [team_of.get(run, run) for run in pool.runs]})
    key = ["topic", "document"]
    found = _found(pool).join(runs, on="run").select("team", *key).unique()
    relevant = {key for key, grade in (grades or {}).items() if grade > 0}
    judged = pool.documents.filter(pool.documents["sampled"]).select(*key, "unit")
    judged = judged.with_columns(
        pl.Series("relevant", [(t, u) in relevant for t, _, u in judged.iter_rows()], dtype=pl.Boolean)
    )
    each = found.with_columns((pl.len().over(key) == 1).alias("alone")).join(judged, on=key, how="left")
    chosen, is_relevant = pl.col("unit").is_not_null(), pl.col("relevant").fill_null(False)
    counts = each.group_by("team").agg(
        pl.len().alias("pooled"),
        chosen.sum().alias("to_judge"),
        pl.col("alone").sum().alias("found_only_by_it"),
        (pl.col("alone") & chosen).sum().alias("of_these_to_judge"),
        (pl.col("alone") & is_relevant).sum().alias("of_these_relevant"),
    )
    table = runs.group_by("team").len("runs").join(counts, on="team", how="left").fill_null(0).sort("team")
    if grades is None:
        table = table.drop("of_these_relevant")
    return Table(table.columns, [list(row) for row in table.iter_rows()])


def _found(pool: Pool) -> pl.DataFrame:
    """Run, topic and document of all that was pooled."""
    import polars as pl

    if pool.draws is None:
        assert pool.found_by is not None
        return pool.found_by.select("run", "topic", "document")
    lists = pool.draws.lists
    rows = np.repeat(np.arange(len(lists.starts) - 1), np.diff(lists.starts)) % len(lists.runs)
    topics = np.array(lists.topics, object)[lists.topic_of_document[lists.listed]]
    documents = np.array(lists.documents, object)[lists.listed]
    columns = {"run": np.array(lists.runs, object)[rows], "topic": topics, "document": documents}
    return pl.DataFrame({name: pl.Series(column.tolist(), dtype=pl.String) for name, column in columns.items()})


# Who judges what.


@contextlib.contextmanager
def journal_of(live: LiveCampaign, task: Task) -> Iterator[JudgingJournal]:
    """The journal of a task, to be written to."""
    path = live.folder / task.pool_file
    if not path.exists():
        raise InputError(
            task.name, f"has no pool yet: draw one with `leadline campaign pool {live.folder.name} {task.name}`"
        )
    with contextlib.closing(JudgingJournal(f"{path}{JOURNAL}", create=True)) as journal:
        yield journal


def assign(
    live: LiveCampaign, task: Task, *, double: float | None = None, seed: int = 1, person: str = "organiser"
) -> dict[str, tuple[str, ...]]:
    """Assign the topics of a task to students, those judged twice to seniors as well; what is assigned stays."""
    facts = live.facts
    pool = facts.pool(task)
    there = [each for each in facts.people if not each.revoked]
    students = [each.name for each in there if each.role == "student"]
    seniors = [each.name for each in there if each.role == "senior"]
    if pool is None:
        raise InputError(
            task.name, f"has no pool yet: draw one with `leadline campaign pool {live.folder.name} {task.name}`"
        )
    counts = dict.fromkeys(pool.topics, 0) | {
        str(topic): int(count) for topic, count in pool.to_judge().group_by("topic").len().iter_rows()
    }
    state = facts.judging(task)
    share = task.double if double is None else double
    given = assign_topics(
        counts, students or seniors, seniors if students else (), double=share, seed=seed, kept=state.assigned
    )
    new = [
        Event(new_uid(), person, "organiser", "assign", topic, value=name)
        for topic, names in given.items()
        for name in names
        if name not in state.assigned.get(topic, [])
    ]
    with journal_of(live, task) as journal:
        journal.append_all(new)
    with live.changed("assigned", person, task=task.name, topics=len(given), new=len(new)):
        pass
    return given


def load_table(campaign: Campaign, task: Task) -> Table:
    """What each person who judges has to do, and has done."""
    pool, state = campaign.pool(task), campaign.judging(task)
    documents: dict[str, list[str]] = {}
    for topic, document in pool.to_judge().select("topic", "document").iter_rows() if pool is not None else ():
        documents.setdefault(topic, []).append(document)
    rows: list[list[object]] = []
    for each in campaign.people:
        if each.role not in ("student", "senior", "expert"):
            continue
        topics = [topic for topic in documents if each.name in state.assigned.get(topic, ())]
        marked = [(topic, document) for who, topic, document in state.marks if who == each.name]
        total = sum(len(documents[topic]) for topic in topics)
        left = sum(len(left_to_judge(state, each.name, topic, documents[topic])) for topic in topics)
        seconds = [mark.seconds for (who, _, _), mark in state.marks.items() if who == each.name]
        rows.append([each.name, each.role, len(topics), total, len(marked), left, round(sum(seconds) / 3600, 2)])
    return Table(["person", "level", "topics", "documents", "judged", "left", "hours"], rows)


@dataclass(frozen=True)
class Disagreement:
    """A document that people marked differently, and the expert has not decided."""

    topic: str
    document: str
    kind: str
    marks: tuple[tuple[str, int], ...]


def open_disagreements(state: JudgingState) -> list[Disagreement]:
    """What waits for the expert: conflicts first, then where one is unsure, then 1 against 2."""
    by_document: dict[Key, list[tuple[str, int]]] = {}
    decided: set[Key] = set()
    for (person, topic, document), mark in state.marks.items():
        if state.roles[person] == "expert":
            decided.add((topic, document))
        elif state.roles[person] == "assessor":
            by_document.setdefault((topic, document), []).append((person, mark.grade))
    order = ["conflict", "lenient", "one_against_two"]
    found = []
    for (topic, document), marks in by_document.items():
        kinds = {disagreement(a, b) for place, (_, a) in enumerate(marks) for _, b in marks[place + 1 :]}
        kind = next((each for each in order if each in kinds), None)
        if kind is not None and (topic, document) not in decided:
            found.append(Disagreement(topic, document, kind, tuple(sorted(marks))))
    return sorted(found, key=lambda each: (order.index(each.kind), each.topic, each.document))


# Release.


def release(
    live: LiveCampaign,
    task: Task,
    *,
    stage: str = "final",
    qrels: str = "",
    incomplete: bool = False,
    person: str = "",
) -> Release:
    """Make the judgements of a task known to everybody: its teams then see all runs of the task."""
    facts = live.facts
    if facts.release(task.name) is not None:
        raise InputError(task.name, "is released already: what others have must not change")
    if task.moment is not None and not task.is_over(live.clock()):
        raise InputError(task.name, f"takes runs until {task.deadline_words}: release it after that")
    judged, stage = _judgements(facts, task, stage, qrels, incomplete=incomplete)
    try:
        check_needs(measures_of(task.form, task.measures), judged)
    except MeasureError as error:
        hint = f"give others with --qrels, or name other measures with `leadline campaign task DIR {task.name} -m`"
        raise InputError(task.name, f"{error}: {hint}") from None
    content = judged.to_bytes()
    said = Release(
        task.name,
        moment_of(live.clock()),
        hashlib.sha256(content).hexdigest(),
        len(judged),
        int((judged.grades > 0).sum()),
        stage,
    )
    with live.locked() as owned:
        owned.reserve(task.qrels_file)
        write_stored(live.folder / task.qrels_file, content)
        with live.changed("released", person, task=task.name, sha256=said.sha256, stage=stage) as now:
            now.records(RELEASES).put(task.name, asdict(said))
    return said


def _judgements(facts: Campaign, task: Task, stage: str, qrels: str, *, incomplete: bool) -> tuple[Qrels, str]:
    if qrels:
        given = read_qrels(qrels)
        if not set(given.topics) & set(task.topic_ids):
            raise InputError(
                os.fspath(qrels), f"has no topic of {task.name}: it has {given.topics[0]}, the task {task.topic_ids[0]}"
            )
        return given, "file"
    if not task.by_people:
        return from_citations(facts.collection, facts.topics(task)).provenance.qrels(name=task.name), "citations"
    pool = facts.pool(task)
    if pool is None:
        raise InputError(task.name, "has no pool, so nothing is judged: pool its runs, or give judgements with --qrels")
    state = facts.judging(task)
    grades = state.final()[0] if stage == "final" else state.merged()
    left = [key for key in pool.to_judge().select("topic", "document").iter_rows() if key not in grades]
    waiting = open_disagreements(state) if stage == "final" else []
    if left and not incomplete:
        raise InputError(
            task.name,
            f"has {counted(len(left), 'document')} that nobody judged, such as {left[0][1]} of topic {left[0][0]}: "
            "have them judged, or release with --incomplete",
        )
    if waiting and not incomplete:
        raise InputError(
            task.name,
            f"has {counted(len(waiting), 'disagreement')} that the expert has not decided: decide them, "
            "or release with --incomplete",
        )
    judged = pool.qrels(grades, task.name)
    if pool.draws is None and pool.documents["sampled"].all():  # no strata that an estimate would need
        topics = [judged.topics[place] for place in judged.topic_of_document.tolist()]
        judged = Qrels.from_columns(topics, judged.documents.names(), judged.grades.tolist(), task.name)
    return judged, stage


def progress_of(campaign: Campaign, task: Task) -> dict[str, int]:
    """How far the judging of a task is, in numbers."""
    pool = campaign.pool(task)
    if pool is None:
        return {}
    wanted = set(pool.to_judge().select("topic", "document").iter_rows())
    state = campaign.judging(task)
    marked = {(topic, document) for _, topic, document in state.marks}
    return {
        "to_judge": len(wanted),
        "judged": len(wanted & marked),
        "assigned": sum(bool(state.assigned.get(topic)) for topic in pool.topics),
        "topics": len(pool.topics),
        "waiting": len(open_disagreements(state)),
        "decided": len({(on, d) for who, on, d in state.marks if state.roles[who] == "expert"}),
    }
