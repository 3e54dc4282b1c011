"""Models of relevance, and how to add one: a function of Postings with the decorator `model`.

>>> from leadline.models import names
>>> "bm25" in names()
True
"""

from leadline.retrieval.models.registry import MODELS, Array, Model, Postings, model

__all__ = ["Array", "Model", "Postings", "model", "named", "names"]


def names() -> list[str]:
    """The name of every model."""
    return list(MODELS)


def named(name: str) -> Model:
    """The model of a name."""
    return MODELS.named(name)
