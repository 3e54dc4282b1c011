"""Snippets: a piece of a text around the words of a query, with the places of those words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from leadline.retrieval.index.analysis import Analysis, spans
from leadline.retrieval.index.characters import joined

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
        starts, lengths, first = spans(content, offsets, self.analysis.words)
        whole = content.tobytes()
        places = list(zip(starts.tolist(), (starts + lengths).tolist(), strict=True))
        terms = [term.decode() for term in self.analysis.reduced([whole[start:end] for start, end in places])]
        for number, piece in enumerate(pieces):
            base, end = int(offsets[number]), int(offsets[number + 1])
            inside = range(int(first[number]), int(first[number + 1]))
            matches = [(places[word], terms[word]) for word in inside if terms[word] in self.weights]
            self._marks[piece] = self._placed(piece, whole[base:end], base, matches) if matches else []

    def _placed(
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
            return Snippet(text, tuple((start, end) for start, end, _ in marks))
        room = max(width - 4, 1)  # for the dots at both ends
        first, last = self._window(marks, room)
        start, end = _cut(text, first, last, room)
        before, behind = ("… " if start else ""), (" …" if end < len(text) else "")
        shift = len(before) - start
        inside = tuple((a + shift, b + shift) for a, b, _ in marks if start <= a and b <= end)
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
