"""Judgements from citations: what the topic cites, the family of that, and what the topic's family cites.

Beside FILE stand FILE.why.tsv, with the citations behind every judgement, and FILE.manifest.json. `--from` selects
from an earlier .why.tsv without the collection.

example: leadline qrels citations chemistry topics.tsv -o qrels.txt --origin examiner,opposition
"""

from __future__ import annotations

import argparse
from typing import get_args

from leadline.collections.documents.store import Collection
from leadline.commands.citing import citing_of, counted, define_citing, origins_of, rules_of, write_manifest
from leadline.commands.output import check_output, emit, say
from leadline.errors import InputError, checked_choice
from leadline.judge.citations.from_citations import Derived, from_citations
from leadline.judge.citations.provenance import Grades, Provenance
from leadline.measures.alignment import listed
from leadline.records.scores.table import FORMATS, Table
from leadline.records.topics.topic import Topics


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("collection", metavar="DIR", nargs="?", help="the collection")
    add("topics", metavar="TOPICS", nargs="?", help="patents of it: ids one a line, a table, or TREC's markup")
    add("-o", "--output", metavar="FILE", required=True, help="the judgements to write")
    add("--from", dest="source", metavar="WHY", help="the .why.tsv of earlier judgements, in place of DIR TOPICS")
    define_citing(parser)
    add("--grades", default="one", help="one: every grade is 1; category: X and Y of search reports are 2")
    add("-f", "--format", default="table", metavar="FORMAT", help=f"of what is printed: {', '.join(FORMATS)}")
    add("-q", "--quiet", action="store_true", help="print nothing")


def run(options: argparse.Namespace) -> None:
    check_output(options)
    checked_choice("--grades", options.grades, get_args(Grades))
    citing = citing_of(options)
    if options.source:
        if options.collection or options.topics:
            raise InputError("--from", "takes the place of DIR TOPICS; give one or the other")
        if options.dates:
            raise InputError("--dates", "an earlier .why.tsv holds no dates to choose by; give DIR and TOPICS")
        whole = Provenance.read(options.source)
        _write(whole.select(origins=origins_of(options), rules=rules_of(options)), options)
        return
    if options.topics is None:
        raise InputError("qrels citations", "give DIR and TOPICS, or --from WHY")
    collection = Collection.open(options.collection)
    derived = from_citations(collection, Topics.read(options.topics), **citing)
    _write(derived.provenance, options)
    if options.output != "-":
        write_manifest(options.output, "qrels from citations", collection, {**citing, "grades": options.grades})
    if not options.quiet:
        say(_notes(derived))


def _write(provenance: Provenance, options: argparse.Namespace) -> None:
    emit(provenance.qrels(grades=options.grades, name=options.output).to_bytes(), options.output)
    if options.output == "-":
        return
    provenance.write(f"{options.output}.why.tsv")
    if not options.quiet:
        counts = provenance.counts()
        shown = [name for name in counts.columns if name == "rule" or counts[name].sum()]
        emit(Table(shown, counts.select(shown).rows()).encoded(options.format))


def _notes(derived: Derived) -> list[str]:
    """What was left out, and why, so that nothing falls away unseen."""
    judged = derived.provenance.ways["topic"].n_unique()
    told = (
        (derived.absent, "not in the collection"),
        (derived.citing_nothing, "citing nothing in the collection"),
        (derived.emptied, "of which every judgement fell away"),
        (derived.undated_topics, "without any date, for which nothing was too late"),
    )
    pairs = (
        (derived.own_family, "in the topic's own family: left out"),
        (derived.too_late, "published after the topic's priority date: left out (--dates none keeps them)"),
        (derived.by_filing_date, "without publication date, but filed in time: kept"),
        (derived.undated, "without any date: kept"),
    )
    return [
        f"{judged:,} of {counted(len(derived.provenance.topics), 'topic')} have judgements",
        *(f"{counted(len(topics), 'topic')} {what}: {listed(topics)}" for topics, what in told if topics),
        *(f"{counted(number, 'cited document')} {what}" for number, what in pairs if number),
    ]
