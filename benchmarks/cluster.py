"""How long commands take on a Ray cluster with 1 and 2 workers, beside the same command without one.

    python benchmarks/cluster.py [--sizes 1,4,16] [--workers 1,2] [--only evaluate,index,duplicates,run]

The data are made here, 1, 4 and 16 times as large. Every command runs in a process of its own, first without a cluster
and with one thread, then with `--cluster` and a cluster that has the number of workers, which was started before. Both
outputs are compared, byte by byte where they are files. Times are of the wall: several processes share the work. The
overhead is what the smallest size takes longer with one worker; the time to start Ray is printed by itself.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from leadline.cli import main as leadline
from leadline.cluster.connect import QUIET
from leadline.records.scores.table import Table

JOBS = {
    "evaluate": "evaluate qrels.txt runs{size} -m 'PRES@1000 AP' --format tsv -q",
    "index": "index texts{size} -q",
    "duplicates": "duplicates texts{size} --format tsv -q",
    "run": "run index{size} topics.tsv --system words.toml -k 100 -q",
}
TOPICS, DEPTH, RUNS, TEXTS, WORDS = 50, 1000, 8, 1500, 300


def write_data(sizes: list[int]) -> None:
    """Runs, collections of texts and their indexes, for each size."""
    rng = np.random.default_rng(1)
    judged = [f"{t} 0 d{d} {int(rng.random() < 0.2)}\n" for t in range(TOPICS) for d in range(0, 4000, 20)]
    Path("qrels.txt").write_text("".join(judged))
    Path("words.toml").write_text('steps = ["survey", "search"]')
    vocabulary = np.array([f"word{n}" for n in range(20_000)])
    topics = [" ".join(vocabulary[rng.zipf(1.3, 30) % 20_000]) for _ in range(200)]
    Path("topics.tsv").write_text("topic\ttitle\n" + "".join(f"T{n}\t{text}\n" for n, text in enumerate(topics)))
    for size in sizes:
        Path(f"runs{size}").mkdir()
        for run in range(RUNS * size):
            with Path(f"runs{size}/r{run:03}.run").open("w") as file:
                for topic in range(TOPICS):
                    for rank, document in enumerate(rng.permutation(4000)[:DEPTH].tolist(), start=1):
                        file.write(f"{topic} Q0 d{document} {rank} {DEPTH - rank} r{run}\n")
        with Path(f"texts{size}.jsonl").open("w") as file:
            for number in range(TEXTS * size):
                text = " ".join(vocabulary[rng.zipf(1.3, WORDS) % 20_000])
                file.write(f'{{"id": "EP{number}", "title": "T {number}", "abstract": "{text}"}}\n')
        leadline(shlex.split(f"collection build texts{size}.jsonl -o texts{size} --keep all -q"))
        leadline(shlex.split(f"index texts{size} -o index{size} -q"))


def timed(command: str, output: str, *more: str, threads: int) -> float:
    """The seconds of a command in a process of its own."""
    if Path(output).is_dir():
        shutil.rmtree(output)
    words = [sys.executable, "-m", "leadline.cli", *shlex.split(command), "-o", output, *more]
    limits = {"OMP_NUM_THREADS": str(threads), "POLARS_MAX_THREADS": str(threads)}
    start = time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=os.environ | limits)
    return time.monotonic() - start


def same(first: str, second: str) -> bool:
    """Whether two outputs are the same; of folders only sizes are compared, since names of files are random."""
    if Path(first).is_dir():
        here, there = (sorted(file.stat().st_size for file in Path(name).glob("*.arrays")) for name in (first, second))
        return here == there
    return Path(first).read_bytes() == Path(second).read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1,4,16")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--only", default=",".join(JOBS))
    options = parser.parse_args()
    sizes, workers = ([int(each) for each in text.split(",")] for text in (options.sizes, options.workers))
    os.environ.update(QUIET)
    from ray.cluster_utils import Cluster  # after Ray was told to be quiet

    rows: dict[tuple[str, int], list[str]] = {}
    alone: dict[tuple[str, int], float] = {}
    with tempfile.TemporaryDirectory(prefix="leadline-") as folder:
        os.chdir(folder)
        os.environ["RAY_TMPDIR"] = folder
        Path("ray").mkdir()
        write_data(sizes)
        jobs = [(job, size) for job in options.only.split(",") for size in sizes]
        for job, size in jobs:
            alone[job, size] = timed(JOBS[job].format(size=size), f"{job}{size}-here", threads=1)
            rows[job, size] = [job, f"{size} x", f"{alone[job, size]:.1f} s"]
        for count in workers:
            start = time.monotonic()
            limits = {"num_cpus": count, "object_store_memory": 512 << 20, "include_dashboard": False}
            cluster = Cluster(True, head_node_args=limits)
            print(f"Ray with {count} processors starts in {time.monotonic() - start:.1f} s", flush=True)
            try:
                for job, size in jobs:
                    where = ("--cluster", cluster.address)
                    took = timed(JOBS[job].format(size=size), f"{job}{size}-there", *where, threads=1)
                    if not same(f"{job}{size}-here", f"{job}{size}-there"):
                        sys.exit(f"{job} at {size} x differs on the cluster")
                    ratio = f"{took / alone[job, size]:.2f}"
                    rows[job, size] += [f"{took:.1f} s", ratio]
                    if count == 1 and size == min(sizes):
                        print(f"overhead of Ray, {job}: {took - alone[job, size]:.1f} s", flush=True)
            finally:
                cluster.shutdown()
        os.chdir("/")
    columns = ["command", "data", "here", *(part for n in workers for part in (f"{n} workers", "ratio"))]
    print(Table(columns, list(rows.values())).render("table"))


if __name__ == "__main__":
    main()
