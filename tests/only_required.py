"""What a plain `pip install .` has: the packages that pyproject.toml requires, and those that these require."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
HIDE = """
import sys
from importlib.machinery import PathFinder

HIDDEN = frozenset({hidden!r})


class WithoutExtras:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None if name.partition(".")[0] in HIDDEN else PathFinder.find_spec(name, path, target)

    find_distributions = PathFinder.find_distributions
    invalidate_caches = PathFinder.invalidate_caches


sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutExtras
"""


def write_site(folder: Path) -> None:
    """Write a sitecustomize.py that hides every module a plain installation would not have."""
    (folder / "sitecustomize.py").write_text(HIDE.format(hidden=sorted(hidden_modules())), encoding="utf-8")


def hidden_modules() -> set[str]:
    """The modules of installed packages that are neither required nor required by what is."""
    required = required_packages()
    of_packages = importlib.metadata.packages_distributions()
    return {module for module, owners in of_packages.items() if required.isdisjoint(map(_plain, owners))}


def required_packages() -> set[str]:
    """The names of leadline, of all it requires, and of all these require."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found, waiting = {"leadline"}, list(project["dependencies"])
    while waiting:
        written = waiting.pop()
        name = _plain(re.match(r"[\w.-]+", written)[0])  # type: ignore[index]
        if name in found or not _is_wanted(written):
            continue
        found.add(name)
        waiting += importlib.metadata.requires(name) or []
    return found


def _is_wanted(requirement: str) -> bool:
    """Whether a requirement holds here, without any extra."""
    from packaging.requirements import Requirement

    marker = Requirement(requirement).marker
    return marker is None or marker.evaluate({"extra": ""})


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
