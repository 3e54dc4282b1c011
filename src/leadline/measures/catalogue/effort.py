"""Documents read until enough is found: the cost of recall."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, Integers, ratio
from leadline.options import Bounds

ShareOrPercent = Annotated[float, Bounds(0, 100, above=True)]


@measure("last_rel", better="lower", effort="alone")
def last_rel(hits: Hits, rel: int = 1) -> Array:
    """Rank of the last relevant document that was found.

    Formula: max r over the relevant documents found.

    Paper: Kanoulas, Li, Azzopardi and Spijker, CLEF 2017 technologically assisted reviews in empirical medicine
    overview, CLEF 2017.

    Range: 1 and up; undefined if the list has no relevant document.

    Unjudged: not relevant.

    Short list: missing documents are not counted, so compare lists of the same documents only.

    >>> last_rel(Hits.of(ranks=[2, 7], relevant=3))
    array([7.])
    """
    found = hits.where(hits.relevant(rel))
    rank = _rank_of(found, np.diff(found.offsets))
    return np.where(hits.n_relevant(rel) > 0, np.where(rank > 0, rank, np.nan), 0.0)


@measure("WSS", at="share")
def wss(
    hits: Hits,
    share: ShareOrPercent = 0.95,
    candidates: Literal["judged", "list"] = "judged",
    rounding: Literal["nearest", "up", "down"] = "nearest",
    rel: int = 1,
) -> Array:
    """Work saved: the share of the candidates left unread once a share of the relevant ones is found, minus chance.

    Formula: WSS@s = (N - r) / N - (1 - s), with N candidates and r the rank of the k-th relevant document, k = s·n
    rounded to the nearest whole number, half to even; 0 if fewer are found. N is the number of documents judged for the
    topic, or the length of the list if that is larger; with candidates=list, always the length of the list. With
    rounding=up s·n is rounded up, so that the share is really reached, with rounding=down it is rounded down: of 30
    relevant documents WSS@95 wants 28 (28.5, half to even), 29 rounded up. A share above 1 is a percentage: WSS@95.

    Paper: Cohen, Hersh, Peterson and Yen, Reducing workload in systematic review preparation using automated citation
    classification, JAMIA 2006; as CLEF's tar_eval computes it.

    Range: below s; 0 is the value of a random order, less is worse than that.

    Unjudged: not relevant; they are candidates only as far as the list is longer than the judgements.

    Short list: 0 if it does not reach the share, which is more than a list has that reaches it late. Where every
    candidate is judged, as in a systematic review, a list cut short scores as the whole one; where not, N is its own
    length, so compare lists of the same length only.

    >>> wss(Hits.of(ranks=[1, 10], relevant=2, retrieved=100), share=0.95).round(3)
    array([0.85])
    """
    share = as_fraction(share)
    found = hits.where(hits.relevant(rel))
    wanted = rounded_share(share * hits.n_relevant(rel), rounding)
    total = hits.retrieved if candidates == "list" else hits.n_candidates()
    saved = ratio(total - _rank_of(found, wanted), total) - (1 - share)
    reached = (np.diff(found.offsets) >= wanted) & (hits.n_relevant(rel) > 0) & (hits.retrieved > 0)
    return np.where(reached, saved, 0.0)


@measure("effort", at="share", better="lower", effort="until found")
def effort(hits: Hits, share: ShareOrPercent = 0.95, rel: int = 1) -> Array:
    """Documents read until a share of the relevant ones is found.

    Formula: effort@s = the smallest rank r with R@r ≥ s. A share above 1 is a percentage: effort@80.

    Paper: Cooper, Expected search length, American Documentation 1968, for a number of documents; here for a share.

    Range: 1 and up; undefined if the list does not reach the share.

    Unjudged: not relevant.

    Short list: undefined if it does not reach the share; for `leadline compare recall` that is worse than any effort.

    >>> effort(Hits.of(ranks=[1, 2, 30], relevant=4), share=0.75)
    array([30.])
    """
    found = hits.where(hits.relevant(rel))
    wanted = rounded_share(as_fraction(share) * hits.n_relevant(rel), "up")
    return np.where(np.diff(found.offsets) >= wanted, _rank_of(found, wanted), np.nan)


def rounded_share(number: NDArray[np.floating[Any]], rounding: Literal["nearest", "up", "down"]) -> Integers:
    """A share of the relevant documents as a whole number of them.

    >>> number = np.array([28.5, 55.00000000000001])
    >>> [rounded_share(number, rounding).tolist() for rounding in ("nearest", "up", "down")]
    [[28, 55], [29, 55], [28, 55]]
    """
    # In floating point 0.55 · 100 is 55.00000000000001, which must not be rounded up to 56.
    rounded = {"nearest": np.rint(number), "up": np.ceil(number - 1e-9), "down": np.floor(number + 1e-9)}[rounding]
    return np.asarray(rounded).astype(np.int64)


def _rank_of(found: Hits, place: Integers) -> Integers:
    """The rank of hit number `place`, from 1, of each row; 0 if there is none."""
    exists = (place >= 1) & (place <= np.diff(found.offsets))
    ranks = np.zeros(found.rows, np.int64)
    ranks[exists] = found.rank[(found.offsets[:-1] + place - 1)[exists]]
    return ranks


def as_fraction(share: float) -> float:
    """Return a share that may be written as a percentage, from above 1 to 100, as a number from 0 to 1."""
    return share / 100 if share > 1 else share
