"""A model that the user has as ONNX: its file, and how its output becomes one vector for each text.

Such a folder holds `tokenizer.json` and `model.onnx`, or `onnx/model.onnx`, as sentence-transformers and Optimum write
them. Where it says how tokens are pooled (`1_Pooling/config.json`), this is followed; else their mean is taken.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.dense.model import model_folder
from leadline.text.engine import one_line

FILES = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
LONGEST = 512  # tokens: few models were trained with more
# Tokens of a batch, with padding. What a layer computes for so few stays in the processor's cache, and long texts are
# alone in their batch, without padding.
BATCH_TOKENS = 256
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

    def session(self) -> Any:
        """The model, ready to run."""
        import onnxruntime

        try:
            return onnxruntime.InferenceSession(str(self.path), session_options(), providers=["CPUExecutionProvider"])
        except Exception as error:  # the library raises its own kinds, which share no other base
            raise InputError(str(self.path), f"cannot be read ({one_line(error)}): export the model again") from None

    def output(self, session: Any, ids: np.ndarray, mask: np.ndarray, types: np.ndarray | None = None) -> np.ndarray:
        """The first output of the model for a batch of texts or pairs."""
        types = np.zeros_like(ids) if types is None else types
        known = {"input_ids": ids, "attention_mask": mask.astype(np.int64), "token_type_ids": types}
        wanted = [each.name for each in session.get_inputs()]
        if unknown := [name for name in wanted if name not in known]:
            expected = ", ".join(known)
            raise InputError(
                str(self.path), f"takes {', '.join(unknown)}; only models that take {expected} are supported"
            )
        try:
            return np.asarray(session.run(None, {name: known[name] for name in wanted})[0], np.float32)
        except Exception as error:  # the library raises its own kinds, which share no other base
            raise InputError(str(self.path), f"cannot be run ({one_line(error)}): export the model again") from None

    def states(self, session: Any, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """One vector for each text of a batch."""
        found = self.output(session, ids, mask)
        if found.ndim == 2:  # pooled by the model itself
            return found
        if found.ndim != 3:
            raise InputError(str(self.path), f"gives {found.ndim} dimensions; texts × tokens × width are expected")
        return found[:, 0] if self.pooling == "cls" else (found * mask[:, :, None]).sum(axis=1)


def named_onnx_folder(named: str, what: str) -> tuple[Path, OnnxFolder]:
    """The folder of a model of the user's own, and its ONNX file; InputError where it is not what is expected."""
    folder = model_folder(named)
    found = OnnxFolder.of(folder) if folder.is_dir() else None
    if found is None:
        raise InputError(str(folder), f"is not the folder of {what}: it has none of {', '.join(FILES)}")
    return folder, found


def session_options() -> Any:
    """How onnxruntime runs a model: one thread for each batch, since sharing a batch costs far more processor time."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    options.intra_op_num_threads = 1
    return options


def read_tokenizer(folder: Path, longest: int) -> Any:
    """The tokenizer of a model, which reads up to `longest` tokens."""
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.exists():
        raise InputError(str(path), "is missing: the model cannot read texts")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exceptions
        raise InputError(str(path), f"cannot be read ({one_line(error)}): install the model again") from None
    tokenizer.enable_truncation(longest)
    tokenizer.no_padding()
    return tokenizer


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Numbers of texts as one array, with zeros after the shorter ones.

    >>> padded([[5], [6, 7]]).tolist()
    [[5, 0], [6, 7]]
    """
    whole = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for place, row in enumerate(rows):
        whole[place, : len(row)] = row
    return whole


def batches(lengths: Sequence[int], most: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """The numbers of texts in batches of up to `most` tokens, short texts first: all are padded to the longest.

    >>> list(batches([200, 100, 100, 20]))
    [[3], [1, 2], [0]]
    """
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda number: lengths[number]):
        longest = lengths[number]
        # A batch ends where it is full, or where its first text would be more than half padding.
        if batch and ((len(batch) + 1) * longest > most or lengths[batch[0]] * 2 < longest):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def in_batches(lengths: Sequence[int], compute: Callable[[list[int]], np.ndarray]) -> Iterator[tuple[list[int], Any]]:
    """Each batch with what is computed for it, one batch on each processor at a time."""
    listed = list(batches(lengths))
    with ThreadPoolExecutor(max(1, min(len(listed), os.cpu_count() or 1))) as pool:
        yield from zip(listed, pool.map(compute, listed), strict=True)


def _settings(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
