"""The public function that asks someone else's search service."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

from leadline.errors import InputError, LeadlineWarning
from leadline.records.inputs import Path

if TYPE_CHECKING:
    from leadline.records.runs.run import Run
    from leadline.records.topics.topic import Topics


def run_engine(
    engine: Path, topics: Path | Topics, k: int = 1000, *, index: Path | None = None, run_code: bool = False
) -> Run:
    """Ask the search service that a TOML file describes (docs/engines.md) about every topic.

    `index` has the texts of patents, where topics are patents. A file that names a program or Python code is refused
    unless `run_code` is True. A topic that gets no answer is an error.
    """
    from leadline.records.topics.topic import Topics
    from leadline.retrieval.engines.asking import ask_topics
    from leadline.retrieval.engines.engine_file import read_engine
    from leadline.retrieval.engines.queries import queries, query_notes
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.text.source import stem

    name = os.fspath(engine)
    service = read_engine(name, run_code=run_code)
    asked = topics if isinstance(topics, Topics) else Topics.read(topics)
    context = None if index is None else SearchContext.open(index)
    texts = queries(asked, service.query, name, context)
    for note in query_notes(asked, texts, service.query):
        warnings.warn(LeadlineWarning(f"{name}: {note}"), stacklevel=2)
    done = ask_topics(service, texts, k, context=context)
    for topic, reason in done.failed.items():
        raise InputError(name, f"{len(done.failed):,} of {len(asked):,} topics failed: {topic}: {reason}")
    return done.answers.run(stem(name.removesuffix(".toml")))
