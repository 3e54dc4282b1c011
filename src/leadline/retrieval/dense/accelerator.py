"""Encode texts and compare vectors on a GPU, where there is one and PyTorch can use it; else the processor does both.

LEADLINE_DEVICE says otherwise: `cpu` never uses a GPU, `cuda` refuses to work without one, `auto` is the default. Both
compute in single precision and add in another order, so that cosines differ by less than `TOLERANCE`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.text.engine import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETTING = "LEADLINE_DEVICE"
DEVICES = ("auto", "cpu", "cuda")
INSTALL = 'pip install "leadline[gpu]"'
TOLERANCE = 1e-5  # between a cosine by a GPU and one by the processor; docs/vectors.md has what was measured
LEAST_TEXTS = 64  # encoded on a GPU; for fewer, loading PyTorch takes longer than the work
ROWS_BEFORE = 20_000_000  # compared by the processor first: they take it as long as loading PyTorch takes
GPU_BATCH = 1 << 17  # tokens of a batch, with padding
_BLOCK = 1 << 18  # rows that are converted to single precision at a time


@cache
def gpu() -> str:
    """The name of the GPU that is used; empty for none. PyTorch is only imported where a driver is there."""
    wanted = checked_choice(SETTING, os.environ.get(SETTING, "auto"), DEVICES)
    if wanted == "cpu":
        return ""
    name = _gpu_name()
    if wanted == "cuda" and not name:
        raise InputError(SETTING, f"cuda needs a GPU, its driver, PyTorch and transformers: {INSTALL}")
    return name


def _gpu_name() -> str:
    driver = sys.platform == "win32" or any(Path("/dev").glob("nvidia*")) or Path("/dev/dxg").exists()
    if not driver or not all(importlib.util.find_spec(name) for name in ("torch", "transformers")):
        return ""
    import torch

    return str(torch.cuda.get_device_name(0)) if torch.cuda.is_available() else ""


class GpuModel:
    """A model as `model.safetensors` that a GPU runs, in single precision."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModel
        from transformers.utils import logging

        logging.disable_progress_bar()  # commands have one of their own
        try:
            model = AutoModel.from_pretrained(str(folder), local_files_only=True, use_safetensors=True)
        except Exception as error:  # the library raises many kinds, which share no other base
            raise InputError(str(folder), f"cannot be read ({one_line(error)}): install the model again") from None
        self._model = model.to("cuda", torch.float32).eval()

    def states(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """The sum of the tokens' last states, for each text of a batch."""
        import torch

        with torch.inference_mode():
            on_device = torch.from_numpy(mask).to("cuda")
            found = self._model(input_ids=torch.from_numpy(ids).to("cuda"), attention_mask=on_device).last_hidden_state
            sums = (found * on_device[:, :, None]).sum(dim=1)
        result: NDArray[np.float32] = sums.cpu().numpy()
        return result


class GpuRows:
    """Vectors in a GPU's memory."""

    def __init__(self, rows: NDArray[np.floating]) -> None:
        import torch

        self._rows: Any = torch.empty(rows.shape, dtype=torch.float16, device="cuda")
        for start in range(0, len(rows), _BLOCK):
            block = np.array(rows[start : start + _BLOCK], np.float16)  # a copy: the stored rows are read-only
            self._rows[start : start + len(block)] = torch.from_numpy(block).to("cuda")

    @classmethod
    def of(cls, rows: NDArray[np.floating]) -> GpuRows | None:
        """The rows on a GPU; None where there is none or it has too little memory."""
        if not gpu():
            return None
        import torch

        free, _ = torch.cuda.mem_get_info()
        needed = 2 * rows.size + 4 * _BLOCK * rows.shape[1] + 4 * len(rows)
        return cls(rows) if needed < 0.9 * free else None

    def scores(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The dot product of every row with a vector."""
        import torch

        with torch.inference_mode():
            there = torch.from_numpy(np.array(vector, np.float32)).to("cuda")
            parts = [part.float() @ there for part in self._rows.split(_BLOCK)]
            result: NDArray[np.float32] = torch.cat(parts).cpu().numpy()
        return result


class GpuTurn:
    """When a GPU takes over the comparing of some vectors: at once where it was asked for, else once that pays.

    A single search of a million vectors takes the processor a second, and loading PyTorch takes many. The number of
    rows decides, not the clock, so that the same searches are always done in the same place.
    """

    def __init__(self) -> None:
        self._compared = 0
        self._there: GpuRows | None = None
        self._decided = False
        self._lock = threading.Lock()

    def rows(self, rows: NDArray[np.floating]) -> GpuRows | None:
        """The rows on a GPU for the next search; None where it is the processor's turn."""
        with self._lock:
            if not self._decided:
                asked_for = os.environ.get(SETTING) == "cuda"
                if self._compared >= ROWS_BEFORE or asked_for:
                    self._there, self._decided = GpuRows.of(rows), True
                self._compared += len(rows)
            return self._there
