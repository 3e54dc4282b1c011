"""What MkDocs calls while it builds the site: adds the pages that are made from the program and from other files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

from gallery import gallery_pages
from reference_pages import api_pages, command_pages, measure_pages
from repository_pages import relinked, repository_pages

_made: dict[str, str] = {}  # pages by their place, for all builds of a process
# How much pages count in the site's search, by how their place begins: what most people look for, more; pages that are
# made from the program and from other files, which are many, long, and have the words of all others, less.
COUNTS = {
    **dict.fromkeys(("install.md", "reviewing.md"), 2.0),
    **dict.fromkeys(("commands.md", "gallery.md"), 0.5),
    **dict.fromkeys(("measures/", "api/", "examples/"), 0.2),
    "project/": 0.1,
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the pages, and put those of measures, and those that mkdocs.yml does not name, into the navigation."""
    if not _made:
        for make in (repository_pages, measure_pages, command_pages, api_pages, gallery_pages):
            _made.update(make())
    for section in config.nav or []:
        for entry in section.get("Reference", []) if isinstance(section, dict) else []:
            if "Measures" in entry:
                entry["Measures"] = sorted((page for page in _made if page.startswith("measures/")), key=_index_first)
    named = set(_pages_of(config.nav))
    folder = Path(config.docs_dir)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    if others := [page for page in found if page not in named]:
        config.nav = [*(config.nav or []), {"More": others}]
    return config


def _pages_of(nav: Any) -> Iterator[str]:
    """The pages that a navigation, or a part of it, names."""
    if isinstance(nav, str):
        yield nav
    elif nav:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from _pages_of(part)


def _index_first(page: str) -> tuple[bool, str]:
    return not page.endswith("/index.md"), page.lower()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for place, content in _made.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Say how much a page counts in the search, and mend the links of `docs/` that leave it."""
    place = page.file.src_uri
    boost = next((count for start, count in COUNTS.items() if place.startswith(start)), 1.0)
    page.meta.setdefault("search", {})["boost"] = boost
    return markdown if place in _made else relinked(markdown, f"docs/{place}")
