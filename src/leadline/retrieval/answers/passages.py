"""The passages of documents: which contain the most of some terms, and which bear on a claim.

A passage is a document's abstract, a paragraph of its description, or one of its claims. Its share of a set of terms is
by weight: a term in n of N texts has the weight ln((N + 1) / (n + 1)), which is 0 for a term in every text.

A passage bears on a claim only if it has a word of the claim's distinguishing part. Where nothing more is known of its
document, it must also have a quarter of the claim's terms. Numbers and words that any claim may use do not count, and
of a dependent claim only its own words count, not those of its parents. This is an estimate of where to begin reading,
not a judgement: it compares words, not meaning. docs/derived-qrels.md has the share of passages with a quarter of the
terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.document import Document
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.occurrences import Occurrences, WordSpans

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEARING = 0.25  # the share of a claim's terms from which a passage bears on it
LONGEST, PIECE = 300, 100  # words: a longer block is not a paragraph, and is cut into pieces
# Words that claims of any subject use, besides the stop words of the analysis.
_CLAIM_WORDS = """
    according arranged characterised characterized claim comprising configured consisting containing defined first
    including least method plurality preceding provided second selected therefrom thereto third two
"""


@dataclass(frozen=True)
class Passage:
    """A piece of a document, and its place: `abstract`, `¶ 12`, `claim 3`."""

    document: int  # its number among the documents
    where: str
    text: str


def passages_of(document: Document, number: int = 0) -> Iterator[Passage]:
    """The passages of a document, in order.

    >>> from leadline.collections.documents.document import Claim
    >>> nail = Document("X", abstract="A nail.", description="It bends.\\n\\nOurs not.", claims=(Claim(1, "A nail."),))
    >>> [passage.where for passage in passages_of(nail)]
    ['abstract', '¶ 1', '¶ 2', 'claim 1']
    """
    paragraphs = [line for line in document.description.split("\n") if line.strip()]
    blocks = [("abstract", document.abstract)]
    blocks += [(f"¶ {place}", paragraph) for place, paragraph in enumerate(paragraphs, start=1)]
    blocks += [(f"claim {claim.number}", claim.text) for claim in document.claims]
    for where, block in blocks:
        words = block.split()
        step = len(words) if len(words) <= LONGEST else PIECE
        for start in range(0, len(words), step or 1):
            before, after = ["…"] * (start > 0), ["…"] * (start + step < len(words))
            yield Passage(number, where, " ".join([*before, *words[start : start + step], *after]))


def claim_terms(claims: Sequence[str], analysis: Analysis) -> list[list[str]]:
    """The terms of each claim, each once, without numbers and words that any claim may use.

    >>> claim_terms(["The catalyst of claim 1, wherein said assemblies hold 3 catalysts."], Analysis())
    [['catalyst', 'assembl', 'hold']]
    """
    common, occurrences = _common_terms(analysis), _terms(claims, analysis)
    unique = (dict.fromkeys(occurrences.of_text(number)) for number in range(len(claims)))
    return [[term for term in terms if term not in common and any(map(str.isalpha, term))] for terms in unique]


def _terms(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    return WordSpans.of(*joined(texts), analysis.words).terms(analysis)


@cache
def _common_terms(analysis: Analysis) -> frozenset[str]:
    return frozenset(analysis.terms(_CLAIM_WORDS))


def rarity(frequencies: NDArray[np.int64], texts: int) -> NDArray[np.float64]:
    """The weight of terms by the number of texts that have them: ln((N + 1) / (n + 1)).

    >>> rarity(np.array([0, 9]), 9).round(3).tolist()
    [2.303, 0.0]
    """
    return np.log((texts + 1) / (frequencies + 1))


@dataclass(frozen=True)
class HeldTerms:
    """The terms of a vocabulary in each passage: pairs of a passage and a term, each once."""

    passages: int
    passage: NDArray[np.int32]
    term: NDArray[np.int32]

    def shares(
        self, sets: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]], vocabulary: int
    ) -> NDArray[np.float64]:
        """The share of each set of weighted terms (columns) that each passage (rows) has."""
        shares, weights = np.zeros((self.passages, len(sets))), np.zeros(vocabulary)
        for column, (terms, values) in enumerate(sets):
            total = values.sum()
            if total > 0:
                weights[terms] = values
                shares[:, column] = np.bincount(self.passage, weights[self.term], self.passages) / total
                weights[terms] = 0.0
        return shares


def bears(shares: NDArray[np.float64], least: float = BEARING) -> NDArray[np.bool_]:
    """Whether passages with these shares of a claim bear on it."""
    return shares >= least - 1e-9


@dataclass(frozen=True)
class BestPassage:
    """The passage of a document with the largest share of some terms, and that share."""

    passage: Passage
    share: float
    distinguishing: float = 0.0  # its share of the terms of a claim's distinguishing part


class Passages:
    """The passages of documents, as terms.

    >>> nails = [Document("X", abstract="A nail.", description="A nail of tin.\\nNails of gold and tin.")]
    >>> best = Passages(nails, Analysis()).best({"nail": 1.0, "tin": 3.0, "iron": 1.0})[0]
    >>> best.passage.where, best.share
    ('¶ 1', 0.8)
    """

    def __init__(self, documents: Iterable[Document], analysis: Analysis) -> None:
        self.items = [passage for number, document in enumerate(documents) for passage in passages_of(document, number)]
        self._found = _terms([passage.text for passage in self.items], analysis)

    @cached_property
    def term_of_word(self) -> dict[str, str]:
        """The term of every word in the passages."""
        words = self._found.words or self._found.terms
        return {word.decode(): term.decode() for word, term in zip(words, self._found.terms, strict=True) if term}

    def held(self, vocabulary: Mapping[str, int]) -> HeldTerms:
        """The terms of the vocabulary in each passage."""
        number_of = np.array([vocabulary.get(term.decode(), -1) for term in self._found.terms], np.int64)
        terms = number_of[self._found.codes] if len(number_of) else np.empty(0, np.int64)
        passage = np.repeat(np.arange(len(self.items)), np.diff(self._found.offsets))
        inside, size = terms >= 0, max(len(vocabulary), 1)
        pairs = np.unique(passage[inside] * size + terms[inside])
        return HeldTerms(len(self.items), (pairs // size).astype(np.int32), (pairs % size).astype(np.int32))

    def shares(self, sets: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """The share of each set of weighted terms (columns) that each passage (rows) has."""
        vocabulary = {term: number for number, term in enumerate(dict.fromkeys(t for each in sets for t in each))}
        numbered = [
            (np.array([vocabulary[term] for term in each], np.int64), np.array(list(each.values()), np.float64))
            for each in sets
        ]
        return self.held(vocabulary).shares(numbered, len(vocabulary))

    def best(self, terms: Mapping[str, float]) -> dict[int, BestPassage]:
        """The best passage of each document, by the document's number; the first of equal ones."""
        shares = self.shares([terms])[:, 0]
        best = self._best(shares, range(len(self.items)))
        return {document: BestPassage(self.items[place], float(shares[place])) for document, place in best.items()}

    def bearing(
        self, claims: Sequence[Mapping[str, float]], parts: Sequence[Mapping[str, float]], least: float = 0.0
    ) -> list[list[BestPassage]]:
        """For each claim the best passage of every document that may bear on it, the best first.

        `parts` are the terms of the distinguishing parts: a passage must have one of them, and `least` of the claim's
        terms. Terms of the distinguishing part count twice in the choice of the best.
        """
        by_claim = []
        for shares, new in zip(self.shares(claims).T, self.shares(parts).T, strict=True):
            both = shares + new
            best = self._best(both, np.flatnonzero((new > 0) & bears(shares, least)).tolist())
            order = sorted(best.items(), key=lambda each: (-both[each[1]], each[0]))
            by_claim.append([BestPassage(self.items[at], float(shares[at]), float(new[at])) for _, at in order])
        return by_claim

    def _best(self, values: NDArray[np.float64], places: Iterable[int]) -> dict[int, int]:
        """Of these places of passages, that with the largest value of each document; the first of equal ones."""
        best: dict[int, int] = {}
        for place in places:
            document = self.items[place].document
            if document not in best or values[place] > values[best[document]]:
                best[document] = place
        return best
