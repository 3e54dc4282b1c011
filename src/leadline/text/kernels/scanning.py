"""From bytes to lines and fields."""

from __future__ import annotations

from leadline.text.kernels.arguments import Bytes, Int32s, Int64s, kernel
from leadline.text.kernels.primitives import HASH, NEWLINE, after_blanks, field_end, line_end

TOO_FEW_FIELDS = -1


@kernel
def scan_fields(
    text: Bytes, begin: int, end: int, fewest: int, most: int, starts: Int64s, lengths: Int32s, found: Int64s
) -> int:
    """Where each of up to `most` fields of every line lies; a missing field has length 0.

    Returns the number of lines, with the number of fields of the longest in `found[0]`; or TOO_FEW_FIELDS, with the
    byte where the line starts and the number of its fields in `found`.
    """
    lines, widest = 0, 0
    i = begin
    while i < end:
        start_of_line = i
        i = after_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            i = line_end(text, i) + 1
            continue
        count = 0
        while text[i] != NEWLINE:
            field_start = i
            i = field_end(text, i)
            if count < most:
                starts[lines * most + count] = field_start
                lengths[lines * most + count] = i - field_start
            count += 1
            i = after_blanks(text, i)
        if count < fewest:
            found[0], found[1] = start_of_line, count
            return TOO_FEW_FIELDS
        for k in range(count, most):
            starts[lines * most + k] = start_of_line
            lengths[lines * most + k] = 0
        if count > widest:
            widest = count
        lines += 1
        i += 1
    found[0] = widest
    return lines
