"""The kernels of indexing and their plain twins: the same arrays, and the same files to the last byte."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.errors import InputError
from leadline.retrieval.index import analysis, arrays, derived, inverting, packing, segment
from leadline.retrieval.index import analysis as occurrences
from leadline.retrieval.index import index as uniting
from leadline.retrieval.index import terms as forms
from leadline.retrieval.index.analysis import Analysis, joined
from leadline.retrieval.index.index import Index, Lists
from leadline.retrieval.index.kernel_arguments import BatchWords
from leadline.retrieval.index.terms import Terms, _find, offsets_of
from leadline.retrieval.models.searcher import Searcher
from leadline.text.engine import Job

text = st.text(st.sampled_from("abé1.,- \n水\U0001f600\U00020000\U00010400₂ÿ전지용ー"), max_size=30) | st.text(
    max_size=15
)
term = st.binary(max_size=3)


def both(job: Job[..., object], *arguments: object) -> list[object]:
    """What the plain version and the compiled one answer, arrays as lists with their type."""
    return [_flat(job.version(kernels)(*arguments)) for kernels in (False, True)]


def _flat(answer: object) -> object:
    if isinstance(answer, np.ndarray):
        return answer.dtype.str, answer.tolist()
    return [_flat(each) for each in answer] if isinstance(answer, (tuple, list)) else answer


@settings(max_examples=examples(300))
@given(st.lists(text, max_size=6), st.sampled_from(["chemical", "plain"]), st.sampled_from(["pairs", "whole"]))
def test_words_and_their_numbers(texts: list[str], words: Any, syllables: Any) -> None:
    content, offsets = joined(texts)
    plain, fast = both(analysis._spans, content, offsets, words, syllables)
    assert plain == fast
    starts, lengths, _ = analysis._spans.version(False)(content, offsets, words, syllables)
    plain, fast = both(occurrences._numbered, content, starts, lengths)
    assert plain == fast


@given(
    st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=5),
    st.lists(st.integers(-1, 3), min_size=7, max_size=7),
    st.booleans(),
)
def test_postings(texts: list[list[int]], term_of: list[int], positions: bool) -> None:
    codes = np.array([code for each in texts for code in each], np.int32)
    words = BatchWords(len(texts), offsets_of([len(each) for each in texts]), codes, np.array(term_of, np.int32), 4)
    plain, fast = both(inverting._counted, words)
    assert plain == fast
    counts, _ = inverting._counted.version(False)(words)
    plain, fast = both(inverting._filled, words, counts, offsets_of(counts.texts), positions)
    assert plain == fast


@given(st.lists(st.sets(term, max_size=6).map(sorted), min_size=1, max_size=5), st.sampled_from([1, 4, 12, 1 << 17]))
def test_merged_dictionaries(parts: list[list[bytes]], at_once: int) -> None:
    together = Terms.of([name for part in parts for name in part])
    bounds = offsets_of([len(part) for part in parts])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment, "NAMES_AT_ONCE", at_once)
        plain, fast = both(segment._merged, together, bounds)
        assert plain == fast
        new, origin = segment._merged.version(False)(together, bounds)
    assert [together[old] for old in origin.tolist()] == sorted({name for part in parts for name in part})
    assert [together[origin[number]] for number in new.tolist()] == list(together)


@given(
    st.lists(st.lists(st.integers(0, 99), max_size=4), max_size=6), st.randoms(use_true_random=False), st.integers(0, 9)
)
def test_moved_lists(lists: list[list[int]], random, add: int) -> None:
    order = list(range(len(lists)))
    random.shuffle(order)
    starts, values = offsets_of([len(each) for each in lists]), np.array([v for each in lists for v in each], np.int32)
    new = np.array(order, np.int32)
    room = 5
    results = []
    for kernels in (False, True):
        cursors, into = np.arange(len(lists)) * room, np.zeros(len(lists) * room, np.int32)
        segment._moved.version(kernels)(new, starts, values, add, cursors, into)
        results.append((cursors.tolist(), into.tolist()))
    assert results[0] == results[1]


@given(
    st.lists(st.lists(st.integers(0, 11), max_size=8), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 11), max_size=8), min_size=1, max_size=4),
)
def test_forms_of_words(first: list[list[int]], second: list[list[int]]) -> None:
    """Packed, moved and unpacked, every occurrence has the form that it was written in."""
    vocabulary = [b"a" * (n % 5 + 1) + b"bcd"[n % 3 : n % 3 + 1] for n in range(12)]
    parts = []
    for texts in (first, second):
        codes = np.array([code for each in texts for code in each], np.int32)
        terms = [word[-1:] for word in vocabulary]
        used = dict.fromkeys(codes.tolist())
        names = sorted({terms[code] for code in used})
        number = {name: place for place, name in enumerate(names)}
        term_of = np.array([number.get(terms[c], -1) for c in range(12)], np.int32)
        shown = [(vocabulary[c], terms[c]) if c in used else (b"", b"") for c in range(12)]
        keys, owners, form_of = forms.forms_of(*zip(*shown, strict=True), term_of, len(names))
        words = BatchWords(len(texts), offsets_of([len(each) for each in texts]), codes, term_of, len(names))
        totals = np.bincount(term_of[codes], minlength=len(names))
        found = forms.counted_forms(keys, owners, form_of, words, totals)
        ranks = forms.word_ranks(words, form_of, found)
        plain, fast = both(forms.packed_forms, words, ranks, found)
        assert plain == fast
        packed = forms.packed_forms.version(False)(words, ranks, found)
        dictionary = Terms.of(names)
        shared = forms.shared_beginnings(found.keys, dictionary, found.owners)
        rebuilt = forms.keys_of(dictionary, found.owners, shared, forms.form_tails(found.keys, shared))
        assert rebuilt is not None
        assert list(rebuilt) == keys
        for name, place in number.items():
            bytes_of = packed[found.begins[place] : found.begins[place + 1]]
            written = [found.word(int(found.starts[place] + form)) for form in found.unpacked(bytes_of, place)]
            assert written == [vocabulary[code] for code in codes.tolist() if terms[code] == name]
        parts.append((names, found, packed))
    names = sorted({*parts[0][0], *parts[1][0]})
    keys = sorted({key for _, found, _ in parts for key in found.keys})
    owners = np.array([names.index(key.partition(b"\0")[0]) for key in keys], np.int32)
    new = [np.array([names.index(name) for name in each], np.int32) for each, _, _ in parts]
    totals = sum(np.bincount(n, f.totals, len(names)).astype(np.int64) for n, (_, f, _) in zip(new, parts, strict=True))
    at = [np.array([keys.index(key) for key in found.keys], np.int64) for _, found, _ in parts]
    occurrences = sum(np.bincount(a, f.occurrences, len(keys)) for a, (_, f, _) in zip(at, parts, strict=True))
    counts = np.bincount(owners, minlength=len(names))
    merged = forms.Forms(Terms.of(keys), counts, np.asarray(occurrences, np.int64), totals)
    results = []
    for kernels in (False, True):
        into, cursors = np.zeros(int(merged.begins[-1]), np.uint8), merged.first_bits
        for numbers, places, (_, found, packed) in zip(new, at, parts, strict=True):
            limits = merged.first_bits + merged.limits
            moved = forms.moved_forms.version(kernels)
            moved(found, packed, numbers, merged.ranks[places], cursors, limits, into)
        results.append((into.tolist(), cursors.tolist()))
    assert results[0] == results[1]
    for place, name in enumerate(names):
        bytes_of = np.array(results[0][0], np.uint8)[merged.begins[place] : merged.begins[place + 1]]
        written = [merged.word(int(merged.starts[place] + form)) for form in merged.unpacked(bytes_of, place)]
        assert written == [vocabulary[code] for each in (*first, *second) for code in each
                           if vocabulary[code][-1:] == name]  # fmt: skip


@given(
    st.lists(st.integers(0, 2**31 - 1) | st.integers(0, 300), max_size=300),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=5),
    st.sampled_from(["plain", "based", "ascending"]),
    st.integers(0, 300),
)
def test_packed_integers(values: list[int], asked: list[tuple[int, int]], kind: str, cut: int) -> None:
    """Both engines pack to the same words, and give back every range of the values."""
    documents = 1000
    given_values = np.array(values, np.int64) % documents if kind == "ascending" else np.array(values, np.int64)
    how = {"plain": packing.PLAIN, "based": packing.BASED, "ascending": packing.ascending(documents)}[kind]
    written = []
    for engine in ("plain", "compiled"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LEADLINE_ENGINE", engine)
            writer = packing.PackedWriter(how)
            writer.append(given_values[:cut])
            writer.append(given_values[cut:])
            into = np.empty(writer.finish(), np.int32)
            writer.write(into)
            assert into.tolist() == packing.packed(given_values, how).tolist()
            written.append(into)
    assert written[0].tolist() == written[1].tolist()
    array = packed_array(written[0], how)
    assert array[:].tolist() == values_as_int32(given_values)
    pairs = [sorted((min(a, len(values)), min(b, len(values)))) for a, b in asked]
    starts, stops = (np.array([pair[n] for pair in pairs], np.int64) for n in (0, 1))
    expected = [value for a, b in pairs for value in values_as_int32(given_values[a:b])]
    plain, fast = both(packing._unpacked, array._blocks, starts, stops, len(expected))
    assert plain == fast == ("<i4", expected)


@given(st.binary(min_size=8, max_size=3000), st.integers(0, 1000), st.sampled_from([0, 1, 7, 40]))
def test_any_words_are_unpacked_or_told(content: bytes, size: int, documents: int) -> None:
    words = np.frombuffer(content[: len(content) // 4 * 4], np.int32).copy()
    words[:2] = size, 0
    widths = words[2 : 2 + -(-size // 512)].view(np.uint8)
    widths %= 34
    kind = packing.ascending(documents) if documents else packing.PLAIN
    try:
        array = packed_array(words, kind)
        found = array[:]
    except InputError:
        return
    plain, fast = both(packing._unpacked, array._blocks, np.array([0]), np.array([size]), size)
    assert plain == fast
    assert len(found) == size
    assert not size or found.min() >= 0
    assert not documents or not size or found.max() < documents


@given(st.lists(st.lists(st.integers(0, 2**31 - 2), max_size=5, unique=True).map(sorted), max_size=6))
def test_lists_as_gaps(lists: list[list[int]]) -> None:
    values = np.array([value for each in lists for value in each], np.int64)
    lengths = np.array([len(each) for each in lists], np.int64)
    starts = offsets_of(lengths)[:-1]
    array = packed_array(packing.packed(packing.gaps(values, starts[lengths > 0])))
    assert array.lists(starts, lengths).tolist() == values.tolist()
    results = []
    for kernels in (False, True):
        summed = np.full(int(lengths.sum()), 2**31 - 1, np.int32)
        packing.summed.version(kernels)(lengths, summed)
        results.append(summed.tolist())
    assert results[0] == results[1]


def values_as_int32(values: np.ndarray) -> list[int]:
    return values.astype(np.int32).tolist()


def packed_array(words: np.ndarray, kind: packing.Kind = packing.PLAIN) -> packing.PackedArray:
    """A packed array in a file."""
    with NamedTemporaryFile() as file:
        arrays.write(file.name, {"words": words})
        return packing.PackedArray(arrays.read(file.name).checked("words", np.int32), kind)


@given(st.sets(term, max_size=12).map(sorted), st.lists(term, max_size=8))
def test_found_terms(known: list[bytes], asked: list[bytes]) -> None:
    plain, fast = both(_find, Terms.of(known), asked)
    assert plain == fast == ("<i8", [known.index(each) if each in known else -1 for each in asked])


@given(st.integers(2, 4).flatmap(lambda fields: st.lists(
    st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=5), min_size=3, max_size=3),
    min_size=fields, max_size=fields)))  # fmt: skip
def test_united_lists(fields: list[list[dict[int, int]]]) -> None:
    lists = []
    for terms in fields:
        pairs = [sorted(each.items()) for each in terms]
        flat = [pair for each in pairs for pair in each]
        documents, frequencies = (np.array([pair[k] for pair in flat], np.int32) for k in (0, 1))
        lists.append(Lists(offsets_of([len(each) for each in pairs]), documents, frequencies, np.zeros(3, np.int64)))
    plain, fast = both(uniting._united, lists, 10)
    assert plain == fast


DOCUMENTS = [
    {"id": f"D{n}", "title": f"Acid film {n % 4}", "abstract": "é 水 1,2-dichloroethane acetic acid. " * (n % 3),
     "office": "EP" if n % 2 else "US", "ipc": (f"C07D{n}/04",), "publication": "1998-08-12"}
    for n in range(25)
]  # fmt: skip


def files_of(folder: Path) -> tuple[dict[str, bytes], object]:
    """The files of an index without the random part of their names, and its manifest without these names."""
    arrays = {re.sub(r"-[0-9a-f]{12}", "", path.name): path.read_bytes() for path in folder.glob("*.arrays")}
    manifest = json.loads(re.sub(r"-[0-9a-f]{12}", "", (folder / "manifest.json").read_text()))
    del manifest["checksum"]  # which is of the names as well
    return arrays, manifest


def test_both_engines_write_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = lambda source, fields, _: inverting.batches(source, fields, 400)  # noqa: E731 - several segments to be merged
    monkeypatch.setattr("leadline.retrieval.index.writing.batches", small)
    built, answers = {}, {}
    for engine in ("plain", "compiled"):
        monkeypatch.setenv("LEADLINE_ENGINE", engine)
        folder = tmp_path / engine
        fields = ["title", "abstract", "phrases", "entities", "sentences"]
        index = Index.build(DOCUMENTS[:15], folder, fields=fields, positions=True, analysis=Analysis())
        first = files_of(folder)
        index = index.add(DOCUMENTS[15:]).merge()
        index.check()
        built[engine] = first, files_of(folder)
        found = Searcher(index).search_many(["acid film", {"acet acid": 2.0}], fields={"title": 2, "phrases": 1}, k=9)
        answers[engine] = [(each.rows.tolist(), each.scores.tobytes()) for each in found]
        assert len(first[0]) == 2
    assert built["plain"] == built["compiled"]
    assert answers["plain"] == answers["compiled"]


def test_an_empty_field_and_a_field_of_stop_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = {}
    for engine in ("plain", "compiled"):
        monkeypatch.setenv("LEADLINE_ENGINE", engine)
        documents = [{"id": "1", "title": "", "body": "the of and"}, {"id": "2", "body": ""}]
        Index.build(documents, tmp_path / engine, fields=["title", "body"], positions=True)
        written[engine] = files_of(tmp_path / engine)
    assert written["plain"] == written["compiled"]


@given(st.lists(st.integers(0, 9), max_size=40), st.binary(max_size=60))
def test_counts_of_codes_and_marks_of_sentences(codes: list[int], content: bytes) -> None:
    plain, fast = both(forms._code_counts, np.array(codes, np.int32), 10)
    assert plain == fast
    marked = content.translate(bytes(b"a. \n!?;\t\0b"[byte % 10] for byte in range(256)))
    plain, fast = both(derived._marks, np.frombuffer(marked + bytes(64), np.uint8))
    assert plain == fast


@given(
    st.lists(st.lists(st.text(st.sampled_from("aZé水"), min_size=1, max_size=3), max_size=3), min_size=1, max_size=6)
)
def test_a_column_of_words_is_the_same_from_lists_and_from_a_table(values: list[list[str]]) -> None:
    table = pl.Series(values, dtype=pl.List(pl.String))
    one, other = inverting.coded(values), inverting.coded(table)
    assert list(one.terms) == list(other.terms)
    assert _flat([one.codes, one.offsets]) == _flat([other.codes, other.offsets])
