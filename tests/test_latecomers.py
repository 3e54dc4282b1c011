"""What users and installed packages add is found, listed and used like what the package has, whenever it comes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import InputError
from leadline.register import Register

SRC = Path(__file__).parents[1] / "src"

# What a user writes, by kind: a module that registers one member.
MINE = {
    "measures": """
from leadline.measures import Array, Hits, measure
@measure("mine", at="effort", aliases=("my_measure",))
def mine(hits: Hits, effort: int = 10) -> Array:
    '''Relevant documents among the first.'''
    return hits.found(1, effort).astype(float)
""",
    "models": """
from leadline.models import Array, Postings, model
@model("mine")
def mine(postings: Postings, times: float = 1.0) -> Array:
    '''How often the word occurs.'''
    return postings.tf * times
""",
    "steps": """
from leadline.steps import Cut, Step, step
@step("mine")
class Mine(Step):
    '''Keep the first results.'''
    k: int = 1
    def __call__(self, context, request):
        return Cut(self.k)(context, request)
""",
    "readers": """
from leadline.readers import Document, find_text, reader
@reader("mine", "memo")
def mine(element):
    '''One memo.'''
    return Document(id=element.get("number"), description=find_text(element, "body"))
""",
    "figures": """
from leadline.figures import Evidence, Figure, report_figure
@report_figure("mine", section="Of my own", label="mine")
def mine(evidence: Evidence) -> Figure:
    '''How many runs there are.'''
    return Figure("mine", f"I see {len(evidence.runs)} runs", "Count them.", None)
""",
    "synonyms": """
from leadline.steps import Thesaurus, synonym_source
@synonym_source("mine")
def mine(context):
    '''Names of salt.'''
    return Thesaurus.of([["salt", "halite"]])
""",
}

# Uses every kind end to end: first what the package has, and then what the argument says was added.
PROGRAM = """
import importlib, json
from pathlib import Path
import leadline as ll
from leadline.retrieval.pipeline.synonyms.thesaurus import SOURCES

A, B, C, TOPIC = ("US4000001A", "US4000002A", "US4000003A", "US4000004A")
TEXTS = {A: "salt and salt", B: "salt with much water", C: "halite", TOPIC: "salt"}
DAYS = {A: "1990-01-02", B: "1990-01-02", C: "1990-01-02", TOPIC: "1999-01-02"}
ROWS = [{"id": id, "title": text, "publication": DAYS[id]} for id, text in TEXTS.items()]
Path("a.jsonl").write_text("".join(json.dumps(row) + chr(10) for row in ROWS))
index = ll.build_index(ll.build_collection("a.jsonl", "collection", keep="all"), "index", fields=["title"])
context = ll.SearchContext.open("index")
topics = ll.Topics([ll.Topic(TOPIC)])
QRELS, RUN = {"1": {"A": 1, "B": 1}}, {"1": {"A": 2.0, "B": 1.0}}
Path("a.xml").write_text("<memos><memo number='M1'><body>A nail.</body></memo></memos>")

def answers(*steps):
    lines = ", ".join(steps)
    Path("mine.toml").write_text(f'steps = ["text", {lines}]')
    return [document for document, _ in ll.make_run(context, topics, "mine.toml").ranking(TOPIC)]

def measures(name):
    return ll.evaluate(QRELS, RUN, [f"{name}@2"]).values.tolist()

def models(name):
    return [hit.name for hit in ll.search(index, "salt", model=name).hits if hit.name != TOPIC]

def steps(name):
    return answers('"search"', f'{{step = "{name}", k = 1}}')

def readers(name):
    return [document.description for document in ll.build_collection("a.xml", name, keep="all", form=name).documents()]

def figures(name):
    return "I see 1 runs" in ll.report(QRELS, RUN, figures=[name]).html

def synonyms(name):
    return answers(f'{{step = "expand", synonyms = ["{name}"], common = 1.0}}', '"search"')

USES = {use.__name__: use for use in (measures, models, steps, readers, figures, synonyms)}

def listed(kind):
    return list(SOURCES) if kind == "synonyms" else getattr(ll, kind).names()

def known():
    names = dict(measures="P", models="bm25", steps="cut", figures="recall_effort", synonyms="variants")
    return {kind: USES[kind](name) for kind, name in names.items()} | {"readers": "jats" in ll.readers.names()}
"""
A, B, C = "US4000001A", "US4000002A", "US4000003A"
EXPECTED: dict[str, Any] = {
    "measures": [[[2.0]]],
    "models": [A, B],
    "steps": [A],
    "readers": ["A nail."],
    "figures": True,
    "synonyms": [C, A, B],
}


def output_of(folder: Path, program: str, *path: Path) -> tuple[Any, str]:
    """What a program prints as JSON, and what it says on standard error."""
    places = os.pathsep.join(map(str, (SRC, *path)))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program], cwd=folder, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": places, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def write_package(folder: Path, modules: dict[str, str], points: dict[str, str]) -> Path:
    """An installed package with these modules and these entry points: {group: module}."""
    (folder / "mine-1.0.dist-info").mkdir(parents=True)
    (folder / "mine-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    lines = [f"[leadline.{group}]\nmine = {module}\n" for group, module in points.items()]
    (folder / "mine-1.0.dist-info" / "entry_points.txt").write_text("\n".join(lines))
    for name, content in modules.items():
        (folder / f"{name}.py").write_text(content)
    return folder


USE_MINE = """
print(json.dumps({kind: [use("mine"), "mine" in listed(kind)] for kind, use in USES.items()}))
"""


@pytest.fixture(scope="module")
def latecomers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The results of members that user code registers after the first use of every register."""
    folder = tmp_path_factory.mktemp("latecomers")
    for kind, content in MINE.items():
        (folder / f"my_{kind}.py").write_text(content)
    program = f"""
known()
assert not any("mine" in listed(kind) for kind in USES)
for kind in USES:
    importlib.import_module("my_" + kind)
{USE_MINE}
"""
    return output_of(folder, program, folder)[0]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The results of members of an installed package, which nobody imports."""
    folder = tmp_path_factory.mktemp("installed")
    modules = {f"my_{kind}": content for kind, content in MINE.items()}
    package = write_package(folder / "site", modules, {kind: f"my_{kind}" for kind in MINE})
    found, said = output_of(folder, USE_MINE, package)
    assert not said
    return found


@pytest.mark.parametrize("kind", MINE)
def test_registered_after_the_first_use(kind: str, latecomers: Any) -> None:
    assert latecomers[kind] == [EXPECTED[kind], True]


@pytest.mark.parametrize("kind", MINE)
def test_offered_by_an_installed_package(kind: str, installed: Any) -> None:
    assert installed[kind] == [EXPECTED[kind], True]


def test_a_broken_package_is_one_warning_and_the_rest_works(tmp_path: Path) -> None:
    modules = {f"broken_{kind}": "raise ValueError('no\\n  luck')" for kind in MINE}
    site = write_package(tmp_path / "site", modules, {kind: f"broken_{kind}:it" for kind in MINE})
    used, said = output_of(tmp_path, "print(json.dumps([known(), *map(listed, USES)][0]))", site)
    assert used["measures"] == [[[1.0]]]
    assert used["steps"] == [A]
    assert used["readers"]
    expected = [f"leadline.{kind}: broken_{kind}:it cannot be loaded: ValueError: no luck" for kind in sorted(MINE)]
    assert sorted(re.findall("LeadlineWarning: (.*)", said)) == expected


def test_the_command_line_prints_the_warning_in_one_line(tmp_path: Path) -> None:
    site = write_package(tmp_path, {}, {"measures": "missing_module"})
    done = subprocess.run(
        [sys.executable, "-m", "leadline.cli", "measures"], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(SRC), str(site))), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    problem = "ModuleNotFoundError: No module named 'missing_module'"
    assert done.stderr == f"leadline: leadline.measures: missing_module cannot be loaded: {problem}\n"
    assert "PRES" in done.stdout


TAKEN = {
    "measures": "AP",
    "models": "bm25",
    "steps": "cut",
    "readers": "jats",
    "figures": "gamma",
    "synonyms": "variants",
}


@pytest.mark.parametrize("used_before", [False, True])
def test_names_of_others_are_refused_and_ones_own_may_be_replaced(tmp_path: Path, used_before: bool) -> None:
    """Also before anything is looked up, when the package's own members are not yet imported."""
    program = f"""
taken, mine = {TAKEN!r}, {MINE!r}
if {used_before}:
    known()
said = {{}}
for kind, content in mine.items():
    try:
        exec(content.replace('"mine"', repr(taken[kind])), {{"__name__": "somebody"}})
    except ll.InputError as error:
        said[kind] = str(error)
    for _ in range(2):
        exec(content, {{"__name__": "notebook"}})
    try:
        exec(content, {{"__name__": "somebody"}})
        said[kind] = "not refused"
    except ll.InputError as error:
        assert "'mine' is taken by mine of notebook" in str(error), error
used = known()
print(json.dumps([said, used["measures"]]))
"""
    (said, used), _ = output_of(tmp_path, program)
    assert used == [[[1.0]]]
    for kind, name in TAKEN.items():
        assert f"{name!r} is taken by {name} of leadline." in said[kind]


def test_a_replaced_source_of_synonyms_is_used(tmp_path: Path) -> None:
    program = f"""
content = {MINE["synonyms"]!r}
exec(content.replace("halite", "nothing"), {{"__name__": "notebook"}})
before = synonyms("mine")
exec(content, {{"__name__": "notebook"}})
print(json.dumps([before, synonyms("mine")]))
"""
    assert output_of(tmp_path, program)[0] == [[A, B], [C, A, B]]


def test_a_measure_that_comes_late_is_offered_to_ir_measures(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    program = f"""
import ir_measures
provider = ll.measures.offer_to_ir_measures()
exec({MINE["measures"]!r}, {{"__name__": "notebook"}})
assert ll.measures.offer_to_ir_measures() is provider
mine = ir_measures.parse_measure("mine@2")
print(json.dumps(ir_measures.calc_aggregate([mine], QRELS, RUN)[mine]))
"""
    assert output_of(tmp_path, program)[0] == 2.0


def test_an_alias_of_another_is_refused() -> None:
    shapes = Register[int]("shape")
    shapes.add("square", 4, aliases=("quad",), home="one")
    for name, aliases in (("QUAD", ()), ("box", ("Square",))):
        with pytest.raises(InputError, match=r"^shape: '\w+' is taken by square of one$"):
            shapes.add(name, 4, aliases=aliases, home="one")
    assert list(shapes) == ["square"]
