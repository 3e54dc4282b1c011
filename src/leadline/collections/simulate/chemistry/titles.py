"""Titles in German, French and Japanese: the same patterns, with the words of two small dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from leadline.collections.simulate.chemistry.tables import rows

GERMAN, FRENCH, JAPANESE = "german", "french", "japanese"
# For each pattern of a title in `sentences.py`, in their order: {s} is what it is, {a} and {b} are its concepts.
_PATTERNS = {
    GERMAN: (
        "{S}, enthaltend {a} und {b}", "{S}, enthaltend {a}",
        "{S} unter Verwendung von {a} und Verfahren zur Herstellung", "{S}, umfassend {a}, und Herstellungsverfahren",
        "{S} auf Basis von {a} und Verfahren zur Herstellung", "{S} unter Verwendung von {a}",
        "{S} mit {a} und {b} sowie Verwendung", "{S} und Verfahren zur Herstellung durch {a}",
        "{S}, umfassend {a} und {b}", "{S} mit {a} und Verfahren zur Herstellung", "{S} für {a}, enthaltend {b}",
        "{S} sowie Verfahren und Vorrichtung zur Herstellung",
    ),
    FRENCH: (
        "{S} comprenant {a} et {b}", "{S} contenant {a}", "{S} utilisant {a} et procédé de production",
        "{S} comprenant {a} et procédé de préparation", "{S} à base de {a} et procédé de fabrication",
        "{S} utilisant {a}", "{S} avec {a} et {b} et utilisation", "{S} et procédé de production par {a}",
        "{S} comprenant {a} et {b}", "{S} avec {a} et procédé de production", "{S} pour {a} contenant {b}",
        "{S}, procédé et dispositif de production",
    ),
    JAPANESE: (
        "{a}及び{b}を含む{s}", "{a}を含有する{s}", "{a}を用いた{s}の製造方法", "{a}を含む{s}の製造方法",
        "{a}系{s}及びその製造方法", "{s}における{a}の使用", "{a}と{b}とを含む{s}及びその用途",
        "{s}及び{a}によるその製造方法", "{a}及び{b}を含む{s}", "{a}による{s}の製造方法", "{b}を含む{a}用{s}",
        "{s}の製造方法及び装置",
    ),
}  # fmt: skip
_GERMAN_PARTICLES = ("von", "und", "mit", "auf")
_OTHERS = {GERMAN: "Zusatzstoffe", FRENCH: "des additifs", JAPANESE: "添加剤"}


@dataclass(frozen=True)
class SubjectNames:
    """What an invention is, in the languages of the offices."""

    english: str
    german: str
    french: str
    japanese: str


@cache
def _all_subjects() -> dict[str, tuple[SubjectNames, ...]]:
    found: dict[str, list[SubjectNames]] = {}
    for row in rows("subjects.tsv"):
        names = SubjectNames(row["english"], row["german"], row["french"], row["japanese"])
        found.setdefault(row["field"], []).append(names)
    return {field: tuple(names) for field, names in found.items()}


def subjects_of(fields: Sequence[str]) -> list[tuple[SubjectNames, ...]]:
    """What inventions of each of these fields are; as many for every field."""
    return [_all_subjects()[field] for field in fields]


@cache
def _dictionary(language: str) -> dict[str, str]:
    return {row["english"]: row[language] for table in ("title_words", "name_words") for row in rows(f"{table}.tsv")}


def language_of_title(office: str, home: str, number: int) -> str:
    """The language of a document's title: the office's, and that of the applicant where the office takes several."""
    if office in ("DE", "JP"):
        return {"DE": GERMAN, "JP": JAPANESE}[office]
    if office == "US" or (office == "WO" and home == "US") or (office == "EP" and home in ("US", "JP")):
        return ""
    abroad = {"DE": GERMAN, "JP": JAPANESE, "EP": (FRENCH, "", FRENCH, GERMAN, "")[number % 5]}
    return abroad.get(home, "")


def translated_title(
    office: str, home: str, pattern: int, subject: SubjectNames, names: Sequence[str], number: int
) -> str:
    """The title in the language of its publication; "" where that is English."""
    language = language_of_title(office, home, number)
    if not language:
        return ""
    said = getattr(subject, language)
    a, b = [*(translated(name, language) for name in names), _OTHERS[language], _OTHERS[language]][:2]
    return _PATTERNS[language][pattern].format(S=said[0].upper() + said[1:], s=said, a=a, b=b)


def translated(name: str, language: str) -> str:
    """A name by the dictionary, word by word; one with a word that it lacks stays as it is.

    >>> translated("titanium dioxide", GERMAN), translated("sorbitan oleate", GERMAN), translated("zinc oxide", FRENCH)
    ('Titandioxid', 'sorbitan oleate', 'oxyde de zinc')
    """
    known = _dictionary(language)
    if name in known:
        return known[name]
    words = name.split(" ")
    if not all(word in known for word in words):
        return name
    said = [known[word] for word in words]
    if language == FRENCH and len(words) == 2:
        return f"{said[1]} de {said[0]}"
    if language == JAPANESE:
        return "".join(said)
    text = said[0]
    for own in said[1:]:  # the second part of a compound is written together with the first
        text += own if own[0].islower() and own not in _GERMAN_PARTICLES else f" {own}"
    return text
