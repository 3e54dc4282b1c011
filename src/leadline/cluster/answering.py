"""Runs on a cluster: the topics are shared out, and every worker opens the index from the shared folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from leadline.cluster.work import Cluster
from leadline.errors import InputError
from leadline.retrieval.index.manifest import content_digests
from leadline.retrieval.pipeline.answering import Narratives, System, answered
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.journal import TopicResult
from leadline.retrieval.pipeline.request import Request

MOST_TOPICS = 16  # of a piece: a long run is interrupted with few topics lost
PIECES = 8  # for each processor, so that slow topics do not keep all waiting


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


@dataclass(frozen=True)
class TopicsOnCluster:
    """Answers requests on a cluster, in their order; `SearchContext.elsewhere` takes it."""

    cluster: Cluster

    def __call__(
        self, system: System, context: SearchContext, requests: Sequence[Request], k: int, narratives: Narratives
    ) -> Iterator[TopicResult]:
        size = max(1, min(MOST_TOPICS, len(requests) // (PIECES * self.cluster.processors)))
        pieces = ((requests[at : at + size],) for at in range(0, len(requests), size))
        for results in self.cluster(_answered_there, pieces, system, Opened.of(context), k, narratives):
            yield from results


def _answered_there(
    requests: Sequence[Request], system: Any, opened: Opened, k: int, narratives: Narratives
) -> list[TopicResult]:
    return list(answered(system, opened.open(), requests, k, narratives))
