"""Which words of a document a page highlights: those of the topic, and other names of the substances it names."""

from __future__ import annotations

import importlib.util
from collections import Counter
from typing import Literal, NamedTuple

from leadline.retrieval.index.stop_words import COMMON
from leadline.retrieval.pipeline.synonyms.chemistry import chemicals
from leadline.retrieval.pipeline.synonyms.text_words import TextWords

MOST_WORDS, MOST_NAMES, MOST_SYNONYMS = 40, 60, 6
_SHORTEST = 3  # letters of a word
# Words of every claim say nothing of what is sought.
_OF_CLAIMS = """
said wherein whereof thereof therein comprising comprises comprise consisting consists method process according claim
claims which first second least one more having from being further
"""
_TOO_COMMON = frozenset(_OF_CLAIMS.split()) | {word.decode() for word in COMMON["en"]}


class Highlight(NamedTuple):
    """A word or a name to highlight, and why."""

    text: str
    kind: Literal["word", "name", "synonym"]


def highlights(text: str) -> list[Highlight]:
    """The words of a topic's text, most frequent first, and the substances it names with their other names.

    >>> [each.text for each in highlights("Coating of the steel with zinc; the coating dries")]
    ['coating', 'steel', 'zinc', 'dries']
    """
    counts = Counter(word for word in TextWords.of(text).texts if _is_telling(word))
    found = [Highlight(word, "word") for word, _ in counts.most_common(MOST_WORDS)]
    return [*found, *_names(text)]


def _is_telling(word: str) -> bool:
    return len(word) >= _SHORTEST and not word.isdigit() and word not in _TOO_COMMON


def _names(text: str) -> list[Highlight]:
    """The names of substances in a text, each with its shortest synonyms; none without the package chemicals."""
    if not text.strip() or importlib.util.find_spec("chemicals") is None:
        return []
    found: dict[str, Highlight] = {}
    for match in chemicals().matches(TextWords.of(text)):
        if len(found) >= MOST_NAMES:
            break
        found.setdefault(match.name.lower(), Highlight(match.name, "name"))
        for other in sorted(match.synonyms, key=len)[:MOST_SYNONYMS]:
            found.setdefault(other.lower(), Highlight(other, "synonym"))
    return list(found.values())
