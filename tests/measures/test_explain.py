"""Every measure can be explained: meaning, formula, paper, and an example that is computed on the spot."""

from __future__ import annotations

import math

import pytest

from leadline.commands.explain import description
from leadline.errors import MeasureError
from leadline.measures.catalogue import FILES
from leadline.measures.definition import MEASURES, Measure, parse_measure, parse_measures
from leadline.measures.explain import SECTIONS, sections, worked_example

REQUIRED = {"WSS": "@0.95", "effort": "@0.9", "iprec": "@0.1", "Rprec_mult": "@0.2", "Rnorm": "(size=1000)"}


def with_defaults(name: str) -> Measure:
    for ending in ("", REQUIRED.get(name, "@5")):
        try:
            return parse_measure(name + ending)
        except MeasureError:
            continue
    raise AssertionError(name)


@pytest.mark.parametrize("name", [definition.name for definition in MEASURES.values()])
def test_every_measure_is_explained(name: str) -> None:
    measure = with_defaults(name)
    assert set(sections(measure.definition)) >= {"Meaning", *SECTIONS}
    story, parts = worked_example(measure)
    assert "relevant are d1" in story
    if not math.isnan(parts.value):
        total = parts.before + parts.after + sum(term.adds for term in parts.terms)
        assert total == pytest.approx(parts.value)
    assert measure.text in description(measure)


# As trec_eval and ir_measures write them, and what they are here.
ELSEWHERE = {
    "map": "AP", "P_10": "P", "recall_100": "R", "ndcg_cut_10": "nDCG", "recip_rank": "RR", "map_cut_10": "AP",
    "iprec_at_recall_0.10": "iprec", "Rprec_mult_0.20": "Rprec_mult", "11pt_avg": "11pt_avg", "gm_map": "GMAP",
    "success_5": "Success", "set_F": "set_F", "ndcg": "nDCG", "Bpref": "bpref", "StRecall@20": "strec",
    "Judged@10": "judged", "IPrec@0.1": "iprec", "SetF(beta=2)": "set_F", "RR": "RR", "Rprec": "Rprec", "MRR": "RR",
    "RPrec": "Rprec", "AP@10": "AP", "nDCG(dcg='exp-log2')@10": "nDCG", "P(rel=2,judged_only=True)@5": "P",
    "nDCG(gains={0:0,1:3})@5": "nDCG", "SetP": "set_P", "SetR": "set_recall", "SetAP": "set_map",
    "alpha_nDCG(alpha=0.5)@20": "alpha_nDCG", "ERR_IA@20": "ERR_IA", "RBP(p=0.8)": "RBP", "infAP": "infAP",
    "NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret", "NumQ": "num_q", "wss_95": "WSS",
    "pres@100": "PRES", "Recall@5": "R", "unj_5": "unjudged", "relative_P_5": "relative_P",
}  # fmt: skip


@pytest.mark.parametrize(("written", "ours"), ELSEWHERE.items())
def test_names_used_elsewhere(written: str, ours: str) -> None:
    measure = parse_measure(written)
    assert (measure.definition.name, measure.text) == (ours, written)


def test_lists_of_measures() -> None:
    texts = "PRES@100 AP,nDCG(gain=exp, discount=zipf)@10 \n P_5"
    assert [measure.definition.name for measure in parse_measures(texts)] == ["PRES", "AP", "nDCG", "P"]


def test_no_alias_means_two_measures() -> None:
    names = [name.lower() for definition in MEASURES.values() for name in {definition.name, *definition.aliases}]
    folded = sorted(name for name in names if names.count(name) > 1 and len({MEASURES[name].name}) > 1)
    assert not folded


def test_the_catalogue_knows_where_its_measures_are() -> None:
    for name, file in FILES.items():
        assert MEASURES[name].function.__module__ == f"leadline.measures.catalogue.{file}", name
