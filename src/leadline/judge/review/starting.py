"""Begin a review, or add to it: from files or a collection, from a list of candidates, with what is known already."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from leadline.collections.documents.build import build, write_collection
from leadline.collections.documents.labels import read_labels
from leadline.collections.documents.store import Collection
from leadline.collections.documents.tables import TWICE
from leadline.errors import InputError, LeadlineWarning, visible
from leadline.judge.assessors.journal import Event
from leadline.judge.review.asreview_project import ENDING, read_asreview_project
from leadline.judge.review.learner import Rows
from leadline.judge.review.project import ReviewProject, ReviewSettings, family_units, known_events
from leadline.records.runs.read_runs import read_run
from leadline.records.scores.result import counted
from leadline.text.owned_folder import discard, is_owned
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
) -> ReviewProject:
    """Begin a review of documents: files of any form, an ASReview project, or a collection.

    `candidates` lists which of them are read: a run, judgements, or ids one per line. `known` are ids of relevant
    documents. With `labels`, the labels in the files are taken over, from `column` where that is given; those of an
    ASReview project always are.
    """
    return _add(ReviewProject.create(folder, settings), documents, candidates, known, labels, column)


def extend_review(
    project: ReviewProject,
    documents: Sequence[PathLike],
    *,
    candidates: PathLike | None = None,
    known: Sequence[str] = (),
    labels: bool = False,
    column: str | None = None,
) -> ReviewProject:
    """Add the documents that are not in a review yet, as another round."""
    return _add(project, documents, candidates, known, labels, column)


def _add(
    project: ReviewProject,
    documents: Sequence[PathLike],
    candidates: PathLike | None,
    known: Sequence[str],
    labels: bool,
    column: str | None,
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
        grown = project.add_round(collection, units, sources, twice)
    marks = {each: grade for each, grade in given.items() if each in grown.row_of} | dict.fromkeys(relevant, 1)
    add_known(grown, marks)
    return grown


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
