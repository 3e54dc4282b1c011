"""Records in lines are told apart whatever ends the lines, and one that is cut off is not read as if it were whole."""

from __future__ import annotations

import itertools
import json

import pytest

from leadline.collections.documents.document import Document
from leadline.collections.documents.registry import READERS, Broken, Marks, Raw
from leadline.collections.documents.splitting import split

RIS_LINES = "".join(
    f"TY  - JOUR\nID  - a{n}\nTI  - Study {n}\nAB  - Brakes\n  and wheels.\nER  - \n\n" for n in range(8)
)
NBIB_LINES = "".join(
    f"PMID- {n}\nTI  - Nails {n}\nAB  - Of nails\n      and wood.\nSO  - J. 2001\n\n" for n in range(1, 9)
)
TREC_LINES = "".join(f"<DOC>\n<TITLE>Nail {n}</TITLE>\n<DOCNO>{n}</DOCNO>\n\nA nail.\n</DOC>\n" for n in range(8))
CLAIMS = "CLMS\nNUM  1.\nPAR  1. A nail.\nNUM  2.\nPAR  2. Bent.\n"
PATN_LINES = "".join(f"PATN\nWKU  0393270{n}4\nTTL  Nail {n}\nNCL  2\nISD  19760113\n{CLAIMS}" for n in range(8))
CSV_LINES = "id,title,abstract\n" + "".join(f'a{n},Nail {n},"A nail, bent"\n' for n in range(8))
TSV_LINES = "".join(f"{n}\tA nail of kind {n}\n" for n in range(8))
REVIEW_LINES = "title,abstract,included\n" + "".join(f"Nail {n},A nail,1\n" for n in range(8))
JSON_LINES = "".join(f'{{"id": "a{n}", "title": "Nail {n}"}}\n' for n in range(8))
LINES = {
    "ris": RIS_LINES, "nbib": NBIB_LINES, "trec": TREC_LINES, "greenbook": PATN_LINES, "csv": CSV_LINES,
    "tsv": TSV_LINES, "review": REVIEW_LINES, "json": JSON_LINES,
}  # fmt: skip


def documents_of(content: bytes, size: int = 1 << 20) -> tuple[list[tuple[int, Document]], list[Broken]]:
    pieces = (content[at : at + size] for at in range(0, len(content), size))
    found = list(split(pieces))
    raws = [each for each in found if isinstance(each, Raw)]
    return [(raw.offset, READERS[raw.form].read(raw.content)) for raw in raws], [
        each for each in found if isinstance(each, Broken)
    ]


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_any_end_of_line_gives_the_same_documents(form: str, end: str) -> None:
    plain, problems = documents_of(LINES[form].encode())
    assert (len(plain), problems) == (8, [])
    ended = LINES[form].replace("\n", end)
    for size in (1 << 20, 7):
        found, problems = documents_of(ended.encode(), size)
        assert ([each for _, each in found], problems) == ([each for _, each in plain], [])
        # Each place is that of the same line.
        lines = [LINES[form][:offset].count("\n") for offset, _ in plain]
        assert [ended[:offset].count(end) for offset, _ in found] == lines
        assert all(offset == 0 or ended[:offset].endswith(end) for offset, _ in found)


@pytest.mark.parametrize("form", LINES)
def test_ends_of_lines_may_be_mixed(form: str) -> None:
    plain, _ = documents_of(LINES[form].encode())
    ends = itertools.cycle(["\r", "\n", "\r\n"])
    mixed = "".join(next(ends) if letter == "\n" else letter for letter in LINES[form])
    found, problems = documents_of(mixed.encode())
    assert ([each.id for _, each in found], problems) == ([each.id for _, each in plain], [])


def test_places_count_a_byte_order_mark() -> None:
    found, _ = documents_of(b"\xef\xbb\xbf" + RIS_LINES.encode())
    assert [offset for offset, _ in found] == [3 + offset for offset, _ in documents_of(RIS_LINES.encode())[0]]


def test_a_carriage_return_in_a_cell_stays_there() -> None:
    found, problems = documents_of(b'id,title\r\na,"A\rnail"\r\nb,Bent\r\n')
    assert ([each.title for _, each in found], problems) == (["A\rnail", "Bent"], [])
    found, problems = documents_of(b"1\tA\rnail\n2\tA screw\n")
    assert ([each.id for _, each in found], problems) == (["1", "2"], [])


@pytest.mark.parametrize(
    ("form", "cut", "reason"),
    [
        ("ris", "TY  - JOUR\nTI  - Titl", "the record is cut off: the file ends before ER; it was not read"),
        ("ris", "TY  - JOUR\nTI  - Title\n", "the record is cut off: the file ends before ER; it was not read"),
        ("ris", "TY  -", "the record is cut off: the file ends before ER; it was not read"),
        ("nbib", "PMID- 99\nTI  - Of na", "may be cut off: the file ends inside a line; it was not read"),
        ("nbib", "PMID- 99\nTI  - Of nails\n", "is cut off: the file ends before SO; it was not read"),
        ("nbib", "PMID- 99\n", "is cut off: the file ends before SO; it was not read"),
        ("trec", "<DOC>\n<DOCNO>99</DOCNO>\nA na", "the file ends before </DOC>"),
        ("greenbook", "PATN\nWKU  039327094\nTTL  Na", "the file ends inside a line; it was not read"),
        (
            "greenbook",
            "PATN\nWKU  039327094\nNCL  3\nTTL  Nail\nCLMS\nNUM  1.\nPAR  1. A nail.\n",
            "1 of 3 claims (NCL) are there; it was not read",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_cut_record_is_reported_and_not_read(form: str, cut: str, reason: str, end: str) -> None:
    whole = LINES[form].replace("\n", end)
    found, (problem,) = documents_of((whole + cut.replace("\n", end)).encode())
    assert (len(found), problem.offset) == (8, len(whole))
    assert reason in problem.reason
    if "before SO" not in reason:  # alone, a record without it may be whole
        found, (problem,) = documents_of(cut.replace("\n", end).encode())
        assert (found, problem.offset) == ([], 0)


def test_a_record_cut_in_the_middle_of_a_file() -> None:
    cut = "TY  - JOUR\nTI  - Titl"
    found, (problem,) = documents_of((RIS_LINES + cut + "\n" + RIS_LINES).encode())
    assert (len(found), problem.offset) == (16, len(RIS_LINES))
    assert problem.reason == "the record is cut off: the next TY comes before ER; it was not read"
    found, (problem,) = documents_of((RIS_LINES + cut + RIS_LINES).encode())  # and its line end with it
    assert (len(found), problem.offset) == (15, len(RIS_LINES))
    at = len(RIS_LINES + cut)
    assert problem.reason == f"another TY inside a line, at byte {at}: the end of a line is lost; it was not read"
    whole = NBIB_LINES.rstrip("\n")
    found, (problem,) = documents_of((whole + NBIB_LINES).encode())
    assert (len(found), problem.offset) == (14, whole.rindex("PMID"))


def test_references_without_ends_are_read() -> None:
    found, problems = documents_of(RIS_LINES.replace("ER  - \n", "").encode())
    assert (len(found), problems) == (8, [])
    found, problems = documents_of(RIS_LINES.replace("ER  - \n", "").rstrip().encode())
    assert (len(found), [each.reason for each in problems]) == (
        7, ["the last record may be cut off: the file ends inside a line; it was not read"],
    )  # fmt: skip


def test_a_number_of_pubmed_in_a_text_begins_no_record() -> None:
    found, problems = documents_of(NBIB_LINES.replace("and wood", "see PMID- 77 and wood").encode())
    assert (len(found), problems) == (8, [])


# What is read and what is reported add up to the file, and each sign of a loss is one line.


def read(content: str | bytes) -> tuple[list[Document], list[Broken]]:
    found, reports = documents_of(content.encode() if isinstance(content, str) else content)
    return [document for _, document in found], reports


@pytest.mark.parametrize("size", [1, 5, 700, 5000])
def test_markers_are_counted_wherever_the_pieces_end(size: int) -> None:
    marks = Marks(READERS["ris"].marker)  # type: ignore[arg-type]
    content = RIS_LINES.encode() * 20 + b"AB  - see TY  - JOUR there\nTY  -"
    for at in range(0, len(content), size):
        marks.add(content[at : at + size])
    assert marks.finished() == 8 * 20 + 2


def test_a_lost_beginning_takes_no_field_to_the_record_before() -> None:
    whole, _ = read(NBIB_LINES)
    found, (problem,) = read(NBIB_LINES.replace("PMID- 4\n", "AU  - Doe J\n"))
    assert found == [*whole[:3], *whole[4:]]
    assert (
        problem.reason == "AU after SO in the record that begins at byte 136: is the PMID between lost? It was not read"
    )
    assert (problem.offset, problem.size, problem.records) == (NBIB_LINES.index("PMID- 4"), 72, 0)
    whole, _ = read(RIS_LINES)
    found, (problem,) = read(RIS_LINES.replace("TY  - JOUR\nID  - a4\n", ""))
    assert found == [*whole[:4], *whole[5:]]
    assert problem.reason.startswith("TI after ER in the record that begins at byte 207: is the TY between lost?")


@pytest.mark.parametrize("left", range(1, 5))
def test_the_rest_of_a_record_is_not_joined_to_the_one_before(left: int) -> None:
    whole, _ = read(NBIB_LINES)
    lines = NBIB_LINES.splitlines(keepends=True)
    at = lines.index("PMID- 4\n")
    found, (problem,) = read("".join([*lines[:at], *lines[at + 5 - left :]]))
    assert found == [*whole[:3], *whole[4:]]
    assert (problem.offset, problem.size) == (NBIB_LINES.index("PMID- 4"), len("".join(lines[at + 5 - left : at + 6])))
    assert "after SO in the record that begins at byte 136: is the PMID between lost?" in problem.reason


def test_a_text_behind_a_blank_line_leaves_with_the_fields_behind_it() -> None:
    without = NBIB_LINES.replace("SO  - J. 2001\n", "")
    whole, _ = read(without)
    found, (problem,) = read(without.replace("PMID- 4\n", "      A text\n"))
    assert found == [*whole[:3], *whole[4:]]
    assert (problem.offset, problem.reason[:8]) == (without.index("PMID- 4"), "TI again")


@pytest.mark.parametrize("cut", [1, 4, 7, 8])
def test_a_last_citation_without_its_end_is_read_and_told_of(cut: int) -> None:
    content = NBIB_LINES.rstrip("\n")
    found, (problem,) = read(content[: len(content) + 1 - cut])
    assert (len(found), problem.offset) == (8, content.rindex("SO"))
    assert problem.reason == "the last record may be cut off: the file ends inside its last line; it was read"


@pytest.mark.parametrize("form", ["ris", "nbib"])
def test_lines_before_the_first_record_are_one_report(form: str) -> None:
    lines = LINES[form].split("\n")
    found, (problem,) = read("\n".join(lines[1:]))
    assert (len(found), problem.offset, problem.records) == (7, 0, 0)
    assert "before the first" in problem.reason


def test_a_nul_byte_refuses_a_record_in_lines() -> None:
    found, (problem,) = read(RIS_LINES.replace("Study 3", "Stu\0dy 3"))
    assert len(found) == 7
    assert "has a NUL byte, 29 bytes after its beginning" in problem.reason


@pytest.mark.parametrize("line", ["\0PATN", "PA\0TN", "PATN \0", "P\0AT\0N"])
def test_a_nul_byte_in_a_line_that_begins_a_patent_refuses_no_other_patent(line: str) -> None:
    whole, _ = read(PATN_LINES)
    at = len(PATN_LINES) // 8 * 4
    found, (problem,) = read(PATN_LINES[:at] + line + PATN_LINES[at + 4 :])
    assert found == [*whole[:4], *whole[5:]]
    size = len(PATN_LINES) // 8 + len(line) - 4
    assert (problem.offset, problem.size, problem.records) == (at, size, 0)
    assert problem.reason == "has a NUL byte in its line PATN; it was not read"


@pytest.mark.parametrize("form", ["ris", "nbib", "csv", "tsv", "review"])
def test_lines_that_are_not_utf_8_are_read_as_windows_latin_1_and_told_of(form: str) -> None:
    text = LINES[form].replace("ail", "ägel").replace("Study", "Größe")
    whole, _ = read(text)
    found, (problem,) = read(text.encode("latin-1"))
    assert found == whole
    assert problem.reason.endswith("lines that are not UTF-8 were read as Windows-1252")


def test_a_second_header_is_no_row() -> None:
    text = LINES["csv"]
    found, (problem,) = read(text + "\ufeff" + text)
    assert (len(found), problem.offset) == (16, len(text) + 3)
    assert problem.reason.startswith("is the header again")


def test_rows_that_a_quotation_mark_swallowed_are_told_of() -> None:
    text = "id,title\n" + "".join(f'P{n},"Nail {n}"\n' for n in range(6)).replace('"Nail 2"', '"Nail 2')
    text = text.replace('"Nail 3"', "").replace('P4,"Nail 4"', 'P4,"')
    found, (problem,) = read(text)
    assert [each.id for each in found] == ["P0", "P1", "P5"]
    assert "holds what looks like another row, at byte 44: is a quotation mark missing?" in problem.reason
    found, problems = read('id,title\nP1,"Nails\nHowever, they bend"\n')  # a text of two lines
    assert ([each.title for each in found], problems) == (["Nails\nHowever, they bend"], [])


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_last_row_without_its_end_is_read_and_told_of(form: str) -> None:
    found, (problem,) = read(LINES[form][:-1])
    assert (len(found), problem.reason) == (
        8, "the last row may be cut off: the file ends inside its line; it was read",
    )  # fmt: skip


def test_weeks_that_were_joined() -> None:
    header = "HHHHHT    APS1 ISSUE - 760113\n"
    whole, problems = read(header + PATN_LINES)
    assert (len(whole), problems) == (8, [])
    assert read((header + PATN_LINES) * 2) == (whole * 2, [])
    found, (problem,) = read(header + PATN_LINES[:-9] + header + PATN_LINES)
    assert (len(found), "the file ends inside a line" in problem.reason) == (15, True)
    found, (problem,) = read(header + PATN_LINES[: PATN_LINES.rindex("CLMS")].replace("NCL  2\n", ""))
    assert (len(found), problem.reason) == (
        7, "the last record is cut off: it has no claims, as those before have; it was not read",
    )  # fmt: skip


def test_a_document_without_its_end_before_the_next_is_told_of() -> None:
    text = LINES["trec"]
    at = text.index("</DOC>", text.index("</DOC>") + 1)
    found, (problem,) = read(text[:at] + text[at + 7 :])
    assert (len(found), problem.offset) == (8, text.index("<DOC>", 1))
    assert "it may be cut off; it was read" in problem.reason


def test_a_list_that_is_not_utf_8_is_refused_where_it_is_not() -> None:
    text = json.dumps([{"id": "A1", "title": "Nägel"}, {"id": "A2", "title": "Nail"}], ensure_ascii=False)
    raws = [each for each in split(iter([text.encode("latin-1")])) if isinstance(each, Raw)]
    assert READERS["json"].read(raws[1].content).id == "A2"
    with pytest.raises(ValueError, match="is not UTF-8: byte 24 of the record"):
        READERS["json"].read(raws[0].content)


def test_objects_that_were_joined_in_a_line() -> None:
    lines = ['{"id": "A1", "title": "a }{ b"}', '{"id": "A2"}', '{"id": "A3"}']
    found, problems = read(lines[0] + lines[1] + "\ufeff" + lines[2] + "\n")
    assert ([each.id for each in found], found[0].title, problems) == (["A1", "A2", "A3"], "a }{ b", [])
    raws = list(split(iter([(lines[1] + lines[2] + " x\n").encode()])))
    assert [each.content for each in raws if isinstance(each, Raw)] == [lines[1].encode(), (lines[2] + " x").encode()]


@pytest.mark.parametrize(
    ("content", "line", "begins"),
    [
        (RIS_LINES.replace("AB  - Br", " AB  - Br", 1), " AB  - Brakes", "a line that begins with blanks before a tag"),
        (NBIB_LINES + CSV_LINES, "id,title", "9 lines that begin with neither a tag nor a blank"),
        (NBIB_LINES.replace("AB  - Of", "Of", 1), "Of nails", "a line that begins with neither a tag nor a blank"),
    ],
)
def test_a_line_that_hardly_continues_the_field_before_it_is_told(content: str, line: str, begins: str) -> None:
    documents, reports = documents_of(content.encode())
    assert len(documents) == 8
    assert [(each.offset, each.reason) for each in reports] == [
        (content.index(line), f"{begins}: read as part of the field before")
    ]
    for sound in (RIS_LINES, NBIB_LINES):
        assert documents_of(sound.encode())[1] == []


@pytest.mark.parametrize("kind", ["response", "request", "unheard-of"])
def test_a_record_of_warc_that_covers_the_next_one_is_told(kind: str) -> None:
    def record(kind: str, at: int, more: bytes = b"") -> bytes:
        page = b"<html><body>Page %d.</body></html>" % at
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
        about = f"WARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/{at}\r\n".encode()
        about += b"Content-Type: application/http; msgtype=response\r\n"
        size = len(block) + (4 + len(more) - 4 if more else 0)
        return b"WARC/1.0\r\n" + about + b"Content-Length: %d\r\n\r\n" % size + block + b"\r\n\r\n" + more

    pytest.importorskip("selectolax")
    second = record("response", 2)
    content = record("response", 1) + record(kind, 3, second) + record("response", 4)
    for size in (1 << 20, 7):
        documents, reports = documents_of(content, size)
        assert {document.id for _, document in documents} >= {"http://a.example/1", "http://a.example/4"}
        told = [each.offset for each in reports if "looks like another record" in each.reason]
        assert told == [content.index(second)]
    assert documents_of(record("response", 1) + record("request", 3) + second)[1] == []
