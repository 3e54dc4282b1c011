"""Which forms there are, how one document of each is told from the next, and who reads it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from leadline.collections.documents.document import Document

# The root element of one document, by its local name, and the reader it goes to.
XML_ROOTS = {
    "us-patent-grant": "uspto",
    "us-patent-application": "uspto",
    "ClaimsDocument": "uspto_wrapper",
    "SpecificationDocument": "uspto_wrapper",
    "PATDOC": "patdoc",
    "patent-application-publication": "pap",
    "ep-patent-document": "epo",
    "exchange-document": "exchange",
    "patent-document": "marec",
    "article": "jats",
    "wo-patent-document": "st36",
    "wo-published-application": "st36",
    "fr-patent-document": "st36",
    "cn-patent-document": "st36",
    "jp-official-gazette": "st36",
    "xx-patent-document": "st36",
    "application-body": "st36",
}
# Read without an XML parser, a record at a time.
RECORDS = {"greenbook": "greenbook", "json": "records", "csv": "records"}
# A file wrapper keeps one application in several files: consecutive ones are merged, and stay in one part.
IN_PIECES = {"ClaimsDocument": "uspto_wrapper", "SpecificationDocument": "uspto_wrapper"}
FORMS = tuple(dict.fromkeys((*XML_ROOTS.values(), *RECORDS)))


@cache
def reader(name: str) -> ModuleType:
    """The module that reads a form."""
    return importlib.import_module(f"leadline.collections.documents.readers.{name}")


@cache
def _xml_reader(root: str) -> Callable[[Any], Document]:
    return reader(XML_ROOTS[root]).read


def read_xml(root: str, content: bytes, encoding: str) -> Document:
    """A document from the bytes of its root element."""
    from leadline.collections.documents.readers.xml import parse

    module = reader(XML_ROOTS[root])
    if encoding == "utf-8" and hasattr(module, "read_bytes"):  # the same document without making a tree of it
        return module.read_bytes(content)
    if hasattr(module, "prepare"):  # SGML, which wants closing tags and characters for entities
        content = module.prepare(content)
    return _xml_reader(root)(parse(content, encoding))
