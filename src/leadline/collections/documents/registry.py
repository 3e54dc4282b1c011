"""The register of readers. A reader is a function with the decorator `reader`, in its own file.

The function returns the Document of one raw document, or raises ValueError with the problem. It never opens a file. A
reader of XML names the root elements it reads, and gets the root element; a reader of another form has a function that
splits a stream into documents, and gets the bytes of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from leadline.collections.documents.document import Document
from leadline.collections.documents.markup.xml import parse
from leadline.collections.documents.raw import Broken, Raw, Window
from leadline.errors import InputError
from leadline.register import Register

Read = TypeVar("Read", bound=Callable[[Any], Document])


@dataclass(frozen=True)
class FormReader:
    """A registered reader. Its functions are those of modules, so that worker processes can import them."""

    name: str
    function: Callable[[Any], Document]
    roots: tuple[str, ...]
    read_bytes: Callable[[bytes], Document] | None
    prepare: Callable[[bytes], bytes] | None
    merge: Callable[[Document, Document], Document] | None
    split: Callable[[Window], Iterator[Raw | Broken]] | None
    recognises: Callable[[bytes], bool] | None
    parse_record: Callable[[bytes], dict[str, Any]] | None
    binary: bool = False

    def read(self, content: bytes, encoding: str = "utf-8") -> Document:
        """The document in these bytes; ValueError if it cannot be read."""
        if not self.roots:
            return self.function(content)
        if self.read_bytes is not None and encoding == "utf-8":
            return self.read_bytes(content)
        return self.function(parse(content if self.prepare is None else self.prepare(content), encoding))


READERS = Register[FormReader]("form", "leadline.collections.documents.readers", entry_points="leadline.readers")


def reader(
    name: str,
    *roots: str,
    read_bytes: Callable[[bytes], Document] | None = None,
    prepare: Callable[[bytes], bytes] | None = None,
    merge: Callable[[Document, Document], Document] | None = None,
    split: Callable[[Window], Iterator[Raw | Broken]] | None = None,
    recognises: Callable[[bytes], bool] | None = None,
    parse_record: Callable[[bytes], dict[str, Any]] | None = None,
    binary: bool = False,
) -> Callable[[Read], Read]:
    """Register a function as the reader of a form.

    Of XML: `roots` are the local names of the elements that hold one document each; `read_bytes` reads UTF-8 without
    making a tree, as a faster way; `prepare` turns SGML into XML. Of other forms: `split` cuts a stream, `recognises`
    tells the form by the first bytes of a stream, and `parse_record` gives a record as a dict, which a mapping can then
    read; `binary` says that a stream may hold bytes that are no text. Of both: `merge` joins consecutive documents with
    one id.
    """
    if bool(roots) == bool(split):
        raise InputError(f"reader {name}", "needs either root elements or a function `split`")

    def add(function: Read) -> Read:
        member = FormReader(name, function, roots, read_bytes, prepare, merge, split, recognises, parse_record, binary)
        READERS.add(name, member, home=function.__module__)
        return function

    return add


def readers_by_form() -> dict[str, FormReader]:
    """Every reader under its root elements, or under its name when it does not read XML."""
    found: dict[str, FormReader] = {}
    for member in READERS.values():
        for form in member.roots or (member.name,):
            other = found.setdefault(form, member)
            if other is not member:
                raise InputError("form", f"{other.name} and {member.name} both read {form}")
    return found
