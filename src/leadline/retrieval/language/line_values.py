"""What the tags, periods, headings and limits of another search system are in our own terms.

film[tiab]                     title,abstract:=film
2008:2010[dp]                  published:2008..2010
Polymers/CT                    a heading
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from leadline.errors import InputError
from leadline.retrieval.language.fields import EXPECTED, filter_value
from leadline.retrieval.language.line_words import (
    class_written,
    heading_name,
    language_code,
    limits_in,
    name_forms,
    plurals,
    short,
    with_our_wildcards,
    years_of,
)
from leadline.retrieval.language.syntax import ALL, HEADING, KEYWORDS, NOTHING, Syntax
from leadline.retrieval.language.tree import (
    DATE_FILTERS,
    FILTERS,
    LETTER_OF,
    And,
    Heading,
    Node,
    Or,
    Within,
    WordOrPhrase,
    each_leaf,
    query_text,
)

TEXTS = ("title", "abstract", "claims", "description")  # in this order
MOST_NOTES = 20
_RELATED = re.compile(r"\+(?P<code>[A-Za-z]{2,4}[0-9]{0,2})$")  # what STN adds to a heading: film+NT
_WITH_NARROWER = ("nt", "all", "pft")


class LineValues:
    """Makes nodes of the values in a line, and keeps what there is to say of them."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.changed: dict[str, None] = {}
        self.said: dict[str, None] = {}

    def change(self, note: str) -> None:
        if len(self.changed) < MOST_NOTES:
            self.changed[note] = None

    def say(self, note: str) -> None:
        if len(self.said) < MOST_NOTES:
            self.said[note] = None

    def _targets(self, tags: str, shown: str) -> tuple[str, ...]:
        """What tags mean here, each field once."""
        listed = [each.strip().lower() for each in tags.split(",")]
        meant = list(dict.fromkeys(part for each in listed for part in self.syntax.fields[each].split(",")))
        kept = [each for each in meant if each not in (KEYWORDS, NOTHING)]
        if kept:
            if ALL in kept:
                return (ALL,)
            if HEADING in kept and len(kept) > 1:
                kept.remove(HEADING)
            return tuple(sorted(kept, key=lambda each: (*TEXTS, each).index(each)))
        if KEYWORDS in meant:
            self.change(f"{shown}: documents have no keywords here: title and abstract are searched")
            return ("title", "abstract")
        return (NOTHING,)

    def _leaf(self, text: str, *, quoted: bool, own_quotes: bool) -> Node:
        """A word or phrase with our wildcards, and the forms of words that the system finds too."""
        written, notes = with_our_wildcards(text, self.syntax)
        for note in notes:
            self.change(note)
        several = len(written.split()) > 1
        forms = "exact" if own_quotes or several else self.syntax.forms
        truncated = any(letter in written for letter in LETTER_OF.values())
        node = WordOrPhrase(written, quoted or several, exact=forms != "all" and not (truncated and not several))
        if forms == "plurals" and not truncated and written.isalpha():
            others = tuple(WordOrPhrase(each, exact=True) for each in plurals(written))
            return Or((node, *others)) if others else node
        return node

    def _in_fields(
        self, node: Node | None, targets: Sequence[str], tag: str, *, within: int = 0, written: str = ""
    ) -> Node | None:
        """A part in the fields that tags mean, as filters where they are no texts."""
        if node is None or tuple(targets) in ((ALL,), ()):
            return node
        if targets == (NOTHING,):
            shown = short(written or query_text(node).replace("=", "").strip('"'))
            self.change(f"{shown} ({tag}): nothing here tells these documents; it was left out")
            return None
        if targets == (HEADING,):
            return each_leaf(node, lambda leaf: self._as_heading(leaf, tag))
        filters = [each for each in targets if each in FILTERS]
        texts = [each for each in targets if each not in FILTERS]
        found: list[Node] = [Within(",".join(texts), node)] if texts else []
        for name in filters:
            filtered = each_leaf(node, lambda leaf, name=name: self._filter(name, leaf))  # type: ignore[misc]
            found += [filtered] if filtered is not None else []
        return (found[0] if len(found) == 1 else Or(tuple(found))) if found else None

    def _as_heading(self, leaf: WordOrPhrase, tag: str) -> Node:
        exploded = leaf.text.lower().startswith("exp ")
        name, _, under = leaf.text[4 * exploded :].partition("/")
        all_under = self.syntax.name == "pubmed" and tag != "noexp"
        if self.syntax.name == "stn" and (related := _RELATED.search(name)):
            name, all_under = name[: related.start()], related["code"].lower().startswith(_WITH_NARROWER)
            if related["code"].upper() != "NT":
                self.change(
                    f"{related[0]} was {'taken as +NT' if all_under else 'left out'}: narrower headings are known"
                )
        return Heading(heading_name(name), exploded or all_under, "maj" in tag, under.strip())

    def _filter(self, name: str, leaf: WordOrPhrase) -> Node | None:
        """A filter by the value of a word or phrase."""
        written = query_text(replace(leaf, quoted=False, exact=False, slop=0))
        if name in DATE_FILTERS:
            dates = years_of(written.rstrip("*$"))  # 2010*: any day of it
            if not dates:
                self.change(f"{short(written)} is no year or day: {EXPECTED['published']}; it was left out")
            return Within(name, WordOrPhrase(dates)) if dates else None
        if name == "language":
            code = language_code(written)
            if not code:
                self.change(f"{short(written)} is no language that is known here; it was left out")
            return Within(name, WordOrPhrase(code)) if code else None
        if name == "inventor":
            forms = [Within(name, WordOrPhrase(each, quoted=True)) for each in name_forms(written)]
            return (forms[0] if len(forms) == 1 else Or(tuple(forms))) if forms else None
        try:
            value = filter_value(name, class_written(written))
        except InputError:
            value = ""
        if not value:
            self.change(f"{short(written)} is no value of {name}: {EXPECTED.get(name, '')}; it was left out")
            return None
        return Within(
            name, WordOrPhrase(value, quoted=not value.isalnum() and name in ("applicant", "number", "family"))
        )

    def _years(self, match: re.Match[str]) -> Node | None:
        found = match.groupdict()
        field = self.syntax.fields.get((found.get("field") or "").lower(), "published")
        if found.get("low"):
            low, high = (found[end].replace("-", "/") for end in ("low", "high"))  # 2010-06-15
            dates = years_of(f"{low}..{high}")
        else:
            sign = {"=>": ">=", "=<": "<=", "AFT": ">", "BEF": "<", "IS": "=", None: ""}.get(
                found.get("op"), found.get("op") or ""
            )
            dates = years_of(f"{sign.replace('==', '').replace('=', '') if sign == '=' else sign}{found['value']}")
        if not dates:
            self.change(f"{short(match[0])} is no period: {EXPECTED['published']}; it was left out")
            return None
        return Within(field if field in DATE_FILTERS else "published", WordOrPhrase(dates))

    def _limit(self, match: re.Match[str]) -> Node | None:
        filters, unknown = limits_in(match["value"])
        for each in unknown:
            self.change(f"{short(match[0])}: nothing here tells {short(each)}; it was left out")
        return And(tuple(filters)) if len(filters) > 1 else filters[0] if filters else None

    def _heading(self, match: re.Match[str]) -> Node:
        found = match.groupdict()
        operation = (found.get("op") or "").lower()
        exploded = bool(found.get("exp")) or operation in ("exp", "syn")
        if self.syntax.name == "cochrane":
            exploded = not found.get("noexp")
        exploded |= bool(found.get("plus"))
        focused = bool(found.get("focus")) or operation == "mj"
        under = (found.get("sub") or found.get("more") or "").strip()
        if operation.startswith("dd_"):
            under = operation
        return Heading(heading_name(found["value"]), exploded, focused, under)

    def _nothing(self, match: re.Match[str]) -> None:
        self.change(f"{short(match[0])}: nothing here tells these documents; it was left out")

    def _comment(self, match: re.Match[str]) -> None:
        self.say(f"{short(match[0])} was left out: a comment")

    def _relation(self, match: re.Match[str]) -> Node | None:
        """`ti any "film foil"`, `ta all "film foil"`."""
        field = match["field"].lower()
        if field not in self.syntax.fields:
            return None
        leaves = tuple(self._leaf(word, quoted=False, own_quotes=False) for word in match["value"].split())
        join: Callable[[tuple[Node, ...]], Node] = (
            Or if self.syntax.specials_read and " any " in match[0].lower() else And
        )
        targets = self._targets(field, field)
        whole = WordOrPhrase(match["value"], quoted=True)
        if any(each in FILTERS for each in targets) and join is And and "number" not in targets:
            parts = tuple(WordOrPhrase(word, quoted=True) for word in match["value"].split())
            return self._in_fields(And(parts) if len(parts) > 1 else whole, targets, field)
        return self._in_fields(join(leaves) if len(leaves) > 1 else leaves[0], targets, field)
