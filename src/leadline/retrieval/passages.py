"""The passages of documents and the snippets of texts: which contain the most of some terms, and where.

A passage is a document's abstract, a paragraph of its description, or one of its claims. Its share of a set of terms is
by weight: a term in n of N texts has the weight ln((N + 1) / (n + 1)), which is 0 for a term in every text.

A passage bears on a claim only if it has a word of the claim's distinguishing part. Where nothing more is known of its
document, it must also have a quarter of the claim's terms. Numbers and words that any claim may use do not count, and
of a dependent claim only its own words count, not those of its parents. This is an estimate of where to begin reading,
not a judgement: it compares words, not meaning. docs/derived-qrels.md has the share of passages with a quarter of the
terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.document import Document
from leadline.retrieval.choices import BEARING
from leadline.retrieval.index.analysis import Analysis, Occurrences, WordSpans, joined, spans
from leadline.retrieval.index.derived_names import is_registry_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    """The terms of each claim, each once, without words that any claim may use and numbers but those of substances.

    >>> claim_terms(["The catalyst of claim 1, wherein said assemblies hold 3 catalysts and CAS 64-19-7."], Analysis())
    [['catalyst', 'assembl', 'hold', 'cas', '64-19-7']]
    """
    common, occurrences = _common_terms(analysis), _terms(claims, analysis)
    unique = (dict.fromkeys(occurrences.of_text(number)) for number in range(len(claims)))
    return [[term for term in terms if term not in common and _names_something(term)] for terms in unique]


def _names_something(term: str) -> bool:
    """Whether a term is more than a number: a registry number names a substance."""
    return any(map(str.isalpha, term)) or is_registry_number(term)


def _terms(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    return WordSpans.of(*joined(texts), analysis.words, analysis.syllables).terms(analysis)


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
        each = [list(passages_of(document, number)) for number, document in enumerate(documents)]
        self.items = [passage for passages in each for passage in passages]
        self.documents = len(each)
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
        vocabulary, numbered = _numbered(sets)
        return self.held(vocabulary).shares(numbered, len(vocabulary))

    def documents_shares(self, sets: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """The share of each set of weighted terms (columns) that each document (rows) has, in any of its passages."""
        vocabulary, numbered = _numbered(sets)
        held = self.held(vocabulary)
        size = max(len(vocabulary), 1)
        document = np.array([passage.document for passage in self.items], np.int64)[held.passage]
        pairs = np.unique(document * size + held.term)
        whole = HeldTerms(self.documents, (pairs // size).astype(np.int32), (pairs % size).astype(np.int32))
        return whole.shares(numbered, len(vocabulary))

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


def _numbered(
    sets: Sequence[Mapping[str, float]],
) -> tuple[dict[str, int], list[tuple[NDArray[np.int64], NDArray[np.float64]]]]:
    """A number for each term of some sets, and the sets as numbers with their weights."""
    vocabulary = {term: number for number, term in enumerate(dict.fromkeys(t for each in sets for t in each))}
    return vocabulary, [
        (np.array([vocabulary[term] for term in each], np.int64), np.array(list(each.values()), np.float64))
        for each in sets
    ]


# Snippets: a piece of a text around the words of a query, with the places of those words.


_PIECE = re.compile(r"\S+")  # no word goes beyond a blank


@dataclass(frozen=True)
class Snippet:
    """A piece of a text; `marks` are the start and end of each query word in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def shown(self, before: str, behind: str) -> str:
        """The text with a mark around each query word.

        >>> Snippet("a bent nail", ((2, 6),)).shown("<", ">")
        'a <bent> nail'
        """
        shown, at = [], 0
        for start, end in self.marks:
            shown += [self.text[at:start], before, self.text[start:end], behind]
            at = end
        return "".join([*shown, self.text[at:]])


class Marker:
    """Finds terms in texts and cuts snippets around them.

    >>> Marker(Analysis(), {"nail": 1.0, "tin": 3.0}).snippet("Nails of iron are bent. A nail of tin-foil is not.", 22)
    Snippet(text='… A nail of tin-foil …', marks=((4, 8), (12, 15)))
    """

    def __init__(self, analysis: Analysis, weights: Mapping[str, float]) -> None:
        self.analysis, self.weights = analysis, weights
        self._marks: dict[str, list[tuple[int, int, str]]] = {}  # within each text between blanks

    def marks(self, text: str) -> list[tuple[int, int, str]]:
        """The start, end and term of each query word."""
        pieces = list(_PIECE.finditer(text))
        self._analyse(list(dict.fromkeys(piece[0] for piece in pieces if piece[0] not in self._marks)))
        return [
            (piece.start() + start, piece.start() + end, term)
            for piece in pieces
            for start, end, term in self._marks[piece[0]]
        ]

    def _analyse(self, pieces: list[str]) -> None:
        """Find the query words in pieces between blanks, all at once."""
        if not pieces:
            return
        content, offsets = joined(pieces)
        starts, lengths, first = spans(content, offsets, self.analysis.words, self.analysis.syllables)
        whole = content.tobytes()
        places = list(zip(starts.tolist(), (starts + lengths).tolist(), strict=True))
        terms = [term.decode() for term in self.analysis.reduced([whole[start:end] for start, end in places])]
        for number, piece in enumerate(pieces):
            base, end = int(offsets[number]), int(offsets[number + 1])
            inside = range(int(first[number]), int(first[number + 1]))
            matches = [(places[word], terms[word]) for word in inside if terms[word] in self.weights]
            self._marks[piece] = self._places_in(piece, whole[base:end], base, matches) if matches else []

    def _places_in(
        self, piece: str, written: bytes, base: int, matches: list[tuple[tuple[int, int], str]]
    ) -> list[tuple[int, int, str]]:
        """The places of words in a piece, from their places in the bytes of all pieces."""
        if len(written.decode()) != len(piece):  # normalising may turn one character into several, such as ½
            return [(0, len(piece), term) for _, term in matches[:1]]
        return [
            (len(written[: start - base].decode()), len(written[: end - base].decode()), term)
            for (start, end), term in matches
        ]

    def snippet(self, text: str, width: int) -> Snippet:
        """The piece of a text, at most `width` characters, that holds most of the query words by weight."""
        text = " ".join(text.split())
        marks = self.marks(text)
        if len(text) <= width:
            return Snippet(text, _apart((start, end) for start, end, _ in marks))
        room = max(width - 4, 1)  # for the dots at both ends
        first, last = self._window(marks, room)
        start, end = _cut(text, first, last, room)
        before, behind = ("… " if start else ""), (" …" if end < len(text) else "")
        shift = len(before) - start
        inside = _apart((a + shift, b + shift) for a, b, _ in marks if start <= a and b <= end)
        return Snippet(before + text[start:end] + behind, inside)

    def _window(self, marks: list[tuple[int, int, str]], room: int) -> tuple[int, int]:
        """The start and end of the stretch that fits and has the largest weight; the shortest of equal ones."""
        best, most = (0, 0), (0.0, 0)
        for place, (start, _, _) in enumerate(marks):
            terms: set[str] = set()
            weight = 0.0
            for _, end, term in marks[place:]:
                if end - start > room:
                    break
                if term not in terms:
                    terms.add(term)
                    weight += self.weights[term]
                    if (round(weight, 9), start - end) > most:
                        best, most = (start, end), (round(weight, 9), start - end)
        return best


def _apart(marks: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Marks in their order, those that overlap as one: pairs of the syllables of a Korean word do.

    >>> _apart([(0, 2), (1, 3), (3, 5)])
    ((0, 3), (3, 5))
    """
    apart: list[tuple[int, int]] = []
    for start, end in marks:
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return tuple(apart)


def _cut(text: str, first: int, last: int, room: int) -> tuple[int, int]:
    """The start and end of whole words around two places, up to `room` characters, a third of the rest before them."""
    start = max(0, min(first - (room - (last - first)) // 3, len(text) - room))
    if start > 0:
        blank = text.find(" ", start - 1, first)
        start = blank + 1 if blank >= 0 else first
    end = start + room
    if end < len(text):
        blank = text.rfind(" ", last, end + 1)
        end = blank if blank > start else end
    return start, min(end, len(text))
