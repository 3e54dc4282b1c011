"""The plain text of markup, without building a tree, which would cost twice as much as checking the markup.

Most of a patent is description, of which only the words and the ends of paragraphs are needed. A kernel extracts them
from the bytes at the speed of memory. Its plain equivalent is a parser of the standard library, which gives the same
words; a property test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.parsers import expat

from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLANK, LINE, ENTRY = 1, 2, 3

_SEPARATOR = "\N{INFORMATION SEPARATOR TWO}"  # XML may not contain it
_MARKS = {BLANK: " ", LINE: "\N{INFORMATION SEPARATOR ONE}"}
_BLANKS = re.compile(" {2,}")
_MAX_ENTRIES = 4096


class Layout:
    """Which elements separate words, and how. All others are part of running text: H<sub>2</sub>O is one word.

    BLANK is a gap between words. LINE begins and ends a line. The end of an ENTRY ends a text.
    """

    def __init__(self, effects: Mapping[str, int]) -> None:
        self.effects = effects

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """The elements for the kernel: the first eight letters of the name, its length, the effect."""
        import numpy as np

        names = {name.encode(): effect for name, effect in self.effects.items()}
        rows = [(int.from_bytes(name[:8], "little"), len(name), effect) for name, effect in names.items()]
        return np.array(rows, np.int64).ravel()


def read_words(markup: bytes, layout: Layout, extents: Sequence[tuple[int, int]] = ()) -> list[str]:
    r"""The texts of well-formed markup, one for each entry and one for the rest after the last entry.

    A run of blanks is one blank, and so is a line break of the file. With `extents`, each a begin and an end, only that
    markup is read.

    >>> layout = Layout({"p": LINE, "td": BLANK, "claim": ENTRY})
    >>> read_words(b"<claim><p>H<sub>2</sub>O\n is wet.</p><p><td>1</td><td>2</td></p></claim>5 &#x3bc;m", layout)
    ['H2O is wet.\n1 2', '5 μm']
    """
    extents = extents or [(0, len(markup))]
    size = sum(end - begin for begin, end in extents)
    return _words.choose(size)(markup, layout, extents)


def _words_plain(markup: bytes, layout: Layout, extents: Sequence[tuple[int, int]]) -> list[str]:
    content = b"".join(markup[begin:end] for begin, end in extents)
    marks = {name: _MARKS.get(effect, "") for name, effect in layout.effects.items()}
    ends = {name: _MARKS.get(effect, _SEPARATOR) for name, effect in layout.effects.items()}
    pieces: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.CharacterDataHandler = pieces.append
    parser.StartElementHandler = lambda name, _attributes: pieces.append(marks.get(name, ""))
    parser.EndElementHandler = lambda name: pieces.append(ends.get(name, ""))
    try:
        parser.Parse(b"<words>" + content + b"</words>", True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None
    text = "".join(pieces).replace("\t", " ").replace("\r", " ").replace("\n", " ")
    return [*map(_in_lines, text.split(_SEPARATOR))]


@compiled_job("leadline.collections.documents.kernels.stripping.strip_markup", plain=_words_plain)
def _words(kernel: Kernel, markup: bytes, layout: Layout, extents: Sequence[tuple[int, int]]) -> list[str]:
    import numpy as np

    text, places = np.frombuffer(markup, np.uint8), np.array(extents, np.int64)
    size = sum(end - begin for begin, end in extents)
    words, ends = np.empty(size + 64, np.uint8), np.empty(_MAX_ENTRIES, np.int64)
    found = kernel(text, places, len(extents), layout.table, len(layout.effects), words, ends, _MAX_ENTRIES)
    if found < 0:  # more entries than a patent has claims
        return _words_plain(markup, layout, extents)
    stops = [0, *ends[:found].tolist()]
    return [str(words.data[begin:end], "utf-8") for begin, end in pairwise(stops)]


def _in_lines(entry: str) -> str:
    lines = (line.strip(" ") for line in entry.split(_MARKS[LINE]))
    return "\n".join(_BLANKS.sub(" ", line) if "  " in line else line for line in lines if line)
