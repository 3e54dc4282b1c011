"""The options of a command from the public function that does its work: its signature and its docstring.

A parameter with a line `name: what it is` in the docstring is an option; its type says what may be typed, and whether
it is an input. The source is read and not imported, because showing help must not load the wing that does the work.
"""

from __future__ import annotations

import argparse
import ast
import re
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import leadline
from leadline import options as option_types
from leadline.commands.shared.argument_kinds import INPUT_FILE, INPUT_FILES, OUR_FOLDER, WORD
from leadline.commands.shared.options import (
    as_written,
    bounded_number,
    choice,
    filter_values,
    is_date,
    list_of,
    memory_type,
    whole_number,
)
from leadline.options import LARGEST, Bounds
from leadline.records import other_packages

Settings = dict[str, Any]  # of an argument, as argparse takes them; `flags` are its names
ROOT = Path(leadline.__file__).parents[1]
HOMES = {each.__name__: each for each in (option_types, other_packages)}  # loaded in any case; they have types
TEXT: Settings = {"type": WORD}
FILE: Settings = {"metavar": "FILE", "type": INPUT_FILE}
KINDS: dict[str, Settings] = {
    "bool": {"action": "store_true"},
    "int": {"metavar": "N", "type": whole_number()},
    "float": {"metavar": "X", "type": bounded_number(Bounds())},
    "str": TEXT,
    "Path": FILE,
    "PathLike": FILE,
    "QrelsLike": {"metavar": "QRELS", "type": INPUT_FILE},
    "RunsLike": {"metavar": "RUN", "type": INPUT_FILES, "nargs": "+"},
    "Day": {"metavar": "DATE", "type": as_written(is_date)},
    "Classes": {"flags": ["--class"], "metavar": "CODES", "type": as_written(partial(filter_values, "class"))},
    "Offices": {"flags": ["--office"], "metavar": "CODES", "type": as_written(partial(filter_values, "office"))},
    "Step": {"metavar": "STEP", "type": WORD},
    "IndexLike": {"metavar": "INDEX", "type": OUR_FOLDER},
    "MeasuresLike": {"flags": ["-m", "--measures"], "metavar": "MEASURES", "type": WORD, "action": "append"},
    "MeasureLike": {"flags": ["-m", "--measures"], "metavar": "MEASURE", "type": WORD},
    "MemoryLike": {"metavar": "SIZE", "type": memory_type},
}  # by the name of the type
METAVARS = {
    "Order": "ORDER", "Format": "FORMAT", "Grade": "GRADE", "Level": "LEVEL", "Part": "SHARE",
    "ShareOrPercent": "SHARE", "Seconds": "SECONDS",
}  # fmt: skip


class Parameter(NamedTuple):
    """A parameter of a function that is an option: its line in the docstring, its type and its default."""

    name: str
    text: str
    kind: Settings
    default: Any
    is_required: bool
    is_named: bool  # given as --name; else by its place

    def changed(self, own: Settings) -> Parameter:
        """The same with the words to choose from and the default of a command; the words are taken out of `own`."""
        kind = self.kind | _choice([*own.pop("choices")]) if "choices" in own else self.kind
        return self._replace(kind=kind, default=self.default if own.get("default") is None else own["default"])

    def settings(self, named: dict[str, Any]) -> Settings:
        """What argparse is told of it; the other parameters are written in its text as options."""
        found = {key: value for key, value in self.kind.items() if key != "choices"}
        found["help"] = self._help(named)
        if self.is_named:
            found = {"flags": [_option(self.name)], "dest": self.name} | found
            found |= {"required": True} if self.is_required else {"default": self.default}
        elif found.get("metavar") == "FILE":
            found["metavar"] = self.name.upper()
        return found

    def _help(self, named: dict[str, Any]) -> str:
        text = re.sub(r"`(\w+)`", lambda name: _option(name[1]) if name[1] in named else name[0], self.text)
        if choices := self.kind.get("choices"):
            text = re.sub(r"(?= \(default|$)", f": {', '.join(choices)}", text, count=1)
        if self.default not in (None, False, "", ()) and "(default" not in text:
            several = isinstance(self.default, (tuple, list))
            text += f" (default: {','.join(map(str, self.default)) if several else self.default})"
        return text.replace("%", "%%")


class Signature:
    """The options of a function, from its source."""

    def __init__(self, module: str, function: str, root: Path = ROOT) -> None:
        self._source = _Source(module, root)
        self.options = {each.name: each for each in self._source.parameters(function)}

    def add(self, parser: argparse._ActionsContainer, *names: str, **changes: Settings) -> None:
        """Add all options, or these, to a parser; `changes` are what is particular to a command, by option."""
        for name in names or self.options:
            own = dict(changes.get(name, {}))
            settings = self.options[name].changed(own).settings(self.options) | own
            parser.add_argument(*settings.pop("flags", [name]), **settings)

    def given(self, options: argparse.Namespace, *names: str, **others: Any) -> dict[str, Any]:
        """The arguments of a call: what was typed for all options or these, and others. The function knows the rest."""
        typed = {name: getattr(options, name, None) for name in names or self.options}
        return {name: value for name, value in (typed | others).items() if value is not None}


@cache
def public(name: str) -> Signature:
    """The signature of a public function of `leadline`."""
    return Signature(next(home for home, names in leadline._HOMES.items() if name in names), name)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _name(node: ast.expr | None) -> str:
    """The last word of a name such as `os.PathLike`; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class _Source:
    """The text of a module, in which functions, types and constants are found without running it."""

    def __init__(self, module: str, root: Path) -> None:
        self._root = root
        self._text = root.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")

    def parameters(self, function: str) -> list[Parameter]:
        """The parameters of a function that its docstring has a line of."""
        # From its first overload to the end of the docstring: parsing the whole file takes ten times as long.
        found = re.search(rf'^def {function}\(.*?^    """.*?"""', self._text, re.DOTALL | re.MULTILINE)
        assert found, f"no function {function} with a docstring"
        node = ast.parse(found[0]).body[-1]
        assert isinstance(node, ast.FunctionDef)
        lines = described(ast.get_docstring(node) or "")
        placed, named = [*node.args.posonlyargs, *node.args.args], node.args.kwonlyargs
        defaults = [*[None] * (len(placed) - len(node.args.defaults)), *node.args.defaults, *node.args.kw_defaults]
        return [
            Parameter(
                each.arg,
                lines[each.arg],
                self.kind(each.annotation),
                self._value(default) if default else None,
                default is None,
                each in named or default is not None,
            )
            for each, default in zip([*placed, *named], defaults, strict=True)
            if each.arg in lines
        ]

    def kind(self, node: ast.expr | None) -> Settings:
        """What a type says of an argument; of a union, what its first part says that can be typed."""
        if isinstance(node, ast.BinOp):
            first, second = self.kind(node.left), self.kind(node.right)
            return second if first is TEXT and second is FILE else first or second
        if isinstance(node, ast.Constant) and isinstance(node.value, str):  # a type in quotes
            return self.kind(ast.parse(node.value, mode="eval").body)
        if isinstance(node, ast.Subscript):
            return self._kind_of_parts(node)
        name = _name(node)
        if name in KINDS:
            return KINDS[name]
        source, meaning = self._meaning(name) if name else (self, None)
        found = source.kind(meaning) if isinstance(meaning, ast.expr) else _kind_of(meaning)
        return found | ({"metavar": METAVARS[name]} if name in METAVARS and found else {})

    def _kind_of_parts(self, node: ast.Subscript) -> Settings:
        """The kind of `Literal[...]`, `Annotated[...]` or `Sequence[...]`."""
        of, parts = _name(node.value), node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if of == "Literal":
            return _choice([ast.literal_eval(each) for each in parts])
        if of == "Annotated" and isinstance(bounds := parts[1], ast.Call):
            named = {str(each.arg): self._value(each.value) for each in bounds.keywords}
            return _number(_name(parts[0]), Bounds(*map(self._value, bounds.args), **named))
        if of in ("Sequence", "Collection", "Iterable") and (each := self.kind(parts[0])):
            return {"metavar": each.get("metavar", "NAME") + "S", "type": list_of(each["type"], ", ")}
        return self.kind(node.value)

    def _value(self, node: ast.expr) -> Any:
        """A default; a constant is looked up, and the words of a type are those to choose from."""
        if isinstance(node, ast.Call) and _name(node.func) == "get_args":
            return tuple(self.kind(node.args[0])["choices"])
        if not isinstance(node, ast.Name):
            return ast.literal_eval(node)
        source, meaning = self._meaning(node.id)
        return source._value(meaning) if isinstance(meaning, ast.expr) else meaning

    def _meaning(self, name: str) -> tuple[_Source, Any]:
        """What a name stands for, here or in the module that it is imported from: its source, or an object of HOMES."""
        pattern = rf"^{name}(?:: [^=\n]+)? = (\(\n(?s:.*?)^\)|.+?)(?:  #.*)?$"
        if found := re.search(pattern, self._text, re.MULTILINE):
            return self, ast.parse(found[1], mode="eval").body
        for imported in re.finditer(r"^\s*from (leadline\S*) import (\([^)]*\)|.*)", self._text, re.MULTILINE):
            for each in imported[2].strip("()").split(","):
                real, _, here = each.strip().partition(" as ")
                if (here or real) == name and imported[1] in HOMES:
                    return self, getattr(HOMES[imported[1]], real)
                if (here or real) == name:
                    return _Source(imported[1], self._root)._meaning(real)
        return self, None


def described(docstring: str) -> dict[str, str]:
    """The lines `name: text` of a docstring; what continues one is indented.

    >>> described("Scale it.\\n\\nby: a factor, or\\n    a share\\nof: what is scaled\\n\\nNote: not this.")
    {'by': 'a factor, or a share', 'of': 'what is scaled'}
    """
    found = re.finditer(r"^([a-z_]+): (.+(?:\n +.+)*)", docstring, re.MULTILINE)
    return {line[1]: " ".join(line[2].split()) for line in found}


def _kind_of(hint: Any) -> Settings:
    """The same for a type that is loaded: words to choose from, or a number within bounds."""
    if get_origin(hint) is Literal:
        return _choice([*get_args(hint)])
    if get_origin(hint) is not Annotated:
        return {}
    number, bounds = get_args(hint)
    return _number(number.__name__, bounds)


def _number(kind: str, bounds: Bounds) -> Settings:
    if kind == "float":
        return {"metavar": "X", "type": bounded_number(bounds)}
    limits = int(max(bounds.least, -LARGEST)), int(bounds.most if bounds.most < float("inf") else LARGEST)
    return {"metavar": "N", "type": whole_number(*limits)}


def _choice(words: list[str]) -> Settings:
    return {"metavar": "WORD", "type": choice(words), "choices": words}
