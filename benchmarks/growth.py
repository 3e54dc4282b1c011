"""The slopes of the cost model of `leadline estimate`: fitted on three sizes, and checked at a fourth, larger one.

    python benchmarks/growth.py [--sizes 2000x2 2000x10 8000x5] [--check 16000x8] [--write]

A size is a number of documents, and how many passages of 120 words each has. The words are those of real patents, as in
benchmarks/search_texts.py, or drawn where the collection is not there. Every step runs after a warm-up on one core,
and what is counted is processor time. A cost is `fixed + documents · a + words · b`, none of them negative. `--write`
puts the tables into docs/growth.md; the slopes themselves are kept in src/leadline/show/cost_model.py.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("LEADLINE_ENGINE", "compiled")

import numpy as np
from marked_document import fill
from scipy.optimize import nnls
from search_texts import TEXTS, WORDS_A_DOCUMENT, generated, real

import leadline as ll
from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.records.result import Table
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.searcher import Searcher
from leadline.show.choices import KNOWN_COLLECTIONS, Workload
from leadline.show.cost_model import SLOPES, estimate

PAGE = Path(__file__).parents[1] / "docs/growth.md"
QUERIES, QUERY_WORDS, DEPTH = 20, 20, 1000
SEARCHED = (10_000, 30_000, 100_000)  # documents of a passage; the last is predicted
LINES = (200_000, 800_000, 2_400_000)  # of a run; the last is predicted
Costs = dict[str, float]


def timed(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def bytes_of(folder: Path) -> float:
    return float(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))


def documents_of(count: int, passages: int) -> list[dict[str, str]]:
    """Documents of words: the first 10 are the title, the next 100 the abstract, the others the description."""
    texts = real(count * passages) if TEXTS.exists() else generated(count * passages)
    found = []
    for number in range(count):
        words = [word for text in texts[number * passages : (number + 1) * passages] for word in text]
        parts = {"title": words[:10], "abstract": words[10:110], "description": words[110:]}
        found.append({"id": f"EP{number:07d}", **{name: " ".join(part) for name, part in parts.items()}})
    return found


def measured(count: int, passages: int, folder: Path) -> Costs:
    """The seconds and bytes of every step for one size."""
    texts, costs = documents_of(count, passages), Costs()
    with open(folder / "documents.jsonl", "w", encoding="ascii") as file:
        file.writelines(f"{json.dumps(text)}\n" for text in texts)
    costs["source bytes"] = float((folder / "documents.jsonl").stat().st_size)
    costs["collection seconds"] = timed(lambda: build([folder / "documents.jsonl"], folder / "collection", keep="all"))
    costs["collection bytes"] = bytes_of(folder / "collection")
    collection = Collection.open(folder / "collection")
    for name, positions in (("index", False), ("index with positions", True)):
        place = folder / name.replace(" ", "-")
        costs[f"{name} seconds"] = timed(
            lambda place=place, positions=positions: Index.build(collection, place, positions=positions, workers=1)
        )
        costs[f"{name} bytes"] = bytes_of(place)
    return costs


def search_seconds(count: int, folder: Path) -> float:
    """The seconds of one query of 20 words, 1000 documents deep, over so many documents of one passage."""
    texts = real(count) if TEXTS.exists() else generated(count)
    documents = ({"id": f"EP{number:07d}", "abstract": " ".join(words)} for number, words in enumerate(texts))
    searcher = Searcher(Index.build(documents, folder, fields=["abstract"], workers=1))
    queries = [" ".join(words[:QUERY_WORDS]) for words in texts[:: count // QUERIES][:QUERIES]]
    for query in queries:
        searcher.search(query, k=DEPTH)
    return min(timed(lambda: [searcher.search(query, k=DEPTH) for query in queries]) for _ in range(3)) / QUERIES


def evaluation_seconds(lines: int, folder: Path) -> float:
    """The seconds to score a run of so many lines, 1000 a topic, under the default measures."""
    rng, topics = np.random.default_rng(1), lines // DEPTH
    with open(folder / "qrels.txt", "w", encoding="ascii") as file:
        for topic in range(topics):
            file.writelines(f"{topic} 0 EP{n:07d} 1\n" for n in np.unique(rng.integers(0, 10**6, 200)))
    with open(folder / "a.run", "w", encoding="ascii") as file:
        for topic in range(topics):
            ids = rng.permutation(np.unique(rng.integers(0, 10**6, DEPTH * 2)))[:DEPTH].tolist()
            file.writelines(f"{topic} Q0 EP{n:07d} {rank} {DEPTH - rank:.4f} tag\n" for rank, n in enumerate(ids, 1))
    return min(timed(lambda: ll.evaluate(str(folder / "qrels.txt"), str(folder / "a.run"))) for _ in range(3))


def fitted(rows: list[list[float]], values: list[float]) -> list[float]:
    """Fixed costs and slopes, none negative; every size counts alike."""
    weights = 1 / np.array(values)
    found, _ = nnls(np.array(rows) * weights[:, None], np.ones(len(values)))
    return [float(f"{slope:.3g}") for slope in found]


def add_fit(
    name: str, rows: list[list[float]], values: list[float], slopes: list[list[str]], checks: list[list[str]]
) -> None:
    """Fit a cost on all sizes but the last, and compare it with that one."""
    slope = fitted(rows[:-1], values[:-1])
    predicted = float(np.dot(slope, rows[-1]))
    slopes.append([name, *(f"{number:.3g}" for number in slope)])
    checks.append([name, f"{predicted:.3g}", f"{values[-1]:.3g}", f"{predicted / values[-1]:.2f}"])


def estimates() -> dict[str, str]:
    """The tables of docs/growth.md that follow from the slopes in the source."""
    sized = [
        (f"10{power}", estimate(Workload(10**number, 5000))) for number, power in zip(range(6, 10), "⁶⁷⁸⁹", strict=True)
    ]
    known = [(name, estimate(Workload(each.documents, each.words))) for name, each in KNOWN_COLLECTIONS.items()]
    tables = {}
    for mark, first, found in (("sizes", "documents", sized), ("known", "collection", known)):
        rows = [[name, *row] for name, each in found for row in each.table_for_people().rows]
        columns = [first, *found[0][1].table_for_people().columns]
        tables[mark] = f"\n{Table(columns, rows).encoded('markdown').decode()}\n"
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["2000x2", "2000x10", "8000x5"])
    parser.add_argument("--check", default="16000x8", help="a larger size, which is predicted and then measured")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/growth.md")
    parser.add_argument("--tables", action="store_true", help="only write the tables that follow from known slopes")
    options = parser.parse_args()
    if options.tables:
        fill(PAGE, estimates())
        return
    sizes = [tuple(map(int, size.split("x"))) for size in [*options.sizes, options.check]]
    found: list[Costs] = []
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch:
        for place, (count, passages) in enumerate([(200, 2), *sizes]):  # the first loads machine code
            folder = Path(scratch) / str(place)
            folder.mkdir()
            found.append(measured(count, passages, folder))
            print(json.dumps({"documents": count, "passages": passages, **found[-1]}), file=sys.stderr, flush=True)
        searched = [search_seconds(count, Path(scratch) / f"index{count}") for count in SEARCHED]
        scored = []
        for count in LINES:
            folder = Path(scratch) / f"lines{count}"
            folder.mkdir()
            scored.append(evaluation_seconds(count, folder))
    rows = [[1.0, float(count), float(count * passages * WORDS_A_DOCUMENT)] for count, passages in sizes]
    slopes, checks = [], []
    costs = {name: [cost[name] for cost in found[1:]] for name in found[0]}
    for name, values in costs.items():
        add_fit(name, rows, values, slopes, checks)
    add_fit("search seconds", [[1.0, float(count), 0.0] for count in SEARCHED], searched, slopes, checks)
    add_fit("evaluation seconds (of lines)", [[1.0, float(count), 0.0] for count in LINES], scored, slopes, checks)
    tables = {
        "slopes": Table(["cost", "fixed", "per document", "per word"], slopes).encoded("markdown").decode(),
        "check": Table(["cost", "predicted", "measured", "ratio"], checks).encoded("markdown").decode(),
    }
    for name, table in tables.items():
        print(f"{name}\n{table}")
    print("kept in the source:", {name: tuple(vars(slope).values()) for name, slope in SLOPES.items()})
    if options.write:
        fill(PAGE, {name: f"\n{table}\n" for name, table in tables.items()} | estimates())


if __name__ == "__main__":
    main()
