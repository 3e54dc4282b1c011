"""A simulated office as files: its collection, topics, judgements, true judgements, settings; and its check.

DIR/manifest.json               settings, seed, versions, counts, hashes
DIR/collection/                 the documents
DIR/topics.tsv                  patents whose prior art is searched
DIR/qrels.citations.txt         judgements from citations (.why.tsv: the citations behind them)
DIR/qrels.true.txt              the true judgements: topic 0 document grade
DIR/qrels.true.claims.txt       the same by claim: topic claim document grade weight
DIR/surveys.xml                 topics in words, where there are any
DIR/qrels.surveys.txt           their true judgements
DIR/search-reports.tsv          which claims each document of a search report concerns (with --words chemistry)
DIR/office-actions.jsonl        American office actions, as `leadline qrels rejections` reads them (likewise)
DIR/truth/*.parquet             concepts, inventions, claims, prior art, searches of the examiners
DIR/new/                        an office in the making: all of it is made there, then it replaces the one before
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.build_folder import KIND as COLLECTION
from leadline.collections.documents.collection import (
    Collection,
    check_collection,
)
from leadline.collections.documents.collection_files import VERSION as COLLECTION_FORMAT
from leadline.collections.documents.collection_files import read_manifest as read_collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.forms import write_forms
from leadline.collections.simulate.inventions import Integers, generator
from leadline.collections.simulate.office import (
    TABLES,
    SimulatedOffice,
    build_office,
    make_surveys,
    statistics,
    true_claim_qrels,
    true_qrels,
)
from leadline.collections.simulate.printing import (
    Printer,
    findings,
    office_actions,
    office_documents,
    reported_claims,
    search_reports,
)
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError
from leadline.judge.citations import count_relevant, from_citations, sample_topics
from leadline.records.topics import Topics, encoded_as
from leadline.text.checksums import Finding, check_file, file_sha256, finding_of, read_sealed, sealed
from leadline.text.files import reported, sync_folder, write_stored
from leadline.text.owned_files import is_owned
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed, discard

KIND, KIND_NAME = "simulated office", "a simulated patent office"
VERSION = 2  # 1: the manifest without its own checksum
MANIFEST = "manifest.json"
REPAIR = "simulate the office again"
JUDGED = ("topics.tsv", "qrels.citations.txt", "qrels.true.txt", "qrels.true.claims.txt")
WHY = f"{JUDGED[1]}.why.tsv"
SURVEYED = ("surveys.xml", "qrels.surveys.txt")
LETTERS = ("search-reports.tsv", "office-actions.jsonl")
TABLE_FILES = tuple(f"truth/{name}.parquet" for name in TABLES)
NEW = "new"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class OfficeOnDisk:
    """An office that was written to disk."""

    office: SimulatedOffice
    topics: Integers  # as indices of the office's documents
    manifest: dict[str, Any]


def write_office(settings: Settings, folder: str | os.PathLike[str], progress: Progress | None = None) -> OfficeOnDisk:
    """Simulate an office and write all of it; an office that is there is replaced once the new one is complete."""
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        owned.reserve(MANIFEST, "collection", "truth", *TABLE_FILES, *JUDGED, WHY, *SURVEYED, *LETTERS, NEW)
        _check_removable(owned)
        making = OwnedFolder.claim(owned.path / NEW, KIND, VERSION)
        making.remove_leftovers()
        made = _write_office(settings, making, progress or (lambda _done, _total: None))
        _replace(owned, making)
        return made


def _check_removable(owned: OwnedFolder) -> None:
    """Refuse to replace an office with links or other people's files in it, before any work."""
    for name in ("collection", "truth", NEW):
        if (owned.path / name).is_symlink():
            raise InputError(str(owned.path / name), "is a link: name a new folder for the office")
    collection = owned.path / "collection"
    inside = OwnedFolder.open(collection, COLLECTION, COLLECTION_FORMAT).strangers() if is_owned(collection) else ()
    for stranger in inside:
        raise InputError(str(stranger), "is not of this collection: move it, or name a new folder for the office")


def _replace(owned: OwnedFolder, making: OwnedFolder) -> None:
    """Put the new office in the place of the old one.

    All of the old one goes before anything of the new one comes, the manifest first and last: whenever this is stopped,
    what is there is of one office, and without a manifest it is known to be incomplete.
    """
    place = owned.path
    with reported(place):
        owned.remove([MANIFEST])
        sync_folder(place)
        discard(place / "collection")
        for name in owned.remove([*TABLE_FILES, "truth", "collection", *JUDGED, WHY, *SURVEYED, *LETTERS]):
            raise InputError(str(place / name), "cannot be replaced: name a new folder for the office")
        sync_folder(place)
        for name in sorted(making.names - {MANIFEST}):
            if "/" not in name and os.path.lexists(making.path / name):
                os.replace(making.path / name, place / name)
        sync_folder(place)
        os.replace(making.path / MANIFEST, place / MANIFEST)
        sync_folder(place)
    discard(making.path)


def _write_office(settings: Settings, owned: OwnedFolder, step: Progress) -> OfficeOnDisk:
    """Write all files of an office to a folder. The manifest comes last: when it is there, everything is."""
    place = owned.path
    owned.reserve(MANIFEST, "collection", "truth", *TABLE_FILES, *JUDGED, WHY, *SURVEYED, *LETTERS)
    owned.remove([MANIFEST, *JUDGED, WHY, *SURVEYED, *LETTERS])  # of another office that was never finished
    with reported(place / "truth"):
        (place / "truth").mkdir(exist_ok=True)
    office = build_office(settings, lambda done, total: step(done, 3 * total))  # a third of the work, about
    origin = {"simulated": dataclasses.asdict(settings), "fingerprint": _fingerprint(office)}
    collection = write_collection(_with_progress(office, step), place / "collection", origin)
    for name, table in TABLES.items():
        content = io.BytesIO()
        table(office).write_parquet(content)
        write_stored(place / "truth" / f"{name}.parquet", content.getvalue())
    topics = _write_topics(office, place) if settings.topics else np.zeros(0, np.int64)
    if settings.surveys:
        _write_surveys(office, place)
    if office.subject.procedure:
        _write_letters(office, place)
    files = [*TABLE_FILES, *([*JUDGED, WHY] if settings.topics else []), *(SURVEYED if settings.surveys else [])]
    files += LETTERS if office.subject.procedure else ()
    manifest = _manifest(office, topics, collection["hash"], place, files)
    write_stored(place / MANIFEST, sealed(manifest))
    return OfficeOnDisk(office, topics, manifest)


def write_office_forms(
    made: OfficeOnDisk, folder: str | os.PathLike[str], progress: Progress | None = None
) -> dict[str, Any]:
    """Write the documents of an office as files in the forms of offices; return the manifest of the folder."""
    step, count = progress or (lambda _done, _total: None), len(made.office.all_ids)
    reports = reported_claims(made.office, findings(made.office)) if made.office.subject.procedure else ()
    concerned = {(citing, cited): claims for citing, cited, _, claims in reports}
    documents = office_documents(made.office)
    return write_forms(documents, folder, concerned=concerned, progress=lambda done: step(done, count))


def _fingerprint(office: SimulatedOffice) -> str:
    """A hash of the office: another version of the program may make another office from the same settings."""
    arrays = (office.claims.concepts, office.pairs.earlier, office.cited.document, office.publications.published)
    words = repr(list(Printer(office).block(0)))
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays) + words.encode()).hexdigest()


def _with_progress(office: SimulatedOffice, progress: Progress) -> Iterator[Document]:
    """The documents, which are two thirds of the work; `progress` gets how much is done."""
    count = len(office.all_ids)
    for done, document in enumerate(office_documents(office)):
        if done % 500 == 0:
            progress(count + 2 * done, 3 * count)
        yield document


def _write_topics(office: SimulatedOffice, place: Path) -> Integers:
    """Sample topics among patents that have true prior art, and write them with both kinds of judgements."""
    collection = Collection.open(place / "collection")
    has_prior_art = np.zeros(len(office.all_ids), np.bool_)  # an article is no topic
    has_prior_art[: len(office.publications)] = np.isin(office.publications.invention, office.pairs.invention)
    counts = count_relevant(collection, np.flatnonzero(has_prior_art).astype(np.uint32))
    sample = sample_topics(
        collection.records,
        counts,
        generator(office.settings.seed, "topics"),
        number=office.settings.topics,
        masks={"without true prior art": has_prior_art},
    )
    write_stored(place / "topics.tsv", encoded_as(sample.topics, ".tsv"))
    _write_citations(collection, sample.topics, place / "qrels.citations.txt")
    topics = np.asarray(collection.rows(sample.topics.ids), np.int64)
    write_stored(place / "qrels.true.txt", true_qrels(office, topics).to_bytes())
    write_stored(place / "qrels.true.claims.txt", true_claim_qrels(office, topics).to_bytes())
    return topics


def _write_letters(office: SimulatedOffice, place: Path) -> None:
    """Write the search reports and the office actions."""
    import polars as pl

    records = pl.concat(Collection.open(place / "collection").texts(["application_number", "inventors"]))
    names = [people[0].partition(",")[0] for people in records["inventors"][: len(office.ids)].to_list()]
    found = findings(office)
    write_stored(place / LETTERS[0], search_reports(office, found))
    write_stored(place / LETTERS[1], office_actions(office, found, records["application_number"].to_list(), names))


def _write_surveys(office: SimulatedOffice, place: Path) -> None:
    """Write the topics in words and their true judgements."""
    topics, qrels = make_surveys(office)
    write_stored(place / SURVEYED[0], encoded_as(topics, Path(SURVEYED[0]).suffix))
    write_stored(place / SURVEYED[1], qrels.to_bytes())


def _write_citations(collection: Collection, topics: Topics, path: Path) -> None:
    provenance = from_citations(collection, topics).provenance
    write_stored(path, provenance.qrels(name=str(path)).to_bytes())
    write_stored(f"{path}.why.tsv", provenance.to_bytes())


def _manifest(
    office: SimulatedOffice, topics: Integers, collection: str, place: Path, files: Sequence[str]
) -> dict[str, Any]:
    from leadline.version import __version__

    return {
        "what": KIND_NAME,
        "version": VERSION,
        "leadline": __version__,
        "numpy": np.__version__,  # whose generators may change their draws from one version to another
        "settings": dataclasses.asdict(office.settings),
        "statistics": statistics(office, topics),
        "collection": collection,
        "files": {name: file_sha256(place / name) for name in sorted(files)},
    }


# A check of a simulated office in full: its collection, truth tables, topics and judgements.


_NAME = re.compile(r"(truth/)?[\w][\w.-]*")


def check_office(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a simulated office; nothing where it is as it was written."""
    yield from check_identity(folder)
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        yield finding_of(error, REPAIR)
        return
    if manifest["version"] >= VERSION:  # folders of earlier versions have no identity
        yield from check_listed(folder, [MANIFEST, "collection", "truth", *manifest["files"]])
    for name, sha256 in manifest["files"].items():
        yield from check_file(folder / name, sha256, REPAIR)
    yield from check_collection(folder / "collection")
    try:
        if read_collection(folder / "collection")["hash"] != manifest.get("collection"):
            yield Finding(str(folder / "collection"), "is of another office", REPAIR)
    except InputError:
        pass  # which the check of the collection says


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an office; InputError where it is missing, damaged or of a newer format."""
    path = folder / MANIFEST
    manifest = read_sealed(path, KIND_NAME, VERSION, REPAIR, number="version", unsealed=1)
    if manifest is None:
        raise InputError(str(path), f"is missing: {REPAIR}")
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(_NAME.fullmatch(name) for name in files):
        raise InputError(str(path), f"is damaged, `files` does not list files of the office: {REPAIR}")
    return manifest
