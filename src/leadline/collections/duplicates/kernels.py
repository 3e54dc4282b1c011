"""Hashes of tokens and of shingles, sketches of sets of shingles, and how much two sets have in common."""

from __future__ import annotations

import numpy as np

from leadline.collections.duplicates.kernel_arguments import (
    ALONE,
    BETWEEN,
    EMPTY,
    IN_WORD,
    LETTERS,
    LINE_BASE,
    LINES,
    MIX_A,
    MIX_B,
    NEWLINE,
    OTHERS,
    SHINGLE_BASE,
    SHORT_MARK,
    TAKEN,
    TOKEN_BASE,
    VALUE_BITS,
    VALUE_WIDTH,
)
from leadline.text.kernel_arguments import Bytes, Int32s, Int64s, UInt64s, kernel
from leadline.text.kernels import inline


@inline
def mixed(value: np.uint64) -> np.uint64:
    """The bits of a number spread over all of it (the finaliser of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * MIX_A
    value = (value ^ (value >> np.uint64(27))) * MIX_B
    return value ^ (value >> np.uint64(31))


@kernel
def hash_tokens(
    text: Bytes,
    texts: int,
    offsets: Int64s,
    classes: Bytes,
    ascii_words: Bytes,
    unit: int,
    hashes: UInt64s,
    token_offsets: Int64s,
) -> int:
    """The hashes of the tokens of many texts that stand one behind the other, and where each text's begin.

    `unit` is LETTERS, WORDS or LINES. `ascii_words` has a 1 for each byte that is a letter or digit. The bytes are
    UTF-8, with at least four beyond the end.
    """
    tokens = 0
    token_offsets[0] = 0
    one = np.uint64(1)
    for number in range(texts):
        i, end = offsets[number], offsets[number + 1]
        word, power, in_word = np.uint64(0), one, False
        line, line_power, in_line = np.uint64(0), one, False
        while i <= end:
            if unit != LETTERS:  # the letters of a word, mostly ASCII, without the questions below
                while i < end and ascii_words[text[i]]:
                    word += (np.uint64(text[i]) + one) * power
                    power *= TOKEN_BASE
                    i += 1
                    in_word = True
            # Any other character, by its class. At the end a line feed is assumed, which ends the last token and line.
            width = 1
            kind = BETWEEN
            byte = text[i] if i < end else np.uint8(NEWLINE)
            if byte < 128:
                kind = classes[byte]
            elif byte < 0xE0:
                kind, width = classes[((byte & 31) << 6) | (text[i + 1] & 63)], 2
            elif byte < 0xF0:
                kind, width = classes[((byte & 15) << 12) | ((text[i + 1] & 63) << 6) | (text[i + 2] & 63)], 3
            else:
                kind, width = ALONE, 4
            if in_word and (kind != IN_WORD or unit == LETTERS):  # a token ends before this character
                token = mixed(word)
                if unit == LINES:
                    line += token * line_power
                    line_power *= LINE_BASE
                    in_line = True
                else:
                    hashes[tokens] = token
                    tokens += 1
                word, power, in_word = np.uint64(0), one, False
            if kind != BETWEEN:
                # The character belongs to a token: add its bytes to the polynomial.
                for k in range(width):
                    word += (np.uint64(text[i + k]) + one) * power
                    power *= TOKEN_BASE
                in_word = True
                if kind == ALONE:
                    token = mixed(word)
                    if unit == LINES:
                        line += token * line_power
                        line_power *= LINE_BASE
                        in_line = True
                    else:
                        hashes[tokens] = token
                        tokens += 1
                    word, power, in_word = np.uint64(0), one, False
            if byte == NEWLINE and in_line:
                hashes[tokens] = mixed(line)
                tokens += 1
                line, line_power, in_line = np.uint64(0), one, False
            i += width
        token_offsets[number + 1] = tokens
    return tokens


@kernel
def hash_shingles(
    tokens: UInt64s,
    texts: int,
    token_offsets: Int64s,
    width: int,
    hashes: UInt64s,
    shingle_offsets: Int64s,
    fingerprints: UInt64s,
) -> int:
    """The hashes of the shingles of each text in their order, repeated ones included, and one of all of them.

    A text with fewer tokens than `width` has one shingle of all of them; one without tokens has none.
    """
    # A rolling hash: the first token of the shingle before is taken out, the next one comes in.
    highest = np.uint64(1)  # the factor of a shingle's first token
    for _ in range(width - 1):
        highest *= SHINGLE_BASE
    count = 0
    shingle_offsets[0] = 0
    for number in range(texts):
        begin, end = token_offsets[number], token_offsets[number + 1]
        value = np.uint64(0)
        if end - begin < width:
            for i in range(begin, end):
                value = value * SHINGLE_BASE + tokens[i]
            # Marked, so that it is not the hash of a shingle of full length.
            if end > begin:
                hashes[count] = mixed(value + SHORT_MARK * np.uint64(end - begin))
                count += 1
        else:
            for i in range(begin, begin + width):
                value = value * SHINGLE_BASE + tokens[i]
            hashes[count] = mixed(value)
            count += 1
            for i in range(begin + width, end):
                value = (value - tokens[i - width] * highest) * SHINGLE_BASE + tokens[i]
                hashes[count] = mixed(value)
                count += 1
        # One hash of all shingles in their order: equal texts have equal fingerprints.
        whole, power = np.uint64(0), np.uint64(1)
        for i in range(shingle_offsets[number], count):
            whole += hashes[i] * power
            power *= TOKEN_BASE
        fingerprints[number] = mixed(whole)
        shingle_offsets[number + 1] = count
    return count


@kernel
def sketch_texts(
    hashes: UInt64s,
    texts: int,
    offsets: Int64s,
    places: int,
    shift: int,
    factors: UInt64s,
    others: Int64s,
    sketches: UInt64s,
) -> int:
    """A sketch of each text's shingles, with a number in each of `places`, a power of 2; see `sketches.py`.

    In round r a shingle's hash is multiplied by factors[r]. The upper bits of the product, behind `shift`, choose a
    place, and the others compete for it. After the first round an empty place takes the number of the first place that
    is not, of those whose numbers are its own XOR `others`. After `places` rounds, round `places` + k fills place k.
    """
    by = np.uint64(shift)
    for number in range(texts):
        base = number * places
        for k in range(places):
            sketches[base + k] = EMPTY
        begin, end = offsets[number], offsets[number + 1]
        if begin == end:
            continue
        # The first round, without a factor: the smallest number of each place stays.
        for i in range(begin, end):
            value = hashes[i]
            at = base + np.int64(value >> by)
            value &= VALUE_BITS
            held = sketches[at]
            sketches[at] = value if value < held else held
        # Empty places look at others, marked so that no place takes what was itself taken.
        empty = 0
        for k in range(places):
            if sketches[base + k] == EMPTY:
                empty += 1
                for t in range(OTHERS):
                    held = sketches[base + (k ^ others[t])]
                    if held <= VALUE_BITS:  # neither empty nor taken from another place
                        sketches[base + k] = held | TAKEN
                        empty -= 1
                        break
        for k in range(places):
            held = sketches[base + k]
            sketches[base + k] = held if held == EMPTY else held & VALUE_BITS
        # Further rounds, for texts of few shingles. The round stands above the value, so that what earlier rounds
        # filled is smaller and stays.
        turn = 1
        while empty > 0 and turn < places:
            factor, level = factors[turn], np.uint64(turn) << VALUE_WIDTH
            for i in range(begin, end):
                value = hashes[i] * factor
                at = base + np.int64(value >> by)
                held = sketches[at]
                if held >= level:  # empty, or filled in this round
                    empty -= held == EMPTY
                    value = level | (value & VALUE_BITS)
                    sketches[at] = value if value < held else held
            turn += 1
        # At last each empty place is filled by a round of its own, in which all shingles compete for it.
        turn = places
        while empty > 0:
            at = np.int64(base + turn - places)
            if sketches[at] == EMPTY:
                factor, level = factors[turn], np.uint64(turn) << VALUE_WIDTH
                held = EMPTY
                for i in range(begin, end):
                    value = level | ((hashes[i] * factor) & VALUE_BITS)
                    held = value if value < held else held
                sketches[at] = held
                empty -= 1
            turn += 1
    return texts


@kernel
def count_common(
    hashes: UInt64s, starts: Int64s, stops: Int64s, pairs: int, first: Int64s, second: Int64s, common: Int64s
) -> int:
    """How many hashes two ascending sets without repetition have in common, for many pairs of sets."""
    for pair in range(pairs):
        i, i_end = starts[first[pair]], stops[first[pair]]
        j, j_end = starts[second[pair]], stops[second[pair]]
        found = 0
        while i < i_end and j < j_end:
            a, b = hashes[i], hashes[j]
            # A merge without branches: the smaller of the two moves on, both where they are equal.
            found += a == b
            i += a <= b
            j += b <= a
        common[pair] = found
    return pairs


@kernel
def count_shared_bands(
    bands: int,
    texts: int,
    order: Int32s,
    ends: Int32s,
    begin: int,
    least: int,
    room: int,
    counts: Int32s,
    touched: Int32s,
    first: Int64s,
    second: Int64s,
    stop: Int64s,
) -> int:
    """The pairs of texts that are equal in at least `least` bands, from text `begin` on, as long as there is room.

    `order` has the texts of each band with equal ones together and ascending, `ends` where each text's run ends.
    `counts` is all 0, before and after. `stop` becomes the text to go on with.
    """
    found = 0
    text = begin
    while text < texts and found + texts - text <= room:
        seen = 0
        # Count, over all bands, the later texts that are equal to this one; `touched` says which counts to clear.
        for band in range(bands):
            base = band * texts
            at = base + ends[base + text] - 1
            while order[at] > text:  # the text itself is before those behind it
                other = order[at]
                if counts[other] == 0:
                    touched[seen] = other
                    seen += 1
                counts[other] += 1
                at -= 1
        # Keep the pairs with enough bands, and clear only what was counted: clearing all would cost texts squared.
        for k in range(seen):
            other = touched[k]
            if counts[other] >= least:
                first[found] = text
                second[found] = other
                found += 1
            counts[other] = 0
        text += 1
    stop[0] = text
    return found
