"""The plain way, against which every other system is measured: all words of the topic, searched with BM25.

A patent as topic gives the words of its title, abstract, claims and description, each as often as it stands there; a
need in words gives those of its title and narrative.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import Either, Search, Survey, Text

PIPELINE = Either(patent=Text(), text=Survey()) >> Search("bm25")
