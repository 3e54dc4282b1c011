"""How long a study of missing judgements takes: the 143 runs of TREC-COVID's first round, 4 shares × 100 samples.

    python benchmarks/incomplete.py [--repeat 5] [--samples 100] [--measures "AP R PRES nDCG bpref infAP"]

Reads `runs/trec_covid_r1` of the shared data (LEADLINE_SHARED, or `shared` beside the repository), which is not
part of the project, and ends with a message if it is missing. The target is 30 seconds on two processors.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from leadline.trust.incomplete import SHARES, Incomplete
from leadline.trust.study import open_study

DATA = Path(os.environ.get("LEADLINE_SHARED", Path(__file__).parents[2] / "shared")) / "data/runs/trec_covid_r1"
PROMISE = 30.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--measures", default="AP R PRES nDCG bpref infAP")
    options = parser.parse_args()
    if not (DATA / "runs.tar.xz").is_file():
        print(f"skipped: the runs of TREC-COVID's first round are not at {DATA}")
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(DATA / "runs.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        runs = sorted(str(path) for path in Path(folder).rglob("*") if path.is_file())
        open_study(DATA / "qrels.txt", runs, options.measures)  # compiles, once in the life of an installation
        reading, studying = [], []
        for _ in range(options.repeat):
            start = time.perf_counter()
            study = open_study(DATA / "qrels.txt", runs, options.measures)
            read = time.perf_counter()
            Incomplete.of(study, samples=options.samples)
            reading.append(read - start)
            studying.append(time.perf_counter() - read)
    print(
        f"{len(study.runs)} runs × {len(study.topics)} topics, {len(study.hits.rank)} hits; {len(SHARES)} shares × "
        f"{options.samples} samples × {len(study.measures)} measures; {os.cpu_count()} processors"
    )
    for what, taken in (("reading and joining", reading), ("the study", studying)):
        print(f"{what:<20} median {statistics.median(taken):6.2f} s   {min(taken):.2f} to {max(taken):.2f}")
    whole = statistics.median(map(sum, zip(reading, studying, strict=True)))
    print(f"{'together':<20} median {whole:6.2f} s   {'within' if whole < PROMISE else 'OVER'} {PROMISE:.0f} s")
    sys.exit(whole >= PROMISE)


if __name__ == "__main__":
    main()
