"""`best` beside its parts on every collection, with the vectors that an index gets by default and with none; writes the
table of docs/effectiveness.md, or prints the rows of some collections.

    python benchmarks/best.py [--data ../shared/data] [--work DIR] [NAME ...]

Each row has `best` beside BM25 and beside the vectors alone, with p of randomisation tests, and the seconds of
processor time that the vectors took. The topics of patents are up to 100. `Cohen` is records of medical papers with the
names of groups of drugs as topics; nothing was ever chosen on it. NAME chooses some; indexes, their vectors and
finished rows stay in DIR, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from classic import FILES as CLASSIC
from classic import Classic, read_classic
from effectiveness import AGAINST, DATA, DOCUMENT, MEASURES, against, drawn, indexed
from marked_document import fill

import leadline as ll
from leadline.cli import main as leadline
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.records.inputs import QrelsLike
from leadline.records.result import Table
from leadline.records.scores import Scores
from leadline.records.topics import Topic, Topics
from leadline.retrieval.choices import FIELDS
from leadline.retrieval.dense.making import learn_vectors
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.pipeline.steps import Dense

OFFICE, COHEN, TOPICS = "simulated", "Cohen", 100
PATENTS = {"patsnap": "docs.jsonl.xz", "synbio": "docs.jsonl.xz", "us_api": "docs_10k.jsonl.xz"}
NAMES = (*CLASSIC, COHEN, *PATENTS, OFFICE)
# What was chosen on a collection: shares of the vectors, the ridge regression, the score of passages; or the other
# steps of `best`, on half of the topics.
CHOSEN = {
    "Cranfield": "share, ridge", "CACM": "share, ridge", "Medline": "share, ridge", COHEN: "nothing",
    "patsnap": "steps, share", "synbio": "share, passages", "us_api": "steps, share, passages", OFFICE: "steps",
}  # fmt: skip
COLUMNS = (
    "collection", "chosen on it", "documents", "topics", "best", "best, no vectors", "bm25", "best − bm25", "p",
    "verdict", "vectors", "best − vectors", "p ", "verdict ", "s",
)  # fmt: skip
SINGLE = ("bm25", "vectors")


def read_cohen(folder: Path) -> Classic:
    """Records of fourteen reviews in one collection; a review's topic is its group of drugs."""
    documents: dict[str, dict[str, str]] = {}
    topics, qrels = [], {}
    with tarfile.open(folder / "cohen_2006.tar.xz") as files:
        for member in sorted(files.getnames()):
            content = files.extractfile(member) if member.endswith(".csv") else None
            if content is None:
                continue
            rows = list(csv.DictReader(io.TextIOWrapper(content, "utf-8")))
            documents |= {
                row["pubmedID"]: {"id": row["pubmedID"], "title": row["title"], "abstract": row["abstract"]}
                for row in rows
            }
            name = Path(member).stem
            topics.append(Topic(name, " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", name))))
            qrels[name] = {row["pubmedID"]: int(row["label_abstract_screening"] == "1") for row in rows}
    return Classic(list(documents.values()), Topics.of(topics), qrels)


def task(name: str, data: Path, work: Path) -> tuple[SearchContext, Topics, QrelsLike]:
    """The index of a collection, its topics and judgements."""
    if name in (*CLASSIC, COHEN):
        known = read_classic(name, data / "classic") if name in CLASSIC else read_cohen(data / "reviews")
        folder = work / f"{name}.collection"
        if not folder.exists():
            documents = [Document(**each) for each in known.documents]  # type: ignore[arg-type]
            write_collection(documents, folder, {"made": "of a test collection"})
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
    assert learn_vectors(context) is not None
    seconds = time.process_time() - start
    again = SearchContext.open(context.index.folder)
    steps = {"bm25": system("bm25"), "vectors": Dense(), "best": system("best")}
    runs = [each.run(again, topics, name=called) for called, each in steps.items()]
    scores = ll.evaluate(qrels, [*runs, without], MEASURES)
    means = dict(zip(scores.runs, scores.mean_values()[:, 0].tolist(), strict=True))
    line: list[object] = [name, CHOSEN[name], f"{len(again.index):,}", len(scores.topics)]
    line += [f"{means[each]:.3f}" for each in ("best", "best, no vectors")]
    for single in SINGLE:
        line += _against(scores, name, single, means)
    return [*line, f"{seconds:.0f}"]


def _against(scores: Scores, name: str, single: str, means: dict[str, float]) -> list[object]:
    """`best` against one part of it: means of AP, and p of a randomisation test."""
    rows = against(scores, name, single, ["best"])
    ((*_, level, word),) = (row for row in rows if row[AGAINST.index("measure")] == "AP")
    return [f"{means[single]:.3f}", f"{means['best'] - means[single]:+.3f}", f"{level:.2g}", word]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, []], help=", ".join(NAMES))
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, help="folder for collections and indexes (default: a temporary one)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        rows = []
        for name in options.names or NAMES:
            made = work / f"{name}.row.json"
            if not made.exists():
                made.write_text(json.dumps(row(name, options.data, work)))
            rows.append(json.loads(made.read_text()))
            print(*rows[-1], sep=" | ", flush=True)
    if not options.names:
        fill(DOCUMENT, {"best beside": Table(COLUMNS, rows).render("markdown")})


if __name__ == "__main__":
    main()
