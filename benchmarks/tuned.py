"""What tuning gains on topics held out; writes the numbers of docs/tuning.md.

    python benchmarks/tuned.py [--data ../shared/data] [--work DIR] [--check]

The collections are those of effectiveness.py with synbio, and so is DIR. The smallest gets vectors. The learners are
compared on the smaller ones; this needs the extra `tune`. `--check` makes only the short form, of a small simulated
office, and compares it; the tests run it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from effectiveness import DATA, ROOT, SOURCES, Office, drawn, simulated
from marked_document import write_from_patents

import leadline as ll
from leadline.records.result import Table
from leadline.retrieval.dense.making import build_vectors
from leadline.retrieval.tuning import HELD_OUT, Learner, tune_system

DOCUMENT = ROOT / "docs" / "tuning.md"
WITH_VECTORS = ("synbio",)
LEARNERS_ON = ("patsnap", "synbio", "simulated")
SMALL = "--patents 300 --topics 20 --words invented --length 80"
COLUMNS = (
    "collection",
    "topics",
    "BM25",
    "best",
    "best rival",
    "its AP",
    "tuned, held out",
    "verdict",
    "largest weights",
)


def row(office: Office) -> list[object]:
    tuned = ll.tune(office.lab, office.topics, office.qrels)
    means = tuned.scores["AP"]
    (decided,) = tuned.verdicts.verdicts
    word = (
        decided.word if tuned.verdicts.leader == HELD_OUT or decided.word == "undecided" else f"{decided.word}, worse"
    )
    most = sorted(tuned.weights, key=lambda name: -tuned.weights[name])[:3]
    heaviest = ", ".join(f"{name} {tuned.weights[name]:.2f}" for name in most)
    values = [means["bm25"], means["best"], tuned.rival, means[tuned.rival], means[HELD_OUT]]
    return [office.name, tuned.topics, *values, word, heaviest]


def table(offices: Sequence[Office]) -> str:
    return Table(COLUMNS, [row(office) for office in offices]).render("markdown")


def learner_row(office: Office) -> list[object]:
    """Logistic regression and LambdaMART on the same topics, held out alike."""
    judged = ll.read_qrels(office.qrels)
    relevant = {
        topic: {document for document, grade in judged.judgements(topic).items() if grade > 0}
        for topic in judged.topics
    }
    runs = [
        replace(tune_system(office.lab, office.topics, relevant, learner=learner).runs[0], name=learner)
        for learner in get_args(Learner)
    ]
    scores = ll.evaluate(office.qrels, runs, "AP", topics=runs[0].topics)
    pair = ll.compare(scores, "AP")
    return [office.name, len(runs[0].topics), *scores["AP"].values(), float(pair.p[0])]


def learner_table(rows: Sequence[Sequence[object]]) -> str:
    return Table(["collection", "topics", "logistic", "LambdaMART", "p"], rows).render("markdown")


def short_form() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return table([simulated(Path(folder), SMALL)])


def tables(data: Path, work: Path) -> dict[str, str]:
    sources = {**SOURCES, "synbio": "docs.jsonl.xz"}
    offices = [drawn(name, data / "patents" / name / source, work) for name, source in sources.items()]
    for office in offices:
        if office.name in WITH_VECTORS:
            build_vectors(office.lab)
    offices.append(simulated(work))
    rows = [learner_row(office) for office in offices if office.name in LEARNERS_ON]
    return {"gains": table(offices), "learners": learner_table(rows)}


def main(arguments: Sequence[str] | None = None) -> None:
    write_from_patents(__doc__, DOCUMENT, short_form, tables, DATA, arguments)


if __name__ == "__main__":
    main()
