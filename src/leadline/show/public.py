"""The public functions that show results: the report, what papers printed, and a tuned system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from leadline.errors import MeasureError
from leadline.measures.evaluate import evaluate
from leadline.options import Bounds, Samples, Seed
from leadline.records.inputs import Path, QrelsLike, RunsLike
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import Result, Table, number
from leadline.records.topics import Topics
from leadline.retrieval.choices import Learner
from leadline.retrieval.pipeline.named_systems import pipeline_text
from leadline.retrieval.pipeline.pipeline import Pipeline
from leadline.retrieval.tuning import HELD_OUT, tune_system
from leadline.text.files import write_whole
from leadline.trust.no_verdict import INSTEAD, rests_on_finding, why_never
from leadline.trust.pairs import Standing
from leadline.trust.public import verdict

if TYPE_CHECKING:
    from leadline.measures.definition import MeasureLike
    from leadline.records.scores import Scores
    from leadline.retrieval.public import IndexLike


@dataclass(frozen=True, repr=False)
class Report(Result):
    """One page with the verdict, every figure and every topic. It needs no network."""

    html: str
    headline: str = ""  # the verdict in a sentence

    def write(self, path: Path) -> None:
        """Write the page to a file."""
        from leadline.text.files import write_whole

        write_whole(path, self.html.encode("utf-8", "replace"))

    def _repr_html_(self) -> str:
        from leadline.show.pages.environment import rendered

        return str(rendered("in_notebook.html", page=self.html))

    def _finding(self) -> str:
        return f"{self.headline} ({len(self.html) / 1e6:.1f} MB; .write(path) saves the page)".strip()


def report(
    qrels: QrelsLike,
    runs: RunsLike,
    measure: MeasureLike = "PRES@1000",
    *,
    topics: Path | Mapping[str, Mapping[str, Any]] | None = None,
    runs_info: Path | Mapping[str, Mapping[str, str]] | None = None,
    figures: Iterable[str] | None = None,
    baseline: str = "",
    complete: bool = False,
    title: str = "",
    samples: Samples = 100,
    seed: Seed = 1,
) -> Report:
    """One page for people: which system finds more, and whether it can be believed.

    measure: measure to decide by
    topics: table of topics with their attributes, such as office and class, for figures (all topics are scored)
    runs_info: table of runs with a header: run, team, task, ...
    baseline: the run of the system used today, to show the gain
    complete: every relevant document is in the judgements
    title: heading of the page (default: Which system finds more?)
    samples: random samples of half the judgements
    seed: random seed

    The tables may also be mappings. `figures` are names of `leadline.figures` (default: all).
    """
    from leadline.show.report.evidence import Evidence
    from leadline.show.report.page import report as report_page

    evidence = Evidence.of(
        qrels,
        runs,
        measure,
        topics=topics,
        runs_info=runs_info,
        seed=seed,
        samples=samples,
        baseline=baseline,
        complete=complete,
        title=title,
    )
    page = report_page(evidence, names=figures)
    found = evidence.standing
    return Report(page, f"{found.measure}: {found.outcome()}" if found.verdicts else "")


def published_scores(name: Literal["clef-ip-2009", "trec-chem-2009"], measure: str = "xinfAP") -> Scores:
    """Scores that papers printed: 48 runs of CLEF-IP 2009 (means only), or 31 runs on 18 topics of TREC-CHEM 2009.

    >>> len(published_scores("trec-chem-2009", "infNDCG").runs)
    31
    """
    from leadline.errors import checked_choice
    from leadline.show.papers import published

    checked_choice("name", name, ("clef-ip-2009", "trec-chem-2009"))
    return published.clef_ip_2009() if name == "clef-ip-2009" else published.trec_chem_2009(measure)


# A system tuned on topics of one's own, with its score on topics that its weights were not learned on.


TRANSFER = "The weights are for this collection and these judgements; on others they may do harm: tune again there."
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, repr=False)
class TunedSystem(Result):
    """A tuned system: its pipeline and weights, its held-out scores beside those of its rivals, and the verdict."""

    pipeline: Pipeline
    weights: Mapping[str, float]  # of the signals; they sum to 1
    scores: Scores  # the tuned system on topics held out, each signal alone, and the system `best`
    verdicts: Standing  # the better of the tuned system and its best rival, against the other
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
        shown = [number(means[name], means.values()) for name in (HELD_OUT, self.rival)]
        by = " by LambdaMART" if self.gains else ""
        vectors = f" Vectors by {self.vectors}." if self.vectors else ""
        return (
            f"Tuned{by} on {self.topics} topics; on topics held out ({self.folds} folds) {measure} "
            f"{shown[0]}, {self.rival} {shown[1]}.{vectors} {TRANSFER}"
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
        return f"{self.verdicts.finding()} {TRANSFER}"

    def _shown_table(self) -> Table:
        return self.table()


def tune(
    index: IndexLike,
    topics: Path | Topics,
    qrels: QrelsLike,
    *,
    measure: str = "AP",
    learner: Learner = "logistic",
    folds: Annotated[int, Bounds(2)] = 5,
    seed: Seed = 1,
    progress: Progress | None = None,
) -> TunedSystem:
    """Learn the weights of a system on judged topics, and score it on topics held out, beside its best rival.

    index: index folder, made by `leadline index`
    topics: ids one per line, a table, or TREC markup
    qrels: judgements; - is standard input
    measure: measure to decide by
    learner: what learns the weights (lambdamart needs leadline[tune])
    folds: groups of topics, each held out once
    seed: random seed

    Signals are what the index has: words, noun phrases, vectors, classes, citations. Their weights come from a logistic
    regression over the results of the topics; with `learner="lambdamart"`, which needs lightgbm, regression trees
    correct their sum. The verdict compares the tuned system, each topic scored by what was learned without it, with the
    best of its signals and the system `best`.
    """
    import os

    from leadline.retrieval.public import open_context

    # Before the hours that tuning may take, at whose end there might be no verdict.
    if why := why_never(measure) or (f"{measure} may give no verdict; {INSTEAD}" * rests_on_finding(measure)):
        raise MeasureError(why)
    context = open_context(index)
    asked = Topics.read(topics) if isinstance(topics, (str, os.PathLike)) else topics
    judged = read_qrels(qrels) if isinstance(qrels, (str, os.PathLike)) else Qrels.of(qrels)
    relevant = {
        topic: {document for document, grade in judged.judgements(topic).items() if grade > 0}
        for topic in judged.topics
    }
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
        found.pipeline,
        found.weights,
        scores,
        verdicts,
        rival,
        found.folds,
        found.topics,
        found.unused,
        found.gains,
        found.vectors,
    )
