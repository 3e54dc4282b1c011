"""Lists changed to answer "what if": unjudged documents left out or taken as relevant, or the list cut at a depth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.hits import Hits, Integers, Judged, Reading
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.subtopics import Subtopics
from leadline.text.ids import Ids


def judged_only(hits: Hits) -> Hits:
    """Return the lists with only their judged documents, which move up: condensed lists, trec_eval's -J.

    Documents of a grade below 0 are in the pool but not judged, so they are left out as well.

    >>> condensed = judged_only(Hits.of(ranks=[1, 5, 9], grades=[1, -1, 2]))
    >>> condensed.rank, condensed.retrieved
    (array([1, 2]), array([2]))
    """
    kept = hits.where(hits.grade >= 0)
    rank = kept.running(np.ones(len(kept.rank), bool))
    # The judged documents of a tie are still neighbours: the new tie runs from the first to the last of them.
    changes = (np.diff(kept.row) != 0) | (np.diff(kept.tie_first) != 0)
    starts = np.flatnonzero(np.r_[True, changes][: len(rank)])
    sizes = np.diff(np.r_[starts, len(rank)])
    first = np.repeat(rank[starts], sizes)
    return replace(
        kept,
        rank=rank,
        retrieved=np.diff(kept.offsets),
        tie_first=first,
        tie_last=first + np.repeat(sizes, sizes) - 1,
        reading=_read_at(kept.reading, kept.row, kept.rank, kept.offsets),
    )


def first_only(hits: Hits, depth: int) -> Hits:
    """Return the lists cut after `depth` documents: trec_eval's -M.

    >>> cut = first_only(Hits.of(ranks=[1, 5, 9], relevant=3), depth=5)
    >>> cut.rank, cut.retrieved
    (array([1, 5]), array([5]))
    """
    kept = hits.where(hits.rank <= depth)
    retrieved = np.minimum(hits.retrieved, depth)
    offsets = np.concatenate([[0], np.cumsum(retrieved)])
    row = np.repeat(np.arange(hits.rows), retrieved)
    rank = np.arange(len(row)) - offsets[row] + 1
    return replace(
        kept,
        retrieved=retrieved,
        tie_last=np.minimum(kept.tie_last, depth),
        reading=_read_at(kept.reading, row, rank, offsets),
    )


def _read_at(reading: Reading | None, row: Integers, rank: Integers, offsets: Integers) -> Reading | None:
    """The reading data of the documents at these ranks only."""
    if reading is None:
        return None
    place = reading.offsets[row] + rank - 1
    return Reading(
        offsets,
        None if reading.words is None else reading.words[place],
        None if reading.seconds is None else reading.seconds[place],
        None if reading.iterations is None else reading.iterations[place],
    )


def unjudged_right(hits: Hits, cutoff: int | None = None) -> Hits:
    """Return hits in which every unjudged document within the cutoff is relevant, with the highest grade there is.

    These documents also count among the relevant ones of the topic, so recall stays at most 1. With judgements by
    subtopic, they are relevant to all subtopics.

    >>> hits = unjudged_right(Hits.of(ranks=[1, 3], grades=[1, 0], missed=[1], retrieved=4), cutoff=10)
    >>> hits.rank.tolist(), hits.grade.tolist(), hits.n_relevant().tolist()
    ([1, 2, 3, 4], [1, 1, 0, 1], [4])
    """
    if hits.qrels is not None and hits.qrels.kind in ("strata", "prels"):
        raise MeasureError("a measure that estimates from a sample has no value with unjudged documents as right")
    best = max(1, int(hits.judged.grades.max(initial=1)))
    known = hits.where(hits.grade >= 0)
    depth = hits.retrieved if cutoff is None else np.minimum(hits.retrieved, cutoff)
    # List all ranks up to the depth and mark those of judged documents; the others are the new relevant documents.
    places = np.repeat(np.arange(hits.rows), depth)
    starts = np.cumsum(depth) - depth
    rank = np.arange(len(places)) - starts[places] + 1
    taken = np.zeros(len(places), bool)
    within = known.rank <= depth[known.row]
    taken[starts[known.row[within]] + known.rank[within] - 1] = True
    new_row, new_rank = places[~taken], rank[~taken]
    new_count = np.bincount(new_row, minlength=hits.rows)

    # The new documents differ from row to row, so each row becomes a topic of its own: first copies of the topic's
    # judgements (`old` to `at_old`), then the new ones (`at_new`).
    counts = np.diff(hits.judged.offsets)[hits.topic]
    offsets = np.concatenate([[0], np.cumsum(counts + new_count)])
    owner = np.repeat(np.arange(hits.rows), counts)
    old = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts) + hits.judged.offsets[hits.topic][owner]
    at_old = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts) + offsets[owner]
    at_new = np.arange(len(new_row)) - np.repeat(np.cumsum(new_count) - new_count, new_count)
    at_new += offsets[new_row] + counts[new_row]
    grades = np.empty(int(offsets[-1]), np.int64)
    grades[at_old] = hits.judged.grades[old]
    grades[at_new] = best

    # The hits of each row, old and new, in the order of rank.
    document = np.concatenate(
        [offsets[known.row] + known.document - hits.judged.offsets[hits.topic][known.row], at_new]
    )
    row = np.concatenate([known.row, new_row])
    ranks = np.concatenate([known.rank, new_rank])
    order = np.lexsort((ranks, row))
    return replace(
        hits,
        offsets=np.concatenate([[0], np.cumsum(np.bincount(row, minlength=hits.rows))]),
        rank=ranks[order],
        grade=grades[document][order],
        document=document[order],
        judged=Judged(offsets, grades),
        topic=np.arange(hits.rows),
        tie_first=ranks[order],
        tie_last=ranks[order],
        qrels=hits.qrels and _widened(hits.qrels, hits.topic, offsets, old, at_old, at_new, grades, best),
    )


def _widened(
    qrels: Qrels,
    topic: Integers,
    offsets: Integers,
    old: Integers,
    at_old: Integers,
    at_new: Integers,
    grades: Integers,
    best: int,
) -> Qrels:
    """The judgements with a topic for each row, and the new documents in them."""
    names = np.full(len(grades), -1)
    names[at_old] = old
    kept = qrels.documents.as_bytes()
    documents = Ids.of([kept[place] if place >= 0 else b"unjudged-%d" % k for k, place in enumerate(names.tolist())])
    subtopics = None
    if qrels.subtopics is not None:
        # Copy the subtopics of each row's topic, with the judgements of its old documents; a new document is judged for
        # every subtopic.
        table = qrels.subtopics
        counts = np.diff(table.offsets)[topic]
        starts = np.concatenate([[0], np.cumsum(counts)])
        first = np.searchsorted(table.document, np.arange(len(qrels.documents) + 1))
        many = (first[1:] - first[:-1])[old]
        entry = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first[:-1][old], many)
        owner = np.repeat(np.searchsorted(offsets, at_old, side="right") - 1, many)
        moved = table.subtopic[entry] - table.offsets[topic][owner] + starts[owner]
        new_owner = np.searchsorted(offsets, at_new, side="right") - 1
        fresh = counts[new_owner]
        fresh_subtopic = np.arange(int(fresh.sum())) - np.repeat(np.cumsum(fresh) - fresh, fresh)
        fresh_subtopic += np.repeat(starts[:-1][new_owner], fresh)
        document = np.concatenate([np.repeat(at_old, many), np.repeat(at_new, fresh)])
        subtopic = np.concatenate([moved, fresh_subtopic])
        grade = np.concatenate([table.grade[entry], np.full(len(fresh_subtopic), best)])
        order = np.lexsort((subtopic, document))
        original = np.concatenate([np.arange(table.offsets[t], table.offsets[t + 1]) for t in topic.tolist()])
        subtopics = Subtopics(
            tuple(table.names[s] for s in original.tolist()),
            starts,
            None if table.weights is None else table.weights[original],
            document[order],
            subtopic[order],
            grade[order].astype(np.int32),
            table.largest,
        )
    row_names = tuple(f"{qrels.topics[t]}-{r}" for r, t in enumerate(topic.tolist()))
    return Qrels(qrels.name, row_names, offsets, documents, grades.astype(np.int32), qrels.kind, subtopics=subtopics)
