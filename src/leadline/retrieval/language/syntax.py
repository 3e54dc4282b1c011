"""What differs between the search systems of the world: fields, operators, their order, wildcards; one table a system.

A file of the folder `syntaxes` holds the table of one system. What it means is in `line_reading.py`, how it is written
in `strategy/translating.py`, so that a further system is one file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from leadline.errors import InputError
from leadline.register import Register

TagPlace = Literal["dots", "brackets", "colon", "slash", "call", "equals", "before"]
Wildcard = Literal["many", "one", "maybe", "five"]  # letters: any number, exactly one, at most one, at most five
Forms = Literal["exact", "plurals", "all"]  # of words without quotes: as written, also plurals, all forms of the word
OWN = "leadline"

# Targets of tags, besides our own fields and filters, perhaps several with commas between them.
ALL = ""  # every text of a document
HEADING = "heading"  # a controlled vocabulary
KEYWORDS = "keywords"  # which our documents do not have: title and abstract are searched instead
NOTHING = "nothing"  # journals, kinds of publication: nothing here tells them


_CALL_TAG = r"((?:{tag})(?:\s*,\s*(?:{tag}))*)\s?(?=\()"
_EQUAL_TAG = r"((?:{tag})(?:\s*,\s*(?:{tag}))*)\s*={{1,2}}\s*"
_BEFORE_TAG = r"((?:{tag}))\s+(?=[\"“(\w*#])"
_DOT_TAG = r"\.\s?((?:{tag})(?:\s?,\s?(?:{tag}))*)(?:\.|(?=\s|\)|$|,))"
_COLON_TAG = r":\s?((?:{tag})(?:,\s?(?:{tag}))*)(?!\w)"
_SLASH_TAG = r"/((?:{tag})(?:,\s?(?:{tag}))*)(?!\w)"
_BRACKET_TAG = r"\s*\[\s*((?:{tag}))\s*(?::\s*(?:(noexp)|~([0-9]{{1,4}})))?\s*\]"
_UNKNOWN_TAG = {  # where there may be a tag that is none
    "dots": re.compile(r"\.\s?([a-z]{2,3}(?:,[a-z]{2,3})*)\.(?=[\s)]|$)"),
    "colon": re.compile(r":([a-z]{2,4}(?:,[a-z]{2,4})*)(?=[\s)]|$)"),
    "slash": re.compile(r"/([A-Z]{2,4}(?:,[A-Z]{2,4})*)(?=[\s)]|$)"),
    "brackets": re.compile(r"\s*\[([^\]]{1,40})\]"),
}


class NearRule(NamedTuple):
    """An operator of distance. `more` is added to its number, which makes it ours: 1 is next to each other."""

    pattern: str  # with the number as its group, if it has one
    more: int = 0
    ordered: bool = False
    default: int = 1  # where no number is written
    same: Literal["", "sentence", "paragraph"] = ""  # in the same sentence or paragraph, at any distance


class Special(NamedTuple):
    """A part that is not words: what it looks like, and what it means. Its groups are named value, op, exp, focus, sub.

    Meanings: years, language, limit, heading, nothing; any, all (words of a CQL relation with the group field).
    """

    pattern: str
    meaning: str


@dataclass(frozen=True)
class Writing:
    """How a system writes what ours says; what is missing cannot be said there."""

    tags: Mapping[str, str]  # by target, with {} for the part
    near: str = ""  # in any order, with {n}
    before: str = ""  # in order
    less: int = 0  # taken from our number
    same: Mapping[str, str] = field(default_factory=dict)  # by sentence and paragraph
    wildcards: Mapping[Wildcard, str] = field(default_factory=dict)
    counted: str = ""  # up to {n} letters at the end
    phrase: str = '"{}"'
    heading: str = ""
    exploded: str = ""
    focused: str = ""
    years: str = ""  # with {low} and {high}
    days: str = ""  # the same with days, where they can be said
    language: str = ""
    name: str = ""  # of an author
    line: str = "#{}"
    but: str = "NOT"
    small: bool = False  # operators in small letters
    in_phrases: bool = True  # whether words may be cut off in phrases


@dataclass(frozen=True)
class Syntax:
    """The syntax of one search system."""

    name: str
    title: str
    tags: tuple[TagPlace, ...]
    fields: Mapping[str, str]  # the target of each tag, in small letters
    near: tuple[NearRule, ...]
    levels: tuple[tuple[str, ...], ...]  # operators from the tightest to the loosest; equal ones from left to right
    wildcards: Mapping[str, Wildcard]
    side: Literal["phrase", "AND"]  # what words side by side mean
    writing: Writing
    signs: tuple[str, ...]  # expressions that tell a line of this system
    specials: tuple[Special, ...] = ()
    forms: Forms = "exact"
    quotes: str = '"'
    exact_brackets: bool = False  # {as it is}
    comments: bool = False  # [what is in brackets]
    one_word: bool = False  # whether a field in front is that of the next word or phrase only
    command: re.Pattern[str] | None = None  # what may stand before a query
    order: str = ""  # of distances and operators, in words, for the documentation
    default: str = ALL  # the target of words without a tag

    @cached_property
    def specials_read(self) -> list[tuple[re.Pattern[str], str]]:
        return [(re.compile(each.pattern, re.IGNORECASE), each.meaning) for each in self.specials]

    @cached_property
    def near_read(self) -> list[tuple[re.Pattern[str], NearRule]]:
        """The operators; what ends in a letter or digit ends there."""
        return [
            (re.compile(each.pattern + ("" if each.pattern.endswith(")") and r"\)" in each.pattern else r"(?![\w/])"),
                        re.IGNORECASE), each)
            for each in self.near
        ]  # fmt: skip

    @cached_property
    def signs_read(self) -> list[re.Pattern[str]]:
        return [re.compile(each, re.MULTILINE) for each in self.signs]

    @cached_property
    def tag(self) -> str:
        """An expression of any tag, the longest first."""
        return "(?:" + "|".join(re.escape(each) for each in sorted(self.fields, key=len, reverse=True)) + ")"

    @cached_property
    def behind(self) -> list[re.Pattern[str]]:
        """Tags behind a part: `.ti,ab.`, `[tiab]`, `:ti,ab`, `/TI`."""
        own = {"dots": _DOT_TAG, "colon": _COLON_TAG, "slash": _SLASH_TAG, "brackets": _BRACKET_TAG}
        return [re.compile(own[each].format(tag=self.tag), re.IGNORECASE) for each in self.tags if each in own]

    @cached_property
    def unknown(self) -> list[re.Pattern[str]]:
        """What looks like a tag behind a part and is none of the system."""
        return [_UNKNOWN_TAG[each] for each in self.tags if each in _UNKNOWN_TAG]

    @cached_property
    def front(self) -> list[re.Pattern[str]]:
        """Tags in front of a part; those in front of bare words are in capitals: TI film, and not: in film."""
        found = [_CALL_TAG.format(tag=self.tag)] * ("call" in self.tags) + [_EQUAL_TAG.format(tag=self.tag)] * (
            "equals" in self.tags
        )
        before = [re.compile(_BEFORE_TAG.format(tag=self.tag.upper()))] if "before" in self.tags else []
        return [*(re.compile(each, re.IGNORECASE) for each in found), *before]

    def score(self, lines: Sequence[str]) -> int:
        """How many signs of this system some lines have."""
        return sum(len(sign.findall(line)) for line in lines for sign in self.signs_read)


def named(**targets: str) -> dict[str, str]:
    """The target of each tag, from the tags of each target; a comma in a target is written `_and_`, a blank in a tag _.

    >>> named(title="ti title", title_and_abstract="tiab", publication="dp date_-_publication")["date - publication"]
    'publication'
    """
    return {
        tag.replace("_", " "): target.replace("_and_", ",").replace("all_text", ALL)
        for target, tags in targets.items()
        for tag in tags.split()
    }


SYNTAXES = Register[Syntax]("syntax", "leadline.retrieval.language.syntaxes")


def syntax(table: Syntax) -> Syntax:
    """Register the table of a system."""
    SYNTAXES.add(table.name, table, home=f"leadline.retrieval.language.syntaxes.{table.name}")
    return table


def like_others(line: str, own: Syntax) -> str:
    """The titles of the other systems whose signs a line has."""
    return " or ".join(
        sorted(each.title for name in SYNTAXES if (each := SYNTAXES[name]) is not own and each.score([line]))
    )


_OWN_SIGN = re.compile(
    r"(?<![\w\"*)\]])(?:title|abstract|claims|description|class|published|filed|priority|number|applicant|inventor|office"
    r"|language|kind|ipc|cpc|before|after|family|cites):(?=[\w\"“(=*.])|\sSAME (?:SENTENCE|PARAGRAPH|CLAIM)\s"
)


def recognised(lines: Sequence[str]) -> tuple[str, str]:
    """The name of the syntax that some lines are written in, and a doubt in words, if there is one.

    >>> recognised(["1. exp Neoplasms/", "2. (cancer or tumor$).ti,ab.", "3. 1 and 2"])
    ('ovid', '')
    >>> recognised(['cancer[tiab] OR "Neoplasms"[Mesh]'])[0], recognised(["polymer film"])
    ('pubmed', ('leadline', 'nothing tells whose syntax it is: read as our own; name another with --syntax'))
    """
    scores = sorted(((SYNTAXES[name].score(lines), name) for name in SYNTAXES), reverse=True)
    (best, name), (second, other) = scores[0], scores[1]
    if (own := sum(len(_OWN_SIGN.findall(line)) for line in lines)) and own >= best:
        return OWN, ""
    if not best:
        return OWN, "nothing tells whose syntax it is: read as our own; name another with --syntax"
    if best == second:
        both = " and of ".join(sorted(SYNTAXES[each].title for each in (name, other)))
        name = min(name, other)
        return name, f"has as many signs of {both}: read as {SYNTAXES[name].title}; name the other with --syntax"
    return name, ""


def syntax_named(name: str, where: str = "--syntax") -> Syntax | None:
    """The syntax of this name; None for our own."""
    if name == OWN:
        return None
    try:
        return SYNTAXES.named(name)
    except InputError as error:
        raise InputError(where, error.problem if hasattr(error, "problem") else str(error)) from None
