"""The documentation site builds without a warning, its links hold, and no page asks another host for anything."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from leadline.commands import command_files
from leadline.measures.definition import MEASURES

ROOT = Path(__file__).parents[1]
MISSING = [name for name in ("mkdocs", "material") if importlib.util.find_spec(name) is None]


class Page(HTMLParser):
    """The ids of a page, its links, and the files that a browser fetches for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag in ("script", "img", "iframe", "source") and "src" in given:
            self.fetched.append(given["src"])
        elif tag == "link" and "href" in given:
            self.fetched.append(given["href"])
        elif tag == "a" and "href" in given:
            self.links.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if MISSING:
        pytest.skip('needs MkDocs Material: pip install "leadline[docs]"')
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_measure_and_command_is_in_the_site(site: Path) -> None:
    assert [name for name in MEASURES if not (site / "measures" / f"{name}.html").exists()] == []
    commands = (site / "commands.html").read_text(encoding="utf-8")
    assert [name for name in command_files() if f'id="leadline-{name.replace(" ", "-")}"' not in commands] == []


def test_every_link_leads_to_a_page_and_a_place_in_it(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links begin at the root of a server
            continue
        for link in [*page.links, *page.fetched]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            place = unquote(parts.fragment)
            if not target.exists() or (place and target in pages and place not in pages[target].ids):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


def test_no_page_asks_another_host(site: Path, pages: dict[Path, Page]) -> None:
    asked = {link for page in pages.values() for link in page.fetched if urlsplit(link).netloc}
    assert asked == set()
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert not [text for text in styles if "url(http" in text or "@import" in text]


def test_pages_opened_as_files_can_be_searched(site: Path, pages: dict[Path, Page]) -> None:
    assert (site / "search/search_index.js").read_text(encoding="utf-8").startswith("var __index = {")
    assert "scripts/iframe-worker.js" in pages[site / "index.html"].fetched


ASKED = {
    "install": "install.html",
    "import RIS": "forms.html",
    "when can I stop": "reviewing.html",
    "upload a run": "lab-runs.html",
}


@pytest.mark.parametrize("asked", ASKED)
def test_the_search_finds_first_what_is_asked_for(
    asked: str, site: Path, chromium: Any, eventually: Callable[..., None]
) -> None:
    page = chromium.new_page()
    page.goto((site / "index.html").as_uri())
    page.locator("input[data-md-component=search-query]").click()
    page.keyboard.insert_text(asked)
    page.keyboard.press("End")  # the page looks at what is written when a key comes up

    def found() -> list[str]:
        links = page.locator(".md-search-result__item > a:first-of-type").all()
        return [Path(urlsplit(link.get_attribute("href")).path).name for link in links]

    eventually(page, lambda: found()[:1] == [ASKED[asked]])
    page.close()


def test_the_times_that_readme_names_are_those_of_the_comparison() -> None:
    comparison = (ROOT / "docs/compare/others.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    figures = re.findall(r"(\d+ times|\d+\.\d+ s\b)", readme)
    assert figures == ["0.74 s", "22 times"]
    assert [figure for figure in figures if figure not in comparison] == []


@pytest.mark.parametrize("name", ["docs/printed", "docs/reference_pages", "docs/repository_pages", "release_notes"])
def test_the_examples_of_tools(name: str) -> None:
    command = [sys.executable, "-m", "doctest", str(ROOT / "tools" / f"{name}.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
