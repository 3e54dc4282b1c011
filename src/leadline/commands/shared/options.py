"""Options and arguments that several commands have, each defined once, and the types that check values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from leadline.errors import InputError, LeadlineError, UsageError, nearest, not_a_choice
from leadline.options import LARGEST
from leadline.records.choices import LARGEST_GRADE, Format, Order
from leadline.records.scores.table import FORMATS

if TYPE_CHECKING:
    from leadline.text.memory_budget import MemoryBudget

Item = TypeVar("Item")
MOST_SAMPLES = 100_000  # as in trust/study.py, which is not imported for every command
MOST_WORKERS = 1024  # threads or processes
LARGEST_SEED = 2**63 - 1


def whole_number(least: int = -LARGEST, most: int = LARGEST) -> Callable[[str], int]:
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

    return convert


def share(text: str) -> float:
    """The type of an option that takes a number above 0 and at most 1."""
    number = _number(text)
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"must be above 0 and at most 1, got {text}")
    return number


def level(text: str) -> float:
    """The type of an option that takes a level of significance."""
    number = _number(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, got {text}")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None


def choice(choices: Sequence[str]) -> Callable[[str], str]:
    """The type of an option that takes one of these words; the error suggests the nearest."""

    def convert(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(not_a_choice("", text, choices).problem)
        return text

    return convert


def list_of(convert: Callable[[str], Item], separators: str = ",") -> Callable[[str], tuple[Item, ...]]:
    """The type of an option that takes several values of another type."""

    def convert_each(text: str) -> tuple[Item, ...]:
        items = split_list(text, separators)
        if not items:
            raise argparse.ArgumentTypeError("must name at least one, got none")
        return tuple(map(convert, items))

    return convert_each


def split_list(text: str, separators: str = ",") -> list[str]:
    """The parts of a list written with commas.

    >>> split_list("EP, US,")
    ['EP', 'US']
    """
    return [part.strip() for part in re.split(f"[{separators}]", text) if part.strip()]


def as_written(check: Callable[[str], object]) -> Callable[[str], str]:
    """The type of an option that stays a text; `check` raises InputError if it is wrong."""

    def convert(text: str) -> str:
        try:
            check(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(error.problem) from None
        return text

    return convert


def is_date(text: str) -> None:
    """Raise InputError if a text is not a date."""
    from leadline.text.days import parse_date

    parse_date(text)


def filter_values(name: str, text: str) -> list[str]:
    """The classes or offices of a list, in their normal spelling."""
    from leadline.retrieval.language import field_names

    return field_names.filter_values(name, split_list(text), f"--{name}")


@contextmanager
def wrong_usage(option: str | None = None) -> Iterator[None]:
    """Turn an error raised inside into wrong usage, of this option if given."""
    try:
        yield
    except InputError as error:
        raise UsageError(option or error.where, error.problem) from None
    except LeadlineError as error:
        raise UsageError(option or "", str(error)) from None


def memory_type(text: str) -> int:
    """The type of an option that takes a size of memory."""
    from leadline.text.memory_budget import memory_size

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
    from leadline.text.memory_budget import MemoryBudget
    from leadline.text.source import physical_memory

    if options.memory > physical_memory():
        limit, there = readable_size(options.memory), readable_size(physical_memory())
        print_notes([f"--memory {limit} is more than this machine has, which is {there}"], options)
    output = getattr(options, "output", None)
    folder = str(Path(output).absolute().parent) if output not in (None, "-") else None
    return MemoryBudget(options.memory, folder, lambda note: print_notes([note], options))


_SHARED: dict[str, dict[str, Any]] = {
    "qrels": {"metavar": "QRELS", "help": "judgements; - is standard input"},
    "inputs": {"metavar": "QRELS RUN", "nargs": "*", "help": "judgements, then runs: files, patterns or folders"},
    "index": {"metavar": "INDEX", "help": "index folder, made by `leadline index`"},
    "collection": {"metavar": "DIR", "help": "collection folder, made by `leadline collection build`"},
    "topics": {"metavar": "TOPICS", "help": "topics: ids one per line, a table, or TREC markup"},
    "-m --measures": {"metavar": "MEASURES", "action": "append", "help": 'measures, such as "PRES@100 AP nDCG@10"'},
    "--rel": {"metavar": "GRADE", "type": whole_number(-LARGEST_GRADE, LARGEST_GRADE),
              "help": "smallest grade that is relevant (default: 1)"},
    "--order": {"metavar": "ORDER", "default": "score", "type": choice(get_args(Order)),
                "help": "order of a run: score, rank (its rank column) or file (default: %(default)s)"},
    "--qrels-format": {"metavar": "FORMAT", "type": choice(get_args(Format)),
                       "help": f"format of the judgements: {', '.join(get_args(Format))} (default: detected)"},
    "--reads": {"metavar": "FILE", "help": "reading times for CT and TBG: topic document seconds"},
    "--lengths": {"metavar": "FILE", "help": "document lengths for CT and TBG: document words"},
    "--runs-info": {"metavar": "FILE", "help": "table of runs with a header: run, team, task, ..."},
    "--memory": {"metavar": "SIZE", "type": memory_type,
                 "help": "most memory to hold, such as 2GB or 500MB; larger work is done in parts (default: no limit)"},
    "--strict": {"action": "store_true", "help": "stop at a file in a folder that is not a run (default: skip it)"},
    "--samples": {"metavar": "N", "type": whole_number(1, MOST_SAMPLES), "default": 100,
                  "help": "random samples of half the judgements (default: %(default)s)"},
    "--alpha": {"metavar": "LEVEL", "type": level, "default": 0.05,
                "help": "level of significance (default: %(default)s)"},
    "--draws": {"metavar": "N", "type": whole_number(1, 10_000_000), "default": 10_000,
                "help": "random draws of a test (default: %(default)s)"},
    "--seed": {"metavar": "N", "type": whole_number(0, LARGEST_SEED), "default": 1,
               "help": "random seed (default: %(default)s)"},
    "--class": {"dest": "classes", "metavar": "CODES", "type": as_written(partial(filter_values, "class")),
                "help": "only these classes: C07D,A61K"},
    "--office": {"metavar": "CODES", "type": as_written(partial(filter_values, "office")),
                 "help": "only these offices: EP,US"},
    "--before": {"metavar": "DATE", "type": as_written(is_date),
                 "help": "only patents published before this day, or before the first day of a month or year"},
    "--after": {"metavar": "DATE", "type": as_written(is_date),
                "help": "only patents published after this day, or after the last day of a month or year"},
    "-k": {"metavar": "N", "type": whole_number(1), "default": 1000,
           "help": "documents per topic (default: %(default)s)"},
    "--collection": {"metavar": "DIR", "help": "collection folder, if it was moved after indexing"},
    "-f --format": {"metavar": "FORMAT", "default": "table", "type": choice(FORMATS),
                    "help": f"output format: {', '.join(FORMATS)} (default: %(default)s)"},
    "--keep-formulas": {"action": "store_true",
                        "help": "csv: keep text that a spreadsheet would run, such as =A1 (default: put a ' before)"},
    "-o --output": {"metavar": "FILE", "help": "output file (default: standard output)"},
    "-q --quiet": {"action": "store_true", "help": "print no notes and no progress bar"},
}  # fmt: skip
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
    from leadline.retrieval.pipeline.pipeline_files import baselines, system, systems

    names = [*systems(), *baselines()]
    one_of = f"{', '.join(names)}, a variant such as bitem:claims (`leadline systems` lists them)"
    words = f"{one_of}, or a pipeline in a .toml file (default: {described})"
    named = choice(names)

    def convert(text: str) -> str:
        if text.endswith(".toml"):
            return text
        named(text.partition(":")[0])
        try:
            system(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(f"{error.where}: {error.problem}") from None
        return text

    parser.add_argument("--system", metavar="NAME", default=default, type=convert, help=words)


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
    from leadline.measures.notation import parse_measures

    with wrong_usage("-m"):
        parse_measures(options.measures, rel=options.rel)
    for name in runs:
        if name != "-" and not Path(name).exists() and _is_measure(name):
            raise UsageError("-m", f'several measures need quotes: -m "{" ".join([*options.measures, name])}"')


def _is_measure(text: str) -> bool:
    from leadline.measures.notation import parse_measures

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
        from leadline.records.side_tables import read_runs_info

        info = read_runs_info(options.runs_info)
    if options.per is not None and not any(options.per in attributes for attributes in info.values()):
        columns = list(dict.fromkeys(name for attributes in info.values() for name in attributes))
        known = f"; it has {', '.join(columns)}{nearest(options.per, columns)}"
        raise UsageError("--per", f"{options.runs_info} has no column {options.per!r}{known}")
    return info


def check_run_table(path: str, info: Mapping[str, object], runs: Sequence[str]) -> None:
    """Refuse a table of runs that names none of the runs."""
    if info and not set(info) & set(runs):
        there, here = ", ".join(list(info)[:3]), ", ".join(runs[:3])
        raise InputError(path, f"names none of the runs: it has {there}, the runs are {here}")
