"""A review on disk: what is searched, its settings, its journal; its backup in one file, and its check.

    REVIEW/review.json        title, criteria, learner, target ..., and a line for each round
    REVIEW/candidates-1.tsv   a line for each unit of the first round: the document that is read, then its family
    REVIEW/collection-1       the documents, where they came in files and not as a collection
    REVIEW/journal            every judgement, draw and decision (`judge/journal.py`)
    REVIEW/people             who may sign in

A round is what was added to the review at one time: the first candidates, then those that were published since.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.collection import Collection, check_collection
from leadline.collections.documents.collection_files import read_manifest
from leadline.errors import InputError, system_reason, visible
from leadline.judge.choices import STAGES
from leadline.judge.journal import Event, JudgingJournal, People, check_marks, new_uid
from leadline.judge.review.draws import WORDS, drawn_twice, order_name, stored_orders
from leadline.judge.review.learners import LEARNERS, Rows, TextFeatures
from leadline.records.result import counted
from leadline.text.checksums import (
    Finding,
    check_seal,
    file_sha256,
    finding_of,
    parsed_object,
    read_sealed,
    sealed,
    stored_bytes,
)
from leadline.text.files import LOCK_FILE, PART_PREFIX, hold, replacing, replacing_ours, write_stored
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed, identity_of
from leadline.text.store.events import ChainHead
from leadline.text.store.opening import BESIDE

if TYPE_CHECKING:
    import polars as pl

KIND, VERSION = "review", 1
SETTINGS, JOURNAL, PEOPLE = "review.json", "journal", "people"
BESIDE_STORES = tuple(f"{name}{end}" for name in (JOURNAL, PEOPLE) for end in BESIDE)  # which SQLite makes
WHAT, FORMAT = "the settings of a review", 1
KNOWN = "known beforehand"  # the reason of a mark that was not made by reading in the review
STARTER = "start"  # who is named for what was known at the start
REASONS = ("other subject", "other population", "other kind of study", "other outcome", "no new data", "language")
FIELDS = ("title", "abstract")
REPAIR = "restore the folder of the review from a backup"


@dataclass(frozen=True)
class ReviewSettings:
    """What is decided when a review begins."""

    title: str
    criteria: str = ""
    reasons: tuple[str, ...] = REASONS  # for exclusion
    query: str = ""
    learner: str = "svm"
    target: float = 0.95
    alpha: float = 0.05
    double: float = 0.0  # share of the documents that two people read
    stages: int = 1  # 1: abstracts; 2: then full texts of what was kept
    seed: int = 1  # which documents are read twice; the random draws have a seed of their own

    def __post_init__(self) -> None:
        LEARNERS.named(self.learner)
        if not 0 <= self.double <= 1:
            raise InputError("double", f"must be between 0 and 1, got {self.double}")
        if self.stages not in (1, 2):
            raise InputError("stages", f"must be 1 or 2, got {self.stages}")

    @property
    def is_blind(self) -> bool:
        """Whether reviewers must not learn what others marked: some documents are read twice, and compared."""
        return self.double > 0


@dataclass(frozen=True)
class ReviewRound:
    """What was added to a review at one time."""

    number: int
    collection: str  # its folder: a name inside the review's folder, or a whole path
    collection_hash: str
    sources: tuple[str, ...]  # names of the files
    sha256: str  # of the file of candidates
    units: int
    records: int  # documents of the units
    removed: int  # records of the sources that are listed twice or in the review already
    at: str
    folded: int = 0  # records whose text another has under another id: they are in its unit

    @property
    def file(self) -> str:
        return f"candidates-{self.number}.tsv"

    @property
    def own_collection(self) -> str:
        """The folder of the documents inside the review's folder, where they came in files."""
        return f"collection-{self.number}"

    def place(self, review: Path) -> Path:
        """Where the collection is, also after the folder of the review was moved."""
        place = review / self.collection
        inside = review / place.name
        return inside if not place.exists() and inside.exists() else place


@dataclass(frozen=True)
class ReviewProject:
    """An open review: its settings, its rounds and its units."""

    folder: Path
    settings: ReviewSettings
    rounds: tuple[ReviewRound, ...] = ()
    units: tuple[tuple[str, ...], ...] = field(default=(), repr=False)  # the document that is read, and its family

    @classmethod
    def create(cls, folder: str | os.PathLike[str], settings: ReviewSettings) -> ReviewProject:
        """Begin a review in a folder that is new, empty, or has a review without rounds."""
        place = Path(folder)
        with OwnedFolder.locked(place, KIND, VERSION) as owned:
            known = read_sealed(place / SETTINGS, WHAT, FORMAT, REPAIR)
            if known is not None and known["rounds"]:
                raise InputError(str(place), "is a review already: leave out the options of a new one")
            owned.reserve(SETTINGS, JOURNAL, PEOPLE, *BESIDE_STORES)
            made = cls(place, settings)
            made._write()
        return made

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> ReviewProject:
        """Open a review, and check that its candidates are those that were recorded."""
        place = Path(folder)
        if not is_review(place):
            problem = "is not a review; `leadline review serve REVIEW --documents FILES` begins one"
            raise InputError(str(place), problem)
        content = read_sealed(place / SETTINGS, WHAT, FORMAT, REPAIR)
        if content is None:
            raise InputError(str(place / SETTINGS), f"is missing: {REPAIR}")
        try:
            settings = ReviewSettings(**{**content["settings"], "reasons": tuple(content["settings"]["reasons"])})
            rounds = tuple(ReviewRound(**{**each, "sources": tuple(each["sources"])}) for each in content["rounds"])
        except (KeyError, TypeError, ValueError):
            raise InputError(str(place / SETTINGS), f"is damaged: {REPAIR}") from None
        units: list[tuple[str, ...]] = []
        for each in rounds:
            path = place / each.file
            if not path.is_file() or file_sha256(path) != each.sha256:
                raise InputError(str(path), f"is missing or not what was recorded: {REPAIR}")
            units += [tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()]
        return cls(place, settings, rounds, tuple(units))

    def _write(self) -> None:
        content = {
            "what": WHAT,
            "format": FORMAT,
            "settings": asdict(self.settings),
            "rounds": [asdict(each) for each in self.rounds],
        }
        write_stored(self.folder / SETTINGS, sealed(content))

    def add_round(
        self,
        collection: Collection,
        units: Sequence[Sequence[str]],
        sources: Sequence[str] = (),
        twice: int = 0,
        folded: int = 0,
    ) -> ReviewProject:
        """The review with the units that are not in it yet as another round; InputError if there are none.

        `twice` is the number of records that the sources list again, `folded` of those that have another's text.
        """
        known = {document for unit in self.units for document in unit}
        kept = [tuple(unit) for unit in units if not any(document in known for document in unit)]
        records = sum(len(unit) for unit in units)
        if not kept:
            problem = f"all {records:,} documents are in the review already: leave them out to continue it"
            raise InputError(str(self.folder), problem)
        _check_ids(kept)
        content = "".join("\t".join(unit) + "\n" for unit in kept).encode()
        made = ReviewRound(
            len(self.rounds) + 1,
            self._place_of(collection),
            collection.manifest["hash"],
            tuple(sources),
            hashlib.sha256(content).hexdigest(),
            len(kept),
            sum(map(len, kept)),
            records - sum(map(len, kept)) + twice,
            datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            folded,
        )
        grown = replace(self, rounds=(*self.rounds, made), units=(*self.units, *kept))
        with OwnedFolder.locked(self.folder, KIND, VERSION) as owned:
            owned.reserve(made.file)
            if collection.folder.resolve() == (self.folder / made.own_collection).resolve():
                owned.add(made.own_collection)
            write_stored(self.folder / made.file, content)
            with contextlib.closing(self.journal()) as journal:
                said = {name: value for name, value in asdict(made).items() if name != "collection"}
                event = Event(
                    new_uid(), STARTER, "organiser", "round", STAGES[0], value=json.dumps(said), round=made.number
                )
                journal.append(event)
            grown._write()
        return grown

    def _place_of(self, collection: Collection) -> str:
        """How the folder of a collection is stored: inside the review's folder without it, which may be moved."""
        place, folder = collection.folder.resolve(), self.folder.resolve()
        return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else str(place)

    @property
    def current_round(self) -> int:
        return len(self.rounds)

    @property
    def topics(self) -> tuple[str, ...]:
        """The stages of this review, which are the topics of its journal."""
        return STAGES[: self.settings.stages]

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """The unit of each document, families included."""
        return {document: row for row, unit in enumerate(self.units) for document in unit}

    @cached_property
    def round_of(self) -> Rows:
        """The number of the round of each unit."""
        return np.repeat(np.arange(1, len(self.rounds) + 1), [each.units for each in self.rounds])

    @cached_property
    def read_twice(self) -> np.ndarray:
        """Which units two people read: chosen by a hash of seed and id, so that nobody chooses them."""
        limit = round(self.settings.double * 2**32)
        if not limit:
            return np.zeros(len(self.units), np.bool_)
        seed = self.settings.seed
        places = (hashlib.sha256(f"{seed}\t{unit[0]}".encode()).digest()[:4] for unit in self.units)
        return np.array([int.from_bytes(place, "big") < limit for place in places], np.bool_)

    def with_settings(self, **changed: str | float) -> ReviewProject:
        """The same review with other settings, which the journal has and the folder has not; what is known is kept."""
        made = replace(self, settings=replace(self.settings, **changed))  # type: ignore[arg-type]
        kept = ("row_of", "round_of", "read_twice")
        vars(made).update({name: vars(self)[name] for name in kept if name in vars(self)})
        return made

    def collections(self) -> list[Collection]:
        """The collection of each round."""
        return [Collection.open(each.place(self.folder)) for each in self.rounds]

    def text_parts(self) -> Iterator[tuple[Rows, pl.Series]]:
        """Title and abstract of each unit, with one part of a collection at a time in memory, and the units' rows."""
        import polars as pl

        joined = pl.concat_str([pl.col(name).fill_null("") for name in FIELDS], separator=" ")
        for number, collection in enumerate(self.collections(), start=1):
            own = np.flatnonzero(self.round_of == number)
            names = [self.units[row][0] for row in own.tolist()]
            rows = collection.rows(names)
            if (rows < 0).any():
                missing = names[int(np.argmax(rows < 0))]
                problem = f"{visible(missing)} is in the review, but not in the collection any more"
                raise InputError(str(collection.folder), problem)
            units = pl.DataFrame({"row": rows.astype(np.uint32), "unit": own})
            for part in collection.texts(FIELDS, rows):
                found = part.join(units, on="row").select("unit", text=joined)
                yield found["unit"].to_numpy(), found["text"]

    def features(self) -> TextFeatures:
        """The weighted words of each unit."""
        return TextFeatures.of_parts(len(self.units), self.text_parts())

    def hold(self) -> IO[bytes]:
        """A file that is locked as long as it is open: one process serves a review. InputError where another does."""
        file = (self.folder / self.rounds[0].file).open("rb")
        if hold(file.fileno()) is False:
            file.close()
            raise InputError(str(self.folder), "is served by another process already: stop that one first")
        return file

    def journal(self, *, write: bool = True) -> JudgingJournal:
        """The journal, new with the first round; one that is missing later is an error, and not begun anew."""
        path = self.folder / JOURNAL
        if not os.path.lexists(path) and (self.rounds or not write):
            raise InputError(str(path), f"is missing: {REPAIR}")
        return JudgingJournal(path, create=write, write=write)


def is_review(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder is that of a review."""
    known = identity_of(Path(folder))
    return known is not None and known.kind == KIND


def family_units(collection: Collection, rows: Rows | None = None) -> Iterator[tuple[str, ...]]:
    """The documents of a collection, or its rows, as units: a family is one, named by its first document."""
    records = collection.records.select("id", "family")
    if rows is not None:
        records = records[rows.tolist()]
    families: dict[int, list[str]] = {}
    for document, family in records.iter_rows():
        families.setdefault(family, []).append(document)
    return (tuple(dict.fromkeys(unit)) for unit in families.values())


def known_events(
    project: ReviewProject, labels: Mapping[str, int], person: str = STARTER, source: str = ""
) -> list[Event]:
    """Marks for documents whose relevance was known before, 1 or 0; InputError for one that is not in the review."""
    events = []
    for document, grade in labels.items():
        row = project.row_of.get(document)
        if row is None:
            where = source or "--known"
            raise InputError(where, f"{visible(document)} is not among the {len(project.units):,} candidates")
        uid = hashlib.sha256(f"{person}\t{document}\t{grade}\t{KNOWN}".encode()).hexdigest()[:32]
        unit = project.units[row][0]
        events.append(
            Event(uid, person, "assessor", "mark", STAGES[0], unit, str(grade), KNOWN, int(project.round_of[row]))
        )
    return events


def _check_ids(units: Sequence[Sequence[str]]) -> None:
    for unit in units:
        for document in unit:
            if not document or any(sign in document for sign in "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"):
                raise InputError("documents", f"id {visible(document)!r} has a tab or a line end")
            try:
                document.encode()
            except UnicodeEncodeError:
                raise InputError("documents", f"id {visible(document)} is not UTF-8") from None


# A review in one file: taken while people read, and brought back in a new folder or added to the review it came from.
#
# The file is a ZIP archive of the folder of a review: settings, candidates, people, the journal, and the collections
# that are inside the folder. Its `backup.json` lists every file with its size and checksum.


BACKUP_WHAT, BACKUP_FORMAT, LIST = "a backup of a review", 1, "backup.json"
BACKUP_REPAIR = "use another backup"
LARGEST_LIST = 64 << 20  # bytes
AT_ONCE = 1 << 20  # bytes
NAME = re.compile(
    rf"{re.escape(SETTINGS)}|{JOURNAL}|{PEOPLE}|candidates-\d+\.tsv|collection-\d+(/[\w=+-][\w.=+-]*){{1,2}}", re.ASCII
)


@dataclass(frozen=True)
class BackupContents:
    """What a backup has, or what was brought back from one."""

    events: int
    files: int
    elsewhere: tuple[str, ...] = ()  # collections outside the folder, which are not in the backup


def back_up_review(project: ReviewProject, path: str | os.PathLike[str]) -> BackupContents:
    """Write a review to a new file, also while it is served; the file is complete or not there."""
    target = Path(path)
    if os.path.lexists(target):
        raise InputError(str(target), "exists already; name a new file for the backup")
    # Under the lock, so that nobody adds a round meanwhile; people who read do not need it.
    with (
        OwnedFolder.locked(project.folder, KIND, VERSION),
        tempfile.TemporaryDirectory() as place,
        replacing(target) as file,
    ):
        project = ReviewProject.open(project.folder)
        copy = Path(place) / JOURNAL
        with contextlib.closing(project.journal(write=False)) as journal:
            journal.backup(copy)
        with contextlib.closing(JudgingJournal(copy, write=False)) as copied:
            events = len(copied)
        copies = [(JOURNAL, copy)]
        if (project.folder / PEOPLE).is_file():
            People(project.folder / PEOPLE).copy_to(Path(place) / PEOPLE)
            copies.append((PEOPLE, Path(place) / PEOPLE))
        listed: dict[str, Any] = {}
        with zipfile.ZipFile(file, "w") as archive:
            for name, source in (*_files(project), *copies):
                archive.write(source, name)
                listed[name] = {"bytes": source.stat().st_size, "sha256": file_sha256(source)}
            archive.writestr(
                LIST, sealed({"what": BACKUP_WHAT, "format": BACKUP_FORMAT, "events": events, "files": listed})
            )
    target.chmod(0o600)  # it has the hashes of the people's links
    return BackupContents(events, len(listed), _elsewhere(project))


def _elsewhere(project: ReviewProject) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.collection for each in project.rounds if not _is_inside(project, each.collection)))


def _is_inside(project: ReviewProject, collection: str) -> bool:
    return (project.folder / Path(collection).name).is_dir()


def _files(project: ReviewProject) -> Iterator[tuple[str, Path]]:
    """The files of a review besides its stores, with their names in the backup; the settings come last."""
    folder = project.folder
    for each in project.rounds:
        yield each.file, folder / each.file
    for each in project.rounds:
        if _is_inside(project, each.collection):
            inside = folder / Path(each.collection).name
            for path in sorted(inside.rglob("*")):
                if path.is_file() and path.name != LOCK_FILE and not path.name.startswith(PART_PREFIX):
                    yield path.relative_to(folder).as_posix(), path
    yield SETTINGS, folder / SETTINGS


def bring_back_review(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> BackupContents:
    """Bring a review back from its backup: all of it to a new folder, or only the events that a review lacks.

    A review is added to only if it has the candidates of the backup.
    """
    place, where = Path(folder), os.fspath(path)
    with _open_archive(where) as (archive, listed):
        if (place / SETTINGS).is_file():
            return _merged(archive, listed, place, where)
        with OwnedFolder.locked(place, KIND, VERSION) as owned:
            own = dict.fromkeys(name.partition("/")[0] for name in listed["files"])
            owned.reserve(*own, *BESIDE_STORES)
            # The settings last: a folder without them is not a review yet, and can be written to again.
            for name in sorted(listed["files"], key=lambda name: name == SETTINGS):
                _extract(archive, name, listed["files"][name], place / name, where)
    brought = ReviewProject.open(place)
    with contextlib.closing(brought.journal(write=False)) as journal:
        return BackupContents(len(journal), len(listed["files"]), _elsewhere(brought))


def check_backup(path: Path) -> Iterator[Finding]:
    """Everything that is wrong with the backup of a review."""
    try:
        with _open_archive(str(path)) as (archive, listed):
            for name, about in listed["files"].items():
                with archive.open(name) as source:
                    _copy(source, io.BytesIO(), name, about, str(path))
    except InputError as error:
        yield finding_of(error, BACKUP_REPAIR)


def _merged(archive: zipfile.ZipFile, listed: dict[str, Any], place: Path, where: str) -> BackupContents:
    """Add the events of a backup that a review lacks to its journal."""
    project = ReviewProject.open(place)
    known = {each.file: each.sha256 for each in project.rounds}
    for name, about in listed["files"].items():
        if name.startswith("candidates-") and known.get(name) != about["sha256"]:
            problem = f"is a backup of another review than {place}, or of one with more rounds: name a new folder"
            raise InputError(where, problem)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / JOURNAL
        _extract(archive, JOURNAL, listed["files"][JOURNAL], copy, where)
        with contextlib.closing(project.journal()) as journal:
            return BackupContents(journal.merge_from(copy), 0)


@contextlib.contextmanager
def _open_archive(where: str) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """The archive and its list, which is checked; errors of a damaged archive are told in one line."""
    try:
        with zipfile.ZipFile(where) as archive:
            if LIST not in archive.namelist() or archive.getinfo(LIST).file_size > LARGEST_LIST:
                raise InputError(where, f"is not {BACKUP_WHAT}: `leadline review backup` makes one")
            listed = parsed_object(archive.read(LIST), where, BACKUP_REPAIR)
            check_seal(listed, where, BACKUP_REPAIR)
            if listed.get("what") != BACKUP_WHAT:
                raise InputError(where, f"is not {BACKUP_WHAT}: `leadline review backup` makes one")
            if listed["format"] > BACKUP_FORMAT:
                problem = f"has format {listed['format']}, this version reads up to {BACKUP_FORMAT}: update leadline"
                raise InputError(where, problem)
            for name in listed["files"]:
                if not NAME.fullmatch(name):
                    raise InputError(where, f"is damaged, it has a file {visible(name)}: {BACKUP_REPAIR}")
            for name in (SETTINGS, JOURNAL):
                if name not in listed["files"]:
                    raise InputError(where, f"is damaged, it has no {name}: {BACKUP_REPAIR}")
            yield archive, listed
    except (zipfile.BadZipFile, EOFError, KeyError, TypeError, NotImplementedError, RuntimeError) as error:
        raise InputError(where, f"is not {BACKUP_WHAT}, or is damaged ({error}): {BACKUP_REPAIR}") from None
    except OSError as error:
        raise InputError(error.filename or where, f"cannot be read: {system_reason(error)}") from None


def _extract(archive: zipfile.ZipFile, name: str, about: dict[str, Any], target: Path, where: str) -> None:
    """Write one file of a backup, whole and only if it is what the list says."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as source, replacing_ours(target) as file:
        _copy(source, file, name, about, where)
    if name in (PEOPLE, JOURNAL):
        target.chmod(0o600)


def _copy(source: IO[bytes], file: IO[bytes], name: str, about: dict[str, Any], where: str) -> None:
    digest, left = hashlib.sha256(), int(about["bytes"])
    while block := source.read(AT_ONCE):
        digest.update(block)
        left -= len(block)
        if left < 0:
            break
        file.write(block)
    if left or digest.hexdigest() != about["sha256"]:
        raise InputError(where, f"is damaged, {name} is not what was written: {BACKUP_REPAIR}")


# A check of a review in full: its settings, candidates, documents and journal.


HASH = re.compile("[0-9a-f]{64}")
LARGEST = 64 << 20  # bytes of a report that are read


def check_review(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a review; nothing where it is as it was written."""
    yield from check_identity(folder)
    try:
        project = ReviewProject.open(folder)
    except InputError as error:
        yield finding_of(error, REPAIR)
        return
    documents = (f"collection-{each.number}" for each in project.rounds)
    yield from check_listed(folder, [SETTINGS, JOURNAL, PEOPLE, *(each.file for each in project.rounds), *documents])
    if project.rounds or os.path.lexists(folder / JOURNAL):  # which comes with the first round
        wrong = list(check_marks(folder / JOURNAL, folder / PEOPLE, REPAIR))
        yield from wrong
        if not any(each.path == str(folder / JOURNAL) for each in wrong):
            yield from _check_rounds(project)
            yield from _check_draws(project)
    for each in project.rounds:
        yield from _check_documents(each, folder)


def _check_rounds(project: ReviewProject) -> Iterator[Finding]:
    """Whether the journal is of this review: it says of each round which candidates were added."""
    with contextlib.closing(project.journal(write=False)) as journal:
        added = {json.loads(event.value).get("sha256") for event in journal.events() if event.kind == "round"}
    if missing := [each.file for each in project.rounds if each.sha256 not in added]:
        yield Finding(str(project.folder / JOURNAL), f"is of another review: it does not have {missing[0]}", REPAIR)


def _check_draws(project: ReviewProject) -> Iterator[Finding]:
    """Whether each order of draws follows from what it is said to follow from, and none was drawn a second time."""
    path = str(project.folder / JOURNAL)
    with contextlib.closing(project.journal(write=False)) as journal:
        events = list(journal.events())
        try:
            orders = list(stored_orders(events))
            wrong = [each for each in orders if not each.draws.is_as_seeded(project.units)]
            # The order is drawn from the head right before it; a head that is not here is that of another copy.
            early = [
                each
                for each in orders
                if each.draws.source is not None
                and (count := journal.events_at(each.draws.source.head)) is not None
                and journal.events_at_uid(each.begins) != count
            ]
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            yield Finding(path, "has an order of draws that cannot be read", REPAIR)
            return
    mend = "ask who drew it; what it certifies is worth nothing"
    for each in wrong:
        yield Finding(path, f"the {order_name(each)} do not follow from their seed: the order was chosen", mend)
    for each in early:
        problem = f"the {order_name(each)} were drawn from an earlier state of the journal than the one before them"
        yield Finding(path, problem, mend)
    for said in drawn_twice(events):
        yield Finding(path, said, "ask who drew the second order, and why; a report counts it as ignored")


def draws_of(review: Path) -> dict[tuple[int, str], list[int]]:
    """The first order of each round and kind in a review, or in a backup of one."""
    with contextlib.ExitStack() as opened:
        if review.is_dir():
            journal = opened.enter_context(contextlib.closing(ReviewProject.open(review).journal(write=False)))
        else:
            place = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            archive, listed = opened.enter_context(_open_archive(str(review)))
            _extract(archive, JOURNAL, listed["files"][JOURNAL], place / JOURNAL, str(review))
            journal = opened.enter_context(contextlib.closing(JudgingJournal(place / JOURNAL, write=False)))
        found: dict[tuple[int, str], list[int]] = {}
        for each in stored_orders(journal.events()):
            found.setdefault((each.round, each.word), each.draws.order.tolist())
    return found


def compared_draws(folder: Path, other: Path) -> tuple[list[str], bool]:
    """What two copies of a review say of its draws, in sentences, and whether none was drawn in two orders."""
    here, there = draws_of(folder), draws_of(other)
    said, same = [], True
    for turn, word in sorted({*here, *there}):
        what = f"the {WORDS.get(word, word)} of round {turn}"
        if (turn, word) not in here or (turn, word) not in there:
            where = other if (turn, word) in there else folder
            said.append(f"{what} are only in {where}")
        elif here[turn, word] == there[turn, word]:
            said.append(f"{what} are the same in {other}")
        else:
            said.append(f"{what} were drawn TWICE: {other} has them in another order")
            same = False
    return said or [f"nothing was drawn at random in {folder} or {other}"], same


def certified_events(folder: Path, certificate: str) -> tuple[str, int | None]:
    """The head of the journal's chain that a certificate names, and how many events the journal has up to there.

    None where the journal does not have these events any more. `certificate` is a report as PDF, its page saved from a
    browser, or the hash itself.
    """
    named, events = certificate.strip().lower(), None
    if not HASH.fullmatch(named):
        try:
            content = stored_bytes(Path(os.path.realpath(certificate)), LARGEST)  # also of links in a circle
        except OSError as error:
            raise InputError(certificate, f"cannot be read: {system_reason(error)}") from None
        head = ChainHead.found_in(content.decode("latin-1"))
        if head is None:
            problem = "names no head of a journal's chain: name a report of `leadline review report`, or the hash in it"
            raise InputError(certificate, problem)
        named, events = head.hash, head.events
    with contextlib.closing(ReviewProject.open(folder).journal(write=False)) as journal:
        found = journal.events_at(named)
    return named, found if events in (None, found) else None


def journal_notes(folder: Path) -> list[str]:
    """What to say of the journal of a review that is sound: the head of its chain, or that it has none yet."""
    with contextlib.closing(ReviewProject.open(folder).journal(write=False)) as journal:
        head = journal.head()
    if not head.unchained:
        return [str(head)]
    if head.unchained == head.events:
        return [str(head), f"{folder / JOURNAL} has no chain yet, it is of the older format; the next event begins one"]
    return [str(head), f"the chain began after the first {counted(head.unchained, 'event')}, which it covers"]


def _check_documents(round: ReviewRound, folder: Path) -> Iterator[Finding]:
    """Whether the documents of a round are still those that were read, in full where the review keeps them itself."""
    place = round.place(folder)
    own = place.resolve().parent == folder.resolve()
    if own:
        yield from check_collection(place)
    try:
        if read_manifest(place)["hash"] != round.collection_hash:
            yield Finding(str(place), "is no longer the collection that is reviewed", REPAIR)
    except InputError as error:
        if not own:
            yield finding_of(error, REPAIR)
