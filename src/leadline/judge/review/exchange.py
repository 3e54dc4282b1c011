"""A review and other programs: begun from files, labels and ASReview; exported as RIS, CSV or judgements."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from leadline.collections.documents.build import build, write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import identifier, record_document
from leadline.collections.documents.fields.references import about, printed_pages
from leadline.collections.documents.readers.nbib import citation
from leadline.collections.documents.readers.ris import reference
from leadline.collections.documents.tables import TWICE
from leadline.errors import InputError, LeadlineWarning, system_reason, visible
from leadline.judge.choices import AUDIT, STAGES
from leadline.judge.journal import Event, check_name, new_uid
from leadline.judge.marks import UNJUDGED, UNSURE
from leadline.judge.pools import COLUMNS, Pool, Stratum
from leadline.judge.review.folding import FoldedUnits, fold
from leadline.judge.review.labels import read_labels
from leadline.judge.review.learners import Rows
from leadline.judge.review.project import KNOWN, STARTER, ReviewProject, ReviewSettings, family_units, known_events
from leadline.judge.review.review_state import ReviewState, settings_event
from leadline.judge.review.simulation import LabelledReview
from leadline.judge.review.tags import tags_by_document
from leadline.records.qrels import Qrels
from leadline.records.result import Table, counted
from leadline.records.runs import read_run
from leadline.text.owned_files import is_owned
from leadline.text.owned_folder import discard
from leadline.text.source import read_text

PathLike = str | os.PathLike[str]


def begin_review(
    folder: PathLike,
    documents: Sequence[PathLike],
    settings: ReviewSettings,
    *,
    candidates: PathLike | None = None,
    known: Sequence[str] = (),
    labels: bool = False,
    column: str | None = None,
    fold_same: bool = True,
) -> ReviewProject:
    """Begin a review of documents: files of any form, an ASReview project, or a collection.

    `candidates` lists which of them are read: a run, judgements, or ids one per line. `known` are ids of relevant
    documents. With `labels`, the labels in the files are taken over, from `column` where that is given; those of an
    ASReview project always are. Records with the same text under other ids are one unit, unless `fold_same` is false.
    """
    return _add(ReviewProject.create(folder, settings), documents, candidates, known, labels, column, fold_same)


def extend_review(
    project: ReviewProject,
    documents: Sequence[PathLike],
    *,
    candidates: PathLike | None = None,
    known: Sequence[str] = (),
    labels: bool = False,
    column: str | None = None,
    fold_same: bool = True,
) -> ReviewProject:
    """Add the documents that are not in a review yet, as another round."""
    return _add(project, documents, candidates, known, labels, column, fold_same)


def _add(
    project: ReviewProject,
    documents: Sequence[PathLike],
    candidates: PathLike | None,
    known: Sequence[str],
    labels: bool,
    column: str | None,
    fold_same: bool,
) -> ReviewProject:
    with _removed_on_error(project.folder / f"collection-{project.current_round + 1}"):
        collection, given = _collection(project, documents, labels, column)
        rows = None if candidates is None else _candidate_rows(collection, candidates)
        units = list(family_units(collection, rows))
        names = {document for unit in units for document in unit} | set(project.row_of)
        relevant = [_known_id(collection, each, names) for each in known]
        sources = [Path(each).name for each in documents]
        if candidates is not None:
            sources.append(Path(candidates).name)
        own = candidates is None and collection.folder.parent.resolve() == project.folder.resolve()
        twice = collection.manifest["dropped"].get(TWICE, 0) if own else 0  # of a collection, its builder was told
        found = _folded(project, collection, units) if fold_same else FoldedUnits(units, 0, 0)
        grown = project.add_round(collection, found.units, sources, twice + found.known, found.folded)
    marks = {each: grade for each, grade in given.items() if each in grown.row_of} | dict.fromkeys(relevant, 1)
    add_known(grown, marks)
    return grown


def _folded(project: ReviewProject, collection: Collection, units: list[tuple[str, ...]]) -> FoldedUnits:
    """The units of a new round, with records of the same text as one, and a word about how many there are."""
    new = [unit for unit in units if not any(document in project.row_of for document in unit)]
    before = [
        (each, [project.units[row][0] for row in np.flatnonzero(project.round_of == number).tolist()])
        for number, each in enumerate(project.collections() if project.rounds else (), start=1)
    ]
    found = fold(collection, new, before)
    if found.folded or found.known:
        said = f"{counted(found.folded, 'record')} with the text of another under another id: each is read once with it"
        if found.known:
            said += f"; {found.known:,} with a text that is in the review already, left out"
        warnings.warn(said, LeadlineWarning, stacklevel=5)
    kept = {unit[0]: unit for unit in found.units}
    again = [unit for unit in units if any(document in project.row_of for document in unit)]  # counted by add_round
    return FoldedUnits([*kept.values(), *again], found.folded, found.known)


@contextlib.contextmanager
def _removed_on_error(place: Path) -> Iterator[None]:
    """Remove the collection of a round that could not be added."""
    try:
        yield
    except InputError:
        if is_owned(place):
            discard(place)
        raise


def _known_id(collection: Collection, name: str, candidates: set[str]) -> str:
    """The id of a document that was named in any spelling; InputError unless it is a candidate."""
    row = int(collection.rows([name])[0])
    found = name if row < 0 else str(collection.records["id"][row])
    if found not in candidates:
        also = " (it is in the collection, but not among the candidates)" if row >= 0 else ""
        raise InputError("--known", f"{visible(name)} is not among the {len(candidates):,} candidates{also}")
    return found


def add_known(project: ReviewProject, labels: dict[str, int]) -> int:
    """Store what was known beforehand; returns how much of it is new."""
    events: list[Event] = known_events(project, labels)
    if not events:
        return 0
    with contextlib.closing(project.journal()) as journal:
        return journal.append_all(events)


def change_settings(project: ReviewProject, changed: Mapping[str, str | float]) -> None:
    """Store another learner or target of a review; InputError for one that there is not."""
    event = settings_event(new_uid(), STARTER, "organiser", project.current_round, changed)
    with contextlib.closing(project.journal()) as journal:
        journal.append(event)


def _collection(
    project: ReviewProject, documents: Sequence[PathLike], labels: bool, column: str | None
) -> tuple[Collection, dict[str, int]]:
    """The collection of a new round, and the labels that came with it."""
    if len(documents) == 1 and is_owned(Path(documents[0])):
        return Collection.open(documents[0]), {}
    place = project.folder / f"collection-{project.current_round + 1}"
    projects = [each for each in documents if os.fspath(each).lower().endswith(ENDING)]
    if projects:
        if len(documents) > 1:
            raise InputError(os.fspath(projects[0]), "an ASReview project is added alone: add the others afterwards")
        read = read_asreview_project(projects[0])
        write_collection(read.documents, place, {"sources": [Path(projects[0]).name]})
        return Collection.open(place), read.labels
    try:
        manifest = build(documents, place, keep="all")
    except InputError as error:
        if error.problem.startswith("no document could be read") and _is_named_ris_only(documents[0]):
            raise InputError(error.where, "is not RIS: no line begins a record, such as TY  - JOUR") from None
        raise
    if manifest["broken"]:
        first = manifest["first_broken"][0]
        where = f"the first in {first[0]} at byte {first[1]}: {first[2]}"
        said = f"{counted(manifest['broken'], 'record')} could not be read, {where}"
        warnings.warn(said, LeadlineWarning, stacklevel=4)
    if twice := manifest["dropped"].get(TWICE, 0):
        again = f"{counted(twice, 'record')} listed again under an id that an earlier record has, left out"
        said = f"{again}; the first is {visible(manifest['twice'][0])}"
        warnings.warn(said, LeadlineWarning, stacklevel=4)
    given: dict[str, int] = {}
    if labels:
        with warnings.catch_warnings():
            # Records without a label are to be read. A label that is not understood is worth a warning.
            warnings.filterwarnings("ignore", r".* without a label, left out$", LeadlineWarning)
            for each in read_labels(documents, column=column).to_dict().values():
                given.update(each)
    return Collection.open(place), given


def _is_named_ris_only(path: PathLike) -> bool:
    """Whether a file has a name of RIS, and no record of it at its beginning."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return os.fspath(path).lower().endswith(".ris") and b"TY  -" not in file.read(1 << 16)
    return False


def _candidate_rows(collection: Collection, path: PathLike) -> Rows:
    """The rows of the documents that a run, judgements or a list of ids names, each once, in their order."""
    lines = [line.split() for line in read_text(path).bytes().decode("utf-8", "surrogateescape").splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise InputError(os.fspath(path), "names no document")
    if len(lines[0]) == 6:
        run = read_run(path)
        names = [document for ranked in run.to_dict().values() for document in ranked]
    elif len(lines[0]) in (4, 5):
        names = [line[2] for line in lines if len(line) == len(lines[0])]
    else:
        names = [" ".join(line) for line in lines]
    names = list(dict.fromkeys(names))
    rows = collection.rows(names)
    if (rows < 0).all():
        raise InputError(os.fspath(path), f"names no document of {collection.folder}, the first is {visible(names[0])}")
    if missing := int((rows < 0).sum()):
        first = names[int(np.argmax(rows < 0))]
        left_out = f"{counted(missing, 'document')} not in the collection, left out"
        said = f"{os.fspath(path)}: {left_out}; the first is {visible(first)}"
        warnings.warn(said, LeadlineWarning, stacklevel=4)
    return np.asarray(list(dict.fromkeys(rows[rows >= 0].tolist())), np.int64)


# Read a project of ASReview (version 2 or 3): its records, and the labels given so far.
#
# A project is a zip archive with databases of SQLite in it: one has the table `record`, one (the same since version 3)
# the table `results`.


ENDING = ".asreview"
_KEPT = ("doi", "url", "keywords", "notes")  # columns that no other field of a document has
_DATABASES = (".db", ".sql", ".sqlite")
_LARGEST = 4 << 30  # bytes of a database: more records than anybody screens


@dataclass(frozen=True)
class AsreviewProject:
    """What a project has."""

    documents: tuple[Document, ...]
    labels: dict[str, int]  # by document: 1 or 0


def read_asreview_project(path: str | os.PathLike[str]) -> AsreviewProject:
    """Read the records and labels of an .asreview file."""
    name = os.fspath(path)
    records: list[dict[str, Any]] = []
    results: list[tuple[int, int]] = []
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            for place, entry in enumerate(archive.infolist()):
                if not entry.filename.endswith(_DATABASES) or entry.is_dir():
                    continue
                if entry.file_size > _LARGEST:
                    raise InputError(name, f"{entry.filename} is larger than {_LARGEST >> 30} GiB")
                copy = Path(folder) / f"{place}.db"
                with archive.open(entry) as source, copy.open("wb") as target:
                    shutil.copyfileobj(source, target)
                _read_database(copy, records, results)
    except (zipfile.BadZipFile, sqlite3.DatabaseError, EOFError, ValueError) as error:
        raise InputError(name, f"is not a project of ASReview that can be read: {error}") from None
    except OSError as error:
        raise InputError(name, f"cannot be read: {system_reason(error)}") from None
    if not records:
        raise InputError(name, "has no records: export the dataset of the project as RIS or CSV instead")
    ids = {record["record_id"]: _identifier(record) for record in records}
    documents = tuple(_document(record, ids[record["record_id"]]) for record in records)
    labels = {ids[number]: int(label) for number, label in results if label in (0, 1) and number in ids}
    return AsreviewProject(documents, labels)


def _read_database(path: Path, records: list[dict[str, Any]], results: list[tuple[int, int]]) -> None:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
        if "record" in tables:
            database.row_factory = sqlite3.Row
            records += [dict(row) for row in database.execute("select * from record order by record_id")]
            database.row_factory = None
        if "results" in tables:
            results += database.execute("select record_id, label from results where label is not null").fetchall()


def _identifier(record: dict[str, Any]) -> str:
    return identifier("", "", record.get("doi") or "", "", int(record["record_id"]) + 1)


def _document(record: dict[str, Any], name: str) -> Document:
    authors = record.get("authors") or "[]"
    names = json.loads(authors) if isinstance(authors, str) else []
    return record_document(
        name,
        title=record.get("title") or "",
        abstract=record.get("abstract") or "",
        authors=[str(each) for each in names] if isinstance(names, list) else [str(names)],
        published=str(record.get("year") or ""),
        reference=[f"table:{name} {text}" for name in _KEPT if (text := " ".join(str(record.get(name) or "").split()))],
    )


# A review that was begun elsewhere: what each of its readers decided, from columns or from Rayyan's notes.


RAYYAN = "rayyan"  # the word that takes the place of columns
_INCLUSION = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}")
_DECISION = re.compile(r'"([^"]+)"\s*=>\s*"(Included|Excluded|Maybe)"')
_GRADES = {"Included": 1, "Excluded": 0, "Maybe": UNSURE}
Decisions = dict[str, dict[str, int]]  # by person and document


def columns_by_person(texts: Sequence[str]) -> dict[str, str]:
    """What `anna=label_anna` says, by person; InputError for anything else, and for a name that nobody can have.

    >>> columns_by_person(["anna=label 1", "ben=label 2"])
    {'anna': 'label 1', 'ben': 'label 2'}
    """
    found: dict[str, str] = {}
    for text in texts:
        person, sign, column = (part.strip() for part in text.partition("="))
        if not sign or not column or person in found:
            raise InputError("--marks", f"{visible(text[:60])!r} is not NAME=COLUMN, each name once, or {RAYYAN}")
        _check_reader(person)
        found[person] = column
    return found


def decisions_in_columns(sources: Sequence[str | os.PathLike[str]], columns: Mapping[str, str]) -> Decisions:
    """What each person decided, from a column for each in tables."""
    found: Decisions = {}
    for person, column in columns.items():
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r".* without a label, left out$", LeadlineWarning)  # they are to be read
            labels = read_labels(sources, column=column)
        found[person] = {name: grade for grades in labels.to_dict().values() for name, grade in grades.items()}
    return found


def decisions_of_rayyan(project: ReviewProject) -> Decisions:
    """What each person decided, from the notes that Rayyan writes into RIS and CSV."""
    found: Decisions = {}
    for collection in project.collections():
        for document in collection.documents():
            for note in about(document, "notes"):
                for inside in _INCLUSION.findall(note):
                    for person, decision in _DECISION.findall(inside):
                        found.setdefault(person, {})[document.id] = _GRADES[decision]
    if not found:
        raise InputError("--marks", f"no note of the documents has decisions as {RAYYAN.capitalize()} writes them")
    for person in found:
        _check_reader(person)
    return found


def add_decisions(project: ReviewProject, found: Decisions) -> int:
    """Store what readers decided before, each under their name; returns how many marks are new."""
    events: list[Event] = []
    left_out = 0
    for person, decisions in found.items():
        inside = {name: grade for name, grade in decisions.items() if name in project.row_of}
        left_out += len(decisions) - len(inside)
        by_unit: dict[str, int] = {}
        for name, grade in inside.items():  # of records with the same text, the one that is kept
            unit = project.units[project.row_of[name]][0]
            by_unit[unit] = max(grade, by_unit.get(unit, grade), key=(0, UNSURE, 1).index)
        events += known_events(project, by_unit, person, "--marks")
    if left_out:
        said = f"{counted(left_out, 'decision')} on documents that are not in this review, left out"
        warnings.warn(said, LeadlineWarning, stacklevel=2)
    with contextlib.closing(project.journal()) as journal:
        return journal.append_all(events)


def _check_reader(person: str) -> None:
    check_name(person)
    if person == STARTER:
        raise InputError("--marks", f"{STARTER} stands for what was known at the start: choose another name")


# A review for other programs: RIS and CSV with labels, judgements, a pool, and the table that `review stop` reads.


BATCH = 500  # documents read at once
ABOUT = ("type", "journal", "volume", "issue", "pages", "doi", "url", "issn", "keywords")
WORDS = {1: "included", 0: "excluded", UNSURE: "unsure", UNJUDGED: ""}
LABELS = {1: "ASReview_relevant", 0: "ASReview_irrelevant", UNSURE: "ASReview_not_seen", UNJUDGED: "ASReview_not_seen"}


def topic_of(state: ReviewState) -> str:
    """The name of the review as a topic: without blanks, which divide the fields of judgements."""
    return "_".join(state.project.settings.title.split()) or "review"


def decisions(state: ReviewState, stage: str = "", standard: Literal["final", "readers"] = "final") -> np.ndarray:
    """What was decided about each unit at a stage (default: the last): 1, 0, -2 (unsure or open) or -1 (not read).

    What an expert decides in an audit stands above the readers' marks, unless only these are asked for.
    """
    first = (state.decisions() if standard == "final" else state.grades[STAGES[0]]).astype(int)
    found = np.where(first > 0, 1, first)
    if state.project.settings.stages == 2 and stage != STAGES[0]:
        full = state.grades[STAGES[1]].astype(int)
        open_ = (found == 1) | (found == UNSURE)
        found = np.where(open_, np.where(full > 0, 1, np.where(full == UNJUDGED, UNSURE, full)), found)
    return np.asarray(found)


def review_qrels(state: ReviewState, stage: str = "") -> Qrels:
    """The judgements: every document that was decided, each of a family like the one that was read."""
    grades, topic = decisions(state, stage), topic_of(state)
    pairs = [(each, grades[row]) for row, unit in enumerate(state.project.units) if grades[row] >= 0 for each in unit]
    documents, values = [each for each, _ in pairs], [int(grade) for _, grade in pairs]
    return Qrels.from_columns([topic] * len(pairs), documents, values, topic)


def review_pool(state: ReviewState, stage: str = "") -> tuple[Pool, dict[tuple[str, str], int]]:
    """The review as a pool with strata, and the grades: what was read in the learner's order is one stratum, all of it
    judged; what was unread at the switch is the next, of which the random draws are a sample. A round has two strata.
    It has the readers' marks: those of an audit are of another sample.
    """
    import polars as pl

    project, topic = state.project, topic_of(state)
    stratum, sampled = project.round_of * 2 - 1, state.is_read.copy()
    drawn = 0
    for number, draws in state.draws.items():
        counted = state.round_certificate(number).certificate.drawn
        stratum[draws.order] = 2 * number
        sampled[draws.order[counted:]] = False
        drawn += counted
    rows = [
        (topic, each, unit[0], int(stratum[row]), 0, 0, bool(sampled[row]))
        for row, unit in enumerate(project.units)
        for each in unit
    ]
    types = (pl.String, pl.String, pl.String, pl.Int32, pl.Int32, pl.UInt32, pl.Boolean)
    frame = pl.DataFrame(rows, schema=dict(zip(COLUMNS, types, strict=True)), orient="row")
    read = int(state.is_read.sum()) - drawn
    share = drawn / max(len(project.units) - read, 1)
    strata = (Stratum(max(read, 1), 1.0), Stratum(max(len(project.units), read + 1, 2), min(max(share, 1e-9), 1.0)))
    grades = decisions(state, stage, "readers")
    known = {
        (topic, unit[0]): int(grade) for unit, grade in zip(project.units, grades, strict=True) if grade != UNJUDGED
    }
    return Pool(frame, strata, project.settings.seed, ()), known


def reading_table(state: ReviewState) -> Table:
    """What was read in the current round in its order, as `leadline review stop` reads it; the draws come last."""
    number = state.project.current_round
    draws, units = state.draws.get(number), state.project.units
    grades, relevant, read = state.grades[STAGES[0]], state.relevant(), state.is_read
    order = draws.order if draws is not None else np.zeros(0, np.int64)
    counted = state.round_certificate(number).certificate.drawn
    later = set(order.tolist())
    member = state.project.round_of == number
    before = [row for row in state.first_read if read[row] and member[row] and row not in later]

    def line(row: int, at_random: int) -> list[object]:
        unsure = grades[row] == UNSURE
        return [units[row][0], "?" if unsure else int(relevant[row]), at_random]

    rows = [*(line(row, 0) for row in before), *(line(row, 1) for row in order[:counted].tolist())]
    return Table(["document", "relevant", "drawn"], rows)


def audit_table(state: ReviewState) -> Table:
    """What an expert decided in the current round, as `leadline review stop --audit` reads it; the draws come last."""
    number = state.project.current_round
    found = state.round_audit(number)
    order = np.zeros(0, np.int64) if found is None or found.audit.draws is None else found.audit.draws.order
    counted = 0 if found is None else found.certificate.drawn
    later = set(order.tolist())
    before = np.flatnonzero((state.project.round_of == number) & (state.decided != UNJUDGED)).tolist()

    def line(row: int, at_random: int) -> list[object]:
        grade = int(state.decided[row])
        return [state.project.units[row][0], "?" if grade == UNSURE else int(grade > 0), at_random]

    rows = [*(line(row, 0) for row in before if row not in later), *(line(row, 1) for row in order[:counted].tolist())]
    return Table(["document", "relevant", "drawn"], rows)


def _documents(state: ReviewState) -> Iterator[tuple[int, Document]]:
    """Every unit's document, with its row."""
    collections = state.project.collections()
    for number, collection in enumerate(collections, start=1):
        rows = np.flatnonzero(state.project.round_of == number).tolist()
        for start in range(0, len(rows), BATCH):
            chosen = rows[start : start + BATCH]
            names = [state.project.units[row][0] for row in chosen]
            yield from zip(chosen, collection.documents_named(names), strict=True)


def _reasons_notes_readers(state: ReviewState, row: int) -> tuple[str, str, str]:
    """The reasons, the notes and the readers of a unit."""
    unit = state.project.units[row][0]
    reasons, notes, readers = [], [], []
    for stage in (*state.project.topics, AUDIT):
        for name, mark in state.marks_of(row, stage).items():
            readers.append(name)
            if mark.reason and mark.reason != KNOWN:
                reasons.append(mark.reason)
        said = {name: state.judging.notes.get((name, stage, unit)) for name in state.judging.roles}
        notes += [f"{name}: {visible(note, chr(10))}" for name, note in said.items() if note]  # also of unread ones
    return "; ".join(dict.fromkeys(reasons)), "; ".join(notes), ", ".join(dict.fromkeys(readers))


def review_ris(state: ReviewState, stage: str = "") -> bytes:
    """All documents as RIS, with labels in the notes as ASReview writes and reads them."""
    grades, out, tags = decisions(state, stage), [], tags_by_document(state.judging)
    for row, document in _documents(state):
        reasons, notes, _ = _reasons_notes_readers(state, row)
        tagged = f"tags: {'; '.join(tags[document.id])}" if document.id in tags else ""
        unsure = "unsure" if grades[row] == UNSURE else ""
        out.append(reference(document, [LABELS[int(grades[row])], unsure, reasons, notes, tagged]))
    return "".join(out).encode("utf-8", "replace")


def review_nbib(state: ReviewState, stage: str = "") -> bytes:
    """All documents in PubMed's own form, with the decision, the reasons and the notes in its general notes."""
    grades, out, tags = decisions(state, stage), [], tags_by_document(state.judging)
    for row, document in _documents(state):
        reasons, notes, _ = _reasons_notes_readers(state, row)
        tagged = f"tags: {'; '.join(tags[document.id])}" if document.id in tags else ""
        out.append(citation(document, [WORDS[int(grades[row])], reasons, notes, tagged]))
    return "".join(out).encode("utf-8", "replace")


def review_table(state: ReviewState, stage: str = "") -> Table:
    """All documents in a table, with the decision, the reasons and who read them."""
    grades = decisions(state, stage)
    draw_of = {row: place for draws in state.draws.values() for place, row in enumerate(draws.order.tolist(), start=1)}
    columns = [
        "record_id",
        "title",
        "abstract",
        "authors",
        "year",
        "included",
        "decision",
        "reasons",
        "notes",
        "read_by",
        "tags",
        "draw",
        "round",
        *ABOUT,
    ]
    rows: list[list[object]] = []
    tags = tags_by_document(state.judging)
    for row, document in _documents(state):
        grade = int(grades[row])
        rows.append(
            [
                document.id,
                document.title,
                document.abstract,
                "; ".join(document.inventors),
                document.publication,
                grade if grade >= 0 else "",
                WORDS[grade],
                *_reasons_notes_readers(state, row),
                "; ".join(tags.get(document.id, ())),
                draw_of.get(row, ""),
                int(state.project.round_of[row]),
                *_about(document),
            ]
        )
    return Table(columns, rows)


def _about(document: Document) -> list[str]:
    """What is known of where a document was published, as columns of a table."""
    return [printed_pages(document) if name == "pages" else "; ".join(about(document, name)) for name in ABOUT]


def finished_review(state: ReviewState) -> LabelledReview:
    """The review with all its labels, to try other learners and rules on; what nobody read is not relevant."""
    relevant = state.relevant()
    if not relevant.any() or relevant.all():
        problem = "everything is relevant" if relevant.any() else "nothing was found relevant yet"
        raise InputError(str(state.project.folder), f"{problem}: a learner needs both kinds")
    names = tuple(unit[0] for unit in state.project.units)
    return LabelledReview(topic_of(state), names, state.project.features(), relevant)
