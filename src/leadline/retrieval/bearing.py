"""Which hits bear on which claims of a patent, strongly or weakly, and how often such a mark is right.

A hit bears on a claim weakly if it has half of the words of the claim and of the claims that this one depends on,
anywhere in its text, each word weighed by its rarity in the index, and a passage with a word of the claim's
distinguishing part. It bears strongly if it has 71 % of the words. A patent without claims is compared by its abstract.

The shares were chosen on simulated offices, whose true prior art is known by claim, and how often marks are right was
measured on other offices and on citations of real patents: docs/prior-art.md. What was measured is said beside every
mark. The words of the whole chain of claims decide, since prior art is what discloses most of what is claimed, not
only what a dependent claim adds. Places in the ranking, and how few documents of the class have as many of the words,
were tried and add nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.collections.documents.document import Claim, Document
from leadline.retrieval.claim_parts import ClaimPart, distinguishing_parts, with_ancestors
from leadline.retrieval.passages import Passage, Passages, claim_terms
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.word_search import weighed

ABSTRACT = 0  # the number under which the abstract of a patent without claims stands for them
Strength = Literal["strong", "weak"]


@dataclass(frozen=True)
class Grade:
    """A kind of mark, and how often it was right among the first ten hits."""

    name: Strength
    least: float  # the share of a claim's words that a hit has
    right: float  # of such marks, those that were true prior art to the claim in simulated offices
    cited: tuple[float, float]  # of such marks on patents of real collections, those on documents that were cited


# What the table of docs/prior-art.md says; a test compares them.
STRONG = Grade("strong", 0.71, 0.653, (0.232, 0.643))
WEAK = Grade("weak", 0.5, 0.229, (0.185, 0.286))
GRADES = (STRONG, WEAK)


@dataclass(frozen=True)
class BearingPassage:
    """A hit that bears on a claim, and its passage that has most of the claim's words and some distinguishing ones."""

    hit: int  # its place among the hits
    grade: Grade
    whole: float  # the share that the hit has of the words of the claim and those it depends on
    passage: Passage
    share: float  # of the claim's own words that the passage has
    distinguishing: float  # the same for the distinguishing part


@dataclass(frozen=True)
class ClaimBearing:
    """A claim, its distinguishing part, and the hits that bear on it, those with most of its words first."""

    claim: Claim
    part: ClaimPart
    found: Sequence[BearingPassage]

    @property
    def name(self) -> str:
        return f"claim {self.claim.number}" if self.claim.number != ABSTRACT else "abstract"


def claims_or_abstract(topic: Document) -> list[Claim]:
    """The claims of a patent; where it has none, its abstract, description or title as one claim."""
    if topic.claims:
        return list(topic.claims)
    text = topic.abstract or topic.description or topic.title
    return [Claim(ABSTRACT, text)] if text else []


def bearing_on_claims(
    context: SearchContext, topic: Document, passages: Passages
) -> tuple[list[ClaimBearing], dict[str, float]]:
    """Which of the documents, whose passages are given, bear on which claims of a topic; and its terms' weights."""
    claims = claims_or_abstract(topic)
    terms = claim_terms([claim.text for claim in claims], context.index.analysis)
    weights = weighed(context, list(dict.fromkeys(term for claim in terms for term in claim)))
    parts = distinguishing_parts(claims, weights, context.index.analysis)

    def weighted(sets: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        return [{term: weights[term] for term in each} for each in sets]

    wholes = passages.documents_shares(weighted(with_ancestors(claims, terms)))
    of_claims = weighted(terms)
    telling = passages.bearing(of_claims, weighted([part.terms for part in parts]))
    any_words = passages.bearing(of_claims, of_claims)  # passages without a distinguishing word too
    found = []
    for column, (claim, part) in enumerate(zip(claims, parts, strict=True)):
        best = {each.passage.document: (each, 0.0) for each in any_words[column]}
        best |= {each.passage.document: (each, each.distinguishing) for each in telling[column]}
        bearing = [
            BearingPassage(hit, grade, whole, each.passage, each.share, distinguishing)
            for hit, (each, distinguishing) in best.items()
            if (grade := grade_of(whole := float(wholes[hit, column]), distinguishing > 0)) is not None
        ]
        found.append(ClaimBearing(claim, part, sorted(bearing, key=lambda each: (-each.whole, each.hit))))
    return found, weights


def grade_of(whole: float, distinguished: bool) -> Grade | None:
    """The grade of a hit by its share of a claim's words, and by whether a passage has a distinguishing one.

    >>> [grade and grade.name for grade in (grade_of(0.8, False), grade_of(0.6, True), grade_of(0.6, False))]
    ['strong', 'weak', None]
    """
    if whole >= STRONG.least - 1e-9:
        return STRONG
    return WEAK if distinguished and whole >= WEAK.least - 1e-9 else None
