"""An index on disk: what was put in is found, changes are whole or not at all, and damage is told in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from leadline.collections.documents.document import Claim, Document, Priority
from leadline.errors import InputError, LeadlineWarning
from leadline.retrieval.index import arrays, inverting
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.index.terms import Terms
from leadline.retrieval.language.matching import NearBy, Phrase, Positional, QueryWord
from leadline.retrieval.language.query_terms import QueryTerm, WiderIndex
from leadline.retrieval.models.searcher import Searcher
from leadline.text.checksums import sealed

PLAIN = Analysis(stemming="none", stop_words="none")
TEXTS = ["acid film", "film of acid and acid", "", "metal", "acid metal film film"]
DOCUMENTS = [{"id": f"D{number}", "body": text} for number, text in enumerate(TEXTS)]


def state(index: Index) -> dict[str, list[tuple[int, int]]]:
    """Every term with its documents and frequencies."""
    terms = sorted({term for segment in index.segments for term in segment.field("body").terms})
    lists = index.lists("body", terms)
    found = zip(lists.documents.tolist(), lists.frequencies.tolist(), strict=True)
    postings = list(found)
    return {
        term.decode(): postings[start:stop]
        for term, start, stop in zip(terms, lists.offsets, lists.offsets[1:], strict=False)
    }


def counted(index: Index, part: Positional) -> tuple[list[int], list[int]]:
    """The documents with a phrase or with words near each other, and how often each has it."""
    wider = WiderIndex(index)
    wider.add_term("part", QueryTerm(part, ("body",)))
    lists = wider.lists("body", [b"part"])
    return lists.documents.tolist(), lists.frequencies.tolist()


def near(within: int, *words: bytes) -> NearBy:
    return NearBy(tuple(Phrase((QueryWord(word),)) for word in words), (within,))


def test_postings_are_those_of_the_texts(tmp_path: Path) -> None:
    index = Index.build(DOCUMENTS, tmp_path, fields=["body"], analysis=PLAIN)
    expected: dict[str, list[tuple[int, int]]] = {}
    for row, text in enumerate(TEXTS):
        for word in dict.fromkeys(text.split()):
            expected.setdefault(word, []).append((row, text.split().count(word)))
    assert state(index) == expected
    assert index.lengths("body").tolist() == [2, 5, 0, 1, 4]
    assert index.ids == ["D0", "D1", "D2", "D3", "D4"]
    assert index.lists("body", [b"absent", b"acid"]).occurrences.tolist() == [0, 4]
    assert index.expand("body", "a") == ["acid", "and"]
    index.check()


@pytest.mark.parametrize("positions", [False, True])
def test_batches_additions_and_merges_make_the_same_index(positions, tmp_path: Path, monkeypatch) -> None:
    whole = Index.build(DOCUMENTS, tmp_path / "whole", fields=["body"], analysis=PLAIN, positions=positions)
    monkeypatch.setattr("leadline.retrieval.index.writing.AT_ONCE", 2)
    small = lambda source, fields, _: inverting.batches(source, fields, 1)  # noqa: E731
    monkeypatch.setattr("leadline.retrieval.index.writing.batches", small)
    pieces = Index.build(iter(DOCUMENTS), tmp_path / "pieces", fields=["body"], analysis=PLAIN, positions=positions)
    grown = Index.build(DOCUMENTS[:2], tmp_path / "grown", fields=["body"], analysis=PLAIN, positions=positions)
    grown = grown.add(DOCUMENTS[2:4]).add(DOCUMENTS[4:])
    assert len(grown.segments) == 3
    for index in (pieces, grown, grown.merge()):
        assert state(index) == state(whole)
        assert index.ids == whole.ids
        assert index.ranks.tolist() == whole.ranks.tolist()
        if positions:
            assert counted(index, near(2, b"acid", b"film")) == ([0, 1, 4], [1, 1, 1])
    assert len(Index.open(tmp_path / "grown").segments) == 1
    assert (
        len(list((tmp_path / "grown").iterdir())) == 4
    )  # identity, manifest, order, and one segment: nothing is left over


def test_near_counts_both_directions(tmp_path: Path) -> None:
    texts = ["a b", "b a", "a x b", "b x a b"]
    documents = [{"id": str(number), "body": text} for number, text in enumerate(texts)]
    index = Index.build(documents, tmp_path, fields=["body"], analysis=PLAIN, positions=True)
    assert counted(index, Phrase((QueryWord(b"a"), QueryWord(b"b"))))[0] == [0, 3]
    assert counted(index, Phrase((QueryWord(b"a"), None, QueryWord(b"b"))))[0] == [2]
    assert counted(index, near(1, b"a", b"b"))[0] == [0, 1, 3]
    assert counted(index, near(2, b"a", b"b")) == ([0, 1, 2, 3], [1, 1, 1, 2])
    assert counted(index, near(1, b"a", b"absent"))[0] == []


def test_documents_bring_their_columns(tmp_path: Path) -> None:
    documents = [
        Document("EP1", office="EP", title="A film", claims=(Claim(1, "A film."), Claim(2, "An acid.", (1,))),
                 ipc=("C07D401/04",), cpc=("A61K31/00",), publication="1998-08",
                 priorities=(Priority("X", "1997-01-02"),)),
        Document("US2", office="US", title="Metal", ipc=("C07D40/10",), application="1970-01-02"),
        Document("JP3", office="JP"),
    ]  # fmt: skip
    index = Index.build(documents[:2], tmp_path).add(documents[2:])
    assert index.lists("claims", [b"acid"]).documents.tolist() == [0]
    assert index.column("publication").tolist() == [10439, MISSING, MISSING]
    assert index.column("known").tolist() == [9863, 1, MISSING]
    assert index.having("office", ["us", "jp"]).tolist() == [False, True, True]
    assert index.having("classes", ["C07D"]).tolist() == [True, True, False]
    assert index.having("classes", ["C07D40", "A61K 31/00"]).tolist() == [True, True, False]
    assert index.having("classes", ["C07D40"]).tolist() == [False, True, False]
    assert index.having("classes", ["C07D4"]).tolist() == [False, False, False]
    for merged in (index, index.merge()):
        mask = merged.having("office", ["EP"])
        assert Searcher(merged).search("film metal", mask=mask).rows.tolist() == [0]


def test_a_collection_is_indexed_row_by_row(tmp_path: Path) -> None:
    from leadline.collections.documents.build import write_collection
    from leadline.collections.documents.collection import Collection

    documents = [
        Document(f"EP000000{number}B1", office="EP", serial=f"000000{number}", kind="B1", title=title, abstract="acid",
                 claims=(Claim(1, "A film."),), description="metal", ipc=("C07D401/04",), publication="1998-08-12")
        for number, title in enumerate(("One film", "Two films", "Three"), start=1)
    ]  # fmt: skip
    write_collection(documents, tmp_path / "collection", {"made": "by a test"}, part=2)
    collection = Collection.open(tmp_path / "collection")
    index = Index.build(collection, tmp_path / "index")
    assert index.ids == collection.records["id"].to_list()
    assert index.lists("title", [b"film"]).documents.tolist() == [0, 1]
    assert index.lists("claims", [b"film"]).documents.tolist() == [0, 1, 2]
    assert index.column("family").tolist() == collection.records["family"].to_list()
    assert index.column("publication").tolist() == [10450] * 3
    assert index.having("classes", ["C07"]).all()


def test_damage_and_other_versions_are_told_in_one_line(tmp_path: Path) -> None:
    index = Index.build(DOCUMENTS, tmp_path, fields=["body"], analysis=PLAIN)
    segment = index.segments[0].path
    content = segment.read_bytes()
    manifest = json.loads((tmp_path / "manifest.json").read_text())

    def write_manifest(change: dict[str, object]) -> None:
        (tmp_path / "manifest.json").write_bytes(sealed(manifest | change))

    for change, words in [
        (lambda: segment.write_bytes(content[:-100]), "is damaged, it has .* bytes, not .*: build the index again"),
        (lambda: segment.write_bytes(content[:20]), "is damaged, its table cannot be read: build the index again"),
        (lambda: segment.write_bytes(b""), "is damaged, it is empty: build the index again"),
        (lambda: segment.write_bytes(content.replace(b"arrays 2", b"arrays 1")), "has format 1, .*: build the index"),
        (lambda: segment.write_bytes(content.replace(b"arrays 2", b"arrays 3")), "has format 3, .* up to 2: update"),
        (lambda: segment.write_bytes(b"something else"), "is not a file of an index"),
        (segment.unlink, "is missing: build the index again"),
        (lambda: write_manifest({"version": 99}), "has format 99, this version reads up to 6: update leadline"),
        (lambda: write_manifest({"version": 1}), "has format 1, which has no checksums: build the index again"),
        (lambda: (tmp_path / "manifest.json").write_text("{"), "is damaged, it is not JSON: build the index again"),
        (lambda: (tmp_path / "manifest.json").write_text("{}"), "is not the manifest of an index"),
        ((tmp_path / "manifest.json").unlink, "is not an index"),
    ]:
        change()
        with pytest.raises(InputError, match=words) as told:
            Index.open(tmp_path)
        assert "\n" not in str(told.value)
    segment.write_bytes(content[:-200] + bytes(200))
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 1
    segment.write_bytes(damaged)
    with pytest.raises(InputError, match="is damaged"):
        Index.open(tmp_path).check()


def test_what_cannot_be_indexed_leaves_the_old_index(tmp_path: Path) -> None:
    index = Index.build(DOCUMENTS, tmp_path, fields=["body"], analysis=PLAIN)
    for source, words in [
        ([{"id": "D1", "body": "again"}], "D1: is in the index already"),
        ([{"body": "nameless"}], "document 1: has no id"),
        (["text"], "document 1: has no id"),
        ([], "there are no documents to index"),
    ]:
        with pytest.raises(InputError, match=words):
            index.add(source)
    with pytest.raises(InputError, match="field: 'titel' is not one of body"):
        index.lengths("titel")
    assert state(Index.open(tmp_path)) == state(index)
    assert len(list(tmp_path.iterdir())) == 4


def test_sorted_terms_are_found_in_both_engines() -> None:
    names = sorted({f"{number:b}".encode() for number in range(200)} | {b"\xc3\xa9", b"z\xff"})
    terms = Terms.of(names)
    asked = [*names, b"", b"2", b"zz", b"\xff"]
    plain = [names.index(name) if name in names else -1 for name in asked]
    from leadline.retrieval.index.terms import _find

    for kernels in (False, True):
        assert _find.version(kernels)(terms, asked).tolist() == plain
    assert [names[number] for number in terms.prefixed(b"101")] == [name for name in names if name.startswith(b"101")]
    assert [names[number] for number in terms.prefixed(b"z\xff")] == [b"z\xff"]


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    content = {"a": np.arange(5, dtype=np.int32), "b": np.zeros(0), "c": np.array([1.5])}
    layout = {name: (array.dtype, len(array)) for name, array in content.items()}
    with arrays.create(tmp_path / "file", layout) as into:
        for name, array in content.items():
            into[name][:] = array
    found = arrays.read(tmp_path / "file")
    assert found.names() == list(content)
    for name, array in content.items():
        assert found[name].tolist() == array.tolist()
        assert found[name].dtype == array.dtype


def test_a_first_query_never_imports_numba(tmp_path: Path) -> None:
    index = Index.build(DOCUMENTS, tmp_path, fields=["body"], analysis=PLAIN)
    code = (
        "import sys; from leadline.retrieval.index.index import Index;"
        "from leadline.retrieval.models.searcher import Searcher;"
        "found = Searcher(Index.open(sys.argv[1])).search('acid', k=2);"
        "print(len(found), 'numba' in sys.modules, 'polars' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(index.folder)], env=dict(os.environ), check=True, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["2", "False", "False"]


def test_another_version_of_the_stemmer_is_one_warning(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    import Stemmer

    made = Index.build(DOCUMENTS, tmp_path, fields=["body"])
    assert made.manifest["stemmer"] == Stemmer.version()
    assert made.add([{"id": "D9", "body": "films"}]).merge().manifest["stemmer"] == Stemmer.version()
    assert not recwarn
    manifest = tmp_path / "manifest.json"
    written = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_bytes(sealed(written | {"stemmer": "2.2.0"}))
    with pytest.warns(LeadlineWarning) as warned:
        index = Index.open(tmp_path)
    assert [str(each.message) for each in warned] == [
        f"{tmp_path}: made with PyStemmer 2.2.0, this is {Stemmer.version()}, and stems may differ: "
        "build the index again, or install that version"
    ]
    assert Searcher(index).search("films")
    del written["stemmer"]  # as an older version of Leadline wrote it
    manifest.write_bytes(sealed(written))
    Index.open(tmp_path)
    assert Index.build(DOCUMENTS, tmp_path, fields=["body"], analysis=PLAIN).manifest["stemmer"] is None
    assert not recwarn
