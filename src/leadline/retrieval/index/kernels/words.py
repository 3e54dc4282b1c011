"""Find the words of texts."""

from __future__ import annotations

from leadline.text.kernel_arguments import Bytes, Int32s, Int64s, kernel

# Classes of characters, assigned in `analysis.py`. The order matters: LETTER and DIGIT, which make words, are
# compared as a range, and so are POINT, HYPHEN and AMPERSAND, which may join two parts of a word.
BETWEEN, LETTER, DIGIT, POINT, HYPHEN, AMPERSAND, ALONE = 0, 1, 2, 3, 4, 5, 6


@kernel
def find_words(
    text: Bytes,
    texts: int,
    offsets: Int64s,
    classes: Bytes,
    chemical: int,
    starts: Int64s,
    lengths: Int32s,
    word_offsets: Int64s,
) -> int:
    """Find the words of joined texts: each word's start and length in bytes, and each text's first word.

    A word is a run of letters and digits. With `chemical`, a point or comma between digits, a hyphen beside a digit and
    an ampersand between letters belong to it. An ideograph is a word by itself. The bytes are UTF-8, followed by at
    least four more bytes. Returns the number of words.
    """
    words = 0
    word_offsets[0] = 0
    for number in range(texts):
        i, end = offsets[number], offsets[number + 1]
        begin = i  # start of the current word, if `last` is LETTER or DIGIT
        last = BETWEEN
        joined = BETWEEN  # class of the last point or hyphen, which belongs to the word only if the word continues
        joint = i  # and its place
        while i < end:
            # The class of the character, decoded from UTF-8 by the length that its first byte tells.
            byte = text[i]
            if byte < 128:
                kind, width = classes[byte], 1
            elif byte < 0xE0:
                kind, width = classes[((byte & 31) << 6) | (text[i + 1] & 63)], 2
            elif byte < 0xF0:
                kind, width = classes[((byte & 15) << 12) | ((text[i + 1] & 63) << 6) | (text[i + 2] & 63)], 3
            else:  # beyond the table: rare scripts, pictographs, and from U+20000 on ideographs
                plane = ((byte & 7) << 2) | ((text[i + 1] & 63) >> 4)
                picture = plane == 1 and (text[i + 1] & 15) == 15
                kind, width = (ALONE if 2 <= plane <= 3 else BETWEEN if picture else LETTER), 4
            # A letter or digit continues the word, begins one, or shows that the sign before it ended one.
            if LETTER <= kind <= DIGIT:
                if joined != BETWEEN and not (
                    (joined == POINT and last == DIGIT and kind == DIGIT)
                    or (joined == HYPHEN and (last == DIGIT) | (kind == DIGIT))
                    or (joined == AMPERSAND and last == LETTER and kind == LETTER)
                ):
                    starts[words], lengths[words] = begin, joint - begin
                    words += 1
                    begin = i
                elif last == BETWEEN:
                    begin = i
                last, joined = kind, BETWEEN
            elif chemical and last != BETWEEN and joined == BETWEEN and POINT <= kind <= AMPERSAND:
                joined, joint = kind, i
            else:
                if last != BETWEEN:
                    starts[words], lengths[words] = begin, (i if joined == BETWEEN else joint) - begin
                    words += 1
                if kind == ALONE:
                    starts[words], lengths[words] = i, width
                    words += 1
                last, joined = BETWEEN, BETWEEN
            i += width
        # The text ends within a word.
        if last != BETWEEN:
            starts[words], lengths[words] = begin, (end if joined == BETWEEN else joint) - begin
            words += 1
        word_offsets[number + 1] = words
    return words
