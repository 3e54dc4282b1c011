"""A ranking: the documents of a query, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Ranking:
    """The documents of a query, best first: their rows in the index, and their scores."""

    rows: NDArray[np.int32]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)


EMPTY_RANKING = Ranking(np.empty(0, np.int32), np.empty(0))


class CountedRanking(NamedTuple):
    """The best documents of a query, and what the search learned of all others."""

    best: Ranking
    documents: int | None  # how many have a term and are allowed; None where only lists can say
    has_every_term: bool = False  # whether each term is known to be in some document
