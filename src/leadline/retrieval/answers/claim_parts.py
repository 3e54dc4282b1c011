"""The distinguishing part of a claim: what it says that its class, or the claim it depends on, does not.

Three rules, in this order:

1. after a phrase that separates what is known from what is new: "characterised in that", "wherein the improvement";
2. of a claim that refers to another, the words that none of the claims it refers to has;
3. otherwise the rarest words, as many as make up half of the claim's weight by rarity.

The rules read words, not meaning: a part is a place to begin reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from leadline.collections.documents.document import Claim
from leadline.retrieval.answers.passages import claim_terms
from leadline.retrieval.answers.snippets import Marker
from leadline.retrieval.index.analysis import Analysis

_NEW = re.compile(
    r"\bcharacteri[sz]ed\s+(?:in\s+that|by(?:\s+the\s+fact\s+that)?)\b|\bwherein\s+the\s+improvement\b"
    r"|\bthe\s+improvement\s+(?:which\s+)?(?:compris|consist|wherein|being|residing)\w*"
    r"|\bdadurch\s+gekennzeichnet\b,?(?:\s+da(?:ss|ß))?|\bcaractérisée?s?\s+(?:en\s+ce\s+qu|par)\w*['’]?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ClaimPart:
    """The distinguishing part of a claim."""

    text: str  # as written, or the words with dots between them
    basis: str  # why these words: "after “characterised in that”", "not in claim 1", "rarest words"
    terms: tuple[str, ...]  # of the index


def distinguishing_parts(claims: Sequence[Claim], weights: Mapping[str, float], analysis: Analysis) -> list[ClaimPart]:
    """The distinguishing part of each claim. `weights` are of the claims' terms, by rarity.

    >>> nail = [Claim(1, "A tin nail, characterised in that it bends."), Claim(2, "The nail of claim 1, gold.", (1,))]
    >>> parts = distinguishing_parts(nail, {"nail": 1.0, "tin": 2.0, "bend": 3.0, "gold": 3.0}, Analysis())
    >>> [(part.text, part.basis) for part in parts]
    [('it bends.', 'after “characterised in that”'), ('gold', 'not in claim 1')]
    """
    terms = dict(zip((claim.number for claim in claims), claim_terms([c.text for c in claims], analysis), strict=True))
    by_number = {claim.number: claim for claim in claims}
    return [_part(claim, terms, by_number, weights, analysis) for claim in claims]


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
            return ClaimPart(
                " ".join(text.split()), f"after “{' '.join(found[-1][0].split()).rstrip(',')}”", tuple(new)
            )
    known = {term for number in _ancestors(claim, by_number) for term in terms[number]}
    if known and (new := [term for term in own if term not in known]):
        parents = [str(number) for number in claim.parents if number in terms]
        basis = f"not in claim{'s' * (len(parents) > 1)} {', '.join(parents)}"
        return ClaimPart(_words(claim.text, new, analysis), basis, tuple(new))
    rare = _rarest(own, weights)
    return ClaimPart(_words(claim.text, rare, analysis), "rarest words", tuple(rare))


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
