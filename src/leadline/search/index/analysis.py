"""From text to terms: what counts as a word, which words are left out, and which are the same.

A word is a run of letters and digits, in small letters and in one spelling of each character (`characters.py`).
Names and numbers of chemistry stay whole (`words="chemical"`): a point or a comma between two digits belongs to the
word, and so does a hyphen beside a digit. Any other hyphen parts words, as it does in water-in-oil.

>>> Analysis(stemming="none").terms("1,2-Dichloroethane (CAS 107-06-2) in H2SO4; water-in-oil, 3.5 %")
['1,2-dichloroethane', 'cas', '107-06-2', 'h2so4', 'water', 'oil', '3.5']

Common words are left out and the others stemmed, in the language given; what holds a digit is never stemmed. Queries
go the same way as documents, because an index keeps its analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.search.index.characters import classes, joined
from leadline.search.index.kernels.words import find_words
from leadline.search.index.machine import KERNELS
from leadline.search.index.stop_words import COMMON

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
_SMALL = 4096  # bytes that plain Python has cut into words before the kernels are loaded


@dataclass(frozen=True)
class Analysis:
    """How an index makes terms of text.

    >>> Analysis().terms("The brightly coloured polymers and their colours")
    ['bright', 'colour', 'polym', 'colour']
    """

    language: str = "en"
    stemming: Stemming = "snowball"  # `porter` is Porter's first stemmer, for English
    stop_words: StopWords = "common"
    words: Words = "chemical"  # `plain`: letters and digits only

    def __post_init__(self) -> None:
        checked_choice("language", self.language, list(LANGUAGES))
        for option, choices in (("stemming", Stemming), ("stop_words", StopWords), ("words", Words)):
            checked_choice(option, getattr(self, option), get_args(choices))
        if self.stop_words == "common" and self.language not in COMMON:
            raise InputError("stop_words", f"there is no list for {self.language}; say none")

    @classmethod
    def of(cls, settings: dict[str, Any], where: str) -> Analysis:
        """The analysis with these settings, as a manifest holds them."""
        if set(settings) != {option.name for option in fields(cls)}:
            raise InputError(where, "has settings of analysis that this version does not know: build the index anew")
        return cls(**settings)

    def settings(self) -> dict[str, str]:
        return asdict(self)

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        content, offsets = joined([text])
        starts, lengths, _ = spans(content, offsets, self.words)
        whole = content.tobytes()
        found = [whole[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
        known: dict[bytes, None] = dict.fromkeys(found)
        term_of = dict(zip(known, self.reduced(list(known)), strict=True))
        return [term.decode() for word in found if (term := term_of[word])]

    def reduced(self, words: Sequence[bytes]) -> list[bytes]:
        """The term that each word stands for; empty for one that is left out."""
        stop = COMMON[self.language] if self.stop_words == "common" else frozenset()
        if self.stemming == "none":
            return [b"" if word in stop else word for word in words]
        stems = _stemmer(self.language, self.stemming).stemWords([word.decode() for word in words])
        return [
            b"" if word in stop else stem.encode() if not _has_digit(word) else word
            for word, stem in zip(words, stems, strict=True)
        ]


def spans(
    content: NDArray[np.uint8], offsets: NDArray[np.int64], words: Words
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Where the words of joined texts start, how long they are, and where each text's words begin among them."""
    size, texts = int(offsets[-1]), len(offsets) - 1
    room = size + 1  # an ideograph is a word of three bytes, a letter between blanks one of two
    starts, lengths = np.empty(room, np.int64), np.empty(room, np.int32)
    of_text = np.empty(texts + 1, np.int64)
    plain = size < _SMALL and not KERNELS.is_loaded()
    if plain:
        found = find_words(
            content.tolist(), texts, offsets.tolist(), classes().tolist(), words == "chemical", starts, lengths, of_text
        )
    else:
        found = KERNELS.kernel("find_words")(
            content, texts, offsets, classes(), words == "chemical", starts, lengths, of_text
        )
    return starts[:found], lengths[:found], of_text


_DIGITS = frozenset(b"0123456789")


def _has_digit(word: bytes) -> bool:
    return not _DIGITS.isdisjoint(word)


@cache
def _stemmer(language: str, stemming: Stemming) -> Any:
    try:
        import Stemmer
    except ImportError:
        raise InputError("stemming", "needs the package PyStemmer; install it, or say none") from None
    return Stemmer.Stemmer("porter" if stemming == "porter" else LANGUAGES[language], 0)
