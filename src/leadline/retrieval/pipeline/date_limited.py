"""A request limited to the dates that a topic's text asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.records.topics.narrative_dates import date_limits
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


def date_limited(context: SearchContext, request: Request) -> Request:
    """The request, limited if the topic's text asks for it; a note says so. A topic that is a patent is unchanged."""
    if request.is_patent:
        return request
    topic = request.topic
    limits = next(filter(None, map(date_limits, (topic.narrative, topic.description, topic.title))), None)
    if limits is None:
        return request
    published = context.index.column("publication")
    allowed = published != MISSING
    if limits.first is not None:
        allowed &= published >= limits.first
    if limits.last is not None:
        allowed &= published <= limits.last
    excluded = np.count_nonzero(~allowed)
    note = f'limited to "{limits.words}", which excludes {excluded:,} of {len(allowed):,} documents'
    return request.only(allowed).with_note(note)
