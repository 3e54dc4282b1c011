"""Names in texts, recognised by spelling alone, without a dictionary: the derived fields `entities` and `biology`.

Entities are registry numbers, formulas, names of chemicals, and codes such as IL-6 or PA66. A name of several words is
also a term as a whole: "of acetic acid" gives "acet" and "acet acid". A registry number must have the right check
digit, which excludes dates and part numbers.

Names of biology are enzymes, proteins, antibodies, organisms, and symbols of genes. A name is one word, and with the
word before it also a term as a whole: "tyrosine kinase" gives "kinas" and "tyrosin kinas".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis, Occurrences, WordSpans, joined
from leadline.retrieval.index.derived import BREAK, in_order, linked, role_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOTHING, ENTITY, NAME, PARTNER = 0, 1, 2, 3  # a PARTNER is part of a name only beside another: oxide, acid, sodium
LONGEST = 4  # words of a name


def entities(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The entities of texts, as terms.

    >>> entities(["Acetic acid (64-19-7) and NaCl in 1999-12-3, see Fig. 2; titanium oxide"], Analysis()).of_text(0)
    ['acet', '64-19-7', 'nacl', 'titanium', 'acet acid', 'titanium oxid']
    """
    spans = WordSpans.of(*joined(texts, "kept"), "chemical")
    unique = [word.decode() for word in spans.words]
    kinds = np.array([kind_of(word) for word in unique], np.int8)
    reduced = analysis.reduced([word.lower().encode() for word in unique])
    terms = [
        word.lower().encode() if kind == ENTITY else term
        for word, kind, term in zip(unique, kinds.tolist(), reduced, strict=True)
    ]
    kind = kinds[spans.codes]
    single = np.flatnonzero((kind == ENTITY) | (kind == NAME))
    first, last = _names(kind, linked(spans))
    # The names of several words get codes after those of single words; then codes that do not occur are dropped.
    code_of: dict[bytes, int] = {}
    name_codes = [
        code_of.setdefault(b" ".join(terms[code] for code in spans.codes[start : stop + 1].tolist()), len(code_of))
        for start, stop in zip(first.tolist(), last.tolist(), strict=True)
    ]
    all_terms = [*terms, *code_of]
    codes = np.concatenate([spans.codes[single], np.array(name_codes, np.int64) + len(terms)])
    used, codes = np.unique(codes, return_inverse=True)
    return in_order([all_terms[code] for code in used.tolist()], codes, np.concatenate([single, first]), spans.offsets)


def kind_of(word: str) -> int:
    """The kind of entity that a word with its original capitals is: NOTHING, ENTITY, NAME or PARTNER.

    >>> [kind_of(word) for word in ("50-00-0", "NaCl", "IL-6", "toluene", "oxide", "valve", "2009")]
    [1, 1, 1, 2, 3, 0, 0]
    """
    if is_registry_number(word) or is_formula(word) or _is_code(word):
        return ENTITY
    lower = word.lower()
    if lower in KINDS:
        return PARTNER
    return NAME if is_chemical_name(lower) else NOTHING


def _is_code(word: str) -> bool:
    """Whether a word is a code such as IL-6: short, with a digit, at least two capitals, and mostly capitals."""
    capitals, letters = sum(map(str.isupper, word)), sum(map(str.isalpha, word))
    return len(word) <= 12 and any(map(str.isdigit, word)) and capitals >= 2 and capitals * 2 >= letters


def _names(kind: NDArray[np.int8], links: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and last word of each name of several words: linked names and partners, at least one of them a name."""
    if not len(kind):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    part = (kind == NAME) | (kind == PARTNER)
    # A run begins at every word that is not linked to the one before it as a part of the same name.
    starts = np.flatnonzero(np.concatenate([[True], ~(links & part[1:] & part[:-1])]))
    stops = np.concatenate([starts[1:], [len(kind)]]) - 1
    has_name = np.add.reduceat(kind == NAME, starts, dtype=np.int64) > 0
    kept = (stops > starts) & (stops - starts < LONGEST) & has_name
    return starts[kept], stops[kept]


# Recognise registry numbers, formulas, and names composed of the parts of chemical names, by spelling alone.


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
_CHEMICAL_STEMS = (
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
_CHEMICAL_ENDINGS = (
    "yl|ylene|ylidene|ane|an|ene|en|yne|ol|diol|triol|olate|al|one|dione|oic|ic|ous|oate|ate|ite|ide|ine|in|idine|"
    "amine|amide|imide|imine|amino|imino|ium|azole|azine|oxide|oxy|ose|ulose|oxane|oxan|aldehyde|ester|ether|acid|o|a|"
    "i|onic|ylic|oyl|idyl|azo|thio|nitrile|thiol|urea|lactam|lactone|phen"
)
_MULTIPLYING, _STEM, _ENDING = 1, 2, 4
_PARTS: dict[str, int] = {}
for _part_names, _role in ((_MULTIPLIERS, _MULTIPLYING), (_CHEMICAL_STEMS, _STEM), (_CHEMICAL_ENDINGS, _ENDING)):
    for _part in _part_names.split("|"):
        _PARTS[_part] = _PARTS.get(_part, 0) | _role
_LENGTHS = {  # of the parts that begin with these two letters, or with this letter alone
    first: sorted({len(part) for part in _PARTS if part[:2] == first}) for first in {part[:2] for part in _PARTS}
}
# Everyday words that are composed like chemical names.
_NOT_CHEMICAL = """
    allied allocate allocation amidst aperiodic decide decides decode ethic formal formally imperial invite linen lines
    nonperiodic octal online periodic permeate propose proposes thine
"""
_NOT_CHEMICAL_NAMES = frozenset(_NOT_CHEMICAL.split())
_NOT_CHEMICAL_ENDINGS = ("ical", "icals", "imal", "imals", "ics")  # ethical, decimal
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
    if (
        letters < _SHORTEST_NAME - 2 * (len(word) > letters)
        or word in _NOT_CHEMICAL_NAMES
        or word.endswith(_NOT_CHEMICAL_ENDINGS)
    ):
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


# Names of biology.


def biology(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The names of biology in texts, as terms.

    >>> biology(["A tyrosine kinase inhibitor and BRCA1, released in the next phase"], Analysis()).of_text(0)
    ['kinas', 'brca1', 'tyrosin kinas']
    """
    spans = WordSpans.of(*joined(texts, "kept"), "chemical")
    unique = [word.decode() for word in spans.words]
    reduced = analysis.reduced([word.lower().encode() for word in unique])
    gene = np.array([is_gene(word) for word in unique], np.bool_)
    name = np.array([is_biological_name(word) for word in unique], np.bool_) | gene
    # A gene keeps its spelling. A word that is no part of a noun phrase, or a stop word, begins no pair.
    terms = [
        word.lower().encode() if is_a_gene else term
        for word, is_a_gene, term in zip(unique, gene.tolist(), reduced, strict=True)
    ]
    begins = np.array([bool(term) and role_of(word.lower()) != BREAK for word, term in zip(unique, terms, strict=True)])
    single = np.flatnonzero(name[spans.codes]) if unique else np.empty(0, np.int64)
    first = _pairs(spans, name, begins)
    code_of: dict[bytes, int] = {}
    pairs = [
        code_of.setdefault(terms[left] + b" " + terms[right], len(code_of))
        for left, right in zip(spans.codes[first].tolist(), spans.codes[first + 1].tolist(), strict=True)
    ]
    # Pairs get codes after those of single words; then codes that do not occur are dropped.
    all_terms = [*terms, *code_of]
    codes = np.concatenate([spans.codes[single], np.array(pairs, np.int64) + len(terms)])
    used, codes = np.unique(codes, return_inverse=True)
    return in_order([all_terms[code] for code in used.tolist()], codes, np.concatenate([single, first]), spans.offsets)


def _pairs(spans: WordSpans, name: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """The first word of each pair: a word, linked to a name after it."""
    if len(spans.codes) < 2:
        return np.empty(0, np.int64)
    return np.flatnonzero(linked(spans) & begins[spans.codes[:-1]] & name[spans.codes[1:]])


# Recognise names of biology by spelling alone: enzymes, proteins, antibodies, organisms, genes.


# Endings of names: enzymes (-ase), antibodies (-mab), proteins, bacteria and viruses, cells, antibiotics.
_BIOLOGICAL_ENDINGS = (
    "ase", "mab", "globulin", "globin", "albumin", "kinin", "leukin", "feron", "kine", "trophin", "tropin", "lectin",
    "ferritin", "poietin", "peptide", "protein", "virus", "coccus", "bacter", "bacterium", "bacillus", "monas",
    "myces", "phage", "cyte", "cytes", "blast", "blasts", "cillin", "mycin", "gonin", "statin", "statins", "zyme",
)  # fmt: skip
_BIOLOGICAL = """
    antibody antibodies antigen antigens allele amylin apoptosis autoantibody avidin bacteria biotin calcitonin
    carcinoma
    cdna chromatin chromosome collagen codon cytokine dna elastin endothelin enzyme epitope exon fibrin fibrinogen
    fibronectin fungus gene genes genome ghrelin glucagon hepatitis histone hiv hormone immunogen insulin integrin
    interferon interleukin intron keratin leptin ligand lymphoma lysine melanoma mitochondria mrna mutant mutation
    myosin nucleotide oligonucleotide operon oxytocin parvovirus pathogen peptide peptides plasmid polypeptide prion
    promoter protein proteins receptor receptors retrovirus ribosome rna sarcoma serotonin sirna somatostatin tubulin
    trypsin pepsin renin thrombin transgene tumor tumour vaccine vasopressin virus
"""
_BIOLOGICAL_NAMES = frozenset(_BIOLOGICAL.split())
# Everyday words with an ending of biology.
_NOT_BIOLOGICAL = """
    base baseline bases case cases cease chase chemise crease database databases decrease disease diseases ease encase
    erase erbase grease increase interphase knowledgebase lease multiphase novoprotein paraphrase phase phases phrase
    please purchase release rephrase showcase staircase suitcase tease timebase vase wheelbase bookcase briefcase
    sandblast sandblasts blast blasts nonbase subbase subphase prerelease biphase database
"""
_NOT_BIOLOGICAL_NAMES = frozenset(_NOT_BIOLOGICAL.split())
_GENE = re.compile(r"[A-Z]{2,5}\d{1,3}[A-Z]?\d?")  # TP53, BRCA1, CYP3A4
_SHORTEST_BIOLOGICAL = 6


def is_biological_name(word: str) -> bool:
    """Whether a word, in any case, names an enzyme, a protein, an organism or the like.

    >>> [is_biological_name(word) for word in ("kinase", "Trastuzumab", "interleukins", "insulin", "Lactobacillus")]
    [True, True, True, True, True]
    >>> [is_biological_name(word) for word in ("release", "phase", "valve", "database", "vase")]
    [False, False, False, False, False]
    """
    lower = word.lower()
    singular = lower[:-1] if lower.endswith("s") and not lower.endswith(("us", "ss", "is")) else lower
    if singular in _BIOLOGICAL_NAMES or lower in _BIOLOGICAL_NAMES:
        return True
    if (
        len(singular) < _SHORTEST_BIOLOGICAL
        or singular in _NOT_BIOLOGICAL_NAMES
        or not singular.replace("-", "").isalpha()
    ):
        return False
    return singular.endswith(_BIOLOGICAL_ENDINGS)


def is_gene(word: str) -> bool:
    """Whether a word with its original capitals is spelt like the symbol of a gene.

    >>> is_gene("BRCA1"), is_gene("TP53"), is_gene("Fig2"), is_gene("USB")
    (True, True, False, False)
    """
    return _GENE.fullmatch(word) is not None
