"""The words of texts: coined words, the vocabulary of each class, names of concepts, and patterns of sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.inventions import (
    MAX_FORMS,
    OF_GROUP,
    SECTIONS,
    ClassTree,
    Concepts,
    Integers,
    hashed,
    make_class_tree,
    make_concepts,
    zipf,
)
from leadline.collections.simulate.settings import Settings

_ONSETS = ("b", "br", "c", "d", "dr", "f", "fl", "g", "gr", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v")
_SYLLABLES = tuple(onset + vowel for onset in _ONSETS for vowel in "aeiou")
_CLOSINGS = ("l", "n", "r", "d", "m", "s", "t", "x")

NOUN_ENDINGS = ("or", "on", "er", "ex", "ine", "ode", "um", "ator", "eter", "ule")
ADJECTIVE_ENDINGS = ("ic", "al", "ive", "ous", "ary", "ular", "oid", "ed")
SUBSTANCES = ("ate", "ide", "ine", "ol", "one", "ene", "ite", "azole", "amide", "idine", "oate", "acin")
GROUPS = ("methyl", "ethyl", "hydroxy", "chloro", "fluoro", "amino", "nitro", "phenyl", "benzyl", "oxo", "acetyl")

SHORT = 79_999  # number of stems with two syllables: the largest prime below the 80 000 possible ones
LONG = SHORT + 7_999_993  # number of stems with two or three syllables
_SIZES = {2: SHORT, 3: LONG - SHORT, 4: 799_999_999}
_MULTIPLIER = 2_654_435_761


def stem(number: int, seed: int = 0) -> str:
    """The stem of a number: two syllables for the first 80 000, then three, then four, and a closing sound.

    A multiplication modulo a prime scatters the numbers: consecutive ones look different, and no two share a stem.

    >>> stem(1), stem(2), stem(80_000), len({stem(number) for number in range(20_000)})
    ('garid', 'monon', 'dravapad', 20000)
    """
    syllables, first = (2, 0) if number < SHORT else (3, SHORT) if number < LONG else (4, LONG)
    scattered = (number - first + seed + 1) * _MULTIPLIER % _SIZES[syllables]
    scattered, closing = divmod(scattered, len(_CLOSINGS))
    parts = []
    for _ in range(syllables):
        scattered, place = divmod(scattered, len(_SYLLABLES))
        parts.append(_SYLLABLES[place])
    return "".join(parts) + _CLOSINGS[closing]


def _ending(number: int, seed: int, endings: tuple[str, ...]) -> str:
    return endings[(number + seed) * _MULTIPLIER % 7919 % len(endings)]


def noun(number: int, seed: int = 0) -> str:
    """A stem with the ending of a noun."""
    return stem(number, seed) + _ending(number, seed, NOUN_ENDINGS)


def adjective(number: int, seed: int = 0) -> str:
    """A stem with the ending of an adjective."""
    return stem(number, seed) + _ending(number, seed, ADJECTIVE_ENDINGS)


def substance(number: int, seed: int = 0) -> str:
    """The everyday name of a chemical: a stem with an ending such as -ate or -ine."""
    return stem(number, seed) + _ending(number, seed, SUBSTANCES)


def systematic(number: int, parent: int, seed: int = 0) -> str:
    """The systematic name of a chemical: positions and groups on a parent. Tokenisers split such names.

    >>> systematic(80_000, 5), systematic(80_001, 5)
    ('1-benzyl-2-acetyl-bredidone', '3-fluoro-7-methyl-bredidone')
    """
    key = ((number + seed) * _MULTIPLIER) >> 5
    first, second = GROUPS[key % len(GROUPS)], GROUPS[(key >> 8) % len(GROUPS)]
    low = 1 + (key >> 16) % 4
    return f"{low}-{first}-{low + 1 + (key >> 20) % 4}-{second}-{substance(parent, seed)}"


def registry_number(number: int, seed: int = 0) -> str:
    """A CAS registry number: two to seven digits, two digits, and a valid check digit.

    The check digit is the sum of the others, each times its place from the right, modulo 10 (water is 7732-18-5).

    >>> registry_number(0), registry_number(1)
    ('100-00-5', '71071-56-2')
    """
    body = 10_000 + ((number + seed) * _MULTIPLIER) % 9_989_957
    digits = str(body)
    return f"{digits[:-2]}-{digits[-2:]}-{check_digit(digits)}"


def check_digit(digits: str) -> int:
    """The check digit of a CAS registry number with these other digits.

    >>> check_digit("773218")
    5
    """
    return sum(place * int(digit) for place, digit in enumerate(reversed(digits), start=1)) % 10


def plural(word: str) -> str:
    """The plural of a noun, which is also the -s form of a verb.
    >>> plural("vestry"), plural("box"), plural("rotor")
    ('vestries', 'boxes', 'rotors')
    """
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def with_article(word: str) -> str:
    """A word after its indefinite article.


    >>> with_article("upper"), with_article("unit"), with_article("valve")
    ('an upper', 'a unit', 'a valve')
    """
    return f"an {word}" if word[0] in "aeiouAEIOU" and not word.startswith(("uni", "use")) else f"a {word}"


# The words of texts besides concepts: general ones, and technical nouns of each section, class and subclass.


Words = NDArray[np.object_]

NOUNS = """
device system method portion surface member material process unit element part end side component layer apparatus body
structure means value step position amount section area region temperature signal form rate base direction pressure line
assembly point time section frame control level plate range edge support chamber flow wall opening axis mixture product
housing tube shaft source circuit solution film container operation connection arrangement mechanism module user
interface length width distance condition function group set series quality effect result property size shape weight
output input power speed force load channel path zone tool sheet panel cover fluid gas liquid water air heat light
particle fibre agent sample mass volume ratio angle cycle phase state mode stage period class type pattern image
object target station machine vehicle valve spring screw bolt ring disc wheel belt arm handle lever joint seal
"""  # the head of Zipf's law, in English; the tail is invented
ADJECTIVES = """
first second upper lower inner outer different predetermined suitable respective adjacent external
internal similar further preferred desired corresponding conventional typical single common specific relative high low
large small long short thin thick solid liquid hollow flat central lateral vertical horizontal circular rigid flexible
stable uniform continuous additional optional alternative effective sufficient substantial
"""
VERBS = """
connect mount attach form position heat treat press insert extend control select adjust contact coat direct support
collect convert deposit detect display drain filter lift load mix monitor obtain pass perform present print process
protect transfer transmit
"""
_WITH_E = """
reduc releas remov rotat separat stor prepar receiv generat dispos provid includ defin
"""
_DOUBLED = frozenset({"control", "transfer", "transmit"})


@dataclass(frozen=True)
class Vocabulary:
    """All words, each list in the order of frequency. Nouns have the rows singular and plural.

    Verbs have the rows stem, -s, -ed and -ing.
    """

    nouns: Words
    adjectives: Words
    verbs: Words
    technical: Words  # nouns of the sections, then of the classes, then of the subclasses, `size` of each
    size: int
    tree: ClassTree

    @cached_property
    def starts(self) -> Integers:
        """For each subclass, the first index of the technical nouns of its section, its class and itself."""
        classes = len(self.tree.section_of_class)
        section = self.tree.section_of_subclass
        own_class = len(_SECTION_ROWS) + self.tree.class_of_subclass
        own = len(_SECTION_ROWS) + classes + np.arange(len(self.tree.subclasses))
        return self.size * np.stack([section, own_class, own], axis=1)


_SECTION_ROWS = range(8)
LEVELS = np.array([0.15, 0.25, 0.60])  # shares of the technical nouns from section, class and subclass


def make_vocabulary(seed: int, tree: ClassTree, *, general: int = 4000, technical: int = 600) -> Vocabulary:
    """The vocabulary for a classification: about 6000 general words, and 600 technical nouns for each node."""
    nodes = len(_SECTION_ROWS) + len(tree.classes) + len(tree.subclasses)
    own = [_unused(number) for number in range(general * 2, general * 2 + nodes * technical)]
    nouns = [*NOUNS.split(), *(noun(number, seed) for number in range(general))]
    adjectives = [*ADJECTIVES.split(), *(adjective(general + number, seed) for number in range(general // 4))]
    coined_numbers = range(general + general // 4, general + general // 2)
    verbs = [*VERBS.split(), *_WITH_E.split(), *(stem(number, seed) for number in coined_numbers)]
    return Vocabulary(
        _in_rows([[word, plural(word)] for word in nouns]),
        np.array(adjectives, object),
        _in_rows([_inflected(verb) for verb in verbs]),
        _in_rows([[word, plural(word)] for number in own for word in [noun(number, seed)]]),
        technical,
        tree,
    )


def _unused(number: int) -> int:
    """The number of a stem that no concept has: a short one, or a very long one when short ones are used up."""
    return number if number < SHORT else LONG + 100_000_000 + number


def _inflected(verb: str) -> list[str]:
    """The forms of a regular verb: stem, -s, -ed, -ing.

    >>> _inflected("remov"), _inflected("control"), _inflected("mix")[1]
    (['remove', 'removes', 'removed', 'removing'], ['control', 'controls', 'controlled', 'controlling'], 'mixes')
    """
    if verb in _WITH_E.split():
        return [f"{verb}e", f"{verb}es", f"{verb}ed", f"{verb}ing"]
    long = verb + verb[-1] if verb in _DOUBLED else verb
    return [verb, plural(verb), f"{long}ed", f"{long}ing"]


def _in_rows(forms: list[list[str]]) -> Words:
    return np.array(forms, object).T.copy()


class ZipfTable:
    """A lookup table for random indices by Zipf's law: a million draws take milliseconds.

    >>> table = ZipfTable(1000, 1.0)
    >>> places = table.places(np.array([0.0, 0.5, 0.9999]))
    >>> bool((np.diff(places) > 0).all())
    True
    """

    def __init__(self, count: int, exponent: float) -> None:
        cumulative = np.cumsum(zipf(count, exponent))
        self._places = np.searchsorted(cumulative, (np.arange(_TABLE_SIZE) + 0.5) / _TABLE_SIZE).astype(np.int32)

    def places(self, chances: NDArray[Any]) -> Integers:
        """The index for each random number from [0, 1)."""
        return np.asarray(self._places[(chances * _TABLE_SIZE).astype(np.int64)], np.int64)


_TABLE_SIZE = 1 << 17


# The names of concepts: long forms with abbreviations, synonyms, chemical names with registry numbers.


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


# Sentence patterns of patents. Content words are slots; the function words between them are English.
#
# Slots: <N> a general noun, <M> in the plural; <T> a technical noun, <U> in the plural; <A> an adjective; <V> a verb,
# <S> with -s, <D> with -ed, <G> with -ing; <C> a concept by one of its names, <K> in the plural; <#> a number. <n>, <t>
# and <a> are as the capitals, with an indefinite article before them.


SLOTS = "NMTUAVSDGCK#nta"
MENTIONS = "CK"
MAX_SLOTS = 12

TITLE = """
<A> <T> with <C> and method for <G> <U>
Method for <G> <C> in <a> <T>
<C> and <T> comprising <C>
Use of <C> for <G> <A> <U>
<A> <T> having <C>
"""
ABSTRACT = """
The invention provides <a> <T> comprising <C> and <C>, wherein <U> of the <C> are <D> to <a> <T> <N>.
Disclosed are <a> <T> and <N> <M> for <G> <U>, in which <C> is <D> by <C> at <a> <N>.
The <C> is <D> in <A> <N> <M>, so that <U> are <D> without <G> <t> <N>.
In addition, <C> may be <D> with <A> <T> <M> in order to <V> <N> <M>.
The <T> <N> shows improved <M>, is <D> with little <N>, and suits <A> <U>.
"""
BACKGROUND = """
The present invention relates to the field of <U>, more particularly to <A> <U> for <G> <T> <M>.
It is known to <V> the <N> <M> of <t> by means of <K>, but <A> <N> <M> are often not <D>.
Conventional <U> use <C>, which has the disadvantage that <A> <N> <M> must be <D> before <G> <U>.
In recent years <C> has been <D> for this purpose, being less expensive than <t> with <A> <M>.
However, <N> <M> of <U> known from the prior art are limited by the <A> <N> and its <M>.
There is therefore a need for <t> that <S> the <N> and can be <D> in <a> <N> at low cost.
One problem with <C> is that it <S> when the <A> <T> is <D> over long <M>.
Attempts have been made to <V> <A> <T> <M>, and to <V> the <N> of the <U> in other ways.
"""
SUMMARY = """
It is an object of the invention to provide <t> whose <A> <N> <M> are <D> by <C> and <C>.
According to the invention, this object is achieved by <C>, which is <D> to the <T>, together with <C>.
The invention also provides <a> <N> for <G> the <T> with <C>, in which <C> is <D> for <#> minutes or more.
In a further aspect, <t> comprises several <K> and <N> <M> for <G> the <C> from the <A> <U>.
Advantageously, <C> need not be <D> separately, and the <M> of the <T> remain low.
"""
EMBODIMENT = """
In one embodiment, <C> is <D> on the <A> <T> and contacts <C>.
The <C> may be any that can <V> <A> <U>, for example one <D> before <G> <T> <M>.
As shown in figure <#>, <t> has <a> <N> which <S> the <C>, and the <A> <U> are <D> by the <M>.
If <C> is used in amounts of less than <#> per cent, the <M> of the <C> are not sufficient.
Preferably, the <M> of the <C> lie between <#> and <#>, so that <a> <T> can be <D>.
The <A> <U> are then <D> by the <K> until the <M> of the <C> have been <D> to about <#>.
When <C> is in <a> <N>, <C> is <D> with respect to the <T>.
It will be understood that <C> can also be <D> between the <C> and the <T>.
At least two <K> and the <C> are <D> in the same <N>, each having <a> <T>.
At the end of the <T>, <a> <N> is provided, where the <C> is <D> by <N> <M>.
Instead of such <K>, it is possible to <V> the <T> with <C> or with <C>.
The <N> <M> depend on the <C> as well as on the <U>, which is why <T> <M> should be <D> first.
Suitable are <U> with one or more <K>, in particular those in which the <T> <M> are <D> by <C>.
The <T> can further have <C>, <C> and <C>, as is known to those skilled in the art.
"""
EXAMPLE = """
In this example, <#> parts of the <C> were <D> with <C> at <#> degrees for <#> hours.
Similarly, <A> <U> were <D>, except that other <K> were added in amounts of <#> per cent by weight.
After <G> the <T> for <#> minutes, <C> was <D> from <C> and the <M> were measured.
With <C>, the <M> of the <A> <T> were found to be <#>, while those of <U> were only <#>.
These results show that <t> with <C> has better <N> <M> than <U> <D> without <A> <M>.
"""
CLOSING = """
While the invention has been described with reference to certain embodiments, changes may be made to the <A> <U>.
The foregoing is illustrative, and the scope of the invention is defined by the claims that follow.
Many other <T> <M> will be apparent to those skilled in the art, and are within the scope of the claims.
"""
PARTS = (TITLE, ABSTRACT, BACKGROUND, SUMMARY, EMBODIMENT, EXAMPLE, CLOSING)
IN_TITLE, IN_ABSTRACT, IN_BACKGROUND, IN_SUMMARY, IN_EMBODIMENT, IN_EXAMPLE, IN_CLOSING = range(len(PARTS))
HEADINGS = ("", "", "BACKGROUND", "SUMMARY", "DETAILED DESCRIPTION", "EXAMPLES", "")


@dataclass(frozen=True)
class Patterns:
    """All sentences as formats for `%`, and their slots as indices into SLOTS."""

    formats: NDArray[np.object_]
    slots: NDArray[np.int8]  # sentence, place: -1 after the last
    counts: NDArray[np.int64]
    first: NDArray[np.int64]  # where the sentences of each part begin, and where the last part ends


@cache
def patterns() -> Patterns:
    """The sentences of all parts, one part after the other."""
    parts = [part.strip().splitlines() for part in PARTS]
    sentences = [sentence for part in parts for sentence in part]
    slots = np.full((len(sentences), MAX_SLOTS), -1, np.int8)
    for row, sentence in enumerate(sentences):
        found = re.findall(r"<(.)>", sentence)
        slots[row, : len(found)] = [SLOTS.index(mark) for mark in found]
    formats = np.array([re.sub(r"<.>", "%s", sentence.replace("%", "%%")) for sentence in sentences], object)
    first = np.cumsum([0, *map(len, parts)])
    return Patterns(formats, slots, (slots >= 0).sum(axis=1), first)


class Invented:
    """Invented words: concepts of a made-up technology, so that no knowledge of the world helps."""

    procedure = False

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def class_tree(self, inventions: int) -> ClassTree:
        settings = self.settings
        groups = max(1, round(inventions / settings.line_size / settings.lines_per_group))
        return make_class_tree(settings.seed, groups)

    def concepts(self, tree: ClassTree) -> Concepts:
        return make_concepts(self.settings, tree)

    def names(self, tree: ClassTree, concepts: Concepts) -> ConceptNames:
        return name_concepts(self.settings, tree, concepts, make_vocabulary(self.settings.seed, tree))
