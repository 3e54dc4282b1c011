"""The abbreviations of the collection as synonyms: learned on first use, and stored in the folder of the index."""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leadline.collections.documents.collection import Collection
from leadline.errors import InputError
from leadline.retrieval.choices import COMMON
from leadline.retrieval.index.derived_names import KINDS, is_chemical_name, is_registry_number
from leadline.retrieval.index.inverting import joined_fields
from leadline.retrieval.index.manifest import KIND, VERSION
from leadline.retrieval.pipeline.synonyms.thesaurus import Thesaurus, synonym_source
from leadline.text.checksums import stored_bytes
from leadline.text.files import write_stored
from leadline.text.owned_folder import OwnedFolder

if TYPE_CHECKING:
    import polars as pl

    from leadline.retrieval.pipeline.context import SearchContext

FILE_NAME = "abbreviations.tsv"


@synonym_source("abbreviations")
def abbreviations(context: SearchContext) -> Thesaurus:
    """Short and long forms, as the texts of the collection define them: "polyvinyl alcohol (PVA)"."""
    path = context.index.folder / FILE_NAME
    about = f"learned from the collection {context.collection.manifest['hash']}"
    learned = _read_stored(path, about)
    if learned is None:
        learned = learn(context.collection)
        # A read-only index can still be searched.
        with contextlib.suppress(OSError, InputError), OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
            if FILE_NAME in owned.names or not os.path.lexists(path):
                owned.add(FILE_NAME)
                write_learned(learned, path, about)
    return Thesaurus.of([each.short, each.long] for each in learned)


def _read_stored(path: Path, about: str) -> list[Learned] | None:
    """The stored abbreviations; None where the file is missing, damaged, or from another collection."""
    try:
        opening, _, table = stored_bytes(path).partition(b"\n")
        if opening.decode() != f"# {about}, checksum {zlib.crc32(table):08x}":
            return None
        _, *lines = table.decode().splitlines()
        cells = [line.split("\t") for line in lines]
        return [Learned(short, long, int(documents), by) for short, long, documents, by in cells]
    except (OSError, ValueError):
        return None


# Learn abbreviations from the texts of a collection, in one pass, and count the documents that define each.


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
    """Write abbreviations to a folder of ours, as a table that users can copy, edit and name as synonyms."""
    lines = ["\t".join(Learned._fields), *("\t".join(map(str, each)) for each in learned)]
    table = ("\n".join(lines) + "\n").encode()
    opening = f"# {about}, checksum {zlib.crc32(table):08x}\n".encode() if about else b""
    write_stored(path, opening + table)


# Find the words before a bracket that the letters in it abbreviate.
#
# There are two rules. By letters: in "polyvinyl alcohol (PVA)" the words contain the letters in order, and every word
# except common ones begins with one of them. By use: in "brumic acid (BXT)" the letters do not help, but several
# documents have these words before the bracket, and different words before them. The first rule is based on Schwartz
# and Hearst, A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text, PSB 2003; theirs requires
# only the first word to begin with a letter, which finds more long forms, and more wrong ones.


MOST_WORDS = 8  # of a long form
_COMMON = frozenset(word.decode() for word in COMMON["en"])
_ROMAN = re.compile(r"[IVXLCDM]+[abc']?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_NOT_SHORT = frozenset(("fig", "figs", "cas", "eq", "no", "nos", "ref", "ser", "ca", "rn", "ltd", "inc", "llc", "co"))


def is_short_form(written: str) -> bool:
    """Whether the text in a bracket may be an abbreviation: mostly capitals, or single letters with strokes.

    >>> [is_short_form(text) for text in ("PVA", "TFTs", "W/O/W", "mRNA", "III", "FIG", "12", "see", "e.g.")]
    [True, True, True, True, False, False, False, False, False]
    """
    letters = [letter for letter in written if letter.isalpha()]
    if not 2 <= len(letters) <= 8 or written.lower() in _NOT_SHORT or _ROMAN.fullmatch(written):
        return False
    strokes = re.fullmatch(r"[A-Za-z](/[A-Za-z])+", written) is not None
    return strokes or 2 * sum(map(str.isupper, letters)) > len(letters)


def by_letters(short: str, before: str) -> str:
    """The words at the end of a text that a short form abbreviates by its letters; empty if there are none.

    >>> by_letters("PVA", "a solution of polyvinyl alcohol"), by_letters("W/O", "stable water-in-oil")
    ('polyvinyl alcohol', 'water-in-oil')
    >>> by_letters("TFTs", "the thin film transistors"), by_letters("EPA", "as shown by the agency")
    ('thin film transistors', '')
    """
    written = short[:-1] if short.endswith("s") and short[:-1].isupper() else short
    letters = [letter.lower() for letter in written if letter.isalnum()]
    words = list(_WORD.finditer(before))[-2 * MOST_WORDS :]
    lower = [word[0].lower() for word in words]
    taken = 0  # words of the long form
    for count in range(1, len(words) + 1):
        uncommon = [word for word in lower[-count:] if word not in _COMMON]
        if len(uncommon) > len(letters):
            break
        if lower[-count] not in _COMMON and [word[0] for word in uncommon] == letters:
            taken = count  # one word per letter is the best match
            break
        if not taken and lower[-count][0] == letters[0] and _spells(letters, lower[-count:], 0, 0):
            taken = count
    long = before[words[-taken].start() :].strip() if taken else ""
    return long if len(long) > len(short) + 1 and not _WORD.sub("", long).strip(" -/,'") else ""


def _spells(letters: Sequence[str], words: Sequence[str], letter: int, word: int) -> bool:
    """Whether letters[letter:] occur in order in words[word:], among them the first letter of each uncommon word."""
    if word == len(words):
        return letter == len(letters)
    current = words[word]
    if current in _COMMON and word and _spells(letters, words, letter, word + 1):
        return True
    place = 0 if letter < len(letters) and current[0] == letters[letter] else -1
    while place >= 0:
        letter += 1
        if _spells(letters, words, letter, word + 1):
            return True
        place = current.find(letters[letter], place + 1) if letter < len(letters) else -1
    return False


def by_use(contexts: Sequence[str], fewest: int = 3) -> str:
    """The words that end at least `fewest` of these texts, each before the same bracket; empty if there are none.

    >>> by_use(["a film of brumic acid", "with the brumic acid", "Brumic acid"])
    'brumic acid'
    >>> by_use(["a film of brumic acid", "flonic acid", "in dretic acid"]), by_use(["a film of brumic acid"])
    ('', '')
    """
    listed = [context.split() for context in contexts]
    ends = [words[-1].lower() for words in listed if words]
    if len(ends) < fewest:
        return ""
    last = max(dict.fromkeys(ends), key=ends.count)
    alike = [words for words in listed if words and words[-1].lower() == last]
    if len(alike) < max(fewest, 0.8 * len(ends)):
        return ""
    shared = min(map(len, alike))
    for count in range(1, shared + 1):
        if len({words[-count].lower() for words in alike}) > 1:
            shared = count - 1
            break
    long = alike[0][len(alike[0]) - shared :]
    if len(long) == max(map(len, alike)):
        return ""  # the same sentence copied: it does not show where the name begins
    if len(long) == 1 and sum(words[-2].lower() not in _COMMON for words in alike if len(words) > 1) > len(alike) / 2:
        return ""  # "brumic acid" here, "flonic acid" there: only the last word of several names
    while long and long[0].lower() in _COMMON:
        long.pop(0)
    return " ".join(long).strip(".,;:") if len(long) <= MOST_WORDS else ""
