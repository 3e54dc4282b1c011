"""The names of the headings of a thesaurus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.pipeline.synonyms.thesaurus import Thesaurus, synonym_source

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@synonym_source("headings")
def headings(context: SearchContext) -> Thesaurus:
    """The names of each heading of the thesaurus that the index keeps."""
    if context.index.thesaurus is None:
        problem = "keeps no thesaurus: `leadline index` keeps one with --update --thesaurus FILE"
        raise InputError(str(context.index.folder), problem)
    return Thesaurus.of(context.index.thesaurus.groups())
