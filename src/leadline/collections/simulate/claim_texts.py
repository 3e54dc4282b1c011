"""The texts of claims in the style of each office: American ones refer to one claim, European ones to any before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from leadline.collections.documents.document import Claim
from leadline.collections.simulate.coined_words import with_article
from leadline.collections.simulate.inventions import CLAIMABLE
from leadline.collections.simulate.settings import AUTHORITIES

SUBJECTS = ("composition", "device", "apparatus", "assembly", "system", "article")
_REFERENCES = {"US": "of", "EP": "according to", "WO": "according to", "JP": "as claimed in", "DE": "as claimed in"}


class ClaimWording(NamedTuple):
    """The words for one document's claims."""

    office: int
    subject: str
    first: Sequence[str]  # for each slot, the name that introduces its concept: "a valve", "a plurality of valves"
    later: Sequence[str]  # for each slot, the name that follows "the" afterwards
    verbs: Sequence[tuple[str, str]]  # for each claim, such as "connected", "connecting"
    nouns: Sequence[str]
    chances: Sequence[int]  # for each claim, a large random number that chooses between phrases


def write_claims(wording: ClaimWording, parents: Sequence[int], concepts: Sequence[int]) -> tuple[Claim, ...]:
    """The claims of one document. `concepts` are bits over the slots; a parent of 0 makes a claim independent."""
    introduced: set[int] = set()

    def name(slot: int) -> str:
        if slot in introduced:
            return f"the {wording.later[slot]}"
        introduced.add(slot)
        return wording.first[slot]

    claims, root = [], 1
    for number, (parent, bits, chance) in enumerate(zip(parents, concepts, wording.chances, strict=True), start=1):
        done, doing = wording.verbs[number - 1]
        if parent == 0:
            root = number
            text = _independent(wording, number, [name(slot) for slot in _slots(bits)], done, doing)
            claims.append(Claim(number, text))
            continue
        subject = wording.subject if root == 1 else "method"
        others = _others(wording.office, parent, root, number, chance)
        added, present = _slots(bits & ~concepts[parent - 1]), _slots(concepts[parent - 1])
        host = wording.later[present[chance % len(present)]]
        limit = _limit([name(slot) for slot in added], host, wording.nouns[number - 1], done, chance)
        claims.append(Claim(number, f"{_reference(wording.office, subject, others)}, {limit}.", others))
    return tuple(claims)


def _independent(wording: ClaimWording, number: int, names: list[str], done: str, doing: str) -> str:
    """An independent claim: the first one is for a thing, later ones are for methods."""
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    noun = wording.nouns[number - 1]
    if number == 1:
        thing = _capital(with_article(wording.subject))
        return f"{thing} comprising {listed}, wherein the {noun} is {done}."
    return f"A method comprising the steps of {doing} {with_article(noun)} and providing {listed}, which are {done}."


def _others(office: int, parent: int, root: int, number: int, chance: int) -> tuple[int, ...]:
    """The claims referred to. All claims since the root contain its concepts, so naming several adds nothing."""
    several = AUTHORITIES[office].code != "US" and parent == root and number - root > 1 and chance >> 8 & 1
    return tuple(range(root, number)) if several else (parent,)


def _reference(office: int, subject: str, others: tuple[int, ...]) -> str:
    if len(others) == 1:
        several = f"claim {others[0]}"
    elif len(others) == 2:
        several = f"claim {others[0]} or {others[1]}"
    else:
        several = f"any one of claims {others[0]} to {others[-1]}"
    thing = with_article(subject) if AUTHORITIES[office].code in ("EP", "DE") else f"the {subject}"
    return f"{_capital(thing)} {_REFERENCES[AUTHORITIES[office].code]} {several}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _limit(names: list[str], host: str, noun: str, done: str, chance: int) -> str:
    """The limitation that a dependent claim adds: a concept, or only a number."""
    if not names:
        low = 1 + chance % 60
        return f"wherein the {noun} of the {host} is from {low} to {low + 1 + chance % 37}"
    added = " and ".join(names)
    return (
        f"further comprising {added}",
        f"the {host} having {added}",
        f"wherein the {noun} of the {host} is {done} by {added}",
    )[chance % 3]


@cache
def _slots(bits: int) -> tuple[int, ...]:
    """The slots whose bits are set.

    >>> _slots(0b1011)
    (0, 1, 3)
    """
    return tuple(slot for slot in range(CLAIMABLE) if bits >> slot & 1)
