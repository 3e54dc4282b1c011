"""How long the first evaluation takes, before there is machine code in the cache, and the next ones.

    python benchmarks/first_evaluation.py [--runs 12] [--repeat 3]

Each time is that of a whole process. `shipped` is with the machine code that a wheel brings, made here by
`tools/machine_code.py`; it is left out where there is none.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from collection import generate

from leadline.records.result import Table
from leadline.text.engine import KernelLibrary

MEASURES = "AP P@10 R@1000 nDCG@10 PRES@100 PRES@1000"


def seconds(files: list[str], **environment: str) -> tuple[float, float]:
    """Seconds, and those of processors, that evaluating takes."""
    start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "leadline.cli", "evaluate", *files, "-m", MEASURES, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "leadline-benchmark")
    options = parser.parse_args()
    qrels, runs = generate(options.folder, options.runs)
    files = [str(qrels), *map(str, runs)]
    made = KernelLibrary("leadline.measures.kernels").shipped_file.parent
    hidden = made.with_name(f"{made.name}.hidden")
    rows = []
    for turn in range(options.repeat):
        with tempfile.TemporaryDirectory() as cache:
            if made.exists():
                rows.append(["shipped", turn + 1, *seconds(files, LEADLINE_CACHE=cache)])
                made.rename(hidden)
            try:
                rows.append(["plain Python alone", turn + 1, *seconds(files, LEADLINE_ENGINE="plain")])
                rows.append(["empty cache", turn + 1, *seconds(files, LEADLINE_CACHE=cache)])
                rows.append(["cached", turn + 1, *seconds(files, LEADLINE_CACHE=cache)])
            finally:
                if hidden.exists():
                    hidden.rename(made)
    rows = [
        [name, turn, f"{wall:.2f}", f"{used:.2f}"] for name, turn, wall, used in sorted(rows, key=lambda row: row[0])
    ]
    columns = ["machine code", "turn", "seconds", "seconds of processors"]
    print(Table(columns, rows).encoded("markdown").decode())


if __name__ == "__main__":
    main()
