"""Learners and stopping rules on 14 systematic reviews (Cohen 2006), with both labels; writes docs/reviewing.md.

    python benchmarks/review.py [--seeds 100] [--check]

The numbers of the document are between marks. Its short form, 2 seeds of four small reviews, is computed again by the
tests; `--check` only compares it. Reads `reviews` of the shared data (LEADLINE_SHARED, or `shared` beside the
repository).
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import resource
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from leadline.judge.review.features import TextFeatures
from leadline.judge.review.order import learned_order
from leadline.judge.review.rule import RULES
from leadline.judge.review.simulation import LabelledReview, ReviewSimulation, simulate_reviews

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data" / "reviews"
DOCUMENT = ROOT / "docs" / "reviewing.md"
LEVELS = {"label_included": "included in the end", "label_abstract_screening": "kept after the abstract"}
SMALL = ("Antihistamines", "Estrogens", "NSAIDS", "UrinaryIncontinence")


def read_reviews(folder: Path, level: str, names: Sequence[str] = ()) -> list[LabelledReview]:
    csv.field_size_limit(1 << 30)
    reviews = []
    for path in sorted(folder.glob("*.csv")):
        if names and path.stem not in names:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        texts = [f"{row['title']} {row['abstract']}" for row in rows]
        relevant = np.array([row[level] == "1" for row in rows])
        reviews.append(
            LabelledReview(path.stem, tuple(row["record_id"] for row in rows), TextFeatures.of(texts), relevant)
        )
    return reviews


def short_form(folder: Path) -> str:
    """A line of numbers that changes when anything that the document depends on changes."""
    found = []
    for level in LEVELS:
        simulation = simulate_reviews(read_reviews(folder, level, SMALL), seeds=2)
        found += [*simulation.needed.ravel(), *simulation.read.ravel()]
    return " ".join(f"{value:.4f}" for value in found)


def rules_table(by_level: dict[str, ReviewSimulation]) -> str:
    lines = [
        "| rule | what it is |" + "".join(f" {words}: reached | worst review | read |" for words in LEVELS.values())
    ]
    lines.append("|:---|:---|" + "---:|---:|---:|" * len(LEVELS))
    first = next(iter(by_level.values()))
    for at, rule in enumerate(first.rules):
        cells = []
        for found in by_level.values():
            reached = found.reached[0, :, at]
            cells += [f"{reached.mean():.2f}", f"{reached.min():.2f}", f"{found.read[0, ..., at].mean():.2f}"]
        lines.append(f"| `{rule}` | {RULES.named(rule).kind} | {' | '.join(cells)} |")
    best = [cell for found in by_level.values() for cell in ("1.00", "1.00", f"{found.needed[0].mean():.2f}")]
    return "\n".join([*lines, f"| *the best possible stop* | knows the truth | {' | '.join(best)} |"])


def learners_table(folder: Path, seeds: int) -> str:
    reviews = read_reviews(folder, "label_included")
    lines = [
        "| learner | WSS@95, rounded up | to nearest | down | processor time of a pass over all reviews |",
        "|:---|---:|---:|---:|---:|",
    ]
    for name in ("svm", "naive-bayes", "logistic", "autotar"):
        saved, begin = [], time.process_time()
        for review in reviews:
            for seed in range(seeds):
                order = learned_order(review.features, review.relevant, review.start(seed), name, seed=seed)
                found, total = np.cumsum(review.relevant[order]), int(review.relevant.sum())
                wanted = [
                    int(np.ceil(0.95 * total - 1e-9)),
                    max(round(0.95 * total), 1),
                    max(int(0.95 * total + 1e-9), 1),
                ]
                saved.append([0.95 - (int(np.argmax(found >= least)) + 1) / len(found) for least in wanted])
        seconds = (time.process_time() - begin) / seeds
        lines.append(
            f"| `{name}` | {' | '.join(f'{value:.3f}' for value in np.mean(saved, axis=0))} | {seconds:.2f} s |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="only compare the short form with the document's")
    options = parser.parse_args(arguments)
    if not (DATA / "cohen_2006.tar.xz").is_file():
        sys.exit(f"skipped: the reviews are not at {DATA}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with tarfile.open(DATA / "cohen_2006.tar.xz") as packed:
            packed.extractall(folder, filter="data")
        short = short_form(folder)
        text = DOCUMENT.read_text(encoding="utf-8")
        if options.check:
            (written,) = re.findall(r"<!-- short form: (.*?) -->", text, flags=re.DOTALL)
            sys.exit(
                0 if short == " ".join(written.split()) else f"{DOCUMENT.name} is out of date: run without --check"
            )
        by_level = {
            level: simulate_reviews(read_reviews(folder, level), seeds=options.seeds, progress=_progress)
            for level in LEVELS
        }
        records = sum(next(iter(by_level.values())).sizes)
        sections = {
            "size": f"14 reviews, {records:,} records, {options.seeds} seeds each, target 95 %, α = 0.05.",
            "rules": rules_table(by_level),
            "learners": learners_table(folder, min(options.seeds, 4)),
        }
        text = DOCUMENT.read_text(
            encoding="utf-8"
        )  # again: the study takes long, and somebody may have edited the page
        for name, content in sections.items():
            mark = rf"(<!-- {name} -->\n).*?(\n<!-- end -->)"
            text, made = re.subn(
                mark, lambda marks, content=content: f"{marks[1]}{content}{marks[2]}", text, flags=re.DOTALL
            )
            if not made:
                sys.exit(f"{DOCUMENT.name} has no mark {name}")
        text = re.sub(r"<!-- short form: .*? -->", f"<!-- short form: {short} -->", text, flags=re.DOTALL)
        DOCUMENT.write_text(text, encoding="utf-8")
        print("\n\n".join(sections.values()))
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def _progress(done: int, total: int) -> None:
    if done % 100 == 0 or done == total:
        print(f"{done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    main()
