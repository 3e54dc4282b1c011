"""Entities: registry numbers, formulas, names of chemicals, and codes such as IL-6 or PA66.

They are recognised by spelling alone (`chemistry.py`), without a dictionary. A name of several words is also a term as
a whole: "of acetic acid" gives "acet" and "acet acid". A registry number must have the right check digit, which
excludes dates and part numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.chemistry import KINDS, is_chemical_name, is_formula, is_registry_number
from leadline.retrieval.index.derived.phrases import in_order, linked
from leadline.retrieval.index.occurrences import Occurrences, WordSpans

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOTHING, ENTITY, NAME, PARTNER = 0, 1, 2, 3  # a PARTNER is part of a name only beside another: oxide, acid, sodium
LONGEST = 4  # words of a name


def entities(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The entities of texts, as terms.

    >>> entities(["Acetic acid (64-19-7) and NaCl in 1999-12-3, see Fig. 2; titanium oxide"], Analysis()).of_text(0)
    ['acet', '64-19-7', 'nacl', 'titanium', 'acet acid', 'titanium oxid']
    """
    spans = WordSpans.of(*joined(texts, "kept"), "chemical")
    unique = [word.decode() for word in spans.words]
    kinds = np.array([kind_of(word) for word in unique], np.int8)
    reduced = analysis.reduced([word.lower().encode() for word in unique])
    terms = [
        word.lower().encode() if kind == ENTITY else term
        for word, kind, term in zip(unique, kinds.tolist(), reduced, strict=True)
    ]
    kind = kinds[spans.codes]
    single = np.flatnonzero((kind == ENTITY) | (kind == NAME))
    first, last = _names(kind, linked(spans))
    # The names of several words get codes after those of single words; then codes that do not occur are dropped.
    code_of: dict[bytes, int] = {}
    name_codes = [
        code_of.setdefault(b" ".join(terms[code] for code in spans.codes[start : stop + 1].tolist()), len(code_of))
        for start, stop in zip(first.tolist(), last.tolist(), strict=True)
    ]
    all_terms = [*terms, *code_of]
    codes = np.concatenate([spans.codes[single], np.array(name_codes, np.int64) + len(terms)])
    used, codes = np.unique(codes, return_inverse=True)
    return in_order([all_terms[code] for code in used.tolist()], codes, np.concatenate([single, first]), spans.offsets)


def kind_of(word: str) -> int:
    """The kind of entity that a word with its original capitals is: NOTHING, ENTITY, NAME or PARTNER.

    >>> [kind_of(word) for word in ("50-00-0", "NaCl", "IL-6", "toluene", "oxide", "valve", "2009")]
    [1, 1, 1, 2, 3, 0, 0]
    """
    if is_registry_number(word) or is_formula(word) or _is_code(word):
        return ENTITY
    lower = word.lower()
    if lower in KINDS:
        return PARTNER
    return NAME if is_chemical_name(lower) else NOTHING


def _is_code(word: str) -> bool:
    """Whether a word is a code such as IL-6: short, with a digit, at least two capitals, and mostly capitals."""
    capitals, letters = sum(map(str.isupper, word)), sum(map(str.isalpha, word))
    return len(word) <= 12 and any(map(str.isdigit, word)) and capitals >= 2 and capitals * 2 >= letters


def _names(kind: NDArray[np.int8], links: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and last word of each name of several words: linked names and partners, at least one of them a name."""
    if not len(kind):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    part = (kind == NAME) | (kind == PARTNER)
    # A run begins at every word that is not linked to the one before it as a part of the same name.
    starts = np.flatnonzero(np.concatenate([[True], ~(links & part[1:] & part[:-1])]))
    stops = np.concatenate([starts[1:], [len(kind)]]) - 1
    has_name = np.add.reduceat(kind == NAME, starts, dtype=np.int64) > 0
    kept = (stops > starts) & (stops - starts < LONGEST) & has_name
    return starts[kept], stops[kept]
