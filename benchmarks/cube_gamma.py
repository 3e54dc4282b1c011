"""Makes the table of docs/cube-test.md: which ideal run wins under the Cube Test, by lid and gamma.

    python benchmarks/cube_gamma.py [--check]

It reads the judgements of TREC Dynamic Domain 2016 from the shared data. With --check nothing is written; the status
is 1 when the document has other numbers.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from marked_document import fill, written

from leadline.measures.evaluate import evaluate
from leadline.measures.subtopics import ideal_run
from leadline.records.qrels import read_qrels

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "cube-test.md"
SHARED = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared"))
QRELS = SHARED / "data/subtopics/trec_dd_2016/qrels.txt.gz"
CASES = [("off", 0.1), ("off", 0.5), ("off", 0.7), ("off", 0.8), ("off", 0.9), ("relevance", 0.1), ("relevance", 0.5),
         ("relevance", 0.9), ("height", 0.1), ("height", 0.9)]  # fmt: skip
KINDS = ("coverage", "single")


def table(path: Path = QRELS) -> str:
    """The table as markdown."""
    qrels = read_qrels(path, format="passages")
    runs = {kind: ideal_run(qrels, kind, theta="decay") for kind in KINDS}
    lines = [
        "| lid | gamma | coverage wins | single wins | CT of coverage | CT of single |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for lid, gamma in CASES:
        scores = evaluate(qrels, runs, f"CT(gamma={gamma},theta=decay,time=150,lid={lid})@10")
        coverage, single = scores.values[:, :, 0]
        means = " | ".join(f"{mean:.5f}".removeprefix("0") for mean in scores.mean_values()[:, 0])
        lines.append(f"| {lid} | {gamma} | {(coverage > single).sum()} | {(single > coverage).sum()} | {means} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    made = table()
    if not options.check:
        fill(DOCUMENT, {"gamma": made})
    elif made != written(DOCUMENT, "gamma"):
        sys.exit(f"{DOCUMENT.name} has other numbers; the table is now\n{made}")


if __name__ == "__main__":
    main()
