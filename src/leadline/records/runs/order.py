"""THE tie rule: higher score first; equal scores by document id, higher first. It is here and nowhere else.

(Its compiled twin is `order_run` in text/kernels/ordering.py, which a property test compares with this one.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.text import compiled
from leadline.text.ids import Ids
from leadline.text.memory import FRESH, Fresh
from leadline.text.table import table_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

Order = Literal["score", "rank", "file"]
SORTING = {"file": 0, "score": 1, "rank": 2}  # as order_run in the kernels numbers them


def ordered(
    topic: NDArray[np.int32],
    topics: int,
    documents: Ids,
    keys: NDArray[np.float64],
    order: Order,
    *,
    kernels: bool,
    memory: Fresh = FRESH,
) -> tuple[NDArray[np.int64], NDArray[np.int32], tuple[int, int] | None]:
    """Lines grouped by topic and sorted within: offsets, lines in order, and two lines that say the same, if any.

    `order` sorts by key and document (score), by key and line (rank), or leaves the lines as they are (file).
    """
    if not kernels:
        return _ordered_plainly(topic, topics, documents, keys, order)
    count = len(topic)
    offsets = np.empty(topics + 1, np.int64)
    sequence = memory.take("order", count, np.int32)
    spare = memory.take("spare", count, np.int32)
    slots = memory.take("slots", table_size(count), np.int32)
    found = np.zeros(2, np.int64)
    status = compiled.kernel("order_run")(
        documents.buffer, count, topics, topic, documents.starts, documents.lengths, documents.hashes(), keys,
        SORTING[order], offsets, sequence, spare, slots, found,
    )  # fmt: skip
    return offsets, sequence, (int(found[0]), int(found[1])) if status < 0 else None


def _ordered_plainly(
    topic: NDArray[np.int32], topics: int, documents: Ids, keys: NDArray[np.float64], order: Order
) -> tuple[NDArray[np.int64], NDArray[np.int32], tuple[int, int] | None]:
    names, values = documents.as_bytes(), keys.tolist()
    groups: list[list[int]] = [[] for _ in range(topics)]
    for line, code in enumerate(topic.tolist()):
        groups[code].append(line)
    offsets = np.zeros(topics + 1, np.int64)
    np.cumsum([len(group) for group in groups], out=offsets[1:])
    sequence = np.empty(len(names), np.int32)
    for code, group in enumerate(groups):
        seen: dict[bytes, int] = {}
        for line in group:
            earlier = seen.setdefault(names[line], line)
            if earlier != line:
                return offsets, sequence, (earlier, line)
        if order == "score":
            group.sort(key=lambda line: (values[line], names[line]), reverse=True)
        elif order == "rank":
            group.sort(key=lambda line: -values[line])
        sequence[offsets[code] : offsets[code + 1]] = group
    return offsets, sequence, None


def tie_order(scores: NDArray[Any], names: NDArray[Any]) -> NDArray[np.intp]:
    """The order of documents: higher score first; equal scores by name, higher first.

    Names are byte strings, or numbers in the order of the byte strings.

    >>> tie_order(np.array([1.0, 2.0, 1.0]), np.array([b"a", b"b", b"c"])).tolist()
    [1, 2, 0]
    """
    return np.lexsort((names, scores))[::-1]
