"""A page that is closed gives back the documents that it had."""

from __future__ import annotations

import json

from tests.show.serve.reviewing.conftest import ReviewSite


def test_a_closed_page_gives_its_documents_back(review_site: ReviewSite) -> None:
    anna, ben = review_site.client("anna"), review_site.client("ben")
    had = anna.next(5)
    assert set(ben.next(5)).isdisjoint(had)
    assert ben.post("/api/release", topic="abstract", have=had).status_code == 200  # they are not his
    assert set(ben.next(10)).isdisjoint(had)
    assert anna.post("/api/release", topic="abstract", have=[*had, "unknown"]).json() == {"released": True}
    assert set(had) <= set(ben.next(10))
    kept = set(anna.next(5))
    assert kept.isdisjoint(had)
    for wrong in (json.dumps(had), None, [1], ["a1"] * 101):
        assert anna.post("/api/release", topic="abstract", have=wrong).status_code == 400
    assert review_site.client("olga").post("/api/release", topic="abstract", have=[]).status_code == 403
