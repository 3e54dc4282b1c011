"""Effort at equal recall: by hand, against the catalogue, tar_eval and scipy, and what must hold for any runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline as ll
from leadline.errors import InputError, MismatchError
from leadline.records.qrels import read_qrels
from leadline.records.runs import read_run
from leadline.trust.effort_to_recall import EffortToRecall, median_interval, ratio_interval, signed_ranks
from leadline.trust.randomisation import flip_p


def field(*ranks: list[list[int]], relevant: int = 2, depth: int = 60) -> tuple[dict, dict]:
    """Judgements and runs named a, b, ... with relevant documents at these ranks: for each run a list by topic."""
    topics = [str(topic) for topic in range(len(ranks[0]))]
    qrels = {topic: {f"r{n}": 1 for n in range(relevant)} | {"x0": 0} for topic in topics}
    runs = {}
    for name, by_topic in zip("abcdefgh", ranks, strict=False):
        runs[name] = {}
        for topic, places in zip(topics, by_topic, strict=True):
            fill = iter(f"x{n}" for n in range(depth))
            found = iter(f"r{n}" for n in range(relevant))
            order = [next(found) if place in places else next(fill) for place in range(1, depth + 1)]
            runs[name][topic] = {document: -float(n) for n, document in enumerate(order)}
    return qrels, runs


def test_by_hand() -> None:
    """Twelve topics of two relevant documents: a has both by 10, b by 20, but never the second on topic 0."""
    qrels, runs = field([[4, 10]] * 12, [[8]] + [[8, 20]] * 11)
    found = ll.effort_to_recall(qrels, runs, recall=[0.5, 1], samples=20)
    assert found.effort[:, :, 0].tolist() == [[4.0] * 12, [8.0] * 12]
    assert found.effort[1, :, 1].tolist() == [math.inf] + [20.0] * 11
    assert (found.medians.tolist(), found.never.tolist()) == ([[4, 10], [8, 20]], [[0, 0], [0, 1]])
    (whole,) = found.of(1)
    assert (whole.less, whole.ties, whole.more, whole.word, whole.needs_less) == (12, 0, 0, "firm", "a")
    assert whole.p == 2 / 2**12  # all of twelve signs agree
    assert (whole.ratio, whole.low, whole.high) == (0.5, 0.5, 0.5)
    assert found.sentence(1).startswith(
        "a reaches 100 % recall at 10 against 20 documents (median), less on 12 of 12 topics; b never gets there on 1 "
        "(firm: with half the judgements significant in "
    )
    assert found.winner(1) == "a"


def test_five_topics_decide_nothing() -> None:
    """Ahead on all of five topics p is 2/2⁵, and there is no interval."""
    found = ll.effort_to_recall(*field([[1, 2]] * 5, [[30, 40]] * 5), recall=[1], samples=5)
    (pair,) = found.pairs
    assert (pair.p, pair.word) == (2 / 32, "undecided")
    assert math.isnan(pair.low)
    assert "cannot be told apart by the effort for 100 % recall" in found.sentence(1)


def test_without_samples_nothing_is_firm() -> None:
    from leadline.trust.effort_to_recall import effort_to_recall

    study = ll.open_study(*field([[1, 2]] * 12, [[30, 40]] * 12), "R")
    assert {pair.word for pair in effort_to_recall(study, samples=0).pairs} == {"fragile"}


def test_one_answer_whatever_else_is_asked(golden: Path) -> None:
    """Each recall is corrected for the other runs, not for the other shares that were asked for."""
    folder = golden / "inputs/scores"
    runs = [folder / f"sys{place}.run" for place in range(6)]
    alone = ll.effort_to_recall(folder / "sig.qrels", runs, recall=[0.5], samples=5)
    beside = ll.effort_to_recall(folder / "sig.qrels", runs, recall=[0.9, 50, 0.2], samples=5)
    assert beside.recall == (0.2, 0.5, 0.9)
    assert [(each.other, each.p, each.p_corrected) for each in alone.pairs] == [
        (each.other, each.p, each.p_corrected) for each in beside.of(0.5)
    ]


def test_the_same_as_the_catalogue(golden: Path) -> None:
    folder = golden / "inputs/scores"
    runs = [folder / f"sys{place}.run" for place in range(6)]
    found = ll.effort_to_recall(folder / "sig.qrels", runs, samples=1)
    for place, recall in enumerate(found.recall):
        scores = ll.evaluate(folder / "sig.qrels", runs, f"effort@{recall}")
        at = [scores.topics.index(topic) for topic in found.topics]
        theirs = np.nan_to_num(scores.of(f"effort@{recall}"), nan=math.inf)[:, at]
        np.testing.assert_array_equal(found.effort[:, :, place], theirs)


@pytest.mark.parametrize("output", ["official", "rerun"])
def test_tar_eval(shared: Path, output: str) -> None:
    """Its last_rel is the effort for all, where all are found; its wss_100 is what that effort saves."""
    inputs = shared / "oracles/inputs/tar"
    qrels = read_qrels(inputs / "dta2019.abs.qrels", format="plain")
    twice = [read_run(inputs / "DTA_sheffield-baseline.run", order="file", name=name) for name in ("one", "two")]
    study = ll.open_study(qrels, twice, "R", order="file")
    found = ll.effort_to_recall(study, recall=[1], samples=1)
    text = (shared / f"oracles/tar_eval/{output}.DTA_sheffield-baseline.abs.out").read_text()
    printed: dict[str, dict[str, float]] = {}
    for topic, name, value in (line.split("\t") for line in text.splitlines()):
        printed.setdefault(topic, {})[name] = float(value)
    compared = 0
    for topic, effort in zip(found.topics, found.effort[0, :, 0].tolist(), strict=True):
        theirs = printed[topic]
        assert theirs["rels_found"] == theirs["num_rels"]
        assert effort == theirs["last_rel"]
        assert abs(1 - effort / theirs["num_shown"] - theirs["wss_100"]) <= 0.5e-3 + 1e-9
        compared += 1
    assert compared == 8
    (pair,) = found.pairs
    assert (pair.ties, pair.p, pair.needs_less, pair.word) == (8, 1.0, "", "undecided")


def test_every_flip_is_wilcoxons_exact_test() -> None:
    from scipy.stats import wilcoxon

    rng = np.random.default_rng(3)
    for _ in range(20):
        ours, theirs = rng.permutation(10_000)[:26].reshape(2, 13) + 1.0
        theirs[0] = math.inf
        ranks = signed_ranks(ours[None], theirs[None])
        with np.errstate(divide="ignore"):
            logs = np.log(theirs / ours)
        logs[0] = 100.0  # larger than any: scipy takes no infinite difference
        assert flip_p(ranks)[0] == pytest.approx(wilcoxon(logs, method="exact").pvalue, rel=1e-12)


def test_the_level_and_what_ranks_find_that_signs_do_not() -> None:
    """Two alike systems differ in 5 % of the cases; of 40 % less effort on 30 topics ranks find more than signs do."""
    rng = np.random.default_rng(5)

    def found(ratio: float) -> tuple[float, float]:
        topic = rng.lognormal(4, 1.2, (1000, 30))
        ours, theirs = (np.ceil(topic * rng.lognormal(0, 0.7, (1000, 30)) * each) for each in (ratio, 1.0))
        for effort in (ours, theirs):
            effort[effort > 300] = math.inf
        signs = np.where(ours == theirs, 0.0, np.where(ours < theirs, 1.0, -1.0))
        ranks, counts = ((flip_p(each) < 0.05).mean() for each in (signed_ranks(ours, theirs), signs))
        return float(ranks), float(counts)

    assert 0.03 < found(1.0)[0] < 0.07
    ranks, counts = found(0.6)
    assert ranks > 0.68
    assert counts < 0.6


def test_equal_ratios_share_a_rank() -> None:
    ours, theirs = np.array([[2.0, 3, 5, 7]]), np.array([[3.0, 2, 10, 14]])
    assert signed_ranks(ours, theirs).tolist() == [[1.5, -1.5, 3.5, 3.5]]


def test_the_interval_holds_1_where_the_test_does_not_decide() -> None:
    """Without ties the interval leaves 1 out exactly where p is below .05, also with topics never answered."""
    rng = np.random.default_rng(7)
    decided = 0
    for topics in (6, 9, 14, 30, 60):
        for shift in rng.uniform(0, 1.2, 40):
            ours, theirs = rng.lognormal(4, 1, topics), rng.lognormal(4 + shift, 1, topics)
            theirs[rng.random(topics) < 0.05] = math.inf
            p = flip_p(signed_ranks(ours[None], theirs[None]))[0]
            ratio, low, high = ratio_interval(ours, theirs)
            assert low <= ratio <= high
            if abs(p - 0.05) > 0.003:  # the saddlepoint is an approximation, and infinite ratios tie
                assert (p < 0.05) == (not low <= 1 <= high)
                decided += p < 0.05
    assert decided > 50


def test_the_interval_of_many_topics_is_that_of_a_sample_of_their_order() -> None:
    rng = np.random.default_rng(8)
    ours, theirs = rng.lognormal(4, 1, 1200), rng.lognormal(4.2, 1, 1200)
    few = ratio_interval(ours, theirs)
    logs = np.log(ours / theirs)
    i, j = np.triu_indices(1200)
    assert few[0] == pytest.approx(math.exp(np.median((logs[i] + logs[j]) / 2)), rel=1e-3)
    assert few[1] < few[0] < few[2] < 1


def test_intervals_of_medians() -> None:
    """Two order statistics: of ten the second and the ninth, with confidence 1 − 22/1024."""
    values = np.arange(10.0)
    assert median_interval(values) == (1.0, 8.0)
    assert all(map(math.isnan, median_interval(values[:5])))


efforts = st.one_of(st.integers(1, 500).map(float), st.just(math.inf))
lists = st.lists(st.sets(st.integers(1, 40), max_size=3).map(sorted), min_size=8, max_size=8)


def compared(*ranks: list[list[int]]) -> EffortToRecall:
    qrels, runs = field(*ranks, relevant=3)
    return ll.effort_to_recall(qrels, runs, recall=[0.3, 0.9], samples=1)


@settings(max_examples=25, deadline=None)
@given(lists, lists)
def test_a_document_that_is_not_relevant_at_the_top_never_lowers_effort(ours: list, theirs: list) -> None:
    before = compared(ours, theirs)
    after = compared([[place + 1 for place in places] for places in ours], theirs)
    finite = np.isfinite(before.effort[0])
    assert (after.effort[0][finite] == before.effort[0][finite] + 1).all()
    assert np.isinf(after.effort[0][~finite]).all()
    assert (after.favour[0] <= before.favour[0] + 1e-12).all()


@settings(max_examples=25, deadline=None)
@given(lists, lists)
def test_a_run_that_finds_nothing_never_wins(ours: list, theirs: list) -> None:
    found = compared([[] for _ in ours], ours, theirs)
    assert all(pair.needs_less != "a" for pair in found.pairs)
    assert not any(pair.is_led for pair in found.pairs if pair.first == "a")
    assert all(found.winner(recall) != "a" for recall in found.recall)


@settings(max_examples=15, deadline=None)
@given(lists)
def test_equal_runs_are_level(ours: list) -> None:
    for pair in compared(ours, ours).pairs:
        assert (pair.p, pair.word, pair.needs_less, pair.less, pair.more) == (1.0, "undecided", "", 0, 0)


@settings(max_examples=15, deadline=None)
@given(lists, lists, lists)
def test_the_order_of_the_runs_does_not_matter(one: list, two: list, three: list) -> None:
    qrels, runs = field(one, two, three, relevant=3)
    tables = [
        ll.effort_to_recall(qrels, dict(order), recall=[0.3, 0.9], samples=2).table().rows
        for order in (runs.items(), reversed(runs.items()))
    ]
    assert tables[0] == tables[1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(efforts, efforts), min_size=1, max_size=12), st.integers(0, 11))
def test_more_effort_never_helps(pairs: list[tuple[float, float]], place: int) -> None:
    """Reading more on a topic never raises the sum of ranks in one's favour."""
    ours, theirs = np.array(pairs).T[:, None, :]
    worse = ours.copy()
    worse[0, place % len(pairs)] *= 1.5
    assert signed_ranks(worse, theirs).sum() <= signed_ranks(ours, theirs).sum() + 1e-9


def test_grades_and_topics_without_a_relevant_document() -> None:
    qrels, runs = field([[1, 2]] * 8, [[3, 4]] * 8)
    qrels |= {"empty": {"x1": 0}}
    study = ll.open_study(qrels, runs, "R")
    found = ll.effort_to_recall(study, recall=[1], samples=2)
    assert "empty" not in found.topics
    assert any("1 topic without a relevant document, left out" in note for note in found.notes)
    for topic in qrels:
        qrels[topic] = {document: 2 if document == "r1" else grade for document, grade in qrels[topic].items()}
    strict = ll.effort_to_recall(ll.open_study(qrels, runs, "R", rel=2), recall=[1], samples=2)
    assert strict.effort[:, :, 0].tolist() == [[2.0] * 8, [4.0] * 8]


def test_what_cannot_be_compared_is_one_line() -> None:
    qrels, runs = field([[1, 2]] * 8, [[3, 4]] * 8)
    with pytest.raises(MismatchError, match="1 run; a comparison needs two or more"):
        ll.effort_to_recall(qrels, {"a": runs["a"]})
    with pytest.raises(MismatchError, match="1 topic with a relevant document; a comparison needs two or more"):
        ll.effort_to_recall({"0": qrels["0"]}, runs)
    with pytest.raises(InputError, match="recall: must be shares above 0 and at most 1, got 0"):
        ll.effort_to_recall(qrels, runs, recall=[0])
    with pytest.raises(InputError, match="do not say what was read for each recall"):
        ll.effort_to_recall(ll.evaluate(qrels, runs, "R"))  # type: ignore[call-overload]
    with pytest.raises(InputError, match="give judgements and runs, or a study"):
        ll.effort_to_recall(qrels)  # type: ignore[call-overload]


def test_three_runs_in_words() -> None:
    """A winner only if it leads firmly against all; a rival that cannot be told apart is counted."""
    found = ll.effort_to_recall(*field([[1, 2]] * 12, [[9, 10]] * 12, [[30]] * 12), recall=[1], samples=10)
    assert found.sentence(1).startswith(
        "a firmly needs the least for 100 % recall: 2 documents (median), firm against 2."
    )
    assert "Nearest is b: 2 against 10 documents (median), less on 12 of 12 topics." in found.sentence(1)
    assert [row[:3] for row in found.summary_table().rows] == [["a", 2.0, 0], ["b", 10.0, 0], ["c", "never", 12]]
    level = ll.effort_to_recall(*field([[1, 2]] * 12, [[1, 2]] * 12, [[30]] * 12), recall=[1], samples=10)
    assert level.sentence(1).startswith(
        "No firm winner for 100 % recall: 2 runs cannot be told apart; the first is a: 2"
    )
    nobody = ll.effort_to_recall(*field([[1]] * 12, [[1]] * 12), recall=[1], samples=2)
    assert nobody.sentence(1) == "No run reaches 100 % recall on any of 12 topics."
