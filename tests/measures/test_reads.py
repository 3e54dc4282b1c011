"""Reading logs: order, seconds, and what is wrong with a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.measures.run_source import read_reading_log


def log(folder: Path, content: str, name: str = "log.txt") -> Path:
    path = folder / name
    path.write_text(content)
    return path


def as_list(path: Path) -> list[tuple[str, str, float]]:
    """Topic, document and seconds in the order read."""
    run, seconds = read_reading_log(path)
    return [
        (topic, run.documents[line], float(seconds[line]))
        for t, topic in enumerate(run.topics)
        for line in run.order[run.offsets[t] : run.offsets[t + 1]].tolist()
    ]


def test_the_order_is_that_of_the_file(tmp_path: Path) -> None:
    path = log(tmp_path, "# one session\n7 z 30\n8\tb\t1.5\n\n7 a 0\n")
    assert as_list(path) == [("7", "z", 30.0), ("7", "a", 0.0), ("8", "b", 1.5)]
    assert read_reading_log(path)[0].name == "log"


def test_a_document_read_again_is_another_one_that_nobody_judged(tmp_path: Path) -> None:
    path = log(tmp_path, "7 a 10\n7 b 20\n7 a 5\n8 a 1\n")
    assert as_list(path) == [("7", "a", 10.0), ("7", "b", 20.0), ("7", "a again 2", 5.0), ("8", "a", 1.0)]


def test_csv_with_a_header(tmp_path: Path) -> None:
    path = log(tmp_path, "seconds,query_id,docno\n3,7,z\n4,7,a\n2,7,z\n", "log.csv")
    assert as_list(path) == [("7", "z", 3.0), ("7", "a", 4.0), ("7", "z again 2", 2.0)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("7 a 1\n7 b\n", r"log\.txt:2: 2 fields, expected 3 \(topic document seconds\)"),
        ("# who\n7 a 1\n7 b 2 3\n", r"log\.txt:3: 4 or more fields, expected 3"),
        ("7 a long\n", r"log\.txt:1: seconds 'long' is not a number"),
        ("7 a 1\n\n7 b -2\n", r"log\.txt:3: seconds '-2': expected 0 or more"),
        ("7 a inf\n", r"log\.txt:1: seconds 'inf'"),
        ("7 a nan\n", r"log\.txt:1: seconds 'nan' is not a number"),
        ("# nothing\n", r"log\.txt: is empty"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_reading_log(log(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("topic,document,seconds\n7,a,1\n7,b,-2\n", r"log\.csv:3: seconds '-2': expected 0 or more"),
        ("topic,document,seconds\n7,a,x\n", r"log\.csv:2: seconds 'x' is not a number"),
        ("topic,document\n7,a\n", r"log\.csv: no column seconds"),
        ("topic,document,seconds\n", r"log\.csv: has a header and nothing under it"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_reading_log(log(tmp_path, content, "log.csv"))
