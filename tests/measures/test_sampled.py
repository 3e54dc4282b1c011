"""Measures of sampled judgements against NIST's sample_eval and Northeastern's statAP script."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits
from leadline.measures.join import RunHits, join, together
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, read_run

HALF_DIGIT = 0.5e-4 + 1e-9
SUMMED = {"inum_rel_ret", "inum_rel"}


def printed(path: Path) -> dict[tuple[str, str], float]:
    """What sample_eval printed: (measure, topic) and value."""
    lines = (line.split() for line in path.read_text().splitlines())
    return {(name, topic): float(value) for name, topic, value in lines}


def our_name(theirs: str, depth: int) -> str | None:
    if theirs.startswith("iP") and theirs[2:].isdigit():
        return f"iP@{theirs[2:]}"
    names = {"infAP": f"xinfAP(depth={depth})", "infNDCG": f"infNDCG@{depth}"}
    return {**names, "inum_rel_ret": f"inum_rel_ret(depth={depth})", "inum_rel": "inum_rel"}.get(theirs)


def check(part: RunHits, qrels: Qrels, expected: dict[tuple[str, str], float], depth: int) -> int:
    """Compare every value that is ours to compute, and say how many."""
    hits, compared = together([part], qrels), 0
    names = {theirs: our_name(theirs, depth) for theirs, _ in expected}
    scores = {theirs: parse_measure(ours).raw(hits) for theirs, ours in names.items() if ours}
    for (theirs, topic), value in expected.items():
        if theirs not in scores:
            continue
        values = scores[theirs]
        if topic != "all":
            found = values[qrels.topics.index(topic)]
        elif theirs in SUMMED:
            # It sums the relevant documents of all judged topics, but those found of the topics answered.
            found = values.sum() if theirs == "inum_rel" else values[part.answered].sum()
        else:
            found = values[part.answered].mean()
        assert abs(found - value) < HALF_DIGIT, (theirs, topic)
        compared += 1
    return compared


@pytest.mark.parametrize(("qrels", "output"), [("strat", "nist2011.sA"), ("onestratum", "nist2011.onestratum.sA")])
def test_sample_eval(golden: Path, qrels: str, output: str) -> None:
    judged = read_qrels(golden / f"inputs/sampled/{qrels}.qrels", format="strata")
    part = join(read_run(golden / "inputs/sampled/sA.run"), judged, kernels=False)
    assert check(part, judged, printed(golden / f"sample_eval/{output}.out"), depth=1000) == 7 * 9


@pytest.mark.parametrize("name", ["hpictall", "hpictbase", "hpictcommon", "hpipubbase", "hpipubcommon", "hpipubnone"])
def test_nist_precision_medicine(shared: Path, tmp_path: Path, name: str) -> None:
    folder = shared / "sampled/pm2018"
    kind = "trials" if name.startswith("hpict") else "abstracts"
    qrels = read_qrels(folder / f"{kind}.sample_qrels.v1.txt.gz", format="strata")
    with tarfile.open(folder / "runs.tar.xz") as archive:
        archive.extract(f"runs/{name}", tmp_path, filter="data")
    part = join(read_run(tmp_path / "runs" / name), qrels, kernels=False)
    assert check(part, qrels, printed(folder / f"official_sampleval/{name}.sampleval"), depth=100) == 8 * 51


@pytest.mark.parametrize(("version", "digits"), [("v3", 6), ("v4", 3)])
def test_stat_ap(golden: Path, version: str, digits: int) -> None:
    qrels = read_qrels(golden / "inputs/sampled/stat.prels", format="prels")
    part = join(read_run(golden / "inputs/sampled/stA.run"), qrels, kernels=False)
    values = parse_measure("statAP")(together([part], qrels))
    text = (golden / f"statAP/{version}.stA.out").read_text()
    expected = re.findall(r"topic=(\d+).*?\sAP=(\S+)", text, re.DOTALL)
    assert len(expected) == 7
    for topic, value in expected:
        found = values[qrels.topics.index(topic)]
        assert np.isnan(found) if value.startswith("NA") else abs(found - float(value)) < 0.5 * 10**-digits + 1e-9
    mean = re.search(r"statMAP_on_valid_topics=(\S+)", text)
    assert mean is not None
    assert np.nanmean(values[part.answered]) == pytest.approx(float(mean[1]), abs=1e-12)


def hits_of(ranking: str, grades: dict[str, int], strata: dict[str, str]) -> Hits:
    """One topic from documents of one letter, best first."""
    qrels = Qrels.from_columns(
        ["7"] * len(grades), list(grades), list(grades.values()), strata=[strata[document] for document in grades]
    )
    run = Run.of({"7": {document: -rank for rank, document in enumerate(ranking)}})
    return together([join(run, qrels, kernels=False)], qrels)


def raw(measure: str, hits: Hits) -> float:
    return float(parse_measure(measure).raw(hits)[0])


def test_a_fully_judged_pool_gives_the_plain_measures() -> None:
    hits = hits_of("axbc", {"a": 1, "b": 0, "c": 1, "d": 1}, {"a": "1", "b": "1", "c": "2", "d": "2"})
    assert raw("xinfAP", hits) == pytest.approx((1 + 2 / 4) / 3, abs=1e-4)
    ideal = 1 + 1 / np.log2(3) + 1 / 2
    assert raw("infNDCG", hits) == pytest.approx((1 + 1 / np.log2(5)) / ideal)
    assert raw("inum_rel", hits) == 3
    assert raw("inum_rel_ret", hits) == pytest.approx(2, abs=1e-4)


def test_a_stratum_without_a_judgement_adds_nothing() -> None:
    grades, strata = {"a": 1, "b": -1, "c": -1}, {"a": "1", "b": "2", "c": "2"}
    hits = hits_of("ab", grades, strata)
    assert raw("inum_rel", hits) == 1
    assert raw("xinfAP", hits) == 1
    assert raw("infNDCG", hits) == 1
    # Above a judged document it counts a third, for that is what the added constants leave.
    assert raw("xinfAP", hits_of("ba", grades, strata)) == pytest.approx((1 + 1 / 3) / 2)


def test_unsure_is_unjudged() -> None:
    strata = dict.fromkeys("abc", "1")
    unsure, unjudged = (hits_of("abc", {"a": 1, "b": grade, "c": 0}, strata) for grade in (-2, -1))
    for name in ("xinfAP", "infNDCG", "iP@2", "inum_rel", "inum_rel_ret"):
        assert raw(name, unsure) == raw(name, unjudged), name


def test_only_the_first_documents_count() -> None:
    hits = hits_of("xab", {"a": 1, "b": 1}, {"a": "1", "b": "1"})
    assert raw("xinfAP@2", hits) == pytest.approx(1 / 2 / 2)
    assert raw("infNDCG(depth=2)", hits) == pytest.approx(1 / np.log2(3) / (1 + 1 / np.log2(3)))
    assert raw("inum_rel_ret@1", hits) == 0


def test_each_grade_of_the_ideal_adds_one_document_beyond_the_depth() -> None:
    hits = hits_of("a", {"a": 2, "b": 2, "c": 1, "d": 1}, dict.fromkeys("abcd", "1"))
    assert raw("infNDCG@1", hits) == pytest.approx(2 / (2 + 1 / np.log2(4)))


def test_the_relevance_level() -> None:
    hits = hits_of("ab", {"a": 1, "b": 2}, {"a": "1", "b": "1"})
    assert raw("xinfAP(rel=2)", hits) == pytest.approx(1 / 2, abs=1e-4)
    assert raw("inum_rel(rel=2)", hits) == 1


def test_strata_with_distant_numbers_in_several_topics() -> None:
    columns = ["1", "1", "2", "2"], ["a", "b", "a", "b"], [1, 0, 1, -1]
    qrels = Qrels.from_columns(*columns, strata=["5", "900", "900", "900"])
    part = join(Run.of({"2": {"a": 1}}), qrels, kernels=False)
    hits = together([part, part], qrels)
    assert parse_measure("inum_rel").raw(hits).tolist() == [1, 2, 1, 2]
    assert parse_measure("xinfAP").raw(hits).tolist() == [0, 1, 0, 1]


def test_nothing_relevant_is_undefined() -> None:
    hits = hits_of("ab", {"a": 0, "b": -1}, {"a": "1", "b": "1"})
    for name in ("xinfAP", "infNDCG"):
        assert raw(name, hits) == 0
        assert np.isnan(parse_measure(name)(hits)).all()
    assert parse_measure("inum_rel")(hits).tolist() == [0]


@pytest.mark.parametrize("name", ["xinfAP", "infNDCG", "iP@10", "inum_rel", "inum_rel_ret", "statAP"])
def test_plain_judgements_are_refused(name: str) -> None:
    with pytest.raises(MeasureError, match="needs"):
        parse_measure(name).raw(Hits.of(ranks=[1], relevant=1))
