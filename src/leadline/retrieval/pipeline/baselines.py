"""Baselines by the names that papers use: `leadline run --system bm25+rm3`."""

from __future__ import annotations

from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import RM3, Dense, Either, Fuse, Search, Survey, Text

QUERY = Either(patent=Text(), text=Survey())
BM25 = QUERY >> Search("bm25")

# The name of each baseline, what it does in a few words, and its pipeline.
BASELINES: dict[str, tuple[str, Step]] = {
    "bm25": ("all words of the topic, searched with BM25", BM25),
    "bm25+rm3": ("BM25, and again with words of the first ten results", BM25 >> RM3(10, 30, 0.5) >> Search("bm25")),
    "bm25+dense": ("BM25 and vectors, the scores of each from 0 to 1, half and half",
                   Fuse((BM25, Dense()), "linear", (0.5, 0.5))),
    "rrf": ("BM25 and vectors, by reciprocal rank fusion", Fuse((BM25, Dense()), "rrf")),
}  # fmt: skip
