"""What is recognised as endless, and what is not."""

from __future__ import annotations

import datetime

import pytest

from leadline.collections.crawl.addresses import shapes, trap_in

TODAY = datetime.date(2025, 6, 1)


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/a/b/a/b/a/b/a/b", "repeated segments"),
        ("/x/x/x", "repeated segments"),
        ("/calendar?year=2031&month=2", "calendar"),
        ("/events/1901/02", "calendar"),
        ("/?date=2040-01", "calendar"),
        ("/" + "/".join(f"s{number}" for number in range(25)), "deep path"),
        ("/?" + "&".join(f"p{number}=1" for number in range(15)), "endless parameters"),
        ("/docs/9.6/release-9-6-24.html", ""),
        ("/calendar?year=2024&month=2", ""),
        ("/patents/US3932709A", ""),
        ("/2031/report.html", ""),
        ("/docs/a/docs/b/docs", ""),
    ],
)
def test_traps(path: str, trap: str) -> None:
    assert trap_in(f"http://example.com{path}", TODAY) == trap


def test_pages_of_a_calendar_share_a_shape() -> None:
    first, second = (shapes(f"http://a.example/calendar/2024/{month}") for month in (1, 12))
    assert first == second
    assert shapes("http://a.example/plain.html") == []
