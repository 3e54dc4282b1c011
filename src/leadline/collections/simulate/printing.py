"""Documents as offices publish them: texts with numbers, dates, classes, people and citations; and articles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.simulate.chemistry.texts import ChemistryWriter
from leadline.collections.simulate.citations import CATEGORY, ORIGIN
from leadline.collections.simulate.invented_texts import InventedWriter
from leadline.collections.simulate.inventions import Integers, hashed_uniform, years_of
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.settings import AUTHORITIES
from leadline.collections.simulate.writing import BLOCK, Writer
from leadline.text.days import EPOCH

WRITERS: dict[str, Callable[[SimulatedOffice], Writer]] = {"chemistry": ChemistryWriter, "invented": InventedWriter}
_RECLASSIFIED = 0.1  # share of the documents whose office puts another symbol first than the rest of the family


def office_documents(office: SimulatedOffice) -> Iterator[Document]:
    """All documents of an office, the articles last. They are made block by block, so a million need little memory.

    >>> from leadline.collections.simulate.office import build_office
    >>> from leadline.collections.simulate.settings import Settings
    >>> sum(1 for document in office_documents(build_office(Settings(patents=300, topics=0))))
    300
    """
    printer = Printer(office)
    for block in range(printer.blocks):
        yield from printer.block(block)
    yield from article_documents(office)


class Printer:
    """Makes the documents of an office, a block of families at a time."""

    def __init__(self, office: SimulatedOffice) -> None:
        self.office = office
        self.writer = WRITERS[office.settings.words](office)

    @property
    def blocks(self) -> int:
        return -(-len(self.office.inventions) // BLOCK)

    def block(self, number: int) -> Iterator[Document]:
        """The documents of one block, which depend only on its number."""
        office, publications = self.office, self.office.publications
        rows = np.arange(number * BLOCK, min((number + 1) * BLOCK, len(office.inventions)))
        documents = np.arange(publications.starts[rows[0]], publications.starts[rows[-1] + 1])
        filed, published = (_iso_dates(days[documents]) for days in (publications.filed, publications.published))
        classes, applicants, inventors = (
            self.writer.classes(rows),
            self.writer.applicants(rows),
            self.writer.inventors(rows),
        )
        priorities = self._priorities(rows)
        at_home = publications.office[documents] == office.inventions.home[publications.invention[documents]]
        other_first = hashed_uniform(office.settings.seed, 41, documents) < _RECLASSIFIED
        citations = self._citations(documents)
        for place, (document, text) in enumerate(zip(documents.tolist(), self.writer.block(number), strict=True)):
            row = int(publications.invention[document]) - int(rows[0])
            first_filing = at_home[place] and len(priorities[row]) == 1
            symbols = classes[row][::-1] if other_first[place] else classes[row]
            code = AUTHORITIES[publications.office[document]].code
            yield Document(
                id=office.ids[document],
                office=code,
                serial=office.serials[document],
                kind=office.kinds[document],
                language="en",
                title=text.title,
                abstract=text.abstract,
                description=self._correction(document) + text.description,
                claims=text.claims,
                ipc=symbols,
                cpc=self.writer.cpc(code, classes[row]),
                national=self._national(int(rows[row])) if code == "US" else (),
                priorities=() if first_filing else priorities[row],
                application=filed[place],
                application_number=priorities[row][-1].number if at_home[place] else self._filed_abroad(document),
                publication=published[place],
                citations=citations[place],
                applicants=(applicants[row],),
                inventors=inventors[row],
            )

    def _citations(self, documents: Integers) -> list[tuple[Citation, ...]]:
        cited, publications = self.office.cited, self.office.publications
        if not len(documents):
            return []
        bounds = cited.starts[documents[0] : documents[-1] + 2]
        span = slice(int(bounds[0]), int(bounds[-1]))
        target = cited.document[span]
        wrong = np.isin(documents, publications.corrects).tolist()  # the report that is corrected lacked a document
        numbers, dates = self.office.ids[target], _iso_dates(publications.published[target])
        rows = zip(numbers, cited.origin[span].tolist(), cited.category[span].tolist(), dates, strict=True)
        made = [Citation(number, ORIGIN[origin], CATEGORY[category], date) for number, origin, category, date in rows]
        spans = zip(pairwise((bounds - bounds[0]).tolist()), wrong, strict=True)
        return [tuple(made[first : max(last - lacks, first)]) for (first, last), lacks in spans]

    def _filed_abroad(self, document: int) -> str:
        publications = self.office.publications
        year = int(years_of(publications.filed[document : document + 1])[0])
        code = AUTHORITIES[publications.office[document]].code
        return self.writer.later_number(code, year, int(publications.application[document]))

    def _correction(self, document: int) -> str:
        """What a corrected publication says of the one before."""
        before = int(self.office.publications.corrects[document])
        return f"CORRECTED VERSION of {self.office.ids[before]}\n\n" if before >= 0 else ""

    def _priorities(self, rows: Integers) -> list[tuple[Priority, ...]]:
        """The priorities of each invention: its own first filing, and that of the invention it continues."""
        inventions = self.office.inventions
        of = np.concatenate([rows, np.maximum(inventions.parent[rows], 0)])
        codes = [AUTHORITIES[home].code for home in inventions.home[of].tolist()]
        days, years = _iso_dates(inventions.priority[of]), inventions.years[of].tolist()
        numbers = zip(codes, years, of.tolist(), days, strict=True)
        made = [Priority(self.writer.priority_number(*filing), day) for *filing, day in numbers]
        own, earlier = made[: len(rows)], made[len(rows) :]
        continues = inventions.parent[rows] >= 0
        return [(b, a) if more else (a,) for a, b, more in zip(own, earlier, continues.tolist(), strict=True)]

    def _national(self, row: int) -> tuple[str, ...]:
        inventions = self.office.inventions
        place = int(inventions.group[row]) % 900 + int(inventions.subgroup[row])
        return (f"{100 + int(inventions.subclass[row])}/{place}",)


def _iso_dates(days: Integers) -> Sequence[str]:
    """Days as YYYY-MM-DD."""
    return list(map(str, np.datetime_as_string(np.datetime64(EPOCH) + days).tolist()))


def article_documents(office: SimulatedOffice) -> Iterator[Document]:
    """All articles of an office. Every block has its own random numbers."""
    articles = office.articles
    if not len(articles):
        return
    writer = WRITERS[office.settings.words](office)
    ids = articles.ids
    dates = np.datetime_as_string(np.datetime64(EPOCH) + articles.published)
    for block in range(-(-len(articles) // BLOCK)):
        for number, text in enumerate(writer.articles(block), start=block * BLOCK):
            yield Document(
                id=str(ids[number]),
                kind="article",
                language="en",
                title=text.title,
                abstract=text.abstract,
                description=text.description,
                publication=str(dates[number]),
            )
