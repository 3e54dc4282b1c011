"""What is around a document: its family, what it cites, what cites it, and how its claims hang together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leadline.collections.documents.document import Claim, Document
from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError, nearest

if TYPE_CHECKING:
    import polars as pl

    from leadline.collections.documents.store import Collection

NEAR_IDS = 20_000  # ids that a wrong one is compared with


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A document beside another: a member of its family, one that it cites, or one that cites it."""

    number: str
    title: str = ""  # empty if it is not in the collection
    published: str = ""
    inside: bool = False  # whether it is in the collection
    origin: str = ""  # of a citation: applicant, examiner ...
    category: str = ""  # of a citation in a search report: X, Y, A ...


@dataclass(frozen=True)
class Surroundings:
    """A document with its family and its citations."""

    document: Document
    family: tuple[Neighbour, ...]  # without the document itself
    cites: tuple[Neighbour, ...]
    cited_by: tuple[Neighbour, ...]

    @property
    def literature(self) -> tuple[str, ...]:
        """What it cites that is no patent, as printed."""
        return tuple(citation.text for citation in self.document.citations if citation.text)


def surroundings(collection: Collection, name: str) -> Surroundings:
    """A document of a collection by its id, or its number in any spelling, and what is around it."""
    import polars as pl

    row = int(collection.rows([name])[0])
    if row < 0:
        raise InputError(name, f"is not in the collection {collection.folder}{_near(collection, name)}")
    records = collection.records.select("id", "title", "publication", "family").with_row_index("row")
    family = records.row(row, named=True)["family"]
    listed = collection.families.filter(pl.col("family") == family)["number"].to_list()
    members = records.filter((pl.col("family") == family) & (pl.col("row") != row))
    known = {*members["id"], records["id"][row]}
    known |= {normalise(name).id for name in known}  # an id may be spelled in another way than its number
    elsewhere = [Neighbour(number) for number in listed if number not in known]
    citations = collection.citations
    cites = citations.filter(pl.col("citing") == row).join(
        records, left_on="cited", right_on="row", how="left", maintain_order="left"
    )
    citing = citations.filter(pl.col("cited") == row).join(
        records, left_on="citing", right_on="row", how="left", maintain_order="left"
    )
    return Surroundings(
        collection.document(records["id"][row]),
        (*_neighbours(members), *elsewhere),
        _neighbours(cites, "number"),
        _neighbours(citing, "citing_number"),
    )


def _neighbours(frame: pl.DataFrame, number: str = "") -> tuple[Neighbour, ...]:
    """The rows of a table as neighbours; `number` is the column with the number of those outside the collection."""
    found: dict[str, Neighbour] = {}
    for row in frame.iter_rows(named=True):
        inside = row["id"] is not None
        name = row["id"] if inside else row[number]
        published = f"{row['publication']}" if row["publication"] else ""
        one = Neighbour(name, row["title"] or "", published, inside, row.get("origin") or "", row.get("category") or "")
        kept = found.setdefault(name, one)
        if one.category and one.category not in kept.category.split(","):  # cited twice: for several reasons
            found[name] = replace(kept, category=",".join(filter(None, (kept.category, one.category))))
    return tuple(found.values())


def _near(collection: Collection, name: str) -> str:
    """The end of a message that suggests ids like a wrong one."""
    import polars as pl

    begins = pl.col("id").str.to_uppercase().str.starts_with(name.strip()[:2].upper())
    return nearest(name, collection.records.filter(begins)["id"].head(NEAR_IDS), most=3)


def claim_tree(claims: Sequence[Claim]) -> Iterator[tuple[int, Claim]]:
    """Claims in the order of a tree, each with its depth: a claim stands below the first claim that it refers to.

    >>> claims = Claim(1, "A nail."), Claim(2, "A hammer."), Claim(3, "As 1, bent.", (1,)), Claim(4, "As 3.", (3, 2))
    >>> [(depth, claim.number) for depth, claim in claim_tree(claims)]
    [(0, 1), (1, 3), (2, 4), (0, 2)]
    """
    numbers = {claim.number for claim in claims}
    below: dict[int, list[Claim]] = {}
    for claim in claims:
        # A reference to a later claim, or to one that is missing, is an error of the text: it could make a circle.
        above = next((number for number in claim.parents if number in numbers and number < claim.number), 0)
        below.setdefault(above, []).append(claim)
    waiting = [(0, claim) for claim in reversed(below.get(0, []))]
    while waiting:
        depth, claim = waiting.pop()
        yield depth, claim
        if claim.number:
            waiting += [(depth + 1, child) for child in reversed(below.pop(claim.number, []))]
