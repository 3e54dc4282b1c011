"""The tie rule: higher score first; equal scores by document id, higher first. It is here and nowhere else.

Its compiled twin is `order_run` in `kernels/ordering.py`; a property test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.records.choices import Order
from leadline.records.runs.kernels.arguments import LineOrder, RunLines
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.fields import table_size
from leadline.text.ids import Ids
from leadline.text.memory import NEW_ARRAYS, NewArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ordered = tuple["NDArray[np.int64]", "NDArray[np.int32]", tuple[int, int] | None]
SORTING = {"file": 0, "score": 1, "rank": 2}  # as order_run in the kernels numbers them


def _ordered_plain(
    topic: NDArray[np.int32], topics: int, documents: Ids, keys: NDArray[np.float64], order: Order, memory: NewArrays
) -> Ordered:
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


@compiled_job("leadline.records.runs.kernels.ordering.order_run", plain=_ordered_plain)
def _ordered(
    kernel: Kernel, topic: NDArray[np.int32], topics: int, documents: Ids, keys: NDArray[np.float64], order: Order,
    memory: NewArrays,
) -> Ordered:  # fmt: skip
    count = len(topic)
    offsets = np.empty(topics + 1, np.int64)
    lines = RunLines(topic, documents.starts, documents.lengths, documents.hashes(), keys)
    into = LineOrder(
        sequence=memory.take("order", count, np.int32),
        spare=memory.take("spare", count, np.int32),
        slots=memory.take("slots", table_size(count), np.int32),
    )
    found = np.zeros(2, np.int64)
    status = kernel(documents.buffer, count, topics, lines, SORTING[order], offsets, into, found)
    return offsets, into.sequence, (int(found[0]), int(found[1])) if status < 0 else None


def ordered(
    topic: NDArray[np.int32],
    topics: int,
    documents: Ids,
    keys: NDArray[np.float64],
    order: Order,
    *,
    kernels: bool | None = None,
    memory: NewArrays = NEW_ARRAYS,
) -> Ordered:
    """Lines grouped by topic and sorted within: offsets, lines in order, and two lines that say the same, if any.

    `order` sorts by key and document (score), by key and line (rank), or leaves the lines as they are (file).
    `kernels` chooses machine code (True) or plain Python; by default the size of the job does.
    """
    if kernels is None:
        kernels = _ordered.pays(len(documents.buffer))
    return _ordered.version(kernels)(topic, topics, documents, keys, order, memory)


def tie_order(scores: NDArray[Any], names: NDArray[Any]) -> NDArray[np.intp]:
    """The order of documents: higher score first; equal scores by name, higher first.

    Names are byte strings, or numbers in the order of the byte strings.

    >>> tie_order(np.array([1.0, 2.0, 1.0]), np.array([b"a", b"b", b"c"])).tolist()
    [1, 2, 0]
    """
    return np.lexsort((names, scores))[::-1]
