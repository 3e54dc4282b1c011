"""The measures of subtopics: the formulas written out plainly, and what happens at the edges."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits
from leadline.measures.join import join, together
from leadline.measures.subtopics import Reader, Theta, example, greedy_ideal
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, read_run

Judgements = dict[str, dict[str, int]]  # document -> subtopic -> grade
GAINS: dict[str, Callable[[int], float]] = {
    "no": lambda grade: 1.0,
    "exp": lambda grade: (2**grade - 1) / 8,
    "linear": lambda grade: grade / 4,
}


def hits_of(run: Run, qrels: Qrels) -> Hits:
    return together([join(run, qrels, kernels=False)], qrels)


class Plainly:
    """The formulas written out, for one list of documents."""

    def __init__(self, read: list[str], judged: Judgements, theta: str) -> None:
        listed = sorted({c for grades in judged.values() for c in grades})
        raw = {
            "equal": [1.0] * len(listed),
            "decay": [1 / math.log2(1 + i) for i in range(1, len(listed) + 1)],
            "halving": [2.0 ** (len(listed) - i + 1) for i in range(1, len(listed) + 1)],
        }[theta]
        scale = 1 if theta == "equal" else sum(raw)
        met = {c for grades in judged.values() for c, grade in grades.items() if grade >= 1}
        self.weight = {c: w / scale for c, w in zip(listed, raw, strict=True) if c in met}
        # ndeval shares equal weights among the subtopics that can be met; other weights are shared among all.
        self.whole = sum(self.weight.values()) if theta == "equal" else 1.0
        self.read, self.judged = read, judged

    def about(self, document: str) -> dict[str, int]:
        return {c: g for c, g in sorted(self.judged.get(document, {}).items()) if g >= 1}

    def share(self, values: dict[str, float]) -> float:
        return sum(self.weight[c] * values[c] for c in self.weight) / self.whole

    def gains(self, documents: list[str], graded: str, alpha: float) -> list[float]:
        interest = dict.fromkeys(self.weight, 1.0)
        gains = []
        for document in documents:
            gain = 0.0
            for c, grade in self.about(document).items():
                worth = GAINS[graded](grade)
                gain += self.weight[c] * worth * interest[c]
                interest[c] *= 1 - (alpha if graded == "no" else worth)
            gains.append(gain)
        return gains

    def ideal(self, graded: str, alpha: float) -> list[str]:
        chosen: list[str] = []
        rest = {document for document in self.judged if self.about(document)}
        while rest:
            chosen.append(max(rest, key=lambda x: (self.gains([*chosen, x], graded, alpha)[-1], x)))
            rest.discard(chosen[-1])
        return chosen

    def discounted(self, k: int, graded: str, alpha: float, kind: str, *, normalised: bool) -> float:
        def total(documents: list[str]) -> float:
            gains = self.gains(documents, graded, alpha)[:k]
            return sum(g / (math.log2(1 + r) if kind == "dcg" else r) for r, g in enumerate(gains, start=1))

        if normalised:
            return total(self.read) / total(self.ideal(graded, alpha))
        most = 1.0
        if graded == "no":
            most = sum((1 - alpha) ** (r - 1) / (math.log2(1 + r) if kind == "dcg" else r) for r in range(1, k + 1))
        return total(self.read) / most / self.whole

    def nrbp(self, alpha: float, beta: float) -> tuple[float, float]:
        ours, best = (
            sum(g * beta**r for r, g in enumerate(self.gains(documents, "no", alpha)))
            for documents in (self.read, self.ideal("no", alpha))
        )
        return ours * (1 - (1 - alpha) * beta) / self.whole, ours / best

    def precision(self, k: int) -> float:
        return self.share({c: sum(c in self.about(d) for d in self.read[:k]) / k for c in self.weight})

    def average_precision(self) -> float:
        values = {}
        for c in self.weight:
            ranks = [r for r, d in enumerate(self.read, start=1) if c in self.about(d)]
            relevant = sum(c in self.about(d) for d in self.judged)
            values[c] = sum(i / r for i, r in enumerate(ranks, start=1)) / relevant
        return self.share(values)

    def recall(self, k: int) -> float:
        met = [c for c in self.weight if any(c in self.about(d) for d in self.read[:k])]
        return sum(self.weight[c] for c in met) / sum(self.weight.values())

    def d_ndcg(self, k: int) -> float:
        def gain(document: str) -> float:
            return sum(self.weight[c] * grade for c, grade in self.about(document).items())

        def total(gains: list[float]) -> float:
            return sum(g / math.log2(1 + r) for r, g in enumerate(gains[:k], start=1))

        return total([gain(d) for d in self.read]) / total(sorted(map(gain, self.judged), reverse=True))


judgements = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.dictionaries(st.sampled_from("1234"), st.integers(-1, 3), min_size=1),
    min_size=1,
).filter(lambda judged: any(grade >= 1 for grades in judged.values() for grade in grades.values()))
readings = st.permutations("abcdefghxyz").flatmap(lambda order: st.integers(1, 11).map(lambda n: list(order[:n])))


@given(
    read=readings, judged=judgements, k=st.integers(1, 12), theta=st.sampled_from(["equal", "decay", "halving"]),
    alpha=st.sampled_from([0.0, 0.3, 0.5, 1.0]), beta=st.sampled_from([0.0, 0.5, 0.8]),
)  # fmt: skip
@settings(deadline=None)
def test_equals_the_formulas_written_out(
    *, read: list[str], judged: Judgements, k: int, theta: str, alpha: float, beta: float
) -> None:
    hits, plainly = example(read, judged), Plainly(read, judged, theta)
    expected = {
        f"alpha_DCG(alpha={alpha},theta={theta})@{k}": plainly.discounted(k, "no", alpha, "dcg", normalised=False),
        f"alpha_nDCG(alpha={alpha},theta={theta})@{k}": plainly.discounted(k, "no", alpha, "dcg", normalised=True),
        f"NRBP(alpha={alpha},beta={beta},theta={theta})": plainly.nrbp(alpha, beta)[0],
        f"nNRBP(alpha={alpha},beta={beta},theta={theta})": plainly.nrbp(alpha, beta)[1],
        f"P_IA(theta={theta})@{k}": plainly.precision(k),
        f"MAP_IA(theta={theta})": plainly.average_precision(),
        f"strec(theta={theta})@{k}": plainly.recall(k),
        f"I_rec(theta={theta})@{k}": plainly.recall(k),
        f"D_nDCG(theta={theta})@{k}": plainly.d_ndcg(k),
        f"Dsharp_nDCG(theta={theta})@{k}": (Plainly(read, judged, "equal").recall(k) + plainly.d_ndcg(k)) / 2,
    }
    for graded in GAINS:
        options = f"graded={graded},alpha={alpha},max_grade=3,theta={theta}"
        for name, normalised in (("ERR_IA", False), ("nERR_IA", True)):
            value = plainly.discounted(k, graded, alpha, "err", normalised=normalised)
            expected[f"{name}({options})@{k}"] = value
    for text, value in expected.items():
        (ours,) = parse_measure(text)(hits)
        assert ours == pytest.approx(value, rel=1e-12, abs=1e-15), text
        assert ours >= 0
        if not text.startswith(("alpha_nDCG", "nERR_IA", "nNRBP")):  # their greedy ideal can be beaten
            assert ours <= 1 + 1e-12, text


@given(judgements, st.sampled_from(["equal", "decay", "halving"]), st.integers(1, 9), st.sampled_from([0.0, 0.5, 0.9]))
@settings(deadline=None)
def test_the_ideal_list_scores_1(judged: Judgements, theta: Theta, k: int, alpha: float) -> None:
    hits = example(["x"], judged)
    ideal = greedy_ideal(hits, Reader.losing_interest(alpha), theta)
    for name in ("alpha_nDCG", "nERR_IA"):
        assert parse_measure(f"{name}(alpha={alpha},theta={theta})@{k}")(ideal) == pytest.approx(1)
    assert parse_measure(f"nNRBP(alpha={alpha},theta={theta})")(ideal) == pytest.approx(1)
    plainly = Plainly([], judged, theta)
    weight = {d: sum(plainly.weight[c] * g for c, g in plainly.about(d).items()) for d in judged}
    by_gain = example(sorted(judged, key=lambda d: -weight[d]), judged)
    assert parse_measure(f"D_nDCG(theta={theta})@{k}")(by_gain) == pytest.approx(1)


MEASURES = [
    "alpha_DCG@5", "alpha_nDCG@5", "alpha_nDCG(theta=given)", "ERR_IA@5", "nERR_IA(graded=exp,theta=decay)@5",
    "NRBP", "nNRBP(beta=0.9)", "P_IA@5", "MAP_IA", "strec@5", "I_rec(theta=given)",
    "D_nDCG(theta=given)@5", "Dsharp_nDCG@5",
]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from("789"), readings, judgements), min_size=1, max_size=3), st.randoms())
@settings(deadline=None)
def test_the_order_of_lines_says_nothing(topics: list[tuple[str, list[str], Judgements]], rng: random.Random) -> None:
    lines = {
        (topic, c, d): (grade, 1 / (1 + int(c)))
        for topic, _, judged in topics
        for d, grades in judged.items()
        for c, grade in grades.items()
    }
    ranking = {topic: {d: -float(place) for place, d in enumerate(read)} for topic, read, _ in topics}

    def scores(order: list[tuple[str, str, str]]) -> list[list[float]]:
        qrels = Qrels.from_columns(
            [key[0] for key in order], [key[2] for key in order], [lines[key][0] for key in order],
            subtopics=[key[1] for key in order], weights=[lines[key][1] for key in order],
        )  # fmt: skip
        hits = hits_of(Run.of(ranking), qrels)
        return [parse_measure(text).raw(hits).tolist() for text in MEASURES]

    order = list(lines)
    before = scores(order)
    rng.shuffle(order)
    assert scores(order) == before


def test_rows_of_many_runs_are_scored_as_each_alone(golden: Path) -> None:
    inputs = golden / "inputs" / "div"
    qrels = read_qrels(inputs / "div.graded.qrels")
    runs = [read_run(inputs / f"{name}.run") for name in ("dA", "dB")]
    parts = [join(run, qrels, kernels=False) for run in runs]
    both = together(parts, qrels)
    for text in MEASURES:
        measure = parse_measure(text.replace("given", "halving"))
        alone = np.concatenate([measure(together([part], qrels)) for part in parts])
        np.testing.assert_array_equal(measure(both), alone)
        some = np.arange(both.rows) % 3 == 0
        np.testing.assert_array_equal(measure(both.rows_where(some)), alone[some])


def test_no_relevant_document_and_no_answer() -> None:
    qrels = Qrels.from_columns(["7", "7", "8"], ["a", "a", "b"], [0, -2, 1], subtopics=["1", "2", "1"])
    hits = hits_of(Run.of({"7": {"a": 1.0}}), qrels)
    for text in MEASURES:
        measure = parse_measure(text.replace("given", "equal"))
        assert measure.raw(hits).tolist() == [0, 0], text
        assert np.isnan(measure(hits)[0])
        assert measure(hits)[1] == 0


def test_a_subtopic_nobody_can_meet_does_not_count() -> None:
    alone, beside = example(["a"], {"a": {"1": 1}}), example(["a"], {"a": {"1": 1, "2": 0}})
    for text in MEASURES:
        measure = parse_measure(text.replace("given", "decay"))
        assert measure(beside) == measure(alone) > 0, text


def test_a_greedy_ideal_can_be_beaten() -> None:
    judged = {"x": dict.fromkeys("1234", 1), "p": dict.fromkeys("125", 1), "q": dict.fromkeys("346", 1)}
    better = parse_measure("alpha_nDCG(alpha=1)@2")(example(["p", "q"], judged))
    assert better == pytest.approx((3 + 3 / math.log2(3)) / (4 + 1 / math.log2(3)))
    assert better > 1


def test_passages_count_as_their_document(tmp_path: Path) -> None:
    path = tmp_path / "passages"
    path.write_text("7 A a 1 1\n7 A a 2 3\n7 B b 1 2\n7 A c 9 1\n")
    qrels = read_qrels(path, format="passages")
    plain = example(["a", "x", "c", "b"], {"a": {"A": 3}, "b": {"B": 2}, "c": {"A": 1}})
    hits = hits_of(Run.of({"7": {"a": 4, "x": 3, "c": 2, "b": 1}}), qrels)
    for text in MEASURES:
        measure = parse_measure(text.replace("given", "equal"))
        assert measure(hits) == pytest.approx(measure(plain)), text


def test_relevance_level() -> None:
    hits = example(["a", "b"], {"a": {"1": 1}, "b": {"1": 2, "2": 1}})
    assert parse_measure("strec(rel=2)@1")(hits) == 0
    assert parse_measure("strec(rel=2)@2")(hits) == 1
    assert parse_measure("alpha_nDCG(rel=2)@2")(hits) == pytest.approx(1 / math.log2(3))
    assert np.isnan(parse_measure("P_IA(rel=3)@5")(hits))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("alpha_nDCG(alpha=1.5)@5", "alpha must be between 0 and 1, got 1.5"),
        ("nNRBP(beta=-1)", "beta must be between 0 and 1, got -1"),
        ("ERR_IA(graded=exp, max_grade=1)@5", "write max_grade=2"),
        ("P_IA(theta=given)@5", "fifth column"),
    ],
)
def test_what_cannot_be(text: str, problem: str) -> None:
    with pytest.raises(MeasureError, match=problem):
        parse_measure(text)(example(["a"], {"a": {"1": 2}, "b": {"2": 1}}))


def test_plain_judgements_are_refused() -> None:
    hits = hits_of(Run.of({"7": {"a": 1.0}}), Qrels.of({"7": {"a": 1}}))
    for text in MEASURES:
        with pytest.raises(MeasureError, match="needs judgements by subtopic"):
            parse_measure(text)(hits)


def test_every_theta_is_an_option_of_every_measure() -> None:
    weights = [0.6, 0.4]
    qrels = Qrels.from_columns(["7", "7"], ["a", "b"], [1, 1], subtopics=["1", "2:1"], weights=weights)
    hits = hits_of(Run.of({"7": {"b": 1.0}}), qrels)
    expected = {"equal": 1 / 2, "claims": 1 / 3, "decay": 0.386853, "halving": 1 / 3, "given": 0.4}
    assert set(expected) == set(get_args(Theta))
    for theta, value in expected.items():
        assert parse_measure(f"strec(theta={theta})")(hits) == pytest.approx(value, abs=1e-6)
        for name in ("alpha_DCG@2", "alpha_nDCG@2", "ERR_IA@2", "nERR_IA@2", "NRBP", "nNRBP", "P_IA@2", "MAP_IA"):
            stem, at, cutoff = name.partition("@")
            assert parse_measure(f"{stem}(theta={theta}){at}{cutoff}")(hits) > 0
