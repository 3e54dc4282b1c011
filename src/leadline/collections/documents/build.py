"""Build a collection from files of any form: split into documents, read, filtered, and written part by part.

A part is a run of consecutive documents whose raw bytes reach a fixed size, where each counts a least number of bytes,
so the same sources always give the same parts. Each finished part is recorded in a journal. After a stopped build, the
next one splits the sources again, which is quick, and reads only the parts that are not in the journal. The new
collection replaces an older one atomically.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count, groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.collections.choices import DEFAULT_RULE
from leadline.collections.documents.build_folder import BYTES_A_PART_BYTE, ReadingSizes, Staging
from leadline.collections.documents.collection_files import Written, write_part
from leadline.collections.documents.document import Document, checked_rule, drop_reason, needs_claims
from leadline.collections.documents.fields.record_fields import unknown_names
from leadline.collections.documents.registry import READERS, Broken, FormReader, Raw, readers_by_form
from leadline.collections.documents.sources import DatasetSource, FileSource, find_sources, fingerprint
from leadline.collections.documents.splitting import split
from leadline.errors import InputError, checked_choice
from leadline.records.other_packages import is_handle
from leadline.records.result import counted
from leadline.text.files import readable_size
from leadline.text.processes import WorkerProcesses
from leadline.text.spread import LargestDocument, MemoryBudget, MemoryLike, Spread

if TYPE_CHECKING:
    from leadline.collections.documents.fields.mapping import Mapping

PART_BYTES = 32 << 20  # of raw documents: a few seconds' work, so a lost part costs little
LEAST_DOCUMENT_BYTES = 500  # a shorter document counts as so many in a part: each takes some memory whatever its length
SAMPLED_RECORDS = 100  # records that are checked for unknown names
PARALLEL_MIN_BYTES = 8 << 20  # of sources: below this, starting a second process costs more than it gains
PLAIN_TEXTS = (".txt", ".text", ".md")  # endings of files that may hold no form at all

Progress = Callable[[int, int, str], None]


@dataclass
class RawPart:
    """The raw documents of one part, each with the name of its stream, and the readers they need."""

    number: int
    is_first: bool = False  # of its build: its records are checked for unknown names
    documents: list[tuple[str, Raw]] = field(default_factory=list)
    broken: list[tuple[str, int, str]] = field(default_factory=list)
    readers: dict[str, FormReader] = field(default_factory=dict)  # by the form of a raw document
    size: int = 0
    position: int = 0  # in all sources together, after the last document


@dataclass(frozen=True)
class Options:
    """The options of a build that change its outcome."""

    keep: tuple[str, ...] | None = None  # the fields a document must have; None: DEFAULT_RULE, if any has claims
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
    spread: Spread | None = None,
    memory: MemoryLike = None,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Make a collection from files, folders, archives and handles of ir_datasets; return its manifest.

    `spread` reads parts elsewhere, in place of `processes` on this machine. `memory`, such as "2GB", is the most that
    all processes together hold. `say` takes a note, of a build that continues one that was stopped.
    """
    found = named_sources(sources)
    if form is not None:
        checked_choice("--form", form, list(READERS))
    rules = None
    if mapping is not None:
        from leadline.collections.documents.fields.mapping import read_mapping

        rules = read_mapping(mapping)
    if keep is None and rules is not None:
        keep = rules.keep
    options = Options(None if keep is None else checked_rule(keep), form, rules)
    budget = MemoryBudget.of(memory)
    if budget is not None and rules is not None and rules.has_side_tables:
        raise InputError("--memory", "the tables of citations or families that a mapping names are held in memory")
    sizes = ReadingSizes.of(1 if spread is not None else processes, part_bytes, budget)
    origin = {
        "sources": [{"name": each.name, "bytes": each.size, "sha256": each.fingerprint()} for each in found],
        "keep": None if options.keep is None else list(options.keep),
        "form": form,
        "mapping": None if mapping is None else fingerprint(Path(mapping)),
        "part_bytes": part_bytes,
        "least_document_bytes": LEAST_DOCUMENT_BYTES,
    }
    with Staging.open(Path(folder), origin) as staging:
        if staging.finished is not None:
            return staging.finished
        if staging.done and say is not None:
            say(f"continues a build that was stopped, with {counted(len(staging.done), 'finished part')}")
        total = sum(each.size for each in found)
        parts = _warn_of_largest(
            raw_parts(found, options, part_bytes), LargestDocument(budget, part_bytes, BYTES_A_PART_BYTE)
        )
        read_all(parts, options, staging, total, sizes.processes, progress, spread)
        side_tables = {} if rules is None else rules.side_tables(found[0].folder)
        if not staging.documents:
            raise InputError(str(found[0].folder / found[0].name), _nothing_kept(staging))
        return staging.finish(
            side_tables.get("citations"), side_tables.get("families"), claims_needed=options.keep is None, sizes=sizes
        )


def named_sources(given: Iterable[str | os.PathLike[str]]) -> list[FileSource | DatasetSource]:
    """The sources that paths, folders, patterns and handles name, in the order given."""
    found: list[FileSource | DatasetSource] = []
    for is_dataset, several in groupby(given, is_handle):
        if is_dataset:
            found += [DatasetSource.of(os.fspath(handle)) for handle in several]
        else:
            found += map(FileSource, find_sources(several))
    return list(dict.fromkeys(found))


def write_collection(
    documents: Iterable[Document], folder: str | os.PathLike[str], origin: dict[str, Any], *, part: int = 4000
) -> dict[str, Any]:
    """Make a collection from Document objects; `origin` tells the manifest where they come from."""
    with Staging.open(Path(folder), origin) as staging:
        if staging.finished is not None:
            return staging.finished
        rest = iter(documents)
        for number in count():
            batch = list(islice(rest, part))
            if not batch:
                break
            staging.add(number, batch)
        if not staging.documents:
            raise InputError(os.fspath(folder), "there are no documents to write")
        return staging.finish()


def _nothing_kept(staging: Staging) -> str:
    if staging.broken:
        name, offset, reason = staging.broken[0]
        texts = all(each.lower().endswith(PLAIN_TEXTS) for each, *_ in staging.broken)
        hint = "; --form text reads each file as one plain text" if texts else ""
        return f"no document could be read; the first, {name} at byte {offset}: {reason}{hint}"
    reasons = ", ".join(f"{number} {reason}" for reason, number in Counter(staging.dropped).most_common(3))
    return f"no document was kept ({reasons or 'there are none'}); --keep all keeps every one"


def raw_parts(
    sources: Sequence[FileSource | DatasetSource], options: Options, part_bytes: int, first: int = 0
) -> Iterator[RawPart]:
    """Consecutive documents of all sources, in runs of about `part_bytes`, numbered from `first` on."""
    readers = readers_by_form()
    part = RawPart(first, is_first=True)
    before = 0
    for source in sources:
        try:
            for stream in source.streams():
                for found in _documents_of(stream.name, stream.pieces, options, readers):
                    if isinstance(found, Broken):
                        part.broken.append((stream.name, found.offset, found.reason))
                        continue
                    part.documents.append((stream.name, found))
                    part.readers[found.form] = readers[found.form]
                    part.size += max(len(found.content), LEAST_DOCUMENT_BYTES)
                    if part.size >= part_bytes and readers[found.form].merge is None:  # those to merge stay together
                        part.position = before + stream.position()
                        yield part
                        part = RawPart(part.number + 1)
        except InputError as error:
            part.broken.append((error.where, 0, error.problem))
        before += source.size
        part.position = before
    if part.documents or part.broken:
        yield part


def _warn_of_largest(parts: Iterator[RawPart], largest: LargestDocument) -> Iterator[RawPart]:
    """The same parts, with a warning where the last document makes one too large for the budget."""
    for part in parts:
        if part.documents:
            last = len(part.documents[-1][1].content)
            if last > largest.batch // 8:  # a part ends when it is full, so a usual document makes it little larger
                largest.see(part.size, f"a part of {readable_size(part.size)} with a document of {readable_size(last)}")
        yield part


def _documents_of(
    name: str, pieces: Iterator[bytes], options: Options, readers: dict[str, FormReader]
) -> Iterator[Raw | Broken]:
    """The documents of a stream, up to the first damage."""
    form = options.form
    if form is None and options.mapping is not None and name.lower().endswith((".csv", ".tsv")):
        form = "csv"
    if options.mapping is not None:  # it names columns, so a table has a header
        readers = {name: each for name, each in readers.items() if name != "tsv"}
    try:
        yield from split(pieces, form, readers, name)
    except InputError as error:
        yield Broken(0, error.problem)


def read_all(
    parts: Iterator[RawPart],
    options: Options,
    staging: Staging,
    total: int,
    processes: int,
    progress: Progress | None,
    spread: Spread | None = None,
) -> None:
    """Read every part that is not in the journal, in this process or others, and record each when it is done."""
    start, before = time.monotonic(), staging.documents

    def note(number: int, outcome: Outcome, position: int) -> None:
        staging.note(number, **outcome)
        if progress is not None:
            speed = (staging.documents - before) / max(time.monotonic() - start, 1e-3)
            progress(position, total, f"{staging.documents:,} documents, {speed:,.0f}/s")

    missing = (part for part in parts if not staging.has(part.number))
    if spread is not None:
        handed: deque[tuple[int, int]] = deque()

        def parts_to_read() -> Iterator[tuple[RawPart, Path]]:
            for part in missing:
                handed.append((part.number, part.position))
                yield part, staging.part(part.number)

        for outcome in spread(_read_elsewhere, parts_to_read(), options):
            number, position = handed.popleft()
            note(number, outcome, position)
        return
    if processes < 2 or total < PARALLEL_MIN_BYTES:
        for part in missing:
            note(part.number, read_part(part, options, staging.part(part.number)), part.position)
        return
    with WorkerProcesses(processes, "reads documents") as workers:
        running: deque[tuple[int, int, Future[Outcome]]] = deque()
        for part in missing:
            while len(running) > processes:
                number, position, future = running.popleft()
                note(number, future.result(), position)
            future = workers.submit(read_part, part, options, staging.part(part.number))
            running.append((part.number, part.position, future))
        for number, position, future in running:
            note(number, future.result(), position)


Outcome = dict[str, Any]


def read_part(part: RawPart, options: Options, path: Path) -> Outcome:
    """Read the documents of a part and write those that are kept."""
    kept: list[Document] = []
    dropped: Counter[str] = Counter()
    broken = list(part.broken)
    forms: Counter[str] = Counter()
    for document, form in _merged(_read(part, options, broken), part.readers):
        forms[form] += 1
        # Whether any document has claims is known when all are read, so `finish` drops those without.
        waits = options.keep is None and needs_claims(document)
        reason = "" if waits else drop_reason(document, DEFAULT_RULE if options.keep is None else options.keep)
        if reason:
            dropped[reason] += 1
        else:
            kept.append(document)
    written = write_part(kept, path) if kept else Written("", "")
    slips = _unused_names(part, options) if part.is_first else []
    outcome = {"documents": len(kept), "dropped": dict(dropped), "broken": broken, "forms": dict(forms), "slips": slips}
    return outcome | {"sha256": written.sha256, "sums": written.sums}


def _read_elsewhere(part: RawPart, path: Path, options: Options) -> Outcome:
    """The same with the options last, as they are the same for all parts."""
    return read_part(part, options, path)


def _unused_names(part: RawPart, options: Options) -> list[str]:
    """Names that are probably mistyped: unknown names in all of the first records, or paths of a mapping in none."""
    unused: list[set[str]] = []
    names = unknown_names if options.mapping is None else options.mapping.absent
    for _, raw in part.documents[:SAMPLED_RECORDS]:
        if parse_record := part.readers[raw.form].parse_record:
            with contextlib.suppress(ValueError):
                unused.append(set(names(parse_record(raw.content))))
    return sorted(set.intersection(*unused)) if unused else []


def _read(part: RawPart, options: Options, broken: list[tuple[str, int, str]]) -> Iterator[tuple[Document, str]]:
    """The documents that can be read, with their forms; the others are added to `broken`."""
    for name, raw in part.documents:
        reader = part.readers[raw.form]
        try:
            if options.mapping is not None and reader.parse_record is not None:
                yield options.mapping.read(reader.parse_record(raw.content)), raw.form
            else:
                yield reader.read(raw.content, raw.encoding), raw.form
        except ValueError as error:
            broken.append((name, raw.offset, str(error)))
        except RecursionError:
            broken.append((name, raw.offset, "is nested too deeply"))


def _merged(
    documents: Iterator[tuple[Document, str]], readers: dict[str, FormReader]
) -> Iterator[tuple[Document, str]]:
    """The documents, consecutive ones with the same id merged if their reader can do that."""
    last: tuple[Document, str] | None = None
    for document, form in documents:
        merge = readers[form].merge
        if last is not None and merge is not None and last[0].id == document.id:
            last = (merge(last[0], document), form)
            continue
        if last is not None:
            yield last
        last = (document, form)
    if last is not None:
        yield last
