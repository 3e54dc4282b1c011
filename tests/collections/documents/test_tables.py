"""Tables in pieces: whatever fits into memory at once, they are the same."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.families import NamedRows, Room
from leadline.collections.documents.tables import write_tables
from leadline.errors import InputError
from leadline.text.spread import MemoryBudget


def number(n: int, kind: str = "B1") -> str:
    return f"EP{1000000 + n:07d}{kind}"


def patents(count: int) -> list[dict[str, object]]:
    """Patents that cite each other, share priorities and relatives, are listed twice, and list who cites them."""
    rng = random.Random(5)
    documents: list[dict[str, object]] = []
    for n in range(count):
        cited = [number(rng.randrange(2 * count), rng.choice(["A1", "B1"])) for _ in range(4)]
        documents.append({
            "id": number(n if n % 17 else n // 2, "A1" if n % 3 else "B1"), "title": f"A nail {n}",
            "claims": ["A nail."], "abstract": "Of nails.",
            "publication": f"{1990 + n % 20}-01-0{1 + n % 9}" if n % 5 else "",
            "family": f"F{n // 4}" if n % 11 == 0 else "", "relatives": [f"US{7000000 + n // 3}B2"],
            "priorities": [{"number": f"JP{n // 2}", "date": "1989-05-01"}] if n % 2 else [],
            "citers": [] if n % 7 else [number(rng.randrange(2 * count)), f"US{7000000 + rng.randrange(count)}A1"],
            "citations": [{"number": each, "origin": "examiner"} for each in cited],
        })  # fmt: skip
    return documents


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("tables")
    lines = "".join(f"{json.dumps(each)}\n" for each in patents(400))
    (folder / "patents.jsonl").write_text(lines)
    build([folder / "patents.jsonl"], folder / "c", part_bytes=20_000)
    return Collection.open(folder / "c")


@pytest.mark.parametrize("range_bytes", [8_000, 40_000])
def test_tables_are_the_same_in_small_ranges(collection: Collection, range_bytes: int, tmp_path: Path) -> None:
    parts = [collection.inside / part["file"] for part in collection.manifest["parts"]]
    counts, written, twice = write_tables(parts, tmp_path, claims_needed=True, room=Room(tmp_path, range_bytes))
    assert {f"{name}.parquet": each.sha256 for name, each in written.items()} == collection.manifest["tables"]
    assert twice == collection.manifest["twice"]
    assert {name: counts[name] for name in collection.manifest["counts"]} == collection.manifest["counts"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{name}.{ending}" for name in written for ending in ("parquet", "sums")
    )


def test_what_the_tables_hold(collection: Collection) -> None:
    citations = collection.citations
    assert len(collection.manifest["parts"]) > 3
    assert collection.manifest["twice"]
    assert citations["cited"].null_count() < len(citations)
    assert citations["citing_family"].count()  # of a citing document that is not there
    assert citations.filter(pl.col("origin") == "unknown")["citing"].count()  # that only the cited one lists
    assert 1 < collection.records["family"].n_unique() < len(collection)


names = st.lists(st.text("abé", max_size=4), max_size=60)


@given(st.lists(names, max_size=5))
def test_ranges_of_names(tmp_path_factory: pytest.TempPathFactory, tables: list[list[str]]) -> None:
    rows = NamedRows(Room(tmp_path_factory.getbasetemp(), 2_000))
    for number, table in enumerate(tables):
        rows.add(pl.DataFrame({"name": table, "table": [number] * len(table)}, schema={"name": str, "table": int}))
    for _ in range(2):  # they can be read again
        found = list(rows.ranges())
        assert all(one["name"].max() < other["name"].min() for one, other in pairwise(found))
        listed = [row for frame in found for row in frame.sort("name", maintain_order=True).iter_rows()]
        assert listed == sorted((name, n) for n, table in enumerate(tables) for name in table)


def test_one_name_that_is_too_much_is_refused(tmp_path: Path) -> None:
    rows = NamedRows(Room(tmp_path, 1000, MemoryBudget(5_000)))
    rows.add(pl.DataFrame({"name": ["the same"] * 5000, "row": range(5000)}))
    with pytest.raises(InputError, match=r"--memory: 5.0 kB is too little for .* named 'the same': the smallest"):
        list(rows.ranges())
