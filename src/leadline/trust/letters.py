"""Significance letters: two systems that share a letter do not differ significantly; all others do."""

from __future__ import annotations

import numpy as np

from leadline.measures.hits import Mask


def letters(alike: Mask) -> list[str]:
    """The letters of every system, best first; `alike[i, j]` says that systems i and j do not differ.

    A letter stands for a group in which no two systems differ. Starting with the first system, each group begins with
    a pair that shares no letter yet and grows as large as possible, until every pair that does not differ shares a
    letter (Gramm et al., Algorithms for compact letter displays, 2007). The older insert-and-absorb method lists every
    maximal group, which takes thousands of letters for a hundred systems.

    >>> letters(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    ['a', 'ab', 'b']
    """
    groups = _groups(alike)
    separator = "" if len(groups) <= 26 else " "  # so that the letter ab differs from the letters a and b
    names = [letter(g) for g in range(len(groups))]
    return [
        separator.join(name for name, group in zip(names, groups, strict=True) if group[system])
        for system in range(len(alike))
    ]


def letter(place: int) -> str:
    """The letter with an index from 0: a to z, then aa, ab, … zz, aaa, and so on.

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
    """Groups of systems that do not differ, which together cover every pair that does not differ."""
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
