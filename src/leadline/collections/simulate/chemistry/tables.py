"""The tables of real chemistry beside this file, read as entries: their roles in a sentence, their names, their fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from leadline.collections.simulate.inventions import MAX_FORMS

# What a concept is in a sentence. Those up to GAS are components of a composition.
ROLES = (
    "solvent", "polymer", "solid", "active", "catalyst", "reagent", "additive", "gas",
    "material", "product", "process", "apparatus", "use", "property", "effect",
)  # fmt: skip
SOLVENT, POLYMER, SOLID, ACTIVE, CATALYST, REAGENT, ADDITIVE, GAS = range(8)
MATERIAL, PRODUCT, PROCESS, APPARATUS, USE, PROPERTY, EFFECT = range(8, 15)
_KINDS = {
    "solvent": "solvent",
    "polymer": "polymer resin adhesive polysaccharide protein fat wax rubber gum elastomer",
    "solid": "oxide filler ceramic pigment semiconductor metal glass mineral phosphor",
    "active": "drug active pharmaceutical pesticide herbicide fungicide insecticide dye vitamin flavour sweetener "
    "fertiliser biocide colorant acaricide nematicide rodenticide",
    "catalyst": "catalyst initiator enzyme",
    "reagent": "monomer acid base oxidant reductant crosslinker reagent precursor intermediate",
    "gas": "gas",
}
_ROLE_OF_KIND = {kind: ROLES.index(role) for role, kinds in _KINDS.items() for kind in kinds.split()}
_BY_FORMULA = frozenset({"oxide", "salt", "ceramic", "semiconductor", "base", "acid", "pigment", "gas", "filler"})


@dataclass(frozen=True)
class Entry:
    """A concept: what it is, how it is named, where it belongs."""

    role: int
    kind: str
    names: tuple[tuple[str, str], ...]  # each as it is introduced and as it is used afterwards, the usual one first
    fields: tuple[str, ...]
    generic: str = ""  # what a drafter calls the group of such things
    cas: str = ""
    short: str = ""
    doing: str = ""  # of a process: dispersing
    unit: str = ""
    low: float = 0.0  # of a property
    high: float = 0.0
    part: str = ""  # the usual name of the substance that a composite consists of

    @property
    def name(self) -> str:
        return self.names[0][1]


@dataclass(frozen=True)
class Symbol:
    """A group of the classification: C08L67/02, its field, and groups of the cooperative one beside it."""

    symbol: str
    field: str
    cpc: tuple[str, ...]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table by column; short rows have empty cells at their end."""
    text = (files(__package__) / name).read_text(encoding="utf-8")
    first, *lines = text.splitlines()
    columns = first.split("\t")
    cells = [line.split("\t") for line in lines if line.strip()]
    return [dict(zip(columns, [*row, *[""] * (len(columns) - len(row))], strict=False)) for row in cells]


def _several(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.replace("|", ",").split(",") if part.strip())


def _listed(cell: str) -> list[str]:
    return [part.strip() for part in cell.split("|") if part.strip()]


@cache
def fields() -> tuple[str, ...]:
    return tuple(row["key"] for row in rows("fields.tsv"))


@cache
def symbols() -> tuple[Symbol, ...]:
    """All groups of the classification."""
    return tuple(
        Symbol(row["group"].replace(" ", ""), row["field"], tuple(_listed(row["cpc"].replace(" ", ""))))
        for row in rows("classes.tsv")
    )


@cache
def words(category: str) -> dict[str, list[str]]:
    """The words of a category by field, in the order of frequency; those of every field under "all"."""
    found: dict[str, list[str]] = {}
    for row in rows("words.tsv"):
        if row["category"] == category:
            found.setdefault(row["field"], []).append(row["word"])
    return found


@cache
def entries() -> tuple[Entry, ...]:
    """Substances, then terms, without a name that an earlier entry has."""
    known: set[str] = set()
    made = []
    for entry in (*map(_substance, rows("substances.tsv")), *map(_term, rows("terms.tsv"))):
        names = tuple((first, later) for first, later in entry.names if later.lower() not in known)
        if not names or names[0] != entry.names[0]:
            continue
        known.update(later.lower() for _, later in names)
        made.append(Entry(**{**vars(entry), "names": names[:MAX_FORMS]}))
    return tuple(made)


def _substance(row: dict[str, str]) -> Entry:
    """Its usual name, a synonym, its abbreviation or formula, another synonym, a trade name, its registry number."""
    name, kind = row["name"], row["kind"]
    others = list(dict.fromkeys([*_listed(row["synonyms"]), *filter(None, [row["systematic"]])]))
    others = [other for other in others if other != name]
    short = row["abbreviation"] or (row["formula"] if kind in _BY_FORMULA and len(row["formula"]) <= 12 else "")
    names = [(name, name), *((other, other) for other in others[:1])]
    if short and short not in (name, *others):
        names.append((f"{name} ({short})", short))
    names += [(other, other) for other in others[1:2]]
    names += [(f"{trade}®", trade) for trade in _listed(row["trade_names"])[:1] if trade not in (name, *others)]
    role = _ROLE_OF_KIND.get(kind, ADDITIVE)
    if row["cas"]:
        what = "polymer" if kind in ("polymer", "resin") else "substance"
        names.append((f"the {what} with CAS registry number {row['cas']}", f"CAS {row['cas']}"))
    return Entry(role, kind, tuple(names), _several(row["fields"]), row["generic"], row["cas"], short)


def _term(row: dict[str, str]) -> Entry:
    name, short = row["name"], row["abbreviation"]
    names = [(name, name), *((other, other) for other in _listed(row["synonyms"]) if other != name)]
    if short and short != name:
        names.insert(2, (f"{name} ({short})", short))
    return Entry(
        ROLES.index(row["category"]),
        row["category"],
        tuple(names),
        _several(row["fields"]),
        row["generic"],
        short=short,
        doing=row["verb"],
        unit=row["unit"],
        low=float(row["low"] or 0),
        high=float(row["high"] or 0),
    )
