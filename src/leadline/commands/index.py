"""Index a collection, so that it can be searched.

An index of up to 20,000 documents also has vectors, where the model is installed (`docs/vectors.md`): a sample of the
texts is read by the model, and the others' vectors are learned from it. --dense has the model read all of them,
whatever their number, and --no-dense none; LEADLINE_VECTORS=none leaves them out unless --dense asks for them.

An index that is already in the folder is replaced once the new one is complete. After `leadline collection update`,
--update brings it up to date instead: only documents that are new or changed are indexed, and what was changed or
deleted is no longer found. Scores are then the same as those of an index that is built again.

Examples:
  leadline index patents -o patents.index --positions
  leadline index patents -o patents.index --fields title,abstract,claims --stem porter
  leadline index patents -o patents.index --update
  leadline index records -o records.index --update --thesaurus desc2026.xml
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from leadline.commands.shared.argument_kinds import INPUT_TREE, OutputFolder
from leadline.commands.shared.extras import (
    WITH_MODEL,
    add_cluster_option,
    check_extras,
    chosen_cluster,
)
from leadline.commands.shared.options import (
    add_choice,
    add_options,
    choice,
    list_of,
    memory_budget,
)
from leadline.commands.shared.output import print_notes, progress_bar
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError
from leadline.records.result import counted
from leadline.retrieval.choices import COMMON, DERIVED, FIELDS, LANGUAGES, Members, Words
from leadline.text.files import readable_size

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from leadline.collections.documents.collection import Collection
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.index.writing import Changes

WORTH_SAYING = 2.0  # seconds
TOKENS_A_SECOND, PASSAGES_A_SECOND, WORDS_A_PASSAGE = 7000, 2000, 150  # by docs/vectors.md
STOP_LISTS = (*(LANGUAGES[code] for code in COMMON), "none")
DEFAULTS: dict[str, Any] = {
    "fields": FIELDS,
    "stem": "snowball",
    "stop": "",
    "language": "en",
    "words": "chemical",
    "unit": "document",
    "members": "joined",
    "positions": False,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_options(parser, "collection")
    add_options(
        parser, "-o", type=OutputFolder("indexes"), metavar="INDEX", required=True, help="index folder to write"
    )
    unset: dict[str, Any] = {"default": None}  # since --update refuses what is given
    public("build_index").add(
        parser,
        *("fields", "stemming", "stop_words", "language", "positions", "unit", "workers", "scheme", "thesaurus"),
        fields={"metavar": "NAMES", "type": list_of(choice([*FIELDS, *DERIVED])), **unset},
        stemming={"flags": ["--stem"], "dest": "stem", **unset},
        stop_words={"flags": ["--stop"], "dest": "stop", "choices": STOP_LISTS, **unset},
        language={"choices": LANGUAGES, **unset},
        positions={"action": argparse.BooleanOptionalAction, **unset},
        unit=unset,
        scheme={"metavar": "FILE", "type": INPUT_TREE},
        thesaurus={"metavar": "FILE", "type": INPUT_TREE},
    )
    add_choice(parser, "--words", get_args(Words), "how 1,2-dichloroethane is split into words", None, "chemical")
    add_choice(parser, "--members", get_args(Members), "texts of a family", None, "joined")
    update = (
        "bring an existing index up to date: documents added, changed and deleted in the collection (--add: the same)"
    )
    add("--update", "--add", action="store_true", help=update)
    vectors = "store vectors of all documents by a model: a folder with ONNX or safetensors (default: the packaged one)"
    add("--dense", metavar="MODEL", type=INPUT_TREE, nargs="?", const="", help=vectors)
    add("--no-dense", action="store_true", help="store no vectors (default: for up to 20,000 documents, learned ones)")
    add_cluster_option(parser)
    public("evaluate").add(parser, "memory")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    given = {name: getattr(options, name) for name in DEFAULTS if getattr(options, name) is not None}
    settings = DEFAULTS | given
    if settings["stop"] not in ("", "none", LANGUAGES[settings["language"]]):
        code = next(code for code, name in LANGUAGES.items() if name == settings["stop"])
        raise UsageError("--stop", f"{settings['stop']} needs --language {code}")
    if options.memory is not None and (options.update or settings["unit"] == "family"):
        other = "--update" if options.update else "--unit family"
        raise UsageError("--memory", f"cannot be combined with {other}, which reads what it needs at once")
    if options.update and given:
        raise UsageError("--update", f"keeps the settings of the index: leave out --{next(iter(given))}")
    if options.update and options.cluster:
        raise UsageError("--cluster", "cannot be combined with --update, which indexes only what has changed")
    if options.dense is not None and options.no_dense:
        raise UsageError("--no-dense", "contradicts --dense: leave one of them out")
    if options.dense is not None:
        check_extras("--dense", ["dense"] if options.dense else WITH_MODEL)
        if options.dense and not Path(options.dense).is_dir():
            raise UsageError("--dense", f"{options.dense} is not a folder: name the folder of a model")
        from leadline.retrieval.dense.encoder import gpu

        _ = gpu()  # a GPU that is asked for and not there is an error before any work
    from leadline.collections.documents.collection import Collection

    collection = Collection.open(options.collection)
    folder = Path(options.output)
    there = _refuse_other_content(folder)
    from leadline.retrieval.index.tree_files import read_trees

    trees = read_trees(options.scheme, options.thesaurus)  # before the work
    if there is not None and not options.update:
        lost = [f"its {kind} is not kept: name it with --{kind}" for kind in there.kept_trees if kind not in trees]
        print_notes(
            ["; ".join([f"replaces the index of {counted(len(there), 'document')} in {folder}", *lost])], options
        )
    start = time.monotonic()
    with chosen_cluster(options) as spread, progress_bar("indexing", quiet=options.quiet) as step:
        if options.update:
            index, changes = _update(collection, folder, step, options.workers)
        else:
            index, changes = _build(collection, folder, settings, step, options, spread), None
    if trees:
        index = index.keep(trees)
    seconds = time.monotonic() - start
    words = sum(count for name, count in index.manifest["counts"].items() if name.endswith(" words"))
    size = sum(file.stat().st_size for file in folder.glob("*.arrays"))
    families = f"{len(index):,} {'family' if len(index) == 1 else 'families'}"
    units = counted(len(index), "document") if index.unit == "document" else families
    done, fields = _in_words(changes) if changes is not None else "", counted(len(index.fields), "field")
    print(f"{done}{units}, {counted(words, 'word')} in {fields}, {readable_size(size)}, in {seconds:.1f} s")
    if not options.no_dense:
        _add_vectors(folder, index, options)
    kept = {"scheme": "class", "thesaurus": "heading"}
    said = [f"keeps {tree.source}, {kind} of {counted(len(tree), kept[kind])}" for kind, tree in trees.items()]
    print_notes([*said, *_notes(index, settings, options)], options)


def _add_vectors(folder: Path, index: Index, options: argparse.Namespace) -> None:
    """Store vectors beside the index; an interrupted run continues where it stopped."""
    from leadline.retrieval.dense.making import make_vectors, unasked_vectors
    from leadline.retrieval.pipeline.context import SearchContext

    start = time.monotonic()
    context = SearchContext.open(folder)
    which = "all" if options.dense is not None else unasked_vectors(context, updated=options.update)
    if which is None:
        return
    if which == "learned" and not options.update and (seconds := _seconds(index)) >= WORTH_SAYING:
        what = f"makes vectors for {counted(len(index), 'document')}, in about {seconds:.0f} s of processor time"
        print_notes([f"{what}: --no-dense leaves them out"], options)
    with progress_bar("vectors", quiet=options.quiet) as step:
        vectors = make_vectors(context, which, options.dense or "", step)
    if vectors is None:
        return  # the documents have no text
    from leadline.retrieval.dense.encoder import gpu
    from leadline.retrieval.dense.passages import FIELDS as ENCODED
    from leadline.retrieval.dense.vectors import described_vectors

    size, seconds = readable_size(vectors.path.stat().st_size), time.monotonic() - start
    about = described_vectors(vectors.path.with_suffix(".json"), ENCODED)
    assert about is not None  # of the fields it was asked for
    where = f", on {gpu()}" if gpu() and about.precision == "full" else ""
    print(f"{counted(vectors.passages, 'vector')} by {about.label}{where}, {size}, in {seconds:.1f} s")


def _seconds(index: Index) -> float:
    """About how long learned vectors take: the model reads a sample, and pieces of all texts are counted."""
    from leadline.retrieval.dense.encoder import LONGEST_PACKAGED
    from leadline.retrieval.dense.passages import MOST
    from leadline.retrieval.dense.vectors import SAMPLE_TOKENS

    words = sum(count for name, count in index.manifest["counts"].items() if name.endswith(" words"))
    passages = min(len(index) * MOST, len(index) + words // WORDS_A_PASSAGE)
    read = min(SAMPLE_TOKENS, 2 * words, passages * LONGEST_PACKAGED)
    return 1 + read / TOKENS_A_SECOND + passages / PASSAGES_A_SECOND


def _refuse_other_content(folder: Path) -> Index | None:
    """Refuse a folder that holds something else, such as the collection; return the index that is there."""
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.index.manifest import MANIFEST

    if (folder / MANIFEST).exists():
        try:
            return Index.open(folder)
        except InputError as error:
            if "not an index" in error.problem or "not the manifest of an index" in error.problem:
                raise InputError(str(folder), "is not an index: name another folder") from None
    elif folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "is a file: name a folder")
    return None


def _build(
    collection: Collection, folder: Path, settings: dict[str, Any], step: Any, options: argparse.Namespace, spread: Any
) -> Index:
    from leadline.retrieval.index.analysis import Analysis
    from leadline.retrieval.index.index import Index

    lists = settings["stop"] != "none" and settings["language"] in COMMON
    analysis = Analysis(settings["language"], settings["stem"], "common" if lists else "none", settings["words"])
    source: Any = WithProgress(collection, step)
    return Index.build(
        source,
        folder,
        fields=list(dict.fromkeys(settings["fields"])),
        analysis=analysis,
        positions=settings["positions"],
        workers=options.workers,
        origin=str(collection.folder.resolve()),
        unit=settings["unit"],
        members=settings["members"],
        memory=memory_budget(options),
        spread=spread,
    )


def _update(collection: Collection, folder: Path, step: Any, workers: int | None) -> tuple[Index, Changes]:
    """Bring an index up to date with its collection."""
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.index.writing import changes_of

    index = Index.open(folder)
    source, place = index.manifest["source"], str(collection.folder.resolve())
    is_moved = index.origin is not None and index.origin.is_from(collection)  # or both were
    if source != place and not is_moved:
        problem = f"was made from {source}, and {place} is another collection: --update needs the same collection"
        raise InputError(str(folder), problem)
    changes = changes_of(index, collection)
    texts = WithProgress(collection, step, len(changes.new))
    return index.update(collection, workers=workers, changes=changes, texts=texts, origin=place), changes


def _in_words(changes: Changes) -> str:
    """What an update did, before the size of the index."""
    done = {"changed": changes.changed, "deleted": changes.deleted}
    return f"{changes.added:,} added, " + "".join(f"{count:,} {what}, " for what, count in done.items() if count)


@dataclass(frozen=True)
class WithProgress:
    """A collection that reports how many of some documents have been read."""

    collection: Collection
    step: Callable[..., None] | None
    total: int | None = None  # documents to be read (default: all)

    def __len__(self) -> int:
        return len(self.collection)

    def records_at(self, rows: NDArray[np.integer], columns: Sequence[str]) -> pl.DataFrame:
        return self.collection.records_at(rows, columns)

    @property
    def records(self) -> pl.DataFrame:
        return self.collection.records

    @property
    def manifest(self) -> dict[str, Any]:
        return self.collection.manifest

    @property
    def folder(self) -> Path:
        return self.collection.folder

    def texts(self, fields: Sequence[str], rows: NDArray[np.integer] | None = None) -> Iterator[pl.DataFrame]:
        total = len(self.collection) if self.total is None else self.total
        done = 0
        for frame in self.collection.texts(fields, rows):
            yield frame
            done += len(frame)
            if self.step is not None:
                self.step(min(done, total), total, counted(done, "document"))


def _notes(index: Index, settings: dict[str, Any], options: argparse.Namespace) -> list[str]:
    notes = []
    if not index.manifest["positions"]:
        notes.append("no positions are stored: use --positions for phrases and NEAR")
    korean = any(b"ko" in list(segment.coded("language").terms) for segment in index.segments)
    if options.update and korean and index.analysis.syllables == "whole":
        notes.append("Korean words stay whole, as before format 6: leave out --update to find them in longer words")
    if not options.update and settings["stop"] == "" and settings["language"] not in COMMON:
        notes.append(f"no common words are left out: there is no list for {LANGUAGES[settings['language']]}")
    return notes
