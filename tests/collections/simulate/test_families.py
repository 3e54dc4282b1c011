"""Families are what the rest of the program takes them for, and numbers are numbers."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from leadline.collections.documents.document import Document, levels, symbol
from leadline.collections.documents.numbers import normalise
from leadline.collections.simulate.inventions import first_day
from leadline.collections.simulate.office import SimulatedOffice


def test_numbers_are_normal_and_unique(documents: list[Document]) -> None:
    assert len({document.id for document in documents}) == len(documents)
    for document in documents:
        number = normalise(document.id)
        assert (number.id, number.office, number.serial, number.kind) == (
            document.id, document.office, document.serial, document.kind,
        )  # fmt: skip


def test_classes_are_normal(documents: list[Document]) -> None:
    for document in documents[::7]:
        assert document.ipc
        for written in (*document.ipc, *document.cpc):
            assert symbol(written) == written
            assert len(levels(written)) == 5


def test_dates_come_in_order(documents: list[Document]) -> None:
    for document in documents:
        known = document.priority or document.application
        assert known <= document.application < document.publication
        assert known >= "1980"
        assert document.publication <= "2009-12-31"


def test_applications_come_out_after_eighteen_months(office: SimulatedOffice) -> None:
    publications = office.publications
    lag = publications.published - office.inventions.priority[publications.invention]
    early = lag[~publications.granted]
    assert early.min() >= 510
    assert np.median(early) < 600
    assert np.median(lag[publications.granted]) > 900


def test_the_us_publishes_no_applications_before_2001(documents: list[Document]) -> None:
    old = [d for d in documents if d.office == "US" and d.publication < "2001-01-02"]
    assert old
    assert {document.kind for document in old} == {"A"}
    assert {d.kind for d in documents if d.office == "US" and d.publication > "2003"} - {"A9"} == {"A1", "B1", "B2"}


def test_members_of_a_family_claim_the_same(office: SimulatedOffice, documents: list[Document]) -> None:
    """What a document claims, or its own number where it claims nothing, is the same throughout a family only."""
    claimed = defaultdict(set)
    for row, document in zip(office.publications.invention.tolist(), documents, strict=True):
        numbers = frozenset(p.number for p in document.priorities) or frozenset({document.application_number})
        claimed[row].add(numbers)
    assert all(len(sets) == 1 for sets in claimed.values())
    assert len({next(iter(sets)) for sets in claimed.values()}) == len(claimed)


def test_continuations_claim_their_parent_as_well(office: SimulatedOffice, documents: list[Document]) -> None:
    continued = office.inventions.parent[office.publications.invention] >= 0
    assert continued.any()
    for at in np.flatnonzero(continued).tolist():
        assert len(documents[at].priorities) == 2
        parent = office.inventions.parent[office.publications.invention[at]]
        own = first_day(1970) + office.inventions.priority[[parent, office.publications.invention[at]]]
        dates = [str(np.datetime64("1970-01-01") + day) for day in own]
        assert sorted(priority.date for priority in documents[at].priorities) == dates


def test_the_patent_keeps_the_number_of_its_application(documents: list[Document]) -> None:
    kinds = defaultdict(set)
    for document in documents:
        if document.office == "EP":
            kinds[document.serial].add(document.kind)
    assert all("A1" in of_number for of_number in kinds.values())
    assert any(of_number == {"A1", "B1"} for of_number in kinds.values())
