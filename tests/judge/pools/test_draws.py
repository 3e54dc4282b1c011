"""Pools drawn in rounds: who is drawn, how probably, and that what is estimated from them is right on average."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline as ll
from leadline.cli import main
from leadline.errors import InputError
from leadline.judge.draws import Draws, chances, checked_ends, read_machine, systematic
from leadline.judge.judging_quality import estimate_missing
from leadline.judge.pools import Pool, check_pool, draw_pool, extend_pool, pool_of_draws
from leadline.judge.relevance_model import RankedLists, predict, stakes
from leadline.records.manifest import check_manifest
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import headline
from leadline.text.checksums import sealed

Truth = Mapping[str, Mapping[str, int]]


def field(runs: int = 6, topics: int = 8, documents: int = 200, seed: int = 1) -> tuple[list[ll.Run], Truth]:
    """Runs of different quality, which list all documents, and the complete truth they are judged by."""
    rng = np.random.default_rng(seed)
    truth: dict[str, dict[str, int]] = {}
    lists: list[dict[str, dict[str, float]]] = [{} for _ in range(runs)]
    for t in range(topics):
        relevance = (rng.random(documents) < 0.1) * rng.integers(1, 3, documents)
        truth[str(t)] = {f"d{n}": int(grade) for n, grade in enumerate(relevance)}
        for r in range(runs):
            score = np.minimum(relevance, 1) * (1.2 + 0.2 * r) + rng.normal(0, 1, documents)
            lists[r][str(t)] = {f"d{n}": float(value) for n, value in enumerate(score)}
    return [ll.Run.of(each, f"run{r}") for r, each in enumerate(lists)], truth


def judged(pool: Pool, truth: Truth) -> dict[tuple[str, str], int]:
    return {(topic, name): truth[topic][name] for topic, name in pool.to_judge().select("topic", "document").rows()}


def after(rounds: int, runs: list[ll.Run], truth: Truth, **how: object) -> tuple[Pool, dict[tuple[str, str], int]]:
    """A pool after so many rounds were drawn and judged."""
    pool = pool_of_draws(Draws.first(runs, **how))  # type: ignore[arg-type]
    for _ in range(rounds - 1):
        pool = pool.next_round(judged(pool, truth))
    return pool, judged(pool, truth)


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=60), st.integers(1, 70), st.integers(0, 2**32))
@settings(deadline=None)
def test_chances_add_up_and_a_sample_has_so_many(weights: list[float], count: int, seed: int) -> None:
    found = chances(np.array(weights), count)
    wanted = min(count, len(weights))
    assert found.sum() == pytest.approx(wanted)
    assert (found > 0).all()
    assert (found <= 1).all()
    smaller = np.array(weights)[found < 1]
    if len(smaller) > 1:  # those that are not certain keep their proportions
        np.testing.assert_allclose(found[found < 1] / found[found < 1].sum(), smaller / smaller.sum())
    drawn = systematic(found, np.array(weights), np.random.default_rng(seed))
    assert len(set(drawn.tolist())) == len(drawn) == wanted
    assert set(np.flatnonzero(found >= 1).tolist()) <= set(drawn.tolist())


def test_documents_are_drawn_as_often_as_their_chances_say() -> None:
    found = chances(np.array([8.0, 3.0, 2.0, 1.0, 1.0, 0.5, 0.5]), 3)
    rng = np.random.default_rng(1)
    times = np.zeros(len(found))
    for _ in range(4000):
        times[systematic(found, np.arange(7), rng)] += 1
    np.testing.assert_allclose(times / 4000, found, atol=0.03)


def test_stakes_are_the_derivative_of_average_precision() -> None:
    runs, _ = field(3, topics=2, documents=12)
    lists = RankedLists.of(runs, depth=9)
    likely = np.random.default_rng(3).random(len(lists.documents))

    def averages(values: np.ndarray, topic: int) -> np.ndarray:
        found = []
        for run in lists.runs:
            z = values[lists.offsets[topic] + lists.placed(run, lists.topics[topic])]
            above = np.cumsum(z) - z
            inside = slice(lists.offsets[topic], lists.offsets[topic + 1])
            found.append((z * (1 + above) / np.arange(1, len(z) + 1)).sum() / values[inside].sum())
        return np.array(found)

    by_hand = []
    for place, topic in enumerate(lists.topic_of_document.tolist()):
        more, less = likely.copy(), likely.copy()
        more[place] += 1e-6
        less[place] -= 1e-6
        by_hand.append(((averages(more, topic) - averages(less, topic)) / 2e-6).std())
    np.testing.assert_allclose(stakes(lists, likely), by_hand, rtol=1e-5)


def test_leaving_a_document_out_is_what_the_model_without_it_says() -> None:
    runs, truth = field(4, topics=5, documents=60)
    lists = RankedLists.of(runs)
    places = np.random.default_rng(2).choice(len(lists.documents), 90, replace=False)
    topics = [lists.topics[t] for t in lists.topic_of_document.tolist()]
    relevant = np.array([truth[topics[place]][lists.documents[place]] >= 1 for place in places.tolist()])
    whole = predict(lists, places, relevant)
    for out in (0, 17, 55):
        rest = np.arange(90) != out
        exact = predict(lists, places[rest], relevant[rest]).all[places[out]]
        assert whole.left_out[out] == pytest.approx(exact, abs=0.03)
    assert np.corrcoef(whole.all[places], relevant)[0, 1] > 0.5


def test_the_order_of_the_runs_changes_nothing() -> None:
    runs, truth = field()
    one, grades = after(2, runs, truth, ends=(6, 12), seed=3)
    other, _ = after(2, runs[::-1], truth, ends=(6, 12), seed=3)
    assert one.documents.equals(other.documents)
    assert one.lines(grades) == other.lines(grades)
    assert not one.documents.equals(after(2, runs, truth, ends=(6, 12), seed=4)[0].documents)
    drawn = one.documents.group_by("topic").agg(pl.col("sampled").sum())
    assert set(drawn["sampled"].to_list()) == {12}


def test_estimates_are_right_on_average_and_their_intervals_cover() -> None:
    runs, truth = field(8, topics=12, documents=150)
    measures = "AP nDCG@20 P@10 R@50 PRES@100"
    real = ll.evaluate(truth, runs, measures).mean_values()
    errors, inside = [], []
    for seed in range(12):
        pool, grades = after(3, runs, truth, ends=(8, 16, 30), seed=seed)
        found = ll.evaluate(pool.qrels(grades), runs, measures)
        errors.append(found.mean_values() - real)
        inside.append(np.abs(errors[-1]) <= found.sampling_half_widths())
    assert np.abs(np.mean(errors, axis=(0, 1))).max() < 0.04
    assert np.mean(inside) > 0.9
    assert np.sqrt(np.mean(np.square(errors), axis=(0, 1))).max() < 0.08


def test_a_whole_pool_judged_gives_the_measures_themselves() -> None:
    runs, truth = field(3, topics=3, documents=40)
    pool, grades = after(1, runs, truth, ends=(40,))
    measures = "AP nDCG nDCG(gain=exp)@10 P@10 R@20 PRES@30 AP(rel=2)"
    found, real = ll.evaluate(pool.qrels(grades), runs, measures), ll.evaluate(truth, runs, measures)
    np.testing.assert_allclose(found.values, real.values, atol=1e-12)
    np.testing.assert_allclose(found.sampling_half_widths()[~np.isnan(found.sampling_half_widths())], 0, atol=1e-9)
    missing = estimate_missing(pool.qrels(grades))[0]
    assert missing.low == missing.relevant == missing.high == missing.found


def test_a_good_machine_narrows_the_intervals_and_a_bad_one_does_no_harm() -> None:
    runs, truth = field(6, topics=12, documents=150)
    rng = np.random.default_rng(5)
    pairs = [(topic, name) for topic, grades in truth.items() for name in grades]
    good = {
        (t, d): float(np.clip(0.5 + 0.3 * (2 * (truth[t][d] > 0) - 1) + rng.normal(0, 0.15), 0, 1)) for t, d in pairs
    }
    noise = {pair: float(rng.random()) for pair in pairs}
    against = {pair: 1 - chance for pair, chance in good.items()}
    real, widths, errors = ll.evaluate(truth, runs, "AP").mean_values(), {}, {}
    for name, machine in (("nobody", None), ("good", good), ("noise", noise), ("against", against)):
        width, error = [], []
        for seed in range(4):
            pool, grades = after(3, runs, truth, ends=(8, 16, 30), seed=seed, machine=machine)
            found = ll.evaluate(pool.qrels(grades), runs, "AP")
            width.append(found.sampling_half_widths().mean())
            error.append(np.abs(found.mean_values() - real).mean())
        widths[name], errors[name] = np.mean(width), np.mean(error)
        assert pool.draws is not None
        worth = pool.draws.machine_worth(grades)
        assert {"nobody": np.isnan(worth), "good": worth > 1.3, "noise": worth < 1.6, "against": worth > 1.3}[name]
    assert widths["good"] < 0.8 * widths["nobody"]
    assert widths["noise"] < 1.3 * widths["nobody"]
    assert errors["against"] < 1.3 * errors["nobody"] + 0.01  # a machine that says the opposite is as good as one


def test_a_pool_is_read_as_it_was_written(tmp_path: Path) -> None:
    runs, truth = field(3, topics=3, documents=60)
    machine = {("0", "d1"): 0.9, ("2", "d7"): 0.2}
    pool, grades = after(2, runs, truth, ends=(5, 10), machine=machine, machine_name="machine.txt")
    pool.write(tmp_path / "pool.txt")
    again = Pool.read(tmp_path / "pool.txt")
    assert again.documents.equals(pool.documents)
    assert again.lines(grades) == pool.lines(grades)
    assert again.contributions().rows == pool.contributions().rows
    assert not list(check_pool(tmp_path / "pool.txt"))
    assert again.next_round(grades, to=15).lines() == pool.next_round(grades, to=15).lines()
    shuffled = sorted((tmp_path / "pool.txt").read_text().splitlines(), reverse=True)
    (tmp_path / "pool.txt").write_text("\n".join(shuffled) + "\n")
    assert Pool.read(tmp_path / "pool.txt").lines(grades) == pool.lines(grades)


def test_the_report_says_what_a_machine_saved(tmp_path: Path) -> None:
    runs, truth = field(3, topics=6, documents=60)
    machine = {(t, d): 0.9 if grade else 0.1 for t, grades in truth.items() for d, grade in grades.items()}
    pool, grades = after(1, runs, truth, ends=(20,), machine=machine, machine_name="machine.txt")
    pool.write(tmp_path / "pool.txt")
    marks = "".join(f"{topic} 0 {name} {grade}\n" for (topic, name), grade in grades.items())
    (tmp_path / "marks.txt").write_text(marks)
    main(["judge", "import", str(tmp_path / "pool.txt"), str(tmp_path / "marks.txt"), "--person", "anna"])
    main(["judge", "export", str(tmp_path / "pool.txt"), "-o", str(tmp_path / "qrels.txt")])
    assert not list(check_manifest(tmp_path / "qrels.txt"))
    evidence = Evidence.of(tmp_path / "qrels.txt", runs, "AP", samples=20)
    assert evidence.machine_saved.startswith("20 judged a topic with machine.txt are worth about ")
    assert evidence.machine_saved.endswith(" by people alone (for AP).")
    assert evidence.machine_saved in headline(evidence).sure


def test_what_is_stopped_between_pool_and_record_is_the_pool_before(tmp_path: Path) -> None:
    runs, truth = field(3, topics=3, documents=60)
    pool, grades = after(1, runs, truth, ends=(5, 10))
    path = tmp_path / "pool.txt"
    pool.write(path)
    before = path.read_bytes()
    more = pool.next_round(grades)
    more.write_round(path)
    path.write_bytes(before)  # the record is new, the pool is not
    assert Pool.read(path).lines() == pool.lines()
    assert Pool.read(path).next_round(grades).lines() == more.lines()


def test_damage_is_an_error(tmp_path: Path) -> None:
    runs, truth = field(3, topics=3, documents=60)
    pool, _ = after(1, runs, truth, ends=(5, 10))
    path, record = tmp_path / "pool.txt", tmp_path / "pool.txt.json"
    pool.write(path)
    whole = json.loads(record.read_text())
    for key, value in (
        ("listed", "####"),
        ("lengths", "eA=="),
        ("ends", [3, 2]),
        ("round_of", whole["draws"]["listed"]),
    ):
        record.write_bytes(sealed({**whole, "draws": {**whole["draws"], key: value}}))
        assert [each.mend for each in check_pool(path)] != []
        with pytest.raises(InputError, match=r"make the pool again|must end at"):
            Pool.read(path)
    pool.write(path)
    path.write_text(path.read_text().replace(" -2 0", " -1 0", 1))
    with pytest.raises(InputError, match="has other documents drawn than its pool"):
        Pool.read(path)


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    runs, truth = field(3, topics=2, documents=20)
    pool, grades = after(2, runs, truth, ends=(5, 10))
    with pytest.raises(
        InputError, match="all rounds are drawn, the last ends at 10 a topic: name another end, such as 20"
    ):
        pool.next_round(grades)
    with pytest.raises(InputError, match="none of the 20 documents drawn is judged yet"):
        pool.next_round({}, to=12)
    whole = pool.next_round(grades, to=20)
    with pytest.raises(InputError, match="every document that the runs found was drawn"):
        whole.next_round(judged(whole, truth), to=30)
    strata = ll.Run.of({"1": {"a": 1.0}}, "x")
    with pytest.raises(InputError, match="was drawn by strata"):
        draw_pool([strata]).next_round({})
    with pytest.raises(InputError, match="is drawn in rounds"):
        extend_pool(pool, [strata])
    with pytest.raises(InputError, match="ascend from 1, got 5, 5"):
        checked_ends([5, 5])


def test_a_machine_is_read_as_probabilities_or_labels(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("1 a 0.9\n1 b 0\n")
    (tmp_path / "l.txt").write_text("1 0 a 2\n1 0 b 0\n1 0 c -1\n")
    assert read_machine(tmp_path / "p.txt") == {("1", "a"): 0.9, ("1", "b"): 0.0}
    assert read_machine(tmp_path / "l.txt") == {("1", "a"): 1.0, ("1", "b"): 0.0}
    for text, problem in (
        ("1 a 1.2\n", "p.txt:1: probability 1.2 is not between 0 and 1"),
        ("1 a 0.2\n1 a 0.3\n", "p.txt:2: document 'a' is judged twice for topic 1"),
        ("1 a\n", "2 fields, expected 3"),
        ("1 a b c d\n", "5 fields, expected 3"),
    ):
        (tmp_path / "p.txt").write_text(text)
        with pytest.raises(InputError, match=problem):
            read_machine(tmp_path / "p.txt")
    runs, _ = field(2, topics=2, documents=20)
    with pytest.raises(InputError, match="judges none of the documents"):
        Draws.first(runs, machine={("9", "z"): 0.5})


@pytest.mark.parametrize("name", ["pool.txt", "pool.txt.json"])
@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "longer", "flipped", "swapped"])
def test_every_damage_is_found(name: str, damage: str, tmp_path: Path) -> None:
    runs, truth = field(3, topics=3, documents=40)
    for folder, seed in (("a", 1), ("b", 2)):
        (tmp_path / folder).mkdir()
        after(1, runs, truth, ends=(5, 10), seed=seed)[0].write(tmp_path / folder / "pool.txt")
    path = tmp_path / "a" / name
    content = path.read_bytes()
    middle = len(content) // 2
    changed = {
        "empty": b"",
        "cut": content[:middle],
        "longer": content + b"x",
        "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "swapped": (tmp_path / "b" / name).read_bytes(),
    }
    path.unlink() if damage == "gone" else path.write_bytes(changed[damage])
    found = list(check_pool(tmp_path / "a" / "pool.txt"))
    assert found
    assert all(each.mend for each in found)
