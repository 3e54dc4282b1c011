"""Documents as offices publish them, articles, and what examiners write: search reports and American office actions.

A report names each document that the examiner found with its category and the claims that it concerns. An American
office action rejects claims over the same documents, under section 102 where one document discloses the whole claim and
under section 103 otherwise. Actions are written in the form of the office's data: half as enriched citations, half as
texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.simulate.chemistry.texts import ChemistryWriter
from leadline.collections.simulate.citations import CATEGORY, EXAMINER, ORIGIN, A, X, Y
from leadline.collections.simulate.invented_texts import InventedWriter
from leadline.collections.simulate.inventions import (
    SLOTS,
    Integers,
    generator,
    hashed,
    hashed_uniform,
    offsets,
    places_within,
    years_of,
)
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.settings import AUTHORITIES, US
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


REPORTED = tuple(code for code, authority in enumerate(AUTHORITIES) if authority.code in ("EP", "WO", "DE"))
_WORDED = 2  # every second application has its action as a text
_ANSWERED = (200, 700)  # days from the action to the patent


@dataclass(frozen=True)
class Findings:
    """What examiners found, and which claims each document concerns, in the order of the citing documents."""

    citing: Integers  # as indices of the office's documents
    cited: Integers
    category: Integers  # X, Y or A
    alone: list[list[int]]  # the claims that the cited document discloses whole
    claims: list[list[int]]  # all claims that it concerns


def findings(office: SimulatedOffice) -> Findings:
    """The examiners' findings in all publications that carry a report."""
    cited, publications = office.cited, office.publications
    citing = np.repeat(np.arange(len(publications)), np.diff(cited.starts))
    chosen = np.flatnonzero((cited.origin == EXAMINER) & (publications.corrects[citing] < 0))
    citing, document, category = citing[chosen], cited.document[chosen], cited.category[chosen].astype(np.int64)
    row, earlier = publications.invention[citing], publications.invention[document]
    whole, enough = _by_claim(office, row, earlier)
    count = office.claims.counts[row]
    begin = offsets(count).tolist()
    numbers = (places_within(count) + 1).tolist()
    anything = np.add.reduceat(enough, begin[:-1]) if len(row) else np.zeros(0, np.int64)
    unprinted = category == 0
    anticipates = np.add.reduceat(whole, begin[:-1]) if len(row) else anything
    category = np.where(unprinted, np.where(anything == 0, A, np.where(anticipates > 0, X, Y)), category)
    alone, concerned = [], []
    flags, wholes = enough.astype(bool).tolist(), whole.astype(bool).tolist()
    for first, last, some in zip(begin[:-1], begin[1:], (anything > 0).tolist(), strict=True):
        own = range(first, last)
        alone.append([numbers[at] for at in own if wholes[at]])
        concerned.append([numbers[at] for at in own if flags[at] or not some])  # a background document: all claims
    return Findings(citing, document, category, alone, concerned)


def _by_claim(office: SimulatedOffice, row: Integers, earlier: Integers) -> tuple[Integers, Integers]:
    """For each claim of each pair of inventions: whether the earlier one discloses all of it, and enough of it."""
    pairs, claims, finder, made = office.pairs, office.claims, office.prior_art, office.inventions
    size = len(made)
    known = pairs.invention.astype(np.int64) * size + pairs.earlier
    key = row * size + earlier
    at = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    matched: NDArray[np.uint16] = (
        np.where(known[at] == key, pairs.matched[at], 0).astype(np.uint16)
        if len(known)
        else np.zeros(len(key), np.uint16)
    )
    count = claims.counts[row]
    pair = np.repeat(np.arange(len(row)), count)
    named = claims.concepts[claims.starts[row][pair] + places_within(count)]
    concept = np.maximum(made.claimable[row], 0)
    weight = finder.information[concept]
    bits = (named[:, None] >> SLOTS.astype(np.uint16)) & 1
    needed = (bits * weight[pair]).sum(axis=1)
    shared = named & matched[pair]
    held = (((shared[:, None] >> SLOTS.astype(np.uint16)) & 1) * weight[pair]).sum(axis=1)
    enough = (held >= finder.enough * needed - 1e-9) & (shared > 0)
    return ((shared == named) & enough).astype(np.int64), enough.astype(np.int64)


def reported_claims(office: SimulatedOffice, found: Findings) -> Iterator[tuple[str, str, str, str]]:
    """What the offices that print categories report: citing and cited document, category, the claims concerned."""
    ids = office.ids
    chosen = np.flatnonzero(np.isin(office.publications.office[found.citing], REPORTED)).tolist()
    citing, cited, category = ids[found.citing].tolist(), ids[found.cited].tolist(), found.category.tolist()
    for at in chosen:
        yield citing[at], cited[at], CATEGORY[category[at]], claim_list(found.claims[at])


def search_reports(office: SimulatedOffice, found: Findings) -> bytes:
    """The reports as a table, a line for each cited document."""
    rows = (("document", "cited", "category", "claims"), *reported_claims(office, found))
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def claim_list(numbers: Sequence[int]) -> str:
    """Numbers of claims as offices write them.

    >>> claim_list([1, 2, 3, 5, 8, 9])
    '1-3, 5, 8-9'
    """
    runs: list[str] = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        own = [number for _, number in run]
        runs.append(f"{own[0]}-{own[-1]}" if len(own) > 1 else f"{own[0]}")
    return ", ".join(runs)


def office_actions(office: SimulatedOffice, found: Findings, numbers: Sequence[str], names: Sequence[str]) -> bytes:
    """The American actions, a JSON record a line.

    `numbers` are those of the applications, `names` the first inventors' family names, by document.
    """
    rng = generator(office.settings.seed, "office actions")
    published = office.publications.published
    chosen = np.flatnonzero(office.publications.office[found.citing] == US)
    acted = published[found.citing[chosen]] - rng.integers(*_ANSWERED, len(office.publications))[found.citing[chosen]]
    dates = np.datetime_as_string(np.datetime64(EPOCH) + acted).tolist()
    records: list[dict[str, str]] = []
    rows = zip(chosen.tolist(), found.citing[chosen].tolist(), dates, strict=True)
    for citing, own in groupby(rows, lambda row: row[1]):
        cited = [(at, date) for at, _, date in own]
        head = {
            "patentApplicationNumber": numbers[citing].removeprefix("US"),
            "obsoleteDocumentIdentifier": f"{int(hashed(office.settings.seed, 81, citing) >> np.uint64(40)):08X}",
            "officeActionDate": cited[0][1],
        }
        worded = office.publications.application[citing] % _WORDED == 0
        records += [_text(office, found, head, cited, names)] if worded else list(_enriched(office, found, head, cited))
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records).encode()


def _enriched(
    office: SimulatedOffice, found: Findings, head: dict[str, str], cited: Sequence[tuple[int, str]]
) -> Iterator[dict[str, str]]:
    """A record for each cited document, and one for the claims that it alone discloses."""
    for at, _ in cited:
        alone = found.alone[at]
        others = [number for number in found.claims[at] if number not in set(alone)]
        background = found.category[at] == A
        for category, claims in (("A", others),) if background else (("X", alone), ("Y", others)):
            if claims:
                yield {
                    **head,
                    "citedDocumentIdentifier": str(office.ids[found.cited[at]]),
                    "citationCategoryCode": category,
                    "relatedClaimNumberText": claim_list(claims),
                    "passageLocationText": f"abstract; claims 1-{len(alone) + 1}; example {1 + at % 4}",
                    "nplIndicator": "false",
                }


def _text(
    office: SimulatedOffice,
    found: Findings,
    head: dict[str, str],
    cited: Sequence[tuple[int, str]],
    names: Sequence[str],
) -> dict[str, str]:
    """The rejections of an action in words."""
    sentences = []
    for at, _ in cited:
        document = found.cited[at]
        code = AUTHORITIES[office.publications.office[document]].code
        said = f"{names[document]} ({code} {office.serials[document]} {office.kinds[document]})"
        alone = found.alone[at]
        others = [number for number in found.claims[at] if number not in set(alone)]
        if found.category[at] == A:
            sentences.append(f"The prior art made of record and not relied upon, {said}, is considered pertinent.")
            continue
        if alone:
            sentences.append(f"{_claims(alone)} rejected under 35 U.S.C. 102 as being anticipated by {said}.")
        if others:
            sentences.append(f"{_claims(others)} rejected under 35 U.S.C. 103 as being unpatentable over {said}.")
    return {**head, "bodyText": " ".join(sentences)}


def _claims(numbers: Sequence[int]) -> str:
    return f"Claim {numbers[0]} is" if len(numbers) == 1 else f"Claims {claim_list(numbers)} are"
