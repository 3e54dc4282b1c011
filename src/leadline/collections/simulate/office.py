"""The whole office: everything that is true of it in compact arrays, and its documents one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.document import Document
from leadline.collections.simulate.citing import Cited, cite
from leadline.collections.simulate.claims import ClaimSets, claim
from leadline.collections.simulate.classes_tree import ClassTree, grow
from leadline.collections.simulate.concepts import Concepts, conceive
from leadline.collections.simulate.examiners import Searches, search
from leadline.collections.simulate.families import Publications, TooFewError, numbered, publish
from leadline.collections.simulate.inventions import Inventions, invent
from leadline.collections.simulate.names import Names, name_all
from leadline.collections.simulate.prior_art import Library, Pairs
from leadline.collections.simulate.settings import AUTHORITIES, Settings
from leadline.collections.simulate.vocabulary import Vocabulary, make

_FAMILY_SIZE = 2.2  # documents of an invention, about; more inventions are made where that is not enough


@dataclass(frozen=True)
class SimulatedOffice:
    """An office about which everything is known.

    >>> office = found(Settings(patents=300, topics=0))
    >>> len(office.publications), len(list(office.documents()))
    (300, 300)
    """

    settings: Settings
    tree: ClassTree
    concepts: Concepts
    inventions: Inventions
    claims: ClaimSets
    publications: Publications
    library: Library  # which finds all prior art of a claim
    pairs: Pairs  # of inventions and their true prior art
    searches: Searches
    cited: Cited
    serials: NDArray[np.object_]
    kinds: NDArray[np.object_]

    @cached_property
    def names(self) -> Names:
        return name_all(self.settings, self.tree, self.concepts, self.vocabulary)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return make(self.settings.seed, self.tree)

    @cached_property
    def ids(self) -> NDArray[np.object_]:
        """The documents' numbers, as they stand in runs and judgements."""
        codes = np.array([authority.code for authority in AUTHORITIES], object)
        return np.asarray(codes[self.publications.office] + self.serials + self.kinds)

    def documents(self) -> Iterator[Document]:
        """Every document, made when it is asked for: a million need no more memory than a block of them."""
        from leadline.collections.simulate.printing import Printer

        printer = Printer(self)
        for block in range(printer.blocks):
            yield from printer.block(block)


def found(settings: Settings, progress: Callable[[int, int], None] | None = None) -> SimulatedOffice:
    """An office with these settings. The same settings always give the same office."""
    needed = settings.patents / _FAMILY_SIZE
    while True:
        count = int(needed * 1.1) + 20
        tree = grow(settings.seed, max(1, round(count / settings.line_size / settings.lines_per_group)))
        concepts = conceive(settings, tree)
        inventions = invent(settings, tree, concepts, count)
        try:
            publications = publish(settings, inventions)
            break
        except TooFewError:
            needed *= 1.25
    claims = claim(settings, inventions)
    library = Library(inventions, claims, publications.first_published, len(concepts), settings.enough)
    pairs = library.pairs(progress)
    searches = search(settings, tree, concepts, inventions, publications, pairs)
    cited = cite(settings, inventions, publications, pairs, searches)
    serials, kinds = numbered(publications)
    return SimulatedOffice(
        settings, tree, concepts, inventions, claims, publications, library, pairs, searches, cited, serials, kinds
    )
