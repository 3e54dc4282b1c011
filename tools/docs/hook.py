"""What MkDocs calls while it builds the site: adds the pages that are made from the program and from other files."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

from gallery import gallery_pages
from reference_pages import api_pages, command_pages, measure_pages
from repository_pages import relinked, repository_pages

_made: dict[str, str] = {}  # pages by their place, for all builds of a process


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the pages, and put those of measures into the navigation."""
    if not _made:
        for make in (repository_pages, measure_pages, command_pages, api_pages, gallery_pages):
            _made.update(make())
    for section in config.nav or []:
        for entry in section.get("Reference", []) if isinstance(section, dict) else []:
            if "Measures" in entry:
                entry["Measures"] = sorted((page for page in _made if page.startswith("measures/")), key=_index_first)
    return config


def _index_first(page: str) -> tuple[bool, str]:
    return not page.endswith("/index.md"), page.lower()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for place, content in _made.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mend the links of `docs/` that leave it."""
    is_made = page.file.src_uri in _made
    return markdown if is_made else relinked(markdown, f"docs/{page.file.src_uri}")
