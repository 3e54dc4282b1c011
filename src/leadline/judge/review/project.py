"""A review on disk: what is searched, its settings, and the journal of what people did.

    REVIEW/review.json        title, criteria, learner, target ..., and a line for each round
    REVIEW/candidates-1.tsv   a line for each unit of the first round: the document that is read, then its family
    REVIEW/collection-1       the documents, where they came in files and not as a collection
    REVIEW/journal            every judgement, draw and decision (`judge/assessors/journal.py`)
    REVIEW/people             who may sign in

A round is what was added to the review at one time: the first candidates, then those that were published since.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.errors import InputError, visible
from leadline.judge.assessors.journal import Event, JudgingJournal, new_uid
from leadline.judge.review.features import TextFeatures
from leadline.judge.review.learner import LEARNERS, Rows
from leadline.text.checksums import file_sha256, read_sealed, sealed
from leadline.text.files import write_stored
from leadline.text.lock import hold
from leadline.text.owned_folder import OwnedFolder, identity_of

if TYPE_CHECKING:
    import polars as pl

KIND, VERSION = "review", 1
SETTINGS, JOURNAL, PEOPLE = "review.json", "journal", "people"
BESIDE_JOURNAL = (f"{JOURNAL}-wal", f"{JOURNAL}-shm")  # which SQLite makes while the journal is open
WHAT, FORMAT = "the settings of a review", 1
STAGES = ("abstract", "full-text")
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
            owned.reserve(SETTINGS, JOURNAL, *BESIDE_JOURNAL, PEOPLE)
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
        self, collection: Collection, units: Sequence[Sequence[str]], sources: Sequence[str] = (), twice: int = 0
    ) -> ReviewProject:
        """The review with the units that are not in it yet as another round; InputError if there are none.

        `twice` is the number of records that the sources list again.
        """
        known = {document for unit in self.units for document in unit}
        kept = [tuple(unit) for unit in units if not any(document in known for document in unit)]
        records = sum(len(unit) for unit in units)
        if not kept:
            problem = f"all {records:,} documents are in the review already: leave them out to go on with it"
            raise InputError(str(self.folder), problem)
        _check_ids(kept)
        content = "".join("\t".join(unit) + "\n" for unit in kept).encode()
        made = ReviewRound(
            len(self.rounds) + 1, self._place_of(collection), collection.manifest["hash"], tuple(sources),
            hashlib.sha256(content).hexdigest(), len(kept), sum(map(len, kept)), records - sum(map(len, kept)) + twice,
            datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
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

    def journal(self) -> JudgingJournal:
        """The journal, new with the first round; one that is missing later is an error, and not begun anew."""
        path = self.folder / JOURNAL
        if self.rounds and not os.path.lexists(path):
            raise InputError(str(path), f"is missing: {REPAIR}")
        return JudgingJournal(path, create=True)


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
