"""The parts of a form that has files (multipart/form-data, RFC 7578)."""

from __future__ import annotations

import re

MOST_PARTS = 50
_BOUNDARY = re.compile(r'multipart/form-data;.*\bboundary="?([^";,\s]{1,200})"?', re.IGNORECASE)
_FILE = re.compile(rb'^content-disposition:[^\r\n]*?;\s*filename="([^"\r\n]*)"', re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(rb'^content-disposition:[^\r\n]*?;\s*name="([^"\r\n]*)"', re.IGNORECASE | re.MULTILINE)


def form_parts(body: bytes, content_type: str) -> dict[str, bytes]:
    """The contents of a form's fields and files, by the names of the fields; ValueError where it is not such a form.

    The name of the file in a field `x` is under `x.filename`.

    >>> form = b'--x\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\none\\r\\n--x--\\r\\n'
    >>> form_parts(form, "multipart/form-data; boundary=x")
    {'a': b'one'}
    """
    found = _BOUNDARY.match(content_type)
    if found is None:
        raise ValueError("is not a form with parts")
    border = b"\r\n--" + found[1].encode("latin-1", "replace")
    first, *parts = (b"\r\n" + body).split(border, MOST_PARTS + 1)
    if first.strip() or not parts or not parts[-1].startswith(b"--"):
        raise ValueError("is cut off, or has too many parts")
    fields: dict[str, bytes] = {}
    for part in parts[:-1]:
        head, blank, content = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if not blank or name is None:
            raise ValueError("has a part without a name")
        field = name[1].decode("utf-8", "replace")
        fields.setdefault(field, content)
        if file := _FILE.search(head):
            fields.setdefault(f"{field}.filename", file[1])
    return fields
