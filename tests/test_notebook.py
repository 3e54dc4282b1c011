"""The notebook in examples/ runs, and what its cells end with shows itself there."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[1] / "examples" / "first_look.ipynb"


def shown_by(source: str, names: dict[str, Any]) -> str | None:
    """Run a cell as a notebook does, and return what it shows of the last expression: HTML if it has any, else text."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if value is None:
        return None
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def test_the_notebook_runs() -> None:
    pytest.importorskip("altair", reason="the report needs charts")
    names: dict[str, Any] = {}
    printed, shown = io.StringIO(), []
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(printed):
                shown.append(shown_by("".join(cell["source"]), names))
    pages = [page for page in shown if page]
    assert pages[0].startswith("<div><p>3 runs × 30 topics × 3 measures; best PRES@100: ")
    assert sum("<table" in page for page in pages) >= 4
    assert pages[-1].startswith("<iframe srcdoc=")
    assert "Undecided: not significant" in printed.getvalue()
