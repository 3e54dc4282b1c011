"""Titles in German, French and Japanese: the same patterns, with the words of a small dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from leadline.collections.simulate.chemistry.tables import rows

GERMAN, FRENCH, JAPANESE = "german", "french", "japanese"
# For each pattern of a title in `sentences.py`, in their order: {s} is what it is, {a} and {b} are its concepts.
_PATTERNS = {
    GERMAN: (
        "{S}, enthaltend {a} und {b}", "{S}, enthaltend {a}", "Verfahren zur Herstellung: {s} unter Verwendung von {a}",
        "Verfahren zur Herstellung: {s} mit {a}", "{S} auf Basis von {a} und Verfahren zu deren Herstellung",
        "Verwendung von {a}: {s}", "{S} mit {a} und {b} sowie deren Verwendung",
        "{S} und Verfahren zu deren Herstellung durch {a}", "{S}, umfassend {a} und {b}",
        "Verfahren zur Herstellung mit {a}: {s}", "{S} für {a}, enthaltend {b}",
        "Verfahren und Vorrichtung zur Herstellung: {s}",
    ),
    FRENCH: (
        "{S} comprenant {a} et {b}", "{S} contenant {a}", "Procédé de production utilisant {a} : {s}",
        "Procédé de préparation comprenant {a} : {s}", "{S} à base de {a} et son procédé de fabrication",
        "Utilisation de {a} : {s}", "{S} avec {a} et {b} et son utilisation",
        "{S} et son procédé de production par {a}", "{S} comprenant {a} et {b}",
        "Procédé de production avec {a} : {s}", "{S} pour {a} contenant {b}",
        "Procédé et dispositif de production : {s}",
    ),
    JAPANESE: (
        "{a}及び{b}を含む{s}", "{a}を含有する{s}", "{a}を用いた{s}の製造方法", "{a}を含む{s}の製造方法",
        "{a}系{s}及びその製造方法", "{s}における{a}の使用", "{a}と{b}とを含む{s}及びその用途",
        "{s}及び{a}によるその製造方法", "{a}及び{b}を含む{s}", "{a}による{s}の製造方法", "{b}を含む{a}用{s}",
        "{s}の製造方法及び装置",
    ),
}  # fmt: skip
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
    return {row["english"]: row[language] for row in rows("dictionary.tsv")}


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
    """A name by the dictionary, word by word; words that it lacks stay as they are.

    >>> translated("titanium dioxide", GERMAN), translated("acetic acid", GERMAN), translated("zinc oxide", FRENCH)
    ('Titandioxid', 'acetic-säure', 'oxyde de zinc')
    """
    known = _dictionary(language)
    words = name.split(" ")
    if not any(word in known for word in words):
        return name
    said = [known.get(word, word) for word in words]
    if language == FRENCH and len(words) == 2:
        return f"{said[1]} de {said[0]}"
    if language == JAPANESE:
        return "".join(said)
    return _joined(words, said)


def _joined(words: Sequence[str], said: Sequence[str]) -> str:
    """German words, written together where the second is the end of a compound."""
    text = said[0]
    for before, word, own in zip(words, words[1:], said[1:], strict=False):
        if own[0].islower() and word in _dictionary(GERMAN) and word not in ("of", "and", "with", "on"):
            text += own if before in _dictionary(GERMAN) else f"-{own}"
        else:
            text += f" {own}"
    return text
