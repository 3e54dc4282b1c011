"""Pages of the documentation site that are files of the repository outside `docs/`, and links between the two."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "tools/attack/README.md": "project/attacks.md",
}  # a file of the repository: its page
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")


def repository_pages() -> dict[str, str]:
    """The pages made from README and its neighbours, and the files of `examples/`, by their place in the site."""
    found = {}
    for source, page in places().items():
        text = (ROOT / source).read_text(encoding="utf-8")
        found[page] = relinked(text, source) if source.endswith(".md") else text
    return found


def places() -> Mapping[str, str]:
    """Where each file outside `docs/` is in the site."""
    examples = sorted(path for path in (ROOT / "examples").iterdir() if path.is_file())
    return PROJECT | {f"examples/{path.name}": f"examples/{path.name}" for path in examples}


def relinked(text: str, source: str) -> str:
    """The Markdown of a file of the repository, with links that hold in the site.

    >>> relinked("[a](docs/web.md#robots) [b](https://example.org) [c](ARCHITECTURE.md)", "README.md")
    '[a](web.md#robots) [b](https://example.org) [c](project/architecture.md)'
    >>> relinked("[a](../examples/grid.toml)", "docs/grid.md")
    '[a](examples/grid.toml)'
    """
    known = places()
    page = _page_of(source, known)

    def replaced(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        return link[1] + posixpath.relpath(_page_of(target, known), posixpath.dirname(page) or ".") + link[3]

    return LINK.sub(replaced, text)


def _page_of(source: str, known: Mapping[str, str]) -> str:
    return known.get(source, source.removeprefix("docs/"))
