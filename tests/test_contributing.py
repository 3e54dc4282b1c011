"""The examples of CONTRIBUTING.md, written to where it says in a copy of the package, work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = re.compile(r"^`([\w/]+\.py)`[^\n]*:\n\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = dict(EXAMPLE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
FOLDERS = [
    "measures/catalogue", "retrieval/models/catalogue", "retrieval/pipeline/after", "collections/documents/readers",
    "show/figures", "retrieval/pipeline/synonyms", "commands/topics",
]  # fmt: skip

PROGRAM = """
import json, sys
from pathlib import Path
import leadline as ll
from leadline.cli import main

assert Path(ll.__file__).is_relative_to(Path.cwd()), ll.__file__
qrels, run = {"1": {"a": 1, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}
found = {"measure": ll.evaluate(qrels, run, ["Half@1", "Half(rel=2)@10", "half_recall"]).values[0, 0, ::2].tolist()}
import my_measures
found["outside"] = ll.evaluate(qrels, run, ["Found@1"]).values.tolist()

texts = ["rock salt", "rock salt and water", "halite", "rock salt"]
lines = [json.dumps({"id": f"US400000{n}A", "title": text}) for n, text in enumerate(texts, start=1)]
Path("a.jsonl").write_text(chr(10).join(lines))
index = ll.build_index(ll.build_collection("a.jsonl", "patents", keep="all"), "index", fields=["title"])
found["model"] = [hit.score for hit in ll.search(index, "halite", model="log_count(base=2.0)").hits]
def answers(step):
    Path("mine.toml").write_text('steps = ["text", %s]' % step)
    run = ll.make_run("index", ll.Topics([ll.Topic("US4000004A")]), "mine.toml")
    return [document for document, _ in run.ranking("US4000004A")]
found["step"] = answers('"search", "better_half"')
found["synonyms"] = sorted(answers('{step = "expand", synonyms = ["salts"], common = 1.0}, "search"'))
memo = "<memo number='1'><subject>Nail</subject></memo>"
other = "<internal-memo number='2'><body>Bolt</body></internal-memo>"
Path("m.xml").write_text(f"<m>{memo}{other}<memo><body>No number</body></memo></m>")
memos = ll.build_collection("m.xml", "memos", keep="all")
found["reader"] = [[document.id, document.title] for document in memos.documents()]
found["figure"] = "The longest run has 2 documents" in ll.report(qrels, run).html
print(json.dumps(found))
Path("topics.tsv").write_text("topic\\ttitle\\n1\\tsalt\\n2\\tiron\\n")
main(["topics", "count", "topics.tsv"])
main(["explain", "Half@10"])
main(["--help"])
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and the examples in it."""
    folder = tmp_path_factory.mktemp("contributed")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for path, content in EXAMPLES.items():
        assert not (folder / path).exists()
        (folder / path).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def said(copy: Path) -> tuple[Any, str]:
    """What the examples compute, and what the commands print."""
    pytest.importorskip("altair", reason="a chart needs the package altair")
    pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")
    places = os.pathsep.join((str(copy / "src"), str(copy)))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=copy, env=os.environ | {"PYTHONPATH": places, "PYTHONIOENCODING": "utf-8"},
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, _, rest = done.stdout.partition("\n")
    return json.loads(first), rest


def test_every_kind_has_an_example() -> None:
    folders = [str(Path(path).parent).removeprefix("src/leadline/") for path in EXAMPLES]
    assert folders == [*FOLDERS, "."]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("measure", [1.0, 1.0]),
        ("model", [pytest.approx(1.0986, abs=1e-4)]),
        ("step", ["US4000001A"]),
        ("synonyms", ["US4000001A", "US4000002A", "US4000003A"]),
        ("reader", [["1", "Nail"], ["2", ""]]),
        ("figure", True),
        ("outside", [[[1.0]]]),
    ],
)
def test_an_example_works(kind: str, expected: Any, said: tuple[Any, str]) -> None:
    assert said[0][kind] == expected


def test_the_command_works_and_is_listed(said: tuple[Any, str]) -> None:
    assert said[1].startswith("2\n")
    assert "Whether half of what is relevant is found" in said[1]
    assert re.search(r"leadline topics count +Count the topics of a file", said[1])


def test_examples_are_formatted_and_their_doctests_pass(copy: Path) -> None:
    pytest.importorskip("ruff", reason="the linter comes with the development tools")
    paths = [str(copy / path) for path in EXAMPLES]
    for check in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *check, "--no-cache", "--config", str(ROOT / "pyproject.toml"), *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    with_doctests = [path for path, content in EXAMPLES.items() if ">>>" in content]
    for path in with_doctests:
        module = ".".join(Path(path).with_suffix("").parts[1:])
        program = f"import doctest, {module} as m; assert doctest.testmod(m) == (0, 1), m"
        environment = os.environ | {"PYTHONPATH": str(copy / "src")}
        subprocess.run([sys.executable, "-c", program], env=environment, cwd=copy, check=True)
    assert len(with_doctests) == 2
