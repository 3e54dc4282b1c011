"""No format is taken for another: every seed of every reader, and random documents written in each format."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.readers.trec import parse_document
from leadline.collections.documents.registry import Broken, readers_by_form
from leadline.collections.documents.sources import what_else
from leadline.collections.documents.splitting import split
from leadline.errors import InputError
from leadline.records.qrels import read_qrels
from leadline.records.topics import Topics

TOOLS = Path(__file__).parents[3] / "tools" / "attack"


@pytest.fixture(scope="module")
def seeds() -> dict[str, list[bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        import fuzz_readers

        sys.modules.pop("fuzz_readers")
        found: dict[str, list[bytes]] = fuzz_readers.seeds()
        return found


def recognising(head: bytes) -> set[str]:
    return {each.name for each in readers_by_form().values() if each.recognises is not None and each.recognises(head)}


def read(content: bytes, piece: int = 1 << 20, *, allowed: str = "no report") -> list[Document]:
    """The documents of a text; a report is an error unless it begins with what is allowed."""
    readers = readers_by_form()
    found = []
    for raw in split(content[at : at + piece] for at in range(0, len(content), piece)):
        if isinstance(raw, Broken):
            assert raw.reason.startswith(allowed), raw
        else:
            found.append(readers[raw.form].read(raw.content, raw.encoding))
    return found


def test_no_seed_is_recognised_by_another_reader(seeds: dict[str, list[bytes]]) -> None:
    others = {reader.name for reader in readers_by_form().values() if reader.recognises is not None}
    for name, contents in seeds.items():
        for content in contents:
            assert recognising(content.lstrip()[: 1 << 16]) == ({name} & others)
            assert what_else(content) == ""


LETTERS = st.sampled_from("abcäß&\"',;.:{}[]()<>=/-0123456789")
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=8), max_size=8).map(" ".join)
SENTENCES = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=2, max_size=8).map(" ".join)
IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,12}", fullmatch=True)
DOCUMENTS = st.lists(st.tuples(IDS, WORDS, WORDS.filter(bool)), min_size=1, max_size=8, unique_by=lambda each: each[0])
Rows = list[tuple[str, str, str]]


def as_beir(rows: Rows) -> str:
    return "".join(
        json.dumps({"_id": i, "title": t, "text": x, "metadata": {}}, ensure_ascii=False) + "\n" for i, t, x in rows
    )


def as_anserini(rows: Rows) -> str:
    return json.dumps([{"id": i, "title": t, "contents": x} for i, t, x in rows], indent=2)


def as_csv(rows: Rows) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([("docid", "title", "text"), *rows])
    return text.getvalue()


def as_trec(rows: Rows) -> str:
    def plain(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;")

    return "".join(
        f"<DOC>\n<DOCNO> {i} </DOCNO>\n<TITLE>{plain(t)}</TITLE>\n<TEXT>\n{plain(x)}\n</TEXT>\n</DOC>\n"
        for i, t, x in rows
    )


def as_pages(rows: Rows) -> str:
    return "".join(f"{i}\thttp://x.org/{i}\t{t}\t{x}\n" for i, t, x in rows)


@pytest.mark.parametrize("written", [as_beir, as_anserini, as_csv, as_trec, as_pages], ids=lambda each: each.__name__)
@given(rows=DOCUMENTS)
def test_what_is_written_is_read(written: Callable[[Rows], str], rows: Rows) -> None:
    found = read(written(rows).encode())
    assert [(each.id, each.title, each.description) for each in found] == rows
    assert {(each.kind, each.office) for each in found} == {("text", "")}


@given(rows=DOCUMENTS, size=st.sampled_from([1, 7, 100]))
def test_trec_in_pieces_of_any_size_and_latin_1(rows: Rows, size: int) -> None:
    content = as_trec(rows).encode("latin-1")
    assert [(each.id, each.title, each.description) for each in read(content, size)] == rows


@given(texts=st.lists(SENTENCES, min_size=1, max_size=8))
def test_passages(texts: list[str]) -> None:
    found = read("".join(f"{number}\t{text}\n" for number, text in enumerate(texts)).encode())
    assert [(each.id, each.description) for each in found] == [(str(n), text) for n, text in enumerate(texts)]


@given(rows=DOCUMENTS, cut=st.sampled_from(["</DOC>\n", "</TEXT>\n", "</TITLE>", "</DOCNO>"]))
def test_tags_that_are_not_closed(rows: Rows, cut: str) -> None:
    rows = [(i, t, x) for i, t, x in rows if t]
    if not rows:
        return
    *first, end = as_trec(rows).rpartition(cut)  # a file whose last document has no end may be cut off, and says so
    content = "".join(first).replace(cut, "\n") + (cut if cut == "</DOC>\n" else "") + end
    found = read(content.encode(), allowed="no </DOC> before the next <DOC>, as others have")
    assert [(each.id, each.title, each.description) for each in found] == rows


def test_elements_of_the_disks() -> None:
    found = parse_document(
        b"<DOC>\n<DOCNO> FBIS3-1 </DOCNO>\n<HT> x </HT>\n<H3> <TI> A &hyph; title </TI></H3>\n"
        b"<DATE1> 1 March 1994 </DATE1>\n"
        b"<TEXT>\nLanguage: <F P=105> English </F>\n<P>\nR&D; AT&T &copy text &amp; more\n</TEXT>\n</DOC>"
    )
    assert found == {
        "kind": "text", "id": "FBIS3-1", "title": "A - title", "publication": "1994-03-01", "ht": "x",
        "description": "Language: English\nR&D; AT&T &copy text & more",
    }  # fmt: skip
    story = b'<DOC id="NYT_1" type="story"><HEADLINE>\nHead\n</HEADLINE>\n<TEXT>\n<P>a</P>\n<P>b</P></TEXT></DOC>'
    assert parse_document(story) == {
        "kind": "text", "id": "NYT_1", "title": "Head", "publication": "", "description": "a\nb",
    }  # fmt: skip
    head = b"<DOC><DOCNO>WT1</DOCNO><DOCHDR>http://x.y\n</DOCHDR>"
    page = head + b"<html><head><title>T</title><script>x</script></head><body>B</body></html></DOC>"
    assert (parse_document(page)["title"], parse_document(page)["description"]) == ("T", "B")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            b"<DOC>\n<DOCNO>1</DOCNO>a\n</DOC>\nlost words\n<DOC>\n<DOCNO>2</DOCNO>b</DOC>\n",
            "11 bytes outside of documents",
        ),
        (b"<DOC>\n<DOCNO>1</DOCNO>a\n</DOC>\n<DOC>\n<DOCNO>2</DOCNO>b", "the file ends before </DOC>"),
        (b"1\tone text\n2\ttwo\ttabs\n3\tthree\n4\tfour\n", "3 columns, the lines before have 2"),
        (b"1\tone text\n2\ttwo\0\n3\tthree\n4\tfour\n", "has a NUL byte"),
    ],
)
def test_what_is_lost_is_reported(content: bytes, reason: str) -> None:
    (found,) = [each for each in split(iter([content])) if isinstance(each, Broken)]
    assert reason in found.reason


def test_documents_without_a_number_or_with_two(tmp_path: Path) -> None:
    (tmp_path / "a.sgml").write_bytes(
        b"<DOC>\n<TEXT>a</TEXT></DOC>\n<DOC>\n<DOCNO>1</DOCNO>\n<DOCNO>2</DOCNO>\n</DOC>\n<DOC>\n<DOCNO>3</DOCNO>c</DOC>\n"
    )
    manifest = build([tmp_path / "a.sgml"], tmp_path / "c")
    assert [reason for _, _, reason in manifest["first_broken"]] == [
        "no <DOCNO>",
        "holds two documents: the <DOC> between them is missing or damaged",
    ]


def lines(*records: dict[str, object]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


PATENT = {"id": "US7000001B2", "title": "Nail", "abstract": "A nail."}


def test_title_and_abstract_are_enough_where_nothing_has_claims(tmp_path: Path) -> None:
    without = {"id": "US7000002B2", "title": "Screw"}
    claimed = PATENT | {"id": "US7000003B2", "claims": ["A nail."]}
    (tmp_path / "bare.jsonl").write_text(lines(PATENT, without, {"id": "US7000004B2"}))
    bare = build([tmp_path / "bare.jsonl"], tmp_path / "c")
    assert (bare["counts"]["documents"], bare["dropped"]) == (2, {"no claims": 1})
    (tmp_path / "some.jsonl").write_text(lines(PATENT, without, claimed, {"_id": "FR940104-0-00001", "text": "News."}))
    some = build([tmp_path / "some.jsonl"], tmp_path / "d")
    assert some["dropped"] == {"no claims": 2}
    kept = Collection.open(tmp_path / "d")
    assert [(each.id, each.office, each.kind) for each in kept.documents()] == [
        ("US7000003B2", "US", "B2"),
        ("FR940104-0-00001", "", "text"),
    ]
    assert [each.id for each in kept.documents_named(["FR940104-0-00001"])] == ["FR940104-0-00001"]
    strict = build([tmp_path / "some.jsonl"], tmp_path / "e", keep="claims,abstract")
    assert strict["dropped"] == {"no claims": 2, "no abstract": 1}


def test_ids_that_are_there_twice_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from leadline.cli import main

    (tmp_path / "a.jsonl").write_text(
        lines({"id": "a", "text": "1"}, {"id": "b", "text": "2"}, {"id": "a", "text": "3"})
    )
    main(["collection", "build", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "c")])
    assert "listed twice, only the first is kept: a\n" in capsys.readouterr().err


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str
    marked_up_doc: bytes = b"<x>"


class Query(NamedTuple):
    query_id: str
    text: str


class Judged(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Dataset:
    """As those of ir_datasets are."""

    def __init__(self, **rows: list[NamedTuple]) -> None:
        self.rows = rows

    def __getattr__(self, name: str) -> Callable[[], object]:
        what, _, kind = name.rpartition("_")
        if what == "has":
            return lambda: kind in self.rows
        return lambda: iter(self.rows[what]) if kind == "iter" else len(self.rows[what])


class Offline(Dataset):
    def docs_iter(self) -> Iterator[Doc]:
        raise ConnectionError("no network")
        yield Doc("a", "", "")


DOCS: list[NamedTuple] = [Doc("1", "Nails", "A nail."), Doc("2", "", "A screw.")]
DATASETS = {
    "tiny": Dataset(docs=DOCS, queries=[Query("q1", "nail")], qrels=[Judged("q1", "1", 1)]),
    "topics": Dataset(queries=[Query("q1", "nail")]),
    "far": Offline(docs=[]),
}


def test_handles_of_ir_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=DATASETS.__getitem__, registry=DATASETS))
    manifest = build(["ir_datasets:tiny"], tmp_path / "c")
    assert manifest["slips"] == []
    assert [(each.id, each.description) for each in Collection.open(tmp_path / "c").documents()] == [
        ("1", "A nail."), ("2", "A screw."),
    ]  # fmt: skip
    assert Topics.read("ir_datasets:tiny")[0].title == "nail"
    assert len(read_qrels("ir_datasets:tiny")) == 1
    for handle, problem in (
        ("ir_datasets:tinny", "ir_datasets has no dataset of this name; did you mean tiny?"),
        ("ir_datasets:topics", "has no docs, only queries"),
        ("ir_datasets:far", "its docs are not on this machine and cannot be downloaded, or are damaged: no network"),
    ):
        with pytest.raises(InputError, match=problem.replace("?", r"\?")):
            build([handle], tmp_path / "d")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match="pip install ir_datasets"):
        build(["ir_datasets:tiny"], tmp_path / "d")
