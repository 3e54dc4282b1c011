"""Named systems, one per file: `PIPELINE` is the system, and the docstring says where it comes from."""

from __future__ import annotations

import pkgutil

BASELINES = ("bm25", "bm25+rm3", "bm25+dense", "rrf")  # of pipeline/named_systems.py, whose names cost nothing here


def names() -> list[str]:
    """The names of all systems: one for each file of this folder."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))
