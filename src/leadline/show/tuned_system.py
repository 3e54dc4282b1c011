"""A system tuned on topics of one's own, with its score on topics that its weights were not learned on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.measures.evaluate import evaluate
from leadline.records.inputs import Path, QrelsLike
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.scores.result import Result
from leadline.records.scores.table import Table
from leadline.records.topics.topic import Topics
from leadline.retrieval.pipeline.pipeline import Pipeline
from leadline.retrieval.pipeline.pipeline_files import pipeline_text
from leadline.retrieval.tuning.learning import HELD_OUT, Learner, tune_system
from leadline.text.files import write_whole
from leadline.trust.public import verdict
from leadline.trust.verdict import Verdicts, finding

if TYPE_CHECKING:
    from leadline.records.scores.scores import Scores
    from leadline.retrieval.public import IndexLike

TRANSFER = "The weights are for this collection and these judgements; on others they may do harm: tune again there."
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, repr=False)
class TunedSystem(Result):
    """A tuned system: its pipeline and weights, its held-out scores beside those of its rivals, and the verdict."""

    pipeline: Pipeline
    weights: Mapping[str, float]  # of the signals; they sum to 1
    scores: Scores  # the tuned system on topics held out, each signal alone, and the system `best`
    verdicts: Verdicts  # the better of the tuned system and its best rival, against the other
    rival: str  # the best of the others by the measure
    folds: int
    topics: int  # on which it was tuned
    unused: int  # topics without a relevant document among the results
    gains: Mapping[str, float]  # of LambdaMART: each signal's share of what the trees gained; else empty
    vectors: str  # the model of the vectors; empty where the index has none

    @property
    def is_better(self) -> bool:
        """Whether the tuned system leads its best rival on topics held out, and the lead is significant."""
        return self.verdicts.leader == HELD_OUT and not self.verdicts.count("undecided")

    @property
    def about(self) -> str:
        """What the file of the system says of it."""
        measure = self.verdicts.measure
        means = self.scores[measure]
        by = " by LambdaMART" if self.gains else ""
        vectors = f" Vectors by {self.vectors}." if self.vectors else ""
        return (
            f"Tuned{by} on {self.topics} topics; on topics held out ({self.folds} folds) {measure} "
            f"{means[HELD_OUT]:.3f}, {self.rival} {means[self.rival]:.3f}.{vectors} {TRANSFER}"
        )

    def write(self, path: Path) -> None:
        """Write the system as a file that `leadline run --system` and `make_run` take."""
        write_whole(path, pipeline_text(self.pipeline, self.about).encode())

    def table(self) -> Table:
        """The mean scores of the tuned system on topics held out, and of its rivals."""
        rows = [
            [name, *values] for name, values in zip(self.scores.runs, self.scores.mean_values().tolist(), strict=True)
        ]
        return Table(["system", *self.scores.measures], rows)

    def weight_table(self) -> Table:
        """The weight of each signal, and for LambdaMART its share of what the trees gained."""
        if not self.gains:
            return Table(["signal", "weight"], [[name, weight] for name, weight in self.weights.items()])
        rows = [[name, weight, self.gains[name]] for name, weight in self.weights.items()]
        return Table(["signal", "weight", "gain of trees"], rows)

    def _finding(self) -> str:
        return f"{finding(self.verdicts)} {TRANSFER}"

    def _shown_table(self) -> Table:
        return self.table()


def tune(
    index: IndexLike,
    topics: Path | Topics,
    qrels: QrelsLike,
    *,
    measure: str = "AP",
    learner: Learner = "logistic",
    folds: int = 5,
    seed: int = 1,
    progress: Progress | None = None,
) -> TunedSystem:
    """Learn the weights of a system on judged topics, and score it on topics held out, beside its best rival.

    Signals are what the index has: words, noun phrases, vectors, classes, citations. Their weights come from a logistic
    regression over the results of the topics; with `learner="lambdamart"`, which needs lightgbm, regression trees
    correct their sum. The verdict compares the tuned system, each topic scored by what was learned without it, with the
    best of its signals and the system `best`.
    """
    import os

    from leadline.retrieval.public import open_context

    context = open_context(index)
    asked = Topics.read(topics) if isinstance(topics, (str, os.PathLike)) else topics
    judged = read_qrels(qrels) if isinstance(qrels, (str, os.PathLike)) else Qrels.of(qrels)
    relevant = {
        topic: {document for document, grade in judged.judgements(topic).items() if grade > 0}
        for topic in judged.topics
    }  # fmt: skip
    found = tune_system(context, asked, relevant, learner=learner, folds=folds, seed=seed, progress=progress)
    answered = list(dict.fromkeys(topic for run in found.runs for topic in run.topics))
    measures = list(dict.fromkeys([measure, "AP", "PRES@100"]))
    scores = evaluate(judged, list(found.runs), measures, topics=answered)
    means = scores[scores.measures[0]]
    rival = max((name for name in scores.runs if name != HELD_OUT), key=lambda name: means[name])
    two = [run for run in found.runs if run.name in (HELD_OUT, rival)]
    kept = Qrels.of({topic: dict(judged.judgements(topic)) for topic in answered})
    verdicts = verdict(kept, two, scores.measures[0], seed=seed)
    return TunedSystem(
        found.pipeline, found.weights, scores, verdicts, rival, found.folds, found.topics, found.unused, found.gains,
        found.vectors,
    )  # fmt: skip
