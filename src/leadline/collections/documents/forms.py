"""Documents written as files in the forms in which offices and publishers give them, to be read back as they were.

DIR/FORM/NAME-0001.xml    documents of one form, up to a thousand a file; FORM is the name of its reader and writer
DIR/manifest.json         how many documents each form has, the fields it had no place for, a hash of each file
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.writing import add_concerned_claims, has_strange_characters, normal, without
from leadline.collections.documents.registry import WRITERS, FormWriter
from leadline.errors import InputError, checked_choice
from leadline.text.checksums import Finding, check_file, file_sha256, finding_of, read_sealed, sealed
from leadline.text.files import reported, write_stored
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed

KIND, KIND_NAME = "publication folder", "documents in the forms of offices"
VERSION = 1
MANIFEST = "manifest.json"
REPAIR = "write the documents again"
STRANGE = "characters that XML does not allow"
_MOST_DOCUMENTS, _MOST_BYTES = 1000, 32 << 20  # of a file
_FILE = re.compile(r"\w+/[\w-]+\.\w+")


def held(document: Document, writer: FormWriter) -> Document:
    """A document as a form holds it: what the form's reader gives when the document is written and read.

    >>> held(Document("EP1", title=" A  nail", applicants=("Muster AG",)), WRITERS["ris"])
    Document('EP1', title='A nail')
    """
    return _held(normal(document), writer)


def _held(normalised: Document, writer: FormWriter) -> Document:
    return writer.limit(without(normalised, writer.holds))


def encoded(documents: Iterable[Document], form: str) -> bytes:
    """The file with these documents in a form."""
    writer = WRITERS.named(form)
    return _whole(writer, [_written(writer, held(document, writer), {}) for document in documents])


def _written(writer: FormWriter, document: Document, concerned: Mapping[tuple[str, str], str]) -> Any:
    """A document as what stands in a file: bytes, or an element where another stands around all."""
    made = writer.function(document)
    if isinstance(made, bytes):
        return made
    if concerned and "citations.category" in writer.holds:
        claims = {cited: concerned.get((document.id, cited), "") for cited in _cited(document)}
        add_concerned_claims(made, claims)
    if writer.around is not None:
        return made
    from lxml import etree

    type_ = writer.types.get(made.tag)
    doctype = f"<!DOCTYPE {type_}>" if type_ else None
    return etree.tostring(made, xml_declaration=True, encoding="UTF-8", doctype=doctype) + b"\n"


def _cited(document: Document) -> Iterator[str]:
    """The numbers of the documents that a search report cites."""
    return (citation.number for citation in document.citations if citation.origin == "examiner" and citation.category)


def _whole(writer: FormWriter, written: Sequence[Any]) -> bytes:
    if writer.around is None:
        return b"".join(written)
    from lxml import etree

    around = writer.around()
    around.text = "\n"
    for element in written:
        element.tail = "\n"
        around.append(element)
    content: bytes = etree.tostring(around, xml_declaration=True, encoding="UTF-8")
    return content + b"\n"


@dataclass
class _PendingFile:
    """The documents that wait for their file."""

    documents: list[Any] = field(default_factory=list)
    bytes: int = 0  # about
    files: int = 0


@dataclass
class _FormCounts:
    """What was written in one form."""

    documents: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def write_forms(
    documents: Iterable[Document],
    folder: str | os.PathLike[str],
    forms: Sequence[str] = (),
    *,
    concerned: Mapping[tuple[str, str], str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Write documents as files, each in every form that takes it; return the manifest.

    `forms` are the names of the forms: all by default. `concerned` are the claims that a document of a search report
    concerns, such as `1-3, 5`, by the ids of the citing and the cited document. What was written to the folder before
    is replaced. What is not ours stays; where it is in the way, that is an error.
    """
    for name in forms:
        checked_choice("forms", name, list(WRITERS))
    writers = [WRITERS[name] for name in forms or WRITERS]
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        for name in {each.name for each in writers}:
            if (owned.path / name).is_symlink():
                raise InputError(str(owned.path / name), "is a link: name a new folder for the files")
        owned.reserve(MANIFEST, *(each.name for each in writers))
        for left in owned.remove(owned.names):
            if left not in WRITERS:
                raise InputError(str(owned.path / left), "cannot be replaced: name a new folder for the files")
        files = _FormFiles(owned, concerned or {})
        count = 0
        for count, document in enumerate(documents, start=1):
            files.add(document, writers)
            if progress is not None:
                progress(count)
        if not count:
            raise InputError(os.fspath(folder), "there are no documents to write")
        manifest = _manifest(files.finish(), count, files.counts)
        write_stored(owned.path / MANIFEST, sealed(manifest))
        owned.keep_only([MANIFEST, *manifest["forms"], *manifest["files"]])
        return manifest


def check_place(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder to which documents in forms cannot be written, before any work."""
    with OwnedFolder.locked(folder, KIND, VERSION):
        pass


class _FormFiles:
    """The files of a folder in the making: a file is written once it is full."""

    def __init__(self, owned: OwnedFolder, concerned: Mapping[tuple[str, str], str]) -> None:
        self.owned, self.concerned = owned, concerned
        self.counts: dict[str, _FormCounts] = {}
        self._pending: dict[tuple[str, str], _PendingFile] = {}
        self._hashes: dict[str, str] = {}

    def add(self, document: Document, writers: Iterable[FormWriter]) -> None:
        """Write a document in every form that takes it."""
        plain = normal(document)
        strange = any(map(has_strange_characters, _texts(document)))
        for writer in writers:
            if not writer.takes(document):
                continue
            limited = _held(plain, writer)
            said = self.counts.setdefault(writer.name, _FormCounts())
            said.documents += 1
            said.left_out.update(lost_fields(plain, limited))
            said.left_out.update([STRANGE] * strange)
            pending = self._pending.setdefault((writer.name, writer.file(document)), _PendingFile())
            pending.documents.append(_written(writer, limited, self.concerned))
            pending.bytes += len(plain.title) + len(limited.abstract) + len(limited.description)
            if len(pending.documents) >= _MOST_DOCUMENTS or pending.bytes >= _MOST_BYTES:
                self._write(writer, writer.file(document), pending)

    def finish(self) -> dict[str, str]:
        """Write the last files; return the hashes of all by their names."""
        for (name, file), pending in self._pending.items():
            if pending.documents:
                self._write(WRITERS[name], file, pending)
        return self._hashes

    def _write(self, writer: FormWriter, file: str, pending: _PendingFile) -> None:
        pending.files += 1
        name = f"{writer.name}/{file}-{pending.files:04}{writer.suffix}"
        path = self.owned.path / name
        with reported(path.parent):
            path.parent.mkdir(exist_ok=True)
        self.owned.reserve(name)
        write_stored(path, _whole(writer, pending.documents))
        self._hashes[name] = file_sha256(path)
        pending.documents, pending.bytes = [], 0


def _texts(document: Document) -> Iterator[str]:
    yield from (document.title, document.abstract, document.description, *document.applicants, *document.inventors)
    yield from (claim.text for claim in document.claims)
    yield from (citation.text for citation in document.citations)


def lost_fields(document: Document, limited: Document) -> list[str]:
    """The fields of a document that differ in what a form holds of it; of citations, which of their parts."""
    lost = [name for name in _FIELDS if getattr(document, name) != getattr(limited, name)]
    if "reference" in lost and set(document.reference) <= set(limited.reference):
        lost.remove("reference")  # what a form adds is no loss
    for name in ("citations", "priorities"):
        if name in lost and sorted(map(repr, getattr(document, name))) == sorted(map(repr, getattr(limited, name))):
            lost.remove(name)  # in another order
    if "citations" in lost and sorted(_without_origin(document)) == sorted(_without_origin(limited)):
        lost[lost.index("citations")] = "details of citations"
    return lost


_FIELDS = tuple(Document.__dataclass_fields__)


def _without_origin(document: Document) -> Iterator[tuple[str, str]]:
    return ((citation.number, citation.text) for citation in document.citations)


def notes_of(manifest: Mapping[str, Any]) -> list[str]:
    """What each form has, and of how many documents it had no place for what, in a line each."""
    notes = []
    for name, said in manifest["forms"].items():
        left_out = ", ".join(f"{what} ({count:,})" for what, count in said["left out"].items())
        left_out = f"; left out: {left_out}" if left_out else ""
        notes.append(f"{name}: {said['documents']:,} documents{left_out}")
    return notes


def _manifest(hashes: Mapping[str, str], documents: int, counts: Mapping[str, _FormCounts]) -> dict[str, Any]:
    from leadline.version import __version__

    return {
        "what": KIND_NAME,
        "version": VERSION,
        "leadline": __version__,
        "documents": documents,
        "forms": {
            name: {"documents": said.documents, "left out": dict(sorted(said.left_out.items()))}
            for name, said in sorted(counts.items())
        },
        "files": dict(sorted(hashes.items())),
    }


def check_forms(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a folder of documents in forms; nothing where it is as it was written."""
    yield from check_identity(folder)
    path = folder / MANIFEST
    try:
        manifest = read_sealed(path, KIND_NAME, VERSION, REPAIR, number="version")
        if manifest is None:
            raise InputError(str(path), f"is missing: {REPAIR}")
        files = manifest.get("files")
        if not isinstance(files, dict) or not all(_FILE.fullmatch(name) for name in files):
            raise InputError(str(path), f"is damaged, `files` does not list files of the folder: {REPAIR}")
    except InputError as error:
        yield finding_of(error, REPAIR)
        return
    yield from check_listed(folder, [MANIFEST, *files, *{name.partition("/")[0] for name in files}])
    for name, sha256 in files.items():
        yield from check_file(folder / name, sha256, REPAIR)
