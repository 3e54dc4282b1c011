"""Entities: registry numbers, formulas, names of chemicals, and codes of things such as IL-6 or PA66.

They are recognised by spelling alone (`chemistry.py`), so nothing has to be installed or kept up to date. Names of
several words are kept whole as well: from "of acetic acid" come "acet" and "acet acid". A registry number must have
the right check digit, so that dates and part numbers are not taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.chemistry import KINDS, is_chemical_name, is_formula, is_registry_number
from leadline.retrieval.index.derived.phrases import in_order, linked
from leadline.retrieval.index.occurrences import Found, Occurrences

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOTHING, ENTITY, NAME, PARTNER = 0, 1, 2, 3  # a PARTNER is part of a name only beside another: oxide, acid, sodium
LONGEST = 4  # words of a name


def entities(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The entities of texts.

    >>> entities(["Acetic acid (64-19-7) and NaCl in 1999-12-3, see Fig. 2; titanium oxide"], Analysis()).of_text(0)
    ['acet', '64-19-7', 'nacl', 'titanium', 'acet acid', 'titanium oxid']
    """
    found = Found.of(*joined(texts, "kept"), "chemical")
    written = [word.decode() for word in found.words]
    kinds = np.array([kind_of(word) for word in written], np.int8)
    reduced = analysis.reduced([word.lower().encode() for word in written])
    terms = [
        word.lower().encode() if kind == ENTITY else term
        for word, kind, term in zip(written, kinds.tolist(), reduced, strict=True)
    ]
    kind = kinds[found.codes]
    single = np.flatnonzero((kind == ENTITY) | (kind == NAME))
    first, last = _names(kind, linked(found))
    whole: dict[bytes, int] = {}
    codes = [
        whole.setdefault(b" ".join(terms[code] for code in found.codes[start : stop + 1].tolist()), len(whole))
        for start, stop in zip(first.tolist(), last.tolist(), strict=True)
    ]
    names = [*terms, *whole]
    both = np.concatenate([found.codes[single], np.array(codes, np.int64) + len(terms)])
    used, both = np.unique(both, return_inverse=True)
    return in_order([names[code] for code in used.tolist()], both, np.concatenate([single, first]), found.offsets)


def kind_of(word: str) -> int:
    """What kind of entity a word is, with its capital letters.

    >>> [kind_of(word) for word in ("50-00-0", "NaCl", "IL-6", "toluene", "oxide", "valve", "2009")]
    [1, 1, 1, 2, 3, 0, 0]
    """
    if is_registry_number(word) or is_formula(word) or _is_code(word):
        return ENTITY
    small = word.lower()
    if small in KINDS:
        return PARTNER
    return NAME if is_chemical_name(small) else NOTHING


def _is_code(word: str) -> bool:
    """Whether a word is the code of a thing: short, with a digit, and most of its letters, two at least, capitals."""
    capitals, letters = sum(map(str.isupper, word)), sum(map(str.isalpha, word))
    return len(word) <= 12 and any(map(str.isdigit, word)) and capitals >= 2 and capitals * 2 >= letters


def _names(kind: NDArray[np.int8], links: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and last word of each name of several words: names and partners in a row, at least one a name."""
    if not len(kind):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    part = (kind == NAME) | (kind == PARTNER)
    starts = np.flatnonzero(np.concatenate([[True], ~(links & part[1:] & part[:-1])]))
    stops = np.concatenate([starts[1:], [len(kind)]]) - 1
    named = np.add.reduceat(kind == NAME, starts, dtype=np.int64) > 0
    good = (stops > starts) & (stops - starts < LONGEST) & named
    return starts[good], stops[good]
