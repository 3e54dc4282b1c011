"""Ids and numbers in columns of data frames, and the kinds of files by name."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import polars
import pytest
import zstandard

import leadline as ll
from leadline.text.sheet import strings


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([1.0, 1.5, 1.7], "row 2: topic 1.5 is not a whole number, expected names"),
        ([1.0, 1e300], r"row 2: topic 1e\+300 is not a whole number, expected names"),
        ([1.0, float("nan")], "topic holds a number that is not finite"),
    ],
)
def test_float_ids_must_be_whole(values: list[float], problem: str) -> None:
    with pytest.raises(ll.InputError, match=f"^a.parquet: {problem}"):
        strings(polars.DataFrame({"topic": values}), "topic", "a.parquet")


def test_whole_float_ids_have_no_decimal_point() -> None:
    assert strings(polars.DataFrame({"topic": [1.0, -2.0, 2.0**53]}), "topic", "run") == ["1", "-2", "9007199254740992"]


def test_a_file_with_float_ids_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    polars.DataFrame({"topic": [1.5, 1.7], "document": ["a", "b"], "score": [2.0, 1.0]}).write_parquet(path)
    with pytest.raises(ll.InputError, match=r"a\.parquet: row 1: topic 1\.5 is not a whole number"):
        ll.read_run(path)


@pytest.mark.parametrize(
    ("ending", "compress"),
    [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress), (".zst", zstandard.compress)],
)
def test_one_line_of_compressed_json(ending: str, compress: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"x.jsonl{ending}"
    path.write_bytes(compress(b'{"topic": "1", "document": "d", "score": 1}\n'))
    assert ll.read_run(path).ranking("1") == [("d", 1.0)]
