"""Where a campaign stands, as tables: tasks, teams, runs, and what was refused; and whether all of it is sound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from leadline.errors import InputError
from leadline.judge.journal import check_people
from leadline.judge.pools import FIX_JOURNAL, check_pool
from leadline.records.result import Table
from leadline.show.campaign.campaign import (
    CAMPAIGN_STORE,
    DOCUMENTS,
    FOLDERS,
    PEOPLE,
    REPAIR,
    STORE,
    Campaign,
    Release,
    SentRun,
    Task,
)
from leadline.show.campaign.judging import progress_of
from leadline.show.campaign.live_campaign import receipt_of
from leadline.text.checksums import Finding, check_file, finding_of
from leadline.text.owned_files import JOURNAL, RECORD
from leadline.text.owned_folder import check_identity, check_listed
from leadline.text.store.store import Store


@dataclass(frozen=True)
class TaskStatus:
    """Where a task stands: its runs, how far the judging is, and what was released."""

    task: Task
    runs: tuple[SentRun, ...]
    progress: dict[str, int]  # of judging; empty where nothing is pooled
    release: Release | None

    @property
    def late(self) -> int:
        return sum(run.late for run in self.runs)


def task_status(campaign: Campaign, task: Task) -> TaskStatus:
    """Where a task stands."""
    progress = progress_of(campaign, task) if task.by_people else {}
    return TaskStatus(task, campaign.runs_of(task.name), progress, campaign.release(task.name))


def task_table(campaign: Campaign) -> Table:
    """The tasks: topics, deadline, runs, and how far the judging is."""
    columns = [
        "task",
        "kind",
        "topics",
        "deadline",
        "teams",
        "runs",
        "late",
        "refused",
        "to_judge",
        "judged",
        "for_expert",
    ]
    rows: list[list[object]] = []
    for each in map(partial(task_status, campaign), campaign.tasks):
        task, refused = each.task, sum(refusal.task == each.task.name for refusal in campaign.refused)
        rows.append(
            [
                task.name,
                task.kind,
                len(task.topic_ids),
                task.deadline_words,
                *(len({run.team for run in each.runs}), len(each.runs), each.late, refused),
                *(each.progress.get(name) for name in ("to_judge", "judged", "waiting")),
                "" if each.release is None else each.release.at,
            ]
        )
    return Table([*columns, "released"], rows)


def team_table(campaign: Campaign) -> Table:
    """The teams: runs of each task, and how often one was refused or replaced."""
    names = [task.name for task in campaign.tasks]
    rows: list[list[object]] = []
    for team in campaign.teams:
        counts = [len(campaign.runs_of(name, team)) for name in names]
        sent = sum(run.team == team for run in campaign.sent)
        refused = sum(each.team == team for each in campaign.refused)
        last = max((run.at for run in campaign.sent if run.team == team), default="")
        rows.append([team, *counts, sent - sum(counts), refused, last])
    return Table(["team", *names, "replaced", "refused", "last"], rows)


def run_table(campaign: Campaign) -> Table:
    """The runs that stand, with how they were made and their hashes."""
    columns = [
        "run",
        "team",
        "task",
        "priority",
        "kind",
        "fields",
        "resources",
        "version",
        "at",
        "late",
        "lines",
        "sha256",
        "receipt",
    ]
    rows: list[list[object]] = [
        [
            run.name,
            run.team,
            run.task,
            run.priority,
            run.kind,
            " ".join(run.fields),
            run.resources,
            run.version,
            run.at,
            "late" if run.late else "",
            run.lines,
            run.sha256,
            run.receipt,
        ]
        for run in campaign.runs
    ]
    return Table(columns, rows)


def refused_table(campaign: Campaign) -> Table:
    """What was refused, and why: a row for each problem."""
    rows: list[list[object]] = [
        [each.at, each.team, each.task, each.file, problem] for each in campaign.refused for problem in each.problems
    ]
    return Table(["at", "team", "task", "file", "problem"], rows)


# Whether it is sound.


def check_campaign(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a campaign: its store, people, runs and their receipts, pools and judgements."""
    yield from check_identity(folder)
    yield from check_listed(folder, [STORE])
    try:
        with Store.open(folder / STORE, CAMPAIGN_STORE) as store:
            if damage := store.check():
                yield Finding(str(folder / STORE), damage, REPAIR)
                return
            with store.view() as now:
                done = {(event.said["kind"], event.said.get("task")) for event in now.events.all()}
        facts = Campaign.open(folder)
        files = [each for task in facts.tasks for each in (task.topics, task.qrels_file) if each]
        files += [f"{task.pool_file}{end}" for task in facts.tasks for end in ("", RECORD, JOURNAL)]
        yield from check_listed(folder, [PEOPLE, DOCUMENTS, *FOLDERS, *files, *(run.file for run in facts.runs)])
    except InputError as error:
        yield finding_of(error, REPAIR)
        return
    if (folder / PEOPLE).exists():
        yield from check_people(folder / PEOPLE)
    yield from check_facts(facts)
    yield from check_listed(folder, [*(run.file for run in facts.sent), *(task.topics for task in facts.tasks)])
    for task in facts.tasks:
        if ("pooled", task.name) in done:
            yield from check_pool(folder / task.pool_file)
        if ("assigned", task.name) in done and not (journal := folder / f"{task.pool_file}{JOURNAL}").exists():
            yield Finding(str(journal), "is missing, with the marks of the pool", FIX_JOURNAL)


def check_facts(facts: Campaign) -> Iterator[Finding]:
    """Whether the runs, their receipts and the judgements are those that were recorded."""
    for task in facts.tasks:
        yield from check_file(facts.folder / task.topics, task.topics_sha256, REPAIR)
    if facts.documents_sha256:
        yield from check_file(facts.folder / DOCUMENTS, facts.documents_sha256, REPAIR)
    for run in facts.sent:
        yield from check_file(facts.folder / run.file, run.sha256, f"{REPAIR}, or ask {run.team} for it")
        if receipt_of(run) != run.receipt:
            yield Finding(str(facts.folder / run.file), "does not fit its receipt, its record was changed", REPAIR)
    for release in facts.releases:
        yield from check_file(facts.folder / facts.task(release.task).qrels_file, release.sha256, REPAIR)
