"""The runs of the teams of TREC-CHEM 2009, on real patents and on a simulated office; writes docs/teams.md.

    python benchmarks/teams.py [--data ../shared/data] [--work DIR] [--short] [--write]

The data are not part of the project; collections that are missing are left out, and the document says so. It takes
about a quarter of an hour on two processors; indexes stay in DIR for the next time. `--short` prints only the tables of
a small simulated office, which a test compares with the document.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data"
TEAMS = ("bitem", "cmu", "dutir", "iowa", "msoe", "purdue", "scai", "york")
MEASURES = "AP R@100 PRES@100"
TOPICS, DRAWN = 200, 400  # topics that are searched, of those that were drawn
OFFICE = "--patents 20000 --topics 100 --articles 2000 --surveys 40 --words invented"
SHORT = "--patents 600 --topics 12 --articles 120 --surveys 12 --words invented --length 80"
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
    Finding("entities instead of words", "scai", "words", "entities", "words did best", "hurts"),
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
    Finding("entity weights and filter", "purdue", "terms", "reranked", "not reported; xinfAP 0.293", ""),
    Finding(
        "expansion by names and abbreviations", "york", "words", "expanded", "effective: xinfAP up to 0.291", "helps"
    ),
)


@dataclass(frozen=True)
class Office:
    """A collection with its index, topics and judgements, for one task."""

    name: str
    context: SearchContext
    topics: Sequence[Topic]
    qrels: str

    def scores(self, team: str, task: str) -> Scores:
        """The scores of all variants of a team that take part in a task, without those that find nothing at all."""
        pipelines = {one.name: _pipeline(one, task) for one in variants_of(team) if task in one.tasks}
        answers = {name: pipeline.answer(self.context, self.topics) for name, pipeline in pipelines.items()}
        runs = [found.run(name) for name, found in answers.items() if any(len(ids) for ids, _ in found.found.values())]
        return ll.evaluate(self.qrels, runs, MEASURES, topics=[topic.id for topic in self.topics])


def _pipeline(variant: Variant, task: str) -> ll.steps.Step:
    chosen = variant.patent if task == PATENTS else variant.text
    assert chosen is not None
    return chosen


# What is searched


def real(name: str, source: str, data: Path, work: Path) -> Office | None:
    """A collection of real patents, with judgements from citations; None where the data are missing."""
    file = data / "patents" / name / source
    if not file.exists():
        return None
    folder, topics, qrels = (str(work / f"{name}.{kind}") for kind in ("patents", "tsv", "qrels"))
    if not Path(qrels).exists():
        mapping = str(ROOT / "examples" / f"{name}.toml")
        leadline(["collection", "build", str(file), "--map", mapping, "-o", folder, "--quiet"])
        leadline(["topics", "sample", folder, "-o", topics, "--number", str(DRAWN), "--fewest", "1", "-q"])
        leadline(["qrels", "citations", folder, topics, "-o", qrels, "-q"])
    return Office(name, indexed(folder, work / f"{name}.index"), list(Topics.read(topics))[:TOPICS], qrels)


def simulated(options: str, folder: Path) -> dict[str, Office]:
    """A simulated office with articles, for each task."""
    if not (folder / "manifest.json").exists():
        leadline(["simulate", "office", "-o", str(folder), "-q", *options.split()])
    context = indexed(str(folder / "collection"), folder.with_suffix(".index"))
    judged = {PATENTS: ("topics.tsv", "qrels.true.txt"), TEXTS: ("surveys.xml", "qrels.surveys.txt")}
    return {
        task: Office("simulated", context, list(Topics.read(folder / topics)), str(folder / qrels))
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


def ablations(team: str, scores: Mapping[str, Scores], task: str) -> Table:
    """A team's variants down, collections across; each is compared with the first."""
    variants = {one.name: one for one in variants_of(team)}
    names = [one for one in variants if any(one in known.runs for known in scores.values())]
    columns = ["variant", *(f"{of} {what}" for of in scores for what in (*MEASURES.split(), "verdict")), "the overview"]
    rows: list[list[object]] = [[name] for name in names]
    for one in scores.values():
        others = [name for name in names[1:] if name in one.runs]
        said = {names[0]: "—", **dict(zip(others, changes([(one, names[0], name) for name in others]), strict=True))}
        means = dict(zip(one.runs, one.mean_values().tolist(), strict=True))
        for row in rows:
            name = str(row[0])
            row.extend([*means[name], said[name]] if name in said else ["—", "—", "—", "nothing found"])
    for row in rows:
        row.append(_reported(variants[str(row[0])], task))
    return Table(columns, rows)


def _reported(variant: Variant, task: str) -> str:
    """What the overview reports of a variant in a task: xinfAP is of surveys, everything else of prior art."""
    parts = [part for part in variant.reported.split("; ") if ("xinfAP" in part) == (task == TEXTS)]
    return "; ".join(filter(None, parts)) or "—"


def findings(scores: Mapping[str, Mapping[str, Scores]], known: Sequence[Finding]) -> Table:
    """What the overview found, and what comes out here: the change of AP with its verdict."""
    names = list(next(iter(scores.values())))
    said: list[dict[int, str]] = []
    for name in names:
        there = [p for p, one in enumerate(known) if {one.first, one.second} <= set(scores[one.team][name].runs)]
        pairs = [(scores[known[place].team][name], known[place].first, known[place].second) for place in there]
        said.append(dict(zip(there, changes(pairs), strict=True)))
    rows = []
    for place, one in enumerate(known):
        words = [of_office.get(place, "nothing found") for of_office in said]
        compared = f"{one.team}: {one.first} → {one.second}"
        rows.append([one.what, compared, one.reported, *words, agreement(one.there, words)])
    return Table(["finding", "compared", "the overview", *names, "here"], rows)


def agreement(there: str, words: Sequence[str]) -> str:
    """Whether the verdicts here are as the overview has it; undecided ones say nothing.

    >>> agreement("helps", ["helps (+9 %)", "undecided (-1 %)"]), agreement("no gain", ["hurts (-9 %)", "the same run"])
    ('as there', 'as there')
    """
    if not there:
        return "—"
    decided = {word.partition(" ")[0] for word in words} & {"helps", "hurts"}
    if there == "no gain":
        return "otherwise" if "helps" in decided else "as there"
    if not decided:
        return "undecided"
    return "as there" if decided == {there} else "otherwise" if there not in decided else "both ways"


def _percent(change: float) -> str:
    return f"{round(100 * change) + 0:+d} %"


def task_section(offices: Sequence[Office], task: str, known: Sequence[Finding]) -> list[str]:
    teams = [team for team in TEAMS if any(task in one.tasks for one in variants_of(team))]
    scores: dict[str, dict[str, Scores]] = {}
    for team in teams:
        print(task, team, file=sys.stderr)
        scores[team] = {office.name: office.scores(team, task) for office in offices}
    parts = [findings(scores, known).render("markdown")]
    for team in teams:
        parts += [f"**{team}**", ablations(team, scores[team], task).render("markdown")]
    return parts


INTRODUCTION = """\
# The teams of TREC-CHEM 2009

Written by `benchmarks/teams.py --write`. Every team of the track is a system here, and its runs are variants of it
(`leadline systems`, `leadline systems bitem`). The functions in `src/leadline/retrieval/systems.py` say what is known
from the track's overview, what is guessed and what is left out. Here each variant is compared with the first of its
team.

The numbers of the overview are of other documents and topics: what can be compared is whether a step helps. *Short MAP*
is of its task with 100 topics. Verdicts are of AP: randomisation tests, with Holm's correction within a table and a
collection; `undecided` is a level of 0.05 or more. *The same run* is one that the step did not change, and *nothing
found* one without results: us_api has neither claims nor classes, patsnap has no claims. On these two the judgements
are from citations, in the simulated office they are the truth. Texts of the simulated office are made of invented
words, so that synonyms of real chemicals add nothing there.
"""
SHORT_TITLE = "## In short form"


def whole_page(data: Path, work: Path, short: str) -> str:
    sources = {"us_api": "docs_10k.jsonl.xz", "patsnap": "docs.jsonl.xz"}
    offices = [office for name, source in sources.items() if (office := real(name, source, data, work)) is not None]
    missing = [name for name in sources if name not in [office.name for office in offices]]
    ours = simulated(OFFICE, work / "teams-office")
    lines = [INTRODUCTION]
    if missing:
        lines.append(f"Left out, because the data were missing: {', '.join(missing)}.\n")
    counts = ", ".join(f"{one.name} {len(one.context.index):,} documents, {len(one.topics)} topics"
                       for one in (*offices, ours[PATENTS]))  # fmt: skip
    lines += [f"## Prior art\n\n{counts}.", *task_section([*offices, ours[PATENTS]], PATENTS, FINDINGS)]
    lines.append(
        f"## Technical survey\n\nThe simulated office with 2 000 articles, {len(ours[TEXTS].topics)} topics in words, "
        "judged by the truth: what the overview gives as xinfAP, estimated from a sample, is AP here. "
        "[technical-survey.md](technical-survey.md) makes such runs, pools and judges them."
    )
    lines += [*task_section([ours[TEXTS]], TEXTS, SURVEY_FINDINGS), short]
    return "\n\n".join(part.rstrip() for part in lines) + "\n"


def short_form(work: Path) -> str:
    """The tables of a small simulated office, which takes seconds and is compared by a test."""
    ours = simulated(SHORT, work / "short-office")
    parts = [
        f"{SHORT_TITLE}\n\nThe same for a small office (`leadline simulate office {SHORT}`), which a test makes again.",
        "Prior art:", *task_section([ours[PATENTS]], PATENTS, FINDINGS),
        "Technical survey:", *task_section([ours[TEXTS]], TEXTS, SURVEY_FINDINGS),
    ]  # fmt: skip
    return "\n\n".join(parts)


def short_part(page: str) -> str:
    """The short form in the document."""
    found = re.search(rf"^{SHORT_TITLE}$.*", page, re.MULTILINE | re.DOTALL)
    return found[0].strip() if found else ""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, help="folder for collections and indexes (default: a temporary one)")
    parser.add_argument("--short", action="store_true", help="only the small office")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} (default: print)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        short = short_form(work)
        whole = short if options.short else whole_page(options.data, work, short)
        if options.write and not options.short:
            PAGE.write_text(whole, encoding="utf-8")
        elif options.write:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(page.replace(short_part(page), short.strip()), encoding="utf-8")
        else:
            print(whole)


if __name__ == "__main__":
    main()
