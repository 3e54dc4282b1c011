"""Learning weights: what is learned, the file that is written, and what is refused."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leadline as ll
from leadline.cli import main
from leadline.errors import InputError, MeasureError
from leadline.records.topics import Topic, Topics
from leadline.retrieval.models.ranking import EMPTY_RANKING
from leadline.retrieval.pipeline.after.trees import Forest
from leadline.retrieval.pipeline.context import Request, SearchContext
from leadline.retrieval.pipeline.named_systems import read_pipeline, settings
from leadline.retrieval.pipeline.pipeline import pipeline_of
from leadline.retrieval.tuning import HELD_OUT, Example, _trained, learn, learn_forest, learn_weights, tune_system

needs_lightgbm = pytest.mark.skipif(
    importlib.util.find_spec("lightgbm") is None, reason="the extra tune is not installed"
)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned") / "office"
    main(["simulate", "office", "-o", str(folder), "--patents", "300", "--topics", "14", "--length", "80", "-q"])
    main(["index", str(folder / "collection"), "-o", str(folder.parent / "index"), "-q"])
    return folder


def examples(rng: np.random.Generator, topics: int = 30) -> list[Example]:
    """Topics whose relevant candidates are those of the first signal; the second is noise, the third misleads."""
    made = []
    for _ in range(topics):
        features = rng.random((50, 3))
        relevant = features[:, 0] + 0.1 * rng.random(50) > 0.9
        features[:, 2] = 1 - features[:, 0] + 0.5 * rng.random(50)
        made.append(Example(Request(Topic("T")), np.arange(50), features, relevant, [EMPTY_RANKING]))
    return made


def test_the_signal_that_tells_gets_the_weight() -> None:
    weights = learn_weights(examples(np.random.default_rng(1)))
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.8
    assert weights[2] == 0  # it would be negative
    silent = [replace(one, features=np.zeros((50, 3))) for one in examples(np.random.default_rng(2))]
    assert learn_weights(silent) == pytest.approx(np.full(3, 1 / 3), abs=1e-6)


def test_a_tuned_system_is_a_file_like_any_other(office: Path, tmp_path: Path) -> None:
    index, qrels = office.parent / "index", office / "qrels.true.txt"
    tuned = ll.tune(index, office / "topics.tsv", qrels, folds=3)
    tuned.write(tmp_path / "system.toml")
    again = read_pipeline(str(tmp_path / "system.toml"))
    assert settings(again) == settings(tuned.pipeline)
    assert sum(tuned.weights.values()) == pytest.approx(1, abs=1e-3)
    assert {HELD_OUT, "words", "bm25", "classes", "citations", "best"} <= set(tuned.scores.runs)
    assert tuned.rival != HELD_OUT
    assert "do harm" in repr(tuned) or "do harm" in tuned.about
    assert "held out" in (tmp_path / "system.toml").read_text()
    run = ll.make_run(index, office / "topics.tsv", str(tmp_path / "system.toml"))
    mean = ll.evaluate(qrels, run, "AP", topics=run.topics)["AP"]
    assert max(mean.values()) > 0  # type: ignore[attr-defined]


def test_a_topic_held_out_is_not_learned_from(office: Path) -> None:
    """The judgements of a topic change what is learned from it, not its own held-out results."""
    context, topics = SearchContext.open(office.parent / "index"), Topics.read(office / "topics.tsv")
    judged = ll.read_qrels(office / "qrels.true.txt")
    relevant = {topic: {d for d, grade in judged.judgements(topic).items() if grade > 0} for topic in judged.topics}
    found = tune_system(context, topics, relevant, folds=10)
    one = found.runs[0].topics[0]
    other = next(iter(relevant[found.runs[0].topics[1]]))
    changed = tune_system(context, topics, relevant | {one: {other}}, folds=10)
    assert found.runs[0].ranking(one) == changed.runs[0].ranking(one)


def test_what_cannot_be_tuned_is_refused_in_one_line(office: Path, tmp_path: Path) -> None:
    index, topics, qrels = office.parent / "index", Topics.read(office / "topics.tsv"), office / "qrels.true.txt"
    few = tmp_path / "few.tsv"
    few.write_text("\n".join((office / "topics.tsv").read_text().splitlines()[:4]) + "\n")
    with pytest.raises(InputError, match=r"only \d have a relevant document among the results, at least 10 are needed"):
        ll.tune(index, few, qrels)
    with pytest.raises(InputError, match="no topic has a relevant document"):
        ll.tune(index, topics, {"none": {"d": 1}})
    with pytest.raises(InputError, match="folds: must be at least 2, got 1"):
        ll.tune(index, topics, qrels, folds=1)
    with pytest.raises(MeasureError, match="last_rel gives no verdict"):
        ll.tune(tmp_path / "no such index", topics, qrels, measure="last_rel")  # refused before anything is opened
    with pytest.raises(MeasureError, match=r"effort@0.8 may give no verdict; .*leadline compare recall"):
        ll.tune(tmp_path / "no such index", topics, qrels, measure="effort@0.8")


def test_the_command(office: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    index, topics, qrels = (str(office / name) for name in ("../index", "topics.tsv", "qrels.true.txt"))
    main(["tune", index, topics, qrels, "-m", "PRES@100", "--folds", "3", "-o", str(tmp_path / "s.toml")])
    out, err = capsys.readouterr()
    assert "signal" in out
    assert "tune again there" in out
    assert "tuned on" in err
    with pytest.raises(SystemExit):
        main(["tune", index, topics, qrels, "-o", str(tmp_path / "s.txt")])
    assert "must end in .toml" in capsys.readouterr().err
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "lightgbm" else find(name))
    with pytest.raises(SystemExit):
        main(["tune", index, topics, qrels, "--learner", "lambdamart", "-o", str(tmp_path / "s.toml")])
    assert 'needs the package lightgbm: pip install "leadline[tune]"' in capsys.readouterr().err


@needs_lightgbm
def test_trees_are_those_of_lightgbm_and_the_same_every_time() -> None:
    made = examples(np.random.default_rng(1))
    features, relevant = [one.features for one in made], [one.relevant for one in made]
    weights = np.array([3.0, 0.0, 0.0])
    booster = _trained(features, relevant, weights, seed=1)
    forest, gains = learn_forest(features, relevant, weights, seed=1)
    asked = np.random.default_rng(2).random((500, 3)) * 1.5 - 0.2
    asked[:50] = features[0]  # values at the thresholds' sides
    np.testing.assert_allclose(forest.values(asked), booster.predict(asked, raw_score=True), rtol=0, atol=1e-12)
    assert len(forest.roots) > 10
    assert gains.sum() == pytest.approx(1)
    assert gains[0] > 0.5
    again, _ = learn_forest(features, relevant, weights, seed=1)
    assert again == forest


@needs_lightgbm
def test_a_larger_signal_never_lowers_the_score() -> None:
    learned = learn(examples(np.random.default_rng(3)), "lambdamart", seed=1)
    low = np.random.default_rng(4).random((200, 3))
    high = low + np.random.default_rng(5).random((200, 3))
    assert (learned.scores(high) >= learned.scores(low) - 1e-12).all()


@needs_lightgbm
def test_a_system_with_trees_is_a_file_that_works_without_lightgbm(office: Path, tmp_path: Path, monkeypatch) -> None:
    index, qrels = office.parent / "index", office / "qrels.true.txt"
    tuned = ll.tune(index, office / "topics.tsv", qrels, folds=3, learner="lambdamart")
    tuned.write(tmp_path / "system.toml")
    assert tuned.about.startswith("Tuned by LambdaMART on ")
    assert sum(tuned.gains.values()) == pytest.approx(1)
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "lightgbm" else find(name))
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    again = read_pipeline(str(tmp_path / "system.toml"))
    assert settings(again) == settings(tuned.pipeline)
    run = ll.make_run(index, office / "topics.tsv", str(tmp_path / "system.toml"))
    assert run.topics
    with pytest.raises(InputError, match=r'lambdamart needs the package lightgbm: pip install "leadline\[tune\]"'):
        ll.tune(index, office / "topics.tsv", qrels, learner="lambdamart")


TREE = {
    "step": "trees", "of": [["text", "search"]], "weights": [1.0], "normalise": ["minmax"], "roots": [0],
    "features": [0], "thresholds": [0.5], "left": [-1], "right": [-2], "leaves": [0.0, 1.0],
}  # fmt: skip


def test_damaged_trees_are_refused_in_one_line() -> None:
    good = Forest((0,), (0,), (0.5,), (-1,), (-2,), (0.0, 1.0)).checksum
    pipeline_of(TREE | {"checksum": good})
    with pytest.raises(InputError, match="trees: the checksum does not fit its numbers"):
        pipeline_of(TREE | {"checksum": good, "leaves": [0.0, 2.0]})
    for changed, problem in [
        ({"features": [1]}, "a node asks for a feature that is not one of the 1"),
        ({"left": [0]}, "a node leads to 0, which is not a later node or a leaf"),
        ({"right": [-3]}, "a node leads to -3"),
        ({"thresholds": []}, "must be as many as there are nodes"),
        ({"weights": [1.0, 2.0]}, "weights: must be 1, one per pipeline, got 2"),
    ]:
        with pytest.raises(InputError, match=problem):
            pipeline_of(TREE | {"checksum": good} | changed)


def test_an_unknown_learner_is_refused(office: Path) -> None:
    with pytest.raises(InputError, match="did you mean lambdamart"):
        ll.tune(office.parent / "index", office / "topics.tsv", office / "qrels.true.txt", learner="lambdamrt")  # type: ignore[arg-type]
