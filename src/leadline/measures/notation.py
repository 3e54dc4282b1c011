"""Measures as text: `PRES@100`, `nDCG@10`, `P(rel=2)@30`, trec_eval's `map_cut_10`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from leadline.errors import MeasureError, nearest
from leadline.measures.definition import MEASURES, Definition, Measure
from leadline.options import parsed

if TYPE_CHECKING:
    from leadline.records.others import OtherMeasure

MeasureLike: TypeAlias = "str | Measure | OtherMeasure"
MeasuresLike: TypeAlias = "MeasureLike | Iterable[MeasureLike]"

_WRITTEN = re.compile(r"(?P<name>[^\s(@]+)\s*(?:\((?P<options>.*)\))?\s*(?:@\s*(?P<at>[^\s@]+))?", re.DOTALL)
# A bracket inside a bracket ends the search for the end, so that many that are never closed take no longer.
_PARTS = re.compile(r"(?:[^\s,(]|\([^()]*\))+")
_OPTIONS = re.compile(r"(?:[^,{\"']|\{[^{}]*\}|\"[^\"]*\"|'[^']*')+")

# trec_eval's names that end with a number, and the names here.
_NUMBERED = {
    "p": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success", "iprec_at_recall": "iprec",
    "rprec_mult": "Rprec_mult", "relative_p": "relative_P", "unj": "unjudged", "wss": "WSS",
}  # fmt: skip


def parse_measures(text: MeasuresLike, *, rel: int | None = None) -> list[Measure]:
    """Return the measures in a text, separated by blanks or commas outside brackets, or in a list of such texts.

    Measures of ir_measures are understood by their text.

    >>> [measure.text for measure in parse_measures("PRES@100 AP, nDCG(gain=exp)@10")]
    ['PRES@100', 'AP', 'nDCG(gain=exp)@10']
    """
    if isinstance(text, Measure) or _is_other(text):
        return [parse_measure(text, rel=rel)]
    if not isinstance(text, str):
        if not isinstance(text, Iterable):
            raise MeasureError(f"{text!r} is not a measure; write one such as 'PRES@100'")
        found = [measure for part in text for measure in parse_measures(part, rel=rel)]
        if not found:
            raise MeasureError("no measure named; `leadline measures` lists them")
        return found
    parts = split_measures(text)
    if not parts:
        raise MeasureError("no measure named; `leadline measures` lists them")
    return [parse_measure(part, rel=rel) for part in parts]


def split_measures(text: str) -> list[str]:
    """The measures written in a text.

    >>> split_measures("PRES@100 AP, nDCG(gain=exp, base=10)@10")
    ['PRES@100', 'AP', 'nDCG(gain=exp, base=10)@10']
    """
    return _PARTS.findall(text)


def _is_other(measure: object) -> TypeGuard[OtherMeasure]:
    """Whether this is a measure of ir_measures, which is not imported for it."""
    return hasattr(measure, "NAME") and hasattr(measure, "params")


def parse_measure(measure: MeasureLike, *, rel: int | None = None) -> Measure:
    """Return one measure. `rel` is the relevance level of measures that do not give one (default: 1).

    >>> parse_measure("recall_100").options["effort"]
    100
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str) and not _is_other(measure):
        raise MeasureError(f"{measure!r} is not a measure; write one such as 'PRES@100'")
    text = str(measure).strip()
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise MeasureError(f"{text!r} is not a measure; write Name(option=value)@cutoff, such as nDCG(gain=exp)@10")
    definition, at = _definition(match["name"], match["at"])
    given = _options(match["options"] or "", definition, text)
    condensed = given.pop("judged_only", "false").lower() in ("true", "1", "yes")
    if at is not None:
        if definition.at is None:
            raise MeasureError(f"{text}: {definition.name} takes no cutoff; write {definition.name}")
        given[definition.at] = at
    if rel is not None and "rel" in definition.parameters:
        given.setdefault("rel", str(rel))
    options = {}
    for name, parameter in definition.parameters.items():
        if name in given:
            try:
                options[name] = parsed(name, given[name], definition.hints[name])
            except ValueError as error:
                raise MeasureError(f"{text}: {error}") from None
        elif parameter.default is parameter.empty:
            raise MeasureError(f"{text}: {definition.name} needs {_how_to_give(definition, name)}")
        else:
            options[name] = parameter.default
    return Measure(text, definition, options, frozenset(given), condensed)


def _how_to_give(definition: Definition, name: str) -> str:
    if name == definition.at:
        article = "an" if name[0] in "aeiou" else "a"
        example = "0.95" if definition.types[name] is float else "100"
        return f"{article} {name}, such as {definition.name}@{example}"
    return f"{name}, such as {definition.name}({name}=1000)"


def _definition(name: str, at: str | None) -> tuple[Definition, str | None]:
    stem, _, number = name.rpartition("_")
    if at is None and stem.lower() in _NUMBERED and re.fullmatch(r"[\d.]+", number):
        return MEASURES[_NUMBERED[stem.lower()]], number
    found = MEASURES.find(name)
    if found is None:
        raise MeasureError(f"no measure {name!r}{_suggestion(name)}")
    return found, at


def _suggestion(name: str) -> str:
    return nearest(name, MEASURES.names(), most=3) or "; `leadline measures` lists them all"


def _options(written: str, definition: Definition, text: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for part in _OPTIONS.findall(written):
        if not part.strip():
            continue
        name, equals, value = part.partition("=")
        name = name.strip().lower()
        name = definition.rename.get(name, name)
        if not equals or name not in (*definition.parameters, "judged_only"):
            options = ", ".join(definition.parameters) or "none"
            hint = nearest(name, definition.parameters)
            raise MeasureError(f"{text}: {definition.name} has no option {name!r}{hint} (it has: {options})")
        if name in given:
            raise MeasureError(f"{text}: {name} is given twice")
        given[name] = value.strip().strip("\"'")
    return given
