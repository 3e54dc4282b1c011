"""Recognise names of biology by spelling alone: enzymes, proteins, antibodies, organisms, genes."""

from __future__ import annotations

import re

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
