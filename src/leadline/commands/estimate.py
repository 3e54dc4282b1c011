"""Estimate disk, time, memory and machines for a collection of any size.

The numbers follow from slopes that were measured on one core, and checked at a larger size than they were fitted on;
docs/growth.md has the model and what it leaves out.

Examples:
  leadline estimate clef-ip
  leadline estimate --documents 5000000 --words-per-document 4000 --cores 8 --machine-memory 32GB
  leadline estimate trec-chem --runs 200 --topics 1000 --depth 1000 --format json
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.options import add_number, add_options, check_format, choice, memory_type, wrong_usage
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.errors import UsageError
from leadline.records.result import counted
from leadline.show.choices import KNOWN_COLLECTIONS, Machine, Workload
from leadline.text.files import readable_size

WORDS = 5000  # of a patent in full


def add_arguments(parser: argparse.ArgumentParser) -> None:
    known = f"a collection of known size: {', '.join(KNOWN_COLLECTIONS)} (default: that of --documents)"
    parser.add_argument("name", metavar="NAME", nargs="?", type=choice(list(KNOWN_COLLECTIONS)), help=known)
    add_number(parser, "--documents", "documents of the collection")
    words = f"words of a document (default: {WORDS:,}, or those of the collection)"
    add_number(parser, "--words-per-document", words)
    add_number(parser, "--runs", "runs to evaluate", Workload.runs)
    add_number(parser, "--topics", "topics to search for, in each run", Workload.topics)
    add_number(parser, "--depth", "documents of a run for each topic", Workload.depth)
    add_number(parser, "--judged", "judgements of a topic", Workload.judged)
    add_number(parser, "--cores", "cores of a machine", Machine.cores)
    memory = f"memory of a machine (default: {readable_size(Machine.memory)})"
    parser.add_argument("--machine-memory", metavar="SIZE", type=memory_type, default=Machine.memory, help=memory)
    disk = f"disk of a machine (default: {readable_size(Machine.disk)})"
    parser.add_argument("--machine-disk", metavar="SIZE", type=memory_type, default=Machine.disk, help=disk)
    add_number(parser, "--hours", "hours that a job may take", int(Machine.hours))
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.cost_model import estimate

    check_format(options)
    known = KNOWN_COLLECTIONS.get(options.name)
    documents = options.documents or (known.documents if known else None)
    if documents is None:
        raise UsageError("--documents", f"is needed, or the name of a collection: {', '.join(KNOWN_COLLECTIONS)}")
    words = options.words_per_document or (known.words if known else WORDS)
    work = Workload(documents, words, options.runs, options.topics, options.depth, options.judged)
    machine = Machine(options.cores, options.machine_memory, options.machine_disk, options.hours)
    with wrong_usage():
        found = estimate(work, machine)
    for_people = options.format in ("table", "latex", "markdown")
    if options.format == "table" and options.output is None and not options.quiet:
        write(f"{found._finding()}.\n\n")
    write_table(found.table_for_people() if for_people else found.table(), options)
    taken = []
    if known is not None:
        about = known.about
        if options.documents:
            about = f"{counted(documents, 'document')} in place of its {known.documents:,}"
        assumed = "" if options.words_per_document else f"; {words:,} words a document are an assumption"
        taken.append(f"{options.name}: {about}{assumed}")
    print_notes([*taken, *found.notes], options)
