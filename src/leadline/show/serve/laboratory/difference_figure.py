"""The differences between two runs, topic by topic, as bars from the largest lead of one to that of the other."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from leadline.show.figures.formatting import decimal, short

WIDE, NARROW, HEIGHT = 720, 336, 220  # narrow: for a phone, where a wide one would be too small to read
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 24, 24
WIDEST = 28.0  # of a bar, in pixels


def difference_figure(
    bars: Sequence[tuple[str, float, str]], first: str, second: str, words: str, chosen: str = "", *,
    narrow: bool = False,
) -> str:  # fmt: skip
    """An SVG drawing of (topic, difference, address) sorted by difference; each bar is a link.

    Bars above the line are topics on which the first run is ahead. The page's style sheet has the colours.
    """
    largest = max((abs(lead) for _, lead, _ in bars), default=0.0) or 1.0
    full = NARROW if narrow else WIDE
    inner_w, inner_h = full - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    step = inner_w / max(len(bars), 1)
    width = min(max(step * 0.8, 1.0), WIDEST)
    middle = TOP + inner_h / 2
    parts = []
    for share in (-1.0, -0.5, 0.0, 0.5, 1.0):
        at = middle - share * inner_h / 2
        kind = "axis" if share == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{LEFT}" x2="{full - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        text = "0" if share == 0 else decimal(abs(share) * largest, 2)
        parts.append(f'<text class="words soft" x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{text}</text>')
    for place, (topic, lead, address) in enumerate(bars):
        high = max(abs(lead) / largest * inner_h / 2, 0.8)
        x, y = LEFT + step * place + (step - width) / 2, middle - high if lead > 0 else middle
        kind = "ahead" if lead > 0 else "behind" if lead < 0 else "level"
        kind += " chosen" if topic == chosen else ""
        said = f"{topic}: {first if lead > 0 else second} ahead by {decimal(abs(lead))}" if lead else f"{topic}: level"
        parts.append(
            f'<a href="{escape(address)}" tabindex="-1"><title>{escape(said)}</title>'
            f'<rect class="reach" x="{LEFT + step * place:.2f}" y="{TOP}" width="{step:.2f}" height="{inner_h}"/>'
            f'<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{high:.2f}"/></a>'
        )
    parts.append(f'<text class="words of-ahead" x="{LEFT}" y="{TOP - 9}">▲ {escape(short(first))} ahead</text>')
    parts.append(
        f'<text class="words of-behind" x="{full - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">'
        f"▼ {escape(short(second))} ahead</text>"
    )
    size = "when-narrow" if narrow else "when-wide"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="differences {size}" viewBox="0 0 {full} {HEIGHT}" '
        # The links are for the mouse: who uses keys or a reader has the same ones in the table below.
        f'role="group" aria-label="{escape(words)}"><g aria-hidden="true">{"".join(parts)}</g></svg>'
    )
