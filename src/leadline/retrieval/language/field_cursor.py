"""A place in a query, and the fields that can be read there: `title:film`, `ti,ab=film`, `TTL/film`, `pd within …`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from leadline.errors import nearest
from leadline.retrieval.language.field_names import field_named
from leadline.retrieval.language.field_values import dates_at, spaced_values
from leadline.retrieval.language.operators import Token
from leadline.retrieval.language.text_cursor import TextCursor
from leadline.retrieval.language.tree import FILTERS, ORDERS, ResultOrder

_NAME = r"[^\W\d][\w-]{0,40}"
_FIELD = re.compile(rf"({_NAME})(:|==?(?!=)|[<>]=?)")
_SPACED = re.compile(rf"({_NAME})\s*(==?|[<>]=?|(?<=\s):)\s*(?=[\w\"“(*])")
_SEVERAL = re.compile(rf"({_NAME}(?:,{_NAME}){{1,9}})(:|==?(?!=))(?=[\w\"“(*])")  # ti,ab=film
_RELATION = re.compile(
    rf"({_NAME})\s+(?:(any|all|exact|adj|within)\s+\"([^\"]*)\"|(within)\s+([0-9][0-9-]{{3,9}}[\s,]+[0-9][0-9-]{{3,9}}))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(TTL|ABST|ACLM|SPEC|IN|ICL|PN|ISD|APD|CPC|PA|AN)/(?=[\w\"“(])|(TI|AB|CLM?|TAC|ti|ab|ttl|abst|clm)/(?=[a-zA-Z*\"“(])"
)
_COMPARED = re.compile("[=<>]")
_RELATED = re.compile('"|within', re.IGNORECASE)  # what every relation has
_BARE_WORD = re.compile(r"[^\W_]+(?=\s+[^\s:=<>]|\s*\Z)")  # with no sign behind it that could make a field of it
_OF_WHICH = re.compile(r"(priority|filing|publication):")  # before:priority:2010


class FieldCursor(TextCursor):
    """The text, the tokens read so far, and the names that may be fields."""

    def __init__(self, text: str, fields: list[str]) -> None:
        super().__init__(text)
        self.fields = fields
        self.order: ResultOrder | None = None
        self.is_cql = False

    def _has_relation(self) -> bool:
        """Whether a field is followed by = or a relation of CQL."""
        patterns = [*((_FIELD, _SPACED) if _COMPARED.search(self.text) else ())]
        patterns += [_RELATION] if _RELATED.search(self.text) else []
        found = (match for pattern in patterns for match in pattern.finditer(self.text))
        return any(match[2] != ":" and field_named(match[1], self.fields) for match in found)

    def _named_part(self, end: int) -> bool:
        """Read a field with something after it, in a text that ends here; False where there is none."""
        if not self.is_cql and _BARE_WORD.match(self.text, self.at):  # quick: most words
            return False
        if self._relation() or self._prefixed() or self._several_fields():
            return True
        field = _FIELD.match(self.text, self.at, end) or _SPACED.match(self.text, self.at)
        return field is not None and self._field(field, end)

    def _fields_named(self, names: Sequence[str]) -> str:
        found = [field_named(name, self.fields) for name in names]
        return ",".join(found) if all(found) else ""

    def _relation(self) -> bool:
        """Read a relation of CQL: ti any "film foil", pd within "2010 2015"."""
        match = _RELATION.match(self.text, self.at) if self.is_cql else None
        field = field_named(match[1], self.fields) if match else ""
        if not match or not field or not (match[3] or match[5] or "").strip():
            return False
        relation, words = (match[2] or match[4]).lower(), (match[3] or match[5]).split()
        self.tokens.append(Token("field", field))
        if relation in ("exact", "adj", "within") or len(words) == 1:
            self.tokens.append(Token("quoted", " ".join(words)))
        else:
            joined = Token("OR" if relation == "any" else "AND", relation)
            self.tokens.append(Token("("))
            for place, word in enumerate(words):
                self.tokens += [*([joined] if place else []), Token("word", word)]
            self.tokens.append(Token(")"))
        self.at = match.end()
        return True

    def _prefixed(self) -> bool:
        """Read a field before a stroke: TTL/film."""
        match = _BEFORE.match(self.text, self.at)
        if match is None:
            return False
        name = "PA" if match[1] == "AN" else match[1] or match[2]  # AN is the assignee's name
        field = field_named(name, self.fields)
        if field:
            if match[2]:
                self._note(lambda: f"{match[0]} was taken as {field}:")
            self.at = match.end()
            self._value_of(field, ":", self.at)
        return bool(field)

    def _several_fields(self) -> bool:
        """Read several fields before one value: ti,ab=film."""
        match = _SEVERAL.match(self.text, self.at)
        if match is None:
            return False
        names = match[1].split(",")
        unknown = [name for name in names if not field_named(name, self.fields)]
        if not unknown:
            self._value_of(self._fields_named(names), match[2], match.end())
        elif len(unknown) < len(names):
            self._note(lambda: f"{match[0][:40]} was taken as words: {self._instead(unknown[0])}")
        return not unknown

    def _field(self, match: re.Match[str], end: int) -> bool:
        """Read a name with a colon or =, as a field or else as a word; False if the sign means nothing."""
        name, sign, behind = match[1].lower(), match[2], match.end()
        shown = self.text[self.at : min(end, self.at + 40)]
        if name == "sort" and (asked := self.text[behind:end].lower()) in ORDERS:
            self._nothing_behind()
            self.order = ORDERS[ORDERS.index(asked)]
            self.at = end
            return True
        if name in ("before", "after") and (dated := _OF_WHICH.match(self.text, behind)):
            which, compared = field_named(dated[1], self.fields), "<" if name == "before" else ">"
            if which and dates_at(which, compared, self.text, dated.end()):
                self._value_of(which, compared, dated.end())
                return True
        field = field_named(name, self.fields)
        if dates_at(field, sign, self.text, behind):
            self._value_of(field, sign, behind)
            return True
        if not self._unit_at(behind) or sign in ("<", ">", "<=", ">="):
            if field and behind == end:
                self._note(lambda: f"{shown} was taken as a word: nothing follows it directly")
            elif field and sign != ":":
                self._note(lambda: f"{shown} was taken as words: only dates can be compared")
            return False
        if not field and (match.end() > end or (sign != ":" and len(name) < 2)):
            return False
        if not field:
            self._note(lambda: f"{shown} was taken as words: {self._instead(match[1])}")
            if not self._follows("+", "-", "NOT"):  # -tittle:film excludes film, not tittle
                self.tokens.append(Token("word", match[1]))
            self.at = behind
        else:
            if sign == ":" and behind > end:
                self._note(lambda: f"{match[1]} : was taken as {field}:")
            self._value_of(field, sign, behind)
        return True

    def _value_of(self, field: str, sign: str, behind: int) -> None:
        """Read a field, and its value where this has blanks or signs inside: a period, a class, a number."""
        self.tokens.append(Token("field", field))
        self.at = behind
        if dates := dates_at(field, sign, self.text, behind):
            self.tokens.append(Token("word", dates[0]))
            self.at = dates[1]
        elif spaced := spaced_values(field, self.text, behind):
            values = [Token("quoted", " ".join(value.split())) for value in spaced[0]]
            if len(values) == 1:
                self.tokens += values
            else:
                self.tokens.append(Token("("))
                for place, value in enumerate(values):
                    self.tokens += [*([Token("OR", ",")] if place else []), value]
                self.tokens.append(Token(")"))
            self.at = spaced[1]

    def _instead(self, name: str) -> str:
        if name.lower() == "sort":
            return f"results can be sorted by {', '.join(ORDERS)}"
        own = [field for field in self.fields if field not in FILTERS]
        known = [*own, "applicant", "inventor", "class", "published"]
        hint = (
            nearest(name[:40], [f"{field}:" for field in self.fields]) or f"; fields are {', '.join(known)} and others"
        )
        return f"there is no field {name[:40]}{hint}"
