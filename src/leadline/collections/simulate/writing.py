"""What every writer of texts shares: what it writes, and which name of a concept each document uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from leadline.collections.documents.document import Claim
from leadline.collections.simulate.inventions import Integers, hashed_uniform, preferred_form, years_of
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.settings import AUTHORITIES

BLOCK = 64  # families written at a time; the texts depend on it, so it is not an option
EDITS = {"same": 0.0, "grant": 0.02, "office": 0.05, "translation": 0.12}  # share of the words and sentences changed
_RENAMED = {"same": 0.0, "grant": 0.02, "office": 0.05, "translation": 0.30}  # share of the concepts with another name


class DocumentText(NamedTuple):
    """The texts of one document."""

    title: str
    abstract: str
    description: str
    claims: tuple[Claim, ...]


class Writer(Protocol):
    """Writes what an office publishes, in one kind of words. Rows are inventions, documents are publications."""

    def block(self, number: int) -> Iterator[DocumentText]:
        """The documents of one block of families, in their order."""

    def articles(self, block: int) -> Iterator[DocumentText]:
        """The articles of one block, in their order."""

    def applicants(self, rows: Integers) -> list[str]:
        """The applicant of each invention."""

    def inventors(self, rows: Integers) -> list[tuple[str, ...]]:
        """The inventors of each invention."""

    def classes(self, rows: Integers) -> list[tuple[str, ...]]:
        """The symbols of each invention, the main one first."""

    def priority_number(self, office: str, year: int, row: int) -> str:
        """The number of the first application for an invention."""

    def later_number(self, office: str, year: int, application: int) -> str:
        """The number of an application abroad."""

    def cpc(self, office: str, ipc: tuple[str, ...]) -> tuple[str, ...]:
        """The symbols of the cooperative classification beside those of the international one."""


class HouseStyles:
    """The names that documents use for concepts: those of their applicants, or others after a translation."""

    def __init__(self, office: SimulatedOffice) -> None:
        self.settings, self.inventions, self.concepts = office.settings, office.inventions, office.concepts
        self.publications, self.articles = office.publications, office.articles
        self._renamed = np.array(list(_RENAMED.values()))

    def changes(self, documents: Integers) -> Integers:
        """How far each document is from the first of its family, as an index into EDITS."""
        publications = self.publications
        first = publications.starts[publications.invention[documents]]
        languages = np.array([authority.language for authority in AUTHORITIES])
        same_office = publications.office[documents] == publications.office[first]
        same_language = languages[publications.office[documents]] == languages[publications.office[first]]
        change = np.where(same_office, 1, np.where(same_language, 2, 3))
        return np.where(documents == first, 0, change)

    def forms(self, documents: Integers, concept: Integers) -> Integers:
        """The form in which each document names a concept: its applicant's, or another after a translation."""
        row = self.publications.invention[documents]
        applicant, year = self.inventions.applicant[row], self.inventions.years[row]
        form = preferred_form(self.settings, self.concepts, applicant, concept, year)
        renamed = self._renamed[self.changes(documents)]
        other = hashed_uniform(self.settings.seed, 31, row, self.publications.office[documents], concept) < renamed * (
            self.settings.synonymy > 0
        )
        return np.where(other, (form + 1) % self.concepts.forms[concept], form)

    def forms_of_authors(self, articles: Integers, concept: Integers) -> Integers:
        """The form in which the author of each article names a concept."""
        author, year = self.articles.author[articles], years_of(self.articles.published[articles])
        return preferred_form(self.settings, self.concepts, author, concept, year)
