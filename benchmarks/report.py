"""How much processor time a report takes, as a multiple of what evaluating the same runs takes.

    python benchmarks/report.py [--repeat 5] [--runs 143] [--topics 30]

The runs are made up, or those given: `--given QRELS RUN...`, such as the 143 runs of TREC-COVID round 1. Every time is
that of a whole process, from start to exit, with its threads, after one run to warm up. A report tests 10 153 pairs of
143 runs with 10 000 samples by three measures, ranks the runs 400 times with fewer judgements, and draws 21 figures.
The first chart is the first figure of a report as a specification, from a new process: what a notebook waits for.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from collection import generate

FEW = {"runs": 2, "topics": 5}  # what a first try looks like
COMMAND = ["-m", "leadline.cli"]
FIRST_CHART = """
import sys
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
FIGURES.named("recall_effort").draw(Evidence.of(sys.argv[1], sys.argv[3:], "PRES@1000")).save(sys.argv[2])
"""


def processor_seconds(arguments: list[str]) -> float:
    """User and system time of a Python process and all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_topics(source: Path, to: Path, topics: set[str]) -> Path:
    """A file with only the lines of some topics."""
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    to.write_text("".join(line for line in lines if line.split(maxsplit=1)[0] in topics), encoding="utf-8")
    return to


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--runs", type=int, default=143)
    parser.add_argument("--topics", type=int, default=30)
    parser.add_argument("--given", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if options.given:
            qrels, runs = options.given[0], options.given[1:]
        else:
            qrels, runs = generate(folder / "runs", options.runs, topics=options.topics)
        known = list(dict.fromkeys(line.split(maxsplit=1)[0] for line in qrels.read_text().splitlines()))
        chosen = set(known[: FEW["topics"]])
        few = [first_topics(path, folder / path.name, chosen) for path in (qrels, *runs[: FEW["runs"]])]
        print(f"{len(runs)} runs × {len(known)} topics, {os.cpu_count()} processors; median of {options.repeat}")
        print(f"{'what':<34}{'processor s':>12}{'lowest':>9}{'highest':>9}{'ratio':>8}")
        every, some = [str(qrels), *map(str, runs)], list(map(str, few))
        small = f"of {FEW['runs']} runs × {FEW['topics']} topics"
        page, chart = str(folder / "report.html"), str(folder / "chart.json")
        jobs = {
            "evaluate": [*COMMAND, "evaluate", "--quiet", *every],
            "report": [*COMMAND, "report", "--quiet", *every, "-m", "PRES@1000", "-o", page],
            f"report {small}": [*COMMAND, "report", "--quiet", *some, "-m", "PRES@1000", "-o", page],
            "first chart": ["-c", FIRST_CHART, every[0], chart, *every[1:]],
            f"first chart {small}": ["-c", FIRST_CHART, some[0], chart, *some[1:]],
        }
        unit = 0.0
        for name, command in jobs.items():
            taken = []
            for _ in range(options.repeat + 1):  # the first time also compiles and fills the caches
                Path(page).unlink(missing_ok=True)  # the same page is not made again
                taken.append(processor_seconds(command))
            taken = sorted(taken[1:])
            unit = unit or statistics.median(taken)
            middle = statistics.median(taken)
            print(f"{name:<34}{middle:>12.2f}{taken[0]:>9.2f}{taken[-1]:>9.2f}{middle / unit:>8.1f}")


if __name__ == "__main__":
    main()
