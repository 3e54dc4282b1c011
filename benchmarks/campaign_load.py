"""How a campaign bears many teams: the time of a submission, of the judging, and of the overview, and their memory.

    python benchmarks/campaign_load.py --teams 200 --runs 8 --topics 100
    python benchmarks/campaign_load.py --overview FOLDER

Every run lists 100 of 20 000 documents for each topic, by a fixed seed: the better ones mostly first. The pool is
judged by eight students, a quarter of the topics by two, and the expert. Times are of the processor. With --folder the
campaign is kept there, and --overview measures the overview of such a one again.
"""

from __future__ import annotations

import argparse
import datetime
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np

from leadline.judge.journal import Event
from leadline.show.campaign.campaign import Campaign
from leadline.show.campaign.judging import assign, draw_campaign_pool, journal_of, open_disagreements, release
from leadline.show.campaign.live_campaign import LiveCampaign
from leadline.show.campaign.overview import overview
from leadline.show.campaign.overview_files import write_overview
from leadline.show.campaign.status import task_table
from leadline.show.campaign.submission import Description

DEPTH, DOCUMENTS = 100, 20_000
BETTER, NOISE, RELEVANT = 2000, 150.0, 60  # documents that runs find, how far runs differ, documents that are relevant
STUDENTS = 8
Made = TypeVar("Made")


def main() -> None:
    """Send all runs, judge them, write the overview, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("teams", 200), ("runs", 8), ("topics", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--folder", type=Path, help="where the campaign is kept")
    parser.add_argument("--overview", type=Path, metavar="FOLDER", help="measure only the overview of a campaign")
    asked = parser.parse_args()
    if asked.overview:
        measure_overview(asked.overview)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        measure(folder, asked.teams, asked.runs, asked.topics)
        print(f"sending and judging: peak memory {_peak():.0f} MiB", flush=True)
        subprocess.run([sys.executable, __file__, "--overview", str(folder / "c")], check=True)


def measure(folder: Path, teams: int, runs: int, topics: int) -> None:
    """Send runs of every team to a campaign in a folder, and judge them."""
    rng = np.random.default_rng(1)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ids").write_text("".join(f"d{n}\n" for n in range(DOCUMENTS)))
    (folder / "topics").write_text("".join(f"{n} Topic\n" for n in range(topics)))
    live = LiveCampaign.create(folder / "c", "Load", documents=str(folder / "ids"))
    task = live.set_task("ts", "survey", topics=str(folder / "topics"), most_runs=runs, length=DEPTH)
    spent: list[float] = []
    waited: list[float] = []
    path = folder / "sent.run"
    with live.kept_open():
        for team in range(teams):
            for number in range(1, runs + 1):
                path.write_text(run_text(rng, topics, f"run{number}"))
                said = Description("automatic", ("title",), "none", "Drawn at random.", number)
                begun, at = time.process_time(), time.perf_counter()
                live.submit(f"team{team:03}", task, path, said)
                spent.append(1000 * (time.process_time() - begun))
                waited.append(1000 * (time.perf_counter() - at))
    last = spent[-max(1, len(spent) // 10) :]
    clock = np.percentile(waited, 99)
    print(f"{len(spent)} runs of {topics * DEPTH:,} lines")
    print(
        f"a submission: median {np.median(spent):.1f} ms, 99th percentile {np.percentile(spent, 99):.1f} ms; "
        f"the last tenth: median {np.median(last):.1f} ms; by the clock the 99th percentile is {clock:.1f} ms"
    )
    with _timed("all facts opened"):
        Campaign.open(live.folder)
    judge(live, rng)


def judge(live: LiveCampaign, rng: np.random.Generator) -> None:
    """Pool the runs, let people judge, and release."""
    task = live.facts.task()
    for person in range(STUDENTS):
        live.invite(f"student{person}", "student")
    live.invite("eve", "expert")
    with _timed("the pool"):
        pool = draw_campaign_pool(live, task).pool
    with _timed("assigning"):
        assign(live, task)
    assigned = live.facts.judging(task).assigned
    with journal_of(live, task) as journal, _timed(f"{len(pool.to_judge()):,} documents judged"):
        day = datetime.datetime(2027, 3, 1, tzinfo=datetime.UTC).isoformat()
        events = []
        for place, (topic, document) in enumerate(pool.to_judge().select("topic", "document").iter_rows()):
            for name in assigned[topic]:
                grade = (int(document[1:]) < RELEVANT) ^ (rng.random() < 0.05)
                uid = f"{place:08}-{name}"
                events.append(
                    Event(uid, name, "assessor", "mark", topic, document, str(int(grade)), seconds=30.0, at=day)
                )
        journal.append_all(events)
        waiting = open_disagreements(live.facts.judging(task))
        journal.append_all(
            [
                Event(f"decided{n:08}", "eve", "expert", "mark", each.topic, each.document, "1", seconds=30.0, at=day)
                for n, each in enumerate(waiting)
            ]
        )
    with _timed("the table of tasks"):
        task_table(live.facts)
    with _timed("the release"):
        release(live, task)


def measure_overview(folder: Path) -> None:
    """Make and write the overview of a campaign, and print what it took."""
    made = _measured("the overview made", lambda: overview(Campaign.open(folder)))
    with tempfile.TemporaryDirectory() as place:
        _measured("written without PDFs", lambda: write_overview(made, Path(place) / "plain", pdf=False))
        _measured("written with PDFs", lambda: write_overview(made, Path(place) / "whole"))


def _measured(what: str, work: Callable[[], Made]) -> Made:
    with _timed(what):
        made = work()
    print(f"  peak memory so far {_peak():.0f} MiB", flush=True)
    return made


@contextmanager
def _timed(what: str) -> Iterator[None]:
    begun = time.process_time()
    yield
    print(f"{what}: {time.process_time() - begun:.2f} s", flush=True)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_text(rng: np.random.Generator, topics: int, tag: str) -> str:
    """A run that finds the better documents of each topic, with an error of its own."""
    lines = []
    for topic in range(topics):
        found = np.arange(BETTER) + rng.normal(0.0, NOISE, BETTER)
        best = np.argpartition(found, DEPTH)[:DEPTH]
        for rank, document in enumerate(best[np.argsort(found[best])].tolist(), start=1):
            lines.append(f"{topic} Q0 d{document} {rank} {DEPTH - rank} {tag}\n")
    return "".join(lines)


if __name__ == "__main__":
    main()
