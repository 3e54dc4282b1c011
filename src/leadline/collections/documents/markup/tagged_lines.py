"""Records in lines with tags, as RIS and PubMed's nbib have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from leadline.collections.documents.raw import MAX_DOCUMENT_BYTES, Broken, Raw, Window

Fields = dict[str, list[str]]
_BLANK = re.compile(r"\s+")


def tagged_records(
    window: Window,
    form: str,
    tag: re.Pattern[str],
    first: str,
    pack: Callable[[Fields, int], bytes],
    *,
    once: Collection[str],
    end: str = "",
) -> Iterator[Raw | Broken]:
    """The records of a stream. `tag` matches a line's tag and text, `first` is the tag that begins a record.

    A line without a tag continues the field before it. Text before the first record is reported, and so are signs that
    the beginning of a record was lost: a second tag of `once`, or a field after the tag `end`.
    """
    fields: Fields = {}
    begin, row, size, last = 0, 0, 0, ""
    for offset, line in window.lines():
        text = line.decode("utf-8", "replace").rstrip("\r")
        found = tag.match(text)
        name = found[1] if found else ""
        if name == first:
            if fields:
                yield Raw(form, begin, pack(fields, row))
            fields, begin, row, size = {}, offset, row + 1, 0
        size += len(line)
        if size > MAX_DOCUMENT_BYTES:
            yield Broken(begin, f"the record is longer than {MAX_DOCUMENT_BYTES >> 20} MiB; the rest was not read")
            return
        if found is None:
            if text.strip():
                if last and fields:
                    fields[last][-1] += " " + _BLANK.sub(" ", text.strip())
                else:
                    yield Broken(offset, f"a line before the first {first}: it was not read")
            continue
        if not row:
            yield Broken(offset, f"{name} before the first {first}: it was not read")
            continue
        if (name in once and name in fields) or (end and end in fields):
            yield Broken(
                offset, f"{name} again in the record that begins at byte {begin}: is the {first} between lost?"
            )
            continue
        last = name
        fields.setdefault(name, []).append(found[2].strip())
    if fields:
        yield Raw(form, begin, pack(fields, row))
    elif not row:
        yield Broken(0, f"no record: no line begins with {first}")
