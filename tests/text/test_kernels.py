"""Kernels of text and their plain twins on arbitrary fields; numbers that do not depend on the locale."""

from __future__ import annotations

import locale

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leadline.measures.join import RunHits, join_text
from leadline.records.qrels import Qrels
from leadline.records.runs import run_of_text
from leadline.text import engine, fields
from leadline.text.fields import Ids
from leadline.text.files import read_cached
from leadline.text.memory import ReusedArrays
from leadline.text.source import SourceText

names = st.lists(st.binary(max_size=30) | st.sampled_from([b"d1", b"d2", b"12345678", b"123456789"]), max_size=12)
number = st.floats(allow_nan=False).map(repr) | st.from_regex(
    r"\A[-+]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{1,3})?\Z"
)


def scattered(values: list[bytes]) -> Ids:
    """Identifiers that stand apart in their buffer."""
    whole = Ids.of([part for value in values for part in (b"-", value)])
    return whole.take(np.arange(1, len(whole), 2))


@given(names, st.integers(0, 2**64 - 1))
@example([b"x" * 8, b"x" * 16, b""], 2**64 - 1)
def test_hashes(values: list[bytes], seed: int) -> None:
    of = scattered(values)
    plain, fast = (fields._hash.version(kernels)(of, seed) for kernels in (False, True))
    assert plain.tolist() == fast.tolist()
    assert plain.dtype == fast.dtype == np.uint64


@given(names)
def test_gathered_fields(values: list[bytes]) -> None:
    of = scattered(values)
    size = int(of.lengths.sum())
    for kernels in (False, True):
        into = np.zeros(size + 64, np.uint8)
        fields._gather.version(kernels)(of, into)
        assert into[:size].tobytes() == b"".join(values)
        assert not into[size:].any()
    assert of.compact().as_bytes() == values


@given(names)
def test_codes(values: list[bytes]) -> None:
    of = scattered(values)
    plain, fast = (fields._encode.version(kernels)(of) for kernels in (False, True))
    assert plain.names == fast.names == list(dict.fromkeys(values))
    assert plain.codes.tolist() == fast.codes.tolist()


@given(st.lists(st.integers(-(10**10), 10**10).map(str) | st.text("+-0123456789x ", max_size=5), max_size=6))
def test_whole_numbers(written: list[str]) -> None:
    of = scattered([each.encode() for each in written])
    results = []
    for kernels in (False, True):
        values = np.zeros(len(of), np.int32)
        wrong = fields._whole_numbers.version(kernels)(of, values)
        results.append((wrong, values[: len(of) if wrong < 0 else wrong].tolist()))
    assert results[0] == results[1]


@given(st.lists(names, min_size=1, max_size=4))
def test_hash_tables(groups: list[list[bytes]]) -> None:
    distinct = [list(dict.fromkeys(group)) for group in groups]
    of = Ids.of([name for group in distinct for name in group])
    offsets = np.cumsum([0, *map(len, distinct)])
    sizes = [fields.table_size(len(group)) for group in distinct]
    starts = np.cumsum([0, *sizes])
    plain, fast = np.full(starts[-1], -1, np.int32), np.full(starts[-1], -1, np.int32)
    fields._index_hashes.version(False)(offsets, of.hashes(), starts, plain)
    fields._index_hashes.version(True)(offsets, of.hashes(), starts, fast)
    assert plain.tolist() == fast.tolist()
    assert sorted(place for place in plain.tolist() if place >= 0) == list(range(len(of)))


@given(st.lists(st.lists(st.sampled_from([b"1", b"d2", b"#", b"\xff", b"x y"]), max_size=6).map(b" ".join), max_size=6))
def test_fields_of_lines(lines: list[bytes]) -> None:
    text = SourceText.of(b"\n".join([*lines, b"1 2"]), "table")
    results: list[object] = []
    for kernels in (False, True):
        try:
            found = fields._scan.version(kernels)(text, 2, 4, lambda count: f"{count} fields")
            results.append((found.columns, [column.as_bytes() for column in found.ids]))
        except fields.InputError as error:
            results.append(str(error))
    assert results[0] == results[1]


def keys_of(written: list[str], *, kernels: bool) -> list[float]:
    lines = [f"1 Q0 d{place} 1 {each} t" for place, each in enumerate(written)]
    run = run_of_text(SourceText.of("\n".join(lines).encode(), "run"), "run", kernels=kernels, order="file")
    return run.keys.tolist()


_HARD = """9007199254740993 9007199254740992.5 1e400 -1e400 5e-324 2.2250738585072011e-308 2.2250738585072014e-308 0e999
    1.7976931348623157e308 1.7976931348623159e308 0.500000000000000166533453693773481063544750213623046875
    3.4028236692093846346337460743177e38 18446744073709551615 18446744073709551616 1e-330 9999999999999999999e289
    0.1000000000000000055511151231257827021181583404541015625 0.30000000000000004 123456789012345678e-5 -0e5"""
HARD = _HARD.split()


@settings(max_examples=300, deadline=None)
@given(st.lists(number, min_size=1, max_size=20))
@example(HARD)
def test_numbers_are_rounded_as_python_rounds_them(written: list[str]) -> None:
    found = np.array(keys_of(written, kernels=True)).view(np.int64)
    assert found.tolist() == np.array([float(each) for each in written]).view(np.int64).tolist()


def test_no_kernel_calls_the_c_library_for_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """strtod reads numbers as the locale writes them. No locale with a comma need be installed for this test."""
    for package in ("leadline.records.kernels", "leadline.measures.kernels"):
        library = engine.KernelLibrary(package)
        library.load()
        content = read_cached(library._object_file)
        assert content is not None
        assert b"scan" in content or b"join" in content
        assert b"strto" not in content
        assert b"atof" not in content


def test_numbers_in_a_locale_with_a_comma() -> None:
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "de_AT.UTF-8"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
            break
        except locale.Error:
            continue
    else:
        pytest.skip("no locale with a decimal comma is installed")
    try:
        assert keys_of(HARD, kernels=True) == keys_of(HARD, kernels=False) == [float(each) for each in HARD]
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


line = st.tuples(
    st.sampled_from(["1", "2", "10", "9"]),
    st.sampled_from([f"d{n}" for n in range(8)]),
    st.sampled_from([*"123", HARD[0]]),
)


@settings(max_examples=150)
@given(
    st.lists(line, min_size=1, max_size=25, unique_by=lambda each: each[:2]),
    st.booleans(),
    st.sampled_from(["score", "rank", "file"]),
)
def test_a_text_is_joined_in_one_pass_as_in_two(lines: list[tuple[str, str, str]], grouped: bool, order: str) -> None:
    if grouped:
        lines = sorted(lines, key=lambda each: each[0])
    content = "\n".join(f"{topic} Q0 {document} {key} {key} t x" for topic, document, key in lines)
    qrels = Qrels.of({"2": {"d1": 1, "d2": 0}, "1": {"d3": 2, "d1": 0, "d7": 1}, "3": {"d1": 1}})
    memory = ReusedArrays()
    for kind in (content, content + "\n1 Q0 d1 x"):  # the second is refused
        results = [outcome(kind, qrels, order, kernels, memory) for kernels in (False, True)]
        assert results[0] == results[1]


def outcome(content: str, qrels: Qrels, order: str, kernels: bool, memory: ReusedArrays) -> object:
    try:
        found: RunHits = join_text(
            SourceText.of(content.encode(), "run"),
            "run",
            qrels,
            order,
            kernels=kernels,
            memory=memory,  # type: ignore[arg-type]
        )
    except fields.InputError as error:
        return str(error)
    arrays = ("offsets", "rank", "document", "tie_first", "tie_last", "retrieved", "answered")
    return [getattr(found, name).tolist() for name in arrays], found.unjudged_topics, found.longer_lines
