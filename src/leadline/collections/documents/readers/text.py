"""Plain texts, one a file; only where --form names it, since any file might be one.

The id is the name of the file, the title its first line where that is a short one with a text under it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.web_pages import decoded_text
from leadline.collections.documents.registry import Broken, Raw, Window, reader

MAX_TEXT_BYTES = 64 << 20
LONGEST_TITLE = 200  # characters


def split_text(window: Window) -> Iterator[Raw | Broken]:
    """The one text of a stream."""
    while window.fill(1 << 20):
        if len(window.buffer) > MAX_TEXT_BYTES:
            yield Broken(0, f"is longer than {MAX_TEXT_BYTES >> 20} MiB, which no text is")
            return
    content = window.buffer
    if not content.strip():
        yield Broken(0, "is empty", len(content))
        return
    name = window.name.replace("\\", "/").removeprefix("./")
    text = decoded_text(content).encode("utf-8", "replace")
    yield Raw("text", 0, json.dumps(name or "text").encode() + b"\n" + text, size=len(content))


@reader("text", split=split_text)
def read(content: bytes) -> Document:
    """One text."""
    name, _, text = content.decode("utf-8", "replace").partition("\n")
    first, _, rest = text.strip().partition("\n")
    titled = bool(rest.strip()) and len(first) <= LONGEST_TITLE
    body = rest if titled else text
    lines = "\n".join(" ".join(line.split()) for line in body.splitlines())
    own: str = json.loads(name)
    return Document(
        "_".join(own.split()), kind="record", title=" ".join(first.split()) if titled else "", description=lines.strip()
    )
