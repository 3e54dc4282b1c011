"""The baseline for all other systems: all words of the topic, searched with BM25.

For a patent these are the words of its title, abstract, claims and description, with their counts; for a topic in words
those of its title and narrative.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import Either, Search, Survey, Text

PIPELINE = Either(patent=Text(), text=Survey()) >> Search("bm25")
