"""Makes the small lab that `leadline reproduce` uses where the papers' data are not published.

    leadline demo -o demo --patents 6000 --topics 60 --no-open
    python benchmarks/papers_lab.py demo

From the folder of a demo it keeps every run's first documents, the judgements from citations and by claim, the words of
the documents and the classes of the collection, and writes src/leadline/show/papers/simulated_lab.npz.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.records.qrels import read_qrels
from leadline.records.runs import read_run
from leadline.records.topics import Topics
from leadline.show.papers.exhibit import DEPTH, STORED

TARGET = Path(__file__).parents[1] / "src/leadline/show/papers" / STORED


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("demo", type=Path)
    parser.add_argument("-o", type=Path, default=TARGET)
    options = parser.parse_args()
    write_lab(options.demo, options.o)


def write_lab(demo: Path, target: Path) -> None:
    """Write the lab of a demo's folder."""
    collection = Collection.open(demo / "office/collection")
    topics = Topics.read(demo / "topics.tsv")
    names = [topic.id for topic in topics]
    runs = [read_run(path) for path in sorted((demo / "runs").glob("*.run"))]
    cited, claimed = read_qrels(demo / "qrels.citations.txt"), read_qrels(demo / "qrels.true.claims.txt")
    known: dict[str, int] = {}

    def number(document: str) -> int:
        return known.setdefault(document, len(known) + 1)  # 0 is the end of a list

    lists = np.zeros((len(runs), len(names), DEPTH), np.uint16)
    for r, run in enumerate(runs):
        for t, topic in enumerate(names):
            listed = run.ranking(topic)[:DEPTH] if topic in run.topics else []
            lists[r, t, : len(listed)] = [number(document) for document, _ in listed]
    judged = [
        (t, number(document))
        for t, topic in enumerate(names)
        for document, grade in cited.judgements(topic).items()
        if grade >= 1
    ]
    table = claimed.subtopics
    assert table is not None
    assert table.weights is not None
    rows = []
    for document, subtopic, grade in zip(table.document, table.subtopic, table.grade, strict=True):
        topic = claimed.topics[claimed.topic_of_document[document]]
        if topic in names:
            halves = round(2 * float(table.weights[subtopic]))
            rows.append(
                (
                    names.index(topic),
                    int(table.names[subtopic]),
                    number(claimed.documents[document]),
                    int(grade),
                    halves,
                )
            )
    records = collection.records
    words = dict(zip(records["id"], records["words"], strict=True))
    symbols = ({symbol[:4] for symbol in listed or ()} for listed in records["ipc"].to_list())
    classes = Counter(symbol for listed in symbols for symbol in sorted(listed))
    np.savez_compressed(
        target,
        runs=np.array([run.name for run in runs]),
        topics=np.array(names),
        attributes=np.array([[topic.attributes[name] for name in ("office", "class", "words")] for topic in topics]),
        lists=lists,
        cited=np.array(judged, np.uint16),
        claimed=np.array(rows, np.uint16),
        words=np.array([words[document] for document in known], np.uint32),
        classes=np.array(sorted(classes)),
        class_counts=np.array([classes[name] for name in sorted(classes)]),
        documents=np.array([len(records)]),
    )
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB, {len(runs)} runs, {len(names)} topics")


if __name__ == "__main__":
    main()
