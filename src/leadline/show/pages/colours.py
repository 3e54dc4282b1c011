"""The colours of every page, as variables of its style sheets: those of the charts, and what is derived from them."""

from __future__ import annotations

from leadline.show.charts import BUOY, DARK, DEPTH, INK, PAPER, Theme, shade


def variable(colour: str) -> str:
    """The CSS variable of a colour."""
    return f"var(--c-{colour.lower().lstrip('#')})"


def colours() -> str:
    """The two themes as a style sheet. A page may set `data-theme` to leave the reader's usual one; print is light."""
    light, dark = _theme("light"), _theme("dark")
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n"
    )


def _theme(theme: Theme) -> str:
    is_dark = theme == "dark"
    ink, buoy = shade(INK, theme), shade(BUOY, theme)
    named = {
        "paper": shade(PAPER, theme),
        "ink": ink,
        "buoy": buoy,
        "deep": shade(DEPTH[4], theme),
        "on-deep": shade(PAPER, theme),
        "soft": "#a9bac6" if is_dark else "#4c5d6a",  # text of less weight
        "raised": "#14232f" if is_dark else "#ffffff",  # what one types in or presses
        "shallow": "#1d4058" if is_dark else DEPTH[0],  # behind words that were looked for
        "buoy-text": "#f5a06b" if is_dark else "#a8440b",  # the accent, legible as text
        "line": f"{ink}1f",
        "line-strong": f"{ink}59",
        "edge": f"{ink}73",
        "hatch": f"{ink}40",
        "wash": f"{buoy}1a",
    }
    charted = {f"c-{colour.lower().lstrip('#')}": shade(colour, theme) for colour in DARK}
    return "".join(f"--{name}:{value};" for name, value in {**charted, **named}.items())
