"""A pool: the documents of the runs' first ranks by topic, the stratum of each, and which of them are to be judged.

    topic 0 document stratum grade      -2: to be judged, -1: in the pool but not sampled, 0, 1, 2: judged

So a pool is a file of judgements, which xinfAP and infNDCG read as it is. Beside it, `POOL.json` records the strata,
the seed and the runs.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, visible
from leadline.judge.pools.strata import Stratum
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.scores.table import Table
from leadline.text.checksums import read_sealed, sealed
from leadline.text.files import replacing

if TYPE_CHECKING:
    import polars as pl

TO_JUDGE, NOT_SAMPLED = -2, -1
WHAT, FORMAT = "the record of a pool", 1
_FIX = "make the pool again with `leadline pool`"
RECORD = ".json"  # added to the name of the pool's file


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

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(self.documents["topic"].unique(maintain_order=True).to_list())

    def to_judge(self) -> pl.DataFrame:
        """The documents that people see: one for each unit that is sampled, by topic in the order of ids."""
        import polars as pl

        return self.documents.filter(pl.col("sampled") & (pl.col("document") == pl.col("unit")))

    def sizes(self) -> Table:
        """How many documents each topic has in each stratum, and how many of them are sampled."""
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
        """The pool as a file of judgements: `grades` are those of (topic, document) that were judged."""
        known = grades or {}
        out = []
        columns = ("topic", "document", "unit", "stratum", "sampled")
        for topic, document, unit, stratum, sampled in self.documents.select(columns).iter_rows():
            grade = known.get((topic, unit), TO_JUDGE) if sampled else NOT_SAMPLED
            out.append(f"{topic} 0 {document} {stratum} {grade}\n")
        return "".join(out).encode("utf-8", "surrogateescape")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the pool, and its record beside it."""
        lines = self.lines()
        families = self.documents.filter(self.documents["document"] != self.documents["unit"])
        record = {
            "what": WHAT, "format": FORMAT, "strata": [[each.last, each.rate] for each in self.strata],
            "seed": self.seed, "budget": self.budget, "runs": list(self.runs), "extended": self.extended,
            "units": dict(zip(families["topic"] + "\t" + families["document"], families["unit"], strict=True)),
            "sha256": _digest(lines), "found_by": None if self.found_by is None else self._finders(),
        }  # fmt: skip
        with replacing(path) as file, replacing(f"{os.fspath(path)}{RECORD}") as beside:
            file.write(lines)
            beside.write(sealed(record))

    def _finders(self) -> dict[str, str]:
        """Which documents each run found: a bit for each, in the order of topics and ids, in base 64."""
        places = _ordered(self.documents).with_row_index("place").select("place", "topic", "document")
        assert self.found_by is not None
        joined = self.found_by.join(places, on=["topic", "document"], how="inner")
        found = {}
        for run in self.runs:
            bits = np.zeros(len(places), bool)
            bits[joined.filter(joined["run"] == run)["place"].to_numpy()] = True
            found[run] = base64.b64encode(np.packbits(bits).tobytes()).decode()
        return found

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Pool:
        """A pool that `write` made."""
        import polars as pl

        judged = read_qrels(path, format="strata")
        record = _record(Path(f"{os.fspath(path)}{RECORD}"))
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
            frame.select(COLUMNS), strata, record["seed"], tuple(record["runs"]), record["budget"], record["extended"],
            found_by,
        )  # fmt: skip
        # Grades may have been filled in; the documents, their strata and the sample are those that were drawn.
        if record.get("sha256", "") not in ("", _digest(pool.lines())):
            problem = f"is not the pool that {os.fspath(path)}{RECORD} records: {_FIX}"
            raise InputError(os.fspath(path), problem)
        return pool

    def qrels(self, grades: Mapping[tuple[str, str], int], name: str = "pool") -> Qrels:
        """The judgements of the pool, with its strata, for xinfAP and infNDCG."""
        known = self.documents
        values = [
            grades.get((topic, unit), TO_JUDGE) if sampled else NOT_SAMPLED
            for topic, unit, sampled in known.select("topic", "unit", "sampled").iter_rows()
        ]
        strata = [str(stratum) for stratum in known["stratum"].to_list()]
        return Qrels.from_columns(known["topic"].to_list(), known["document"].to_list(), values, name, strata=strata)


COLUMNS = ("topic", "document", "unit", "stratum", "rank", "runs", "sampled")


def check_utf8(where: str | os.PathLike[str], names: Iterable[str]) -> None:
    """Refuse names that a data frame cannot hold."""
    wrong = next(
        (name for name in names if not name.isascii() and any("\ud800" <= sign < "\ue000" for sign in name)), None
    )
    if wrong is not None:
        raise InputError(os.fspath(where), f"{visible(wrong)} is not UTF-8, which a pool needs")


def _ordered(documents: pl.DataFrame) -> pl.DataFrame:
    """The topics and documents of a pool in an order that does not depend on that of its lines."""
    return documents.select("topic", "document").with_row_index("line").sort("topic", "document")


def _found_by(documents: pl.DataFrame, recorded: dict[str, str] | None) -> tuple[pl.DataFrame | None, Any]:
    """What each run found by a pool's record, and how many runs found each line; None and zeros if it has none."""
    import polars as pl

    finders = np.zeros(len(documents), np.uint32)
    if not recorded:
        return None, finders
    ordered, frames = _ordered(documents), []
    for run, text in recorded.items():
        bits = np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), count=len(ordered)).astype(bool)
        found = ordered.filter(pl.Series(bits))
        finders[found["line"].to_numpy()] += 1
        frames.append(found.select(pl.lit(run).alias("run"), "topic", "document"))
    return pl.concat(frames), finders


def _digest(lines: bytes) -> str:
    """The SHA-256 of a pool's lines, whatever their order."""
    return hashlib.sha256(b"\n".join(sorted(lines.split(b"\n")))).hexdigest()


def _record(path: Path) -> dict[str, Any]:
    """What was recorded beside a pool."""
    record = read_sealed(path, WHAT, FORMAT, _FIX)
    if record is None:
        raise InputError(str(path), f"is missing: {_FIX}")
    return record
