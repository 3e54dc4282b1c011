"""Combine the results of several pipelines with regression trees that were learned on judged topics."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.options import Count
from leadline.retrieval.pipeline.after.fuse import rankings_of
from leadline.retrieval.pipeline.combining import Normalising, aligned
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

    Floats = NDArray[np.float64]

# Regression trees as arrays, evaluated with NumPy: what a learner of ranking gives, without the learner's library.


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
            roots,
            tuple(features),
            tuple(thresholds),
            tuple(left for left, _ in children),
            tuple(right for _, right in children),
            tuple(leaves),
        )

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


@step("trees")
class Trees(Step):
    """Combine the results of several pipelines, each of which starts from the same request, with weights and trees.

    The score of a document is the weighted sum of its scores in the lists, as `fuse` has it, and the sum of the trees.
    The trees are those that `leadline tune --learner lambdamart` writes; `checksum` is that of their numbers.

    Paper: Burges, From RankNet to LambdaRank to LambdaMART, Microsoft Research, 2010.
    """

    of: tuple[Step, ...] = ()
    weights: tuple[float, ...] = ()
    normalise: tuple[Normalising, ...] = ()
    roots: tuple[int, ...] = ()
    features: tuple[int, ...] = ()  # the list, from 0, whose score each node asks for
    thresholds: tuple[float, ...] = ()
    left: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    leaves: tuple[float, ...] = ()
    checksum: str = ""
    depth: Count = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.of:
            raise InputError("trees: of", "name the pipelines to combine")
        for name in ("weights", "normalise"):
            if len(getattr(self, name)) != len(self.of):
                raise InputError(
                    f"trees: {name}", f"must be {len(self.of)}, one per pipeline, got {len(getattr(self, name))}"
                )
        self.forest.check("trees", len(self.of))
        if self.checksum != self.forest.checksum:
            raise InputError(
                "trees", "the checksum does not fit its numbers: write the system again with leadline tune"
            )

    @cached_property
    def forest(self) -> Forest:
        return Forest(self.roots, self.features, self.thresholds, self.left, self.right, self.leaves)

    @property
    def wants_patent(self) -> bool:
        return any(pipeline.wants_patent for pipeline in self.of)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        lists, notes = rankings_of(self.name, self.of, context, request)
        rows, scores, _ = aligned(lists, self.normalise)
        total = scores.T @ self.weights + self.forest.values(scores.T)
        return replace(request, ranking=context.ranking(rows, total, self.depth), notes=notes)
