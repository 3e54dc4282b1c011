"""Readers and writers of documents, and how to add one: a function with a decorator; see docs/forms.md.

>>> from leadline.readers import names
>>> "uspto" in names()
True
"""

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.forms import write_forms
from leadline.collections.documents.registry import READERS, Element, find_text, reader, writer

__all__ = [
    "Citation",
    "Claim",
    "Document",
    "Element",
    "Priority",
    "find_text",
    "names",
    "reader",
    "write_forms",
    "writer",
]


def names() -> list[str]:
    """The name of every form that is read."""
    return list(READERS)
