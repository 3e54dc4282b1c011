"""Files in TOML: pipelines, grids and mappings."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

from leadline.errors import InputError
from leadline.text.source import read_text


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a TOML file; an error names the line."""
    text = read_text(path)
    try:
        return tomllib.loads(text.bytes().decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(text.name, "is not UTF-8 text") from None
    except RecursionError:
        raise InputError(text.name, "is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        problem = re.sub(r"\s*\(at .*\)", "", str(error))
        raise InputError(text.name, f"is not readable TOML: {problem}", line=int(place[1]) if place else None) from None
