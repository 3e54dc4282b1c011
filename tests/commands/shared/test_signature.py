"""The options of a command come from the public function that does its work, and from nowhere else."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

import leadline as ll
from leadline.commands import FOLDER, command_files
from leadline.commands.shared.argument_kinds import INPUT_FILE, check_outputs
from leadline.commands.shared.options import add_options
from leadline.commands.shared.signature import Settings, Signature, described, public
from leadline.errors import InputError

TOY = '''
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import no_such_package
from leadline.options import Bounds, Count, Level, Part
from leadline.records.inputs import Path, QrelsLike
from leadline.toys.words import Colour as Shade

FIRST = 3


@overload
def paint(qrels: int) -> None: ...
def paint(
    qrels: QrelsLike,
    wall: Path,
    *,
    shade: Shade = "red",
    coats: Count = FIRST,
    rooms: Annotated[int, Bounds(2, 9)] | None = None,
    level: Level = 0.05,
    keep: Sequence[Part] = (0.2, 0.4),
    list_file: str | Path | None = None,
    by: str,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Paint a wall.

    qrels: judgements
    wall: what is painted
    shade: which colour
    coats: how often
    rooms: how many, 100 % of them
        if there are more
    level: of significance
    keep: shares to keep
    list_file: where it is written what, beside `dry_run`
    by: who paints
    dry_run: paint nothing

    `progress` is told of every coat.
    """
'''


@pytest.fixture
def toy(tmp_path: Path) -> Signature:
    folder = tmp_path / "leadline" / "toys"
    folder.mkdir(parents=True)
    (folder / "work.py").write_text(TOY, encoding="utf-8")
    (folder / "words.py").write_text('Colour = Literal["red", "blue"]  # of a wall\n', encoding="utf-8")
    return Signature("leadline.toys.work", "paint", tmp_path)


@pytest.fixture
def parser(toy: Signature) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("paint", exit_on_error=False)
    toy.add(parser, rooms={"flags": ["-r", "--rooms"]})
    return parser


def test_a_function_gets_a_parser_from_its_source_alone(toy: Signature, parser: argparse.ArgumentParser) -> None:
    options = parser.parse_args(["q.txt", "w.png", "--by", "anna", "-r", "4", "--keep", "0.5, 1", "--dry-run"])
    assert toy.given(options, progress=print) == {
        "qrels": "q.txt", "wall": "w.png", "shade": "red", "coats": 3, "rooms": 4, "level": 0.05, "keep": (0.5, 1.0),
        "by": "anna", "dry_run": True, "progress": print,
    }  # fmt: skip
    assert toy.given(options, "coats", "list_file") == {"coats": 3}
    assert "leadline.toys" not in sys.modules


def test_a_new_option_is_one_edit_of_the_function(toy: Signature, tmp_path: Path) -> None:
    source = tmp_path / "leadline" / "toys" / "work.py"
    text = source.read_text(encoding="utf-8").replace("    by: str,\n", "    by: str,\n    width: Count = 7,\n")
    source.write_text(
        text.replace("    by: who paints\n", "    by: who paints\n    width: of the brush\n"), encoding="utf-8"
    )
    changed = Signature("leadline.toys.work", "paint", tmp_path)
    parser = argparse.ArgumentParser("paint")
    changed.add(parser)
    typed = ["q.txt", "w.png", "--by", "anna"]
    assert "--width N of the brush (default: 7)" in " ".join(parser.format_help().split())
    assert changed.given(parser.parse_args(typed)) == toy.given(parser.parse_args(typed)) | {"width": 7}
    assert changed.given(parser.parse_args([*typed, "--width", "2"]))["width"] == 2


def test_help_says_what_the_docstring_and_the_types_say(parser: argparse.ArgumentParser) -> None:
    shown = " ".join(parser.format_help().split())
    for line in (
        "QRELS judgements",
        "WALL what is painted",
        "--shade WORD which colour: red, blue (default: red)",
        "--coats N how often (default: 3)",
        "--rooms N how many, 100 % of them if there are more",
        "--level LEVEL of significance (default: 0.05)",
        "--keep SHARES shares to keep (default: 0.2,0.4)",
        "--list-file FILE where it is written what, beside --dry-run",
        "--by BY who paints",
        "--dry-run paint nothing",
    ):
        assert line in shown
    assert "progress" not in shown


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["--shade", "rad"], "'rad' is not one of red, blue; did you mean red?"),
        (["--coats", "0"], "must be at least 1, got 0"),
        (["--coats", "two"], "must be a whole number, got 'two'"),
        (["--rooms", "10"], "must be at most 9, got 10"),
        (["--level", "1"], "must be above 0 and below 1, got 1"),
        (["--keep", "0.5,0"], "must be above 0 and at most 1, got 0"),
    ],
)
def test_types_refuse_what_does_not_fit(parser: argparse.ArgumentParser, typed: list[str], message: str) -> None:
    with pytest.raises(argparse.ArgumentError) as error:
        parser.parse_args(["q.txt", "w.png", "--by", "anna", *typed])
    assert message in str(error.value)


def test_no_output_replaces_what_a_path_of_the_function_is(
    parser: argparse.ArgumentParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.txt").write_text("x", encoding="utf-8")
    add_options(parser, "-o")
    options = parser.parse_args(["q.txt", "w.png", "--by", "anna", "--list-file", "list.txt", "-o", "list.txt"])
    with pytest.raises(InputError, match="an input as well as the output"):
        check_outputs(parser, options)


PUBLIC = {name: each for name in ll.__all__ if inspect.isfunction(each := getattr(ll, name))}
FUNCTIONS = [name for name, each in PUBLIC.items() if described(inspect.getdoc(each) or "")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_read_from_the_source_is_what_python_has(name: str) -> None:
    function = getattr(ll, name)
    real = inspect.signature(function).parameters
    found = public(name).options
    assert set(found) == set(described(inspect.getdoc(function) or "")) <= set(real)
    for each in found.values():
        default = real[each.name].default
        assert each.is_required == (default is inspect.Parameter.empty)
        assert each.is_required or each.default == default
        assert each.kind, f"{name}({each.name}) has a type that nothing can be typed for"


def test_files_of_evaluate_are_inputs() -> None:
    files = {name for name, each in public("evaluate").options.items() if each.kind.get("type") is INPUT_FILE}
    assert files == {"qrels", "runs", "topics", "reads", "lengths", "runs_info", "duplicates"}


# Options that a command describes itself, though its public function has a parameter of that name.
SHARED = {"inputs", "collection", "output", "format"}  # of many commands, most of which have no such function
BY_HAND = {
    "evaluate": {"like"},  # also prints the lines of the other program
    "compare slices": {"topics", "by"},  # may be left out: the judgements have an attribute, too
    "crawl": {"seed_file"},  # --seeds, a file: in Python the seeds are listed
    "judge agreement": {"measures", "runs"},  # ranks the runs by each person's marks
    "links pagerank": {"personal"},  # a file, in Python a mapping
    "prior-art": {"system"},  # lists the systems there are
    "review begin": {"labels"},  # whether labels in the files are taken over
    "run": {"system"},
    "search": {"system"},
    "systems": {"names"},
    "topics sample": {"after", "before"},  # dates of priority, not of publication
}


def functions_of(name: str, path: Path) -> set[str]:
    """The public functions of a command: that of its name, those it imports, and those it takes options from."""
    source = path.read_text(encoding="utf-8")
    imported = {
        each.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) for each in node.names
    }
    named = {*imported, *re.findall(r'public\("(\w+)"\)', source), name.replace("-", "_")}
    return {each for each in named & set(ll.__all__) if inspect.isfunction(getattr(ll, each))}


@pytest.mark.parametrize("name", command_files())
def test_no_command_describes_what_its_public_function_describes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option with the name of a parameter has its text from that parameter's line."""
    from_lines, add = set[str](), Signature.add

    def recorded(self: Signature, parser: argparse.ArgumentParser, *names: str, **changes: Settings) -> None:
        before = len(parser._actions)
        add(self, parser, *names, **changes)
        for option, action in zip(names or self.options, parser._actions[before:], strict=True):
            if "help" not in changes.get(option, {}):
                from_lines.add(action.dest)

    monkeypatch.setattr(Signature, "add", recorded)
    path = command_files()[name]
    parser = argparse.ArgumentParser()
    module = ".".join(path.relative_to(FOLDER).with_suffix("").parts)
    importlib.import_module(f"leadline.commands.{module}").add_arguments(parser)
    functions = functions_of(name, path)
    parameters = {each for function in functions for each in inspect.signature(PUBLIC[function]).parameters}
    by_hand = {
        action.dest
        for action in parser._actions
        if {action.dest, *(flag.strip("-").replace("-", "_") for flag in action.option_strings)} & parameters
    } - from_lines
    assert by_hand - SHARED == BY_HAND.get(name, set())
