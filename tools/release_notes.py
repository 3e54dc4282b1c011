"""Print what CHANGELOG.md says of a release, if tag, version and changelog agree: release_notes.py vX.Y.Z."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def version_of(text: str) -> str:
    """The version that `src/leadline/version.py` sets.

    >>> version_of('__version__ = "0.2.0"')
    '0.2.0'
    """
    return re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)[0]


def notes(tag: str, version: str, changes: str) -> str:
    """The section of a version; ends the program where it is missing, has no date, or the tag is another's.

    >>> notes("v0.2.0", "0.2.0", "## [0.2.0] - 2026-12-01\\n\\n- New.\\n\\n## [0.1.0]\\n\\n- Old.\\n")
    '- New.'
    """
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but src/leadline/version.py says {version}")
    section = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"
    if (found := re.search(section, changes, re.MULTILINE | re.DOTALL)) is None:
        sys.exit(f"CHANGELOG.md has no line `## [{version}] - YYYY-MM-DD`")
    return found[1].strip()


if __name__ == "__main__":
    source, changelog = ROOT / "src/leadline/version.py", ROOT / "CHANGELOG.md"
    print(notes(sys.argv[1], version_of(source.read_text(encoding="utf-8")), changelog.read_text(encoding="utf-8")))
