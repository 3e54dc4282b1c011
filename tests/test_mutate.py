"""The mutation tester tells what the tests notice from what they do not, and never changes the tree itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "mutate.py"
CODE = "def double(x):\n    return x * 2\n\n\ndef unseen(x):\n    return x - 1\n"
TEST = "from toy.code import double\n\n\ndef test_double():\n    assert double(3) == 6\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, content in {"src/toy/__init__.py": "", "src/toy/code.py": CODE, "tests/test_toy.py": TEST}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def mutate(tree: Path, *mutations: dict[str, object], options: tuple[str, ...] = ()) -> tuple[int, list[str]]:
    usual = {"file": "src/toy/code.py", "tests": ["tests/test_toy.py"]}
    lines = []
    for number, mutation in enumerate(mutations):
        table = {"name": f"number {number}", **usual, **mutation}
        lines += ["[[mutation]]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    listed = tree / "list.toml"
    listed.write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, str(TOOL), str(listed), "--tree", str(tree), *options]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # which the toy needs none of
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout.splitlines()


def words(lines: list[str]) -> list[str]:
    return [line.split()[0] for line in lines]


def test_outcomes(tree: Path) -> None:
    status, lines = mutate(
        tree,
        {"find": "x * 2", "replace": "x + 2"},
        {"find": "x - 1", "replace": "x + 1"},
        {"find": "x * 2", "replace": "x * ("},
        {"find": "return", "replace": "yield"},
        {"find": "x * 2", "replace": "0", "file": "src/toy/before_it_was_moved.py"},
        options=("--trust-tests", "-j", "2"),
    )
    assert status == 1
    assert sorted(words(lines[:-1])) == ["error", "killed", "killed", "stale", "survived"]
    assert any("the text to find is there 2 times" in line for line in lines)
    assert any("moved to src/toy/code.py" in line for line in lines)
    assert lines[-1] == "2 killed, 1 survived, 1 stale, 1 error"
    assert (tree / "src/toy/code.py").read_text(encoding="utf-8") == CODE


def test_only_some_and_all_killed(tree: Path) -> None:
    caught, missed = {"find": "x * 2", "replace": "3"}, {"find": "x - 1", "replace": "1", "name": "missed"}
    assert mutate(tree, caught, missed, options=("-k", "number", "--trust-tests"))[0] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_a_crash_is_noticed(tree: Path) -> None:
    status, lines = mutate(tree, {"find": "x * 2", "replace": "__import__('os').abort()"}, options=("--trust-tests",))
    assert (status, words(lines)) == (0, ["killed", "1"])
    assert "[crashed with SIGABRT]" in lines[0]


def test_tests_that_fail_anyway_prove_nothing(tree: Path) -> None:
    (tree / "tests/test_toy.py").write_text("def test():\n    assert False\n", encoding="utf-8")
    assert mutate(tree, {"find": "x * 2", "replace": "3"}) == (2, [])


def test_checking_runs_no_test(tree: Path) -> None:
    fits, stale = {"find": "x * 2", "replace": "3"}, {"find": "x * 9", "replace": "3"}
    gone = [{**fits, "tests": [f"tests/{test}"]} for test in ("test_gone.py", "test_toy.py::test_doub")]
    named = {**fits, "tests": ["tests/test_toy.py::test_double[3]"]}
    assert mutate(tree, fits, named, options=("--check",)) == (0, ["all 2 mutations fit the code"])
    status, lines = mutate(tree, fits, stale, *gone, options=("--check",))
    assert (status, words(lines)) == (1, ["stale"] * 3)


def test_our_own_mutations_fit_the_code() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
