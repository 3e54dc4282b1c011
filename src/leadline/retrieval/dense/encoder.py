"""Encode texts as vectors: tokenised, in small batches of texts of similar length, one batch on each processor."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.dense import model as rules
from leadline.retrieval.dense.accelerator import GPU_BATCH, LEAST_TEXTS, GpuModel, gpu
from leadline.retrieval.dense.model import graph, model_folder
from leadline.retrieval.dense.onnx_folder import (
    OnnxFolder,
    batches,
    in_batches,
    padded,
    read_tokenizer,
    session_options,
)
from leadline.text.cache import cache_directory, read_cached, write_cached

if TYPE_CHECKING:
    from numpy.typing import NDArray

Precision = Literal["int8", "full"]
AS_EXPORTED = "as exported"
LONGEST = 256  # tokens of a text that the packaged model reads; 128 is faster but may find less, docs/vectors.md


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
        how = f"{self.precision} {LONGEST}".encode()
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
        return read_tokenizer(self.folder, (self._onnx and self._onnx.longest) or LONGEST)

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
                onnx.load_model_from_string(whole), into, weight_type=QuantType.QInt8, per_channel=True,
                extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
            )  # fmt: skip
        finally:
            logging.disable(logging.NOTSET)
        return into.read_bytes()
