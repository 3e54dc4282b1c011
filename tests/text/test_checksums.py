"""A record without its checksum is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.text.checksums import read_sealed


@pytest.mark.parametrize("number", [0, -1, -9223372036854, 1])
def test_no_format_that_never_was_excuses_from_the_checksum(tmp_path: Path, number: int) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({"what": "a record", "format": number}))
    with pytest.raises(InputError, match="checksum is missing"):
        read_sealed(path, "a record", 1, "make it again")
