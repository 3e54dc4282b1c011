"""The citations behind each judgement, stored beside the judgements."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from leadline.collections.documents.document import ORIGINS
from leadline.errors import InputError, checked_choice, visible
from leadline.records.qrels.qrels import Qrels
from leadline.text.files import write_whole
from leadline.text.sheet import frame_of_sheet, sheet_of_text
from leadline.text.source import read_text

if TYPE_CHECKING:
    import polars as pl

RULES = (1, 2, 3)
Grades = Literal["one", "category"]
COLUMNS = ("topic", "document", "rule", "origin", "category", "citing", "cited")


@dataclass(frozen=True)
class Provenance:
    """One row for each citation and rule that makes a document relevant to a topic.

    The columns: topic, document, rule, origin and category of the citation, the document citing, the number cited.
    """

    ways: pl.DataFrame
    topics: tuple[str, ...] = ()  # all topics, including those without a judgement

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Provenance:
        """Read a file that `write` wrote."""
        import polars as pl

        text = read_text(path)
        ways = frame_of_sheet(text)
        missing = [name for name in COLUMNS if name not in ways.columns]
        if missing:
            raise InputError(text.name, f"no column {missing[0]}; give a .why.tsv written beside judgements", line=1)
        ways = ways.select(COLUMNS)
        wrong = (~ways["rule"].is_in([str(rule) for rule in RULES])).arg_true()
        if len(wrong):
            row = int(wrong[0])
            raise sheet_of_text(text).error(row, f"rule {ways['rule'][row]!r} is not one of 1, 2, 3")
        return cls(ways.with_columns(pl.col("rule").cast(pl.UInt8)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the rows as a TSV file, atomically; special characters are escaped."""
        write_whole(path, encoded_tsv(self.ways))

    def select(self, *, origins: Collection[str] = ORIGINS, rules: Collection[int] = RULES) -> Provenance:
        """Only the rows of some origins and rules, such as those of examiners' citations."""
        import polars as pl

        for origin in origins:
            checked_choice("origin", origin, ORIGINS)
        ways = self.ways.filter(pl.col("origin").is_in(list(origins)) & pl.col("rule").is_in(list(rules)))
        return replace(self, ways=ways)

    def qrels(self, *, grades: Grades = "one", name: str = "qrels") -> Qrels:
        """The judgements, one per pair of topic and document, with grade 1 or by the category of the search report.

        With `grades="category"` a document that takes away novelty or inventive step, alone or with others (X, Y, and
        I and N of the newer reports), has grade 2, every other 1; the largest grade of a pair counts.
        """
        import polars as pl

        if self.ways.is_empty():
            raise InputError(name, "no citation gives a judgement; see --dates, --origin and --rules")
        strong = pl.col("category").str.contains("[XYIN]") if grades == "category" else pl.lit(value=False)
        pairs = self.ways.group_by("topic", "document", maintain_order=True).agg(
            grade=pl.when(strong.any()).then(2).otherwise(1)
        )
        topics, documents, values = (pairs[column].to_list() for column in ("topic", "document", "grade"))
        return Qrels.from_columns(topics, documents, values, name)

    def counts(self) -> pl.DataFrame:
        """The number of judgements by each rule and by each origin of citations; a judgement may have several."""
        import polars as pl

        pair = pl.struct("topic", "document")
        by = [pair.filter(pl.col("origin") == origin).n_unique().alias(origin) for origin in ORIGINS]
        rules = self.ways.group_by(pl.col("rule").cast(pl.String)).agg(pair.n_unique().alias("judgements"), *by)
        together = self.ways.select(pl.lit("all").alias("rule"), pair.n_unique().alias("judgements"), *by)
        return pl.concat([rules.sort("rule"), together.cast(rules.schema)])


def encoded_tsv(table: pl.DataFrame) -> bytes:
    """Return a table as TSV, escaped as `text/sheet.py` reads it.

    >>> import polars as pl
    >>> encoded_tsv(pl.DataFrame({"topic": ["a\\tb", "c"], "grade": [1, 2]})).splitlines()
    [b'topic\\tgrade', b'a\\\\tb\\t1', b'c\\t2']
    """
    import polars as pl

    special = pl.col(pl.String).str.contains(r'[\\"\p{Cc}\p{Cf}\p{Zl}\p{Zp}]')
    for name in table.select(special.any()).unpivot().filter(pl.col("value"))["variable"]:
        written = [None if cell is None else _escaped(cell) for cell in table[name]]
        table = table.with_columns(pl.Series(name, written, pl.String))
    return table.write_csv(separator="\t", quote_style="never").encode("utf-8", "surrogateescape")


def _escaped(cell: str) -> str:
    return visible(cell.replace("\\", "\\\\").replace('"', '\\"'))
