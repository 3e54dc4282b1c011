"""The class of each character, and texts normalised and joined for finding words."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.retrieval.index.kernels.words import ALONE, AMPERSAND, BETWEEN, DIGIT, HYPHEN, LETTER, POINT

if TYPE_CHECKING:
    from numpy.typing import NDArray

Capitals = Literal["small", "kept"]  # capitals distinguish NaCl from other words
PADDING = 64  # bytes beyond the end, so that kernels may load eight bytes anywhere
# All hyphens and the minus sign become one hyphen; trade mark signs become blanks; soft hyphens are removed.
_SAME = (("‐", "-"), ("‑", "-"), ("‒", "-"), ("–", "-"), ("−", "-"), ("™", " "), ("℠", " "), ("\xad", ""))


@cache
def classes() -> NDArray[np.uint8]:
    """The class of every character up to U+FFFF, by its code."""
    return np.frombuffer(bytes(_class_of(chr(code)) for code in range(0x10000)), np.uint8)


def _class_of(character: str) -> int:
    """The class of one character.

    >>> [_class_of(c) for c in "aß7-,(水"] == [LETTER, LETTER, DIGIT, HYPHEN, POINT, BETWEEN, ALONE]
    True
    """
    if character in ".,":
        return POINT
    if character == "-":
        return HYPHEN
    if character == "&":
        return AMPERSAND
    if character.isdecimal():
        return DIGIT
    kind = unicodedata.category(character)
    if kind == "Lo" and _is_ideograph(ord(character)):
        return ALONE
    return LETTER if kind[0] in "LMN" else BETWEEN


def _is_ideograph(code: int) -> bool:
    """Whether a character is of a script without blanks between words: Chinese characters and Japanese syllables."""
    return 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x4DBF or 0x4E00 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF


def prepared(text: str, capitals: Capitals = "small") -> bytes:
    """A text in lower case (with `capitals="small"`) and normalised (Unicode's NFKC), as UTF-8.

    >>> prepared("H₂SO₄ and 1,2‐Dichloroethane").decode()
    'h2so4 and 1,2-dichloroethane'
    """
    if not text.isascii():
        for character, replacement in _SAME:
            text = text.replace(character, replacement)
        text = unicodedata.normalize("NFKC", text)
    return (text.lower() if capitals == "small" else text).encode("utf-8", "replace")


def joined(texts: Sequence[str], capitals: Capitals = "small") -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Prepared texts, concatenated: the bytes, and the offset of each text."""
    ready = [prepared(text, capitals) for text in texts]
    offsets = np.zeros(len(ready) + 1, np.int64)
    np.cumsum([len(text) for text in ready], out=offsets[1:])
    return np.frombuffer(b"".join([*ready, bytes(PADDING)]), np.uint8), offsets
