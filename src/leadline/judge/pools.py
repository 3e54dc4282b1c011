"""A pool: the documents of the runs' first ranks by topic, their strata, how it is drawn, and what to judge next.

>>> parse_strata("10:1,30:0.3,100:0.1")
(Stratum(last=10, rate=1.0), Stratum(last=30, rate=0.3), Stratum(last=100, rate=0.1))
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import itertools
import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, visible
from leadline.judge.choices import DEFAULT_STRATA
from leadline.judge.draws import Draws
from leadline.judge.journal import JudgingJournal, check_marks, check_people
from leadline.records.qrels import Qrels, drawn_line, read_qrels
from leadline.records.result import Table, counted
from leadline.records.runs import Run
from leadline.text.checksums import Finding, finding_of, read_sealed, sealed
from leadline.text.fields import ranges
from leadline.text.files import replacing, replacing_ours
from leadline.text.owned_files import JOURNAL, PEOPLE, POOLS, RECORD, RECORD_OF_POOL

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Stratum:
    """The ranks up to `last` that no earlier stratum has; `rate` is the share of its documents that is judged."""

    last: int
    rate: float


def parse_strata(text: str) -> tuple[Stratum, ...]:
    """Strata from text such as `10:1,30:0.3,100:0.1`: last rank and rate, ranks ascending."""
    strata = []
    for part in text.split(","):
        last, _, rate = part.partition(":")
        try:
            strata.append(Stratum(int(last), float(rate or 1)))
        except ValueError:
            raise InputError("strata", f"{part!r} is not LAST_RANK:RATE, such as 30:0.3") from None
    return checked_strata(strata)


def checked_strata(strata: Sequence[Stratum]) -> tuple[Stratum, ...]:
    """The strata, if their ranks ascend and their rates are above 0 and at most 1."""
    lasts = [0, *(stratum.last for stratum in strata)]
    if not strata:
        raise InputError("strata", "give at least one, such as 10:1")
    if any(later <= earlier for earlier, later in itertools.pairwise(lasts)):
        raise InputError("strata", f"ranks must ascend from 1, got {', '.join(map(str, lasts[1:]))}")
    for stratum in strata:
        if not 0 < stratum.rate <= 1:
            raise InputError("strata", f"a rate must be above 0 and at most 1, got {stratum.rate:g}")
    return tuple(strata)


def sample_sizes(sizes: Sequence[int], strata: Sequence[Stratum]) -> list[int]:
    """How many documents of each stratum are judged: its rate, rounded half up, and at least 1 of any.

    >>> sample_sizes([10, 45, 5, 0], parse_strata("10:1,30:0.3,100:0.1,200:0.1"))
    [10, 14, 1, 0]
    """
    return [
        min(size, max(1, math.floor(stratum.rate * size + 0.5 + 1e-9))) if size else 0
        for size, stratum in zip(sizes, strata, strict=True)
    ]


def sizes_within_budget(sizes: Sequence[int], strata: Sequence[Stratum], budget: int) -> list[int]:
    """Sample sizes that add up to about `budget` documents, in the proportions of the strata's rates.

    All rates are multiplied by one factor; a rate that reaches 1 stays there, and the others get what is left. Every
    stratum with documents keeps at least 1, so that nothing of the pool is out of reach.

    >>> sizes_within_budget([60, 120, 400], parse_strata("10:1,30:0.3,100:0.1"), 195)
    [60, 64, 71]
    >>> sum(sizes_within_budget([60, 120, 400], parse_strata("10:1,30:0.3,100:0.1"), 30))
    30
    """
    room = np.array(sizes, np.float64)
    rates = np.array([stratum.rate for stratum in strata])
    wanted = np.minimum(room, 1.0)  # at least one of each
    if budget >= room.sum():
        return [int(size) for size in sizes]
    low, high = 0.0, float(1 / rates.min())
    for _ in range(60):  # the factor, by bisection: the sum of the sizes grows with it
        factor = (low + high) / 2
        total = np.maximum(wanted, np.minimum(room, factor * rates * room)).sum()
        low, high = (factor, high) if total < budget else (low, factor)
    exact = np.maximum(wanted, np.minimum(room, high * rates * room))
    return _rounded_to(exact, room, budget)


def _rounded_to(exact: NDArray[np.float64], room: NDArray[np.float64], total: int) -> list[int]:
    """Whole numbers near the exact ones that add up to the total: the largest remainders are rounded up."""
    whole = np.floor(exact + 1e-9)
    order = np.argsort(whole - exact, kind="stable")
    for place in order[: max(0, round(float(total - whole.sum())))].tolist():
        whole[place] = min(whole[place] + 1, room[place])
    return [int(size) for size in whole]


# A pool: the documents of the runs' first ranks by topic, the stratum of each, and which of them are to be judged.
#
#     topic 0 document stratum grade      -2: to be judged, -1: in the pool but not sampled, 0, 1, 2: judged
#
# So a pool is a file of judgements, which xinfAP and infNDCG read as it is. Beside it, `POOL.json` records the strata,
# the seed and the runs. A pool that is drawn in rounds is a file of judgements too, of another form:
#
#     topic 0 document grade probability expected      -2: to be judged, -1: not drawn, 0, 1, 2: judged
#
# and its record has what the next round is drawn by, the lists of the runs.


TO_JUDGE, NOT_SAMPLED = -2, -1
FORMAT, FORMAT_OF_DRAWS = 1, 2  # of the record
FIX_JOURNAL = "restore it from a copy, or take another machine's journal"
_FIX, _FIX_JUDGED = (
    "make the pool again with `leadline pool`",
    "restore it from a copy; the journal still has the marks",
)


@dataclass(frozen=True)
class Pool:
    """Documents to judge, by topic.

    `documents` has a row for each document of the pool: topic, document, unit (the document that is shown in its place,
    another only where families are pooled as one), stratum, rank (its best over the runs), runs (how many list it that
    high), sampled.
    """

    documents: pl.DataFrame
    strata: tuple[Stratum, ...]
    seed: int
    runs: tuple[str, ...]
    budget: int | None = None
    extended: int = 0  # how often runs were added
    found_by: pl.DataFrame | None = field(
        default=None, repr=False
    )  # run, topic, document; None for a pool that was read
    draws: Draws | None = field(default=None, repr=False)  # of a pool drawn in rounds: a stratum is a round

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(self.documents["topic"].unique(maintain_order=True).to_list())

    def to_judge(self) -> pl.DataFrame:
        """The documents that people see: one for each unit that is sampled, by topic in the order of ids."""
        import polars as pl

        return self.documents.filter(pl.col("sampled") & (pl.col("document") == pl.col("unit")))

    def sizes(self) -> Table:
        """How many documents each topic has in each stratum, and how many of them are sampled."""
        if self.draws is not None:
            return self.draws.sizes()
        import polars as pl

        count = int(self.documents["stratum"].max() or 0)  # type: ignore[arg-type]
        grouped = self.documents.group_by("topic", "stratum", maintain_order=True).agg(
            pl.len().alias("pooled"), pl.col("sampled").sum()
        )
        cells = {(row["topic"], row["stratum"]): row for row in grouped.iter_rows(named=True)}
        rows: list[list[Any]] = []
        for topic in self.topics:
            found = [cells.get((topic, stratum), {"pooled": 0, "sampled": 0}) for stratum in range(1, count + 1)]
            by_stratum = [f"{cell['sampled']} of {cell['pooled']}" for cell in found]
            pooled, sampled = (sum(cell[name] for cell in found) for name in ("pooled", "sampled"))
            rows.append([topic, pooled, sampled, *by_stratum])
        names = [self._stratum_name(stratum) for stratum in range(count)]
        return Table(["topic", "pooled", "to_judge", *names], rows)

    def _stratum_name(self, place: int) -> str:
        """`ranks 11-30`, with the number of the extension behind it where runs were added later."""
        addition, at = divmod(place, len(self.strata))
        first = self.strata[at - 1].last + 1 if at else 1
        return f"ranks {first}-{self.strata[at].last}" + (f" (added {addition})" if addition else "")

    def contributions(self) -> Table:
        """What each run brought into the pool, how much of it is judged, and what only it found."""
        if self.draws is not None:
            return self.draws.contributions()
        import polars as pl

        if self.found_by is None:
            raise InputError("pool", "was read from a file: what each run contributed is known when a pool is made")
        about = self.documents.select("topic", "document", "runs", "sampled")
        finders = self.found_by.group_by("topic", "document").agg(pl.len().alias("finders"))
        on = ["topic", "document"]
        joined = self.found_by.join(about, on=on, how="left", maintain_order="left").join(
            finders, on=on, how="left", maintain_order="left"
        )
        only = (pl.col("finders") == 1) & (pl.col("runs") > 0)  # 0: read from a record without the runs' documents
        grouped = joined.group_by("run", maintain_order=True).agg(
            pl.len(),
            pl.col("sampled").sum(),
            only.sum().alias("only"),
            (only & pl.col("sampled")).sum().alias("judged"),
        )
        rows = [list(row) for row in grouped.iter_rows()]
        return Table(["run", "pooled", "to_judge", "found_only_by_it", "of_these_to_judge"], rows)

    def lines(self, grades: Mapping[tuple[str, str], int] | None = None) -> bytes:
        """The pool as a file of judgements: `grades` are those of (topic, document) that were judged.

        Of a pool drawn in rounds, relevance is expected by these grades: what measures are estimated from.
        """
        if self.draws is not None:
            return self._drawn_lines(self.draws, grades)
        known = grades or {}
        out = []
        columns = ("topic", "document", "unit", "stratum", "sampled")
        for topic, document, unit, stratum, sampled in self.documents.select(columns).iter_rows():
            grade = known.get((topic, unit), TO_JUDGE) if sampled else NOT_SAMPLED
            out.append(f"{topic} 0 {document} {stratum} {grade}\n")
        return "".join(out).encode("utf-8", "surrogateescape")

    def _drawn_lines(self, draws: Draws, grades: Mapping[tuple[str, str], int] | None) -> bytes:
        expected = draws.expected if grades is None else draws.model(grades)
        values = draws.grades(grades or {}, TO_JUDGE, NOT_SAMPLED)
        topics = [draws.lists.topics[t].encode() for t in draws.lists.topic_of_document.tolist()]
        documents = (name.encode() for name in draws.lists.documents)
        columns = values.tolist(), draws.chance.tolist(), expected.tolist()
        return b"".join(map(drawn_line, topics, documents, *columns))

    @staticmethod
    def _drawn_qrels(draws: Draws, grades: Mapping[tuple[str, str], int], name: str) -> Qrels:
        topics = [draws.lists.topics[t] for t in draws.lists.topic_of_document.tolist()]
        values = draws.grades(grades, TO_JUDGE, NOT_SAMPLED)
        chances = {"probabilities": draws.chance.tolist(), "expected": draws.model(grades).tolist()}
        return Qrels.from_columns(topics, draws.lists.documents, values, name, **chances)

    def next_round(self, grades: Mapping[tuple[str, str], int], *, to: int | None = None) -> Pool:
        """The pool with one more round drawn, by the judgements of those before."""
        if self.draws is None:
            problem = "was drawn by strata, all at once: only a pool of `leadline pool --rounds` has another round"
            raise InputError("pool", problem)
        return pool_of_draws(replace(self.draws.next(grades, to=to), earlier=_digest(self.lines())))

    def write(self, path: str | os.PathLike[str], grades: Mapping[tuple[str, str], int] | None = None) -> None:
        """Write the pool, with the grades of what was judged, and its record beside it."""
        # Whether it may be written is asked of the pool itself, which its record goes with.
        with replacing(path, makes=[POOLS]) as file, replacing_ours(f"{os.fspath(path)}{RECORD}") as beside:
            file.write(self.lines(grades))
            beside.write(self.record())

    def write_round(self, path: str | os.PathLike[str]) -> None:
        """Write a pool of which one more round was drawn over the one that it was drawn from, judged as that is."""
        with replacing_ours(path) as file, replacing_ours(f"{os.fspath(path)}{RECORD}") as beside:
            file.write(self.lines())
            beside.write(self.record())

    def record(self) -> bytes:
        """What is written beside the pool: how it was drawn."""
        families = self.documents.filter(self.documents["document"] != self.documents["unit"])
        content = {
            "what": RECORD_OF_POOL,
            "format": FORMAT if self.draws is None else FORMAT_OF_DRAWS,
            "strata": [[each.last, each.rate] for each in self.strata],
            "seed": self.seed,
            "budget": self.budget,
            "runs": list(self.runs),
            "extended": self.extended,
            "units": dict(zip(families["topic"] + "\t" + families["document"], families["unit"], strict=True)),
            "sha256": _digest(self.lines()),
            "found_by": None if self.found_by is None else self._finders(),
        }
        if self.draws is not None:
            content["draws"] = self.draws.content()
        return sealed(content)

    def _finders(self) -> dict[str, str]:
        """Which documents each run found: a bit for each, in the order of topics and ids, in base 64."""
        places = _in_fixed_order(self.documents).with_row_index("place").select("place", "topic", "document")
        assert self.found_by is not None
        joined = self.found_by.join(places, on=["topic", "document"], how="inner")
        lines = {str(run): part["place"].to_numpy() for (run,), part in joined.group_by("run")}
        found = {}
        for run in self.runs:
            bits = np.zeros(len(places), bool)
            bits[lines.get(run, [])] = True
            found[run] = base64.b64encode(np.packbits(bits).tobytes()).decode()
        return found

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Pool:
        """A pool that `write` made."""
        import polars as pl

        fix = _fix(path)
        record = _record(Path(f"{os.fspath(path)}{RECORD}"), fix)
        if record["format"] == FORMAT_OF_DRAWS:
            return cls._read_draws(path, record, fix)
        judged = read_qrels(path, format="strata")
        assert judged.strata is not None
        check_utf8(path, (*judged.topics, *judged.documents.names()))
        frame = pl.DataFrame(
            {
                "topic": [judged.topics[place] for place in judged.topic_of_document.tolist()],
                "document": judged.documents.names(),
                "stratum": judged.strata.astype(np.int32),
                "sampled": judged.grades != NOT_SAMPLED,
            }
        )
        units = record["units"]
        names = zip(frame["topic"].to_list(), frame["document"].to_list(), strict=True)
        unit = [units.get(f"{topic}\t{document}", document) for topic, document in names]
        found_by, finders = _found_by(frame, record.get("found_by"))
        frame = frame.with_columns(
            pl.Series("unit", unit, pl.String), pl.lit(0, pl.Int32).alias("rank"), pl.Series("runs", finders, pl.UInt32)
        )
        strata = tuple(Stratum(int(last), float(rate)) for last, rate in record["strata"])
        pool = cls(
            frame.select(COLUMNS),
            strata,
            record["seed"],
            tuple(record["runs"]),
            record["budget"],
            record["extended"],
            found_by,
        )
        # Grades may have been filled in; the documents, their strata and the sample are those that were drawn.
        if record.get("sha256", "") not in ("", _digest(pool.lines())):
            raise InputError(os.fspath(path), f"is not the pool that {os.fspath(path)}{RECORD} records: {fix}")
        return pool

    @classmethod
    def _read_draws(cls, path: str | os.PathLike[str], record: Mapping[str, Any], fix: str) -> Pool:
        judged, where = read_qrels(path, format="drawn"), f"{os.fspath(path)}{RECORD}"
        check_utf8(path, (*judged.topics, *judged.documents.names()))
        draws = Draws.of_content(record["draws"], judged, record["runs"], record["seed"], where, fix)
        pool = pool_of_draws(draws)
        if _digest(pool.lines()) not in (record["sha256"], draws.earlier):
            raise InputError(os.fspath(path), f"is not the pool that {where} records: {fix}")
        return pool

    def qrels(self, grades: Mapping[tuple[str, str], int], name: str = "pool") -> Qrels:
        """The judgements of the pool: with its strata, for xinfAP and infNDCG, or as drawn in rounds."""
        if self.draws is not None:
            return self._drawn_qrels(self.draws, grades, name)
        known = self.documents
        values = [
            grades.get((topic, unit), TO_JUDGE) if sampled else NOT_SAMPLED
            for topic, unit, sampled in known.select("topic", "unit", "sampled").iter_rows()
        ]
        strata = [str(stratum) for stratum in known["stratum"].to_list()]
        return Qrels.from_columns(known["topic"].to_list(), known["document"].to_list(), values, name, strata=strata)


def pool_of_draws(draws: Draws) -> Pool:
    """The pool of what was drawn in rounds; a document's stratum is the round that drew it."""
    import polars as pl

    lists = draws.lists
    best = np.full(len(lists.documents), np.iinfo(np.int32).max, np.int32)
    np.minimum.at(best, lists.listed, lists.rank)
    names = pl.Series("document", lists.documents, pl.String)
    frame = pl.DataFrame(
        {
            "topic": pl.Series(lists.topics, dtype=pl.String).gather(lists.topic_of_document),
            "document": names,
            "unit": names,
            "stratum": draws.round_of.astype(np.int32),
            "rank": best,
            "runs": lists.over_runs(np.ones(len(lists.listed))).astype(np.uint32),
            "sampled": draws.drawn,
        }
    )
    return Pool(frame.select(COLUMNS), (), draws.seed, lists.runs, draws=draws)


def check_pool(path: Path) -> Iterator[Finding]:
    """Everything that is wrong with a pool: its file, its record, the journal of its marks and its people."""
    journal, people = Path(f"{path}{JOURNAL}"), Path(f"{path}{PEOPLE}")
    judged, mend = os.path.lexists(journal), _fix(path)
    pool = None
    try:
        pool = Pool.read(path)
    except FileNotFoundError:
        yield Finding(str(path), "is missing", mend)
    except InputError as error:
        yield replace(finding_of(error, mend), mend=mend)
    if not judged:
        if os.path.lexists(people):
            yield from check_people(people)
        return
    wrong = list(check_marks(journal, people, FIX_JOURNAL))
    yield from wrong
    if pool is not None and not any(each.path == str(journal) for each in wrong):
        yield from _check_marked(pool, journal)


def _check_marked(pool: Pool, path: Path) -> Iterator[Finding]:
    """Whether most marks of a journal are of this pool: a few may come from elsewhere, as when journals are merged."""
    there = set(pool.documents.select("topic", "document").iter_rows())
    with contextlib.closing(JudgingJournal(path, write=False)) as journal:
        marked = {(event.topic, event.document) for event in journal.events() if event.kind == "mark"}
    if 2 * (others := len(marked - there)) > len(marked):
        problem = f"is of another pool: {others:,} of {counted(len(marked), 'document')} marked are not in this one"
        yield Finding(str(path), problem, FIX_JOURNAL)


COLUMNS = ("topic", "document", "unit", "stratum", "rank", "runs", "sampled")


def check_utf8(where: str | os.PathLike[str], names: Iterable[str]) -> None:
    """Refuse names that a data frame cannot hold."""
    wrong = next(
        (name for name in names if not name.isascii() and any("\ud800" <= sign < "\ue000" for sign in name)), None
    )
    if wrong is not None:
        raise InputError(os.fspath(where), f"{visible(wrong)} is not UTF-8, which a pool needs")


def _in_fixed_order(documents: pl.DataFrame) -> pl.DataFrame:
    """The topics and documents of a pool in an order that does not depend on that of its lines."""
    return documents.select("topic", "document").with_row_index("line").sort("topic", "document")


def _found_by(documents: pl.DataFrame, recorded: dict[str, str] | None) -> tuple[pl.DataFrame | None, Any]:
    """What each run found by a pool's record, and how many runs found each line; None and zeros if it has none."""
    import polars as pl

    finders = np.zeros(len(documents), np.uint32)
    if not recorded:
        return None, finders
    ordered, frames = _in_fixed_order(documents), []
    for run, text in recorded.items():
        bits = np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), count=len(ordered)).astype(bool)
        found = ordered.filter(pl.Series(bits))
        finders[found["line"].to_numpy()] += 1
        frames.append(found.select(pl.lit(run).alias("run"), "topic", "document"))
    return pl.concat(frames), finders


def _digest(lines: bytes) -> str:
    """The SHA-256 of a pool's lines, whatever their order."""
    return hashlib.sha256(b"\n".join(sorted(lines.split(b"\n")))).hexdigest()


def _record(path: Path, fix: str) -> dict[str, Any]:
    """What was recorded beside a pool."""
    record = read_sealed(path, RECORD_OF_POOL, FORMAT_OF_DRAWS, fix)
    if record is None:
        raise InputError(str(path), f"is missing: {fix}")
    return record


def _fix(path: str | os.PathLike[str]) -> str:
    """How a pool is mended: once somebody has judged, it is not made again."""
    return _FIX_JUDGED if os.path.lexists(f"{os.fspath(path)}{JOURNAL}") else _FIX


# Draw a pool: the first ranks of the runs by topic, and a random sample of each stratum.
#
# A document's stratum is that of its best rank over the runs. The sample of a topic and stratum depends only on the
# seed and on which documents are in it, not on the order of runs, lines or ties.


Families = Mapping[str, str]  # the family of a document
Sizes = Callable[[str, Sequence[int]], list[int]]  # how many of a topic's strata are judged, from their sizes


def draw_pool(
    runs: Iterable[Run],
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
    names, found_by = _first_ranks(runs, layers[-1].last, topics)
    pooled = _pool_rows(found_by, layers, families)
    sampled = _sample(pooled, _sizes(layers, budget), len(layers), seed, first_stratum=1)
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

    if pool.draws is not None:
        raise InputError("pool", "is drawn in rounds, by the lists of its runs: make another pool with the new ones")
    twice = [run.name for run in runs if run.name in pool.runs]
    if twice:
        raise InputError(twice[0], "is in the pool already")
    _, found_by = _first_ranks(runs, pool.strata[-1].last, pool.topics)
    known = pool.documents.select("topic", "document")
    fresh = found_by.join(known, on=["topic", "document"], how="anti")
    pooled = _pool_rows(fresh, pool.strata, families)
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


def _first_ranks(runs: Iterable[Run], depth: int, topics: Sequence[str] | None) -> tuple[tuple[str, ...], pl.DataFrame]:
    """The names of the runs, and the first documents of every run and topic: run, topic, document, rank.

    The runs are read one after the other, and no more of them is held.
    """
    import polars as pl

    names: dict[str, None] = {}
    wanted = None if topics is None else set(topics)
    frames = []
    for run in runs:
        if run.name in names:
            raise InputError(run.name, "is given twice: runs need different names")
        names[run.name] = None
        asked = [t for t, topic in enumerate(run.topics) if wanted is None or topic in wanted]
        counts = np.minimum(np.diff(run.offsets)[asked], depth)
        documents = run.documents.take(run.order[ranges(run.offsets[:-1][asked], counts)]).names()
        known = [run.topics[t] for t in asked]
        check_utf8(run.name, (*known, *documents))
        ranks = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + 1
        frames.append(
            pl.DataFrame(
                {
                    "run": pl.repeat(run.name, len(documents), dtype=pl.String, eager=True),
                    "topic": pl.Series(known, dtype=pl.String)[np.repeat(np.arange(len(known)), counts)],
                    "document": pl.Series(documents, dtype=pl.String),
                    "rank": pl.Series(ranks, dtype=pl.Int32),
                }
            )
        )
    if not names:
        raise InputError("runs", "no run was given")
    if not any(map(len, frames)):
        raise InputError("runs", "have none of the topics asked for")
    return tuple(names), pl.concat(frames)


def _pool_rows(found_by: pl.DataFrame, strata: Sequence[Stratum], families: Families | None) -> pl.DataFrame:
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
