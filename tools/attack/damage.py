"""Damage to bytes: flips, deletions, copies, splices, words from a dictionary, truncation. A seed repeats it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

# Pieces that programs have stumbled over.
TOKENS = [
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b" ",
    b"\x00",
    b"\x0b",
    b"\x1b[31m",
    b"\xff",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"nan",
    b"inf",
    b"-inf",
    b"1e999",
    b"-1e999",
    b"1e-999",
    b"-0",
    b"+",
    b"-",
    b".",
    b"9" * 30,
    b"18446744073709551616",
    b"-9223372036854775809",
    b"2147483648",
    b"0x10",
    b"1_000",
    b"\xd9\xa1\xd9\xa2",
    b"true",
    b"null",
    b"{}",
    b"[]",
    b'"',
    b"'",
    b"\\",
    b"\\u0000",
    b"#",
    b"=",
    b"==",
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b"[[",
    b"<",
    b">",
    b"<top>",
    b"</top>",
    b"&#0;",
    b"../",
    b"/etc/passwd",
    b"=1+1",
    b"@x",
    b"%s%n",
    b"a" * 300,
    b"AND",
    b"OR",
    b"NOT",
    b"NEAR/999999999",
    b"title:",
    b"*",
    b"?",
    b"^1e9",
    b"before:",
    b"class:",
    b"~",
    b":",
    b",",
    b";",
    b"|",
    b"1979-13-45",
    b"T",
    b"0-0-0",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xae",
]

DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]
# Values that a manifest does not expect.
WRONG: list[Any] = [
    None,
    True,
    -1,
    0,
    2**31,
    2**63,
    2**70,
    1e308,
    "",
    "x",
    "../outside/secret.txt",
    "/etc/passwd",
    "\x1b[31m",
    "a\nb",
    "\0",
    [],
    {},
    [None],
    [[]],
    {"": None},
    DEEP,
    "\ud800",
]


def mutated(content: bytes, chance: random.Random, others: Sequence[bytes] = (), most: int = 6) -> bytes:
    """The content with a few changes of any kind."""
    spoilt = bytearray(content)
    for _ in range(chance.randint(1, most)):
        at = chance.randrange(len(spoilt) + 1)
        kind = chance.randrange(8)
        if kind == 0 and at < len(spoilt):
            spoilt[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and at < len(spoilt):
            spoilt[at] = chance.randrange(256)
        elif kind == 2:
            del spoilt[at : at + chance.choice((1, 1, 2, 5, 20, 100))]
        elif kind == 3:
            spoilt[at:at] = spoilt[at : at + chance.choice((1, 5, 20, 80))]
        elif kind == 4 and others:
            other = chance.choice(others)
            begin = chance.randrange(len(other) + 1)
            spoilt[at:at] = other[begin : begin + chance.choice((1, 5, 20, 80))]
        elif kind == 7 and chance.random() < 0.2:
            del spoilt[at:]
        else:
            spoilt[at : at + chance.choice((0, 0, 1, 3))] = chance.choice(TOKENS)
    return bytes(spoilt)


def misshaped(content: bytes, chance: random.Random) -> tuple[bytes, str]:
    """JSON, or lines of JSON, in which one value is of another type, missing, or far too large."""
    lines = content.splitlines() if content.count(b"\n{") or content.startswith(b"[") else [content]
    at = chance.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except ValueError:
        return b"{}", "replaced by {}"
    places = list(_places(value))
    holder, key, path = chance.choice(places) if places else (None, None, "")
    wrong = chance.choice(WRONG)
    if holder is None or chance.random() < 0.05:
        value, path = wrong, "all of it"
    elif chance.random() < 0.2:
        del holder[key]
        return _joined(lines, at, value), f"line {at + 1} without {path}"
    else:
        holder[key] = wrong
    return _joined(lines, at, value), f"line {at + 1}: {path} = {json.dumps(wrong)[:60]}"


def _joined(lines: Sequence[bytes], at: int, value: Any) -> bytes:
    return b"\n".join([*lines[:at], json.dumps(value).encode(), *lines[at + 1 :]]) + b"\n"


def _places(value: Any, path: str = "") -> Iterator[tuple[Any, Any, str]]:
    """Each value inside a value: what holds it, under which key, and where that is."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield value, key, f"{path}/{key}"
        yield from _places(each, f"{path}/{key}")


def broken(content: bytes, chance: random.Random) -> tuple[bytes, str]:
    """A stored file damaged as disks and accidents do it, and in words what was done."""
    size = len(content)
    if not size:
        return b"x", "a byte appended to an empty file"
    at = chance.randrange(min(size, chance.choice((64, 1024, size))))  # headers are small, and matter most
    spoilt = bytearray(content)
    kind = chance.randrange(10)
    if kind < 5:
        bit = chance.randrange(8)
        spoilt[at] ^= 1 << bit
        return bytes(spoilt), f"bit {bit} of byte {at} of {size} flipped"
    if kind == 5:
        value = chance.choice((0, 255, 127, 128))
        spoilt[at] = value
        return bytes(spoilt), f"byte {at} of {size} set to {value}"
    if kind == 6:
        return content[:at], f"cut to {at} of {size} bytes"
    if kind == 7:
        length = chance.choice((8, 64, 512))
        spoilt[at : at + length] = bytes(len(spoilt[at : at + length]))
        return bytes(spoilt), f"bytes {at} to {at + length} of {size} set to 0"
    if kind == 8:
        return content + bytes(chance.randrange(1, 100)), "zeros appended"
    value = chance.choice((2**31, 2**63 - 1, -1, 2**40)).to_bytes(8, "little", signed=True)
    spoilt[at : at + 8] = value
    return bytes(spoilt[:size]), f"8 bytes at {at} of {size} set to {value!r}"
