"""Draw a pool: the first ranks of the runs by topic, and a random sample of each stratum.

A document's stratum is that of its best rank over the runs. The sample of a topic and stratum depends only on the seed
and on which documents are in it, not on the order of runs, lines or ties.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.judge.pools.pool import COLUMNS, Pool, check_utf8
from leadline.judge.pools.strata import (
    DEFAULT_STRATA,
    Stratum,
    checked_strata,
    parse_strata,
    sample_sizes,
    sizes_within_budget,
)
from leadline.records.runs.run import Run

if TYPE_CHECKING:
    import polars as pl

Families = Mapping[str, str]  # the family of a document
Sizes = Callable[[str, Sequence[int]], list[int]]  # how many of a topic's strata are judged, from their sizes


def draw_pool(
    runs: Sequence[Run],
    *,
    strata: str | Sequence[Stratum] = DEFAULT_STRATA,
    budget: int | None = None,
    seed: int = 1,
    topics: Sequence[str] | None = None,
    families: Families | None = None,
) -> Pool:
    """Pool the runs and draw what is to be judged.

    `strata` is `last rank:rate, ...`; a pool of depth k is `k:1`. With `budget`, about so many documents of each topic
    are drawn, in the proportions of the rates. `families` gives the family of a document: members of one family are
    pooled as one, and the member with the best rank is judged for all.

    >>> run = Run.of({"7": {"a": 3.0, "b": 2.0, "c": 1.0}}, "one")
    >>> draw_pool([run], strata="1:1,3:0.5").documents.select("document", "stratum", "rank").rows()
    [('a', 1, 1), ('b', 2, 2), ('c', 2, 3)]
    """
    layers = parse_strata(strata) if isinstance(strata, str) else checked_strata(strata)
    if budget is not None and budget < 1:
        raise InputError("budget", f"must be at least 1, got {budget}")
    found_by = _first_ranks(runs, layers[-1].last, topics)
    pooled = _pooled(found_by, layers, families)
    sampled = _sample(pooled, _sizes(layers, budget), len(layers), seed, first_stratum=1)
    names = tuple(run.name for run in runs)
    return Pool(
        sampled.select(COLUMNS), layers, seed, names, budget, found_by=found_by.select("run", "topic", "document")
    )


def draw_again(pool: Pool, seed: int, *, budget: int | None = None) -> Pool:
    """The same pool with another random sample of it, by its rates or for another budget; for studies of sampling."""
    if pool.extended:
        raise InputError("pool", "was extended: draw again from the pool of its first runs")
    sampled = _sample(
        pool.documents.drop("sampled"), _sizes(pool.strata, budget), len(pool.strata), seed, first_stratum=1
    )
    return replace(pool, documents=sampled.select(COLUMNS), seed=seed, budget=budget)


def extend_pool(pool: Pool, runs: Sequence[Run], *, families: Families | None = None) -> Pool:
    """Add runs to a pool. Documents that are in it stay as they are, sampled or not, in their strata.

    The new documents get strata of their own, behind those of the pool, so that every stratum stays a fair sample. They
    are sampled at the rates of the pool; where it has a budget, the same share of each topic is.
    """
    import polars as pl

    twice = [run.name for run in runs if run.name in pool.runs]
    if twice:
        raise InputError(twice[0], "is in the pool already")
    found_by = _first_ranks(runs, pool.strata[-1].last, pool.topics)
    known = pool.documents.select("topic", "document")
    fresh = found_by.join(known, on=["topic", "document"], how="anti")
    pooled = _pooled(fresh, pool.strata, families)
    relatives = _relatives(pool, pooled, families)
    pooled = pooled.join(relatives, on=["topic", "document"], how="anti")
    extended = pool.extended + 1
    offset = extended * len(pool.strata)
    moved = pooled.with_columns(pl.col("stratum") + pl.lit(offset, pl.Int32))
    sizes = _sizes_as_in(pool)
    drawn = _sample(moved, sizes, len(pool.strata), pool.seed, first_stratum=offset + 1).select(COLUMNS)
    order = {topic: place for place, topic in enumerate(pool.topics)}
    both = pl.concat([pool.documents, relatives, drawn])
    places = pl.Series([order[topic] for topic in both["topic"].to_list()], dtype=pl.UInt32)
    both = both.with_columns(places.alias("place")).sort("place", "stratum", "document").drop("place")
    parts = [frame for frame in (pool.found_by, found_by.select("run", "topic", "document")) if frame is not None]
    names = (*pool.runs, *(run.name for run in runs))
    return replace(pool, documents=both, runs=names, extended=extended, found_by=pl.concat(parts))


def _relatives(pool: Pool, pooled: pl.DataFrame, families: Families | None) -> pl.DataFrame:
    """New documents of families that the pool has: they share the unit, and so the stratum and the judgement."""
    import polars as pl

    if families is None:
        return pool.documents.clear()

    def with_family(frame: pl.DataFrame) -> pl.DataFrame:
        names = [families.get(document, document) for document in frame["document"].to_list()]
        return frame.with_columns(pl.Series("family", names, pl.String))

    known = (
        with_family(pool.documents).unique(["topic", "family"]).select("topic", "family", "unit", "stratum", "sampled")
    )
    joined = with_family(pooled.drop("unit", "stratum")).join(known, on=["topic", "family"])
    return joined.select(COLUMNS)


def _first_ranks(runs: Sequence[Run], depth: int, topics: Sequence[str] | None) -> pl.DataFrame:
    """The first documents of every run and topic: run, topic, document, rank."""
    import polars as pl

    if not runs:
        raise InputError("runs", "none given")
    names = [run.name for run in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(twice, "is given twice: runs need different names")
    wanted = None if topics is None else set(topics)
    frames = []
    for run in runs:
        for t, topic in enumerate(run.topics):
            if wanted is not None and topic not in wanted:
                continue
            lines = run.order[run.offsets[t] : run.offsets[t + 1]][:depth]
            documents = [run.documents[line] for line in lines.tolist()]
            check_utf8(run.name, (topic, *documents))
            frames.append(
                pl.DataFrame(
                    {"document": documents, "rank": np.arange(1, len(documents) + 1, dtype=np.int32)},
                    schema={"document": pl.String, "rank": pl.Int32},
                ).select(pl.lit(run.name).alias("run"), pl.lit(topic).alias("topic"), "document", "rank")
            )
    if not frames:
        raise InputError("runs", "have none of the topics asked for")
    return pl.concat(frames)


def _pooled(found_by: pl.DataFrame, strata: Sequence[Stratum], families: Families | None) -> pl.DataFrame:
    """A row for each document: its best rank, how many runs list it, its unit and its stratum."""
    import polars as pl

    order = found_by.select("topic").unique(maintain_order=True).with_row_index("place")
    pooled = found_by.group_by("topic", "document").agg(pl.col("rank").min(), pl.len().alias("runs"))
    if families is None:
        pooled = pooled.with_columns(pl.col("document").alias("unit"))
    else:
        names = [families.get(document, document) for document in pooled["document"].to_list()]
        pooled = pooled.with_columns(pl.Series("family", names, pl.String)).sort("topic", "family", "rank", "document")
        whole = ["topic", "family"]
        pooled = pooled.with_columns(
            pl.col("document").first().over(whole).alias("unit"), pl.col("rank").min().over(whole).alias("rank")
        )
    lasts = np.array([stratum.last for stratum in strata])
    stratum = (np.searchsorted(lasts, pooled["rank"].to_numpy()) + 1).astype(np.int32)
    pooled = pooled.with_columns(pl.Series("stratum", stratum, pl.Int32))
    return pooled.join(order, on="topic").sort("place", "stratum", "document").drop("place")


def _sample(pooled: pl.DataFrame, sizes: Sizes, strata: int, seed: int, *, first_stratum: int) -> pl.DataFrame:
    """The pool with a column that says what is sampled: so many units of each topic and stratum, drawn at random."""
    import polars as pl

    rows_of: dict[str, list[dict[str, list[int]]]] = {}  # topic: for each stratum, the rows of each unit
    for row, (topic, stratum, unit) in enumerate(pooled.select("topic", "stratum", "unit").iter_rows()):
        by_stratum = rows_of.setdefault(topic, [{} for _ in range(strata)])
        by_stratum[stratum - first_stratum].setdefault(unit, []).append(row)
    sampled = np.zeros(len(pooled), np.bool_)
    for topic, by_stratum in rows_of.items():
        wanted = sizes(topic, [len(units) for units in by_stratum])
        crc = zlib.crc32(topic.encode("utf-8", "surrogateescape"))
        for stratum, (units, size) in enumerate(zip(by_stratum, wanted, strict=True), start=first_stratum):
            names = sorted(units)
            drawn = np.random.default_rng([seed, crc, stratum]).permutation(len(names))[:size]
            for at in drawn.tolist():
                sampled[units[names[at]]] = True
    return pooled.with_columns(pl.Series("sampled", sampled))


def _sizes(strata: Sequence[Stratum], budget: int | None) -> Sizes:
    """Sample sizes by the rates of the strata, or within a budget for each topic."""
    if budget is None:
        return lambda topic, counts: sample_sizes(counts, strata)
    return lambda topic, counts: sizes_within_budget(counts, strata, budget)


def _sizes_as_in(pool: Pool) -> Sizes:
    """Sample sizes for documents added to a pool: by its rates; where it has a budget, the same share of each topic.

    A budget is for the first documents of a pool, not again for those of every extension.
    """
    import polars as pl

    if pool.budget is None:
        return _sizes(pool.strata, None)
    units = pool.documents.filter((pl.col("document") == pl.col("unit")) & (pl.col("stratum") <= len(pool.strata)))
    shares: dict[str, float] = dict(units.group_by("topic").agg(pl.col("sampled").mean()).iter_rows())

    def sizes(topic: str, counts: Sequence[int]) -> list[int]:
        return sizes_within_budget(counts, pool.strata, max(1, round(shares[topic] * sum(counts))))

    return sizes
