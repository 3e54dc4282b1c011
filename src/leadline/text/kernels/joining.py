"""Hash tables of judged documents, and the documents of runs looked up in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from leadline.text.kernels.ordering import settle_topic
from leadline.text.kernels.primitives import hash_of, same_bytes
from leadline.text.kernels.scanning import scan_lines

NOT_SIMPLE = -4  # a text that `join_text` leaves to the longer way


def index_documents(topics: int, offsets: Any, document_hash: Any, table_start: Any, slots: Any) -> int:
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


@njit(forceinline=True, error_model="numpy")
def join_topic(
    text: Any,
    low: int,
    high: int,
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
    slots: Any,
    first: int,
    mask: int,
    hits: int,
    hit_rank: Any,
    hit_document: Any,
    tie_first: Any,
    tie_last: Any,
) -> int:
    """The judged documents among order[low:high], the lines of one topic, added after the first `hits` hits."""
    group, pending = low, hits
    for i in range(low, high):
        line = order[i]
        if with_ties and i > low and key[line] != key[order[i - 1]]:
            if i - group > 1:  # a tie has ended: now its hits can be told how far it went
                for hit in range(pending, hits):
                    tie_last[hit] = i - low
            group, pending = i, hits
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
    if with_ties and high - group > 1:
        for hit in range(pending, hits):
            tie_last[hit] = high - low
    return hits


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
        r = run_topic[t]
        if r >= 0:
            hits = join_topic(
                text, offsets[r], offsets[r + 1], order, document_start, document_length, document_hash, key,
                with_ties, judged_text, judged_start, judged_length, judged_hash,
                slots, table_start[t], table_start[t + 1] - table_start[t] - 1,
                hits, hit_rank, hit_document, tie_first, tie_last,
            )  # fmt: skip
    hit_offsets[topics] = hits
    return hits


def join_text(
    text: Any,
    end: int,
    seed: np.uint64,
    key_field: int,
    key_sign: int,
    sorting: int,
    topic_slots: Any,
    slot_mask: int,
    most_topics: int,
    topic_start: Any,
    topic_length: Any,
    topic_hash: Any,
    topic: Any,
    document_start: Any,
    document_length: Any,
    document_hash: Any,
    key: Any,
    order: Any,
    spare: Any,
    twice: Any,
    state: Any,
    judged_topic_text: Any,
    judged_topic_start: Any,
    judged_topic_length: Any,
    judged_topic_slots: Any,
    judged_topic_mask: int,
    judged_text: Any,
    judged_start: Any,
    judged_length: Any,
    judged_hash: Any,
    table_start: Any,
    slots: Any,
    hit_start: Any,
    retrieved: Any,
    is_judged: Any,
    hit_rank: Any,
    hit_document: Any,
    tie_first: Any,
    tie_last: Any,
) -> int:
    """From a run's text to its hits in one pass, a topic at a time, while its lines are still at hand.

    `hit_start[t]` becomes the first hit of topic t of the judgements, in the order in which the run has its topics.
    Returns the number of hits, or NOT_SIMPLE for a text whose topics are scattered or very many, or that is to be
    refused: whoever calls this then takes the longer way, which knows how to sort the one and to word the other.
    """
    hits = 0
    while state[0] < end:
        known = state[1]
        count = scan_lines(
            text, end, seed, 6, key_field, 1, topic_slots, slot_mask, topic_start, topic_length, topic_hash,
            topic, document_start, document_length, document_hash, key, state,
        )  # fmt: skip
        if count < 0 or (count > 0 and state[1] == known) or state[1] > most_topics:
            return NOT_SIMPLE
        if count == 0:
            break
        for line in range(count):
            order[line] = line
            if key_sign < 0:
                key[line] = -key[line]
        if not settle_topic(
            text, 0, count, document_start, document_length, document_hash, key, sorting, order, spare, twice, state
        ):
            return NOT_SIMPLE
        judged = -1
        start, length = topic_start[known], topic_length[known]
        slot = np.int64(hash_of(text, start, length, seed) >> np.uint64(20)) & judged_topic_mask
        while judged_topic_slots[slot] >= 0:
            t = judged_topic_slots[slot]
            if judged_topic_length[t] == length and same_bytes(
                text, start, judged_topic_text, judged_topic_start[t], length
            ):
                judged = t
                break
            slot = (slot + 1) & judged_topic_mask
        is_judged[known] = judged
        if judged >= 0:
            hit_start[judged] = hits
            retrieved[judged] = count
            hits = join_topic(
                text, 0, count, order, document_start, document_length, document_hash, key, sorting,
                judged_text, judged_start, judged_length, judged_hash,
                slots, table_start[judged], table_start[judged + 1] - table_start[judged] - 1,
                hits, hit_rank, hit_document, tie_first, tie_last,
            )  # fmt: skip
    return hits
