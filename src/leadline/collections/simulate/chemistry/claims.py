"""Claims of chemical patents: compositions, processes, uses, and what depends on them, in the style of each office."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from leadline.collections.documents.document import Claim
from leadline.collections.simulate.chemistry.concepts import PooledConcepts
from leadline.collections.simulate.chemistry.tables import (
    ACTIVE,
    ADDITIVE,
    APPARATUS,
    CATALYST,
    EFFECT,
    GAS,
    MATERIAL,
    POLYMER,
    PROCESS,
    PRODUCT,
    PROPERTY,
    REAGENT,
    SOLID,
    SOLVENT,
    USE,
)
from leadline.collections.simulate.inventions import CLAIMABLE, Integers
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.settings import AUTHORITIES
from leadline.collections.simulate.words import FIRST, LATER, Words, with_article
from leadline.collections.simulate.writing import HouseStyles

_REFERENCES = {"US": "of", "EP": "according to", "WO": "according to", "JP": "as claimed in", "DE": "as claimed in"}
_TWO_PART = ("EP", "DE")  # offices whose claims have a characterising part
BODY = -1
_BODIES = frozenset({POLYMER, SOLID, ACTIVE, ADDITIVE, MATERIAL})  # what a composition consists of
COMPOSITION, METHOD, USING = range(3)  # what an independent claim is for


@dataclass(frozen=True)
class _Named:
    """The concepts that the claims of one document may name, by slot."""

    roles: Sequence[int]
    first: Sequence[str]
    later: Sequence[str]
    ranges: Sequence[Sequence[str]]  # of properties
    counted: Sequence[bool]  # whether the name takes an article


class ClaimWriter:
    """Writes the claims of documents. Members of a family claim the same, each in the phrases of its office."""

    def __init__(self, office: SimulatedOffice, concepts: PooledConcepts) -> None:
        self.made, self.inventions, self.publications = office.claims, office.inventions, office.publications
        self.names: Words = office.names.words
        self.concepts = concepts
        self.ranges = concepts.properties[0]

    def block(
        self,
        rng: np.random.Generator,
        rows: Integers,
        documents: Integers,
        styles: HouseStyles,
        subjects: Sequence[str],
    ) -> Iterator[tuple[Claim, ...]]:
        """The claims of each document of a block; `subjects` says what each document's invention is."""
        starts = self.made.starts
        begin, end = int(starts[rows[0]]), int(starts[rows[-1] + 1])
        chances = rng.integers(0, 1 << 40, end - begin).tolist()
        parents, bits = self.made.parent[begin:end].tolist(), self.made.concepts[begin:end].tolist()
        row = self.publications.invention[documents]
        concept = np.maximum(self.inventions.claimable[row], 0).astype(np.int64)
        form = styles.forms(np.repeat(documents, CLAIMABLE), concept.ravel()).reshape(concept.shape)
        role = self.concepts.role[concept]
        first, later = self.names[FIRST, concept, form], self.names[LATER, concept, form]
        counted = self.concepts.counted[concept]
        first[counted] = [with_article(name) for name in first[counted].tolist()]
        offices = self.publications.office[documents].tolist()
        columns = (
            row.tolist(), offices, role.tolist(), first.tolist(), later.tolist(), concept.tolist(), counted.tolist(),
            subjects,
        )  # fmt: skip
        for own, office, roles, introduced, again, numbers, articles, subject in zip(*columns, strict=True):
            span = slice(int(starts[own]) - begin, int(starts[own + 1]) - begin)
            named = _Named(roles, introduced, again, [self.ranges[number] for number in numbers], articles)
            yield written(AUTHORITIES[office].code, subject, named, parents[span], bits[span], chances[span])


def written(
    office: str, subject: str, named: _Named, parents: Sequence[int], concepts: Sequence[int], chances: Sequence[int]
) -> tuple[Claim, ...]:
    """The claims of one document. `concepts` are bits over the slots; a parent of 0 makes a claim independent."""
    known: set[int] = set()

    def name(slot: int) -> str:
        if slot in known:
            return f"the {named.later[slot]}" if named.counted[slot] else named.later[slot]
        known.add(slot)
        return named.first[slot]

    claims: list[Claim] = []
    root, kind = 1, COMPOSITION
    for number, (parent, bits, chance) in enumerate(zip(parents, concepts, chances, strict=True), start=1):
        slots = _slots(bits if parent == 0 else bits & ~concepts[parent - 1])
        if parent == 0:
            root, kind = number, _kind(office, number, named, slots, chance)
            groups = _by_role(named, slots, name)
            writer = (_composition, _method, _using)[kind]
            claims.append(Claim(number, f"{writer(office, subject, groups, named, slots, chance)}."))
            continue
        others = _others(office, parent, root, number, chance)
        present = _slots(concepts[parent - 1])
        limit = _limit(named, slots, present, name, kind, chance)
        claims.append(Claim(number, f"{_reference(office, subject, kind, others)}, {limit}.", others))
    return tuple(claims)


def _kind(office: str, number: int, named: _Named, slots: Sequence[int], chance: int) -> int:
    """What an independent claim is for: the first is for a composition, where its concepts allow that."""
    if not any(named.roles[slot] in _BODIES for slot in slots):
        return METHOD
    if number == 1:
        return COMPOSITION if chance % 8 else METHOD
    use = any(named.roles[slot] == USE for slot in slots)
    return USING if use and office != "US" and chance % 3 == 0 else METHOD


def _by_role(named: _Named, slots: Sequence[int], name: Callable[[int], str]) -> dict[int, list[str]]:
    """The names of a claim's concepts, what a composition consists of together under BODY."""
    groups: dict[int, list[str]] = {}
    for slot in slots:
        role = named.roles[slot]
        groups.setdefault(BODY if role in _BODIES else role, []).append(name(slot))
    return groups


def _composition(
    office: str, subject: str, groups: dict[int, list[str]], named: _Named, slots: Sequence[int], chance: int
) -> str:
    parts = groups[BODY]
    low = 1 + chance % 30
    amount = f"from {low} to {low + 5 + (chance >> 8) % 40} % by weight of " if chance >> 16 & 1 else ""
    if office in _TWO_PART and len(parts) > 1:
        text = f"comprising {amount}{parts[0]}, characterised in that it contains {_listed(parts[1:])}"
    else:
        text = f"comprising {_listed([amount + parts[0], *parts[1:]])}"
    return ", ".join(
        [f"{_capital(with_article(subject))} {text}", *_made(groups), *_ends(groups, named, slots, chance)]
    )


def _made(groups: dict[int, list[str]]) -> list[str]:
    """What a claim for a thing says of how the thing is made."""
    said = (
        (REAGENT, "prepared using {}"), (CATALYST, "prepared in the presence of {}"), (SOLVENT, "and {} as a solvent"),
        (PROCESS, "obtainable by {}"), (APPARATUS, "produced using {}"), (GAS, "treated with {}"),
    )  # fmt: skip
    return [clause.format(_listed(groups[role])) for role, clause in said if role in groups]


def _method(
    office: str, subject: str, groups: dict[int, list[str]], named: _Named, slots: Sequence[int], chance: int
) -> str:
    steps = []
    if REAGENT in groups:
        reacting = f"reacting {_listed(groups[REAGENT])}" + (f" with {_listed(groups[BODY])}" if BODY in groups else "")
        steps.append(reacting)
    elif BODY in groups:
        parts = groups[BODY]
        steps.append(f"mixing {_listed(parts)}" if len(parts) > 1 else f"providing {parts[0]}")
    if SOLVENT in groups:
        steps = [f"{steps[0]} in {_listed(groups[SOLVENT])}" if steps else f"heating {_listed(groups[SOLVENT])}"]
    if CATALYST in groups:
        steps = [
            f"{steps[0] if steps else 'reacting starting materials'} in the presence of {_listed(groups[CATALYST])}"
        ]
    if GAS in groups:
        steps.append(f"passing {_listed(groups[GAS])} through the mixture")
    if PROCESS in groups:
        steps.append(f"subjecting the {'mixture' if steps else 'starting materials'} to {_listed(groups[PROCESS])}")
    if APPARATUS in groups:
        steps.append(f"using {_listed(groups[APPARATUS])}")
    if not steps:
        steps.append(f"heating a mixture of starting materials to {60 + 10 * (chance % 12)} °C")
    text = f"A process for producing {with_article(subject)}, comprising {'; '.join(steps)}"
    return ", ".join([text, *_ends(groups, named, slots, chance)])


def _using(
    office: str, subject: str, groups: dict[int, list[str]], named: _Named, slots: Sequence[int], chance: int
) -> str:
    text = f"Use of {with_article(subject)} comprising {_listed(groups[BODY])}"
    others = {role: names for role, names in groups.items() if role != USE}
    return ", ".join([text, *_made(others), f"for {_listed(groups[USE])}", *_ends(others, named, slots, chance)])


def _ends(groups: dict[int, list[str]], named: _Named, slots: Sequence[int], chance: int) -> list[str]:
    """What a claim says of form, properties, use and effect."""
    clauses = []
    if PRODUCT in groups:
        clauses.append(f"in the form of {_listed(groups[PRODUCT])}")
    if PROPERTY in groups:
        own = [slot for slot in slots if named.roles[slot] == PROPERTY]
        each = [
            f"{with_article(said)} of {_range(named, slot, chance)}"
            for said, slot in zip(groups[PROPERTY], own, strict=True)
        ]
        clauses.append(f"having {_listed(each)}")
    if USE in groups:
        clauses.append(f"for {_listed(groups[USE])}")
    if EFFECT in groups:
        verb = "are" if len(groups[EFFECT]) > 1 else "is"
        clauses.append(f"whereby {_listed(groups[EFFECT])} {verb} achieved")
    return clauses


def _range(named: _Named, slot: int, chance: int) -> str:
    own = named.ranges[slot]
    return own[(chance >> 20) % len(own)] or "the usual order"


def _limit(
    named: _Named, added: Sequence[int], present: Sequence[int], name: Callable[[int], str], kind: int, chance: int
) -> str:
    """The limitation that a dependent claim adds: a concept, or only a number."""
    if not added:
        return _numeric(named, present, chance)
    clauses = []
    for slot in added:
        role, said = named.roles[slot], name(slot)
        low = 1 + chance % 20
        amount = f"from {low} to {low + 1 + (chance >> 8) % 30} % by weight of {said}"
        choices = _LIMITS[BODY if role in _BODIES else role]
        choice = choices[(chance >> 16) % len(choices)]
        if kind != COMPOSITION and role in _BODIES:
            choice = _ADDED[(chance >> 16) % len(_ADDED)]
        clauses.append(
            choice.format(
                said, a=with_article(said), amount=amount, range=_range(named, slot, chance) if role == PROPERTY else ""
            )
        )
    return " and ".join(clauses)


# What a dependent claim adds, by the role of the concept; and of a component to a process or a use.
_LIMITS = {
    BODY: ("further comprising {0}", "containing {amount}", "additionally containing {0}",
           "wherein the composition comprises {amount}"),
    SOLVENT: ("wherein {0} is used as a solvent", "further comprising {0} as a solvent"),
    REAGENT: ("wherein {0} is used in the preparation", "prepared with the addition of {0}"),
    CATALYST: ("wherein {0} is used as a catalyst or initiator", "prepared in the presence of {0}"),
    GAS: ("wherein a treatment with {0} is carried out",),
    PROCESS: ("wherein {0} is carried out", "wherein the preparation includes a step of {0}"),
    APPARATUS: ("wherein {0} is used",),
    PRODUCT: ("in the form of {0}",),
    PROPERTY: ("having {a} of {range}", "wherein the {0} is {range}"),
    USE: ("intended for {0}",),
    EFFECT: ("whereby {0} is achieved",),
}  # fmt: skip
_ADDED = ("wherein {0} is added", "wherein {amount} are added", "wherein the mixture additionally contains {0}")


def _numeric(named: _Named, present: Sequence[int], chance: int) -> str:
    """A limitation of an amount, a property or a temperature."""
    slot = present[chance % len(present)]
    role, low = named.roles[slot], 1 + (chance >> 8) % 30
    if role in _BODIES:
        return f"wherein the amount of {named.later[slot]} is from {low} to {low + 1 + (chance >> 16) % 37} % by weight"
    if role == PROPERTY:
        return f"wherein the {named.later[slot]} is {_range(named, slot, chance >> 4)}"
    return f"wherein the temperature is from {10 * low} to {10 * low + 10 + (chance >> 16) % 37} °C"


def _others(office: str, parent: int, root: int, number: int, chance: int) -> tuple[int, ...]:
    """The claims referred to. All claims since the root contain its concepts, so naming several adds nothing."""
    several = office != "US" and parent == root and number - root > 1 and chance >> 24 & 1
    return tuple(range(root, number)) if several else (parent,)


def _reference(office: str, subject: str, kind: int, others: tuple[int, ...]) -> str:
    if len(others) == 1:
        several = f"claim {others[0]}"
    elif len(others) == 2:
        several = f"claim {others[0]} or {others[1]}"
    else:
        several = f"any one of claims {others[0]} to {others[-1]}"
    thing = (subject, "process", "use")[kind]
    said = with_article(thing) if office in _TWO_PART and kind != USING else f"the {thing}"
    return f"{_capital(said)} {_REFERENCES[office]} {several}"


def _listed(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


@cache
def _slots(bits: int) -> tuple[int, ...]:
    """The slots whose bits are set.

    >>> _slots(0b1011)
    (0, 1, 3)
    """
    return tuple(slot for slot in range(CLAIMABLE) if bits >> slot & 1)
