"""Two runs topic by topic: where one is ahead, and the relevant documents that only one of them finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.show.figures.evidence import Evidence
from leadline.trust.order import sign


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


def clearest_miss(evidence: Evidence, finder: str, misser: str) -> Miss | None:
    """The relevant document that one run lists highest of those that the other does not list at all."""
    ours, theirs = (evidence.ranks[evidence.place(run)] for run in (finder, misser))
    only = np.flatnonzero((ours > 0) & (theirs == 0))
    if not len(only):
        return None
    place = int(only[ours[only].argmin()])
    row = int(evidence.relevant_documents[place])
    topic = evidence.topics[int(evidence.qrels.topic_of_document[row])]
    return Miss(topic, evidence.qrels.documents[row], finder, int(ours[place]), misser)
