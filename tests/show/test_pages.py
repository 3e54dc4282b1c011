"""One page layer: no markup in Python, every text escaped, and every template and asset in one room and in use."""

from __future__ import annotations

import ast
import datetime
import html
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from jinja2 import StrictUndefined, UndefinedError

import leadline
from leadline.show.charts import BUOY, DARK, DEPTH, INK, PAPER
from leadline.show.pages.drawing import drawing, words
from leadline.show.pages.environment import HERE, assets, environment, rendered
from leadline.show.public import Report
from leadline.show.report.html_page import code_of
from leadline.show.serve.laboratory.comparison_pages import difference_figure
from leadline.trust.verdict import MARKS

SHOW = Path(leadline.__file__).parent / "show"
ELEMENT = re.compile(r"(?<!\?P)</?[a-z][a-z0-9]*(\s[^<>]*)?/?>|<[a-z][a-z0-9]*\s+[a-z-]+=|<!doctype")
EVIL = "<script>alert(1)</script>"


def markup_in(path: Path, markup: re.Pattern[str] = ELEMENT) -> Iterator[str]:
    """The strings of a module that have an element in them, docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    left_out |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):  # with what is filled in as a letter, so that <{tag}> is found as well
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            text = node.value
        else:
            continue
        if markup.search(text):
            yield text


def test_no_python_of_the_pages_has_markup_in_it() -> None:
    found = {
        str(path.relative_to(SHOW)): strings for path in sorted(SHOW.rglob("*.py")) if (strings := set(markup_in(path)))
    }
    assert found == {}


def test_no_other_python_writes_html() -> None:
    """Readers of XML and generators of text have tags of their own; no string of theirs has an end of HTML's."""
    ends = re.compile(r"</(p|div|span|table|thead|tbody|tr|td|th|small|b|ul|li|h[1-6]|script|style|body|html)>")
    package = SHOW.parent
    files = [path for path in package.rglob("*.py") if "</" in path.read_text(encoding="utf-8")]
    assert len(files) > 5
    found = {str(path.relative_to(package)): set(markup_in(path, ends)) for path in files}
    assert {name: strings for name, strings in found.items() if strings} == {}


def test_markup_in_python_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    lines = [
        '"""A <b>docstring</b>."""',
        'x = f"<td class={kind}>{text}"',
        'y = "a < b"',
        'z = "<a>"',
        'w = f"<{tag}>"',
    ]
    module.write_text("\n".join(lines))
    assert set(markup_in(module)) == {"<td class=x>x", "<a>", "<x>"}


def test_every_template_escapes_and_knows_its_names() -> None:
    made = environment()
    assert made.autoescape is True
    assert made.undefined is StrictUndefined
    assert [name for name in made.list_templates() if made.get_template(name) is None] == []  # all of them compile
    with pytest.raises(UndefinedError, match="heading"):
        rendered("message.html", title="x", prefix="", visitor=None)
    text = rendered("message.html", title=EVIL, heading=EVIL, text=EVIL, prefix="", visitor=None)
    assert EVIL not in text
    assert text.count("&lt;script&gt;alert(1)") == 4  # the title, the brand, the heading and the text


def test_only_markup_of_our_own_is_left_as_it_is() -> None:
    """A template may not switch escaping off: what is markup already is of the type Markup."""
    folder = files(HERE) / "templates"
    assert [each.name for each in folder.iterdir() if re.search(r"\|\s*safe|autoescape", each.read_text("utf-8"))] == []
    rooms = {path.parent for path in SHOW.rglob("*") if path.suffix in (".html", ".css", ".js")}
    assert rooms == {SHOW / "pages" / "templates", SHOW / "pages" / "assets"}


def test_a_drawing_escapes_its_words() -> None:
    drawn = drawing(10, 10, [words(0, 0, EVIL, '"><b>')], aria_label=f'"{EVIL}')
    assert "<script" not in drawn
    assert "<b>" not in drawn
    assert drawn.count("&lt;script&gt;") == 2


def test_hostile_names_are_text_in_the_drawing_of_a_comparison() -> None:
    drawn = difference_figure([(EVIL, 0.5, f"/compare?{EVIL}"), ("2", -0.1, "/")], EVIL, EVIL, EVIL, EVIL)
    assert "<script" not in drawn
    assert drawn.count("&lt;script&gt;") == 7  # the label, the address, three in the titles of bars, and the two sides


def test_a_page_in_a_notebook_stays_in_its_frame() -> None:
    shown = Report(f'<p title="x">{EVIL}</p>')._repr_html_()
    assert re.findall(r"<\w+", shown) == ["<iframe"]
    assert html.unescape(shown.split('"')[1]) == f'<p title="x">{EVIL}</p>'


def test_hostile_words_are_text_in_the_directory() -> None:
    page = rendered(
        "directory_page.html", title=EVIL, key="", styles="", scripts=[], data={}, notes=[EVIL], counted=EVIL,
        made=datetime.date(2026, 1, 2),
    )  # fmt: skip
    assert EVIL not in page
    assert page.count("&lt;script&gt;alert(1)") == 4


def test_every_page_has_the_colours_of_the_charts() -> None:
    sheet = assets()["colours.css"].decode()
    light, *dark = re.findall(r"\{color-scheme:(?:light|dark);([^}]*)\}", sheet)
    assert len(dark) == 2
    assert dark[0] == dark[1]
    for theme, shades in ((light, {}), (dark[0], DARK)):
        named = dict(re.findall(r"--([\w-]+):([^;]+);", theme))
        for name, colour in (("ink", INK), ("paper", PAPER), ("buoy", BUOY), ("deep", DEPTH[4])):
            assert named[name] == shades.get(colour, colour)


def test_style_sheets_use_only_colours_that_exist() -> None:
    known = set(re.findall(r"--([\w-]+):", assets()["colours.css"].decode()))
    for name, content in assets().items():
        if name.endswith((".css", ".js")):
            used = set(re.findall(r"var\(--([\w-]+)\)", content.decode())) - {"c-"}
            assert used <= known, name
    for name, content in assets().items():
        if name.endswith(".css") and name != "colours.css":
            assert not re.search(r":root\s*\{(?!\s*--paper: #fff)", content.decode()), name  # one place for colours


def test_chips_have_the_marks_of_the_verdict() -> None:
    parts = environment().get_template("parts.html").module
    for word, mark in MARKS.items():
        assert parts.chip(word) == f'<span class="chip {word}">{mark} {word}</span>'  # type: ignore[attr-defined]
    assert parts.chip("firm", EVIL).count("&lt;") == 2  # type: ignore[attr-defined]


def test_another_template_or_style_is_another_page(monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_of.__wrapped__("show/pages")
    read = Path.read_bytes
    for name in ("report.html", "parts.html", "shared.css", "start.js"):
        with monkeypatch.context() as changed:
            changed.setattr(Path, "read_bytes", lambda path, name=name: read(path) + b" " * (path.name == name))
            assert code_of.__wrapped__("show/pages") != before, name
