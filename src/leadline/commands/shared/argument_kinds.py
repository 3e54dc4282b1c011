"""What an argument of a command is, said by its type: what it reads, what it writes, or a value such as a number.

No list of names says which options are inputs: `check_outputs` asks the types. A test finds an argument without one.
"""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from leadline.errors import InputError
from leadline.text.owned_files import BESIDE_POOL, ELSEWHERE, POOLS, RECORD, is_manifest, owner_of, owner_of_folder

Item = TypeVar("Item")


class ArgumentKind:
    """The type of an argument: converts what was typed, and says what the command does with it."""

    elsewhere = ELSEWHERE  # how to mend an output that is refused
    choices: Sequence[str] = ()  # words that it may be, which completion in a shell offers

    def __call__(self, text: str) -> Any:
        return text

    def reads(self, given: str, output: Path) -> str | None:
        """How an output is what this argument reads, in words; None if it is not."""
        return None

    def writes(self, given: str) -> list[str]:
        """The files that the command writes because of this argument."""
        return []

    def refused(self, given: str) -> tuple[str, str] | None:
        """A file that may not be written because it is ours, and what it is, in words; None if all may be."""
        return None


class Value(ArgumentKind, Generic[Item]):
    """A number, a word, a choice, a list of them: nothing on the disk. Also decorates a function that converts."""

    def __init__(self, convert: Callable[[str], Item], choices: Sequence[str] = ()) -> None:
        self._convert, self.choices = convert, choices
        self.__name__ = getattr(convert, "__name__", "value")  # argparse names the type in its error
        self.__doc__ = convert.__doc__

    def __call__(self, text: str) -> Item:
        return self._convert(text)


class InputPath(ArgumentKind):
    """A file, a pattern, or a folder whose files are read; with `deep` also those of the folders in it.

    With `or_word` it may be something else, such as the number of a patent: only what is there is a path. `is_path`
    tells paths from words that could name a file by chance.
    """

    def __init__(
        self,
        convert: Callable[[str], str] = str,
        *,
        deep: bool = False,
        or_word: bool = False,
        is_path: Callable[[str], bool] = bool,
        choices: Sequence[str] = (),
    ) -> None:
        self._convert, self._deep, self._or_word, self._is_path = convert, deep, or_word, is_path
        self.choices = choices

    def __call__(self, text: str) -> str:
        return self._convert(text)

    def reads(self, given: str, output: Path) -> str | None:
        if not self._is_path(given) or (self._or_word and not os.path.lexists(given)):
            return None
        if _is_same(given, output):
            return "an input as well as the output"
        if not os.path.isfile(output):  # nothing could be lost
            return None
        if any(_is_same(path, output) for path in self._files(given, output)):
            return f"in {given}, which is an input"
        return None

    def _files(self, given: str, output: Path) -> Iterator[str]:
        yield from glob.iglob(given, recursive=True)
        if not self._deep:
            yield from glob.iglob(f"{given}/*")
        elif output.is_relative_to(os.path.realpath(given)):
            yield str(output)
        elif output.stat().st_nlink > 1:  # perhaps it is another name of a file in there
            yield from (os.path.join(folder, name) for folder, _, names in os.walk(given) for name in names)


class PoolPath(ArgumentKind):
    """A pool, with all that is kept beside it."""

    def reads(self, given: str, output: Path) -> str | None:
        if _is_same(given, output):
            return "an input as well as the output"
        parts = BESIDE_POOL.items()
        return next((f"{what} of the pool {given}" for end, what in parts if _is_same(f"{given}{end}", output)), None)


class OurPath(InputPath):
    """A folder of ours, a pool with all that is kept beside it, or another file of ours."""

    def reads(self, given: str, output: Path) -> str | None:
        return super().reads(given, output) or PoolPath().reads(given, output)


class OutputFile(ArgumentKind):
    """A file that is written. `makes`: the folders of a lab where it may lie; `beside`: endings that go with it."""

    def __init__(self, *makes: str, beside: tuple[str, ...] = (), convert: Callable[[str], str] = str) -> None:
        self._makes, self._beside, self._convert = makes, beside, convert

    def __call__(self, text: str) -> str:
        return self._convert(text)

    def writes(self, given: str) -> list[str]:
        record = (RECORD,) if POOLS in self._makes else ()
        return [f"{given}{ending}" for ending in ("", *self._beside, *record)]

    def refused(self, given: str) -> tuple[str, str] | None:
        # Not the record of a pool: it goes with the pool, of which is asked whether it may be replaced.
        for ending in ("", *self._beside):
            path = f"{given}{ending}"
            if ending and is_manifest(path):  # of what was made here before, which is asked about itself
                continue
            if owner := owner_of(path, self._makes):
                return path, owner
        return None


class UpdatedFile(OutputFile):
    """A file of ours that the command reads and writes again, such as the queries of a session."""

    def reads(self, given: str, output: Path) -> str | None:
        return "an input as well as the output" if _is_same(given, output) else None

    def refused(self, given: str) -> tuple[str, str] | None:
        owner = owner_of(given, (), content=False)
        return (given, owner) if owner else None


class OutputFolder(ArgumentKind):
    """A folder of ours that is made, or written to again. `makes` are the folders of a lab where it may lie."""

    elsewhere = "name another folder for the output"

    def __init__(self, *makes: str) -> None:
        self._makes = makes

    def reads(self, given: str, output: Path) -> str | None:
        return f"in {given}, which this command writes" if output.is_relative_to(os.path.realpath(given)) else None

    def refused(self, given: str) -> tuple[str, str] | None:
        owner = owner_of_folder(given, self._makes)
        return (given, owner) if owner else None


WORD = Value(str)
INPUT_FILE = INPUT_FILES = InputPath()  # one; or several, also as patterns and folders
INPUT_TREE = InputPath(deep=True)
FILE_OR_WORD = InputPath(or_word=True)
OUR_FOLDER = InputPath(deep=True)  # a collection, an index, a review, a lab, …
OUR_POOL = PoolPath()
OURS = OurPath(deep=True)  # either of these, or another file of ours
OUTPUT_FILE = OutputFile()


def check_outputs(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse to write over a file that the same command reads or writes, and over any file of ours."""
    given = [(action, kind, value) for action in parser._actions for kind, value in _given_texts(action, options)]
    for action, kind, value in given:
        if value == "-":
            continue
        option = action.option_strings[0] if action.option_strings else str(action.metavar)
        if refused := kind.refused(value):
            path, owner = refused
            raise InputError(f"{option} {path}", f"is {owner}: {kind.elsewhere}")
        for path in kind.writes(value):
            output = Path(os.path.realpath(path))
            if os.path.lexists(output) and not os.path.isfile(output):  # a device or a pipe
                continue
            for other, reader, name in given:
                # Standard input may be a file, as in `- < runs.txt`.
                read = "/dev/stdin" if name == "-" else name
                if other is not action and (found := reader.reads(read, output)):
                    raise InputError(f"{option} {path}", f"is {found}: {ELSEWHERE}")
                if other is not action and any(_is_same(each, output) for each in reader.writes(name)):
                    raise InputError(f"{option} {path}", f"is the output of {other.option_strings[0]} too: {ELSEWHERE}")


def _given_texts(action: argparse.Action, options: argparse.Namespace) -> Iterator[tuple[ArgumentKind, str]]:
    """The texts that were given for an argument, each with what it is."""
    value = getattr(options, action.dest, None)
    for each in value if isinstance(value, list) else [value]:
        if isinstance(action.type, ArgumentKind) and isinstance(each, str) and each:
            yield action.type, each


def _is_same(path: str, output: Path) -> bool:
    """Whether two paths are one file, also if it is not there yet, or has two names."""
    if os.path.realpath(path) == str(output):
        return True
    try:
        return output.samefile(path)
    except OSError:
        return False
