"""The directory as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.collections.directory.tree import Branch, Directory
from leadline.errors import visible

BAR = 20  # columns of the longest bar


def tree_lines(made: Directory, depth: int, listed: int) -> Iterator[str]:
    """A line for each branch: its code, how many documents it has, and its title; titles where there is no branch."""
    root = made.root
    yield f"{f'{root.code} {root.title}'.strip()}  {len(root.rows):,}"
    shown = [(below, branch) for below, branch in root.walk(depth) if below]
    width = max((2 * below + len(branch.code) for below, branch in shown), default=0)
    most = max((len(branch.rows) for branch in root.branches), default=1)
    for below, branch in shown:
        code = f"{'  ' * below}{branch.code}".ljust(width)
        bar = "█" * max(1, round(BAR * len(branch.rows) / most)) if below == 1 else ""
        yield f"{code} {len(branch.rows):>9,}  {bar:<{BAR}}  {visible(branch.title)}".rstrip()
    if not root.branches:
        yield from _documents(made, root, listed)


def _documents(made: Directory, branch: Branch, listed: int) -> Iterator[str]:
    names = made.collection.records["id"]
    for part in made.collection.texts(["title"], branch.rows[:listed]):
        for row, title in part.iter_rows():
            yield visible(f"  {names[row]}  {' '.join((title or '').split())}")
    if len(branch.rows) > listed:
        yield f"  … {len(branch.rows) - listed:,} more"
