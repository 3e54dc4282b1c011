"""Groups of synonymous names, up to millions, found in texts by their letters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.retrieval.index import arrays
from leadline.retrieval.index.stop_words import COMMON
from leadline.retrieval.index.terms import Terms
from leadline.retrieval.pipeline.synonyms.text_words import TextWords, hashed, letters_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMMON = COMMON["en"]
_SIEVE_BITS = 22
LONGEST = 10  # words of a name; longer ones are not found


class Match(NamedTuple):
    """A name found in a text, its synonyms in one meaning, and 1 / the number of its meanings."""

    name: str
    synonyms: Sequence[str]
    share: float = 1.0


@dataclass(frozen=True)
class Thesaurus:
    """Names in groups: those of group g are names[groups[g]:groups[g + 1]]. A name may be in several groups.

    >>> acids = Thesaurus.of([["acetic acid", "ethanoic acid", "64-19-7"], ["W/O", "water-in-oil"]])
    >>> text = TextWords.of("Acetic acids in a water in oil emulsion")
    >>> [(match.name, match.synonyms) for match in acids.matches(text)]
    [('acetic acids', ['ethanoic acid', '64-19-7']), ('water in oil', ['W/O'])]
    """

    names: Terms  # not sorted
    groups: NDArray[np.int32]
    keys: NDArray[np.uint64]  # the hashes of the names, sorted
    order: NDArray[np.int32]  # the number of the name of each hash

    @classmethod
    def of(cls, groups: Iterable[Sequence[str]]) -> Thesaurus:
        """A thesaurus of groups of names."""
        listed = [list(dict.fromkeys(group)) for group in groups]
        starts = np.concatenate([[0], np.cumsum([len(group) for group in listed])]).astype(np.int32)
        names = [name for group in listed for name in group]
        hashes = hashed([letters_only(name) for name in names])
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        return cls(Terms.of([name.encode() for name in names]), starts, hashes[order], order)

    def write(self, path: str | os.PathLike[str]) -> None:
        content: dict[str, NDArray[Any]] = {
            "names": self.names.buffer, "name_offsets": self.names.offsets.astype(np.int32), "groups": self.groups,
            "keys": self.keys, "order": self.order,
        }  # fmt: skip
        arrays.write(path, content)

    @classmethod
    def of_bytes(cls, content: bytes, name: str) -> Thesaurus:
        """A thesaurus from the content of a file that `write` wrote; `name` is its path, for errors."""
        file = arrays.from_bytes(content, name)
        return cls(Terms(file["names"], file["name_offsets"]), file["groups"], file["keys"], file["order"])

    def __len__(self) -> int:
        return len(self.names)

    def synonyms(self, name: str) -> list[str]:
        """The synonyms of a name, in all its meanings.

        >>> Thesaurus.of([["PE", "polyethylene"], ["PE", "phosphatidylethanolamine"]]).synonyms("pe")
        ['polyethylene', 'phosphatidylethanolamine']
        """
        return [other for match in self.matches(TextWords.of(name)) if letters_only(match.name) == letters_only(name)
                for other in match.synonyms]  # fmt: skip

    def matches(self, words: TextWords) -> Iterator[Match]:
        """The names in a text, each once; names within longer ones are left out."""
        if not len(self):
            return
        seen: set[bytes] = set()
        for first, last in _longest(self._places(words)):
            name = words.written(first, last)
            key = letters_only(name)
            if key not in seen:
                seen.add(key)
                yield from self._meanings(name)

    def _places(self, words: TextWords) -> dict[int, int]:
        """The last word of the longest name that begins at each word where one does."""
        lasts: dict[int, int] = {}
        joined = np.ones(len(words), np.bool_)  # whether the `count` words from each one on may be one name
        last_letter = words.content[words.starts + words.lengths - 1]
        for count in range(1, min(LONGEST, len(words)) + 1):
            if count > 1:
                joined = joined[:-1] & words.close[count - 2 :]
            plural = last_letter[count - 1 :] == ord("s")
            likely = joined & (self._has(words.hashes(count)) | (plural & self._has(words.hashes(count, cut=1))))
            for first in np.flatnonzero(likely).tolist():
                if self._groups_of(words.written(first, first + count - 1)):
                    lasts[first] = first + count - 1
        return lasts

    @cached_property
    def _sieve(self) -> NDArray[np.bool_]:
        """Whether any name's hash begins with these bits: rules out most spans of a text with one lookup."""
        sieve = np.zeros(1 << _SIEVE_BITS, np.bool_)
        sieve[self.keys >> np.uint64(64 - _SIEVE_BITS)] = True
        return sieve

    def _has(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each hash is that of a name."""
        found = self._sieve[hashes >> np.uint64(64 - _SIEVE_BITS)]
        likely = hashes[found]
        places = np.minimum(np.searchsorted(self.keys, likely), len(self.keys) - 1)
        found[found] = self.keys[places] == likely
        return found

    def _groups_of(self, name: str) -> list[int]:
        """The numbers of the groups that have a name of a text."""
        letters = letters_only(name)
        (key,) = hashed([letters])
        same_hash = self.order[np.searchsorted(self.keys, key) : np.searchsorted(self.keys, key, "right")].tolist()
        same = [number for number in same_hash if _is_same_name(name, letters, self.names[number].decode())]
        return sorted({int(np.searchsorted(self.groups, number, "right")) - 1 for number in same})

    def _meanings(self, name: str) -> Iterator[Match]:
        """A match for each group that has the name."""
        groups = self._groups_of(name)
        letters = letters_only(name)
        for group in groups:
            names = [self.names[number].decode() for number in range(self.groups[group], self.groups[group + 1])]
            others = [other for other in names if letters_only(other) != letters]
            if others:
                yield Match(name, others, 1 / len(groups))


def _is_same_name(name: str, letters: bytes, listed: str) -> bool:
    """Whether a name in a text, with these letters, is a name of the thesaurus.

    A number must be written exactly: 354,063 is not the substance 354-06-3. A common word at either end must be a word
    of the listed name: "a state" is not astate.
    """
    if letters_only(listed) != letters:
        return False
    if letters.isdigit():
        return name == listed
    words = TextWords.of(name).texts
    return all(word.encode() not in _COMMON or word in TextWords.of(listed).texts for word in (words[0], words[-1]))


def _longest(places: dict[int, int]) -> list[tuple[int, int]]:
    """The spans that are not within another, in the order of the text.

    >>> _longest({0: 2, 1: 1, 2: 3})
    [(0, 2), (2, 3)]
    """
    kept, end = [], -1
    for first, last in sorted(places.items()):
        if last > end:
            kept.append((first, last))
            end = last
    return kept
