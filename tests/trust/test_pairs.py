"""All pairs as a table, letters that never run out, and the two tests in one triangle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import InputError, MismatchError
from leadline.records.scores import Scores
from leadline.show.papers import published
from leadline.show.papers.chem_2009 import PRINTED_MEANS
from leadline.trust.paired_tests import all_pairs
from leadline.trust.pairs import compare
from leadline.trust.rankings import aligned
from leadline.trust.triangle import triangle
from leadline.trust.verdict import letter, letters


def scores_of(matrix: np.ndarray, **more: object) -> Scores:
    runs = tuple(f"sys{system}" for system in range(len(matrix)))
    topics = tuple(str(topic) for topic in range(501, 501 + matrix.shape[1]))
    return Scores(runs, topics, ("AP",), np.asarray(matrix, float)[:, :, None], **more)  # type: ignore[arg-type]


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_the_table_has_a_row_for_each_pair_in_the_columns_promised(ap, oracle) -> None:
    table = compare(scores_of(ap), "AP", test="t", seed=1).table()
    head, *lines = table.render("tsv").splitlines()
    columns = "measure run_a run_b mean_a mean_b difference effect low high wins ties losses p p_corrected"
    assert head.replace("\t", " ") == columns
    assert len(lines) == 28
    corrections = oracle("statsmodels_corrections_of_t.tsv")
    for line, r, correction in zip(lines, oracle("R_pairs.tsv"), corrections, strict=True):
        cells = dict(zip(head.split("\t"), line.split("\t"), strict=True))
        assert (cells["measure"], cells["run_a"], cells["run_b"]) == ("AP", r["A"], r["B"])
        assert float(cells["low"]) == pytest.approx(float(r["ci_lo"]), abs=1e-10)
        assert float(cells["high"]) == pytest.approx(float(r["ci_hi"]), abs=1e-10)
        assert float(cells["effect"]) == pytest.approx(float(r["t"]) / 5, rel=1e-9)  # t is effect · √25
        assert float(cells["mean_a"]) - float(cells["mean_b"]) == pytest.approx(float(cells["difference"]))
        assert int(cells["wins"]) + int(cells["ties"]) + int(cells["losses"]) == 25
        assert float(cells["p"]) == pytest.approx(float(r["p_t"]), rel=1e-9)
        assert float(cells["p_corrected"]) == pytest.approx(float(correction["holm"]), rel=1e-9)


def test_a_measure_that_is_better_lower_turns_wins_and_order_but_not_the_difference(ap) -> None:
    higher = compare(scores_of(ap), "AP", test="t", seed=1)
    lower = compare(scores_of(ap, better=("lower",)), "AP", test="t", seed=1)
    assert lower.wins.tolist() == higher.losses.tolist()
    assert lower.difference.tolist() == higher.difference.tolist()
    assert lower.order() == higher.order()[::-1]


def test_topics_are_left_out_for_all_and_said_aloud(ap) -> None:
    holed = ap.copy()
    holed[2, 3] = np.nan
    holed[:, 7] = np.nan
    found = compare(scores_of(holed), "AP", test="wilcoxon", seed=1)
    kept = np.delete(ap, [3, 7], axis=1)
    assert len(found.topics) == 23
    assert found.p.tolist() == compare(scores_of(kept), "AP", test="wilcoxon", seed=1).p.tolist()
    assert found.notes[:2] == (
        "AP: 1 topic undefined for every run, left out",
        "AP: topic 504 has no value for sys2; left out for all runs",
    )


def test_too_little_to_compare_is_said_in_a_line(ap) -> None:
    with pytest.raises(MismatchError, match="1 run; a comparison needs two or more"):
        aligned(scores_of(ap[:1]), "AP")
    with pytest.raises(MismatchError, match="1 topic with a value for every run; a comparison needs two or more"):
        aligned(scores_of(ap[:, :1]), "AP")
    holed = ap.copy()
    holed[4] = np.nan
    with pytest.raises(MismatchError, match=r"0 topics with a value for every run \(sys4 without any value\)"):
        aligned(scores_of(holed), "AP")


@pytest.mark.parametrize(
    "wrong", [{"test": "student"}, {"correction": "sidak"}, {"test": "tukey", "correction": "x"}, {"draws": 0}]
)
def test_wrong_words_and_numbers_are_refused(ap, wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        compare(scores_of(ap), "AP", seed=1, **wrong)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_p(ap) -> None:
    one, other, third = (compare(scores_of(ap), "AP", seed=seed, draws=1000).p.tolist() for seed in (1, 1, 2))
    assert one == other != third


def test_draws_that_could_never_be_enough_are_said_aloud() -> None:
    many = scores_of(rng().random((30, 25)))
    assert "8700 draws or more" in compare(many, "AP", seed=1, draws=1000).notes[1]
    assert compare(many, "AP", seed=1, draws=10_000).notes == ("p by 10,000 random flips of signs",)
    few_topics = scores_of(rng().random((30, 8)))
    assert compare(few_topics, "AP", seed=1, draws=1000).notes[0].startswith("8 topics are too few for 435 pairs")
    assert compare(few_topics, "AP").notes[1].startswith("8 topics are too few for 435 pairs")


def test_among_ten_thousand_pairs_some_are_significant() -> None:
    """143 runs as at TREC-COVID: a p of 100 000 draws could not fall below 1/100 001, too large for 10 153 pairs."""
    shift = np.repeat([0.0, 0.5], [71, 72])[:, None]
    found = compare(scores_of(rng().random((143, 30)) * 0.5 + shift), "AP")
    between = (found.first < 71) & (found.second >= 71)
    assert not found.significant()[~between].any()
    assert found.significant()[between].all()
    assert found.p[between].max() < 1e-5
    assert not any("too few" in note for note in found.notes)
    drawn = compare(scores_of(rng().random((143, 30)) * 0.5 + shift), "AP", draws=1000)
    assert not drawn.significant().any()
    assert "1000 draws are too few for 10,153 pairs" in drawn.notes[1]


def test_notes_say_how_p_was_found() -> None:
    assert compare(scores_of(rng().random((3, 20))), "AP").notes == ("p by every flip of signs",)
    assert compare(scores_of(rng().random((3, 40))), "AP").notes[0].startswith("p by the saddlepoint of all flips")
    values = rng().random((3, 21))
    values[1, 0] = values[0, 0]
    mixed = compare(scores_of(values), "AP").notes[0]
    assert mixed.startswith("p by every flip of signs for 1 pair, by the saddlepoint of all flips of signs for 2 pairs")


def test_tukey_is_not_corrected_twice(ap) -> None:
    found = compare(scores_of(ap), "AP", test="tukey", correction="bonferroni", seed=1, draws=500)
    assert found.p_corrected.tolist() == found.p.tolist()
    assert "already allow for the number of pairs" in found.notes[0]


def test_runs_that_share_a_letter_do_not_differ(ap) -> None:
    found = compare(scores_of(ap), "AP", seed=1)
    named = found.letters(0.05)
    assert list(named) == [found.runs[run] for run in found.order()]
    for pair, (a, b) in enumerate(zip(found.first, found.second, strict=True)):
        share = set(named[found.runs[a]]) & set(named[found.runs[b]])
        assert bool(share) == (found.p_corrected[pair] >= 0.05)
    rows = found.summary_table().rows
    assert [row[1] for row in rows] == sorted(found.means.tolist(), reverse=True)
    assert all(row[2] < row[1] < row[3] for row in rows)


@settings(deadline=None)
@given(st.integers(1, 14), st.floats(0, 1), st.integers(0, 2**32))
def test_letters_say_exactly_what_the_matrix_says(systems: int, density: float, seed: int) -> None:
    alike = np.random.default_rng(seed).random((systems, systems)) < density
    alike = alike | alike.T | np.eye(systems, dtype=bool)
    named = [text.split(" ") if " " in text else list(text) for text in letters(alike)]
    assert all(named)
    for a, b in zip(*all_pairs(systems), strict=True):
        assert bool(set(named[a]) & set(named[b])) == alike[a, b]


def test_letters_do_not_run_out() -> None:
    apart = letters(np.eye(60, dtype=bool))
    assert apart[:2] == ["a", "b"]
    assert apart[25:28] == ["z", "aa", "ab"]
    assert len(set(apart)) == 60
    chain = np.eye(60, dtype=bool) | np.eye(60, k=1, dtype=bool) | np.eye(60, k=-1, dtype=bool)
    assert letters(chain)[:3] == ["a", "a b", "b c"]
    assert letters(chain)[27] == "aa ab"
    assert letter(26 + 26 * 26) == "aaa"
    assert set(letters(np.ones((60, 60), bool))) == {"a"}


@pytest.mark.parametrize(("measure", "place"), [("xinfAP", 0), ("infNDCG", 1)])
def test_the_means_of_trec_chem_come_out_of_its_matrix(measure: str, place: int) -> None:
    found = compare(published.trec_chem_2009(measure), measure, test="t", seed=1)
    mean = dict(zip(found.runs, found.means.tolist(), strict=True))
    # The matrix is printed to 3 decimals, so a mean of it is off by half of the last at most.
    for run, printed in PRINTED_MEANS.items():
        assert mean[run] == pytest.approx(printed[place], abs=0.0005)


def test_the_triangle_of_trec_chem() -> None:
    from scipy import stats

    scores = published.trec_chem_2009("xinfAP")
    found = triangle(scores, "xinfAP")
    assert found.p.shape == (31, 31)
    assert found.runs[0] == "DUT09TSRun6"
    assert np.isnan(np.diag(found.p)).all()
    above, below = all_pairs(31)
    by_flips, by_t = found.p[above, below], found.p[below, above]
    assert ((by_flips > 0) & (by_flips <= 1)).all()
    values = dict(zip(scores.runs, scores.of("xinfAP"), strict=True))
    for row, column in [(0, 1), (2, 20), (7, 8), (3, 30)]:
        a, b = values[found.runs[row]], values[found.runs[column]]
        assert found.p[column, row] == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9)
        theirs = stats.permutation_test(
            (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", vectorized=True,
            n_resamples=9999, rng=np.random.default_rng(2),
        ).pvalue  # fmt: skip
        p = found.p[row, column]
        # scipy doubles the smaller tail, so its error is that of a tail, twice.
        assert abs(theirs - p) <= 5 * 2 * np.sqrt(max(p / 2 * (1 - p / 2), 1e-4) / 9999)
    assert np.corrcoef(by_flips, by_t)[0, 1] > 0.99
    table = found.table()
    assert list(table.columns) == ["run", *found.runs]
    assert len(table.rows) == 31
