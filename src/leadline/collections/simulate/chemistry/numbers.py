"""The numbers in chemical texts: amounts, temperatures, times, and the values and ranges of properties."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from leadline.collections.simulate.chemistry.tables import PROPERTY, ConceptEntry
from leadline.collections.simulate.inventions import hashed_uniform

_VARIANTS = 24  # values and ranges of a property
_TEXTS = 400  # of each kind of number


@cache
def number_texts() -> dict[str, list[str]]:
    """Texts of each kind of number, to be drawn from."""
    chance = hashed_uniform(7, [[kind] for kind in range(12)], range(_TEXTS)).tolist()
    pairs = [(_round(0.1 * 100**a), _round(0.1 * 100**a * (1.5 + 5 * b))) for a, b in zip(*chance[:2], strict=True)]
    return {
        "pct": [_text(_round(0.2 * 200**one)) for one in chance[2]],
        "pcts": [f"{_text(low)} to {_text(high)}" for low, high in pairs],
        "g": [f"{0.5 * 300**one:.1f}" for one in chance[3]],
        "ml": [f"{round(40**one) * 25}" for one in chance[4]],
        "C": [f"{5 * round(4 + 28 * one**1.6)}" for one in chance[5]],
        "min": [f"{5 * round(1 + 23 * one**2)}" for one in chance[6]],
        "h": [_text(0.5 * round(1 + 47 * one**2)) for one in chance[7]],
        "rpm": [f"{50 * round(2 + 58 * one**2)}" for one in chance[8]],
        "bar": [_text(_round(50**one)) for one in chance[9]],
        "um": [_text(_round(0.2 * 500**one)) for one in chance[10]],
        "n": [f"{round(2 + 48 * one**2)}" for one in chance[11]],
        "yield": [f"{98 - 45 * one**2:.0f}" for one in chance[0]],
        "k": [str(number) for number in range(1, 200)],
    }


def property_texts(entries: Sequence[ConceptEntry]) -> tuple[list[list[str]], list[list[str]]]:
    """Ranges and values of each property, in its unit; empty ones for what is no property."""
    rows = [place for place, entry in enumerate(entries) if entry.role == PROPERTY]
    chance = hashed_uniform(8, [[[number] for number in range(2)]], [[[row]] for row in rows or [0]], range(_VARIANTS))
    ranges = [[""] * _VARIANTS for _ in entries]
    values = [[""] * _VARIANTS for _ in entries]
    for row, (one, other) in zip(rows, chance.tolist(), strict=False):
        entry = entries[row]
        if entry.high <= entry.low:
            ranges[row], values[row] = ["the usual order"] * _VARIANTS, ["the usual order"] * _VARIANTS
            continue
        unit = "" if entry.unit in ("", "-", "1") else f" {entry.unit}"
        for at, (a, b) in enumerate(zip(one, other, strict=True)):
            low, high = _within(entry, a), _within(entry, a + (1 - a) * b / 2)
            values[row][at] = f"{_text(low)}{unit}"
            ranges[row][at] = (
                f"from {_text(low)} to {_text(high)}{unit}" if high > low else f"at least {_text(low)}{unit}"
            )
    return ranges, values


def _within(entry: ConceptEntry, chance: float) -> float:
    """A value between the limits of a property; where these are orders of magnitude apart, on a scale of logarithms."""
    if entry.low > 0 and entry.high / entry.low > 20:
        return _round(entry.low * (entry.high / entry.low) ** chance)
    return _round(entry.low + (entry.high - entry.low) * chance)


def _round(value: float) -> float:
    """A value with two digits that count.

    >>> _round(1234), _round(0.0177)
    (1200.0, 0.018)
    """
    return float(f"{value:.2g}")


def _text(value: float) -> str:
    """A number as patents write it.

    >>> _text(0.5), _text(20.0), _text(120000.0), _text(2e15)
    ('0.5', '20', '120,000', '2.0 × 10^15')
    """
    if value >= 1_000_000:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa} × 10^{int(exponent)}"
    if value >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value == int(value) else f"{value:g}"
