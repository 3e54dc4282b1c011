"""Characters that the Green Book spells between dots: `.alpha.` for α, `.sub.` before a subscript.

The tapes of 1976 held letters and a few signs; every other character got a name. Names that are not in the table are
left alone, since a text may hold `e.g.` or `U.S.A.`.
"""

from __future__ import annotations

import re
import unicodedata

_GREEK = """alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi omicron pi rho sigma tau upsilon phi
    chi psi omega"""
_SIGNS = """
    about ~   A-inverted ∀   AMP &   andgate ∩   ang Å   ANG Å   angle ∠   apprxeq ≈   approxeq ≈   asterisk-pseud ※
    BECAUSE ∵   box-solid ■   cent ¢   circle-solid ●   cndot •   congruent ≅   COPYRGT ©   dagger †   dagger-dbl ‡
    dbd =   dblprime ″   degree °   diamond ◇   diamond-solid ◆   differential ∂   div ÷   dwnarw ↓   E-backward ∃
    fwdarw →   gradient ∇   GT >   gtoreq ≥   ident ≡   infin ∞   intg ∫   largecircle ◯   LT <   ltoreq ≤   multidot ·
    noteq ≠   orgate ∪   parallel ∥   permill ‰   perp ⊥   prime ′   quadrature □   rarw ←   revreaction ⇄   RTM ®
    Salinity ‰   sctn §   SM ℠   smallcircle ∘   sqroot √   star-solid ★   sym ⊕   tbd ≡   thrfore ∴   times ×   TM ™
    uparw ↑   varies ∝   vertline |   +- ±   -+ ∓
"""
_CODES: dict[str, str] = {
    **dict(zip(_SIGNS.split()[::2], _SIGNS.split()[1::2], strict=True)),
    **{name: unicodedata.lookup(f"GREEK SMALL LETTER {name}") for name in _GREEK.split()},
    **{name.upper(): unicodedata.lookup(f"GREEK CAPITAL LETTER {name}") for name in _GREEK.split()},
    "lambda": "λ",
    "LAMBDA": "Λ",
}
# Subscripts and superscripts, once or twice nested: written on the line, as in the text of XML.
_SCRIPTS = ("sub", "sup", "sbsb", "sbsp", "spsb", "spsp")
_REISSUE = ("[", "]", "Iadd", "Iaddend", "Badd", "Baddend")
_MEANINGS = {**_CODES, **dict.fromkeys(_SCRIPTS, ""), **dict.fromkeys(_REISSUE, "")}
_CODE = re.compile(r"\.(" + "|".join(map(re.escape, sorted(_MEANINGS, key=len, reverse=True))) + r")\.")
_DELETED = re.compile(r"\.\[\.(?:(?!\.\[\.).)*?\.\]\.")  # text that a reissue deletes, in bold brackets
_IMAGE = re.compile(r"##[A-Z]{3}[0-9]+##")  # the place of a drawn formula


def decoded(text: str) -> str:
    """A text on one line, with characters instead of their names.

    >>> decoded("heated to 100.degree. C. with .alpha.-D.sub.7 (10.sup.-3 mol), e.g. in the U.S.A.")
    'heated to 100° C. with α-D7 (10-3 mol), e.g. in the U.S.A.'
    >>> decoded("a .[.wooden.]. .Iadd.steel .Iaddend.nail")
    'a steel nail'
    """
    if ".[." in text:
        text = _DELETED.sub(" ", text)
    if "##" in text:
        text = _IMAGE.sub(" ", text)
    return " ".join(_CODE.sub(lambda match: _MEANINGS[match[1]], text).split())
