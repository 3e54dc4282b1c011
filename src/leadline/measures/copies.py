"""Near-duplicates in runs: a copy of a document that stands higher in the list is not relevant, or left out.

Either way a document counts as itself when it is the first of its group in the list, and the group counts once, with
its highest grade, among the relevant documents of a topic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from leadline.errors import MeasureError, checked_choice
from leadline.measures.definition import Measure
from leadline.measures.hits import Hits, Integers, Judged
from leadline.records.inputs import DuplicatesLike
from leadline.records.qrels.qrels import Qrels
from leadline.records.runs.run import Run
from leadline.records.side_tables import read_groups
from leadline.text.ids import encode_id

Copies = Literal["not-relevant", "collapse"]
Groups = Mapping[bytes, int]


def open_groups(duplicates: DuplicatesLike, copies: Copies, measures: Sequence[Measure], qrels: Qrels) -> Groups:
    """The group of each document, by the bytes of its id; an error where judgements or measures cannot use them."""
    checked_choice("copies", copies, get_args(Copies))
    if qrels.kind != "plain":
        raise MeasureError(f"duplicates need judgements with one grade for a document; those of {qrels.name} have more")
    for measure in measures:
        if measure.view.needs & {"words", "seconds", "iterations"}:
            raise MeasureError(f"{measure.text} is a measure of reading time, which has no value with duplicates")
    numbers: dict[str, int] = {}
    groups = read_groups(duplicates).items()
    return {encode_id(name): numbers.setdefault(group, len(numbers)) for name, group in groups}


def later_copies(run: Run, qrels: Qrels, groups: Groups) -> Sequence[Integers]:
    """For each topic of the judgements the ranks of documents of which a copy stands higher in the list."""
    places = {topic: t for t, topic in enumerate(run.topics)}
    group = np.array([groups.get(name, -1) for name in run.documents.as_bytes()], np.int64)
    found = []
    for topic in qrels.topics:
        t = places.get(topic, -1)
        here = group[run.order[run.offsets[t] : run.offsets[t + 1]]] if t >= 0 else np.empty(0, np.int64)
        member = np.flatnonzero(here >= 0)
        first = np.unique(here[member], return_index=True)[1]
        found.append(np.delete(member, first) + 1)
    return found


def counted_once(qrels: Qrels, groups: Groups) -> Judged:
    """The judgements with one document of each group: the highest grade counts, the others become 0.

    >>> qrels = Qrels.of({"1": {"a": 1, "b": 2, "c": 1}})
    >>> counted_once(qrels, {b"a": 0, b"b": 0}).grades
    array([0, 2, 1])
    """
    judged = Judged.of(qrels)
    group = np.array([groups.get(name, -1) for name in qrels.documents.as_bytes()], np.int64)
    member = np.flatnonzero((group >= 0) & (judged.grades > 0))
    order = member[np.lexsort((-judged.grades[member], group[member], judged.topic[member]))]
    same = (np.diff(group[order]) == 0) & (np.diff(judged.topic[order]) == 0)
    grades = judged.grades.copy()
    grades[order[1:][same]] = 0
    return Judged(judged.offsets, grades)


def without_copies(hits: Hits, copies: Sequence[Integers], judged: Judged, treatment: Copies) -> Hits:
    """The hits with copies as not relevant or left out. `copies` has the ranks of later copies of each row.

    >>> hits = Hits.of(ranks=[1, 2, 4], relevant=3)
    >>> apart = without_copies(hits, [np.array([2, 3])], hits.judged, "collapse")
    >>> apart.rank, apart.retrieved, without_copies(hits, [np.array([2, 3])], hits.judged, "not-relevant").grade
    (array([1, 2]), array([2]), array([1, 0, 1]))
    """
    counts = np.array([len(ranks) for ranks in copies], np.int64)
    depth = max(int(hits.retrieved.max(initial=0)), int(hits.rank.max(initial=0))) + 1
    keys = np.repeat(np.arange(hits.rows), counts) * depth + np.concatenate([np.empty(0, np.int64), *copies])
    at = hits.row * depth + hits.rank
    is_copy = np.isin(at, keys)
    if treatment == "not-relevant":
        return replace(hits, grade=np.where(is_copy, np.minimum(hits.grade, 0), hits.grade), judged=judged)
    kept = hits.where(~is_copy)
    before = np.cumsum(counts) - counts
    rank = kept.rank - (np.searchsorted(keys, at[~is_copy]) - before[kept.row])
    return replace(kept, rank=rank, retrieved=hits.retrieved - counts, tie_first=rank, tie_last=rank, judged=judged)
