"""German compounds: the words of a collection that are composed of a word and other words of the collection.

A word of the collection is a compound with a word if what is before and behind that word is empty, or is made of words
of the collection with at least four letters, perhaps with a linking s, es, n, en, er or e after each. So *Rahmen* is in
*Fahrradrahmen* where *Fahrrad* is a word of the collection, and not in *umrahmen*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.forms import BETWEEN
from leadline.retrieval.index.segment import Field
from leadline.retrieval.language.patterns import matching

SHORTEST = 4  # letters of a word within a compound
_LINKS = ("", "s", "es", "n", "en", "er", "e")
_MOST_PARTS = 4


def compounds(word: str, fields: Sequence[Field], analysis: Analysis) -> set[bytes]:
    """The terms that are compounds with a word; the words of all fields are the vocabulary."""
    (term,) = analysis.reduced([word.encode()])
    own = {word}
    for field in fields:
        number = int(field.terms.find([term])[0]) if term else -1
        if number >= 0:
            first, last = field.forms.starts[number : number + 2].tolist()
            own |= {field.forms.word(form).decode() for form in range(first, last)}
    own = {form for form in own if len(form) >= SHORTEST and form.isalpha()}
    known: dict[str, bool] = {}

    def is_word(part: str) -> bool:
        if part not in known:
            (stem,) = analysis.reduced([part.encode()])
            key = stem + BETWEEN + part.encode()
            known[part] = len(part) >= SHORTEST and any(field.forms.keys.find([key])[0] >= 0 for field in fields)
        return known[part]

    found: set[bytes] = set()
    for field in fields:
        forms = field.forms
        for form in own if len(forms.keys) else ():
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
