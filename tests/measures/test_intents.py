"""The measures of subtopics against NIST's ndeval, pyndeval, NTCIREVAL, and the formulas written out plainly."""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import MeasureError
from leadline.measures.aspects import Theta
from leadline.measures.hits import Hits
from leadline.measures.intents import Reader, example, greedy_ideal
from leadline.measures.join import join, together
from leadline.measures.notation import parse_measure
from leadline.qrels.qrels import Qrels
from leadline.qrels.read import read_qrels
from leadline.runs.read import read_run
from leadline.runs.run import Run

GOLDEN = Path(__file__).parents[1] / "golden"
DIV = GOLDEN / "inputs" / "div"
SIX_DECIMALS = 5.1e-7
FOUR_DECIMALS = 5.1e-5


def hits_of(run: Run, qrels: Qrels) -> Hits:
    return together([join(run, qrels, kernels=False)], qrels)


def with_alpha(name: str, alpha: float, beta: float) -> str:
    """ndeval's name of a measure with the options it was run with."""
    stem, at, cutoff = name.partition("@")
    options = {
        "alpha-DCG": f"alpha={alpha}", "alpha-nDCG": f"alpha={alpha}", "ERR-IA": f"alpha={alpha}",
        "nERR-IA": f"alpha={alpha}", "NRBP": f"alpha={alpha},beta={beta}", "nNRBP": f"alpha={alpha},beta={beta}",
    }  # fmt: skip
    return f"{stem}({options[stem]}){at}{cutoff}" if stem in options else name


def compare_with_ndeval(
    path: Path, hits: Hits, topics: Iterable[str], *, complete: bool = True, alpha: float = 0.5, beta: float = 0.5
) -> int:
    """Every value of ndeval's table against ours, per topic and mean. Gives how many were compared."""
    with path.open() as file:
        lines = list(csv.DictReader(file))
    places = {topic: place for place, topic in enumerate(topics)}
    answered = [places[line["topic"]] for line in lines if line["topic"] != "amean"]
    compared = 0
    for name in list(lines[0])[list(lines[0]).index("topic") + 1 :]:
        values = parse_measure(with_alpha(name, alpha, beta)).raw(hits)
        mean = values.mean() if complete else values[answered].mean()
        for line in lines:
            theirs = float(line[name])
            if math.isnan(theirs):  # nNRBP of a topic without a relevant document, and so its mean
                continue
            ours = mean if line["topic"] == "amean" else values[places[line["topic"]]]
            assert abs(ours - theirs) <= SIX_DECIMALS, (path.name, name, line["topic"], ours, theirs)
            compared += 1
    return compared


@pytest.mark.parametrize("path", sorted((GOLDEN / "ndeval").glob("[bn]*.out")), ids=lambda path: path.stem)
def test_ndeval(path: Path) -> None:
    judgements, run_name, sorting, *flags = path.stem.split(".")
    qrels = read_qrels(DIV / ("div.binary.qrels" if judgements == "binary" else "div.graded.nonneg.qrels"))
    run = read_run(DIV / f"{run_name}.run", order="rank" if sorting == "rank" else "score")
    hits = hits_of(run, qrels)
    if "M5" in flags:
        hits = hits.where(hits.rank <= 5)
    alpha, beta = (0.8, 0.9) if "a8b9" in flags else (0.0, 0.5) if "alpha0" in flags else (0.5, 0.5)
    compared = compare_with_ndeval(path, hits, qrels.topics, complete="c" in flags, alpha=alpha, beta=beta)
    assert compared == 21 * (len(run.topics) + 1) - 2


@pytest.mark.parametrize("path", sorted((GOLDEN / "ndeval").glob("pyndeval.*.out")), ids=lambda path: path.stem)
def test_pyndeval(path: Path) -> None:
    _, *judgements, run_name = path.stem.split(".")
    qrels = read_qrels(DIV / f"div.{'.'.join(judgements)}.qrels")
    run = read_run(DIV / f"{run_name}.run")
    # Of equal scores pyndeval takes the lower document id first, against the rule of TREC.
    low_first = {
        topic: {document: -place for place, (document, _) in enumerate(sorted(run.ranking(topic), key=lambda x: (-x[1], x[0])))}
        for topic in run.topics
    }
    compared = compare_with_ndeval(path, hits_of(Run.of(low_first), qrels), qrels.topics)
    assert compared == 21 * len(run.topics) - 1


@pytest.mark.parametrize("judgements", ["ndeval", "diversity"])
@pytest.mark.parametrize("name", ["dssa_baseline", "ql-cata-filtered", "ql-cata", "ql-catb-filtered", "ql-catb"])
def test_ndeval_on_the_web_track(shared: Path, name: str, judgements: str) -> None:
    folder = shared / "subtopics" / "trec_web"
    qrels = read_qrels(folder / f"qrels.{judgements}.2012.txt.gz")
    run = read_run(folder / "runs" / f"{name}_2012.txt.gz", order="rank")
    compared = compare_with_ndeval(folder / "ndeval_out" / f"{name}_2012.csv", hits_of(run, qrels), qrels.topics)
    assert compared == 21 * 51


def weighted_qrels(folder: Path) -> Qrels:
    """The judgements with the probability of each intent as a fifth column."""
    chance = {tuple(line.split()[:2]): line.split()[2] for line in (DIV / "div.Iprob").read_text().splitlines()}
    lines = [line.split() for line in (DIV / "div.Dqrels").read_text().splitlines()]
    path = folder / "weighted.qrels"
    path.write_text(
        "".join(f"{t} {c} {document} {level[1:]} {chance[t, c]}\n" for t, c, document, level in lines)
    )
    return read_qrels(path)


@pytest.mark.parametrize("cutoff", [10, 20])
@pytest.mark.parametrize("name", ["dA", "dB"])
def test_ntcireval_global_gain(name: str, cutoff: int, tmp_path: Path) -> None:
    qrels = weighted_qrels(tmp_path)
    hits = hits_of(read_run(DIV / f"{name}.run"), qrels)
    ours = {
        f"MSnDCG@{cutoff:04}=": parse_measure(f"D-nDCG(theta=given)@{cutoff}").raw(hits),
        f"I-rec@{cutoff:04}=": parse_measure(f"I-rec@{cutoff}").raw(hits),
        f"D#-nDCG@{cutoff:04}=": parse_measure(f"D#-nDCG(theta=given)@{cutoff}").raw(hits),
    }
    compared = 0
    for line in (GOLDEN / "ntcireval" / f"diversity.{name}.cut{cutoff}.Dnev").read_text().splitlines():
        topic, label, *value = line.split()
        if label in ours:
            # It adds D#-nDCG up from two values already rounded.
            within = 2 * FOUR_DECIMALS if label.startswith("D#") else FOUR_DECIMALS
            assert abs(ours[label][qrels.topics.index(topic)] - float(value[0])) <= within, line
            compared += 1
    assert compared == 28


@pytest.mark.parametrize("cutoff", [10, 20])
@pytest.mark.parametrize("name", ["dA", "dB"])
def test_ntcireval_intent_aware(name: str, cutoff: int, tmp_path: Path) -> None:
    """Its IA-ERR; and its ERR, precision and average precision of each intent, weighted here."""
    qrels = weighted_qrels(tmp_path)
    hits = hits_of(read_run(DIV / f"{name}.run"), qrels)
    hits = hits.where(hits.rank <= cutoff)  # it cuts the lists before it begins
    ours = {
        "IA-ERR": parse_measure(f"ERR-IA(graded=linear, max_grade=3, theta=given)@{cutoff}").raw(hits),
        "P": parse_measure(f"P-IA(theta=given)@{cutoff}").raw(hits),
        "AP": parse_measure("MAP-IA(theta=given)").raw(hits),
    }
    # To it the highest grade is that of the intent, so IA-ERR compares where all intents of a topic have the same.
    table = qrels.subtopics
    assert table is not None
    best = np.zeros(len(table.names), int)
    np.maximum.at(best, table.subtopic, table.grade)
    lowest_best = np.minimum.reduceat(best, table.offsets[:-1])
    theirs: dict[tuple[str, str], float] = {}
    for line in (GOLDEN / "ntcireval" / f"diversity.{name}.cut{cutoff}.nevIA").read_text().splitlines():
        topic, *fields = line.split()
        if fields[0] == "SUMp=" and fields[2] == f"IA-ERR@{cutoff:04}=" and lowest_best[qrels.topics.index(topic)] == 3:
            theirs[topic, "IA-ERR"] = float(fields[3])
        elif fields[2] in (f"P@{cutoff:04}=", "AP="):
            key = topic, fields[2].rstrip("=").partition("@")[0]
            theirs[key] = theirs.get(key, 0.0) + float(fields[1]) * float(fields[3])
    for (topic, measure), value in theirs.items():
        # The values of the intents were rounded before they were added.
        assert abs(ours[measure][qrels.topics.index(topic)] - value) <= 2 * FOUR_DECIMALS, (topic, measure)
    print(len(theirs), sum(k[1]=='IA-ERR' for k in theirs))


@pytest.mark.parametrize("cutoff", [10, 20])
@pytest.mark.parametrize("name", ["dA", "dB"])
def test_ntcireval_err_of_each_intent(name: str, cutoff: int, tmp_path: Path) -> None:
    """One intent at a time, as a topic of its own."""
    lines = [line.split() for line in (DIV / "div.Dqrels").read_text().splitlines()]
    best: dict[str, int] = {}
    for topic, intent, _, level in lines:
        best[f"{topic}.{intent}"] = max(int(level[1:]), best.get(f"{topic}.{intent}", 0))
    run = read_run(DIV / f"{name}.run")
    ranking = {intent: dict(run.ranking(intent[:3])) for intent in best if intent[:3] in run.topics}
    theirs = {}
    for line in (GOLDEN / "ntcireval" / f"diversity.{name}.cut{cutoff}.nevIA").read_text().splitlines():
        topic, intent, _, label, *value = line.split()
        if label == f"ERR@{cutoff:04}=":
            theirs[f"{topic}.{intent}"] = float(value[0])
    for highest in (2, 3):
        of_these = [fields for fields in lines if best[f"{fields[0]}.{fields[1]}"] == highest]
        qrels = Qrels.from_columns(
            [f"{fields[0]}.{fields[1]}" for fields in of_these], [fields[2] for fields in of_these],
            [int(fields[3][1:]) for fields in of_these], subtopics=["1"] * len(of_these),
        )  # fmt: skip
        hits = hits_of(Run.of(ranking), qrels)
        values = parse_measure(f"ERR_IA(graded=linear, max_grade={highest})@{cutoff}").raw(hits)
        for intent, value in zip(qrels.topics, values, strict=True):
            if intent in theirs:
                assert abs(theirs.pop(intent) - value) <= FOUR_DECIMALS, intent
    assert not theirs


# The formulas written out, one list and one topic at a time.

Judgements = dict[str, dict[str, int]]  # document -> subtopic -> grade
GAINS: dict[str, Any] = {
    "no": lambda grade: 1.0,
    "exp": lambda grade: (2**grade - 1) / 8,
    "linear": lambda grade: grade / 4,
}


class Plainly:
    """The measures for one list of documents."""

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
        self.read, self.judged = read, judged

    def about(self, document: str) -> dict[str, int]:
        return {c: g for c, g in sorted(self.judged.get(document, {}).items()) if g >= 1}

    def share(self, values: dict[str, float]) -> float:
        return sum(self.weight[c] * values[c] for c in self.weight) / sum(self.weight.values())

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
        return total(self.read) / most / sum(self.weight.values())

    def nrbp(self, alpha: float, beta: float) -> tuple[float, float]:
        ours, best = (
            sum(g * beta**r for r, g in enumerate(self.gains(documents, "no", alpha)))
            for documents in (self.read, self.ideal("no", alpha))
        )
        return ours * (1 - (1 - alpha) * beta) / sum(self.weight.values()), ours / best

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
        return self.share({c: float(any(c in self.about(d) for d in self.read[:k])) for c in self.weight})

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
    readings, judgements, st.integers(1, 12), st.sampled_from(["equal", "decay", "halving"]),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 0.8]),
)  # fmt: skip
@settings(deadline=None)
def test_equals_the_formulas_written_out(
    read: list[str], judged: Judgements, k: int, theta: str, alpha: float, beta: float
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
        if "n" not in text[:6] or "D_nDCG" in text:  # a greedy ideal can be beaten
            assert ours <= 1 + 1e-12, text


@given(judgements, st.sampled_from(["equal", "decay", "halving"]), st.integers(1, 9), st.sampled_from([0.0, 0.5, 0.9]))
@settings(deadline=None)
def test_the_ideal_list_scores_1(judged: Judgements, theta: Theta, k: int, alpha: float) -> None:
    hits = example(["x"], judged)
    ideal = greedy_ideal(hits, Reader.weary(alpha), theta)
    for name in ("alpha_nDCG", "nERR_IA"):
        assert parse_measure(f"{name}(alpha={alpha},theta={theta})@{k}")(ideal) == pytest.approx(1)
    assert parse_measure(f"nNRBP(alpha={alpha},theta={theta})")(ideal) == pytest.approx(1)
    plainly = Plainly([], judged, theta)
    weight = {d: sum(plainly.weight[c] * g for c, g in plainly.about(d).items()) for d in judged}
    by_gain = example(sorted(judged, key=lambda d: -weight[d]), judged)
    assert parse_measure(f"D_nDCG(theta={theta})@{k}")(by_gain) == pytest.approx(1)


MEASURES = [
    "alpha_DCG@5", "alpha_nDCG@5", "alpha_nDCG(theta=given)", "ERR_IA@5", "nERR_IA(graded=exp,theta=decay)@5",
    "NRBP", "nNRBP(beta=0.9)", "P_IA@5", "MAP_IA", "strec@5", "I_rec(theta=given)", "D_nDCG(theta=given)@5", "Dsharp_nDCG@5",
]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from("789"), readings, judgements), min_size=1, max_size=3), st.randoms())
@settings(deadline=None)
def test_the_order_of_lines_says_nothing(
    topics: list[tuple[str, list[str], Judgements]], rng: random.Random
) -> None:
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


def test_rows_of_many_runs_are_scored_as_each_alone() -> None:
    qrels = read_qrels(DIV / "div.graded.qrels")
    runs = [read_run(DIV / f"{name}.run") for name in ("dA", "dB")]
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
    hits = example(["a"], {"a": {"1": 1, "2": 0}})
    for text in MEASURES:
        if text not in ("NRBP", "P_IA@5", "alpha_DCG@5", "ERR_IA@5"):
            assert parse_measure(text.replace("given", "decay"))(hits) == pytest.approx(1 / 16 if "xx" in text else 1), text


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
        ("alpha_nDCG(alpha=1.5)@5", "alpha is 1.5, expected 0 to 1"),
        ("nNRBP(beta=-1)", "beta is -1.0, expected 0 to 1"),
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
