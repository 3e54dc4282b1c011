"""The topics of a run shared out: to processes of this machine once that pays, or to those of a cluster.

A topic's result does not depend on the process that finds it, nor on the topics before, so a run is the same to the
last bit. Every process opens the index for itself; its files are mapped into memory, which all share.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from leadline.errors import InputError
from leadline.retrieval.index.manifest import content_digests
from leadline.retrieval.pipeline.context import Request, SearchContext
from leadline.retrieval.pipeline.pipeline import Narratives, System, TopicResult, answered

if TYPE_CHECKING:
    from leadline.text.spread import Spread

MOST_TOPICS = 16  # of a piece: a long run is interrupted with few topics lost
PIECES = 8  # for each processor, so that slow topics do not keep all waiting
SAMPLED = 0.3  # seconds of topics, after the first, that tell how long the others will take
PAYS = 4.0  # seconds of topics: a process begins, and opens the index and machine code, in about one


@dataclass(frozen=True)
class Opened:
    """Which index a worker opens, with its collection."""

    index: str
    collection: str | None
    content: tuple[str, ...]  # digests of the segments: those of the index that the caller has open

    @classmethod
    def of(cls, context: SearchContext) -> Opened:
        collection = str(context.collection.folder) if context.has_collection else None
        return cls(str(context.index.folder), collection, tuple(map(str, content_digests(context.index.manifest))))

    def open(self) -> SearchContext:
        """The index, opened once in a process."""
        return _open(self)


@lru_cache(maxsize=2)
def _open(which: Opened) -> SearchContext:
    context = SearchContext.open(which.index, which.collection)
    if Opened.of(context).content != which.content:
        raise InputError(which.index, "has changed since the command began: start it again")
    return context


def share_topics(
    spread: Spread,
    processors: int,
    system: System,
    context: SearchContext,
    requests: Sequence[Request],
    k: int,
    narratives: Narratives,
) -> Iterator[TopicResult]:
    """Answers requests elsewhere, in their order."""
    size = max(1, min(MOST_TOPICS, len(requests) // (PIECES * processors)))
    pieces = ((requests[at : at + size],) for at in range(0, len(requests), size))
    for results in spread(_answered_there, pieces, system, Opened.of(context), k, narratives):
        yield from results


def _answered_there(
    requests: Sequence[Request], system: Any, opened: Opened, k: int, narratives: Narratives
) -> list[TopicResult]:
    return list(answered(system, opened.open(), requests, k, narratives))


class TopicsInProcesses:
    """Answers requests here, and shares them out to processes where the first topics show that this pays.

    `SearchContext.elsewhere` takes it.
    """

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.at_once = 1  # topics that were answered at the same time

    def __call__(
        self, system: System, context: SearchContext, requests: Sequence[Request], k: int, narratives: Narratives
    ) -> Iterator[TopicResult]:
        here, spent = answered(system, context, requests, k, narratives), 0.0
        for done in range(len(requests)):
            left = len(requests) - done
            if self.processes > 1 and spent > SAMPLED and left * spent / (done - 1) > PAYS:
                from leadline.text.processes import WorkerProcesses

                self.at_once = min(self.processes, left)
                with WorkerProcesses(self.at_once, "answers topics") as workers:
                    yield from share_topics(workers, self.at_once, system, context, requests[done:], k, narratives)
                return
            start = time.monotonic()
            result = next(here)
            spent += (time.monotonic() - start) * (done > 0)  # the first topic reads what the others find read
            yield result
