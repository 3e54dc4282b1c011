"""Learn the weights of a system on judged topics of one's own: the signals, logistic regression and LambdaMART."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.runs import Run
from leadline.records.topics import Topics
from leadline.retrieval.choices import Learner
from leadline.retrieval.dense.vectors import stored_vectors
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.after.trees import Forest
from leadline.retrieval.pipeline.combining import Normalising, aligned
from leadline.retrieval.pipeline.context import Request, SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.pipeline.pipeline import Pipeline, Step, pipeline_of
from leadline.retrieval.pipeline.steps import (
    RM3,
    BestTerms,
    Citations,
    ClassAgreement,
    Cut,
    Dense,
    FamilyMembers,
    Fuse,
    Search,
    Survey,
    Text,
    Trees,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HELD_OUT = "tuned"  # the run of a tuned system, each topic by weights that were learned without it
RIVALS = ("best",)  # named systems that a tuned one is compared with, besides each of its signals alone
FEWEST = 10  # topics with a relevant document among the results
PENALTY = 1.0  # half of its product with the squared weights is subtracted from the likelihood
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Example:
    """A topic with its candidates: their rows, their signals, and whether they are relevant."""

    request: Request
    rows: NDArray[np.int64]
    features: Floats  # candidates × signals
    relevant: NDArray[np.bool_]
    alone: Sequence[Ranking]  # the results of each signal, then of each rival


@dataclass(frozen=True)
class Tuned:
    """A tuned system, its weights, and the runs by which it is judged."""

    pipeline: Pipeline
    weights: Mapping[str, float]  # they sum to 1
    gains: Mapping[str, float]  # each signal's share of what the trees gained; empty for logistic regression
    vectors: str  # the model of the vectors; empty where the index has none
    folds: int
    topics: int  # on which it was tuned
    unused: int  # topics without a relevant document among the candidates
    runs: Sequence[Run]  # held out first: each topic by weights that were learned without it; then the rivals


def tune_system(
    context: SearchContext,
    topics: Topics,
    relevant: Mapping[str, set[str]],
    *,
    learner: Learner = "logistic",
    folds: int = 5,
    seed: int = 1,
    progress: Progress | None = None,
) -> Tuned:
    """Learn how to combine signals on judged topics; `relevant` are the relevant documents of each."""
    checked_choice("learner", learner, get_args(Learner))
    if learner == "lambdamart":
        check_lightgbm()
    if folds < 2:
        raise InputError("folds", f"must be at least 2, got {folds}")
    judged = [request for request in context.requests(topics) if relevant.get(request.topic.id)]
    if not judged:
        raise InputError("topics", "no topic has a relevant document: are topics and judgements of the same task?")
    patents = sum(request.is_patent for request in judged)
    if patents not in (0, len(judged)):
        raise InputError(
            "topics", f"{patents:,} of {len(judged):,} are patents, the others texts: tune each kind alone"
        )
    signals = signals_for(context, patents=bool(patents))
    rivals = [system(name) for name in RIVALS]
    examples = []
    for done, request in enumerate(judged):
        if progress is not None:
            progress(done, len(judged), request.topic.id)
        examples.append(_example(context, signals, rivals, request, relevant[request.topic.id]))
    useful = [place for place, one in enumerate(examples) if one.relevant.any()]
    if len(useful) < max(FEWEST, folds):
        raise InputError(
            "topics",
            f"only {len(useful)} have a relevant document among the results, at least "
            f"{max(FEWEST, folds)} are needed: judge more topics, or use --system best",
        )
    # Each topic is scored by what was learned on the other folds only.
    fold_of = np.random.default_rng(seed).permutation(len(examples)) % folds
    by_fold = [
        learn([examples[place] for place in useful if fold_of[place] != fold], learner, seed) for fold in range(folds)
    ]
    held_out = [_ranked(context, signals, one, by_fold[fold]) for one, fold in zip(examples, fold_of, strict=True)]
    learned = learn([examples[place] for place in useful], learner, seed)
    names = [*signals.names, *RIVALS]
    runs = [_run(context, examples, held_out, HELD_OUT)]
    runs += [_run(context, examples, [one.alone[n] for one in examples], name) for n, name in enumerate(names)]
    vectors = stored_vectors(context) if VECTORS in signals.names else None
    return Tuned(
        signals.system(learned),
        {name: float(f"{weight:.4g}") for name, weight in zip(signals.names, learned.shares, strict=True)},
        dict(zip(signals.names, learned.gains, strict=True)) if learned.forest else {},
        vectors.label if vectors is not None else "",
        folds,
        len(useful),
        len(examples) - len(useful),
        runs,
    )


def learn(examples: Sequence[Example], learner: Learner, seed: int) -> LearnedCombination:
    """What was learned from these topics: weights, and for LambdaMART trees that correct their sum."""
    if learner == "logistic":
        return LearnedCombination(tuple(float(f"{weight:.4g}") for weight in learn_weights(examples)))
    # The trees start from log-odds, which are on the scale that the learner expects of scores.
    raw = [float(f"{weight:.4g}") for weight in log_odds(examples)]
    forest, gains = learn_forest(
        [one.features for one in examples], [one.relevant for one in examples], np.array(raw), seed
    )
    return LearnedCombination(tuple(raw), forest, tuple(gains.tolist()))


def learn_weights(examples: Sequence[Example]) -> Floats:
    """The weights of the signals by logistic regression over all candidates of all topics; they sum to 1."""
    weights = log_odds(examples)
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))


def log_odds(examples: Sequence[Example]) -> Floats:
    """The weights of a logistic regression: a signal of 1 adds as much to the logarithm of the odds.

    A weight below 0 would punish documents for a signal; such signals are left out, one after the other.
    """
    features = np.concatenate([one.features for one in examples])
    labels = np.concatenate([one.relevant for one in examples]).astype(np.float64)
    used = np.ones(features.shape[1], np.bool_)
    weights = np.zeros(features.shape[1])
    while used.any():
        weights[:] = 0
        weights[used] = _logistic(features[:, used], labels)
        if weights.min() >= 0:
            break
        used[weights.argmin()] = False
    return np.maximum(weights, 0)


def _logistic(features: Floats, labels: Floats) -> Floats:
    """The weights that maximise the penalised likelihood, by Newton's method; the intercept is not penalised."""
    whole = np.column_stack([features, np.ones(len(features))])
    penalty = np.array([PENALTY] * features.shape[1] + [1e-9])
    weights = np.zeros(whole.shape[1])

    def likelihood(tried: Floats) -> float:
        values = whole @ tried
        return float(labels @ values - np.logaddexp(0, values).sum() - (penalty * tried**2).sum() / 2)

    best = likelihood(weights)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-(whole @ weights)))
        slope = whole.T @ (labels - chance) - penalty * weights
        curve = (whole * (chance * (1 - chance))[:, None]).T @ whole + np.diag(penalty)
        change = np.linalg.solve(curve, slope)
        # A whole step may go too far where nearly all candidates are irrelevant; it is halved until it gains.
        while (now := likelihood(weights + change)) < best and np.abs(change).max() > 1e-8:
            change = change / 2
        if np.abs(change).max() <= 1e-8:
            break
        weights, best = weights + change, now
    return weights[:-1]


def _example(
    context: SearchContext, signals: Signals, rivals: Sequence[Pipeline], request: Request, relevant: set[str]
) -> Example:
    first = signals.first(context, request)
    lists = [_ranking(step(context, first)) for step in signals.others.values()]
    rows, scores, _ = aligned(lists, signals.normalising)
    known = context.rows(relevant)
    alone = [*lists, *(_ranking(rival(context, request)) for rival in rivals)]
    return Example(first, rows, scores.T, np.isin(rows, known[known >= 0]), alone)


def _ranking(request: Request) -> Ranking:
    assert request.ranking is not None
    return request.ranking


def _ranked(context: SearchContext, signals: Signals, one: Example, learned: LearnedCombination) -> Ranking:
    """The results of a topic by what was learned, as the pipeline made of it gives them."""
    combined = context.ranking(one.rows, learned.scores(one.features), DEPTH)
    done = replace(one.request, ranking=combined)
    return combined if signals.after is None else _ranking(signals.after(context, done))


def _run(context: SearchContext, examples: Sequence[Example], rankings: Sequence[Ranking], name: str) -> Run:
    topics, documents, scores = [], [], []
    for one, ranking in zip(examples, rankings, strict=True):
        names = context.names(ranking.rows[:DEPTH])
        topics += [one.request.topic.id] * len(names)
        documents += names
        scores.append(ranking.scores[:DEPTH])
    return Run.from_columns(topics, documents, np.concatenate(scores), name)


# What a tuned system is made of: signals, each a pipeline that scores documents in its own way.
#
# The first signal is a search by words. Signals that boost results (classes, citations) start from its results and are
# taken as they are, from 0 to 1; the scores of the others are brought from 0 to 1 in each list.


DEPTH = 1000  # results of a signal
VECTORS = "vectors"  # the signal of the index's vectors
LANGUAGE_MODEL = Search("jelinek-mercer(background=0.85)")
TITLED = Search("bm25", title=2.0)


@dataclass(frozen=True)
class LearnedCombination:
    """How signals are combined: their weights, and trees whose values are added to the weighted sum."""

    weights: tuple[float, ...]
    forest: Forest | None = None
    gains: tuple[float, ...] = ()  # each signal's share of what the trees gained

    def scores(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each candidate, by candidates × signals."""
        scores = features @ np.array(self.weights)
        return scores if self.forest is None else scores + self.forest.values(features)

    @property
    def shares(self) -> list[float]:
        """The weights, normalised to sum 1."""
        return [weight / (sum(self.weights) or 1.0) for weight in self.weights]


@dataclass(frozen=True)
class Signals:
    """The first search, and signals that start from its results, by name."""

    first: Step
    others: Mapping[str, Step]
    after: Step | None  # what is done with the combined results

    @property
    def names(self) -> list[str]:
        return list(self.others)

    @property
    def normalising(self) -> list[Normalising]:
        return ["none" if isinstance(step, (ClassAgreement, Citations)) else "minmax" for step in self.others.values()]

    def system(self, learned: LearnedCombination) -> Pipeline:
        """The pipeline that combines the signals as learned; those that do not count are left out."""
        forest = learned.forest
        asked = set(forest.features) if forest else set()
        kept = [place for place, weight in enumerate(learned.weights) if weight or place in asked]
        steps, kinds = list(self.others.values()), self.normalising
        of, normalise = tuple(steps[place] for place in kept), tuple(kinds[place] for place in kept)
        weights = tuple(learned.weights[place] for place in kept)
        combining: Step = Fuse(of, "linear", weights, normalise, depth=DEPTH)
        if forest is not None:
            renumbered = replace(forest, features=tuple(kept.index(feature) for feature in forest.features))
            combining = Trees(
                of,
                weights,
                normalise,
                **{field.name: getattr(renumbered, field.name) for field in fields(Forest)},
                checksum=renumbered.checksum,
                depth=DEPTH,
            )
        combined = self.first >> combining
        return pipeline_of(combined if self.after is None else combined >> self.after)


def signals_for(context: SearchContext, *, patents: bool) -> Signals:
    """The signals that an index has for topics that are patents, or for topics in words."""
    first = Text(counting="log") >> LANGUAGE_MODEL if patents else Survey() >> TITLED
    others: dict[str, Step] = {"words": Cut(DEPTH)}
    if patents:
        others |= {"bm25": Text() >> Search("bm25"), "best terms": BestTerms() >> Search("bm25")}
        if "phrases" in context.index.fields:
            others["noun phrases"] = BestTerms(200, ("phrases",), into="same") >> LANGUAGE_MODEL
        if len(context.classes.codes):
            others |= {"classes": ClassAgreement("subclass", 1.0), "groups": ClassAgreement("group", 1.0)}
    else:
        others["bm25"] = Survey() >> Search("bm25")
        others["feedback"] = RM3(10, 30, 0.7, chances="equal") >> TITLED
    if stored_vectors(context) is not None:
        others[VECTORS] = Dense()
    if context.has_collection and len(context.citations.targets):
        others["citations"] = Citations(10, 1.0, credit="rank", cap=2.0)
    families = bool((context.family >= 0).any())
    return Signals(first, others, FamilyMembers() if families else None)


# Learn regression trees that correct a weighted sum of signals, by LambdaMART; needs the package lightgbm.
#
# Burges, From RankNet to LambdaRank to LambdaMART, Microsoft Research, 2010; Ke and others, LightGBM, NeurIPS 2017.


TREES = 50
MOST = 10_000  # candidates of a topic that lightgbm takes
# Small trees and large leaves, because judged topics are few. No setting is chosen by a score, so that the score on
# topics held out is honest. A larger signal never lowers the score.
SETTINGS = {
    "objective": "lambdarank", "num_leaves": 8, "learning_rate": 0.1, "min_data_in_leaf": 50, "lambda_l2": 1.0,
    "lambdarank_truncation_level": 100, "feature_pre_filter": False, "deterministic": True, "force_row_wise": True,
    "num_threads": 1, "verbosity": -1,
}  # fmt: skip


def check_lightgbm() -> None:
    """Refuse to start where the package is missing."""
    if importlib.util.find_spec("lightgbm") is None:
        raise InputError("learner", 'lambdamart needs the package lightgbm: pip install "leadline[tune]"')


def learn_forest(
    features: Sequence[Floats], relevant: Sequence[NDArray[np.bool_]], weights: Floats, seed: int
) -> tuple[Forest, Floats]:
    """Trees to be added to the weighted sums of the signals, and each signal's share of what the trees gained.

    `features` has for each topic candidates × signals, `relevant` which of the candidates are.
    """
    booster = _trained(features, relevant, weights, seed)
    forest = Forest.of_trees([tree["tree_structure"] for tree in booster.dump_model()["tree_info"]])
    gains = np.asarray(booster.feature_importance("gain"), np.float64)
    return forest, gains / gains.sum() if gains.sum() > 0 else gains


def _trained(
    features: Sequence[Floats], relevant: Sequence[NDArray[np.bool_]], weights: Floats, seed: int
) -> Any:  # a lightgbm.Booster
    import lightgbm

    kept = [_candidates(of_topic, hits, weights) for of_topic, hits in zip(features, relevant, strict=True)]
    whole = np.concatenate([of_topic[rows] for of_topic, rows in zip(features, kept, strict=True)])
    labels = np.concatenate([hits[rows] for hits, rows in zip(relevant, kept, strict=True)]).astype(np.int32)
    data = lightgbm.Dataset(
        whole, labels, group=[len(rows) for rows in kept], init_score=whole @ weights, free_raw_data=False
    )
    settings = SETTINGS | {"seed": seed, "monotone_constraints": [1] * whole.shape[1]}
    return lightgbm.train(settings, data, num_boost_round=TREES)


def _candidates(features: Floats, relevant: NDArray[np.bool_], weights: Floats) -> NDArray[np.int64]:
    """The candidates to learn from: all, or the relevant ones and those with the largest sums."""
    if len(features) <= MOST:
        return np.arange(len(features))
    order = np.lexsort((-(features @ weights), ~relevant))
    return np.sort(order[:MOST])
