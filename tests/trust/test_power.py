"""Discriminative power against MATTERS with the saved replicates, and what it should do."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.records.scores import Scores
from leadline.show.papers import published
from leadline.trust.measure_comparison import bootstrap_discrimination, power, tukey_discrimination
from leadline.trust.paired_tests import arranged, counts_of, ranges_of


def headline(golden: Path, name: str, value: str) -> float:
    first = (golden / "significance" / name).read_text(encoding="utf-8").splitlines()[0]
    found = re.search(rf"{re.escape(value)}=([0-9.]+)", first)
    assert found
    return float(found[1])


def two_measures(ap: np.ndarray) -> Scores:
    """AP, and the same blurred, which tells less apart."""
    blurred = 0.3 * ap + 0.7 * np.random.default_rng(3).random(ap.shape)
    runs = tuple(f"sys{system}" for system in range(len(ap)))
    topics = tuple(str(topic) for topic in range(ap.shape[1]))
    return Scores(runs, topics, ("AP", "blurred"), np.stack([ap, blurred], axis=2))


def test_bootstrap_is_that_of_matters(ap, golden, drawn_topics) -> None:
    found = bootstrap_discrimination(ap, counts_of(drawn_topics))
    file = "matters_paired_bootstrap.txt"
    assert (found.levels < 0.05).mean() == headline(golden, file, "discriminative_power")
    assert found.difference_needed == pytest.approx(headline(golden, file, "delta"), abs=1e-10)


def test_tukey_is_that_of_matters(ap, golden, arrangements) -> None:
    ranges = ranges_of([arranged(ap, arrangements)])
    found = tukey_discrimination(ap, ranges)
    file = "matters_randomised_tukey_hsd.txt"
    assert (found.levels < 0.05).mean() == pytest.approx(headline(golden, file, "discriminative_power"), abs=1e-10)
    means = ap.mean(axis=1)
    differences = np.abs(means[:, None] - means)[np.triu_indices(8, 1)]
    largest = headline(golden, file, "delta(max significant diff)")
    assert differences[found.levels < 0.05].max() == pytest.approx(largest, abs=1e-10)
    # The difference needed parts the significant pairs from the others.
    assert found.difference_needed == np.sort(ranges)[::-1][99]
    assert ((differences > found.difference_needed) == (found.levels < 0.05)).all()


@pytest.mark.parametrize("test", ["bootstrap", "tukey"])
def test_the_table_and_the_curve(ap, test: str) -> None:
    found = power(two_measures(ap), test=test, draws=2000, seed=1)
    head, *lines = found.table().render("tsv").splitlines()
    assert head.replace("\t", " ") == "measure test alpha pairs significant power difference_needed"
    cells = [line.split("\t") for line in lines]
    assert [row[0] for row in cells] == ["AP", "blurred"]
    assert all(row[1:4] == [test, "0.050000000000000003", "28"] for row in cells)
    assert all(float(row[5]) == pytest.approx(int(row[4]) / 28) for row in cells)
    assert found.power[0] > found.power[1]
    assert found.table().best == {(0, 5)}
    curve = found.curve("AP")
    assert len(curve) == 28
    assert (np.diff(curve) <= 0).all()
    assert (curve < 0.05).sum() == found.significant[0]
    with pytest.raises(InputError, match="no measure 'MAP'"):
        found.curve("MAP")


@pytest.mark.parametrize("test", ["bootstrap", "tukey"])
def test_a_stricter_alpha_tells_fewer_apart_and_needs_more(ap, test: str) -> None:
    strict, loose = (
        power(two_measures(ap), ["AP"], test=test, alpha=alpha, draws=3000, seed=1) for alpha in (0.01, 0.1)
    )
    assert strict.power[0] < loose.power[0]
    assert strict.found[0].difference_needed > loose.found[0].difference_needed


def test_random_replicates_find_what_the_saved_found(ap) -> None:
    found = power(two_measures(ap), ["AP"], draws=20_000, seed=1)
    assert found.power[0] == pytest.approx(0.75, abs=2 / 28)  # MATTERS: 0.75; two pairs are within chance of alpha
    assert found.found[0].difference_needed == pytest.approx(0.155, abs=0.03)
    by_tukey = power(two_measures(ap), ["AP"], test="tukey", draws=5000, seed=1)
    assert by_tukey.power[0] == pytest.approx(0.4286, abs=2 / 28)


def test_power_grows_with_topics() -> None:
    rng = np.random.default_rng(5)
    shares = []
    for topics in (10, 40, 160):
        values = rng.random((6, topics)) + 0.08 * np.arange(6)[:, None]
        scores = Scores(tuple("abcdef"), tuple(map(str, range(topics))), ("M",), values[:, :, None])
        shares.append(power(scores, draws=1000, seed=rng).power[0])
    assert shares[0] < shares[1] < shares[2]


def test_the_two_measures_of_trec_chem() -> None:
    xinfap, infndcg = published.trec_chem_2009("xinfAP"), published.trec_chem_2009("infNDCG")
    assert (xinfap.runs, xinfap.topics) == (infndcg.runs, infndcg.topics)
    both = np.concatenate([xinfap.values, infndcg.values], axis=2)
    scores = Scores(xinfap.runs, xinfap.topics, ("xinfAP", "infNDCG"), both)
    found = power(scores, test="bootstrap", draws=2000, seed=1)
    assert [row[3] for row in found.table().rows] == [465, 465]
    assert ((found.power > 0) & (found.power < 1)).all()


@pytest.mark.parametrize("wrong", [{"test": "t"}, {"alpha": 0}, {"alpha": 1.5}, {"draws": 0}])
def test_wrong_words_and_numbers_are_refused(ap, wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        power(two_measures(ap), seed=1, **wrong)  # type: ignore[arg-type]


def test_the_power_of_a_measure_does_not_depend_on_the_others() -> None:
    values = np.random.default_rng(3).random((6, 12, 2))
    scores = Scores(tuple("abcdef"), tuple(map(str, range(12))), ("AP", "R"), values)
    alone, both = power(scores, ["R"], draws=500), power(scores, draws=500)
    assert alone.power[0] == both.power[1]
    np.testing.assert_array_equal(alone.found[0].levels, both.found[1].levels)
