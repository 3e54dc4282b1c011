"""Vectors on a GPU and on the processor: how many texts a second, how long a search takes, and how much they differ.

    python benchmarks/accelerator.py [--model FOLDER] [--texts 20000] [--rows 1000000 4000000] [--write]

Needs a GPU, PyTorch, transformers and onnxruntime; no part of the index, so that it runs on a machine that has only
these. Texts are of words that the model knows, 20 to 200 of them. Times are elapsed times, medians of five; a search is
the cosine of every row with one vector, copied back. `--write` puts the table into docs/vectors.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from leadline.retrieval.dense.encoder import Encoder, GpuRows, gpu

BLOCK = 16384
DOCUMENT = Path(__file__).parents[1] / "docs" / "vectors.md"


def median_seconds(work: Callable[[], object], repeat: int = 5) -> float:
    """Elapsed seconds of some work, after one turn that is not counted."""
    times = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def made_texts(model: Path, count: int, rng: np.random.Generator) -> list[str]:
    """Texts of whole words of the model's vocabulary, frequent ones more often."""
    lines = (model / "vocab.txt").read_text(encoding="utf-8").splitlines()
    words = [word for word in lines if word.isascii() and word.isalpha()]
    shares = 1 / np.arange(10, 10 + len(words))
    chosen = rng.choice(len(words), (count, 200), p=shares / shares.sum())
    return [" ".join(words[w] for w in row[: rng.integers(20, 200)]) for row in chosen]


def processor_scores(rows: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """What the product computes without a GPU."""
    parts = [rows[start : start + BLOCK].astype(np.float32) @ vector for start in range(0, len(rows), BLOCK)]
    return np.concatenate(parts)


def encoding_rows(model: Path, texts: list[str], few: int) -> list[list[str]]:
    """Rows of the table for encoding: the processor encodes fewer texts."""
    os.environ["LEADLINE_DEVICE"] = "cpu"
    gpu.cache_clear()
    rows, vectors = [], {}
    for precision in ("int8", "full"):
        encoder = Encoder(str(model), precision)
        vectors[precision] = encoder.encode(texts[:few])
        taken = median_seconds(lambda encoder=encoder: encoder.encode(texts[:few]), 1)
        rows.append([f"{os.cpu_count()} cores, {precision}", f"{few / taken:,.0f}"])
    os.environ["LEADLINE_DEVICE"] = "cuda"
    gpu.cache_clear()
    encoder = Encoder(str(model), "full")
    taken = median_seconds(lambda: encoder.encode(texts))
    difference = np.abs(encoder.encode(texts[:few]) - vectors["full"]).max()
    cosines = (encoder.encode(texts[:few]) * vectors["full"]).sum(axis=1)
    rows.append([f"{gpu()}, full", f"{len(texts) / taken:,.0f}"])
    print(f"largest difference of a number {difference:.1e}, smallest cosine 1 - {1 - cosines.min():.1e}")
    return rows


def search_row(count: int, rng: np.random.Generator, width: int = 384) -> list[str]:
    """Row of the table for searching `count` vectors."""
    rows = np.empty((count, width), np.float16)
    for start in range(0, count, BLOCK):
        block = rng.standard_normal((min(BLOCK, count - start), width), np.float32)
        rows[start : start + BLOCK] = block / np.linalg.norm(block, axis=1, keepdims=True)
    vector = rng.standard_normal(width, np.float32)
    vector /= np.linalg.norm(vector)
    there = GpuRows(rows)
    ours, theirs = there.scores(vector), processor_scores(rows, vector)
    first = np.argsort(-theirs, kind="stable")[:1000]
    same = np.mean(first == np.argsort(-ours, kind="stable")[:1000])
    slow = median_seconds(lambda: processor_scores(rows, vector))
    fast = median_seconds(lambda: there.scores(vector))
    difference = np.abs(ours - theirs).max()
    times = [f"{1000 * slow:.1f}", f"{1000 * fast:.2f}", f"{slow / fast:.0f}"]
    return [f"{count:,}", *times, f"{difference:.1e}", f"{same:.1%}"]


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="folder of a BERT model (default: the packaged one)")
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--few", type=int, default=2_000, help="texts that the processor encodes")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 4_000_000])
    parser.add_argument("--write", action="store_true", help="write the tables into docs/vectors.md")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    model = options.model or Encoder().folder
    encoded = encoding_rows(model, made_texts(model, options.texts, rng), options.few)
    tables = [
        table(["on", "texts a second"], encoded),
        table(
            ["vectors", "processor, ms", "GPU, ms", "times", "largest difference", "same place in the first 1000"],
            [search_row(count, rng) for count in options.rows],
        ),
    ]
    print("\n\n".join(tables))
    if options.write:
        from marked_document import fill

        fill(DOCUMENT, {"gpu": "\n\n".join(tables)})


if __name__ == "__main__":
    main()
