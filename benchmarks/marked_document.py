"""Documents whose numbers stand between marks: `<!-- NAME -->`, the text, `<!-- end -->`, each on lines of their own.

A long table that only tests read stands in `<!-- short form:`, the text, `-->`, which no reader of the page sees.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

SHORT = "short form"
DECIMAL = re.compile(r"[+−-]?\d*\.(\d+)")


def written(document: Path, name: str) -> str:
    """Return what stands under a mark."""
    found = _pattern(name).search(document.read_text(encoding="utf-8"))
    if found is None:
        sys.exit(f"{document.name} has no mark {name}")
    return found[2]


def fill(document: Path, parts: Mapping[str, str]) -> None:
    """Write new text under each mark, all of them at once."""
    text = document.read_text(encoding="utf-8")
    for name, content in parts.items():
        text, count = _pattern(name).subn(lambda mark, content=content: f"{mark[1]}{content}{mark[3]}", text)
        if count != 1:
            sys.exit(f"{document.name} has the mark {name} {count} times instead of once")
    document.write_text(text, encoding="utf-8")


def differences(document: Path, parts: Mapping[str, str]) -> list[str]:
    """Return the lines that the document has otherwise; decimals may differ by 1 in the last place."""
    found = []
    for name, content in parts.items():
        ours, theirs = content.splitlines(), written(document, name).splitlines()
        if len(ours) != len(theirs):
            found.append(f"{name}: {len(theirs)} lines in the document, {len(ours)} now")
            continue
        pairs = zip(ours, theirs, strict=True)
        found += [f"{name}: {other} | in the document, now: {one}" for one, other in pairs if not _same(one, other)]
    return found


def check(document: Path, parts: Mapping[str, str]) -> None:
    """Exit with the differences where the document has other numbers."""
    if found := differences(document, parts):
        sys.exit("\n".join([f"{document.name} is out of date: run this without --check", *found]))


def write_from_patents(
    about: str | None, document: Path, short_form: Callable[[], str], tables: Callable[[Path, Path], Mapping[str, str]],
    data: Path, arguments: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """The command of a script that measures on patents; `tables` makes the text under each mark in a folder."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data)
    parser.add_argument("--work", type=Path, help="folder for collections and indexes (default: a temporary one)")
    parser.add_argument("--check", action="store_true", help="only compare the short form with the document's")
    options = parser.parse_args(arguments)
    made = {SHORT: short_form()}
    if options.check:
        return check(document, made)
    if not (options.data / "patents").is_dir():
        sys.exit(f"skipped: the folder patents is not at {options.data}")
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        made |= tables(options.data, work)
    print("\n\n".join(text for name, text in made.items() if name != SHORT))
    fill(document, made)
    print(f"wrote {document}")


def _pattern(name: str) -> re.Pattern[str]:
    start, end = (r"<!-- short form:", r"-->") if name == SHORT else (rf"<!-- {name} -->", "<!-- end -->")
    return re.compile(rf"({start}\n)(.*?)(\n{end})", re.DOTALL)


def _same(one: str, other: str) -> bool:
    """Whether two lines have the same words and nearly the same numbers; the best of a column may be another."""
    if one == other:
        return True
    ours, theirs = (line.replace("*", "").split() for line in (one, other))
    return len(ours) == len(theirs) and all(a == b or _near(a, b) for a, b in zip(ours, theirs, strict=True))


def _near(one: str, other: str) -> bool:
    """Whether two decimals differ by no more than 1 in the last place, as rounding on another machine may make them.

    One may have more digits than the other: a column has as many as tell its values apart.
    """
    ours, theirs = DECIMAL.fullmatch(one), DECIMAL.fullmatch(other)
    if ours is None or theirs is None:
        return False
    first, second = (float(text.replace("−", "-")) for text in (one, other))
    return abs(first - second) <= 1.5 * 10.0 ** -min(len(ours[1]), len(theirs[1]))
