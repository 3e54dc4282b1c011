"""Two runs topic by topic: where one is ahead, and the relevant documents that only one of them finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.show.figures.evidence import Evidence
from leadline.trust.order import sign

EARLY = 50  # a rank that a searcher reaches


@dataclass(frozen=True)
class Miss:
    """A relevant document that one run finds and another does not."""

    topic: str
    document: str
    finder: str
    rank: int
    misser: str


def lead_by_topic(evidence: Evidence, first: str, second: str) -> Array:
    """How far the first run is ahead on each topic, behind if below 0; NaN where a value is undefined."""
    values = evidence.main.values[:, :, 0]
    ahead = values[evidence.place(first)] - values[evidence.place(second)]
    return np.asarray(ahead * sign(evidence.measure.definition.better), np.float64)


def documents_of(evidence: Evidence, topic: int) -> Integers:
    """The places of a topic's relevant documents in `relevant_documents` and in the columns of `ranks`."""
    topics = evidence.qrels.topic_of_document[evidence.relevant_documents]
    return np.flatnonzero(topics == topic)


def clearest_miss(evidence: Evidence) -> Miss | None:
    """The relevant document that the leader lists highest of those that another run misses.

    It is one that the challenger misses, if the leader has such a document early.
    """
    ours = evidence.ranks[evidence.place(evidence.leader)]
    others = np.array([evidence.place(run) for run in evidence.order[1:]], np.int64)
    missed = evidence.ranks[others] == 0  # other run, best first × relevant document
    for runs, deepest in ((missed[:1], EARLY), (missed, None)):
        wanted = np.flatnonzero((ours > 0) & (ours <= (deepest or ours.max(initial=0))) & runs.any(axis=0))
        if len(wanted):
            place = int(wanted[ours[wanted].argmin()])
            row = int(evidence.relevant_documents[place])
            topic = evidence.topics[int(evidence.qrels.topic_of_document[row])]
            misser = evidence.order[1 + int(missed[:, place].argmax())]
            return Miss(topic, evidence.qrels.documents[row], evidence.leader, int(ours[place]), misser)
    return None
