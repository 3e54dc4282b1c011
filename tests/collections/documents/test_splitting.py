"""Streams are cut into documents wherever the pieces of bytes happen to end."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.registry import Broken, Raw
from leadline.collections.documents.splitting import split

WEEK = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-grant SYSTEM "x.dtd" [ <!ENTITY lol "lol"> ]>
<us-patent-grant lang="EN"><p>one</p></us-patent-grant>
<?xml version="1.0" encoding="ISO-8859-1"?>
<us-patent-application
   lang="EN"><p>tw\xf6</p></us-patent-application >
<sequence-cwu>not a patent</sequence-cwu>
<us-patent-grant><p>cut off
<us-patent-grant><p>four</p></us-patent-grant>
<us-patent-grant><p>the file ends
"""


def in_pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


@given(st.integers(1, 400))
def test_a_week_of_documents_whatever_the_pieces(size: int) -> None:
    found = list(split(in_pieces(WEEK, size)))
    whole = [raw for raw in found if isinstance(raw, Raw)]
    assert [raw.form for raw in whole] == ["us-patent-grant", "us-patent-application", "us-patent-grant"]
    assert [raw.encoding for raw in whole] == ["utf-8", "iso-8859-1", "iso-8859-1"]
    assert all(WEEK[raw.offset :].startswith(raw.content) for raw in whole)
    broken = [part for part in found if isinstance(part, Broken)]
    assert [WEEK[part.offset :][:30] for part in broken] == [
        b"<us-patent-grant><p>cut off\n<u",
        b"<us-patent-grant><p>the file e",
    ]
    assert broken[0].reason.startswith("does not end before the next document begins, at byte")
    assert broken[1].reason == "the file ends in the middle of it"


def test_no_document_type_reaches_a_reader() -> None:
    assert all(b"ENTITY" not in raw.content for raw in split(iter([WEEK])) if isinstance(raw, Raw))


def test_prefixes_declared_around_documents_go_with_each() -> None:
    content = (
        b'<exch:exchange-documents xmlns:exch="http://example.org/x">'
        b'<exch:exchange-document country="EP"/><exch:exchange-document country="US"><exch:a/></exch:exchange-document>'
        b"</exch:exchange-documents>"
    )
    from leadline.collections.documents.registry import parse

    found = [raw for raw in split(iter([content])) if isinstance(raw, Raw)]
    assert found[-1].content.startswith(b"<exch:exchange-document xmlns:exch=")
    assert parse(found[-1].content).get("country") == "US"


def test_green_book_records() -> None:
    content = b"HHHHHT    APS1 ISSUE - 760113\r\nPATN\r\nWKU  1\r\nPATN  \r\nWKU  2\r\n"
    found = [raw for raw in split(iter([content])) if isinstance(raw, Raw)]
    assert [raw.content.split(b"WKU  ")[1][:1] for raw in found] == [b"1", b"2"]
    assert [content[raw.offset :][:4] for raw in found] == [b"PATN", b"PATN"]


@given(st.integers(1, 60))
def test_json_lines_and_rows_of_csv(size: int) -> None:
    lines = b'{"id": "a"}\n\n{"id": "b"}'
    assert [raw.content for raw in split(in_pieces(lines, size)) if isinstance(raw, Raw)] == [
        b'{"id": "a"}',
        b'{"id": "b"}',
    ]
    table = b'id,title\nUS1,"a, b\nc"\nUS2\nUS3,d\n'
    found = list(split(in_pieces(table, size)))
    assert [json.loads(raw.content) for raw in found if isinstance(raw, Raw)] == [
        {"id": "US1", "title": "a, b\nc"},
        {"id": "US3", "title": "d"},
    ]
    assert [part for part in found if isinstance(part, Broken)] == [Broken(22, "1 fields, the header has 2", 4)]


def test_a_json_list_is_as_good_as_lines() -> None:
    found = list(split(iter([b'[{"id": "a"},\n {"id": "b"}]'])))
    assert [json.loads(raw.content)["id"] for raw in found if isinstance(raw, Raw)] == ["a", "b"]
    assert [raw.offset for raw in found] == [1, 15]
    broken = list(split(iter(['[{"id": "\u00e4"}, {no}]'.encode()])))
    assert isinstance(broken[1], Broken)
    assert broken[1].offset == 15
    assert broken[1].reason.startswith("is not readable JSON: Expecting property name")


@given(st.binary(max_size=300), st.integers(1, 50))
def test_any_bytes_are_split_without_a_word(content: bytes, size: int) -> None:
    for found in split(in_pieces(content, size)):
        assert isinstance(found, (Raw, Broken))


@pytest.mark.parametrize(
    "content",
    [
        b"<PATDOC>1</PATDOC>\n<PATDOC>2\0</PATDOC>\n<PATDOC>3</PATDOC>",
        b'{"id": "A1"}\n{"id": "A\0 2"}\n{"id": "A3"}\n',
        b"id,title\nA1,nail\nA2,na\0il\nA3,nail\n",
    ],
    ids=["xml", "json", "csv"],
)
def test_a_nul_refuses_one_document(content: bytes) -> None:
    found = list(split(iter([content])))
    assert [isinstance(each, Raw) for each in found] == [True, False, True]
    assert isinstance(found[1], Broken)
    assert "has a NUL byte" in found[1].reason
    assert content[found[1].offset :].startswith((b"<PATDOC>2", b'{"id": "A\0', b"A2"))


def test_a_file_full_of_nuls_is_not_a_text() -> None:
    (found,) = split(iter([b"<PATDOC>" + bytes(100) + b"</PATDOC>"]))
    assert isinstance(found, Broken)
    assert found.reason == "is not a text"
