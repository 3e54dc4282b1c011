"""The whole simulated office as compact arrays. Its documents are written by `printing.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.articles import Articles, make_articles
from leadline.collections.simulate.claim_concepts import ClaimSets, make_claims
from leadline.collections.simulate.class_tree import ClassTree, make_class_tree
from leadline.collections.simulate.concept_names import ConceptNames, name_concepts
from leadline.collections.simulate.concepts import Concepts, make_concepts
from leadline.collections.simulate.examiners import Searches, simulate_searches
from leadline.collections.simulate.families import (
    Publications,
    TooFewDocumentsError,
    document_numbers,
    make_publications,
)
from leadline.collections.simulate.inventions import Inventions, make_inventions
from leadline.collections.simulate.randomness import Integers, places_within
from leadline.collections.simulate.settings import AUTHORITIES, Settings
from leadline.collections.simulate.simulated_citations import CitationArrays, simulate_citations
from leadline.collections.simulate.true_prior_art import PriorArtFinder, PriorArtPairs
from leadline.collections.simulate.vocabulary import Vocabulary, make_vocabulary

_FAMILY_SIZE = 2.2  # mean documents of an invention, about; with too few documents, more inventions are made


@dataclass(frozen=True)
class SimulatedOffice:
    """A patent office about which everything is known.

    >>> office = build_office(Settings(patents=300, topics=0))
    >>> len(office.publications), len(office.ids)
    (300, 300)
    """

    settings: Settings
    tree: ClassTree
    concepts: Concepts
    inventions: Inventions
    claims: ClaimSets
    publications: Publications
    prior_art: PriorArtFinder  # finds all prior art of a claim
    pairs: PriorArtPairs  # of inventions and their true prior art
    searches: Searches
    cited: CitationArrays
    articles: Articles
    serials: NDArray[np.object_]
    kinds: NDArray[np.object_]

    @cached_property
    def names(self) -> ConceptNames:
        return name_concepts(self.settings, self.tree, self.concepts, self.vocabulary)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return make_vocabulary(self.settings.seed, self.tree)

    @cached_property
    def ids(self) -> NDArray[np.object_]:
        """The patents' ids in runs and judgements."""
        codes = np.array([authority.code for authority in AUTHORITIES], object)
        return np.asarray(codes[self.publications.office] + self.serials + self.kinds)

    @cached_property
    def all_ids(self) -> NDArray[np.object_]:
        """The ids of the patents, then those of the articles, in the order of the collection."""
        return np.concatenate([self.ids, self.articles.ids])

    @cached_property
    def all_published(self) -> Integers:
        """The day of publication of each document, in the same order."""
        return np.concatenate([self.publications.published, self.articles.published])

    def documents_of(self, inventions: Integers) -> tuple[Integers, Integers]:
        """The documents of some inventions, patents and articles: index into `inventions`, and into `all_ids`."""
        parts = []
        for starts, first in ((self.publications.starts, 0), (self.articles.starts, len(self.publications))):
            sizes = np.diff(starts)[inventions]
            document = first + np.repeat(starts[inventions], sizes) + places_within(sizes)
            parts.append((np.repeat(np.arange(len(inventions)), sizes), document))
        (of_patents, patents), (of_articles, articles) = parts
        return np.concatenate([of_patents, of_articles]), np.concatenate([patents, articles])


def build_office(settings: Settings, progress: Callable[[int, int], None] | None = None) -> SimulatedOffice:
    """Simulate an office. The same settings always give the same office."""
    needed = settings.patents / _FAMILY_SIZE
    while True:
        count = int(needed * 1.1) + 20
        tree = make_class_tree(settings.seed, max(1, round(count / settings.line_size / settings.lines_per_group)))
        concepts = make_concepts(settings, tree)
        inventions = make_inventions(settings, tree, concepts, count)
        try:
            publications = make_publications(settings, inventions)
            break
        except TooFewDocumentsError:
            needed *= 1.25
    claims = make_claims(settings, inventions)
    prior_art = PriorArtFinder(inventions, claims, publications.first_published, len(concepts), settings.enough)
    pairs = prior_art.pairs(progress)
    searches = simulate_searches(settings, tree, concepts, inventions, publications, pairs)
    cited = simulate_citations(settings, inventions, publications, pairs, searches)
    articles = make_articles(settings, inventions, publications)
    serials, kinds = document_numbers(publications)
    return SimulatedOffice(
        settings, tree, concepts, inventions, claims, publications, prior_art, pairs, searches, cited, articles,
        serials, kinds,
    )  # fmt: skip
