"""Regression trees as arrays, evaluated with NumPy: what a learner of ranking gives, without the learner's library."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Forest:
    """Trees whose values are added. An inner node sends a value up to its threshold to the left.

    The nodes of all trees are numbered together; a tree's children come after it. A child or root below 0 is a leaf: −1
    is the first of `leaves`, −2 the second.

    >>> forest = Forest(roots=(0,), features=(1,), thresholds=(0.5,), left=(-1,), right=(-2,), leaves=(0.25, 2.0))
    >>> forest.values(np.array([[9.0, 0.5], [0.0, 0.6]])).tolist()
    [0.25, 2.0]
    """

    roots: tuple[int, ...]
    features: tuple[int, ...]
    thresholds: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    leaves: tuple[float, ...]

    @classmethod
    def of_trees(cls, trees: Sequence[Mapping[str, Any]]) -> Forest:
        """The forest of nested trees, as LightGBM's `dump_model` gives them."""
        features: list[int] = []
        thresholds: list[float] = []
        children: list[list[int]] = []
        leaves: list[float] = []

        def place(node: Mapping[str, Any]) -> int:
            if "leaf_value" in node:
                leaves.append(float(node["leaf_value"]))
                return -len(leaves)
            number = len(features)
            features.append(int(node["split_feature"]))
            thresholds.append(float(node["threshold"]))
            children.append([])
            children[number] = [place(node["left_child"]), place(node["right_child"])]
            return number

        roots = tuple(map(place, trees))
        return cls(
            roots, tuple(features), tuple(thresholds), tuple(left for left, _ in children),
            tuple(right for _, right in children), tuple(leaves),
        )  # fmt: skip

    @property
    def checksum(self) -> str:
        """The CRC-32 of all numbers."""
        whole = [self.roots, self.features, self.thresholds, self.left, self.right, self.leaves]
        return f"{zlib.crc32(json.dumps(whole).encode()):08x}"

    def check(self, where: str, features: int) -> None:
        """Raise InputError where the arrays are not trees over this number of features."""
        nodes = len(self.features)
        if {len(self.thresholds), len(self.left), len(self.right)} != {nodes}:
            raise InputError(where, "features, thresholds, left and right must be as many as there are nodes")
        if not all(0 <= feature < features for feature in self.features):
            raise InputError(where, f"a node asks for a feature that is not one of the {features}")
        # A child that comes after its parent cannot lead back to it.
        for child, least in [
            *((root, 0) for root in self.roots),
            *_with_parents(self.left),
            *_with_parents(self.right),
        ]:
            if not (least <= child < nodes or -len(self.leaves) <= child < 0):
                raise InputError(where, f"a node leads to {child}, which is not a later node or a leaf")

    def values(self, features: Floats) -> Floats:
        """The sum of all trees for each row of features."""
        kinds, limits = np.array(self.features, np.int64), np.array(self.thresholds)
        left, right, leaves = np.array(self.left, np.int64), np.array(self.right, np.int64), np.array(self.leaves)
        total = np.zeros(len(features))
        rows = np.arange(len(features))
        for root in self.roots:
            at = np.full(len(features), root)
            inner = rows if root >= 0 else rows[:0]
            while len(inner):
                node = at[inner]
                low = features[inner, kinds[node]] <= limits[node]
                at[inner] = np.where(low, left[node], right[node])
                inner = inner[at[inner] >= 0]
            total += leaves[-at - 1]
        return total


def _with_parents(children: Sequence[int]) -> list[tuple[int, int]]:
    """Each child with the least number it may have as a node."""
    return [(child, parent + 1) for parent, child in enumerate(children)]
