"""Damaged files: every document is read or reported, by both engines alike, and never lost without a word."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from leadline.collections.documents.build import build
from leadline.collections.documents.registry import Broken
from leadline.collections.documents.splitting import split
from leadline.readers import names

TOOLS = Path(__file__).parents[3] / "tools" / "attack"


@pytest.fixture(scope="module")
def harness() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        import fuzz_readers

        sys.modules.pop("fuzz_readers")
        return fuzz_readers


def reports(content: bytes) -> list[Broken]:
    return [found for found in split(iter([content])) if isinstance(found, Broken)]


@pytest.mark.soak
def test_no_damage_loses_a_document_without_a_word(harness: ModuleType, soak: bool) -> None:
    files = harness.seeds()
    assert sorted(files) == sorted(set(names()) - {"text"})  # one whole file, of any content
    assert all(harness.read(content).documents for contents in files.values() for content in contents)
    assert harness.fuzz(files, 5000 if soak else 40, seed=2026)[1] == []


@pytest.mark.soak
def test_both_engines_read_the_same_whatever_the_damage(harness: ModuleType, soak: bool) -> None:
    files = {"uspto": harness.seeds()["uspto"]}
    assert harness.fuzz(files, 5000 if soak else 150, seed=2026, engines=True)[1] == []


def test_real_files_damaged(harness: ModuleType, shared: Path, soak: bool) -> None:
    assert harness.fuzz(harness.real_seeds(shared), 300 if soak else 3, seed=2026)[1] == []


def test_the_harness_notices_a_loss(harness: ModuleType) -> None:
    whole = harness.seeds()["json"][0]
    first = whole.index(b"\n") + 1
    assert harness.problem_of(whole[first:], harness.read(whole)) == "silent loss: 3 documents of 4"


@pytest.mark.parametrize("damaged", [b"<us-patent-grXnt", b"<us-patent-grant\x01", b"< us-patent-grant", b""])
def test_a_damaged_root_is_reported_with_its_place(harness: ModuleType, damaged: bytes) -> None:
    week = harness.seeds()["uspto"][0]
    at = week.index(b"<us-patent-grant", week.index(b"</us-patent-grant>"))
    content = week[:at] + damaged + week[at + len(b"<us-patent-grant") :]
    (found,) = reports(content)
    assert found.offset in range(at, at + 20)
    assert "were not read: unknown text in 1 place, at byte" in found.reason
    assert len(harness.read(content).documents) == 2


def test_many_damaged_roots_make_one_line(harness: ModuleType) -> None:
    week = b"".join(harness.seeds()["uspto"] * 4)
    lost = week.replace(b"<us-patent-grant lang", b"<us-patent-grXnt lang", 9)
    (found,) = reports(lost)
    assert "unknown text in 9 places, at bytes 114, " in found.reason
    assert found.reason.endswith(", ...")
    assert "\n" not in found.reason


def test_what_is_known_between_documents_is_not_reported() -> None:
    content = b"""\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?><!-- made - by -- hand --><?style a?>
<!DOCTYPE a SYSTEM "a.dtd" [ <!ENTITY b "c>"> <!-- ] --> ]>
<ops:world xmlns:ops='http://x'><ops:meta name="a" value="b"/><ops:query syntax="CQL">nail</ops:query>
<all count="2"><PATDOC>1</PATDOC> <PATDOC>2</PATDOC></all><sequence-cwu><s>acgt</s></sequence-cwu></ops:world>\x1a"""
    assert reports(content) == []
    for size in (1, 7, 300):
        pieces = (content[at : at + size] for at in range(0, len(content), size))
        assert not any(isinstance(found, Broken) for found in split(pieces))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<all><PATDOC>1</PATDOC>", "the file ends before </all>: it may be cut off"),
        (
            b"<PATDOC>1</PATDOC></all>",
            "6 bytes outside of documents were not read: unknown text in 1 place, at byte 18",
        ),
        (b"<PATDOC>1</PATDOC><a><b/></a>", "unknown text in 2 places, at bytes 21, 18"),
        (b'[{"id": "a"}] {"id": "b"}', "there is more after the end of the list; it was not read"),
        (b'[{"id": "a"}, ', "the list does not end: the file may be cut off"),
        (b"id,title\n", "has a header and nothing under it"),
        (b"id,id\na,b\n", "column id is given twice; the table was not read"),
        (b'id,title\na,"b\nc,"d"\n', "is not a readable row: ',' expected after '\"', in a row of 2 lines"),
        (b"PXTN\nWKU  1\nPATN\nWKU  2\n", "12 bytes before the first line PATN are not the header of a week"),
    ],
)
def test_other_damage(content: bytes, reason: str) -> None:
    (found,) = reports(content)
    assert reason in found.reason


def test_a_damaged_first_byte_does_not_make_a_table_of_patents(harness: ModuleType) -> None:
    week = harness.seeds()["uspto"][0]
    assert len(harness.read(b"X" + week[1:]).documents) == 3
    lines = harness.seeds()["json"][0]
    assert len(harness.read(b"X" + lines[1:]).documents) == 3


def test_two_records_in_one(harness: ModuleType) -> None:
    content = harness.seeds()["greenbook"][0]
    at = content.index(b"PATN", content.index(b"PATN") + 4)
    found = harness.read(content[:at] + b"PAT" + content[at + 4 :])
    assert len(found.documents) == 1
    assert found.reports[0][1] == "holds two patents: the line PATN between them is missing or damaged"


def test_a_build_counts_and_lists_what_it_could_not_read(harness: ModuleType, tmp_path: Path) -> None:
    week = harness.seeds()["uspto"][0].replace(b"<us-patent-grant lang", b"<us-patent-grXnt lang", 1)
    (tmp_path / "week.xml").write_bytes(week)
    manifest = build([tmp_path / "week.xml"], tmp_path / "new", keep="all")
    assert (manifest["counts"]["documents"], manifest["broken"]) == (2, 1)
    source, offset, reason = manifest["first_broken"][0]
    assert (Path(source).name, offset) == ("week.xml", week.index(b"<us-patent-grXnt"))
    assert "bytes outside of documents were not read" in reason
