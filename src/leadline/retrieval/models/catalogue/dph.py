"""DPH: divergence from randomness without parameters."""

from __future__ import annotations

import numpy as np

from leadline.retrieval.models.registry import Array, Postings, model


@model("dph")
def dph(postings: Postings) -> Array:
    """How surprising it is to meet the term so often here, had chance spread it: no parameter to tune.

    Formula: (1 − f)² / (tf + 1) · (tf · log2(tf · (average length / length) · N / cf) + ½ · log2(2π · tf · (1 − f))),
    f = tf / length. A document of one word repeated weighs 0.

    Paper: Amati, Ambrosi, Bianchi, Gaibisso and Gambosi, FUB, IASI-CNR and University of Tor Vergata at TREC 2007 Blog
    Track, 2007; the form of Terrier.

    A term once in a document of 2 of average length, 8 documents, twice in all: ¼ / 2 · (log2 4 + ½ · log2 π) =
    0.125 · (2 + 0.825748).

    >>> dph(Postings.of(tf=1, length=2, cf=2, documents=8, tokens=16)).round(6)
    array([0.353219])
    """
    p = postings
    share = np.minimum(p.tf / p.length, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = p.tf * np.log2(p.tf * (p.average_length / p.length) * (p.documents / p.cf))
        weight = (1 - share) ** 2 / (p.tf + 1) * (surprise + 0.5 * np.log2(2 * np.pi * p.tf * (1 - share)))
    return np.where(share < 1, weight, 0.0)
