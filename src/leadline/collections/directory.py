"""The directory: a tree of classes, or of clusters where there are none, with the documents under each."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import symbol
from leadline.collections.duplicates.sketches import canonical
from leadline.errors import InputError, nearest
from leadline.records.result import Result, Table, counted
from leadline.text.source import read_text

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

LEVELS = ("section", "class", "subclass", "group")
LENGTHS = (1, 3, 4, 5)  # of their codes; that of a group has at least this
UNCLASSED = "none"  # the code of the branch of documents without a class
COLUMNS = ("code", "title", "level", "documents", "under")


@dataclass
class Branch:
    """A class or cluster with its documents, those of its branches among them."""

    code: str
    title: str
    level: str  # one of LEVELS; "cluster"; "all" for the whole collection
    rows: NDArray[np.int64]
    branches: list[Branch] = field(default_factory=list)

    def walk(self, depth: int | None = None) -> Iterator[tuple[int, Branch]]:
        """This branch and those under it, each with how deep it is."""
        yield 0, self
        for branch in self.branches if depth != 0 else ():
            for below, each in branch.walk(None if depth is None else depth - 1):
                yield below + 1, each


@dataclass(frozen=True, repr=False)
class Directory(Result):
    """The tree of a collection, or one branch of it."""

    collection: Collection
    root: Branch
    notes: tuple[str, ...] = ()

    def _finding(self) -> str:
        what = (
            f"{self.root.code} {self.root.title}".strip() if self.root.level != "all" else str(self.collection.folder)
        )
        branches = len(self.root.branches)
        return f"{what}: {counted(len(self.root.rows), 'document')} in {branches:,} branch{'es' * (branches != 1)}"

    def table(self, depth: int | None = None) -> Table:
        """A row for each branch under the root, with the branch that it is under."""
        rows = []

        def add(branch: Branch, under: str, left: int | None) -> None:
            for each in branch.branches if left != 0 else ():
                rows.append([each.code, each.title, each.level, len(each.rows), under])
                add(each, each.code, None if left is None else left - 1)

        add(self.root, "" if self.root.level == "all" else self.root.code, depth)
        return Table(COLUMNS, rows)

    def _shown_table(self) -> Table:
        return self.table(2)


def directory(
    collection: Collection, *, under: str = "", titles: Mapping[str, str] | None = None, wanted: int | None = None
) -> Directory:
    """The tree of a collection's classes, or what is under one of them.

    A document is under each of its classes, so counts of branches add up to more than the documents. Those without a
    class are gathered in clusters, named by their words: as many as `wanted`, or as many as their number suggests.
    `titles` are those of classes; the sections have their own.
    """
    import polars as pl

    named = {**SECTIONS, **(titles or {})}
    symbols = collection.records.with_row_index("row").select("row", symbol=pl.concat_list("ipc", "cpc"))
    classed = symbols.explode("symbol", empty_as_null=True).drop_nulls().filter(pl.col("symbol") != "")
    known: dict[str, Branch] = {}
    root = Branch("", "all documents", "all", np.arange(len(collection)))
    for level, name in enumerate(LEVELS):
        for code, rows in _by_code(classed, level):
            above = root if level == 0 else known.get(code[: LENGTHS[level - 1]])
            if above is not None:
                known[code] = Branch(code, named.get(code, ""), name, rows)
                above.branches.append(known[code])
    for branch in [root, *known.values()]:
        branch.branches.sort(key=lambda each: (-len(each.rows), each.code) if each.level == "group" else (0, each.code))
    notes = [] if titles or not known else ["only sections have titles: --titles FILE gives those of classes"]
    if under:
        if under not in known:
            close = nearest(under, list(known)) or (f"; there are {', '.join(list(known)[:8])}" if known else "")
            raise InputError("--class", f"no document has the class {under}{close}")
        return Directory(collection, known[under], tuple(notes))
    unclassed = np.setdiff1d(root.rows, classed["row"].unique().to_numpy())
    if len(unclassed):
        gathered = [
            Branch(f"cluster {number}", name, "cluster", rows)
            for number, (name, rows) in enumerate(clusters(collection, unclassed, wanted), start=1)
        ]
        if wanted is not None and len(gathered) < wanted:
            notes.append(f"{counted(len(gathered), 'cluster')} and not {wanted}: the words tell no more apart")
        if known:
            root.branches.append(Branch(UNCLASSED, "without a class", "cluster", unclassed, gathered))
        else:
            root.branches = gathered
            notes.append("no document has a class: these are clusters, named by their words")
    elif wanted is not None:
        notes.append("every document has a class, so there is nothing to gather in clusters")
    return Directory(collection, root, tuple(notes))


def _by_code(classed: pl.DataFrame, level: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """The documents under each section, class, subclass or group, in the order of codes."""
    import polars as pl

    symbol = pl.col("symbol")
    code = symbol.str.split("/").list.first() if level == 3 else symbol.str.slice(0, LENGTHS[level])
    longer = pl.col("code").str.len_chars() >= LENGTHS[level]
    cut = classed.select("row", code=code).filter(longer).unique().sort("code", "row")
    for symbol_cut, rows in cut.group_by("code", maintain_order=True).agg("row").iter_rows():
        yield symbol_cut, np.array(rows, np.int64)


# Clusters of documents that have no classes, each named by its words.


FIELDS = ("title", "abstract", "description")
OPENING = 2000  # characters of a description, where there is no abstract: pages of the web have none
SAMPLE = 20_000  # documents from which words and centres are learnt
VOCABULARY = 20_000
COMMONEST = (0.15, 0.5)  # a word in a larger share of the documents is left out: with many clusters, with few
MOST = 24  # clusters
ROUNDS = 20
STARTS = 10  # of a number of clusters that was chosen
AT_ONCE = 4096  # documents
NAME_WORDS = 3
_WORD = re.compile(r"[^\W\d_]{3,}")


def clusters(
    collection: Collection, rows: NDArray[np.int64], chosen: int | None = None
) -> list[tuple[str, NDArray[np.int64]]]:
    """Documents by what they are about: the name and the rows of each cluster, largest first.

    Titles and abstracts are read, and the opening of the description where there is no abstract.
    Words are weighted by tf-idf, and documents are gathered around centres (spherical k-means).
    """
    sampled = rows[:: max(1, -(-len(rows) // SAMPLE))]
    counts = [Counter(words) for _, words in _words(collection, sampled)]
    common = Counter(word for each in counts for word in each)
    wanted = number_of_clusters(len(rows)) if chosen is None else min(chosen, len(rows))
    limit = max(2, len(counts) * min(max(1.2 / wanted, COMMONEST[0]), COMMONEST[1]))
    kept = [word for word, count in common.most_common() if 2 <= count <= limit][:VOCABULARY]
    if not kept:
        return [("documents", rows)]
    places = {word: place for place, word in enumerate(kept)}
    rarity = np.log(len(counts) / np.array([common[word] for word in kept]))
    vectors = _vectors(counts, places, rarity)
    # A number that was chosen is to be met: of several starts the one whose documents are nearest to their centres.
    starts = [_centres(vectors, wanted, seed) for seed in range(1, 2 if chosen is None else STARTS + 1)]
    centres = max(starts, key=lambda each: float((vectors @ each.T).max(axis=1).sum()))
    found: list[list[int]] = [[] for _ in centres]
    rest = _words(collection, rows)
    while some := list(islice(rest, AT_ONCE)):
        batch = _vectors([Counter(words) for _, words in some], places, rarity)
        for (row, _), cluster in zip(some, np.argmax(batch @ centres.T, axis=1).tolist(), strict=True):
            found[cluster].append(row)
    named = [
        (_name(centre, kept), np.array(members)) for centre, members in zip(centres, found, strict=True) if members
    ]
    return sorted(named, key=lambda cluster: -len(cluster[1]))


def number_of_clusters(documents: int) -> int:
    """How many clusters so many documents are divided into.

    >>> [number_of_clusters(n) for n in (3, 100, 1000, 10**6)]
    [1, 2, 8, 24]
    """
    return int(np.clip(round(documents**0.5 / 4), 1, MOST))


def _words(collection: Collection, rows: NDArray[np.int64]) -> Iterator[tuple[int, list[str]]]:
    for part in collection.texts(FIELDS, rows):
        for row, title, abstract, description in part.select("row", *FIELDS).iter_rows():
            body = abstract or (description or "")[:OPENING]
            yield row, _WORD.findall(canonical(f"{title or ''} {body}"))


def _vectors(counts: list[Counter[str]], places: dict[str, int], rarity: NDArray[np.float64]) -> csr_array:
    """Documents as vectors of length 1."""
    from scipy.sparse import csr_array

    entries = [
        (row, places[word], count) for row, each in enumerate(counts) for word, count in each.items() if word in places
    ]
    row, column, count = (np.array(each) for each in (zip(*entries, strict=True) if entries else ([0], [0], [0])))
    values = np.log1p(count) * rarity[column]
    lengths = np.sqrt(np.bincount(row, weights=values**2, minlength=len(counts)))
    values = np.divide(values, lengths[row], out=np.zeros(len(values)), where=lengths[row] > 0)
    return csr_array((values, (row, column)), shape=(len(counts), len(rarity)))


def _centres(vectors: csr_array, count: int, seed: int) -> NDArray[np.float64]:
    """The centres around which the vectors lie: first far from each other, then moved to the middle of their own."""
    rng = np.random.default_rng(seed)
    centres = vectors[[int(rng.integers(vectors.shape[0]))]].toarray()
    for _ in range(count - 1):  # the next is drawn from those that are far from all
        far = np.clip(1 - (vectors @ centres.T).max(axis=1), 0, None) ** 2
        if not far.sum():
            break
        centres = np.vstack([centres, vectors[[int(rng.choice(len(far), p=far / far.sum()))]].toarray()])
    for _ in range(ROUNDS):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        moved = np.stack([np.asarray(vectors[nearest == c].sum(axis=0)).ravel() for c in range(len(centres))])
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        moved = np.divide(moved, lengths, out=centres.copy(), where=lengths > 0)
        if np.allclose(moved, centres):
            break
        centres = moved
    return centres


def _name(centre: NDArray[np.float64], words: list[str]) -> str:
    """The words of most weight in a centre; of a singular and its plural the heavier."""
    best: list[str] = []
    for place in np.argsort(-centre, kind="stable")[: 4 * NAME_WORDS].tolist():
        word = words[place]
        if centre[place] > 0 and not {word.removesuffix("s"), f"{word}s"} & {*best}:
            best.append(word)
    return ", ".join(best[:NAME_WORDS]) or "other"


# The titles of classes: those of the sections, and those of a table that the user names.


SECTIONS = {
    "A": "Human necessities",
    "B": "Performing operations; transporting",
    "C": "Chemistry; metallurgy",
    "D": "Textiles; paper",
    "E": "Fixed constructions",
    "F": "Mechanical engineering; lighting; heating; weapons",
    "G": "Physics",
    "H": "Electricity",
    "Y": "New technologies; former classes",
}
_HEADERS = frozenset({"code", "symbol", "class"})  # first words of a line that names the columns
_LINE = re.compile(r'\s*"?([^"\t,;]*?)"?\s*[\t,;]\s*"?(.*?)"?\s*')


def read_class_titles(path: str | os.PathLike[str]) -> dict[str, str]:
    """The titles in a table of two columns, code and title, divided by the first tab, comma or semicolon of a line."""
    text = read_text(path)
    found: dict[str, str] = {}
    for number, line in enumerate(text.bytes().decode("utf-8", "replace").splitlines(), start=1):
        parts = _LINE.fullmatch(line)
        if not line.strip(' \t,;"') or (number == 1 and parts and parts[1].lower() in _HEADERS):
            continue
        code = symbol(parts[1]) if parts else ""
        if not parts or not code or not parts[2]:
            raise InputError(
                text.name, f"{line[:40]!r} is not a class and its title, such as C07D,Cyclics", line=number
            )
        found.setdefault(code.removesuffix("/00"), plain_title(parts[2]))
    return found


def plain_title(title: str) -> str:
    """A title as text: a heading that is all capitals gets small letters.

    >>> plain_title("ORGANIC CHEMISTRY "), plain_title("Flotation; Sedimentation")
    ('Organic chemistry', 'Flotation; Sedimentation')
    """
    tidy = " ".join(title.split())
    return tidy.capitalize() if tidy.isupper() else tidy
