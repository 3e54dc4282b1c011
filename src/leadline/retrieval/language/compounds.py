"""German compounds: the words of a collection that are composed of a word and other words of the collection.

A word of the collection is a compound with a word if what is before and behind that word is empty, or is made of words
of the collection with at least four letters, perhaps with a linking s, es, n, en, er or e after each. So *Rahmen* is in
*Fahrradrahmen* where *Fahrrad* is a word of the collection, and not in *umrahmen*.
"""

from __future__ import annotations

from collections.abc import Callable

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.forms import BETWEEN
from leadline.retrieval.index.segment import Field
from leadline.retrieval.language.patterns import matching

SHORTEST = 4  # letters of a word within a compound
_LINKS = ("", "s", "es", "n", "en", "er", "e")
_MOST_PARTS = 4


def compounds(word: str, field: Field, analysis: Analysis) -> set[bytes]:
    """The terms of a field that are compounds with a word."""
    (term,) = analysis.reduced([word.encode()])
    forms = field.forms
    number = int(field.terms.find([term])[0]) if term else -1
    own = {word}
    if number >= 0:
        own |= {forms.word(form).decode() for form in range(forms.starts[number], forms.starts[number + 1])}

    def is_word(part: str) -> bool:
        (stem,) = analysis.reduced([part.encode()])
        return len(part) >= SHORTEST and bool(forms.keys.find([stem + BETWEEN + part.encode()])[0] >= 0)

    found: set[bytes] = set()
    for form in own:
        if len(form) < SHORTEST or not form.isalpha():
            continue
        for place in matching(f"*{form}*", forms.keys.buffer, *forms.words()).tolist():
            whole = forms.word(place).decode()
            if whole not in own and _is_compound(whole, form, is_word):
                found.add(field.terms[int(forms.owners[place])])
    return found - {term}


def _is_compound(whole: str, part: str, is_word: Callable[[str], bool]) -> bool:
    """Whether a word is composed of a part and of other words.

    >>> words = {"fahrrad", "arbeit"}
    >>> [_is_compound(w, "rahmen", words.__contains__) for w in ("fahrradrahmen", "rahmenarbeit", "umrahmen")]
    [True, True, False]
    """
    at = whole.find(part)
    while at >= 0:
        before, behind = whole[:at], whole[at + len(part) :]
        if _is_made(before, is_word, _MOST_PARTS) and any(
            behind.startswith(link) and _is_made(behind[len(link) :], is_word, _MOST_PARTS) for link in _LINKS
        ):
            return True
        at = whole.find(part, at + 1)
    return False


def _is_made(text: str, is_word: Callable[[str], bool], parts: int) -> bool:
    """Whether a text is empty or made of words with links after them."""
    if not text:
        return True
    if parts == 0:
        return False
    return any(
        is_word(text[:end]) and any(
            text[end:].startswith(link) and _is_made(text[end + len(link) :], is_word, parts - 1) for link in _LINKS
        )
        for end in range(SHORTEST, len(text) + 1)
    )  # fmt: skip
