"""How long evaluation takes, ours and the peers', on the same files in one run. Prints a table of ratios.

    python benchmarks/evaluate.py [--runs 48] [--repeat 5] [--peers trec_eval,pytrec_eval,ir_measures,ranx]

Every time is that of a whole process, from start to exit, after Leadline has compiled its kernels once. `trec_eval` is
timed if it is on the PATH, once for each run because it takes one run; the Python peers read the same text files. Only
Leadline computes PRES, which the others do not have. Five repetitions with all peers take about ten minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from collection import generate

OURS = "AP P@10 R@1000 nDCG@10 PRES@100 PRES@1000"

# What each Python peer is asked to do, as its own documentation shows it.
PEERS = {
    "pytrec_eval": """
import sys, pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P_10", "recall_1000", "ndcg_cut_10"})
for path in sys.argv[2:]:
    with open(path) as file:
        scores = evaluator.evaluate(pytrec_eval.parse_run(file))
    print(path, sum(score["map"] for score in scores.values()) / len(scores))
""",
    "ir_measures": """
import sys, ir_measures
from ir_measures import AP, P, R, nDCG
qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
evaluator = ir_measures.evaluator([AP, P @ 10, R @ 1000, nDCG @ 10], qrels)
for path in sys.argv[2:]:
    print(path, evaluator.calc_aggregate(ir_measures.read_trec_run(path)))
""",
    "ranx": """
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
for path in sys.argv[2:]:
    print(path, evaluate(qrels, Run.from_file(path, kind="trec"), ["map", "precision@10", "recall@1000", "ndcg@10"],
        make_comparable=True))
""",
}


def command_of(name: str, qrels: Path, runs: list[Path]) -> list[list[str]]:
    """The processes that evaluate every run."""
    files = [str(qrels), *map(str, runs)]
    if name == "leadline":
        return [[sys.executable, "-m", "leadline.cli", "evaluate", *files, "-m", OURS, "--quiet"]]
    if name == "trec_eval":
        program = shutil.which("trec_eval") or os.environ.get("TREC_EVAL", "")
        options = ["-c", "-m", "map", "-m", "P.10", "-m", "recall.1000", "-m", "ndcg_cut.10"]
        return [[program, *options, str(qrels), str(run)] for run in runs]
    return [[sys.executable, "-c", PEERS[name], *files]]


def seconds(name: str, qrels: Path, runs: list[Path]) -> float:
    start = time.perf_counter()
    for command in command_of(name, qrels, runs):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def peak_megabytes(name: str, qrels: Path, runs: list[Path]) -> float:
    """The most memory a process of this kind holds, asked of a child so that earlier ones do not count."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=-3, stderr=-3);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = command_of(name, qrels, runs)[0]
    printed = subprocess.run([sys.executable, "-c", code, *command], check=True, capture_output=True, text=True)
    return int(printed.stdout) / 1024


def available(names: list[str]) -> list[str]:
    found = []
    for name in names:
        if name == "trec_eval":
            present = bool(shutil.which("trec_eval") or os.environ.get("TREC_EVAL"))
        else:
            tried = subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False)
            present = tried.returncode == 0
        if present:
            found.append(name)
        else:
            print(f"{name} is not installed: left out")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=48)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peers", default="trec_eval,pytrec_eval,ir_measures,ranx")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "leadline-benchmark")
    options = parser.parse_args()

    qrels, runs = generate(options.folder, options.runs)
    size = sum(path.stat().st_size for path in runs)
    print(f"{len(runs)} runs × 400 topics × 1000 lines, {size / 1e6:.0f} MB, {os.cpu_count()} processors")
    peers = available([name for name in options.peers.split(",") if name])
    seconds("leadline", qrels, runs)  # compiles, once in the life of an installation, and warms the file cache

    times: dict[str, list[float]] = {name: [] for name in ["leadline", *peers]}
    for _ in range(options.repeat):
        for name, taken in times.items():
            taken.append(seconds(name, qrels, runs))
    ours = statistics.median(times["leadline"])
    print(f"\n{'program':<14}{'median s':>10}{'lowest':>9}{'highest':>9}{'turns':>7}{'ratio':>8}{'peak MB':>10}")
    for name, taken in times.items():
        median = statistics.median(taken)
        peak = peak_megabytes(name, qrels, runs)
        spread = f"{min(taken):>9.2f}{max(taken):>9.2f}{len(taken):>7}"
        print(f"{name:<14}{median:>10.2f}{spread}{median / ours:>8.1f}{peak:>10.0f}")

    print("\ncost against the number of runs (median of 5, whole process)")
    for count in sorted({1, 6, 12, 24, len(runs)} & set(range(len(runs) + 1))):
        taken = statistics.median(seconds("leadline", qrels, runs[:count]) for _ in range(5))
        print(f"{count:>4} runs {taken:>8.2f} s")


if __name__ == "__main__":
    main()
