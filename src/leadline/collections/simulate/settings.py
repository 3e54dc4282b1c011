"""The settings of a simulated office, with their defaults. `docs/simulated-office.md` explains them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

from leadline.collections.choices import OFFICE_WORDS
from leadline.errors import InputError, checked_choice


class Authority(NamedTuple):
    """One patent office: what it publishes, and how well its examiners search."""

    code: str
    language: str  # of applications; the texts of the collection are all English
    application_kind: str  # "" when applications are not published
    grant_kind: str  # "" when nothing is granted
    grant_share: float  # of the applications
    grant_years: float  # from publication to grant, the median
    skill: float  # log odds that an examiner finds a document, before other effects
    applicant_citations: float  # mean number an applicant adds
    background_citations: float  # mean number of related documents that an examiner adds
    opposed: float  # share of the grants that are opposed
    reports_on: str  # the publication that carries the search report: "application" or "grant"


AUTHORITIES = (
    Authority("US", "en", "A1", "B2", 0.70, 2.0, 0.00, 8.0, 1.5, 0.00, "grant"),
    Authority("EP", "en", "A1", "B1", 0.55, 3.5, 0.50, 0.8, 0.8, 0.06, "application"),
    Authority("WO", "en", "A1", "", 0.00, 0.0, 0.35, 0.4, 0.8, 0.00, "application"),
    Authority("JP", "ja", "A", "B2", 0.50, 3.5, 0.20, 0.4, 1.0, 0.02, "grant"),
    Authority("DE", "de", "A1", "B4", 0.50, 3.0, 0.30, 0.8, 0.8, 0.04, "grant"),
)
US, EP, WO, JP, DE = range(5)


@dataclass(frozen=True)
class Settings:
    """The settings of an office. The defaults give topics with about a dozen relevant documents each.

    >>> Settings(patents=1000).changed({"enough": "0.7"}).enough
    0.7
    """

    patents: int = 20_000  # documents: a family of five publications counts five times
    seed: int = 1
    topics: int = 100
    first_year: int = 1980  # of priority
    last_year: int = 2009  # of publication: later documents are not in the collection
    growth: float = 0.04  # of inventions, a year
    words: str = "chemistry"  # of texts: real chemistry, or invented
    length: int = 400  # of a description in words, the median
    # Inventions
    line_size: float = 12.0  # mean inventions in a line of work, which share most of their concepts
    line_years: float = 6.0  # mean time since a line's start
    lines_per_group: float = 55.0
    group_concepts: int = 250
    subclass_concepts: int = 150
    general_concepts: int = 300
    asides: float = 0.6  # share of the inventions that disclose, in passing, most concepts of another line
    continuations: float = 0.03  # share of the inventions that are continuations in part
    corrections: float = 0.01  # share of the documents that correct an earlier one; none with invented words
    # Truth
    enough: float = 0.65  # share of a claim's weight that makes a document relevant to it
    # Texts
    synonymy: float = 0.8  # 0: everyone uses a concept's first name; 1: all its names are equally common
    distinctive: float = 0.3  # share of the names with a word only they have; others consist of words the field shares
    loyalty: float = 0.9  # share of the mentions with the drafter's usual name for a concept
    # Examiners: log odds to find a document, added to the skill of the office
    class_spread: float = 0.4  # standard deviation between classes
    per_decade: float = -0.5  # for each ten years of the document's age
    same_words: float = 1.5  # when all of the concepts in common have the same names, against none
    own_office: float = 0.5  # a member of its family was published by the examiner's own office
    foreign_only: float = -1.0  # its family has no member in a language that the examiner reads
    anticipates: float = 0.6  # it discloses all of an independent claim
    opponents: float = 0.5  # chance that an opponent finds what the examiner missed
    applicants_know: float = 0.12  # chance that an applicant cites a document that is true prior art
    # Technical surveys
    articles: int = 0  # of journals, beside the patents
    surveys: int = 0  # topics in words

    def __post_init__(self) -> None:
        checked_choice("words", self.words, OFFICE_WORDS)
        shares = ("asides", "synonymy", "distinctive", "loyalty", "opponents", "applicants_know")
        odds = ("per_decade", "same_words", "own_office", "foreign_only", "anticipates")
        limits: dict[str, tuple[float, float]] = {
            "patents": (100, 5_000_000), "seed": (0, 2**63), "topics": (0, self.patents), "length": (20, 20_000),
            "first_year": (1976, 2100), "last_year": (self.first_year + 5, 2101), "growth": (-0.5, 0.5),
            "corrections": (0, 0.1), "line_size": (2, 200), "line_years": (0.5, 50), "lines_per_group": (2, 500),
            "group_concepts": (20, 2000),
            "subclass_concepts": (20, 2000), "general_concepts": (20, 2000), "continuations": (0, 0.2),
            "enough": (0.2, 1), "class_spread": (0, 3), "articles": (0, 5_000_000), "surveys": (0, 10_000),
        }  # fmt: skip
        limits |= dict.fromkeys(shares, (0.0, 1.0)) | dict.fromkeys(odds, (-5.0, 5.0))
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                span = f"between {_number_text(low)} and {_number_text(high)}"
                raise InputError(name.replace("_", "-"), f"{_number_text(value)} is not {span}")

    def changed(self, changes: dict[str, str]) -> Settings:
        """These settings with some changed, by name; values are texts."""
        kinds = {field.name: type(getattr(self, field.name)) for field in dataclasses.fields(self)}
        values: dict[str, Any] = {}
        for name, text in changes.items():
            kind = kinds[checked_choice("setting", name, list(kinds))]
            try:
                values[name] = kind(text)
            except ValueError:
                raise InputError(name, f"{text!r} is not {'a whole' if kind is int else 'a'} number") from None
        return dataclasses.replace(self, **values)


def _number_text(value: float) -> str:
    """A number as a message shows it.

    >>> _number_text(0.25), _number_text(1992), _number_text(5_000_000)
    ('0.25', '1992', '5,000,000')
    """
    return f"{value:,}" if abs(value) >= 10_000 else f"{value:g}"
