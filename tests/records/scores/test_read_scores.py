"""Tables of scores in every usual form become the same cube, and wrong ones are refused with their place."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import assume, given
from hypothesis import strategies as st

from leadline.errors import InputError, visible
from leadline.records.result import Table
from leadline.records.scores import Scores, read_scores
from leadline.show.papers import published

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def one(content: str | bytes, name: str = "scores.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return one


def cube() -> Scores:
    values = np.random.default_rng(3).random((2, 3, 2))
    values[1, 2, 0] = np.nan
    return Scores(("bm25", "a b,c"), ("501", "TS-2", "3"), ("AP", "nDCG(gain=exp)@10"), values)


def same(found: Scores, expected: Scores) -> None:
    assert (found.runs, found.topics, found.measures) == (expected.runs, expected.topics, expected.measures)
    assert np.array_equal(found.values, expected.values, equal_nan=True)


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "parquet"])
def test_what_evaluate_writes_comes_back(format: str, write: Write) -> None:
    scores = cube()
    same(read_scores(write(scores.long(by_topic=True).encoded(format), f"scores.{format}")), scores)
    means = read_scores(write(scores.long().encoded(format), f"scores.{format}"))
    assert means.topics == ("all",)
    assert np.array_equal(means.values[:, 0], scores.mean_values())


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress, zstandard.compress])
def test_compressed(format: str, compress: Callable[[bytes], bytes], write: Write) -> None:
    same(read_scores(write(compress(cube().long(by_topic=True).encoded(format)), "scores")), cube())


def test_the_wide_table_by_topic_comes_back(write: Write) -> None:
    same(read_scores(write(cube().wide(by_topic=True).encoded("csv"))), cube())


@pytest.mark.parametrize("measure", ["xinfAP", "infNDCG"])
def test_a_row_a_run_and_a_column_a_topic(measure: str) -> None:
    folder = Path(published.__file__).parent
    found = read_scores(folder / f"trec_chem_2009_ts_{measure.lower()}.csv", measure=measure)
    same(found, published.trec_chem_2009(measure))
    assert found.notes[0].endswith("read as one row per run, one column per topic")


def test_a_row_a_run_and_a_column_a_measure() -> None:
    found = read_scores(Path(published.__file__).parent / "clef_ip_2009_scores.csv")
    same(found, published.clef_ip_2009())


def test_a_row_a_topic_and_a_column_a_run(golden: Path) -> None:
    found = read_scores(golden / "inputs/scores/ap.matrix.tsv")
    assert found.runs == tuple(f"sys{place}" for place in range(8))
    assert (found.topics[0], found.topics[-1], found.values.shape) == ("501", "525", (8, 25, 1))
    assert found.values[:2, 0, 0].tolist() == [0.6667, 0.8095]


EXPECTED = Scores(("a", "b"), ("1", "2"), ("AP",), np.array([[[0.1], [0.2]], [[0.3], [np.nan]]]))


@pytest.mark.parametrize(
    "content",
    [
        "run,topic,measure,value\na,1,AP,0.1\na,2,AP,0.2\nb,1,AP,0.3\n",
        "System;Query_ID;Metric;Score\na;1;AP;0.1\na;2;AP;0.2\nb;1;AP;0.3\nb;2;AP;NA\n",
        "run topic measure value\na 1 AP 0.1\na 2 AP 0.2\n\nb 1 AP 3e-1\n",
        "\ufeffrun,topic,value\r\na,1,.1\r\na,2,.2\r\nb,1,.3\r\nb,2,\r\n",
        'value\tmeasure\t"topic"\trun\n0.1\tAP\t"1"\ta\n0.2\tAP\t2\ta\n0.3\tAP\t1\tb\n',
        "run,topic,measure,value\na,all,AP,0.15\na,1,AP,0.1\na,2,AP,0.2\nb,1,AP,0.3\nb,all,AP,0.3\n",
        "run,1,2\na,0.1,0.2\nb,0.3,-\n",
        "run,1,2,all\na,0.1,0.2,0.15\nb,0.3,,0.3\n",
        ",1,2\na,0.1,0.2\nb,0.3,nan\n",
        "topic\ta\tb\n1\t0.1\t0.3\n2\t0.2\t\nall\t0.15\t0.3\n",
        "run,topic,AP\na,1,0.1\na,2,0.2\nb,1,0.3\n",
        "run,measure,1,2\na,AP,0.1,0.2\nb,AP,0.3,\n",
        '[{"run": "a", "1": 0.1, "2": 0.2}, {"run": "b", "1": 0.3, "2": null}]',
        '{"run": "a", "qid": 1, "AP": 0.1}\n{"run": "a", "qid": 2, "AP": 0.2}\n{"run": "b", "qid": 1, "AP": 0.3}',
        '{"a": {"1": 0.1, "2": 0.2}, "b": {"1": 0.3}}',
        '{"a": {"1": {"AP": 0.1}, "2": {"AP": 0.2}}, "b": {"1": {"AP": 0.3}}}',
        '{"run": ["a", "a", "b"], "topic": [1, 2, 1], "value": [0.1, 0.2, 0.3]}',
    ],
)
def test_one_cube_in_many_forms(content: str, write: Write) -> None:
    found = read_scores(write(content), measure="AP")
    same(found, EXPECTED)
    assert found.notes[-1] == "1 of 4 scores are missing and taken as undefined"


def test_numbers_as_names_in_a_data_frame(write: Write) -> None:
    rows = [["a", 1.0, 0.1], ["a", 2.0, 0.2], ["b", 1.0, 0.3]]
    same(read_scores(write(Table(["run", "qid", "AP"], rows).parquet(), "s.parquet")), EXPECTED)


@pytest.mark.parametrize(
    ("header", "runs", "topics", "measures"),
    [
        ("run,501,502", 1, 2, 1),
        ("run,TS-1,EP1234567-A1", 1, 2, 1),
        ("run,MAP,F1", 1, 1, 2),
        ("run,P@5,P@10", 1, 1, 2),
        ("run,P_5,ndcg_cut_10", 1, 1, 2),
        ("run,nDCG10,recall1000", 1, 1, 2),
        ("run,all", 1, 1, 1),
        ("topic,bm25,ql", 2, 1, 1),
        ("topic,AP@10,P_5", 1, 1, 2),
        ("measure,bm25,ql", 2, 1, 1),
        ("topic,measure,value,other", 1, 1, 1),
    ],
)
def test_what_columns_are_taken_for(header: str, runs: int, topics: int, measures: int, write: Write) -> None:
    line = ",".join(["1"] * len(header.split(",")))
    assert read_scores(write(f"{header}\n{line}\n")).values.shape == (runs, topics, measures)


def test_columns_can_be_said(write: Write) -> None:
    path = write("run,p1,p2\na,0.1,0.2\n")
    assert read_scores(path).topics == ("p1", "p2")
    found = read_scores(path, columns="measures")
    assert (found.topics, found.measures, found.notes) == (("all",), ("p1", "p2"), ())
    alone = read_scores(write("topic,AP,R\n1,0.1,0.2\n", "mine.csv"), columns="measures")
    assert (alone.runs, alone.topics, alone.measures) == (("mine",), ("1",), ("AP", "R"))
    with pytest.raises(InputError, match="its rows already name the runs, in the column 'run'"):
        read_scores(path, columns="runs")
    with pytest.raises(InputError, match="did you mean topics"):
        read_scores(path, columns="topic")  # type: ignore[arg-type]


def test_means_tell_how_a_measure_is_averaged(write: Write) -> None:
    scores = Scores(
        ("a", "b"), ("1", "2"), ("AP", "num_rel", "GMAP", "other"),
        np.array([[[0.2, 3, 0.2, 1], [0.4, 4, 0.4, 1]], [[0.5, 3, 0.5, 1], [0.1, 4, 0.1, 1]]]),
        aggregates=("mean", "sum", "geometric", "mean"),
    )  # fmt: skip
    long = scores.long(by_topic=True)
    rows = [[*row[:3], 7.0] if (row[1], row[2]) == ("all", "other") else row for row in long.rows]
    found = read_scores(write(replace(long, rows=rows).encoded("tsv"), "s.tsv"))
    assert found.aggregates == ("mean", "sum", "geometric", "mean")
    assert found.notes == ("other: the topic all is not the mean of the topics given; their mean is taken",)


def test_a_run_with_only_a_mean_is_left_out_aloud(write: Write) -> None:
    found = read_scores(write("run,topic,value\na,1,0.1\na,2,0.3\na,all,0.2\nb,all,0.9\n"))
    assert (found.runs, found.topics) == (("a",), ("1", "2"))
    assert found.notes == ("only a mean and no topic is given for b: left out",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("run,qid,measure,value\na,1,AP,0.1\n\na,2,AP,high\n", r"scores.csv:4: 'high' in column value is not a number"),
        ("run;1\na;0,5\n", r"scores.csv:2: '0,5' in column 1 is not a number; write 0.5"),
        ("run,1,2\na,0.1,inf\n", r"scores.csv:2: 'inf' in column 2 is not a number"),
        ("run,topic,value\na,1,0.1\na,2,0.1\na,1,0.2\n", r":4: run a, topic 1, measure score is .* in line 2"),
        ("run,1,2\na,0.1,0.2\na,0.3,0.4\n", r":3: run a, topic 1, measure score is given twice, first in line 2"),
        ("run,1,1\na,0.1,0.2\n", r"scores.csv:1: column 1 is given twice"),
        ("run,1,2\na,0.1\n", r":2: 2 fields, the header has 3 \(run, 1, 2\)"),
        ("run,topic,value\na,,0.1\n", r":2: topic is missing"),
        ("run,topic,measure\na,1,AP\n", "no column of scores beside run, topic, measure; expected run, "),
        ("run,1,2\n", "has a header and nothing under it"),
        ("\n\n", "is empty"),
        ("run,1,2\na,,NA\n", "holds no number"),
        ('[{"run": "a", "1": "x"}]', "row 1: 'x' in column 1 is not a number"),
        ('[{"run": "a", "1": [2]}]', "row 1: '.2.' in column 1 is not a number"),
        ('[{"run": "a", "1": 0.1}, {"run": "a", "1": 0.2}]', "row 2: run a, topic 1, .* twice, first in row 1"),
        ("[1, 2]", "row 1: a JSON list must hold records"),
        ('{"a": {"1": 0.1}, "b": [1]}', "'b' holds list, expected records"),
        ('{"a": [1], "b": [1, 2]}', "columns of different lengths"),
        ('{"a": ', "is not readable JSON"),
        (b"PAR1 but no more", "is not readable parquet"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(content: str | bytes, message: str, write: Write) -> None:
    with pytest.raises(InputError, match=message):
        read_scores(write(content))


def test_a_misnamed_column_does_not_fill_the_memory(write: Write) -> None:
    path = write("run,topic,value\n" + "\n".join(f"r{place},t{place},0.5" for place in range(15_000)))
    with pytest.raises(InputError, match="15000 runs, 15000 topics and 1 measures are too many"):
        read_scores(path)


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs"]), min_size=1, max_size=6).filter(
    lambda name: name.lower() not in ("all", "-", "–", "na", "nan", "none", "null", "n/a")
)


@given(
    st.lists(names, min_size=1, max_size=4, unique=True),
    st.lists(names, min_size=1, max_size=4, unique=True),
    st.sampled_from(["tsv", "csv", "json"]),
)
def test_any_names_come_back(
    tmp_path_factory: pytest.TempPathFactory, runs: list[str], topics: list[str], format: str
) -> None:
    values = np.arange(len(runs) * len(topics), dtype=float).reshape(len(runs), len(topics), 1) / 7
    scores = Scores(tuple(runs), tuple(topics), ("AP",), values)
    path = tmp_path_factory.mktemp("names") / "s"
    path.write_bytes(scores.long(by_topic=True).encoded(format))
    if format == "csv":  # which has no escapes: what could control a terminal stays visible
        assume(len({*map(visible, runs)}) == len(runs) and len({*map(visible, topics)}) == len(topics))
        scores = replace(scores, runs=tuple(map(visible, runs)), topics=tuple(map(visible, topics)))
    same(read_scores(path), scores)


@given(st.binary(max_size=60) | st.text('run,topic\tvalue\n"\\{}[]:0.1 ', max_size=60).map(str.encode))
def test_anything_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "s"
    path.write_bytes(content)
    with contextlib.suppress(InputError):
        assert isinstance(read_scores(path), Scores)
