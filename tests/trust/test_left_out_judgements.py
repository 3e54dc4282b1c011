"""Judgements left out by masks give what judgements left out of the file give; whose judgements can be left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import InputError, MeasureError, MismatchError
from leadline.measures.definition import MEASURES, View
from leadline.measures.evaluate import evaluate
from leadline.records.qrels import Qrels
from leadline.trust.incomplete import Incomplete, each_depth, each_run, each_source, left_out
from leadline.trust.study import Study, at_random, open_study, read_sources

# Judgements, their format, runs, and what measures must need to be had from them.
COLLECTIONS = {
    "plain": ("syn/syn.qrels", "plain", ["syn/runA.run", "syn/runB.run", "syn/runC.run"], ()),
    "subtopics": ("div/div.graded.qrels", "subtopics", ["div/dA.run", "div/dB.run"], ("subtopics",)),
    "strata": ("sampled/strat.qrels", "strata", ["sampled/sA.run"], ("strata",)),
    "prels": ("sampled/stat.prels", "prels", ["sampled/stA.run"], ("prels",)),
}


def measures_that_need(needs: tuple[str, ...]) -> list[str]:
    """Every measure of the register that a study takes with such judgements, with and without a cutoff."""
    found = []
    for name, definition in MEASURES.items():
        required = [p for p in definition.parameters.values() if p.default is p.empty]
        at = "" if definition.at is None else "@0.5" if definition.types[definition.at] is float else "@5"
        text = definition.name + (at or ("(size=9999)" if name == "Rnorm" else "")) * bool(required)
        options = {parameter.name: parameter.default for parameter in definition.parameters.values()}
        if definition.view(options) == View(needs=frozenset(needs)):  # type: ignore[arg-type]
            found.append(text)
            if definition.at in ("effort", "cutoff", "depth") and "@" not in text:
                found.append(f"{text}@5")
    return found


def thinned_file(original: Path, qrels: Qrels, kept: np.ndarray, column: int, folder: Path) -> Path:
    """The file of judgements without the lines of documents that the mask leaves out."""
    lines = []
    for line in original.read_text().splitlines():
        fields = line.split()
        if kept[qrels.lookup[fields[0]][fields[column].encode()]]:
            lines.append(line)
    path = folder / f"thinned-{original.name}"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("kind", COLLECTIONS)
@pytest.mark.parametrize("share", [0.3, 0.75])
def test_a_mask_gives_what_a_thinner_file_gives(kind: str, share: float, golden: Path, tmp_path: Path) -> None:
    file, format, runs, needs = COLLECTIONS[kind]
    path, run_files = golden / "inputs" / file, [str(golden / "inputs" / run) for run in runs]
    measures = measures_that_need(needs)
    study = open_study(path, run_files, measures, qrels_format=format)
    np.testing.assert_array_equal(study.values(), evaluate(path, run_files, measures, qrels_format=format).values)

    kept = at_random(study.qrels, share, np.random.default_rng(7), rounding="at-least-one")
    thinner = thinned_file(path, study.qrels, kept, 1 if kind == "prels" else 2, tmp_path)
    again = evaluate(thinner, run_files, measures, qrels_format=format)
    masked = study.sample(share, np.random.default_rng(7), rounding="at-least-one").values
    assert again.topics == study.topics
    for m, name in enumerate(measures):
        np.testing.assert_array_equal(masked[:, :, m], again.values[:, :, m], err_msg=name)
    np.testing.assert_array_equal(study.only(kept).values(), masked)
    assert len(measures) >= {"plain": 50, "subtopics": 20, "strata": 8, "prels": 1}[kind]


def test_topics_that_lose_every_judgement_are_undefined(golden: Path, tmp_path: Path) -> None:
    path, runs = golden / "inputs/syn/syn.qrels", [str(golden / f"inputs/syn/run{name}.run") for name in "ABC"]
    study = open_study(path, runs, "AP PRES@20 nDCG@5 bpref")
    kept = (np.arange(len(study.qrels)) % 3 == 0) & (study.qrels.topic_of_document != 1)
    left = study.only(kept)
    again = evaluate(thinned_file(path, study.qrels, kept, 2, tmp_path), runs, "AP PRES@20 nDCG@5 bpref")
    still = [topic in again.topics for topic in study.topics]
    assert not still[1]
    np.testing.assert_array_equal(left.values()[:, still], again.values)
    assert np.isnan(left.values()[:, 1]).all()
    np.testing.assert_allclose(left.scores().mean_values(), again.mean_values(), rtol=1e-14)


def test_a_subtopic_without_judgements_left_stays_a_subtopic() -> None:
    qrels = Qrels.from_columns(["7"] * 3, ["a", "b", "c"], [1, 4, 0], subtopics=["1", "2", "2"])
    runs = {"x": {"7": {"a": 1}}, "y": {"7": {"b": 1}}}
    study = open_study(qrels, runs, "CT(theta=decay)@1 strec@1")
    left = study.only(np.array([True, False, False]))
    assert left.qrels.subtopics is not None
    assert left.qrels.subtopics.names == ("1", "2")
    assert left.qrels.subtopics.largest == 4
    weight = 1 / (1 + 1 / np.log2(3))  # of the first of two subtopics
    np.testing.assert_allclose(left.values()[:, 0], [[weight / 4, 1], [0, 0]])


@given(
    st.lists(st.lists(st.integers(-1, 3), min_size=1, max_size=30), min_size=1, max_size=6),
    st.floats(0.01, 1),
    st.integers(0, 2**32),
    st.integers(1, 2),
)
@settings(deadline=None)
def test_a_share_of_each_topic_is_kept(grades: list[list[int]], share: float, seed: int, level: int) -> None:
    qrels = Qrels.of({t: {f"d{d}": grade for d, grade in enumerate(row)} for t, row in enumerate(grades)})
    relevant = qrels.grades >= level
    kept, both = (
        at_random(qrels, share, np.random.default_rng(seed), level, of=of, rounding="at-least-one")
        for of in ("relevant", "judged")
    )
    by_chance = at_random(qrels, share, np.random.default_rng(seed), level)
    assert kept[~relevant].all()
    assert by_chance[~relevant].all()
    for t in range(len(qrels.topics)):
        rows = slice(qrels.offsets[t], qrels.offsets[t + 1])
        n, others = int(relevant[rows].sum()), int((~relevant[rows]).sum())
        wanted, wanted_others = (int(np.floor(round(share * count, 9) + 0.5)) for count in (n, others))
        assert (kept & relevant)[rows].sum() == (both & relevant)[rows].sum() == min(n, max(wanted, 1))
        assert (both & ~relevant)[rows].sum() == wanted_others
        assert abs((by_chance & relevant)[rows].sum() - share * n) < 1


def test_halves_round_up_whatever_the_computer_makes_of_them() -> None:
    qrels = Qrels.of({"7": {f"d{d}": 1 for d in range(100)}})
    assert 0.145 * 100 < 14.5
    assert at_random(qrels, 0.145, np.random.default_rng(1), rounding="at-least-one").sum() == 15


def test_every_document_is_as_likely_to_stay() -> None:
    qrels = Qrels.of({"7": {f"d{d}": 1 for d in range(10)}, "8": {f"e{d}": 1 for d in range(5)}})
    rng = np.random.default_rng(1)
    stayed = np.mean([at_random(qrels, 0.4, rng) for _ in range(4000)], axis=0)
    assert np.abs(stayed - 0.4).max() < 4 * np.sqrt(0.24 / 4000)


def test_the_share_is_true_on_average_however_few_documents_topics_have() -> None:
    qrels = Qrels.of({str(t): {f"d{d}": 1 for d in range(1 + t % 3)} for t in range(60)})
    study = open_study(qrels, {"x": {"0": {"d0": 1.0}}, "y": {"1": {"d0": 1.0}}}, "R")
    rng = np.random.default_rng(3)
    samples = [study.sample(0.2, rng) for _ in range(500)]
    realised = np.array([sample.realised for sample in samples])
    assert abs(realised.mean() - 0.2) < 4 * realised.std() / np.sqrt(500)
    kept = study.sample(0.2, rng, rounding="at-least-one")
    assert kept.realised == pytest.approx(0.5)
    assert kept.topics_lost == 0
    for values, _, lost in samples[:20]:
        assert lost == np.isnan(values[0, :, 0]).sum() > 0


JUDGED = {"7": {"a": 1, "b": 2, "c": 1, "d": 0}, "8": {"e": 1, "f": 1}}
RUNS = {
    "x1": {"7": {"a": 9, "b": 8, "d": 7}, "8": {"e": 9}},
    "x2": {"7": {"b": 9, "d": 8}, "8": {"e": 9, "f": 8}},
    "y": {"7": {"c": 9, "d": 8, "a": 7}, "8": {"e": 9}},
}


def known(study: Study) -> set[str]:
    return set(study.qrels.documents.names())


def test_whose_judgements_are_left_out() -> None:
    study = open_study(JUDGED, RUNS, "R")
    assert known(study.without_unique_of("x1")) == set("abcdef")
    assert known(study.without_unique_of("x1", "x2")) == set("acde")
    assert known(study.without_unique_of("y")) == set("abdef")
    assert known(study.without_unique_of("x1", depth=1)) == set("bcdef")
    assert known(study.to_depth(1)) == set("abce")
    assert known(study.to_depth(1).to_depth(2)) == set("abce")
    assert study.without_unique_of("x1", "x2").values()[:, :, 0] == pytest.approx(np.array([[0.5, 1], [0, 1], [1, 1]]))
    found = left_out(study, each_run(study, teams={"x1": "X", "x2": "X", "y": "Y"}))
    assert found.names == ("X", "Y")
    assert found.relevant.tolist() == [2, 1]
    row = found.table().rows[0]
    assert row[:3] + row[4:] == ["R", "X", 2, "x2", 1, 3]
    assert "moves_most" in str(found)
    depths = left_out(study, each_depth(study, [1, 9]))
    assert depths.names == ("deeper than 1", "deeper than 9")
    assert depths.tau[1, 0] == 1
    assert depths.table().rows[1][4:] == [None, None, None]


def test_a_searcher_who_stops_early() -> None:
    study = open_study(JUDGED, RUNS, "R bpref")
    cut = {name: {t: dict(list(found.items())[:1]) for t, found in run.items()} for name, run in RUNS.items()}
    np.testing.assert_array_equal(study.read_to(1).values(), evaluate(JUDGED, cut, "R bpref").values)


def test_documents_that_one_source_found(tmp_path: Path) -> None:
    table = tmp_path / "sources.tsv"
    table.write_text("7 a examiner\n7 a applicant\n7 b examiner\n8 f applicant\n8 z applicant\n")
    sources = read_sources(table)
    study = open_study(JUDGED, RUNS, "R AP")
    assert known(study.without_source(sources, "examiner")) == set("acdef")
    assert known(study.without_source(sources, "applicant")) == set("abcde")
    found = left_out(study, each_source(study, sources))
    assert found.names == ("applicant", "examiner")
    assert found.relevant.tolist() == [1, 1]
    with pytest.raises(InputError, match="'opponent' found no document; the sources are applicant, examiner"):
        study.without_source(sources, "opponent")
    with pytest.raises(MismatchError, match="same ids"):
        study.without_source({("7", "A"): {"examiner"}}, "examiner")
    table.write_text("7 a\n")
    with pytest.raises(InputError, match="2 fields, expected 3"):
        read_sources(table)


def test_what_is_refused() -> None:
    with pytest.raises(MeasureError, match=r"TBG needs more from each run .*words"):
        open_study(JUDGED, RUNS, "AP TBG")
    by_subtopic = Qrels.from_columns(["7"], ["a"], [1], subtopics=["1"])
    with pytest.raises(MeasureError, match="iterations"):
        open_study(by_subtopic, RUNS, "CT(variant=trecdd)@5")
    with pytest.raises(MeasureError, match="subtopic"):
        open_study(JUDGED, RUNS, "strec@5")
    with pytest.raises(MismatchError, match="no topic in common"):
        open_study({"9": {"a": 1}}, RUNS, "AP")
    study, rng = open_study(JUDGED, RUNS, "AP"), np.random.default_rng(1)
    for share in (0, -0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="must be a share above 0"):
            study.sample(share, rng)
    with pytest.raises(InputError, match="0 samples"):
        Incomplete.of(study, samples=0, seed=rng)
    with pytest.raises(InputError, match="no run 'z'; the runs are x1, x2, y"):
        study.without_unique_of("z")
    with pytest.raises(InputError, match="give at least one run"):
        study.without_unique_of()
    with pytest.raises(InputError, match="must be at least 1"):
        study.to_depth(0)
    with pytest.raises(InputError, match="must be at least 1"):
        study.read_to(0)
    with pytest.raises(InputError, match="2 elements for 6 judgements"):
        study.only(np.array([True, False]))
    with pytest.raises(InputError, match="not one of relevant, judged"):
        study.sample(0.5, rng, of="all")  # type: ignore[arg-type]
    with pytest.raises(MismatchError, match="1 run; a ranking needs two"):
        Incomplete.of(open_study(JUDGED, RUNS["y"], "AP"), seed=rng)
    with pytest.raises(MismatchError, match="all runs have the same mean"):
        Incomplete.of(open_study(JUDGED, {"x": RUNS["y"], "y": RUNS["y"]}, "AP"), seed=rng)
    with pytest.raises(MismatchError, match="no topic on which every run has a value"):
        Incomplete.of(open_study(JUDGED, RUNS, "effort@1.0"), seed=rng)
