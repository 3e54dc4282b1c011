"""Names and registry numbers of 74 000 substances, from the package `chemicals` (MIT), which took them from PubChem.

The package's tables are read once, without importing it. The resulting thesaurus is stored in the user's cache, from
which the next search loads it in milliseconds.

Many trade names are everyday words (Target, Access and Select are weed killers), so only some names are accepted: those
with a part that is spelled like a chemical name, the first two names of each substance, and those of its first nine
names that are single words with a chemical ending. Sellers' codes, names of fewer than 5 or more than 80 letters and
digits, and names that more than two substances share are left out.
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
from leadline.retrieval.index import derived_names
from leadline.retrieval.index.arrays import OPENING
from leadline.retrieval.index.derived_names import KINDS, is_chemical_name, is_registry_number
from leadline.retrieval.pipeline.synonyms import thesaurus as text_words
from leadline.retrieval.pipeline.synonyms.thesaurus import Thesaurus, letters_only, synonym_source
from leadline.text.files import cache_directory, read_cached, write_cached

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

_TABLES = ("pubchem small", "pubchem large")
_OTHERS = ("Inorganic db.tsv", "Anion db.tsv", "Cation db.tsv")
_NUMBER, _FIRST_NAME = 1, 7  # columns: the registry number, and the first of the names
_MOST_CHARACTERS = 1000  # of a name with its tags
_LISTS = "van|usp|inn|ban|jan|parent|natural|acs"
_TAG = re.compile(rf"\s*(\[[^\]]*\]|\((?:\dci|{_LISTS})[^)]*\))\s*$")  # the name's language, or the list it is in
_CODE = re.compile(r"[a-z]{2,12}[- ]?\d{4,}.*|agn-pc.*|.*[0-9a-f]{8}-[0-9a-f]{4}.*|[a-z]+\d*_\d+.*")
_LETTERS = re.compile(r"[a-z]{4,}")
_ENDINGS = ("ol", "in", "ine", "ide", "ate", "ene", "ane", "one", "ium", "ose", "yl", "fen", "pam", "zole", "ic")
# Everyday words among the first names of substances.
_WORDS = """
accelerate adamantine alcohol broadside classic cyclone elevate epitopic exotoxin germane guillotine mandate parkin
patrol pirate preparation release selective sublimate talbot
"""
_EVERYDAY = frozenset(_WORDS.split())
_MOST_SUBSTANCES = 2  # that may share a name
_FEWEST_LETTERS, _MOST_LETTERS = 5, 80  # and digits, of a name
_FIRST_NAMES = 9  # of a substance, among which a single word with a chemical ending is accepted


@synonym_source("chemistry")
def chemistry(context: SearchContext) -> Thesaurus:
    """The chemical names of the package, the same for every index."""
    return chemicals()


def chemicals() -> Thesaurus:
    """The accepted names and the registry number of each substance."""
    folder = _tables_folder()
    cached = cache_directory() / f"chemistry-{_digest(folder)}.arrays"
    content = read_cached(cached)
    if content is not None:
        return Thesaurus.of_bytes(content, str(cached))
    thesaurus = Thesaurus.of(_groups(folder))
    with tempfile.TemporaryDirectory() as private:
        thesaurus.write(Path(private) / cached.name)
        # A cache that cannot be written is not an error.
        write_cached(cached, (Path(private) / cached.name).read_bytes())
    return thesaurus


def _tables_folder() -> Path:
    package = importlib.util.find_spec("chemicals")
    if package is None or not package.submodule_search_locations:
        raise InputError("synonyms: chemistry", "needs the package chemicals: pip install 'leadline[chemistry]'")
    return Path(package.submodule_search_locations[0]) / "Identifiers"


def _files(folder: Path) -> list[Path]:
    files = [*(folder / f"chemical identifiers {name}.tsv" for name in _TABLES), *(folder / name for name in _OTHERS)]
    present = [path for path in files if path.exists()]
    if not present:
        expected = ", ".join(path.name for path in files)
        raise InputError(str(folder), f"has none of the tables {expected}: install another version of chemicals")
    return present


def _digest(folder: Path) -> str:
    """A digest of what the cache depends on: the tables, the rules in this code, and the file format."""
    rules = [Path(file).read_bytes() for file in (__file__, text_words.__file__, derived_names.__file__)]
    tables = [f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}".encode() for path in _files(folder)]
    return hashlib.sha256(b"\n".join([OPENING, *rules, *tables])).hexdigest()[:16]


def _groups(folder: Path) -> list[list[str]]:
    """The registry number and the names of each substance, without names that too many substances share."""
    substances: dict[str, dict[bytes, str]] = {}
    for path in _files(folder):
        for number, accepted in _read(path):
            names_by_key = substances.setdefault(number, {letters_only(number): number})
            for name in accepted:
                names_by_key.setdefault(letters_only(name), name)
    shared = Counter(key for by_key in substances.values() for key in by_key)
    return [[name for key, name in by_key.items() if shared[key] <= _MOST_SUBSTANCES] for by_key in substances.values()]


def _read(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The registry number and the accepted names of each substance in a table."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if len(cells) > _FIRST_NAME and is_registry_number(cells[_NUMBER]):
                accepted = (accepted_name(name, place) for place, name in enumerate(cells[_FIRST_NAME:]))
                yield cells[_NUMBER], [name for name in accepted if name]


@cache
def _is_chemical(part: str) -> bool:
    return part in KINDS or is_chemical_name(part)


def accepted_name(name: str, place: int) -> str:
    """A name without its tag; empty if the name, at this place among a substance's names, is not accepted.

    >>> [accepted_name(*case) for case in (("methanol [german]", 20), ("target", 10), ("acetone", 4), ("lysine", 2))]
    ['methanol', '', 'acetone', 'lysine']
    """
    if len(name) > _MOST_CHARACTERS:
        return ""
    name = _TAG.sub("", name.strip()).rstrip(" ,;-")
    lower = name.lower()
    if not _FEWEST_LETTERS <= len(letters_only(name)) <= _MOST_LETTERS or ";" in name:
        return ""
    if _CODE.fullmatch(lower) or lower in _EVERYDAY:
        return ""
    parts = _LETTERS.findall(lower)
    if parts and (place <= 1 or any(map(_is_chemical, parts))):
        return name
    is_word = name.isalpha() and len(name) > _FEWEST_LETTERS
    return name if is_word and place < _FIRST_NAMES and lower.endswith(_ENDINGS) else ""
