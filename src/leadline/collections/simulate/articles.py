"""Articles in journals about inventions of the office, so that patents and articles are in one collection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.families import Publications
from leadline.collections.simulate.inventions import Inventions, first_day
from leadline.collections.simulate.randomness import Integers, generator, offsets
from leadline.collections.simulate.settings import Settings

_WAIT, _MORE = 30, 500  # days from the first publication of the patent: the shortest, and the mean of what is added


@dataclass(frozen=True)
class Articles:
    """All articles in the order of the inventions they describe. An article discloses what its invention does."""

    invention: Integers
    author: Integers  # a number; the author's names for concepts depend on it
    published: Integers  # days from 1970
    starts: Integers  # where the articles of each invention begin

    def __len__(self) -> int:
        return len(self.invention)

    @property
    def ids(self) -> NDArray[np.object_]:
        return np.array([f"article-{number:06d}" for number in range(1, len(self) + 1)], object)


def make_articles(settings: Settings, inventions: Inventions, publications: Publications) -> Articles:
    """Articles about random inventions, published after the first publication of the patent, as lawyers advise.

    So an article is prior art to a later invention only where its patent is, too.
    """
    rng = generator(settings.seed, "articles")
    end = first_day(settings.last_year + 1)
    known = np.flatnonzero(publications.first_published < end - _WAIT - 1)
    chosen = np.sort(rng.choice(known, settings.articles)) if len(known) else np.zeros(0, np.int64)
    wait = _WAIT + rng.exponential(_MORE, len(chosen)).astype(np.int64)
    published = np.minimum(publications.first_published[chosen] + wait, end - 1)
    author = int(inventions.applicant.max()) + 1 + rng.integers(0, max(1, len(inventions) // 10), len(chosen))
    starts = offsets(np.bincount(chosen, minlength=len(inventions)))
    return Articles(chosen, author, published, starts)
