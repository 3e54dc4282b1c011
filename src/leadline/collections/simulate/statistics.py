"""Figures that describe a simulated office, to compare with real ones."""

from __future__ import annotations

import numpy as np

from leadline.collections.simulate.examiners import same_names
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.randomness import Integers
from leadline.collections.simulate.settings import AUTHORITIES
from leadline.collections.simulate.simulated_citations import ORIGIN
from leadline.collections.simulate.truth import relevant


def statistics(office: SimulatedOffice, topics: Integers) -> dict[str, float]:
    """The figures by name."""
    publications, claims, cited = office.publications, office.claims, office.cited
    sizes = np.diff(publications.starts)
    citations = np.diff(cited.starts)
    figures: dict[str, float] = {
        "documents": len(publications) + len(office.articles),
        **({"articles": len(office.articles)} if len(office.articles) else {}),
        "families": int((sizes > 0).sum()),
        "documents of a family, mean": float(sizes[sizes > 0].mean()),
        "families of one document, share": float((sizes[sizes > 0] == 1).mean()),
        "claims of a patent, mean": float(claims.counts.mean()),
        "independent claims of a patent, mean": float((claims.parent == 0).sum() / len(claims.counts)),
        "concepts an invention discloses, mean": float(np.diff(office.inventions.starts).mean()),
        "citations of a document that has any, mean": float(citations[citations > 0].mean()),
        **{f"citations by {name}, share": float((cited.origin == code).mean()) for code, name in enumerate(ORIGIN)},
        "shared concepts under the same name, share": float(_same_names(office)),
        "prior art that anticipates, share": float((office.pairs.grade == 2).mean()) if len(office.pairs) else 0.0,
        "found by examiners, share": float(office.searches.found.mean()) if len(office.searches) else 0.0,
    }
    for place, authority in enumerate(AUTHORITIES):
        own = office.searches.office == place
        if own.any():
            figures[f"found by examiners of {authority.code}, share"] = float(office.searches.found[own].mean())
    if len(topics):
        counts = np.bincount(relevant(office, topics)[0], minlength=len(topics))
        low, median, high = np.quantile(counts, [0.25, 0.5, 0.75])
        figures["topics"] = len(topics)
        figures["truly relevant documents of a topic, median"] = float(median)
        figures["truly relevant documents of a topic, lower quartile"] = float(low)
        figures["truly relevant documents of a topic, upper quartile"] = float(high)
    return figures


def _same_names(office: SimulatedOffice) -> float:
    """The share of their common concepts for which an invention and its prior art use the same name."""
    first = slice(0, 200_000)
    if not len(office.pairs):
        return 0.0
    return float(same_names(office.settings, office.concepts, office.inventions, office.pairs, first).mean())
