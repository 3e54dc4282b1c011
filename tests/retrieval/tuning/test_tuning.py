"""Learning weights: what is learned, the file that is written, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leadline as ll
from leadline.cli import main
from leadline.errors import InputError
from leadline.records.topics.topic import Topic, Topics
from leadline.retrieval.models.ranking import EMPTY_RANKING
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline_files import read_pipeline, settings
from leadline.retrieval.pipeline.request import Request
from leadline.retrieval.tuning.learning import HELD_OUT, Example, learn_weights, tune_system


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned") / "office"
    main(["simulate", "office", "-o", str(folder), "--patents", "300", "--topics", "14", "--words", "80", "-q"])
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


def test_the_command(office: Path, tmp_path: Path, capsys: Any) -> None:
    index, topics, qrels = (str(office / name) for name in ("../index", "topics.tsv", "qrels.true.txt"))
    main(["tune", index, topics, qrels, "-m", "PRES@100", "--folds", "3", "-o", str(tmp_path / "s.toml")])
    out, err = capsys.readouterr()
    assert "signal" in out
    assert "tune again there" in out
    assert "tuned on" in err
    with pytest.raises(SystemExit):
        main(["tune", index, topics, qrels, "-o", str(tmp_path / "s.txt")])
    assert "must end in .toml" in capsys.readouterr().err
