"""Records in lines are told apart whatever ends the lines, and one that is cut off is not read as if it were whole."""

from __future__ import annotations

import itertools

import pytest

from leadline.collections.documents.document import Document
from leadline.collections.documents.registry import READERS, Broken, Raw
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


@pytest.mark.parametrize("form", ["ris", "nbib", "trec", "greenbook", "json"])
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
