"""Runs of passages meet judgements of passages, character by character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import MeasureError, MismatchError
from leadline.measures.hits import Array, Characters, Hits
from leadline.measures.join import join, together
from leadline.records.passages import Extents, PassageRun, Span, joined_spans, without
from leadline.records.qrels import Qrels
from leadline.records.runs import Run
from leadline.text.fields import encode_id

if TYPE_CHECKING:
    from numpy.typing import NDArray


def characters_of(hits: Hits) -> Characters:
    """The passages of the rows; an error if the runs have documents."""
    if hits.characters is None:
        raise MeasureError(
            "a measure of characters needs runs of passages (topic Q0 document rank score tag offset length)"
        )
    return hits.characters


def relevant_characters(hits: Hits) -> Array:
    """The relevant characters of each row's topic, found or not."""
    relevant = characters_of(hits).relevant
    by_topic = np.bincount(hits.judged.topic, weights=relevant, minlength=len(hits.judged.offsets) - 1)
    return np.asarray(by_topic[hits.topic], np.float64)


def joined_passages(passages: PassageRun, qrels: Qrels) -> Characters:
    """The passages of a run on the topics of the judgements."""
    if qrels.extents is None:
        raise MismatchError(f"{passages.run.name} is a run of passages, and {qrels.name} judges whole documents")
    places = {topic: t for t, topic in enumerate(passages.run.topics)}
    offsets, chosen, ranks = [0], list[int](), list[int]()
    stretches: list[tuple[int, int, int, int]] = []
    for topic in qrels.topics:
        t = places.get(topic)
        if t is not None:
            judged, read = qrels.lookup[topic], dict[bytes, list[Span]]()
            rank_of: dict[bytes, int] = {}
            for p in range(passages.offsets[t], passages.offsets[t + 1]):
                document, span = passages.documents[p], (int(passages.start[p]), int(passages.end[p]))
                ranks.append(rank_of.setdefault(document, len(rank_of) + 1))
                place = judged.get(document)
                if place is not None:
                    new = without(span, read.get(document, ()))
                    read[document] = joined_spans([*read.get(document, ()), span])
                    stretches += _stretches(len(chosen), span[0], new, qrels.extents.spans(place), place)
                chosen.append(p)
        offsets.append(len(chosen))
    table: NDArray[np.int64] = np.array(stretches, np.int64).reshape(-1, 4)
    return Characters(
        np.array(offsets, np.int64),
        (passages.end - passages.start)[chosen].astype(np.int64),
        np.array(ranks, np.int64),
        passage=table[:, 0].copy(),
        at=table[:, 1].copy(),
        size=table[:, 2].copy(),
        document=table[:, 3].copy(),
        relevant=qrels.extents.sizes,
    )


def _stretches(
    passage: int, start: int, new: Sequence[Span], relevant: Sequence[Span], document: int
) -> list[tuple[int, int, int, int]]:
    """The relevant characters among the new ones of a passage that begins at `start`."""
    found = []
    for first, last in new:
        for begin, end in relevant:
            low, high = max(first, begin), min(last, end)
            if low < high:
                found.append((passage, low - start, high - low, document))
    return found


def example(passages: Sequence[tuple[str, int, int]], relevant: dict[str, list[Span]]) -> Hits:
    """One row for examples: passages as (document, offset, length), and the relevant spans of each document.

    >>> hits = example([("d1", 0, 10), ("d2", 5, 10)], {"d1": [(5, 15)]})
    >>> characters_of(hits).found(), characters_of(hits).read, relevant_characters(hits)
    (array([5.]), array([20]), array([10.]))
    """
    order = list(dict.fromkeys(document for document, _, _ in passages))
    topics = ["1"] * len(relevant)
    qrels = Qrels.from_columns(topics, list(relevant), [int(bool(spans)) for spans in relevant.values()])
    extents = Extents.of([relevant[document] for document in qrels.documents.names()])
    qrels = replace(qrels, kind="characters", extents=extents)
    run = Run.from_columns(["1"] * len(order), order, np.arange(len(order), 0.0, -1.0))
    table = np.array([each[1:] for each in passages], np.int64)
    names = [encode_id(document) for document, _, _ in passages]
    read = PassageRun(run, np.array([0, len(names)]), names, table[:, 0], table.sum(axis=1))
    part = join(run, qrels, kernels=False)
    return together([replace(part, characters=joined_passages(read, qrels))], qrels)
