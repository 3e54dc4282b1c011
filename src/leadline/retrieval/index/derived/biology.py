"""Names of biology: enzymes, proteins, antibodies, organisms, and symbols of genes.

They are recognised by spelling alone (`../biology.py`), as the entities of chemistry are. A name is one word, and with
the word before it also a term as a whole: "tyrosine kinase" gives "kinas" and "tyrosin kinas".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from leadline.retrieval.index.analysis import Analysis, Occurrences, WordSpans, joined
from leadline.retrieval.index.derived.phrases import BREAK, in_order, linked
from leadline.retrieval.index.derived.phrases import kind_of as role_of


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
_ENDINGS = (
    "ase", "mab", "globulin", "globin", "albumin", "kinin", "leukin", "feron", "kine", "trophin", "tropin", "lectin",
    "ferritin", "poietin", "peptide", "protein", "virus", "coccus", "bacter", "bacterium", "bacillus", "monas",
    "myces", "phage", "cyte", "cytes", "blast", "blasts", "cillin", "mycin", "gonin", "statin", "statins", "zyme",
)  # fmt: skip
_NAMED = """
    antibody antibodies antigen antigens allele amylin apoptosis autoantibody avidin bacteria biotin calcitonin
    carcinoma
    cdna chromatin chromosome collagen codon cytokine dna elastin endothelin enzyme epitope exon fibrin fibrinogen
    fibronectin fungus gene genes genome ghrelin glucagon hepatitis histone hiv hormone immunogen insulin integrin
    interferon interleukin intron keratin leptin ligand lymphoma lysine melanoma mitochondria mrna mutant mutation
    myosin nucleotide oligonucleotide operon oxytocin parvovirus pathogen peptide peptides plasmid polypeptide prion
    promoter protein proteins receptor receptors retrovirus ribosome rna sarcoma serotonin sirna somatostatin tubulin
    trypsin pepsin renin thrombin transgene tumor tumour vaccine vasopressin virus
"""
_NAMES = frozenset(_NAMED.split())
# Everyday words with an ending of biology.
_EVERYDAY = """
    base baseline bases case cases cease chase chemise crease database databases decrease disease diseases ease encase
    erase erbase grease increase interphase knowledgebase lease multiphase novoprotein paraphrase phase phases phrase
    please purchase release rephrase showcase staircase suitcase tease timebase vase wheelbase bookcase briefcase
    sandblast sandblasts blast blasts nonbase subbase subphase prerelease biphase database
"""
_NOT_NAMES = frozenset(_EVERYDAY.split())
_GENE = re.compile(r"[A-Z]{2,5}\d{1,3}[A-Z]?\d?")  # TP53, BRCA1, CYP3A4
_SHORTEST = 6


def is_biological_name(word: str) -> bool:
    """Whether a word, in any case, names an enzyme, a protein, an organism or the like.

    >>> [is_biological_name(word) for word in ("kinase", "Trastuzumab", "interleukins", "insulin", "Lactobacillus")]
    [True, True, True, True, True]
    >>> [is_biological_name(word) for word in ("release", "phase", "valve", "database", "vase")]
    [False, False, False, False, False]
    """
    lower = word.lower()
    singular = lower[:-1] if lower.endswith("s") and not lower.endswith(("us", "ss", "is")) else lower
    if singular in _NAMES or lower in _NAMES:
        return True
    if len(singular) < _SHORTEST or singular in _NOT_NAMES or not singular.replace("-", "").isalpha():
        return False
    return singular.endswith(_ENDINGS)


def is_gene(word: str) -> bool:
    """Whether a word with its original capitals is spelt like the symbol of a gene.

    >>> is_gene("BRCA1"), is_gene("TP53"), is_gene("Fig2"), is_gene("USB")
    (True, True, False, False)
    """
    return _GENE.fullmatch(word) is not None
