"""Index a collection, so that it can be searched.

Words are stemmed and the commonest left out, as the language has it. With --positions phrases and words near each
other can be sought, in an index about twice as large. With --add only the documents that the collection has
gained are indexed.

example: leadline index patents -o patents.index --fields title,abstract,claims --positions
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.commands.output import progress_bar, say
from leadline.errors import InputError, checked_choice
from leadline.search.index.analysis import LANGUAGES, Analysis, Stemming, Words
from leadline.search.index.batches import FIELDS
from leadline.search.index.derived import DERIVED
from leadline.search.index.families import Members, Unit
from leadline.search.index.index import MANIFEST, Index
from leadline.search.index.stop_words import COMMON

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

USUAL = {"fields": ",".join(FIELDS), "stem": "snowball", "stop": "", "language": "en", "words": "chemical",
         "unit": "document", "members": "joined", "positions": False}  # fmt: skip


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("collection", metavar="DIR", help="a collection, as `leadline collection build` makes it")
    add("-o", "--output", metavar="INDEX", required=True, help="the folder of the index")
    add("--fields", metavar="NAMES", help=f"{','.join(FIELDS)} unless said; also {', '.join(DERIVED)}, made of these")
    add("--stem", metavar="HOW", help="snowball, porter (for English) or none; snowball unless said")
    add("--stop", metavar="LIST", help="common words to leave out: english, german, french or none; by language")
    add("--language", metavar="CODE", help=f"of the texts, en unless said: {', '.join(LANGUAGES)}")
    add("--words", metavar="HOW", help="chemical keeps names like 1,2-dichloroethane whole, plain does not")
    add("--positions", action=argparse.BooleanOptionalAction, default=None, help="keep the place of every word")
    add("--unit", metavar="WHAT", help="what a row of the index is: document, or family")
    add("--members", metavar="WHICH", help="whose texts a family has: joined, first or longest")
    add("--add", action="store_true", help="index what the collection has gained, as the index was made")
    add("--dense", action="store_true", help="also vectors, for the steps dense and hybrid (extra `dense`)")
    add("--workers", type=int, metavar="N", help="threads, as many as processors unless said")
    add("-q", "--quiet", action="store_true", help="print no notes and no progress")


def run(options: argparse.Namespace) -> None:
    given = {name: getattr(options, name) for name in USUAL if getattr(options, name) is not None}
    settings = USUAL | given
    _check(settings, options)
    collection = Collection.open(options.collection)
    folder = Path(options.output)
    _refuse_other_content(folder)
    start = time.monotonic()
    with progress_bar("indexing", quiet=options.quiet) as step:
        if options.add:
            if given:
                raise InputError(f"--{next(iter(given))}", "an index is added to as it was made: leave this out")
            index, gained = _added(collection, folder, step, options.workers)
        else:
            index, gained = _built(collection, folder, settings, step, options.workers), len(collection)
    seconds = time.monotonic() - start
    words = sum(count for name, count in index.manifest["counts"].items() if name.endswith(" words"))
    size = sum(file.stat().st_size for file in folder.glob("*.arrays"))
    what = {"document": "documents", "family": "families"}[index.unit]
    added, fields = f"{gained:,} added, " if options.add else "", len(index.fields)
    print(f"{added}{len(index):,} {what}, {words:,} words in {fields} fields, {_bytes(size)}, in {seconds:.1f} s")
    if options.dense:
        _add_vectors(folder, options)
    if not options.quiet:
        say(_notes(index, settings, options))


def _add_vectors(folder: Path, options: argparse.Namespace) -> None:
    """Vectors beside the index; stopped, it goes on where it was when asked again."""
    from leadline.search.dense.vectors import build_vectors
    from leadline.search.pipeline.context import SearchContext

    with progress_bar("vectors", quiet=options.quiet) as step:
        build_vectors(SearchContext.open(folder), progress=step)


def _check(settings: dict[str, Any], options: argparse.Namespace) -> None:
    """Refuse wrong requests before any file is read."""
    for name in _names(settings["fields"]):
        checked_choice("--fields", name, [*FIELDS, *DERIVED])
    checked_choice("--stem", settings["stem"], get_args(Stemming))
    checked_choice("--language", settings["language"], list(LANGUAGES))
    checked_choice("--words", settings["words"], get_args(Words))
    checked_choice("--unit", settings["unit"], get_args(Unit))
    checked_choice("--members", settings["members"], get_args(Members))
    own = LANGUAGES[settings["language"]]
    if settings["stop"] not in ("", "none", own):
        lists = [LANGUAGES[code] for code in COMMON]
        checked_choice("--stop", settings["stop"], [*lists, "none"])
        code = next(code for code, name in LANGUAGES.items() if name == settings["stop"])
        raise InputError("--stop", f"{settings['stop']} words go with --language {code}")
    if options.workers is not None and options.workers < 1:
        raise InputError("--workers", "give 1 or more")


def _names(written: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in written.split(",") if name.strip()))


def _refuse_other_content(folder: Path) -> None:
    """A folder that holds something else, the collection itself say, is left alone."""
    if (folder / MANIFEST).exists():
        try:
            Index.open(folder)
        except InputError as error:
            if "is not the manifest of an index" in error.problem:
                raise InputError(str(folder), "holds something else than an index: name another folder") from None
    elif folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "is a file: name a folder")


def _built(collection: Collection, folder: Path, settings: dict[str, Any], step: Any, workers: int | None) -> Index:
    lists = settings["stop"] != "none" and settings["language"] in COMMON
    analysis = Analysis(settings["language"], settings["stem"], "common" if lists else "none", settings["words"])
    source: Any = Watched(collection, step)
    return Index.build(
        source, folder, fields=_names(settings["fields"]), analysis=analysis,
        positions=settings["positions"], workers=workers, origin=str(collection.folder.resolve()),
        unit=settings["unit"], members=settings["members"],
    )  # fmt: skip


def _added(collection: Collection, folder: Path, step: Any, workers: int | None) -> tuple[Index, int]:
    """The index with the documents that its collection has gained."""
    index = Index.open(folder)
    source = index.manifest["source"]
    if source != str(collection.folder.resolve()):
        raise InputError(str(folder), f"was made from {source}: --add takes what that has gained since")
    rows = dict(zip(collection.records["id"].to_list(), range(len(collection)), strict=True))
    known = np.array([rows.get(name, -1) for name in index.ids], np.int64)
    if (known < 0).any():
        lost = index.ids[int(np.argmax(known < 0))]
        raise InputError(str(folder), f"{lost} is no longer in {collection.folder}: build the index anew")
    if not np.array_equal(collection.records["family"].to_numpy()[known], index.column("family")):
        raise InputError(str(folder), f"families in {collection.folder} have changed: build the index anew")
    fresh = np.ones(len(collection), np.bool_)
    fresh[known] = False
    if not fresh.any():
        return index, 0
    gained = np.flatnonzero(fresh)
    source_of_more: Any = Watched(collection, step, gained)
    return index.add(source_of_more, workers=workers), len(gained)


@dataclass(frozen=True)
class Watched:
    """A collection, or some of its rows, that tells how many of its documents have been read."""

    collection: Collection
    step: Callable[..., None] | None
    rows: NDArray[np.integer] | None = None

    @property
    def records(self) -> pl.DataFrame:
        return self.collection.records

    def texts(self, fields: Sequence[str], rows: NDArray[np.integer] | None = None) -> Iterator[pl.DataFrame]:
        chosen = self.rows if rows is None else rows
        total = len(self.collection) if self.rows is None else len(self.rows)
        done = 0
        for frame in self.collection.texts(fields, chosen):
            yield frame
            done += len(frame)
            if self.step is not None:
                self.step(min(done, total), total, f"{done:,} documents")


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _notes(index: Index, settings: dict[str, Any], options: argparse.Namespace) -> list[str]:
    told = []
    if not index.manifest["positions"]:
        told.append("without positions: --positions keeps them, for phrases and NEAR")
    if not options.add and settings["stop"] == "" and settings["language"] not in COMMON:
        told.append(f"no word is left out: there is no list of common words for {LANGUAGES[settings['language']]}")
    return told
