"""Check that a document is well-formed XML and find its parts, without building a tree.

A kernel matches the tags in the bytes. A document that is broken, or has more than plain elements, attributes and
references, is left to a parser.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Extent = tuple[int, int]  # begin and end in a document's bytes
Outline = tuple[dict[bytes, Extent], dict[bytes, Extent]]
_DEEPEST, _MOST_ATTRIBUTES, _ROWS = 200, 50, 4096  # the first two are the kernel's


class _Buffers(threading.local):
    """The kernel's arrays and a parser, per thread: making them takes as long as reading a short document."""

    rows: NDArray[np.int64] | None = None
    names: NDArray[np.int64]
    attributes: NDArray[np.int64]
    parser: Any = None


_buffers = _Buffers()


def outline(content: bytes) -> Outline | None:
    """The extents of the root's children and of the first child's children, by name; the first of each name.

    None leaves the document to a parser, which finds the same parts.
    """
    return _outline.choose(len(content))(content)


def _outline_plain(content: bytes) -> Outline | None:
    return None


@compiled_job("leadline.collections.documents.kernels.outlining.outline", plain=_outline_plain)
def _outline(kernel: Kernel, content: bytes) -> Outline | None:
    import numpy as np

    work = _buffers
    if work.rows is None:
        work.rows = np.empty(4 * _ROWS, np.int64)
        work.names, work.attributes = np.empty(2 * _DEEPEST, np.int64), np.empty(2 * _MOST_ATTRIBUTES, np.int64)
    text = np.frombuffer(content, np.uint8)
    found = kernel(text, len(content), work.names, work.attributes, work.rows, _ROWS)
    if found < 0:
        return None
    if not content.isascii():  # the kernel checks no other characters
        check(content)
    children: dict[bytes, Extent] = {}
    grandchildren: dict[bytes, Extent] = {}
    for depth, begin, end, length in work.rows[: 4 * found].reshape(-1, 4).tolist():
        (children if depth == 1 else grandchildren).setdefault(content[begin + 1 : begin + 1 + length], (begin, end))
    return children, grandchildren


class _NoTarget:
    """A parser's target that takes nothing, so that the parser only checks."""

    def close(self) -> None:
        pass


def check(content: bytes) -> None:
    """Raise ValueError with the parser's message when a document is not well-formed XML.

    >>> check(b"<p>one <b>two</p></b>")
    Traceback (most recent call last):
    ValueError: Opening and ending tag mismatch: b line 1 and p, line 1, column 18 (<string>, line 1)
    """
    from lxml import etree

    parser, _buffers.parser = _buffers.parser, None  # one that found an error is not used again
    if parser is None:
        settings = {"resolve_entities": False, "no_network": True, "huge_tree": True}
        parser = etree.XMLParser(target=_NoTarget(), encoding="utf-8", **settings)
    try:
        parser.feed(content)
        parser.close()
    except etree.XMLSyntaxError as error:
        raise ValueError(" ".join(str(error).split())) from None
    _buffers.parser = parser
