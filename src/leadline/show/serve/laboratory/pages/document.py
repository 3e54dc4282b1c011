"""One document: its texts and claims, its citations both ways, its family, and how it was judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import HTTPException, Query

from leadline.errors import InputError
from leadline.records.scores.table import Table
from leadline.show.lab.assessor_marks import COLUMNS, marks_of
from leadline.show.lab.document_facts import document_facts, judgements_of
from leadline.show.lab.opened import OpenedLab
from leadline.show.serve.laboratory.pages.collection import check_name
from leadline.show.serve.laboratory.views import Shown


def document_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of a document."""

    def document(
        name: str,
        id: str,
        topic: Annotated[str, Query(description="a topic, to show how the document was judged for it")] = "",
        qrels: Annotated[str, Query(description="judgements; those of all sets are shown")] = "",
    ) -> Shown:
        """A document with its claims, citations both ways, family, near-duplicates and judgements."""
        check_name(opened, "collection", name)
        if qrels:
            check_name(opened, "qrels", qrels)
        try:
            facts = document_facts(opened, name, id)
        except InputError as error:
            raise HTTPException(404, str(error)) from None
        empty = Table(["judgements", "grade", "means", "why"], [])
        judged = judgements_of(opened, facts["document"], topic) if topic else empty
        marks = marks_of(opened.lab, facts["document"], topic) if topic else Table(COLUMNS, [])
        return {**facts, "topic": topic, "qrels": qrels, "judged": judged, "marks": marks}

    return document
