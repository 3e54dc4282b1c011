"""Learn abbreviations from the texts of a collection, in one pass, and count the documents that define each."""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from leadline.collections.documents.store import Collection
from leadline.retrieval.index.batches import joined_fields
from leadline.retrieval.index.chemistry import KINDS, is_chemical_name, is_registry_number
from leadline.retrieval.pipeline.synonyms.short_forms import MOST_WORDS, by_letters, by_use, is_short_form
from leadline.text.files import write_whole

if TYPE_CHECKING:
    import polars as pl

FIELDS = ("title", "abstract", "claims", "description")
BEFORE = 100  # characters before a bracket that are read
CONTEXTS = 30  # texts before a bracket that are kept per short form, for the rule by use
_RARE = 0.1  # meanings in a smaller share of a short form's documents are taken for mistakes
_BRACKET = rf"[^()\n]{{3,{BEFORE}}}\((?:CAS[^()\d]{{0,14}})?[A-Za-z0-9][A-Za-z0-9/&+.-]{{1,14}}\)"
_HYPHENATED = r"(?i)\b[a-z]{2,}(?:-(?:in|on|to|by|over)-[a-z]{2,})+\b"
_STROKES = r"\b[A-Za-z](?:/[A-Za-z]){1,4}\b"
_SENTENCE = re.compile(r"[.;:!?]\s+")
_LONG_AND_SHORT = re.compile(r"(.*)\((?:CAS[^\d]*)?(.*)\)", re.DOTALL)


class Learned(NamedTuple):
    """A short form, its long form, the number of documents that define it so, and the rule that matched them."""

    short: str
    long: str
    documents: int
    by: str  # letters, use, number (of a registry) or strokes (W/O)


@dataclass
class Learner:
    """Counts of the definitions in the texts seen so far.

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
        for text, documents in _document_counts(frame, _BRACKET):
            self._see_bracket(text, documents)
        for counter, pattern in ((self.linked, _HYPHENATED), (self.strokes, _STROKES)):
            for text, documents in _document_counts(frame, pattern):
                counter[text] += documents

    def _see_bracket(self, text: str, documents: int) -> None:
        """Count a text that ends in a bracket."""
        match = _LONG_AND_SHORT.fullmatch(text)
        assert match is not None
        before, short = _SENTENCE.split(match[1].strip())[-1], match[2]
        long = by_letters(short, before) if is_short_form(short) else ""
        if long:
            self.spelt[short, long] += documents
        elif is_registry_number(short) or (is_short_form(short) and short.isalpha() and len(short) > 2):
            self.unexplained[short] += documents
            if len(self.contexts[short]) < CONTEXTS:
                self.contexts[short].append(before)

    def learned(self) -> list[Learned]:
        """The accepted abbreviations, sorted by the short form, the most frequent meaning first."""
        accepted = [*self._by_letters(), *self._by_use(), *self._by_strokes()]
        return sorted(accepted, key=lambda each: (each.short, -each.documents, each.long))

    def _by_letters(self) -> Iterator[Learned]:
        """Abbreviations by their letters, without rare meanings."""
        by_short: dict[str, Counter[str]] = defaultdict(Counter)
        for (short, long), documents in self.spelt.items():
            by_short[short][long] += documents
        for short, longs in by_short.items():
            for long, documents in _ignoring_case(longs).items():
                if documents >= _RARE * longs.total():
                    yield Learned(short, long, documents, "letters")

    def _by_use(self) -> Iterator[Learned]:
        """Registry numbers with the names before them, and short forms that always follow the same words."""
        spelt = {short for short, _ in self.spelt}
        for short, contexts in self.contexts.items():
            if is_registry_number(short):
                names = Counter(name for context in contexts if (name := name_before(context)))
                yield from (Learned(short, name, documents, "number") for name, documents in names.items())
            elif short not in spelt and (long := by_use(contexts)):
                yield Learned(short, long, self.unexplained[short], "use")

    def _by_strokes(self) -> Iterator[Learned]:
        """Initials with strokes, and hyphenated words with these initials, where the collection has both."""
        by_initials: dict[str, Counter[str]] = defaultdict(Counter)
        for long, documents in self.linked.items():
            by_initials["/".join(word[0] for word in long.lower().split("-")[::2])][long] += documents
        capitals: dict[str, str] = {}
        for strokes, _ in self.strokes.most_common():
            capitals.setdefault(strokes.lower(), strokes)
        for initials, longs in by_initials.items():
            if initials in capitals:
                for long, documents in _ignoring_case(longs).items():
                    yield Learned(capitals[initials], long, documents, "strokes")


def _document_counts(frame: pl.DataFrame, pattern: str) -> Iterator[tuple[str, int]]:
    """Each match of a pattern, and the number of texts that have it."""
    import polars as pl

    matches = frame.select(match=pl.col("text").str.extract_all(pattern).list.unique()).explode("match").drop_nulls()
    yield from matches.group_by("match", maintain_order=True).len().iter_rows()


def name_before(context: str) -> str:
    """The name of a substance at the end of a text, before its registry number.

    >>> name_before("a solution of acetic acid"), name_before("with Brumex,"), name_before("sodium brumate salt")
    ('acetic acid', 'brumex', 'sodium brumate salt')
    """
    words = [word.strip(".,;:").lower() for word in context.split()]
    taken = 1
    # A kind of substance ("acid") needs the word before it. Before any other word, the name continues to the left as
    # long as words are chemical names, up to a kind of substance. A word that begins with a digit, 2-chloro-, is first.
    while taken < min(len(words), MOST_WORDS) and not words[-taken][:1].isdigit():
        word, left = words[-taken], words[-taken - 1]
        if word not in KINDS and (left in KINDS or not is_chemical_name(left)):
            break
        taken += 1
    return " ".join(words[-taken:]) if words else ""


def _ignoring_case(longs: Counter[str]) -> dict[str, int]:
    """Counts of long forms, those that differ only in case added up under the most frequent spelling."""
    spellings_of: dict[str, Counter[str]] = defaultdict(Counter)
    for long, documents in longs.items():
        spellings_of[long.lower()][long] += documents
    return {spellings.most_common(1)[0][0]: spellings.total() for spellings in spellings_of.values()}


def learn(
    collection: Collection, fields: Sequence[str] = FIELDS, progress: Callable[[int, int], None] | None = None
) -> list[Learned]:
    """The abbreviations of a collection; one part of its texts is in memory at a time."""
    learner, done = Learner(), 0
    for part in collection.texts(fields):
        learner.see(joined_fields(part, fields))
        done += len(part)
        if progress is not None:
            progress(done, len(collection))
    return learner.learned()


def write_learned(learned: Iterable[Learned], path: str | os.PathLike[str], about: str = "") -> None:
    """Write abbreviations as a table, which users can edit and name as a source of synonyms."""
    lines = ["\t".join(Learned._fields), *("\t".join(map(str, each)) for each in learned)]
    table = ("\n".join(lines) + "\n").encode()
    opening = f"# {about}, checksum {zlib.crc32(table):08x}\n".encode() if about else b""
    write_whole(path, opening + table)
