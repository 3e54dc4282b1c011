"""The abbreviations of the collection as synonyms: learned on first use, and stored in the folder of the index."""

from __future__ import annotations

import contextlib
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.index.manifest import KIND, VERSION
from leadline.retrieval.pipeline.synonyms.learning import Learned, learn, write_learned
from leadline.retrieval.pipeline.synonyms.synonym_sources import synonym_source
from leadline.retrieval.pipeline.synonyms.thesaurus import Thesaurus
from leadline.text.owned_folder import OwnedFolder
from leadline.text.stored import stored_bytes

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

FILE_NAME = "abbreviations.tsv"


@synonym_source("abbreviations")
def abbreviations(context: SearchContext) -> Thesaurus:
    """Short and long forms, as the texts of the collection define them: "polyvinyl alcohol (PVA)"."""
    path = context.index.folder / FILE_NAME
    about = f"learned from the collection {context.collection.manifest['hash']}"
    learned = _read_stored(path, about)
    if learned is None:
        learned = learn(context.collection)
        # A read-only index can still be searched.
        with contextlib.suppress(OSError, InputError), OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
            if FILE_NAME in owned.names or not os.path.lexists(path):
                owned.add(FILE_NAME)
                write_learned(learned, path, about)
    return Thesaurus.of([each.short, each.long] for each in learned)


def _read_stored(path: Path, about: str) -> list[Learned] | None:
    """The stored abbreviations; None where the file is missing, damaged, or from another collection."""
    try:
        opening, _, table = stored_bytes(path).partition(b"\n")
        if opening.decode() != f"# {about}, checksum {zlib.crc32(table):08x}":
            return None
        _, *lines = table.decode().splitlines()
        cells = [line.split("\t") for line in lines]
        return [Learned(short, long, int(documents), by) for short, long, documents, by in cells]
    except (OSError, ValueError):
        return None
