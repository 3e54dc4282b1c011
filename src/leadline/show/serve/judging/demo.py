"""A small pool to try the judging pages on: a simulated office, four systems, and what they return."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.collections.simulate.settings import Settings
from leadline.judge.pools.drawing import draw_pool
from leadline.records.runs.read_runs import read_run
from leadline.retrieval.pipeline.grid_plan import plan
from leadline.show.demo.build import KIND, VERSION, Step, build_lab
from leadline.show.demo.systems import CHOICES
from leadline.text.owned_folder import OwnedFolder

PATENTS, TOPICS, STRATA = 400, 4, "5:1,15:0.5,40:0.1"
RUNS = [{"query": ["whole", "claims"], "model": ["bm25", "dirichlet"]}]
POOL = "pool.txt"
BESIDE = ("", ".json", ".journal", ".people")  # the pool's file, and what is kept beside it


@dataclass(frozen=True)
class JudgingDemo:
    """The files of the demo."""

    pool: Path
    documents: Path
    topics: Path


def build_judging_demo(folder: Path, seed: int = 1) -> JudgingDemo:
    """Build the office, the runs and the pool in a folder; what is there already is used again."""
    made = JudgingDemo(folder / POOL, folder / "office" / "collection", folder / "topics.tsv")
    settings = Settings(patents=PATENTS, topics=TOPICS, seed=seed)
    build_lab(folder, settings, plan({"choices": CHOICES, "runs": RUNS}, "demo"), _quiet_stage)
    if not made.pool.exists():
        with OwnedFolder.locked(folder, KIND, VERSION) as owned:
            owned.reserve(*(f"{POOL}{ending}" for ending in BESIDE))
            runs = [read_run(path) for path in sorted((folder / "runs").glob("*.run"))]
            draw_pool(runs, strata=STRATA, seed=seed).write(made.pool)
    return made


@contextlib.contextmanager
def _quiet_stage(name: str) -> Iterator[Step | None]:
    yield None
