"""Runs as people write them: odd blanks, odd numbers, odd ids. Both engines read them alike, or refuse them alike."""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import struct
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.errors import LeadlineWarning
from leadline.measures.join import join_text
from leadline.records.qrels import read_qrels
from leadline.records.runs import run_names, run_paths
from leadline.text.source import SourceText


@pytest.fixture(params=["plain", "compiled"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LEADLINE_ENGINE", request.param)
    return str(request.param)


def read(folder: Path, content: bytes, name: str = "a.run", **options: str) -> ll.Run:
    path = folder / name
    path.write_bytes(content)
    return ll.read_run(path, **options)  # type: ignore[arg-type]


def refusal(folder: Path, content: bytes, **options: str) -> str:
    with pytest.raises(ll.InputError) as caught:
        read(folder, content, **options)
    return str(caught.value).removeprefix(f"{folder}/")


TWO = [("d2", 2.0), ("d1", 1.5)]


@pytest.mark.parametrize(
    "content",
    [
        b"7 Q0 d1 1 1.5 tag\n7 Q0 d2 2 2.0 tag\n",
        b"7 Q0 d1 1 1.5 tag\n7 Q0 d2 2 2.0 tag",
        b"7 Q0 d1 1 1.5 tag\r\n7 Q0 d2 2 2.0 tag\r\n",
        b"7\tQ0\td1\t1\t1.5\ttag\n7\tQ0\td2\t2\t2.0\ttag\n",
        b"  7  Q0 \t d1   1 1.5  tag  \n\t7 Q0 d2 2 2.0 tag\t\n",
        b"7\x0bQ0\x0cd1 1 1.5 tag\n7 Q0 d2 2 2.0 tag\n",
        b"\n\n7 Q0 d1 1 1.5 tag\n \t \n\r\n7 Q0 d2 2 2.0 tag\n\n",
        b"# a comment of six words here\n7 Q0 d1 1 1.5 tag\n  # another\n7 Q0 d2 2 2.0 tag\n#\n",
        b"\xef\xbb\xbf7 Q0 d1 1 1.5 tag\n7 Q0 d2 2 2.0 tag\n",
        b"7 Q0 d1 1 1.5 tag\r7 Q0 d2 2 2.0 tag\r",
        b"7 Q0 d2 2 2.0 tag\n7 Q0 d1 1 1.5 tag\n",
        b"7 Q0 d1 99 1.5 tag\n7 Q0 d2 98 2.0 other\n",
    ],
    ids=[
        "plain", "no last line feed", "CRLF", "tabs", "many blanks", "vertical tab and form feed", "empty lines",
        "comments", "byte order mark", "CR alone", "sorted", "ranks and tags ignored",
    ],
)  # fmt: skip
def test_blanks_and_line_ends(tmp_path: Path, content: bytes) -> None:
    run = read(tmp_path, content)
    assert run.topics == ("7",)
    assert run.ranking("7") == TWO
    assert run.name == "a"


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("0", 0.0), ("1", 1.0), ("+1.5", 1.5), ("-1.5", -1.5), (".5", 0.5), ("5.", 5.0), ("00012.50", 12.5),
        ("1e3", 1000.0), ("1E+3", 1000.0), ("1e-3", 0.001), ("12345678", 12345678.0), ("1234567.8", 1234567.8),
        ("0.1", 0.1), ("0.30000000000000004", 0.30000000000000004), ("9007199254740993", 9007199254740993.0),
        ("123456789012345678901234567890", 1.2345678901234568e29), ("0.1234567890123456789", 0.12345678901234568),
        ("1.7976931348623157e308", 1.7976931348623157e308), ("4.9e-324", 5e-324), ("2.4e-324", 0.0),
        ("1e22", 1e22), ("1e23", 1e23), ("8.5e-23", 8.5e-23), ("1e-400", 0.0), ("1e400", math.inf),
        ("-1e400", -math.inf), ("inf", math.inf), ("-inf", -math.inf), ("+INF", math.inf), ("Infinity", math.inf),
        ("1e0000000000000000000002", 100.0), ("0e99999999", 0.0),
    ],
)  # fmt: skip
def test_scores_are_read_to_the_last_bit(tmp_path: Path, written: str, number: float) -> None:
    run = read(tmp_path, f"7 Q0 d1 1 {written} tag\n".encode())
    assert struct.pack("d", run.ranking("7")[0][1]) == struct.pack("d", number)


@pytest.mark.parametrize(
    "written",
    ["0x10", "0x1p3", "1_000", "1,5", "ten", "1e", "1e+", ".", "-", "+", "e5", "1.5.2", "--1", "1f", "infin", "1e5x"],
)
def test_what_is_no_number_is_refused_with_its_line(tmp_path: Path, written: str) -> None:
    text = f"7 Q0 d1 1 1 tag\n# a comment\n7 Q0 d2 1 {written} tag\n".encode()
    fix = "; write 1.5" if written == "1,5" else ""
    assert refusal(tmp_path, text) == f"a.run:3: score {written!r} is not a number{fix}"


@pytest.mark.parametrize("written", ["nan", "NaN", "-nan", "+NAN"])
def test_nan_is_refused(tmp_path: Path, written: str) -> None:
    message = refusal(tmp_path, f"7 Q0 d1 1 {written} tag\n".encode())
    assert message.startswith("a.run:1: score is NaN")


def test_nan_of_python_objects_is_refused() -> None:
    with pytest.raises(ll.InputError, match="the score of d2 is NaN"):
        ll.Run.of({"7": {"d1": 1.0, "d2": math.nan}})


def test_negative_zero_ties_with_zero(tmp_path: Path) -> None:
    run = read(tmp_path, b"7 Q0 a 1 0.0 t\n7 Q0 c 1 -0.0 t\n7 Q0 b 1 0 t\n7 Q0 d 1 -1e-300 t\n")
    assert [name for name, _ in run.ranking("7")] == ["c", "b", "a", "d"]


def test_infinities_stand_at_the_ends(tmp_path: Path) -> None:
    run = read(tmp_path, b"7 Q0 a 1 -inf t\n7 Q0 b 1 inf t\n7 Q0 c 1 1e308 t\n7 Q0 d 1 inf t\n")
    assert [name for name, _ in run.ranking("7")] == ["d", "b", "c", "a"]


def test_a_document_listed_twice_is_refused(tmp_path: Path) -> None:
    text = b"\n7 Q0 d1 1 3 t\n8 Q0 d1 1 3 t\n# a comment\n7 Q0 d2 2 2 t\n7 Q0 d1 3 1 t\n"
    problem = "document 'd1' is listed twice for topic 7 (first on line 2); keep one of the two"
    assert refusal(tmp_path, text) == f"a.run:6: {problem}"


def test_a_document_listed_twice_with_one_score_is_refused(tmp_path: Path) -> None:
    assert "listed twice" in refusal(tmp_path, b"7 Q0 d1 1 1 t\n7 Q0 d1 1 1 t\n")


@pytest.mark.parametrize("order", ["rank", "file"])
def test_a_document_listed_twice_is_refused_in_any_order(tmp_path: Path, order: str) -> None:
    assert "listed twice" in refusal(tmp_path, b"7 Q0 d1 1 2 t\n7 Q0 d1 2 1 t\n", order=order)


def test_ids_that_differ_in_anything_are_different_documents(tmp_path: Path) -> None:
    names = [b"d", b"D", b"dd", b"d\x00", b"d ".strip() + b".", "é".encode(), "e\u0301".encode(), b"\xe9", b"d" * 70]
    lines = b"".join(b"7 Q0 %s 1 %d t\n" % (name, -place) for place, name in enumerate(names))
    run = read(tmp_path, lines)
    assert [name.encode("utf-8", "surrogateescape") for name, _ in run.ranking("7")] == names


def test_ids_that_are_not_utf_8_survive(tmp_path: Path) -> None:
    content = b"t\xff Q0 \xe9\xfe 1 1.5 a\nt\xff Q0 plain 2 0.5 a\n"
    run = read(tmp_path, content)
    assert run.topics == (b"t\xff".decode("utf-8", "surrogateescape"),)
    assert run.to_bytes() == content


def test_very_long_lines_and_names(tmp_path: Path) -> None:
    name = "x" * 200_000
    content = f"7 Q0 {name}1 1 1.0 t {'word ' * 50_000}\n7 Q0 {name}2 2 1.0 {'t' * 100_000}\n8 Q0 d 1 1 t\n"
    run = read(tmp_path, content.encode())
    assert [document[-2:] for document, _ in run.ranking("7")] == ["x2", "x1"]
    assert run.topics == ("7", "8")
    assert run.longer_lines == 1


def test_a_long_name_is_cut_in_messages(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, f"7 Q0 d 1 {'9x' * 1000} t\n".encode())) < 120


def test_topics_may_be_scattered(tmp_path: Path) -> None:
    run = read(tmp_path, b"2 Q0 a 1 1 t\n1 Q0 b 1 5 t\n2 Q0 c 1 3 t\n1 Q0 a 1 7 t\n2 Q0 b 1 2 t\n")
    assert run.topics == ("2", "1")
    assert run.ranking("2") == [("c", 3.0), ("b", 2.0), ("a", 1.0)]
    assert run.ranking("1") == [("a", 7.0), ("b", 5.0)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.run: is empty"),
        (b"\xef\xbb\xbf", "a.run: is empty"),
        (b"\n \n# only a comment\n", "a.run: is empty"),
        (b"7 Q0 d1 1 1.5\n", "a.run:1: 5 fields, expected 6 (topic Q0 document rank score tag)"),
        (b"7 Q0 d1 1 1 t\n7\n", "a.run:2: 1 field, expected 6 (topic Q0 document rank score tag)"),
        ("7 Q0 d 1 1 t".encode("utf-16"), "a.run: is UTF-16 text; save it as UTF-8"),
        (b"7 0 d1 1\n", "a.run:1: 4 fields, expected 6 (topic Q0 document rank score tag); this looks like judgements"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    assert refusal(tmp_path, content).startswith(message)


def test_orders(tmp_path: Path) -> None:
    text = b"7 Q0 a 3 9 t\n7 Q0 b 1 7 t\n7 Q0 c 2 8 t\n7 Q0 d 2 1 t\n"
    by = {order: [name for name, _ in read(tmp_path, text, order=order).ranking("7")] for order in ("rank", "file")}
    assert by == {"rank": ["b", "c", "d", "a"], "file": ["a", "b", "c", "d"]}
    assert [name for name, _ in read(tmp_path, text).ranking("7")] == ["a", "c", "b", "d"]


def test_by_rank_the_rank_must_be_a_number_and_the_score_need_not(tmp_path: Path) -> None:
    assert read(tmp_path, b"7 Q0 a 1 high t\n", order="rank").ranking("7")[0][0] == "a"
    assert refusal(tmp_path, b"7 Q0 a first 1 t\n", order="rank") == "a.run:1: rank 'first' is not a number"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    numbers = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, math.inf, *rng.normal(size=50).tolist()]
    run = ll.Run.of({"t1": {f"d{place}": number for place, number in enumerate(numbers)}, "t2": {"é": 1.0}}, "my run")
    run.write(tmp_path / "again.run")
    lines = (tmp_path / "again.run").read_text(encoding="utf-8").splitlines()
    assert [int(line.split()[3]) for line in lines] == [*range(1, len(numbers) + 1), 1]
    assert {line.split()[5] for line in lines} == {"my_run"}
    again = ll.read_run(tmp_path / "again.run")
    assert again.topics == run.topics
    for topic in run.topics:
        assert repr(again.ranking(topic)) == repr(run.ranking(topic))


def test_evaluating_a_file_gives_what_its_run_gives(tmp_path: Path) -> None:
    """The quick way from text to scores and the way through a Run meet, ties and scattered topics included."""
    rng = np.random.default_rng(11)
    judged = {str(t): {f"d{d}": int(rng.integers(0, 3)) for d in range(40)} for t in range(6)}
    lines = [
        f"{t} Q0 d{d} 0 {int(rng.integers(0, 9)) / 4} x" for t in range(8) for d in rng.permutation(60)[:30].tolist()
    ]
    for name, text in {"together": lines, "scattered": [lines[i] for i in rng.permutation(len(lines))]}.items():
        path = tmp_path / f"{name}.run"
        path.write_text("\n".join(text), encoding="utf-8")
        measures = ["AP", "nDCG@10", "P@5", "RR", "bpref"]
        from_file = ll.evaluate(judged, path, measures)
        from_run = ll.evaluate(judged, ll.read_run(path), measures)
        np.testing.assert_array_equal(from_file.values, from_run.values)
    together, scattered = (ll.evaluate(judged, tmp_path / f"{name}.run", ["AP"]) for name in ("together", "scattered"))
    np.testing.assert_array_equal(together.values, scattered.values)


def test_the_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("b.run", "a.run.gz", ".hidden", "10.run", "b.run.manifest.json"):
        (tmp_path / name).write_bytes(b"7 Q0 d1 1 1 tag\n")
    (tmp_path / "notes.txt").write_bytes(b"a note")
    (tmp_path / "folder").mkdir()
    (tmp_path / "10.run.manifest.json").write_text('{\n "what": "a run",\n "leadline": "0.1.0",\n "tag": "x"\n}\n')
    with pytest.warns(LeadlineWarning) as warned:
        assert len(run_paths([tmp_path])) == 3
    assert [str(each.message).rpartition("/")[2] for each in warned] == [
        "b.run.manifest.json: left out: is a note about a run",
        "notes.txt: left out: 2 fields, expected 6 (topic Q0 document rank score tag)",
    ]
    with pytest.raises(ll.InputError, match=r"b\.run\.manifest\.json: is a note about a run"):
        run_paths([tmp_path], strict=True)
    with pytest.warns(LeadlineWarning, match=r"b\.run is given twice: read once"):
        assert len(run_paths([tmp_path / "b.run", str(tmp_path / "*.run")])) == 2
    for name in ("b.run.manifest.json", "notes.txt"):
        (tmp_path / name).unlink()
    names = [Path(path).name for path in run_paths([tmp_path])]
    assert names == ["10.run", "a.run.gz", "b.run"]
    assert run_paths([tmp_path / "b.run", tmp_path, str(tmp_path / "*.run")])[0] == str(tmp_path / "b.run")
    assert len(run_paths([tmp_path / "b.run", tmp_path, str(tmp_path / "*.run")])) == 3
    with pytest.raises(ll.InputError, match=r"no such file; did you mean b\.run\?"):
        run_paths([tmp_path / "bb.run"])
    with pytest.raises(ll.InputError, match="without files"):
        run_paths([tmp_path / "folder"])


def test_names_tell_runs_apart() -> None:
    assert run_names(["x/a.run", "y/a.run", "y/b.run"]) == ["x/a", "y/a", "b"]
    assert run_names(["a.run", "a.txt"]) == ["a.run", "a.txt"]


def test_what_is_no_run_in_python_is_refused() -> None:
    for wrong in (3, "text", b"bytes", [1, 2], {"7": 3}, {}):
        with pytest.raises(ll.InputError):
            ll.Run.of(wrong)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_a_folder_of_runs_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 d1 1 0.5 tag\n")
    os.mkfifo(tmp_path / "b.run")
    os.mkfifo(tmp_path / "c.run.gz")
    with pytest.warns(LeadlineWarning, match=r"b\.run: left out: is not a file .*; so is 1 more"):
        assert run_paths([tmp_path]) == [str(tmp_path / "a.run")]


def test_logs_of_databases_are_no_runs(tmp_path: Path) -> None:
    for name in ("a.run", "a.run.journal-wal", "b-shm"):
        (tmp_path / name).write_bytes(b"7 Q0 d1 1 1 tag\n")
    with pytest.warns(LeadlineWarning) as warned:
        assert run_paths([tmp_path]) == [str(tmp_path / "a.run")]
    assert "left out: is a log of a database, not a run; so is 1 more" in str(warned[0].message)
    with contextlib.closing(sqlite3.connect(tmp_path / "pool.journal")) as database:
        database.execute(f"create table events (value text default '{'7' * 5000}')")
    with pytest.warns(LeadlineWarning, match=r"pool\.journal: left out: is a database, not a run"):
        assert run_paths([tmp_path]) == [str(tmp_path / "a.run")]
    (tmp_path / "pool.journal").unlink()
    with pytest.warns(LeadlineWarning, match="2 logs of databases left out"):
        assert run_paths([str(tmp_path / "*")]) == [str(tmp_path / "a.run")]
    with pytest.raises(ll.InputError, match="no file fits this pattern"):
        run_paths([str(tmp_path / "*-shm")])


def test_lines_that_a_cr_alone_divides_are_refused(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("7 0 d3 1\n")
    content = b"7 Q0 d1 1 2.5 tag\n7 Q0 d2 2 2.0 tag\r7 Q0 d3 3 1.5 tag\n"
    said = "a carriage return inside the line: ends of lines are mixed; write them all as LF or CRLF"
    assert refusal(tmp_path, content) == f"a.run:2: {said}"
    for kernels in (False, True):  # of machine code also where a run is joined in one pass
        with pytest.raises(ll.InputError, match="carriage return inside"):
            join_text(SourceText.of(content, "a.run"), "a", read_qrels(qrels), "score", kernels=kernels)
    assert len(read(tmp_path, b"7 Q0 d1 1 2.5 tag and more\r\n").documents) == 1
