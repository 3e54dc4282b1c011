"""What recall costs: last_rel, WSS, effort and Rnorm, against CLEF's tar_eval and by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.evaluate import evaluate
from leadline.measures.hits import Hits
from leadline.measures.join import join, together
from leadline.records.qrels import read_qrels
from leadline.records.runs import read_run

MEANS = {"last_rel": "last_rel", "wss_95": "wss_95", "wss_100": "wss_100"}


@pytest.mark.parametrize("output", ["official", "rerun"])
def test_tar_eval(shared: Path, output: str) -> None:
    inputs = shared / "oracles/inputs/tar"
    qrels = read_qrels(inputs / "dta2019.abs.qrels", format="plain")
    run = read_run(inputs / "DTA_sheffield-baseline.run", order="file")
    hits = together([join(run, qrels, kernels=False)], qrels)
    counts = {"num_shown": hits.retrieved, "rels_found": hits.found(), "num_rels": hits.n_relevant()}
    values = {name: parse_measure(measure)(hits) for name, measure in MEANS.items()}
    compared = 0
    text = (shared / f"oracles/tar_eval/{output}.DTA_sheffield-baseline.abs.out").read_text()
    for topic, name, printed in (line.split("\t") for line in text.splitlines()):
        if name in counts:
            found = counts[name].sum() if topic == "ALL" else counts[name][qrels.topics.index(topic)]
            assert found == float(printed), (topic, name)
        elif name in values:
            found = values[name].mean() if topic == "ALL" else values[name][qrels.topics.index(topic)]
            assert abs(found - float(printed)) <= (0.5 if found >= 1 else 0.5e-3 + 1e-9), (topic, name)
        elif name.startswith("recall@") and topic != "ALL":
            t = qrels.topics.index(topic)
            depth = round(int(hits.retrieved[t]) * float(name[len("recall@") : -1]) / 100)
            found = parse_measure(f"R@{depth}")(hits)[t]
            assert abs(found - float(printed)) <= 0.5e-3 + 1e-9, (topic, name)
        else:
            continue
        compared += 1
    assert compared == 9 * 6 + 8 * 100


def value(measure: str, hits: Hits) -> float:
    return float(parse_measure(measure)(hits)[0])


def test_wss_by_share_and_percent() -> None:
    hits = Hits.of(ranks=[1, 2, 3, 50], relevant=4, retrieved=100)
    assert value("WSS@0.75", hits) == pytest.approx(0.97 - 0.25)
    for name in ("WSS@75", "wss_75", "WSS(share=0.75)"):
        assert value(name, hits) == value("WSS@0.75", hits)
    assert value("WSS@1", hits) == value("wss_100", hits) == pytest.approx(0.5)


def read_down(run: list[str], judged: dict[str, int], share: float) -> float:
    """WSS as tar_eval finds it: reading down the list, N the judged documents, or those read if they are more."""
    wanted = round(sum(grade > 0 for grade in judged.values()) * share)
    found = last = 0
    for rank, document in enumerate(run, start=1):
        if judged.get(document, 0) > 0:
            last = rank if found < wanted else last
            found += 1
    total = max(len(judged), len(run))
    return 0.0 if found < wanted else (total - last) / total - (1 - share)


@pytest.mark.parametrize("kept", [0.02, 0.5, 0.8, 0.95, 1.0])
def test_wss_of_a_list_cut_short(shared: Path, kept: float) -> None:
    inputs = shared / "oracles/inputs/tar"
    judged: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in map(str.split, (inputs / "dta2019.abs.qrels").read_text().splitlines()):
        judged.setdefault(topic, {})[document] = int(grade)
    lists: dict[str, list[str]] = {}
    for line in (inputs / "DTA_sheffield-baseline.run").read_text().splitlines():
        lists.setdefault(line.split()[0], []).append(line.split()[2])
    cut = {topic: documents[: round(kept * len(documents))] for topic, documents in lists.items()}
    run = {topic: {document: -rank for rank, document in enumerate(documents)} for topic, documents in cut.items()}
    whole = {topic: {document: -rank for rank, document in enumerate(documents)} for topic, documents in lists.items()}
    scores = evaluate(judged, {"cut": run, "whole": whole}, "WSS@0.95 WSS@1 WSS(candidates=list)@0.95")
    differ = 0
    for t, topic in enumerate(scores.topics):
        for m, share in enumerate((0.95, 1.0)):
            assert scores.values[0, t, m] == pytest.approx(read_down(cut[topic], judged[topic], share))
            # A cut list that still reaches the share saves exactly as much as the whole one.
            assert scores.values[0, t, m] in (0.0, pytest.approx(scores.values[1, t, m]))
        differ += scores.values[0, t, 2] != pytest.approx(scores.values[0, t, 0])
    assert (differ > 0) == (0.02 < kept < 1)  # by the length of the list, a cut list seems to save less


def test_wss_of_more_documents_than_were_judged() -> None:
    assert value("WSS@1", Hits.of(ranks=[1, 2], relevant=2, retrieved=100)) == pytest.approx(0.98)
    short = Hits.of(ranks=[1, 2], grades=[1, 1], missed=[0] * 98)
    assert value("WSS@1", short) == pytest.approx(0.98)
    assert value("WSS(candidates=list)@1", short) == 0


def test_wss_rounds_half_to_even() -> None:
    # 0.5 · 5 is 2.5, so two documents are enough; 0.5 · 7 is 3.5, so it takes four.
    assert value("WSS@0.5", Hits.of(ranks=[1, 2, 9], relevant=5, retrieved=10)) == pytest.approx(0.8 - 0.5)
    assert value("WSS@0.5", Hits.of(ranks=[1, 2, 3, 4, 9], relevant=7, retrieved=10)) == pytest.approx(0.6 - 0.5)


def test_wss_is_0_where_the_share_is_not_reached() -> None:
    assert value("WSS@0.95", Hits.of(ranks=[1], relevant=2, retrieved=10)) == 0
    assert value("WSS@0.95", Hits.of(ranks=[], relevant=2)) == 0
    # Less than half a document is asked for: nothing need be read.
    assert value("WSS@0.1", Hits.of(ranks=[4], relevant=2, retrieved=10)) == pytest.approx(0.1)


def test_effort_is_undefined_where_the_share_is_not_reached() -> None:
    hits = Hits.of(ranks=[3, 8], relevant=4)
    assert value("effort@0.5", hits) == value("effort@50", hits) == 8
    assert value("effort@0.25", hits) == 3
    assert value("effort@0.01", hits) == 3
    assert np.isnan(value("effort@0.51", hits))
    assert np.isnan(value("effort@0.5", Hits.of(ranks=[], relevant=1)))


def test_effort_is_not_misled_by_floating_point() -> None:
    assert 0.55 * 100 > 55
    assert value("effort@0.55", Hits.of(ranks=range(1, 101), relevant=100)) == 55


def test_last_rel() -> None:
    assert value("last_rel", Hits.of(ranks=[2, 9], grades=[1, 0])) == 2
    assert value("last_rel(rel=2)", Hits.of(ranks=[2, 9], grades=[2, 1])) == 2
    assert np.isnan(value("last_rel", Hits.of(ranks=[], relevant=1)))


def test_less_effort_is_better() -> None:
    for name in ("last_rel", "effort@0.95"):
        assert parse_measure(name).definition.better == "lower"


@pytest.mark.parametrize("measure", ["WSS@0", "WSS@101", "effort@-1", "effort@0"])
def test_shares_that_are_none(measure: str) -> None:
    with pytest.raises(MeasureError, match="share"):
        value(measure, Hits.of(ranks=[1], relevant=1))


def test_rnorm() -> None:
    assert value("Rnorm(size=10)", Hits.of(ranks=[1, 2], relevant=2)) == 1
    assert value("Rnorm(size=10)", Hits.of(ranks=[9, 10], relevant=2)) == 0
    assert value("Rnorm(size=10)", Hits.of(ranks=[], relevant=2)) == 0
    assert value("Rnorm(size=10)", Hits.of(ranks=[1], relevant=2)) == pytest.approx(0.5)
    assert value("Rnorm(size=2)", Hits.of(ranks=[1, 2], relevant=2)) == 1


def test_rnorm_needs_a_size_that_fits() -> None:
    with pytest.raises(MeasureError, match="size"):
        parse_measure("Rnorm")
    with pytest.raises(MeasureError, match="12 documents"):
        value("Rnorm(size=11)", Hits.of(ranks=[1], relevant=3, retrieved=10))


@pytest.mark.parametrize("measure", ["last_rel", "WSS@0.95", "effort@0.95", "Rnorm(size=10)"])
def test_nothing_relevant(measure: str) -> None:
    hits = Hits.of(ranks=[1], grades=[0])
    assert parse_measure(measure).raw(hits).tolist() == [0]
    assert np.isnan(value(measure, hits))
