"""How far a machine's opinions are those of people: sensitivity and specificity on random draws, and agreement.

Documents that a learner put first are no fair sample: among them the obvious ones are too many. So the figures that
count are of the documents that were drawn at random from what was unread, and read by people; the limits are those of
Clopper and Pearson. The same of everything that people read stands beside, and says of what it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.judge.choices import STAGES
from leadline.judge.judging_quality import bootstrap_interval, cohen_kappa, fleiss_kappa, krippendorff_alpha
from leadline.judge.marks import UNJUDGED, UNSURE, merged
from leadline.judge.review.learners import learned_order
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.review_state import ReviewState, counts_as_relevant
from leadline.records.result import Table, counted

CONFIDENCE = 0.95
COLUMNS = ["assessors", "of", "coefficient", "documents", "value", "low", "high"]
DRAWN, READ = "random draws", "all that was read"
Array = NDArray[np.float64]


def share_limits(hits: int, of: int) -> tuple[float, float]:
    """The 95 % limits of a share (Clopper and Pearson); all is possible where nothing was seen.

    >>> [round(limit, 3) for limit in share_limits(9, 10)], share_limits(0, 0)
    ([0.555, 0.997], (0.0, 1.0))
    """
    from scipy.stats import beta

    tail = (1 - CONFIDENCE) / 2
    low = float(beta.ppf(tail, hits, of - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - tail, hits + 1, of - hits)) if hits < of else 1.0
    return low, high


def agreement_of_review(state: ReviewState) -> Table:
    """How far people and machines agree on the abstracts of a review, and what machines find of what people keep."""
    rows: list[list[Any]] = []
    for name in state.machines.readers:
        for of, chosen in _samples(state):
            rows += _against_people(state, name, of, chosen)
    names, marks = _marks(state)
    rows += _agreement(names, marks)
    return Table(COLUMNS, rows)


def _samples(state: ReviewState) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The documents that a machine is measured by: those drawn at random and read, then all that people read."""
    drawn = np.zeros(len(state.project.units), np.bool_)
    for number, draws in state.draws.items():
        drawn[draws.order[: state.round_certificate(number).certificate.drawn]] = True
    yield DRAWN, drawn
    yield READ, state.is_read


def _against_people(state: ReviewState, name: str, of: str, chosen: NDArray[np.bool_]) -> list[list[Any]]:
    """Sensitivity and specificity of a machine among some documents, where people's decision is the truth."""
    grades = state.grades[STAGES[0]]
    known = chosen & np.isfinite(state.machines.probabilities[name]) & (grades != UNJUDGED) & (grades != UNSURE)
    relevant, kept = counts_as_relevant(grades), state.machines.keeps(name)
    rows: list[list[Any]] = []
    for what, among, agrees in (
        ("sensitivity", known & relevant, kept),
        ("specificity", known & ~relevant, ~kept),
    ):
        size, hits = int(among.sum()), int((among & agrees).sum())
        rows.append([f"{name}, people", of, what, size, hits / size if size else math.nan, *share_limits(hits, size)])
    pair = np.array([kept[known], relevant[known]], float)
    kappa = cohen_kappa(*pair)
    low, high = bootstrap_interval(lambda each: cohen_kappa(*each), pair)
    rows.append([f"{name}, people", of, "kappa", int(known.sum()), kappa, low, high])
    return rows


def _marks(state: ReviewState) -> tuple[list[str], Array]:
    """What each reader said of each unit, 1 or 0; NaN where nothing, or unsure. People first, then machines."""
    people = [name for name, role in state.judging.roles.items() if role == "assessor"]
    marks = np.full((len(people) + len(state.machines.readers), len(state.project.units)), np.nan)
    for (name, stage, document), mark in state.judging.marks.items():
        row = state.project.row_of.get(document)
        if stage == STAGES[0] and name in people and row is not None and mark.grade != UNSURE:
            marks[people.index(name), row] = mark.grade > 0
    for place, name in enumerate(state.machines.readers, start=len(people)):
        known = np.isfinite(state.machines.probabilities[name])
        marks[place, known] = state.machines.keeps(name)[known]
    return [*people, *state.machines.readers], marks


def _agreement(names: list[str], marks: Array) -> list[list[Any]]:
    """Kappa of every two readers, and of all Fleiss' kappa and Krippendorff's alpha."""
    rows: list[list[Any]] = []
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            pair = marks[[one, other]]
            if both := int(np.isfinite(pair).all(axis=0).sum()):
                who = f"{names[one]}, {names[other]}"
                rows.append([who, READ, "kappa", both, cohen_kappa(*pair), *_interval(lambda m: cohen_kappa(*m), pair)])
    if len(names) > 2:
        complete = int(np.isfinite(marks).all(axis=0).sum())
        rows.append(["all", READ, "Fleiss' kappa", complete, fleiss_kappa(marks), *_interval(fleiss_kappa, marks)])
    if len(names) > 1:
        judged = int((np.isfinite(marks).sum(axis=0) > 1).sum())
        alpha = krippendorff_alpha(marks)
        rows.append(["all", READ, "alpha", judged, alpha, *_interval(krippendorff_alpha, marks)])
    return rows


def _interval(statistic: Callable[[Array], float], marks: Array) -> tuple[float, float]:
    """The interval over the documents that any reader judged: those that nobody did say nothing."""
    return bootstrap_interval(statistic, marks[:, np.isfinite(marks).any(axis=0)])


def machine_sentences(state: ReviewState) -> list[str]:
    """What random draws show of each machine, in words."""
    said = []
    drawn = dict(_samples(state))[DRAWN]
    for name in state.machines.readers:
        sensitivity, specificity, _ = _against_people(state, name, DRAWN, drawn)
        if not sensitivity[3] + specificity[3]:
            said.append(f"{name} is not measured: no document that it read was drawn at random and read by people.")
            continue
        shares = [f"{row[4]:.2f} [{row[5]:.2f}, {row[6]:.2f}] of {row[3]:,}" for row in (sensitivity, specificity)]
        finds = f"it keeps {shares[0]} of those that people keep" if sensitivity[3] else ""
        rejects = f"it excludes {shares[1]} of those that people exclude" if specificity[3] else ""
        unknown = ". People kept none of these, so how much of the relevant it finds is not known" * (not finds)
        both = ", and ".join(filter(None, (finds, rejects)))
        said.append(f"{name}, of documents drawn at random from the unread: {both} (95 % intervals){unknown}.")
    return said


# What machines saved: readings that nobody had to make, as far as the marks of people can tell.


MOST_REPLAYED = 5_000  # documents: the learner reads no larger review again, which would take seconds


def machine_savings(state: ReviewState) -> list[str]:
    """What each machine saved by its role, in words; people's marks say what is relevant."""
    said = {"witness": _witness_saved, "order": _order_saved, "second": _second_saved, "exclude": _exclude_saved}
    return [f"{name}: {said[reader.role](state, name)}" for name, reader in state.machines.readers.items()]


def _witness_saved(state: ReviewState, name: str) -> str:
    return "a witness saves no reading."


def _exclude_saved(state: ReviewState, name: str) -> str:
    out = np.isfinite(state.machines.probabilities[name]) & ~state.machines.keeps(name)
    read = out & state.is_read
    kept = int((read & state.relevant(STAGES[0])).sum())
    return (
        f"of {counted(int(out.sum()), 'document')} that it excludes, nobody has read {int((out & ~read).sum()):,} so "
        f"far; people read {int(read.sum()):,} all the same, and kept {kept:,} of these."
    )


def _second_saved(state: ReviewState, name: str) -> str:
    grades, readers = np.full(len(state.project.units), UNJUDGED, np.int8), np.zeros(len(state.project.units), int)
    for (person, stage, document), mark in state.judging.marks.items():
        row = state.project.row_of.get(document)
        if stage == STAGES[0] and row is not None and state.judging.roles[person] == "assessor":
            grades[row], readers[row] = merged(int(grades[row]), mark.grade), readers[row] + 1
    known = np.isfinite(state.machines.probabilities[name])
    alone = int((known & (readers == 1)).sum())
    sent = known & (grades == 0) & state.machines.keeps(name)
    answered = sent & (state.decided != UNJUDGED)
    right = int((answered & counts_as_relevant(state.decided)).sum())
    decided = f"decided on {int(answered.sum()):,}, {right:,} of them relevant" if answered.any() else "decided on none"
    return (
        f"it stood beside one reader in {counted(alone, 'document')} that a second person would have read otherwise; "
        f"of {int(sent.sum()):,} that people excluded and it would keep the expert {decided}."
    )


def _order_saved(state: ReviewState, name: str) -> str:
    drawn = np.zeros(len(state.project.units), np.bool_)
    for draws in state.draws.values():
        drawn[draws.order] = True
    read = [row for row in state.first_read if state.is_read[row] and not drawn[row]]
    labels = state.relevant(STAGES[0])[read]
    found = int(labels.sum())
    if len(state.project.rounds) > 1 or len(labels) > MOST_REPLAYED or len(state.project.units) > MOST_REPLAYED:
        limit = f"only told of reviews of one round and at most {MOST_REPLAYED:,} documents."
        return f"what its order saved is {limit}"
    if not found or labels.all():
        return "what its order saved cannot be told yet: something relevant and something else must have been read."
    needed = int(np.flatnonzero(labels)[-1]) + 1
    both = max(int(np.argmax(labels)), int(np.argmax(~labels))) + 1  # the learner began with both kinds
    relevant = np.zeros(len(drawn), np.bool_)
    relevant[np.array(read)[labels]] = True
    alone = _read_by_learner(state.project, relevant.tobytes(), tuple(read[:both]), found)
    share = f" ({100 * (alone - needed) / alone:.0f} % less)" if alone > needed else ""
    return (
        f"{counted(found, 'relevant document')} found with {needed:,} read{share}; the learner "
        f"{state.project.settings.learner} without a machine, tried again with the same marks, reads {alone:,} for as "
        "many. Documents that nobody read count as not relevant there."
    )


@lru_cache(maxsize=16)
def _read_by_learner(project: ReviewProject, relevant: bytes, start: tuple[int, ...], found: int) -> int:
    """How many documents a learner alone reads until it has found so many relevant ones."""
    labels, settings = np.frombuffer(relevant, np.bool_), project.settings
    order = learned_order(project.features(), labels, np.array(start), settings.learner, seed=settings.seed)
    return int(np.searchsorted(np.cumsum(labels[order]), found)) + 1
