"""Search for every topic with a system and write the run.

Topics are patents in the collection, patents in a file (--patents), or texts; a folder is one of strategies, each the
topic of its file's name (docs/strategies.md): its documents have no order. The same command continues an interrupted
run after the last finished topic, which is kept in RUN.unfinished. A text that asks for documents "published after
1997" finds only those; a note says so, and --any-date ignores it. A text that is a Boolean query finds what `leadline
search` finds with it.

With --engine another search service is asked (docs/engines.md): give TOPICS, or INDEX and TOPICS where the index has
the texts of patents. The run is written once every topic has an answer; RUN.failed.tsv lists those that failed.

Examples:
  leadline run patents.index topics.tsv --system baseline -o baseline.run
  leadline run patents.index topics.tsv --system bitem:claims -o claims.run
  leadline run patents.index topics.tsv --system mine.toml -k 100 -o mine.run
  leadline run patents.index strategies -o strategies.run
  leadline run --engine service.toml patents.index topics.tsv -o service.run
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import INPUT_FILE, WORD, OutputFile
from leadline.commands.shared.extras import (
    add_cluster_option,
    check_pipelines,
    extras_of,
    is_missing,
    topics_spread,
)
from leadline.commands.shared.options import add_options, add_system_option
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError
from leadline.records.result import Table, counted
from leadline.text.files import json_text, write_whole

if TYPE_CHECKING:
    from leadline.records.topics import Topics
    from leadline.retrieval.engines.asking import EngineAnswers, EngineFile
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.pipeline import Narratives

DEFAULT_SYSTEM = "baseline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("make_run").add(parser, "index", "topics", topics={"nargs": "?"})
    add_system_option(parser, None, DEFAULT_SYSTEM)
    add_options(
        parser,
        "-o",
        type=OutputFile("runs", beside=(".manifest.json", ".unfinished", ".failed.tsv")),
        metavar="RUN",
        default="-",
        help="run file to write (default: standard output)",
    )
    public("make_run").add(parser, "k", "processes", k={"flags": ["-k"]}, processes={"default": None})
    parser.add_argument("--tag", type=WORD, help="name of the run, in its last column (default: that of the system)")
    parser.add_argument("--patents", metavar="FILE", type=INPUT_FILE, help="patents outside the collection, as topics")
    public("search").add(parser, "duplicates")
    any_date = 'ignore dates that texts ask for, such as "published after 1997"'
    parser.add_argument("--any-date", action="store_true", help=any_date)
    public("run_engine").add(parser, engine={"flags": ["--engine"], "metavar": "FILE"})
    partial = "with --engine: write the run without the topics that failed"
    parser.add_argument("--partial", action="store_true", help=partial)
    add_cluster_option(parser)
    add_options(parser, "--collection", "-q")


def run(options: argparse.Namespace) -> None:
    if options.engine is not None:
        if options.cluster:
            raise UsageError("--cluster", "cannot be combined with --engine, which asks another service")
        if options.processes:
            raise UsageError("--processes", "cannot be combined with --engine, which asks another service")
        run_engine(options)
        return
    for name, given in {"--partial": options.partial, "--run-code": options.run_code}.items():
        if given:
            raise UsageError(name, "is only for --engine")
    if options.topics is not None and Path(options.topics).is_dir():
        _run_strategies(options)
        return
    from leadline.records.inputs import read_groups
    from leadline.retrieval.engines.engine import timing
    from leadline.retrieval.index.manifest import content_digests
    from leadline.retrieval.pipeline.after.one_a_group import OneAGroup
    from leadline.retrieval.pipeline.after.where import chosen_packages
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.named_systems import settings, system
    from leadline.retrieval.pipeline.pipeline import Journal, pipeline_of
    from leadline.text.source import stem

    options.system = options.system or DEFAULT_SYSTEM
    pipeline = system(options.system)
    if options.duplicates:
        read_groups(options.duplicates)  # a wrong file is refused before any search
        pipeline = pipeline_of(pipeline >> OneAGroup(options.duplicates))
    check_pipelines(options.system, [pipeline], options.index)
    context = SearchContext.open(options.index, options.collection)
    asked = _read_topics(options, context)
    tag = options.tag or stem(options.system.removesuffix(".toml"))
    steps = settings(pipeline)
    made_of = {
        "system": steps,
        "index": content_digests(context.index.manifest),
        "topics": [repr((topic, context.outside_patents.get(topic.patent))) for topic in asked],
        "k": options.k,
    }
    if packages := chosen_packages(steps):
        made_of["packages"] = packages
    if options.any_date:
        made_of["narratives"] = "words"
    journal = None if options.output == "-" else Journal(Path(f"{options.output}.unfinished"), made_of)
    waiting = len(asked) - (0 if journal is None else len(journal))
    if journal is not None:
        print_notes(journal.notes, options)
    narratives: Narratives = "words" if options.any_date else "dates"
    # A model is large, and uses all cores by itself.
    processes = options.processes or (1 if extras_of(steps, Path(options.index)) else os.cpu_count() or 1)
    with (
        topics_spread(options, context, processes) as at_once,
        progress_bar("searching", quiet=options.quiet) as progress,
    ):
        start = time.monotonic()
        answers = pipeline.answer(context, asked, options.k, progress=progress, journal=journal, narratives=narratives)
        wall = time.monotonic() - start
    write(answers.run(tag).to_bytes(), options.output)
    if journal is not None:
        journal.finish()
        measured = timing(list(answers.seconds.values()), wall=wall, asked=waiting, at_once=at_once())
        _write_manifest(options, context, made_of, tag, measured)
    print_notes([*filter(None, [context.outdated]), *answers.notes], options)


def _run_strategies(options: argparse.Namespace) -> None:
    """Run the strategies of a folder, one for each topic; their documents have no order."""
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.strategy.running import run_strategies

    given = {"--system": options.system, "--patents": options.patents, "--duplicates": options.duplicates}
    for name, value in given.items():
        if value:
            raise UsageError(name, f"cannot be combined with a folder of strategies ({options.topics})")
    context = SearchContext.open(options.index, options.collection)
    run, notes = run_strategies(context, options.topics)
    write(run.to_bytes(), options.output)
    print_notes([*filter(None, [context.outdated]), *notes], options)


def _read_topics(options: argparse.Namespace, context: SearchContext) -> Topics:
    """The topics of TOPICS, or all patents of --patents."""
    from leadline.records.topics import Topics
    from leadline.retrieval.pipeline.context_data import read_patents

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
    """Write beside the run what it was made from."""
    from leadline.records.manifest import write_manifest
    from leadline.version import __version__

    topics = [Path(name).name for name in (options.topics, options.patents) if name]
    facts = {"what": "a run", "leadline": __version__, "tag": tag, "topics": topics, "k": options.k}
    manifest = {**facts, "index": {"folder": context.index.folder.name, "segments": made_of["index"]}}
    manifest |= {name: made_of[name] for name in ("packages", "narratives") if name in made_of}
    manifest |= {"system": {"name": options.system, "steps": made_of["system"]}, "timing": measured}
    write_manifest(options.output, manifest)


# `leadline run --engine`: ask someone else's search service about every topic, and write its run.


FAILURES = "topic\treason"  # the first line of RUN.failed.tsv


def run_engine(options: argparse.Namespace) -> None:
    """Ask the service of --engine. With one argument it is TOPICS, with two they are INDEX and TOPICS."""
    from leadline.records.topics import Topics
    from leadline.retrieval.engines.asking import HIDDEN, ask_topics, queries, query_notes, read_engine
    from leadline.retrieval.engines.engine import in_words, timing, timing_of, variables_in
    from leadline.retrieval.index.manifest import content_digests
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.context_data import read_patents
    from leadline.retrieval.pipeline.pipeline import Journal
    from leadline.text.source import stem

    _check_options(options)
    index, topics = (None, options.index) if options.topics is None else (options.index, options.topics)
    service = read_engine(options.engine, run_code=options.run_code)
    check_packages(options.engine, service)
    context = None if index is None else SearchContext.open(index, options.collection)
    if context is not None and options.patents is not None:
        context.add_patents(read_patents(options.patents))
    if not Path(options.output).parent.is_dir():
        raise InputError(str(Path(options.output).parent), "no such folder: make it, or name another file for the run")
    needs = Topics.read(topics)
    asked = queries(needs, service.query, options.engine, context)
    tag = options.tag or stem(options.engine.removesuffix(".toml"))
    made_of = {
        "engine": json_text(service.described()),
        "index": None if context is None else content_digests(context.index.manifest),
        "queries": [(query.topic, query.text) for query in asked],
        "k": options.k,
    }
    journal = None if options.output == "-" else Journal(Path(f"{options.output}.unfinished"), made_of)
    if journal is not None:
        print_notes(journal.notes, options)
    if sent := variables_in(service.engine.secret_texts()):
        print_notes([f"{service.engine.place()} is sent {', '.join(sent)} of the environment"], options)
    unsent = service.engine.note() if service.limits.most_documents is None else ""
    print_notes([*query_notes(needs, asked, service.query), *filter(None, [unsent])], options)
    with progress_bar("asking", quiet=options.quiet) as progress:
        done = ask_topics(
            service, asked, options.k, context=context, journal=journal, progress=progress, say=_teller(options)
        )
    if done.failed:
        _report_failures(done, len(asked), options)
    if done.left_out and not any(ids for ids, _ in done.answers.found.values()):
        problem = f"{counted(done.left_out, 'document')} found, all left out ({HIDDEN})"
        raise InputError(options.engine, problem)
    write(done.answers.run(tag).to_bytes(), options.output)
    measured = timing(
        list(done.answers.seconds.values()),
        cost=service.limits.cost,
        wall=done.seconds,
        asked=done.asked,
        at_once=service.at_once,
        requests=done.requests,
    )
    if journal is not None:
        if not done.failed:
            journal.finish()
            _remove_failures(Path(f"{options.output}.failed.tsv"))
        _write_manifest_of_service(options, service, made_of, tag, done, measured)
    spent = f"; {counted(done.requests, 'request')} cost {measured['cost']:g}" if "cost" in measured else ""
    took = in_words(timing_of(measured)) + spent
    print_notes([*done.answers.notes, *done.notes, *filter(None, [took])], options)


def _teller(options: argparse.Namespace) -> Callable[[str], None]:
    """Prints a note while work goes on, in place of the progress bar."""

    def tell(note: str) -> None:
        if sys.stderr.isatty() and not options.quiet:
            print("\r\033[K", end="", file=sys.stderr)
        print_notes([note], options)

    return tell


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that only our own systems know."""
    given = {"--system": options.system, "--duplicates": options.duplicates, "--any-date": options.any_date}
    for name, value in given.items():
        if value:
            raise UsageError(name, "cannot be combined with --engine")
    if options.topics is None and (options.patents is not None or options.collection is not None):
        raise UsageError("--engine", "give INDEX and TOPICS: patents need an index")


def check_packages(what: str, service: EngineFile) -> None:
    """Refuse to start where a package that the service needs is missing."""
    missing = [name for name in service.engine.needed_packages() if is_missing(name)]
    if missing:
        install = f'pip install "leadline[{service.engine.extra}]"'
        raise InputError(what, f"needs the package{'s' * (len(missing) > 1)} {', '.join(missing)}: {install}")


def _report_failures(done: EngineAnswers, topics: int, options: argparse.Namespace) -> None:
    """Write down why topics failed. Without --partial that ends the command: a run without them would be misread."""
    first, reason = next(iter(done.failed.items()))
    failures = f"{len(done.failed):,} of {counted(topics, 'topic')} failed: {first}: {reason}"
    if options.output != "-":
        table = Table(FAILURES.split("\t"), [[topic, why] for topic, why in done.failed.items()])
        write_whole(f"{options.output}.failed.tsv", f"{table.render('tsv')}\n".encode())
    if options.partial and done.answers.found:
        print_notes([f"{failures}; the run is without them"], options)
        return
    again = "the same command asks only these again"
    if done.lasting:
        again = f"mend the cause, then {again} (all, where more of {options.engine} than its limits is changed)"
    others = f"; {options.output}.failed.tsv lists them; {again}"
    raise InputError(options.engine, failures + (others if options.output != "-" else ""))


def _remove_failures(path: Path) -> None:
    """Remove the list of an earlier attempt, and nothing else that has its name."""
    with contextlib.suppress(OSError):
        if path.is_file() and not path.is_symlink() and path.read_bytes().startswith(f"{FAILURES}\n".encode()):
            path.unlink()


def _write_manifest_of_service(
    options: argparse.Namespace,
    service: EngineFile,
    made_of: dict[str, Any],
    tag: str,
    done: EngineAnswers,
    measured: dict[str, Any],
) -> None:
    """Write beside the run what it was made from, and how long the service took."""
    from leadline.records.manifest import write_manifest
    from leadline.version import __version__

    manifest: dict[str, Any] = {"what": "a run", "leadline": __version__, "tag": tag, "k": options.k}
    manifest |= {"engine": {"file": Path(options.engine).name, "about": service.about, **service.described()}}
    manifest |= {"limits": {**dataclasses.asdict(service.limits), "at_once": service.at_once}, "timing": measured}
    texts = json_text(made_of["queries"]).encode()
    manifest |= {"queries": {"topics": len(made_of["queries"]), "sha256": hashlib.sha256(texts).hexdigest()}}
    manifest |= {"requests": {"sent": done.requests, "sent again": done.again}}
    manifest |= {"failed": dict(done.failed)} if done.failed else {}
    manifest |= {"seconds": {topic: round(seconds, 6) for topic, seconds in done.answers.seconds.items()}}
    write_manifest(options.output, manifest)
