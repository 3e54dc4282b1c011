"""Unite the postings of terms in several fields to one list per term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.index import Lists
from leadline.retrieval.index.kernels.arguments import FieldLists
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _United = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]

_BYTES_A_POSTING = 20  # NumPy unites a posting in the time in which plain Python reads so many bytes of text


def united(fields: Sequence[Lists], documents: int) -> _United:
    """The offset of each term's list, the documents of all lists, and per field a row of frequencies.

    >>> title = Lists(np.array([0, 1]), np.array([3], np.int32), np.array([1], np.int32), np.array([1]))
    >>> body = Lists(np.array([0, 2]), np.array([2, 3], np.int32), np.array([5, 4], np.int32), np.array([9]))
    >>> _, found, frequencies = united([title, body], 4)
    >>> found.tolist(), frequencies.tolist()
    ([2, 3], [[0.0, 1.0], [5.0, 4.0]])
    """
    if len(fields) == 1:
        only = fields[0]
        return only.offsets, only.documents, only.frequencies.astype(np.float64)[None]
    postings = sum(len(lists.documents) for lists in fields)
    return _united.choose(_BYTES_A_POSTING * postings)(fields, documents)


def _united_plain(fields: Sequence[Lists], documents: int) -> _United:
    terms = len(fields[0].offsets) - 1
    # A posting as one number: its term and its document.
    keys = [
        np.repeat(np.arange(terms), np.diff(lists.offsets)) * documents + lists.documents.astype(np.int64)
        for lists in fields
    ]
    union = np.unique(np.concatenate(keys))
    frequencies = np.zeros((len(fields), len(union)))
    for row, key, lists in zip(frequencies, keys, fields, strict=True):
        row[np.searchsorted(union, key)] = lists.frequencies
    offsets = np.searchsorted(union, np.arange(terms + 1) * documents)
    return offsets.astype(np.int64), (union % documents).astype(np.int32), frequencies


@compiled_job("leadline.retrieval.index.kernels.merging.unite_lists", plain=_united_plain)
def _united(kernel: Kernel, fields: Sequence[Lists], documents: int) -> _United:
    terms = len(fields[0].offsets) - 1
    before = np.cumsum([0, *(len(lists.documents) for lists in fields)])
    postings = int(before[-1])
    lists = FieldLists(
        terms=terms,
        fields=len(fields),
        starts=np.concatenate([lists.offsets[:-1] + start for lists, start in zip(fields, before, strict=False)]),
        stops=np.concatenate([lists.offsets[1:] + start for lists, start in zip(fields, before, strict=False)]),
        documents=np.concatenate([lists.documents for lists in fields]),
        frequencies=np.concatenate([lists.frequencies for lists in fields]),
    )
    offsets, into = np.empty(terms + 1, np.int64), np.empty(postings, np.int32)
    frequencies = np.empty((len(fields), postings))
    count = kernel(lists, np.empty(len(fields), np.int64), offsets, into, frequencies, postings)
    return offsets, into[:count], frequencies[:, :count]
