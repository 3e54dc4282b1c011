"""The tables of chemistry beside this file, read as entries: their roles in a sentence, their names, their fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
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
_MEASURING = ("analytical method",)  # terms that say how something is measured, which no sentence is about
_MASSES = frozenset({"wool", "glass", "gum", "ink"})
_THINGS = frozenset({"battery", "supercapacitor", "film", "assembly", "cell"})  # uses that are named after things
_VESSELS = """
dispersion suspension emulsion solution mixture film fabric substrate granule concentrate paste
slurry layer coating body sheet foil
"""
_BY_FORMULA = frozenset({"oxide", "salt", "ceramic", "semiconductor", "base", "acid", "pigment", "gas", "filler"})


@dataclass(frozen=True)
class ConceptEntry:
    """A concept: what it is, how it is named, where it belongs."""

    role: int
    kind: str
    names: tuple[tuple[str, str], ...]  # each as it is introduced and as it is used afterwards, the usual one first
    fields: tuple[str, ...]
    generic: str = ""  # what a drafter calls the group of such things
    cas: str = ""
    short: str = ""
    unit: str = ""
    low: float = 0.0  # of a property
    high: float = 0.0
    trade: int = -1  # which of its names is a trade name
    part: str = ""  # the usual name of the substance that a composite consists of

    @property
    def counted(self) -> bool:
        """Whether its name takes an article: that of a thing in the singular."""
        head = re.split(r" (?:of|for|in|with|containing|coated|dyed) ", self.name)[0].split()[-1]
        if head in _MASSES or (head.endswith("s") and not head.endswith(("ss", "us"))):
            return False
        return (
            self.role in (APPARATUS, PRODUCT)
            or (self.role == USE and head in _THINGS)
            or (self.role < PRODUCT and head in _VESSELS.split())
            or self.name.startswith("copolymer of")
        )

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
def entries() -> tuple[ConceptEntry, ...]:
    """Substances, then terms, without a name that an earlier entry has."""
    known: set[str] = set()
    made: list[ConceptEntry] = []
    for entry in (*map(_substance, rows("substances.tsv")), *map(_term, rows("terms.tsv"))):
        if entry.generic in _MEASURING:
            continue
        kept = [place for place, (_, later) in enumerate(entry.names) if later.lower() not in known]
        if not kept or kept[0] != 0:
            continue
        cas = entry.cas if entry.cas and kept[-1] == len(entry.names) - 1 else ""
        kept = [*kept[: MAX_FORMS - 1], *kept[MAX_FORMS - 1 :][-1:]]  # the last may be a registry number
        known.update(entry.names[place][1].lower() for place in kept)
        trade = kept.index(entry.trade) if entry.trade in kept else -1
        made.append(replace(entry, names=tuple(entry.names[place] for place in kept), trade=trade, cas=cas))
    return tuple(made)


def _substance(row: dict[str, str]) -> ConceptEntry:
    """Its usual name, a synonym, its abbreviation or formula, another synonym; a trade name and its registry number."""
    name, kind = row["name"], row["kind"]
    others = list(dict.fromkeys([*_listed(row["synonyms"]), *filter(None, [row["systematic"]])]))
    others = [other for other in others if other != name]
    short = row["abbreviation"] or (row["formula"] if kind in _BY_FORMULA and _is_short(row["formula"]) else "")
    names = [(name, name), *((other, other) for other in others[:1])]
    if short and short not in (name, *others):
        names.append((f"{name} ({short})", short))
    names += [(other, other) for other in others[1:2]]
    trades = [trade for trade in _listed(row["trade_names"]) if trade not in (name, *others)]
    names += [(f"{trade}®", trade) for trade in trades[:1]]
    role = _ROLE_OF_KIND.get(kind, ADDITIVE)
    what = "polymer" if kind in ("polymer", "resin") else "substance"
    registered = [(f"the {what} with CAS registry number {row['cas']}", f"CAS {row['cas']}")] if row["cas"] else []
    return ConceptEntry(
        role, kind, (*names, *registered), _several(row["fields"]), row["generic"], row["cas"], short,
        trade=len(names) - 1 if trades else -1,
    )  # fmt: skip


def _is_short(formula: str) -> bool:
    """Whether chemists write a formula in place of the name: of inorganic substances they do.

    >>> _is_short("TiO2"), _is_short("C4H6O4"), _is_short("CO2")
    (True, False, True)
    """
    return 0 < len(formula) <= 12 and not ("H" in formula and re.search(r"C(?![a-z])", formula))


def _term(row: dict[str, str]) -> ConceptEntry:
    name, short = row["name"], row["abbreviation"]
    names = [(name, name), *((other, other) for other in _listed(row["synonyms"]) if other != name)]
    if len(short) > 1 and short != name:
        names.insert(2, (f"{name} ({short})", short))
    return ConceptEntry(
        ROLES.index(row["category"]),
        row["category"],
        tuple(names),
        _several(row["fields"]),
        row["generic"],
        short=short,
        unit=row["unit"],
        low=float(row["low"] or 0),
        high=float(row["high"] or 0),
    )
