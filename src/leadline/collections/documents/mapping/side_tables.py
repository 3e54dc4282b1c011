"""Tables in separate files beside a source: who cites whom, and which documents are one family."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.collections.documents.document import ORIGINS
from leadline.collections.documents.mapping.places import Place
from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError
from leadline.text.days import iso
from leadline.text.sheet import frame_of_sheet
from leadline.text.source import SourceText, read_text

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class SideTable:
    """A file that is looked for in the folder of the source, then in that of the mapping."""

    mapping: str  # the mapping's file, for messages and as the second folder
    file: str

    def path(self, folder: str | os.PathLike[str]) -> Path:
        places = [Path(folder) / self.file, Path(self.mapping).parent / self.file]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise InputError(self.mapping, f"{self.file}: no such file, neither in {folder} nor beside the mapping")
        return found

    def frame(self, folder: str | os.PathLike[str]) -> pl.DataFrame:
        """The table with a header, all columns as text."""
        return frame_of_sheet(read_text(self.path(folder)))

    def column(self, frame: pl.DataFrame, name: str, key: str) -> pl.Expr:
        import polars as pl

        if name not in frame.columns:
            has = ", ".join(frame.columns[:8])
            raise InputError(self.mapping, f"{key}: {self.file} has no column {name!r}; it has {has}")
        return pl.col(name).fill_null("").str.strip_chars()


_NO_PLACE = Place()


@dataclass(frozen=True)
class CitationTable(SideTable):
    """A table with one citation a row."""

    citing: str = "citing"
    cited: str = "cited"
    origin: Place = _NO_PLACE
    category: Place = _NO_PLACE
    date: Place = _NO_PLACE

    def load(self, folder: str | os.PathLike[str]) -> pl.DataFrame:
        """The citations: citing, number, origin, category, date.

        `citing` is as the table writes it, which usually is the document's id in the source.
        """
        import polars as pl

        frame = self.frame(folder)
        raw = frame.select(
            self.column(frame, self.citing, "tables.citations.citing").alias("citing"),
            self.column(frame, self.cited, "tables.citations.cited").alias("number"),
            *(self._values(frame, name) for name in ("origin", "category", "date")),
        )
        dropped = pl.col("origin").is_in(list(self.origin.drop))
        table = raw.filter(pl.col("citing") != "", pl.col("number") != "", ~dropped)
        origin = pl.col("origin").replace(dict(self.origin.values)).str.to_lowercase()
        return table.with_columns(
            _normalised(table["number"]),
            pl.when(origin.is_in(ORIGINS)).then(origin).otherwise(pl.lit("unknown")).alias("origin"),
            pl.col("category").replace(dict(self.category.values)),
            _converted(table["date"], iso),
        )

    def _values(self, frame: pl.DataFrame, name: str) -> pl.Expr:
        import polars as pl

        place: Place = getattr(self, name)
        if not place.paths:
            return pl.lit(place.value).alias(name)
        return self.column(frame, place.name, f"tables.citations.{name}").alias(name)


@dataclass(frozen=True)
class FamilyTable(SideTable):
    """A table with one member a row under a header; or without one, a family a line: its name, a tab, its members."""

    family: str = ""  # the columns' names
    member: str = ""

    def load(self, folder: str | os.PathLike[str]) -> pl.DataFrame:
        """The members: family and normalised number."""
        import polars as pl

        if self.family:
            frame = self.frame(folder)
            table = frame.select(
                self.column(frame, self.family, "tables.families.family").alias("family"),
                self.column(frame, self.member, "tables.families.member").alias("number"),
            )
        else:
            table = _family_lines(read_text(self.path(folder)))
        table = table.filter(pl.col("family") != "", pl.col("number") != "")
        return table.with_columns(_normalised(table["number"]))


def _family_lines(text: SourceText) -> pl.DataFrame:
    import polars as pl

    lines = pl.Series("line", text.bytes().decode("utf-8", "replace").splitlines(), pl.String).str.strip_chars()
    parts = lines.to_frame().filter(pl.col("line") != "").with_row_index("row", 1)
    cut = parts.with_columns(pl.col("line").str.extract_groups(r"^(?<family>[^\t]+)\t(?<members>.+)$")).unnest("line")
    alone = cut.filter(pl.col("members").is_null())
    if alone.height:
        raise InputError(text.name, "expected a family, a tab and its members", line=alone["row"][0])
    members = pl.col("members").str.extract_all(r"[^\s;,]+")
    return cut.select("family", members.alias("number")).explode("number")


def _normalised(numbers: pl.Series) -> pl.Series:
    return _converted(numbers, lambda text: normalise(text).id)


def _converted(texts: pl.Series, convert: Callable[[str], str]) -> pl.Series:
    """Every text converted; each distinct text only once."""
    import polars as pl

    distinct = texts.unique()
    converted = pl.Series([convert(text) for text in distinct], dtype=pl.String)
    return texts.replace_strict(distinct, converted, return_dtype=pl.String)
