"""Slices: counts, means and intervals by attribute, and bins that a person would have chosen."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from leadline.errors import InputError, MismatchError
from leadline.records.scores import Scores
from leadline.trust.by_topic import binned, read_attributes, roundest, slices


def field(runs: int = 2, topics: int = 12, better: str = "higher") -> Scores:
    values = np.random.default_rng(7).random((runs, topics, 1))
    names = tuple(f"r{place}" for place in range(runs))
    return Scores(names, tuple(f"t{place}" for place in range(topics)), ("AP",), values, better=(better,))  # type: ignore[arg-type]


OFFICES: dict[str, Any] = {f"t{place}": "EP" if place < 6 else "US" for place in range(9)}


def test_means_and_intervals_are_students() -> None:
    scores = field()
    found = slices(scores, "AP", OFFICES, "office")
    assert found.names == ("EP", "US", "no office")
    assert found.counts.tolist() == [6, 3, 3]
    for run in range(2):
        values = scores.values[run, :6, 0]
        low, high = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))
        assert found.means[0, run] == pytest.approx(values.mean(), abs=1e-12)
        assert (found.low[0, run], found.high[0, run]) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
    assert np.isnan(found.low[1:]).all()


def test_small_slices_and_missing_values_are_said_aloud() -> None:
    found = slices(field(), "AP", OFFICES, "office")
    assert found.notes == (
        "3 topics without a value of office, in a slice of their own: t9, t10, t11",
        "2 of 3 slices too small to say anything: fewer than 5 topics",
    )
    table = found.table()
    assert list(table.columns) == ["slice", "run", "topics", "mean", "low", "high", "warning"]
    assert [row[-1] for row in table.rows[::2]] == [
        "",
        "only 3 topics: too few to say anything (5 are needed)",
        "only 3 topics: too few to say anything (5 are needed)",
    ]
    assert len(table.best) == 1  # no winner where nothing can be said


def test_symbols_of_classes_are_cut_until_slices_are_large_enough() -> None:
    symbols: dict[str, Any] = {f"t{place}": symbol for place, symbol in enumerate(["C07D401/04", "C07C"] * 3)}
    found = slices(field(), "AP", symbols | {"t6": "C08L", "t7": "A61K", "t8": "A01N"}, "class")
    assert found.names == ("C07", "3 others", "no class")
    assert found.counts.tolist() == [6, 3, 3]
    assert found.notes[0] == "class: the symbols are cut to the class, and 3 with fewer than 5 topics are one slice"
    section = slices(field(), "AP", {f"t{place}": f"C0{place}B" for place in range(9)}, "class")
    assert section.names == ("C", "no class")
    few = slices(field(), "AP", {"t0": "C07D", "t1": "A61K"}, "class")
    assert few.names == ("A61K", "C07D", "no class")  # no level would help
    words = slices(field(), "AP", symbols | {"t6": "C07, perhaps"}, "class")
    assert words.names == ("C07C", "C07D401/04", "C07, perhaps", "no class")  # not symbols, or not all


def test_the_best_of_a_measure_that_is_better_low_is_the_lowest() -> None:
    for better, place in (("lower", np.argmin), ("higher", np.argmax)):
        found = slices(field(better=better), "AP", OFFICES, "office")
        assert found.table().best == {(int(place(found.means[0])), 3)}
    assert not slices(field(better="neither"), "AP", OFFICES, "office").table().best


def test_one_run_can_be_sliced() -> None:
    scores = field(runs=1)
    scores.values[0, 0, 0] = np.nan
    found = slices(scores, "AP", OFFICES, "office")
    assert found.counts.tolist() == [5, 3, 3]
    assert found.notes[0] == "AP: 1 topic undefined, left out"


def test_a_topic_one_run_lacks_is_left_out_for_all() -> None:
    scores = field()
    scores.values[0, 0, 0] = np.nan
    found = slices(scores, "AP", OFFICES, "office")
    assert found.counts.tolist() == [5, 3, 3]
    assert found.notes[0] == "AP: topic t0 has no value for r0; left out for all runs"


def test_a_topic_of_several_classes_is_in_several_slices() -> None:
    classes = {f"t{place}": ["C07D", "A61K"] if place < 2 else ["A61K"] for place in range(12)}
    found = slices(field(), "AP", classes, "class")
    assert dict(zip(found.names, found.counts.tolist(), strict=True)) == {"A61K": 12, "C07D": 2}
    assert found.notes[0] == "2 topics with more than one class, in more than one slice"


def test_numbers_go_into_bins_and_codes_do_not() -> None:
    lengths = {f"t{place}": str(100 * place + 7) for place in range(12)}
    assert slices(field(), "AP", lengths, "words").names == ("7 to 299", "300 to 599", "600 to 899", "900 or more")
    codes = {f"t{place}": f"0{place % 6}" for place in range(12)}
    assert slices(field(), "AP", codes, "class").names == ("00", "01", "02", "03", "04", "05")
    years = {f"t{place}": 2009 + place % 3 for place in range(12)}
    assert slices(field(), "AP", years, "year").names == ("2009", "2010", "2011")


def test_attributes_of_other_topics_are_refused() -> None:
    with pytest.raises(MismatchError, match="no topic has a value of office: the scores have topics t0, t1, t2 and 9"):
        slices(field(), "AP", {"501": "EP"}, "office")


values_in_bins = st.one_of(
    st.lists(st.integers(-50, 50), min_size=1, max_size=60),
    st.lists(st.integers(0, 8), min_size=1, max_size=60),
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60),
    st.lists(st.floats(1e-9, 1e-7), min_size=1, max_size=60),
    st.lists(st.floats(-1e-320, 1e-320), min_size=1, max_size=60),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60),
)


@given(values_in_bins)
@example([0, 1, 2, 3, 5e-324, -1])
@example([0, 1, 2, 3, 1.7e308, 1.6e308])
def test_every_value_is_in_one_bin_and_no_bin_is_empty(values: list[float]) -> None:
    numbers = np.array(values, float)
    bins = binned(numbers)
    members = np.stack([inside for _, inside in bins])
    assert (members.sum(axis=0) == 1).all()
    assert members.any(axis=1).all()
    assert len(bins) >= min(2, len(set(values)))
    assert len(bins) <= 5
    for (_, lower), (_, higher) in itertools.pairwise(bins):
        assert numbers[lower].max() < numbers[higher].min()


@given(st.lists(st.floats(0, 1000), min_size=40, max_size=80, unique=True))
def test_bins_of_distinct_values_are_of_like_size(values: list[float]) -> None:
    sizes = [int(inside.sum()) for _, inside in binned(np.array(values))]
    assert len(sizes) == 4
    assert min(sizes) >= 0.14 * len(values)


def test_edges_are_round() -> None:
    assert roundest(183.7, 261.2, 220) == 200
    assert roundest(0.0181, 0.0243, 0.02) == 0.02
    assert roundest(-261.2, -183.7, -220) == -200
    labels = [label for label, _ in binned(np.geomspace(3.2, 8123.7, 50))]
    assert labels == ["below 20", "20 to below 200", "200 to below 1000", "1000 or more"]


TABLE = [{"topic": "1", "office": "EP", "words": "120"}, {"topic": "2", "office": "US", "words": ""}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "topic,office,words\n1,EP,120\n2,US,\n"),
        ("t.tsv", "office\tqid\twords\nEP\t1\t120\nUS\t2\t\n"),
        ("t.csv", "number of the topic,office,words\n1,EP,120\n\n2,US,\n"),
        ("t.json", json.dumps(TABLE)),
        ("t.jsonl", "\n".join(map(json.dumps, TABLE))),
        ("t.json", json.dumps({"1": {"office": "EP", "words": "120"}, "2": {"office": "US", "words": ""}})),
    ],
)
def test_attributes_from_files(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(content.encode()))
    assert read_attributes(path) == {"office": {"1": "EP", "2": "US"}, "words": {"1": "120", "2": ""}}


def test_an_id_is_preferred_to_the_text_of_the_topic(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"topic": "water in oil", "query_id": 7, "ipc": ["C07D", "A61K"]}\n')
    assert read_attributes(path) == {"topic": {"7": "water in oil"}, "ipc": {"7": ["C07D", "A61K"]}}


def test_wrong_topic_files(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for content, message in (
        ("topic,office\n1,EP\n2,US\n1,WO\n", r"t.csv:4: topic 1 is listed twice, first in line 2"),
        ("topic\n1\n", r"one column \(topic\), expected topic and one or more attributes"),
        ("topic,office\n1,EP\n,US\n", r"t.csv:3: topic is missing"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            read_attributes(path)
