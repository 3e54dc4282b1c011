"""The true prior art, the searches of examiners who find a part of it, and the citations that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.collections.choices import Origin
from leadline.collections.simulate.families import NEVER, Publications
from leadline.collections.simulate.inventions import (
    CLAIMABLE,
    SLOTS,
    Array,
    ClaimSets,
    ClassTree,
    Concepts,
    Integers,
    Inventions,
    generator,
    offsets,
    places_within,
    preferred_form,
)
from leadline.collections.simulate.settings import AUTHORITIES, JP, US, Settings

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


# The true prior art: earlier inventions that disclose the concepts of a claim. Examiners find only a part of it.
#
# A claim is a set of concepts, and each concept weighs log2(inventions ÷ inventions that disclose it) bits. An earlier
# invention that discloses the whole claim anticipates it (grade 2); one that discloses enough of its weight is relevant
# to it (grade 1). For a whole patent, grade 2 means to anticipate an independent claim, grade 1 to be relevant to any.


_BLOCK = 2048  # inventions compared at a time: limits the memory and does not change the result
_COMMON = 800  # a concept that more inventions disclose is common: its list is not searched
_ROUNDING = 1e-9


@dataclass(frozen=True)
class PriorArtPairs:
    """Pairs of an invention and an earlier one that is prior art to it, ordered by both."""

    invention: Integers
    earlier: Integers
    grade: NDArray[np.int8]
    matched: NDArray[np.uint16]  # which of the invention's claimable concepts the earlier one discloses, as bits

    def __len__(self) -> int:
        return len(self.invention)


class _Query(NamedTuple):
    """Inventions whose prior art is searched, and their claims as matrices of invention × claim number."""

    rows: Integers
    concepts: Integers  # invention × slot
    weights: Array  # invention × slot
    counts: Integers  # of claims
    parents: NDArray[np.int8]
    named: NDArray[np.uint16]  # the concepts of each claim as bits; 0 when there is no such claim
    needed: Array  # the weight of each claim


class PriorArtFinder:
    """Finds prior art through an inverted index from concepts to the inventions that disclose them."""

    def __init__(
        self, inventions: Inventions, claims: ClaimSets, published: Integers, concepts: int, enough: float
    ) -> None:
        self.inventions, self.claims, self.enough = inventions, claims, enough
        self.published = published  # the day of the first publication of each invention
        count = len(inventions)
        owner = np.repeat(np.arange(count), np.diff(inventions.starts))
        self.frequency = np.bincount(inventions.disclosed, minlength=concepts)
        self.information: Array = np.log2(count / np.maximum(self.frequency, 1))
        order = np.argsort(inventions.disclosed, kind="stable")  # keeps the order of time within a concept
        self.lists = owner[order]
        self.list_starts = offsets(self.frequency)
        self.keys = inventions.disclosed[order].astype(np.int64) * count + self.lists

    def pairs(self, progress: Callable[[int, int], None] | None = None) -> PriorArtPairs:
        """All prior art of all inventions. `progress` gets the number of inventions done and their total."""
        blocks = []
        for first in range(0, len(self.inventions), _BLOCK):
            if progress is not None:
                progress(first, len(self.inventions))
            query = self._query(np.arange(first, min(first + _BLOCK, len(self.inventions))))
            place, earlier, matched = self._candidates(query)
            grade = np.zeros(len(place), np.int8)
            for number, chosen, grades in self._by_claim(query, place, matched):
                dependent = query.parents[place[chosen], number - 1] > 0
                grade[chosen] = np.maximum(grade[chosen], np.where(dependent, np.minimum(grades, 1), grades))
            kept = grade > 0
            blocks.append((query.rows[place[kept]], earlier[kept], grade[kept], matched[kept]))
        return PriorArtPairs(*(np.concatenate(column) for column in zip(*blocks, strict=True)))

    def by_claim(self, rows: Integers) -> Iterator[tuple[int, Integers, Integers, NDArray[np.int8]]]:
        """For each claim number, all its pairs: the index into `rows`, the earlier invention, the grade."""
        query = self._query(rows)
        place, earlier, matched = self._candidates(query)
        for number, chosen, grades in self._by_claim(query, place, matched):
            kept = grades > 0
            yield number, place[chosen[kept]], earlier[chosen[kept]], grades[kept]

    def _query(self, rows: Integers) -> _Query:
        counts = self.claims.counts[rows]
        numbers = np.arange(int(counts.max(initial=0)))
        at = self.claims.starts[rows][:, None] + np.minimum(numbers, counts[:, None] - 1)
        named = np.where(numbers < counts[:, None], self.claims.concepts[at], 0).astype(np.uint16)
        concepts = self.inventions.claimable[rows].astype(np.int64)
        weights = np.where(concepts >= 0, self.information[np.maximum(concepts, 0)], 0.0)
        needed = np.einsum("rcs,rs->rc", _bit_array(named), weights)
        return _Query(rows, concepts, weights, counts, self.claims.parent[at], named, needed)

    def _by_claim(
        self, query: _Query, place: Integers, matched: NDArray[np.uint16]
    ) -> Iterator[tuple[int, Integers, NDArray[np.int8]]]:
        """For each claim number: the candidates of inventions that have this claim, and their grades."""
        found = _bit_array(matched) * query.weights[place]
        for number in range(1, query.named.shape[1] + 1):
            chosen = np.flatnonzero(query.counts[place] >= number)
            at = place[chosen]
            named = query.named[at, number - 1]
            held = (found[chosen] * _bit_array(named)).sum(axis=1)
            relevant = held >= self.enough * query.needed[at, number - 1] - _ROUNDING
            whole = (matched[chosen] & named) == named
            yield number, chosen, np.maximum(whole * 2, relevant).astype(np.int8)

    def _candidates(self, query: _Query) -> tuple[Integers, Integers, NDArray[np.uint16]]:
        """Earlier inventions that could be prior art: index in the query, the earlier one, the concepts in common.

        Lists of common concepts are long and weigh little. They are not searched when such concepts alone are not
        enough for any claim; whether a candidate has them is looked up afterwards.
        """
        count = len(self.inventions)
        common = self.frequency[np.maximum(query.concepts, 0)] > _COMMON
        held = np.einsum("rcs,rs->rc", _bit_array(query.named), query.weights * common)
        alone = (held >= self.enough * query.needed - _ROUNDING) & (query.needed > 0)
        searched = (query.concepts >= 0) & (~common | alone.any(axis=1)[:, None])
        place, slot = np.nonzero(searched)
        key = query.concepts[place, slot]
        begin = self.list_starts[key]
        before = np.searchsorted(self.keys, key * count + query.rows[place]) - begin  # lists are in the order of time
        earlier = self.lists[np.repeat(begin, before) + places_within(before)]
        known = self.published[earlier] <= np.repeat(self.inventions.priority[query.rows[place]], before)
        found = (np.repeat(place, before)[known] * count + earlier[known]) * CLAIMABLE + np.repeat(slot, before)[known]
        found.sort()
        pair, bit = found // CLAIMABLE, (1 << (found % CLAIMABLE)).astype(np.uint16)
        first = np.flatnonzero(np.diff(pair, prepend=-1))
        if not len(first):
            return first, first, bit
        held = np.add.reduceat(query.weights[pair // count, found % CLAIMABLE], first)
        least = self.enough * np.where(query.needed > 0, query.needed, np.inf).min(axis=1) - 2 * _ROUNDING
        unseen = (query.weights * ~searched).sum(axis=1)
        matched = np.bitwise_or.reduceat(bit, first)
        place, earlier = pair[first] // count, pair[first] % count
        kept = held + unseen[place] >= least[place]  # enough for the lightest claim
        return place[kept], earlier[kept], self._with_common(query, searched, place[kept], earlier[kept], matched[kept])

    def _with_common(
        self,
        query: _Query,
        searched: NDArray[np.bool_],
        place: Integers,
        earlier: Integers,
        matched: NDArray[np.uint16],
    ) -> NDArray[np.uint16]:
        """The concepts in common, with those whose lists were not searched."""
        for slot in range(CLAIMABLE):
            asked = np.flatnonzero((query.concepts[place, slot] >= 0) & ~searched[place, slot])
            key = query.concepts[place[asked], slot] * len(self.inventions) + earlier[asked]
            there = self.keys[np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)] == key
            matched[asked[there]] |= np.uint16(1 << slot)
        return matched


def _bit_array(bits: NDArray[np.uint16]) -> Array:
    """Bits as numbers 0 and 1 along a last axis."""
    return ((bits[..., None] >> SLOTS.astype(np.uint16)) & 1).astype(np.float64)


# Simulated searches of examiners, who find each true prior art with its own probability.


READ = {"en": ("en",), "ja": ("ja", "en"), "de": ("de", "en")}  # languages that examiners read, by that of their office
_READ_AT_EP = ("en", "de")
_PIECE = 1 << 17  # pairs compared at a time


@dataclass(frozen=True)
class Searches:
    """Every pair of a searched application and a document family that is true prior art to it."""

    application: Integers  # the application's number in Publications
    office: Integers
    pair: Integers  # an index into PriorArtPairs
    chance: Array
    found: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.application)


@dataclass(frozen=True)
class Applications:
    """The applications whose search report is in the collection."""

    number: Integers  # as in Publications
    invention: Integers
    office: Integers


def searched(publications: Publications) -> Applications:
    """The applications with a publication that carries a search report, in the order of their numbers."""
    on_grant = np.array([authority.reports_on == "grant" for authority in AUTHORITIES])
    carries = publications.granted | ~on_grant[publications.office]
    number, first = np.unique(publications.application[carries], return_index=True)
    at = np.flatnonzero(carries)[first]
    return Applications(number, publications.invention[at], publications.office[at])


def first_by_office(publications: Publications, inventions: int) -> NDArray[np.int64]:
    """The day of the first publication of each invention at each office."""
    days = np.full((inventions, len(AUTHORITIES)), NEVER)
    np.minimum.at(days, (publications.invention, publications.office), publications.published)
    return days


def simulate_searches(
    settings: Settings,
    tree: ClassTree,
    concepts: Concepts,
    inventions: Inventions,
    publications: Publications,
    pairs: PriorArtPairs,
) -> Searches:
    """The searches of all examiners."""
    applications = searched(publications)
    begin = offsets(np.bincount(pairs.invention, minlength=len(inventions)))
    counts = np.diff(begin)[applications.invention]
    row = np.repeat(np.arange(len(counts)), counts)
    pair = begin[applications.invention][row] + places_within(counts)
    odds = _common_log_odds(settings, concepts, inventions, publications, pairs)[pair]
    odds += class_effects(settings, tree)[tree.class_of_subclass[inventions.subclass[pairs.invention[pair]]]]
    odds += np.array([authority.skill for authority in AUTHORITIES])[applications.office[row]]
    office = applications.office[row]
    first = first_by_office(publications, len(inventions))[pairs.earlier[pair]]
    known = first <= inventions.priority[pairs.invention[pair]][:, None]
    odds += settings.own_office * known[np.arange(len(row)), office]
    odds += settings.foreign_only * ~(known & readable()[office]).any(axis=1)
    chance = 1 / (1 + np.exp(-odds))
    found = generator(settings.seed, "examiners").random(len(chance)) < chance
    return Searches(applications.number[row], office, pair, chance, found)


def class_effects(settings: Settings, tree: ClassTree) -> Array:
    """How much easier, in log odds, the prior art of each class is to find."""
    return generator(settings.seed, "difficulty of classes").normal(0, settings.class_spread, len(tree.classes))


def readable() -> NDArray[np.bool_]:
    """Whether the examiners of one office read what another publishes."""
    reads = [_READ_AT_EP if authority.code == "EP" else READ[authority.language] for authority in AUTHORITIES]
    return np.array([[other.language in languages for other in AUTHORITIES] for languages in reads])


def _common_log_odds(
    settings: Settings, concepts: Concepts, inventions: Inventions, publications: Publications, pairs: PriorArtPairs
) -> Array:
    """The part of the log odds that is the same for all offices: age, names of concepts, and whether it anticipates."""
    decades = (inventions.priority[pairs.invention] - publications.first_published[pairs.earlier]) / 3652.5
    odds = settings.per_decade * decades + settings.anticipates * (pairs.grade == 2)
    for first in range(0, len(pairs), _PIECE):
        piece = slice(first, first + _PIECE)
        odds[piece] += settings.same_words * (same_names(settings, concepts, inventions, pairs, piece) - 0.5)
    return np.asarray(odds)


def same_names(
    settings: Settings, concepts: Concepts, inventions: Inventions, pairs: PriorArtPairs, piece: slice = slice(None)
) -> Array:
    """The share of the common concepts for which both applicants use the same name."""
    new, old = pairs.invention[piece], pairs.earlier[piece]
    row, slot = np.nonzero((pairs.matched[piece, None] >> SLOTS.astype(np.uint16)) & 1)
    concept = inventions.claimable[new[row], slot].astype(np.int64)
    mine, theirs = (
        preferred_form(settings, concepts, inventions.applicant[of[row]], concept, inventions.years[of[row]])
        for of in (new, old)
    )
    return np.bincount(row, mine == theirs, len(new)) / np.maximum(np.bincount(row, minlength=len(new)), 1)
