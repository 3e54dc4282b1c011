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

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from leadline.collections.documents.document import Claim, Document
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.passages import Marker, Passage, Passages, claim_terms
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.word_search import weighed

_NEW = re.compile(
    r"\bcharacteri[sz]ed\s+(?:in\s+that|by(?:\s+the\s+fact\s+that)?)\b|\bwherein\s+the\s+improvement\b"
    r"|\bthe\s+improvement\s+(?:which\s+)?(?:compris|consist|wherein|being|residing)\w*"
    r"|\bdadurch\s+gekennzeichnet\b,?(?:\s+da(?:ss|ß))?|\bcaractérisée?s?\s+(?:en\s+ce\s+qu|par)\w*['’]?",
    re.IGNORECASE,
)
# "of claim 1 or 2, wherein": what follows it is what a dependent claim adds.
_REFERENCE = re.compile(
    r"\b(?:claims?|\w*anspr(?:uch\w*|üche\w*|ueche\w*)|revendications?)\b"
    r"(?:[\s,;–-]*(?:\b(?:to|or|and|through|bis|oder|und|et|ou|à|any|one|of|claims?)\b|\(?\d+\)?))*"
    r"(?:\s+(?:précédentes?|above))?",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^[\s,:;.)]*(?:(?:wherein|whereby|in\s+which|where|which|and|wobei|bei\s+de[mr]|dans\s+lequel|dans\s+laquelle)\b"
    r"[\s,:]*)?(?:(?:further|also|additionally|moreover|compris(?:ing|es)|ferner|weiterhin|umfassend|en\s+outre|comprenant)"
    r"\b[\s,:]*)*",
    re.IGNORECASE,
)
# Words that stand in claims of any subject and say nothing of one, beside those that `claim_terms` leaves out: of
# numbering, of joining and placing things, of comparing, and of referring.
WORDS_OF_CLAIMS = """
    additional additionally adapted adjacent amount amounts another approximately arrangement associated based basis
    being capable carried combination combined comprised comprises comprise connected connecting contained contains
    correspond corresponding coupled couple coupling defining described desired desirable determined different
    disposed each either element elements embodiment embodiments equal equivalent essential essentially etc every
    example formed forming form forms following four fifth five fourth function functions general generally given
    greater group having ids id no nos include included includes independently individual inclusive joined join joining
    kind kinds least less like located locating manner mean means member members mentioned mixtures thereof more most
    namely next not number numbers obtainable obtained obtaining ones operable operatively optional optionally order
    ornamental other otherwise pair part parts particular particularly performed performing portion portions position
    positioned positioning possible predetermined preferably preferred present prior provide provides providing range
    ranges ranging receive received receiving registry relative representing represents respect respective
    respectively seq sequence identifier set shown side similar six size steps step subject subjected substantially
    substance cas such suitable suitably together total type types use used uses using various via way whereas whether
    zero conjunction claimed constituting constitutes consists consist constituted cooperate cooperating extends
    claims extending extend arrange recited recite forth though along ensure implement implemented canceled cancelled
    anspruch ansprüche patentanspruch patentansprüche verfahren vorrichtung gemäß gemäss umfassend umfasst
    gekennzeichnet vorzugsweise bestehend enthaltend enthält ausgebildet angeordnet
    revendication revendications procédé dispositif selon comprenant comprend caractérisé caractérisée notamment
    consistant ladite ledit lesdits lesdites
"""
# Words that stand in titles of any subject, and in what every claim begins with.
WORDS_OF_TITLES = """
    method methods process processes apparatus device devices system systems composition compositions comprising
    containing consisting preparation producing production making improved improvement including therefor therein
    whereof said which wherein first second third one same having with their from between under without such
    according claim further
"""


@dataclass(frozen=True)
class ClaimPart:
    """The distinguishing part of a claim."""

    text: str  # as written, or the words with dots between them
    basis: str  # why these words: "after “characterised in that”", "added to claim 1", "rarest words"
    terms: tuple[str, ...]  # of the index


def distinguishing_parts(claims: Sequence[Claim], weights: Mapping[str, float], analysis: Analysis) -> list[ClaimPart]:
    """The distinguishing part of each claim. `weights` are of the claims' terms, by rarity.

    >>> nail = [Claim(1, "A tin nail, characterised in that it bends."), Claim(2, "The nail of claim 1, gold.", (1,))]
    >>> parts = distinguishing_parts(nail, {"nail": 1.0, "tin": 2.0, "bend": 3.0, "gold": 3.0}, Analysis())
    >>> [(part.text, part.basis) for part in parts]
    [('it bends.', 'after “characterised in that”'), ('gold.', 'added to claim 1')]
    """
    terms = dict(zip((claim.number for claim in claims), claim_terms([c.text for c in claims], analysis), strict=True))
    by_number = {claim.number: claim for claim in claims}
    return [_part(claim, terms, by_number, weights, analysis) for claim in claims]


def with_ancestors(claims: Sequence[Claim], terms: Sequence[Sequence[str]]) -> list[list[str]]:
    """The terms of each claim with those of the claims that it depends on, each once: what it demands in all.

    >>> with_ancestors([Claim(1, "A nail."), Claim(2, "That of claim 1, bent.", (1,))], [["nail"], ["bent"]])
    [['nail'], ['nail', 'bent']]
    """
    of_claim = dict(zip((claim.number for claim in claims), terms, strict=True))
    by_number = {claim.number: claim for claim in claims}
    return [
        list(
            dict.fromkeys(term for number in (*_ancestors(claim, by_number), claim.number) for term in of_claim[number])
        )
        for claim in claims
    ]


def _part(
    claim: Claim,
    terms: Mapping[int, Sequence[str]],
    by_number: Mapping[int, Claim],
    weights: Mapping[str, float],
    analysis: Analysis,
) -> ClaimPart:
    own = terms[claim.number]
    if found := list(_NEW.finditer(claim.text)):
        text = claim.text[found[-1].end() :].strip(" ,:;")
        new = [term for term in claim_terms([text], analysis)[0] if term in own]
        if new:
            basis = f"after “{' '.join(found[-1][0].split()).rstrip(',')}”"
            return ClaimPart(" ".join(text.split()), basis, tuple(_telling(new, analysis) or new))
    known = {term for number in _ancestors(claim, by_number) for term in terms[number]}
    if known and (added := _added(claim, own, known, weights, analysis)) is not None:
        parents = [str(number) for number in claim.parents if number in terms]
        return ClaimPart(added[0], f"added to claim{'s' * (len(parents) > 1)} {', '.join(parents)}", tuple(added[1]))
    rare = _rarest(_telling(own, analysis) or own, weights)
    return ClaimPart(_words(claim.text, rare, analysis), "rarest words", tuple(rare))


def _added(
    claim: Claim, own: Sequence[str], known: set[str], weights: Mapping[str, float], analysis: Analysis
) -> tuple[str, list[str]] | None:
    """What a claim adds to those it depends on, as written, and its terms; None where it adds nothing that is seen."""
    clause = _clause(claim.text)
    of_clause = [term for term in claim_terms([clause], analysis)[0] if term in own]
    new = [term for term in own if term not in known]
    # A single letter, as in p-type, says little, but more than the words of any claim.
    telling = _telling(new, analysis)
    chosen = [term for term in telling if len(term) > 1] or telling
    if not chosen:
        chosen = _rarest(_telling(of_clause, analysis), weights) or new
    if not chosen:
        return None
    if clause and set(chosen) <= set(of_clause):
        return clause, chosen
    return _words(claim.text, chosen, analysis), chosen


def _clause(text: str) -> str:
    """What follows the reference to other claims, without the words that open it; empty if it has none.

    >>> _clause("The nail according to any one of claims 1 to 3, wherein the tip is bent.")
    'the tip is bent.'
    """
    found = next(_REFERENCE.finditer(text), None)
    if found is None:
        return ""
    rest = text[found.end() :]
    return " ".join(rest[_OPENING.match(rest).end() :].split())  # type: ignore[union-attr]  # it matches nothing too


def _telling(terms: Sequence[str], analysis: Analysis) -> list[str]:
    """The terms without those that stand in claims of any subject."""
    noise = _noise_terms(analysis)
    return [term for term in terms if term not in noise]


@cache
def _noise_terms(analysis: Analysis) -> frozenset[str]:
    return frozenset(analysis.terms(WORDS_OF_CLAIMS))


def _ancestors(claim: Claim, by_number: Mapping[int, Claim]) -> Iterator[int]:
    """The numbers of all claims that a claim refers to, directly or not."""
    seen, waiting = {claim.number}, list(claim.parents)
    while waiting:
        number = waiting.pop()
        if number in by_number and number not in seen:
            seen.add(number)
            waiting += by_number[number].parents
            yield number


def _rarest(terms: Sequence[str], weights: Mapping[str, float]) -> list[str]:
    """The terms with the largest weights, until they have half of the sum; in the order of the claim."""
    half, chosen = sum(weights.get(term, 0.0) for term in terms) / 2, set[str]()
    for term in sorted(terms, key=lambda term: -weights.get(term, 0.0)):
        if half <= 0:
            break
        chosen.add(term)
        half -= weights.get(term, 0.0)
    return [term for term in terms if term in chosen]


def _words(text: str, terms: Sequence[str], analysis: Analysis) -> str:
    """The words of these terms as they are written, each once, with dots between them."""
    marks = Marker(analysis, dict.fromkeys(terms, 1.0)).marks(text)
    first = {term: text[start:end] for start, end, term in reversed(marks)}
    return " · ".join(first[term] for term in terms if term in first)


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
