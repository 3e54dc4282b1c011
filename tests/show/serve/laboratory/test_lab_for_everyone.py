"""Every page of the lab in a real browser, looked at by axe: by its colours, light and dark, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from tests.show.serve.conftest import PageBrowser
from tests.show.serve.laboratory.boards import example_lab, until_computed
from tests.show.serve.laboratory.sites import LabSite

DESK, PHONE = {"width": 1200, "height": 800}, {"width": 375, "height": 760}
# What the width and the colours of a window change; all else is looked at in the wide and light one.
OF_WINDOW = ["color-contrast", "scrollable-region-focusable", "target-size"]
PAGES = (
    "/", "/search", "/search?q=method&k=2", "/search?q=nothingofthekind", "/search?q=title:(", "{document}",
    "/prior-art", "/prior-art?patent={patent}&k=2", "/collections", "/collection/patents", "/directory/patents",
    "/leaderboard", "/run/bm25", "/compare?depth=3", "/topic/{topic}", "/trust", "/reports", "/judge", "/judge/pool/",
    "/review", "/review/asthma/", "/jobs", "/people", "/nothing",
)  # fmt: skip
ALSO_SMALL_AND_DARK = ("/", "/search?q=method&k=2", "/leaderboard", "/trust", "/judge/pool/", "/review/asthma/")


@pytest.fixture(scope="module")
def site(example_files: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabSite]:
    made = LabSite(example_lab(example_files, tmp_path_factory.mktemp("everyone")).folder)
    made.start()
    for page in ("leaderboard", "compare", "trust"):
        until_computed(made.client(), f"/api/{page}")
    yield made
    made.stop()


def test_axe_finds_nothing_on_any_page(chromium: Any, site: LabSite) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python")
    browser = PageBrowser(chromium, site)
    browser.expected = ("status of 400", "status of 404")  # of the pages that say what is wrong
    page = browser.window("olga", viewport=DESK)
    topic = site.client().get("/api/compare").json()["topic"]
    hit = site.client().get("/api/search", params={"q": "method system"}).json()["cards"][0]["document"]
    known = {"topic": quote(topic), "patent": quote(hit), "document": f"/document/patents/{quote(hit)}?topic={topic}"}
    found = []
    for paths, scheme, size, rules in ((PAGES, "light", DESK, None), (ALSO_SMALL_AND_DARK, "dark", PHONE, OF_WINDOW)):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
        for path in (each.format(**known) for each in paths):
            page.goto(site.url + path)
            for each in axe.Axe().run(page, options=options).response["violations"]:
                where = "; ".join(f"{node['target'][0]} {node['html'][:200]}" for node in each["nodes"][:4])
                found.append(f"{path} {scheme} {size['width']}: {each['impact']} {each['id']}, {each['help']}: {where}")
    browser.close()
    assert not found, "\n".join(found)
