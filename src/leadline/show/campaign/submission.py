"""What organisers check of a run before it is taken: each problem is one line, with the file and the line in it.

The same lines come from `leadline campaign check`, which needs only the topics and the ids of the documents, and from
the campaign, which also knows the other runs of the team.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.errors import InputError, in_sentence, nearest, not_a_choice, visible
from leadline.records.result import counted
from leadline.show.campaign.run_forms import RunForm, SentLines, form_of, lines_of_text
from leadline.show.choices import MOST_RUNS, RUN_KINDS, RUN_LENGTH
from leadline.text.fields import Ids, read_fields
from leadline.text.files import readable_size
from leadline.text.source import SourceText, pieces_of, read_text, read_toml, within_ratio

LARGEST_RUN = 256 << 20  # bytes of a run, unpacked
LONGEST_TEXT, LONGEST_NAME = 4000, 40  # characters of a description, and of the name of a run
MOST_NAMED = 3  # ids that a line names
TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.]*")
NAME_RULE = f"at most {LONGEST_NAME} letters, digits, _ and ."
FIELDS = ("kind", "fields", "resources", "text", "priority")  # of a description


@dataclass(frozen=True)
class Description:
    """How a run was made, as its team says."""

    kind: str = ""
    fields: tuple[str, ...] = ()  # of the topics and the documents that were used
    resources: str = ""  # other collections, thesauri, models; "none"
    text: str = ""
    priority: int = 0

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Description:
        """A description in TOML: kind, fields, resources, text, priority."""
        return cls.of(read_toml(path), os.fspath(path))

    @classmethod
    def of(cls, content: Mapping[str, Any], where: str = "description") -> Description:
        """A description from the fields of a form or a file."""
        for name in content:
            if name not in FIELDS:
                raise not_a_choice(where, name, FIELDS)
        given = content.get("fields", ())
        words = re.split(r"[,\s]+", given) if isinstance(given, str) else list(given)
        priority = content.get("priority") or 0
        if not str(priority).isascii() or not str(priority).isdigit():
            raise InputError(where, f"priority must be a whole number from 1, got {visible(str(priority)[:40])!r}")
        texts = {name: str(content.get(name, "")).strip() for name in ("kind", "resources", "text")}
        return cls(
            texts["kind"], tuple(str(each) for each in words if each), texts["resources"], texts["text"], int(priority)
        )

    def problems(self, where: str, rules: RunRules) -> list[str]:
        """What is missing or wrong in it, a line each."""
        found = []
        if self.kind in RUN_KINDS and rules.takes and self.kind not in rules.takes:
            found.append(f"{where}: kind is {self.kind}, and the task takes {in_sentence(rules.takes)} runs")
        if self.kind not in RUN_KINDS:
            found.append(
                str(not_a_choice(where, self.kind, RUN_KINDS))
                if self.kind
                else f"{where}: kind is missing: say one of {', '.join(RUN_KINDS)}"
            )
        if not self.fields:
            found.append(
                f"{where}: fields is missing: name those of topics and documents that were used, such as title"
            )
        if not self.resources:
            found.append(f"{where}: resources is missing: name what else was used, or say none")
        if len(self.text) < 10:
            found.append(f"{where}: text is missing: say in a sentence how the run was made")
        if not 1 <= self.priority <= rules.most_runs:
            got = self.priority or "none"
            found.append(f"{where}: priority must be from 1 (pooled first) to {rules.most_runs}, got {got}")
        long = [name for name in ("resources", "text") if len(getattr(self, name)) > LONGEST_TEXT]
        return [*found, *(f"{where}: {name} is longer than {LONGEST_TEXT:,} characters" for name in long)]


class KnownDocuments:
    """The ids of the documents that may be in a run."""

    def __init__(self, ids: Ids, collection: Collection | None = None) -> None:
        self._hashes = np.sort(ids.hashes())
        self._few = ids.names() if len(ids) <= 20_000 else []
        self._collection = collection
        self.count = len(ids)

    @classmethod
    def of_collection(cls, folder: str | os.PathLike[str]) -> KnownDocuments:
        """The documents of a collection."""
        collection = Collection.open(folder)
        return cls(Ids.of(collection.records["id"].to_list()), collection)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> KnownDocuments:
        """The ids of a file, the first word of each line; or of a collection."""
        if os.path.isdir(path):
            return cls.of_collection(path)
        return cls(read_fields(read_text(path), 1, 1, lambda _: "").ids[0])

    def unknown(self, ids: Ids) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The places of ids that are none of them."""
        asked = ids.hashes()
        places = np.minimum(np.searchsorted(self._hashes, asked), len(self._hashes) - 1)
        return np.flatnonzero(self._hashes[places] != asked)

    def hint(self, name: str) -> str:
        """How an id that is not known may be meant."""
        if self._collection is not None and int(row := self._collection.rows([name])[0]) >= 0:
            return f"; in the collection it is written {self._collection.records['id'][int(row)]}"
        return nearest(name, self._few)


@dataclass(frozen=True)
class RunRules:
    """What a run may have in it. Empty topics and no documents: they are not checked."""

    topics: tuple[str, ...]
    documents: KnownDocuments | None = None
    length: int = RUN_LENGTH
    most_runs: int = MOST_RUNS
    takes: tuple[str, ...] = ()  # kinds of runs; empty: ranked documents of any kind
    measures: tuple[str, ...] = ()  # by which they will be scored, where that is known

    @property
    def form(self) -> RunForm:
        """The form of the runs."""
        return form_of(self.takes)


@dataclass(frozen=True)
class CheckedRun:
    """What was found in a run."""

    file: str
    problems: tuple[str, ...] = ()  # why it is refused
    notes: tuple[str, ...] = ()  # what the team should know
    tag: str = ""
    lines: int = 0
    topics: int = 0
    content: bytes = field(default=b"", repr=False)  # unpacked
    order: str = ""  # a hash of the lists: the same for runs that differ in name and scores alone

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def check_run(
    path: str | os.PathLike[str], rules: RunRules, description: Description | None = None, *, name: str = ""
) -> CheckedRun:
    """Check a run as the organiser does. `name` is what its team calls the file, where it lies elsewhere."""
    shown = name or os.fspath(path)
    said = [] if description is None else description.problems(f"{shown}: description", rules)
    try:
        content = _unpacked(path, shown)
        if content.startswith(b"PAR1"):
            raise InputError(shown, "is a Parquet file: send the run as text in TREC's format")
        _check_utf8(content, shown)
        lines = lines_of_text(rules.form, SourceText.of(content, shown))
    except InputError as error:
        return CheckedRun(shown, (str(error), *said))
    found = _Lines(lines, rules, shown)
    problems, notes = found.found()
    topics = len(lines.run.topics)
    return CheckedRun(
        shown, (*problems, *said), tuple(notes), found.tag, len(lines.table), topics, content, lines.order
    )


def _unpacked(path: str | os.PathLike[str], shown: str) -> bytes:
    """The bytes of a file, decompressed; InputError where they are too many."""
    pieces, total = [], 0
    try:
        with open(path, "rb") as file:
            for piece in within_ratio(pieces_of(file, shown), shown, os.fstat(file.fileno()).st_size):
                total += len(piece)
                if total > LARGEST_RUN:
                    raise InputError(shown, f"holds more than {readable_size(LARGEST_RUN)}: no run has so much")
                pieces.append(piece)
    except FileNotFoundError:
        raise InputError(shown, "no such file") from None
    except IsADirectoryError:
        raise InputError(shown, "is a folder, expected a file") from None
    return b"".join(pieces)


def _check_utf8(content: bytes, shown: str) -> None:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(shown, "is not UTF-8: save it as UTF-8", line=line) from None


class _Lines:
    """The lines of a run that can be read, against the rules."""

    def __init__(self, lines: SentLines, rules: RunRules, shown: str) -> None:
        self.lines, self.table, self.rules = lines, lines.table, rules
        codes = self.table.coded(0)
        self.topic_of_line = codes.codes
        self.names = [name.decode("utf-8", "surrogateescape") for name in codes.names]
        self.tag = name_of_file(shown).partition(".")[0] if lines.tag is None else self.table.ids[lines.tag][0]

    def found(self) -> tuple[list[str], list[str]]:
        """What is wrong, and what the team should know."""
        problems = [*self._names_of_the_run(), *self._topics(), *self._documents(), *self._length()]
        return problems, [*self._missing(), *self._ranks()]

    def _at(self, line: int, problem: str) -> str:
        return str(self.table.error(int(line), problem))

    def _names_of_the_run(self) -> Iterable[str]:
        if self.lines.tag is None:
            if not _is_name(self.tag):
                problem = f"gives the run its name, and {visible(self.tag)!r} is none: {NAME_RULE}: rename the file"
                yield f"{self.table.text.name}: {problem}"
            return
        tags = self.table.coded(self.lines.tag)
        other = np.flatnonzero(tags.codes != tags.codes[0])
        if len(other):
            here = self.table.show(int(other[0]), self.lines.tag)
            yield self._at(other[0], f"the run is called {here} here and {visible(self.tag)} on the first line")
        if not _is_name(self.tag):
            yield self._at(0, f"{visible(self.tag)!r} is not a name of a run: {NAME_RULE}")
        if self.lines.second is None:
            return
        second = self.table.coded(self.lines.second)
        odd = [code for code, name in enumerate(second.names) if name != b"Q0"]
        lines = np.flatnonzero(np.isin(second.codes, odd)) if odd else other[:0]
        if len(lines):
            yield self._at(
                lines[0], f"the second field is {self.table.show(int(lines[0]), self.lines.second)}, expected Q0"
            )

    def _topics(self) -> Iterable[str]:
        wanted = set(self.rules.topics)
        for code, name in enumerate(self.names if wanted else ()):
            if name not in wanted:
                line = int((self.topic_of_line == code).argmax())
                yield self._at(line, f"{visible(name)} is not a topic of this task{nearest(name, self.rules.topics)}")

    def _documents(self) -> Iterable[str]:
        if self.rules.documents is None:
            return
        documents = self.lines.documents
        unknown = self.rules.documents.unknown(documents)
        if not len(unknown):
            return
        names = list(dict.fromkeys(documents.take(unknown[:1000]).names()))
        for name in names[:MOST_NAMED]:
            line = next(int(place) for place in unknown if documents[int(place)] == name)
            yield self._at(
                line, f"{visible(name)} is not a document of the collection{self.rules.documents.hint(name)}"
            )
        if len(unknown) > MOST_NAMED:
            lines = counted(len(unknown), "line")
            yield f"{self.table.text.name}: {lines} in all with documents that are not in the collection"

    def _length(self) -> Iterable[str]:
        counts = np.bincount(self.topic_of_line, minlength=len(self.names))
        long = [code for code in range(len(self.names)) if counts[code] > self.rules.length]
        for code in long[:MOST_NAMED]:
            line = int(np.flatnonzero(self.topic_of_line == code)[self.rules.length])
            yield self._at(
                line,
                f"topic {visible(self.names[code])} has {counts[code]:,} {self.rules.form.unit}s, "
                f"the most is {self.rules.length:,}",
            )
        if len(long) > MOST_NAMED:
            topics = counted(len(long), "topic")
            most = f"{self.rules.length:,} {self.rules.form.unit}s"
            yield f"{self.table.text.name}: {topics} in all with more than {most}"

    def _missing(self) -> Iterable[str]:
        missing = [topic for topic in self.rules.topics if topic not in set(self.names)]
        if missing:
            some = ", ".join(map(visible, missing[:MOST_NAMED])) + " …" * (len(missing) > MOST_NAMED)
            yield f"{counted(len(missing), 'topic')} without documents, which score 0: {some}"

    def _ranks(self) -> Iterable[str]:
        """Where ranks and scores say different things: scores count."""
        if self.lines.rank is None:
            return
        run = self.lines.run
        try:
            ranks = self.table.integers(self.lines.rank, "rank").astype(np.int64)
        except InputError as error:
            yield f"{error}; ranks are not read, scores are"
            return
        lines, topics = run.order, self.topic_of_line[run.order]
        falls = np.flatnonzero(
            (np.diff(ranks[lines]) < 0) & (topics[1:] == topics[:-1]) & (np.diff(run.keys[lines]) < 0)
        )
        if len(falls):
            line = int(lines[falls[0] + 1])
            yield self._at(
                line, "the ranks do not follow the scores: results are ordered by score, and ties by document"
            )


def _is_name(tag: str) -> bool:
    return TAG.fullmatch(tag) is not None and len(tag) <= LONGEST_NAME


@dataclass(frozen=True)
class OwnRun:
    """A run that a team has sent already, for the same task."""

    tag: str
    priority: int
    order: str


def problems_beside(
    checked: CheckedRun, description: Description, others: Sequence[OwnRun], rules: RunRules
) -> list[str]:
    """What is wrong with a run beside the others of its team; one of the same name is replaced by it."""
    others = [each for each in others if each.tag != checked.tag]
    found = []
    for other in others:
        if other.order == checked.order:
            found.append(f"{checked.file}: has the same lists as your run {other.tag}: send each run once")
        if other.priority == description.priority:
            taken = {each.priority for each in others}
            free = [str(n) for n in range(1, rules.most_runs + 1) if n not in taken][:MOST_NAMED]
            left = f": free are {in_sentence(free)}" if free else ""
            found.append(f"{checked.file}: priority {description.priority} is that of your run {other.tag}{left}")
    if len(others) >= rules.most_runs:
        tags = ", ".join(each.tag for each in others)
        found.append(
            f"{checked.file}: the most is {counted(rules.most_runs, 'run')}, and you have sent {tags}: replace one"
        )
    return found


def check_together(paths: Sequence[str | os.PathLike[str]], rules: RunRules) -> list[CheckedRun]:
    """Check several runs of one team: also whether two have the same name or the same lists."""
    checked = [check_run(path, rules) for path in paths]
    counts = Counter(each.tag for each in checked if each.tag)
    found = []
    for place, each in enumerate(checked):
        more = []
        twin = next((other for other in checked[:place] if each.order and other.order == each.order), None)
        if twin is not None:
            more.append(f"{each.file}: has the same lists as {twin.file}: send each run once")
        if each.tag and counts[each.tag] > 1 and any(other.tag == each.tag for other in checked[:place]):
            more.append(f"{each.file}: its lines call it {each.tag}, which is the name of another of these runs")
        found.append(CheckedRun(each.file, (*each.problems, *more), each.notes, each.tag, each.lines, each.topics))
    return found


def name_of_file(sent: str) -> str:
    """The name of a file that was sent, without folders."""
    return visible(Path(sent.replace("\\", "/")).name)[:200] or "run"
