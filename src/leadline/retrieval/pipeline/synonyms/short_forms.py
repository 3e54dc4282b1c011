"""Find the words before a bracket that the letters in it abbreviate.

There are two rules. By letters: in "polyvinyl alcohol (PVA)" the words contain the letters in order, and every word
except common ones begins with one of them. By use: in "brumic acid (BXT)" the letters do not help, but several
documents have these words before the bracket, and different words before them. The first rule is based on Schwartz and
Hearst, A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text, PSB 2003; theirs requires only
the first word to begin with a letter, which finds more long forms, and more wrong ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from leadline.retrieval.index.stop_words import COMMON

MOST_WORDS = 8  # of a long form
_COMMON = frozenset(word.decode() for word in COMMON["en"])
_ROMAN = re.compile(r"[IVXLCDM]+[abc']?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_NOT_SHORT = frozenset(("fig", "figs", "cas", "eq", "no", "nos", "ref", "ser", "ca", "rn", "ltd", "inc", "llc", "co"))


def is_short_form(written: str) -> bool:
    """Whether the text in a bracket may be an abbreviation: mostly capitals, or single letters with strokes.

    >>> [is_short_form(text) for text in ("PVA", "TFTs", "W/O/W", "mRNA", "III", "FIG", "12", "see", "e.g.")]
    [True, True, True, True, False, False, False, False, False]
    """
    letters = [letter for letter in written if letter.isalpha()]
    if not 2 <= len(letters) <= 8 or written.lower() in _NOT_SHORT or _ROMAN.fullmatch(written):
        return False
    strokes = re.fullmatch(r"[A-Za-z](/[A-Za-z])+", written) is not None
    return strokes or 2 * sum(map(str.isupper, letters)) > len(letters)


def by_letters(short: str, before: str) -> str:
    """The words at the end of a text that a short form abbreviates by its letters; empty if there are none.

    >>> by_letters("PVA", "a solution of polyvinyl alcohol"), by_letters("W/O", "stable water-in-oil")
    ('polyvinyl alcohol', 'water-in-oil')
    >>> by_letters("TFTs", "the thin film transistors"), by_letters("EPA", "as shown by the agency")
    ('thin film transistors', '')
    """
    written = short[:-1] if short.endswith("s") and short[:-1].isupper() else short
    letters = [letter.lower() for letter in written if letter.isalnum()]
    words = list(_WORD.finditer(before))[-2 * MOST_WORDS :]
    lower = [word[0].lower() for word in words]
    taken = 0  # words of the long form
    for count in range(1, len(words) + 1):
        uncommon = [word for word in lower[-count:] if word not in _COMMON]
        if len(uncommon) > len(letters):
            break
        if lower[-count] not in _COMMON and [word[0] for word in uncommon] == letters:
            taken = count  # one word per letter is the best match
            break
        if not taken and lower[-count][0] == letters[0] and _spells(letters, lower[-count:], 0, 0):
            taken = count
    long = before[words[-taken].start() :].strip() if taken else ""
    return long if len(long) > len(short) + 1 and not _WORD.sub("", long).strip(" -/,'") else ""


def _spells(letters: Sequence[str], words: Sequence[str], letter: int, word: int) -> bool:
    """Whether letters[letter:] occur in order in words[word:], among them the first letter of each uncommon word."""
    if word == len(words):
        return letter == len(letters)
    current = words[word]
    if current in _COMMON and word and _spells(letters, words, letter, word + 1):
        return True
    place = 0 if letter < len(letters) and current[0] == letters[letter] else -1
    while place >= 0:
        letter += 1
        if _spells(letters, words, letter, word + 1):
            return True
        place = current.find(letters[letter], place + 1) if letter < len(letters) else -1
    return False


def by_use(contexts: Sequence[str], fewest: int = 3) -> str:
    """The words that end at least `fewest` of these texts, each before the same bracket; empty if there are none.

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
        return ""  # the same sentence copied: it does not show where the name begins
    if len(long) == 1 and sum(words[-2].lower() not in _COMMON for words in alike if len(words) > 1) > len(alike) / 2:
        return ""  # "brumic acid" here, "flonic acid" there: only the last word of several names
    while long and long[0].lower() in _COMMON:
        long.pop(0)
    return " ".join(long).strip(".,;:") if len(long) <= MOST_WORDS else ""
