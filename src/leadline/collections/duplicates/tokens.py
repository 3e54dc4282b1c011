"""Canonical tokens: two texts that differ only in case, punctuation, blanks or mark-up have the same.

Tokens are words, letters or lines. Texts are put into small letters and one spelling of each character (NFKC). A word
is a run of letters, marks and digits; a character of a script that writes no blanks between words (Chinese, Japanese)
is a word by itself. A letter is any character of a word. A line is its words; a line without words is none.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.collections.duplicates.kernels.hashing import (
    ALONE,
    BETWEEN,
    IN_WORD,
    LETTERS,
    LINE_BASE,
    LINES,
    MIX_A,
    MIX_B,
    NEWLINE,
    TOKEN_BASE,
    WORDS,
)
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

By = Literal["words", "letters", "lines"]
UNITS: dict[By, int] = {"words": WORDS, "letters": LETTERS, "lines": LINES}
PLAIN_COST = 4  # the plain twins need so many times as long for a byte as reading one takes
_PADDING = 8
# Scripts and styles with what they hold, comments, and tags. A tag begins with a letter or /, so that a < b stays.
_MARKUP = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|</?[a-z!?][^<>]*>", re.IGNORECASE | re.DOTALL
)
_BLOCK = re.compile(r"</?(?:p|div|br|h[1-6]|li|ul|ol|tr|table|title|section|pre|blockquote)\b", re.IGNORECASE)


def canonical(text: str) -> str:
    """A text without mark-up, in small letters and one spelling of each character.

    >>> canonical("<p>The <b>Nail</b> &amp; the HAMMER</p>").split()
    ['the', 'nail', '&', 'the', 'hammer']
    """
    if "<" in text:
        text = _MARKUP.sub(lambda tag: "\n" if _BLOCK.match(tag[0]) else " " if tag[1] else "", text)
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.replace("\xad", ""))
    return text.lower()


def tokens(text: str, by: By = "words") -> list[str]:
    """The canonical tokens of a text.

    >>> tokens("Internet-scaled data: STORAGE and analysis")
    ['internet', 'scaled', 'data', 'storage', 'and', 'analysis']
    >>> tokens("A nail.", "letters"), tokens("One, two\\n--\\nThree", "lines")
    (['a', 'n', 'a', 'i', 'l'], ['one two', 'three'])
    """
    found: list[str] = []
    for line in canonical(text).split("\n"):
        kinds = [_class_of(character) for character in line]
        marked = "".join(
            {BETWEEN: " ", IN_WORD: character, ALONE: f" {character} "}[kind]
            for kind, character in zip(kinds, line, strict=True)
        )
        words = marked.split()
        if by == "lines":
            found += [" ".join(words)] * bool(words)
        else:
            found += words if by == "words" else [letter for word in words for letter in word]
    return found


@cache
def classes() -> NDArray[np.uint8]:
    """What each character up to U+FFFF is in a token, by its number."""
    return np.frombuffer(bytes(_class_of(chr(code)) for code in range(0x10000)), np.uint8)


@cache
def _ascii_words() -> NDArray[np.uint8]:
    """Which bytes are ASCII characters of words."""
    found = np.zeros(256, np.uint8)
    found[:128] = classes()[:128] == IN_WORD
    return found


def _class_of(character: str) -> int:
    code = ord(character)
    if 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or code > 0xFFFF:
        return ALONE
    return IN_WORD if unicodedata.category(character)[0] in "LMN" else BETWEEN


def token_hashes(texts: Sequence[str], by: By) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The 64-bit hashes of the tokens of texts, one text behind the other, and where each text's begin."""
    # Plain texts are put into small letters all at once: this takes a tenth of the time of one after another.
    ready = [text if text.isascii() and "<" not in text and "&" not in text else canonical(text) for text in texts]
    whole = "".join([*ready, "\0" * _PADDING])
    offsets = np.zeros(len(ready) + 1, np.int64)
    if whole.isascii():
        np.cumsum([len(text) for text in ready], out=offsets[1:])
        content = np.frombuffer(whole.lower().encode("ascii"), np.uint8)
    else:
        encoded = [(text.lower() if text.isascii() else text).encode("utf-8", "replace") for text in ready]
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        content = np.frombuffer(b"".join([*encoded, bytes(_PADDING)]), np.uint8)
    return _hashes.choose(PLAIN_COST * int(offsets[-1]))(content, offsets, UNITS[by])


_Hashes = tuple["NDArray[np.uint64]", "NDArray[np.int64]"]


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The bits of numbers spread over all of them, as the kernels do it."""
    values = (values ^ (values >> np.uint64(30))) * MIX_A
    values = (values ^ (values >> np.uint64(27))) * MIX_B
    return values ^ (values >> np.uint64(31))


def polynomials(
    terms: NDArray[np.uint64], base: np.uint64, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """The polynomial in `base` of each slice of `terms`, modulo 2**64: the first term times 1, the next times base."""
    powers = np.full(len(terms) + 1, base, np.uint64)
    powers[0] = 1
    powers = np.cumprod(powers, dtype=np.uint64)
    sums = np.zeros(len(terms) + 1, np.uint64)
    np.cumsum(terms * powers[:-1], dtype=np.uint64, out=sums[1:])
    inverse = np.full(len(terms) + 1, np.uint64(pow(int(base), -1, 1 << 64)), np.uint64)
    inverse[0] = 1
    return (sums[ends] - sums[starts]) * np.cumprod(inverse, dtype=np.uint64)[starts]


def _hashes_plain(content: NDArray[np.uint8], offsets: NDArray[np.int64], unit: int) -> _Hashes:
    size = int(offsets[-1])
    begins = np.flatnonzero((content[:size] & 0xC0) != 0x80)  # of each character
    ends = np.append(begins[1:], size)
    lead, second, third = (content[begins + k].astype(np.int32) for k in range(3))
    code = np.where(lead < 0xE0, (lead & 31) << 6 | second & 63, (lead & 15) << 12 | (second & 63) << 6 | third & 63)
    kinds = np.where(lead >= 0xF0, ALONE, classes()[np.where(lead < 128, lead, code & 0xFFFF)])
    # A token goes on from one character to the next if both are in a word of one text.
    text_of = np.searchsorted(offsets, begins, "right")
    goes_on = np.zeros(len(begins) + 1, np.bool_)
    if unit != LETTERS:
        goes_on[1:-1] = (kinds[:-1] == IN_WORD) & (kinds[1:] == IN_WORD) & (text_of[:-1] == text_of[1:])
    first = np.flatnonzero((kinds != BETWEEN) & ~goes_on[:-1])
    last = np.flatnonzero((kinds != BETWEEN) & ~goes_on[1:])
    hashes = mixed(polynomials(content[:size].astype(np.uint64) + np.uint64(1), TOKEN_BASE, begins[first], ends[last]))
    token_offsets = np.searchsorted(begins[first], offsets)
    if unit != LINES:
        return hashes, token_offsets
    # The line of each word: of its text, by the line feeds before it.
    line = np.cumsum(content[:size] == NEWLINE)[begins[first]] if len(first) else np.empty(0, np.int64)
    changes = (np.diff(line) != 0) | (np.diff(text_of[first]) != 0)
    starts = np.flatnonzero(np.r_[True, changes][: len(first)])
    whole = mixed(polynomials(hashes, LINE_BASE, starts, np.append(starts[1:], len(first))[: len(starts)]))
    return whole, np.searchsorted(begins[first][starts], offsets)


@compiled_job("leadline.collections.duplicates.kernels.hashing.hash_tokens", plain=_hashes_plain)
def _hashes(kernel: Kernel, content: NDArray[np.uint8], offsets: NDArray[np.int64], unit: int) -> _Hashes:
    hashes = np.empty(int(offsets[-1]) + 1, np.uint64)  # a token has at least one byte
    token_offsets = np.empty(len(offsets), np.int64)
    found = kernel(content, len(offsets) - 1, offsets, classes(), _ascii_words(), unit, hashes, token_offsets)
    return hashes[:found], token_offsets
