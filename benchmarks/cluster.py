"""How long commands take on a Ray cluster with 1 and 2 workers, beside the same command without one.

    python benchmarks/cluster.py [--sizes 1,4,16] [--workers 1,2] [--turns 3] [--only evaluate,index] [--write]

The data are made here, 1, 4 and 16 times as large. Every command runs in a process of its own: without a cluster on one
processor, then with `--cluster` and a cluster that has the number of workers, which was started before. The calling
process has a processor beside the workers, as far as there are any. Both outputs are compared, byte by byte where they
are files. Times are of the wall, the best of the turns, so that other work on the machine counts less. A ratio is the
time on the cluster over that without one; the overhead is what the smallest size takes longer with one worker, and the
time to start Ray is printed by itself. `--write` puts the table into docs/cluster.md.
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
from collections.abc import Callable
from pathlib import Path

import numpy as np
from marked_document import fill

from leadline.cli import main as leadline
from leadline.cluster.connect import QUIET
from leadline.records.result import Table

PAGE = Path(__file__).parents[1] / "docs" / "cluster.md"
JOBS = {
    "evaluate, many runs": "evaluate qrels.txt runs{size} -m 'PRES@1000 AP' --format tsv -q",
    "evaluate, one run": "evaluate many{size}.qrels one{size}.run -m 'PRES@1000 AP' --format tsv -q",
    "index": "index texts{size} -q",
    "duplicates": "duplicates texts{size} --format tsv -q",
    "run": "run index{size} topics.tsv --system words.toml -k 100 -q",
}
TOPICS, DEPTH, RUNS, LONG_RUN_TOPICS, TEXTS, WORDS = 50, 1000, 8, 1000, 6000, 300


def write_data(sizes: list[int]) -> None:
    """Runs, collections of texts and their indexes, for each size."""
    rng = np.random.default_rng(1)
    write_qrels(Path("qrels.txt"), TOPICS, rng)
    Path("words.toml").write_text('steps = ["survey", "search"]')
    vocabulary = np.array([f"word{n}" for n in range(20_000)])
    topics = [" ".join(vocabulary[rng.zipf(1.3, 30) % 20_000]) for _ in range(400)]
    Path("topics.tsv").write_text("topic\ttitle\n" + "".join(f"T{n}\t{text}\n" for n, text in enumerate(topics)))
    for size in sizes:
        Path(f"runs{size}").mkdir()
        for run in range(RUNS * size):
            write_run(Path(f"runs{size}/r{run:03}.run"), TOPICS, rng)
        write_run(Path(f"one{size}.run"), LONG_RUN_TOPICS * size, rng)
        write_qrels(Path(f"many{size}.qrels"), LONG_RUN_TOPICS * size, rng)
        with Path(f"texts{size}.jsonl").open("w") as file:
            for number in range(TEXTS * size):
                text = " ".join(vocabulary[rng.zipf(1.3, WORDS) % 20_000])
                file.write(f'{{"id": "EP{number}", "title": "T {number}", "abstract": "{text}"}}\n')
        leadline(shlex.split(f"collection build texts{size}.jsonl -o texts{size} --keep all -q"))
        leadline(shlex.split(f"index texts{size} -o index{size} -q"))


def write_qrels(path: Path, topics: int, rng: np.random.Generator) -> None:
    """Judgements of some documents for each topic."""
    judged = (f"{t} 0 d{d} {int(rng.random() < 0.2)}\n" for t in range(topics) for d in range(0, 4000, 50))
    path.write_text("".join(judged))


def write_run(path: Path, topics: int, rng: np.random.Generator) -> None:
    """A run with a list of random documents for each topic; topics far apart have the same list."""
    lists = []
    for _ in range(min(topics, TOPICS)):
        documents = enumerate(rng.permutation(4000)[:DEPTH].tolist(), start=1)
        lists.append("".join(f"TOPIC Q0 d{document} {rank} {DEPTH - rank} run\n" for rank, document in documents))
    with path.open("w") as file:
        for topic in range(topics):
            file.write(lists[topic % len(lists)].replace("TOPIC", str(topic)))


def timed(command: str, output: str, *more: str, turns: int, one_processor: bool = False) -> float:
    """The seconds of a command in a process of its own, in the best of several turns."""
    words = [sys.executable, "-m", "leadline.cli", *shlex.split(command), "-o", output, *more]
    limits = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    pin: Callable[[], None] | None = None
    if one_processor and hasattr(os, "sched_setaffinity"):
        first = {min(os.sched_getaffinity(0))}
        pin = lambda: os.sched_setaffinity(0, first)  # noqa: E731
    seconds = []
    for _ in range(turns):
        if Path(output).is_dir():
            shutil.rmtree(output)
        Path(f"{output}.manifest.json").unlink(missing_ok=True)
        start = time.monotonic()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=os.environ | limits, preexec_fn=pin)
        seconds.append(time.monotonic() - start)
    return min(seconds)


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
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default="", help="words of the commands, such as evaluate,index (default: all)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/cluster.md")
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
        chosen = [name for name in JOBS if any(word in name for word in options.only.split(","))]
        jobs = [(job, size) for job in chosen for size in sizes]
        for job, size in jobs:
            here = timed(JOBS[job].format(size=size), f"{job}{size}-here", turns=options.turns, one_processor=True)
            alone[job, size] = here
            rows[job, size] = [job, f"{size} ×", f"{here:.1f} s"]
        for count in workers:
            start = time.monotonic()
            limits = {"num_cpus": count, "object_store_memory": 512 << 20, "include_dashboard": False}
            cluster = Cluster(True, head_node_args=limits)
            print(f"Ray with {count} processors starts in {time.monotonic() - start:.1f} s", flush=True)
            try:
                for job, size in jobs:
                    where = ("--cluster", cluster.address)
                    took = timed(JOBS[job].format(size=size), f"{job}{size}-there", *where, turns=options.turns)
                    if not same(f"{job}{size}-here", f"{job}{size}-there"):
                        sys.exit(f"{job} at {size} × differs on the cluster")
                    rows[job, size] += [f"{took:.1f} s", f"{took / alone[job, size]:.2f}"]
                    if count == 1 and size == min(sizes):
                        print(f"overhead of Ray, {job}: {took - alone[job, size]:.1f} s", flush=True)
            finally:
                cluster.shutdown()
        os.chdir("/")
    names = [f"{count} worker{'s' * (count > 1)}" for count in workers]
    columns = ["command", "data", "one processor", *(part for name in names for part in (name, "ratio"))]
    table = Table(columns, list(rows.values())).encoded("markdown").decode()
    print(table)
    if options.write:
        fill(PAGE, {"times": f"\n{table}\n"})


if __name__ == "__main__":
    main()
