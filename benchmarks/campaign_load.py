"""How a campaign bears many teams: the time of a submission, memory, and the time of the organiser's facts.

    python benchmarks/campaign_load.py --teams 200 --runs 8 --topics 100

Every run lists 100 of 20 000 documents for each topic, by a fixed seed. Times are of the processor, in milliseconds.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from leadline.show.campaign.campaign import Campaign
from leadline.show.campaign.live import LiveCampaign
from leadline.show.campaign.status import task_table
from leadline.show.campaign.submission import Description

DEPTH, DOCUMENTS = 100, 20_000


def main() -> None:
    """Send all runs, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("teams", 200), ("runs", 8), ("topics", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), asked.teams, asked.runs, asked.topics)


def measure(folder: Path, teams: int, runs: int, topics: int) -> None:
    """Send runs of every team to a campaign in a folder."""
    rng = np.random.default_rng(1)
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
    begun = time.process_time()
    facts = Campaign.open(live.folder)
    opened = 1000 * (time.process_time() - begun)
    begun = time.process_time()
    task_table(facts)
    shown = 1000 * (time.process_time() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    last = spent[-max(1, len(spent) // 10) :]
    clock = np.percentile(waited, 99)
    print(f"{len(spent)} runs of {topics * DEPTH:,} lines; {len(facts.runs)} stand")
    print(
        f"a submission: median {np.median(spent):.1f}, 99th percentile {np.percentile(spent, 99):.1f} of the processor"
    )
    print(f"  the last tenth: median {np.median(last):.1f}; by the clock the 99th percentile is {clock:.1f}")
    print(
        f"all facts opened and checked in {opened:.0f}, the table of tasks in {shown:.0f}; peak memory {peak:.0f} MiB"
    )


def run_text(rng: np.random.Generator, topics: int, tag: str) -> str:
    """A run that lists documents drawn at random."""
    lines = []
    for topic in range(topics):
        for rank, document in enumerate(rng.choice(DOCUMENTS, DEPTH, replace=False).tolist(), start=1):
            lines.append(f"{topic} Q0 d{document} {rank} {DEPTH - rank} {tag}\n")
    return "".join(lines)


if __name__ == "__main__":
    main()
