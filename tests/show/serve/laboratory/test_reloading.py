"""Pages that wait for a result load themselves again, seldom."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.show.serve.conftest import PageBrowser
from tests.show.serve.laboratory.boards import copied_lab
from tests.show.serve.laboratory.sites import LabSite

from leadline.show.report.evidence import Evidence
from leadline.trust.pairs import Standing

PAGES = ("/leaderboard", "/")


def test_pages_reload_at_most_every_two_seconds_and_not_while_hidden(
    small_lab: Path, tmp_path: Path, chromium: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()  # until then the one thread that computes is busy, and all pages wait

    decide = Evidence.decide

    def slow(*arguments: Any) -> Standing:
        released.wait()
        return decide(*arguments)

    monkeypatch.setattr(Evidence, "decide", slow)
    lab = copied_lab(small_lab, tmp_path)
    for end in ("", "-wal", "-shm"):
        (lab / f"results.store{end}").unlink(missing_ok=True)  # other tests may have stored what is waited for here
    site = LabSite(lab)
    site.start()
    browser = PageBrowser(chromium, site)
    try:
        asked: Counter[str] = Counter()
        start = time.monotonic()
        for path in PAGES:
            page = browser.window("olga")
            page.on("request", lambda request: asked.update([urlsplit(request.url).path]))
            page.goto(site.url + path)
            assert page.locator("[data-reload]").count() == 1
        # Whatever the attribute says, there is a pause; a hidden page does not ask.
        hidden = browser.window("olga")
        hidden.add_init_script("Object.defineProperty(document, 'hidden', {get: () => true})")
        hidden_asked: list[str] = []
        hidden.on("framenavigated", lambda frame: hidden_asked.append(frame.url))
        hidden.goto(f"{site.url}/leaderboard")
        zero = browser.window("olga")

        def without_pause(route: Any) -> None:
            found = route.fetch()
            route.fulfill(response=found, body=found.text().replace('data-reload="3"', 'data-reload="0"'))

        zero.route("**/compare", without_pause)
        zero_asked: list[str] = []
        zero.on("framenavigated", lambda frame: zero_asked.append(frame.url))
        zero.goto(f"{site.url}/compare")
        while min(len(zero_asked), *(asked[path] for path in PAGES)) < 2:
            zero.wait_for_timeout(500)
            assert time.monotonic() - start < 120, asked
        most = 1 + (time.monotonic() - start) / 2  # however slow the machine is
        assert all(asked[path] <= most for path in PAGES), asked
        assert len(hidden_asked) == 1
        assert len(zero_asked) <= most
    finally:
        released.set()
        browser.close()
        site.stop()
