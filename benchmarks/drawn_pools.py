"""How well do pools that are drawn in rounds rank runs, how far are their scores off, and do their intervals cover?

Reads `runs/trec_covid_r1` of the shared data (LEADLINE_SHARED, or `shared` beside the repository), which is not part of
the project: 143 official runs, 30 topics. The frame is the union of the runs to rank 1 000; a document without an
official judgement counts as not relevant. For 12, 25, 50, 100 and 200 judged a topic it prints, over the seeds:
Kendall's tau with the ranking by all judgements, of all runs and of the best 20; the mean error of the means, its root
mean square, and the share of the 95 % intervals (for these topics) that hold the truth. Beside it stand xinfAP and
infNDCG of a sample by strata of as many documents, and AP by the judgements that rules collect which follow them.

    python benchmarks/drawn_pools.py                     # the table: 12 seeds take about 5 minutes of one processor
    python benchmarks/drawn_pools.py --machines          # simulated machines: widths and coverage, 200 simulations

Simulated machines judge the documents with an official judgement, to which the runs are cut: a logit with an easiness
of its own for each document, a bias of each topic, some of the runs' votes, and noise; scaled to a kappa.
"""

from __future__ import annotations

import argparse
import os
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadline.judge.adaptive_rules import RULES
from leadline.judge.draws import Draws
from leadline.judge.pools import parse_strata, sizes_within_budget
from leadline.judge.relevance_model import RankedLists
from leadline.measures.definition import parse_measures
from leadline.measures.evaluate import estimated
from leadline.measures.hits import Hits, Judged
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import Table
from leadline.records.runs import Run, read_run
from leadline.records.scores import Scores
from leadline.text.fields import Ids
from leadline.trust.rankings import tau_b

DATA = Path(os.environ.get("LEADLINE_SHARED", Path(__file__).parents[2] / "shared")) / "data/runs/trec_covid_r1"
ENDS = (12, 25, 50, 100, 200)
MEASURES = parse_measures("AP nDCG P@10 PRES@1000 R@1000")
STRATA = parse_strata("10:1,30:0.3,100:0.1,1000:0.03")
KAPPAS = (0.3, 0.5, 0.7)
Array = NDArray[np.float64]


class Frame:
    """The runs' lists, and the official grade of every document in them; -1 where there is none."""

    def __init__(self, runs: Sequence[Run], official: Qrels, depth: int = 1000) -> None:
        self.runs = runs
        self.lists = RankedLists.of(runs, depth, official.topics)
        known = {topic: official.judgements(topic) for topic in self.lists.topics}
        topics = [self.lists.topics[t] for t in self.lists.topic_of_document.tolist()]
        self.names = list(zip(topics, self.lists.documents, strict=True))
        self.official = np.array([known[topic].get(name, -1) for topic, name in self.names])
        self.truth = np.maximum(self.official, 0)

    def hits(self, grades: NDArray[np.int64], **more: object) -> Hits:
        """The hits of every run by these grades: topic by topic, run by run."""
        lists = self.lists
        qrels = Qrels("study", lists.topics, lists.offsets, Ids.of(()), grades.astype(np.int32), **more)  # type: ignore[arg-type]
        judged = Judged(lists.offsets, grades.astype(np.int64))
        rank, document = lists.rank.astype(np.int64), lists.listed.astype(np.int64)
        retrieved = np.diff(lists.starts)
        return Hits(
            lists.starts,
            rank,
            judged.grades[document],
            document,
            retrieved,
            judged,
            lists.topic_of_row,
            rank,
            rank,
            qrels,
        )

    def by_topic(self, values: Array) -> Array:
        """Run × topic."""
        return values.reshape(len(self.lists.topics), -1).T

    def grades_of(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.where(chosen, self.truth, -1)


class Tally:
    """Errors, correlations and coverage of one way to choose, by what is judged and measure."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int, str], list[tuple[float, ...]]] = {}

    def add(self, way: str, judged: int, measure: str, found: Array, real: Array, width: Array | None = None) -> None:
        error = found - real
        best = np.argsort(-real)[:20]
        covered = float("nan") if width is None else float((np.abs(error) <= width).mean())
        half = float("nan") if width is None else float(width.mean())
        taus = float(tau_b(real, found[None])[0]), float(tau_b(real[best], found[None, best])[0])
        one = (*taus, float(error.mean()), float((error**2).mean()), covered, half)
        self.rows.setdefault((way, judged, measure), []).append(one)

    def table(self) -> Table:
        rows: list[list[object]] = []
        for (way, judged, measure), each in sorted(self.rows.items(), key=lambda item: (item[0][2], item[0][1])):
            tau, top, bias, square, covered, half = np.mean(each, axis=0).tolist()
            rows.append(
                [measure, judged, way, len(each), *(round(x, 4) for x in (tau, top, bias, square**0.5, covered, half))]
            )
        return Table(
            ["measure", "judged", "way", "seeds", "tau", "tau_20", "mean_error", "rmse", "covered", "half_width"], rows
        )


def load() -> tuple[list[Run], Qrels]:
    official = read_qrels(DATA / "qrels.txt")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(DATA / "runs.tar.xz") as archive:
        archive.extractall(folder, filter="data")
        paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return [read_run(path, name=path.name) for path in paths], official


def in_rounds(frame: Frame, seed: int, ends: Sequence[int], **how: object) -> Iterator[tuple[int, Hits]]:
    """What is known when each round is judged."""
    draws = Draws.first(frame.runs, ends, seed=seed, topics=frame.lists.topics, **how)  # type: ignore[arg-type]
    for end in ends:
        grades = {name: int(frame.truth[place]) for place, name in draws.names_drawn()}
        expected = draws.model(grades)
        yield end, frame.hits(frame.grades_of(draws.drawn), kind="drawn", probabilities=draws.chance, expected=expected)
        if end != ends[-1]:
            draws = draws.next(grades)


def scores_of(frame: Frame, hits: Hits) -> Scores:
    both = [estimated(measure, hits) for measure in MEASURES]
    values, variances = (np.stack([frame.by_topic(each[k]) for each in both], axis=2) for k in (0, 1))
    names = tuple(measure.text for measure in MEASURES)
    return Scores(frame.lists.runs, frame.lists.topics, names, values, sampling=variances)


def study(seeds: int) -> Table:
    frame = Frame(*load())
    full = frame.hits(frame.truth)
    real = {measure.text: frame.by_topic(measure(full)) for measure in MEASURES}
    means = {name: np.nanmean(values, axis=1) for name, values in real.items()}
    tally = Tally()
    best = np.full(len(frame.truth), 10**9)
    np.minimum.at(best, frame.lists.listed, frame.lists.rank)
    strata = (np.searchsorted([layer.last for layer in STRATA], best) + 1).astype(np.int32)
    inferred = parse_measures("xinfAP infNDCG")
    for seed in range(seeds):
        for end, hits in in_rounds(frame, seed, ENDS):
            found = scores_of(frame, hits)
            widths, averages = found.sampling_half_widths(), found.mean_values()
            for m, name in enumerate(found.measures):
                tally.add("rounds", end, name, averages[:, m], means[name], widths[:, m])
        for end in ENDS:
            hits = frame.hits(frame.grades_of(by_strata(frame, strata, end, seed)), kind="strata", strata=strata)
            for measure, name in zip(inferred, ("AP", "nDCG"), strict=True):
                values = np.nanmean(frame.by_topic(measure(hits)), axis=1)
                tally.add("strata", end, name, values, means[name])
        for name in RULES:
            for end, chosen in followed(frame, name, seed):
                hits = frame.hits(frame.grades_of(chosen))
                for measure in MEASURES[:2]:
                    values = np.nanmean(frame.by_topic(measure(hits)), axis=1)
                    tally.add(name, end, measure.text, values, means[measure.text])
        print(f"seed {seed} done", file=sys.stderr, flush=True)
    return tally.table()


def by_strata(frame: Frame, strata: NDArray[np.int32], budget: int, seed: int) -> NDArray[np.bool_]:
    """A random sample of each topic's strata, of so many documents."""
    chosen = np.zeros(len(strata), bool)
    for t, (start, stop) in enumerate(pairwise(frame.lists.offsets.tolist())):
        layers = [start + np.flatnonzero(strata[start:stop] == n + 1) for n in range(len(STRATA))]
        rng = np.random.default_rng([seed, t])
        for places, size in zip(
            layers, sizes_within_budget([len(each) for each in layers], STRATA, budget), strict=True
        ):
            chosen[rng.choice(places, size, replace=False)] = True
    return chosen


def followed(frame: Frame, name: str, seed: int) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """The documents that a rule which follows the judgements asks for first."""
    lists, asked = frame.lists, []
    rows = len(lists.runs)
    for t in range(len(lists.topics)):
        first = [
            [str(place) for place in lists.listed[lists.starts[r] : lists.starts[r + 1]][:100].tolist()]
            for r in range(t * rows, (t + 1) * rows)
        ]
        judge: Callable[[str], bool] = lambda place: bool(frame.truth[int(place)] > 0)  # noqa: E731
        rule = RULES[name](first, judge, np.random.default_rng([seed, t]))
        asked.append([int(place) for place in islice(rule, max(ENDS))])
    for end in ENDS:
        chosen = np.zeros(len(frame.truth), bool)
        chosen[[place for places in asked for place in places[:end]]] = True
        yield end, chosen


# Simulated machines.


def machine(frame: Frame, kappa: float, rng: np.random.Generator) -> Array:
    """A machine's probabilities, whose labels agree with the official ones by a kappa."""
    lists, relevant = frame.lists, frame.truth > 0
    easy = 2 * rng.random(len(relevant)) * np.choose(np.minimum(frame.truth, 2), [1.0, 0.8, 1.3])
    bias = 0.5 * rng.standard_normal(len(lists.topics))[lists.topic_of_document]
    vote = lists.over_runs(lists.depth_vote)
    noise = bias + 0.3 * (vote - vote.mean()) / vote.std() + rng.standard_normal(len(relevant)) + 0.3
    low, high = 0.0, 6.0
    for _ in range(18):
        scale = (low + high) / 2
        said = scale * easy * (2 * relevant - 1) + noise
        yes, agreed = (said > 0).mean(), ((said > 0) == relevant).mean()
        chance = yes * relevant.mean() + (1 - yes) * (1 - relevant.mean())
        low, high = (scale, high) if (agreed - chance) / (1 - chance) < kappa else (low, scale)
    return np.asarray(1 / (1 + np.exp(-1.7 * said)))


def machines(simulations: int, every: int) -> Table:
    """The widths and the coverage of the intervals with a machine of each kappa, and by people alone."""
    runs, official = load()
    kept = {topic: official.judgements(topic) for topic in official.topics}
    cut = []
    for run in runs[::every]:
        lists = {
            topic: [(d, s) for d, s in run.ranking(topic) if d in kept[topic]] for topic in run.topics if topic in kept
        }
        cut.append(Run.of({t: {d: -float(r) for r, (d, _) in enumerate(x)} for t, x in lists.items() if x}, run.name))
    frame = Frame(cut, official)
    full = frame.hits(frame.truth)
    real = np.stack([np.nanmean(frame.by_topic(measure(full)), axis=1) for measure in MEASURES], axis=1)
    found: dict[tuple[str, int, str], list[tuple[float, float, float]]] = {}
    for seed in range(simulations):
        for kappa in (None, *KAPPAS):
            rng = np.random.default_rng([seed, int(10 * (kappa or 0))])
            said = None if kappa is None else machine(frame, kappa, rng)
            told = None if said is None else dict(zip(frame.names, said.tolist(), strict=True))
            name = "people alone" if kappa is None else f"kappa {kappa}"
            for end, hits in in_rounds(frame, seed, (25, 50, 100), machine=told):
                scores = scores_of(frame, hits)
                error, width = scores.mean_values() - real, scores.sampling_half_widths()
                for m, measure in enumerate(scores.measures):
                    row = (
                        float(width[:, m].mean()),
                        float((np.abs(error[:, m]) <= width[:, m]).mean()),
                        float((error[:, m] ** 2).mean()),
                    )
                    found.setdefault((measure, end, name), []).append(row)
            if said is not None:
                alone = np.nanmean(frame.by_topic(MEASURES[0](frame.hits((said > 0.5).astype(np.int64)))), axis=1)
                best = np.argsort(-real[:, 0])[:20]
                row = (
                    float("nan"),
                    float(tau_b(real[:, 0], alone[None])[0]),
                    float(tau_b(real[best, 0], alone[None, best])[0]),
                )
                found.setdefault(("AP: tau, tau of 20", 0, f"{name} alone"), []).append(row)
    rows: list[list[object]] = []
    for (measure, end, name), each in found.items():
        width, covered, square = np.mean(each, axis=0).tolist()
        rows.append(
            [
                measure,
                end,
                name,
                len(each),
                round(width, 4),
                round(covered, 3),
                round(square if end == 0 else square**0.5, 4),
            ]
        )
    return Table(["measure", "judged", "who", "simulations", "half_width", "covered", "rmse"], sorted(rows, key=str))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--machines", action="store_true")
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--every", type=int, default=6, help="with --machines: every so many runs are pooled")
    options = parser.parse_args()
    table = machines(options.simulations, options.every) if options.machines else study(options.seeds)
    print(table.render("markdown"))


if __name__ == "__main__":
    main()
