"""The true judgements are those that comparing every pair of documents by hand would give."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leadline.collections.simulate import citations
from leadline.collections.simulate.inventions import SLOTS
from leadline.collections.simulate.office import SimulatedOffice, build_office, true_claim_qrels, true_qrels
from leadline.collections.simulate.settings import Settings


def grades_by_hand(office: SimulatedOffice, later: int, earlier: int) -> list[int]:
    """The grade of one earlier invention for each claim of a later one, straight from the definition."""
    inventions, claims = office.inventions, office.claims
    taught = [
        set(inventions.disclosed[inventions.starts[row] : inventions.starts[row + 1]].tolist())
        for row in range(len(inventions))
    ]
    bits = {
        concept: math.log2(len(inventions) / sum(concept in teaching for teaching in taught))
        for concept in taught[later]
    }
    grades = []
    for claim in range(claims.starts[later], claims.starts[later + 1]):
        named = {int(inventions.claimable[later, slot]) for slot in SLOTS if claims.concepts[claim] >> slot & 1}
        share = math.fsum(bits[concept] for concept in named & taught[earlier])
        enough = share >= office.settings.enough * math.fsum(bits[concept] for concept in named) - 1e-9
        grades.append(2 if named <= taught[earlier] else int(enough))
    return grades


@pytest.fixture(scope="module", params=[{}, {"enough": 0.4, "general_concepts": 20}, {"synonymy": 0.0, "enough": 1.0}])
def small(request: pytest.FixtureRequest) -> SimulatedOffice:
    return build_office(Settings(patents=120, seed=5, **request.param))


def everything_by_hand(office: SimulatedOffice) -> dict[tuple[str, str], list[int]]:
    """For every pair of documents the grades by claim, where any of them is above 0."""
    publications, inventions = office.publications, office.inventions
    pairs = {}
    grades: dict[tuple[int, int], list[int]] = {}
    for topic in range(len(publications)):
        later = int(publications.invention[topic])
        for document in range(len(publications)):
            earlier = int(publications.invention[document])
            if later == earlier or publications.published[document] > inventions.priority[later]:
                continue
            if (later, earlier) not in grades:
                grades[later, earlier] = grades_by_hand(office, later, earlier)
            if any(grades[later, earlier]):
                pairs[office.ids[topic], office.ids[document]] = grades[later, earlier]
    return pairs


def test_true_judgements_are_those_of_all_pairs(small: SimulatedOffice) -> None:
    by_hand = everything_by_hand(small)
    claims, invention = small.claims, dict(zip(small.ids, small.publications.invention, strict=True))
    topics = np.arange(len(small.publications))
    found_documents = {
        (line.split()[0].decode(), line.split()[2].decode()): int(line.split()[3])
        for line in true_qrels(small, topics).to_bytes().splitlines()
    }
    expected = {}
    for (topic, document), grades in by_hand.items():
        begin = claims.starts[invention[topic]]
        whole = any(grade == 2 and claims.parent[begin + place] == 0 for place, grade in enumerate(grades))
        expected[topic, document] = 2 if whole else 1
    assert found_documents == expected
    assert len(expected) > 10

    by_claim: dict[tuple[str, str], dict[int, int]] = {}
    for line in true_claim_qrels(small, topics).to_bytes().splitlines():
        topic, claim, document, grade, weight = line.decode().split()
        by_claim.setdefault((topic, document), {})[int(claim)] = int(grade)
        independent = claims.parent[claims.starts[invention[topic]] + int(claim) - 1] == 0
        assert float(weight) == (1.0 if independent else 0.5)
    assert by_claim == {pair: dict(enumerate(grades, start=1)) for pair, grades in by_hand.items()}


@pytest.mark.parametrize("common", [0, 5, 10**9])
def test_what_counts_as_common_changes_the_work_only(
    office: SimulatedOffice, common: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citations, "_COMMON", common)
    monkeypatch.setattr(citations, "_BLOCK", 333)
    again = office.prior_art.pairs()
    for name in ("invention", "earlier", "grade"):
        assert np.array_equal(getattr(again, name), getattr(office.pairs, name))


def test_prior_art_is_earlier_and_elsewhere(office: SimulatedOffice) -> None:
    pairs = office.pairs
    first = office.publications.first_published
    assert (first[pairs.earlier] <= office.inventions.priority[pairs.invention]).all()
    assert (pairs.earlier != pairs.invention).all()
    assert len(np.unique(pairs.invention * len(office.inventions) + pairs.earlier)) == len(pairs)


def test_dependent_claims_hold_their_parents(office: SimulatedOffice) -> None:
    claims = office.claims
    for row in range(200):
        own = slice(claims.starts[row], claims.starts[row + 1])
        concepts, parents = claims.concepts[own], claims.parent[own]
        assert parents[0] == 0
        for place, parent in enumerate(parents):
            assert parent <= place
            if parent:
                assert concepts[parent - 1] & ~concepts[place] == 0
    available = (office.inventions.claimable >= 0).sum(axis=1)
    largest = np.repeat(1 << available, claims.counts)
    assert (claims.concepts < largest).all()
    assert (claims.concepts > 0).all()
