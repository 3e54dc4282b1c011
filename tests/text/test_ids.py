"""Many identifiers in one buffer: they come out as they went in, whatever bytes they are."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
from leadline.text.fields import Ids, decode_id, encode_id, table_size

NAMES = [b"EP-1", b"", b"\xff\xfe", "é€".encode(), b"a" * 300, b"EP-1", b"\x00"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=20), max_size=20))
def test_any_bytes_come_back(names: list[bytes]) -> None:
    ids = Ids.of(names)
    assert ids.as_bytes() == [ids.at(place) for place in range(len(ids))] == names
    assert [encode_id(name) for name in ids.names()] == names
    assert [encode_id(ids[place]) for place in range(len(ids))] == names


def test_texts_and_bytes_are_the_same_ids() -> None:
    assert Ids.of(["é", "EP-1"]).as_bytes() == Ids.of(["é".encode(), b"EP-1"]).as_bytes()
    assert decode_id(encode_id("é\udcff")) == "é\udcff"
    assert encode_id("\udcff") == b"\xff"  # what a byte that is not UTF-8 becomes in Python
    assert encode_id("\ud800") == b"\xed\xa0\x80"  # half a character


def test_a_few_of_a_large_text_are_the_same() -> None:
    ids = Ids.of([b"x" * 10_000, *NAMES])
    few = ids.take([3, 1, 3])
    assert few.as_bytes() == few.compact().as_bytes() == [NAMES[2], NAMES[0], NAMES[2]]
    assert ids.take(np.arange(1, 8)).compact().as_bytes() == NAMES


def test_hashes_are_of_the_bytes_alone() -> None:
    hashes = Ids.of(NAMES).hashes()
    again = Ids.of([b"in front", *NAMES]).take(np.arange(1, 8))
    np.testing.assert_array_equal(hashes, again.hashes())
    assert hashes[0] == hashes[5]
    assert len(set(hashes.tolist())) == len(set(NAMES))
    np.testing.assert_array_equal(again.take([4, 2]).hashes(), hashes[[4, 2]])
    np.testing.assert_array_equal(again.compact().hashes(), hashes)


@pytest.mark.parametrize("entries", [0, 1, 3, 4, 5, 1000, 2**20])
def test_hash_tables_are_powers_of_two_and_mostly_empty(entries: int) -> None:
    """A table that fills up would send the kernels round it for ever."""
    size = table_size(entries)
    assert size & (size - 1) == 0
    assert size >= max(16, 4 * entries)


def test_hashes_are_not_pickled() -> None:
    # Another process has another seed: hashes of this one would match none of its identifiers.
    code = (
        "import pickle, sys; from leadline.text.fields import Ids; ids = pickle.load(sys.stdin.buffer); "
        "print((ids.hashes() == Ids.of(['EP-1', 'WO-22']).hashes()).all())"
    )
    ids = Ids.of(["EP-1", "WO-22"])
    ids.hashes()
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(ids), capture_output=True, check=True)
    assert done.stdout.strip() == b"True"


def test_a_pickled_run_is_matched_with_judgements_of_another_process() -> None:
    code = (
        "import pickle, sys, leadline; run = pickle.load(sys.stdin.buffer); "
        "print(leadline.evaluate(leadline.Qrels.of({'7': {'a': 1, 'b': 0}}), run, 'AP').means)"
    )
    run = leadline.Run.of({"7": {"a": 2.0, "b": 1.0}})
    leadline.evaluate(leadline.Qrels.of({"7": {"a": 1, "b": 0}}), run, "AP")  # from here on the hashes are known
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(run), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert b"1" in done.stdout
