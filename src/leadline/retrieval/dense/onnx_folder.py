"""A model that the user has as ONNX: its file, and how its output becomes one vector for each text.

Such a folder holds `tokenizer.json` and `model.onnx`, or `onnx/model.onnx`, as sentence-transformers and Optimum write
them. Where it says how tokens are pooled (`1_Pooling/config.json`), this is followed; else their mean is taken.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from leadline.errors import InputError
from leadline.text.engine import one_line

FILES = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
LONGEST = 512  # tokens: few models were trained with more
Pooling = Literal["mean", "cls"]


@dataclass(frozen=True)
class OnnxFolder:
    """The ONNX file of a model, how tokens are pooled, and how many it reads."""

    path: Path
    pooling: Pooling
    longest: int | None  # None where the folder does not say

    @classmethod
    def of(cls, folder: Path) -> OnnxFolder | None:
        """What a folder holds; None if it has no ONNX file."""
        path = next((folder / name for name in FILES if (folder / name).is_file()), None)
        if path is None:
            return None
        pooling = _settings(folder / "1_Pooling" / "config.json")
        longest = _settings(folder / "sentence_bert_config.json").get("max_seq_length")
        return cls(
            path, "cls" if pooling.get("pooling_mode_cls_token") is True else "mean",
            min(longest, LONGEST) if type(longest) is int and longest > 0 else None,
        )  # fmt: skip

    def session(self, options: Any) -> Any:
        import onnxruntime

        try:
            return onnxruntime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the library raises its own kinds, which share no other base
            raise InputError(str(self.path), f"cannot be read ({one_line(error)}): export the model again") from None

    def states(self, session: Any, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """One vector for each text of a batch."""
        known = {"input_ids": ids, "attention_mask": mask.astype(np.int64), "token_type_ids": np.zeros_like(ids)}
        wanted = [each.name for each in session.get_inputs()]
        if unknown := [name for name in wanted if name not in known]:
            expected = ", ".join(known)
            raise InputError(
                str(self.path), f"takes {', '.join(unknown)}; only models that take {expected} are supported"
            )
        found = np.asarray(session.run(None, {name: known[name] for name in wanted})[0], np.float32)
        if found.ndim == 2:  # pooled by the model itself
            return found
        if found.ndim != 3:
            raise InputError(str(self.path), f"gives {found.ndim} dimensions; texts × tokens × width are expected")
        return found[:, 0] if self.pooling == "cls" else (found * mask[:, :, None]).sum(axis=1)


def _settings(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
