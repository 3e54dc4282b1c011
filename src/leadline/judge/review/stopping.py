"""What a stopping rule is, the register of rules, the certificate, and a review in a table.

A rule is tried on a review whose judgements are all known: it says after how many documents it would have stopped.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.fields.record_fields import grade
from leadline.errors import InputError
from leadline.judge.review.learners import Labels, Rows
from leadline.records.result import Result
from leadline.register import Register
from leadline.text.sheet import DOCUMENT, Sheet, sheet_of_text
from leadline.text.source import read_text

LEAST_IN_A_ROW, MOST_IN_A_ROW = 20, 0.3  # documents in a row that are not relevant; the most as a share of all
SEEDS = 2  # the documents that a simulated review begins with; an estimate that counts them stops at once
Kind = Literal["guarantee", "guarantee at one look", "guarantee if the order is no worse than chance", "rule of thumb"]


@dataclass(frozen=True)
class Review:
    """A review to its end, in the order of a learner."""

    labels: Labels  # whether each document is relevant, in the order of reading
    target: float = 0.95  # the recall that is wanted
    alpha: float = 0.05
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    others: Callable[[], Sequence[Rows]] | None = None  # the orders of other learners, as places in this one

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Stop:
    """Where a rule stops."""

    read: int
    found: int


@dataclass(frozen=True)
class StoppingRule:
    """A registered rule."""

    name: str
    function: Callable[[Review], Stop]
    kind: Kind

    @property
    def meaning(self) -> str:
        return (inspect.getdoc(self.function) or "(no description)").splitlines()[0]


RULES = Register[StoppingRule]("rule", "leadline.judge.review.rules", entry_points="leadline.rules")


def rule(name: str, kind: Kind) -> Callable[[Callable[[Review], Stop]], Callable[[Review], Stop]]:
    """Register a stopping rule under a name, and say what it can promise."""

    def add(function: Callable[[Review], Stop]) -> Callable[[Review], Stop]:
        RULES.add(name, StoppingRule(name, function, kind), home=function.__module__)
        return function

    return add


def stopped_at(review: Review, read: int) -> Stop:
    """The stop after so many documents in the learner's order."""
    return Stop(read, int(review.labels[:read].sum()))


def needed_in_a_row(found: int, unread: int, documents: int, target: float) -> int:
    """How many documents in a row must be irrelevant until random draws are the cheaper way to the target.

    Formula: max(20, min(u/k, 0.3 N)) with k = most_missing + 1. Without a hit, certifying draws a share of the unread
    that falls with k: the more was found, the cheaper are draws, and the shorter is the run.

    >>> needed_in_a_row(40, 1000, 1200, 0.95), needed_in_a_row(400, 1000, 1400, 0.95)
    (334, 46)
    """
    most = min(unread / (most_missing(found, target) + 1), MOST_IN_A_ROW * documents)
    return max(LEAST_IN_A_ROW, math.ceil(most - ROUNDING))


def switch_point(labels: Labels, target: float = 0.95) -> int:
    """After how many documents in the learner's order random draws begin.

    That is when so many in a row are not relevant as `needed_in_a_row` says, once one was. It looks only at what was
    read, so that the certificate holds.

    >>> switch_point(np.array([True] * 3 + [False] * 100))
    34
    """
    read = np.arange(1, len(labels) + 1)
    last = np.maximum.accumulate(np.where(labels, read, 0))
    found = np.cumsum(labels)
    missing = np.floor(found / target + ROUNDING) - found + 1
    most = np.minimum((len(labels) - read) / missing, MOST_IN_A_ROW * len(labels))
    enough = (found > 0) & (read - last >= np.maximum(LEAST_IN_A_ROW, np.ceil(most - ROUNDING)))
    return int(np.argmax(enough)) + 1 if enough.any() else len(labels)


def first_run(labels: Labels, length: int) -> int:
    """After how many documents `length` in a row have not been relevant, once one was; all where there is no such run.

    >>> first_run(np.array([False, False, True, False, False, True]), 2)
    5
    """
    places = np.arange(len(labels))
    last: Rows = np.maximum.accumulate(np.where(labels, places, -1))
    long = np.flatnonzero((last >= 0) & (places - last >= length))
    return int(long[0]) + 1 if len(long) else len(labels)


# How much has been found at least: a lower limit of recall that holds at every look.
#
# Reading goes on in two parts. In the first, documents come in any order, usually a learner's; `found` relevant ones
# are found. Then, after the switch, documents are drawn at random from the `unread` ones, without replacement. Only
# these draws carry the certificate, so it needs no assumption about the first part.
#
# Each number K of relevant documents among the unread ones is tested after every draw: the ratio of the probability of
# the draws under a prior to that under K is a martingale if K is true, so it ever exceeds 1/α with probability α at
# most. The largest K that has not been rejected so far is the limit. If more than that turn out to be relevant, the
# limit was wrong, as it may be with probability α: it is dropped, and the draws up to now are judged anew.
#
# Paper: Waudby-Smith and Ramdas, Confidence sequences for sampling without replacement, 2020.


class Prior(NamedTuple):
    """What is expected to be missing, before the first draw; the limit holds whatever it is."""

    shape: float  # below 1, since there are mostly very few relevant ones among the unread
    share: float  # the number expected, as a share of what the target allows to miss


READING_PRIOR, AUDIT_PRIOR = Prior(0.25, 0.5), Prior(0.5, 0.3)
SHAPE = READING_PRIOR.shape
LEAST_MEAN = 0.5  # documents that are expected to be missing at least
LARGEST_MEAN = 0.9  # of the prior, where almost nothing is unread
Looks = NDArray[np.int64]  # a number for each look
ROUNDING = 1e-9  # 38 / 0.95 is a little less than 40 in binary


def most_missing(found: int, target: float) -> int:
    """The largest number of relevant documents that may be missing when the target is reached.

    >>> most_missing(38, 0.95), most_missing(40, 0.95), most_missing(0, 0.95)
    (2, 2, 0)
    """
    return math.floor(found / target + ROUNDING) - found


@dataclass(frozen=True, repr=False)
class Certificate(Result):
    """What random draws show about the documents that have not been read.

    >>> print(Certificate(found=40, unread=100, target=0.95).draw(63))
    At least 93 % have been found (95 % confidence, valid whenever you stop).
    >>> Certificate(found=40, unread=100, target=0.95).draw(100, hits=1).recall
    1.0
    """

    found: int  # relevant documents before the switch
    unread: int  # documents at the switch
    target: float = 0.95  # the recall that is wanted: it shapes the prior, and the limit holds whatever it is
    alpha: float = 0.05
    drawn: int = 0
    hits: int = 0  # relevant documents among those drawn
    most: int | None = None  # the limit after earlier draws: a number that was rejected stays rejected
    elsewhere: int = 0  # relevant documents that were unread at the switch and found in other ways than by the draws
    reopened: int = 0  # documents read before the switch and taken back since: each may be relevant
    prior: ClassVar[Prior] = READING_PRIOR
    documents: ClassVar[str] = "documents read"  # what the looks are counted in

    def __post_init__(self) -> None:
        if min(self.found, self.unread, self.reopened) < 0:
            raise InputError("certificate", f"{self.found} found and {self.unread} unread cannot be below 0")
        if not 0 < self.target < 1:
            raise InputError("target", f"must be between 0 and 1, got {self.target}")
        if not 0 < self.alpha < 1:
            raise InputError("alpha", f"must be between 0 and 1, got {self.alpha}")
        if not 0 <= self.hits <= self.drawn <= self.unread or not 0 <= self.elsewhere <= self.unread - self.drawn:
            problem = f"{self.hits} relevant of {self.drawn} drawn from {self.unread} is not possible"
            if self.elsewhere:
                problem += f" with {self.elsewhere} found elsewhere"
            raise InputError("certificate", problem)

    def add(self, relevant: bool) -> Certificate:
        """The certificate after one more draw."""
        return self.draw(1, int(relevant))

    def draw(self, count: int, hits: int = 0) -> Certificate:
        """The certificate after `count` more draws that are looked at together."""
        return replace(self, drawn=self.drawn + count, hits=self.hits + hits, most=self.missed_at_most)

    @property
    def expected(self) -> int:
        """The number of relevant documents found from which the prior follows."""
        return self.found

    @property
    def _promise(self) -> dict[str, Any]:
        return {"target": self.target, "alpha": self.alpha, "prior": self.prior}

    @cached_property
    def missed_at_most(self) -> int:
        """The largest number of relevant documents among those unread at the switch that is not rejected."""
        looks = np.array([self.drawn]), np.array([self.hits])
        limit = int(missing_limits(self.expected, self.unread, *looks, **self._promise)[0])
        lowest = limit if self.most is None or self.is_refuted else min(self.most, limit)
        return max(lowest, self.hits + self.elsewhere)

    @property
    def is_refuted(self) -> bool:
        """Whether more relevant documents were found than the limit before allowed; that limit is then dropped."""
        return self.most is not None and self.most < self.hits + self.elsewhere

    @property
    def recall(self) -> float:
        """The lower limit of recall: what was found, of that and what may be missing."""
        most = self.found + self.missed_at_most + self.reopened
        return (self.found + self.hits + self.elsewhere) / most if most else 1.0

    @property
    def estimate(self) -> float:
        """Recall if the unread documents are like the drawn ones; NaN before the first draw."""
        if not self.drawn:
            return math.nan if self.unread else 1.0
        known = self.found + self.hits + self.elsewhere
        expected = max(self.found + self.unread * self.hits / self.drawn, known)
        return known / expected if expected else 1.0

    @property
    def estimate_words(self) -> str:
        """The estimate, worded so that nobody takes it as proof; empty before the first draw and when all is read.

        >>> Certificate(found=40, unread=100, target=0.95).draw(63).estimate_words.partition(",")[0]
        'The estimate is 100 % (no more found by the random draws)'
        """
        if math.isnan(self.estimate) or self.recall >= 1:
            return ""
        shown = "above 99 %" if 0.995 <= self.estimate < 1 else f"{100 * self.estimate:.0f} %"
        basis = "if the unread are like the draws" if self.hits else "no more found by the random draws"
        certain = f"at least {math.floor(100 * self.recall + ROUNDING)} % with {100 * (1 - self.alpha):g} % confidence"
        return f"The estimate is {shown} ({basis}), which is no proof: {certain}."

    @property
    def is_reached(self) -> bool:
        return self.recall >= self.target - ROUNDING

    @cached_property
    def draws_needed(self) -> int:
        """How many more draws reach the target if none of them is relevant; everything unread is always enough."""
        if self.is_reached:
            return 0
        low, high = 0, self.unread - self.drawn - self.elsewhere  # not enough; enough
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.draw(middle).is_reached else (middle, high)
        return high

    def _finding(self) -> str:
        confidence = f"{100 * (1 - self.alpha):g} % confidence, valid whenever you stop"
        return f"At least {math.floor(100 * self.recall + ROUNDING)} % have been found ({confidence})."

    @property
    def words(self) -> str:
        """The certificate in full: what it says, on what basis, and what it does not cover."""
        percent = math.floor(100 * self.recall + ROUNDING)
        were = "was" if self.elsewhere == 1 else "were"
        also = f" ({self.elsewhere:,} more of the unread {were} found in other ways)" if self.elsewhere else ""
        return (
            f"Of the documents this assessor would call relevant in this collection, at least {percent} % have been "
            f"found ({100 * (1 - self.alpha):g} % confidence, valid whenever you stop). Basis: {self.drawn:,} "
            f"documents drawn at random from {self.unread:,} unread; {self.hits:,} relevant{also}. Assessor error and "
            "documents outside the collection are not covered."
        )


@dataclass(frozen=True)
class RoundCertificate:
    """What the draws of one round show."""

    number: int
    certificate: Certificate
    looks: Rows  # documents read at each look, from the first of the round on
    bounds: NDArray[np.float64]  # the lower limit of recall at each look
    estimates: NDArray[np.float64]
    refuted: int  # how often the draws refuted a limit
    switched: bool
    waiting: int  # draws that were read but do not count yet, since one before them was not


def sensitivity_limit(kept: int, overlooked: int, alpha: float) -> float:
    """The lower limit of the share of relevant documents that a first reader keeps (Clopper and Pearson).

    Of the documents that a second reader kept and an expert calls relevant, the first kept `kept` and not `overlooked`.
    They are a fair sample of all relevant documents only if the two overlook independently of each other. What *either*
    kept is no such sample: it leaves out what both overlooked, and the share is then too high. The limit holds at one
    look.

    >>> round(sensitivity_limit(19, 1, 0.025), 3), sensitivity_limit(0, 5, 0.025)
    (0.751, 0.0)
    """
    from scipy.stats import beta

    if min(kept, overlooked) < 0:
        raise InputError("sensitivity", f"{kept} kept and {overlooked} overlooked cannot be below 0")
    return float(beta.ppf(alpha, kept, overlooked + 1)) if kept else 0.0


def with_sensitivity(certificate: Certificate, kept: int, overlooked: int) -> float:
    """The lower limit of recall when reviewers overlook relevant documents: that of the draws times the sensitivity.

    Both limits have the error of `certificate`, which must be half of what is allowed. Each is wrong with that
    probability at most, so both hold together with the confidence that is wanted, whether or not they are independent.

    Let K be what reviewers would keep and R what the expert would call relevant; relevant is what is in either. With p
    the share of R that is in K, R has at most |K|/p documents, so |K or R| = |K| + (1 - p)|R| is at most |K|/p. At
    least `certificate.recall` of K is found, hence at least p times that of K or R, however many of K are wrong.

    >>> round(with_sensitivity(Certificate(40, 100, 0.9, alpha=0.025).draw(80), kept=19, overlooked=1), 3)
    0.715
    """
    return certificate.recall * sensitivity_limit(kept, overlooked, certificate.alpha)


def missing_limits(
    found: int,
    unread: int,
    drawn: Looks,
    hits: Looks,
    *,
    target: float = 0.95,
    alpha: float = 0.05,
    prior: Prior = READING_PRIOR,
) -> Looks:
    """For each look by itself: the largest number of relevant documents among the unread ones that is not rejected.

    `drawn` and `hits` count the draws, and the relevant among them, up to the look. The least of the limits so far
    holds as well: see `lowest_so_far`.

    >>> missing_limits(40, 100, np.array([0, 30, 63, 100]), np.array([0, 0, 0, 1]))
    array([100,   8,   3,   1])
    """
    from scipy.special import betaln

    most = unread - (drawn - hits)
    if not unread:
        return most
    # The prior of the share of relevant documents: its mean is a part of what the target allows to miss.
    mean = min(max(LEAST_MEAN, most_missing(found, target) * prior.share) / unread, LARGEST_MEAN)
    a, b = prior.shape, prior.shape * (1 - mean) / mean
    expected = betaln(a + hits, b + drawn - hits) - betaln(a, b) + _log_falling(unread, drawn)

    def is_rejected(missing: Looks) -> NDArray[np.bool_]:
        made = _log_falling(missing, hits) + _log_falling(unread - missing, drawn - hits)
        return np.asarray(expected - made >= -math.log(alpha))

    # The ratio falls to the number that explains the draws best, then rises: the limit is found right of it by halving.
    low = np.minimum(np.maximum(hits, hits * (unread + 1) // np.maximum(drawn, 1)), most)
    high = np.where(is_rejected(most), most, most + 1)
    low = np.where(high > most, most, low)
    while np.any(high - low > 1):
        middle = np.minimum((low + high) // 2, most)
        rejected = is_rejected(middle)
        low, high = np.where(rejected, low, middle), np.where(rejected & (middle > low), middle, high)
    return np.asarray(low)


def lowest_so_far(limits: Looks, hits: Looks) -> Looks:
    """The limit after each look: a number that was rejected stays rejected, until the draws refute the limit.

    >>> lowest_so_far(np.array([9, 3, 1, 4, 5]), np.array([0, 0, 0, 2, 3]))
    array([9, 3, 1, 4, 4])
    """
    lowest = np.minimum.accumulate(limits)
    while (refuted := np.flatnonzero(lowest < hits)).size:
        lowest[refuted[0] :] = np.minimum.accumulate(limits[refuted[0] :])
    return lowest


LOTS = 400  # random orders that a price is the mean of
LOOKS_BACK = 6  # hits: a limit that earlier looks had is kept, and the next hit lets it suffice


def expected_draws(
    found: int,
    unread: int,
    missing: int,
    *,
    target: float = 0.95,
    alpha: float = 0.05,
    prior: Prior = READING_PRIOR,
) -> float:
    """How many draws certify the target on average, if so many of the unread documents are relevant.

    The hits lie at random among the unread, with the same lots for every question, so that a price that is asked again
    is the same.

    >>> round(expected_draws(40, 1000, 0)), round(expected_draws(40, 1000, 2))
    (669, 842)
    """
    if most_missing(found, target) >= unread or missing > unread:
        return 0.0 if missing <= unread else float(unread)
    all_hits = np.arange(missing + 1)
    places = np.ceil(np.sort(np.random.default_rng(0).random((LOTS, missing)), axis=1) * unread)
    came = np.pad(places, ((0, 0), (1, 0)))  # when each number of hits was reached, and when the next one was
    following = np.pad(places, ((0, 0), (0, 1)), constant_values=unread + 1)
    enough = np.floor((found + all_hits) / target + ROUNDING).astype(np.int64) - found  # the limit that suffices
    stops = np.full(came.shape, np.inf)
    for back in range(min(LOOKS_BACK, missing) + 1):
        at = all_hits[back:]  # the hits now; the look was with `back` hits less
        drawn = _fewest_draws(found, unread, at - back, enough[back:], target=target, alpha=alpha, prior=prior)
        looked = np.maximum(came[:, : len(at)], drawn)
        held = looked < following[:, : len(at)]
        stops[:, back:] = np.minimum(stops[:, back:], np.where(held, np.maximum(looked, came[:, back:]), np.inf))
    return float(np.minimum(stops.min(axis=1), unread).mean())


def _fewest_draws(found: int, unread: int, hits: Looks, enough: Looks, **promise: Any) -> Looks:
    """The fewest draws after which the limit with so many hits is low enough, by halving."""
    low, high = hits - 1, np.full(len(hits), unread)  # not enough; enough
    while np.any(high - low > 1):
        middle = np.maximum((low + high) // 2, hits)
        is_enough = missing_limits(found, unread, middle, hits, **promise) <= enough
        low, high = np.where(is_enough, low, middle), np.where(is_enough, middle, high)
        low = np.minimum(low, high - 1)
    return high


def _log_falling(number: Looks | int, factors: Looks) -> NDArray[np.float64]:
    """The logarithm of number · (number − 1) · … with so many factors."""
    logs = _log_factorials(1 << int(np.max(number)).bit_length())
    return np.asarray(logs[number] - logs[number - factors])


@lru_cache(maxsize=4)
def _log_factorials(size: int) -> NDArray[np.float64]:
    """The logarithms of 0!, 1!, …: of more than `size` numbers. Looking them up takes a tenth of computing them."""
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(size + 1) + 1.0))


# A review in a table: the documents read, in their order, and which of them were drawn at random.


RELEVANT = ("relevant", "included", "label_included", "label", "grade")
DRAWN = ("drawn", "random")
OPEN = {"unsure", "maybe", "skip", "skipped", "?"}  # counted as relevant: the certificate must not profit from them


@dataclass(frozen=True)
class ReadingTable:
    """What was read: in the order of a learner or any other, then at random."""

    before: Labels  # whether each document before the switch is relevant
    drawn: Labels  # the same of the random draws
    unsure: int  # how many of all are neither, and count as relevant

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ReadingTable:
        """Read a table with the columns document, relevant and, unless nothing was drawn at random, drawn."""
        sheet = sheet_of_text(read_text(path))
        documents = sheet.labels(sheet.pick(DOCUMENT))
        place, chance = sheet.pick(RELEVANT), sheet.find(DRAWN)
        labels = [_label(sheet, row, place) for row in range(len(documents))]
        at_random = [chance is not None and _label(sheet, row, chance) == "yes" for row in range(len(documents))]
        seen: dict[str, int] = {}
        for row, document in enumerate(documents):
            if document in seen:
                raise sheet.error(row, f"{document} is given twice, first in {sheet.where(seen[document])}")
            seen[document] = row
        switch = at_random.index(True) if any(at_random) else len(documents)
        if not all(at_random[switch:]):
            row = switch + at_random[switch:].index(False)
            problem = "was not drawn at random, but comes after random draws: from the first draw on, all must be"
            raise sheet.error(row, f"{documents[row]} {problem}")
        relevant = np.array([each != "no" for each in labels], np.bool_)
        return cls(relevant[:switch], relevant[switch:], labels.count("unsure"))

    def certificate(
        self, documents: int, target: float, alpha: float, kind: type[Certificate] = Certificate
    ) -> Certificate:
        """The certificate after the last draw, if the collection has so many documents."""
        *_, last = self.looks(documents, target, alpha, kind)
        return last

    def looks(
        self, documents: int, target: float, alpha: float, kind: type[Certificate] = Certificate
    ) -> Iterator[Certificate]:
        """The certificate at the switch, and after each draw; `kind` is that of an audit if an expert decided."""
        unread = documents - len(self.before)
        if unread < len(self.drawn):
            problem = (
                f"{documents:,} documents are fewer than the {len(self.before) + len(self.drawn):,} that were read"
            )
            raise InputError("documents", problem)
        certificate = kind(int(self.before.sum()), unread, target, alpha)
        yield certificate
        for relevant in self.drawn.tolist():
            certificate = certificate.add(relevant)
            yield certificate


def _label(sheet: Sheet, row: int, column: int) -> str:
    """yes, no or unsure."""
    written = str(sheet.rows[row][column]).strip().lower().removesuffix(".0")
    if written in OPEN:
        return "unsure"
    try:
        found = grade(written)
    except ValueError:
        found = None
    if found is None:
        raise sheet.error(row, f"{sheet.columns[column]} {written[:40]!r} is not yes, no or unsure (1, 0 or ?)")
    return "yes" if found else "no"
