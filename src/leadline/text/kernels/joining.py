"""Hash tables of judged documents, and the documents of runs looked up in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.primitives import same_bytes


def index_documents(
    topics: int, offsets: Any, document_hash: Any, table_start: Any, slots: Any
) -> int:
    """One hash table a topic: `slots[table_start[t]:table_start[t + 1]]` holds places of documents, or -1."""
    for t in range(topics):
        first = table_start[t]
        mask = table_start[t + 1] - first - 1
        for i in range(offsets[t], offsets[t + 1]):
            slot = np.int64(document_hash[i] >> np.uint64(20)) & mask
            while slots[first + slot] >= 0:
                slot = (slot + 1) & mask
            slots[first + slot] = i
    return 0


def join_run(
    text: Any,
    topics: int,
    run_topic: Any,
    offsets: Any,
    order: Any,
    document_start: Any,
    document_length: Any,
    document_hash: Any,
    key: Any,
    with_ties: int,
    judged_text: Any,
    judged_start: Any,
    judged_length: Any,
    judged_hash: Any,
    table_start: Any,
    slots: Any,
    hit_offsets: Any,
    hit_rank: Any,
    hit_document: Any,
    tie_first: Any,
    tie_last: Any,
) -> int:
    """The judged documents of a run, for each topic of the judgements in the order of rank: the hits.

    `run_topic` says which topic of the run a topic of the judgements is, -1 when the run lacks it.
    """
    hits = 0
    for t in range(topics):
        hit_offsets[t] = hits
        if run_topic[t] < 0:
            continue
        first = table_start[t]
        mask = table_start[t + 1] - first - 1
        low, high = offsets[run_topic[t]], offsets[run_topic[t] + 1]
        group, pending = low, hits
        for i in range(low, high):
            line = order[i]
            if with_ties and i > low and key[line] != key[order[i - 1]]:
                while pending < hits:
                    tie_last[pending] = i - low
                    pending += 1
                group = i
            wanted, length = document_hash[line], document_length[line]
            slot = np.int64(wanted >> np.uint64(20)) & mask
            while slots[first + slot] >= 0:
                j = slots[first + slot]
                if (
                    judged_hash[j] == wanted
                    and judged_length[j] == length
                    and same_bytes(text, document_start[line], judged_text, judged_start[j], length)
                ):
                    hit_rank[hits] = i - low + 1
                    hit_document[hits] = j
                    tie_first[hits] = (group if with_ties else i) - low + 1
                    tie_last[hits] = i - low + 1
                    hits += 1
                    break
                slot = (slot + 1) & mask
        if with_ties:
            while pending < hits:
                tie_last[pending] = high - low
                pending += 1
    hit_offsets[topics] = hits
    return hits
