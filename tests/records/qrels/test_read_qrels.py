"""Judgements as files have them: read alike by both engines, written so that they can be read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline as ll


@pytest.fixture(params=["plain", "compiled"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", request.param)


def read(folder: Path, content: bytes, **options: str) -> ll.Qrels:
    path = folder / "q.txt"
    path.write_bytes(content)
    return ll.read_qrels(path, **options)


def refusal(folder: Path, content: bytes, **options: str) -> str:
    with pytest.raises(ll.InputError) as caught:
        read(folder, content, **options)
    return str(caught.value).removeprefix(f"{folder}/")


@pytest.mark.parametrize(
    "content",
    [
        b"7 0 d1 2\n7 0 d2 -1\n",
        b"7 0 d1 2\n7 0 d2 -1",
        b"7 0 d1 2\r\n7 0 d2 -1\r\n",
        b"\xef\xbb\xbf7\t0\td1\t+2\n\n# a comment\n  7 0  d2 -01 \n",
        b"7 0 d1 2\r7 0 d2 -1\r",
    ],
    ids=["plain", "no last line feed", "CRLF", "blanks, mark and comment", "CR alone"],
)
def test_blanks_and_line_ends(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content).judgements("7") == {"d1": 2, "d2": -1}


def test_topics_are_in_the_order_people_count(tmp_path: Path) -> None:
    text = b"".join(b"%s 0 d 1\n" % topic for topic in (b"10", b"2", b"TS-10", b"TS-9", b"1", b"TS-1"))
    assert read(tmp_path, text).topics == ("TS-1", "TS-9", "TS-10", "1", "2", "10")


def test_scattered_topics_are_gathered(tmp_path: Path) -> None:
    qrels = read(tmp_path, b"2 0 a 1\n1 0 b 2\n2 0 c 0\n1 0 a 1\n")
    assert [qrels.judgements(topic) for topic in ("1", "2")] == [{"b": 2, "a": 1}, {"a": 1, "c": 0}]


@pytest.mark.parametrize("again", [b"2", b"1"])
def test_a_document_judged_twice_is_refused(tmp_path: Path, again: bytes) -> None:
    text = b"# first\n7 0 d1 2\n8 0 d1 2\n7 0 d2 0\n7 0 d1 %s\n" % again
    problem = "document 'd1' is judged twice for topic 7 (first on line 2); keep one of the two"
    assert refusal(tmp_path, text) == f"q.txt:5: {problem}"


def test_python_objects_judged_twice_are_refused() -> None:
    with pytest.raises(ll.InputError, match="judged twice for topic 7"):
        ll.Qrels.from_columns(["7", "7"], ["d", "d"], [1, 0])


@pytest.mark.parametrize("grade", ["1.5", "0,5", "x", "1234567890", "-", "0x1", "1e1", "1_0"])
def test_a_grade_is_a_whole_number(tmp_path: Path, grade: str) -> None:
    message = refusal(tmp_path, f"7 0 d1 1\n7 0 d2 {grade}\n".encode())
    fix = "; round it, or multiply all by the same number" if grade in ("1.5", "0,5") else ""
    assert message == f"q.txt:2: grade {grade!r} is not a whole number of at most nine digits{fix}"


def test_a_whole_grade_may_have_a_point(tmp_path: Path) -> None:
    assert read(tmp_path, b"7 0 d1 1.0\n7 0 d2 0\n7 0 d3 -2.00\n").judgements("7") == {"d1": 1, "d2": 0, "d3": -2}


def test_a_header_line_is_recognised(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"topic iteration document grade\n7 0 d1 1\n").endswith("; remove the header line")


@pytest.mark.parametrize("grades", [[1.5], ["x"], [None], [10**9], [float("nan")]])
def test_a_grade_of_python_objects_is_a_whole_number(grades: list[object]) -> None:
    with pytest.raises(ll.InputError, match="whole number"):
        ll.Qrels.from_columns(["7"], ["d"], grades)  # type: ignore[arg-type]


def test_the_grade_of_a_document_is_the_largest_of_its_subtopics(tmp_path: Path) -> None:
    qrels = read(tmp_path, b"7 1 a 1\n7 2 a 3\n7 10 a 0\n7 1 b 0\n7 2 c -1\n")
    assert qrels.kind == "subtopics"
    assert qrels.judgements("7") == {"a": 3, "b": 0, "c": -1}
    assert qrels.subtopics is not None
    assert qrels.subtopics.names == ("1", "2", "10")
    assert qrels.subtopics.largest == 3


def test_a_subtopic_has_one_weight(tmp_path: Path) -> None:
    message = refusal(tmp_path, b"7 1 a 1 0.5\n7 2 a 1 1.0\n7 1 b 1 0.7\n", format="subtopics")
    assert message == "q.txt:3: subtopic 1 of topic 7 has two weights"


def test_sampled_judgements_keep_what_can_be_used(tmp_path: Path) -> None:
    """Only method 1 was a draw; lines without a judgement or with a probability outside 0 to 1 are left out."""
    text = b"7 a 1 1 0.25\n7 b 0 0 0.5\n7 c 1 1 0\n7 d -999 1 0.5\n7 e 2 2 NA\n7 f 1 1 1.5\n7 g 1 1 1\n"
    qrels = read(tmp_path, text, format="prels")
    assert qrels.probabilities is not None
    found = dict(zip(qrels.documents.names(), qrels.probabilities.tolist(), strict=True))
    assert found == {"a": 0.25, "b": 1.0, "g": 1.0}


def test_what_is_left_out_takes_nothing_else_with_it(tmp_path: Path) -> None:
    qrels = read(tmp_path, b"1 0 a 1\n1 0 b 0\n2 0 c 1\n3 0 d 2\n3 0 e 1\n")
    fewer = qrels.where(np.array([False, True, False, True, True]))
    assert [fewer.judgements(topic) for topic in ("1", "2", "3")] == [{"b": 0}, {}, {"d": 2, "e": 1}]
    some = qrels.restricted_to(["3", "1", "unknown"])
    assert some.topics == ("1", "3")
    assert [some.judgements(topic) for topic in some.topics] == [{"a": 1, "b": 0}, {"d": 2, "e": 1}]


def test_subtopics_follow_their_documents(tmp_path: Path) -> None:
    qrels = read(tmp_path, b"1 1 a 1\n1 2 a 2\n1 2 b 1\n2 1 c 5\n2 2 c 1\n2 1 d 1\n")
    some = qrels.restricted_to(["2"])
    assert some.to_bytes() == b"2 1 c 5\n2 2 c 1\n2 1 d 1\n"
    fewer = qrels.where(np.array([False, True, False, True]))
    assert fewer.to_bytes() == b"1 2 b 1\n2 1 d 1\n"
    assert fewer.subtopics is not None
    assert fewer.subtopics.largest == 5  # of the whole file: leaving judgements out does not change what a grade is


@pytest.mark.parametrize(
    "content", [b"1 0 a 1\n1 0 b -1\n2 0 \xff 3\n", b"7 1 a 1\n7 2 a 3\n7 2 b 0\n", b"7 1 a 1 0.5\n7 2 a 3 1.0\n"]
)
def test_what_is_written_is_read_again(tmp_path: Path, content: bytes) -> None:
    qrels = read(tmp_path, content)
    assert qrels.to_bytes() == content
    qrels.write(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "q.txt: is empty"),
        (b"# nothing\n", "q.txt: is empty"),
        (b"7 0 d\n", "q.txt:1: 3 fields, expected 4 (topic 0 document grade)"),
        (b"7 0 d 1\n7 0 e 1 0.5\n", "q.txt:1: 4 fields, but other lines have 5"),
        (b"7 Q0 d 1 0.5 tag\n", "q.txt:1: 6 fields, expected 4 (topic 0 document grade); this looks like a run"),
    ],
)
def test_what_are_no_judgements_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    assert refusal(tmp_path, content).startswith(message)


claims = st.dictionaries(st.sampled_from(["1", "2", "3:1"]), st.sampled_from([1.0, 0.5]), min_size=1)
documents = st.lists(st.sampled_from(["EP1437003B1", "US-7", "12345", "d.1"]), min_size=1, unique=True)


@given(st.dictionaries(st.sampled_from(["1", "EP9A1"]), st.tuples(claims, documents), min_size=1), st.data())
def test_weighted_claims_are_read_back_without_naming_the_format(
    tmp_path_factory: pytest.TempPathFactory,
    topics: dict[str, tuple[dict[str, float], list[str]]],
    data: st.DataObject,
) -> None:
    """Also a single claim, claims that are all independent, and documents that are numbers."""
    rows = [
        (topic, document, data.draw(st.integers(0, 4)), claim, weight)
        for topic, (weights, listed) in topics.items()
        for claim, weight in weights.items()
        for document in listed
    ]
    names, ids, grades, labels, weights = zip(*rows, strict=True)
    written = ll.Qrels.from_columns(names, ids, grades, subtopics=labels, weights=weights)
    path = tmp_path_factory.mktemp("claims") / "claims.qrels"
    path.write_bytes(written.to_bytes())
    again = ll.read_qrels(path)
    assert again.kind == "subtopics"
    assert sorted(again.to_bytes().splitlines()) == sorted(written.to_bytes().splitlines())
