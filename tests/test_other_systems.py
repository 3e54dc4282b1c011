"""What only some systems have is asked for only where it is there: Windows has no `fcntl`, `os.killpg` or `SIGKILL`."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from names_of_windows import HIDDEN, NOT_THERE

ROOT = Path(__file__).parents[1]
NAMES_OF_WINDOWS = [sys.executable, str(ROOT / "tests/names_of_windows.py"), "-m"]


def done_when_imported(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are carried out as a file is imported: all but bodies of functions and what is tried or chosen."""
    for field, value in ast.iter_fields(node):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and field == "body":
            continue
        if isinstance(node, ast.Try | ast.If | ast.IfExp) and field in ("body", "orelse"):
            continue
        children = node.values[:1] if isinstance(node, ast.BoolOp) else value if isinstance(value, list) else [value]
        for child in children:
            if isinstance(child, ast.AST):
                yield child
                yield from done_when_imported(child)


def asked_of_posix(path: Path) -> list[str]:
    """What a file asks for as it is imported that Windows lacks."""
    asked = []
    for node in done_when_imported(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names if name.name in NOT_THERE]
        elif isinstance(node, ast.ImportFrom):
            names = [name.name for name in node.names if name.name in HIDDEN.get(node.module or "", ())]
            names += [node.module] if node.module in NOT_THERE else []
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [node.attr] if node.attr in HIDDEN.get(node.value.id, ()) else []
        asked += [f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: {name}" for name in names]
    return asked


def test_importing_asks_for_nothing_that_windows_lacks() -> None:
    files = [path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert [line for path in files for line in asked_of_posix(path)] == []


@pytest.mark.soak
def test_all_tests_are_found_with_the_names_of_windows(soak: bool) -> None:
    """With SOAK every module and test is imported; the short form imports one that ends programs and one that locks."""
    words = ["pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    if not soak:
        words = ["leadline.cli", "--version"]
    done = subprocess.run([*NAMES_OF_WINDOWS, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


CANCEL = """
import sys, time
from leadline.text.processes import end_program
import subprocess, os
assert os.name == "nt" and not hasattr(os, "killpg")
program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
end_program(program.pid, politely=True)
end_program(program.pid)
print("asked")
program.kill()
"""


def test_a_program_can_be_ended_where_there_are_no_sessions(tmp_path: Path) -> None:
    """The tool of Windows is not here: that it is missing must not be an error either."""
    (tmp_path / "test_cancel.py").write_text(CANCEL)
    command = [*NAMES_OF_WINDOWS, "test_cancel"]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'src'}"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "asked\n"), done.stderr
