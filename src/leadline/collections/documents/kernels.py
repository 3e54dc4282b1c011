"""The compiled part of reading documents: outlines of XML, and its text without tags."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernel_arguments import Bytes, Int64s, kernel
from leadline.text.kernels import first_bit, inline, where_within

TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32
QUOTE, HASH, AMPERSAND, APOSTROPHE, SLASH, SEMICOLON = 34, 35, 38, 39, 47, 59
LESS, EQUAL, GREATER, QUESTION, CLOSE_BRACKET = 60, 61, 62, 63, 93
# A bit for each blank, so that one shift tells whether a byte is one.
BLANKS = 1 << TAB | 1 << NEWLINE | 1 << RETURN | 1 << SPACE
# Short names as numbers, byte by byte, which are compared at once.
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
        # An end tag: it must have the name of the element that was opened last.
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
            # Where a recorded element ends: a child of the root, or of the root's first child.
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
            # A start tag. Its name is kept until its end tag; an empty element, <a/>, ends at once.
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
    # After the root only blanks may follow.
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
            # 64 bytes at once: control characters other than blanks, & and <, and ], since text may not have "]]>".
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
    # One of the five names that XML defines itself; others need a document type.
    if text[begin] != HASH:
        name = np.int64(0)
        for k in range(begin, i):
            name = (name << 8) | text[k]
        for k in range(len(REFERENCES)):
            if REFERENCES[k] == name:
                return i + 1
        return UNSURE
    # A character by its number, which must be one that XML allows.
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
        # No attribute twice.
        for k in range(count):
            if attributes[2 * k + 1] == i - name and same_name(text, attributes[2 * k], name, i - name):
                return UNSURE
        attributes[2 * count], attributes[2 * count + 1] = name, i - name
        count += 1
        # An equals sign, with blanks on either side, and a value in quotes without < in it.
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


# The text of XML without its tags.


BANG, HYPHEN = 33, 45

# The effect of an element on the words around it, as in `Layout` of `readers/uspto.py`.
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
                # Markup: an instruction or comment is passed over, a CDATA section is text, a tag may separate words.
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
                    # The end of an entry ends a text. Of other separators the stronger waits: LINE rather than BLANK.
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
                # A run of words is copied as it is; a blank at its end waits, since markup may follow.
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
        # Stop at markup, references, line breaks and at a second blank, also one at the start of the next 64 bytes.
        stops = (
            where_within(text, i, np.uint8(0), np.uint8(SPACE))
            | where_within(text, i, np.uint8(LESS), np.uint8(1))
            | where_within(text, i, np.uint8(AMPERSAND), np.uint8(1))
            | (blanks & ((blanks << np.uint64(1)) | after_blank))
        )
        # All 64 are copied; what is behind the stop is overwritten later.
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
    # The lead byte says by its high bits how many follow; each of those carries six bits of the character.
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
    # `outline` has checked that the number is allowed; the mask keeps what it has not seen within 21 bits.
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
    # Of XML's five names one or two letters tell: amp and apos, quot, lt, gt.
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
    # The first eight letters as one number, lowest byte first, as in the table.
    name = np.int64(0)
    for k in range(min(length, 8)):
        name |= np.int64(text[start + k]) << (8 * k)
    for k in range(0, 3 * known, 3):
        if table[k] == name and table[k + 1] == length:
            return table[k + 2]
    return NOTHING
