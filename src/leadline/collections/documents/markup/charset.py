"""The encoding of a page: what its bytes, its server and its own text say, in this order."""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
          (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_DECLARED = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_HEAD = 4096  # bytes in which a page declares its encoding
FALLBACK = "cp1252"  # of a page that says nothing and is not UTF-8
# Browsers read these as the larger sets that contain them.
_LARGER = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030",
           "shift_jis": "cp932", "euc_kr": "cp949", "tis-620": "cp874"}  # fmt: skip
# Codecs of Python that are no character sets, or that read bytes as text in dangerous ways.
_NOT_TEXT = frozenset({"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})


def charset_of(content: bytes, content_type: str = "") -> str:
    """The name of a page's encoding, as Python calls it.

    >>> charset_of(b"\\xef\\xbb\\xbfabc"), charset_of(b"abc", "text/html; charset=ISO-8859-2")
    ('utf-8', 'iso8859-2')
    >>> charset_of(b'<meta charset="koi8-r">'), charset_of("\\u00fc".encode()), charset_of(b"\\xfc")
    ('koi8-r', 'utf-8', 'cp1252')
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    header = _HEADER.search(content_type)
    if header and (name := _known(header[1])):
        return name
    declared = _XML.match(content[:_HEAD]) or _DECLARED.search(content[:_HEAD])
    name = _known(declared[1].decode("ascii", "replace")) if declared else ""
    if name and not name.startswith(("utf-16", "utf-32")):  # it was read byte by byte, so it is neither
        return name
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        # A body that was cut may end inside a character.
        return "utf-8" if error.start > max(0, len(content) - 4) and error.start > 0 else FALLBACK
    return "utf-8"


def _known(name: str) -> str:
    """Python's name of an encoding; empty for one that it does not have."""
    try:
        found = codecs.lookup(name.strip())
    except (LookupError, ValueError):
        return ""
    if found.name in _NOT_TEXT or not getattr(found, "_is_text_encoding", True):
        return ""
    return _LARGER.get(found.name, found.name)


def decoded_page(content: bytes, content_type: str = "") -> str:
    """The text of a page's bytes, without byte order mark and NUL characters."""
    text = content.decode(charset_of(content, content_type), "replace")
    return text.removeprefix("\ufeff").replace("\0", "")


_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")


def decoded_text(content: bytes) -> str:
    """A text that declares no encoding: UTF-8, or Windows' Latin-1 where no character of it is UTF-8.

    >>> decoded_text("Zürich".encode()), decoded_text("Zürich".encode("latin-1"))
    ('Zürich', 'Zürich')
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        damaged_utf8 = _BEYOND_ASCII.search(content.decode("utf-8", "surrogateescape"))
        return content.decode("utf-8", "replace") if damaged_utf8 else _latin_1(content)


def _latin_1(content: bytes) -> str:
    try:
        return content.decode(FALLBACK)
    except UnicodeDecodeError:  # five bytes have no character there
        return content.decode("latin-1")
