"""A generated collection of any size for benchmarks; the same arguments give the same collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np

JUDGED, RELEVANT, CANDIDATES = 300, 60, 3000


def generate(folder: Path, runs: int, topics: int = 400, depth: int = 1000) -> tuple[Path, list[Path]]:
    """Qrels and runs with patent-like ids, scores with six decimals, sorted."""
    folder.mkdir(parents=True, exist_ok=True)
    qrels = folder / "qrels.txt"
    paths = [folder / f"system{r:02d}.run" for r in range(runs)]
    if qrels.exists() and all(path.exists() for path in paths):
        return qrels, paths
    rng = np.random.default_rng(1)
    documents = np.array([f"EP-{1_000_000 + number}-A1" for number in range(100_000)])
    pools = [rng.choice(len(documents), CANDIDATES, replace=False) for _ in range(topics)]
    place = np.arange(CANDIDATES)
    with qrels.open("w") as file:
        for topic, pool in enumerate(pools, start=1000):
            file.writelines(
                f"{topic} 0 {documents[document]} {(k < RELEVANT) * (1 + k % 3)}\n"
                for k, document in enumerate(pool[:JUDGED])
            )
    quality = np.where(place < RELEVANT, 2.0, np.where(place < JUDGED, 0.6, 0.0))
    for number, path in enumerate(paths):
        with path.open("w") as file:
            for topic, pool in enumerate(pools, start=1000):
                score = quality + rng.normal(0, 1 + 0.02 * number, CANDIDATES)
                best = np.argsort(-score)[:depth]
                file.writelines(
                    f"{topic} Q0 {documents[pool[place]]} {rank} {score[place]:.6f} {path.stem}\n"
                    for rank, place in enumerate(best.tolist(), start=1)
                )
    return qrels, paths
