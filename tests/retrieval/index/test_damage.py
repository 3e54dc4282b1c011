"""Damage to any file of an index is told in one line or changes nothing; nothing that is in it ends the process."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document, Priority
from leadline.errors import InputError, LeadlineWarning
from leadline.retrieval.index import arrays
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import KIND as INDEX
from leadline.retrieval.index.manifest import MANIFEST, check_index, described_file, read_manifest
from leadline.retrieval.index.manifest import VECTOR_ARRAY as NAME
from leadline.retrieval.index.manifest import VERSION as INDEX_VERSION
from leadline.text.checksums import Finding, sealed
from leadline.text.owned_folder import OwnedFolder

PROBE = Path(__file__).with_name("damage_probe.py")
FIELDS = ["title", "abstract", "phrases", "entities", "sentences"]
WORDS = [
    "acetic",
    "acid",
    "polymer",
    "film",
    "titanium",
    "oxide",
    "valve",
    "fuel",
    "injection",
    "NaCl",
    "é",
    "metal",
    "1,2-dichloroethane",
    "of",
    "the",
]


def documents(first: int, last: int) -> list[Document]:
    rng = random.Random(first)
    return [
        Document(
            f"EP{number:07}B1", office="EP" if number % 2 else "US", serial=f"{number:07}", kind="B1",
            title=" ".join(rng.choices(WORDS, k=5)),
            abstract=". ".join(" ".join(rng.choices(WORDS, k=9)) for _ in range(3)),
            claims=(Claim(1, "A film."),), ipc=(f"C07D{number % 9}/04", "A61K31/00"), publication="1998-08-12",
            priorities=(Priority(f"EP{number // 2}", "1997-01-02"),),
        )
        for number in range(first, last)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two segments with everything an index can have, and one of families, in one folder."""
    folder = tmp_path_factory.mktemp("damage")
    index = Index.build(documents(0, 40), folder / "index", fields=FIELDS, positions=True).add(documents(40, 60))
    write_collection(documents(0, 30), folder / "collection", {"made": "by a test"})
    Index.build(Collection.open(folder / "collection"), folder / "families", fields=["abstract"], unit="family")
    for name in ("index", "families"):
        count = len(Index.open(folder / name))
        with arrays.create(folder / name / "vectors-0123456789abcdef.float16", {NAME: (np.float16, 8 * count)}) as into:
            into[NAME][:] = np.random.default_rng(1).normal(size=8 * count)
        with OwnedFolder.locked(folder / name, INDEX, INDEX_VERSION) as owned:
            owned.add("vectors-0123456789abcdef.float16")
    assert len(index.segments) == 2
    return folder


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be damaged."""
    return copy_of(built / "index", tmp_path / "index")


def copy_of(folder: Path, into: Path) -> Path:
    into.mkdir()
    for path in folder.iterdir():
        (into / path.name).write_bytes(path.read_bytes())
    return into


def probe(folder: Path, damages: list[Any], engine: str, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(PROBE), str(folder), *words], env={**os.environ, "LEADLINE_ENGINE": engine},
        input="".join(json.dumps(each) + "\n" for each in damages), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
    return done.stdout.splitlines()


@pytest.mark.soak
@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("name", ["index", "families"])
def test_every_flipped_bit_and_every_cut_is_told_or_harmless(
    built: Path, tmp_path: Path, name: str, engine: str, soak: bool
) -> None:
    flips, cuts = (200, 50) if soak else (4, 2)
    folder, rng, damages = copy_of(built / name, tmp_path / "index"), random.Random(1), []
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        for _ in range(flips):
            at = rng.randrange(len(content))
            damages.append([path.name, [at, f"{content[at] ^ 1 << rng.randrange(8):02x}"]])
        damages += [[path.name, rng.randrange(len(content))] for _ in range(cuts)]
    if not soak:  # the plain engine takes seconds for each
        damages = rng.sample(damages, 8 if engine == "plain" else min(40, len(damages)))
    found = probe(folder, damages, engine, *(["thorough"] if soak else []))
    wrong = [each for each in zip(damages, found, strict=True) if each[1] == "other"]
    assert not wrong
    told = [each for each in found if each.startswith("error")]
    assert len(told) > len(found) / 2
    fixes = ("build the index again", "make the vectors again", "update leadline", "is not the manifest of an index")
    assert [each for each in told if not any(fix in each for fix in fixes)] == []


def reseal(folder: Path) -> None:
    """Make all checksums fit what is in the files now, as somebody would who wants to be believed."""
    manifest = read_manifest(folder)
    for known in [*manifest["segments"], manifest["order"]]:
        arrays.finish_file(folder / known["file"])
        known.update(described_file(folder / known["file"]))
    (folder / MANIFEST).write_bytes(sealed(manifest))


EXTREMES = [0, 1, -1, 2, 39, 40, 41, 60, 1 << 20, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 2**40]


def hostile(folder: Path, rng: random.Random, name: str) -> None:
    """Put numbers that cannot be into an array, and make the checksums fit."""
    for known in read_manifest(folder)["segments"]:
        path = folder / known["file"]
        file = arrays.read(path)
        values = file[name]
        layout = {each: (file[each].dtype, file.size(each)) for each in file.names()}
        into = arrays.resume_file(path, layout)
        assert into is not None
        for _ in range(rng.choice([1, 1, 5, len(values)])):
            if len(values):
                limits = np.iinfo(values.dtype)
                given = rng.choice([*EXTREMES, rng.randrange(256)])
                into[name][rng.choice([0, -1, rng.randrange(len(values))])] = min(max(given, limits.min), limits.max)
    reseal(folder)


@pytest.mark.soak
def test_impossible_numbers_with_fitting_checksums_never_end_the_process(
    built: Path, tmp_path: Path, soak: bool
) -> None:
    names = arrays.read(Index.open(built / "index").segments[0].path).names()
    rng = random.Random(2)
    few = [name for name in names if name.startswith(("abstract", "columns/classes", "id"))][::3]
    chosen = names * 4 if soak else few
    for number, name in enumerate(chosen):
        hostile(copy_of(built / "index", tmp_path / str(number)), rng, name)
    copies = [str(number) for number in range(len(chosen))]
    found = probe(tmp_path, copies, "compiled", "hostile", "merge", *(["thorough"] if soak else []))
    assert len(found) == len(chosen)
    for outcome in found:
        assert not outcome.startswith("error") or "is damaged" in outcome or "positions" in outcome, outcome


def changed(folder: Path, name: str, change: Callable[[np.ndarray], None]) -> Index:
    """The index with an array changed, and all checksums made to fit."""
    segment = Index.open(folder).segments[0]
    layout = {each: (segment.file[each].dtype, segment.file.size(each)) for each in segment.file.names()}
    into = arrays.resume_file(segment.path, layout)
    assert into is not None
    change(into[name])
    reseal(folder)
    return Index.open(folder)


def test_no_bits_give_a_document_that_is_not_there(copied: Path) -> None:
    def spoil(words: np.ndarray) -> None:
        words[3:] = -1

    index = changed(copied, "abstract/documents", spoil)
    found = index.lists("abstract", list(index.segments[0].field("abstract").terms)).documents
    assert 0 <= found.min() <= found.max() < len(index)


@pytest.mark.parametrize(("word", "value", "words"), [
    (1, 1 << 20, "it has too many values"),
    (1, -1, "it has too many values"), (2, 33, "its blocks do not fit together"),
])  # fmt: skip
def test_a_packed_array_that_does_not_fit_is_told(copied: Path, word: int, value: int, words: str) -> None:
    def spoil(array: np.ndarray) -> None:
        array[word] = value

    index = changed(copied, "title/term_lengths", spoil)
    with pytest.raises(InputError, match=rf'is damaged, {words} \(terms of "title"\): build the index again'):
        index.lists("title", [b"film"])


def test_frequencies_of_more_than_31_bits_are_told(copied: Path) -> None:
    def spoil(words: np.ndarray) -> None:
        widths = words[2:3].view(np.uint8)
        widths[0] = 31

    index = changed(copied, "abstract/frequencies", spoil)
    with pytest.raises(InputError, match="its blocks do not fit together"):
        index.lists("abstract", list(index.segments[0].field("abstract").terms))


def test_damage_is_told_with_its_place(copied: Path) -> None:
    index = Index.open(copied)
    path, terms = index.segments[0].path, list(index.segments[0].field("abstract").terms)
    content = bytearray(path.read_bytes())
    at = content.index(index.segments[0].file["abstract/documents"].tobytes())
    content[at + 5] ^= 4
    path.write_bytes(content)
    with pytest.raises(InputError) as told:
        [Index.open(copied).lists("abstract", [term]) for term in terms]
    assert str(told.value) == f'{path}: is damaged at byte {at} (postings of "abstract"): build the index again'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
def test_manifests_of_any_shape_are_told_in_one_line(built: Path, tmp_path_factory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp() / "shapes"
    if not folder.exists():
        copy_of(built / "index", folder)
    manifest = json.loads((built / "index" / MANIFEST).read_text())
    key = data.draw(st.sampled_from(sorted(manifest)))
    inside = data.draw(st.booleans()) and isinstance(manifest[key], (dict, list))
    value = data.draw(json_values | st.sampled_from(["../index", "/etc/passwd", -1, "a/../b", ".", "..", ""]))
    if inside and isinstance(manifest[key], dict):
        manifest[key][data.draw(st.sampled_from(sorted(manifest[key])))] = value
    elif inside:
        manifest[key][0] = data.draw(st.sampled_from([value, {**manifest["segments"][0], "file": value}]))
    elif data.draw(st.booleans()):
        del manifest[key]
    else:
        manifest[key] = value
    (folder / MANIFEST).write_bytes(sealed(manifest))
    problem = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeadlineWarning)  # of another version of the stemmer
        try:
            Index.open(folder)
        except InputError as error:
            problem = str(error)
    assert "\n" not in problem


@pytest.mark.parametrize(("content", "words"), [
    (b"[" * 200_000, "is damaged, it is not JSON"), (b"[]", "is damaged, it is not a JSON object"),
    (b'{"what": "a leadline index", "version": 4}', "is damaged, its checksum is missing"),
    (b'{"what": "a leadline index", "version": 7}', "has format 7, this version reads up to 6: update leadline"),
    (b'{"what": "a leadline index", "version": 1}', "has format 1, which has no checksums: build the index again"),
    (b'{"what": "a leadline index", "version": 2}', "has format 2, which has no words as they are written: build"),
    (b'{"what": "a leadline index", "version": 3}', "has format 3, which has no compressed postings: build the index"),
    (b'{"what": "a leadline index", "version": "2"}', "is damaged, it has no format"), (b"\xff\xfe", "it is not JSON"),
])  # fmt: skip
def test_what_is_not_a_manifest_is_told(copied: Path, content: bytes, words: str) -> None:
    (copied / MANIFEST).write_bytes(content)
    with pytest.raises(InputError, match=words) as told:
        Index.open(copied)
    assert "\n" not in str(told.value)


def test_a_file_of_another_index_is_not_believed(copied: Path) -> None:
    one, two = (segment.path for segment in Index.open(copied).segments)
    two.write_bytes(one.read_bytes())
    with pytest.raises(InputError, match="it is not the file that the manifest names"):
        Index.open(copied)


def test_a_check_reads_everything(copied: Path) -> None:
    assert list(check_index(copied)) == []
    vectors = next(copied.glob("vectors-*"))
    first, second = (segment.path for segment in Index.open(copied).segments)
    for path in (first, vectors):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    second.unlink()
    found = list(check_index(copied))
    assert [finding.path for finding in found] == [str(first), str(second), str(vectors)]
    assert found[1] == Finding(str(second), "is missing", "build the index again")
    assert found[0].problem.startswith("is damaged at byte ")
    assert found[2].mend == "make the vectors again with `leadline index --dense`"
    (copied / MANIFEST).write_text("{}")
    assert [finding.problem for finding in check_index(copied)] == ["is not the manifest of an index"]


def test_building_again_repairs(built: Path, tmp_path: Path) -> None:
    rng = random.Random(3)
    for number, path in enumerate(sorted((built / "index").iterdir())):
        if path.name == "leadline.jsonl" or path.name.startswith("vectors"):
            continue
        folder = copy_of(built / "index", tmp_path / str(number))
        content = bytearray(path.read_bytes())
        for _ in range(20):
            content[rng.randrange(len(content))] ^= 255
        (folder / path.name).write_bytes(content)
        assert list(check_index(folder))
        index = Index.build(documents(0, 60), folder, fields=FIELDS, positions=True)
        assert list(check_index(folder)) == []
        assert index.ids == [document.id for document in documents(0, 60)]


@given(st.binary(max_size=9000), st.integers(0, 2**40), st.integers(0, 2**40))
def test_two_flipped_bits_always_change_a_checksum(content: bytes, one: int, other: int) -> None:
    content += bytes(-len(content) % 64 + 64)
    words = np.frombuffer(content, np.uint64)
    sums = [arrays._summed.version(kernels)(words).tolist() for kernels in (False, True)]
    assert sums[0] == sums[1]
    changed = words.copy()
    for bit in {one % (64 * len(words)), other % (64 * len(words))}:
        changed[bit // 64] ^= np.uint64(1 << bit % 64)
    numbers = np.arange(len(sums[0]))
    for kernels in (False, True):
        check = arrays._checked.version(kernels)
        assert isinstance(check(changed, np.array(sums[0], np.uint64), numbers, None), int)
        size = 2 * len(words) - 3  # the rest is padding
        extent = check(words, np.array(sums[0], np.uint64), numbers, words.view(np.int32)[:size])
        values = words.view(np.int32)[:size]
        assert extent == arrays.Extent(int(values.min()), int(values.max()), int(values.sum(dtype=np.int64)))


def test_the_numbers_of_checksums_are_odd_and_differ() -> None:
    keys = arrays.block_keys().tolist()
    assert len(set(keys)) == len(keys) == arrays.BLOCK // 4
    assert all(key % 2 and key < 2**32 for key in keys)
