"""Check that markup is well-formed, and find its parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.arguments import Bytes, Int64s, kernel
from leadline.text.kernels.primitives import first_bit, inline, where_within

TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32
QUOTE, HASH, AMPERSAND, APOSTROPHE, SLASH, SEMICOLON = 34, 35, 38, 39, 47, 59
LESS, EQUAL, GREATER, QUESTION, CLOSE_BRACKET = 60, 61, 62, 63, 93
BLANKS = 1 << TAB | 1 << NEWLINE | 1 << RETURN | 1 << SPACE
REFERENCES = np.array([int.from_bytes(name, "big") for name in (b"lt", b"gt", b"amp", b"quot", b"apos")])
XMLNS = int.from_bytes(b"xmlns", "big")
UNSURE = -1
DEEPEST = 200  # elements inside one another
MOST_ATTRIBUTES = 50
ROW = 4  # numbers for each element: its depth, begin and end, and the length of its name


@kernel
def outline(text: Bytes, size: int, open_names: Int64s, attributes: Int64s, rows: Int64s, room: int) -> int:
    """Write a row for each child of the root and for each child of its first child; return the number of rows.

    UNSURE (-1) means that the markup is broken, or has more than plain elements, attributes, references and
    instructions: comments, CDATA sections, document types, prefixes, non-ASCII names. Then a parser must decide.
    Non-ASCII bytes in text are not checked. `open_names` has two numbers for each of DEEPEST elements, `attributes`
    two for each of MOST_ATTRIBUTES.
    """
    depth, found, first_ended, root_ended = 0, 0, 0, 0
    row_of_child, row_of_grandchild = 0, 0
    i = 0
    while not root_ended:
        if i + 3 >= size:
            return UNSURE
        if text[i] != LESS:
            i = after_text(text, i, size) if depth > 0 else UNSURE
            if i < 0:
                return UNSURE
            continue
        if text[i + 1] == SLASH:
            if depth == 0:
                return UNSURE
            depth -= 1
            start, length = open_names[2 * depth], open_names[2 * depth + 1]
            close = i + 2 + length
            if close >= size or not same_name(text, start, i + 2, length):
                return UNSURE
            while close < size and is_blank(text[close]):
                close += 1
            if close >= size or text[close] != GREATER:
                return UNSURE
            i = close + 1
            if depth == 1:
                rows[ROW * row_of_child + 2] = i
                first_ended = 1
            elif depth == 2 and not first_ended:
                rows[ROW * row_of_grandchild + 2] = i
            elif depth == 0:
                root_ended = 1
        elif text[i + 1] == QUESTION:
            i = after_instruction(text, i + 2, size)
            if i < 0:
                return UNSURE
        else:
            begin = i
            i = after_name(text, begin + 1, size)
            length = i - begin - 1
            if length == 0 or depth == DEEPEST:
                return UNSURE
            recorded = depth == 1 or (depth == 2 and not first_ended)
            if recorded:
                if found == room:
                    return UNSURE
                rows[ROW * found], rows[ROW * found + 1], rows[ROW * found + 3] = depth, begin, length
                if depth == 1:
                    row_of_child = found
                else:
                    row_of_grandchild = found
                found += 1
            open_names[2 * depth], open_names[2 * depth + 1] = begin + 1, length
            depth += 1
            i = after_attributes(text, i, size, attributes)
            if i < 0:
                return UNSURE
            if text[i - 2] == SLASH:
                depth -= 1
                if recorded:
                    rows[ROW * (found - 1) + 2] = i
                    if depth == 1:
                        first_ended = 1
                if depth == 0:
                    root_ended = 1
    while i < size:
        if not is_blank(text[i]):
            return UNSURE
        i += 1
    return found


@inline
def is_blank(byte: int) -> bool:
    return byte <= SPACE and (BLANKS >> byte) & 1 == 1


@inline
def is_control(byte: int) -> bool:
    """Whether XML does not allow the character."""
    return byte < SPACE and not is_blank(byte)


@inline
def same_name(text: Any, one: int, other: int, length: int) -> bool:
    k = 0
    while k < length and text[one + k] == text[other + k]:
        k += 1
    return k == length


@inline
def after_name(text: Any, i: int, size: int) -> int:
    """The end of the name that begins at `i`; `i` if none begins there."""
    begin = i
    while i < size:
        byte = text[i]
        letter = byte == 95 or ((byte | 32) >= 97 and (byte | 32) <= 122)
        if not letter and (i == begin or not ((byte >= 48 and byte <= 57) or byte == 45 or byte == 46)):
            break  # neither a letter or _, nor a digit, hyphen or point after the first
        i += 1
    return i


@inline
def after_text(text: Any, i: int, size: int) -> int:
    """The place of the next tag, or UNSURE."""
    while i < size:
        while i + 64 <= size:
            stops = (
                where_within(text, i, np.uint8(0), np.uint8(9))
                | where_within(text, i, np.uint8(11), np.uint8(2))
                | where_within(text, i, np.uint8(14), np.uint8(18))
                | where_within(text, i, np.uint8(AMPERSAND), np.uint8(1))
                | where_within(text, i, np.uint8(LESS), np.uint8(1))
                | where_within(text, i, np.uint8(CLOSE_BRACKET), np.uint8(1))
            )
            if stops:
                i += first_bit(stops)
                break
            i += 64
        byte = text[i] if i < size else LESS
        if byte == LESS:
            return i
        if byte == AMPERSAND:
            i = after_reference(text, i + 1, size)
            if i < 0:
                return UNSURE
        elif is_control(byte) or (
            byte == CLOSE_BRACKET and i + 2 < size and text[i + 1] == CLOSE_BRACKET and text[i + 2] == GREATER
        ):
            return UNSURE
        else:
            i += 1
    return i


@inline
def after_reference(text: Any, i: int, size: int) -> int:
    """The place after a reference whose ampersand is before `i`, or UNSURE."""
    begin = i
    while i < size and text[i] != SEMICOLON and i - begin < 8:
        i += 1
    if i >= size or text[i] != SEMICOLON or i - begin < 2:
        return UNSURE
    if text[begin] != HASH:
        name = np.int64(0)
        for k in range(begin, i):
            name = (name << 8) | text[k]
        for k in range(len(REFERENCES)):
            if REFERENCES[k] == name:
                return i + 1
        return UNSURE
    base = 16 if text[begin + 1] == 120 else 10
    k = begin + 2 if base == 16 else begin + 1
    if k == i:
        return UNSURE
    character = 0
    while k < i:
        byte = text[k]
        lower = byte | 32
        if byte >= 48 and byte <= 57:
            character = character * base + (byte - 48)
        elif base == 16 and lower >= 97 and lower <= 102:
            character = character * base + (lower - 87)
        else:
            return UNSURE
        k += 1
    legal = (
        is_blank(character)
        or (character > SPACE and character < 0xD800)
        or (character > 0xDFFF and character < 0xFFFE)
        or (character > 0xFFFF and character <= 0x10FFFF)
    )
    return i + 1 if legal else UNSURE


@inline
def after_instruction(text: Any, i: int, size: int) -> int:
    """The place after a processing instruction whose name begins at `i`, or UNSURE."""
    end = after_name(text, i, size)
    if end == i or end >= size or not (is_blank(text[end]) or text[end] == QUESTION):
        return UNSURE
    if end - i == 3 and (text[i] | 32) == 120 and (text[i + 1] | 32) == 109 and (text[i + 2] | 32) == 108:
        return UNSURE  # <?xml is not an instruction
    if text[end] == QUESTION and (end + 1 >= size or text[end + 1] != GREATER):
        return UNSURE
    i = end
    while i + 1 < size:
        if text[i] == QUESTION and text[i + 1] == GREATER:
            return i + 2
        if is_control(text[i]):
            return UNSURE
        i += 1
    return UNSURE


@inline
def is_namespace(text: Any, begin: int, end: int) -> bool:
    name = np.int64(0)
    for k in range(begin, min(begin + 5, end)):
        name = (name << 8) | text[k]
    return name == XMLNS


@inline
def after_attributes(text: Any, i: int, size: int, attributes: Any) -> int:
    """The place after a start tag whose name ends at `i`, or UNSURE."""
    count = 0
    while True:
        begin = i
        while i < size and is_blank(text[i]):
            i += 1
        if i >= size:
            return UNSURE
        if text[i] == GREATER:
            return i + 1
        if text[i] == SLASH:
            return i + 2 if i + 1 < size and text[i + 1] == GREATER else UNSURE
        name = i
        i = after_name(text, i, size)
        if i == name or name == begin or count == MOST_ATTRIBUTES or is_namespace(text, name, i):
            return UNSURE
        for k in range(count):
            if attributes[2 * k + 1] == i - name and same_name(text, attributes[2 * k], name, i - name):
                return UNSURE
        attributes[2 * count], attributes[2 * count + 1] = name, i - name
        count += 1
        while i < size and is_blank(text[i]):
            i += 1
        if i >= size or text[i] != EQUAL:
            return UNSURE
        i += 1
        while i < size and is_blank(text[i]):
            i += 1
        if i >= size or not (text[i] == QUOTE or text[i] == APOSTROPHE):
            return UNSURE
        quote = text[i]
        i += 1
        while i < size and text[i] != quote:
            if text[i] == LESS or is_control(text[i]):
                return UNSURE
            if text[i] == AMPERSAND:
                i = after_reference(text, i + 1, size)
                if i < 0:
                    return UNSURE
            else:
                i += 1
        i += 1
