"""Which passages of a few documents hold the words that are sought: for snippets, and for the claims of a topic.

A passage is a document's abstract, a paragraph of its description, or one of its claims. It holds a share of the words
sought, each weighed by its rarity in the index, ln((N + 1) / (df + 1)): so a word that every patent has weighs nothing.
A passage bears on a claim when it holds a quarter of the claim's words. That is an estimate of where to begin reading,
not a judgement: it sees words, not meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.document import Document
from leadline.search.index.analysis import Analysis
from leadline.search.index.characters import joined
from leadline.search.index.occurrences import Found

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEARING = 0.25  # the share of a claim's words that a passage must hold
LONGEST, PIECE = 300, 100  # words: a longer block of text is no paragraph, and is cut into pieces


@dataclass(frozen=True)
class Passage:
    """A piece of a document, and where in it that is: `abstract`, `¶ 12`, `claim 3`."""

    document: int  # its place among the documents looked at
    where: str
    text: str


def passages_of(document: Document, place: int = 0) -> Iterator[Passage]:
    """The passages of a document in their order.

    >>> from leadline.collections.documents.document import Claim
    >>> nail = Document("X", abstract="A nail.", description="It bends.\\n\\nOurs not.", claims=(Claim(1, "A nail."),))
    >>> [passage.where for passage in passages_of(nail)]
    ['abstract', '¶ 1', '¶ 2', 'claim 1']
    """
    paragraphs = [line for line in document.description.split("\n") if line.strip()]
    blocks = [("abstract", document.abstract)]
    blocks += [(f"¶ {number}", paragraph) for number, paragraph in enumerate(paragraphs, start=1)]
    blocks += [(f"claim {claim.number}", claim.text) for claim in document.claims]
    for where, block in blocks:
        words = block.split()
        step = len(words) if len(words) <= LONGEST else PIECE
        for start in range(0, len(words), step or 1):
            before, behind = ["…"] * (start > 0), ["…"] * (start + step < len(words))
            yield Passage(place, where, " ".join([*before, *words[start : start + step], *behind]))


@dataclass(frozen=True)
class Best:
    """The passage of a document that holds most of what is sought, and which share of it."""

    passage: Passage
    share: float


class Passages:
    """The passages of some documents, analysed together.

    >>> found = Passages([Document("X", description="A nail.\\nA bent nail of tin.")], Analysis())
    >>> best = found.best({"bent": 3.0, "tin": 1.0, "gold": 1.0})[0]
    >>> best.passage.where, best.share
    ('¶ 2', 0.8)
    """

    def __init__(self, documents: Iterable[Document], analysis: Analysis) -> None:
        self.items = [passage for place, document in enumerate(documents) for passage in passages_of(document, place)]
        found = Found.of(*joined([passage.text for passage in self.items]), analysis.words)
        self._found = found.terms(analysis)

    @cached_property
    def terms(self) -> set[str]:
        """Every term that stands in a passage."""
        return {term.decode() for term in self._found.terms if term}

    @cached_property
    def _passage_of_word(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.items)), np.diff(self._found.offsets))

    def shares(self, sought: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """For each passage and each set of weighted terms the share of the weight that the passage holds."""
        terms = dict.fromkeys(term for each in sought for term in each)
        vocabulary = {term: number for number, term in enumerate(terms)}
        weights = np.zeros((len(vocabulary), len(sought)))
        for column, each in enumerate(sought):
            weights[[vocabulary[term] for term in each], column] = list(each.values())
        total = weights.sum(axis=0)
        number_of = np.array([vocabulary.get(term.decode(), -1) for term in self._found.terms], np.int64)
        numbers = number_of[self._found.codes] if len(number_of) else np.empty(0, np.int64)
        known = numbers >= 0
        # Each pair of passage and term once, however often it is there.
        pairs = np.unique(self._passage_of_word[known] * max(len(vocabulary), 1) + numbers[known])
        shares = np.zeros((len(self.items), len(sought)))
        for column in range(len(sought)):
            held = weights[pairs % max(len(vocabulary), 1), column] if len(pairs) else np.empty(0)
            shares[:, column] = np.bincount(pairs // max(len(vocabulary), 1), held, len(self.items))
        return shares / np.where(total > 0, total, 1.0)

    def best(self, sought: Mapping[str, float]) -> dict[int, Best]:
        """The best passage of each document, by the document's place; of equals the first."""
        shares = self.shares([sought])[:, 0]
        best: dict[int, Best] = {}
        for passage, share in zip(self.items, shares.tolist(), strict=True):
            if passage.document not in best or share > best[passage.document].share:
                best[passage.document] = Best(passage, share)
        return best

    def bearing(self, claims: Sequence[Mapping[str, float]], least: float = BEARING) -> list[list[Best]]:
        """For each claim the best passage of every document that bears on it, the largest share first."""
        shares = self.shares(claims)
        found = []
        for column in range(len(claims)):
            best: dict[int, Best] = {}
            for place in np.flatnonzero(shares[:, column] >= least - 1e-9).tolist():
                passage, share = self.items[place], float(shares[place, column])
                if passage.document not in best or share > best[passage.document].share:
                    best[passage.document] = Best(passage, share)
            found.append(sorted(best.values(), key=lambda each: (-each.share, each.passage.document)))
        return found


def rarity(frequencies: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """How much a term tells: ln((N + 1) / (df + 1)).

    >>> rarity(np.array([0, 9]), 9).round(3).tolist()
    [2.303, 0.0]
    """
    return np.log((documents + 1) / (frequencies + 1))
