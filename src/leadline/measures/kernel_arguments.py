"""What the kernels of joining take; see `text/kernel_arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Bytes, Int32s, Int64s, UInt64s


class JudgedDocuments(NamedTuple):
    """The judged documents of all topics; the hash table of topic t is slots[table_starts[t]:table_starts[t + 1]]."""

    buffer: Bytes
    starts: Int64s
    lengths: Int32s
    hashes: UInt64s
    table_starts: Int64s
    slots: Int32s  # places of documents, or -1


class JudgedTopics(NamedTuple):
    """The topics of the judgements, and a hash table of them."""

    buffer: Bytes
    starts: Int64s
    lengths: Int32s
    slots: Int32s  # numbers of topics, or -1
    mask: int


class HitColumns(NamedTuple):
    """Judged documents that a run has found: rank, place among the judged, first and last rank of the tie."""

    rank: Int32s
    document: Int32s
    tie_first: Int32s
    tie_last: Int32s


class TopicHits(NamedTuple):
    """For each topic of the judgements where its hits start and how many documents the run has for it, -1 and 0
    where it has none; and for each topic of the run its number among the judgements, or -1."""

    start: Int64s
    retrieved: Int64s
    judged: Int32s
