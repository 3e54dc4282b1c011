"""How good learned vectors are, and what they cost: prints a table.

    python benchmarks/learned.py [--data ../shared/data] [--work DIR] [NAME ...]

`best` on indexes with learned vectors, beside BM25 and these vectors alone, with p of randomisation tests, and beside
`best` without vectors; the seconds of processor time are those of `learn_vectors`. The collections are those of
benchmarks/effectiveness.py, the topics of patents up to 100. NAME chooses some; indexes stay in DIR for the next time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from classic import FILES as CLASSIC
from classic import read_classic
from effectiveness import DATA, MEASURES, _beside, drawn, indexed

import leadline as ll
from leadline.cli import main as leadline
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.records.inputs import QrelsLike
from leadline.records.result import Table
from leadline.records.topics import Topics
from leadline.retrieval.choices import FIELDS
from leadline.retrieval.dense.vectors import learn_vectors
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.pipeline.steps import Dense

OFFICE, PATENTS, TOPICS = (
    "office",
    {"patsnap": "docs.jsonl.xz", "synbio": "docs.jsonl.xz", "us_api": "docs_10k.jsonl.xz"},
    100,
)
NAMES = (*CLASSIC, *PATENTS, OFFICE)
COLUMNS = (
    "collection", "documents", "topics", "best", "bm25", "best − bm25", "p", "verdict", "learned vectors",
    "best − vectors", "p ", "verdict ", "best, no vectors", "read by the model", "s",
)  # fmt: skip


def task(name: str, data: Path, work: Path) -> tuple[SearchContext, Topics, QrelsLike]:
    """The index of a collection, its topics and judgements."""
    if name in CLASSIC:
        known = read_classic(name, data / "classic")
        folder = work / f"{name}.collection"
        if not folder.exists():
            documents = [Document(**each) for each in known.documents]  # type: ignore[arg-type]
            write_collection(documents, folder, {"made": "of a classic collection"})
        return indexed(str(folder), work / f"{name}.index", ["title", "abstract"]), known.topics, known.qrels
    if name == OFFICE:
        folder = work / OFFICE
        if not folder.exists():
            leadline(["simulate", "office", "-o", str(folder), "--patents", "4000", "--topics", str(TOPICS), "-q"])
        context = indexed(str(folder / "collection"), work / "office.index", FIELDS)
        return context, Topics.read(folder / "topics.tsv"), str(folder / "qrels.true.txt")
    office = drawn(name, data / "patents" / name / PATENTS[name], work, TOPICS)
    return office.lab, office.topics, office.qrels


def row(name: str, data: Path, work: Path) -> list[object]:
    context, topics, qrels = task(name, data, work)
    for old in context.index.folder.glob("vectors-*"):
        old.unlink()
    without = system("best").run(context, topics, name="best, no vectors")
    start = time.process_time()
    made = learn_vectors(context)
    seconds = time.process_time() - start
    assert made is not None
    read = json.loads(made.path.with_suffix(".json").read_text()).get("learned", "all")
    again = SearchContext.open(context.index.folder)
    steps = {"bm25": system("bm25"), "vectors": Dense(), "best": system("best")}
    runs = [each.run(again, topics, name=called) for called, each in steps.items()]
    scores = ll.evaluate(qrels, [*runs, without], MEASURES)
    means = dict(zip(scores.runs, scores.mean_values()[:, 0].tolist(), strict=True))
    shown = [f"{means['best, no vectors']:.3f}", f"{read:,}" if isinstance(read, int) else read, f"{seconds:.0f}"]
    return [*_beside(name, len(again.index), scores), *shown]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, []], help=", ".join(NAMES))
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, help="folder for collections and indexes (default: a temporary one)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        rows = [row(name, options.data, work) for name in options.names or NAMES]
    print(Table(COLUMNS, rows).render("markdown"))


if __name__ == "__main__":
    main()
