"""The runs of the teams of TREC-CHEM 2009 on a simulated office of real chemistry; writes docs/teams.md.

    python benchmarks/teams.py [--work DIR] [--short] [--write]

It takes about four minutes of processor time; the office and its index stay in DIR for the next time. `--short` prints
only the tables of a small office, which a test compares with the document.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

import leadline as ll
from leadline.cli import main as leadline
from leadline.collections.documents.collection import Collection
from leadline.records.result import Table
from leadline.records.scores import Scores
from leadline.records.topics import Topic, Topics
from leadline.retrieval.choices import DERIVED, FIELDS
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import PATENTS, TEXTS, Variant, variants_of
from leadline.trust.paired_tests import holm

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "teams.md"
TEAMS = ("bitem", "cmu", "dutir", "iowa", "msoe", "purdue", "scai", "york")
MEASURES = "AP R@100 PRES@100"
FIRST = 100  # documents of a topic that are compared with those of the row above
OFFICE = "--patents 20000 --topics 100 --articles 2000 --surveys 40"
SHORT = "--patents 600 --topics 12 --articles 120 --surveys 12 --length 80"
SIGNIFICANT = 0.05


class Finding(NamedTuple):
    """What the overview found: a variant of a team against another, and what it says of it."""

    what: str
    team: str
    first: str
    second: str
    reported: str
    there: str  # helps, hurts, no gain; empty where it does not say


FINDINGS = (
    Finding(
        "the whole text, against title and claims",
        "cmu",
        "title-claims",
        "whole-text",
        "better: MAP 0.065 → 0.098",
        "helps",
    ),
    Finding("synonyms of chemicals", "bitem", "baseline", "expansion", "+2 to 3 % of MAP", "helps"),
    Finding("reranking by claims", "bitem", "baseline", "claims", "about +3 % of MAP", "helps"),
    Finding("claims alone", "bitem", "baseline", "claims-only", "MAP 0.067 → 0.049", "hurts"),
    Finding("a filter by IPC", "bitem", "baseline", "ipc", "no significant improvement", "no gain"),
    Finding("citations, later ones too", "bitem", "baseline", "citations", "+168 % of MAP", "helps"),
    Finding("the main class only", "iowa", "priorities", "main-class", "short MAP 0.049 → 0.005", "hurts"),
    Finding("dates by number", "iowa", "priorities", "numbers", "short MAP 0.049 → 0.007", "hurts"),
    Finding("phrases instead of words", "scai", "words", "phrases", "words did best", "hurts"),
    Finding("chemical entities instead of words", "scai", "words", "chemistry", "words did best", "hurts"),
    Finding("reranking by IPC similarity", "purdue", "terms", "reranked", "not reported; short MAP 0.065 → 0.068", ""),
    Finding("selected keywords", "york", "words", "keywords", "effective: MAP 0.034 → 0.057", "helps"),
)
SURVEY_FINDINGS = (
    Finding("families as units", "bitem", "baseline", "families", "xinfAP 0.157 → 0.179", "helps"),
    Finding("synonyms of chemicals", "bitem", "baseline", "expansion", "xinfAP 0.157 → 0.094", "hurts"),
    Finding(
        "IPC filter, after synonyms and families",
        "bitem",
        "families-expansion",
        "ipc3",
        "xinfAP 0.109 → 0.111",
        "no gain",
    ),
    Finding("feedback, language model", "dutir", "lm", "lm-feedback", "xinfAP 0.248 → 0.239", "no gain"),
    Finding("BM25F instead of a language model", "dutir", "lm", "bm25f", "xinfAP 0.248 → 0.301", "helps"),
    Finding("entities instead of noun phrases", "scai", "phrases", "entities", "xinfAP 0.244 → 0.153", "hurts"),
    Finding("the narrative instead of the title", "york", "title", "narrative", "xinfAP 0.171 → 0.110", "hurts"),
    Finding("entity weights and filter", "purdue", "terms", "reranked", "not reported; xinfAP 0.293", ""),
    Finding(
        "expansion by names and abbreviations", "york", "words", "expanded", "effective: xinfAP up to 0.291", "helps"
    ),
)


@dataclass(frozen=True)
class Office:
    """A simulated office with its index, and the topics and judgements of one task."""

    context: SearchContext
    topics: Sequence[Topic]
    qrels: str
    without: tuple[str, ...] = ()  # variants whose names begin so are not tried

    def tried(self, team: str, task: str) -> Tried:
        """All variants of a team that take part in a task."""
        chosen = [one for one in variants_of(team) if task in one.tasks and not one.name.startswith(self.without)]
        pipelines = {one.name: _pipeline(one, task) for one in chosen}
        answers = {name: pipeline.answer(self.context, self.topics) for name, pipeline in pipelines.items()}
        runs = [found.run(name) for name, found in answers.items()]
        known = [topic.id for topic in self.topics]
        none: tuple[list[str], object] = ([], None)
        firsts = {
            name: [tuple(found.found.get(topic, none)[0][:FIRST]) for topic in known] for name, found in answers.items()
        }
        return Tried(ll.evaluate(self.qrels, runs, MEASURES, topics=known), firsts)


class Tried(NamedTuple):
    """The scores of a team's variants, and the first documents that each finds for every topic."""

    scores: Scores
    firsts: Mapping[str, Sequence[tuple[str, ...]]]

    def others(self, name: str, before: str) -> str:
        """How many of the first documents of a variant are not among those of another: the mean over the topics."""
        pairs = list(zip(self.firsts[name], self.firsts[before], strict=True))
        if not any(one != other for one, other in pairs):
            return "none: the same run"
        return f"{np.mean([len(set(one) - set(other)) for one, other in pairs]):.1f}"

    def alike(self) -> list[tuple[str, str]]:
        """The variants that put the same documents first, in the same order, for all topics."""
        return [(a, b) for a, b in combinations(self.firsts, 2) if list(self.firsts[a]) == list(self.firsts[b])]


def _pipeline(variant: Variant, task: str) -> ll.steps.Step:
    chosen = variant.patent if task == PATENTS else variant.text
    assert chosen is not None
    return chosen


# What is searched


def simulated(options: str, folder: Path, without: tuple[str, ...] = ()) -> dict[str, Office]:
    """A simulated office with articles, for each task."""
    if not (folder / "manifest.json").exists():
        leadline(["simulate", "office", "-o", str(folder), "-q", *options.split()])
    context = indexed(str(folder / "collection"), folder.with_suffix(".index"))
    judged = {PATENTS: ("topics.tsv", "qrels.true.txt"), TEXTS: ("surveys.xml", "qrels.surveys.txt")}
    return {
        task: Office(context, list(Topics.read(folder / topics)), str(folder / qrels), without)
        for task, (topics, qrels) in judged.items()
    }


def indexed(collection: str, folder: Path) -> SearchContext:
    if not (folder / "manifest.json").exists():
        source = Collection.open(collection)
        Index.build(source, folder, fields=[*FIELDS, *DERIVED], origin=str(Path(collection).resolve()))
    return SearchContext.open(folder)


# What is written


def changes(compared: Sequence[tuple[Scores, str, str]]) -> list[str]:
    """For each pair of runs the change of AP from the first to the second, and the verdict of a randomisation test.

    Holm's correction is over all pairs, without those whose runs are the same.
    """
    tested = [(place, *_tested(*pair)) for place, pair in enumerate(compared) if not _same(*pair)]
    said = ["the same run"] * len(compared)
    levels = holm(np.array([p for _, _, p in tested])) if tested else np.empty(0)
    for (place, share, _), level in zip(tested, levels.tolist(), strict=True):
        word = "undecided" if level >= SIGNIFICANT else "helps" if share > 0 else "hurts"
        said[place] = f"{word} ({_percent(share)})"
    return said


def _precisions(scores: Scores, run: str) -> np.ndarray:
    """The AP of a run for each topic."""
    return scores.values[list(scores.runs).index(run), :, list(scores.measures).index("AP")]


def _same(scores: Scores, first: str, second: str) -> bool:
    return np.array_equal(_precisions(scores, first), _precisions(scores, second))


def _tested(scores: Scores, first: str, second: str) -> tuple[float, float]:
    """The change of mean AP as a share, and the level of the test."""
    before, after = (float(_precisions(scores, run).mean()) for run in (first, second))
    pairs = ll.compare(scores, "AP", correction="none")
    both = {pairs.runs.index(first), pairs.runs.index(second)}
    found = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.p.tolist(), strict=True)
    return after / before - 1, next(p for a, b, p in found if {a, b} == both)


def ablations(team: str, tried: Tried, task: str) -> Table:
    """A team's variants; each is compared with the first, and its first documents with those of the row above."""
    variants = {one.name: one for one in variants_of(team)}
    scores = tried.scores
    names = [name for name in variants if name in scores.runs]
    said = dict(zip(names[1:], changes([(scores, names[0], name) for name in names[1:]]), strict=True))
    others = {name: tried.others(name, before) for before, name in pairwise(names)}
    means = dict(zip(scores.runs, scores.mean_values().tolist(), strict=True))
    rows: list[list[object]] = [
        [name, *means[name], said.get(name, "—"), others.get(name, "—"), _reported(variants[name], task)]
        for name in names
    ]
    return Table(["variant", *MEASURES.split(), "verdict", "others", "the overview"], rows)


def _reported(variant: Variant, task: str) -> str:
    """What the overview reports of a variant in a task: xinfAP is of surveys, everything else of prior art."""
    parts = [part for part in variant.reported.split("; ") if ("xinfAP" in part) == (task == TEXTS)]
    return "; ".join(filter(None, parts)) or "—"


def findings(tried: Mapping[str, Tried], known: Sequence[Finding]) -> Table:
    """What the overview found, and what comes out here: the change of AP with its verdict."""
    words = changes([(tried[one.team].scores, one.first, one.second) for one in known])
    rows = [
        [one.what, f"{one.team}: {one.first} → {one.second}", one.reported, said, agreement(one.there, said)]
        for one, said in zip(known, words, strict=True)
    ]
    return Table(["finding", "compared", "the overview", "the office", "here"], rows)


def agreement(there: str, said: str) -> str:
    """Whether the verdict here is as the overview has it; an undecided one says nothing.

    >>> agreement("helps", "helps (+9 %)"), agreement("no gain", "hurts (-9 %)"), agreement("helps", "hurts (-1 %)")
    ('as there', 'as there', 'otherwise')
    """
    if not there:
        return "—"
    word = said.partition(" ")[0]
    if there == "no gain":
        return "otherwise" if word == "helps" else "as there"
    if word not in ("helps", "hurts"):
        return "undecided"
    return "as there" if word == there else "otherwise"


def _percent(change: float) -> str:
    return f"{round(100 * change) + 0:+d} %"


def task_section(office: Office, task: str, known: Sequence[Finding]) -> list[str]:
    teams = [team for team in TEAMS if any(task in one.tasks for one in variants_of(team))]
    tried: dict[str, Tried] = {}
    for team in teams:
        print(task, team, file=sys.stderr)
        tried[team] = office.tried(team, task)
    parts = [findings(tried, known).render("markdown"), _said_of_alike(tried)]
    for team in teams:
        parts += [f"**{team}**", ablations(team, tried[team], task).render("markdown")]
    return parts


def _said_of_alike(tried: Mapping[str, Tried]) -> str:
    """Which variants of all teams are the same run, in one line."""
    everything = Tried(
        next(iter(tried.values())).scores,
        {f"{team}:{name}": firsts for team, one in tried.items() for name, firsts in one.firsts.items()},
    )
    alike = [f"`{a}` and `{b}`" for a, b in everything.alike()]
    said = f"The same run: {', '.join(alike)}." if alike else "No two of them are the same run."
    return f"{len(everything.firsts)} variants. {said}"


INTRODUCTION = """\
# The teams of TREC-CHEM 2009

Written by `benchmarks/teams.py --write`. Every team of the track is a system here, and its runs are variants of it
(`leadline systems`, `leadline systems bitem`). The name of a team means its best run of each task, by the overview. The
functions in `src/leadline/retrieval/systems.py` say what is known from the track's overview, what is guessed and what
is left out; for the 36 runs of SCAI, the seven of York and the ten of MSOE it is guessed from their scores what their
letters and numbers mean. Variants for which the overview has nothing are ours.

All are searched in one simulated office of real chemistry
(`leadline simulate office %s`), with the fields `biology`, `entities`,
`phrases` and `sentences` in its index, and judged by the truth, which of an office is known
([simulated-office.md](simulated-office.md)). The numbers of the overview are of other documents and topics: what can be
compared is whether a step helps. *Short MAP* is of its task with 100 topics. Each variant is compared with the first of
its team; verdicts are of AP: randomisation tests, with Holm's correction within a table; `undecided` is a level of 0.05
or more. *Others* is how many of the first 100 documents are not among the first 100 of the row above, the mean over
topics.
"""
SHORT_TITLE = "## In short form"
# What the office cannot show as the overview has it, and why.
DIFFERENT = """\
What the office shows otherwise, and why. *Claims alone*, and the claims among SCAI's fields, do well: what is relevant
is made of what claims name, and descriptions are a tenth as long as real ones. *Filters by class* cost more: six in ten
inventions also disclose what another line of work claims, so prior art is often in another class. *Biology* is thin:
few texts name enzymes or organisms, so its queries find nothing for half of the topics or more. *Citations* help
as there, but by less: examiners of the office search alone, where real ones follow each other's citations.
"""


def whole_page(work: Path, short: str) -> str:
    ours = simulated(OFFICE, work / "teams-office")
    topics = {task: len(office.topics) for task, office in ours.items()}
    lines = [
        INTRODUCTION % OFFICE,
        f"## Prior art\n\n{len(ours[PATENTS].context.index):,} documents, {topics[PATENTS]} topics that are patents.",
        *task_section(ours[PATENTS], PATENTS, FINDINGS),
        DIFFERENT,
        f"## Technical survey\n\n{topics[TEXTS]} topics in words, over patents and 2 000 articles; what the overview "
        "gives as xinfAP, estimated from a sample, is AP here. [technical-survey.md](technical-survey.md) makes such "
        "runs, pools and judges them.",
        *task_section(ours[TEXTS], TEXTS, SURVEY_FINDINGS),
        short,
    ]
    return "\n\n".join(part.rstrip() for part in lines) + "\n"


def short_form(work: Path) -> str:
    """The tables of a small simulated office, which takes seconds and is compared by a test."""
    ours = simulated(SHORT, work / "short-office", without=("biology",))
    parts = [
        f"{SHORT_TITLE}\n\nThe same for a small office (`leadline simulate office {SHORT}`), which a test makes again. "
        "It is of two fields of chemistry, without any biology.",
        "Prior art:", *task_section(ours[PATENTS], PATENTS, FINDINGS),
        "Technical survey:", *task_section(ours[TEXTS], TEXTS, SURVEY_FINDINGS),
    ]  # fmt: skip
    return "\n\n".join(parts)


def short_part(page: str) -> str:
    """The short form in the document."""
    found = re.search(rf"^{SHORT_TITLE}$.*", page, re.MULTILINE | re.DOTALL)
    return found[0].strip() if found else ""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="folder for collections and indexes (default: a temporary one)")
    parser.add_argument("--short", action="store_true", help="only the small office")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} (default: print)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        short = short_form(work)
        whole = short if options.short else whole_page(work, short)
        if options.write and not options.short:
            PAGE.write_text(whole, encoding="utf-8")
        elif options.write:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(page.replace(short_part(page), short.strip()), encoding="utf-8")
        else:
            print(whole)


if __name__ == "__main__":
    main()
