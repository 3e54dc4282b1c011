"""A run: the ranked lists of one system, and runs from files, patterns and folders.

Its compiled twin is `order_run` in `kernels.py`; a property test compares the two.
"""

from __future__ import annotations

import contextlib
import glob
import math
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import InputError, LeadlineWarning, nearest, system_reason
from leadline.records.kernel_arguments import LineOrder, RunLines, RunTopics
from leadline.records.other_packages import Order, data_frames
from leadline.records.result import MOST_ROWS, Result, Table, counted
from leadline.text import sheet
from leadline.text.engine import Kernel, compiled_job
from leadline.text.fields import (
    NAN,
    NOT_A_NUMBER,
    SEED,
    TOO_FEW_FIELDS,
    Ids,
    decode_id,
    encode_id,
    hint_of_header,
    is_skipped,
    number_of,
    read_fields,
    shown,
    table_size,
)
from leadline.text.files import write_whole
from leadline.text.memory import NEW_ARRAYS, NewArrays
from leadline.text.owned_files import IDENTITY, LOGS, SQLITE
from leadline.text.source import COMPRESSED, NOT_A_FILE, SourceText, open_without_waiting, read_text, stem

if TYPE_CHECKING:
    import pandas
    import polars
    from numpy.typing import NDArray

    from leadline.records.other_packages import OtherRun

Ordered = tuple["NDArray[np.int64]", "NDArray[np.int32]", tuple[int, int] | None]
SORTING = {"file": 0, "score": 1, "rank": 2}  # as order_run in the kernels numbers them


def _ordered_plain(
    topic: NDArray[np.int32], topics: int, documents: Ids, keys: NDArray[np.float64], order: Order, memory: NewArrays
) -> Ordered:
    names, values = documents.as_bytes(), keys.tolist()
    groups: list[list[int]] = [[] for _ in range(topics)]
    for line, code in enumerate(topic.tolist()):
        groups[code].append(line)
    offsets = np.zeros(topics + 1, np.int64)
    np.cumsum([len(group) for group in groups], out=offsets[1:])
    sequence = np.empty(len(names), np.int32)
    for code, group in enumerate(groups):
        seen: dict[bytes, int] = {}
        for line in group:
            earlier = seen.setdefault(names[line], line)
            if earlier != line:
                return offsets, sequence, (earlier, line)
        if order == "score":
            group.sort(key=lambda line: (values[line], names[line]), reverse=True)
        elif order == "rank":
            group.sort(key=lambda line: -values[line])
        sequence[offsets[code] : offsets[code + 1]] = group
    return offsets, sequence, None


@compiled_job("leadline.records.kernels.order_run", plain=_ordered_plain)
def _ordered(
    kernel: Kernel,
    topic: NDArray[np.int32],
    topics: int,
    documents: Ids,
    keys: NDArray[np.float64],
    order: Order,
    memory: NewArrays,
) -> Ordered:
    count = len(topic)
    offsets = np.empty(topics + 1, np.int64)
    lines = RunLines(topic, documents.starts, documents.lengths, documents.hashes(), keys)
    into = LineOrder(
        sequence=memory.take("order", count, np.int32),
        spare=memory.take("spare", count, np.int32),
        slots=memory.take("slots", table_size(count), np.int32),
    )
    found = np.zeros(2, np.int64)
    status = kernel(documents.buffer, count, topics, lines, SORTING[order], offsets, into, found)
    return offsets, into.sequence, (int(found[0]), int(found[1])) if status < 0 else None


def ordered(
    topic: NDArray[np.int32],
    topics: int,
    documents: Ids,
    keys: NDArray[np.float64],
    order: Order,
    *,
    kernels: bool | None = None,
    memory: NewArrays = NEW_ARRAYS,
) -> Ordered:
    """Lines grouped by topic and sorted within: offsets, lines in order, and two lines that say the same, if any.

    `order` sorts by key and document (score), by key and line (rank), or leaves the lines as they are (file).
    `kernels` chooses machine code (True) or plain Python; by default the size of the job does.
    """
    if kernels is None:
        kernels = _ordered.pays(len(documents.buffer))
    return _ordered.version(kernels)(topic, topics, documents, keys, order, memory)


# A run: the ranked lists of one system.


@dataclass(frozen=True, repr=False)
class Run(Result):
    """For each topic a list of documents, best first.

    Lines keep the order of the file; `order[offsets[t]:offsets[t+1]]` are the lines of topic t from rank 1 on.

    >>> run = Run.of({"7": {"d1": 0.2, "d2": 0.9, "d3": 0.9}})
    >>> run
    <Run run: 1 topic, 3 documents>
    >>> run.ranking("7")
    [('d3', 0.9), ('d2', 0.9), ('d1', 0.2)]
    >>> run.to_dict()
    {'7': {'d3': 0.9, 'd2': 0.9, 'd1': 0.2}}
    """

    name: str
    topics: tuple[str, ...]
    offsets: NDArray[np.int64]
    order: NDArray[np.int32]
    documents: Ids
    keys: NDArray[np.float64]  # sort keys, largest first
    sorting: Order = "score"
    text: SourceText | None = field(default=None)
    longer_lines: int = 0  # lines with words after the last field, which are not read

    @classmethod
    def of(cls, run: Run | OtherRun, name: str = "run", *, order: Order = "score") -> Run:
        """A run from {topic: {document: score}}, a data frame, a Run of ranx, or rows of ir_measures or ir_datasets.

        `name` is used where the object has no name of its own.
        """
        from leadline.records.columns import run_columns

        return run if isinstance(run, cls) else cls.from_columns(*run_columns(run, name), order=order)

    @classmethod
    def from_columns(
        cls,
        topics: Sequence[str],
        documents: Sequence[str],
        scores: Sequence[float] | NDArray[np.float64],
        name: str = "run",
        *,
        order: Order = "score",
    ) -> Run:
        """A run from three columns of equal length."""
        if not len(topics):
            raise InputError(name, "is empty")
        known: dict[str, int] = {}
        codes = np.fromiter((known.setdefault(topic, len(known)) for topic in topics), np.int32, len(topics))
        try:
            keys = np.array(scores, np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(name, "a score is not a number") from None
        if keys.ndim != 1:
            raise InputError(name, "a score is not a number")
        if np.isnan(keys).any():
            place = int(np.isnan(keys).argmax())
            raise InputError(name, f"topic {topics[place]}: the score of {documents[place]} is NaN")
        ids = Ids.of(documents)
        offsets, sequence, twice = ordered(codes, len(known), ids, keys, order)
        if twice is not None:
            raise InputError(name, f"topic {topics[twice[1]]} names document {shown(ids.at(twice[1]))} twice")
        return cls(name, tuple(known), offsets, sequence, ids, keys, order)

    def __len__(self) -> int:
        return len(self.order)

    def ranking(self, topic: str) -> list[tuple[str, float]]:
        """Return the documents of a topic with their scores, best first."""
        if topic not in self.topics:
            raise InputError(self.name, f"no topic {topic!r} among {len(self.topics)}{nearest(topic, self.topics)}")
        return self._ranked(self.topics.index(topic))

    def _ranked(self, t: int) -> list[tuple[str, float]]:
        lines = self.order[self.offsets[t] : self.offsets[t + 1]].tolist()
        return [(self.documents[line], float(self.keys[line])) for line in lines]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The run as {topic: {document: score}}, best first, which pytrec_eval, ranx and ir_measures take.

        Of a run that is ordered by rank, the score is minus the rank.
        """
        return {topic: dict(self._ranked(t)) for t, topic in enumerate(self.topics)}

    def _columns(self) -> dict[str, list[Any]]:
        rows = [
            (topic, document, rank, score)
            for t, topic in enumerate(self.topics)
            for rank, (document, score) in enumerate(self._ranked(t), start=1)
        ]
        return dict(zip(("topic", "document", "rank", "score"), map(list, zip(*rows, strict=True)), strict=True))

    def to_polars(self) -> polars.DataFrame:
        """The run as a Polars data frame: topic, document, rank, score."""
        from leadline.records.columns import polars_frame

        return polars_frame(self._columns(), self.name)

    def to_pandas(self) -> pandas.DataFrame:
        """The run as a pandas data frame: topic, document, rank, score."""
        frame: pandas.DataFrame = data_frames("to_pandas").DataFrame(self._columns())
        return frame

    def to_ranx(self) -> Any:
        """The run as a Run of ranx."""
        import ranx

        return ranx.Run(self.to_dict(), name=self.name)

    def to_ir_measures(self) -> list[Any]:
        """The run as rows of ir_measures."""
        import ir_measures

        return [
            ir_measures.ScoredDoc(topic, *scored) for t, topic in enumerate(self.topics) for scored in self._ranked(t)
        ]

    def _finding(self) -> str:
        return f"{self.name}: {counted(len(self.topics), 'topic')}, {counted(len(self), 'document')}"

    def _shown_table(self) -> Table:
        """The first topics: how many documents each has, and the first of them."""
        rows: list[list[Any]] = []
        for t, topic in enumerate(self.topics[:MOST_ROWS]):
            first = int(self.order[self.offsets[t]])
            count = int(self.offsets[t + 1] - self.offsets[t])
            rows.append([topic, count, self.documents[first], float(self.keys[first])])
        return Table(["topic", "documents", "first", "score"], rows)

    def __str__(self) -> str:
        return f"{self._finding()}\n\n{super().__str__()}"

    def column(self, place: int, most: int) -> Ids:
        """Return another column of the file that the run was read from."""
        if self.text is None:
            raise InputError(self.name, f"column {place + 1} is needed, and only a run read from a file has it")
        return read_fields(self.text, 5, most, lambda found: f"{found} fields").ids[place]

    def to_bytes(self) -> bytes:
        """The run in TREC's format, ranks counted from 1."""
        tag = encode_id("_".join(self.name.split()))
        lines = []
        for t, topic in enumerate(self.topics):
            ranked = self.order[self.offsets[t] : self.offsets[t + 1]].tolist()
            lines += [
                b"%s Q0 %s %d %s %s\n"
                % (encode_id(topic), self.documents.at(line), rank, repr(float(self.keys[line])).encode(), tag)
                for rank, line in enumerate(ranked, start=1)
            ]
        return b"".join(lines)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the run in TREC's format, completely or not at all."""
        write_whole(path, self.to_bytes())


# Runs from files, patterns and folders.


Layout = Literal["trec", "dynamic"]

# What the lines hold. TREC's Dynamic Domain track put the iteration second and had no rank.
_FIELDS = {
    "trec": (6, "topic Q0 document rank score tag"),
    "dynamic": (5, "topic iteration document score on-topic"),
}
_OUR_MANIFEST = re.compile(rb'\s*\{\s*"what": "[^"]*",\s*"leadline": "')
_KEY_FIELD = {"score": 4, "rank": 3, "file": 4}


def read_run(
    source: str | os.PathLike[str],
    name: str | None = None,
    *,
    order: Order = "score",
    layout: Layout = "trec",
) -> Run:
    """A run from a file, compressed or not; `-` is standard input.

    `order` is what the ranking follows: `score` (the rank column is ignored, as trec_eval does), `rank` (the rank
    column, as ndeval does) or `file` (the lines as they stand).
    """
    return run_of_text(read_text(source), name or stem(source), order=order, layout=layout)


def run_of_text(
    text: SourceText,
    name: str,
    *,
    order: Order = "score",
    layout: Layout = "trec",
    kernels: bool | None = None,
    memory: NewArrays = NEW_ARRAYS,
) -> Run:
    """A run from a text in memory."""
    kind = sheet.named_kind(text.name, text.buffer[text.begin : text.begin + 4096].tobytes())
    if kind is not None:
        from leadline.records.columns import run_columns_of_frame

        columns = run_columns_of_frame(sheet.frame_of_text(text, kind), name, text.name)
        return Run.from_columns(*columns, order=order)
    if kernels is None:
        kernels = _scan.pays(text.size())
    key_field = _KEY_FIELD[order] if layout == "trec" else 0
    scan = _scan.version(kernels)
    try:
        topics, codes, documents, keys, longer = scan(text, layout, key_field, memory)
    except InputError:
        if order != "file" or not key_field:
            raise
        topics, codes, documents, keys, longer = scan(text, layout, 0, memory)  # the order needs no score
    if longer:
        check_ends_of_lines(text)
    if order == "rank":
        np.negative(keys, out=keys)
    offsets, sequence, twice = ordered(codes, len(topics), documents, keys, order, kernels=kernels, memory=memory)
    if twice is not None:
        first, second = (_line_number(text, line) for line in twice)
        topic, document = decode_id(topics[codes[twice[1]]]), shown(documents.at(twice[1]))
        problem = f"document {document} is listed twice for topic {topic} (first on line {first}); keep one of the two"
        problem += "; a run of passages needs judgements of passages" * bool(longer)
        raise InputError(text.name, problem, line=second)
    names = tuple(map(decode_id, topics))
    return Run(name, names, offsets, sequence, documents, keys, order, text, longer_lines=longer)


def check_ends_of_lines(text: SourceText) -> None:
    """Refuse lines that a CR alone divides: it is a blank to the readers of runs, and the second half would be lost."""
    content = text.bytes()
    if found := re.search(rb"\r[^\r\n]*[^\s][^\r\n]*", content):
        line = text.file_line(content.count(b"\n", 0, found.start()) + 1)
        problem = "a carriage return inside the line: ends of lines are mixed; write them all as LF or CRLF"
        raise InputError(text.name, problem, line=line)


_Scanned = tuple[list[bytes], "np.ndarray[Any, Any]", Ids, "np.ndarray[Any, Any]", int]


def _scan_plain(text: SourceText, layout: Layout, key_field: int, memory: NewArrays) -> _Scanned:
    fields, _ = _FIELDS[layout]
    known: dict[bytes, int] = {}
    codes: list[int] = []
    documents: list[bytes] = []
    keys: list[float] = []
    longer = 0
    for number, line in enumerate(text.bytes().split(b"\n"), start=1):
        parts = line.split(None, fields)
        if len(parts) < fields:
            if is_skipped(line):
                continue
            raise _too_few(text, parts, layout, text.file_line(number))
        if parts[0].startswith(b"#"):
            continue
        longer += len(parts) > fields
        codes.append(known.setdefault(parts[0], len(known)))
        documents.append(parts[2])
        if key_field:
            key = number_of(parts[key_field])
            if key is None or math.isnan(key):
                raise _no_number(text, parts[key_field], key_field, text.file_line(number))
            keys.append(key)
    if not codes:
        raise InputError(text.name, "is empty")
    ids = Ids.of(documents)
    return list(known), np.array(codes, np.int32), ids, np.array(keys or np.zeros(len(codes))), longer


@compiled_job("leadline.records.kernels.scan_run", plain=_scan_plain)
def _scan(kernel: Kernel, text: SourceText, layout: Layout, key_field: int, memory: NewArrays) -> _Scanned:
    fields, _ = _FIELDS[layout]
    topics, lines = arrays_for(text, memory, fields=fields)
    state = np.array([text.begin, 0, 0, 0])
    count = kernel(text.buffer, text.end, SEED, fields, key_field, topics, lines, state)
    if count in (TOO_FEW_FIELDS, NOT_A_NUMBER, NAN):
        line, start = text.line_number(int(state[0])), int(state[0])
        if count == TOO_FEW_FIELDS:
            raise _too_few(text, _rest_of_line(text, start).split(), layout, line)
        raise _no_number(text, text.buffer[int(state[1]) : int(state[2])].tobytes(), key_field, line)
    if count == 0:
        raise InputError(text.name, "is empty")
    keys = lines.keys[:count]
    if not key_field:
        keys[:] = 0.0
    if state[3]:  # numbers that the kernel leaves to Python are NaN so far
        for line in np.flatnonzero(np.isnan(keys)).tolist():
            from_document = _rest_of_line(text, int(lines.starts[line])).split(None, key_field - 1)
            keys[line] = float(from_document[key_field - 2])
    names = Ids(text.buffer, topics.starts[: state[1]], topics.lengths[: state[1]]).as_bytes()
    documents = Ids(text.buffer, lines.starts[:count], lines.lengths[:count], lines.hashes[:count])
    return names, lines.topic[:count], documents, keys, int(state[2])


def arrays_for(
    text: SourceText, memory: NewArrays, *, fields: int = 6, most_topics: int | None = None
) -> tuple[RunTopics, RunLines]:
    """Arrays for the topics and lines of a run, large enough for any text of this size."""
    capacity = text.size() // (2 * fields) + 1  # a letter and a blank or line feed for each field
    topics = min(capacity, most_topics or capacity)
    slots = np.zeros(table_size(topics), np.int32)  # zeros that are never touched cost nothing
    return RunTopics(
        slots=slots,
        mask=len(slots) - 1,
        starts=np.empty(topics + 1, np.int64),
        lengths=np.empty(topics + 1, np.int32),
        hashes=np.empty(topics + 1, np.uint64),
    ), RunLines(
        topic=memory.take("codes", capacity, np.int32),
        starts=memory.take("starts", capacity, np.int64),
        lengths=memory.take("lengths", capacity, np.int32),
        hashes=memory.take("hashes", capacity, np.uint64),
        keys=memory.take("keys", capacity, np.float64),
    )


def _rest_of_line(text: SourceText, start: int) -> bytes:
    size = 256
    while (piece := text.buffer[start : start + size].tobytes()).find(b"\n") < 0:
        size *= 16
    return piece.partition(b"\n")[0]


def _too_few(text: SourceText, parts: Sequence[bytes], layout: Layout, line: int) -> InputError:
    expected, names = _FIELDS[layout]
    problem = f"{len(parts)} field{'s' * (len(parts) != 1)}, expected {expected} ({names})"
    if len(parts) == 4 and number_of(parts[3]) is not None:
        problem += "; this looks like judgements (qrels), which come before the runs"
    elif len(parts) == 5 and number_of(parts[3]) is not None and number_of(parts[4]) is not None:
        problem += "; add the name of the run at the end of each line"
    elif len(parts) == 5 and number_of(parts[2]) is not None and number_of(parts[3]) is not None:
        problem += "; add Q0 after the topic on each line"
    elif parts:
        problem += hint_of_header(line - 1, parts[0])
    elif len(parts) == 1 and b"," in parts[0]:
        problem += "; a table with commas is read when its name ends in .csv"
    return InputError(text.name, problem, line=line)


def _no_number(text: SourceText, field: bytes, key_field: int, line: int) -> InputError:
    what = "score" if key_field == 4 else "rank"
    if number_of(field) is None:
        hint = hint_of_header(line - 1, field)
        if number_of(field.replace(b",", b".")) is not None:
            hint = f"; write {field.replace(b',', b'.').decode()}"
        return InputError(text.name, f"{what} {shown(field)} is not a number{hint}", line=line)
    return InputError(text.name, f"{what} is NaN, which has no place in a ranking", line=line)


def _line_number(text: SourceText, wanted: int) -> int:
    seen = -1
    for number, line in enumerate(text.bytes().split(b"\n"), start=1):
        seen += not is_skipped(line)
        if seen == wanted:
            return text.file_line(number)
    raise IndexError(wanted)


def run_paths(patterns: Sequence[str | os.PathLike[str]], *, strict: bool = False) -> list[str]:
    """The files that paths, patterns and folders name, each once, in order.

    A file of a folder that does not begin like a run is left out with a warning; with `strict` it is an error. The runs
    of a grid or demo are those of its folder `runs`.
    """
    paths: dict[str, None] = {}
    for given in patterns:
        pattern = os.fspath(given)
        if pattern == "-" or (Path(pattern).exists() and not os.path.isdir(pattern)):
            found = [pattern]
        elif os.path.isdir(pattern):
            folder = runs_folder(pattern)
            files = (path for path in folder.iterdir() if not path.is_dir() and path.name[0] != ".")
            found = sorted(str(path) for path in files if path.name != IDENTITY)
            if not found:
                raise InputError(pattern, "is a folder without files")
            found = _runs_among(found, str(folder), strict=strict)
        else:
            there = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
            found = [path for path in there if not path.endswith(LOGS)]
            if not found:
                raise InputError(pattern, _nearest_file(pattern))
            if logs := len(there) - len(found):
                what = f"{pattern}: {counted(logs, 'log')} of databases left out"
                warnings.warn(what, LeadlineWarning, stacklevel=2)
        for path in found:
            if path in paths:
                warnings.warn(f"{path} is given twice: read once", LeadlineWarning, stacklevel=2)
        paths.update(dict.fromkeys(found))
    return list(paths)


def runs_folder(folder: str | os.PathLike[str]) -> Path:
    """The folder that holds the runs: the one given, or its folder `runs` if a grid or demo was made there."""
    inner = Path(folder) / "runs"
    return inner if inner.is_dir() and (Path(folder) / IDENTITY).is_file() else Path(folder)


def _runs_among(files: Sequence[str], folder: str, *, strict: bool) -> list[str]:
    """The files of a folder that begin like runs. A warning says why others are left out."""
    runs, problem = [], ""
    left_out: dict[str, list[str]] = {}
    for path in files:
        if _is_our_manifest(path):
            continue
        problem = _not_a_run(path)
        if not problem:
            runs.append(path)
        elif strict:
            raise InputError(path, problem)
        else:
            left_out.setdefault(problem, []).append(path)
    for why, paths in left_out.items():
        more = f"; so {'is' if len(paths) == 2 else 'are'} {len(paths) - 1:,} more" if len(paths) > 1 else ""
        warnings.warn(f"{paths[0]}: left out: {why}{more}", LeadlineWarning, stacklevel=3)
    if not runs:
        raise InputError(folder, f"is a folder without runs; the last file: {problem}")
    return runs


def _is_our_manifest(path: str) -> bool:
    """Whether a file is what `leadline run` writes beside a run."""
    if not path.endswith(".manifest.json") or not os.path.isfile(path):
        return False
    with contextlib.suppress(OSError), open(path, "rb", opener=open_without_waiting) as file:
        return _OUR_MANIFEST.match(file.read(200) or b"") is not None
    return False


def _not_a_run(path: str) -> str:
    """Why a file cannot be a run, by its name and its first lines; empty if it may be one."""
    if not os.path.isfile(path):
        return NOT_A_FILE
    if path.endswith(COMPRESSED):
        return ""
    if path.endswith((".manifest.json", ".unfinished")):
        return "is a note about a run"
    if path.endswith(LOGS):
        return "is a log of a database, not a run"
    try:
        with open(path, "rb", opener=open_without_waiting) as file:
            head = file.read(4096) or b""
        if sheet.named_kind(path, head) is not None:
            return ""
        if head.startswith(SQLITE):
            return "is a database, not a run"
        lines = head if len(head) < 4096 else head.rpartition(b"\n")[0]
        run_of_text(SourceText.of(lines, path), path, order="file", kernels=False)
    except OSError as error:
        return system_reason(error)
    except InputError as error:
        return "" if _FIELDS["dynamic"][0] == len(lines.split(b"\n", 1)[0].split()) else error.problem
    return ""


def _nearest_file(path: str) -> str:
    if glob.has_magic(path):
        return "no file fits this pattern"
    folder = Path(path).parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return f"no such file{nearest(Path(path).name, names)}"


def run_names(paths: Sequence[str]) -> list[str]:
    """What to call the runs of these files: the shortest names that tell them apart.

    >>> run_names(["a/bm25.run", "b/bm25.run", "tfidf.run.gz"])
    ['a/bm25', 'b/bm25', 'tfidf']
    """
    names = [stem(path) for path in paths]
    depth = 1
    while len(set(names)) < len(names) and depth < 20:
        names = [
            str(Path(*Path(path).parts[-depth - 1 : -1], stem(path))) if names.count(name) > 1 else name
            for path, name in zip(paths, names, strict=True)
        ]
        depth += 1
    return names if len(set(names)) == len(names) else list(paths)
