"""What commands load: nothing that they do not need, neither to show their help nor to run.

Each is asked in a process of its own, by what is in `sys.modules` at its end.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from tests.test_architecture import modules, parsed

from leadline.commands import command_files
from leadline.commands.shared.extras import registered
from leadline.judge.adaptive_rules import RULES as POOLING
from leadline.judge.choices import POOL_RULES
from leadline.retrieval.choices import BASELINES
from leadline.retrieval.pipeline.named_systems import baselines
from leadline.show.choices import LAB_KINDS
from leadline.show.lab.kinds import KINDS

SCORES = Path(__file__).parents[1] / "golden" / "inputs" / "scores"
LIGHT = {"commands", "text", "records"}  # with the few modules of the last two that shared options are made of
LIBRARIES = {"altair", "html", "lxml", "numpy", "polars", "scipy", "socket", "sqlite3"}
MOST_FOR_HELP = 30  # modules of ours
HEAVY_HELP = {"report"}  # still loads what it runs with; names go from here, and none comes

MAY_LOAD = {  # the commands that may load these wings, beside what all may: text, records and commands
    "measures": "curve, explain, measures, ideal",
    "measures trust": (
        "evaluate, compare agreement, compare correlation, "
        "compare incomplete, compare overlap, compare pairs, compare power, compare recall, compare slices, plan"
    ),
    "collections measures trust": "compare retrievability",
    "measures retrieval trust": "compare verdict",
    "collections judge measures retrieval show trust": (
        "serve, lab add, lab status, case begin, case compare, case export, case judgements, case list, case show, "
        "demo, judge demo, check, campaign overview, campaign simulate, campaign submit"
    ),
    "collections judge retrieval": "review machine",
    "collections judge retrieval show": "lab init, lab people, review serve",
    "measures retrieval show trust": "report",
    "collections measures retrieval show trust": "reproduce, tune",
    "collections": (
        "collection build, collection lengths, collection update, crawl, links indegree, links pagerank, "
        "links sample, links stats"
    ),
    "collections show": "collection info, directory, links findability",
    "collections judge": (
        "topics sample, qrels labels, simulate office, pool, review backup, review check, review export, "
        "review import, review begin, review people, review simulate, review status, review stop"
    ),
    "collections judge measures": "qrels citations",
    "collections judge measures retrieval": "qrels claims, qrels rejections",
    "collections retrieval": (
        "links hits, index, search, prior-art, show, run, grid, systems, strategy run, strategy translate, "
        "strategy measure, duplicates"
    ),
    "collections judge measures trust": "judge agreement",
    "judge": "judge backup, judge export, judge import, judge next, judge people, judge status",
    "": "completion, judge serve, campaign task, campaign topics",
    "collections judge show": "review report",
    "collections measures retrieval show": "estimate",
    "collections judge measures show": (
        "campaign archive, campaign assign, campaign check, campaign new, campaign pool, campaign release, "
        "campaign status"
    ),
    "show": "campaign invite",
}

# Every command in a child that begins with nothing but the command line.
LOADED = """
import contextlib, io, json, os, sys
from leadline.cli import main

for line in json.load(sys.stdin):
    reading, writing = os.pipe()
    if os.fork() == 0:
        status = 0
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                main(line)
        except SystemExit as ended:
            status = ended.code
        with os.fdopen(writing, "w") as file:
            json.dump([status or 0, list(sys.modules)], file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        print(file.read())
    os.wait()
"""


def loaded(*lines: list[str]) -> list[set[str]]:
    """The modules of ours that each command line loads, and those of LIBRARIES."""
    if not hasattr(os, "fork"):
        pytest.skip("needs processes that are copies of another")
    done = subprocess.run(
        [sys.executable, "-c", LOADED], input=json.dumps(lines), capture_output=True, text=True, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [status for status, _ in answers] == [0] * len(lines)
    return [{name for name in names if name in LIBRARIES or name.startswith("leadline.")} for _, names in answers]


def wings(modules: set[str]) -> set[str]:
    """The wings of these modules, and the libraries among them."""
    return {name.split(".")[1] for name in modules if name.count(".") > 1} | modules & LIBRARIES


@functools.cache
def costs_nothing(module: str) -> bool:
    """Whether a module of another wing may be loaded for help: choices, and their packages."""
    if module.endswith(".choices"):
        return True
    return Path(str(importlib.util.find_spec(module).origin)).name == "__init__.py"


def test_help_loads_no_more_than_it_may() -> None:
    names = ["", *command_files()]
    for name, found in zip(names, loaded(*([*name.split(), "--help"] for name in names)), strict=True):
        if name in HEAVY_HELP:
            continue
        assert not found & LIBRARIES, name
        assert len(found) <= MOST_FOR_HELP, name
        others = [module for module in found if module.count(".") > 1 and module.split(".")[1] not in LIGHT]
        assert [module for module in others if not costs_nothing(module)] == [], name


def test_evaluating_loads_no_search_and_comparing_no_more_than_trust() -> None:
    files = [str(SCORES / "sig.qrels"), *(str(SCORES / f"sys{place}.run") for place in range(3))]
    lines = [["evaluate", *files, "-m", "PRES@100 AP", "-q"]]
    lines += [["compare", name, *files, "-m", "AP", "-q"] for name in ("pairs", "power")]
    lines += [["compare", "verdict", *files, "-m", "AP", "--samples", "2", "-q"]]
    lines += [["compare", "correlation", *files, "-m", "AP P@10", "-q"]]
    lines += [["compare", "incomplete", *files, "-m", "AP", "--samples", "2", "-q"]]
    evaluating, *comparing = loaded(*([*line, "-o", os.devnull] for line in lines))
    assert wings(evaluating) <= LIGHT | {"measures", "numpy"}
    assert "leadline.records.topics" not in evaluating  # nobody asked for some of the topics
    for line, found in zip(lines[1:], comparing, strict=True):
        assert wings(found) - {"html", "socket"} <= LIGHT | {"measures", "trust", "numpy", "scipy"}, line[1]


def modules_named(path: Path, known: Collection[str], *, in_functions: bool) -> set[str]:
    """The modules of ours that a file imports, but for the type checker: at its top, or in functions too."""
    found, todo = set[str](), list[ast.AST]([parsed(path)])
    while todo:
        for node in ast.iter_child_nodes(todo.pop()):
            if isinstance(node, ast.expr):
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not in_functions:
                continue
            if isinstance(node, ast.Import):
                found |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
            todo.append(node)
    return found & set(known)


def test_a_command_loads_no_wing_that_it_may_not() -> None:
    """A command with what it imports as it runs, and what is imported at the top of all of that."""
    homes = modules()
    at_top = {name: modules_named(path, homes, in_functions=False) for name, path in homes.items()}
    may = {name: {*wings.split(), *LIGHT} for wings, names in MAY_LOAD.items() for name in names.split(", ")}
    assert may.keys() == command_files().keys()
    for name, path in command_files().items():
        found, todo = set[str](), modules_named(path, homes, in_functions=True)
        while todo:
            found |= todo
            todo = set().union(*(at_top[module] for module in todo)) - found
        loads = {module.split(".")[1] for module in found if module.count(".") > 1 and not costs_nothing(module)}
        assert loads == may[name] & loads, name
        assert may[name] - loads <= LIGHT, f"{name} no longer loads all that it may: take that from the list"


def test_words_that_help_shows_without_loading_their_home_are_those_of_their_home() -> None:
    assert tuple(baselines()) == BASELINES
    assert tuple(POOLING) == POOL_RULES
    assert tuple(KINDS) == LAB_KINDS


# In a process of its own, since other tests may register more.
REGISTERED = """
from leadline.collections.choices import READER_FORMS
from leadline.collections.documents.registry import READERS
from leadline.judge.choices import LEARNER_NAMES, STOPPING_RULES
from leadline.judge.review.learners import LEARNERS
from leadline.judge.review.stopping import RULES

assert (tuple(READERS), tuple(LEARNERS), tuple(RULES)) == (READER_FORMS, LEARNER_NAMES, STOPPING_RULES)
"""


def test_names_that_help_takes_from_files_are_those_of_the_registers() -> None:
    subprocess.run([sys.executable, "-c", REGISTERED], check=True)


def test_an_option_also_takes_what_an_installed_package_registers(capsys: pytest.CaptureFixture[str]) -> None:
    known = {"ours": 1, "theirs": 2}
    parser = argparse.ArgumentParser()
    parser.add_argument("--form", type=registered(["ours"], lambda: known))
    assert parser.parse_args(["--form", "theirs"]).form == "theirs"
    assert parser.parse_args([]).form is None
    with pytest.raises(SystemExit):
        parser.parse_args(["--form", "thiers"])
    assert "did you mean theirs?" in capsys.readouterr().err


# Every module but kernels, and those that need a package which may not be installed.
ALL_BUT_KERNELS = """
import contextlib, importlib, pkgutil, sys
import leadline

for module in pkgutil.walk_packages(leadline.__path__, "leadline."):
    parts = module.name.split(".")
    if not {"kernels", "listing", "lists", "pruning"} & set(parts) and parts[1] != "cluster":  # all are of kernels
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(module.name)
assert "leadline.show.demo" in sys.modules
print(*sorted({"numba", "scipy"} & set(sys.modules)))
"""


def test_no_module_but_a_kernel_loads_numba_or_scipy_when_it_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", ALL_BUT_KERNELS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
