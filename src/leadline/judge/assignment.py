"""Who judges which topic: the load is even, a share of the topics is judged by two, and the draw is by a seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from leadline.errors import InputError


def assign_topics(
    documents: Mapping[str, int],
    first: Sequence[str],
    second: Sequence[str] = (),
    *,
    double: float = 0.25,
    seed: int = 1,
    kept: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, tuple[str, ...]]:
    """The people of each topic: one of `first`, and for a share of the topics another one.

    documents: how many are to be judged of each topic
    first: who judges, such as students
    second: who judges the topics that are judged twice, such as seniors (default: another of the first)
    double: the share of the topics that are judged twice, rounded up; drawn at random
    seed: random seed
    kept: what was assigned before, which stays

    The largest topics are given first, each to whoever has the fewest documents.

    >>> assign_topics({"1": 30, "2": 20, "3": 10}, ["ann", "ben"], ["sue"], double=0.3)
    {'1': ('ann', 'sue'), '2': ('ben',), '3': ('ben',)}
    """
    if not first:
        raise InputError("assessors", "there is nobody to assign topics to: invite students or seniors first")
    if not 0 <= double <= 1:
        raise InputError("double", f"must be from 0 to 1, got {double:g}")
    known = {topic: list(dict.fromkeys((kept or {}).get(topic, ()))) for topic in documents}
    load = dict.fromkeys([*first, *second], 0)
    for topic, names in known.items():
        for name in names:
            load[name] = load.get(name, 0) + documents[topic]
    if double and not second and len(first) < 2:
        raise InputError("double", f"needs two who judge, and there is only {first[0]}: invite another, or set it to 0")
    order = np.random.default_rng(seed).permutation(len(documents)).tolist()
    names_of_topics = list(documents)
    twice = {names_of_topics[place] for place in order[: math.ceil(double * len(documents) - 1e-9)]}
    by_size = sorted(documents, key=lambda topic: (-documents[topic], names_of_topics.index(topic)))

    def give(topic: str, among: Sequence[str]) -> None:
        free = [name for name in among if name not in known[topic]]
        if free:
            name = min(free, key=lambda each: (load[each], among.index(each)))
            known[topic].append(name)
            load[name] += documents[topic]

    for topic in by_size:
        if not known[topic]:
            give(topic, first)
    for topic in by_size:
        if topic in twice and len(known[topic]) < 2:
            give(topic, second or first)
    return {topic: tuple(names) for topic, names in known.items()}
