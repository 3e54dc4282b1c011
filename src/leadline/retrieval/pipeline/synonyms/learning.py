"""Abbreviations learned from a collection: read once, a part at a time, and counted in documents."""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from leadline.collections.documents.store import Collection
from leadline.retrieval.index.chemistry import KINDS, is_chemical_name, is_registry_number
from leadline.retrieval.pipeline.synonyms.short_forms import MOST_WORDS, by_letters, by_use, is_short_form
from leadline.text.files import write_whole

if TYPE_CHECKING:
    import polars as pl

FIELDS = ("title", "abstract", "claims", "description")
BEFORE = 100  # letters before a bracket that are looked at
CONTEXTS = 30  # of each short form that are kept, for the rule by use
_RARE = 0.1  # of a short form's documents: meanings below this share are slips
_BRACKET = rf"[^()\n]{{3,{BEFORE}}}\((?:CAS[^()\d]{{0,14}})?[A-Za-z0-9][A-Za-z0-9/&+.-]{{1,14}}\)"
_HYPHENATED = r"(?i)\b[a-z]{2,}(?:-(?:in|on|to|by|over)-[a-z]{2,})+\b"
_STROKES = r"\b[A-Za-z](?:/[A-Za-z]){1,4}\b"
_SENTENCE = re.compile(r"[.;:!?]\s+")
_PARTED = re.compile(r"(.*)\((?:CAS[^\d]*)?(.*)\)", re.DOTALL)


class Learned(NamedTuple):
    """A short form, what it is short for, in how many documents that is said, and how it is known."""

    short: str
    long: str
    documents: int
    by: str  # letters, use, number (of a registry) or strokes


@dataclass
class Learner:
    """What was seen so far.

    >>> learner = Learner()
    >>> learner.see(["A film of polyvinyl alcohol (PVA) and acetic acid (CAS 64-19-7)."])
    >>> learner.see(["Water-in-oil emulsions, called W/O."])
    >>> [tuple(each) for each in learner.learned()]
    [('64-19-7', 'acetic acid', 1, 'number'), ('PVA', 'polyvinyl alcohol', 1, 'letters'),
     ('W/O', 'Water-in-oil', 1, 'strokes')]
    """

    spelt: Counter[tuple[str, str]] = field(default_factory=Counter)
    unexplained: Counter[str] = field(default_factory=Counter)  # short forms whose letters match no words
    contexts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    linked: Counter[str] = field(default_factory=Counter)  # water-in-oil
    strokes: Counter[str] = field(default_factory=Counter)  # W/O

    def see(self, texts: Iterable[str]) -> None:
        """Learn from documents, each one text."""
        import polars as pl

        frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
        self.see_frame(frame)

    def see_frame(self, frame: pl.DataFrame) -> None:
        for found, documents in _counted(frame, _BRACKET):
            self._bracket(found, documents)
        for counter, pattern in ((self.linked, _HYPHENATED), (self.strokes, _STROKES)):
            for found, documents in _counted(frame, pattern):
                counter[found] += documents

    def _bracket(self, found: str, documents: int) -> None:
        parted = _PARTED.fullmatch(found)
        assert parted is not None
        before, short = _SENTENCE.split(parted[1].strip())[-1], parted[2]
        long = by_letters(short, before) if is_short_form(short) else ""
        if long:
            self.spelt[short, long] += documents
        elif is_registry_number(short) or (is_short_form(short) and short.isalpha() and len(short) > 2):
            self.unexplained[short] += documents
            if len(self.contexts[short]) < CONTEXTS:
                self.contexts[short].append(before)

    def learned(self) -> list[Learned]:
        """All that is believed, sorted by the short form, the commonest meaning first."""
        found = [*self._by_letters(), *self._by_use(), *self._by_strokes()]
        return sorted(found, key=lambda each: (each.short, -each.documents, each.long))

    def _by_letters(self) -> Iterator[Learned]:
        """Meanings by their letters: spellings that differ in capitals alone are one, written as most have it."""
        together: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
        for (short, long), documents in self.spelt.items():
            together[short, long.lower()][short, long] += documents
        totals: Counter[str] = Counter()
        for (short, _), spellings in together.items():
            totals[short] += spellings.total()
        for (short, _), spellings in together.items():
            if spellings.total() >= _RARE * totals[short]:
                yield Learned(short, spellings.most_common(1)[0][0][1], spellings.total(), "letters")

    def _by_use(self) -> Iterator[Learned]:
        spelt = {short for short, _ in self.spelt}
        for short, contexts in self.contexts.items():
            if is_registry_number(short):
                names = Counter(name for context in contexts if (name := name_before(context)))
                yield from (Learned(short, name, documents, "number") for name, documents in names.items())
            elif short not in spelt and (long := by_use(contexts)):
                yield Learned(short, long, self.unexplained[short], "use")

    def _by_strokes(self) -> Iterator[Learned]:
        """Initials with strokes, and hyphenated words that begin with them, where the collection has both."""
        by_initials: dict[str, Counter[str]] = defaultdict(Counter)
        for long, documents in self.linked.items():
            by_initials["/".join(word[0] for word in long.lower().split("-")[::2])][long] += documents
        capitals: dict[str, str] = {}
        for strokes, _ in self.strokes.most_common():
            capitals.setdefault(strokes.lower(), strokes)
        for initials, longs in by_initials.items():
            if initials in capitals:
                for long, documents in _in_one_spelling(longs).items():
                    yield Learned(capitals[initials], long, documents, "strokes")


def _counted(frame: pl.DataFrame, pattern: str) -> Iterator[tuple[str, int]]:
    """What a pattern finds in the texts, and in how many of them."""
    import polars as pl

    found = frame.select(found=pl.col("text").str.extract_all(pattern).list.unique()).explode("found").drop_nulls()
    yield from found.group_by("found", maintain_order=True).len().iter_rows()


def name_before(context: str) -> str:
    """The name at the end of a text, of a substance whose number follows.

    >>> name_before("a solution of acetic acid"), name_before("with Brumex,"), name_before("sodium brumate salt")
    ('acetic acid', 'brumex', 'sodium brumate salt')
    """
    words = [word.strip(".,;:").lower() for word in context.split()]
    taken = 1
    # A kind of substance is not a name without the word before it, and ends a name before it; else what is chemistry
    # belongs to the name. One that begins with places, 2-chloro-, begins here.
    while taken < min(len(words), MOST_WORDS) and not words[-taken][:1].isdigit():
        here, left = words[-taken], words[-taken - 1]
        if here not in KINDS and (left in KINDS or not is_chemical_name(left)):
            break
        taken += 1
    return " ".join(words[-taken:]) if words else ""


def _in_one_spelling(longs: Counter[str]) -> dict[str, int]:
    together: dict[str, Counter[str]] = defaultdict(Counter)
    for long, documents in longs.items():
        together[long.lower()][long] += documents
    return {spellings.most_common(1)[0][0]: spellings.total() for spellings in together.values()}


def learn(
    collection: Collection, fields: Sequence[str] = FIELDS, progress: Callable[[int, int], None] | None = None
) -> list[Learned]:
    """The abbreviations of a collection, in one pass over its texts, a part in memory at a time."""
    import polars as pl

    learner, done = Learner(), 0
    for part in collection.texts(fields):
        lists = [name for name in fields if isinstance(part.schema[name], pl.List)]  # claims
        frame = part.with_columns(pl.col(name).list.join("\n") for name in lists)
        learner.see_frame(frame.select(text=pl.concat_str(fields, separator="\n", ignore_nulls=True)))
        done += len(part)
        if progress is not None:
            progress(done, len(collection))
    return learner.learned()


def write_learned(found: Iterable[Learned], path: str | os.PathLike[str], about: str = "") -> None:
    """Write what was learned as a table, which anyone may read, correct, and give as synonyms."""
    lines = ["\t".join(Learned._fields), *("\t".join(map(str, each)) for each in found)]
    table = ("\n".join(lines) + "\n").encode()
    opening = f"# {about}, checksum {zlib.crc32(table):08x}\n".encode() if about else b""
    write_whole(path, opening + table)
