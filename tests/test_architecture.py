"""The arrows between the wings are those ARCHITECTURE.md draws, they make no circle, and what it names exists."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "leadline"
FOR_ALL = {"errors", "options", "register", "version"}  # files beside the wings that anyone may import
PUBLIC = {"figures", "models", "readers", "steps"}  # public submodules, which only name what is in the wings


def wing_of(module: str) -> str:
    """The wing a module of the package is in; files beside the wings are wings of their own."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "leadline"


def parsed(path: Path) -> ast.Module:
    """A file of the package. All of them kept would be millions of objects, which slow the tests after these."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Imports of a file and its classes, without what is in them, wherever they are in it."""
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef)
    found, todo = list[ast.AST](), list[ast.AST]([parsed(path)])
    while todo:
        node = todo.pop()
        if isinstance(node, kinds):
            is_class = isinstance(node, ast.ClassDef)
            found.append(ast.ClassDef(node.name, [], [], [], []) if is_class else node)
        # Statements have others in these lists only; nearly all nodes are parts of expressions.
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, field, ())
    return found


def imports_of(path: Path) -> set[str]:
    """The wings a file imports, inside functions as well."""
    wings = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "leadline":
            if node.module == "leadline":
                wings |= {alias.name for alias in node.names if (PACKAGE / alias.name).is_dir()}
            else:
                wings.add(wing_of(node.module or ""))
        elif isinstance(node, ast.Import):
            wings |= {wing_of(alias.name) for alias in node.names if alias.name.startswith("leadline.")}
    return wings


def arrows_in_code() -> dict[str, set[str]]:
    arrows: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        wing = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if wing != "__init__":
            arrows.setdefault(wing, set()).update(imports_of(path) - {wing} - FOR_ALL)
    return arrows


def arrows_drawn() -> dict[str, set[str]]:
    """The lines `wing -> wing, wing` of the block of arrows in ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = re.search(r"```arrows\n(.*?)```", text, re.DOTALL)
    assert block, "ARCHITECTURE.md has no block of arrows"
    drawn = {}
    for line in block[1].splitlines():
        wing, _, targets = line.partition("->")
        drawn[wing.strip()] = {target.strip() for target in targets.split(",") if target.strip()}
    return drawn


def test_arrows_are_as_drawn() -> None:
    code = {wing: targets for wing, targets in arrows_in_code().items() if wing not in FOR_ALL | PUBLIC}
    assert code == arrows_drawn()


def test_arrows_make_no_circle() -> None:
    TopologicalSorter(arrows_in_code()).prepare()


def test_every_wing_has_its_question() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for wing in arrows_in_code():
        if (PACKAGE / wing).is_dir():
            assert re.search(rf"`{wing}/`.*\?", text), f"ARCHITECTURE.md does not say what {wing}/ answers"


def test_files_stay_readable() -> None:
    long = {
        str(path.relative_to(PACKAGE)): count
        for path in PACKAGE.rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 750
    }
    assert not long, f"these want to be two files: {long}"


def modules() -> dict[str, Path]:
    """Every module of the package with its file."""
    found = {
        ".".join(("leadline", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in PACKAGE.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): path for name, path in found.items()}


def modules_imported(path: Path, known: Collection[str]) -> set[str]:
    """The modules of the package that a file imports anywhere: at the top, in functions, or for the type checker."""
    imported = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = (f"{node.module}.{alias.name}" for alias in node.names)
            imported |= {name if name in known else node.module for name in whole}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    return imported & set(known)


def test_modules_import_each_other_in_no_circle() -> None:
    known = modules()
    graph = {name: modules_imported(path, known) for name, path in known.items()}
    assert graph["leadline.cli"], "no import was recognised"
    TopologicalSorter(graph).prepare()


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for module, path in modules().items():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert not shared


def files_gone(named: Collection[str]) -> list[str]:
    """The files among those named that the repository does not have, by the ends of their paths."""
    folders = ("src", "tests", "tools", "benchmarks", "examples")
    known = [f"/{path.relative_to(ROOT).as_posix()}" for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(name for name in set(named) if not any(path.endswith(f"/{name}") for path in known))


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"[\w/]+\.py\b", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert len(set(named)) > 50
    assert not files_gone(named)


def test_comments_name_files_that_exist() -> None:
    sources = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    named = [name for text in sources for name in re.findall(r"`([\w/]+\.py)`", text)]
    assert len(set(named)) > 20
    assert not files_gone(named)


def test_every_folder_that_is_named_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    known = [f"/{path.relative_to(ROOT).as_posix()}/" for path in PACKAGE.rglob("*") if path.is_dir()]
    gone = {name for name in re.findall(r"`([a-z_/]+/)`", text) if not any(path.endswith(f"/{name}") for path in known)}
    assert not gone, f"ARCHITECTURE.md names folders that are not there: {sorted(gone)}"
