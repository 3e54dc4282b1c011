"""Plan the runs of a grid: every combination of some choices.

    [choices.query]                        # a choice, by any name, and its options:
    whole = "text"                         # a step or a list of steps, as in pipeline files
    title = {step = "text", fields = ["title"]}
    [choices.model]
    bm25 = {step = "search", model = {each = ["bm25(k1=0.9)", "bm25(k1=1.2)"]}}     # an option for each value
    dph = {step = "search", model = "dph"}
    [choices.feedback]
    none = []
    rm3 = ["rm3", {again = "model"}]       # repeats the steps chosen in [choices.model]

A run takes one option of each table, and runs their steps in order. Here there are 2 · 3 · 2 runs. A list of `runs`
makes fewer: each entry names "all", one or several options of a table; of a table that is not named, the first option
is taken.

    [[runs]]
    query = "all"
    model = ["bm25 bm25(k1=0.9)", "dph"]

`{system = "bitem"}` means the steps of a named system; the table `parts` is as in pipeline files.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.errors import InputError, checked_choice
from leadline.retrieval.pipeline.pipeline import Pipeline, pipeline_of
from leadline.retrieval.pipeline.pipeline_files import system
from leadline.text.toml import read_toml

KEYS = ("about", "choices", "runs", "parts")
EVERY = "all"
MOST_STEPS = 1000  # of one run: `again` may repeat steps with `again`
MOST_RUNS = 10_000  # of a grid: more must be a mistake
Choices = Mapping[str, Mapping[str, list[Any]]]  # the steps of each option, by table and name, as the file has them


@dataclass(frozen=True)
class Planned:
    """One run of a grid."""

    name: str
    choices: Mapping[str, str]
    pipeline: Pipeline


def read_grid(path: str) -> list[Planned]:
    """The runs of a grid in a TOML file."""
    return plan(read_toml(path), path)


def plan(written: Mapping[str, Any], where: str = "grid") -> list[Planned]:
    """The runs of a grid, named after their options.

    >>> texts = {"whole": "text", "title": {"step": "text", "fields": "title"}}
    >>> models = {"bm25": {"step": "search", "model": {"each": ["bm25(k1=0.9)", "dph"]}}}
    >>> [run.name for run in plan({"choices": {"query": texts, "model": models}})][:2]
    ['whole-bm25_bm25_k1=0.9', 'whole-bm25_dph']
    """
    for key in written:
        checked_choice(where, key, KEYS)
    choices = _choices(written.get("choices"), where)
    parts = written.get("parts", {})
    planned: dict[str, Planned] = {}
    for chosen in _combinations(choices, written.get("runs"), where):
        name = "-".join(map(_file_name, chosen.values()))
        if name in planned:
            if planned[name].choices == chosen:
                continue
            raise InputError(where, f"two runs would be called {name}: give their options names that differ more")
        listed = (step for table, choice in chosen.items() for step in _steps(choices, chosen, table, choice, where))
        steps = list(itertools.islice(listed, MOST_STEPS + 1))
        if len(steps) > MOST_STEPS:
            raise InputError(where, f"the run {name[:60]} has more than {MOST_STEPS} steps")
        if not steps:
            raise InputError(where, f"the run {name} has no steps")
        planned[name] = Planned(name, chosen, pipeline_of(steps, where, parts))
    return list(planned.values())


def _check_number(runs: int, where: str) -> None:
    if runs > MOST_RUNS:
        raise InputError(where, f"has {runs:,} runs, more than {MOST_RUNS:,}: list those you want in [[runs]]")


def _choices(written: Any, where: str) -> Choices:
    if not isinstance(written, Mapping) or not written:
        raise InputError(where, "has no choices: name them in tables [choices.query], [choices.model], …")
    choices: dict[str, dict[str, list[Any]]] = {}
    for table, entries in written.items():
        if not isinstance(entries, Mapping) or not entries:
            raise InputError(where, f"[choices.{table}] has no options: add at least one")
        if table == "run":
            raise InputError(where, "[choices.run]: `run` names the run itself; choose another name")
        choices[table] = {name: made for key, steps in entries.items() for name, made in _each(key, steps)}
    return choices


def _each(name: str, written: Any) -> Iterator[tuple[str, list[Any]]]:
    """An option with its steps, or one for each combination of the values listed under `each`."""
    steps = written if isinstance(written, list) else [written]
    several = [
        (place, option, value["each"])
        for place, step in enumerate(steps)
        if isinstance(step, Mapping)
        for option, value in step.items()
        if isinstance(value, Mapping) and list(value) == ["each"]
    ]
    for _, option, listed in several:
        if not isinstance(listed, list) or not listed:
            raise InputError(name, f"{option}: each takes a list of at least one value")
    _check_number(math.prod(len(listed) for _, _, listed in several), name)
    for values in itertools.product(*(listed for _, _, listed in several)):
        made = [dict(step) if isinstance(step, Mapping) else step for step in steps]
        for (place, option, _), value in zip(several, values, strict=True):
            made[place][option] = value
        yield " ".join([name, *map(_value_name, values)]), made


def _value_name(value: Any) -> str:
    if isinstance(value, Mapping):
        return "+".join(f"{name}={_value_name(each)}" for name, each in value.items())
    return "+".join(map(_value_name, value)) if isinstance(value, list) else str(value)


def _combinations(choices: Choices, runs: Any, where: str) -> Iterator[dict[str, str]]:
    """The option that each run takes of each table."""
    blocks = [dict.fromkeys(choices, EVERY)] if runs is None else runs
    if not isinstance(blocks, list | tuple) or not blocks or not all(isinstance(block, Mapping) for block in blocks):
        raise InputError(where, "`runs` must be a list of tables: write [[runs]], then query = …")
    options_of_blocks = []
    for block in blocks:
        for table in block:
            checked_choice(f"{where}: [[runs]]", table, list(choices))
        options = [_options(block.get(table), table, list(entries), where) for table, entries in choices.items()]
        options_of_blocks.append(options)
    _check_number(sum(math.prod(map(len, options)) for options in options_of_blocks), where)
    for combination in itertools.chain.from_iterable(itertools.product(*options) for options in options_of_blocks):
        yield dict(zip(choices, combination, strict=True))


def _options(written: Any, table: str, options: Sequence[str], where: str) -> Sequence[str]:
    """The options of a table that an entry of `runs` names; the first if it names none."""
    if written is None:
        return options[:1]
    if written == EVERY:
        return options
    listed = written if isinstance(written, list) else [written]
    return list(dict.fromkeys(checked_choice(f"{where}: [[runs]] {table}", name, options) for name in listed))


def _steps(choices: Choices, chosen: Mapping[str, str], table: str, choice: str, where: str) -> Iterator[Any]:
    """The steps of an option; `again` is replaced by the steps chosen in an earlier table."""
    earlier = list(choices)[: list(choices).index(table)]
    for step in choices[table][choice]:
        if isinstance(step, Mapping) and "again" in step:
            again = checked_choice(f"{where}: again", step["again"], earlier or ["nothing"])
            yield from _steps(choices, chosen, again, chosen[again], where)
        elif isinstance(step, Mapping) and "system" in step:
            yield system(step["system"])
        else:
            yield step


def _file_name(choice: str) -> str:
    """The name of an option as part of a file name.

    >>> _file_name("bm25(k1=0.9, b=0.4)")
    'bm25_k1=0.9_b=0.4'
    """
    return re.sub(r"[^\w.=+]+", "_", choice).strip("_.") or "_"
