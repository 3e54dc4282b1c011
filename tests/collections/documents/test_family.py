"""Simple families, from priorities, from lists of members, and from tables beside a source."""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir

import polars as pl

from leadline.collections.documents.families import Families, Room

EMPTY = {
    "office": "", "serial": "", "kind": "", "family": "", "relatives": [], "priority_number": [],
    "application_number": "",
}  # fmt: skip


def family_of(
    *documents: dict[str, object], given: dict[str, list[str]] | None = None
) -> tuple[list[int], dict[str, int]]:
    rows = [{"row": row, **EMPTY, **document} for row, document in enumerate(documents)]
    texts, lists = ("key", "office", "serial", "kind", "family", "application_number"), ("relatives", "priority_number")
    schema = {"row": pl.UInt32, **dict.fromkeys(texts, pl.String), **dict.fromkeys(lists, pl.List(pl.String))}
    families = Families(len(rows), Room(Path(gettempdir())), None if given is None else pl.DataFrame(given))
    for row in rows:
        families.add(pl.DataFrame([row], schema=schema))
    codes, _ = families.found()
    table = pl.concat(list(families.numbers(codes)))
    return codes[: len(rows)].tolist(), dict(table.rows())


def test_the_same_priorities_in_any_order() -> None:
    codes, _ = family_of(
        {"key": "EP1", "priority_number": ["JP2", "JP1"]},
        {"key": "US1", "priority_number": ["JP1", "JP2"]},
        {"key": "US2", "priority_number": ["JP1"]},
        {"key": "US3"},
        {"key": "US4"},
    )
    assert codes == [0, 0, 1, 2, 3]


def test_a_first_filing_meets_those_that_claim_it() -> None:
    codes, _ = family_of(
        {"key": "US1", "application_number": "US10112483"}, {"key": "EP1", "priority_number": ["US10112483"]}
    )
    assert codes == [0, 0]


def test_publications_of_one_number_belong_together() -> None:
    assert family_of({"key": "EP1"}, {"key": "EP2"}, {"key": "EP1"})[0] == [0, 1, 0]


def test_the_source_knows_better_than_priorities() -> None:
    codes, _ = family_of(
        {"key": "EP1", "family": "7", "priority_number": ["JP1"]},
        {"key": "US1", "family": "8", "priority_number": ["JP1"]},
        {"key": "US2", "family": "8"},
    )
    assert codes == [0, 1, 1]


def test_members_outside_the_collection_are_known() -> None:
    codes, known = family_of(
        {"key": "EP1", "relatives": ["CA5A1", "EP1B1", "JP9A"]}, {"key": "US1"}, {"key": "US2", "relatives": ["JP9A"]}
    )
    assert codes == [0, 1, 0]
    assert known == {"CA5A1": 0, "EP1B1": 0, "JP9A": 0}


def test_a_table_beside_the_source() -> None:
    codes, known = family_of(
        {"key": "US1"}, {"key": "US2"}, {"key": "US3"},
        given={"family": ["F0", "F0", "F1"], "number": ["US1", "US3B2", "DE5"]},
    )  # fmt: skip
    assert codes == [0, 1, 0]
    assert known == {"DE5": 2, "US1": 0, "US3B2": 0}
