"""Coined words: every number has its own stem, and an ending makes it look like a noun, an adjective or a chemical."""

from __future__ import annotations

_ONSETS = ("b", "br", "c", "d", "dr", "f", "fl", "g", "gr", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v")
_SYLLABLES = tuple(onset + vowel for onset in _ONSETS for vowel in "aeiou")
_CLOSINGS = ("l", "n", "r", "d", "m", "s", "t", "x")

NOUNS = ("or", "on", "er", "ex", "ine", "ode", "um", "ator", "eter", "ule")
ADJECTIVES = ("ic", "al", "ive", "ous", "ary", "ular", "oid", "ed")
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
    return stem(number, seed) + _ending(number, seed, NOUNS)


def adjective(number: int, seed: int = 0) -> str:
    """A stem with the ending of an adjective."""
    return stem(number, seed) + _ending(number, seed, ADJECTIVES)


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
