"""Characters for the named entities of SGML, which an XML parser knows only from a document type.

Names come from the sets of ISO 8879, which HTML has except for the Greek alphabet, and from two formula editors. An
unknown name is left alone, and the parser then reports it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_REFERENCE = re.compile(rb"&([A-Za-z][A-Za-z0-9.]*) ?;")
_GREEK = "a b g d e z ee th i k l m n x o p r s t u ph kh ps oh"  # agr, bgr ... ohgr; capitals Agr, Bgr ... OHgr
_SMALL, _CAPITAL = "αβγδεζηθικλμνξοπρστυφχψω", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_INVISIBLE = """af ApplyFunction it InvisibleTimes ic InvisibleComma InvisibleSpace AutoLeftMatch AutoRightMatch
    InvisiblePrefixScriptBase"""
_FORMULA_ENTITIES = {
    **dict.fromkeys(_INVISIBLE.split(), ""),
    "IndentingNewLine": " ",
    "LeftBracketingBar": "|",
    "RightBracketingBar": "|",
    "Parenopenst": "(",
    "Parenclosest": ")",
    "Brketopenst": "[",
    "Brketclosest": "]",
    "Circlesolid": "●",
    "Asteriskpseud": "※",
}


def characters(content: bytes) -> bytes:
    """The same text with numeric references instead of named ones, for every encoding and parser.

    >>> characters(b"5 &mgr;m &times; 3&deg; &lt; &what;").decode()
    '5 &#956;m &#215; 3&#176; &lt; &what;'
    """
    return _REFERENCE.sub(lambda match: _references().get(match[1], match[0]), content)


@cache
def _references() -> dict[bytes, bytes]:
    from html.entities import html5

    named = {name[:-1]: text for name, text in html5.items() if name[-1] == ";" and name[:-1] not in _XML_ENTITIES}
    named |= {f"{name}gr": letter for name, letter in zip(_GREEK.split(), _SMALL, strict=True)}
    named |= {f"{name.upper()}gr": letter for name, letter in zip(_GREEK.split(), _CAPITAL, strict=True)}
    for vowel in ("a", "e", "ee", "i", "o", "u", "oh"):
        named[f"{vowel}acgr"] = unicodedata.normalize("NFC", named[f"{vowel}gr"] + "\N{COMBINING ACUTE ACCENT}")
    named |= {f"b.{name}": text for name, text in named.items() if "α" <= text <= "ω" or "Α" <= text <= "Ω"}  # in bold
    named |= {"sfgr": "ς", **_FORMULA_ENTITIES}
    return {name.encode(): "".join(f"&#{ord(letter)};" for letter in text).encode() for name, text in named.items()}
