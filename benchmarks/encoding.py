"""How fast texts become vectors, and what integers and a shorter window cost; writes the tables of docs/vectors.md.

    python benchmarks/encoding.py [--data ../shared/data] [--texts 96]

Speed is in documents per second of processor time: the ways take turns in one process, so that a busy machine slows all
of them alike, and the best of three turns counts. Loss is measured without an index: every document is compared with
every topic, without dates, on patents (synbio, topics are patents) and on abstracts (Medline, topics in words).
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from classic import read_classic
from effectiveness import DATA, ROOT
from marked_document import fill

import leadline as ll
from leadline.records.result import Table
from leadline.records.runs import Run
from leadline.retrieval.dense import encoder as module
from leadline.retrieval.dense.encoder import Encoder, Precision

DOCUMENT = ROOT / "docs" / "vectors.md"
TURNS, K = 3, 1000
EARLIER = 256  # tokens of a text that were read, and
SHORTER = 128  # as in the model's training
EARLIER_BATCH = 32  # texts of a batch, which all processors computed together
Encode = Callable[[Sequence[str]], np.ndarray]


def with_window(tokens: int, precision: Precision) -> Encoder:
    made = Encoder(precision=precision)
    made._tokenizer.enable_truncation(tokens)
    return made


def earlier(encoder: Encoder) -> Encode:
    """The vectors of texts as they were made before: large batches, each shared by all processors."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    content = module._int8_model(encoder.folder, encoder.digest)
    session: Any = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def encode(texts: Sequence[str]) -> np.ndarray:
        ids = sorted((each.ids for each in encoder._tokenizer.encode_batch(list(texts))), key=len)
        found = []
        for start in range(0, len(ids), EARLIER_BATCH):
            batch = ids[start : start + EARLIER_BATCH]
            padded = np.zeros((len(batch), len(batch[-1])), np.int64)
            mask = np.zeros(padded.shape, np.int32)
            for row, tokens in enumerate(batch):
                padded[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
            found.append(session.run(["sum"], {"ids": padded, "mask": mask})[0])
        return np.concatenate(found)

    return encode


def speed(texts: dict[str, list[str]]) -> str:
    ways: dict[str, Encode] = {
        "32 texts at a time, int8, 256 tokens (earlier)": earlier(with_window(EARLIER, "int8")),
        "256 tokens at a time, float, 256 tokens": with_window(EARLIER, "full").encode,
        "256 tokens at a time, int8, 256 tokens (now)": Encoder().encode,
        "256 tokens at a time, int8, 128 tokens": with_window(SHORTER, "int8").encode,
    }
    best: dict[tuple[str, str], float] = {}
    for _ in range(TURNS):
        for kind, listed in texts.items():
            for way, encode in ways.items():
                start = time.process_time()
                encode(listed)
                rate = len(listed) / (time.process_time() - start)
                best[way, kind] = max(best.get((way, kind), 0.0), rate)
    first = next(iter(ways))
    rows = []
    for way in ways:
        pairs = [(best[way, kind], best[way, kind] / best[first, kind]) for kind in texts]
        rows.append([way, *(cell for rate, times in pairs for cell in (f"{rate:.0f}", f"{times:.2f}"))])
    return Table(["way", *(name for kind in texts for name in (f"{kind} a second", "times"))], rows).render("markdown")


def patents(name: str, source: str, data: Path) -> dict[str, str]:
    """Title and abstract of each patent."""
    with lzma.open(data / "patents" / name / source, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return {each["id"]: f"{each['title'] or ''}\n{each['abstract'] or ''}" for each in read}


def loss(data: Path) -> str:
    documents = patents("synbio", "docs.jsonl.xz", data)
    read = ll.read_qrels(data / "patents/synbio/qrels_family_expanded.txt")
    judged = {topic: dict(read.judgements(topic)) for topic in read.topics if topic in documents}
    med = read_classic("Medline", data / "classic")
    collections = {
        "synbio": (documents, {topic: documents[topic] for topic in judged}, judged),
        "Medline": (
            {each["id"]: f"{each['title']}\n{each['abstract']}" for each in med.documents},
            {topic.id: topic.title for topic in med.topics},
            med.qrels,
        ),
    }
    ways: list[tuple[int, Precision]] = [(EARLIER, "full"), (EARLIER, "int8"), (SHORTER, "int8")]
    rows: list[list[object]] = []
    for name, (texts, topics, qrels) in collections.items():
        runs, cosines, exact = [], [], None
        for tokens, precision in ways:
            encoder = with_window(tokens, precision)
            vectors = encoder.encode(list(texts.values()))
            exact = vectors if exact is None else exact
            cosines.append(float((exact * vectors).sum(1).mean()))
            asked = encoder.encode(list(topics.values()))
            runs.append(ranked(list(texts), list(topics), asked @ vectors.T, f"{tokens} tokens, {precision}"))
        scores = ll.evaluate(qrels, runs, "AP R@10")
        for run, cosine, (ap, recall) in zip(runs, cosines, scores.mean_values().tolist(), strict=True):
            pair = ll.compare(ll.evaluate(qrels, [runs[0], run], "AP"), "AP") if run is not runs[0] else None
            p = "" if pair is None else f"{float(pair.p[0]):.2g}"
            rows.append([name, run.name, f"{cosine:.3f}", ap, recall, p])
    columns = ["collection", "vectors", "cosine with the first", "AP", "R@10", "p of the difference in AP"]
    return Table(columns, rows).render("markdown")


def ranked(documents: list[str], topics: list[str], scores: np.ndarray, name: str) -> Run:
    rows: list[tuple[str, str, float]] = []
    for topic, own in zip(topics, scores, strict=True):
        order = [place for place in np.argsort(-own, kind="stable")[: K + 1].tolist() if documents[place] != topic]
        rows += [(topic, documents[place], float(own[place])) for place in order[:K]]
    names, found, values = zip(*rows, strict=True)
    return Run.from_columns(names, found, values, name)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--texts", type=int, default=96, help="texts to time (default: %(default)s)")
    options = parser.parse_args(arguments)
    real = list(patents("us_api", "docs_10k.jsonl.xz", options.data).values())[: 4 * options.texts]
    texts = {"patents": real[: options.texts], "titles": [text.partition("\n")[0] for text in real]}
    for name, make in {"speed": lambda: speed(texts), "loss": lambda: loss(options.data)}.items():
        made = make()
        print(made, flush=True)
        fill(DOCUMENT, {name: made})


if __name__ == "__main__":
    main()
