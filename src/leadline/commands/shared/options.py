"""Options and arguments that several commands have, each defined once, and the types that check values."""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from leadline.commands.shared.argument_kinds import (
    INPUT_FILES,
    OUR_FOLDER,
    OUTPUT_FILE,
    InputPath,
    Value,
)
from leadline.errors import InputError, LeadlineError, LeadlineWarning, UsageError, nearest, not_a_choice, visible
from leadline.options import LARGEST, Bounds, Level, Part
from leadline.records.result import FORMATS, counted

if TYPE_CHECKING:
    from leadline.text.spread import MemoryBudget

Item = TypeVar("Item")


def whole_number(least: int = -LARGEST, most: int = LARGEST) -> Value[int]:
    """The type of an option that takes a whole number."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
        if not least <= number <= most:
            bound = f"at least {least:,}" if number < least else f"at most {most:,}"
            raise argparse.ArgumentTypeError(f"must be {bound}, got {number}")
        return number

    return Value(convert)


def bounded_number(bounds: Bounds) -> Value[float]:
    """The type of an option that takes a number within bounds."""

    def convert(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None
        if number not in bounds:
            raise argparse.ArgumentTypeError(f"must be {bounds}, got {text}")
        return number

    return Value(convert)


share, level = (bounded_number(get_args(each)[1]) for each in (Part, Level))


def choice(choices: Sequence[str]) -> Value[str]:
    """The type of an option that takes one of these words; the error suggests the nearest."""

    def convert(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(not_a_choice("", text, choices).problem)
        return text

    return Value(convert, choices)


def list_of(convert: Callable[[str], Item], separators: str = ",") -> Value[tuple[Item, ...]]:
    """The type of an option that takes several values of another type."""

    def convert_each(text: str) -> tuple[Item, ...]:
        items = split_list(text, separators)
        if not items:
            raise argparse.ArgumentTypeError("must name at least one, got none")
        return tuple(map(convert, items))

    return Value(convert_each, getattr(convert, "choices", ()))


def split_list(text: str, separators: str = ",") -> list[str]:
    """The parts of a list written with commas.

    >>> split_list("EP, US,")
    ['EP', 'US']
    """
    return [part.strip() for part in re.split(f"[{separators}]", text) if part.strip()]


def as_written(check: Callable[[str], object]) -> Value[str]:
    """The type of an option that stays a text; `check` raises InputError if it is wrong."""

    def convert(text: str) -> str:
        try:
            check(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(error.problem) from None
        return text

    return Value(convert)


def is_date(text: str) -> None:
    """Raise InputError if a text is not a date."""
    from leadline.text.days import parse_date

    parse_date(text)


def filter_values(name: str, text: str) -> list[str]:
    """The classes or offices of a list, in their normal spelling."""
    from leadline.retrieval.language import fields

    return fields.filter_values(name, split_list(text), f"--{name}")


@contextmanager
def wrong_usage(option: str | None = None) -> Iterator[None]:
    """Turn an error raised inside into wrong usage, of this option if given."""
    try:
        yield
    except InputError as error:
        raise UsageError(option or error.where, error.problem) from None
    except LeadlineError as error:
        raise UsageError(option or "", str(error)) from None


@Value
def memory_type(text: str) -> int:
    """The type of an option that takes a size of memory."""
    from leadline.text.spread import memory_size

    try:
        return memory_size(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(error.problem) from None


def memory_budget(options: argparse.Namespace) -> MemoryBudget | None:
    """The budget of --memory, which is stated before the work; temporary files are beside the output."""
    if options.memory is None:
        return None
    from leadline.commands.shared.output import print_notes
    from leadline.text.files import readable_size
    from leadline.text.source import physical_memory
    from leadline.text.spread import MemoryBudget

    if options.memory > physical_memory():
        limit, there = readable_size(options.memory), readable_size(physical_memory())
        print_notes([f"--memory {limit} is more than this machine has, which is {there}"], options)
    output = getattr(options, "output", None)
    folder = str(Path(output).absolute().parent) if output not in (None, "-") else None
    return MemoryBudget(options.memory, folder, lambda note: print_notes([note], options))


_SHARED: dict[str, dict[str, Any]] = {
    "inputs": {
        "metavar": "QRELS RUN",
        "type": INPUT_FILES,
        "nargs": "*",
        "help": "judgements, then runs: files, patterns or folders",
    },
    "collection": {
        "metavar": "DIR",
        "type": OUR_FOLDER,
        "help": "collection folder, made by `leadline collection build`",
    },
    "--strict": {"action": "store_true", "help": "stop at a file in a folder that is not a run (default: skip it)"},
    "--collection": {"metavar": "DIR", "type": OUR_FOLDER, "help": "collection folder, if it was moved after indexing"},
    "-f --format": {
        "metavar": "FORMAT",
        "default": "table",
        "type": choice(FORMATS),
        "help": f"output format: {', '.join(FORMATS)} (default: %(default)s)",
    },
    "--keep-formulas": {
        "action": "store_true",
        "help": "csv: keep text that a spreadsheet would run, such as =A1 (default: put a ' before)",
    },
    "-o --output": {"metavar": "FILE", "type": OUTPUT_FILE, "help": "output file (default: standard output)"},
    "-q --quiet": {"action": "store_true", "help": "print no notes and no progress bar"},
}
_FLAGS = {flag: flags.split() for flags in _SHARED for flag in flags.split()}


def add_options(parser: argparse.ArgumentParser, *names: str, **changes: Any) -> None:
    """Add shared options and arguments by name; `changes` replace parts of their definitions."""
    for name in names:
        flags = _FLAGS[name]
        parser.add_argument(*flags, **_SHARED[" ".join(flags)] | changes)
        if name == "-f":
            add_options(parser, "--keep-formulas")


def add_choice(
    parser: argparse.ArgumentParser,
    flag: str,
    choices: Sequence[str],
    meaning: str,
    default: str | None,
    shown: str | None = None,
) -> None:
    """Add an option that takes one of these words; help names `shown` if the value is None by default."""
    words = f"{meaning}: {', '.join(choices)} (default: {shown or default})"
    parser.add_argument(flag, metavar="WORD", type=choice(choices), default=default, help=words)


def add_number(
    parser: argparse.ArgumentParser,
    flags: str,
    meaning: str,
    default: int | None = None,
    *,
    least: int = 1,
    most: int = LARGEST,
) -> None:
    """Add an option that takes a whole number."""
    words = f"{meaning}{' (default: %(default)s)' * (default is not None)}"
    parser.add_argument(*flags.split(), metavar="N", type=whole_number(least, most), default=default, help=words)


def add_summary_options(parser: argparse.ArgumentParser) -> None:
    """The options of a command that writes a file with -o and prints a table about it."""
    formats = [name for name in FORMATS if name != "parquet"]
    words = f"format of the printed table: {', '.join(formats)} (default: %(default)s)"
    add_options(parser, "-f", type=choice(formats), help=words)
    add_options(parser, "-q", help="print nothing")


def add_system_option(parser: argparse.ArgumentParser, default: str | None, described: str) -> None:
    """The option --system: a pipeline by name, or in a file."""
    from leadline.retrieval.choices import BASELINES, SYSTEMS

    names = [*SYSTEMS, *BASELINES]
    one_of = f"{', '.join(names)} (`leadline systems` lists all), with options: 'bitem(variant=claims)', 'bm25(k1=0.9)'"
    words = f"{one_of}, or a pipeline in a .toml file (default: {described})"
    named = choice(names)

    def convert(text: str) -> str:
        if text.endswith(".toml"):
            return text
        named(re.split("[:(]", text)[0].strip())
        from leadline.retrieval.pipeline.named_systems import system

        try:
            system(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(f"{error.where}: {error.problem}") from None
        return text

    kind = InputPath(convert, is_path=lambda text: text.endswith(".toml"), choices=names)
    parser.add_argument("--system", metavar="NAME", default=default, type=kind, help=words)


def check_format(options: argparse.Namespace) -> None:
    """Refuse to print Parquet."""
    if options.format == "parquet" and options.output is None:
        raise UsageError("--format parquet", "is not text: name a file with -o")


def check_page_name(output: str) -> None:
    """Refuse to write an HTML page to a file with another ending."""
    if output != "-" and not output.lower().endswith((".html", ".htm")):
        raise UsageError("-o", f"must end in .html, got {output!r}")


def check_measures(options: argparse.Namespace, runs: Sequence[str] = ()) -> None:
    """Refuse unknown measures before any file is read, and measures that were given as runs for lack of quotes."""
    if not options.measures:
        return
    from leadline.measures.definition import parse_measures

    with wrong_usage("-m"):
        parse_measures(options.measures, rel=options.rel)
    for name in runs:
        if name != "-" and not Path(name).exists() and _is_measure(name):
            raise UsageError("-m", f'several measures need quotes: -m "{" ".join([*options.measures, name])}"')


def _is_measure(text: str) -> bool:
    from leadline.measures.definition import parse_measures

    try:
        return bool(parse_measures(text))
    except LeadlineError:
        return False


def read_run_table(options: argparse.Namespace) -> dict[str, dict[str, str]]:
    """Read --runs-info, which must have the column --per."""
    if options.per is not None and not options.runs_info:
        raise UsageError("--per", "needs --runs-info FILE")
    info = {}
    if options.runs_info:
        from leadline.records.inputs import read_runs_info

        info = read_runs_info(options.runs_info)
    if options.per is not None and not any(options.per in attributes for attributes in info.values()):
        columns = list(dict.fromkeys(name for attributes in info.values() for name in attributes))
        known = f"; it has {', '.join(columns)}{nearest(options.per, columns)}"
        raise UsageError("--per", f"{options.runs_info} has no column {options.per!r}{known}")
    return info


def check_run_table(path: str, info: Mapping[str, Mapping[str, str]], runs: Sequence[str]) -> None:
    """Refuse a table of runs that names none of the runs; warn of rows without a run, and of runs without a row."""
    known, rows = set(runs), list(info)
    without_run, without_row = [row for row in rows if row not in known], [run for run in runs if run not in info]
    if not info or not (without_run or without_row):
        if crossed := _crossed(info):
            warnings.warn(f"{path}: {crossed}", LeadlineWarning, stacklevel=2)
        return
    swapped = _swapped(info, known)
    if len(without_run) == len(rows):
        there, here = ", ".join(rows[:3]), ", ".join(runs[:3])
        raise InputError(path, f"names none of the runs: it has {there}, the runs are {here}{swapped}")
    said = []
    if without_run:
        said.append(f"{counted(len(without_run), 'row')} of runs that are not among the runs: {_some(without_run)}")
    if without_row:
        said.append(f"{counted(len(without_row), 'run')} without a row: {_some(without_row)}")
    warnings.warn(f"{path}: {'; '.join(said)}{swapped}", LeadlineWarning, stacklevel=2)


def _swapped(info: Mapping[str, Mapping[str, str]], runs: set[str]) -> str:
    """A hint, where another column than the one that names runs holds more of their names, or names are of files."""
    from leadline.text.source import stem

    named = sum(row in runs for row in info)
    for column in dict.fromkeys(name for attributes in info.values() for name in attributes):
        if sum(stem(attributes.get(column, "")) in runs for attributes in info.values()) > named:
            return f"; column {column} has their names: the names and the files look swapped"
    if sum(stem(row) in runs for row in info) > named:
        return "; it has names of files: write them without folder and ending"
    return ""


def _crossed(info: Mapping[str, Mapping[str, str]]) -> str:
    """A line, where another column has the names of the same runs in another order."""
    from leadline.text.source import stem

    for column in dict.fromkeys(name for attributes in info.values() for name in attributes):
        named = {row: stem(attributes.get(column, "")) for row, attributes in info.items()}
        crossed = [row for row, name in named.items() if name != row]
        if crossed and sorted(named.values()) == sorted(info):
            return f"column {column} has other runs than the names beside it: {_some(crossed)}; were they swapped?"
    return ""


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(visible, names[:3])) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


# The runs that a command was given. One bad file in a folder does not stop the others.

Result = TypeVar("Result")


def with_readable_runs(
    options: argparse.Namespace,
    given: Sequence[str],
    work: Callable[[list[str]], Result],
    *,
    paths: Sequence[str] | None = None,
) -> Result:
    """Return work(paths) over the files that `given` names, which are `paths` where the caller has looked already.

    A file of a folder that cannot be read is left out with a warning; with --strict, or outside a folder, it is an
    error.
    """
    from leadline.records.runs import run_paths, runs_folder

    paths = run_paths(given, strict=options.strict) if paths is None else list(paths)
    folders = {str(runs_folder(name)) for name in given if os.path.isdir(name)}
    while True:
        try:
            return work(paths)
        except InputError as error:
            in_folder = error.where in paths and str(Path(error.where).parent) in folders
            if options.strict or not in_folder or len(paths) < 2:
                raise
            warnings.warn(f"{error}: left out", LeadlineWarning, stacklevel=2)
            paths = [path for path in paths if path != error.where]
