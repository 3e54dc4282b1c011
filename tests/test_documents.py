"""The Python of README and the documents uses public names only, passes a strict type checker, and runs.

tests/test_readme.py runs that of README and the tour.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import leadline as ll

sys.path.insert(0, str(Path(__file__).parents[1] / "tools/docs"))
import printed

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PUBLIC = {"leadline", *(f"leadline.{name}" for name in ("measures", "models", "steps", "readers", "figures"))}


def python_of(page: Path) -> str:
    return printed.python_of(page.read_text(encoding="utf-8"))


WITH_PYTHON = [page for page in PAGES if python_of(page)]


@pytest.fixture(scope="module")
def strictly_typed() -> Callable[[Path], str]:
    """What mypy says of a file; nothing when all is well. What it knows of packages is kept for the next run."""
    pytest.importorskip("mypy", reason="the type checker comes with the development tools")
    cache = str(ROOT / ".mypy_cache" / "documents")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", cache]

    def check(path: Path) -> str:
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, cwd=ROOT, check=False)
        return done.stdout + done.stderr

    return check


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_python_of_a_page_imports_public_names_only(page: Path) -> None:
    imported = re.findall(r"^(?:from|import) (leadline[\w.]*)", python_of(page), re.MULTILINE)
    assert set(imported) <= PUBLIC


def test_python_of_all_pages_is_strictly_typed(strictly_typed: Callable[[Path], str], tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for page in WITH_PYTHON:
        (pages / f"{page.stem.replace('-', '_')}.py").write_text(python_of(page), encoding="utf-8")
    assert not strictly_typed(pages)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=[pytest.mark.soak] if page.stem == "from-ranx" else [])
        for page in WITH_PYTHON
        if page.name not in ("README.md", "tour.md")
    ],
)
def test_python_of_a_page_runs(
    page: Path, example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_figure: None, soak: bool,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    import shutil

    code = python_of(page)
    for peer in re.findall(r"^import (ir_measures|pyterrier|pytrec_eval)", code, re.MULTILINE):
        pytest.importorskip(peer)
    if "import ranx" in code and not soak:
        pytest.skip("ranx takes long to be loaded, and tests/records/test_ranx.py does so already: make soak")
    environment = request.getfixturevalue("ranx_environment") if "import ranx" in code else None
    shutil.copytree(example_files, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    if "\n@" in code or environment:  # what it registers must not stay for other tests
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        return
    exec(compile(python_of(page), page.name, "exec"), {"__name__": "page"})


def test_a_users_file_with_every_public_name_is_strictly_typed(
    strictly_typed: Callable[[Path], str], tmp_path: Path
) -> None:
    """`examples/every_name.py` is what a user may write: it must name all that is public."""
    user = ROOT / "examples" / "every_name.py"
    text = user.read_text(encoding="utf-8")
    missing = [name for name in ll.__all__ if not re.search(rf"\bll\.{name}\b", text)]
    assert not missing
    copy = tmp_path / "user.py"
    copy.write_text(text, encoding="utf-8")
    assert not strictly_typed(copy)


@pytest.mark.parametrize("name", ll.__all__)
def test_every_public_name_is_there_and_explained(name: str) -> None:
    member = getattr(ll, name)
    assert name == "__version__" or (member.__doc__ or "").strip()


def test_no_public_function_takes_anything_at_all() -> None:
    """Signatures say what they take: no `Any` but in what a user's own values are."""
    import inspect

    for name in ll.__all__:
        member = getattr(ll, name)
        if inspect.isfunction(member):
            for parameter in inspect.signature(member).parameters.values():
                loose = parameter.annotation == "Any" and parameter.kind is not parameter.VAR_POSITIONAL
                assert not loose, f"{name}({parameter.name})"
                assert parameter.name != "kernels", name
                assert parameter.name != "memory" or parameter.annotation == "MemoryLike", name


def test_public_names_are_not_hidden_by_modules_of_the_same_name() -> None:
    """A submodule that is imported becomes an attribute of its package, and would hide a function of that name."""
    code = (
        "import leadline as ll, pkgutil, importlib, types\n"
        "for module in pkgutil.walk_packages(ll.__path__, 'leadline.'):\n"
        "    if '.kernels' not in module.name: importlib.import_module(module.name)\n"
        "submodules = ['figures', 'measures', 'models', 'readers', 'steps']\n"
        "for place in [ll, *(getattr(ll, name) for name in submodules)]:\n"
        "    for name in place.__all__:\n"
        "        is_module = isinstance(getattr(place, name), types.ModuleType)\n"
        "        assert is_module == (place is ll and name in submodules), (place.__name__, name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.stderr
