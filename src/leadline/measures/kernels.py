"""The documents of runs looked up in hash tables of judged documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.kernel_arguments import HitColumns, JudgedDocuments, JudgedTopics, TopicHits
from leadline.records.kernel_arguments import LineOrder, RunLines, RunTopics
from leadline.records.kernels import order_topic, scan_lines
from leadline.text.kernel_arguments import Bytes, Int32s, Int64s, UInt64, kernel
from leadline.text.kernels import hash_of, inline, same_bytes

NOT_SIMPLE = -4  # a text that `join_text` cannot read in one pass


@inline
def join_topic(
    text: Any,
    low: int,
    high: int,
    sequence: Any,
    lines: Any,
    with_ties: int,
    judged: Any,
    topic: int,
    count: int,
    hits: Any,
) -> int:
    """The judged documents among sequence[low:high], the lines of one topic, added after the first `count` hits."""
    # Each judged topic has a hash table of its own, whose size is a power of 2.
    first = judged.table_starts[topic]
    mask = judged.table_starts[topic + 1] - first - 1
    tie, pending = low, count
    for i in range(low, high):
        line = sequence[i]
        if with_ties and i > low and lines.keys[line] != lines.keys[sequence[i - 1]]:
            if i - tie > 1:  # a tie has ended: only now is the last rank of its hits known
                for hit in range(pending, count):
                    hits.tie_last[hit] = i - low
            tie, pending = i, count
        # A document that is not judged ends at a free slot; a match counts only if the bytes are the same.
        wanted, length = lines.hashes[line], lines.lengths[line]
        slot = np.int64(wanted >> np.uint64(20)) & mask
        while judged.slots[first + slot] >= 0:
            j = judged.slots[first + slot]
            if (
                judged.hashes[j] == wanted
                and judged.lengths[j] == length
                and same_bytes(text, lines.starts[line], judged.buffer, judged.starts[j], length)
            ):
                hits.rank[count] = i - low + 1
                hits.document[count] = j
                hits.tie_first[count] = (tie if with_ties else i) - low + 1
                hits.tie_last[count] = i - low + 1
                count += 1
                break
            slot = (slot + 1) & mask
    # The last tie of the topic ends with it.
    if with_ties and high - tie > 1:
        for hit in range(pending, count):
            hits.tie_last[hit] = high - low
    return count


@kernel
def join_run(
    text: Bytes,
    topics: int,
    run_topic: Int32s,
    offsets: Int64s,
    sequence: Int32s,
    lines: RunLines,
    with_ties: int,
    judged: JudgedDocuments,
    hit_offsets: Int64s,
    hits: HitColumns,
) -> int:
    """The judged documents of a run, for each topic of the judgements in the order of rank: the hits.

    `run_topic` says which topic of the run a topic of the judgements is, -1 where the run lacks it.
    """
    # In the order of the judgements' topics: one that the run lacks has no hits, and none of its lines is read.
    count = 0
    for t in range(topics):
        hit_offsets[t] = count
        r = run_topic[t]
        if r >= 0:
            count = join_topic(text, offsets[r], offsets[r + 1], sequence, lines, with_ties, judged, t, count, hits)
    hit_offsets[topics] = count
    return count


@kernel
def join_text(
    text: Bytes,
    end: int,
    seed: UInt64,
    key_field: int,
    key_sign: int,
    sorting: int,
    most_topics: int,
    topics: RunTopics,
    lines: RunLines,
    order: LineOrder,
    state: Int64s,
    judged_topics: JudgedTopics,
    judged: JudgedDocuments,
    topic_hits: TopicHits,
    hits: HitColumns,
) -> int:
    """From a run's text to its hits in one pass, a topic at a time, while its lines are still in the cache.

    The hits come in the order in which the run has its topics. Returns their number, or NOT_SIMPLE for a text whose
    topics are scattered or very many, that has a number for Python to read, or that is to be refused.
    """
    total = 0
    while state[0] < end:
        known = state[1]
        count = scan_lines(text, end, seed, 6, key_field, 1, topics, lines, state)
        # No new topic means that one came back: the topics are scattered.
        if count < 0 or (count > 0 and state[1] == known) or state[1] > most_topics or state[3] > 0:
            return NOT_SIMPLE
        if count == 0:
            break
        # Ranks are better when lower, so where they are the key their sign is turned.
        for line in range(count):
            order.sequence[line] = line
            if key_sign < 0:
                lines.keys[line] = -lines.keys[line]
        if not order_topic(text, 0, count, lines, sorting, order, state):
            return NOT_SIMPLE
        # Which judged topic it is; -1 if none, and then its lines are passed over.
        found = -1
        start, length = topics.starts[known], topics.lengths[known]
        slot = np.int64(hash_of(text, start, length, seed) >> np.uint64(20)) & judged_topics.mask
        while judged_topics.slots[slot] >= 0:
            t = judged_topics.slots[slot]
            if judged_topics.lengths[t] == length and same_bytes(
                text, start, judged_topics.buffer, judged_topics.starts[t], length
            ):
                found = t
                break
            slot = (slot + 1) & judged_topics.mask
        topic_hits.judged[known] = found
        if found >= 0:
            topic_hits.start[found] = total
            topic_hits.retrieved[found] = count
            total = join_topic(text, 0, count, order.sequence, lines, sorting, judged, found, total, hits)
    return total
