"""Groups of synonymous names, found in texts by their words; the register of sources, and the user's table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from leadline.errors import InputError, nearest
from leadline.register import Register
from leadline.retrieval.choices import COMMON
from leadline.retrieval.index import arrays
from leadline.retrieval.index.analysis import joined, spans
from leadline.retrieval.index.terms import Terms
from leadline.text.sheet import ragged_rows
from leadline.text.source import read_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

# The words of a text, with hashes of all word sequences, so that names of several words are found in any spelling.
#
# Names are compared by their letters and digits, in lower case and without a plural's s: water-in-oil, "water in oil"
# and WATER/IN/OIL are one name, and so are N,N-dimethylformamide and "N,N dimethyl formamide".


# One or two of these characters may separate two words of one name.
_BETWEEN = np.zeros(256, np.bool_)
_BETWEEN[list(b" -,/'()[]{}\t")] = True
_POINT = ord(".")  # a single one may separate words too: U.S.A
_OTHERS = re.compile(rb"[^a-z0-9]+")
# Parameters of the polynomial hash: a random value per byte, times a power of the base, modulo 2 to the 64th.
_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
_MIXED = np.random.default_rng(0x1EAD).integers(1 << 63, size=256, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


@dataclass(frozen=True)
class TextWords:
    """The words of a text: word w is content[starts[w]:starts[w] + lengths[w]]."""

    content: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, text: str) -> TextWords:
        content, offsets = joined([text])
        starts, lengths, _ = spans(content, offsets, "plain")
        return cls(content, starts, lengths.astype(np.int64))

    def __len__(self) -> int:
        return len(self.starts)

    def written(self, first: int, last: int) -> str:
        """The text from one word to another, in lower case."""
        return bytes(self.content[self.starts[first] : self.starts[last] + self.lengths[last]]).decode()

    @cached_property
    def texts(self) -> list[str]:
        """Each word, in lower case."""
        return [self.written(word, word) for word in range(len(self))]

    @cached_property
    def close(self) -> NDArray[np.bool_]:
        """Whether each word (except the last) may be in one name with the next."""
        ends = self.starts[:-1] + self.lengths[:-1]
        gaps = self.starts[1:] - ends
        first, second = self.content[ends], self.content[ends + 1]
        single = (gaps == 1) & (_BETWEEN[first] | (first == _POINT))
        return (gaps == 0) | single | ((gaps == 2) & _BETWEEN[first] & _BETWEEN[second])

    @cached_property
    def _letters(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        """The offset of each word in the text without gaps; prefix sums of the bytes' hash values; inverse powers.

        The hash of any span is the difference of two prefix sums, divided by the power at its start, so spans of
        several words cost no more than single words.
        """
        begins = np.concatenate([[0], np.cumsum(self.lengths)])
        within = np.arange(begins[-1]) - np.repeat(begins[:-1], self.lengths) + np.repeat(self.starts, self.lengths)
        values = _MIXED[self.content[within]] * _powers(_BASE, len(within))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
        return begins, sums, _powers(_INVERSE, len(values) + 1)

    def hashes(self, words: int, cut: int = 0) -> NDArray[np.uint64]:
        """The hash of each span of `words` words, without its last `cut` bytes; one for each first word."""
        begins, sums, inverse = self._letters
        firsts = begins[: max(len(self) - words + 1, 0)]
        return (sums[begins[words:] - cut] - sums[firsts]) * inverse[firsts]


def _powers(base: np.uint64, count: int) -> NDArray[np.uint64]:
    """1, base, base², …, modulo 2 to the 64th."""
    steps = np.full(count, base, np.uint64)
    steps[:1] = 1
    return np.cumprod(steps, dtype=np.uint64)


def letters_only(name: str) -> bytes:
    """The key by which names are compared: letters and digits in lower case, without a plural's s.

    >>> [letters_only(name) for name in ("Water-in-Oil emulsions", "W/O/O", "glass", "N,N-Dimethyl formamide")]
    [b'waterinoilemulsion', b'woo', b'glass', b'nndimethylformamide']
    """
    # A faster way for ASCII: the chemicals have a million names, nearly all of them ASCII.
    is_ascii = name.isascii()
    letters = _OTHERS.sub(b"", name.lower().encode()) if is_ascii else "".join(TextWords.of(name).texts).encode()
    return letters[:-1] if _is_plural(letters) else letters


def _is_plural(letters: bytes) -> bool:
    return len(letters) > 4 and letters.endswith(b"s") and not letters.endswith((b"ss", b"us", b"is"))


def hashed(names: Sequence[bytes]) -> NDArray[np.uint64]:
    """The hashes of names made by `letters_only`, equal to those of `TextWords.hashes`."""
    lengths = np.array([len(name) for name in names], np.int64)
    content = np.frombuffer(b"".join(names), np.uint8)
    starts = np.cumsum(lengths) - lengths
    places = np.arange(len(content)) - np.repeat(starts, lengths)
    powers = _powers(_BASE, int(lengths.max(initial=0)))
    terms = _MIXED[content] * powers[places]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    return sums[starts + lengths] - sums[starts]


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
            "names": self.names.buffer,
            "name_offsets": self.names.offsets.astype(np.int32),
            "groups": self.groups,
            "keys": self.keys,
            "order": self.order,
        }
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
        return [
            other
            for match in self.matches(TextWords.of(name))
            if letters_only(match.name) == letters_only(name)
            for other in match.synonyms
        ]

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


# The register of synonym sources.
#
# A source is a function, in its own file, that takes the search context and returns a `Finder`; any other name is the
# path of a table.


class Finder(Protocol):
    """Finds names in a text, with their synonyms."""

    def matches(self, words: TextWords) -> Iterator[Match]: ...


SynonymSource = Callable[["SearchContext"], Finder]
SOURCES = Register[SynonymSource]("synonyms", "leadline.retrieval.pipeline.synonyms", entry_points="leadline.synonyms")
_opened: WeakKeyDictionary[SearchContext, dict[SynonymSource | str, Finder]] = WeakKeyDictionary()


def synonym_source(name: str) -> Callable[[SynonymSource], SynonymSource]:
    """Register a function as a source."""

    def enter(function: SynonymSource) -> SynonymSource:
        SOURCES.add(name, function, home=function.__module__)
        return function

    return enter


def check_source(name: str) -> None:
    """Raise InputError for a name that is neither a source nor a file."""
    if name not in SOURCES and not Path(name).exists():
        hint = nearest(name, SOURCES)
        raise InputError(
            "synonyms", f"{name!r} is neither a source ({', '.join(SOURCES)}) nor the path of a table{hint}"
        )


def open_source(name: str, context: SearchContext) -> Finder:
    """The finder of a source or table, opened on first use and kept as long as the search context."""

    check_source(name)
    source = SOURCES.find(name)
    opened = _opened.setdefault(context, {})
    key = source or name  # the function, because a source may be replaced
    if key not in opened:
        opened[key] = source(context) if source else read_table(Path(name))
    return opened[key]


# Read the user's synonyms from a TSV or CSV table.


# A first cell that makes the first line a header, and columns that do not hold names.
_HEADS = ("name", "term", "short", "synonym", "group")
_NOT_NAMES = ("documents", "count", "weight", "by")


def read_table(path: str | os.PathLike[str]) -> Thesaurus:
    """The synonyms of a table: names in one line are synonyms, as are names in lines with the same first name.

    Most tables have two columns, a name and a synonym. Lines that begin with # are ignored. With a header `group name`
    the first column identifies the group and is not itself a name.

    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> folder = TemporaryDirectory()
    >>> path = Path(folder.name) / "own.tsv"
    >>> _ = path.write_text("acetone\\tpropanone\\nacetone\\t67-64-1\\n")
    >>> read_table(path).synonyms("Propanone")
    ['acetone', '67-64-1']
    >>> folder.cleanup()
    """
    text = read_text(path)
    rows = [row for _, row in ragged_rows(text)]
    places, grouped = list(range(max(map(len, rows), default=0))), False
    if rows and rows[0][0].lower() in _HEADS:
        head = [cell.lower() for cell in rows.pop(0)]
        grouped = head[0] == "group"
        places = [place for place, title in enumerate(head) if title not in (*_NOT_NAMES, "group")]
    groups: dict[str, list[str]] = {}
    for row in rows:
        names = [row[place] for place in places if place < len(row) and row[place]]
        groups.setdefault(row[0].lower(), []).extend(names)
    if not any(len(set(group)) > 1 for group in groups.values()):
        need = "a group and a name in each line" if grouped else "two names in a line, separated by a tab or a comma"
        raise InputError(text.name, f"has no two names that mean the same; it needs {need}")
    return Thesaurus.of(groups.values())
