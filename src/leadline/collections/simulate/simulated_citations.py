"""Simulated citations: of examiners, of applicants, and of opponents who find what examiners missed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.document import Origin
from leadline.collections.simulate.examiners import Applications, Searches, readable, searched
from leadline.collections.simulate.families import Publications
from leadline.collections.simulate.inventions import Inventions
from leadline.collections.simulate.randomness import Integers, generator, offsets, places_within
from leadline.collections.simulate.settings import AUTHORITIES, JP, US, Settings
from leadline.collections.simulate.true_prior_art import PriorArtPairs

ORIGIN: tuple[Origin, ...] = ("examiner", "applicant", "opposition")  # where two name the same, the first counts
EXAMINER, APPLICANT, OPPOSITION = range(3)
CATEGORY = ("", "X", "Y", "A")
NONE, X, Y, A = range(4)
_WRONG_CATEGORY = 0.1  # share of the documents that an examiner puts into a neighbouring category
# Shares of applicants' other citations: of their own inventions, of the same group, of the same subclass.
_OWN, _GROUP, _SUBCLASS = 0.40, 0.35, 0.25
_CITES_PARENT = 0.9  # chance that a continuation cites the application it continues


@dataclass(frozen=True)
class CitationArrays:
    """The citations of all documents, ordered by the citing document."""

    starts: Integers  # where the citations of each document begin
    document: Integers  # the cited document
    origin: NDArray[np.int8]
    category: NDArray[np.int8]


class _Mention(NamedTuple):
    """Citations of inventions by applications, before a publication of each invention is chosen."""

    application: Integers  # an index into Applications
    invention: Integers
    origin: int
    category: NDArray[np.int8]


def simulate_citations(
    settings: Settings, inventions: Inventions, publications: Publications, pairs: PriorArtPairs, searches: Searches
) -> CitationArrays:
    """The citations of all documents. Each names one member of the cited family, as offices do."""
    rng = generator(settings.seed, "citations")
    applications = searched(publications)
    mentions = [
        _examiners_finds(rng, applications, pairs, searches),
        _background(rng, applications, inventions, pairs),
        *_applicants(rng, settings, applications, inventions, pairs),
        _opponents(rng, settings, applications, publications, pairs, searches),
    ]
    application = np.concatenate([mention.application for mention in mentions])
    invention = np.concatenate([mention.invention for mention in mentions])
    category = np.concatenate([mention.category for mention in mentions])
    origin = np.concatenate([np.full(len(mention.invention), mention.origin, np.int8) for mention in mentions])
    known = publications.first_published[invention] <= inventions.priority[applications.invention[application]]
    document = _member(rng, applications, inventions, publications, application[known], invention[known])
    return _by_document(applications, publications, application[known], document, origin[known], category[known])


def _examiners_finds(
    rng: np.random.Generator, applications: Applications, pairs: PriorArtPairs, searches: Searches
) -> _Mention:
    """Prior art that the examiners found, with categories where the office prints them."""
    pair = searches.pair[searches.found]
    office = searches.office[searches.found]
    category = np.where(pairs.grade[pair] == 2, X, np.where(rng.random(len(pair)) < 0.6, Y, A))
    category = np.where(rng.random(len(pair)) < _WRONG_CATEGORY, np.where(category == Y, X, Y), category)
    application = np.searchsorted(applications.number, searches.application[searches.found])
    return _Mention(application, pairs.earlier[pair], EXAMINER, _printable(category, office))


def _printable(category: Integers, office: Integers) -> NDArray[np.int8]:
    """The categories; none at the American and the Japanese office, which do not print them."""
    return np.where((office == US) | (office == JP), NONE, category).astype(np.int8)


def _background(
    rng: np.random.Generator, applications: Applications, inventions: Inventions, pairs: PriorArtPairs
) -> _Mention:
    """State of the art that examiners add: earlier inventions of the group that are not true prior art."""
    mean = np.array([authority.background_citations for authority in AUTHORITIES])[applications.office]
    row = np.repeat(np.arange(len(mean)), rng.poisson(mean))
    earlier = _one_before(rng, inventions.group, applications.invention[row])
    count = len(inventions)
    true = np.isin(applications.invention[row] * count + earlier, pairs.invention * count + pairs.earlier)
    kept = (earlier >= 0) & ~true
    row = row[kept]
    return _Mention(row, earlier[kept], EXAMINER, _printable(np.full(len(row), A), applications.office[row]))


def _applicants(
    rng: np.random.Generator,
    settings: Settings,
    applications: Applications,
    inventions: Inventions,
    pairs: PriorArtPairs,
) -> list[_Mention]:
    """Citations of applicants: some true prior art, the parent of a continuation, their own, and marginal documents."""
    begin = offsets(np.bincount(pairs.invention, minlength=len(inventions)))
    counts = np.diff(begin)[applications.invention]
    row = np.repeat(np.arange(len(counts)), counts)
    pair = begin[applications.invention][row] + places_within(counts)
    knows = rng.random(len(row)) < settings.applicants_know
    parent = inventions.parent[applications.invention]
    continues = np.flatnonzero((parent >= 0) & (rng.random(len(parent)) < _CITES_PARENT))
    mean = np.array([authority.applicant_citations for authority in AUTHORITIES])[applications.office]
    number = rng.geometric(1 / (1 + mean)) - 1
    extra = np.repeat(np.arange(len(number)), number)
    kind = rng.choice(3, len(extra), p=(_OWN, _GROUP, _SUBCLASS))
    citing = applications.invention[extra]
    labels = (inventions.applicant, inventions.group, inventions.subclass)
    earlier = np.choose(kind, [_one_before(rng, label, citing) for label in labels])
    mentions = [(row[knows], pairs.earlier[pair[knows]]), (continues, parent[continues]), (extra, earlier)]
    return [
        _Mention(who[what >= 0], what[what >= 0], APPLICANT, np.zeros(int((what >= 0).sum()), np.int8))
        for who, what in mentions
    ]


def _opponents(
    rng: np.random.Generator,
    settings: Settings,
    applications: Applications,
    publications: Publications,
    pairs: PriorArtPairs,
    searches: Searches,
) -> _Mention:
    """Prior art that opponents of a patent found and its examiner missed."""
    granted = np.isin(applications.number, publications.application[publications.granted])
    rate = np.array([authority.opposed for authority in AUTHORITIES])[applications.office]
    opposed = granted & (rng.random(len(rate)) < rate)
    application = np.searchsorted(applications.number, searches.application)
    found = opposed[application] & ~searches.found & (rng.random(len(searches)) < settings.opponents)
    pair = searches.pair[found]
    category = np.where(pairs.grade[pair] == 2, X, Y)
    return _Mention(application[found], pairs.earlier[pair], OPPOSITION, _printable(category, searches.office[found]))


def _one_before(rng: np.random.Generator, label: Integers, citing: Integers) -> Integers:
    """For each citing invention a random earlier one with the same label; -1 when there is none."""
    order = np.argsort(label, kind="stable")
    begin = offsets(np.bincount(label))
    rank = np.empty(len(label), np.int64)
    rank[order] = places_within(np.diff(begin))
    before = rank[citing]
    place = begin[label[citing]] + (rng.random(len(citing)) * before).astype(np.int64)
    return np.where(before > 0, order[place], -1)


def _member(
    rng: np.random.Generator,
    applications: Applications,
    inventions: Inventions,
    publications: Publications,
    application: Integers,
    invention: Integers,
) -> Integers:
    """The publication cited for an invention: published in time, and more likely one of the examiner's own office."""
    size = np.diff(publications.starts)[invention]
    row = np.repeat(np.arange(len(invention)), size)
    document = publications.starts[invention][row] + places_within(size)
    office = applications.office[application][row]
    origin = publications.office[document]
    likely = np.where(origin == office, 8.0, np.where(readable()[office, origin], 3.0, 1.0))
    known = publications.published[document] <= inventions.priority[applications.invention[application]][row]
    key = np.where(known, np.log(likely) + rng.gumbel(size=len(row)), -np.inf)
    order = np.lexsort((key, row))
    return document[order[np.cumsum(size) - 1]]


def _by_document(
    applications: Applications,
    publications: Publications,
    application: Integers,
    document: Integers,
    origin: NDArray[np.int8],
    category: NDArray[np.int8],
) -> CitationArrays:
    """The citations as documents print them: in every search report, and those of opponents in patents only."""
    order = np.lexsort((origin, document, application))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (np.diff(application[order]) != 0) | (np.diff(document[order]) != 0)
    order = order[fresh]
    application, document, origin, category = application[order], document[order], origin[order], category[order]
    on_grant = np.array([authority.reports_on == "grant" for authority in AUTHORITIES])
    citing = np.flatnonzero(publications.granted | ~on_grant[publications.office])
    begin = offsets(np.bincount(application, minlength=len(applications.number)))
    own = np.searchsorted(applications.number, publications.application[citing])
    counts = np.diff(begin)[own]
    row = np.repeat(citing, counts)
    at = begin[own].repeat(counts) + places_within(counts)
    kept = (origin[at] != OPPOSITION) | publications.granted[row]
    row, at = row[kept], at[kept]
    order = np.lexsort((document[at], origin[at], row))
    row, at = row[order], at[order]
    return CitationArrays(
        offsets(np.bincount(row, minlength=len(publications))), document[at], origin[at], category[at]
    )
