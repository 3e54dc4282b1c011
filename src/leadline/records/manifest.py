"""The manifest beside a file that a command wrote: what it was made from, and the checksum of what was made."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from leadline.errors import InputError, system_reason
from leadline.text.checksums import (
    CHECKSUM,
    Finding,
    check_file,
    check_seal,
    file_sha256,
    finding_of,
    object_checksum,
    parsed_object,
    stored_bytes,
)
from leadline.text.files import json_text, write_stored
from leadline.text.owned_files import MANIFEST

MADE = "sha256"  # of the file that the manifest is beside; manifests of version 0.1 have neither it nor a checksum
MEND = "make it again with the command that made it"


def write_manifest(output: str | os.PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write beside a file what it was made from, so that it can be traced and made again. The file is there already."""
    made = Path(os.path.realpath(output))
    content = {**facts, MADE: file_sha256(made)} if made.is_file() else facts
    plain = json.loads(json_text(content))
    text = json_text({**plain, CHECKSUM: object_checksum(plain)})
    write_stored(f"{os.fspath(output)}{MANIFEST}", f"{text}\n".encode())


def check_manifest(made: Path) -> Iterator[Finding]:
    """What is wrong with the manifest beside a file, or with the file by it; nothing where it has none."""
    path = Path(f"{made}{MANIFEST}")
    if not os.path.lexists(path):
        return
    try:
        content = parsed_object(stored_bytes(path), str(path), MEND)
        if CHECKSUM in content or MADE in content:
            check_seal(content, str(path), MEND)
    except InputError as error:
        yield finding_of(error, MEND)
        return
    except OSError as error:
        yield Finding(str(path), f"cannot be read: {system_reason(error)}", MEND)
        return
    if MADE in content:
        yield from check_file(made, content[MADE], MEND)
