"""A document that lacks any one of its parts is read all the same, or refused in one phrase."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from leadline.collections.documents.document import Document
from leadline.collections.documents.readers import epo, exchange, jats, marec, st36
from leadline.collections.documents.registry import local_name, parse

READERS = {root: module for module in (epo, exchange, jats, marec, st36) for root in module.ROOTS}
FILES = (
    *("epo_grant", "epo_application", "docdb", "ops", "marec", "marec_scanned", "jats", "jats_older"),
    *("st36_international", "st36_french", "st36_body"),
)


def documents(golden: Path, name: str) -> list[Any]:
    content = (golden / "documents" / f"{name}.xml").read_bytes()
    root = parse(re.sub(rb"<!DOCTYPE[^>]*>", b"", content))
    return [root] if local_name(root.tag) in READERS else list(root.iter("{*}exchange-document"))


@pytest.mark.parametrize("name", FILES)
def test_any_one_element_may_be_missing_empty_or_doubled(golden: Path, name: str) -> None:
    for document in documents(golden, name):
        reader = READERS[local_name(document.tag)]
        for place in range(1, len(list(document.iter("*")))):
            for change in (removed, emptied, doubled):
                changed = copy.deepcopy(document)
                change(list(changed.iter("*"))[place])
                outcome = read(reader, changed)
                assert outcome.id if isinstance(outcome, Document) else "\n" not in outcome


def read(reader: ModuleType, element: Any) -> Document | str:
    """The document, or the words it is refused with."""
    try:
        return reader.read(element)
    except ValueError as refusal:
        return str(refusal)


def removed(element: Any) -> None:
    element.getparent().remove(element)


def emptied(element: Any) -> None:
    element.clear(keep_tail=True)


def doubled(element: Any) -> None:
    element.addnext(copy.deepcopy(element))
