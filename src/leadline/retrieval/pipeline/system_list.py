"""The list of all named systems with their variants."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table
from leadline.retrieval.pipeline.pipeline_files import baselines, described, systems, variants_of
from leadline.retrieval.pipeline.variant import PATENTS, TEXTS, variant_named

COLUMNS = ("system", "tasks", "does", "runs", "reported")


@dataclass(frozen=True)
class NamedSystem:
    """A system that `make_run` and `leadline run --system` know by name."""

    name: str  # "bitem:claims", or "bitem", which is the last of its variants
    tasks: tuple[str, ...]  # "prior art" for topics that are patents, "survey" for topics in words
    does: str  # in a few words
    runs: tuple[str, ...] = ()  # the team's runs by the names of the TREC-CHEM 2009 overview
    reported: str = ""  # what the overview reports of them

    @property
    def about(self) -> str:
        """What the team did, what is guessed, and what differs here."""
        return described(self.name.partition(":")[0])


@dataclass(frozen=True, repr=False)
class SystemList(Result):
    """All named systems, the variants of a team after the team.

    >>> list_systems("cmu").names
    ('cmu', 'cmu:title-claims', 'cmu:whole-text')
    """

    items: tuple[NamedSystem, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.items)

    def _finding(self) -> str:
        teams = len({one.name.partition(":")[0] for one in self.items})
        return f"{counted(teams, 'system')}, {counted(sum(':' in one.name for one in self.items), 'variant')}"

    def _shown_table(self) -> Table:
        return self.table()

    def table(self) -> Table:
        """One row for each system and variant."""
        rows = [[one.name, ", ".join(one.tasks), one.does, ", ".join(one.runs), one.reported] for one in self.items]
        return Table(COLUMNS, rows)


def list_systems(*names: str) -> SystemList:
    """All baselines and named systems, or some of them, with their variants; a variant by its name, `bitem:claims`."""
    return SystemList(tuple(item for name in names or (*baselines(), *systems()) for item in _items(name)))


def _items(name: str) -> list[NamedSystem]:
    if name in baselines():
        return [NamedSystem(name, (PATENTS, TEXTS), baselines()[name][0])]
    team, colon, variant = name.partition(":")
    variants = variants_of(team)
    if colon:
        chosen = f"{team}:{variant_named(team, variant, variants).name}"
        return [item for item in _items(team) if item.name == chosen]
    title = described(name).partition("\n")[0].removesuffix(".")
    tasks = variants[-1].tasks if variants else (PATENTS, TEXTS)
    whole = NamedSystem(name, tasks, f"{title}; = {name}:{variants[-1].name}" if variants else title)
    parts = [NamedSystem(f"{name}:{v.name}", v.tasks, v.does, tuple(v.runs.split()), v.reported) for v in variants]
    return [whole, *parts]
