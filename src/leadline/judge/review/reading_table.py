"""A review in a table: the documents read, in their order, and which of them were drawn at random."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leadline.collections.documents.fields.review_record import grade
from leadline.errors import InputError
from leadline.judge.review.certificate import Certificate
from leadline.judge.review.learner import Labels
from leadline.text.frames import DOCUMENT
from leadline.text.sheet import Sheet, sheet_of_text
from leadline.text.source import read_text

RELEVANT = ("relevant", "included", "label_included", "label", "grade")
DRAWN = ("drawn", "random")
OPEN = {"unsure", "maybe", "skip", "skipped", "?"}  # counted as relevant: the certificate must not profit from them


@dataclass(frozen=True)
class ReadingTable:
    """What was read: in the order of a learner or any other, then at random."""

    before: Labels  # whether each document before the switch is relevant
    drawn: Labels  # the same of the random draws
    unsure: int  # how many of all are neither, and count as relevant

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ReadingTable:
        """Read a table with the columns document, relevant and, unless nothing was drawn at random, drawn."""
        sheet = sheet_of_text(read_text(path))
        documents = sheet.labels(sheet.pick(DOCUMENT))
        place, chance = sheet.pick(RELEVANT), sheet.find(DRAWN)
        labels = [_label(sheet, row, place) for row in range(len(documents))]
        at_random = [chance is not None and _label(sheet, row, chance) == "yes" for row in range(len(documents))]
        seen: dict[str, int] = {}
        for row, document in enumerate(documents):
            if document in seen:
                raise sheet.error(row, f"{document} is there twice, first in {sheet.where(seen[document])}")
            seen[document] = row
        switch = at_random.index(True) if any(at_random) else len(documents)
        if not all(at_random[switch:]):
            row = switch + at_random[switch:].index(False)
            problem = "was not drawn at random, but comes after random draws: from the first draw on, all must be"
            raise sheet.error(row, f"{documents[row]} {problem}")
        relevant = np.array([each != "no" for each in labels], np.bool_)
        return cls(relevant[:switch], relevant[switch:], labels.count("unsure"))

    def certificate(self, documents: int, target: float, alpha: float) -> Certificate:
        """The certificate after the last draw, if the collection has so many documents."""
        *_, last = self.looks(documents, target, alpha)
        return last

    def looks(self, documents: int, target: float, alpha: float) -> Iterator[Certificate]:
        """The certificate at the switch, and after each draw."""
        unread = documents - len(self.before)
        if unread < len(self.drawn):
            problem = (
                f"{documents:,} documents are fewer than the {len(self.before) + len(self.drawn):,} that were read"
            )
            raise InputError("documents", problem)
        certificate = Certificate(int(self.before.sum()), unread, target, alpha)
        yield certificate
        for relevant in self.drawn.tolist():
            certificate = certificate.add(relevant)
            yield certificate


def _label(sheet: Sheet, row: int, column: int) -> str:
    """yes, no or unsure."""
    written = str(sheet.rows[row][column]).strip().lower().removesuffix(".0")
    if written in OPEN:
        return "unsure"
    try:
        found = grade(written)
    except ValueError:
        found = None
    if found is None:
        raise sheet.error(row, f"{sheet.columns[column]} {written[:40]!r} is not yes, no or unsure (1, 0 or ?)")
    return "yes" if found else "no"
