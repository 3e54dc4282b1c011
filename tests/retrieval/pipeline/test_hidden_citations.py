"""Citations of the topic and its family are what judgements are made of: no step uses them, however it got them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import leadline as ll
from leadline.retrieval.pipeline.steps import Citations

TOPIC, SIBLING, CITED_BY_BOTH = "EP1000000A1", "US6100000B1", "US5000001A"
CITED_BY_TOPIC, CITED_BY_SIBLING = "US5000009A", "US5000010A"


@pytest.mark.parametrize("seen", ["before", "all"])
@pytest.mark.parametrize("members", ["family", "document"])
def test_family_members_among_the_first_results_give_nothing(
    context: ll.SearchContext, seen: str, members: str
) -> None:
    """A step of one's own may put the topic or its sibling among the results without asking what is visible."""
    names = [SIBLING, TOPIC, CITED_BY_BOTH]
    first = replace(
        context.request(TOPIC), dates="none", ranking=context.ranking(context.rows(names), np.array([3.0, 2.0, 1.0]))
    )
    done = Citations(weight=0.5, seen=seen, members=members)(context, first)  # type: ignore[arg-type]
    assert done.ranking is not None
    found = set(context.names(done.ranking.rows))
    assert "US4000003A" in found  # which an innocent result cites
    assert not found & {CITED_BY_TOPIC, CITED_BY_SIBLING}
