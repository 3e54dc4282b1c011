"""Damage to stored files: flipped bits, cuts, and JSON of the wrong shape."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError
from leadline.text.checksums import sealed


def damages(content: bytes, *, soak: bool, seed: str) -> Iterator[tuple[str, bytes]]:
    """A file's content with one bit flipped or cut short, many times: 200 and 50 in the long form."""
    draw = random.Random(seed)
    for _ in range((200 if soak else 6) if content else 0):
        at, bit = draw.randrange(len(content)), draw.randrange(8)
        yield f"bit {bit} of byte {at}", content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]
    for size in [0, *(draw.randrange(len(content)) for _ in range((49 if soak else 2) if content else 0))]:
        yield f"cut to {size}", content[:size]


def check_every_damage(
    folder: Path, answers: Callable[[], Any], *, soak: bool, every: int = 1, skip: tuple[str, ...] = ()
) -> int:
    """Damage every file of a folder in turn: the answers are the same as before, or one line says what is wrong."""
    expected, refused = answers(), 0
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in skip]
    for path in files[::every]:
        content = path.read_bytes()
        for what, damaged in damages(content, soak=soak, seed=path.name):
            path.write_bytes(damaged)
            try:
                assert answers() == expected, f"{path.name}, {what}: other answers in silence"
            except LeadlineError as error:
                refused += 1
                assert "\n" not in str(error), f"{path.name}, {what}"  # noqa: PT017
        path.write_bytes(content)
    assert answers() == expected
    return refused


def deep(levels: int = 100_000) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


WRONG: list[Any] = [None, [], {}, "x", 7, -1, 10**30, 1e308, True, "../x", "/etc/passwd", ["a"], {"a": 1}, [[[]]]]


def wrong_shapes(manifest: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """A manifest in wrong shapes, each with a checksum that fits."""
    plain = {key: value for key, value in manifest.items() if key != "checksum"}
    for text in (b"", b"[]", b"null", b'"x"', b"7", b"{", b"\xff\xfe", deep(), b"1" * 5000):
        yield repr(text[:10]), text
    for key, value in plain.items():
        yield f"without {key}", sealed({name: each for name, each in plain.items() if name != key})
        for wrong in WRONG:
            if wrong != value:
                yield f"{key} = {wrong!r}"[:60], sealed({**plain, key: wrong})
        if isinstance(value, dict):
            for inner, wrong in ((inner, wrong) for inner in value for wrong in WRONG):
                yield f"{key}.{inner} = {wrong!r}"[:60], sealed({**plain, key: {**value, inner: wrong}})
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for inner, wrong in ((inner, wrong) for inner in value[0] for wrong in WRONG):
                yield f"{key}[0].{inner} = {wrong!r}"[:60], sealed({**plain, key: [{**value[0], inner: wrong}]})


def parsed(path: Path) -> dict[str, Any]:
    return json.loads(path.read_bytes())
