"""`leadline run --engine`: ask someone else's search service about every topic, and write its run."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadline.commands.shared.extras import is_missing
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.errors import InputError, UsageError
from leadline.records.scores.result import counted
from leadline.records.scores.table import Table
from leadline.records.topics.topic import Topics
from leadline.retrieval.engines.asking import HIDDEN, EngineAnswers, ask_topics
from leadline.retrieval.engines.engine_file import EngineFile, read_engine
from leadline.retrieval.engines.environment import variables_in
from leadline.retrieval.engines.queries import queries, query_notes
from leadline.retrieval.engines.timing import in_words, timing, timing_of
from leadline.retrieval.index.manifest import content_digests
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.journal import Journal
from leadline.retrieval.pipeline.outside_patents import read_patents
from leadline.text.files import write_stored, write_whole
from leadline.text.json_output import json_text
from leadline.text.source import stem

FAILURES = "topic\treason"  # the first line of RUN.failed.tsv


def run_engine(options: argparse.Namespace) -> None:
    """Ask the service of --engine. With one argument it is TOPICS, with two they are INDEX and TOPICS."""
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
        _write_manifest(options, service, made_of, tag, done, measured)
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
            raise UsageError(name, "does not go with --engine")
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


def _write_manifest(
    options: argparse.Namespace, service: EngineFile, made_of: dict[str, Any], tag: str, done: EngineAnswers,
    measured: dict[str, Any],
) -> None:  # fmt: skip
    """Write beside the run what it was made from, and how long the service took."""
    from leadline.version import __version__

    manifest: dict[str, Any] = {"what": "a run", "leadline": __version__, "tag": tag, "k": options.k}
    manifest |= {"engine": {"file": Path(options.engine).name, "about": service.about, **service.described()}}
    manifest |= {"limits": {**dataclasses.asdict(service.limits), "at_once": service.at_once}, "timing": measured}
    texts = json_text(made_of["queries"]).encode()
    manifest |= {"queries": {"topics": len(made_of["queries"]), "sha256": hashlib.sha256(texts).hexdigest()}}
    manifest |= {"requests": {"sent": done.requests, "sent again": done.again}}
    manifest |= {"failed": dict(done.failed)} if done.failed else {}
    manifest |= {"seconds": {topic: round(seconds, 6) for topic, seconds in done.answers.seconds.items()}}
    write_stored(f"{options.output}.manifest.json", f"{json_text(manifest)}\n".encode())
