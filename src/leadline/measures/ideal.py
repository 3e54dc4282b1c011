"""Two ideal runs for topics with subtopics: one for breadth, one for depth.

The Cube Test's gamma, the value of reading more of the same, decides which of them scores higher.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from typing import Literal, get_args

import numpy as np

from leadline.errors import InputError, not_a_choice
from leadline.measures.aspects import Theta, weights
from leadline.records.inputs import QrelsLike
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.qrels.subtopics import Subtopics
from leadline.records.runs.run import Run

Kind = Literal["coverage", "single"]


def ideal_run(qrels: QrelsLike, kind: Kind = "coverage", theta: Theta = "equal") -> Run:
    """Return a run of the relevant documents only, in one of two perfect orders. `qrels` may be a path.

    `coverage` takes the subtopics by weight, one document each in turn; `single` takes all documents of the heaviest
    subtopic, then those of the next. A subtopic gives its best grade first. Equal weights keep the order of the
    subtopics, equal grades the order of the judgements. No document comes twice: in its turn a subtopic gives the
    best that is left. Topics without a relevant document are left out.

    Luo, Wing, Yang and Hearst, CIKM 2013.

    >>> qrels = Qrels.from_columns(["7"] * 5, ["a", "b", "c", "d", "a"], [1, 2, 1, 1, 1], subtopics=list("11223"))
    >>> [document for document, _ in ideal_run(qrels, "coverage").ranking("7")]
    ['b', 'c', 'a', 'd']
    >>> [document for document, _ in ideal_run(qrels, "single").ranking("7")]
    ['b', 'a', 'c', 'd']
    """
    qrels = read_qrels(qrels) if isinstance(qrels, (str, os.PathLike)) else Qrels.of(qrels)
    if kind not in get_args(Kind):
        raise not_a_choice("ideal run", kind, get_args(Kind))
    if qrels.subtopics is None:
        raise InputError(qrels.name, "has no subtopics (topic subtopic document grade), which an ideal run needs")
    orders = _best_first(qrels.subtopics)
    heavy_first = np.lexsort((-weights(qrels, theta), _topic_of(qrels.subtopics)))
    topics: list[str] = []
    documents: list[str] = []
    scores: list[int] = []
    for t, topic in enumerate(qrels.topics):
        by_weight = [orders[c] for c in heavy_first[qrels.subtopics.offsets[t] : qrels.subtopics.offsets[t + 1]]]
        order = list(_in_turn(by_weight)) if kind == "coverage" else list(dict.fromkeys(chain(*by_weight)))
        topics.extend([topic] * len(order))
        documents.extend(qrels.documents[place] for place in order)
        scores.extend(range(len(order), 0, -1))
    if not topics:
        raise InputError(qrels.name, "has no relevant document to rank")
    return Run.from_columns(topics, documents, scores, f"ideal-{kind}")


def _topic_of(table: Subtopics) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.repeat(np.arange(len(table.offsets) - 1), np.diff(table.offsets))


def _best_first(table: Subtopics) -> list[list[int]]:
    """The relevant documents of each subtopic, best grade first. A document has the grade of its best passage."""
    best: list[dict[int, int]] = [{} for _ in table.names]
    for document, subtopic, grade in zip(
        table.document.tolist(), table.subtopic.tolist(), table.grade.tolist(), strict=True
    ):
        if grade >= 1:
            best[subtopic][document] = max(grade, best[subtopic].get(document, 0))
    return [sorted(grades, key=lambda document: -grades[document]) for grades in best]


def _in_turn(orders: list[list[int]]) -> Iterator[int]:
    seen: set[int] = set()
    waiting = [iter(order) for order in orders]
    while waiting:
        still = []
        for documents in waiting:
            document = next((document for document in documents if document not in seen), None)
            if document is not None:
                seen.add(document)
                still.append(documents)
                yield document
        waiting = still
