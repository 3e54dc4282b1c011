"""Encode texts as vectors: on the processor or a GPU, by our own model or by one that the user has as ONNX."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.retrieval.dense import model as rules
from leadline.retrieval.dense.model import graph, model_folder
from leadline.text.engine import one_line
from leadline.text.files import cache_directory, read_cached, write_cached

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Encode texts and compare vectors on a GPU, where there is one and PyTorch can use it; else the processor does both.
#
# LEADLINE_DEVICE says otherwise: `cpu` never uses a GPU, `cuda` refuses to work without one, `auto` is the default.
# Both compute in single precision and add in another order, so that cosines differ by less than `TOLERANCE`.


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


Precision = Literal["int8", "full"]
AS_EXPORTED = "as exported"
PIECES_AT_ONCE = 1000  # texts
LONGEST_PACKAGED = (
    256  # tokens of a text that the packaged model reads; 128 is faster but may find less, docs/vectors.md
)


class Encoder:
    """Encodes texts with a model. Vectors have length 1, so that their dot product is the cosine.

    `int8` multiplies integers, which is faster; docs/tuning.md has by how much, and what it costs. A short text's
    vector depends slightly on the others of its batch, because all are rounded to the same scale. `full` is computed on
    a GPU where there is one and the texts are many.
    """

    def __init__(self, model: str = "", precision: Precision = "int8") -> None:
        self.folder, self.precision, self.named = model_folder(model), precision, bool(model)
        self._onnx = OnnxFolder.of(self.folder) if model else None

    @property
    def stated_precision(self) -> str:
        """What the description of vectors says of their precision: a model as ONNX is run as it was exported."""
        return AS_EXPORTED if self._onnx is not None else self.precision

    @cached_property
    def digest(self) -> str:
        """A digest of what vectors depend on: the weights, and how they are computed."""
        path = self._onnx.path if self._onnx is not None else self.folder / "model.safetensors"
        if not path.exists():
            raise InputError(str(path), "is missing: the model has no weights")
        with open(path, "rb") as file:
            weights = hashlib.file_digest(file, "sha256").digest()
        if self._onnx is not None:
            return hashlib.sha256(b"\n".join([weights, self._onnx.pooling.encode()])).hexdigest()[:16]
        text = Path(rules.__file__).read_bytes()
        how = f"{self.precision} {LONGEST_PACKAGED}".encode()
        return hashlib.sha256(b"\n".join([weights, text, how])).hexdigest()[:16]

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        if self._onnx is not None:
            return self._onnx.session()
        onnx_model = graph(self.folder) if self.precision == "full" else _int8_model(self.folder, self.digest)
        return onnxruntime.InferenceSession(onnx_model, session_options(), providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> Any:
        return read_tokenizer(self.folder, (self._onnx and self._onnx.longest) or LONGEST_PACKAGED)

    @cached_property
    def width(self) -> int:
        width = self._session.get_outputs()[0].shape[-1]
        return width if isinstance(width, int) else int(self._states([[0]]).shape[1])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vector of each text, in rows; zeros for an empty text. Equal texts are encoded once."""
        vectors = np.zeros((len(texts), self.width), np.float32)
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            if text.strip():
                places.setdefault(text, []).append(place)
        ids = [each.ids for each in self._tokenizer.encode_batch(list(places))]
        distinct = np.zeros((len(ids), self.width), np.float32)
        for batch, states in self._in_batches(ids):
            distinct[batch] = states
        lengths = np.linalg.norm(distinct, axis=1, keepdims=True)
        np.divide(distinct, lengths, out=distinct, where=lengths > 0)
        for vector, where in zip(distinct, places.values(), strict=True):
            vectors[where] = vector
        return vectors

    def pieces(self, texts: Sequence[str]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """The word pieces of whole texts, behind each other, and where those of each text begin and end."""
        tokenizer = read_tokenizer(self.folder, None)
        numbers, ends = [np.zeros(0, np.uint16)], [0]
        for start in range(0, len(texts), PIECES_AT_ONCE):
            for each in tokenizer.encode_batch(list(texts[start : start + PIECES_AT_ONCE]), add_special_tokens=False):
                numbers.append(np.array(each.ids, np.uint16))
                ends.append(ends[-1] + len(each.ids))
        return np.concatenate(numbers), np.array(ends, np.int64)

    def _in_batches(self, ids: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Numbers of texts, and the sums of their tokens' last states."""
        lengths = list(map(len, ids))
        if self._onnx is None and self.precision == "full" and len(ids) >= LEAST_TEXTS and gpu():
            for batch in batches(lengths, GPU_BATCH):
                chosen = [ids[number] for number in batch]
                mask = padded([[1] * len(each) for each in chosen])
                yield batch, self._gpu_model.states(padded(chosen), mask)
        else:
            yield from in_batches(lengths, lambda batch: self._states([ids[number] for number in batch]))

    @cached_property
    def _gpu_model(self) -> GpuModel:
        return GpuModel(self.folder)

    def _states(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The sum of the tokens' last states, for each text of a batch."""
        tokens = padded(ids)
        mask = padded([[1] * len(each) for each in ids]).astype(np.int32)
        if self._onnx is not None:
            return self._onnx.states(self._session, tokens, mask)
        (states,) = self._session.run(["sum"], {"ids": tokens, "mask": mask})
        return np.asarray(states, np.float32)


def _int8_model(folder: Path, digest: str) -> bytes:
    """The model with weights of one byte, made once and stored in the user's cache."""
    cached = cache_directory() / f"model-{digest}.onnx"
    content = read_cached(cached)
    if content is None:
        content = _quantised(graph(folder))
        write_cached(cached, content)  # a cache that cannot be written is not an error
    return content


def _quantised(whole: bytes) -> bytes:
    import logging

    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "int8.onnx"
        logging.disable(logging.WARNING)  # advice for those who have a larger model
        try:
            quantize_dynamic(
                onnx.load_model_from_string(whole),
                into,
                weight_type=QuantType.QInt8,
                per_channel=True,
                extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
            )
        finally:
            logging.disable(logging.NOTSET)
        return into.read_bytes()


# A model that the user has as ONNX: its file, and how its output becomes one vector for each text.
#
# Such a folder holds `tokenizer.json` and `model.onnx`, or `onnx/model.onnx`, as sentence-transformers and Optimum
# write them. Where it says how tokens are pooled (`1_Pooling/config.json`), this is followed; else their mean is taken.


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
            path,
            "cls" if pooling.get("pooling_mode_cls_token") is True else "mean",
            min(longest, LONGEST) if type(longest) is int and longest > 0 else None,
        )

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


def read_tokenizer(folder: Path, longest: int | None) -> Any:
    """The tokenizer of a model, which reads up to `longest` tokens; None for whole texts."""
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.exists():
        raise InputError(str(path), "is missing: the model cannot read texts")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exceptions
        raise InputError(str(path), f"cannot be read ({one_line(error)}): install the model again") from None
    if longest is None:
        tokenizer.no_truncation()
    else:
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
