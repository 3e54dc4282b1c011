"""Learn the weights of a system on judged topics of your own.

The system combines what the index has: words, noun phrases, vectors, classes, citations. Their weights are learned by
logistic regression; `--learner lambdamart` adds regression trees. The score of the tuned system is of topics held out:
each is scored by what was learned without it.
SYSTEM is a file like any other, for `leadline run --system SYSTEM`. The weights are for this collection; on others,
tune again. docs/tuning.md has what was gained.

Examples:
  leadline tune patents.index topics.tsv qrels.txt -o system.toml
  leadline tune patents.index topics.tsv qrels.txt -m PRES@100 --folds 10 -o system.toml
  leadline tune patents.index topics.tsv qrels.txt --learner lambdamart -o system.toml
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.extras import check_extras
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write
from leadline.commands.shared.signature import public
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("tune").add(parser, measure={"flags": ["-m", "--measure"]})
    add_options(parser, "-o", metavar="SYSTEM", required=True, help="system file to write, which ends in .toml")
    add_options(parser, "--collection", "-f", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.errors import UsageError
    from leadline.measures.definition import parse_measures
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.show.public import TRANSFER, tune

    check_format(options)
    if not options.output.endswith(".toml"):
        raise UsageError("-o", f"must end in .toml, the ending of a system file, got {options.output!r}")
    if options.learner == "lambdamart":
        check_extras("--learner lambdamart", ["tune"])
    parse_measures(options.measure)  # a wrong measure is refused before any search
    context = SearchContext.open(options.index, options.collection)
    with progress_bar("searching", quiet=options.quiet) as progress:
        found = tune(**public("tune").given(options, index=context, progress=progress))
    found.write(options.output)
    write(found.table().encoded(options.format, formulas=options.keep_formulas))
    if options.format == "table" and not options.quiet:
        write(f"\n{found.weight_table().render('table')}\n")
        write(f"{wrap_for_terminal(found.verdicts.finding())}\n{wrap_for_terminal(TRANSFER)}\n")
    unused = f"{counted(found.unused, 'topic')} without a relevant document among the results" if found.unused else ""
    worse = "" if found.is_better else f"{found.rival} does as well without tuning, as far as these topics can tell"
    vectors = f"with vectors by {found.vectors}" if found.vectors else ""
    print_notes(filter(None, [f"tuned on {counted(found.topics, 'topic')}", vectors, unused, worse]), options)
