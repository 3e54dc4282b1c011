"""The tables read from the TREC-CHEM 2009 overview: what the script reads, and the checks on the numbers."""

from __future__ import annotations

import csv
import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from leadline.show.papers import published

SCRIPT = Path(__file__).parents[3] / "tools" / "read_trec_chem_2009.py"
FOLDER = Path(published.__file__).parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("read_trec_chem_2009", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def text(shared: Path) -> str:
    found = sorted(shared.parent.glob("papers/002_*.txt"))
    if not found:
        pytest.skip("needs the text of the overview")
    return found[0].read_text(encoding="utf-8")


def test_the_script_reads_what_is_stored(script: ModuleType, text: str) -> None:
    for name, rows in script.tables(text).items():
        with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file)) == rows, name


def test_the_needs_are_in_our_own_words(text: str) -> None:
    said = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
    for record in published.table("trec_chem_2009_ts_topics"):
        words = re.findall(r"[a-z0-9]+", str(record["need"]).lower())
        for place in range(len(words) - 5):
            assert " ".join(words[place : place + 6]) not in said


def test_the_18_topics() -> None:
    records = published.table("trec_chem_2009_ts_topics")
    assert [record["topic"] for record in records] == [f"TS-{number + 1}" for number in range(18)]
    assert [record["topic"] for record in records if not record["title"]] == ["TS-18"]


def test_full_means_follow_from_the_parts() -> None:
    full, ep, us = (published.prior_art(f"pa_{name}") for name in ("full", "ep", "us"))
    assert full.runs == ep.runs == us.runs
    assert len(full.runs) == 47
    off = np.abs((77 * ep.values + 923 * us.values) / 1000 - full.values) > 0.0001 + 1e-9
    found = [(full.runs[r], full.measures[m], full.notes[r].get(full.measures[m])) for r, m in np.argwhere(off)]
    assert found == [("BiTeM09PAcbb", "nDCG", "doubtful")]


def test_the_short_task_has_the_european_topics() -> None:
    short, ep = published.prior_art("pa_short"), published.prior_art("pa_ep")
    assert len(short.runs) == 59
    for run, values in zip(short.runs, short.values, strict=True):
        if run.removesuffix("_sm") in ep.runs:
            parts = ep.values[ep.runs.index(run.removesuffix("_sm"))]
            rest = (100 * values - 77 * parts) / 23
            rest = rest[~np.isnan(rest)]
            assert (rest > -0.005).all(), run
            assert (rest < 1).all(), run


def test_p_30_of_the_short_task_counts_documents() -> None:
    short = published.prior_art("pa_short")
    values = short.values[:, short.measures.index("P_30")]
    values = values[~np.isnan(values)]
    assert np.abs(np.round(3000 * values) / 3000 - values).max() <= 0.00005 + 1e-9


@pytest.mark.parametrize(
    ("name", "notes", "damaged"),
    [
        ("short", {"other line": 19, "table 1": 8, "doubtful": 1, "missing": 18}, 14),
        ("full", {"other line": 20, "EP and US": 15, "table 2": 7, "doubtful": 1}, 13),
        ("ep", {"other line": 28, "full and US": 14}, 7),
        ("us", {}, 0),
    ],
)
def test_mended_cells(name: str, notes: dict[str, int], damaged: int) -> None:
    table = published.prior_art(f"pa_{name}")
    assert Counter(note for run in table.notes for note in run.values()) == notes
    assert sum(map(bool, table.notes)) == damaged
    assert int(np.isnan(table.values).sum()) == notes.get("missing", 0)


def test_students_judgements_add_up() -> None:
    records = published.table("trec_chem_2009_ts_student_judgements")
    assert len(records) == 18
    for record in records:
        assert sum(list(record.values())[2:]) == record["documents"]


def test_mended_values_that_another_table_confirms() -> None:
    full = published.prior_art("pa_full")
    assert full.at("CMU09Chmtcdd", "MAP") == 0.0975
    assert full.note("CMU09Chmtcdd", "MAP") == "table 2"
    assert full.at("BiTeM09PAqe", "P_30") == 0.2547
