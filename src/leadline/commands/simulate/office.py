"""Simulate a patent office in which every relevant document is known.

Writes documents, topics, judgements from citations and the true judgements; with --surveys also topics in words with
their true judgements (docs/technical-survey.md has an example). With --forms the documents are also written as files in
the forms of the offices; docs/forms.md says what each form holds. docs/simulated-office.md lists the settings that
--set can change.

Examples:
  leadline simulate office -o office --patents 2000 --seed 1 --set synonymy=0.5
  leadline simulate office -o survey --patents 1000 --articles 200 --surveys 18
  leadline simulate office -o small --patents 300 --forms files
"""

from __future__ import annotations

import argparse
import time

from leadline.collections.choices import OFFICE_WORDS
from leadline.commands.shared.argument_kinds import OutputFolder, Value
from leadline.commands.shared.options import add_choice, add_number, add_options, add_summary_options, wrong_usage
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.commands.shared.signature import public
from leadline.records.result import Table, counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_options(parser, "-o", type=OutputFolder(), metavar="DIR", required=True, help="folder to write")
    add_number(parser, "--patents", "number of documents", 20_000)
    add_number(parser, "--topics", "number of topics", 100, least=0)
    add_number(parser, "--articles", "number of articles in journals, beside the patents", 0, least=0)
    forms = "folder for the documents in the forms of offices: XML of each office, exchange documents, JATS, RIS"
    add("--forms", type=OutputFolder(), metavar="DIR", help=forms)
    add_number(parser, "--surveys", "number of topics in words, for a technical survey", 0, least=0)
    years = "first priority year and last publication year (default: %(default)s)"
    add("--years", type=Value(_years), default="1980-2009", metavar="FROM-TO", help=years)
    words = "words of the texts: real chemistry, or invented words that no knowledge of the world helps with"
    add_choice(parser, "--words", OFFICE_WORDS, words, "chemistry")
    add_number(parser, "--length", "median number of words of a description", 400)
    setting = "change another setting, such as synonymy=0.5"
    add("--set", type=Value(_setting), action="append", default=[], metavar="NAME=VALUE", help=setting)
    public("compare").add(parser, "seed")
    add_summary_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.forms import check_place, notes_of
    from leadline.collections.simulate.settings import Settings
    from leadline.judge.simulated_office import write_office, write_office_forms

    first, last = options.years
    with wrong_usage():
        settings = Settings(
            patents=options.patents,
            seed=options.seed,
            topics=options.topics,
            first_year=first,
            last_year=last,
            words=options.words,
            length=options.length,
            articles=options.articles,
            surveys=options.surveys,
        ).changed(dict(options.set))
    if options.forms:
        check_place(options.forms)
    start = time.monotonic()
    with progress_bar("simulating", quiet=options.quiet) as progress:
        written = write_office(settings, options.output, progress)
    seconds = time.monotonic() - start
    figures = written.manifest["statistics"]
    if not options.quiet:
        table = Table(["figure", "value"], [[name, value] for name, value in figures.items()])
        write(table.encoded(options.format, formulas=options.keep_formulas))
    documents = counted(figures["documents"], "document")
    print_notes([f"{documents} in {options.output}, seed {settings.seed}, in {seconds:.1f} s"], options)
    if options.forms:
        with progress_bar("writing forms", quiet=options.quiet) as progress:
            manifest = write_office_forms(written, options.forms, progress)
        print_notes([f"{options.forms}/{note}" for note in notes_of(manifest)], options)


def _years(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if not (dash and first.strip().isdigit() and last.strip().isdigit()):
        raise argparse.ArgumentTypeError(f"must be two years, such as 1980-2009, got {text!r}")
    return int(first), int(last)


def _setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, such as synonymy=0.5, got {text!r}")
    return name.strip().replace("-", "_"), value.strip()
