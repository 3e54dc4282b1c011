"""Precision, recall, average precision, gain and their kin in the corners: worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits

MEASURES = (
    "P@10", "relative_P@10", "Rprec", "Rprec_mult@0.5", "Success@10", "RR", "RR@3", "AP", "AP@10", "GMAP", "set_map",
    "set_P", "set_relative_P", "set_recall", "set_F", "F@10", "Fprime", "Fprime(beta=4)@10", "utility", "iprec@0",
    "iprec@0.5", "11pt_avg", "bpref", "gm_bpref", "infAP", "DCG", "nDCG", "nDCG@10", "nDCG(gain=exp, discount=zipf)@5",
    "nDCG(discount=jk)", "ndcg_rel", "Rndcg", "G", "binG", "judged", "judged@10", "unjudged@10",
)  # fmt: skip
# The last stays short of 1 by the epsilon in it.
NOT_1_AT_BEST = {"utility", "DCG", "unjudged@10", "infAP"}


def value(measure: str, hits: Hits) -> float:
    return float(parse_measure(measure).raw(hits)[0])


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_relevant_is_undefined(measure: str) -> None:
    for hits in (Hits.of(ranks=[2], grades=[0], retrieved=5), Hits.of(ranks=[], missed=[0])):
        assert math.isnan(parse_measure(measure)(hits)[0])
        assert math.isfinite(value(measure, hits))


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_retrieved_scores_0(measure: str) -> None:
    assert parse_measure(measure)(Hits.of(ranks=[], missed=[1, 2, 0])).tolist() == [0.0]


@pytest.mark.parametrize("measure", sorted({*MEASURES} - NOT_1_AT_BEST))
def test_a_perfect_list_scores_1(measure: str) -> None:
    assert value(measure, Hits.of(ranks=range(1, 11), grades=[3, 3, 3, 2, 2, 1, 1, 1, 1, 1])) == 1.0


@pytest.mark.parametrize(
    ("ranks", "f1", "f1_prime", "f4_prime"),
    [
        ([1], 0.0192, 0.25, 0.25),
        ([50, 51, 52, 53], 0.0769, 0.0917, 0.462),
        ([1, 2, 3, 4], 0.0769, 1, 1),
        ([1, 98, 99, 100], 0.0769, 0.429, 0.864),
    ],
)
def test_the_four_systems_of_the_pres_paper(ranks: list[int], f1: float, f1_prime: float, f4_prime: float) -> None:
    hits = Hits.of(ranks=ranks, relevant=4, retrieved=100)
    assert value("F@100", hits) == pytest.approx(f1, abs=0.5e-4)
    assert value("Fprime@100", hits) == pytest.approx(f1_prime, abs=0.5e-3)
    assert value("Fprime(beta=4)@100", hits) == pytest.approx(f4_prime, abs=0.5e-3)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("P@2", 0.5),
        ("P@100", 3 / 100),
        ("P(rel=2)@5", 1 / 5),
        ("relative_P@2", 1 / 2),
        ("relative_P@100", 3 / 5),
        ("R@4", 2 / 5),
        ("Rprec", 3 / 5),
        ("Rprec_mult@0.4", 1 / 2),  # of 2 documents
        ("Rprec_mult@2", 3 / 10),
        ("Success@1", 0),
        ("Success@2", 1),
        ("RR", 1 / 2),
        ("RR@1", 0),
        ("RR(rel=2)", 1 / 4),
        ("AP", (1 / 2 + 2 / 4 + 3 / 5) / 5),
        ("AP@4", (1 / 2 + 2 / 4) / 5),
        ("set_P", 3 / 8),
        ("set_recall", 3 / 5),
        ("set_relative_P", 3 / 5),
        ("set_map", 9 / 40),
        ("set_F", 2 * (3 / 8) * (3 / 5) / (3 / 8 + 3 / 5)),
        ("SetF(beta=4)", 5 * (3 / 8) * (3 / 5) / (4 * 3 / 8 + 3 / 5)),
        ("F(beta=2)@8", 5 * (3 / 8) * (3 / 5) / (4 * 3 / 8 + 3 / 5)),
        ("utility", 3 - 5),
        ("utility(found=3, wrong=-2, missed=-1, spared=0.1, size=100)", 9 - 10 - 2 + 0.1 * 90),
        ("iprec@0", 3 / 5),  # higher than the 1/2 of the first two
        ("iprec@0.6", 3 / 5),
        ("iprec@0.7", 0),  # 3.5 documents are rounded to 4
        ("IPrec@0.69", 3 / 5),
        ("11pt_avg", 3 / 5 * 7 / 11),
        ("bpref", (1 + 1 / 2 + 1 / 2) / 5),  # 1 of the 2 judged irrelevant documents stands above the last two
        ("binG", (1 / math.log2(3) + 1 / 2 + 1 / 2) / 5),
        ("judged@5", 4 / 5),
        ("judged@100", 4 / 8),
        ("judged", 4 / 8),
        ("unjudged@5", 1 / 5),
        ("unj_10", 4 / 10),
        ("num_ret", 8),
        ("num_rel", 5),
        ("num_rel(rel=3)", 1),
        ("num_rel_ret", 3),
        ("num_nonrel_judged_ret", 1),
        ("num_q", 1),
        ("DCG@4", 1 / math.log2(3) + 2 / math.log2(5)),
        ("DCG(gain=exp)@4", 1 / math.log2(3) + 3 / math.log2(5)),
        ("DCG(discount=zipf)", 1 / 2 + 2 / 4 + 1 / 5),
        ("DCG(discount=jk)", 1 + 2 / 2 + 1 / math.log2(5)),
        ("DCG(discount=jk, base=4)@4", 1 + 2),
        ("DCG(gains={1: 0, 2: 9})", 9 / math.log2(5)),
        ("DCG(dcg='exp-log2')@4", 1 / math.log2(3) + 3 / math.log2(5)),
        ("nDCG@1", 0),
        ("nDCG(dcg='log2')@2", 1 / math.log2(3) / (3 + 2 / math.log2(3))),
        ("nDCG(discount=zipf)@2", (1 / 2) / (3 + 2 / 2)),
    ],
)
def test_one_list_worked_by_hand(measure: str, expected: float) -> None:
    # 8 documents: of grade 1, 0, 2 and 1 at ranks 2, 3, 4 and 5, the others not judged. Missed: 1, 3 and 0.
    hits = Hits.of(ranks=[2, 3, 4, 5], grades=[1, 0, 2, 1], missed=[1, 3, 0], retrieved=8)
    assert value(measure, hits) == pytest.approx(expected, abs=1e-12)


def test_judged_documents_of_a_grade_below_0_are_not_judged() -> None:
    hits = Hits.of(ranks=[1, 2, 3], grades=[-1, 0, 1], missed=[-2, 0])
    assert value("judged@3", hits) == pytest.approx(2 / 3)
    assert value("unjudged@3", hits) == pytest.approx(1 / 3)
    assert value("bpref", hits) == 0.0
    assert value("num_nonrel_judged_ret", hits) == 1
    # At rank 3, both documents above are in the pool and one of them was judged, not relevant.
    assert value("infAP", hits) == pytest.approx(1 / 3 + 2 / 3 * (2 / 2) * (1e-5 / (1 + 2e-5)), abs=1e-12)


def test_inferred_average_precision_without_a_sample_is_average_precision() -> None:
    hits = Hits.of(ranks=[1, 2, 5, 9], grades=[1, 0, 2, 1], missed=[1, 0])
    assert value("infAP", hits) == pytest.approx(value("AP", hits), abs=1e-4)


def test_a_longer_effort_than_the_list() -> None:
    short, long = (Hits.of(ranks=[1, 3], relevant=3, retrieved=retrieved) for retrieved in (3, 1000))
    for measure in ("P@100", "R@100", "AP@100", "nDCG@100", "Success@100", "relative_P@100", "Rprec", "iprec@0.5"):
        assert value(measure, short) == value(measure, long)


def test_more_relevant_documents_than_effort() -> None:
    hits = Hits.of(ranks=[1, 2], relevant=50, retrieved=2)
    assert value("AP@2", hits) == 2 / 50
    assert value("nDCG@2", hits) == 1.0
    assert value("relative_P@2", hits) == 1.0


def test_cutoffs_that_must_be_given() -> None:
    for measure in ("P", "relative_P", "Success", "F", "iprec", "Rprec_mult", "unjudged"):
        with pytest.raises(MeasureError, match="needs a"):
            parse_measure(measure)


def test_rel_changes_what_counts() -> None:
    hits = Hits.of(ranks=[1, 2, 3], grades=[1, 2, 3])
    assert value("AP(rel=2)", hits) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert value("bpref(rel=3)", hits) == 0.0
    assert value("binG(rel=3)", hits) == pytest.approx(1 / 2)
    assert value("Rndcg(rel=4)", hits) == 0.0
    assert np.isnan(parse_measure("AP(rel=4)")(hits)[0])
