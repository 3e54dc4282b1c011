"""The concepts and classes of an office of real chemistry: pools by field and by area, composites, and all names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.chemistry.numbers import property_texts
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
    ROLES,
    SOLID,
    SOLVENT,
    USE,
    ConceptEntry,
    Symbol,
    entries,
    fields,
    symbols,
)
from leadline.collections.simulate.inventions import (
    GENERAL,
    MAX_FORMS,
    OF_GROUP,
    OF_SUBCLASS,
    SECTIONS,
    ClassTree,
    Concepts,
    Integers,
    generator,
    hashed_uniform,
)
from leadline.collections.simulate.settings import Settings
from leadline.collections.simulate.words import FIRST, FIRST_PLURAL, LATER, LATER_PLURAL, ConceptNames

_INVENTIONS_A_FIELD = 150  # a small office has fewer fields, so that each has more than one line of work
_SYMBOLS = 15  # of an area
_MANY_FIELDS = 4  # an entry of as many fields is general
_FIELD_SHARE = 0.4  # of a field's entries, which are common to its areas
# Places of a pool by role, relative.
_SHARES = {
    SOLVENT: 8, POLYMER: 12, SOLID: 10, ACTIVE: 10, CATALYST: 6, REAGENT: 9, ADDITIVE: 9, GAS: 1,
    MATERIAL: 6, PRODUCT: 7, PROCESS: 9, APPARATUS: 6, USE: 6, PROPERTY: 7, EFFECT: 5,
}  # fmt: skip
_POOLS = (120, 100, 220)  # sizes, at most: general, of a field, of an area
_COMPOSITES = 0.45  # share of an area's places
_BY_REGISTRY, _BY_TRADE = 0.05, 0.07  # shares of the applicants that name substances by numbers, and by trade names


@dataclass(frozen=True)
class FieldTree(ClassTree):
    """Fields as subclasses, their areas as groups; an area has real symbols of its field."""

    symbols: tuple[tuple[Symbol, ...], ...]  # of each area

    def symbol(self, group: int, subgroup: int) -> str:
        own = self.symbols[group]
        return own[(subgroup // 2 - 1) % len(own)].symbol


@dataclass(frozen=True)
class PooledConcepts(Concepts):
    """Concepts that may be in several pools: the same substance is used in several fields."""

    entries: tuple[ConceptEntry, ...]
    members: tuple[Integers, Integers, Integers]  # for each level: pool × place
    part: Integers  # the concept that a composite consists of; -1 for others

    def place(self, level: int, owners: Integers, places: Integers) -> Integers:
        pools = self.members[level]
        return np.asarray(pools[np.reshape(0 * owners if level == GENERAL else owners, (-1, 1)), places])

    def implied(self, disclosed: Integers) -> Integers | None:
        return np.where(disclosed >= 0, self.part[np.maximum(disclosed, 0)], -1)

    def styled(self, settings: Settings, applicant: Integers, concept: Integers, form: Integers) -> Integers:
        """Some applicants name substances by their registry numbers, some by trade names."""
        style = hashed_uniform(settings.seed, 75, applicant)
        registry, trade = self._registry_form[concept], self._trade_form[concept]
        form = np.where((style < _BY_REGISTRY) & (registry >= 0), registry, form)
        by_trade = (style >= _BY_REGISTRY) & (style < _BY_REGISTRY + _BY_TRADE) & (trade >= 0)
        return np.asarray(np.where(by_trade, trade, form))

    @cached_property
    def _registry_form(self) -> Integers:
        return np.array([len(entry.names) - 1 if entry.cas else -1 for entry in self.entries])

    @cached_property
    def _trade_form(self) -> Integers:
        return np.array([entry.trade for entry in self.entries])

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        return np.array([entry.counted for entry in self.entries])

    @cached_property
    def properties(self) -> tuple[list[list[str]], list[list[str]]]:
        """Ranges and values of each property as texts."""
        return property_texts(self.entries)

    @cached_property
    def role(self) -> Integers:
        return np.array([entry.role for entry in self.entries])


class Chemistry:
    """Real chemistry: substances, processes, apparatus, uses, properties, with the names that people use for them."""

    procedure = True

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def class_tree(self, inventions: int) -> FieldTree:
        settings = self.settings
        rng = generator(settings.seed, "fields")
        by_field = {field: [one for one in symbols() if one.field == field] for field in fields()}
        known = [field for field in rng.permutation(np.array(fields(), object)) if by_field[field]]
        count = min(len(known), max(2, inventions // _INVENTIONS_A_FIELD))
        used = sorted(known[:count], key=fields().index)
        areas = max(count, round(inventions / settings.line_size / settings.lines_per_group))
        field_of_area = np.sort(np.arange(areas) % count)
        sections = [_main_section(by_field[field]) for field in used]
        place = np.arange(areas) - np.searchsorted(field_of_area, field_of_area)
        listed = []
        for field in field_of_area.tolist():
            own = by_field[used[field]]
            listed.append(tuple(own[at] for at in np.resize(rng.permutation(len(own)), _SYMBOLS).tolist()))
        names = tuple(f"{used[field]} {at + 1}" for field, at in zip(field_of_area.tolist(), place, strict=True))
        one = np.arange(count)
        return FieldTree(np.array(sections), one, field_of_area, tuple(used), tuple(used), names, tuple(listed))

    def concepts(self, tree: ClassTree) -> PooledConcepts:
        """Pools of entries; each area has composites beside the entries of its field."""
        settings = self.settings
        rng = generator(settings.seed, "pools")
        wanted = (settings.general_concepts, settings.subclass_concepts, settings.group_concepts)
        sizes = [min(size, most) for size, most in zip(wanted, _POOLS, strict=True)]
        general = [entry for entry in entries() if _is_general(entry)]
        found: dict[str, int] = {}
        made: list[tuple[ConceptEntry, int, int]] = []

        def numbered(chosen: Sequence[ConceptEntry], level: int, owner: int) -> list[int]:
            for entry in chosen:
                if entry.name not in found:
                    found[entry.name] = len(made)
                    made.append((entry, level, owner))
            return [found[entry.name] for entry in chosen]

        pools: list[list[list[int]]] = [[numbered(_mixed(rng, general)[: sizes[0]], GENERAL, -1)], [], []]
        rest: list[list[ConceptEntry]] = []
        for owner, field in enumerate(tree.subclasses):
            own = _mixed(rng, [entry for entry in entries() if field in entry.fields and not _is_general(entry)])
            cut = min(sizes[1], round(_FIELD_SHARE * len(own)))
            pools[1].append(numbered(own[:cut], OF_SUBCLASS, owner))
            rest.append(own)
        for area, subclass in enumerate(tree.subclass_of_group.tolist()):
            own = rest[subclass]
            composites = _composites(rng, own, round(_COMPOSITES * sizes[2]))
            numbered([entry for entry in own if entry.name in {c.part for c in composites}], OF_SUBCLASS, subclass)
            later = own[min(sizes[1], round(_FIELD_SHARE * len(own))) :]
            chosen = _mixed(rng, [*_mixed(rng, later)[: sizes[2] - len(composites)], *composites])
            pools[2].append(numbered(chosen, OF_GROUP, area))
        level = np.array([at for _, at, _ in made], np.int8)
        owners = np.array([owner for _, _, owner in made])
        sizes = [max(map(len, each)) for each in pools]
        members = [np.array([np.resize(pool, size) for pool in each]) for each, size in zip(pools, sizes, strict=True)]
        subclass = np.where(level == OF_GROUP, tree.subclass_of_group[owners * (level == OF_GROUP)], owners)
        kept = tuple(entry for entry, _, _ in made)
        return PooledConcepts(
            level=level,
            owner=owners,
            section=np.where(level == GENERAL, -1, tree.section_of_subclass[np.maximum(subclass, 0)]),
            substance=np.array([bool(entry.cas) for entry in kept]),
            forms=np.array([len(entry.names) - bool(entry.cas) for entry in kept]),  # but the registry number
            sizes=(sizes[0], sizes[1], sizes[2]),
            starts=(0, 0, 0),
            entries=kept,
            members=(members[0], members[1], members[2]),
            part=np.array([found[entry.part] if entry.part else -1 for entry in kept]),
        )

    def names(self, tree: ClassTree, concepts: Concepts) -> ConceptNames:
        assert isinstance(concepts, PooledConcepts)
        words = np.full((4, len(concepts), MAX_FORMS), "", object)
        for number, entry in enumerate(concepts.entries):
            for form, (first, later) in enumerate(entry.names):
                words[[FIRST, FIRST_PLURAL], number, form] = first
                words[[LATER, LATER_PLURAL], number, form] = later
        registry, short = ([getattr(entry, name) for entry in concepts.entries] for name in ("cas", "short"))
        return ConceptNames(words, np.array(registry, object), np.array(short, object))


def _main_section(own: Sequence[Symbol]) -> int:
    """The section that most symbols of a field are in."""
    letters = [one.symbol[0] for one in own]
    return SECTIONS.index(max(sorted(set(letters)), key=letters.count))


def _is_general(entry: ConceptEntry) -> bool:
    return len(entry.fields) >= _MANY_FIELDS or "all" in entry.fields


def _mixed(rng: np.random.Generator, chosen: Sequence[ConceptEntry]) -> list[ConceptEntry]:
    """Entries in a random order in which the roles alternate by their shares."""
    key = np.empty(len(chosen))
    role = np.array([entry.role for entry in chosen], np.int64)
    for number in range(len(ROLES)):
        own = np.flatnonzero(role == number)
        key[own] = (rng.permutation(len(own)) + rng.random(len(own))) / _SHARES[number]
    return [chosen[at] for at in np.argsort(key).tolist()]


# Composites: things that are made of a substance, named after its names.

_Frame = tuple[int, str]  # the role of the composite, and its name with the name of the substance in it
_FRAMES: dict[str, tuple[_Frame, ...]] = {
    "polymer": (
        (MATERIAL, "{} fibre"), (PRODUCT, "{} film"), (ADDITIVE, "aqueous dispersion of {}"),
        (SOLID, "microparticulate {}"), (POLYMER, "crosslinked {}"), (MATERIAL, "substrate coated with {}"),
        (POLYMER, "low molecular weight {}"),
    ),
    "oxide": (
        (SOLID, "nanoparticulate {}"), (SOLID, "surface-treated {}"), (ADDITIVE, "aqueous suspension of {}"),
        (CATALYST, "palladium supported on {}"), (PRODUCT, "porous {} body"), (SOLID, "mesoporous {}"),
    ),
    "filler": ((SOLID, "surface-treated {}"), (SOLID, "micronised {}"), (ADDITIVE, "aqueous slurry of {}")),
    "pigment": ((SOLID, "micronised {}"), (ADDITIVE, "pigment paste of {}"), (SOLID, "surface-treated {}")),
    "metal": (
        (CATALYST, "silica-supported {}"), (CATALYST, "{} on activated carbon"), (SOLID, "nanoparticulate {}"),
        (SOLID, "{} powder"), (PRODUCT, "{} foil"), (CATALYST, "{} on alumina"),
    ),
    "semiconductor": ((MATERIAL, "thin film of {}"), (MATERIAL, "{} layer"), (SOLID, "nanocrystalline {}")),
    "ceramic": ((PRODUCT, "sintered {} body"), (SOLID, "{} powder"), (MATERIAL, "{} coating")),
    "glass": ((SOLID, "{} powder"), (PRODUCT, "{} sheet"), (MATERIAL, "{} fibre")),
    "drug": (
        (ACTIVE, "micronised {}"), (ACTIVE, "amorphous {}"), (PRODUCT, "tablet containing {}"),
        (ACTIVE, "microencapsulated {}"), (ADDITIVE, "solid dispersion of {}"), (PRODUCT, "aqueous suspension of {}"),
    ),
    "active": (
        (ACTIVE, "microencapsulated {}"), (ADDITIVE, "suspension concentrate of {}"), (ACTIVE, "micronised {}"),
        (PRODUCT, "granule containing {}"),
    ),
    "dye": ((SOLID, "{} dispersion"), (MATERIAL, "fabric dyed with {}"), (ADDITIVE, "ink containing {}")),
    "food": ((ADDITIVE, "aqueous solution of {}"), (SOLID, "spray-dried {}"), (ADDITIVE, "emulsion of {}")),
    "solvent": ((SOLVENT, "aqueous {}"), (SOLVENT, "anhydrous {}"), (SOLVENT, "mixture of {} and water")),
    "salt": ((ADDITIVE, "aqueous solution of {}"), (ADDITIVE, "anhydrous {}"), (SOLID, "crystalline {}")),
    "acid": ((REAGENT, "aqueous solution of {}"),),
    "catalyst": ((CATALYST, "immobilised {}"), (CATALYST, "solution of {}")),
}  # fmt: skip
_KIN = {
    "resin": "polymer", "polysaccharide": "food", "protein": "food", "fat": "food", "sugar": "food",
    "vitamin": "food", "flavour": "food", "herbicide": "active", "fungicide": "active", "insecticide": "active",
    "pesticide": "active", "enzyme": "catalyst",
}  # fmt: skip
_MISCIBLE = frozenset(
    ["methanol", "ethanol", "isopropanol", "acetone", "acetonitrile", "tetrahydrofuran", "dioxane", "dimethylformamide"]
)
_VINYL = ("acrylate", "acrylic acid", "acrylamide", "styrene", "acrylonitrile", "vinyl acetate", "methacryl")


def _composites(rng: np.random.Generator, own: Sequence[ConceptEntry], count: int) -> list[ConceptEntry]:
    """Things made of the substances of a field, and copolymers of its monomers."""
    made = [*_framed(own), *_copolymers(own)]
    return [made[at] for at in np.sort(rng.permutation(len(made))[:count]).tolist()]


def _framed(own: Sequence[ConceptEntry]) -> Iterator[ConceptEntry]:
    for entry in own:
        for role, frame in _FRAMES.get(_KIN.get(entry.kind, entry.kind), ()):
            if "{} and water" in frame and entry.name not in _MISCIBLE:
                continue
            if entry.kind == "solvent" and frame.startswith("aqueous") and entry.name not in _MISCIBLE:
                continue
            yield _composite(entry, role, frame.format)


def _copolymers(own: Sequence[ConceptEntry]) -> Iterator[ConceptEntry]:
    """Copolymers of monomers that polymerise by radicals."""
    monomers = [one for one in own if one.kind == "monomer" and any(part in one.name for part in _VINYL)]
    for one, other in pairwise(monomers):
        second = other.name
        yield _composite(one, POLYMER, f"copolymer of {{}} and {second}".format)


def _composite(entry: ConceptEntry, role: int, frame: Callable[[str], str]) -> ConceptEntry:
    """A thing named after the names of its part; a registry number does not name a composite."""
    names = [(frame(first), frame(later)) if not later.startswith("CAS ") else ("", "") for first, later in entry.names]
    written = tuple(pair for pair in names if pair[0])
    return replace(entry, role=role, kind="composite", names=written, generic="", cas="", short="", part=entry.name)
