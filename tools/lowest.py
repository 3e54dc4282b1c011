"""Write constraints-lowest.txt: the lower bound in pyproject.toml of every dependency that the tests need.

With --check, write nothing and fail if the file is out of date.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "constraints-lowest.txt"
HEADER = "# The oldest versions that pyproject.toml allows; `make test-lowest` tests them. Made by tools/lowest.py.\n"
BOUND = re.compile(r"([A-Za-z0-9._-]+)>=([0-9][0-9.a-z]*)$")
EXTRAS = re.compile(r"leadline\[([a-z,]+)\]$")


def bounds(requirements: list[str], extras: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Name and lower bound of each requirement, with `leadline[extra]` replaced by what the extra requires."""
    for requirement in requirements:
        if own := EXTRAS.match(requirement):
            for extra in own[1].split(","):
                yield from bounds(extras[extra], extras)
        elif bound := BOUND.match(requirement):
            yield bound[1], bound[2]
        else:
            sys.exit(f"pyproject.toml: {requirement!r} must be written NAME>=VERSION")


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = bounds([*project["dependencies"], "leadline[test]"], project["optional-dependencies"])
    content = HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(pins, key=lambda pin: pin[0].lower()))
    if "--check" not in sys.argv[1:]:
        FILE.write_text(content, encoding="utf-8", newline="\n")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != content:
        sys.exit("constraints-lowest.txt is out of date: run `python tools/lowest.py`")


if __name__ == "__main__":
    main()
