"""Figures that describe patents, real or simulated, each as a text for the cell of a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.text.days import day_number

WORD = re.compile(r"[a-z]+")
COMMON = """
a an and are as at be been being between but by can each for from had has have having if in into is it its may more not
of on one or other said such than that the their then there these this to wherein which with
"""
FUNCTION_WORDS = frozenset(COMMON.split())


def share(value: float) -> str:
    return f"{100 * value:.0f} %"


def days_to_publication(documents: Sequence[Document]) -> str:
    """Median days from the first priority, or from filing without one, to the publication of an application."""
    days = []
    for document in documents:
        first = min((one.date for one in document.priorities if one.date), default=document.application)
        if document.kind in ("A1", "A2") and len(first) == len(document.publication) == len("2000-01-01"):
            days.append(day_number(document.publication) - day_number(first))
    return f"{np.median(days):.0f}"


def claim_figures(documents: Sequence[Document]) -> tuple[str, str, str]:
    """Claims of a document, independent ones, and words of a claim."""
    claims = [claim for document in documents for claim in document.claims]
    independent = sum(claim.independent for claim in claims)
    words = float(np.median([len(claim.text.split()) for claim in claims]))
    return f"{len(claims) / len(documents):.1f}", f"{independent / len(documents):.1f}", f"{words:.0f}"


def refer_to_one(documents: Sequence[Document]) -> str:
    """The share of dependent claims that refer to exactly one other."""
    parents = [len(claim.parents) for document in documents for claim in document.claims if claim.parents]
    return share(float(np.mean(np.array(parents) == 1)))


def description_words(documents: Sequence[Document]) -> str:
    return f"{np.median([len(document.description.split()) for document in documents]):,.0f}".replace(",", " ")


def citation_figures(documents: Sequence[Document]) -> tuple[str, str]:
    """Citations of patents, mean and median, and the examiner's share of them."""
    cited = [[one.origin for one in document.citations if one.number] for document in documents]
    counts = [len(origins) for origins in cited]
    every = Counter(origin for origins in cited for origin in origins)
    return f"{np.mean(counts):.1f}, {np.median(counts):.0f}", share(every["examiner"] / every.total())


def mean_citations(documents: Sequence[Document], office: str) -> str:
    """Mean citations of patents, for the documents of an office that cite any."""
    own = [document for document in documents if document.office == office]
    counts = [count for document in own if (count := sum(bool(one.number) for one in document.citations))]
    return f"{np.mean(counts):.1f}" if counts else "–"


def text_of(document: Document) -> str:
    """Title, abstract and description; not all of the real patents have claims."""
    return f"{document.title}\n{document.abstract}\n{document.description}".lower()


def word_figures(documents: Sequence[Document]) -> tuple[str, str, str, str]:
    """The share of function words, that of "the", the slope of log frequency on log rank, and Heaps' exponent."""
    counts, growth = Counter[str](), [(0, 0)]
    for place in np.random.default_rng(1).permutation(len(documents)).tolist():
        words = WORD.findall(text_of(documents[place]))
        counts.update(words)
        growth.append((growth[-1][0] + len(words), len(counts)))
    total, frequencies = counts.total(), np.sort(np.array(list(counts.values())))[::-1]
    ranks = np.arange(1, len(frequencies) + 1)
    slope = np.polyfit(np.log(ranks[20:3000]), np.log(frequencies[20:3000]), 1)[0]
    common = sum(counts[word] for word in FUNCTION_WORDS) / total
    read, distinct = np.log(np.array([pair for pair in growth if pair[0] > total / 50])).T
    heaps = np.polyfit(read, distinct, 1)[0]
    return share(common), f"{100 * counts['the'] / total:.1f} %", f"{slope:.2f}".replace("-", "−"), f"{heaps:.2f}"


def overlap(collection: Collection, documents: Sequence[Document], pairs: int = 2000) -> tuple[str, str]:
    """The share of an abstract's words that are in the document it cites, and in one drawn at random."""
    inside = collection.citations.drop_nulls("cited").select("citing", "cited").unique(maintain_order=True)
    rng = np.random.default_rng(1)
    chosen = inside[np.sort(rng.permutation(len(inside))[:pairs])]
    citing, cited = chosen["citing"].to_list(), chosen["cited"].to_list()
    others = rng.integers(len(documents), size=len(citing)).tolist()
    return share(_mean_overlap(documents, citing, cited)), share(_mean_overlap(documents, citing, others))


def _mean_overlap(documents: Sequence[Document], citing: Sequence[int], cited: Sequence[int]) -> float:
    shares = []
    for one, other in zip(citing, cited, strict=True):
        words = set(WORD.findall(documents[one].abstract.lower())) - FUNCTION_WORDS
        if words:
            shares.append(len(words & set(WORD.findall(text_of(documents[other])))) / len(words))
    return float(np.mean(shares))


def family_figures(documents: Sequence[Document]) -> tuple[str, str]:
    """Documents of a family and families of one document, where the source lists the members."""
    sizes = np.array([len({document.id, *document.relatives}) for document in documents])
    return f"{sizes.mean():.1f}", share(float((sizes == 1).mean()))
