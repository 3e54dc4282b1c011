"""Claims that can be read by themselves: each with the text of the claims it refers to."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.collections.documents.document import Claim


def unnested(claims: Sequence[Claim]) -> list[str]:
    """The text of each claim, after the texts of the claims it refers to, directly or not, each once.

    >>> unnested([Claim(1, "A nail."), Claim(2, "Claim 1, bent.", (1,)), Claim(3, "Claims 1 and 2, of tin.", (1, 2))])
    ['A nail.', 'A nail. Claim 1, bent.', 'A nail. Claim 1, bent. Claims 1 and 2, of tin.']
    """
    return [" ".join(claim.text for claim in together) for together in with_parents(claims)]


def with_parents(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Each claim, after the claims it refers to, directly or not, each once."""
    by_number = {claim.number: claim for claim in claims}
    found = []
    for claim in claims:
        ancestors: set[int] = set()
        waiting = list(claim.parents)
        while waiting:
            parent = waiting.pop()
            if parent not in ancestors and parent in by_number and parent != claim.number:
                ancestors.add(parent)
                waiting.extend(by_number[parent].parents)
        found.append([*(by_number[number] for number in sorted(ancestors)), claim])
    return found
