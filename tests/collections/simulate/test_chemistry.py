"""The tables of chemistry: whole, consistent, and the same facts as other collections have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

TABLES = files("leadline.collections.simulate.chemistry")
FIELDS = [
    "polymers", "catalysts", "coatings", "pharmaceuticals", "batteries", "membranes",
    "food", "dyes", "agrochemicals", "semiconductors", "adhesives", "glass",
]  # fmt: skip
COLUMNS = {
    "fields": ["key", "title"],
    "substances": [
        "name", "systematic", "synonyms", "trade_names", "cas", "formula", "abbreviation", "generic", "kind", "fields",
    ],
    "terms": [
        "name", "category", "synonyms", "abbreviation", "generic", "verb", "unit", "low", "high", "fields",
    ],
    "classes": ["group", "title", "field", "cpc"],
    "words": ["field", "category", "word"],
    "title_words": ["english", "german", "french", "japanese"],
}  # fmt: skip


@cache
def rows(table: str) -> list[dict[str, str]]:
    header, *lines = (TABLES / f"{table}.tsv").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    names = header.split("\t")
    assert names == COLUMNS[table]
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def items(cell: str) -> list[str]:
    return cell.split("|") if cell else []


def names_of(row: dict[str, str], *single: str) -> Iterator[str]:
    """All names of a substance or term."""
    yield from (row[column] for column in ("name", *single, "abbreviation") if row[column])
    yield from items(row["synonyms"]) + items(row.get("trade_names", ""))


@pytest.mark.parametrize("table", COLUMNS)
def test_tables_are_clean(table: str) -> None:
    lines = (TABLES / f"{table}.tsv").read_text(encoding="utf-8").splitlines()
    assert [line for line, count in Counter(lines).items() if count > 1] == []
    for row in rows(table):
        for cell in row.values():
            assert cell == " ".join(cell.split()), row
            assert len(set(items(cell))) == len(items(cell)), row
            assert "" not in cell.split("|") or not cell, row


def test_fields_are_known() -> None:
    assert [row["key"] for row in rows("fields")] == FIELDS
    for table in ("substances", "terms"):
        assert all(row["fields"] and set(items(row["fields"])) <= set(FIELDS) for row in rows(table))
    assert {row["field"] for row in rows("classes")} == set(FIELDS)
    assert {row["field"] for row in rows("words")} == {"all", *FIELDS}


def test_there_are_enough_substances() -> None:
    count = Counter(field for row in rows("substances") for field in items(row["fields"]))
    assert len(rows("substances")) >= 1000
    assert min(count[field] for field in FIELDS) >= 100
    assert all(row["generic"] and re.fullmatch("[a-z]+", row["kind"]) for row in rows("substances"))


@pytest.mark.parametrize(("table", "single"), [("substances", ["systematic"]), ("terms", [])])
def test_no_name_belongs_to_two(table: str, single: list[str]) -> None:
    count = Counter(name.lower() for row in rows(table) for name in names_of(row, *single))
    assert [name for name, number in count.items() if number > 1] == []


def test_registry_numbers_have_their_check_digits() -> None:
    numbers = [row["cas"] for row in rows("substances") if row["cas"]]
    assert len(set(numbers)) == len(numbers) >= 800
    for number in numbers:
        assert re.fullmatch(r"[1-9]\d{1,6}-\d\d-\d", number), number
        *digits, check = (int(digit) for digit in number.replace("-", ""))
        assert sum(place * digit for place, digit in enumerate(reversed(digits), 1)) % 10 == check, number


ATOM = re.compile(r"([A-Z][a-z]?)(\d+(?:\.\d+)?)?|([(\[])|([)\]])(\d+)?")


def atoms(formula: str) -> dict[str, Fraction] | None:
    """The atoms of a formula; None for polymers. Water of crystallisation follows a point.

    >>> {atom: int(count) for atom, count in atoms("CaSO4·2H2O").items()}
    {'Ca': 1, 'S': 1, 'O': 6, 'H': 4}
    """
    if ")n" in formula:
        return None
    total: dict[str, Fraction] = {}
    for part in re.sub(r"[+-]\d*$", "", formula).split("·"):
        factor = re.match(r"\d*", part)
        assert factor
        inside: list[list[tuple[str, Fraction]]] = [[]]
        place = factor.end()
        while place < len(part):
            token = ATOM.match(part, place)
            assert token, formula
            place = token.end()
            if token[1]:
                inside[-1].append((token[1], Fraction(token[2] or 1)))
            elif token[3]:
                inside.append([])
            else:
                group = inside.pop()
                inside[-1] += [(atom, count * int(token[5] or 1)) for atom, count in group]
        for atom, count in inside[0]:
            total[atom] = total.get(atom, Fraction(0)) + count * int(factor[0] or 1)
    return total


def test_formulas_are_well_formed() -> None:
    for row in rows("substances"):
        if row["formula"]:
            atoms(row["formula"])


# Where the package errs or names another form: a hydrate, an ion, a mixture, one of two stereoisomers.
DIFFER = {
    "9,10-dihydro-9-oxa-10-phosphaphenanthrene 10-oxide", "abamectin", "agar", "aluminium oxide",
    "ammonium heptamolybdate", "bentonite", "bismuth vanadate", "carboplatin", "castor oil",
    "cellulose acetate phthalate", "cellulose nitrate", "cholecalciferol", "deltamethrin", "glucono-delta-lactone",
    "hydroxypropyl cellulose", "iron oxide yellow", "lead monoxide", "lithium oxide", "magnetite", "malachite green",
    "maltodextrin", "maltose", "manganese sulfate", "monosodium glutamate", "naphthol blue black", "paraquat",
    "phosphorus pentoxide", "polytetrahydrofuran", "rhodamine 6G", "sulfur black", "talc", "thiamine hydrochloride",
    "white spirit", "zeolite",
}  # fmt: skip


def differences(row: dict[str, str], database: Any) -> list[str]:
    """What the package `chemicals` says differently about a substance whose number it knows."""
    theirs = database.search_CAS(int(row["cas"].replace("-", "")))
    if not theirs:
        return []
    known = {name.lower() for name in (theirs.common_name, theirs.iupac_name, *theirs.synonyms)}
    ours = [row["name"], *items(row["systematic"]), *items(row["synonyms"])]
    found = []
    formula = atoms(row["formula"]) if row["formula"] else None
    same = formula == atoms(theirs.formula)
    if formula and not same:
        found.append(f"formula {theirs.formula}")
    if not same and not known & {name.lower() for name in (*ours, *items(row["trade_names"]))}:
        found.append(f"names {theirs.common_name}")
    for name in ours:
        other = database.search_name(name.lower())
        if other and other.CASs != row["cas"]:
            found.append(f"{name} is {other.CASs}")
    return found


def test_substances_are_those_of_another_collection() -> None:
    # Before 1.5 it has other numbers for silica, silane and isobutylene.
    database = pytest.importorskip("chemicals", minversion="1.5").identifiers.pubchem_db
    substances = [row for row in rows("substances") if row["cas"]]
    known = [row for row in substances if database.search_CAS(int(row["cas"].replace("-", "")))]
    assert len(known) >= 600
    differ = {row["name"]: found for row in known if (found := differences(row, database))}
    assert {name: found for name, found in differ.items() if name not in DIFFER} == {}
    assert differ.keys() >= DIFFER


CATEGORIES = ["process", "apparatus", "product", "use", "property", "effect"]


def test_terms_have_what_their_category_needs() -> None:
    assert len(rows("terms")) >= 500
    count = Counter(row["category"] for row in rows("terms"))
    assert set(count) == set(CATEGORIES)
    assert min(count.values()) >= 50
    by_field = Counter((field, row["category"]) for row in rows("terms") for field in items(row["fields"]))
    assert min(by_field[field, category] for field in FIELDS for category in CATEGORIES) >= 5
    for row in rows("terms"):
        assert row["generic"], row
        assert bool(row["verb"]) == (row["category"] == "process"), row
        assert bool(row["low"]) == bool(row["high"]) == (row["category"] == "property"), row
        if row["low"]:
            assert float(row["low"]) < float(row["high"]), row
        else:
            assert not row["unit"], row


def test_classes_are_well_formed() -> None:
    groups = [row["group"] for row in rows("classes")]
    assert len(groups) == len(set(groups)) >= 160
    assert len({row["title"] for row in rows("classes")}) == len(groups)
    for row in rows("classes"):
        assert re.fullmatch(r"[A-H]\d\d[A-Z] [1-9]\d{0,3}/\d{2,6}", row["group"]), row
        assert row["title"], row
        assert len(items(row["cpc"])) <= 3
        assert all(re.fullmatch(r"[A-HY]\d\d[A-Z][1-9]\d{0,3}/\d{2,6}", symbol) for symbol in items(row["cpc"])), row
    subclasses = Counter(group[:4] for group in groups)
    assert len(subclasses) >= 45
    assert min(subclasses.values()) >= 3
    by_field = Counter(row["field"] for row in rows("classes"))
    assert min(by_field[field] for field in FIELDS) >= 8


# Subclasses that are younger than the list or left out of it.
NOT_LISTED = {"A01P", "A61Q", "H05K", "H10K"}


def test_subclasses_are_those_of_the_classification(shared: Path) -> None:
    path = shared / "patents" / "ipc" / "ipc_codes.csv"
    if not path.is_file():
        pytest.skip(f"needs {path}")
    listed = {line.partition(",")[0] for line in path.read_text(encoding="latin-1").splitlines()}
    assert {row["group"][:4] for row in rows("classes")} - listed == NOT_LISTED


IRREGULAR = re.compile(
    "(bind|blow|break|bring|cast|choose|cut|draw|drive|fall|feed|find|freeze|give|grind|grow|hold|keep|lead|lose|make"
    "|put|rise|set|shrink|sow|spin|split|spread|stick|swell|take|wind)"
)


def test_there_are_enough_words() -> None:
    count = Counter((row["field"], row["category"]) for row in rows("words"))
    assert {category for _, category in count} == {"noun", "adjective", "verb"}
    for field in ("all", *FIELDS):
        least = (300, 150, 120) if field == "all" else (120, 50, 30)
        for category, number in zip(("noun", "adjective", "verb"), least, strict=True):
            assert count[field, category] >= number, (field, category)
    general = {(row["category"], row["word"]) for row in rows("words") if row["field"] == "all"}
    assert not [row for row in rows("words") if row["field"] != "all" and (row["category"], row["word"]) in general]
    assert not [row for row in rows("words") if row["category"] == "verb" and IRREGULAR.fullmatch(row["word"])]


def test_words_name_no_substance() -> None:
    substances = {name for row in rows("substances") for name in (row["name"], *items(row["synonyms"]))}
    assert not {row["word"] for row in rows("words")} & substances


def test_words_of_titles_are_translated() -> None:
    english = [row["english"] for row in rows("title_words")]
    assert len(english) == len(set(english)) >= 300
    assert all(all(row.values()) for row in rows("title_words"))
    assert all(not row["japanese"].isascii() for row in rows("title_words"))
    titled = ("process", "apparatus", "product", "use")
    terms = [row["name"] for row in rows("terms") if row["category"] in titled]
    assert set(terms) <= set(english)
