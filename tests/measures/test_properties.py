"""What must hold for every run and every set of judgements."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits
from leadline.measures.join import join, together
from leadline.records.qrels import Qrels
from leadline.records.runs import Run

SLACK = 1e-12
DOCUMENTS = [f"d{number:02}" for number in range(30)]
efforts = st.integers(1, 40)

Judgements = dict[str, dict[str, int]]
Rankings = dict[str, list[str]]


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[Judgements, Rankings]:
    """Judgements of a few topics, each with a relevant document, and a ranking of some documents for each."""
    topics = draw(st.lists(st.integers(1, 99).map(str), min_size=1, max_size=4, unique=True))
    judgements, rankings = {}, {}
    for topic in topics:
        grades = draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3), max_size=20))
        grades[draw(st.sampled_from(DOCUMENTS))] = 1
        judgements[topic] = grades
        rankings[topic] = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
    return judgements, rankings


def hits_of(judgements: Judgements, rankings: Rankings) -> Hits:
    qrels = Qrels.of(judgements)
    return together([join(run_of(rankings), qrels, kernels=False)], qrels)


def run_of(rankings: Rankings) -> Run:
    return Run.of({topic: {d: -place for place, d in enumerate(ranking)} for topic, ranking in rankings.items()})


def score(measure: str, hits: Hits) -> np.ndarray:
    return parse_measure(measure)(hits)


@given(evaluations(), efforts)
def test_pres_lies_between_its_bounds(evaluation: tuple[Judgements, Rankings], effort: int) -> None:
    hits = hits_of(*evaluation)
    pres, recall = score(f"PRES@{effort}", hits), score(f"R@{effort}", hits)
    assert (pres <= recall + SLACK).all()
    assert (pres >= hits.n_relevant() * recall**2 / effort - SLACK).all()


@given(evaluations(), efforts)
def test_the_ideal_list_has_pres_1_where_the_effort_allows(
    evaluation: tuple[Judgements, Rankings], effort: int
) -> None:
    judgements, _ = evaluation
    ideal = {topic: sorted(grades, key=lambda d: -grades[d]) for topic, grades in judgements.items()}
    hits = hits_of(judgements, ideal)
    best = np.minimum(1, effort / hits.n_relevant())
    assert np.abs(score(f"PRES@{effort}", hits) - best).max() < SLACK
    assert np.abs(score(f"R@{effort}", hits) - best).max() < SLACK
    assert np.abs(score(f"PRES_est@{effort}", hits) - 1).max() < SLACK


@given(evaluations(), efforts, st.data())
def test_one_more_relevant_document_never_lowers_the_score(
    evaluation: tuple[Judgements, Rankings], effort: int, data: st.DataObject
) -> None:
    judgements, rankings = evaluation
    richer = {topic: list(ranking) for topic, ranking in rankings.items()}
    for topic, ranking in richer.items():
        missing = [document for document, grade in judgements[topic].items() if grade >= 1 and document not in ranking]
        if missing:
            ranking.insert(data.draw(st.integers(0, len(ranking))), data.draw(st.sampled_from(missing)))
    before, after = hits_of(judgements, rankings), hits_of(judgements, richer)
    for measure in (f"PRES@{effort}", f"PRES_est@{effort}", f"R@{effort}", "R"):
        assert (score(measure, after) >= score(measure, before) - SLACK).all(), measure


@given(evaluations(), efforts, st.randoms(use_true_random=False))
def test_the_order_of_topics_and_lines_does_not_matter(
    evaluation: tuple[Judgements, Rankings], effort: int, random: Random
) -> None:
    judgements, rankings = evaluation
    grades = [(topic, *judged) for topic, by_document in judgements.items() for judged in by_document.items()]
    lines = [(topic, d, -float(place)) for topic, ranking in rankings.items() for place, d in enumerate(ranking)]

    def scores() -> dict[str, list[float]]:
        qrels = Qrels.from_columns(*zip(*grades, strict=True))
        hits = together([join(Run.from_columns(*zip(*lines, strict=True)), qrels, kernels=False)], qrels)
        return {name: score(name, hits).tolist() for name in (f"PRES@{effort}", f"R@{effort}")}

    expected = scores()
    random.shuffle(grades)
    random.shuffle(lines)
    assert scores() == expected


@given(evaluations(), evaluations())
def test_rows_do_not_feel_each_other(
    evaluation: tuple[Judgements, Rankings], another: tuple[Judgements, Rankings]
) -> None:
    """A run scores the same to the last digit whether it is evaluated alone or with others."""
    qrels = Qrels.of(evaluation[0])
    parts = [join(run_of(rankings), qrels, kernels=False) for rankings in (another[1], evaluation[1])]
    alone, both = together(parts[1:], qrels), together(parts, qrels)
    for measure in (
        "PRES@10", "PRES_est@10", "R@10", "ERR@20", "RBP", "RBP_residual", "last_rel", "WSS@0.95", "effort@0.5",
        "Rnorm(size=99)",
    ):  # fmt: skip
        np.testing.assert_array_equal(score(measure, both)[len(qrels.topics) :], score(measure, alone), err_msg=measure)
