"""Are xinfAP and infNDCG of a stratified pool right on average? Makes the table and the figure of docs/pools.md.

    python benchmarks/pool_estimates.py FOLDER [--seeds 200]

Two simulated offices, whose truth is known, are kept in FOLDER: one with a dozen relevant documents a topic, one with a
hundred. Eight systems are pooled to rank 1000. For each number of documents to judge, many samples of the pool are
drawn and judged by the truth; the estimates are compared with AP and nDCG of the pool judged in full. The default
strata of `leadline pool`, which end at rank 100, are compared with the same. Beside them, AP and nDCG of pools of fixed
depth, judged in full, which take what is deeper as not relevant.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from leadline.collections.simulate.settings import Settings
from leadline.judge.pools import DEFAULT_STRATA, NOT_SAMPLED, Pool, draw_again, draw_pool
from leadline.measures.hits import Judged
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, read_run
from leadline.show.charts import BUOY, DEPTH, Figure, rows_data, with_rows
from leadline.show.demo import SMALL, build_lab, planned
from leadline.trust.study import Study, open_study

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "pools.md"
STRATA = "10:1,30:0.3,100:0.1,1000:0.03"
BUDGETS = (150, 300, 600)  # documents to judge for each topic
DEPTHS = (5, 10, 20, 50, 100)  # of the pools that are judged in full
ESTIMATES, MEASURES = ("xinfAP@1000", "infNDCG@1000"), ("AP@1000", "nDCG@1000")
RELEVANT, PRECISIONS = "relevant documents in the pool", "sum of precisions at them"  # xinfAP is the second ÷ the first
NAMES = {"stratified": "stratified pool, xinfAP or infNDCG", "depth": "pool of fixed depth, AP or nDCG"}
BINS = ((1, 10), (10, 50), (50, 10_000))  # topics by their relevant documents
OFFICES = {
    "about 14 relevant documents a topic": Settings(patents=8000, topics=50, words="invented"),
    "about 120 relevant documents a topic": Settings(
        patents=8000, topics=50, line_size=100.0, enough=0.5, words="invented"
    ),
}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PoolErrors:
    """The errors of one kind of pool: mean over systems and topics of estimate minus the score of all judgements."""

    office: str
    kind: str  # stratified, default strata or depth
    measure: str
    judged: float  # documents a topic
    errors: Array  # one for each seed
    undefined: float = 0.0  # share of the topics without any relevant document in the sample
    topics: str = "all"

    @property
    def mean(self) -> float:
        return float(self.errors.mean())

    @property
    def spread(self) -> float:
        """The standard deviation of a single pool's error."""
        return float(self.errors.std(ddof=1)) if len(self.errors) > 1 else 0.0

    @property
    def half_width(self) -> float:
        """Half the 95 % interval of the mean, by Student's t over seeds."""
        if len(self.errors) < 2:
            return 0.0
        return float(stdtrit(len(self.errors) - 1, 0.975)) * self.spread / float(np.sqrt(len(self.errors)))

    @property
    def within(self) -> bool:
        """Whether 0 is in the interval of the mean error."""
        return abs(self.mean) <= self.half_width


@dataclass(frozen=True)
class JudgedPool:
    """A pool of an office with the true grade of every document, and the runs joined with it."""

    pool: Pool
    study: Study  # all documents of the pool are judged
    rows: NDArray[np.int64]  # the row of the pool that each judgement is of
    complete: Array  # AP and nDCG of all judgements: run × topic × measure

    @classmethod
    def of(cls, runs: Sequence[Run], truth: Qrels, strata: str = STRATA) -> JudgedPool:
        """Pool the runs and judge every document by the truth; what the truth does not list is not relevant."""
        pool = draw_pool(runs, strata=strata)
        known = {(topic, name): grade for topic in truth.topics for name, grade in truth.judgements(topic).items()}
        keys = pool.documents.select("topic", "document").rows()
        everything = replace(pool, documents=pool.documents.with_columns(sampled=True))
        judged = everything.qrels({key: known.get(key, 0) for key in keys})
        named = {run.name: run for run in runs}
        study = open_study(judged, named, " ".join([*ESTIMATES, "inum_rel"]))
        complete = open_study(judged, named, " ".join(MEASURES)).values()
        row = {key: place for place, key in enumerate(keys)}
        topics = [judged.topics[place] for place in judged.topic_of_document.tolist()]
        rows = np.array([row[key] for key in zip(topics, judged.documents.names(), strict=True)])
        return cls(pool, study, rows, complete)

    @property
    def topics(self) -> int:
        return len(self.study.topics)

    @property
    def relevant(self) -> NDArray[np.int64]:
        """The relevant documents of each topic in the pool."""
        found = self.study.qrels.topic_of_document[self.study.qrels.grades > 0]
        return np.bincount(found, minlength=self.topics)

    def with_strata(self, runs: Sequence[Run], truth: Qrels, strata: str) -> JudgedPool:
        """A pool of the same runs by other strata, whose estimates are compared with the scores of this pool."""
        other = JudgedPool.of(runs, truth, strata)
        known = [self.study.topics.index(topic) for topic in other.study.topics]
        return replace(other, complete=self.complete[:, known])

    def stratified(
        self, office: str, budget: int | None, seeds: Sequence[int], kind: str = "stratified"
    ) -> Iterator[PoolErrors]:
        """The errors of xinfAP, infNDCG and the parts of xinfAP over samples of the pool; the parts as shares."""
        relevant = self.relevant
        precisions = (self.complete[:, :, 0] * relevant).sum()
        errors, counts, sums, judged = [], [], [], 0
        for seed in seeds:
            sampled = draw_again(self.pool, seed, budget=budget).documents["sampled"].to_numpy()[self.rows]
            judged += int(sampled.sum())
            values = self._values(np.where(sampled, self.study.qrels.grades, NOT_SAMPLED))
            errors.append((values[:, :, :2] - self.complete).mean(axis=0))
            counts.append(values[0, :, 2].sum() / relevant.sum() - 1)
            sums.append(np.nansum(values[:, :, 0] * values[:, :, 2]) / precisions - 1)
        by_topic = np.array(errors)  # seed × topic × measure; NaN where the sample has no relevant document
        size = judged / len(seeds) / self.topics
        for place, measure in enumerate(ESTIMATES):
            undefined = float(np.isnan(by_topic[:, :, place]).mean())
            yield PoolErrors(office, kind, measure, size, np.nanmean(by_topic[:, :, place], axis=1), undefined)
            for low, high in BINS:
                inside = (relevant >= low) & (relevant < high)
                if inside.any():
                    name = f"{low} to {high - 1}" if high < 1000 else f"{low} and more"
                    found = np.nanmean(by_topic[:, inside, place], axis=1)
                    yield PoolErrors(office, kind, measure, size, found, topics=f"{inside.sum()} with {name}")
        yield PoolErrors(office, kind, RELEVANT, size, np.array(counts))
        yield PoolErrors(office, kind, PRECISIONS, size, np.array(sums))

    def to_depth(self, office: str, depth: int, runs: Sequence[Run]) -> Iterator[PoolErrors]:
        """The errors of AP and nDCG when only the first ranks are judged, all of them."""
        kept = self.pool.documents["rank"].to_numpy()[self.rows] <= depth
        fewer = self.study.qrels.where(kept)
        values = open_study(
            fewer, {run.name: run for run in runs}, " ".join(MEASURES), topics=self.study.topics
        ).values()
        known = [self.study.topics.index(topic) for topic in fewer.topics]
        error = np.nanmean(values - self.complete[:, known], axis=(0, 1))
        missing = float(np.isnan(values[0, :, 0]).mean())
        for place, measure in enumerate(MEASURES):
            yield PoolErrors(
                office, "depth", f"{measure} to {depth}", kept.sum() / self.topics, error[place : place + 1], missing
            )

    def _values(self, grades: NDArray[np.int32]) -> Array:
        """The estimates by these grades: nothing is read or joined again."""
        qrels = replace(self.study.qrels, grades=grades.astype(np.int32))
        hits = replace(
            self.study.hits, grade=grades[self.study.hits.document].astype(np.int64), judged=Judged.of(qrels),
            qrels=qrels,
        )  # fmt: skip
        return replace(self.study, hits=hits, qrels=qrels).values()


def read_lab(folder: Path) -> tuple[list[Run], Qrels]:
    """The runs of a lab and its true judgements."""
    runs = [read_run(path, name=path.stem) for path in sorted((folder / "runs").glob("*.run"))]
    return runs, read_qrels(folder / "qrels.true.txt")


def study_office(office: str, lab: Path, seeds: Sequence[int]) -> list[PoolErrors]:
    """The errors of every kind of pool of one office."""
    runs, truth = read_lab(lab)
    judged = JudgedPool.of(runs, truth)
    found = [each for budget in BUDGETS for each in judged.stratified(office, budget, seeds)]
    default = judged.with_strata(runs, truth, DEFAULT_STRATA).stratified(office, None, seeds[:20], "default strata")
    found += [each for each in default if each.measure in ESTIMATES and each.topics == "all"]
    return found + [each for depth in DEPTHS for each in judged.to_depth(office, depth, runs)]


def tables(found: Sequence[PoolErrors], seeds: int) -> dict[str, str]:
    """The tables of the document: all topics, the parts of xinfAP, and topics by their number of relevant documents."""
    whole = ["| office | pool | judged a topic | measure | mean error | its 95 % interval | one pool ± | undefined |"]
    whole.append("|:---|:---|---:|:---|---:|---:|---:|---:|")
    parts = [
        f"| office | judged a topic | estimated | mean error of {seeds} | its 95 % interval |",
        "|:---|---:|:---|---:|---:|",
    ]
    binned = ["| topics, by relevant documents | judged a topic | measure | mean error | its 95 % interval |"]
    binned.append("|:---|---:|:---|---:|---:|")
    for each in found:
        low, high = each.mean - each.half_width, each.mean + each.half_width
        if each.measure in (RELEVANT, PRECISIONS):
            cells = [each.office, f"{each.judged:.0f}", each.measure, f"{each.mean:+.2%}", f"{low:+.2%} to {high:+.2%}"]
            parts.append(f"| {' | '.join(cells)} |")
        elif each.topics != "all":
            if not 200 < each.judged < 400 or each.topics.startswith("1 "):  # those of 300 documents; not single topics
                continue
            cells = [each.topics, f"{each.judged:.0f}", each.measure, f"{each.mean:+.4f}", f"{low:+.4f} to {high:+.4f}"]
            binned.append(f"| {' | '.join(cells)} |")
        else:
            drawn = [f"{low:+.4f} to {high:+.4f}", f"{each.spread:.4f}"] if len(each.errors) > 1 else ["", ""]
            cells = [each.office, each.kind, f"{each.judged:.0f}", each.measure, f"{each.mean:+.4f}", *drawn]
            whole.append(f"| {' | '.join(cells)} | {each.undefined:.1%} |")
    return {"errors": "\n".join(whole), "parts": "\n".join(parts), "binned": "\n".join(binned)}


def figure(found: Sequence[PoolErrors], seeds: int) -> Figure:
    """The error of each kind of pool against the documents judged, a panel for each office and measure."""
    rows = [
        {
            "office": each.office, "of": "AP" if "AP" in each.measure else "nDCG",
            "pool": NAMES[each.kind],
            "measure": each.measure, "judged": round(each.judged, 1), "error": round(each.mean, 5),
            "low": round(each.mean - 1.96 * each.spread, 5), "high": round(each.mean + 1.96 * each.spread, 5),
        }
        for each in found
        if each.topics == "all" and each.kind in NAMES and each.measure not in (RELEVANT, PRECISIONS)
    ]  # fmt: skip
    return Figure("pool_estimates", title(found), reading(seeds), _chart(rows), rows, "Simulated offices")


def title(found: Sequence[PoolErrors]) -> str:
    """How far depth-10 pools and stratified pools of 300 documents are off, over offices and measures."""
    worst = max(
        (each for each in found if each.measure in ESTIMATES and each.topics == "all" and each.judged > 200),
        key=lambda one: abs(one.mean),
    )
    ten = [abs(each.mean) for each in found if each.measure.endswith(" to 10")]
    return (
        f"Stratified pools of 300 documents and more are off by {abs(worst.mean):.3f} at most on average, "
        f"pools of depth 10 by {min(ten):.3f} to {max(ten):.3f}"
    )


def reading(seeds: int) -> str:
    return (
        f"Estimate minus the score by complete judgements, mean over 8 systems and 50 topics. Bands: 95 % of {seeds} "
        "samples of a pool. 0 is right."
    )


def _chart(rows: list[dict[str, Any]]) -> Any:
    names = list(dict.fromkeys(row["pool"] for row in rows))
    colour = alt.Color(
        "pool:N", scale=alt.Scale(domain=names, range=[BUOY, DEPTH[4]]),
        legend=alt.Legend(title=None, orient="top", direction="horizontal", labelLimit=320),
    )  # fmt: skip
    x = alt.X("judged:Q", title="documents judged for each topic", scale=alt.Scale(type="log"),
              axis=alt.Axis(values=[20, 50, 100, 200, 500], format="d"))  # fmt: skip
    y = alt.Y("error:Q", title="mean error", axis=alt.Axis(format="+.2f", tickCount=6))
    base = alt.Chart().encode(x=x, color=colour)
    band = base.transform_filter("datum.low < datum.high").mark_area(opacity=0.18).encode(y="low:Q", y2="high:Q")
    line = base.mark_line(strokeWidth=2).encode(y=y)
    shape = alt.Shape("pool:N", scale=alt.Scale(domain=names, range=["diamond", "circle"]), legend=None)
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(y=y, shape=shape)
    zero = alt.Chart().mark_rule(strokeDash=[2, 4], opacity=0.6).encode(y=alt.datum(0))
    panels = alt.layer(zero, band, line, dots).properties(width=290, height=210)
    return with_rows(
        panels.facet(
            column=alt.Column("office:N", title=None, sort=list(OFFICES)), row=alt.Row("of:N", title=None),
            data=rows_data(),
        ), rows,
    )  # fmt: skip


@contextmanager
def stage(name: str) -> Iterator[None]:
    start = time.monotonic()
    yield None
    print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=200)
    options = parser.parse_args()
    labs = {}
    for place, (office, settings) in enumerate(OFFICES.items(), start=1):
        labs[office] = build_lab(options.folder / f"office-{place}", settings, planned(SMALL)[:8], stage)
    seeds = range(1, options.seeds + 1)
    with stage(f"{options.seeds} samples of each pool"), ProcessPoolExecutor(2, get_context("spawn")) as processes:
        started = [processes.submit(study_office, office, lab, seeds) for office, lab in labs.items()]
        found = [each for one in started for each in one.result()]
    publish(found, options.seeds)


def publish(found: Sequence[PoolErrors], seeds: int) -> None:
    """Write the figure and the tables into the document."""
    figure(found, seeds).save(DOCUMENT.with_suffix(".svg"))
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, table in tables(found, seeds).items():
        pattern = rf"(<!-- {name} -->\n).*?(\n<!-- end -->)"
        text = re.sub(pattern, lambda marks, table=table: f"{marks[1]}{table}{marks[2]}", text, flags=re.DOTALL)
        print(table, end="\n\n")
    DOCUMENT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
