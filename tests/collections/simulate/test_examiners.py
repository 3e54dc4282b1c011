"""Examiners find what their parameters say, cite only what was there, and others add what they should."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leadline.collections.simulate.citations import APPLICANT, EXAMINER, NONE, OPPOSITION, A, X, Y, class_effects
from leadline.collections.simulate.inventions import preferred_form
from leadline.collections.simulate.office import SimulatedOffice, build_office
from leadline.collections.simulate.settings import AUTHORITIES, JP, US, Settings


@pytest.fixture(scope="module")
def large() -> SimulatedOffice:
    return build_office(Settings(patents=12_000, seed=11))


def near(found: np.ndarray, chance: np.ndarray) -> bool:
    """Whether a count of successes lies within four standard deviations of what the chances give."""
    return abs(found.sum() - chance.sum()) <= 4 * math.sqrt((chance * (1 - chance)).sum())


def test_recall_is_what_the_chances_give(large: SimulatedOffice) -> None:
    searches, pairs = large.searches, large.pairs
    assert near(searches.found, searches.chance)
    age = (
        large.inventions.priority[pairs.invention[searches.pair]]
        - large.publications.first_published[pairs.earlier[searches.pair]]
    )
    slices = [searches.office == office for office in range(len(AUTHORITIES))]
    slices += [pairs.grade[searches.pair] == grade for grade in (1, 2)]
    slices += [(age >= low) & (age < low + 1826) for low in range(0, 9130, 1826)]
    own_class = large.tree.class_of_subclass[large.inventions.subclass[pairs.invention[searches.pair]]]
    slices += [own_class == number for number in np.unique(own_class)]
    for chosen in slices:
        assert near(searches.found[chosen], searches.chance[chosen])
    assert 0.4 < searches.found.mean() < 0.6


def test_chances_follow_from_the_settings(large: SimulatedOffice) -> None:
    settings, pairs, inventions, publications = large.settings, large.pairs, large.inventions, large.publications
    effects = class_effects(settings, large.tree)
    reads = {"US": {"en"}, "EP": {"en", "de"}, "WO": {"en"}, "JP": {"ja", "en"}, "DE": {"de", "en"}}
    for at in range(0, len(large.searches), 997):
        pair, authority = large.searches.pair[at], AUTHORITIES[large.searches.office[at]]
        later, earlier = pairs.invention[pair], pairs.earlier[pair]
        priority = inventions.priority[later]
        members = [
            publications.office[place]
            for place in range(publications.starts[earlier], publications.starts[earlier + 1])
            if publications.published[place] <= priority
        ]
        common = [
            int(concept) for slot, concept in enumerate(inventions.claimable[later]) if pairs.matched[pair] >> slot & 1
        ]
        names = [
            preferred_form(
                settings, large.concepts, inventions.applicant[[row]], np.array([concept]), inventions.years[[row]]
            )[0]
            for concept in common
            for row in (later, earlier)
        ]
        same = np.mean([mine == theirs for mine, theirs in zip(names[::2], names[1::2], strict=True)])
        odds = (
            authority.skill
            + effects[large.tree.class_of_subclass[inventions.subclass[later]]]
            + settings.per_decade * (priority - publications.first_published[earlier]) / 3652.5
            + settings.same_words * (same - 0.5)
            + settings.anticipates * (pairs.grade[pair] == 2)
            + settings.own_office * any(AUTHORITIES[office].code == authority.code for office in members)
            + settings.foreign_only * all(AUTHORITIES[o].language not in reads[authority.code] for o in members)
        )
        assert large.searches.chance[at] == pytest.approx(1 / (1 + math.exp(-odds)))


def test_shared_words_and_age_matter(large: SimulatedOffice) -> None:
    settings = Settings(patents=3000, seed=11, same_words=0.0, per_decade=0.0, class_spread=0.0)
    plain = build_office(settings).searches
    assert len(np.unique(plain.chance.round(9))) <= 2 * 3 * len(AUTHORITIES)
    assert len(np.unique(large.searches.chance.round(9))) > 1000


def citing_rows(office: SimulatedOffice) -> np.ndarray:
    return np.repeat(np.arange(len(office.publications)), np.diff(office.cited.starts))


def test_only_what_was_there_is_cited(large: SimulatedOffice) -> None:
    publications, cited = large.publications, large.cited
    citing = citing_rows(large)
    assert (publications.published[cited.document] <= large.inventions.priority[publications.invention[citing]]).all()
    assert (publications.published[cited.document] < publications.published[citing]).all()
    assert (publications.invention[cited.document] != publications.invention[citing]).all()
    assert len(np.unique(citing * len(publications) + cited.document)) == len(citing)


def test_found_documents_are_cited(large: SimulatedOffice) -> None:
    """Each family an examiner found stands in the patent's citations, through one of its members."""
    publications, cited, pairs, searches = large.publications, large.cited, large.pairs, large.searches
    citing = citing_rows(large)
    size = len(large.inventions)
    printed = set((publications.application[citing] * size + publications.invention[cited.document]).tolist())
    expected = searches.application * size + pairs.earlier[searches.pair]
    assert set(expected[searches.found].tolist()) <= printed
    printing = ~np.isin(publications.office[citing], [US, JP])
    assert set(cited.category[printing & (cited.origin == EXAMINER)].tolist()) == {X, Y, A}
    assert set(cited.category[~printing].tolist()) == {NONE}


def test_opponents_find_what_examiners_missed(large: SimulatedOffice) -> None:
    publications, cited, pairs, searches = large.publications, large.cited, large.pairs, large.searches
    citing = citing_rows(large)
    opposed = cited.origin == OPPOSITION
    assert opposed.sum() > 10
    assert publications.granted[citing[opposed]].all()
    size = len(large.inventions)
    missed = searches.application * size + pairs.earlier[searches.pair]
    missed = set(missed[~searches.found].tolist())
    keys = publications.application[citing[opposed]] * size + publications.invention[cited.document[opposed]]
    assert set(keys.tolist()) <= missed


def test_applicants_add_what_is_not_prior_art(large: SimulatedOffice) -> None:
    publications, cited = large.publications, large.cited
    citing = citing_rows(large)
    size = len(large.inventions)
    true = set((large.pairs.invention * size + large.pairs.earlier).tolist())
    by_applicant = cited.origin == APPLICANT
    keys = publications.invention[citing[by_applicant]] * size + publications.invention[cited.document[by_applicant]]
    share = np.mean([key in true for key in keys.tolist()])
    assert 0.05 < share < 0.6
    own = large.inventions.applicant[publications.invention[citing[by_applicant]]]
    theirs = large.inventions.applicant[publications.invention[cited.document[by_applicant]]]
    assert (own == theirs).mean() > 0.2
