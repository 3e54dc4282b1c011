"""Numbers and lists as the sentences of a report write them."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.show.figures.efforts import grouped


def count(number: int, noun: str = "", plural: str = "") -> str:
    """A whole number with its noun, thousands set apart by a thin space.

    >>> count(1, "pair"), count(2, "query", "queries"), count(10153, "pair") == "10\\u202f153 pairs"
    ('1 pair', '2 queries', True)
    """
    if not noun:
        return grouped(number)
    return f"{grouped(number)} {noun if number == 1 else plural or noun + 's'}"


def share(part: float) -> str:
    """A share in per cent: whole, or with a digit more where that would say 0 or 100 of what is neither.

    >>> share(0.7), share(0.0129), share(0.9996), share(0.0)
    ('70 %', '1.3 %', '99.9 %', '0 %')
    """
    percent = 100 * part
    if 10 <= percent <= 90 or percent in (0, 100):
        return f"{percent:.0f} %"
    shown = min(max(percent, 0.1), 99.9) if 0 < percent < 100 else percent
    return f"{shown:.1f} %".replace(".0 %", " %")


def both(names: Sequence[str]) -> str:
    """A list as a sentence has it.

    >>> both(["AP"]), both(["AP", "R"]), both(["AP", "PRES", "R"])
    ('AP', 'AP and R', 'AP, PRES and R')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def decimal(value: float, digits: int = 3) -> str:
    """A score with a true minus sign, and no sign before nothing.

    >>> decimal(-0.3333, 2), decimal(0.0004, 2), decimal(-0.0004, 2)
    ('−0.33', '0.00', '0.00')
    """
    written = f"{value:.{digits}f}"
    return written.replace("-", "" if float(written) == 0 else "−")
