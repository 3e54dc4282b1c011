"""Three runs of falling quality on twelve topics, and `leadline compare` in their folder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def compare(in_process: Callable[..., subprocess.CompletedProcess[bytes]], tmp_path: Path) -> Command:
    """A small field: three runs of falling quality on twelve topics, as files."""
    rng = np.random.default_rng(4)
    judged, runs = [], {"good": [], "fair": [], "poor": []}
    for topic in range(1, 13):
        relevant = rng.choice(60, 12, replace=False)
        judged += [f"{topic} 0 d{d} {int(d in relevant)}" for d in range(60)]
        for noise, lines in zip((0.4, 0.8, 3.0), runs.values(), strict=True):
            score = np.isin(np.arange(60), relevant) + rng.normal(0, noise, 60)
            lines += [f"{topic} Q0 d{d} 1 {score[d]:.4f} t" for d in np.argsort(-score)[:30]]
    (tmp_path / "qrels").write_text("\n".join(judged))
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    (tmp_path / "topics.csv").write_text(
        "topic,office,year\n" + "\n".join(f"{t},{'EP' if t % 2 else 'US'},{2000 + t}" for t in range(1, 13))
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = in_process(tmp_path, "compare", *arguments)
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
