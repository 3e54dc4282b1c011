"""Whether groups of near-duplicates are patent families: precision and recall over pairs of documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from leadline.collections.duplicates.find import Duplicates
from leadline.collections.duplicates.grouping import Groups
from leadline.text.sheet import read_sheet


class FamilyScores(NamedTuple):
    """How the pairs within groups agree with those within families."""

    precision: float  # of the pairs in one group, the share in one family
    recall: float  # of the pairs in one family, the share in one group
    recall_of_pairs: float  # of the pairs that are named as related, the share in one group


def read_pairs(path: str | os.PathLike[str], kind: str) -> list[tuple[str, str]]:
    """The pairs of one type in a table with the columns citing, cited and type."""
    sheet = read_sheet(path)
    citing, cited, types = (sheet.labels(sheet.pick((name,))) for name in ("citing", "cited", "type"))
    return [(a, b) for a, b, type_ in zip(citing, cited, types, strict=True) if type_ == kind]


def compare_with_families(
    found: Duplicates, pairs: Iterable[tuple[str, str]], documents: Sequence[str]
) -> FamilyScores:
    """Compare groups with families: what hangs together by pairs of relatives that are both among the documents.

    >>> from leadline.collections.duplicates.find import duplicates
    >>> same = duplicates({"a": "one two", "b": "one two", "c": "one two", "d": "three"})
    >>> compare_with_families(same, [("a", "b"), ("c", "d")], "abcd")
    FamilyScores(precision=0.3333333333333333, recall=0.5, recall_of_pairs=0.5)
    """
    place = {name: row for row, name in enumerate(documents)}
    inside = [(place[a], place[b]) for a, b in pairs if a in place and b in place and a != b]
    first, second = np.array(inside, np.int64).reshape(-1, 2).T
    families = Groups(len(documents))
    families.join(first, second)
    # A document without a duplicate is a group of its own.
    groups = np.array([found.group_of.get(name, -1 - row) for row, name in enumerate(documents)], np.int64)
    both = np.unique(np.stack([groups, families.labels]), axis=1, return_counts=True)[1]
    together = _pairs(both)
    grouped = _pairs(np.unique(groups, return_counts=True)[1])
    related = _pairs(np.unique(families.labels, return_counts=True)[1])
    named = float(np.mean(groups[first] == groups[second])) if len(first) else float("nan")
    return FamilyScores(_share(together, grouped), _share(together, related), named)


def _pairs(sizes: np.ndarray) -> int:
    """How many pairs there are in groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
