"""The seed decides everything that is drawn: not only how words are spelt, but who files, cites and is found."""

from __future__ import annotations

from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.simulate.inventions import generator, hashed, hashed_uniform


def office(folder: Path, seed: int) -> ll.Collection:
    main(["simulate", "office", "-o", str(folder), "--patents", "100", "--topics", "5", "--length", "30", "-q",
          "--seed", str(seed)])  # fmt: skip
    return ll.Collection.open(folder / "collection")


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory) -> list[ll.Collection]:
    folder = tmp_path_factory.mktemp("seeds")
    return [office(folder / str(seed), seed) for seed in (1, 2)]


@pytest.mark.parametrize("column", ["known", "publication", "family", "claims", "ipc", "office"])
def test_records_differ_with_the_seed(offices: list[ll.Collection], column: str) -> None:
    first, other = (each.records[column].to_list() for each in offices)
    assert first != other


def test_citations_differ_with_the_seed(offices: list[ll.Collection]) -> None:
    first, other = (each.citations.select("citing", "cited", "origin").rows() for each in offices)
    assert first != other


def test_streams_depend_on_seed_and_purpose() -> None:
    paths = [(1, "texts", 0), (2, "texts", 0), (1, "texts", 1), (1, "claims", 0), (1,), (1, "texts")]
    drawn = {path: generator(*path).integers(2**62, size=4).tolist() for path in paths}
    assert len({tuple(numbers) for numbers in drawn.values()}) == len(paths)
    assert all(generator(*path).integers(2**62, size=4).tolist() == drawn[path] for path in paths)


def test_numbers_by_key_depend_on_every_key_and_its_place() -> None:
    keys = [(1, 2, 3), (3, 2, 1), (1, 2), (1, 2, 4), (2, 2, 3), (1, 3, 3)]
    assert len({int(hashed(*key)) for key in keys}) == len(keys)
    assert all(0 <= float(hashed_uniform(*key)) < 1 for key in keys)
