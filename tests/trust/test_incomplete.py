"""What becomes of the rankings of systems when judgements are missing."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import InputError, LeadlineError
from leadline.records.qrels import read_qrels
from leadline.show.papers import published
from leadline.trust import study as study_file
from leadline.trust.incomplete import Incomplete
from leadline.trust.public import incomplete, verdict
from leadline.trust.rankings import tau_b
from leadline.trust.study import Study, open_study


def test_topics_that_drop_out_of_samples_are_counted_and_said() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    runs = {"x": {t: {"a": 2.0, "b": 1.0} for t in qrels}, "y": {t: {"b": 1.0} for t in qrels}}
    found = incomplete(qrels, runs, "R AP", keep=[0.5], samples=40)
    assert found.realised is not None
    assert 0.3 < found.known[0] < 0.7
    (note,) = [note for note in found.notes if "dropped out" in note]
    assert note.startswith("keeping 50 % of the relevant documents (")
    whole = incomplete(qrels, runs, "R AP", keep=[0.5], samples=40, rounding="at-least-one")
    assert whole.known[0] == 1
    assert not [note for note in whole.notes if "dropped out" in note]
    assert "100 % of the relevant documents known" in whole.finding()
    firm = verdict(qrels, runs, "R", samples=40)
    assert any("dropped out" in note for note in firm.notes)


@pytest.fixture
def small(golden: Path) -> Study:
    runs = [str(golden / f"inputs/syn/run{name}.run") for name in "ABC"]
    return open_study(golden / "inputs/syn/syn.qrels", runs, "AP PRES@20 nDCG effort@0.5")


def test_all_the_judgements_give_the_same_values_and_tau_1(small: Study) -> None:
    np.testing.assert_array_equal(small.sample(1, np.random.default_rng(1)).values, small.values())
    found = Incomplete.of(small, keep=[1.0], samples=3, seed=1)
    assert (found.tau == 1).all()


def test_tau_is_that_of_the_means_of_each_sample(small: Study) -> None:
    found = Incomplete.of(small, keep=[0.3, 0.6], samples=4, seed=5)
    rng = np.random.default_rng(5)
    full = small.scores().mean_values()
    for k, share in enumerate([0.3, 0.6]):
        for s in range(4):
            means = small.scores(small.sample(share, rng).values).mean_values()
            for m in range(3):
                assert found.tau[k, s, m] == pytest.approx(tau_b(full[:, m], means[:, m]), nan_ok=True)


def test_the_seed_decides_and_the_blocks_do_not(small: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Incomplete.of(small, samples=5, seed=3)
    monkeypatch.setattr(study_file, "BLOCK", 10)
    fresh = small.only(np.ones(len(small.qrels), bool))
    assert len(fresh._blocks) == 3
    np.testing.assert_array_equal(Incomplete.of(fresh, samples=5, seed=3).tau, first.tau)
    assert not np.array_equal(Incomplete.of(small, samples=5, seed=4).tau, first.tau)


def test_a_topic_undefined_for_some_runs_is_left_out_for_all_and_said(small: Study) -> None:
    found = Incomplete.of(small, keep=[1.0], samples=1, seed=1)
    assert [note for note in found.notes if "effort@0.5: undefined for some runs and left out for all" in note]


def made_up() -> Incomplete:
    tau = np.array([[[0.5, 0.9], [0.7, 0.8], [0.6, 1.0]], [[0.9, 1.0], [0.8, 1.0], [np.nan, 1.0]]])
    return Incomplete(("AP@100", "PRES@100"), (0.2, 0.85), tau, 48)


def test_the_table_of_a_study() -> None:
    table = made_up().table()
    assert list(made_up().table(realised=False).columns) == [
        "measure",
        "keep",
        "samples",
        "mean",
        "lowest",
        "low",
        "high",
    ]
    assert [row[:4] for row in table.rows] == [
        ["AP@100", 0.2, None, 3], ["AP@100", 0.85, None, 2], ["PRES@100", 0.2, None, 3], ["PRES@100", 0.85, None, 3]
    ]  # fmt: skip
    assert table.rows[0][4:] == pytest.approx([0.6, 0.5, 0.505, 0.695])
    assert table.rows[1][4:] == pytest.approx([0.85, 0.8, 0.8025, 0.8975])


def test_the_table_as_the_paper_prints_it() -> None:
    table = made_up().paper_table()
    printed = published.table("clef_ip_2009_robustness")
    assert list(table.columns[:2]) == list(printed[0])[:2]
    assert [row[:2] for row in table.rows[:4]] == [[row["percent_kept"], str(row["sample"])] for row in printed[:4]]
    assert table.rows[-1] == [100, "NA", 1.0, 1.0]
    assert table.rows[3][2:] == pytest.approx([0.6, 0.9])
    fewer = made_up().paper_table(samples=1)
    assert [row[1] for row in fewer.rows] == ["1", "avg. of 3", "1", "avg. of 3", "NA"]


def test_the_finding_and_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    study = made_up()
    assert study.finding() == (
        "PRES@100 keeps the order best with 20 % of the relevant documents known (τ 0.90), AP@100 least (τ 0.60)"
    )
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(LeadlineError, match="pip install altair"):
        study.plot()
    monkeypatch.undo()
    pytest.importorskip("altair")
    drawn = study.plot().to_dict()
    assert len(drawn["layer"]) == 8  # guides, the lowest, the mean, and the names of guides and measures
    assert "PRES@100 keeps the order best" in " ".join(drawn["title"]["text"])


@pytest.fixture(scope="module")
def covid(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Study]:
    """The 143 runs of TREC-COVID's first round, for searchers who read 100 and 1000 documents."""
    folder = tmp_path_factory.mktemp("trec_covid")
    with tarfile.open(shared / "runs/trec_covid_r1/runs.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    runs = sorted(str(path) for path in folder.rglob("*") if path.is_file())
    qrels = read_qrels(shared / "runs/trec_covid_r1/qrels.txt")
    measures = "AP@{0} R@{0} PRES@{0} nDCG@{0} bpref infAP"
    return {effort: open_study(qrels, runs, measures.format(effort)).read_to(effort) for effort in (100, 1000)}


# Means of 100 samples, as docs/incomplete.md prints them: AP, R, PRES, nDCG, bpref, infAP.
DOCUMENTED = {
    100: [
        [0.808, 0.898, 0.887, 0.875, 0.807, 0.808],
        [0.894, 0.936, 0.931, 0.926, 0.889, 0.894],
        [0.934, 0.957, 0.955, 0.950, 0.937, 0.934],
        [0.960, 0.973, 0.973, 0.969, 0.970, 0.960],
    ],
    1000: [
        [0.823, 0.935, 0.936, 0.904, 0.721, 0.823],
        [0.906, 0.962, 0.961, 0.942, 0.827, 0.906],
        [0.943, 0.974, 0.973, 0.959, 0.904, 0.943],
        [0.966, 0.985, 0.984, 0.975, 0.956, 0.966],
    ],
}


@pytest.mark.parametrize("effort", [100, 1000])
def test_recall_and_pres_keep_the_ranking_better_than_ap_on_trec_covid(covid: dict[int, Study], effort: int) -> None:
    study = covid[effort]
    assert (len(study.runs), len(study.topics), study.relevant) == (143, 30, 2352)
    found = Incomplete.of(study, samples=8, seed=2)
    ap, recall, pres, ndcg = (found.mean[:, m] for m in range(4))
    assert (recall > ap).all()
    assert (pres > ap).all()
    assert (ndcg > ap).all()
    assert (found.tau[0, :, 1:4] > found.tau[0, :, :1]).all()  # in every sample of a fifth of the judgements
    np.testing.assert_allclose(found.mean, DOCUMENTED[effort], atol=0.02)


def test_bpref_holds_only_when_judgements_of_every_kind_are_missing(covid: dict[int, Study]) -> None:
    study = covid[1000]
    relevant_gone, any_gone = (
        Incomplete.of(study, keep=[0.2], samples=5, of=of, seed=2).mean[0] for of in ("relevant", "judged")
    )
    assert relevant_gone[4] < relevant_gone[0] - 0.05
    assert any_gone[4] > any_gone[0] + 0.05


@pytest.mark.parametrize("samples", [0, 100_001, 10**9])
def test_samples_have_a_limit(samples: int) -> None:
    with pytest.raises(InputError, match=r"give between 1 and 100,000"):
        incomplete({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "R", samples=samples)
    with pytest.raises(InputError, match=r"give between 1 and 100,000"):
        verdict({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "R", samples=samples)
