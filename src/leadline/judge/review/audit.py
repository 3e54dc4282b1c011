"""The audit: how much has been found by an expert's standard, whatever readers overlooked, people or machines.

When reading ends, an expert confirms what readers kept, and reads at random from everything that was not kept, unread
or rejected. These documents are one population, frozen in one random order. The limit of `stopping.py` holds at every
look along this order, and it needs no assumption on the readers, on their independence or on the learner: only the
expert's own decisions are in it. Before the order is drawn, the expert may read again what readers rejected, the most
likely first; that is cheapest where readers overlook much, and changes nothing of what is certified.

In the journal, an expert's decisions are marks on the topic `audit`, which no reader sees. Two events begin it:

    audit   value: {"to": "begin", "kept": ..., "sample": ..., ...}; two orders: of the kept documents, at random, and
            of those to read again
    audit   value: {"to": "draws", "unread": ..., "found": ..., ...}; the order of the population

The first of each stands for a round. A decision counts when it and all before it in its order have been made.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError
from leadline.judge.marks import UNJUDGED, UNSURE
from leadline.judge.review.draws import RandomDraws
from leadline.judge.review.learners import LEARNERS, Labels, Rows, Scores, TextFeatures, similar
from leadline.judge.review.stopping import (
    AUDIT_PRIOR,
    LEAST_IN_A_ROW,
    MOST_IN_A_ROW,
    ROUNDING,
    Certificate,
    Prior,
    RoundCertificate,
    expected_draws,
    lowest_so_far,
    missing_limits,
)

OVERLOOKED = (0.0, 0.02, 0.05)  # shares of the relevant documents that are missing, for which a price is quoted
SAMPLE_ERROR = 0.2  # of the error that is allowed, for a sample of the kept documents
KEPT_PRIOR, KEPT_TARGET = (
    Prior(0.5, 0.5),
    0.8,
)  # one in eight kept wrongly is expected; the limit holds whatever is true
FOLDS = 3  # a rejected document is scored by a learner that has not seen its rejection
AGAIN = 0.4  # of the unread over 1 + found · (1 − τ)/τ: so many in a row end the reading again


@dataclass(frozen=True, repr=False)
class AuditCertificate(Certificate):
    """What an expert's draws show about everything that readers did not keep.

    >>> print(AuditCertificate(found=40, unread=1000, kept=44, confirmed=44).draw(669))
    At least 95 % have been found by the expert's standard (95 % confidence, valid whenever you stop).
    """

    kept: int = 0  # documents that readers kept
    confirmed: int = 0  # of them, those that the expert decided on
    by: str = ""  # who
    basis: int = 0  # found when the order was drawn: the prior follows from it, and not from what came later
    share: float = 1.0  # of the error that is allowed, for the draws; the rest is for a sample of the kept
    prior: ClassVar[Prior] = AUDIT_PRIOR
    documents: ClassVar[str] = "documents the expert decided on"

    @property
    def expected(self) -> int:
        return self.basis or self.found

    @property
    def _promise(self) -> dict[str, Any]:
        return super()._promise | {"alpha": self.alpha * self.share}

    def _finding(self) -> str:
        confidence = f"{100 * (1 - self.alpha):g} % confidence, valid whenever you stop"
        percent = math.floor(100 * self.recall + ROUNDING)
        return f"At least {percent} % have been found by the expert's standard ({confidence})."

    @property
    def words(self) -> str:
        """The certificate in full: what it says, on what basis, and what it does not cover."""
        percent = math.floor(100 * self.recall + ROUNDING)
        expert = f"the expert {self.by}" if self.by else "the expert"
        were = "was" if self.elsewhere == 1 else "were"
        also = f" ({self.elsewhere:,} more {were} found in other ways)" if self.elsewhere else ""
        hits = "1 of these is" if self.hits == 1 else f"{self.hits:,} of these are"
        every = "all" if self.confirmed == self.kept else f"{self.confirmed:,} of the"
        kept = f"{every} {self.kept:,} documents that readers kept, and on " if self.kept else ""
        what = "they had" if kept else "documents that readers had"
        return (
            f"Of the documents {expert} would call relevant in this collection, at least {percent} % have been found "
            f"({100 * (1 - self.alpha):g} % confidence, valid whenever you stop), whatever readers overlooked. Basis: "
            f"the expert decided on {kept}{self.drawn:,} drawn at random from {self.unread:,} {what} rejected or not "
            f"read; {hits} relevant{also}. The expert's own error and documents outside the collection are not covered."
        )


@dataclass(frozen=True)
class Audit:
    """An audit of one round: what was fixed when it began, and when its draws began."""

    round: int
    kept: RandomDraws  # what readers kept, in random order
    sample: int  # how many of these the expert confirms at first; 0: all of them
    again: Rows  # what readers rejected, the most likely first
    draws: RandomDraws | None = None  # everything else that no expert had decided on

    @property
    def to_confirm(self) -> Rows:
        return self.kept.order[: self.sample] if self.sample else self.kept.order

    @classmethod
    def begun(cls, draws: RandomDraws, again: Rows, said: str, number: int) -> Audit:
        return cls(number, draws, int(json.loads(said).get("sample", 0)), again)


@dataclass(frozen=True)
class AuditState:
    """Where an audit stands."""

    audit: Audit
    found: RoundCertificate  # `certificate` is an AuditCertificate
    waiting_kept: int  # documents to confirm that the expert has not decided on
    rejected: int  # of the kept, those that the expert does not call relevant
    again_read: int  # of those to read again
    again_hits: int
    in_a_row: int  # of the last of these that were not relevant
    needed: int  # so many in a row, and drawing is cheaper
    queue: tuple[int, ...]  # rows that the expert is to decide on, in their order

    @property
    def certificate(self) -> AuditCertificate:
        assert isinstance(self.found.certificate, AuditCertificate)
        return self.found.certificate

    @property
    def phase(self) -> str:
        """What the expert does now: confirm what was kept, read again what was rejected, or draw."""
        if self.audit.draws is not None:
            return "draws"
        return "kept" if self.waiting_kept else "again"

    @property
    def is_ready(self) -> bool:
        """Whether this is a good moment for the draws."""
        return self.phase == "again" and (not self.queue or self.in_a_row >= self.needed)


def needed_again(found: int, unread: int, documents: int, target: float) -> int:
    """How many rejected documents in a row must not be relevant until random draws are the cheaper way.

    Formula: max(20, min(0.4 u/(1 + F (1 − τ)/τ), 0.3 N)).

    >>> needed_again(40, 1000, 1200, 0.95)
    129
    """
    most = min(AGAIN * unread / (1 + found * (1 - target) / target), MOST_IN_A_ROW * documents)
    return max(LEAST_IN_A_ROW, math.ceil(most - ROUNDING))


@lru_cache(maxsize=256)
def audit_price(found: int, unread: int, overlooked: float, target: float, alpha: float) -> int:
    """How many of the documents that were not kept an audit draws on average, if a share of the relevant is missing.

    >>> [audit_price(40, 5000, share, 0.95, 0.05) for share in OVERLOOKED]
    [3330, 3786, 4173]
    """
    missing = round(overlooked * found / (1 - overlooked))
    return round(expected_draws(found, unread, missing, target=target, alpha=alpha, prior=AUDIT_PRIOR))


def audit_prices(found: int, unread: int, targets: Iterable[float], alpha: float) -> dict[float, tuple[int, ...]]:
    """For each target, what an audit draws if 0, 2 and 5 % of the relevant documents are missing."""
    return {
        target: tuple(audit_price(found, unread, share, target, alpha) for share in OVERLOOKED)
        for target in sorted(set(targets))
    }


def price_sentence(target: float, draws: Sequence[int], begun: str = "") -> str:
    """A price in words.

    >>> price_sentence(0.9, (420, 480, 555))
    'To certify 90 % against an expert it would draw about 420, 480 or 555 documents if 0, 2 or 5 % were overlooked.'
    """
    if len(set(draws)) == 1:
        return f"To certify {100 * target:g} % against an expert it would draw about {draws[0]:,} documents{begun}."
    numbers = ", ".join(f"{each:,}" for each in draws[:-1]) + f" or {draws[-1]:,}"
    shares = ", ".join(f"{100 * each:g}" for each in OVERLOOKED[:-1]) + f" or {100 * OVERLOOKED[-1]:g} %"
    return (
        f"To certify {100 * target:g} % against an expert it would draw about {numbers} documents{begun} if {shares} "
        "were overlooked."
    )


def rejected_order(
    features: TextFeatures, rows: Rows, relevant: Labels, rejected: Rows, learner: str = "svm", seed: int = 0
) -> Rows:
    """What readers rejected, the most likely first: each scored by a learner that has not seen its rejection.

    `rows` were read, in their order, and `relevant` says what readers made of them. A third of them at a time is scored
    by what the learner learns from the others.
    """
    if not len(rejected) or not relevant.any() or relevant.all():
        return np.sort(rejected)
    scores = np.full(len(features), -np.inf)
    fold = np.empty(len(rows), np.int64)
    fold[np.random.default_rng(seed).permutation(len(rows))] = np.arange(len(rows)) % FOLDS
    for number in range(FOLDS):
        own = fold == number
        scores[rows[own]] = _scored(features, rows[~own], relevant[~own], learner, seed)[rows[own]]
    return np.asarray(rejected[np.lexsort((rejected, -scores[rejected]))])


def _scored(features: TextFeatures, rows: Rows, relevant: Labels, learner: str, seed: int) -> Scores:
    """The scores that a learner gives all documents; where it could tell nothing apart, how similar they are."""
    if not relevant.any() or relevant.all():
        return similar(features, rows[relevant])
    return np.asarray(LEARNERS.named(learner)(features, seed).learn(rows, relevant)).copy()


def audit_state(
    audit: Audit,
    decided: NDArray[np.int8],
    kept_now: NDArray[np.bool_],
    member: NDArray[np.bool_],
    *,
    target: float,
    alpha: float,
    by: str = "",
) -> AuditState:
    """Where an audit stands: `decided` are the expert's grades, `kept_now` what readers keep now, of all units.

    `member` are the units of the round.
    """
    relevant, known = (decided > 0) | (decided == UNSURE), decided != UNJUDGED
    kept, order = audit.kept.order, audit.draws.order if audit.draws is not None else np.zeros(0, np.int64)
    drawn_from, was_kept = np.zeros(len(member), np.bool_), np.zeros(len(member), np.bool_)
    drawn_from[order], was_kept[kept] = True, True
    outside = member & ~drawn_from & ~was_kept  # decided on before the draws, or since taken back
    if audit.draws is None:
        population, outside = outside & ~known, outside & known
        unread, reopened = int(population.sum()), 0
    else:
        unread, reopened = len(order), int((outside & ~known).sum())
    # What readers kept, and keep no longer, may be relevant and missing until the expert has decided.
    gone = was_kept & ~kept_now & ~known
    share = 1 - SAMPLE_ERROR if audit.sample else 1.0
    sure = int((relevant & was_kept).sum())
    if audit.sample:
        sure = max(sure, _confirmed_at_least(known[kept], relevant[kept], alpha * SAMPLE_ERROR) - int(gone.sum()))
    found = sure + int((relevant & outside).sum())
    counted = prefix(known[order])
    hits = np.concatenate(([0], np.cumsum(relevant[order[:counted]])))
    looks = np.arange(counted + 1)
    basis = audit.draws.found if audit.draws is not None else len(kept) + int((relevant & outside).sum())
    limits = missing_limits(basis, unread, looks, hits, target=target, alpha=alpha * share, prior=AUDIT_PRIOR)
    lowest = lowest_so_far(limits, hits)
    elsewhere = int(relevant[order[counted:]].sum())
    certificate = AuditCertificate(
        found, unread, target, alpha, counted, int(hits[-1]), int(lowest[-1]), elsewhere, reopened + int(gone.sum()),
        kept=len(kept), confirmed=int(known[kept].sum()), by=by, basis=basis,
        share=share,
    )  # fmt: skip
    bounds = (found + hits) / np.maximum(found + lowest, 1)
    bounds[-1] = certificate.recall
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.maximum(found + unread * hits / looks, 1e-12)
        estimates = np.where(looks > 0, (found + hits) / np.maximum(expected, found + hits), np.nan)
    estimates[-1] = certificate.estimate
    before = int((known & member & ~drawn_from).sum())
    shown = RoundCertificate(
        audit.round, certificate, before + looks, bounds, estimates, int((np.diff(lowest) > 0).sum()),
        audit.draws is not None, int(known[order[counted:]].sum()),
    )  # fmt: skip
    again = known[audit.again] & ~drawn_from[audit.again]
    last = np.flatnonzero(again & relevant[audit.again])
    in_a_row = int(again[last[-1] + 1 :].sum()) if len(last) else int(again.sum())
    waiting = audit.to_confirm[~known[audit.to_confirm]]
    following = order[~known[order]] if audit.draws is not None else audit.again[~known[audit.again]]
    likely = found + int((~known[kept]).sum())  # as if the expert agreed to what is not confirmed yet
    return AuditState(
        audit, shown, len(waiting), int((known & ~relevant)[kept].sum()), int(again.sum()), len(last), in_a_row,
        needed_again(likely, unread, int(member.sum()), target), (*waiting.tolist(), *following.tolist()),
    )  # fmt: skip


def _confirmed_at_least(known: NDArray[np.bool_], relevant: NDArray[np.bool_], alpha: float) -> int:
    """The lower limit of how many of the kept documents the expert calls relevant, from a sample in random order.

    The same ratio as for what is missing, of those that are kept wrongly.
    """
    counted = prefix(known)
    wrong = np.concatenate(([0], np.cumsum(~relevant[:counted])))
    looks = np.arange(counted + 1)
    limits = missing_limits(len(known), len(known), looks, wrong, target=KEPT_TARGET, alpha=alpha, prior=KEPT_PRIOR)
    return len(known) - int(lowest_so_far(limits, wrong)[-1])


def prefix(known: NDArray[np.bool_]) -> int:
    """How many come before the first that is not known."""
    unknown = np.flatnonzero(~known)
    return int(unknown[0]) if len(unknown) else len(known)


def check_sample(sample: int, kept: int) -> int:
    """How many kept documents are confirmed at first: 0, for all, if the sample has all of them."""
    if sample < 0:
        raise InputError("sample", f"must be 0 or more, got {sample}")
    return 0 if sample >= kept else sample
