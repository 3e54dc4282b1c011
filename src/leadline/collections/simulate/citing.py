"""Who cites what: examiners what they found, applicants what they know or own, opponents what examiners missed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.document import Origin
from leadline.collections.simulate.examiners import Applications, Searches, readable, searched
from leadline.collections.simulate.families import Publications
from leadline.collections.simulate.inventions import Inventions
from leadline.collections.simulate.prior_art import Pairs
from leadline.collections.simulate.settings import AUTHORITIES, JP, US, Settings
from leadline.collections.simulate.streams import Integers, offsets, places_within, stream

ORIGIN: tuple[Origin, ...] = ("examiner", "applicant", "opposition")  # where two name the same, the first counts
EXAMINER, APPLICANT, OPPOSITION = range(3)
CATEGORY = ("", "X", "Y", "A")
NONE, X, Y, A = range(4)
_SLIP = 0.1  # share of the documents that an examiner puts into a neighbouring category
_OWN, _GROUP, _SUBCLASS = 0.40, 0.35, 0.25  # what applicants cite besides true prior art: their own, then marginal ones
_PARENT = 0.9  # chance that a continuation cites the application it continues


@dataclass(frozen=True)
class Cited:
    """The citations of all documents, ordered by the citing document."""

    starts: Integers  # where the citations of each document begin
    document: Integers  # the one cited
    origin: NDArray[np.int8]
    category: NDArray[np.int8]


class _Mention(NamedTuple):
    """An application cites an invention; which of its publications is still open."""

    application: Integers  # a place among those searched
    invention: Integers
    origin: int
    category: NDArray[np.int8]


def cite(
    settings: Settings, inventions: Inventions, publications: Publications, pairs: Pairs, searches: Searches
) -> Cited:
    """All citations of all documents. Each names one member of the cited family, as offices do."""
    rng = stream(settings.seed, "citations")
    applications = searched(publications)
    mentions = [
        _found(rng, applications, pairs, searches),
        _background(rng, applications, inventions, pairs),
        *_known(rng, settings, applications, inventions, pairs),
        _opposed(rng, settings, applications, publications, pairs, searches),
    ]
    application = np.concatenate([mention.application for mention in mentions])
    invention = np.concatenate([mention.invention for mention in mentions])
    category = np.concatenate([mention.category for mention in mentions])
    origin = np.concatenate([np.full(len(mention.invention), mention.origin, np.int8) for mention in mentions])
    known = publications.first_published[invention] <= inventions.priority[applications.invention[application]]
    document = _member(rng, applications, inventions, publications, application[known], invention[known])
    return _printed(applications, publications, application[known], document, origin[known], category[known])


def _found(rng: np.random.Generator, applications: Applications, pairs: Pairs, searches: Searches) -> _Mention:
    """What the examiners found, with the categories of a search report where the office prints them."""
    pair = searches.pair[searches.found]
    office = searches.office[searches.found]
    category = np.where(pairs.grade[pair] == 2, X, np.where(rng.random(len(pair)) < 0.6, Y, A))
    category = np.where(rng.random(len(pair)) < _SLIP, np.where(category == Y, X, Y), category)
    application = np.searchsorted(applications.number, searches.application[searches.found])
    return _Mention(application, pairs.earlier[pair], EXAMINER, _printable(category, office))


def _printable(category: Integers, office: Integers) -> NDArray[np.int8]:
    """Categories, where the office prints any: the American and the Japanese do not."""
    return np.where((office == US) | (office == JP), NONE, category).astype(np.int8)


def _background(rng: np.random.Generator, applications: Applications, inventions: Inventions, pairs: Pairs) -> _Mention:
    """What examiners add as the state of the art: earlier inventions of the group, prior art to none of the claims."""
    mean = np.array([authority.background_citations for authority in AUTHORITIES])[applications.office]
    row = np.repeat(np.arange(len(mean)), rng.poisson(mean))
    earlier = _one_before(rng, inventions.group, applications.invention[row])
    count = len(inventions)
    true = np.isin(applications.invention[row] * count + earlier, pairs.invention * count + pairs.earlier)
    kept = (earlier >= 0) & ~true
    row = row[kept]
    return _Mention(row, earlier[kept], EXAMINER, _printable(np.full(len(row), A), applications.office[row]))


def _known(
    rng: np.random.Generator, settings: Settings, applications: Applications, inventions: Inventions, pairs: Pairs
) -> list[_Mention]:
    """What applicants cite: some true prior art, the parent of a continuation, their own, and much that is marginal."""
    begin = offsets(np.bincount(pairs.invention, minlength=len(inventions)))
    counts = np.diff(begin)[applications.invention]
    row = np.repeat(np.arange(len(counts)), counts)
    pair = begin[applications.invention][row] + places_within(counts)
    knows = rng.random(len(row)) < settings.applicants_know
    parent = inventions.parent[applications.invention]
    continues = np.flatnonzero((parent >= 0) & (rng.random(len(parent)) < _PARENT))
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


def _opposed(
    rng: np.random.Generator,
    settings: Settings,
    applications: Applications,
    publications: Publications,
    pairs: Pairs,
    searches: Searches,
) -> _Mention:
    """What opponents of a patent found of that which its examiner missed."""
    granted = np.isin(applications.number, publications.application[publications.granted])
    rate = np.array([authority.opposed for authority in AUTHORITIES])[applications.office]
    opposed = granted & (rng.random(len(rate)) < rate)
    application = np.searchsorted(applications.number, searches.application)
    found = opposed[application] & ~searches.found & (rng.random(len(searches)) < settings.opponents)
    pair = searches.pair[found]
    category = np.where(pairs.grade[pair] == 2, X, Y)
    return _Mention(application[found], pairs.earlier[pair], OPPOSITION, _printable(category, searches.office[found]))


def _one_before(rng: np.random.Generator, label: Integers, citing: Integers) -> Integers:
    """For each citing invention a random earlier one with the same label; -1 for the first of its kind."""
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
    """The publication that is cited for an invention: in time, and rather one of the examiner's own office."""
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


def _printed(
    applications: Applications,
    publications: Publications,
    application: Integers,
    document: Integers,
    origin: NDArray[np.int8],
    category: NDArray[np.int8],
) -> Cited:
    """The citations as documents print them: all that carry a report have them, patents the opponents' too."""
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
    return Cited(offsets(np.bincount(row, minlength=len(publications))), document[at], origin[at], category[at])
