"""From files of any form to a collection: split, read, kept or dropped, written part by part.

A part is a run of consecutive documents whose raw bytes reach a fixed size, so the same sources always give the same
parts. Each finished part is noted in a journal. A build that was stopped, or killed, splits its sources again, which
is quick, and reads only what the journal lacks. The finished collection takes the place of an older one in a single
step.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.collections.documents.document import Document
from leadline.collections.documents.keep import USUAL, checked_rule, lacking
from leadline.collections.documents.parts import write_part
from leadline.collections.documents.readers.forms import FORMS, IN_PIECES, read_xml, reader
from leadline.collections.documents.readers.splitting import Broken, Raw, split
from leadline.collections.documents.sources import find_sources, fingerprint, open_streams
from leadline.collections.documents.staging import Staging
from leadline.errors import InputError, checked_choice

if TYPE_CHECKING:
    from leadline.collections.documents.readers.mapping import Mapping

PART_BYTES = 32 << 20  # of raw documents: a part is a few seconds' work, and a lost one is no loss
SAMPLED = 100  # records looked at for names that were mistyped
SMALL = 8 << 20  # bytes of sources below which starting a second process costs more than it gains

Progress = Callable[[int, int, str], None]


@dataclass
class Batch:
    """The raw documents of one part, each with the stream it came from."""

    number: int
    documents: list[tuple[str, Raw]] = field(default_factory=list)
    broken: list[tuple[str, int, str]] = field(default_factory=list)
    size: int = 0
    position: int = 0  # of the sources, when the last document was read


@dataclass(frozen=True)
class Options:
    """What changes the outcome of a build, besides its sources."""

    keep: tuple[str, ...] = USUAL
    form: str | None = None
    mapping: Mapping | None = None


def build(
    sources: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    keep: str | Sequence[str] | None = None,
    form: str | None = None,
    mapping: str | os.PathLike[str] | None = None,
    processes: int = 1,
    part_bytes: int = PART_BYTES,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Make a collection from files, folders and archives; return its manifest."""
    paths = find_sources(sources)
    if form is not None:
        checked_choice("--form", form, FORMS)
    rules = None
    if mapping is not None:
        from leadline.collections.documents.readers.mapping import read_mapping

        rules = read_mapping(mapping)
    asked = keep if keep is not None else rules.keep if rules is not None and rules.keep else USUAL
    options = Options(checked_rule(asked), form, rules)
    sizes = [path.stat().st_size for path in paths]
    origin = {
        "sources": [
            {"name": path.name, "bytes": size, "sha256": fingerprint(path)}
            for path, size in zip(paths, sizes, strict=True)
        ],
        "keep": list(options.keep),
        "form": form,
        "mapping": None if mapping is None else fingerprint(Path(mapping)),
        "part_bytes": part_bytes,
    }
    with Staging.open(Path(folder), origin) as staging:
        if staging.finished is not None:
            return staging.finished
        _read_all(_batches(paths, sizes, options, part_bytes), options, staging, sum(sizes), processes, progress)
        beside: dict[str, Any] = {}
        if rules is not None:
            beside = rules.tables_beside(paths[0].parent)
        if not staging.documents:
            raise InputError(str(paths[0]), _nothing_kept(staging))
        return staging.finish(**beside)


def write_collection(
    documents: Iterable[Document], folder: str | os.PathLike[str], origin: dict[str, Any], *, part: int = 4000
) -> dict[str, Any]:
    """Make a collection from documents that a program makes; `origin` says in the manifest where they come from."""
    with Staging.open(Path(folder), origin) as staging:
        if staging.finished is not None:
            return staging.finished
        waiting: list[Document] = []
        number = 0
        for document in documents:
            waiting.append(document)
            if len(waiting) == part:
                staging.add(number, waiting)
                waiting, number = [], number + 1
        if waiting:
            staging.add(number, waiting)
        if not staging.documents:
            raise InputError(os.fspath(folder), "there are no documents to write")
        return staging.finish()


def _nothing_kept(staging: Staging) -> str:
    reasons = Counter(staging.dropped)
    if staging.broken:
        name, offset, reason = staging.broken[0]
        return f"no document could be read; the first, {name} at byte {offset}: {reason}"
    told = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(3))
    return f"no document was kept ({told or 'there are none'}); --keep all keeps every one"


def _batches(paths: Sequence[Path], sizes: Sequence[int], options: Options, part_bytes: int) -> Iterator[Batch]:
    """Consecutive documents of all sources, in runs of about `part_bytes`."""
    batch = Batch(0)
    before = 0
    for path, size in zip(paths, sizes, strict=True):
        try:
            for stream in open_streams(path):
                for found in _documents_of(stream.name, stream.pieces, options):
                    if isinstance(found, Broken):
                        batch.broken.append((stream.name, found.offset, found.reason))
                        continue
                    batch.documents.append((stream.name, found))
                    batch.size += len(found.content)
                    if batch.size >= part_bytes and found.form not in IN_PIECES:
                        batch.position = before + stream.position()
                        yield batch
                        batch = Batch(batch.number + 1)
        except InputError as error:
            batch.broken.append((error.where, 0, error.problem))
        before += size
        batch.position = before
    if batch.documents or batch.broken:
        yield batch


def _documents_of(name: str, pieces: Iterator[bytes], options: Options) -> Iterator[Raw | Broken]:
    """The documents of a stream; damage in its middle ends it, with what was found before kept."""
    form = options.form
    if form is None and options.mapping is not None and name.lower().endswith((".csv", ".tsv")):
        form = "csv"
    try:
        yield from split(pieces, form)
    except InputError as error:
        yield Broken(0, error.problem)


def _read_all(
    batches: Iterator[Batch], options: Options, staging: Staging, total: int, processes: int, progress: Progress | None
) -> None:
    """Read every batch that the journal lacks, in this process or several, and note each when it is done."""

    start, before = time.monotonic(), staging.documents

    def note(number: int, outcome: Outcome, position: int) -> None:
        staging.note(number, **outcome)
        if progress is not None:
            speed = (staging.documents - before) / max(time.monotonic() - start, 1e-3)
            progress(position, total, f"{staging.documents:,} documents, {speed:,.0f}/s")

    if processes < 2 or total < SMALL:
        for batch in batches:
            if not staging.has(batch.number):
                note(batch.number, read_batch(batch, options, staging.part(batch.number)), batch.position)
        return
    # Forking a process in which Polars has started threads can hang, so workers begin afresh.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_end_with_parent) as pool:
        running: deque[tuple[int, int, Future[Outcome]]] = deque()
        for batch in batches:
            if staging.has(batch.number):
                continue
            while len(running) > processes:
                number, position, future = running.popleft()
                note(number, future.result(), position)
            future = pool.submit(read_batch, batch, options, staging.part(batch.number))
            running.append((batch.number, batch.position, future))
        for number, position, future in running:
            note(number, future.result(), position)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_outlive, args=(parent,), daemon=True).start()


def _outlive(parent: Any) -> None:
    parent.join()
    os._exit(1)


Outcome = dict[str, Any]


def read_batch(batch: Batch, options: Options, path: Path) -> Outcome:
    """Read the documents of a batch and write those that are kept as a part."""
    kept: list[Document] = []
    dropped: Counter[str] = Counter()
    broken = list(batch.broken)
    forms: Counter[str] = Counter()
    for document, form in _merged(_read(batch, options, broken)):
        forms[form] += 1
        reason = lacking(document, options.keep)
        if reason:
            dropped[reason] += 1
        else:
            kept.append(document)
    if kept:
        write_part(kept, path)
    slips = _slips(batch, options) if batch.number == 0 else []
    return {"documents": len(kept), "dropped": dict(dropped), "broken": broken, "forms": dict(forms), "slips": slips}


def _slips(batch: Batch, options: Options) -> list[str]:
    """Names that look mistyped, by the first records: those a mapping asks for and none has, or that we do not know."""
    asked: list[set[str]] = []
    for _, raw in batch.documents[:SAMPLED]:
        if raw.form in ("json", "csv"):
            with contextlib.suppress(ValueError):
                record = reader("records").parse(raw.content)
                names = reader("records").unknown_names if options.mapping is None else options.mapping.absent
                asked.append(set(names(record)))
    return sorted(set.intersection(*asked)) if asked else []


def _read(batch: Batch, options: Options, broken: list[tuple[str, int, str]]) -> Iterator[tuple[Document, str]]:
    for name, raw in batch.documents:
        try:
            yield _document(raw, options), raw.form
        except ValueError as error:
            broken.append((name, raw.offset, str(error)))
        except RecursionError:
            broken.append((name, raw.offset, "is nested too deeply"))


def _document(raw: Raw, options: Options) -> Document:
    if raw.form in ("json", "csv"):
        record = reader("records").parse(raw.content)
        return reader("records").from_record(record) if options.mapping is None else options.mapping.read(record)
    if raw.form == "greenbook":
        return reader("greenbook").read(raw.content)
    return read_xml(raw.form, raw.content, raw.encoding)


def _merged(documents: Iterator[tuple[Document, str]]) -> Iterator[tuple[Document, str]]:
    """The documents, those that come in consecutive pieces as one."""
    waiting: tuple[Document, str] | None = None
    for document, form in documents:
        if waiting is not None and form in IN_PIECES and waiting[0].id == document.id:
            waiting = (reader(IN_PIECES[form]).merge(waiting[0], document), form)
            continue
        if waiting is not None:
            yield waiting
        waiting = (document, form)
    if waiting is not None:
        yield waiting
