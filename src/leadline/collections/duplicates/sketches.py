"""Canonical tokens, shingles of them, and sketches: how much two texts resemble or contain each other.

This is min-hashing in one pass. Every shingle has a random place among k and a random value, and a text's sketch keeps
the smallest value in each place. A place that no shingle reached takes the number of another, looking in a few in an
order that is the same for all texts ("densification"; Shrivastava, 2017); what is still empty is filled by further
rounds, in which every shingle has other places and values ("fast similarity sketching"; Dahlgaard, Knudsen and Thorup,
2017). Two texts have the same number in a place with a probability of their resemblance, so the share of equal places
estimates it, with about the error of k independent draws: sqrt(r (1 - r) / k). A long text needs one step a shingle,
where k permutations need k steps.

Texts that are equal in all r places of one of b bands are compared. Two of resemblance s are missed with a probability
of (1 - s^r)^b; `bands` chooses r and b so that it is at most MISSED at the threshold. Low thresholds need narrow bands,
which texts with nothing but phrases in common share as well: there several bands have to be equal.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, takewhile
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.choices import PLACES, By
from leadline.collections.duplicates.kernel_arguments import (
    ALONE,
    BETWEEN,
    EMPTY,
    IN_WORD,
    LETTERS,
    LINE_BASE,
    LINES,
    MIX_A,
    MIX_B,
    NEWLINE,
    OTHERS,
    SHINGLE_BASE,
    SHORT_MARK,
    SPACE,
    TOKEN_BASE,
    VALUE_BITS,
    VALUE_WIDTH,
    WORDS,
)
from leadline.errors import InputError
from leadline.text.engine import Kernel, compiled_job
from leadline.text.memory import cuts

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Canonical tokens: two texts that differ only in case, punctuation, blanks or mark-up have the same.
#
# Tokens are words, letters or lines. Texts are put into small letters and one spelling of each character (NFKC). A word
# is a run of letters, marks and digits; a character of a script that writes no blanks between words (Chinese, Japanese)
# is a word by itself. A letter is any character of a word. A line is its words; a line without words does not count.


UNITS: dict[By, int] = {"words": WORDS, "letters": LETTERS, "lines": LINES}
PLAIN_PIECE = 1 << 19  # bytes that plain Python hashes at a time, and tokens
SKETCHED = 1 << 19  # shingles, and numbers of sketches, in memory at a time
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
    """In pieces that end between tokens: NumPy takes a hundred bytes of memory for each byte of a piece."""
    found, ends = [], np.zeros(len(offsets), np.int64)
    for begin, end in _pieces(content, offsets, unit):
        hashes, within = _piece_hashed(content[begin : end + _PADDING], np.clip(offsets - begin, 0, end - begin), unit)
        found.append(hashes)
        ends += within  # of a text that ends before the piece none, of one that ends behind it all
    return np.concatenate([*found, np.empty(0, np.uint64)]), ends


def _pieces(content: NDArray[np.uint8], offsets: NDArray[np.int64], unit: int) -> Iterator[tuple[int, int]]:
    """Where pieces of about PLAIN_PIECE bytes begin and end: with a text, or behind a blank, for lines a line feed."""
    begin, size = 0, int(offsets[-1])
    while begin < size:
        end = min(begin + PLAIN_PIECE, size)
        end_of_text = int(offsets[np.searchsorted(offsets, end)])
        while end < end_of_text:  # on to where a token ends, however long it is
            some = content[end : min(end + PLAIN_PIECE, end_of_text)]
            ends = some == NEWLINE if unit == LINES else (some == NEWLINE) | (some == SPACE)
            if ends.any():
                end += int(ends.argmax()) + 1
                break
            end += len(some)
        yield begin, end
        begin = end


def _piece_hashed(content: NDArray[np.uint8], offsets: NDArray[np.int64], unit: int) -> _Hashes:
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


@compiled_job("leadline.collections.duplicates.kernels.hash_tokens", plain=_hashes_plain)
def _hashes(kernel: Kernel, content: NDArray[np.uint8], offsets: NDArray[np.int64], unit: int) -> _Hashes:
    hashes = np.empty(int(offsets[-1]) + 1, np.uint64)  # a token has at least one byte
    token_offsets = np.empty(len(offsets), np.int64)
    found = kernel(content, len(offsets) - 1, offsets, classes(), _ascii_words(), unit, hashes, token_offsets)
    return hashes[:found], token_offsets


# Shingles: the runs of w tokens of a text; and how much two texts resemble or contain each other by them.


Shingles = frozenset[tuple[str, ...]]


def shingles(text: str, width: int = 4, by: By = "words") -> Shingles:
    """The set of a text's shingles. One with fewer tokens than `width` has a single shingle of all of them.

    >>> sorted(shingles("Internet, scaled data storage and analysis"))[0]
    ('data', 'storage', 'and', 'analysis')
    >>> shingles("Not found."), shingles("...")
    (frozenset({('not', 'found')}), frozenset())
    """
    found = tokens(text, by)
    if len(found) < width:
        return frozenset({tuple(found)} if found else ())
    return frozenset(zip(*(found[start:] for start in range(width)), strict=False))


def resemblance(first: Shingles, second: Shingles) -> float:
    """The share of all shingles of two texts that both have: |A ∩ B| / |A ∪ B|; 0 for two texts without any.

    >>> resemblance(shingles("a b c d e"), shingles("a b c d f"))
    0.3333333333333333
    """
    together = len(first | second)
    return len(first & second) / together if together else 0.0


def containment(first: Shingles, second: Shingles) -> float:
    """The share of the first text's shingles that the second has: |A ∩ B| / |A|; 0 for a text without any."""
    return len(first & second) / len(first) if first else 0.0


@dataclass(frozen=True)
class ShingleHashes:
    """The shingles of several texts as 64-bit hashes, repeated ones included."""

    hashes: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    tokens: NDArray[np.int64]  # how many each text has
    fingerprints: NDArray[np.uint64]  # the same for texts with the same shingles in the same order

    @classmethod
    def of(cls, texts: Sequence[str], width: int, by: By) -> ShingleHashes:
        hashes, offsets = token_hashes(texts, by)
        found, places, prints = _shingled.choose(PLAIN_COST * 8 * len(hashes))(hashes, offsets, width)
        return cls(found, places, np.diff(offsets), prints)

    def __len__(self) -> int:
        return len(self.tokens)

    def sets(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The shingles of each text, ascending and each once, one text behind the other, and how many each has."""
        ordered = self.hashes.copy()
        ends = self.offsets.tolist()
        for begin, end in pairwise(ends):
            ordered[begin:end].sort()
        first = np.ones(len(ordered), np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        begins = self.offsets[:-1]
        first[begins[begins < len(ordered)]] = True
        return ordered[first], np.diff(np.append(0, np.cumsum(first))[self.offsets])


_Shingled = tuple["NDArray[np.uint64]", "NDArray[np.int64]", "NDArray[np.uint64]"]


def _shingled_plain(hashes: NDArray[np.uint64], offsets: NDArray[np.int64], width: int) -> _Shingled:
    counts = np.diff(offsets)
    places = np.zeros(len(offsets), np.int64)
    np.cumsum(np.where(counts < width, np.minimum(counts, 1), counts - width + 1), out=places[1:])
    found, prints = np.empty(int(places[-1]), np.uint64), np.empty(len(counts), np.uint64)
    for begin, end in cuts(counts, PLAIN_PIECE):
        some = slice(places[begin], places[end])
        found[some], prints[begin:end] = _texts_shingled(
            hashes, offsets[begin : end + 1], places[begin : end + 1], width
        )
    return found, places, prints


def _texts_shingled(
    hashes: NDArray[np.uint64], offsets: NDArray[np.int64], places: NDArray[np.int64], width: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The shingles of some texts and the fingerprint of each; `places` are those of their shingles among all."""
    counts, sizes, places = np.diff(offsets), np.diff(places), places - places[0]
    total = int(places[-1])
    begins = np.repeat(offsets[:-1] - places[:-1], sizes) + np.arange(total)  # the first token of each shingle
    length = np.repeat(np.minimum(counts, width), sizes)  # its tokens
    values = np.zeros(total, np.uint64)
    for k in range(width):
        here = k < length
        values[here] = values[here] * SHINGLE_BASE + hashes[begins[here] + k]
    short = length < width
    values[short] += SHORT_MARK * length[short].astype(np.uint64)
    found = mixed(values)
    return found, mixed(polynomials(found, TOKEN_BASE, places[:-1], places[1:]))


@compiled_job("leadline.collections.duplicates.kernels.hash_shingles", plain=_shingled_plain)
def _shingled(kernel: Kernel, hashes: NDArray[np.uint64], offsets: NDArray[np.int64], width: int) -> _Shingled:
    texts = len(offsets) - 1
    found, places = np.empty(len(hashes) + 1, np.uint64), np.empty(texts + 1, np.int64)
    prints = np.empty(texts, np.uint64)
    count = kernel(np.ascontiguousarray(hashes), texts, offsets, width, found, places, prints)
    return found[:count], places, prints


MISSED = 1e-6  # the largest accepted probability of missing two texts at the threshold
NARROW = 2  # places of a band that texts which are not alike often share
_MOST_PLACES = 1 << 14


@dataclass(frozen=True)
class Bands:
    """How sketches are cut into bands."""

    count: int
    rows: int  # places of a band
    least: int = 1  # bands in which two texts have to be equal to be compared

    def missed(self, resemblance: float) -> float:
        """The probability that two texts of this resemblance are equal in too few bands.

        >>> round(Bands(32, 4).missed(0.8) * 1e8)
        5
        """
        equal = resemblance**self.rows
        terms = (comb(self.count, k) * equal**k * (1 - equal) ** (self.count - k) for k in range(self.least))
        return float(sum(terms))

    def __str__(self) -> str:
        several = f", {self.least} equal" if self.least > 1 else ""
        return f"{self.count} bands of {self.rows}{several}"


def bands(threshold: float, places: int = PLACES) -> Bands:
    """The fewest bands, each as wide as possible, that miss two texts at the threshold with at most MISSED.

    >>> bands(0.8), bands(0.5)
    (Bands(count=32, rows=4, least=1), Bands(count=64, rows=2, least=2))
    """
    choices = [Bands(places // rows, rows) for rows in range(1, places + 1)]
    good = [each for each in choices if each.missed(threshold) <= MISSED]
    if not good:
        least = next(t / 100 for t in range(1, 101) if choices[0].missed(t / 100) <= MISSED)
        raise InputError("resemblance", f"must be at least {least} with {places} places, got {threshold}: use --exact")
    widest = good[-1]
    if widest.rows > NARROW:
        return widest
    stricter = (Bands(widest.count, widest.rows, least) for least in range(1, widest.count + 1))
    return list(takewhile(lambda each: each.missed(threshold) <= MISSED, stricter))[-1]


def check_places(places: int) -> None:
    """Raise InputError unless a sketch can have this many places."""
    if not 16 <= places <= _MOST_PLACES or places & (places - 1):
        raise InputError("places", f"must be a power of 2 from 16 to {_MOST_PLACES}, got {places}")


def sketches(shingles: ShingleHashes, places: int = PLACES) -> NDArray[np.uint64]:
    """A row of numbers for each text; that of a text without shingles is all EMPTY."""
    check_places(places)
    job = _sketched.choose(20 * len(shingles.hashes) + places * (len(shingles.offsets) - 1))
    return job(shingles.hashes, shingles.offsets, places)


def sketched_bands(shingles: ShingleHashes, places: int, cut: Bands) -> NDArray[np.uint64]:
    """The bands of each text, as `band_hashes` gives them, with the sketches of some texts in memory at a time."""
    offsets = shingles.offsets
    found = np.empty((cut.count, len(shingles)), np.uint64)
    for begin, end in cuts(np.diff(offsets) + places, SKETCHED):
        hashes = shingles.hashes[offsets[begin] : offsets[end]]
        some = replace(shingles, hashes=hashes, offsets=offsets[begin : end + 1] - offsets[begin])
        found[:, begin:end] = band_hashes(sketches(some, places), cut)
    return found


def estimate(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> float:
    """The estimated resemblance of two texts, from their sketches."""
    return float(np.mean((first == second) & (first != EMPTY)))


def band_hashes(found: NDArray[np.uint64], cut: Bands) -> NDArray[np.uint64]:
    """A number for each band (row) of each text (column), the same where all places of the band are equal."""
    texts = len(found)
    powers = np.cumprod(np.full(cut.rows, SHINGLE_BASE, np.uint64), dtype=np.uint64)
    used = found[:, : cut.count * cut.rows].reshape(texts, cut.count, cut.rows)
    return np.ascontiguousarray(mixed((mixed(used) * powers).sum(axis=2, dtype=np.uint64)).T)


@cache
def _factors(places: int) -> NDArray[np.uint64]:
    """The odd number of each round by which hashes are multiplied; 1 in the first."""
    found = np.random.default_rng(1).integers(0, 1 << 63, 2 * places, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    found[0] = 1
    return found


def _shift(places: int) -> int:
    """How far the bits of a product that choose its place are shifted."""
    return 65 - places.bit_length()


@cache
def _others(places: int) -> NDArray[np.int64]:
    """In which places an empty one looks: its own number XOR each of these."""
    return np.random.default_rng(2).permutation(np.arange(1, places, dtype=np.int64))[:OTHERS]


def _sketched_plain(hashes: NDArray[np.uint64], offsets: NDArray[np.int64], places: int) -> NDArray[np.uint64]:
    texts = len(offsets) - 1
    text = np.repeat(np.arange(texts), np.diff(offsets))
    found = np.full((texts, places), EMPTY, np.uint64)
    for turn, factor in enumerate(_factors(places)):
        if not len(text):
            break
        values = hashes * factor
        chosen = (values >> np.uint64(_shift(places))).astype(np.int64)
        place = chosen if turn < places else np.full(len(text), turn - places)
        level = np.uint64(turn) << VALUE_WIDTH
        np.minimum.at(found.reshape(-1), text * places + place, level | (values & VALUE_BITS))
        if turn == 0:
            _take_from_others(found)
        unfinished = (found == EMPTY).any(axis=1)[text]
        hashes, text = hashes[unfinished], text[unfinished]
    return found


def _take_from_others(found: NDArray[np.uint64]) -> None:
    """Fill empty places with the numbers of others that were not."""
    first = found.copy()
    for other in _others(found.shape[1]).tolist():
        taken = first[:, np.arange(found.shape[1]) ^ other]
        found[:] = np.where(found == EMPTY, taken, found)


@compiled_job("leadline.collections.duplicates.kernels.sketch_texts", plain=_sketched_plain)
def _sketched(
    kernel: Kernel, hashes: NDArray[np.uint64], offsets: NDArray[np.int64], places: int
) -> NDArray[np.uint64]:
    texts = len(offsets) - 1
    found = np.empty((texts, places), np.uint64)
    shift, factors, others = _shift(places), _factors(places), _others(places)
    kernel(np.ascontiguousarray(hashes), texts, offsets, places, shift, factors, others, found)
    return found
