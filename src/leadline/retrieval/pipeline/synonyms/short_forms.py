"""Whether letters in brackets are short for the words before them, and for how many of these.

Two rules. By its letters: "polyvinyl alcohol (PVA)", where the letters stand in the words in their order, and every
word but the common ones begins with one of them. By use: in "brumic acid (BXT)" no letters tell, but where several
documents have the same words before the same bracket, and other words before these, the words belong to it. The idea of
the first is Schwartz and Hearst's, A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text,
PSB 2003; they ask only the first word to begin with a letter, which takes more words in, and more wrong ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from leadline.retrieval.index.stop_words import COMMON

MOST_WORDS = 8  # of a long form
_COMMON = frozenset(word.decode() for word in COMMON["en"])
_ROMAN = re.compile(r"[IVXLCDM]+[abc']?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_NEVER = frozenset(("fig", "figs", "cas", "eq", "no", "nos", "ref", "ser", "ca", "rn", "ltd", "inc", "llc", "co"))


def is_short_form(written: str) -> bool:
    """Whether a bracket holds what may be short for something: mostly capitals, or single letters with strokes.

    >>> [is_short_form(text) for text in ("PVA", "TFTs", "W/O/W", "mRNA", "III", "FIG", "12", "see", "e.g.")]
    [True, True, True, True, False, False, False, False, False]
    """
    letters = [letter for letter in written if letter.isalpha()]
    if not 2 <= len(letters) <= 8 or written.lower() in _NEVER or _ROMAN.fullmatch(written):
        return False
    strokes = re.fullmatch(r"[A-Za-z](/[A-Za-z])+", written) is not None
    return strokes or 2 * sum(map(str.isupper, letters)) > len(letters)


def by_letters(short: str, before: str) -> str:
    """The words that letters are short for, at the end of a text; empty where they are not short for it.

    >>> by_letters("PVA", "a solution of polyvinyl alcohol"), by_letters("W/O", "stable water-in-oil")
    ('polyvinyl alcohol', 'water-in-oil')
    >>> by_letters("TFTs", "the thin film transistors"), by_letters("EPA", "as shown by the agency")
    ('thin film transistors', '')
    """
    written = short[:-1] if short.endswith("s") and short[:-1].isupper() else short
    letters = [letter.lower() for letter in written if letter.isalnum()]
    words = list(_WORD.finditer(before))[-2 * MOST_WORDS :]
    small = [word[0].lower() for word in words]
    found = 0
    for count in range(1, len(words) + 1):
        own = [word for word in small[-count:] if word not in _COMMON]
        if len(own) > len(letters):
            break
        if small[-count] not in _COMMON and [word[0] for word in own] == letters:
            found = count  # a word for each letter is the best that can be
            break
        if not found and small[-count][0] == letters[0] and _spells(letters, small[-count:], 0, 0):
            found = count
    long = before[words[-found].start() :].strip() if found else ""
    return long if len(long) > len(short) + 1 and not _WORD.sub("", long).strip(" -/,'") else ""


def _spells(letters: Sequence[str], words: Sequence[str], letter: int, word: int) -> bool:
    """Whether the letters from one on are the first letters of all words from one on, and others within them."""
    if word == len(words):
        return letter == len(letters)
    here = words[word]
    if here in _COMMON and word and _spells(letters, words, letter, word + 1):
        return True
    place = 0 if letter < len(letters) and here[0] == letters[letter] else -1
    while place >= 0:
        letter += 1
        if _spells(letters, words, letter, word + 1):
            return True
        place = here.find(letters[letter], place + 1) if letter < len(letters) else -1
    return False


def by_use(contexts: Sequence[str], fewest: int = 3) -> str:
    """The words that stand before a bracket in several documents, each given by what it has there; empty if none do.

    >>> by_use(["a film of brumic acid", "with the brumic acid", "Brumic acid"])
    'brumic acid'
    >>> by_use(["a film of brumic acid", "flonic acid", "in dretic acid"]), by_use(["a film of brumic acid"])
    ('', '')
    """
    listed = [context.split() for context in contexts]
    ends = [words[-1].lower() for words in listed if words]
    if len(ends) < fewest:
        return ""
    last = max(dict.fromkeys(ends), key=ends.count)
    alike = [words for words in listed if words and words[-1].lower() == last]
    if len(alike) < max(fewest, 0.8 * len(ends)):
        return ""
    shared = min(map(len, alike))
    for count in range(1, shared + 1):
        if len({words[-count].lower() for words in alike}) > 1:
            shared = count - 1
            break
    long = alike[0][len(alike[0]) - shared :]
    if len(long) == max(map(len, alike)):
        return ""  # the same sentence copied: where the name begins is not to be seen
    if len(long) == 1 and sum(words[-2].lower() not in _COMMON for words in alike if len(words) > 1) > len(alike) / 2:
        return ""  # "brumic acid" here, "flonic acid" there: only the last word of several names
    while long and long[0].lower() in _COMMON:
        long.pop(0)
    return " ".join(long).strip(".,;:") if len(long) <= MOST_WORDS else ""
