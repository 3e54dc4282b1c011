"""Significance letters: systems that share a letter do not differ significantly, all others do."""

from __future__ import annotations

import numpy as np

from leadline.measures.hits import Mask


def letters(alike: Mask) -> list[str]:
    """The letters of every system, from the matrix of which do not differ; systems in the order of their means.

    A letter stands for a group in which no two differ. Groups are grown from the first system down, each time around
    a pair that shares no letter yet, as large as they can be, until every such pair is in one (Gramm et al., Algorithms
    for compact letter displays, 2007). Listing every largest group instead, as the older insert-and-absorb rule does,
    says the same with thousands of letters where a hundred systems are compared.

    >>> letters(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    ['a', 'ab', 'b']
    """
    groups = _groups(alike)
    separator = "" if len(groups) <= 26 else " "  # with letters like ab, a and b must stand apart
    names = [letter(g) for g in range(len(groups))]
    return [
        separator.join(name for name, group in zip(names, groups, strict=True) if group[system])
        for system in range(len(alike))
    ]


def letter(place: int) -> str:
    """The letter at a place from 0: a to z, then aa, ab, … zz, aaa, and so on.

    >>> [letter(place) for place in (0, 25, 26, 27, 701, 702)]
    ['a', 'z', 'aa', 'ab', 'zz', 'aaa']
    """
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _groups(alike: Mask) -> list[Mask]:
    shared = np.zeros_like(alike)  # pairs that have a letter in common; on the diagonal, systems that have any
    groups = []
    for system in range(len(alike)):
        while (alike[system] & ~shared[system]).any():
            group = np.zeros(len(alike), np.bool_)
            group[system] = True
            could_join = alike[system] & ~group
            while could_join.any():
                new = could_join & ~shared[system]
                joins = int(np.argmax(new if new.any() else could_join))
                group[joins] = True
                could_join &= alike[joins] & ~group
            shared |= np.outer(group, group)
            groups.append(group)
    return groups
