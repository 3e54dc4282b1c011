"""Search for every topic with a named system, or with a pipeline of your own, and write the run in TREC's format.

Topics are patents of the collection, patents in files (--patents), or texts. A run that is stopped goes on behind the
last topic done when it is asked for again: until the end RUN.unfinished holds what was found.

example: leadline run INDEX topics.tsv --system baseline -o baseline.run
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from leadline.commands.output import emit, progress_bar, say
from leadline.errors import InputError
from leadline.records.topics.topic import Topics
from leadline.search.pipeline.context import SearchContext
from leadline.search.pipeline.journal import Journal
from leadline.search.pipeline.outside_patents import read_patents
from leadline.search.pipeline.pipeline_files import settings, system, systems
from leadline.text.source import stem, write_whole


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("index", metavar="INDEX", help="the index, as `leadline index` makes it")
    add("topics", metavar="TOPICS", nargs="?", help="ids one a line, a table, or TREC's markup")
    add("--system", default="baseline", metavar="NAME", help=f"a pipeline in a file .toml, or {', '.join(systems())}")
    add("-o", "--output", metavar="RUN", default="-", help="write to this file, whole or not at all")
    add("-k", type=int, default=1000, help="documents for each topic, 1000 unless said")
    add("--tag", help="the name of the run in its last column, that of the system unless said")
    add("--patents", metavar="FILE", help="patents outside the collection: topics of these ids, or all of them")
    add("--collection", metavar="DIR", help="the collection, where it is no longer where the index was made from it")
    add("-q", "--quiet", action="store_true", help="print no notes and no progress")


def run(options: argparse.Namespace) -> None:
    if options.k < 1:
        raise InputError("-k", f"{options.k} is no number of documents to find")
    pipeline = system(options.system)
    lab = SearchContext.open(options.index, options.collection)
    asked = _asked(options, lab)
    tag = options.tag or stem(options.system.removesuffix(".toml"))
    made_of = {
        "system": settings(pipeline),
        "index": [segment["sha256"] for segment in lab.index.manifest["segments"]],
        "topics": [repr((topic, lab.outside_patents.get(topic.patent))) for topic in asked],
        "k": options.k,
    }
    journal = None if options.output == "-" else Journal(Path(f"{options.output}.unfinished"), made_of)
    if journal is not None and len(journal) and not options.quiet:
        say([f"goes on behind {len(journal):,} topics that are done"])
    with progress_bar("searching", quiet=options.quiet) as progress:
        answers = pipeline.answer(lab, asked, options.k, progress=progress, journal=journal)
    emit(answers.run(tag).to_bytes(), options.output)
    if journal is not None:
        journal.finish()
        _write_manifest(options, lab, made_of, tag)
    if not options.quiet:
        say(answers.notes)


def _asked(options: argparse.Namespace, lab: SearchContext) -> Topics:
    """The topics of the file, or all patents of the other file."""
    if options.patents is not None:
        lab.add_patents(read_patents(options.patents))
    if options.topics is not None:
        return Topics.read(options.topics)
    if not lab.outside_patents:
        raise InputError("run", "give TOPICS, or --patents FILE")
    return Topics.of(lab.outside_patents, options.patents)


def _write_manifest(options: argparse.Namespace, lab: SearchContext, made_of: dict[str, Any], tag: str) -> None:
    """Say beside the run what it was made from, so that it can be traced and made again."""
    from leadline.version import __version__

    topics = [Path(name).name for name in (options.topics, options.patents) if name]
    facts = {"what": "a run", "leadline": __version__, "tag": tag, "topics": topics, "k": options.k}
    manifest = {**facts, "index": {"folder": lab.index.folder.name, "segments": made_of["index"]}}
    manifest |= {"system": {"name": options.system, "steps": made_of["system"]}}
    write_whole(f"{options.output}.manifest.json", f"{json.dumps(manifest, indent=1, ensure_ascii=False)}\n".encode())
