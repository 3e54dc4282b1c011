"""Draw pages by random walks, nearly uniformly.

A walk follows links either way. Without correction it ends on pages with many links more often; `metropolis` and
`reweighted` correct that. --bias prints how far each method is from uniform on this graph, whose pages are all known.

Examples:
  leadline links sample edges.tsv -n 20
  leadline links sample patents -n 1000 --bias
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.link_options import add_link_options, read_link_source
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_link_options(parser)
    number = {"flags": ["-n", "--number"], "dest": "number", "default": 100}
    public("sample_pages").add(parser, count=number, start={"metavar": "PAGE"})
    parser.add_argument("--bias", action="store_true", help="print how far each method is from uniform instead")
    public("compare").add(parser, "seed")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.links.statistics import sample_bias, sample_pages

    check_format(options)
    graph = read_link_source(options)
    common = {"steps": options.steps, "start": options.start, "rng": options.seed}
    if options.bias:
        bias = sample_bias(graph, options.number, **common)
        write_table(bias.table(), options)
        print_notes((*bias.notes, f"seed {options.seed}"), options)
        return
    sample = sample_pages(graph, options.number, method=options.method, **common)
    write_table(sample.table(), options)
    print_notes((*sample.notes, f"drawn by {options.method}, seed {options.seed}"), options)
