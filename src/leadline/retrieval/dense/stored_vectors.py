"""Which vectors an index has: by which model, at which precision, of which fields.

Beside each file of vectors lies a description with its checksum. Vectors of different models or precisions are in
different files, whose names depend on both, so that they are never compared with each other.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from weakref import WeakKeyDictionary

from leadline.errors import InputError, LeadlineWarning, visible
from leadline.retrieval.dense.encoder import AS_EXPORTED, Encoder, Precision
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.dense.vectors import FIELDS, vectors_path
from leadline.retrieval.index.check import ABOUT_VECTORS, REBUILD_VECTORS, read_about_vectors

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

PACKAGED = "all-MiniLM-L6-v2"  # the model of the package


@dataclass(frozen=True)
class StoredVectors:
    """What the vectors of an index were made with."""

    model: str  # a folder; empty for the model of the package
    precision: Precision

    @property
    def label(self) -> str:
        """The model's name, and for the model of the package its precision."""
        return visible(Path(self.model).name) if self.model else f"{PACKAGED}, {self.precision}"


_known: WeakKeyDictionary[SearchContext, dict[tuple[str, ...], StoredVectors | None]] = WeakKeyDictionary()


def stored_vectors(context: SearchContext, fields: Sequence[str] = FIELDS) -> StoredVectors | None:
    """The vectors of these fields that an index has and that can be searched; a model of the user's own comes first."""
    key, known = tuple(fields), _known.setdefault(context, {})
    if key not in known:
        known[key] = _found(context, key)
    return known[key]


def has_own_model(folder: Path, fields: Sequence[str] = FIELDS) -> bool:
    """Whether an index has vectors of these fields by a model of the user's own."""
    described = [described_vectors(path, tuple(fields)) for path in sorted(folder.glob(ABOUT_VECTORS))]
    return any(each is not None and each.model for each in described)


def _found(context: SearchContext, fields: tuple[str, ...]) -> StoredVectors | None:
    if not any(context.index.folder.glob("vectors-*.float16")) or not all(map(importlib.util.find_spec, NEEDED)):
        return None
    described = [described_vectors(path, fields) for path in sorted(context.index.folder.glob(ABOUT_VECTORS))]
    found = [each for each in described if each is not None and _is_current(context, fields, each)]
    own = [each for each in found if each.model]
    if own:
        return own[0]
    if found:
        return min(found, key=lambda each: each.precision != "int8")
    if importlib.util.find_spec(PACKAGE) is not None:  # made before vectors had descriptions
        unsaid = StoredVectors("", "int8")
        return unsaid if vectors_path(context, fields, Encoder()).exists() else None
    return None


def described_vectors(path: Path, fields: tuple[str, ...]) -> StoredVectors | None:
    """What a description says; None where the vectors are of other fields."""
    about: dict[str, Any] = read_about_vectors(path)
    model, precision = about.get("model"), about.get("precision")
    if not isinstance(model, str) or precision not in (*get_args(Precision), AS_EXPORTED):
        raise InputError(str(path), f"is damaged, it does not say which model: {REBUILD_VECTORS}")
    known: Precision = "full" if precision == "full" else "int8"  # of no effect on a model as ONNX
    return StoredVectors(model, known) if about.get("fields") == list(fields) else None


def _is_current(context: SearchContext, fields: tuple[str, ...], about: StoredVectors) -> bool:
    """Whether the model is there, and the vectors are those it makes of this index."""
    try:
        return vectors_path(context, fields, Encoder(about.model, about.precision)).exists()
    except InputError as error:  # the model was moved or removed
        warnings.warn(f"vectors by {about.label} are not used: {error}", LeadlineWarning, stacklevel=2)
        return False
