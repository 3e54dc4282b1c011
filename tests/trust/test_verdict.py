"""Verdicts: firm, fragile, undecided, and the reasons given for them."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import leadline as ll
from leadline.errors import MeasureError, MismatchError
from leadline.measures.definition import MEASURES, parse_measure
from leadline.records.scores import Scores, t_quantile
from leadline.trust import verdict
from leadline.trust.no_verdict import why_never, why_no_verdict
from leadline.trust.paired_tests import holm
from leadline.trust.pairs import decide
from leadline.trust.randomisation import flip_test, randomisation
from leadline.trust.rankings import sign
from leadline.trust.study import open_study
from leadline.trust.verdict import lead_rests_on

RNG = np.random.default_rng


def scored(*rows: np.ndarray, measure: str = "AP", better: str = "higher") -> Scores:
    matrix = np.stack(rows)
    names = tuple("abcdef"[: len(rows)])
    topics = tuple(str(t) for t in range(matrix.shape[1]))
    return Scores(names, topics, (measure,), matrix[:, :, None], better=(better,))  # type: ignore[arg-type]


def planted(relevant: int, found_by_better: int, topics: int = 40) -> tuple[dict, dict]:
    """A better run that finds more of each topic's relevant documents than a worse one."""
    rng = RNG(3)
    qrels, better, worse = {}, {}, {}
    for t in range(topics):
        documents = [f"d{k}" for k in range(relevant)]
        qrels[str(t)] = {**dict.fromkeys(documents, 1), "x": 0}
        for run, found in ((better, found_by_better), (worse, 1)):
            chosen = rng.permutation(documents)[:found].tolist()
            run[str(t)] = {document: -float(place) for place, document in enumerate([*chosen, "x"])}
    return qrels, {"better": better, "worse": worse}


def test_a_large_lead_on_many_judgements_is_firm() -> None:
    study = open_study(*planted(relevant=20, found_by_better=15), "R@20")
    found = decide(study.scores(), "R@20", study=study, samples=20, seed=1)
    (only,) = found.verdicts
    assert (found.leader, only.other, only.word) == ("better", "worse", "firm")
    assert (only.significant_in, only.turned_in) == (1.0, 0.0)
    assert found.winner == "better"
    assert found.headline().startswith("better is firmly better than worse; by R@20 better has 0.750 [")
    assert "Firm: with half the judgements significant in 20 of 20 samples." in found.headline()
    assert "significant in 20 of 20 samples" in " ".join(only.reasons)


def test_a_lead_that_half_the_judgements_lose_is_fragile() -> None:
    study = open_study(*planted(relevant=2, found_by_better=2, topics=9), "R@20")
    found = decide(study.scores(), "R@20", study=study, samples=40, seed=1)
    (only,) = found.verdicts
    assert only.p_corrected < 0.05
    assert only.significant_in < 0.95
    assert only.word == "fragile"
    assert only.criterion.endswith("of 40 samples, 38 needed")
    assert found.winner is None
    assert found.headline().startswith("No firm winner: the lead of better is fragile; ")


def test_how_many_samples_are_tested_together_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few judgements, so that samples lose topics: one test of all samples, or one of each."""
    study = open_study(*planted(relevant=2, found_by_better=2, topics=9), "R@20")
    together = decide(study.scores(), "R@20", study=study, samples=30, seed=1)
    monkeypatch.setattr(verdict, "NUMBERS_AT_ONCE", 1)
    assert decide(study.scores(), "R@20", study=study, samples=30, seed=1) == together
    assert 0 < together.verdicts[0].significant_in < 1


def test_no_difference_is_undecided_and_asks_for_more_topics() -> None:
    rng = RNG(5)
    first = rng.uniform(0, 1, 30)
    found = decide(scored(first, first + rng.normal(0.01, 0.2, 30)), "AP", seed=1)
    (only,) = found.verdicts
    assert only.word == "undecided"
    assert only.topics_needed is None or only.topics_needed > 30
    assert "topics" in only.reasons[-1]


def test_without_judgements_no_lead_is_firm() -> None:
    rng = RNG(5)
    first = rng.uniform(0, 1, 30)
    found = decide(scored(first, first - 0.2), "AP", seed=1)
    assert found.verdicts[0].word == "fragile"
    assert np.isnan(found.verdicts[0].significant_in)
    assert "without the judgements its stability cannot be tried" in found.headline()


def test_lower_is_better_where_it_is() -> None:
    rng = RNG(5)
    effort = rng.uniform(50, 100, 30)
    found = decide(scored(effort, effort + 40, measure="effort@0.9", better="lower"), "effort@0.9", seed=1)
    assert found.leader == "a"
    assert found.mean == pytest.approx(effort.mean())
    assert found.verdicts[0].difference == pytest.approx(40)


def test_a_field_is_judged_leader_against_each() -> None:
    rng = RNG(5)
    base = rng.uniform(0, 0.5, 40)
    rival = base + 0.3 + rng.normal(0, 0.05, 40) - 0.002
    found = decide(scored(base, base + 0.3, rival, base - 0.1), "AP", seed=1)
    assert found.leader in ("b", "c")
    assert [verdict.word for verdict in found.verdicts] == ["undecided", "fragile", "fragile"]
    assert found.headline().startswith("No firm winner: 2 systems cannot be told apart; the first by AP is ")
    assert "(undecided against 1, fragile against 2). Nearest rival: " in found.headline()
    assert [row[0] for row in found.table().rows] == [found.leader] * 3


def test_level_runs_do_not_lead() -> None:
    rng = RNG(5)
    base = rng.uniform(0, 0.5, 40)
    found = decide(scored(base, base, base - 0.1), "AP", seed=1)
    assert found.level == ("b",)
    assert "a and b are level at AP" in found.headline()
    assert "lead" not in found.headline()


def test_what_unjudged_documents_make_uncertain() -> None:
    qrels, runs = planted(relevant=20, found_by_better=15)
    study = open_study(qrels, runs, "R@20")
    assert decide(study.scores(), "R@20", study=study, samples=2, complete=True).doubt == ""
    cited = {topic: {name: grade for name, grade in judged.items() if grade} for topic, judged in qrels.items()}
    study = open_study(cited, runs, "R@20")
    assert "list only relevant documents" in decide(study.scores(), "R@20", study=study, samples=2).doubt


def test_levels_are_those_of_the_randomisation_test() -> None:
    matrix = RNG(2).uniform(0, 1, (4, 12))
    ours = flip_test(matrix[0] - matrix[1:])
    np.testing.assert_allclose(ours.p, randomisation(matrix, rng=RNG(1), draws=5000).p[:3])
    np.testing.assert_allclose(ours.corrected, holm(ours.p))


def test_one_topic_can_carry_a_lead() -> None:
    assert lead_rests_on(np.array([0.9, -0.1, -0.1, 0.0])) == 1
    assert lead_rests_on(np.full(10, 0.1)) == 10


def test_one_comparison_is_not_called_several() -> None:
    """Six topics are as few as may decide, but one of them against the leader makes p 4/64."""
    found = decide(scored(np.array([0.5, 0.6, 0.4, 0.7, 0.5, 0.6]), np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.62])), "AP")
    assert (found.verdicts[0].word, found.verdicts[0].p) == ("undecided", 4 / 64)
    assert " pairs" not in str(found)
    three = decide(scored(*(np.array([0.5, 0.6, 0.4, 0.7, 0.5, 0.6]) - shift for shift in (0, 0.1, 0.2))), "AP")
    assert "About 1 more topic would be needed for a decision (7 in all among 3 pairs, for" in str(three)


def test_measures_of_effort_give_no_verdict() -> None:
    """A run that lists one relevant document has the smallest effort, and finds a fifth of what the other finds."""
    topics = [str(t) for t in range(20)]
    qrels = {topic: {f"d{n}": 1 for n in range(5)} | {"x": 0} for topic in topics}
    whole = {topic: {f"d{n}": 9.0 - n for n in range(5)} | {f"x{n}": -float(n) for n in range(90)} for topic in topics}
    runs = {"whole": whole, "one": {topic: {"d0": 1.0} for topic in topics}}
    for measure in ("last_rel", "loss_e", "cost", "loss_e@50", "effort@0.2", "effort@0.8"):
        scores = ll.evaluate(qrels, runs, measure)
        reached_by_both = measure == "effort@0.2"
        assert (why_no_verdict(scores, measure) == "") is reached_by_both
        if reached_by_both:
            continue
        for asked in ((scores,), (qrels, runs, measure)):
            with pytest.raises(MeasureError, match=rf"{measure} gives no verdict: .*leadline\.effort_to_recall"):
                ll.verdict(*asked)
        if measure != "effort@0.8":
            pairs = ll.compare(scores)
            assert pairs.sentence() == pairs.no_verdict == why_no_verdict(scores, measure)
            assert set(pairs.letters().values()) == {""}
            assert pairs.summary_table().columns == ["run", "mean", "low", "high"]
            assert pairs.table().rows[0][-1] < 0.05  # the table of pairs is there as ever
    assert ll.verdict(qrels, runs, "R@100").leader == "whole"


def test_a_measure_declares_that_it_counts_effort() -> None:
    """Every measure of which less is better was looked at: losses of recall charge what is missed."""
    declared = {
        known.definition.name: known.effort
        for known in map(parse_measure, map(asked, MEASURES))
        if known.definition.better == "lower"
    }
    assert declared == {
        "last_rel": "alone", "cost": "priced", "loss_e": "alone", "effort": "until found", "loss_r": None,
        "loss_er": None,
    }  # fmt: skip
    for free in ("cost(reading=0)", "utility(wrong=0)", "utility(wrong=0.5, spared=0.5)", "EGU", "EGU(cost=0)"):
        assert parse_measure(free).effort is None
    for priced in ("utility", "EGU(cost=0.01)", "EGU(variant=trecdd)", "cost(worth=0)@50"):
        assert parse_measure(priced).effort == "priced"


def asked(name: str) -> str:
    """A measure with what it needs to be asked for."""
    for text in (name, f"{name}@10", f"{name}@0.5", f"{name}(size=1000)"):
        with contextlib.suppress(MeasureError):
            return parse_measure(text).text
    raise AssertionError(name)


def test_no_measure_that_decides_crowns_a_run_that_finds_nothing(tmp_path: Path) -> None:
    """One document that is not relevant, or hundreds, against a long list that has everything, by every measure."""
    rng, topics = RNG(1), [str(topic) for topic in range(1, 9)]
    honest = {topic: {f"d{n}": float(rng.normal() + 2 * (n < 12)) for n in range(100)} for topic in topics}
    idle = {
        "one": {topic: {"d20": 1.0} for topic in topics},
        "many": {topic: {f"d{n}": 1.0 / n for n in range(60, 160)} for topic in topics} | {"1": {"d20": 1.0}},
    }
    qrels: dict[str | None, list[str]] = {None: [], "subtopics": [], "strata": [], "prels": []}
    for topic in topics:
        for n in range(60):
            grade = (n < 12) * (1 + n % 2)
            qrels[None].append(f"{topic} 0 d{n} {grade}")
            qrels["subtopics"].append(f"{topic} {1 + n % 4} d{n} {grade}")
            qrels["strata"].append(f"{topic} 0 d{n} {1 + n % 2} {grade}")
            qrels["prels"].append(f"{topic} d{n} {grade} 1 {0.5 + 0.5 * (n % 2)}")
    for kind, lines in qrels.items():
        (tmp_path / str(kind)).write_text("\n".join(lines) + "\n")
    lengths = {f"d{n}": 300.0 for n in range(160)}
    decided = 0
    for measure in map(asked, MEASURES):
        if why_never(measure) or measure == "CT_pgc":  # whose subtopics are claims
            continue
        if "characters" in parse_measure(measure).view.needs:  # of runs of passages
            continue
        kind = next(iter(parse_measure(measure).view.needs & {"subtopics", "strata", "prels"}), None)
        how = {"lengths": lengths} | ({"qrels_format": kind} if kind else {})
        scores = ll.evaluate(tmp_path / str(kind), {"honest": honest, **idle}, measure, **how)
        if why_no_verdict(scores, measure):
            assert measure == "effort"
            continue
        better = sign(scores.better[0]) * scores.order_means()[:, 0]
        assert better[0] > better[1:].max(), measure
        decided += 1
    assert decided > 60


def test_one_run_cannot_be_compared() -> None:
    with pytest.raises(MismatchError, match="needs two or more"):
        decide(scored(np.array([0.1, 0.2])), "AP", seed=1)


def test_intervals_are_students() -> None:
    from scipy.special import stdtrit

    freedom = np.array([1, 2, 3, 4, 6, 9, 19, 29, 100, 199, 200, 201, 1000])
    np.testing.assert_allclose(t_quantile(freedom), stdtrit(freedom, 0.975), rtol=1e-9)


def test_intervals_of_a_verdict() -> None:
    """Of the leader's mean Student's, from the sample standard deviation (n - 1); of its lead that of the flips."""
    rng = RNG(8)
    first = rng.uniform(0.4, 1, 6)
    second = first - rng.uniform(0, 0.3, 6)
    found = decide(scored(first, second), "AP")
    (only,) = found.verdicts
    expected = stats.t.interval(0.95, 5, loc=first.mean(), scale=stats.sem(first))
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)
    assert (only.low, only.high) == (min(first - second), max(first - second))  # of 2⁶ flips two are 5 %
    assert f"between {only.low:.4f} and {only.high:.4f}" in only.reasons[0]  # as many digits as the difference


def test_few_topics_of_a_measure_without_bounds_have_no_interval() -> None:
    found = decide(replace(scored(np.array([1.0, 1.0]), np.array([0.0, 0.5])), measures=("our own",)), "our own")
    assert "so few topics give no interval" in found.verdicts[0].reasons[0]
    assert "inf" not in str(found)


def test_intervals_of_a_verdict_stay_inside_the_measure() -> None:
    """Student's interval of two topics is wider than any two values of AP can differ; a score without bounds has it."""
    first, second = np.array([1.0, 1.0]), np.array([0.0, 0.5])
    found = decide(scored(first, second), "AP")
    assert (found.verdicts[0].low, found.verdicts[0].high) == (-1.0, 1.0)
    unbounded = replace(scored(first, second), measures=("our own",))
    assert decide(unbounded, "our own").verdicts[0].high > 3


def test_values_beyond_reason_are_refused() -> None:
    with pytest.raises(MismatchError, match="beyond"):
        decide(scored(np.array([1e308, -1e308, 1.0]), np.array([0.1, 0.2, 0.3])), "AP", seed=1)
