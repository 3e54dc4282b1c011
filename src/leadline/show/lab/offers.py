"""Files that somebody sent to a lab and has not confirmed: what each is, and what will be made of it.

They lie in a folder for files in the making, outside the lab, and are gone when they are thrown away, when the server
ends, or after an hour. Nothing is in the lab before the person says so; what is confirmed is then there whole, or a
job makes it that goes on after a crash.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.sources import open_streams
from leadline.collections.documents.tables import TWICE
from leadline.errors import InputError, visible, without_places
from leadline.judge.review.folding import fold
from leadline.judge.review.project import family_units
from leadline.records.result import counted
from leadline.show.lab.boards import Boards, receive
from leadline.show.lab.job_plans import OPTIONS, Fields, JobPlan, collection_plan, index_plan, option_words, review_plan
from leadline.show.lab.jobs import Jobs
from leadline.show.lab.kept_sources import keep_sources
from leadline.show.lab.kinds import DOCUMENTS, KINDS, LARGEST_COUNTED, Recognised, is_archive, likely_kinds, recognised
from leadline.show.lab.lab import FILE_NAME, fingerprint
from leadline.text.files import readable_size
from leadline.text.owned_files import IDENTITY
from leadline.text.source import stem

LARGEST_FILE = 256 << 20  # bytes
LARGEST_OFFER = 1 << 30  # bytes of all files, unpacked where they are taken out of an archive
MOST_FILES, MOST_OFFERS = 500, 16
KEPT = 3600.0  # seconds
TAKEN = ("run", "qrels", "topics", "duplicates", "report")  # kinds that a file can be added as
_OTHERS = re.compile(r"[^\w.=+-]+")


@dataclass
class OfferedFile:
    """One file that was sent, and what it can be."""

    name: str  # as it was sent
    path: Path
    found: Recognised
    same: str = ""  # the name of what has this content in the lab already

    @property
    def size(self) -> str:
        return readable_size(self.path.stat().st_size)


@dataclass(frozen=True)
class OfferOutcome:
    """What became of a file or of several."""

    name: str
    said: str
    kind: str = ""  # of what is there now
    made: str = ""  # its name
    job: str = ""
    refused: bool = False


@dataclass
class FileOffer:
    """The files that a person sent together."""

    id: str
    person: str
    folder: Path
    at: float
    files: list[OfferedFile] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)  # of what could not be taken at all
    outcomes: list[OfferOutcome] | None = None  # once it was confirmed
    counted: str | None = None  # what the documents are together
    lock: threading.Lock = field(default_factory=threading.Lock)

    def documents(self) -> list[OfferedFile]:
        """The files that would be sources of a collection or a review."""
        return [each for each in self.files if each.found.readings and each.found.readings[0].kind == DOCUMENTS]


class Offers:
    """The offers of all people, in this process."""

    def __init__(self, boards: Boards, fields: Fields) -> None:
        self.boards, self.lab, self.jobs, self._fields = boards, boards.lab, Jobs(boards.lab), fields
        self._place: tempfile.TemporaryDirectory[str] | None = None
        self._offers: dict[str, FileOffer] = {}
        self._lock = threading.Lock()

    def begin(self, person: str) -> FileOffer:
        """A new offer of a person, with nothing in it yet; an old one of theirs that waits is thrown away."""
        with self._lock:
            old = [each for each in self._offers.values() if each.person == person or self._is_over(each)]
            for each in old:
                self._drop(each)
            if len(self._offers) >= MOST_OFFERS:
                raise InputError("files", "others are adding files: try again in some minutes")
            self._place = self._place or tempfile.TemporaryDirectory(prefix="leadline-offered-")
            id = secrets.token_hex(8)
            folder = Path(self._place.name) / id
            folder.mkdir()
            self._offers[id] = FileOffer(id, person, folder, time.monotonic())
            return self._offers[id]

    def get(self, id: str, person: str) -> FileOffer:
        """An offer of a person; InputError where it is not there any more."""
        with self._lock:
            found = self._offers.get(id)
        if found is None or found.person != person:
            raise InputError("files", "these files are not here any more: send them again")
        return found

    def drop(self, offer: FileOffer) -> None:
        """Throw the files of an offer away."""
        with self._lock:
            self._drop(offer)

    def _drop(self, offer: FileOffer) -> None:
        shutil.rmtree(offer.folder, ignore_errors=True)
        self._offers.pop(offer.id, None)

    def _is_over(self, offer: FileOffer) -> bool:
        return time.monotonic() - offer.at > KEPT

    def new_file(self, offer: FileOffer, name: str) -> Path:
        """Where to write a file that is sent, before it is looked at."""
        if len(offer.files) + len(offer.problems) >= MOST_FILES:
            raise InputError(name, f"more than {MOST_FILES} files: send the others afterwards, or as a zip")
        return self._free(offer, name)

    def _free(self, offer: FileOffer, name: str) -> Path:
        folder = offer.folder / secrets.token_hex(4)
        folder.mkdir()
        return folder / plain_name(name)

    def look(self, offer: FileOffer, name: str, path: Path) -> None:
        """Find out what a file is; those in an archive one by one, unless all of it is documents."""
        with offer.lock:
            offer.counted = None
            if not path.stat().st_size:
                offer.problems.append((name, "is empty"))
            elif sum(each.path.stat().st_size for each in offer.files) + path.stat().st_size > LARGEST_OFFER:
                offer.problems.append((name, f"more than {readable_size(LARGEST_OFFER)} together: send it afterwards"))
            elif is_archive(path) and path.suffix.lower() != ".asreview":
                self._look_inside(offer, name, path)
            else:
                self._add(offer, name, path)

    def _look_inside(self, offer: FileOffer, name: str, path: Path) -> None:
        """Take the files out of an archive that has others than documents; else it is a source as it is."""
        taken: list[tuple[str, Path]] = []
        total, others = 0, False
        try:
            for stream in open_streams(path, beside=True):
                inside = stream.name.partition("!")[2].replace("!", "/")
                base = Path(inside).name
                if base.startswith(".") or "__MACOSX" in inside:
                    continue
                if base == IDENTITY:
                    problem = "has a folder that Leadline made: unpack it, and add it with `leadline lab add`"
                    raise InputError(name, problem)
                if len(taken) + len(offer.files) >= MOST_FILES:
                    raise InputError(name, f"has more than {MOST_FILES} files that are not all documents")
                place = self._free(offer, base)
                with place.open("wb") as file:
                    for piece in stream.pieces:
                        total += len(piece)
                        if total > LARGEST_OFFER:
                            raise InputError(name, f"holds more than {readable_size(LARGEST_OFFER)}")
                        file.write(piece)
                taken.append((inside, place))
                others = others or likely_kinds(place)[:1] != [DOCUMENTS]
                if not others and len(taken) > 50:  # enough of a bulk file of an office
                    break
        except InputError as error:
            if others or not taken:
                offer.problems.append((name, without_places(visible(error.problem))))
                return
            others = False  # documents, as far as it went: the build says more
        if others:
            for inside, place in taken:
                self._add(offer, inside, place)
        else:
            self._add(offer, name, path)

    def _add(self, offer: FileOffer, name: str, path: Path) -> None:
        found = recognised(path)
        if not found.readings:
            offer.problems.append((name, without_places(visible(found.problem))))
            return
        kind = found.readings[0].kind
        same = self._same(KINDS[kind].name, path) if kind != DOCUMENTS else ""
        twice = next((each.name for each in offer.files if _equal(each.path, path)), "")
        if twice:
            offer.problems.append((name, f"is the same file as {visible(twice)}: taken once"))
            return
        offer.files.append(OfferedFile(name, path, found, same))

    def _same(self, kind: str, path: Path) -> str:
        size = path.stat().st_size
        for entry in self.lab.entries(kind):
            is_as_long = entry.path.is_file() and entry.path.stat().st_size == size
            if is_as_long and fingerprint(KINDS[kind], entry.path) == fingerprint(KINDS[kind], path):
                return entry.name
        return ""

    def count(self, offer: FileOffer) -> str:
        """What the documents of an offer are together, and which would be folded, in words; empty where too large."""
        with offer.lock:
            if offer.counted is None:
                files = [each.path for each in offer.documents() if each.path.suffix.lower() != ".asreview"]
                small = sum(each.stat().st_size for each in files) <= LARGEST_COUNTED
                offer.counted = _counted(files, offer.folder / "counted") if files and small else ""
            return offer.counted

    def confirm(self, offer: FileOffer, form: Mapping[str, str], *, is_organiser: bool) -> list[OfferOutcome]:
        """Do what was chosen in the form of an offer, each file for itself; what became of each."""
        with offer.lock:
            if offer.outcomes is not None:  # sent twice
                return offer.outcomes
            chosen: list[OfferedFile] = []
            done: list[OfferOutcome] = []
            for place, each in enumerate(offer.files):
                kind = form.get(f"kind-{place}", each.found.readings[0].kind)
                if kind == DOCUMENTS:
                    chosen.append(each)
                elif kind:
                    done.append(self._one(each, kind, form.get(f"name-{place}", ""), offer.person, is_organiser))
            if chosen and form.get("documents"):
                done += self._of_documents(chosen, form, offer.person, is_organiser)
            offer.outcomes = done
            shutil.rmtree(offer.folder, ignore_errors=True)
            return done

    def _one(self, each: OfferedFile, kind: str, name: str, person: str, is_organiser: bool) -> OfferOutcome:
        try:
            if kind not in TAKEN or kind not in {reading.kind for reading in each.found.readings}:
                raise InputError(each.name, f"cannot be read as {visible(kind[:40])}")
            path = each.path
            if name.strip() and name.strip() != stem(path):
                ending = path.name.removeprefix(stem(path))
                path = path.rename(path.with_name(plain_name(f"{name.strip().removesuffix(ending)}{ending}")))
            found = receive(self.boards, path, kind, person, is_organiser=is_organiser)
        except InputError as error:
            return OfferOutcome(each.name, _line(error), refused=True)
        said = "added" if found.is_new else "is there already"
        return OfferOutcome(each.name, said, found.entry.kind, found.entry.name)

    def _of_documents(
        self, files: Sequence[OfferedFile], form: Mapping[str, str], person: str, is_organiser: bool
    ) -> list[OfferOutcome]:
        named = files[0].name if len(files) == 1 else counted(len(files), "file")
        try:
            if not is_organiser:
                raise InputError(named, "has documents, which the organiser adds")
            jobs = self._asked(files, form, person)
        except InputError as error:
            return [OfferOutcome(named, _line(error), refused=True)]
        return [
            OfferOutcome(named, f"the job “{job.what}” makes the {job.kind} {job.name}", job=job.id) for job in jobs
        ]

    def _asked(self, files: Sequence[OfferedFile], form: Mapping[str, str], person: str) -> list[Any]:
        """Keep the sources, and ask for the collection or the review of them."""
        wanted, name = form["documents"], form.get("documents-name", "").strip()
        if wanted not in ("collection", "review"):
            raise InputError("documents", "choose a collection or a review")
        command = "collection build" if wanted == "collection" else "review begin"
        more = option_words(self._fields(command, OPTIONS[command]), form)
        if self.lab.is_taken(wanted, name):
            raise InputError("name", f"there is another {wanted} {name} in the lab: choose another name")
        names: Counter[str] = Counter()
        kept: dict[str, Path] = {}
        for each in files:
            file = each.path.name
            names[file] += 1
            kept[file if names[file] == 1 else f"{names[file]}-{file}"] = each.path

        def ask(place: Path, sha256: str) -> list[Any]:
            plans: list[JobPlan] = []
            if wanted == "review":
                title = form.get("title", "").strip()
                sources = [place / file for file in kept]
                plans.append(review_plan(self.lab, sources, sha256, name, title, more))
            else:
                plans.append(collection_plan(self.lab, place, sha256, name, more))
                if form.get("index") == "yes":
                    plans.append(index_plan(self.lab, name, name, after=plans[0]))
            return [self.jobs.submit(plan, person)[0] for plan in plans]

        return keep_sources(self.lab, kept, ask)


def plain_name(name: str) -> str:
    """The name of a file that was sent as a name for a file of a lab.

    >>> plain_name("My runs/Größe (2).run"), plain_name("...")
    ('Größe-2-.run', 'file')
    """
    base = _OTHERS.sub("-", name.replace("\\", "/").rpartition("/")[2]).lstrip(".-")[-150:]
    return base if FILE_NAME.fullmatch(base) and base != IDENTITY else "file"


def _equal(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    return one.read_bytes() == other.read_bytes()


def _line(error: InputError) -> str:
    line = "" if error.line is None else f"line {error.line}: "
    return str(without_places(visible(f"{line}{error.problem}")))


def _counted(files: Sequence[Path], place: Path) -> str:
    """Build a collection for a moment, to say what is in it."""
    try:
        manifest = build(files, place, keep="all", processes=1)
        collection = Collection.open(place)
        folded = fold(collection, list(family_units(collection, None)), [])
    except InputError as error:
        return f"none can be read: {_line(error)}"
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(place)
    said = [counted(manifest["counts"]["documents"], "document")]
    if twice := manifest["dropped"].get(TWICE, 0):
        said.append(f"{twice:,} listed again under an id that an earlier one has, left out")
    if folded.folded:
        said.append(f"{folded.folded:,} with the text of another under another id, which a review reads once with it")
    if manifest["broken"]:
        first = manifest["first_broken"][0]
        where = f"{Path(first[0]).name} at byte {first[1]}: {first[2]}"
        said.append(f"{manifest['broken']:,} that cannot be read, the first in {where}")
    return "; ".join(said)
