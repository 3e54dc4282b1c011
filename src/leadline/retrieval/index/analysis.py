"""From text to terms: what a word is, which words are left out, and which have the same stem.

A word is a run of letters and digits, in lower case and normalised Unicode (`characters.py`). Names and numbers of
chemistry stay whole (`words="chemical"`): a point or a comma between two digits belongs to the word, and so do a
hyphen beside a digit and an ampersand between letters, as in AT&T. Any other hyphen separates words, as in
water-in-oil. The parts of such words are in a dictionary of other spellings (`spellings.py`).

>>> Analysis(stemming="none").terms("1,2-Dichloroethane (CAS 107-06-2) in H2SO4; water-in-oil, 3.5 %")
['1,2-dichloroethane', 'cas', '107-06-2', 'h2so4', 'water', 'oil', '3.5']

Stop words of the language are left out and the other words are stemmed, except those with a digit. Queries are analysed
as documents are, because an index stores its analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.retrieval.index.characters import classes, joined
from leadline.retrieval.index.kernels.words import ALONE, AMPERSAND, BETWEEN, DIGIT, LETTER, POINT
from leadline.retrieval.index.stop_words import COMMON
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

Stemming = Literal["snowball", "porter", "none"]
StopWords = Literal["common", "none"]
Words = Literal["chemical", "plain"]
# Snowball's name for each language it stems.
LANGUAGES = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


@dataclass(frozen=True)
class Analysis:
    """How an index makes terms of text.

    >>> Analysis().terms("The brightly coloured polymers and their colours")
    ['bright', 'colour', 'polym', 'colour']
    """

    language: str = "en"
    stemming: Stemming = "snowball"  # `porter` is Porter's original stemmer, for English
    stop_words: StopWords = "common"
    words: Words = "chemical"  # `plain`: letters and digits only

    def __post_init__(self) -> None:
        checked_choice("language", self.language, list(LANGUAGES))
        for option, choices in (("stemming", Stemming), ("stop_words", StopWords), ("words", Words)):
            checked_choice(option, getattr(self, option), get_args(choices))
        if self.stop_words == "common" and self.language not in COMMON:
            raise InputError("stop_words", f"there is no list for {self.language}; choose none")

    @classmethod
    def of(cls, settings: dict[str, Any], where: str) -> Analysis:
        """The analysis with these settings, as a manifest holds them."""
        if set(settings) != {option.name for option in fields(cls)}:
            raise InputError(where, "has analysis settings that this version does not support: build the index again")
        return cls(**settings)

    def settings(self) -> dict[str, str]:
        return asdict(self)

    def stemmer_version(self) -> str | None:
        """The version of PyStemmer, on which stems depend; None without stemming or without the package."""
        if self.stemming == "none":
            return None
        try:
            import Stemmer
        except ImportError:
            return None
        return str(Stemmer.version())

    def for_language(self, language: str) -> Analysis:
        """The same analysis for texts in another language; itself where the language is unknown or has no stemmer."""
        if language == self.language or language not in LANGUAGES or self.stemming != "snowball":
            return self
        stop: StopWords = "common" if self.stop_words == "common" and language in COMMON else "none"
        return replace(self, language=language, stop_words=stop)

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        content, offsets = joined([text])
        starts, lengths, _ = spans(content, offsets, self.words)
        whole = content.tobytes()
        words = [whole[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
        unique: dict[bytes, None] = dict.fromkeys(words)
        term_of = dict(zip(unique, self.reduced(list(unique)), strict=True))
        return [term.decode() for word in words if (term := term_of[word])]

    def reduced(self, words: Sequence[bytes]) -> list[bytes]:
        """The term of each word; empty for a word that is left out."""
        stop = COMMON[self.language] if self.stop_words == "common" else frozenset()
        if self.stemming == "none":
            return [b"" if word in stop else word for word in words]
        stems = _stemmer(self.language, self.stemming).stemWords([word.decode() for word in words])
        return [
            b"" if word in stop else stem.encode() if not _has_digit(word) else word
            for word, stem in zip(words, stems, strict=True)
        ]


def spans(content: NDArray[np.uint8], offsets: NDArray[np.int64], words: Words) -> _Spans:
    """The start and the length of each word of joined texts, and the number of each text's first word."""
    return _spans.choose(int(offsets[-1]))(content, offsets, words)


_Spans = tuple["NDArray[np.int64]", "NDArray[np.int32]", "NDArray[np.int64]"]


def _spans_plain(content: NDArray[np.uint8], offsets: NDArray[np.int64], words: Words) -> _Spans:
    size = int(offsets[-1])
    begins = np.flatnonzero((content[:size] & 0xC0) != 0x80)  # of each character
    ends = np.append(begins[1:], size)
    kinds = _kinds(content, begins)
    first = np.searchsorted(begins, offsets[:-1])  # the first character of each text
    opens, closes = np.zeros(len(begins) + 1, np.bool_), np.zeros(len(begins) + 1, np.bool_)
    opens[first] = closes[first] = True
    opens, closes = opens[:-1], closes[1:]  # the first and the last character of each text
    closes[-1:] = True
    in_word = (kinds == LETTER) | (kinds == DIGIT)
    if words == "chemical":
        # A point between digits, a hyphen beside a digit, or an ampersand between letters belongs to the word.
        digit = kinds == DIGIT
        joint = np.flatnonzero((kinds >= POINT) & (kinds <= AMPERSAND) & ~opens & ~closes)
        joint = joint[in_word[joint - 1] & in_word[joint + 1]]
        before, after = digit[joint - 1], digit[joint + 1]
        rules = [before & after, before | after, ~before & ~after]  # of a point, a hyphen and an ampersand
        in_word[joint[np.choose(kinds[joint] - POINT, rules)]] = True
    alone = kinds == ALONE
    goes_on = np.zeros(len(begins) + 1, np.bool_)
    goes_on[1:-1] = in_word[:-1] & in_word[1:] & ~opens[1:]
    starts = np.flatnonzero((in_word & ~goes_on[:-1]) | alone)
    stops = np.flatnonzero((in_word & ~goes_on[1:]) | alone)
    of_text = np.searchsorted(begins[starts], offsets)
    return begins[starts], (ends[stops] - begins[starts]).astype(np.int32), of_text


def _kinds(content: NDArray[np.uint8], begins: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The class of each character, by its first byte."""
    lead = content[begins].astype(np.int32)
    second, third = (content[begins + k].astype(np.int32) & 63 for k in (1, 2))
    code = np.where(lead < 0xE0, (lead & 31) << 6 | second, (lead & 15) << 12 | second << 6 | third)
    kinds = classes()[np.where(lead < 128, lead, code & 0xFFFF)]
    # Beyond the table: rare scripts (letters), pictographs (separators), and from U+20000 on ideographs (words).
    far = np.flatnonzero(lead >= 0xF0)
    plane = (lead[far] & 7) << 2 | second[far] >> 4
    picture = (plane == 1) & (second[far] & 15 == 15)
    kinds[far] = np.where((plane == 2) | (plane == 3), ALONE, np.where(picture, BETWEEN, LETTER))
    return kinds


@compiled_job("leadline.retrieval.index.kernels.words.find_words", plain=_spans_plain)
def _spans(kernel: Kernel, content: NDArray[np.uint8], offsets: NDArray[np.int64], words: Words) -> _Spans:
    texts, room = len(offsets) - 1, int(offsets[-1]) + 1  # a word has at least one byte
    starts, lengths = np.empty(room, np.int64), np.empty(room, np.int32)
    of_text = np.empty(texts + 1, np.int64)
    found = kernel(content, texts, offsets, classes(), words == "chemical", starts, lengths, of_text)
    return starts[:found], lengths[:found], of_text


_DIGITS = frozenset(b"0123456789")


def _has_digit(word: bytes) -> bool:
    return not _DIGITS.isdisjoint(word)


@cache
def _stemmer(language: str, stemming: Stemming) -> Any:
    try:
        import Stemmer
    except ImportError:
        raise InputError("stemming", "needs the package PyStemmer: install it, or choose none") from None
    return Stemmer.Stemmer("porter" if stemming == "porter" else LANGUAGES[language], 0)
