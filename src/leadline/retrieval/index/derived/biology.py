"""Names of biology: enzymes, proteins, antibodies, organisms, and symbols of genes.

They are recognised by spelling alone (`../biology.py`), as the entities of chemistry are. A name is one word, and with
the word before it also a term as a whole: "tyrosine kinase" gives "kinas" and "tyrosin kinas".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.biology import is_biological_name, is_gene
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.derived.phrases import BREAK, in_order, linked
from leadline.retrieval.index.derived.phrases import kind_of as role_of
from leadline.retrieval.index.occurrences import Occurrences, WordSpans


def biology(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The names of biology in texts, as terms.

    >>> biology(["A tyrosine kinase inhibitor and BRCA1, released in the next phase"], Analysis()).of_text(0)
    ['kinas', 'brca1', 'tyrosin kinas']
    """
    spans = WordSpans.of(*joined(texts, "kept"), "chemical")
    unique = [word.decode() for word in spans.words]
    reduced = analysis.reduced([word.lower().encode() for word in unique])
    gene = np.array([is_gene(word) for word in unique], np.bool_)
    name = np.array([is_biological_name(word) for word in unique], np.bool_) | gene
    # A gene keeps its spelling. A word that is no part of a noun phrase, or a stop word, begins no pair.
    terms = [
        word.lower().encode() if is_a_gene else term
        for word, is_a_gene, term in zip(unique, gene.tolist(), reduced, strict=True)
    ]
    begins = np.array([bool(term) and role_of(word.lower()) != BREAK for word, term in zip(unique, terms, strict=True)])
    single = np.flatnonzero(name[spans.codes]) if unique else np.empty(0, np.int64)
    first = _pairs(spans, name, begins)
    code_of: dict[bytes, int] = {}
    pairs = [
        code_of.setdefault(terms[left] + b" " + terms[right], len(code_of))
        for left, right in zip(spans.codes[first].tolist(), spans.codes[first + 1].tolist(), strict=True)
    ]
    # Pairs get codes after those of single words; then codes that do not occur are dropped.
    all_terms = [*terms, *code_of]
    codes = np.concatenate([spans.codes[single], np.array(pairs, np.int64) + len(terms)])
    used, codes = np.unique(codes, return_inverse=True)
    return in_order([all_terms[code] for code in used.tolist()], codes, np.concatenate([single, first]), spans.offsets)


def _pairs(spans: WordSpans, name: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """The first word of each pair: a word, linked to a name after it."""
    if len(spans.codes) < 2:
        return np.empty(0, np.int64)
    return np.flatnonzero(linked(spans) & begins[spans.codes[:-1]] & name[spans.codes[1:]])
