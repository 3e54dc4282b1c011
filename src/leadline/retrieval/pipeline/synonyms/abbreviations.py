"""The abbreviations of the collection as synonyms: learned when they are first asked for, and kept beside the index."""

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

KEPT = "abbreviations.tsv"


@synonym_source("abbreviations")
def abbreviations(context: SearchContext) -> Thesaurus:
    """Short forms and what they are short for, as the collection itself says: "polyvinyl alcohol (PVA)"."""
    path, about = context.index.folder / KEPT, f"learned from the collection {context.collection.manifest['hash']}"
    found = _kept(path, about)
    if found is None:
        found = learn(context.collection)
        # An index that cannot be written is searched all the same.
        with contextlib.suppress(OSError, InputError), OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
            if KEPT in owned.names or not os.path.lexists(path):
                owned.add(KEPT)
                write_learned(found, path, about)
    return Thesaurus.of([each.short, each.long] for each in found)


def _kept(path: Path, about: str) -> list[Learned] | None:
    """What was learned before; None where nothing was, or from another collection, or the file is damaged."""
    try:
        opening, _, table = stored_bytes(path).partition(b"\n")
        if opening.decode() != f"# {about}, checksum {zlib.crc32(table):08x}":
            return None
        _, *lines = table.decode().splitlines()
        cells = [line.split("\t") for line in lines]
        return [Learned(short, long, int(documents), by) for short, long, documents, by in cells]
    except (OSError, ValueError):
        return None
