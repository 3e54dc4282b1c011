"""Names and registry numbers of 74 000 substances, from the package `chemicals` (MIT), which took them from PubChem.

The package's tables are read without importing it, once: what is made of them is kept in the user's cache, so that the
next search has it in milliseconds.

Trade names are full of everyday words (Target, Access and Select are weed killers), so not every name is believed. A
part of it must be put together as chemical names are; or it is one of the two names that the table gives first, or one
of the first nine and a word that ends as such names do. Codes of sellers, names of fewer than 5 or more than 80 letters
and digits, and names that more than two substances share are left out.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.index import chemistry as names
from leadline.retrieval.index.array_table import OPENING
from leadline.retrieval.index.chemistry import KINDS, is_chemical_name, is_registry_number
from leadline.retrieval.pipeline.synonyms import text_words
from leadline.retrieval.pipeline.synonyms.synonym_sources import synonym_source
from leadline.retrieval.pipeline.synonyms.text_words import letters_only
from leadline.retrieval.pipeline.synonyms.thesaurus import Thesaurus
from leadline.text.cache import cache_directory, read_cached, write_cached

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

_TABLES = ("pubchem small", "pubchem large")
_OTHERS = ("Inorganic db.tsv", "Anion db.tsv", "Cation db.tsv")
_NUMBER, _FIRST_NAME = 1, 7  # columns: the registry number, and where names begin
_LONGEST_WRITTEN = 1000  # characters of a name with its tags
_LISTS = "van|usp|inn|ban|jan|parent|natural|acs"
_TAG = re.compile(rf"\s*(\[[^\]]*\]|\((?:\dci|{_LISTS})[^)]*\))\s*$")  # of a language, or of who lists the name
_CODE = re.compile(r"[a-z]{2,12}[- ]?\d{4,}.*|agn-pc.*|.*[0-9a-f]{8}-[0-9a-f]{4}.*|[a-z]+\d*_\d+.*")
_LETTERS = re.compile(r"[a-z]{4,}")
_ENDINGS = ("ol", "in", "ine", "ide", "ate", "ene", "ane", "one", "ium", "ose", "yl", "fen", "pam", "zole", "ic")
# Words of everyday that the tables give among a substance's first names.
_WORDS = """
accelerate adamantine alcohol broadside classic cyclone elevate epitopic exotoxin germane guillotine mandate parkin
patrol pirate preparation release selective sublimate talbot
"""
_EVERYDAY = frozenset(_WORDS.split())
_SHARED, _FEWEST, _MOST, _FIRST = 2, 5, 80, 9


@synonym_source("chemistry")
def chemistry(context: SearchContext) -> Thesaurus:
    """The chemical names of the package, the same for every index."""
    return chemicals()


def chemicals() -> Thesaurus:
    """All names of all substances that are believed, with their registry numbers."""
    folder = _folder()
    kept = cache_directory() / f"chemistry-{_digest(folder)}.arrays"
    content = read_cached(kept)
    if content is not None:
        return Thesaurus.of_bytes(content, str(kept))
    made = Thesaurus.of(_groups(folder))
    with tempfile.TemporaryDirectory() as private:
        made.write(Path(private) / kept.name)
        write_cached(kept, (Path(private) / kept.name).read_bytes())  # a cache that cannot be written is not an error
    return made


def _folder() -> Path:
    found = importlib.util.find_spec("chemicals")
    if found is None or not found.submodule_search_locations:
        raise InputError("synonyms: chemistry", "needs the package chemicals: pip install 'leadline[chemistry]'")
    return Path(found.submodule_search_locations[0]) / "Identifiers"


def _files(folder: Path) -> list[Path]:
    files = [*(folder / f"chemical identifiers {name}.tsv" for name in _TABLES), *(folder / name for name in _OTHERS)]
    present = [path for path in files if path.exists()]
    if not present:
        raise InputError(str(folder), "has none of the tables of names that this version knows of chemicals")
    return present


def _digest(folder: Path) -> str:
    """What the cache depends on: the tables, these rules, and the format of the file."""
    rules = [Path(file).read_bytes() for file in (__file__, text_words.__file__, names.__file__)]
    tables = [f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}".encode() for path in _files(folder)]
    return hashlib.sha256(b"\n".join([OPENING, *rules, *tables])).hexdigest()[:16]


def _groups(folder: Path) -> list[list[str]]:
    substances: dict[str, dict[bytes, str]] = {}
    for path in _files(folder):
        for number, listed in _read(path):
            known = substances.setdefault(number, {letters_only(number): number})
            for name in listed:
                known.setdefault(letters_only(name), name)
    shared = Counter(key for known in substances.values() for key in known)
    return [[name for key, name in known.items() if shared[key] <= _SHARED] for known in substances.values()]


def _read(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The registry number and the names of each substance in a table."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if len(cells) > _FIRST_NAME and is_registry_number(cells[_NUMBER]):
                listed = (trusted_name(name, place) for place, name in enumerate(cells[_FIRST_NAME:]))
                yield cells[_NUMBER], [name for name in listed if name]


@cache
def _is_chemical(part: str) -> bool:
    return part in KINDS or is_chemical_name(part)


def trusted_name(name: str, place: int) -> str:
    """A name without its tag; empty for one that is not believed, or that no text would have.

    >>> [trusted_name(*case) for case in (("methanol [german]", 20), ("target", 10), ("acetone", 4), ("lysine", 2))]
    ['methanol', '', 'acetone', 'lysine']
    """
    if len(name) > _LONGEST_WRITTEN:
        return ""
    name = _TAG.sub("", name.strip()).rstrip(" ,;-")
    small = name.lower()
    if not _FEWEST <= len(letters_only(name)) <= _MOST or ";" in name or _CODE.fullmatch(small) or small in _EVERYDAY:
        return ""
    parts = _LETTERS.findall(small)
    if parts and (place <= 1 or any(map(_is_chemical, parts))):
        return name
    return name if name.isalpha() and len(name) > _FEWEST and place < _FIRST and small.endswith(_ENDINGS) else ""
