"""Search for every topic with a system and write the run.

Topics are patents in the collection, patents in a file (--patents), or texts. The same command continues an interrupted
run after the last finished topic, which is kept in RUN.unfinished. A text that asks for documents "published after
1997" finds only those; a note says so, and --any-date ignores it.

With --engine another search service is asked (docs/engines.md): give TOPICS, or INDEX and TOPICS where the index has
the texts of patents. The run is written once every topic has an answer; RUN.failed.tsv lists those that failed.

Examples:
  leadline run patents.index topics.tsv --system baseline -o baseline.run
  leadline run patents.index topics.tsv --system bitem:claims -o claims.run
  leadline run patents.index topics.tsv --system mine.toml -k 100 -o mine.run
  leadline run --engine service.toml patents.index topics.tsv -o service.run
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from leadline.commands.shared.cluster_option import add_cluster_option, topics_spread
from leadline.commands.shared.extras import check_pipelines
from leadline.commands.shared.options import add_options, add_system_option
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.errors import UsageError
from leadline.records.side_tables import read_groups
from leadline.records.topics.topic import Topics
from leadline.retrieval.engines.timing import timing
from leadline.retrieval.index.manifest import content_digests
from leadline.retrieval.pipeline.after.one_a_group import OneAGroup
from leadline.retrieval.pipeline.answering import Narratives
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.journal import Journal
from leadline.retrieval.pipeline.outside_patents import read_patents
from leadline.retrieval.pipeline.pipeline import pipeline_of
from leadline.retrieval.pipeline.pipeline_files import settings, system
from leadline.text.files import write_stored
from leadline.text.json_output import json_text
from leadline.text.source import stem

DEFAULT_SYSTEM = "baseline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "index")
    add_options(parser, "topics", nargs="?")
    add_system_option(parser, None, DEFAULT_SYSTEM)
    add_options(parser, "-o", metavar="RUN", default="-", help="run file to write (default: standard output)")
    add_options(parser, "-k")
    parser.add_argument("--tag", help="name of the run, in its last column (default: that of the system)")
    parser.add_argument("--patents", metavar="FILE", help="patents outside the collection, as topics")
    groups = "keep only the best of each group of near-duplicates: what `leadline duplicates -o FILE` wrote"
    parser.add_argument("--duplicates", metavar="FILE", help=groups)
    any_date = 'ignore dates that texts ask for, such as "published after 1997"'
    parser.add_argument("--any-date", action="store_true", help=any_date)
    parser.add_argument("--engine", metavar="FILE", help="ask the search service that this TOML file describes")
    partial = "with --engine: write the run without the topics that failed"
    parser.add_argument("--partial", action="store_true", help=partial)
    code = "with --engine: allow a file to name a program or Python code, which is then run"
    parser.add_argument("--run-code", action="store_true", help=code)
    add_cluster_option(parser)
    add_options(parser, "--collection", "-q")


def run(options: argparse.Namespace) -> None:
    if options.engine is not None:
        if options.cluster:
            raise UsageError("--cluster", "cannot be combined with --engine, which asks another service")
        from leadline.commands.shared.engine_run import run_engine

        run_engine(options)
        return
    for name, given in {"--partial": options.partial, "--run-code": options.run_code}.items():
        if given:
            raise UsageError(name, "is only for --engine")
    options.system = options.system or DEFAULT_SYSTEM
    pipeline = system(options.system)
    if options.duplicates:
        read_groups(options.duplicates)  # a wrong file is refused before any search
        pipeline = pipeline_of(pipeline >> OneAGroup(options.duplicates))
    check_pipelines(options.system, [pipeline], options.index)
    context = SearchContext.open(options.index, options.collection)
    asked = _read_topics(options, context)
    tag = options.tag or stem(options.system.removesuffix(".toml"))
    made_of = {
        "system": settings(pipeline),
        "index": content_digests(context.index.manifest),
        "topics": [repr((topic, context.outside_patents.get(topic.patent))) for topic in asked],
        "k": options.k,
    }
    if options.any_date:
        made_of["narratives"] = "words"
    journal = None if options.output == "-" else Journal(Path(f"{options.output}.unfinished"), made_of)
    waiting = len(asked) - (0 if journal is None else len(journal))
    if journal is not None:
        print_notes(journal.notes, options)
    narratives: Narratives = "words" if options.any_date else "dates"
    with topics_spread(options, context), progress_bar("searching", quiet=options.quiet) as progress:
        start = time.monotonic()
        answers = pipeline.answer(context, asked, options.k, progress=progress, journal=journal, narratives=narratives)
        wall = time.monotonic() - start
    write(answers.run(tag).to_bytes(), options.output)
    if journal is not None:
        journal.finish()
        at_once = None if options.cluster else 1
        measured = timing(list(answers.seconds.values()), wall=wall, asked=waiting, at_once=at_once)
        _write_manifest(options, context, made_of, tag, measured)
    print_notes([*filter(None, [context.outdated]), *answers.notes], options)


def _read_topics(options: argparse.Namespace, context: SearchContext) -> Topics:
    """The topics of TOPICS, or all patents of --patents."""
    if options.patents is not None:
        context.add_patents(read_patents(options.patents))
    if options.topics is not None:
        return Topics.read(options.topics)
    if not context.outside_patents:
        raise UsageError("TOPICS", "give TOPICS, or --patents FILE")
    return Topics.of(context.outside_patents, options.patents)


def _write_manifest(
    options: argparse.Namespace, context: SearchContext, made_of: dict[str, Any], tag: str, measured: dict[str, Any]
) -> None:
    """Write beside the run what it was made from, so that it can be traced and made again."""
    from leadline.version import __version__

    topics = [Path(name).name for name in (options.topics, options.patents) if name]
    facts = {"what": "a run", "leadline": __version__, "tag": tag, "topics": topics, "k": options.k}
    manifest = {**facts, "index": {"folder": context.index.folder.name, "segments": made_of["index"]}}
    manifest |= {"narratives": made_of["narratives"]} if "narratives" in made_of else {}
    manifest |= {"system": {"name": options.system, "steps": made_of["system"]}, "timing": measured}
    write_stored(f"{options.output}.manifest.json", f"{json_text(manifest)}\n".encode())
