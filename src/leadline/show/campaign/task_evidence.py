"""The runs of a task under its released judgements, and what is known of its topics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from leadline.errors import LeadlineError, MismatchError
from leadline.records.qrels import Qrels, read_qrels
from leadline.show.campaign.campaign import Campaign, SentRun, Task
from leadline.show.campaign.run_forms import measures_of, scored_as
from leadline.show.report.evidence import Evidence

MOST_COMPARED = 300  # runs of which every pair is compared; of more, those that the teams put first
ATTRIBUTES = ("office", "class", "year")
SAMPLES = 100  # with half the judgements


def task_evidence(campaign: Campaign, task: Task) -> tuple[Evidence | None, tuple[str, ...]]:
    """The runs of a task under its released judgements; runs that share nothing with them are left out and named."""
    path = campaign.qrels(task)
    runs = sorted(campaign.runs_of(task.name), key=lambda run: run.name)
    if path is None or not runs:
        return None, ()
    notes: list[str] = []
    if len(runs) > MOST_COMPARED:
        first = [run for run in runs if run.priority == min(r.priority for r in runs if r.team == run.team)]
        notes.append(
            f"Of {len(runs)} runs those that each team put first are compared, {len(first)}: every pair of so many "
            "would say little, and the teams chose before they knew the results."
        )
        runs = first
    open_them = partial(_opened, campaign, task, read_qrels(str(path)))
    try:
        return open_them(runs), tuple(notes)
    except MismatchError:
        kept: list[SentRun] = []
        for run in runs:
            try:
                open_them([run])
                kept.append(run)
            except LeadlineError as error:
                notes.append(f"{run.name} is left out: {error}.")
        return (open_them(kept) if kept else None), tuple(notes)


def _opened(campaign: Campaign, task: Task, qrels: Qrels, runs: Sequence[SentRun]) -> Evidence:
    files = {run.name: campaign.run_file(run) for run in runs}
    info = {run.name: {"team": run.team, "kind": run.kind} for run in runs}
    given = scored_as(task.form, files, by_passages=qrels.extents is not None)
    about, measure = topic_attributes(task), measures_of(task.form, task.measures[:1])[0]
    return Evidence.of(
        qrels, given.pop("runs"), measure, topics=about, runs_info=info, timings={}, samples=SAMPLES, **given
    )


def topic_attributes(task: Task) -> dict[str, dict[str, str]]:
    """Office, class and year of the topics, where they are known."""
    found = {name: {t: about[name] for t, about in task.about_topics.items() if about.get(name)} for name in ATTRIBUTES}
    return {name: values for name, values in found.items() if values}


def topic_sizes(task: Task) -> dict[str, int]:
    """The words of the topics that are patents."""
    return {
        topic: int(about["words"]) for topic, about in task.about_topics.items() if about.get("words", "").isdigit()
    }
