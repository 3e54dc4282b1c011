"""A team's own analysis: against the median and the best of all runs by topic, once the judgements are released."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.records.result import Table, counted
from leadline.show.campaign.campaign import Campaign, Task
from leadline.show.campaign.task_evidence import task_evidence


def team_analysis(campaign: Campaign, task: Task, team: str) -> dict[str, Any]:
    """What the page of a team shows of its runs: before the release what they hold, then how they did.

    Names of other teams' runs are in it only after the release.
    """
    runs = campaign.runs_of(task.name, team)
    about = [
        [run.name, run.kind, run.priority, run.topics, run.lines, run.late, "; ".join(run.notes)]
        for run in sorted(runs, key=lambda run: run.name)
    ]
    own = Table(["run", "kind", "priority", "topics", "lines", "late", "notes"], about)
    content: dict[str, Any] = {"task": task, "team": team, "own": own, "released": False, "runs": [], "notes": ()}
    evidence, notes = task_evidence(campaign, task)
    if evidence is None:
        return content
    content |= {"released": True, "measure": evidence.measure.text, "notes": notes}
    values = evidence.main.of(evidence.measure.text)
    with np.errstate(all="ignore"):
        known = np.where(np.isfinite(values), values, np.nan)
    sign = -1.0 if evidence.main.better[0] == "lower" else 1.0
    for run in sorted(runs, key=lambda run: run.name):
        if run.name not in evidence.runs:
            continue
        at = evidence.place(run.name)
        rows: list[list[Any]] = []
        for t, topic in enumerate(evidence.topics):
            column = known[:, t]
            if np.isnan(column).all():
                continue
            best, median = sign * float(np.nanmax(sign * column)), float(np.nanmedian(column))
            mine = float(column[at])
            rows.append([topic, mine, median, best, mine - median])
        above = sum(sign * row[4] > 0 for row in rows)
        below = sum(sign * row[4] < 0 for row in rows)
        said = f"Above the median of all runs on {above} of {counted(len(rows), 'topic')}, below it on {below}."
        table = Table(["topic", run.name, "median", "best", "over_median"], rows, alike=[[run.name, "median", "best"]])
        place = evidence.order.index(run.name) + 1
        score = {"name": run.name, "place": place, "of": len(evidence.runs), "mean": float(evidence.means[at])}
        content["runs"].append({**score, "said": said, "table": table})
    return content
