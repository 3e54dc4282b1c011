"""Pools: who is in them, what is sampled, what is written, and that estimates from them are fair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline as ll
from leadline.errors import InputError
from leadline.judge.adaptive_rules import RULES, compare_rules, next_documents
from leadline.judge.judging_quality import estimate_missing
from leadline.judge.pools import (
    Pool,
    draw_pool,
    extend_pool,
    parse_strata,
    sample_sizes,
    sizes_within_budget,
)
from leadline.records.qrels import read_qrels

TREC_CHEM = "10:1,30:0.3,100:0.1"


def field(
    runs: int = 6, topics: int = 8, documents: int = 400, seed: int = 1
) -> tuple[list[ll.Run], dict[str, dict[str, int]]]:
    """Runs of different quality, and the complete truth they are judged by."""
    rng = np.random.default_rng(seed)
    truth: dict[str, dict[str, int]] = {}
    lists: list[dict[str, dict[str, float]]] = [{} for _ in range(runs)]
    for t in range(topics):
        relevance = (rng.random(documents) < 0.08) * rng.integers(1, 3, documents)
        truth[str(t)] = {f"d{n}": int(grade) for n, grade in enumerate(relevance)}
        for r in range(runs):
            score = relevance * (0.5 + 0.2 * r) + rng.normal(0, 1, documents)
            lists[r][str(t)] = {f"d{n}": float(value) for n, value in enumerate(score)}
    return [ll.Run.of(each, f"run{r}") for r, each in enumerate(lists)], truth


def test_a_stratum_is_that_of_the_best_rank() -> None:
    runs = [
        ll.Run.of({"1": {f"d{n}": -n for n in range(12)}}, "a"),
        ll.Run.of({"1": {f"d{n}": n for n in range(12)}}, "b"),
    ]
    rows = draw_pool(runs, strata="3:1,6:0.5").documents
    found = dict(zip(rows["document"], zip(rows["rank"], rows["stratum"], rows["runs"], strict=True), strict=True))
    assert found["d0"] == (1, 1, 1)
    assert found["d11"] == (1, 1, 1)
    assert found["d5"] == (6, 2, 1)
    assert found["d3"] == (4, 2, 1)
    assert len(rows) == 12  # six of each run, none in both
    assert rows.filter(pl.col("stratum") == 1)["sampled"].all()
    assert rows.filter(pl.col("stratum") == 2)["sampled"].sum() == 3


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 500), min_size=3, max_size=3), st.integers(1, 900))
def test_a_budget_is_kept_where_there_is_room(sizes: list[int], budget: int) -> None:
    strata = parse_strata(TREC_CHEM)
    drawn = sizes_within_budget(sizes, strata, budget)
    assert all(0 <= each <= size for each, size in zip(drawn, sizes, strict=True))
    fewest = sum(size > 0 for size in sizes)
    assert sum(drawn) == min(sum(sizes), max(budget, fewest))
    assert all(each >= 1 for each, size in zip(drawn, sizes, strict=True) if size)


def test_sizes_are_rounded_half_up_and_at_least_one() -> None:
    assert sample_sizes([5, 5, 1], parse_strata("1:0.5,2:0.3,3:0.01")) == [3, 2, 1]


@pytest.mark.parametrize("wrong", ["", "10", "ten:1", "30:1,10:1", "10:0", "10:2", "10:nan", "0:1"])
def test_wrong_strata_are_one_line(wrong: str) -> None:
    if wrong == "10":
        assert parse_strata(wrong)[0].rate == 1  # a rank alone is a pool of that depth
        return
    with pytest.raises(InputError, match="strata"):
        parse_strata(wrong)


def test_the_sample_depends_on_the_seed_alone() -> None:
    runs, _ = field(runs=4, topics=3)
    first = draw_pool(runs, seed=7)
    assert draw_pool(runs[::-1], seed=7).documents.equals(first.documents)
    assert not draw_pool(runs, seed=8).documents.equals(first.documents)


def test_more_runs_disturb_nothing(tmp_path: Path) -> None:
    runs, truth = field(runs=5)
    pool = draw_pool(runs[:3])
    pool.write(tmp_path / "pool")
    more = extend_pool(Pool.read(tmp_path / "pool"), runs[3:])
    both = pool.documents.join(more.documents, on=["topic", "document"], how="left", suffix="_new")
    assert both["stratum"].equals(both["stratum_new"].rename("stratum"), null_equal=False)
    assert (both["sampled"] == both["sampled_new"]).all()
    fresh = more.documents.join(pool.documents, on=["topic", "document"], how="anti")
    assert fresh["stratum"].min() == 4
    assert set(more.documents["document"]) >= {run.ranking("0")[0][0] for run in runs}
    with pytest.raises(InputError, match="is in the pool already"):
        extend_pool(more, runs[:1])
    assert "ranks 1-10 (added 1)" in more.sizes().columns
    del truth


def test_contributions_of_earlier_runs_are_known_after_an_extension(tmp_path: Path) -> None:
    runs, _ = field(runs=5)
    pool = draw_pool(runs[:3])
    pool.write(tmp_path / "pool")
    assert Pool.read(tmp_path / "pool").contributions().rows == pool.contributions().rows
    more = extend_pool(Pool.read(tmp_path / "pool"), runs[3:])
    whole = {row[0]: row for row in draw_pool(runs).contributions().rows}
    assert [row[0] for row in more.contributions().rows] == [run.name for run in runs]
    for name, pooled, _, only, _ in more.contributions().rows:  # what is sampled differs
        assert (pooled, only) == (whole[name][1], whole[name][3])


def test_the_file_is_read_as_strata_and_comes_back(tmp_path: Path) -> None:
    runs, truth = field(runs=3)
    pool = draw_pool(runs)
    pool.write(tmp_path / "pool.txt")
    read = Pool.read(tmp_path / "pool.txt")
    wanted = pool.to_judge().select("topic", "document").rows()
    assert set(read.to_judge().select("topic", "document").rows()) == set(wanted)
    assert (read.strata, read.seed, read.runs) == (pool.strata, pool.seed, pool.runs)
    grades = {
        (topic, document): truth[topic][document]
        for topic, document in pool.to_judge().select("topic", "document").rows()
    }
    (tmp_path / "judged.txt").write_bytes(pool.lines(grades))
    judged = read_qrels(tmp_path / "judged.txt", format="strata")
    assert set(judged.grades.tolist()) == {-1, 0, 1, 2}
    named = {run.name: run for run in runs}
    scores = ll.evaluate(tmp_path / "judged.txt", named, "xinfAP infNDCG", qrels_format="strata")
    assert np.isfinite(scores.values).all()
    (tmp_path / "pool.txt.json").write_text("{}")
    with pytest.raises(InputError, match="is not the record of a pool"):
        Pool.read(tmp_path / "pool.txt")
    (tmp_path / "pool.txt.json").unlink()
    with pytest.raises(InputError, match="is missing: make the pool again"):
        Pool.read(tmp_path / "pool.txt")
    (tmp_path / "pool.txt.journal").touch()  # it may have marks, so the pool is not made again
    with pytest.raises(InputError, match="is missing: restore it from a copy; the journal still has the marks"):
        Pool.read(tmp_path / "pool.txt")


def test_families_are_judged_once() -> None:
    run = ll.Run.of({"1": {f"d{n}": -n for n in range(8)}}, "a")
    families = {f"d{n}": f"f{n // 2}" for n in range(8)}
    pool = draw_pool([run], strata="8:1", families=families)
    assert pool.to_judge()["document"].to_list() == ["d0", "d2", "d4", "d6"]
    assert b"1 0 d1 1 2" in pool.lines({("1", "d0"): 2})
    later = ll.Run.of({"1": {"d9": 2.0, "x": 1.0}}, "b")
    more = extend_pool(pool, [later], families={**families, "d9": "f0"})
    rows = {row["document"]: row for row in more.documents.iter_rows(named=True)}
    assert (rows["d9"]["unit"], rows["d9"]["stratum"]) == ("d0", 1)
    assert rows["x"]["stratum"] == 2


def test_contributions_count_what_only_one_run_found() -> None:
    runs = [ll.Run.of({"1": {"a": 3.0, "b": 2.0}}, "one"), ll.Run.of({"1": {"b": 3.0, "c": 2.0, "d": 1.0}}, "two")]
    rows = draw_pool(runs, strata="3:1").contributions().rows
    assert [list(row) for row in rows] == [["one", 2, 2, 1, 1], ["two", 3, 3, 2, 2]]


def test_estimates_from_a_stratified_pool_are_fair() -> None:
    """Over samples, xinfAP is on average AP of the fully judged pool; so are the relevant documents of the pool."""
    runs, truth = field(runs=6, topics=10)
    named = {run.name: run for run in runs}
    whole = draw_pool(runs, strata="100:1")
    complete = {(t, d): truth[t][d] for t, d in whole.documents.select("topic", "document").rows()}
    expected = ll.evaluate(whole.qrels(complete), named, "AP").mean_values().mean()
    relevant = sum(grade > 0 for grade in complete.values())
    errors, totals = [], []
    for seed in range(20):
        judged = draw_pool(runs, strata=TREC_CHEM, seed=seed).qrels(complete)
        errors.append(ll.evaluate(judged, named, "xinfAP").mean_values().mean() - expected)
        totals.append(sum(each.relevant for each in estimate_missing(judged)) - relevant)
    for error in (np.array(errors), np.array(totals)):
        assert abs(error.mean()) < 3 * error.std(ddof=1) / np.sqrt(len(error)) + 0.002


def test_what_is_missing_is_estimated_with_an_interval() -> None:
    runs, truth = field(runs=6, topics=10)
    whole = draw_pool(runs, strata="100:1")
    complete = {(t, d): truth[t][d] for t, d in whole.documents.select("topic", "document").rows()}
    inside, tried = 0, 0
    for seed in range(10):
        judged = draw_pool(runs, seed=seed).qrels(complete)
        for each in estimate_missing(judged):
            real = sum(grade > 0 for (topic, _), grade in complete.items() if topic == each.topic)
            inside += each.low <= real <= each.high
            tried += 1
            assert each.found <= each.low <= each.high
    assert inside / tried > 0.9
    full = estimate_missing(whole.qrels(complete))[0]
    assert (full.low, full.high, full.recall) == (full.found, full.found, 1.0)


def test_rules_that_follow_the_judgements_find_more() -> None:
    runs, truth = field(runs=8)
    judged = ll.Qrels.of(truth)
    table = compare_rules(runs, judged, [30, 100])
    share = {(row[0], row[1]): row[4] for row in table.rows}
    assert set(RULES) == {"depth", "move-to-front", "bandit"}
    assert share["move-to-front", 30] > share["depth", 30]
    assert share["bandit", 30] > share["depth", 30]
    assert all(0 < value <= 1 for value in share.values())
    asked = next_documents(runs, ll.Qrels.of({"0": {"d0": 1}}), "bandit", 5)
    assert all(len(documents) == 5 for documents in asked.values())


def test_a_pool_and_a_record_of_another_pool_are_refused(tmp_path: Path) -> None:
    runs, _ = field(runs=3)
    draw_pool(runs).write(tmp_path / "pool.txt")
    draw_pool(runs, seed=9).write(tmp_path / "other.txt")
    (tmp_path / "other.txt.json").replace(tmp_path / "pool.txt.json")
    with pytest.raises(InputError, match=r"is not the pool that .*pool\.txt\.json records: make the pool again"):
        Pool.read(tmp_path / "pool.txt")


def test_ids_that_are_not_utf8_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes(b"1 Q0 d\xff 1 0.5 tag\n")
    with pytest.raises(InputError, match=r"d\\xff is not UTF-8"):
        draw_pool([ll.read_run(tmp_path / "a.run")])
