"""The names of concepts: long forms with abbreviations, synonyms, chemical names with registry numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.collections.simulate.class_tree import SECTIONS, ClassTree
from leadline.collections.simulate.coined_words import (
    LONG,
    SHORT,
    adjective,
    noun,
    plural,
    registry_number,
    substance,
    systematic,
)
from leadline.collections.simulate.concepts import MAX_FORMS, OF_GROUP, Concepts
from leadline.collections.simulate.randomness import hashed
from leadline.collections.simulate.settings import Settings
from leadline.collections.simulate.vocabulary import Vocabulary, Words

_HEADS = {
    "A": "implant dressing brush seat tray capsule needle applicator harvester feeder cushion garment",
    "B": "conveyor gripper nozzle mould cutter mixer filter press drum carriage hopper cartridge",
    "C": "coating resin catalyst furnace melt alloy powder slurry glaze pigment binder reactor",
    "D": "yarn loom fabric web spindle needle roller dryer felt pulp thread bobbin",
    "E": "hinge lock latch beam pile pipe door drill shutter anchor scaffold tile",
    "F": "turbine burner pump piston bearing gasket damper compressor heater condenser clutch blade",
    "G": "sensor lens register detector scanner clock probe memory controller display gauge encoder",
    "H": "antenna electrode transistor coil battery connector amplifier relay cable switch resonator decoder",
}
_ANYWHERE = "element assembly unit structure stage guide layer sleeve carrier matrix cell housing"
_SUBSTANCES = ("salt", "acid", "ester", "resin", "oxide", "sulphate", "hydrochloride", "dimer")


FIRST, LATER, FIRST_PLURAL, LATER_PLURAL = range(4)


@dataclass(frozen=True)
class ConceptNames:
    """The names of each form of each concept: at the first mention and later, in the singular and in the plural.

    The first mention differs when it introduces an abbreviation: "meldaric flow valve (MFV)", later "MFV".
    """

    words: Words  # (FIRST ... LATER_PLURAL) × concept × form
    registry: Words  # CAS number; "" when it is not a substance
    short: Words  # abbreviation; "" when it has none


class _Choices:
    """Random choices for one concept: Knuth's linear congruential generator, which is very fast to start."""

    def __init__(self, key: int) -> None:
        self.state = key

    def __call__(self, count: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % count


class _Namer:
    """Makes the names of one concept after the other."""

    def __init__(self, settings: Settings, vocabulary: Vocabulary) -> None:
        self.seed, self.distinctive = settings.seed, round(settings.distinctive * 1000)
        self.vocabulary = vocabulary
        self.starts = vocabulary.starts[:, -1].tolist()

    def shared(self, subclass: int, choose: _Choices) -> str:
        """A word that names many things in its field."""
        if subclass < 0:
            return str(self.vocabulary.nouns[0, _zipf_index(400, choose)])
        return str(self.vocabulary.technical[0, self.starts[subclass] + _zipf_index(self.vocabulary.size, choose)])

    def word(self, number: int, subclass: int, choose: _Choices, coin: Callable[[int, int], str]) -> str:
        """A word only this concept has, or one that is shared in its field."""
        return coin(number, self.seed) if choose(1000) < self.distinctive else self.shared(subclass, choose)

    def technical(self, number: int, subclass: int, heads: list[str], key: int) -> tuple[list[tuple[str, str]], str]:
        """A long name, its abbreviation or another name, a synonym with the same head noun, a short name."""
        choose = _Choices(key)
        head = heads[choose(len(heads))]
        full = f"{self.word(number, subclass, choose, adjective)} {self.shared(subclass, choose)} {head}"
        synonym = f"{self.word(number + 1, subclass, choose, adjective)} {head}"
        short = f"{self.word(number + 2, subclass, choose, noun)} {self.shared(subclass, choose)}"
        if choose(5) < 2:
            letters = "".join(word[0] for word in full.split()).upper()
            return [(full, full), (f"{full} ({letters})", letters), (synonym, synonym), (short, short)], letters
        other = f"{self.shared(subclass, choose)} {heads[choose(len(heads))]}"
        return [(name, name) for name in (full, synonym, short, other)], ""

    def chemical(self, number: int, subclass: int, registry: str, key: int) -> tuple[list[tuple[str, str]], str]:
        """An everyday name, the systematic one with the registry number, an abbreviation, a trade name.

        Systematic names consist of the names of groups and of a parent that many substances share.
        """
        choose = _Choices(key)
        everyday = f"{self.word(number, subclass, choose, substance)} {_SUBSTANCES[choose(len(_SUBSTANCES))]}"
        parent = LONG - 1 - 12 * max(subclass, 0) - choose(12)
        full = systematic(number, parent, self.seed)
        trade = noun(number + 2, self.seed).capitalize()
        letters = (everyday[0] + everyday[3] + full.split("-")[1][0] + everyday[-1]).upper()
        forms = [
            (everyday, everyday),
            (f"{full} (CAS {registry})", full),
            (f"{everyday} ({letters})", letters),
            (f"{trade} (CAS {registry})", trade),
        ]
        # The most common name is the everyday one or the systematic one.
        return ([forms[1], forms[0], *forms[2:]] if choose(2) else forms), letters


def _zipf_index(count: int, choose: _Choices) -> int:
    """A random index by Zipf's law: the common words of a field are in many names."""
    return int((count + 1.0) ** (choose(4096) / 4096)) - 1


def name_concepts(settings: Settings, tree: ClassTree, concepts: Concepts, vocabulary: Vocabulary) -> ConceptNames:
    """The names of all concepts."""
    namer = _Namer(settings, vocabulary)
    words = np.full((4, len(concepts), MAX_FORMS), "", object)
    registry, short = np.full((2, len(concepts)), "", object)
    of_group = concepts.level == OF_GROUP
    subclass = np.where(of_group, tree.subclass_of_group[concepts.owner * of_group], concepts.owner).tolist()
    keys = hashed(settings.seed, 21, np.arange(len(concepts))).tolist()
    for concept, (field, key) in enumerate(zip(subclass, keys, strict=True)):
        number, section, is_substance = SHORT + 4 * concept, concepts.section[concept], concepts.substance[concept]
        if is_substance:
            registry[concept] = registry_number(concept, settings.seed)
            forms, short[concept] = namer.chemical(number, field, registry[concept], key)
        else:
            heads = (_HEADS[SECTIONS[section]] if section >= 0 else _ANYWHERE).split()
            forms, short[concept] = namer.technical(number, field, heads, key)
        for form, (introduced, used) in enumerate(forms[: concepts.forms[concept]]):
            many = (introduced, used) if is_substance else (_plural(introduced), _plural(used))
            words[:, concept, form] = (introduced, used, *many)
    return ConceptNames(words, registry, short)


def _plural(name: str) -> str:
    """
    >>> _plural("meldaric flow valve (MFV)"), _plural("MFV"), _plural("box")
    ('meldaric flow valves (MFV)', 'MFVs', 'boxes')
    """
    long, bracket, letters = name.partition(" (")
    return f"{long}s" if long.isupper() else plural(long) + bracket + letters
