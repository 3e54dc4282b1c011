"""Pages of hits fit the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.commands.shared.terminal_page import TerminalPage, display_width, line_ranges, shorten
from leadline.retrieval.passages import Snippet

RUN = "import sys; from leadline.cli import main; main(sys.argv[1:])"


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", ["search", "prior-art"])
def test_pages_fit_a_terminal(office: Any, command: str, width: int) -> None:
    asked = ["film silver", "--why"] if command == "search" else ["EP1000001B1"]
    leader, follower = pytest.importorskip("pty", reason="no terminals of POSIX").openpty()
    environment = os.environ | {"COLUMNS": str(width), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    words = [sys.executable, "-c", RUN, command, office.index, *asked]
    process = subprocess.Popen(words, stdout=follower, stderr=subprocess.PIPE, env=environment)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end has closed
            break
        if not piece:
            break
        shown += piece
    assert process.wait() == 0, process.stderr.read() if process.stderr else ""
    page = shown.decode().replace("\r\n", "\n")
    plain = re.sub(r"\033\[[0-9;]*m", "", page)
    assert max(map(len, plain.splitlines())) == width  # the hairline
    assert "\033[1m" in page
    assert re.search(r"\033\[1m(silver|dispersed|zeolite)\033\[0m", page)


@given(st.text(max_size=80), st.integers(1, 30))
def test_lines_hold_all_words_and_no_more_than_fit(text: str, width: int) -> None:
    ranges = line_ranges(text, width)
    kept = "".join(text[start:end] for start, end in ranges)
    assert kept.replace(" ", "") == text.replace(" ", "")
    for start, end in ranges:
        assert display_width(text[start:end]) <= width or end - start == 1
    assert display_width(shorten(text, width)) <= max(width, 4)


def test_a_page_cuts_a_long_snippet_and_its_marks() -> None:
    page = TerminalPage(20, "<", "", ">")
    lines = page.snippet(Snippet("one two three four five six seven eight", ((0, 3), (28, 33), (34, 39))), "  ", 2)
    assert lines == ["  <one> two three four", "  five six <seven> …"]
    assert page.heading("A long title of a film", "1.000") == "<A long …>       1.000>"
    assert page.strong("a\033[31mb") == r"<a\x1b[31mb>"
