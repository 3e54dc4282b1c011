"""Checking that a document is well-formed XML and finding where its parts are, without a tree.

A kernel walks over the bytes and matches the tags. It accepts a document only when there is no doubt: one that is
broken, or has anything but plain elements, attributes and references, goes to a real parser.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from leadline.collections.documents.machine import KERNELS, kernels_pay

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Extent = tuple[int, int]  # begin and end in a document's bytes
Outline = tuple[dict[bytes, Extent], dict[bytes, Extent]]
_DEEPEST, _MOST_ATTRIBUTES, _ROWS = 200, 50, 4096  # the first two are the kernel's


class _Buffers(threading.local):
    """Output arrays of the kernel and a parser, one set a thread: making them takes as long as a short document."""

    rows: NDArray[np.int64] | None = None
    names: NDArray[np.int64]
    attributes: NDArray[np.int64]
    parser: Any = None


_buffers = _Buffers()


def outline(content: bytes) -> Outline | None:
    """The extents of the root's children and of the first child's children, by name; the first of each name.

    None means that the document needs a parser.
    """
    if not kernels_pay(len(content)):
        return None
    import numpy as np

    if _buffers.rows is None:
        _buffers.rows = np.empty(4 * _ROWS, np.int64)
        _buffers.names, _buffers.attributes = np.empty(2 * _DEEPEST, np.int64), np.empty(2 * _MOST_ATTRIBUTES, np.int64)
    text = np.frombuffer(content, np.uint8)
    found = KERNELS.kernel("outline")(text, len(content), _buffers.names, _buffers.attributes, _buffers.rows, _ROWS)
    if found < 0:
        return None
    if not content.isascii():  # the kernel does not check other characters
        check(content)
    children: dict[bytes, Extent] = {}
    grandchildren: dict[bytes, Extent] = {}
    for depth, begin, end, length in _buffers.rows[: 4 * found].reshape(-1, 4).tolist():
        (children if depth == 1 else grandchildren).setdefault(content[begin + 1 : begin + 1 + length], (begin, end))
    return children, grandchildren


class _NoTarget:
    """A parser target that ignores all events, so that the parser only checks."""

    def close(self) -> None:
        pass


def check(content: bytes) -> None:
    """Raise ValueError with the parser's message when a document is not well-formed XML.

    >>> check(b"<p>one <b>two</p></b>")
    Traceback (most recent call last):
    ValueError: Opening and ending tag mismatch: b line 1 and p, line 1, column 18 (<string>, line 1)
    """
    from lxml import etree

    parser, _buffers.parser = _buffers.parser, None  # a parser is not used again after an error
    if parser is None:
        settings = {"resolve_entities": False, "no_network": True, "huge_tree": True}
        parser = etree.XMLParser(target=_NoTarget(), encoding="utf-8", **settings)
    try:
        parser.feed(content)
        parser.close()
    except etree.XMLSyntaxError as error:
        raise ValueError(" ".join(str(error).split())) from None
    _buffers.parser = parser
