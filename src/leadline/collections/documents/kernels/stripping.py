"""The text of XML without its tags."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.arguments import Bytes, Int64s, kernel
from leadline.text.kernels.primitives import first_bit, inline, where_within

NEWLINE, SPACE = 10, 32
BANG, QUOTE, HASH, AMPERSAND, APOSTROPHE = 33, 34, 35, 38, 39
HYPHEN, SLASH, SEMICOLON, LESS, GREATER, QUESTION, CLOSE_BRACKET = 45, 47, 59, 60, 62, 63, 93

# The effect of an element on the words around it, as in `markup/plain_text.py`.
NOTHING, BLANK, LINE, ENTRY = 0, 1, 2, 3


@kernel
def strip_markup(
    text: Bytes, extents: Int64s, count: int, table: Int64s, known: int, words: Bytes, ends: Int64s, room: int
) -> int:
    """Write the words of well-formed markup, at most as many bytes as it has, and the end of each entry.

    The markup is in `count` extents of the text, each a begin and an end. Each row of the table has the first eight
    letters of an element's name, the name's length, and its effect. A run of blanks and line breaks becomes one blank,
    elements separate words as the table says, and references become characters. XML allows no control characters
    except blanks. `words` must have 64 bytes to spare. Returns the number of entries, including the text after the
    last; -1 if there are more than `room`.
    """
    written, entries, begun = 0, 0, 0
    waiting = NOTHING  # the separator between the last word and the next
    for extent in range(count):
        i, end = extents[2 * extent], extents[2 * extent + 1]
        while i < end:
            byte = text[i]
            if byte == LESS:
                following = text[i + 1] if i + 1 < end else GREATER
                if following == QUESTION:
                    i = past(text, i + 2, end, QUESTION, 1)
                elif following == BANG and i + 2 < end and text[i + 2] == HYPHEN:
                    i = past(text, i + 4, end, HYPHEN, 2)
                elif following == BANG:
                    i += 9  # <![CDATA[
                    close = past(text, i, end, CLOSE_BRACKET, 2)
                    while i < close - 3:
                        written, waiting = put(words, begun, written, waiting, text[i])
                        i += 1
                    i = close
                else:
                    closing = following == SLASH
                    start = i + 2 if closing else i + 1
                    i = name_end(text, start, end)
                    effect = effect_of(text, start, i - start, table, known)
                    i = tag_end(text, i, end)
                    if effect == ENTRY:
                        if closing or text[i - 2] == SLASH:
                            if entries + 1 >= room:
                                return -1
                            ends[entries] = written
                            entries += 1
                            begun = written
                            waiting = NOTHING
                    elif effect > waiting:
                        waiting = effect
            elif byte == AMPERSAND:
                character, i = referred(text, i + 1, end)
                if character < 128:
                    written, waiting = put(words, begun, written, waiting, character)
                else:
                    written, waiting = put_separator(words, begun, written, waiting)
                    written = put_wide(words, written, character)
            elif byte <= SPACE:
                waiting = waiting if waiting > BLANK else BLANK
                i += 1
            else:
                written, waiting = put_separator(words, begun, written, waiting)
                run = running(text, i, end, words, written)
                i += run
                written += run
                if words[written - 1] == SPACE:
                    written -= 1
                    waiting = BLANK
    ends[entries] = written
    return entries + 1


@inline
def running(text: Any, i: int, end: int, words: Any, written: int) -> int:
    """Copy words with single blanks between them, 64 bytes at once; return the number of bytes."""
    begin = i
    after_blank = np.uint64(0)
    while i + 64 <= end:
        blanks = where_within(text, i, np.uint8(SPACE), np.uint8(1))
        stops = (
            where_within(text, i, np.uint8(0), np.uint8(SPACE))
            | where_within(text, i, np.uint8(LESS), np.uint8(1))
            | where_within(text, i, np.uint8(AMPERSAND), np.uint8(1))
            | (blanks & ((blanks << np.uint64(1)) | after_blank))
        )
        for k in range(64):
            words[written + k] = text[i + k]
        if stops:
            return i - begin + first_bit(stops)
        after_blank = blanks >> np.uint64(63)
        i += 64
        written += 64
    while i < end and text[i] >= SPACE and text[i] != LESS:
        if text[i] == AMPERSAND or (text[i] == SPACE and i > begin and text[i - 1] == SPACE):
            break
        words[written] = text[i]
        written += 1
        i += 1
    return i - begin


@inline
def put(words: Any, begun: int, written: int, waiting: int, byte: int) -> tuple[int, int]:
    """Write one byte, after the separator that is waiting."""
    if byte <= SPACE:
        return written, waiting if waiting > BLANK else BLANK
    if waiting != NOTHING:
        written, waiting = put_separator(words, begun, written, waiting)
    words[written] = byte
    return written + 1, NOTHING


@inline
def put_separator(words: Any, begun: int, written: int, waiting: int) -> tuple[int, int]:
    """Write the separator that is waiting, unless the entry is still empty."""
    if waiting != NOTHING and written > begun:
        words[written] = SPACE if waiting == BLANK else NEWLINE
        written += 1
    return written, NOTHING


@inline
def put_wide(words: Any, written: int, character: int) -> int:
    """Write a non-ASCII character in UTF-8."""
    if character < 0x800:
        words[written] = 0xC0 | (character >> 6)
    else:
        if character < 0x10000:
            words[written] = 0xE0 | (character >> 12)
        else:
            words[written] = 0xF0 | (character >> 18)
            written += 1
            words[written] = 0x80 | ((character >> 12) & 63)
        written += 1
        words[written] = 0x80 | ((character >> 6) & 63)
    words[written + 1] = 0x80 | (character & 63)
    return written + 2


@inline
def referred(text: Any, i: int, size: int) -> tuple[int, int]:
    """The character of a reference, and the place after it; `i` is the place after the ampersand."""
    first = text[i] if i < size else SEMICOLON
    second = text[i + 1] if i + 1 < size else SEMICOLON
    character = 0
    if first == HASH:
        hexadecimal = second == 120
        i += 2 if hexadecimal else 1
        while i < size and text[i] != SEMICOLON:
            digit = text[i] - 48 if text[i] < 58 else (text[i] | 32) - 87
            character = character * (16 if hexadecimal else 10) + digit
            i += 1
        return character & 0x1FFFFF, i + 1
    while i < size and text[i] != SEMICOLON:
        i += 1
    if first == 97:
        character = AMPERSAND if second == 109 else APOSTROPHE
    elif first == 113:
        character = QUOTE
    else:
        character = LESS if first == 108 else GREATER
    return character, i + 1


@inline
def name_end(text: Any, i: int, size: int) -> int:
    while i < size and text[i] > SPACE and text[i] != GREATER and text[i] != SLASH:
        i += 1
    return i


@inline
def tag_end(text: Any, i: int, size: int) -> int:
    """The place after a tag; quoted attributes may contain >."""
    while i < size and text[i] != GREATER:
        if text[i] == QUOTE or text[i] == APOSTROPHE:
            quote = text[i]
            i += 1
            while i < size and text[i] != quote:
                i += 1
        i += 1
    return min(i + 1, size)


@inline
def past(text: Any, i: int, size: int, mark: int, count: int) -> int:
    """The place after the next `?>`, `-->` or `]]>` from `i` on."""
    while i < size:
        if text[i] == GREATER and text[i - 1] == mark and (count == 1 or text[i - 2] == mark):
            return i + 1
        i += 1
    return size


@inline
def effect_of(text: Any, start: int, length: int, table: Any, known: int) -> int:
    name = np.int64(0)
    for k in range(min(length, 8)):
        name |= np.int64(text[start + k]) << (8 * k)
    for k in range(0, 3 * known, 3):
        if table[k] == name and table[k + 1] == length:
            return table[k + 2]
    return NOTHING
