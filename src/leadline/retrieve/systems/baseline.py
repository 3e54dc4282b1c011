"""The plain way: every word of the patent, or of the topic's text, searched with BM25."""

from __future__ import annotations

from leadline.retrieve.steps import Either, Search, Survey, Text

PIPELINE = Either(patent=Text(), text=Survey()) >> Search("bm25")
