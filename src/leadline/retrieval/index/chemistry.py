"""Recognise registry numbers, formulas, and names composed of the parts of chemical names, by spelling alone."""

from __future__ import annotations

import re

_REGISTRY = re.compile(r"[1-9]\d{1,6}-\d\d-\d")
_SYMBOLS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru
Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po Ra
Th U Pu
"""
_BY_LENGTH = "|".join(sorted(_SYMBOLS.split(), key=lambda symbol: -len(symbol)))
_FORMULA = re.compile(rf"(?:(?:{_BY_LENGTH})(?:\d{{1,3}}(?:\.\d+)?)?)+")
_SYMBOL = re.compile(_BY_LENGTH)
# Names of elements and of kinds of substances.
_ELEMENTS_NAMED = """
    aluminium aluminum antimony argon arsenic barium beryllium bismuth boron bromine cadmium caesium calcium carbon
    cerium cesium chlorine chromium cobalt copper fluorine gadolinium gallium germanium gold hafnium helium hydrogen
    indium iodine iridium iron krypton lanthanum lithium magnesium manganese mercury molybdenum neodymium neon
    nickel niobium nitrogen osmium oxygen palladium phosphorus platinum plutonium potassium radium rhenium rhodium
    rubidium ruthenium scandium selenium silicon silver sodium strontium sulfur sulphur tantalum tellurium thallium
    thorium tin titanium tungsten uranium vanadium xenon yttrium zinc zirconium ammonium
"""
ELEMENT_NAMES = frozenset(_ELEMENTS_NAMED.split())
_KINDS_NAMED = """
    acid acids alcohol aldehyde alkoxide amide amine anhydride base bromide carbonate chloride ester esters ether ethers
    fluoride hydrate hydrochloride hydroxide iodide ketone nitrate nitride oxide oxides peroxide phosphate salt salts
    silicate sulfate sulfide sulphate sulphide
"""
KINDS = frozenset(_KINDS_NAMED.split())
_MULTIPLIERS = (
    "mono|di|tri|tetra|penta|hexa|hepta|octa|nona|deca|poly|oligo|per|bis|tris|iso|cyclo|neo|sec|tert|ortho|meta|para|"
    "trans|cis|homo|nor|des|de|un"
)
_STEMS = (
    "meth|eth|prop|but|pent|hex|hept|oct|non|dec|undec|dodec|hexadec|octadec|phen|benz|naphth|anthr|tolu|xyl|styr|"
    "cumen|cres|acet|form|oxal|malon|succin|glutar|adip|male|fumar|phthal|terephthal|salicyl|acr|acryl|methacr|"
    "methacryl|vin|all|chlor|brom|fluor|iod|hydr|hydro|hydrox|ox|oxo|oxy|epox|perox|amin|am|imin|im|azo|nitr|nitro|"
    "cyan|isocyan|thi|thio|sulf|sulph|sulfon|sulphon|phosph|phosphon|sil|silan|silox|silic|siloxan|carb|carbon|carbox|"
    "carboxyl|carbam|ureth|pyr|pyrid|pyrrol|pyrrolid|piper|piperid|piperaz|morphol|imidaz|imidazol|thiaz|oxaz|triaz|"
    "pyraz|pyrimid|indol|quinol|fur|furfur|glyc|glycer|gluc|fruct|sacchar|sucr|lact|malt|cellul|dextr|citr|tartr|"
    "stear|palmit|ole|laur|lin|lign|bor|borax|titan|zircon|alumin|ferr|cupr|chrom|mangan|wolfram|tungst|molybd|vanad|"
    "stann|plumb|arsen|selen|tellur|anil|aldehyd|ket|ester|ether|toluid|guanid|nicotin|caffe|barbit|melam|capro|"
    "caprolact|lactam|lacton|ammon"
)
_ENDINGS = (
    "yl|ylene|ylidene|ane|an|ene|en|yne|ol|diol|triol|olate|al|one|dione|oic|ic|ous|oate|ate|ite|ide|ine|in|idine|"
    "amine|amide|imide|imine|amino|imino|ium|azole|azine|oxide|oxy|ose|ulose|oxane|oxan|aldehyde|ester|ether|acid|o|a|"
    "i|onic|ylic|oyl|idyl|azo|thio|nitrile|thiol|urea|lactam|lactone|phen"
)
_MULTIPLYING, _STEM, _ENDING = 1, 2, 4
_PARTS: dict[str, int] = {}
for _names, _role in ((_MULTIPLIERS, _MULTIPLYING), (_STEMS, _STEM), (_ENDINGS, _ENDING)):
    for _part in _names.split("|"):
        _PARTS[_part] = _PARTS.get(_part, 0) | _role
_LENGTHS = {  # of the parts that begin with these two letters, or with this letter alone
    first: sorted({len(part) for part in _PARTS if part[:2] == first}) for first in {part[:2] for part in _PARTS}
}
# Everyday words that are composed like chemical names.
_EVERYDAY = """
    allied allocate allocation amidst aperiodic decide decides decode ethic formal formally imperial invite linen lines
    nonperiodic octal online periodic permeate propose proposes thine
"""
_NOT_NAMES = frozenset(_EVERYDAY.split())
_NOT_ENDINGS = ("ical", "icals", "imal", "imals", "ics")  # ethical, decimal
_SHORTEST_NAME = 6


def is_registry_number(word: str) -> bool:
    """Whether this is a CAS registry number with the right check digit.

    >>> is_registry_number("64-19-7"), is_registry_number("64-19-8"), is_registry_number("2009-05-1")
    (True, False, False)
    """
    if not _REGISTRY.fullmatch(word):
        return False
    digits = word.replace("-", "")
    total = sum(place * int(digit) for place, digit in enumerate(reversed(digits[:-1]), start=1))
    return total % 10 == int(digits[-1])


def is_formula(word: str) -> bool:
    """Whether this is a sum formula: at least two elements, and a digit or a lower-case letter.

    >>> [is_formula(word) for word in ("H2SO4", "NaCl", "TiO2", "CO2", "USB", "In", "IC2", "Nacl")]
    [True, True, True, True, False, False, True, False]
    """
    if not 3 <= len(word) <= 40 or not _FORMULA.fullmatch(word):
        return False
    symbols = set(_SYMBOL.findall(word))
    if len(symbols) < 2:
        return False
    return any(letter.isdigit() for letter in word) or (any(map(str.islower, word)) and not word[1:].islower())


def is_chemical_name(word: str) -> bool:
    """Whether a word in lower case is composed of the parts of chemical names, or names an element.

    >>> [is_chemical_name(word) for word in ("1,2-dichloroethane", "polyethylene", "toluene", "sodium", "2-butanol")]
    [True, True, True, True, True]
    >>> [is_chemical_name(word) for word in ("membrane", "machine", "propose", "method", "3-way", "12")]
    [False, False, False, False, False, False]
    """
    if word in ELEMENT_NAMES:
        return True
    plain = word.isalpha() and word.isascii()
    parts = [word] if plain else [part for part in re.split(r"[^a-z]+", word) if len(part) > 1]
    letters = sum(map(len, parts))
    if letters < _SHORTEST_NAME - 2 * (len(word) > letters) or word in _NOT_NAMES or word.endswith(_NOT_ENDINGS):
        return False
    # In 3-chloro-5-nitro each part must be composed of such parts.
    return bool(parts) and all(map(_is_composed, parts))


def _is_composed(word: str) -> bool:
    """Whether a word consists of multipliers, a stem, any parts, an ending and perhaps an s.

    Dynamic programming over the places where a part may end; a regular expression would backtrack, in time that doubles
    with every part that can be read in two ways.
    """
    size = len(word)
    # What may come before each place, as bits: only multipliers (1), a stem as well (2), an ending as last part (4).
    before = [0] * (size + 1)
    before[0] = 1
    for at in range(size):
        state = before[at]
        if not state:
            continue
        first = word[at : at + 2]
        for length in (*_LENGTHS.get(first[:1], ()), *_LENGTHS.get(first, ())):
            role = _PARTS.get(word[at : at + length])
            if role is None or at + length > size:
                continue
            if state & 1:
                before[at + length] |= (role & _MULTIPLYING) | (role & _STEM)
            if state & 6:
                before[at + length] |= 2 | (role & _ENDING)
    return bool(before[size] & 4 or (size and word[-1] == "s" and before[size - 1] & 4))
