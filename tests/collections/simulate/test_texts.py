"""The texts say what is true, in words that behave like words."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np

from leadline.collections.documents.document import Document, parents
from leadline.collections.simulate.inventions import MAX_FORMS
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.words import FIRST, FIRST_PLURAL, LATER, LATER_PLURAL, check_digit

WORD = re.compile(r"[a-z]+")


def test_claims_parse_back(documents: list[Document]) -> None:
    dependent = 0
    for document in documents:
        for claim in document.claims:
            assert parents(claim.text, claim.number) == claim.parents, claim.text
            dependent += bool(claim.parents)
    assert dependent > 10_000


def test_claims_are_as_drafted(office: SimulatedOffice, documents: list[Document]) -> None:
    """The first claim referred to is the one drafted; others, where an office allows them, come after it."""
    for row, document in zip(office.publications.invention.tolist(), documents, strict=True):
        drafted = office.claims.parent[office.claims.starts[row] : office.claims.starts[row + 1]].tolist()
        assert [claim.parents[0] if claim.parents else 0 for claim in document.claims] == drafted
        if document.office == "US":
            assert all(len(claim.parents) <= 1 for claim in document.claims)
    assert any(len(claim.parents) > 2 for document in documents for claim in document.claims)


def named(office: SimulatedOffice, concept: int, text: str) -> bool:
    forms = range(MAX_FORMS)
    kinds = (FIRST, LATER, FIRST_PLURAL, LATER_PLURAL)
    names = {office.names.words[kind, concept, form] for kind in kinds for form in forms} - {""}
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


def test_every_disclosed_concept_is_in_the_text(office: SimulatedOffice, documents: list[Document]) -> None:
    for at in range(0, len(documents), 17):
        row = office.publications.invention[at]
        for concept in office.inventions.disclosed[office.inventions.starts[row] : office.inventions.starts[row + 1]]:
            assert named(office, concept, documents[at].description), (documents[at].id, concept)


def test_every_claimed_concept_is_in_the_claims(office: SimulatedOffice, documents: list[Document]) -> None:
    for at in range(0, len(documents), 29):
        row = office.publications.invention[at]
        begin = office.claims.starts[row]
        for claim in documents[at].claims:
            bits = office.claims.concepts[begin + claim.number - 1]
            if claim.parents:
                bits &= ~office.claims.concepts[begin + claim.parents[0] - 1]
            for slot in range(14):
                if bits >> slot & 1:
                    assert named(office, office.inventions.claimable[row, slot], claim.text), claim


def test_abbreviations_are_introduced(documents: list[Document]) -> None:
    """Letters that are introduced in a description are not used before, but within another name: catalytic CVD."""
    seen = early = 0
    for document in documents[::5]:
        for match in re.finditer(r"\(((?!I+V?\))[A-Z]{3,4})\)", document.description):  # not the III of iron(III)
            before = document.description[: match.start()]
            introduced_before = f"({match[1]})" in before
            seen += 1
            early += not introduced_before and bool(re.search(rf"\b{match[1]}s?\b", before))
    assert seen > 100
    assert early < seen / 100


def test_registry_numbers_have_their_check_digit(office: SimulatedOffice, documents: list[Document]) -> None:
    numbers = {
        number
        for document in documents
        for number in re.findall(r"CAS (?:registry number )?([0-9-]{5,})", document.description)
    }
    assert len(numbers) > 20
    for number in numbers:
        first, second, check = number.split("-")
        assert 2 <= len(first) <= 7
        assert len(second) == 2
        assert check_digit(first + second) == int(check)
    registered = office.names.registry[office.names.registry != ""]
    assert len(np.unique(registered)) == len(registered)


def shingles(text: str) -> set[tuple[str, ...]]:
    words = WORD.findall(text.lower())
    return {tuple(words[place : place + 4]) for place in range(len(words) - 3)}


def resemblance(one: str, other: str) -> float:
    first, second = shingles(one), shingles(other)
    return len(first & second) / len(first | second)


def test_members_of_a_family_are_near_duplicates(office: SimulatedOffice, documents: list[Document]) -> None:
    starts = office.publications.starts
    within, translated, between = [], [], []
    for row in range(0, len(office.inventions), 3):
        members = documents[starts[row] : starts[row + 1]]
        for member in members[1:]:
            value = resemblance(members[0].description, member.description)
            languages = {"JP": "ja", "DE": "de"}
            same = languages.get(members[0].office, "en") == languages.get(member.office, "en")
            (within if same else translated).append(value)
        if members:
            between.append(
                resemblance(members[0].description, documents[(starts[row] + 500) % len(documents)].description)
            )
    assert 0.6 < np.mean(within) < 0.97
    assert 0.2 < np.mean(translated) < np.mean(within)
    assert np.mean(between) < 0.1
    identical = sum(one.description == other.description for one, other in pairwise(documents))
    assert identical < len(documents) / 20  # chemistry has fewer words that a copy may change


def test_frequencies_follow_zipf(documents: list[Document]) -> None:
    counts = Counter(word for document in documents for word in WORD.findall(document.description.lower()))
    frequencies = np.sort(np.array(list(counts.values())))[::-1]
    ranks = np.arange(1, len(frequencies) + 1)
    middle = slice(20, 3000)
    slope = np.polyfit(np.log(ranks[middle]), np.log(frequencies[middle]), 1)[0]
    assert -1.6 < slope < -0.7
    function_words = ["the", "of", "a", "to", "and", "in", "is", "for", "with", "by", "that", "be", "are", "which"]
    share = sum(counts[word] for word in function_words) / counts.total()
    assert 0.22 < share < 0.34  # 0.28 in ten thousand American patents
    assert 0.05 < counts["the"] / counts.total() < 0.10


def test_descriptions_are_as_long_as_asked(office: SimulatedOffice, documents: list[Document]) -> None:
    words = [len(document.description.split()) for document in documents]
    assert 0.85 < np.median(words) / office.settings.length < 1.25
    assert np.percentile(words, 95) > 1.8 * np.median(words)


def test_names_differ_between_applicants(office: SimulatedOffice) -> None:
    from leadline.collections.simulate.citations import same_names

    settings = office.settings
    assert 0.25 < same_names(settings, office.concepts, office.inventions, office.pairs).mean() < 0.55
